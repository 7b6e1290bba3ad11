"""``evenfold pr`` judges a pull request and gives one comment and one exit code."""

from pathlib import Path
from typing import Annotated

import typer

from evenfold.cli import options as o
from evenfold.cli.gate import PASSED
from evenfold.cli.output import deliver_text, writable
from evenfold.core.checks import refuse, refuse_value
from evenfold.core.words import escape_runner_commands

Config = Annotated[
    Path | None,
    o.of_data(
        metavar="FILE",
        help="pyproject.toml with the table tool.evenfold.pr, or evenfold.toml (default: in "
        "this folder).",
    ),
]
BaseCommit = Annotated[
    str | None,
    o.of_data(
        metavar="COMMIT",
        help="Commit whose results are the baseline. Its configuration decides where it has one.",
    ),
]
HeadCommit = Annotated[
    str | None, o.of_data(metavar="COMMIT", help="Commit whose results are judged.")
]


def pr(
    config: Config = None,
    base_commit: BaseCommit = None,
    head_commit: HeadCommit = None,
    markdown: Annotated[Path | None, o.of_file(help="Write the comment in Markdown.")] = None,
    as_json: o.Json = None,
    summary: Annotated[
        Path | None, o.of_file(help="Add the comment to a file, as the summary of a job.")
    ] = None,
) -> None:
    """Judge a pull request by all checks of a configuration, and print the comment."""
    from evenfold.evals.pr.api import judge_pull_request
    from evenfold.evals.pr.comment import write_comment

    files = {"markdown": markdown, "json": as_json, "summary": summary}
    for option, path in files.items():
        writable(option, path)
        if str(path) == "-":
            refuse(
                f"--{option}",
                f"--{option} must be a file but got '-'.",
                "The comment is always printed, so leave the option out.",
            )
    if config is not None and not config.is_file():
        refuse_value("--config", str(config), "a file")
    facts = judge_pull_request(config, base_commit=base_commit, head_commit=head_commit)
    comment = write_comment(facts)
    typer.echo(escape_runner_commands(comment))
    texts = {"markdown": comment, "json": facts.to_json(), "summary": comment}
    for option, path in files.items():
        if path is not None:
            deliver_text(path, texts[option], append=option == "summary")
    if facts.code != PASSED:
        raise typer.Exit(facts.code)

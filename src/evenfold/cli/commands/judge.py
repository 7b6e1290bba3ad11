"""``evenfold judge``: a verdict from tables of results, and a gate for pipelines."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.gate import side
from evenfold.cli.names import check_method
from evenfold.cli.output import Outputs, check_wish, finish, note
from evenfold.cli.redo import command
from evenfold.core.checks import refuse

_DATA, _QUESTION, _OUTPUT = "Data", "Question", "Output"

Table = Annotated[
    Path | None,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet or JSON lines with all algorithms; or give --baseline and --candidate.",
        show_default=False,
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|NAME",
        help="The table of A, or its name in TABLE.",
        rich_help_panel=_DATA,
        show_default=False,
    ),
]
Candidate = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE", help="The table of B; again for others.", rich_help_panel=_DATA, show_default=False
    ),
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=NAME", help="What the table calls a role: algorithm=model.", rich_help_panel=_DATA
    ),
]
Rows = Annotated[
    str | None,
    typer.Option(
        help="What a row is, in a table without ids: examples, folds, runs, data sets, times.",
        rich_help_panel=_DATA,
    ),
]
N = Annotated[
    int | None, typer.Option("--n", help="How many examples were cut into folds.", rich_help_panel=_DATA)
]
Missing = Annotated[
    str,
    typer.Option(
        help="refuse, drop what not every algorithm has, or keep data sets that some have.",
        rich_help_panel=_DATA,
    ),
]
Paired = Annotated[
    bool | None,
    typer.Option(
        "--paired/--unpaired", help="Whether runs of A and B belong together.", rich_help_panel=_DATA
    ),
]
Horizon = Annotated[
    int | None,
    typer.Option(help="How many times ahead forecasts were made (column time).", rich_help_panel=_DATA),
]
Higher = Annotated[
    bool | None,
    typer.Option("--higher-is-better/--lower-is-better", help="Of bare values.", rich_help_panel=_QUESTION),
]
Summary = Annotated[
    Path | None,
    typer.Option(metavar="PATH", help="Write Markdown for a pull request.", rich_help_panel=_OUTPUT),
]
FlipsTo = Annotated[
    Path | None,
    typer.Option(
        "--flips", metavar="PATH", help="Write the examples that B fixed and broke.", rich_help_panel=_OUTPUT
    ),
]


def judge(
    ctx: typer.Context,
    table: Table = None,
    baseline: Baseline = None,
    candidate: Candidate = None,
    column: Column = None,
    rows: Rows = None,
    n: N = None,
    on_missing: Missing = "refuse",
    paired: Paired = None,
    horizon: Horizon = None,
    measure: o.Measure = None,
    higher: Higher = None,
    method: o.Method = None,
    margin: o.Margin = 0.0,
    level: o.Level = 0.05,
    alternative: o.Alternative = "two-sided",
    adjust: o.Adjust = "holm",
    positive: o.Positive = None,
    fail_unless: o.FailUnless = None,
    undecided: o.Undecided = None,
    summary: Summary = None,
    flips: FlipsTo = None,
    html: o.Html = None,
    json: o.Json = None,
    latex: o.Latex = None,
    markdown: o.Markdown = None,
    write: o.Write = None,
) -> None:
    """Judge results that exist already: predictions, scores, folds, seeds. Nothing is fitted."""
    outputs = Outputs.asked(write, html=html, json=json, latex=latex, markdown=markdown)
    Outputs.asked(summary=summary, flips=flips)
    check_wish(fail_unless, 2, undecided)
    check_method(method)
    source, name = _table(table, baseline, candidate or [])
    asked: Any = {
        "columns": _columns(column or []),
        "rows": rows,
        "n": n,
        "on_missing": on_missing,
        "paired": paired,
        "horizon": horizon,
        "measure": None if not measure else measure if len(measure) > 1 else measure[0],
        "higher_is_better": higher,
        "method": method,
        "margin": margin,
        "level": level,
        "alternative": side(alternative, fail_unless),
        "adjust": adjust,
        "positive": positive,
        "baseline": name,
    }
    from evenfold.corridor.judge.api import judge as answer

    done = answer(source, **asked)
    done = replace(done, facts=replace(done.facts, call=command(ctx)))
    outputs.deliver(done)
    if summary is not None:
        _written(summary, _summary(done))
    if flips is not None:
        _write_flips(flips, done)
    finish(done, fail_unless, undecided)


def _table(table: Path | None, baseline: str | None, candidates: list[Path]) -> tuple[Any, str | None]:
    """One table with the name of its baseline, or one file for each algorithm, the baseline first."""
    if table is not None:
        if candidates:
            refuse("--candidate", "given without TABLE", str(table), "one file per algorithm, or one for all")
        return table, baseline
    if baseline is None or not candidates:
        refuse("table", "given as TABLE, or by --baseline FILE and --candidate FILE", "neither")
    paths = [Path(baseline), *candidates]
    return dict(zip(_named(paths), paths, strict=True)), None


def _named(paths: list[Path]) -> list[str]:
    """Name algorithms by their files: by stem, or by as much of the path as tells them apart."""
    stems = [path.stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path.with_suffix("")) for path in paths]
    if len(set(names)) < len(names):
        refuse("--candidate", "another file than the others", ", ".join(names))
    return names


def _columns(texts: list[str]) -> dict[str, str]:
    columns = {}
    for text in texts:
        role, found, name = text.partition("=")
        if not (role and found and name):
            refuse("--column", "ROLE=NAME", text)
        columns[role] = name
    return columns


def _summary(done: Any) -> str:
    """A summary of one comparison; over several data sets the tables."""
    from evenfold.core.facts.comparison import Facts
    from evenfold.report.formats.summary import to_summary

    return to_summary(done.facts) if isinstance(done.facts, Facts) else str(done.to_markdown())


def _written(path: Path, text: str) -> None:
    """Add to a file that is there, as the summary of a GitHub job is, else make it."""
    with path.open("a", encoding="utf-8") as file:
        file.write(text.rstrip("\n") + "\n")
    note(f"{path} written")


def _write_flips(path: Path, done: Any) -> None:
    """One row per example whose answer changed."""
    found = getattr(done.facts, "flips", ())
    if not found:
        refuse("--flips", "asked of right and wrong predictions of single examples", "values of another kind")
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["baseline", "challenger", "example", "flip"])
        for one in found:
            for flip, ids in (("fixed", one.fixed), ("broke", one.broke)):
                rows.writerows([one.baseline, one.challenger, example, flip] for example in ids)
    note(f"{path} written")

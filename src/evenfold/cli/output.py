"""Output of commands: words on standard output, notes on standard error, and files."""

import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from evenfold.cli import options as o
from evenfold.cli.gate import PASSED, answer_gate, require_baseline
from evenfold.core.checks import Advice, refuse, refuse_value
from evenfold.core.note import Note
from evenfold.core.words import (
    count,
    escape_control_text,
    escape_runner_commands,
    hide_password,
    hide_secrets,
    one_line,
)

FAILED = 1
BAD_USAGE = 2
"""
Exit codes: fits failed, bad usage; 0 is done.

Those of a gate are in :mod:`evenfold.cli.gate`.
"""


def note(text: str) -> None:
    """Print something that is not the result on standard error."""
    typer.echo(escape_control_text(text), err=True)


def say(text: str) -> None:
    """Print a message of the program on standard error."""
    note(f"evenfold: {text}")


def console() -> Console:
    """
    Return a console for standard output that prints all text as it is.

    Lines have up to 160 characters if the output is not a terminal, because a program reads them.
    """
    width = None if sys.stdout.isatty() else 160
    return Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)


def show(text: object) -> None:
    """Print a result on standard output."""
    typer.echo(escape_control_text(str(text)))


class _Listing(Table):
    """A table that escapes control characters, so that no cell can command the terminal."""

    def add_row(self, *cells: Any, **more: Any) -> None:
        super().add_row(
            *(escape_control_text(cell) if isinstance(cell, str) else cell for cell in cells),
            **more,
        )


def listing(*headings: str) -> Table:
    """Return a table without lines, to be filled row by row."""
    table = _Listing(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def all_options() -> dict[str, Any]:
    """Return the options of all commands by the names that Python calls them."""
    from typer.main import get_command

    from evenfold.cli.app import app
    from evenfold.cli.spelling import options_of

    return options_of(get_command(app))


def _spell_notes(text: str, notes: Iterable[Note]) -> str:
    """Return the words of an answer with options in the place of parameters in its notes."""
    from evenfold.cli.spelling import spell_advice

    options = all_options()
    for note_ in notes:
        sentence = note_.text
        if isinstance(sentence, Advice):
            text = text.replace(sentence, spell_advice(sentence, options))
    return text


@o.option_group
class Outputs:
    """
    Where a comparison goes: files by format; ``-`` is standard output, in place of the words.

    Formats and paths are checked when this is made, before the first fit.
    """

    html: Path | None = o.file_option(help="Write a report, one HTML file.")
    json: o.Json = None
    latex: Path | None = o.file_option(help="Write a booktabs table.")
    markdown: Path | None = o.file_option(
        help="Write a Markdown table. Here and above, - means standard output."
    )
    write: list[str] | None = o.output_option(
        metavar="FORMAT=PATH", help="Write another format, by its name; may be repeated."
    )
    details: bool = o.output_option(
        "--details",
        default=False,
        help="Also print the method, the design and a sentence for each pair.",
    )

    def __post_init__(self) -> None:
        for form, path in self.targets:
            writable(form, path)
            _texts()[form].check()
        if sum(str(path) == "-" for _, path in self.targets) > 1:
            refuse(None, "Only one option can write to standard output, which - stands for.")

    @property
    def targets(self) -> list[tuple[str, Path]]:
        """Formats and paths: those that have an option of their own, then the others."""
        named = [(form, getattr(self, form)) for form in ("html", "json", "latex", "markdown")]
        return [*(target for target in named if target[1]), *map(_target, self.write or ())]

    def deliver(self, comparison: Any) -> None:
        """Print the words unless standard output is taken, and write the files."""
        if not any(str(path) == "-" for _, path in self.targets):
            text = comparison.details if self.details else str(comparison)
            words = _spell_notes(text, comparison.facts.notes)
            verdict, gap, rest = words.partition("\n\n")
            # plain where it is not a terminal
            typer.echo(typer.style(verdict, bold=True) + gap + rest)
        for form, path in self.targets:
            deliver_text(path, comparison.to(form))


def deliver_text(path: Path, text: str, *, append: bool = False) -> None:
    """Write a text to a file, or add it to what is there; the path ``-`` is standard output."""
    if str(path) == "-":
        typer.echo(escape_runner_commands(text))
        return
    with path.open("a" if append else "w", encoding="utf-8") as file:
        file.write(text.rstrip("\n") + "\n")
    note(f"{path} written")


def _target(text: str) -> tuple[str, Path]:
    """Read ``FORMAT=PATH``."""
    form, sign, path = text.partition("=")
    if not sign or not path:
        refuse_value("--write", text, "FORMAT=PATH, for example markdown=r.md,")
    return o.require_known("format", form, _texts(), "evenfold compare --help"), Path(path)


def writable(option: str, path: Path | None) -> None:
    """Refuse a path that no file can have; ``-`` is standard output."""
    if path is None or str(path) == "-":
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        refuse(None, f"--{option} must be a file in an existing folder but got {path}.")


def refuse_overwriting(ctx: typer.Context) -> None:
    """Refuse to write on a file that the same command reads."""
    read = [path for parameter, path in _paths(ctx) if _panel(parameter) != "Output"]
    for parameter, path in _paths(ctx):
        if _panel(parameter) == "Output" and any(is_one_file(path, source) for source in read):
            refuse(None, f"{parameter.opts[0]} would overwrite {path}, which this command reads.")


def is_one_file(path: Path, other: Path) -> bool:
    """Return whether two paths lead to one file, also by links."""
    try:
        if path.exists() and other.exists():
            return path.samefile(other)
        return path.resolve() == other.resolve()  # a missing file is reported by its reader
    except (OSError, ValueError):  # no file can have such a name
        return False


def _paths(ctx: typer.Context) -> Iterator[tuple[Any, Path]]:
    """Yield the files that a command was given, each with its parameter; ``-`` is not a file."""
    for parameter in ctx.command.params:
        value = ctx.params.get(str(parameter.name))
        for path in value if isinstance(value, (list, tuple)) else [value]:
            if path is None or str(path) == "-":
                continue
            if parameter.name == "write":
                yield parameter, _target(path)[1]
            elif isinstance(path, Path) or parameter.name in _TEXTS:
                yield parameter, Path(path)


_TEXTS = ("baseline", "store")  # names of files that may also be something else


def _panel(parameter: Any) -> str:
    return getattr(parameter, "rich_help_panel", None) or ""


def _texts() -> dict[str, Any]:
    """Return the formats that are texts, those of other packages included."""
    from evenfold.report import formats

    return {key: form for key, form in formats().items() if form.suffix}


def finish(comparison: Any, question: Any = None) -> None:
    """Exit with the code of a comparison, and of the gate if the question has one."""
    if comparison.failures:
        first = comparison.failures[0]
        what = f"{first.algorithm!r} on split {first.split}: {one_line(first.message)}"
        say(f"{count(len(comparison.failures), 'fit')} failed, the first: {what}")
        raise typer.Exit(FAILED)
    wish = getattr(question, "fail_unless", None)
    if wish is None:
        return
    if len({pair.baseline for pair in comparison.facts.pairs}) > 1:
        require_baseline(wish)
    code, sentence = answer_gate(comparison.facts, wish, question.undecided)
    if code != PASSED:
        say(sentence)
        raise typer.Exit(code)


# The command line that gives a result again, for the report.

# Options that do not change the answer.
_FILES = {
    *("write", "html", "json", "latex", "markdown", "summary", "flips"),
    *("jobs", "fail_unless", "undecided"),
}


def command(ctx: typer.Context, **values: Any) -> str:
    """Write the present command as it would be typed, with ``given`` for what was not said."""
    words = ["evenfold", str(ctx.info_name)]
    for parameter in ctx.command.params:
        name = str(parameter.name)
        value = values.get(name, ctx.params.get(name))
        if name in _FILES or value is None or (value == parameter.default and name not in values):
            continue
        words += _words(parameter, value)
    return shlex.join(words)


def _words(parameter: Any, value: Any) -> list[str]:
    option = max(parameter.opts, key=len)
    if isinstance(value, bool):
        return [option] if value else parameter.secondary_opts[:1]
    values = value if isinstance(value, (list, tuple)) else [value]
    before = [] if parameter.param_type_name == "argument" else [option]
    return [word for value in values for word in (*before, _escape_argument(value))]


def _escape_argument(value: Any) -> str:
    """Return an argument as a report may show it: valid text, without passwords."""
    text = str(value)
    try:
        # A name that is no text in the locale's encoding comes as bytes in disguise; most are
        # UTF-8.
        letters = text.encode("utf-8", errors="surrogateescape")
    except UnicodeEncodeError:  # half a letter of Windows
        letters = text.encode("utf-8", errors="replace")
    return hide_secrets(hide_password(letters.decode("utf-8", errors="replace")))

"""What a command says and writes: words on standard output, notes on standard error, files."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from evenfold.cli.gate import CONTENT, PASSED, UNDECIDED_AS, gate
from evenfold.cli.names import known
from evenfold.core.checks import one_of, refuse

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130
"""Exit codes: fits failed, bad usage, Ctrl-C; 0 is done; those of a gate are in :mod:`evenfold.cli.gate`."""

OUTCOMES = tuple(CONTENT)
"""What ``--fail-unless`` may ask for."""


def note(text: str) -> None:
    """Say something that is not the result."""
    typer.echo(text, err=True)


def say(text: str) -> None:
    """Say, in the name of the program, what happened on the way."""
    note(f"evenfold: {text}")


def console() -> Console:
    """Return a console for standard output that takes all text as it is; wide where a program reads it."""
    width = None if sys.stdout.isatty() else 160
    return Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Outputs:
    """
    Where a comparison goes: files by format; ``-`` is standard output, in place of the words.

    Formats and paths are checked when this is made, before the first fit.
    """

    targets: tuple[tuple[str, Path], ...]

    @classmethod
    def asked(cls, write: Sequence[str] | None = None, **paths: Path | None) -> "Outputs":
        """Read ``FORMAT=PATH`` texts; beside them the formats that have an option of their own."""
        pairs = [text.partition("=") for text in write or ()]
        for form, sign, path in pairs:
            if not sign or not path:
                refuse("--write", "written as FORMAT=PATH, for example markdown=r.md", f"{form}{sign}{path}")
            known("format", form, _texts(), "evenfold compare --help")
        named = [(form, path) for form, path in paths.items() if path is not None]
        return cls(targets=(*named, *((form, Path(path)) for form, _, path in pairs)))

    def __post_init__(self) -> None:
        for form, path in self.targets:
            if str(path) != "-" and (path.is_dir() or not path.absolute().parent.is_dir()):
                refuse(f"--{form}", "a file in an existing folder", str(path))
        if sum(str(path) == "-" for _, path in self.targets) > 1:
            refuse("-", "given to one option", "several")

    def deliver(self, comparison: Any) -> None:
        """Print the words unless standard output is taken, and write the files."""
        if not any(str(path) == "-" for _, path in self.targets):
            verdict, gap, rest = str(comparison).partition("\n\n")
            typer.echo(typer.style(verdict, bold=True) + gap + rest)  # plain where it is not a terminal
        for form, path in self.targets:
            text = _texts()[form].write(comparison.facts)
            if str(path) == "-":
                typer.echo(text)
            else:
                path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
                note(f"{path} written")


def _texts() -> dict[str, Any]:
    """Return the formats that are texts, those of other packages included."""
    from evenfold.report import formats

    return {key: form for key, form in formats().items() if form.suffix}


def check_wish(fail_unless: str | None, algorithms: int, undecided: str | None = None) -> None:
    """Refuse a ``--fail-unless`` that no verdict can meet, before the first fit."""
    if undecided is not None:
        one_of("--undecided", undecided, UNDECIDED_AS)
    if fail_unless is None:
        return
    one_of("--fail-unless", fail_unless, OUTCOMES)
    if algorithms == 1:
        refuse("--fail-unless", "used with two algorithms or more", "one algorithm")


def finish(comparison: Any, fail_unless: str | None = None, undecided: str | None = None) -> None:
    """Exit with the code that a comparison deserves."""
    if comparison.failures:
        first = comparison.failures[0]
        count = len(comparison.failures)
        what = f"{first.algorithm!r} on split {first.split}: {' '.join(first.message.split())}"
        note(f"evenfold: {count} {'fit' if count == 1 else 'fits'} failed, the first: {what}")
        raise typer.Exit(FAILED)
    if fail_unless is not None:
        found = {str(pair.outcome) for pair in comparison.facts.pairs}
        code = gate(found, fail_unless, undecided)
        if code != PASSED:
            note(f"evenfold: asked for {fail_unless}, found {', '.join(sorted(found))}")
            raise typer.Exit(code)

"""``evenfold judge``: a verdict from tables of results, and a gate for pipelines."""

import csv
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.groups import Question, grouped
from evenfold.cli.output import Outputs, finish, note, writable
from evenfold.cli.redo import command
from evenfold.core.checks import refuse

_data = partial(typer.Option, rich_help_panel="Data")


@dataclass(frozen=True, eq=False, kw_only=True)
class _Table:
    """Which tables of results are read, and how."""

    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE",
            help="CSV, TSV, Parquet or JSON lines with all algorithms; or give --baseline and --candidate.",
            show_default=False,
        ),
    ] = None
    candidate: Annotated[
        list[Path] | None, _data(metavar="FILE", help="The table of B; again for others.")
    ] = None
    column: Annotated[
        list[str] | None,
        _data(metavar="ROLE=NAME", help="What the table calls a role: algorithm=model."),
    ] = None
    rows: Annotated[
        str | None,
        _data(help="What a row is, in a table without ids: examples, folds, runs, data sets, times."),
    ] = None
    n: Annotated[int | None, _data("--n", help="How many examples were cut into folds.")] = None
    on_missing: Annotated[
        str, _data(help="refuse, drop what not every algorithm has, or keep data sets that some have.")
    ] = "refuse"
    paired: Annotated[
        bool | None, _data("--paired/--unpaired", help="Whether runs of A and B belong together.")
    ] = None
    horizon: Annotated[int | None, _data(help="How many times ahead forecasts were made (column time).")] = (
        None
    )

    @property
    def asked(self) -> dict[str, Any]:
        """The keywords of the reader."""
        kept = {name: getattr(self, name) for name in ("rows", "n", "on_missing", "paired", "horizon")}
        return {"columns": _columns(self.column or []), **kept}


@dataclass(frozen=True, eq=False, kw_only=True)
class _Question(Question):
    """What is asked of a table."""

    baseline: Annotated[
        str | None, _data(metavar="FILE|NAME", help="The table of A, or its name in TABLE.")
    ] = None
    positive: o.Positive = None
    higher: Annotated[
        bool | None,
        typer.Option(
            "--higher-is-better/--lower-is-better", help="Of bare values.", rich_help_panel="Question"
        ),
    ] = None


_output = partial(typer.Option, rich_help_panel="Output", metavar="PATH")


@dataclass(frozen=True, eq=False, kw_only=True)
class _Outputs(Outputs):
    """Where an answer goes; two more files for pipelines."""

    summary: Annotated[Path | None, _output(help="Write Markdown for a pull request.")] = None
    flips: Annotated[Path | None, _output(help="Write the examples that B fixed and broke.")] = None
    history: Annotated[
        Path | None, _output(help="Add the verdict to a history of nights: last good, alarms, trend.")
    ] = None

    def __post_init__(self) -> None:
        Outputs.__post_init__(self)
        writable("summary", self.summary)
        writable("flips", self.flips)
        writable("history", self.history)

    def deliver(self, comparison: Any) -> None:
        """Print the words and write the files."""
        Outputs.deliver(self, comparison)
        if self.summary is not None:
            _written(self.summary, _summary(comparison))
        if self.flips is not None:
            _write_flips(self.flips, comparison)
        if self.history is not None:
            from evenfold.corridor.keep.nights import record_night

            typer.echo(str(record_night(self.history, comparison)))


@grouped
def judge(ctx: typer.Context, reading: _Table, question: _Question, outputs: _Outputs) -> None:
    """Judge results that exist already: predictions, scores, folds, seeds. Nothing is fitted."""
    question.check()
    source, name = _source(reading.table, question.baseline, reading.candidate or [])
    asked = {**question.asked, "baseline": name, "positive": question.positive}
    from evenfold.corridor.judge.api import judge as answer

    done = answer(source, higher_is_better=question.higher, **reading.asked, **asked)
    outputs.deliver(replace(done, facts=replace(done.facts, call=command(ctx))))
    finish(done, question)


def _source(table: Path | None, baseline: str | None, candidates: list[Path]) -> tuple[Any, str | None]:
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

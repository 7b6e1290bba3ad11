"""``evenfold judge``: a verdict from tables of results, and a gate for pipelines."""

import csv
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from evenfold.cli import options as o
from evenfold.cli.gate import NOT_WORSE, PASSED, gate
from evenfold.cli.output import Outputs, command, deliver_text, finish, is_one_file, show, writable
from evenfold.core.checks import is_writable_text, refuse, refuse_value
from evenfold.core.json import parse
from evenfold.core.note import note as note_of
from evenfold.core.registry import Registry
from evenfold.core.verdict import Outcome
from evenfold.core.words import csv_cell

# `evenfold judge - --stop-early`: a gate on a stream of answers, which stops as soon as it is
# settled.

STREAM = Path("-")
# How a verdict is added to a file of verdicts: functions of its path and a comparison.
HISTORIES: Registry[Callable[[Path, Any], Any]] = Registry("history", "evenfold.histories")
_OUTCOMES = {"not worse": Outcome.NOT_WORSE, "worse": Outcome.WORSE, "open": Outcome.INCONCLUSIVE}


def _watch(question: "_TableQuestion", *, stop_early: bool) -> None:
    """
    Read items from standard input until the question is settled.

    If there is a gate, the command ends with its exit code.
    """
    if not stop_early:
        refuse(None, "The table - stands for a stream of items, which needs --stop-early.")
    if question.fail_unless not in (None, NOT_WORSE):
        refuse(
            None,
            f"--fail-unless must be {NOT_WORSE} with --stop-early but got {question.fail_unless}.",
        )
    if question.higher is None:
        from evenfold.comparison.judge.values import DIRECTION

        refuse(None, "A stream of bare values needs a direction.", DIRECTION)
    from evenfold.infer import gate_items

    looks = gate_items(
        _pairs(), margin=question.margin, level=question.level, higher_is_better=question.higher
    )
    ended = deque(looks, maxlen=1)
    if not ended:
        refuse("table", "The stream has no items.")
    last = ended.pop()
    values = {"settled": last.settled, "items": last.n, "improvement": last.improvement}
    typer.echo(str(note_of("stream-settled", margin=question.margin, **values)))
    if question.fail_unless is not None:
        raise typer.Exit(gate([str(_OUTCOMES[last.settled])], NOT_WORSE, question.undecided))


_OF_STREAMS = {  # options that a stream honours, by parameter
    *("table", "stop_early", "margin", "level", "higher"),
    *("fail_unless", "undecided", "details"),
}


def _refuse_what_streams_ignore(ctx: typer.Context) -> None:
    """Refuse options that a gate on a stream would ignore."""
    for parameter in ctx.command.params:
        name = str(parameter.name)
        value = ctx.params.get(name)
        if name in _OF_STREAMS or not value or value == parameter.get_default(ctx):
            continue
        if (name, value) == ("alternative", NOT_WORSE):  # a stream always asks this
            continue
        refuse(None, f"{parameter.opts[0]} cannot be used with a stream but got {value}.")


def _pairs() -> Iterator[tuple[Any, Any]]:
    """
    Yield the values of A and of B from lines ``A,B`` or from JSON objects with an optional id.

    A is the first name in the first object. Later objects may have any order.
    """
    names: list[str] = []
    seen: set[str] = set()
    for n, line in enumerate(sys.stdin, start=1):
        text = line.strip()
        if text.startswith("{"):
            row = _row(text, n)
            item = row.pop(_ID, None)
            if item is not None:
                if str(item) in seen:
                    refuse(None, f"Line {n} repeats item {item!r}.")
                seen.add(str(item))
            names = names or list(row)
            if set(names) != set(row):
                refuse(
                    None,
                    f"Line {n} must be a JSON object with the names {', '.join(names)} but got "
                    f"{', '.join(row)[:60]}.",
                )
            yield row[names[0]], row[names[1]]
        elif text:
            values = text.split(",")
            if len(values) != _PAIR:
                _refuse_line(text, n)
            yield values[0], values[1]


_ID = "example"
_PAIR = 2


def _row(text: str, n: int) -> dict[str, Any]:
    try:
        row = parse(text)
    except ValueError:
        _refuse_line(text, n)
    if len([name for name in row if name != _ID]) != _PAIR:
        _refuse_line(text, n)
    return dict(row)


def _refuse_line(text: str, n: int) -> NoReturn:
    refuse_value(f"Line {n}", text, "A,B or a JSON object with the values of A and of B")


@o.option_group
class _Table(o.OptionGroup):
    """Which tables of results are read, and how."""

    table: Annotated[
        Path | None,
        o.argument(
            metavar="TABLE",
            help="CSV, TSV, Parquet or JSON lines with all algorithms; or use --baseline and "
            "--candidate.",
        ),
    ] = None
    candidate: list[Path] | None = o.data_option(
        metavar="FILE", help="Results of B; may be repeated."
    )
    aa: Path | None = o.data_option(
        "--aa",
        metavar="FILE",
        help="Runs of one model: how noisy are they, and how often would a gate fail?",
    )
    column: o.Column = None
    groups: str | None = o.data_option(
        metavar="COLUMN",
        help="Column that names the group of an example (patient, document, …); the same as "
        "--column group=COLUMN.",
    )
    rows: str | None = o.data_option(
        help="What the rows of a table without ids are: examples, folds, runs, data sets or times."
    )
    n: int | None = o.data_option("--n", help="Number of examples that the folds were made of.")
    on_missing: str = o.data_option(
        default="refuse",
        help="Missing results: refuse, drop what some algorithm lacks, or keep (data sets only).",
    )
    paired: bool | None = o.data_option(
        "--paired/--unpaired", help="Whether the k-th runs of A and B belong together."
    )
    horizon: int | None = o.data_option(help="Forecast horizon, in steps of the column time.")

    labels: str | None = o.data_option(
        metavar="COLUMN", help="Human labels, on some examples; with --scores."
    )
    scores: str | None = o.data_option(
        metavar="COLUMN", help="Scores of a judge model, on all examples."
    )
    floor: Path | None = o.data_option(
        metavar="FILE",
        help="Of measured times: the noise floor that evenfold floor wrote. A change must lie "
        "beyond it; the exit code is that of --fail-unless not-worse.",
    )
    floor_days: int = o.data_option(
        default=30, help="Age in days beyond which a noise floor is not used.", min=1
    )
    stop_early: bool = o.data_option(
        "--stop-early",
        default=False,
        help="Take items in random order and stop as soon as 'not worse' or 'worse' is "
        "decided; TABLE may be - for lines A,B on standard input.",
    )
    seed: int = o.data_option(default=0, help="Seed of the random order.")

    @property
    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of ``judge`` that are about the table."""
        keywords = self.values
        for name in ("table", "candidate", "aa", "column", "groups", "seed"):
            del keywords[name]  # the tables themselves, or options that Python calls otherwise
        columns = o.roles_of(self.column)
        if self.groups is not None and columns.setdefault("group", self.groups) != self.groups:
            refuse(
                None,
                f"--groups {self.groups} and --column group={columns['group']} name different "
                "columns.",
            )
        return {"columns": columns, **keywords, "random_state": self.seed}


@o.option_group
class _TableQuestion(o.QuestionOptions):
    """What is asked of a table."""

    baseline: str | None = o.data_option(
        metavar="FILE|NAME", help="Results of A, or its name in TABLE."
    )
    positive: o.Positive = None
    higher: o.Higher = None
    power_at: float | None = o.question_option(
        metavar="DELTA",
        help="Report the probability that a drop of this size would have been caught (default: "
        "the drop that is caught with a probability of about 80%).",
    )
    tasks: str = o.question_option(
        default="pooled",
        help="With a column task: pooled (every example counts the same) or each (a gate on "
        "every task).",
    )
    slices: list[str] | None = o.question_option(
        "--slice", metavar="COLUMN", help="Column whose values get a result each; may be repeated."
    )

    @property
    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of ``judge`` that are about the question."""
        return super().keywords | {
            "positive": self.positive,
            "higher_is_better": self.higher,
            "power_at": self.power_at,
            "tasks": self.tasks,
            "slices": tuple(self.slices or ()),
        }


@o.option_group
class _Outputs(Outputs):
    """Where an answer goes, with further files for pipelines."""

    summary: Path | None = o.file_option(help="Write a Markdown summary for a pull request.")
    flips: Path | None = o.file_option(help="Write the examples that B fixed and broke as CSV.")
    history: Path | None = o.file_option(
        help="Add the verdict to a history of nightly runs: last good one, alarms, trend."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        writable("summary", self.summary)
        for option, path in {"flips": self.flips, "history": self.history}.items():
            writable(option, path)
            if path == STREAM:
                refuse(None, f"--{option} must be a file and cannot be standard output.")

    @property
    def targets(self) -> list[tuple[str, Path]]:
        """Formats and paths; a summary is added to its file; standard output takes only one."""
        files = super().targets
        return [*files, ("summary", STREAM)] if self.summary == STREAM else files

    def deliver(self, comparison: Any) -> None:
        """Print the words and write the files."""
        super().deliver(comparison)
        if self.summary is not None and self.summary != STREAM:
            from evenfold.core.facts.comparison import Facts

            # a summary is about one comparison; over several data sets the tables
            form = "summary" if isinstance(comparison.facts, Facts) else "markdown"
            deliver_text(self.summary, comparison.to(form), append=True)
        if self.flips is not None:
            _write_flips(self.flips, comparison)
        if self.history is not None:
            typer.echo(str(HISTORIES["nights"](self.history, comparison)))

    def deliver_changes(self, changes: Any) -> None:
        """Print the changes of measured times, and write them as JSON or Markdown."""
        files = {"json": self.json, "markdown": self.markdown, "summary": self.summary}
        for option in ("html", "latex", "write", "flips", "history"):
            if getattr(self, option):
                remedy = "Use --json, --markdown or --summary."
                refuse(None, f"--{option} cannot be used with measured times.", remedy)
        if STREAM not in files.values():
            show(changes)
        for form, path in files.items():
            if path is not None:
                deliver_text(path, changes.to(form), append=form == "summary")


@o.take_option_groups
def judge(ctx: typer.Context, reading: _Table, question: _TableQuestion, outputs: _Outputs) -> None:
    """Compare results that exist: predictions, scores, folds or seeds. Nothing is fitted."""
    question.check()
    if reading.table == STREAM:
        _refuse_what_streams_ignore(ctx)
        _watch(question, stop_early=reading.stop_early)
        return
    if reading.aa is not None:
        _noise(reading, question, outputs)
        return
    source, name = _source(reading.table, question.baseline, reading.candidate or [])
    from evenfold.comparison.judge.api import judge as answer

    done = answer(source, **reading.keywords, **{**question.keywords, "baseline": name})
    if not hasattr(done, "facts"):  # no comparison
        outputs.deliver_changes(done)
        _finish_changes(done, reading, question)
        return
    outputs.deliver(replace(done, facts=replace(done.facts, call=command(ctx))))
    finish(done, question)


def _finish_changes(changes: Any, reading: _Table, question: _TableQuestion) -> None:
    """Exit with the code of the gate on measured times, if there is one."""
    wish = question.fail_unless or (NOT_WORSE if reading.floor is not None else None)
    if wish is None:
        return
    if wish != NOT_WORSE:
        refuse(None, f"--fail-unless must be {NOT_WORSE} for measured times but got {wish}.")
    unknown = "fail" if question.undecided == "fail" else None  # an unknown benchmark never passes
    code = changes.exit_code(undecided=question.undecided, unknown=unknown)
    if code != PASSED:
        raise typer.Exit(code)


def _noise(reading: _Table, question: _TableQuestion, outputs: _Outputs) -> None:
    """Say how far runs of one model differ, and how often a gate would fail."""
    others = (reading.table, question.baseline, reading.candidate)
    if any(others):
        refuse(None, f"--aa takes no other tables but got {next(filter(None, others))}.")
    from evenfold.comparison.judge.runs import noise_of
    from evenfold.core.json import to_plain, write_json

    keywords = reading.keywords | question.keywords
    of_runs = ("measure", "margin", "level", "positive", "higher_is_better")
    of_rows = ("columns", "rows", "on_missing")
    noise = noise_of(reading.aa, **{name: keywords[name] for name in (*of_runs, *of_rows)})
    if outputs.json != STREAM:
        typer.echo(str(noise))
    if outputs.json is not None:
        deliver_text(outputs.json, write_json(to_plain(noise)))


def _source(
    table: Path | None, baseline: str | None, candidates: list[Path]
) -> tuple[Any, str | None]:
    """Return one table, or a file for each algorithm, and the name of the baseline."""
    if table is not None:
        if candidates:
            remedy = "Give one file for each algorithm, or one TABLE for all."
            refuse(None, f"--candidate cannot be used with a TABLE but got {table}.", remedy)
        return table, baseline
    if baseline is None or not candidates:
        refuse(None, "Give a TABLE, or --baseline FILE and --candidate FILE.")
    paths = [Path(baseline), *candidates]
    names = _names_of_files(paths)
    # without a baseline candidates would be compared with each other, too
    return dict(zip(names, paths, strict=True)), names[0]


def _names_of_files(paths: list[Path]) -> list[str]:
    """Name algorithms by the stems of their files, or by as much of the paths as differs."""
    unnamed = [str(path) for path in paths if not path.name or not is_writable_text(str(path))]
    if unnamed:
        refuse_value("--candidate", unnamed[0], "a file")
    if any(is_one_file(*pair) for pair in combinations(paths, 2)):
        refuse(
            None,
            "--baseline and --candidate must be different files but got "
            f"{', '.join(map(str, paths))}.",
        )
    for names in ([path.stem for path in paths], [str(path.with_suffix("")) for path in paths]):
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def _write_flips(path: Path, done: Any) -> None:
    """Write a row for each example whose answer changed."""
    flips = getattr(done.facts, "flips", ())
    if not flips:
        refuse(None, "--flips needs answers that are right or wrong, and the values are others.")
    rows = [
        (pair.baseline, pair.challenger, example, flip)
        for pair in flips
        for flip in ("fixed", "broke")
        for example in getattr(pair, flip)
    ]
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["baseline", "challenger", "example", "flip"])
    table.writerows(map(csv_cell, row) for row in rows)
    deliver_text(path, text.getvalue())

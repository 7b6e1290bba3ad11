"""What became of measured times between two versions: one answer per benchmark, worst first."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import log1p
from pathlib import Path
from typing import Any, ClassVar

from evenfold.comparison.judge.kinds import RESULT_KINDS, ResultKind
from evenfold.comparison.result import write_if_path
from evenfold.core.change import Change
from evenfold.core.checks import flag, fraction, integer, number, one_of, refuse, short_repr
from evenfold.core.errors import DegenerateData
from evenfold.core.json import build, read, to_plain, write_json
from evenfold.core.note import Note, note
from evenfold.evals.floors import NoiseFloor, read_floor
from evenfold.evals.measurements import BenchmarkRuns, Measurements, read_measurements
from evenfold.evals.measurements._base import are_measurements
from evenfold.infer import GeometricMeanRatio, geometric_mean_ratios, geometric_means
from evenfold.infer.family import NOT_WORSE
from evenfold.report.formats.markdown import escape_markdown

FLOOR_DAYS = 30
_WIDE = log1p(0.25)  # a floor above which a note warns
_SCHEMA = "measured-changes"
_VERSION = 1
PASSED, FAILED, UNDECIDED = 0, 3, 4
_CODES = {"pass": PASSED, "fail": FAILED}

# The order in which answers are listed: what a reader must act on first.
_ORDER = (
    Change.REGRESSION,
    Change.UNKNOWN,
    Change.UNDECIDED,
    Change.UNCHANGED,
    Change.IMPROVEMENT,
)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BenchmarkChange:
    """
    What became of one benchmark.

    Attributes
    ----------
    benchmark : str
        Its name.
    change : Change
        Regression, improvement, unchanged, undecided or unknown.
    value, low, high : float or None
        How many times as long the candidate takes as the baseline, with the simultaneous interval;
        None where nothing is known.
    level : float or None
        One minus the confidence of the interval by itself.
    pvalue, adjusted_pvalue : float or None
        Of "the ratio is 1", two-sided.
    limit : float
        The absolute log ratio up to which a change does not matter: the larger of margin and
        noise floor.
    runs_baseline, runs_candidate : int
        How many runs there were of each.
    said : Note
        The same as a sentence.
    """

    benchmark: str
    change: Change
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    limit: float = 0.0
    runs_baseline: int = 0
    runs_candidate: int = 0
    said: Note

    derived: ClassVar[tuple[str, ...]] = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        return str(self.said)

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class MeasuredChanges:
    """
    What became of all benchmarks; the worst regression comes first.

    Attributes
    ----------
    baseline, candidate : str
        Their names.
    commits : tuple of (str, str)
        The commits that were measured, as far as the files said it.
    benchmarks : tuple of BenchmarkChange
        One answer each.
    level : float
        The probability that any of the intervals misses its ratio.
    margin : float
        The relative change that does not matter.
    paired : bool
        Whether the runs were compared in pairs.
    floor : NoiseFloor or None
        The noise floor that was used.
    notes : tuple of Note
        What must be said beside the answers.
    """

    baseline: str
    candidate: str
    commits: tuple[str, str] = ("", "")
    benchmarks: tuple[BenchmarkChange, ...]
    level: float
    margin: float
    paired: bool
    floor: NoiseFloor | None
    notes: tuple[Note, ...]

    derived: ClassVar[tuple[str, ...]] = ("sentence",)

    @property
    def said(self) -> Note:
        """How many benchmarks came out as what, and the worst of them."""
        found = Counter(answer.change for answer in self.benchmarks)
        worst = ""
        if self.benchmarks[0].change is Change.REGRESSION:
            worst = self.benchmarks[0].sentence
        return note(
            "benchmark-changes",
            baseline=self.baseline,
            candidate=self.candidate,
            counts={change.value: found[change] for change in _ORDER},
            worst=worst,
        )

    @property
    def sentence(self) -> str:
        """The verdict about all benchmarks in words."""
        return str(self.said)

    def exit_code(self, undecided: str | None = None, unknown: str | None = None) -> int:
        """
        Return what a pipeline is told: 3 failed, 4 undecided or unknown, 0 passed; worst first.

        Parameters
        ----------
        undecided, unknown : {"pass", "fail"}, optional
            What to make of benchmarks that are undecided or unknown, in place of 4. Of unknown ones
            only those pass that are new.
        """
        codes = {_code_of(answer, undecided, unknown) for answer in self.benchmarks}
        return next(code for code in (FAILED, UNDECIDED, PASSED) if code in codes)

    def __str__(self) -> str:
        lines = [self.sentence, "", *(f"  {answer}" for answer in self.benchmarks)]
        if self.notes:
            lines += ["", *(f"  note: {said}" for said in self.notes)]
        return "\n".join(lines)

    def to(self, form: str) -> str:
        """Return the answer as "text", "markdown", "summary" (the same), or "json"."""
        writers = {
            "text": self.__str__,
            "markdown": self.to_markdown,
            "summary": self.to_markdown,
            "json": self.to_json,
        }
        return writers[one_of("form", form, writers)]()

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the verdict and a list of all answers, and write them to ``path`` if given."""
        answers = [f"- {escape_markdown(str(answer))}" for answer in self.benchmarks]
        notes = [escape_markdown(str(said)) for said in self.notes]
        parts = [escape_markdown(self.sentence), "\n".join(answers), *notes]
        return str(write_if_path("\n\n".join(parts) + "\n", path))

    def to_json(self, path: str | Path | None = None) -> str:
        """Return everything as JSON, which ``ef.load`` reads, and write it to ``path`` if given."""
        plain = {"evenfold": _SCHEMA, "version": _VERSION, **to_plain(self)}
        return str(write_if_path(f"{write_json(plain)}\n", path))

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> "MeasuredChanges":
        """Read back what :meth:`to_json` wrote; anything else is refused in one line."""
        found = text if isinstance(text, Mapping) else read(text)
        if (found.get("evenfold"), found.get("version")) != (_SCHEMA, _VERSION):
            refuse("text", f"text must be JSON of {_SCHEMA!r}, version {_VERSION}, but it is not.")
        changes = build(cls, dict(found), _SCHEMA)
        if not changes.benchmarks:
            refuse("text", "The measured changes have no benchmarks.")
        return changes


def _code_of(answer: BenchmarkChange, undecided: str | None, unknown: str | None) -> int:
    if answer.change is Change.REGRESSION:
        return FAILED
    if answer.change is Change.UNKNOWN:
        return code_of_unknown(unknown, answer.said.values.get("reason") == "new")
    if answer.change is not Change.UNDECIDED:
        return PASSED
    return UNDECIDED if undecided is None else _CODES[one_of("undecided", undecided, _CODES)]


def code_of_unknown(wish: str | None, is_new: bool) -> int:
    """Return the exit code of an unknown answer: only what is new, and has no baseline, passes."""
    if wish is None:
        return UNDECIDED
    code = _CODES[one_of("unknown", wish, _CODES)]
    return code if is_new or code != PASSED else UNDECIDED


def judge_measurements(
    baseline: Any,
    candidate: Any,
    *,
    names: tuple[str, str] = ("baseline", "candidate"),
    margin: float = 0.0,
    level: float = 0.05,
    paired: bool | None = None,
    floor: str | Path | NoiseFloor | None = None,
    floor_days: int = FLOOR_DAYS,
    now: datetime | None = None,
) -> MeasuredChanges:
    """
    Say which benchmarks of a candidate became slower than those of the baseline, and by how much.

    Parameters
    ----------
    baseline, candidate : Measurements, path, or list of paths
        What a benchmarking tool measured of each: a file, several, or a folder of them.
    names : tuple of (str, str)
        What they are called in words.
    margin : float, default 0
        The relative change that does not matter: 0.05 is 5%.
    level : float, default 0.05
        The probability that any of the intervals misses its ratio.
    paired : bool, optional
        Whether the k-th runs belong together. By default they do if the dates of the files show
        that baseline and candidate were measured in turns.
    floor : path or NoiseFloor, optional
        The noise floor that ``evenfold floor`` wrote. A change must then lie beyond it, and a
        benchmark without a floor is unknown.
    floor_days : int, default 30
        The age in days beyond which a floor is not used.
    now : datetime, optional
        The date at which the age of the floor is taken.

    Returns
    -------
    MeasuredChanges

    Notes
    -----
    *Validity.* See :func:`evenfold.infer.geometric_mean_ratio`. The unit is the process: a file of
    pytest-benchmark, Google Benchmark or asv is one run of each benchmark, and each time of
    hyperfine is one.
    """
    margin = number("margin", margin, low=0.0)
    level = fraction("level", level)
    floor_days = integer("floor_days", floor_days, low=1)
    now = now or datetime.now(UTC)
    known = floor if floor is None or isinstance(floor, NoiseFloor) else read_floor(floor, now=now)
    base, head = read_measurements(baseline), read_measurements(candidate)
    _require_comparable(base, head)
    if paired is None:
        are_paired = _in_turns(base, head)
    else:
        are_paired = flag("paired", paired)
    unknown = _unknown_reasons(base, head, known, now=now, floor_days=floor_days)
    common = [name for name in base.benchmarks if name in head.benchmarks]
    ratios = _ratios(base, head, common, paired=are_paired, level=level)
    unknown |= {
        name: {"reason": "no-spread"}
        for name in common
        if not ratios[name].has_spread or not (_varies(base, name) and _varies(head, name))
    }
    answers = []
    for name in dict.fromkeys([*base.benchmarks, *head.benchmarks]):
        if name in unknown:
            answers.append(_unknown(name, **unknown[name]))
            continue
        limit = max(log1p(margin), known.entries[name].floor if known else 0.0)
        answers.append(_answer(name, ratios[name], limit))
    return MeasuredChanges(
        baseline=names[0],
        candidate=names[1],
        commits=(base.commit, head.commit),
        benchmarks=tuple(sorted(answers, key=_rank)),
        level=level,
        margin=margin,
        paired=are_paired,
        floor=known,
        notes=tuple(_notes(base, head, known, common, asked=paired, paired=are_paired)),
    )


def _varies(side: Measurements, name: str) -> bool:
    """Whether the runs of a benchmark differ, as those of a clock do."""
    return len(set(_run_values(side.benchmarks[name]).tolist())) > 1


def _require_comparable(base: Measurements, head: Measurements) -> None:
    """Refuse two versions whose times differ for another reason than the change."""
    for what in ("machine", "build"):
        of_base, of_head = getattr(base, what), getattr(head, what)
        if of_base != of_head:
            refuse(
                "measurements",
                f"Both versions must be measured with one {what} but got "
                f"{of_base or 'unknown'!r} and {of_head or 'unknown'!r}.",
                "Measure both versions alike.",
            )
    if base.commit and base.commit == head.commit:
        refuse(
            "candidate",
            f"candidate must be another commit than the baseline but both are {base.commit!r}.",
            "Use 'evenfold floor' for one version against itself.",
        )
    if base.committed and head.committed and base.committed > head.committed:
        refuse(
            "baseline",
            "baseline must not be newer than the candidate, but its commit is of "
            f"{base.committed:%Y-%m-%d %H:%M} and the candidate's of "
            f"{head.committed:%Y-%m-%d %H:%M}.",
            "Exchange the files, or measure the commit that the candidate started from.",
        )
    for name, runs in base.benchmarks.items():
        other = head.benchmarks.get(name)
        if other is not None and other.unit != runs.unit:
            refuse(
                None,
                f"The times of {name!r} must have one unit but got {runs.unit} and {other.unit}.",
            )
        if other is not None and other.values == runs.values:
            refuse(
                "candidate",
                f"candidate must be measured for itself, but its times of {name!r} are those of "
                "the baseline.",
            )


def _in_turns(base: Measurements, head: Measurements) -> bool:
    """Whether the dates of the files show that they were measured in turns, A B A B or A B B A."""
    if not base.dates or len(base.dates) != len(head.dates):
        return False
    blocks = {_count(runs) for side in (base, head) for runs in side.benchmarks.values()}
    if blocks != {len(base.dates)}:
        return False
    dated = sorted([(date, 0) for date in base.dates] + [(date, 1) for date in head.dates])
    turns = [side for _, side in dated]
    return all(sum(pair) == 1 for pair in zip(turns[::2], turns[1::2], strict=True))


def _count(runs: BenchmarkRuns) -> int:
    return len(set(runs.blocks))


def _ratios(
    base: Measurements, head: Measurements, names: Iterable[str], *, paired: bool, level: float
) -> Mapping[str, GeometricMeanRatio]:
    runs = [{name: _run_values(side.benchmarks[name]) for name in names} for side in (base, head)]
    if not runs[0]:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateData)  # such a benchmark is unknown
        return geometric_mean_ratios(*runs, paired=paired, level=level)


def _run_values(runs: BenchmarkRuns) -> Any:
    return geometric_means(runs.values, runs.blocks)


def _unknown_reasons(
    base: Measurements,
    head: Measurements,
    floor: NoiseFloor | None,
    *,
    now: datetime,
    floor_days: int,
) -> dict[str, dict[str, Any]]:
    """Why nothing can be said of a benchmark, by its name."""
    reasons: dict[str, dict[str, Any]] = {}
    for name in {**base.benchmarks, **head.benchmarks}:
        reason = _unknown_reason(name, base, head, floor)
        if reason:
            reasons[name] = {"reason": reason}
        elif floor is not None and floor.age(now) > timedelta(days=floor_days):
            reasons[name] = {"reason": "old-floor", "age": floor.age(now).days, "limit": floor_days}
    return reasons


def _unknown_reason(
    name: str, base: Measurements, head: Measurements, floor: NoiseFloor | None
) -> str:
    if name not in base.benchmarks:
        return "new"
    if name not in head.benchmarks:
        return "gone"
    if base.benchmarks[name].version != head.benchmarks[name].version:
        return "version"
    if floor is not None and floor.machine != head.machine:
        return "other-machine"
    if floor is not None and name not in floor.entries:
        return "no-floor"
    return ""


def _answer(name: str, ratio: GeometricMeanRatio, limit: float) -> BenchmarkChange:
    change = ratio.change(limit)
    shown = {"value": ratio.value, "low": ratio.low, "high": ratio.high, "level": ratio.level}
    return BenchmarkChange(
        benchmark=name,
        change=change,
        pvalue=ratio.pvalue,
        adjusted_pvalue=ratio.adjusted_pvalue,
        limit=limit,
        runs_baseline=ratio.runs_a,
        runs_candidate=ratio.runs_b,
        said=note("benchmark-change", benchmark=name, change=str(change), limit=limit, **shown),
        **shown,
    )


def _unknown(name: str, **why: Any) -> BenchmarkChange:
    return BenchmarkChange(
        benchmark=name,
        change=Change.UNKNOWN,
        said=note("benchmark-unknown", benchmark=name, **why),
    )


def _rank(answer: BenchmarkChange) -> tuple[int, float]:
    """The place of an answer: what a reader must act on first, the largest ratio before others."""
    return _ORDER.index(answer.change), -(answer.value or 0.0)


def _notes(
    base: Measurements,
    head: Measurements,
    floor: NoiseFloor | None,
    common: list[str],
    *,
    asked: bool | None,
    paired: bool,
) -> Iterable[Note]:
    if paired and asked is None:
        yield note("runs-in-turns")
    elif not base.dates or not head.dates:
        if not paired:
            yield note("order-unknown")
    elif max(base.dates) < min(head.dates):
        yield note("baseline-before-candidate")
    elif max(head.dates) < min(base.dates):
        yield note("candidate-before-baseline")
    if not base.machine:
        yield note("machine-unknown")
    with_floor = [name for name in common if floor is not None and name in floor.entries]
    if floor is not None and with_floor:
        runs = min(floor.entries[name].runs for name in with_floor)
        name, widest = max(
            ((name, floor.entries[name].floor) for name in with_floor), key=lambda entry: entry[1]
        )
        if widest > _WIDE:
            yield note("wide-floor", floor=widest, benchmark=name)
        yield note("floor-by-chance", runs=runs, odds=runs + 1, benchmarks=len(with_floor))


class MeasuredTimes(ResultKind):
    """Times that a benchmarking tool measured, of a baseline and of a candidate."""

    key = "measurements"

    def knows(self, table: Any) -> bool:
        """Whether all are files of benchmarking tools, or were read from such."""
        return all(are_measurements(source) for source in table.values())

    def judge(self, table: Any, **keywords: Any) -> MeasuredChanges:
        """Answer about two versions; what only tables have is refused."""
        if len(table) != _PAIR:
            refuse(
                "table",
                "Measured times are judged for a baseline and one candidate but got "
                f"{len(table)} of them.",
            )
        if keywords.get("alternative") == NOT_WORSE:
            del keywords["alternative"]  # whether the candidate is slower is asked in any case
        names = list(table)
        baseline = one_of("baseline", keywords.pop("baseline", names[0]), names)
        candidate = next(name for name in names if name != baseline)
        others = [name for name in keywords if name not in _KEYWORDS]
        if others:
            value = short_repr(keywords[others[0]])
            refuse(
                others[0],
                f"{others[0]} must be left out where measured times are judged but got {value}.",
            )
        return judge_measurements(
            table[baseline], table[candidate], names=(str(baseline), str(candidate)), **keywords
        )


_PAIR = 2
_KEYWORDS = ("margin", "level", "paired", "floor", "floor_days")
RESULT_KINDS.add(MeasuredTimes.key, MeasuredTimes())

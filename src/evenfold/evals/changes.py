"""Changes of measured times between two versions, with one answer per benchmark, worst first."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import log1p
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from evenfold.comparison.judge.kinds import RESULT_KINDS, ResultKind
from evenfold.comparison.result import write_if_path
from evenfold.core.change import Change
from evenfold.core.checks import flag, fraction, integer, number, one_of, refuse, short_repr
from evenfold.core.errors import DegenerateData
from evenfold.core.json import build, read, to_plain, write_json
from evenfold.core.note import Note, note
from evenfold.evals.floors import NoiseFloor, read_floor
from evenfold.evals.measurements import Measurements, read_measurements
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

# Answers are listed in this order, because a reader must act on a regression first.
_ORDER = (Change.REGRESSION, Change.UNKNOWN, Change.UNDECIDED, Change.UNCHANGED, Change.IMPROVEMENT)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BenchmarkChange:
    """
    The change of one benchmark.

    Attributes
    ----------
    benchmark : str
        The name of the benchmark.
    change : Change
        Regression, improvement, unchanged, undecided or unknown.
    value, low, high : float or None
        The ratio of the time of the candidate to the time of the baseline, with the simultaneous
        interval. They are None if the change is unknown.
    level : float or None
        One minus the confidence of the interval of this benchmark alone.
    pvalue, adjusted_pvalue : float or None
        The two-sided p-values of the hypothesis that the ratio is 1.
    limit : float
        The absolute log ratio up to which a change does not matter. It is the larger of the margin
        and the noise floor.
    runs_baseline, runs_candidate : int
        The numbers of runs of the baseline and of the candidate.
    said : Note
        The answer as a sentence.
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
    The changes of all benchmarks. The worst regression comes first.

    Attributes
    ----------
    baseline, candidate : str
        The names of the two versions.
    commits : tuple of (str, str)
        The commits of the baseline and of the candidate. A commit is empty if the files do not name
        it.
    benchmarks : tuple of BenchmarkChange
        One answer per benchmark.
    level : float
        The probability that any of the intervals misses its ratio.
    margin : float
        The relative change that does not matter.
    paired : bool
        Whether the runs were compared in pairs.
    floor : NoiseFloor or None
        The noise floor that was used.
    notes : tuple of Note
        The notes that a reader needs beside the answers.
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
        """The number of benchmarks of each kind of change, and the worst regression."""
        counts = Counter(answer.change for answer in self.benchmarks)
        worst = ""
        if self.benchmarks[0].change is Change.REGRESSION:
            worst = self.benchmarks[0].sentence
        return note(
            "benchmark-changes",
            baseline=self.baseline,
            candidate=self.candidate,
            counts={change.value: counts[change] for change in _ORDER},
            worst=worst,
        )

    @property
    def sentence(self) -> str:
        """The verdict about all benchmarks in words."""
        return str(self.said)

    def exit_code(self, undecided: str | None = None, unknown: str | None = None) -> int:
        """
        Return the exit code for a pipeline, which is the worst of the codes of all benchmarks.

        The code is 3 if a benchmark regressed, 4 if one is undecided or unknown, and else 0.

        Parameters
        ----------
        undecided, unknown : {"pass", "fail"}, optional
            Whether undecided or unknown benchmarks pass or fail. By default their code is 4. With
            ``unknown="pass"`` only new benchmarks pass, and other unknown ones keep the code 4.
        """
        codes = {_code_of(answer, undecided, unknown) for answer in self.benchmarks}
        return next(code for code in (FAILED, UNDECIDED, PASSED) if code in codes)

    def __str__(self) -> str:
        lines = [self.sentence, "", *(f"  {answer}" for answer in self.benchmarks)]
        if self.notes:
            lines += ["", *(f"  note: {remark}" for remark in self.notes)]
        return "\n".join(lines)

    def to(self, form: str) -> str:
        """Return the answer as "text", "markdown", "summary" (also Markdown), or "json"."""
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
        notes = [escape_markdown(str(remark)) for remark in self.notes]
        parts = [escape_markdown(self.sentence), "\n".join(answers), *notes]
        return str(write_if_path("\n\n".join(parts) + "\n", path))

    def to_json(self, path: str | Path | None = None) -> str:
        """Return everything as JSON, which ``ef.load`` reads, and write it to ``path`` if given."""
        plain = {"evenfold": _SCHEMA, "version": _VERSION, **to_plain(self)}
        return str(write_if_path(f"{write_json(plain)}\n", path))

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> "MeasuredChanges":
        """Read JSON that :meth:`to_json` wrote. Any other text is refused."""
        plain = text if isinstance(text, Mapping) else read(text)
        if (plain.get("evenfold"), plain.get("version")) != (_SCHEMA, _VERSION):
            refuse("text", f"text must be JSON of {_SCHEMA!r}, version {_VERSION}, but it is not.")
        changes = build(cls, dict(plain), _SCHEMA)
        if not changes.benchmarks:
            refuse("text", "text must have at least one benchmark but has none.")
        return changes


def _code_of(answer: BenchmarkChange, undecided: str | None, unknown: str | None) -> int:
    if answer.change is Change.REGRESSION:
        return FAILED
    if answer.change is Change.UNKNOWN:
        return code_of_unknown(unknown, answer.said.values.get("reason") == "new")
    if answer.change is not Change.UNDECIDED:
        return PASSED
    return UNDECIDED if undecided is None else _CODES[one_of("undecided", undecided, _CODES)]


def code_of_unknown(unknown: str | None, is_new: bool) -> int:
    """Return the exit code of an unknown answer. Only a new benchmark or check can pass."""
    if unknown is None:
        return UNDECIDED
    code = _CODES[one_of("unknown", unknown, _CODES)]
    return UNDECIDED if code == PASSED and not is_new else code


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
    Find the benchmarks that are slower in a candidate than in the baseline, and by how much.

    Parameters
    ----------
    baseline, candidate : Measurements, path, or list of paths
        The measurements of each version by a benchmarking tool: a file, several files, or a folder.
    names : tuple of (str, str)
        The names of the baseline and of the candidate in the answer.
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
        The date for the age of the floor. Defaults to the present.

    Returns
    -------
    MeasuredChanges

    Notes
    -----
    *Validity.* See :func:`evenfold.infer.geometric_mean_ratio`. The unit is the process. A file of
    pytest-benchmark, Google Benchmark or asv is one run of each benchmark. Each time of hyperfine
    is one run.
    """
    margin = number("margin", margin, low=0.0)
    level = fraction("level", level)
    floor_days = integer("floor_days", floor_days, low=1)
    now = now or datetime.now(UTC)
    if floor is None or isinstance(floor, NoiseFloor):
        noise_floor = floor
    else:
        noise_floor = read_floor(floor, now=now)
    base = read_measurements(baseline)
    head = read_measurements(candidate)
    _require_comparable(base, head)
    if paired is None:
        are_paired = _in_turns(base, head)
    else:
        are_paired = flag("paired", paired)
    unknown = _unknown_reasons(base, head, noise_floor, now=now, floor_days=floor_days)
    common = [name for name in base.benchmarks if name in head.benchmarks]
    base_means = _means_of_runs(base, common)
    head_means = _means_of_runs(head, common)
    ratios = _ratios(base_means, head_means, paired=are_paired, level=level)
    unknown |= {
        name: {"reason": "no-spread"}
        for name in common
        if not ratios[name].has_spread
        or not (np.ptp(base_means[name]) and np.ptp(head_means[name]))  # measured times vary
    }
    answers = []
    for name in dict.fromkeys([*base.benchmarks, *head.benchmarks]):
        if name in unknown:
            sentence = note("benchmark-unknown", benchmark=name, **unknown[name])
            answers.append(BenchmarkChange(benchmark=name, change=Change.UNKNOWN, said=sentence))
            continue
        limit = log1p(margin)
        if noise_floor is not None:
            limit = max(limit, noise_floor.entries[name].floor)
        answers.append(_answer(name, ratios[name], limit))
    return MeasuredChanges(
        baseline=names[0],
        candidate=names[1],
        commits=(base.commit, head.commit),
        benchmarks=tuple(sorted(answers, key=_rank)),
        level=level,
        margin=margin,
        paired=are_paired,
        floor=noise_floor,
        notes=tuple(_notes(base, head, noise_floor, common, requested=paired, paired=are_paired)),
    )


def _require_comparable(base: Measurements, head: Measurements) -> None:
    """Refuse two versions whose times differ for a reason other than the change."""
    for attribute in ("machine", "build"):
        of_base = getattr(base, attribute)
        of_head = getattr(head, attribute)
        if of_base != of_head:
            refuse(
                "measurements",
                f"Both versions must be measured with the same {attribute} but got "
                f"{of_base or 'unknown'!r} and {of_head or 'unknown'!r}.",
                "Measure both versions in the same way.",
            )
    if base.commit and base.commit == head.commit:
        refuse(
            "candidate",
            "candidate must be measured at another commit than the baseline, but both are at "
            f"{base.commit!r}.",
            "Use 'evenfold floor' to compare one version with itself.",
        )
    if base.committed and head.committed and base.committed > head.committed:
        refuse(
            "baseline",
            "baseline must not be newer than the candidate, but the baseline was committed on "
            f"{base.committed:%Y-%m-%d %H:%M} and the candidate on "
            f"{head.committed:%Y-%m-%d %H:%M}.",
            "Swap the files, or measure the commit that the candidate is based on.",
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
                "candidate must be measured separately, but the candidate and the baseline have "
                f"the same times of {name!r}.",
            )


def _in_turns(base: Measurements, head: Measurements) -> bool:
    """Return whether the dates of the files show measurements in turns, A B A B or A B B A."""
    if not base.dates or len(base.dates) != len(head.dates):
        return False
    for runs in [*base.benchmarks.values(), *head.benchmarks.values()]:
        if len(set(runs.blocks)) != len(base.dates):
            return False
    dated = sorted([(date, 0) for date in base.dates] + [(date, 1) for date in head.dates])
    turns = [side for _, side in dated]
    return all(sum(pair) == 1 for pair in zip(turns[::2], turns[1::2], strict=True))


def _means_of_runs(side: Measurements, names: Iterable[str]) -> dict[str, Any]:
    """Return the geometric mean of each run, by benchmark."""
    benchmarks = {name: side.benchmarks[name] for name in names}
    return {name: geometric_means(runs.values, runs.blocks) for name, runs in benchmarks.items()}


def _ratios(
    base_means: dict[str, Any], head_means: dict[str, Any], *, paired: bool, level: float
) -> Mapping[str, GeometricMeanRatio]:
    if not base_means:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateData)  # a benchmark without spread is unknown
        return geometric_mean_ratios(base_means, head_means, paired=paired, level=level)


def _unknown_reasons(
    base: Measurements,
    head: Measurements,
    floor: NoiseFloor | None,
    *,
    now: datetime,
    floor_days: int,
) -> dict[str, dict[str, Any]]:
    """Return the benchmarks whose change is unknown, with the reason and its values."""
    reasons: dict[str, dict[str, Any]] = {}
    for name in {**base.benchmarks, **head.benchmarks}:
        if name not in base.benchmarks:
            reasons[name] = {"reason": "new"}
        elif name not in head.benchmarks:
            reasons[name] = {"reason": "gone"}
        elif base.benchmarks[name].version != head.benchmarks[name].version:
            reasons[name] = {"reason": "version"}
        elif floor is None:
            continue
        elif floor.machine != head.machine:
            reasons[name] = {"reason": "other-machine"}
        elif name not in floor.entries:
            reasons[name] = {"reason": "no-floor"}
        elif floor.age(now) > timedelta(days=floor_days):
            reasons[name] = {"reason": "old-floor", "age": floor.age(now).days, "limit": floor_days}
    return reasons


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


def _rank(answer: BenchmarkChange) -> tuple[int, float]:
    """Return the key that sorts answers by the kind of change, and then by the largest ratio."""
    return _ORDER.index(answer.change), -(answer.value or 0.0)


def _notes(
    base: Measurements,
    head: Measurements,
    floor: NoiseFloor | None,
    common: list[str],
    *,
    requested: bool | None,
    paired: bool,
) -> Iterable[Note]:
    if paired and requested is None:
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
    """Times of a baseline and of a candidate, measured by a benchmarking tool."""

    key = "measurements"

    def knows(self, table: Any) -> bool:
        """Return whether every source is measurements, or files of a benchmarking tool."""
        return all(are_measurements(source) for source in table.values())

    def judge(self, table: Any, **keywords: Any) -> MeasuredChanges:
        """Compare two versions. Keywords that apply only to tables are refused."""
        if len(table) != _PAIR:
            refuse(
                "table",
                "Measured times must be of a baseline and one candidate but got "
                f"{len(table)} versions.",
            )
        if keywords.get("alternative") == NOT_WORSE:
            del keywords["alternative"]  # the answer always says whether the candidate is slower
        names = list(table)
        baseline = one_of("baseline", keywords.pop("baseline", names[0]), names)
        candidate = next(name for name in names if name != baseline)
        others = [name for name in keywords if name not in _KEYWORDS]
        if others:
            value = short_repr(keywords[others[0]])
            refuse(others[0], f"{others[0]} must be left out for measured times but got {value}.")
        return judge_measurements(
            table[baseline], table[candidate], names=(str(baseline), str(candidate)), **keywords
        )


_PAIR = 2
_KEYWORDS = ("margin", "level", "paired", "floor", "floor_days")
RESULT_KINDS.add(MeasuredTimes.key, MeasuredTimes())

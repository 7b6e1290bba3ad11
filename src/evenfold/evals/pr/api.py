"""Judge every check of a pull request, each at its share of the level."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evenfold.cli.gate import NOT_WORSE, answer_gate
from evenfold.cli.output import BAD_USAGE, is_one_file
from evenfold.comparison.judge.api import judge
from evenfold.comparison.result import Comparison
from evenfold.core.checks import refuse, refuse_value, short_repr
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.note import Note, note
from evenfold.core.verdict import Outcome
from evenfold.core.words import one_line
from evenfold.evals.changes import (
    BenchmarkChange,
    MeasuredChanges,
    code_of_unknown,
    judge_measurements,
)
from evenfold.evals.measurements import are_measurements
from evenfold.evals.pr import commits, config
from evenfold.evals.pr.commits import Commit
from evenfold.evals.pr.config import Check, Configuration
from evenfold.evals.pr.facts import CheckFacts, Finding, PullRequestFacts, State
from evenfold.infer.planning import passes_within

BASE = "base"
HEAD = "head"

STATES = {
    Outcome.BETTER: State.IMPROVEMENT,
    Outcome.WORSE: State.REGRESSION,
    Outcome.NOT_WORSE: State.NOT_WORSE,
    Outcome.EQUIVALENT: State.UNCHANGED,
    Outcome.INCONCLUSIVE: State.UNDECIDED,
    Outcome.NOT_APPLICABLE: State.UNKNOWN,
}


def judge_pull_request(
    path: Path | None = None, *, base_commit: str | None = None, head_commit: str | None = None
) -> PullRequestFacts:
    """
    Judge all checks of a configuration.

    Parameters
    ----------
    path : Path, optional
        The configuration. By default it is ``pyproject.toml`` or ``evenfold.toml`` in the present
        folder. If the commit of the base has a configuration, that one decides, so that a pull
        request cannot change the gate that judges it.
    base_commit, head_commit : str, optional
        The commits that were measured, as git knows them.
    """
    folder = Path() if path is None else path.parent
    base = commits.find_commit(BASE, base_commit, folder)
    head = commits.find_commit(HEAD, head_commit, folder)
    age = commits.require_order(base, head)
    configuration, notes = _trusted(path, base)
    checks = [judge_check(check, configuration, base, head) for check in configuration.checks]
    return PullRequestFacts(
        level=configuration.level,
        checks=tuple(sorted(checks, key=_urgency)),
        base=None if base is None else base.short,
        head=None if head is None else head.short,
        age=None if age is None else age.total_seconds(),
        notes=notes,
    )


def _trusted(path: Path | None, base: Commit | None) -> tuple[Configuration, tuple[Note, ...]]:
    """Return the base's configuration if it has one, and a note if that of the head differs."""
    configuration = None if base is None else _configuration_of(base, path)
    if base is None or configuration is None:
        path = config.find_configuration(Path()) if path is None else path
        notes = () if base is None else (note("configuration-of-head", path=path.name),)
        return config.read_configuration(path), notes
    path = configuration.path
    present = [path] if path.is_file() else []
    if commits.is_changed(base, commits.files_in(base, path.parent, path.name), present):
        return configuration, (note("configuration-changed", path=path.name),)
    return configuration, ()


def _configuration_of(base: Commit, path: Path | None) -> Configuration | None:
    """Return the configuration in the base's commit, or None if the base has no gate."""
    paths = [Path(name) for name in config.FILES] if path is None else [path]
    try:
        texts = {
            candidate: text
            for candidate in paths
            if (text := commits.file_in(base, candidate)) is not None
        }
        chosen = config.choose_configuration(texts)
        return None if chosen is None else config.read_configuration(chosen, texts[chosen])
    except InvalidInput as reason:
        raise InvalidInput(
            f"The base {base.short} has an invalid configuration. {reason}"
        ) from None


def _urgency(check: CheckFacts) -> tuple[int, float]:
    worst = min((finding.change for finding in check.findings), default=0.0)
    return check.state.rank, worst


def judge_check(
    check: Check, configuration: Configuration, base: Commit | None, head: Commit | None
) -> CheckFacts:
    """Judge one check. A check that cannot be judged says why, and never passes."""
    level = configuration.level_of(check)
    counted_as = check.undecided
    blank = CheckFacts(
        name=check.name, code=BAD_USAGE, level=level, share=check.share, counted_as=counted_as
    )
    try:
        why = _missing_baseline(check, configuration.folder, base)
        if why is not None:
            finding = Finding(name=check.measure or check.name, state=State.UNKNOWN, why=why)
            is_new = base is not None and why.code == "no-baseline"
            return replace(blank, code=code_of_unknown(check.unknown, is_new), findings=(finding,))
        judged = _judge_files(check, configuration.folder, blank, base, head)
    except (EvenfoldError, OSError, UnicodeError) as reason:
        return replace(blank, refused=one_line(reason))
    return replace(judged, warnings=tuple(_warnings(judged.findings, check)))


def _missing_baseline(check: Check, folder: Path, base: Commit | None) -> Note | None:
    """Say why there is no baseline: there is no file, or the pull request changes it."""
    for pattern in filter(None, (check.base, check.floor)):
        if base is not None and _changes(base, folder, pattern):
            return note("baseline-changed", path=pattern)
    if not find_files(check.base, folder):
        return note("no-baseline", path=check.base)
    if check.floor is not None and not find_files(check.floor, folder):
        return note("no-floor-file", path=check.floor)
    return None


def _changes(base: Commit, folder: Path, pattern: str) -> bool:
    """Return whether files of a pattern were changed, added or deleted, if the base has any."""
    paths = find_files(pattern, folder)
    commits.require_no_links(base, paths)
    recorded = commits.files_in(base, folder, pattern)
    return bool(recorded) and commits.is_changed(base, recorded, paths)


def find_files(pattern: str, folder: Path) -> list[Path]:
    """Return the files that a pattern names, in the order of their names."""
    plain = folder / pattern
    if plain.is_file():
        return [plain]
    if Path(pattern).is_absolute():  # which no folder can be searched for
        return []
    return sorted(path for path in folder.glob(pattern) if path.is_file())


def files_of(check: Check, folder: Path) -> dict[str, list[Path]]:
    """Return the files of both sides."""
    return {BASE: find_files(check.base, folder), HEAD: find_files(check.head, folder)}


def _judge_files(
    check: Check, folder: Path, blank: CheckFacts, base: Commit | None, head: Commit | None
) -> CheckFacts:
    sides = files_of(check, folder)
    if not sides[HEAD]:
        refuse(HEAD, f"{HEAD} must be a file, but there is no file {check.head}.")
    _require_different(sides)
    changes = changes_of_times(check, folder, blank.level, sides)
    if changes is None:
        return _facts_of(answer_of_table(check, sides, blank.level), check, blank)
    _require_commits(changes, base, head)
    return replace(
        blank,
        code=changes.exit_code(check.undecided, check.unknown),
        findings=findings_of_times(changes),
        sentences=tuple(answer.sentence for answer in changes.benchmarks),
        notes=changes.notes,
    )


def answer_of_table(check: Check, sides: Mapping[str, Sequence[Path]], level: float) -> Comparison:
    """Judge the tables of both sides as a check asks."""
    for side, paths in sides.items():
        if len(paths) > 1:
            pattern = getattr(check, side)
            refuse(side, f"{side} must be one file, but {len(paths)} files match {pattern}.")
    answer = judge(
        {side: paths[0] for side, paths in sides.items()},
        baseline=BASE,
        measure=check.measure,
        margin=check.margin,
        level=level,
        alternative="not-worse",
        higher_is_better=None if check.direction is None else config.DIRECTIONS[check.direction],
        positive=check.positive,
        columns=check.columns or None,
        tasks=check.tasks,
        power_at=2 * check.margin or None,
    )
    if not isinstance(answer, Comparison):
        refuse(
            "table",
            "The tables must be about one data set but have several.",
            "Write one check for each data set.",
        )
    if check.floor is not None:
        refuse_value("floor", check.floor, "left out of a check of a table")
    return answer


def _require_different(sides: dict[str, list[Path]]) -> None:
    for first in sides[BASE]:
        for second in sides[HEAD]:
            if is_one_file(first, second):
                refuse(HEAD, f"{HEAD} and {BASE} must be different files but both are {second}.")


def _facts_of(answer: Comparison, check: Check, blank: CheckFacts) -> CheckFacts:
    facts = answer.facts
    if answer.losses.partition.kind.is_two_test_sets:
        refuse("table", f"The tables of {BASE} and {HEAD} must share examples but share no id.")
    findings = tuple(sorted(_findings(answer, check), key=lambda finding: finding.urgency))
    _require_can_fail(findings)
    code, _ = answer_gate(facts, NOT_WORSE, check.undecided)
    return replace(
        blank,
        code=code,
        findings=findings,
        matched=facts.design.n,
        sentences=tuple(one_line(pair.sentence) for pair in facts.pairs),
        notes=facts.notes,
    )


def _findings(answer: Comparison, check: Check) -> Iterator[Finding]:
    facts = answer.facts
    quantity = facts.quantity
    values = {summary.name: summary.mean for summary in facts.summaries}
    base = values[BASE]
    powers = {power.challenger: power for power in facts.power}
    for pair in facts.pairs:
        power = powers.get(pair.challenger)
        yield Finding(
            name=facts.measure_words,
            state=STATES[Outcome(pair.outcome)],
            base=base,
            head=values[HEAD],
            value=pair.value,
            low=pair.low,
            high=pair.high,
            level=pair.level,
            margin=check.margin,
            room=quantity.high - base if quantity.lower_is_better else base - quantity.low,
            lower_is_better=facts.lower_is_better,
            passes=None if power is None else power.passed,
            catches=None if power is None else power.caught,
        )


def _require_can_fail(findings: Iterable[Finding]) -> None:
    """Refuse a margin that is as large as all that the base could lose."""
    for finding in findings:
        if finding.margin >= finding.room:
            refuse(
                "margin",
                f"margin must be below {finding.room:.3g}, all that the base could lose in "
                f"{finding.name}, but got {finding.margin:g}.",
                "With such a margin the check cannot fail.",
            )


# Measured times: a finding for every benchmark.


def changes_of_times(
    check: Check, folder: Path, level: float, sides: Mapping[str, Sequence[Path]]
) -> MeasuredChanges | None:
    """Return the changes of measured times, or None if the files are tables."""
    if not any(are_measurements(paths) for paths in sides.values()):
        return None
    for key in ("measure", "direction", "positive", "columns"):
        value = getattr(check, key)
        if value:
            refuse_value(key, value, "left out of a check of measured times")
    if not check.margin and check.floor is None:
        refuse(
            "margin",
            "margin must be above 0 where measured times have no floor, because every unchanged "
            "benchmark would be undecided otherwise.",
        )
    return judge_measurements(
        sides[BASE],
        sides[HEAD],
        names=(BASE, HEAD),
        margin=check.margin,
        level=level,
        floor=None if check.floor is None else folder / check.floor,
    )


def _require_commits(changes: MeasuredChanges, base: Commit | None, head: Commit | None) -> None:
    """Refuse files that were measured at another commit than that of their side."""
    of_base, of_head = changes.commits
    if base is not None and not base.revision.startswith(of_base):
        refuse(
            BASE,
            f"{BASE} must be measured at its commit {base.short}, but its files name "
            f"{short_repr(of_base[:10])}.",
        )
    if head is None:
        return
    merged = head.parents if len(head.parents) > 1 else ()
    others = [revision for revision in merged if base is None or revision != base.revision]
    if not any(revision.startswith(of_head) for revision in (head.revision, *others)):
        refuse(
            HEAD,
            f"{HEAD} must be measured at its commit {head.short}, or at one that it merges, but "
            f"its files name {short_repr(of_head[:10])}.",
        )


def findings_of_times(changes: MeasuredChanges) -> tuple[Finding, ...]:
    """Return a finding for every benchmark, the worst first."""
    findings = map(_measured_finding, changes.benchmarks)
    return tuple(sorted(findings, key=lambda finding: finding.urgency))


def _measured_finding(answer: BenchmarkChange) -> Finding:
    state = State(str(answer.change))
    if answer.value is None or answer.low is None or answer.high is None or answer.level is None:
        return Finding(name=answer.benchmark, state=state, why=answer.said, ratio=True)
    passes = 0.0  # an interval without a bound never lies within the limits
    if answer.low > 0 and math.isfinite(answer.high):
        half_width = (math.log(answer.high) - math.log(answer.low)) / 2
        passes = passes_within(half_width, answer.limit, answer.level)
    return Finding(
        name=answer.benchmark,
        state=state,
        value=answer.value,
        low=answer.low,
        high=answer.high,
        level=answer.level,
        margin=math.expm1(answer.limit),
        ratio=True,
        lower_is_better=True,
        passes=passes,
    )


_HALF = 0.5


def _warnings(findings: Iterable[Finding], check: Check) -> Iterator[Note]:
    """Yield the notes that a check can hardly pass, or hardly fail."""
    for finding in findings:
        if finding.passes is not None and finding.passes < _HALF:
            yield note("hardly-passes", passes=finding.passes)
        # otherwise a candidate that is not shown to be good is stopped
        open_passes = check.undecided == "pass"
        if finding.catches is not None and finding.catches < _HALF and open_passes:
            yield note("hardly-fails", catches=finding.catches)
        if finding.margin > _HALF * finding.room:
            yield note("wide-margin", margin=finding.margin, room=finding.room)

"""Gates of pipelines, which tell by the exit code whether they passed, failed or are undecided."""

from collections.abc import Iterable
from typing import Any

from evenfold.core.checks import one_of, refuse
from evenfold.core.note import INTERRUPTED, Note, note, why_partial
from evenfold.core.verdict import Outcome

PASSED = 0
GATE_FAILED = 3
UNDECIDED = 4
UNDECIDED_AS = {"pass": PASSED, "fail": GATE_FAILED}

# What --fail-unless may ask for, and the outcomes that pass.
CONTENT: dict[str, frozenset[str]] = {
    "better": frozenset({str(Outcome.BETTER)}),
    "worse": frozenset({str(Outcome.WORSE)}),
    "not-worse": frozenset({str(Outcome.BETTER), str(Outcome.EQUIVALENT), str(Outcome.NOT_WORSE)}),
    "equivalent": frozenset({str(Outcome.EQUIVALENT)}),
    "inconclusive": frozenset({str(Outcome.INCONCLUSIVE)}),
}
NOT_WORSE = "not-worse"
_DIRECTED = ("better", "worse", NOT_WORSE)


def side(alternative: str, wish: str | None) -> str:
    """Return the alternative, which is "not-worse" if the gate asks for no more than that."""
    if wish == NOT_WORSE and alternative == "two-sided":
        return NOT_WORSE
    return alternative


def check_gate(
    wish: str | None, undecided: str | None, algorithms: int, baseline: str | None = None
) -> None:
    """Refuse a wish that no verdict can meet, before the first fit."""
    if undecided is not None:
        one_of("--undecided", undecided, UNDECIDED_AS)
    if wish is None:
        return
    one_of("--fail-unless", wish, CONTENT)
    if algorithms == 1:
        refuse(None, "--fail-unless needs two algorithms or more but got one.")
    if algorithms > 2 and baseline is None:
        require_baseline(wish)


def require_baseline(wish: str) -> None:
    """Refuse a direction among all pairs, in which only the order of names says who is B."""
    if wish in _DIRECTED:
        refuse(None, f"--fail-unless {wish} needs --baseline where there are several pairs.")


def gate(outcomes: Iterable[str], wish: str, undecided: str | None = None) -> int:
    """
    Return the exit code of a gate with these verdicts.

    Examples
    --------
    >>> (
    ...     gate(["better"], "not-worse"),
    ...     gate(["worse"], "not-worse"),
    ...     gate(["inconclusive"], "better"),
    ... )
    (0, 3, 4)
    >>> gate(["inconclusive", "better"], "better", "pass")
    0
    """
    present = set(outcomes)
    others = present - CONTENT[wish]
    if present and not others:
        return PASSED
    if others != {str(Outcome.INCONCLUSIVE)}:
        return GATE_FAILED
    if undecided is None:
        return UNDECIDED
    return UNDECIDED_AS[undecided]


def is_interrupted(notes: Iterable[Note]) -> bool:
    """Return whether the notes are of a run that was interrupted."""
    return any(note_.code == INTERRUPTED for note_ in notes)


def answer_gate(facts: Any, wish: str, undecided: str | None) -> tuple[int, str]:
    """Return the exit code of a gate with this answer, and a sentence about it."""
    present = sorted({str(pair.outcome) for pair in facts.pairs})
    code = gate(present, wish, undecided)
    part = why_partial(facts.notes)
    if part and (code != GATE_FAILED or is_interrupted(facts.notes)):
        return UNDECIDED, str(note("gate-partial", wish=wish, why=part))
    return code, str(note("gate-asked", wish=wish, found=", ".join(present)))

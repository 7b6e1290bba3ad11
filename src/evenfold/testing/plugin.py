"""The pytest plugin: a fixture ``gate`` that fails a test if a candidate may be worse."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from evenfold.comparison.result import Comparison


@pytest.fixture
def gate() -> "Callable[..., Comparison]":
    """
    Judge a candidate against a baseline, and fail the test unless the wish is met.

    Call it as ``gate(baseline, candidate, fail_unless="not-worse", undecided="fail", **keywords)``.
    The two tables have one algorithm each, in any form that :func:`evenfold.judge` reads. Its other
    keywords may follow (``measure``, ``margin``, ``level``, …). An undecided gate fails, too,
    unless ``undecided="pass"``.
    """
    return check_gate_in_one_line


def check_gate_in_one_line(*tables: Any, **keywords: Any) -> "Comparison":
    """Call :func:`check_gate`; a mistake in its arguments fails the test with one sentence."""
    __tracebackhide__ = True
    from evenfold.core.errors import EvenfoldError
    from evenfold.core.note import note
    from evenfold.core.words import one_line

    try:
        return check_gate(*tables, **keywords)
    except (EvenfoldError, OSError) as mistake:
        message = note("gate-not-asked", reason=one_line(mistake))
    pytest.fail(str(message), pytrace=False)


def check_gate(
    baseline: Any,
    candidate: Any,
    *,
    fail_unless: str = "not-worse",
    undecided: str = "fail",
    alternative: str = "two-sided",
    **keywords: Any,
) -> "Comparison":
    """Return the comparison, or fail the test with the verdict as its text."""
    __tracebackhide__ = True
    from evenfold.cli.gate import PASSED, UNDECIDED, UNDECIDED_AS, answer_gate, check_gate, side
    from evenfold.comparison.judge.api import judge
    from evenfold.core.checks import one_of

    one_of("undecided", undecided, UNDECIDED_AS)
    check_gate(fail_unless, undecided, algorithms=2)
    tables = {"baseline": baseline, "candidate": candidate}
    keywords["alternative"] = side(alternative, fail_unless)
    comparison: Comparison = judge(tables, **keywords)
    code, outcome = answer_gate(comparison.facts, fail_unless, undecided)
    if code == UNDECIDED:  # a partial answer passes no gate, as on the command line
        pytest.fail(outcome, pytrace=False)
    if code != PASSED:
        lines = [outcome, comparison.pairs[0].sentence, *map(str, comparison.facts.flips[:1])]
        pytest.fail("\n".join(lines), pytrace=False)
    return comparison

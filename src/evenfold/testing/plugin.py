"""The pytest plugin: a fixture ``gate`` that fails a test where a candidate may be worse."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from evenfold.comparison.result import Comparison


@pytest.fixture
def gate() -> "Callable[..., Comparison]":
    """
    Judge a candidate against a baseline, and fail the test unless the wish is met.

    ``gate(baseline, candidate, fail_unless="not-worse", undecided="fail", **keywords)``: two
    tables, each of one algorithm, in any form that :func:`evenfold.judge` reads; its other keywords
    may follow (``measure``, ``margin``, ``level``, …). Undecided fails, too, unless
    ``undecided="pass"`` says otherwise.
    """
    return check_gate


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
    from evenfold.cli.gate import GATE_FAILED, PASSED, UNDECIDED_AS, check_gate, gate, side
    from evenfold.comparison.judge.api import judge
    from evenfold.core.checks import one_of
    from evenfold.core.facts.comparison import why_partial

    one_of("undecided", undecided, UNDECIDED_AS)
    check_gate(fail_unless, undecided, algorithms=2)
    tables = {"baseline": baseline, "candidate": candidate}
    keywords["alternative"] = side(alternative, fail_unless)
    comparison: Comparison = judge(tables, **keywords)
    found = [str(pair.verdict.outcome) for pair in comparison.pairs if pair.verdict is not None]
    code = gate(found, fail_unless, undecided)
    part = why_partial(comparison.facts.notes)
    if part and code != GATE_FAILED:  # whatever undecided says, as on the command line
        pytest.fail(
            f"asked for {fail_unless}, but the answer is about a part of what was given: {part}",
            pytrace=False,
        )
    if code != PASSED:
        pytest.fail(
            f"asked for {fail_unless}, found {', '.join(found)}: {_text(comparison)}", pytrace=False
        )
    return comparison


def _text(comparison: "Comparison") -> str:
    """The sentence, and which examples changed."""
    sentence = comparison.pairs[0].sentence
    flips = comparison.facts.flips
    if flips:
        return f"{sentence}\n{flips[0]}"
    return sentence

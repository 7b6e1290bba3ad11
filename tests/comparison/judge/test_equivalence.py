"""
Equivalence of values with few levels, beside two one-sided t-tests.

The t-tests (TOST) find more, because they take rare large losses for normal: where the truth lies
on the margin they call models equivalent several times as often as they may. ``judge`` uses a bound
that holds whatever the values are, so it never calls equivalent what the t-tests leave open, and
keeps its level.
"""

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

import evenfold as ef
from evenfold.core.verdict import Outcome

LEVELS = np.array([0, 1, 2, 3]) / 3


def both(a: np.ndarray, b: np.ndarray, margin: float) -> tuple[bool, bool]:
    """Whether we say equivalent at .05, and whether TOST does at .025 on either side."""
    c = ef.judge({"a": a, "b": b}, rows="examples", higher_is_better=True, margin=margin)
    with np.errstate(all="ignore"):
        pvalue = ttost_paired(b, a, -margin, margin)[0]
    return c.verdict.outcome is Outcome.EQUIVALENT, bool(pvalue <= 0.025)


@pytest.mark.parametrize("n", [30, 300])
def test_what_is_called_equivalent_is_so_for_two_one_sided_t_tests(n: int) -> None:
    rng = np.random.default_rng(n)
    found = []
    for _ in range(15):
        shares = rng.dirichlet(np.ones(4))
        a = rng.choice(LEVELS, n, p=shares)
        b = np.where(rng.random(n) < 0.2, rng.choice(LEVELS, n, p=shares), a)
        found.append(both(a, b, margin=0.1))
    assert not any(ours and not theirs for ours, theirs in found)
    assert any(ours for ours, _ in found) or n == 30


def test_t_tests_err_where_losses_are_rare_and_large_and_the_bound_does_not() -> None:
    """B loses a whole point on 5% of the examples: the truth is the margin, 80 times."""
    rng = np.random.default_rng(1)
    a = np.ones(100)
    found = [both(a, (rng.random(100) >= 0.05).astype(float), margin=0.05) for _ in range(80)]
    ours, theirs = np.mean(found, axis=0)
    assert ours <= 0.025 + 2 * np.sqrt(0.025 / 80)
    assert theirs > 0.05

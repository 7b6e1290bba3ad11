"""pass@k and pass^k from c successes of r trials."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

import evenfold as ef


@pytest.mark.parametrize("r", [1, 3, 6])
def test_they_count_the_choices_of_trials(r: int) -> None:
    for c in range(r + 1):
        trials = [1] * c + [0] * (r - c)
        for k in range(1, r + 1):
            chosen = list(combinations(trials, k))
            assert ef.infer.pass_at_k(c, r, k) == pytest.approx(
                np.mean([max(one) for one in chosen])
            )
            assert ef.infer.pass_hat_k(c, r, k) == pytest.approx(
                np.mean([min(one) for one in chosen])
            )


def test_they_are_the_formulas_of_their_papers_and_have_no_bias() -> None:
    r, k, p = 10, 4, 0.3
    c = np.arange(r + 1)
    weight = np.array([comb(r, i) * p**i * (1 - p) ** (r - i) for i in c])
    at = ef.infer.pass_at_k(c, r, k)
    assert at == pytest.approx([1 - comb(r - i, k) / comb(r, k) for i in c])
    assert weight @ at == pytest.approx(1 - (1 - p) ** k)
    assert weight @ ef.infer.pass_hat_k(c, r, k) == pytest.approx(p**k)
    assert ef.infer.pass_hat_k(2999, 3000, 1000) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("c", "r", "k", "said"),
    [
        (3, 2, 1, "successes must be at most"),
        (1, 2, 3, "trials must be at least k = 3"),
        (1, 2, 0, "k must be an integer"),
        (0.5, 2, 1, "successes must be a whole number ≥ 0 but got 0.5"),
    ],
)
def test_odd_counts_are_refused(c: float, r: int, k: int, said: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=said):
        ef.infer.pass_at_k(c, r, k)

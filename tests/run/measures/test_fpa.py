from itertools import permutations

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.rng import stream


def by_definition(y_true: list[int], order: list[int]) -> float:
    """Mean over m of the share of all defects in the first m modules."""
    shares = [sum(y_true[i] for i in order[:m]) / sum(y_true) for m in range(1, len(order) + 1)]
    return float(np.mean(shares))


@pytest.mark.parametrize("seed", range(20))
def test_equals_its_definition_without_ties(seed: int) -> None:
    rng = stream(seed, "fpa")
    y = [*rng.poisson(2, size=9).tolist(), 1]
    predicted = rng.permutation(10)
    order = np.argsort(-predicted).tolist()
    assert ef.run.fpa(y, predicted) == pytest.approx(by_definition(y, order), rel=1e-13)


def test_ties_are_averaged_over_their_orders() -> None:
    y, predicted = [3, 0, 2, 1], [1.0, 2.0, 1.0, 1.0]
    tied = [[1, *rest] for rest in permutations([0, 2, 3])]
    expected = np.mean([by_definition(y, order) for order in tied])
    assert ef.run.fpa(y, predicted) == pytest.approx(expected, rel=1e-13)


def test_the_best_and_the_worst_order() -> None:
    assert ef.run.fpa([5, 0, 0, 0], [9, 1, 1, 1]) == 1.0
    assert ef.run.fpa([5, 0, 0, 0], [0, 1, 1, 1]) == 0.25


@pytest.mark.parametrize("y", [[0, 0], [-1, 2]])
def test_no_defects_no_answer(y: list[int]) -> None:
    with pytest.raises(InvalidInput, match="y_true must be counts"):
        ef.run.fpa(y, [1, 2])

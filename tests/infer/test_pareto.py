"""Which models are surely dominated."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

import evenfold as ef


def test_a_pair_is_the_largest_of_its_one_sided_tests_with_holms_steps() -> None:
    rng = np.random.default_rng(0)
    error = rng.normal([0.5, 0.2], 1.0, size=(60, 2))
    seconds = rng.normal([2.0, 1.8], 0.5, size=(40, 2))
    found = ef.infer.pareto_set({"error": error, "seconds": seconds})
    p = max(ttest_rel(x[:, 1], x[:, 0], alternative="less").pvalue for x in (error, seconds))
    other = max(ttest_rel(x[:, 0], x[:, 1], alternative="less").pvalue for x in (error, seconds))
    assert found.pvalue[1, 0] == pytest.approx(min(1.0, 2 * min(p, other)))
    assert found.means[1] == pytest.approx(seconds.mean(axis=0))


def test_who_is_better_in_one_objective_is_never_dominated() -> None:
    rng = np.random.default_rng(1)
    error = rng.normal([0.5, 0.1, 0.9], 0.1, size=(100, 3))
    found = ef.infer.pareto_set({"error": error, "price": [1.0, 2.0, 2.0]})
    assert found.front == (0, 1)
    turned = ef.infer.pareto_set(
        {"score": -error, "price": [1.0, 2.0, 2.0]}, higher_is_better=("score",)
    )
    assert turned.front == found.front
    assert turned.pvalue == pytest.approx(found.pvalue)


def test_what_is_known_exactly_is_compared_exactly() -> None:
    found = ef.infer.pareto_set({"error": [0.1, 0.1, 0.2], "price": [1.0, 1.0, 1.0]})
    assert found.dominates.tolist() == [[False, False, True], [False, False, True], [False] * 3]


def test_models_on_the_edge_of_dominance_are_seldom_called_dominated() -> None:
    """The worst case: as good in one objective, far worse in the other."""
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(400):
        error = rng.normal([0.0, 0.0], 1.0, size=(30, 2))
        seconds = rng.normal([0.0, 5.0], 1.0, size=(30, 2))
        wrong += int(ef.infer.pareto_set({"error": error, "seconds": seconds}).dominated.any())
    assert wrong / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_a_gap_without_spread_is_only_as_sure_as_its_items() -> None:
    values = np.tile([0.0, 1.0], (3, 1))
    found = ef.infer.pareto_set({"error": values})
    assert found.pvalue[0, 1] == pytest.approx(2 * 0.5**3)


@pytest.mark.parametrize(
    ("objectives", "said"),
    [
        ({}, "a mapping of names"),
        ({"a": [1.0]}, "two or more models"),
        ({"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]}, "of the same two or more models"),
        ({"a": [[1.0, 2.0]]}, "at least two items"),
    ],
)
def test_odd_objectives_are_refused(objectives: dict[str, object], said: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=said):
        ef.infer.pareto_set(objectives)

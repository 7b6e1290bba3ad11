"""Compiled kernels against the same on arrays, which stay in use where Numba is missing."""

import subprocess
import sys

import numpy as np
import pytest
from tests.lab.fast._tasks import FORESTS, LABEL_TREES, NUMBER_TREES, Task, ours, task

from evenfold.lab.algorithm import Algorithm
from evenfold.lab.fast import Forest, SplusTree, Tree, compiled

TREES: list[Algorithm] = [
    *NUMBER_TREES,
    *LABEL_TREES,
    *FORESTS,
    SplusTree(least_squares=True),
    Forest(n_trees=3, max_features=3),
    Forest(n_trees=3, max_features=2, criterion="squared", min_samples_leaf=2),
]


def _on_arrays(algorithm: Algorithm, given: Task, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    with monkeypatch.context() as without:
        without.setattr(compiled, "find_spec", lambda _: None)
        return ours(algorithm, given)


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize("algorithm", TREES, ids=lambda a: a.name)
def test_compiled_trees_are_those_of_arrays(
    algorithm: Algorithm, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of rounded features many are equal, and so are many splits: the first is taken everywhere."""
    numbers = getattr(algorithm, "criterion", "") == "squared"
    two = getattr(algorithm, "least_squares", False)
    for seed in range(2):
        given = task(seed, classes=0 if numbers else 2 if two else 2 + seed, p=1 + 4 * seed)
        given.X[:] = given.X.round(digits) - 10.0  # negative values, and zeros of both signs
        there = _on_arrays(algorithm, given, monkeypatch)
        np.testing.assert_allclose(ours(algorithm, given), there, rtol=1e-9)


def test_kernels_are_for_numpy_and_need_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled.usable(np.zeros(1))
    assert not compiled.usable([0.0])
    monkeypatch.setattr(compiled, "find_spec", lambda _: None)
    assert not compiled.usable(np.zeros(1))


def test_numba_is_loaded_by_the_first_kernel() -> None:
    script = """
import sys
import numpy as np
from evenfold.lab.fast import OLS, Tree
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_large_leaves_and_copies_of_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    given = task(4, classes=3, p=3)
    given.X[:, 1::2] = given.X[:, : given.X.shape[1] // 2]
    for algorithm in (Tree(min_samples_leaf=7), Tree(max_depth=0), Forest(n_trees=2, min_samples_split=9)):
        there = _on_arrays(algorithm, given, monkeypatch)
        np.testing.assert_array_equal(ours(algorithm, given), there)

"""The GPU programs, read by a stand-in for Triton made of NumPy, against the array path."""

import sys
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from evenfold_lab.arrays import Place, room
from evenfold_lab.fast import networks, programs, svm
from evenfold_lab.fast.networks import Perceptron
from evenfold_lab.fast.penalized import Lasso
from evenfold_lab.fast.trees import tree
from evenfold_lab.fast.trees.tree import Forest, SplusTree, Tree, _grow_trees

_SOURCES = [Path(programs.__file__).with_name(f"{name}.py") for name in ("learners", "trees")]


class _Pointer:
    def __init__(self, flat: Any, at: Any = 0) -> None:
        self.flat = flat
        self.at = at

    def __add__(self, steps: Any) -> "_Pointer":
        return _Pointer(self.flat, self.at + steps)


class _Number(int):
    def to(self, _: Any) -> int:
        return int(self)


class _Language(ModuleType):
    """``triton.language``, whose arithmetic has NumPy's names."""

    constexpr = int
    program = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def program_id(self, _: int) -> _Number:
        return _Number(self.program)

    def debug_barrier(self) -> None:
        """One thread waits for nobody."""

    @staticmethod
    def cast(x: Any, dtype: Any) -> Any:
        return np.asarray(x).astype(dtype)

    @staticmethod
    def associative_scan(x: Any, _: int, combine: Any) -> Any:
        return np.array(list(accumulate(x, combine)))

    @staticmethod
    def load(pointer: _Pointer, mask: Any = True, other: float = 0) -> Any:
        return np.where(mask, pointer.flat[np.where(mask, pointer.at, 0)], other)

    @staticmethod
    def store(pointer: _Pointer, values: Any, mask: Any = True) -> None:
        at, new = np.broadcast_arrays(pointer.at, values)
        kept = np.broadcast_to(mask, at.shape)
        pointer.flat[at[kept]] = new[kept]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    triton = ModuleType("triton")
    language = _Language("triton.language")
    triton.jit = lambda function: function  # type: ignore[attr-defined]  # a module that is made up here
    triton.language = language  # type: ignore[attr-defined]  # a module that is made up here
    monkeypatch.setitem(sys.modules, "triton", triton)
    monkeypatch.setitem(sys.modules, "triton.language", language)
    found: dict[str, Any] = {"language": language}
    for source in _SOURCES:
        exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), found)
    return found


def _run(
    read: dict[str, Any], name: str, arrays: list[Any], *numbers: int, models: int, **shape: int
) -> None:
    for model in range(models):
        read["language"].program = model
        with np.errstate(invalid="ignore", over="ignore"):
            read[name](*(_Pointer(a.reshape(-1)) for a in arrays), *numbers, BLOCK=64, **shape)


def test_the_program_of_the_svm_solves_its_dual(read: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 40, 3))
    sign = np.where(x[..., 0] + rng.normal(size=(5, 40)) > 0, 1.0, -1.0)
    sign[3, 30:], sign[4] = 0.0, 1.0  # examples that play no part; one class alone
    K = np.exp(-np.sum((x[:, :, None] - x[:, None]) ** 2, axis=-1) / 3)
    beta = np.empty((5, 40))
    start = np.empty(5)
    settings = np.array([1.0, 1e-3, 1e-12])
    _run(read, "svm", [K, sign, beta, start, settings], 40, 10_000, models=5)
    expected = svm.solve_dual(K, sign, 1.0, 1e-3)
    np.testing.assert_allclose(beta, expected[0], atol=1e-9)
    np.testing.assert_allclose(start, expected[1], atol=1e-9)


def test_the_program_of_the_lasso_finds_its_minimum(read: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(4, 20, 30))
    x[1, :, 3] = 0.0  # a feature without spread
    y = 2 * x[..., 0] + rng.normal(size=(4, 20))
    gram = np.einsum("rni,rnj->rij", x, x) / 20
    moment = np.einsum("rni,rn->ri", x, y) / 20
    slopes = np.empty((4, 30))
    _run(read, "lasso", [gram, moment, slopes, np.array([0.1, 1e-9])], 30, 100_000, models=4)
    expected = Lasso(0.1)._descend(gram[:, None], moment[:, None])[:, 0]
    np.testing.assert_allclose(slopes, expected, atol=1e-6)


def test_the_program_of_the_perceptron_takes_the_same_steps(read: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(2, 2, 30, 3))
    y = np.floor(2 * rng.random((2, 30)))
    masks = (rng.random((2, 2, 30)) < 0.6).astype(float)
    w = np.empty((2, 2, 3))
    start = np.empty((2, 2))
    arrays = [rows, 2 * y - 1, masks, masks.sum(axis=-1), w, start, np.array([1e-3])]
    _run(read, "perceptron", arrays, 2, 30, 3, 1000, 5, models=4)
    expected = Perceptron()._lead_together(rows, y[:, None, :], masks)
    np.testing.assert_allclose(networks._leads(rows, w, start), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("algorithm", "classes"),
    [
        (Tree(), 2),
        (Tree(max_depth=2, min_samples_leaf=2), 6),
        (SplusTree(), 6),
        (Tree(criterion="squared"), 0),
        (Forest(max_features=2), 2),
    ],
)
def test_the_program_of_the_tree_grows_the_tree_of_arrays(
    read: dict[str, Any], algorithm: Tree, classes: int
) -> None:
    rng = np.random.default_rng(2)
    R = 2
    J = 2
    n = 50
    p = 3
    X = np.round(4 * rng.normal(size=(R, n, p))) / 4  # with ties
    if classes:
        y = np.floor(rng.random((R, n)) * classes)
    else:
        y = X[..., 0] + rng.normal(size=(R, n))
    times = rng.multinomial(40, np.full(n, 1 / n), size=(R, J))
    if isinstance(algorithm, Forest):
        luck = algorithm._feature_sampling(0)
    else:
        luck = None
    rule = algorithm._rule(classes)
    expected = _grow_trees(X, y, times == 0, rule, times, luck)
    by_feature = np.ascontiguousarray(np.swapaxes(X, 1, 2).astype(np.float32))
    order = np.argsort(by_feature, axis=2, stable=True)
    out = np.full((R, J, n), np.nan)
    arrays = [order, np.sort(by_feature, axis=2), by_feature, y, times, programs._logs(y, n)]
    arrays += [np.zeros((R, J, n), int), np.zeros((R, J, n)), out, np.array([rule.least_deviance])]
    start, drawn = (0, p) if luck is None else (luck.start, luck.count)
    numbers = (J, n, p, classes, *programs._sizes(rule), drawn)
    shape = {"FEATURES": 4, "KIND": programs._kind(rule)}
    _run(read, "tree", [*arrays, np.array([start])], *numbers, models=R * J, **shape)
    np.testing.assert_allclose(out[times == 0], expected[times == 0], atol=1e-9)


def test_programs_are_for_gpus_and_models_that_fit() -> None:
    assert not programs.usable(np.zeros(3), 10)
    assert not programs.usable(Place.of("array_api_strict").put(np.zeros(3)), 10)
    assert programs._shape(500) == {"BLOCK": 512, "num_warps": 4}


def test_trees_of_many_classes_have_the_room_of_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs hold 256 labels; more are left to arrays, which need more memory."""
    monkeypatch.setattr(tree, "usable", lambda _: False)
    monkeypatch.setattr(programs, "usable", lambda *_: True)
    X = np.zeros((1, 300, 2))
    y = np.arange(300.0)[None]
    assert Tree()._memory_room(X, y) == room(X)
    assert Tree()._memory_room(X, y // 2) == tree._SMALLER * room(X)
    assert Tree(criterion="squared")._memory_room(X, y) == tree._SMALLER * room(X)

"""
Every design and every function of the room, asked nonsense.

Our own error or a right answer, at once.
"""

import os
from collections.abc import Callable
from dataclasses import fields
from inspect import isfunction, signature
from itertools import islice
from typing import Any

import numpy as np
import pytest
from tests.fuzz.refusals import asked

from evenfold import design as room
from evenfold.core.partition import Partition
from evenfold.design import Design

N = 24
CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400"))
NONSENSE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 0.5, 1.0, -0.5, 1e-9, 10**20, -(10**20), 2**63, 10**400,
    np.int64(4),
    np.nan, np.inf, -np.inf, 1j, N, N - 1, N + 1,
    "", "x", b"x", "labels", "counts", "groups", "features", ("labels", "groups"), ["labels", 3],
    (), [], {}, {"a": 1}, [[]], [[1, 2], [3]], [None], ["a", None], [["O"], ["B", "I"]] * (N // 2),
    range(N),
    np.array(3), np.zeros((0, 2)), np.zeros(N), np.arange(N), np.arange(N) % 2, np.arange(N) / N,
    np.full(N, np.nan), np.full(N, np.inf), np.full(N, 1e308), np.arange(N) > 3,
    np.array([None] * N),
    np.ones((N, 2)), np.ones((N, 2, 2)), -np.ones((N, 2)), np.full((N, 2), 1e300),
    np.full((N, 2), "x"),
    np.arange(N).astype(complex), np.arange(N).astype(str), np.arange(N).astype("M8[D]"),
    np.ma.masked_less(np.arange(N), 3), np.array(["a", 1] * (N // 2), dtype=object),
    object(), object, len, slice(3), iter([1, 2]), room.KFold, room.KFold(2),
    np.random.default_rng(0), np.random.RandomState(0),
)  # fmt: skip
ROOM = {name: getattr(room, name) for name in room.__all__}
DESIGNS = [
    thing
    for thing in ROOM.values()
    if isinstance(thing, type) and issubclass(thing, Design) and not thing.__abstractmethods__
]
FUNCTIONS = [thing for thing in ROOM.values() if isfunction(thing)]
REASONABLE = {
    "m": 3,
    "n_splits": 3,
    "n_repeats": 2,
    "repetitions": 2,
    "n_halvings": 2,
    "train_size": 0.5,
    "test_size": 3,
    "n_samples": 20,
    "n_reruns": 2,
}


def right(partition: Partition, n: int) -> None:
    """Check what holds for every partition."""
    assert partition.n == n
    for j, (train, test) in enumerate(islice(partition, 60)):
        themselves = partition.kind.shape == "out of bag" and not partition.about[j]
        assert len(train)
        assert len(test)
        assert themselves or not np.intersect1d(train, test).size
        assert min(train.min(), test.min()) >= 0
        assert max(train.max(), test.max()) < n


def some(rng: np.random.Generator) -> Any:
    return NONSENSE[rng.integers(len(NONSENSE))]


def spoiled(rng: np.random.Generator, **given: Any) -> dict[str, Any]:
    """Replace some of what is given by nonsense."""
    return {name: some(rng) if rng.random() < 0.4 else value for name, value in given.items()}


@pytest.mark.parametrize("kind", DESIGNS, ids=lambda kind: kind.__name__)
def test_designs(kind: type[Design]) -> None:
    rng = np.random.default_rng(sum(map(ord, kind.__name__)))
    names = [field.name for field in fields(kind) if field.init]
    for _ in range(CALLS // len(DESIGNS)):
        design = asked(kind, **spoiled(rng, **{name: REASONABLE.get(name) for name in names}))
        if design is not None:
            use(design, rng)


def use(design: Any, rng: np.random.Generator) -> None:
    """Ask a design for all it can do."""
    n = N if rng.random() < 0.8 else some(rng)
    given = spoiled(rng, y=None, groups=None, features=None)
    partition = asked(design.partition, n, **given)
    if partition is not None:
        right(partition, n)
    if hasattr(design, "extend"):
        longer = asked(
            design.extend, partition if rng.random() < 0.8 else some(rng), some(rng), **given
        )
        assert longer is None or longer.n == n
    data = spoiled(rng, X=np.zeros((N, 2)), y=None, groups=None)
    pairs = asked(lambda: list(design.split(**data)))
    assert pairs is None or len(pairs) == asked(design.get_n_splits, **data)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions(function: Callable[..., Any]) -> None:
    rng = np.random.default_rng(sum(map(ord, function.__name__)))
    parameters = signature(function).parameters.values()
    for _ in range(CALLS // 4 // len(FUNCTIONS)):
        given = {
            p.name: some(rng) for p in parameters if p.default is p.empty or rng.random() < 0.7
        }
        answer = asked(function, **given)
        assert not isinstance(answer, float) or np.isfinite(answer)


@pytest.mark.parametrize("kind", DESIGNS, ids=lambda kind: kind.__name__)
def test_sizes_beyond_all_memory_are_refused_at_once(kind: type[Design]) -> None:
    names = [field.name for field in fields(kind) if field.init and field.name in REASONABLE]
    assert asked(kind(**{name: REASONABLE[name] for name in names}).partition, 10**20) is None
    for name in names:
        huge = asked(kind, **{**{other: REASONABLE[other] for other in names}, name: 10**20})
        assert huge is None or asked(huge.partition, N) is None

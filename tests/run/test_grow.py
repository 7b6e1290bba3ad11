"""Growing runs: repetition after repetition, until somebody has seen enough."""

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.partition import Partition

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]
Next = Callable[[Partition | None], Partition | None]

BOTH = {"tree": DecisionTreeClassifier(max_features=1), "bayes": GaussianNB()}


@pytest.fixture
def one_more(halvings: Halvings) -> Next:
    def following(before: Partition | None) -> Partition | None:
        m = 1 if before is None else len(before) // 2 + 1
        return halvings(80, m) if m <= 7 else None

    return following


def at(m: int) -> Callable[[ef.run.Run], bool]:
    return lambda run: len(run.partition) >= 2 * m


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_equals_a_direct_run(halvings: Halvings, one_more: Next, xy: XY, backend: str) -> None:
    direct = ef.run.run(BOTH, halvings(80, 4), *xy, seed=0)
    with joblib.parallel_config(backend, n_jobs=2):
        grown = ef.run.grow(BOTH, one_more, *xy, stop=at(4), seed=0)
    np.testing.assert_array_equal(grown["zero-one"].values, direct["zero-one"].values)
    assert grown.fits == 16 + grown.speculative


def test_nothing_is_done_twice_and_stop_sees_every_repetition(one_more: Next, xy: XY) -> None:
    seen = []

    def stop(run: ef.run.Run) -> bool:
        seen.append(len(run.partition))
        return len(run.partition) == 6

    done = ef.run.grow(BOTH, one_more, *xy, stop=stop, seed=0)
    assert seen == [2, 4, 6]
    assert (done.fits, done.speculative) == (12, 0)


def test_it_ends_when_there_is_no_more(one_more: Next, xy: XY) -> None:
    done = ef.run.grow(BOTH, one_more, *xy, stop=lambda run: False, seed=0)  # noqa: ARG005
    assert len(done.partition) == 14


def test_spare_workers_run_ahead_and_say_so(
    halvings: Halvings, one_more: Next, xy: XY, tmp_path: Path
) -> None:
    ahead = Event()
    tests = [xy[0][test] for test in halvings(80, 3).test]

    def patient(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        """The last fit that is needed waits until somebody runs one that is not."""
        split = next(j for j, part in enumerate(tests) if np.array_equal(part, X_test))
        if split == 3:
            assert ahead.wait(30)
        elif split > 3:
            ahead.set()
        return np.zeros(len(X_test), dtype=int)

    options: dict[str, Any] = {"seed": 0, "store": tmp_path / "runs.db", "version": "1"}
    with joblib.parallel_config("threading", n_jobs=2):
        done = ef.run.grow(patient, one_more, *xy, stop=at(2), **options)
    assert done.failures == ()
    assert 0 < done.speculative <= 2
    assert len(done.partition) == 4
    assert done.fits == 4 + done.speculative
    more = ef.run.grow(patient, one_more, *xy, stop=at(3), **options)
    assert (more.fits, more.reused) == (2 - done.speculative, 4 + done.speculative)


def test_a_grown_run_goes_on_from_the_store(one_more: Next, xy: XY, tmp_path: Path) -> None:
    options: dict[str, Any] = {"seed": 0, "store": tmp_path / "runs.db"}
    first = ef.run.grow(BOTH, one_more, *xy, stop=at(2), **options)
    second = ef.run.grow(BOTH, one_more, *xy, stop=at(3), **options)
    assert (first.fits, second.fits, second.reused) == (8, 4, 8)


def test_a_partition_that_does_not_continue_is_refused(halvings: Halvings, xy: XY) -> None:
    def jumps(before: Partition | None) -> Partition:
        return halvings(80, 1 if before is None else 2, seed=0 if before is None else 1)

    with pytest.raises(
        InvalidInput, match="next_repetition must return a partition that begins with"
    ):
        ef.run.grow(BOTH, jumps, *xy, stop=at(3))
    with pytest.raises(InvalidInput, match="must return a first partition"):
        ef.run.grow(BOTH, lambda before: before, *xy, stop=at(3))


def test_options_are_those_of_run(one_more: Next, xy: XY) -> None:
    done = ef.run.grow(BOTH, one_more, *xy, stop=at(1), measures=["f1", "log"])
    assert list(done) == ["f1", "log"]
    with pytest.raises(
        InvalidInput, match=r"option must be one of .* but got 'njobs'. Did you mean 'n_jobs'"
    ):
        ef.run.grow(BOTH, one_more, *xy, stop=at(1), njobs=2)

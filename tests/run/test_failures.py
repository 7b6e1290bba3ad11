"""Fits that fail are listed, and the others go on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import CellFailed, InvalidInput, NotApplicable
from evenfold.core.partition import Partition
from evenfold.run.cells import Cell, CellOutcome, Fault, TimedOut
from evenfold.run.engines import workers

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]


def raises(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    raise RuntimeError("no\nmemory")


def short(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    return np.zeros(len(X_test) - 1)


def scalar(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    return 0


def nan(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    return np.full(len(X_test), np.nan)


def words(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    return ["a"] * len(X_test)


def table(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    return np.zeros((len(X_test), 2))


def leaves(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("algorithm", "kind", "message"),
    [
        (leaves, "raised", "SystemExit: 3"),
        (raises, "raised", "RuntimeError: no memory"),
        (short, "wrong length", "39 predictions for 40 test examples"),
        (scalar, "wrong length", "1 predictions for 40 test examples"),
        (nan, "NaN predictions", "40 of 40 predictions are NaN or infinite"),
        (words, "label types", "y holds numbers but the predictions are <U1"),
        (
            table,
            "label types",
            "predictions must be one number or text per example but have shape (40, 2) and type "
            "float64",
        ),
    ],
)
def test_the_cell_is_recorded_and_the_others_go_on(
    halvings: Halvings, xy: XY, algorithm: Any, kind: str, message: str
) -> None:
    done = ef.run.run({"bad": algorithm, "good": GaussianNB()}, halvings(80, 2), *xy)
    assert [(f.algorithm, f.split) for f in done.failures] == [("bad", j) for j in range(4)]
    assert {f.kind for f in done.failures} == {kind}
    assert done.failures[0].message == message
    assert np.isnan(done["zero-one"].values[0]).all()
    assert not np.isnan(done["zero-one"].values[1]).any()
    with pytest.raises(NotApplicable, match="bad failed on all 4 splits: "):
        done["zero-one"].differences()


def test_a_reason_is_told_once_and_counted(halvings: Halvings, xy: XY) -> None:
    done = ef.run.run({"bad": raises, "good": GaussianNB()}, halvings(80, 3), *xy)
    with pytest.raises(NotApplicable) as caught:
        done["zero-one"].differences()
    told = str(caught.value)
    assert told == "bad failed on all 6 splits: RuntimeError: no memory"

    def long(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        raise RuntimeError("x" * 1000)

    with pytest.raises(NotApplicable) as caught:
        ef.run.run([long], halvings(80, 1), *xy)["zero-one"].require_complete()
    assert len(str(caught.value)) < 300


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("I say nothing")


@pytest.mark.parametrize("error", [RuntimeError("a\0b"), RuntimeError("half \ud800"), Mute()])
def test_messages_that_cannot_be_written_are_kept_as_they_can(
    halvings: Halvings, xy: XY, tmp_path: Any, error: Exception
) -> None:
    def fail(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        raise error

    algorithms = {"fails": fail, "good": GaussianNB()}
    done = ef.run.run(algorithms, halvings(80, 1), *xy, store=tmp_path / "runs.db", version="1")
    assert {f.algorithm for f in done.failures} == {"fails"}
    done.failures[0].message.encode()
    assert "\0" not in done.failures[0].message


def test_a_limit_without_end_is_none(halvings: Halvings, xy: XY) -> None:
    for timeout in (float("inf"), 1e300):
        assert ef.run.run([GaussianNB()], halvings(80, 1), *xy, timeout=timeout).failures == ()


def test_a_failed_cell_has_no_examples(halvings: Halvings, xy: XY, tmp_path: Any) -> None:
    for store in (None, tmp_path / "runs.db"):
        examples = ef.run.run(raises, halvings(80, 1), *xy, store=store)["zero-one"].examples
        assert examples is not None
        with pytest.raises(NotApplicable, match="it failed"):
            examples[0][1]


def test_the_traceback_is_kept(halvings: Halvings, xy: XY) -> None:
    done = ef.run.run(raises, halvings(80, 1), *xy)
    assert 'raise RuntimeError("no\\nmemory")' in done.failures[0].traceback


def test_on_failure_raise_ends_the_run(halvings: Halvings, xy: XY) -> None:
    with pytest.raises(
        CellFailed, match="Algorithm 'raises' failed on split 0: raised: RuntimeError"
    ) as caught:
        ef.run.run(raises, halvings(80, 1), *xy, on_failure="raise")
    assert "Traceback" in caught.value.__notes__[0]


def test_a_class_missing_in_training_has_no_probability(halvings: Halvings, xy: XY) -> None:
    y = np.zeros(80, dtype=int)
    y[:40] = 1
    y[int(halvings(80, 1).train[0][0])] = 2
    done = ef.run.run([LogisticRegression()], halvings(80, 1), xy[0], y, measures="log")
    assert [(f.split, f.kind) for f in done.failures] == [(1, "class missing in training")]
    labels = ef.run.run([LogisticRegression()], halvings(80, 1), xy[0], y)
    assert labels.failures == ()


def test_a_failed_cell_is_tried_again_by_the_next_call(
    halvings: Halvings, xy: XY, tmp_path: Any
) -> None:
    working = tmp_path / "works"

    def flaky(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        if not working.exists():
            raise RuntimeError("the server is down")
        return np.zeros(len(X_test), dtype=int)

    options = {"store": tmp_path / "runs.db", "version": "1", "seed": 0}
    first = ef.run.run(flaky, halvings(80, 1), *xy, **options)
    working.touch()
    second = ef.run.run(flaky, halvings(80, 1), *xy, **options)
    assert (len(first.failures), first.fits) == (2, 2)
    assert (len(second.failures), second.fits) == (0, 2)
    assert first.id != second.id


def test_a_cell_that_is_too_slow_is_stopped(halvings: Halvings, xy: XY) -> None:
    def sleepy(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import time

        try:
            time.sleep(60)
        except Exception:  # what a careless estimator does
            time.sleep(60)

    done = ef.run.run({"sleepy": sleepy, "bayes": GaussianNB()}, halvings(80, 1), *xy, timeout=0.2)
    assert [(f.algorithm, f.kind) for f in done.failures] == [("sleepy", "timeout")] * 2
    assert done.failures[0].message == "the fit took more than 0.2 seconds"


def test_a_timeout_needs_processes(halvings: Halvings, xy: XY) -> None:
    import joblib

    with (
        joblib.parallel_config("threading", n_jobs=2),
        pytest.raises(InvalidInput, match="timeout must be None except on loky processes"),
    ):
        ef.run.run([GaussianNB()], halvings(80, 1), *xy, timeout=1.0)


def test_an_alarm_after_the_cell_is_a_fault_of_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def late(seconds: float | None) -> Iterator[None]:
        yield
        raise TimedOut(f"not done after {seconds} seconds")

    cell = Cell(0, 0)
    monkeypatch.setattr(workers, "time_limit", late)
    monkeypatch.setattr(workers, "run_cell", lambda *_: CellOutcome(cell))
    outcome = workers._run_limited(cast("Any", None), cast("Any", None), cell, 0.5)
    assert outcome.fault == Fault("timeout", "not done after 0.5 seconds")


def test_cells_that_end_at_their_limit_end_nothing_else(halvings: Halvings, xy: XY) -> None:
    def edge(X_train: Any, y_train: Any, X_test: Any, seed: int) -> Any:  # noqa: ARG001
        from time import perf_counter

        end = perf_counter() + 0.0098 + seed % 500 * 1e-6
        while perf_counter() < end:
            pass
        return np.zeros(len(X_test), dtype=int)

    for seed in range(5):
        done = ef.run.run(edge, halvings(80, 7), *xy, timeout=0.01, seed=seed)
        assert {f.kind for f in done.failures} <= {"timeout"}


def test_a_measure_without_a_number_is_a_failure(halvings: Halvings, xy: XY) -> None:
    def live(estimator: Any, X: Any, y: Any) -> float:  # noqa: ARG001
        return float("nan")

    def bad(truth: Any, predicted: Any) -> Any:
        return np.where(truth == predicted, np.inf, 0.0)

    done = ef.run.run(
        [GaussianNB()],
        halvings(80, 1),
        *xy,
        measures=[
            ef.run.measure(live, higher_is_better=True),
            ef.run.measure(bad, higher_is_better=True),
            "zero-one",
        ],
    )
    assert [f.kind for f in done["live"].failures] == ["measure"] * 2
    assert done["live"].failures[0].message == "live: its value is nan"
    assert done["bad"].failures[0].message == "bad: its value is inf"
    assert np.isnan(done["bad"].values).all()
    assert done["zero-one"].failures == ()


def test_a_test_set_without_weight_has_no_value(halvings: Halvings, xy: XY) -> None:
    weights = np.zeros(80)
    weights[halvings(80, 1).test[0]] = 1.0

    def zeros(X_train: Any, y_train: Any, X_test: Any, sample_weight: Any) -> Any:  # noqa: ARG001
        return np.zeros(len(X_test), dtype=int)

    done = ef.run.run(
        zeros, halvings(80, 1), *xy, sample_weight=weights, measures=["zero-one", "f1"]
    )
    for name in done:
        assert [(f.split, f.kind) for f in done[name].failures] == [(1, "measure")]


def test_on_failure_raise_holds_for_measures_of_stored_cells(
    halvings: Halvings, xy: XY, tmp_path: Any
) -> None:
    options: dict[str, Any] = {"measures": "fpa", "seed": 0, "store": tmp_path / "runs.db"}
    data = xy[0], np.zeros(80)
    assert len(ef.run.run([LinearRegression()], halvings(80, 1), *data, **options).failures) == 2
    with pytest.raises(CellFailed, match="measure: fpa: InvalidInput: y_true must be counts"):
        ef.run.run([LinearRegression()], halvings(80, 1), *data, **options, on_failure="raise")

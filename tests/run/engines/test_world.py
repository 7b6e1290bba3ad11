"""Workers see the world of whoever compares, also when it has changed since they began."""

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import evenfold as ef

pytestmark = pytest.mark.faults

y = np.arange(40) % 2
X = np.zeros((40, 1))
HALVES = ef.Mx2BCV(1, random_state=0).partition(40)
Function = Callable[[Any, Any, Any], Any]


def number_of(what: Callable[[], float], **options: Any) -> set[float]:
    """The numbers that a function gives inside the workers."""

    def ask(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return np.full(len(X_test), float(what()))

    said = ef.run.measure(lambda t, p: p, name="said", higher_is_better=True)  # noqa: ARG005
    done = ef.run.run(ask, HALVES, X, y.astype(float), measures=said, **options)
    assert done.failures == (), done.failures
    return set(done["said"].values.ravel().tolist())


def everywhere(what: Callable[[], float]) -> set[float]:
    with joblib.parallel_config("threading", n_jobs=2):
        threads = number_of(what)
    return threads | number_of(what, n_jobs=2) | number_of(what)


def test_environment_variables_travel(monkeypatch: pytest.MonkeyPatch) -> None:
    def seen() -> float:
        return float(os.environ.get("EVENFOLD_TEST_WORLD", "-1"))

    assert everywhere(seen) == {-1.0}
    for value in ("1", "2"):
        monkeypatch.setenv("EVENFOLD_TEST_WORLD", value)
        assert everywhere(seen) == {float(value)}
    monkeypatch.delenv("EVENFOLD_TEST_WORLD")
    assert everywhere(seen) == {-1.0}


def test_the_current_folder_travels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in (3, 4):
        folder = tmp_path / str(k)
        folder.mkdir()
        (folder / "k.txt").write_text(str(k))
        monkeypatch.chdir(folder)
        assert everywhere(lambda: float(Path("k.txt").read_text())) == {k}


def test_what_numpy_does_at_errors_travels() -> None:
    def raised() -> float:
        return float(np.geterr()["divide"] == "raise")

    assert everywhere(raised) == {0.0}
    with np.errstate(divide="raise"):
        assert everywhere(raised) == {1.0}
    assert everywhere(raised) == {0.0}


def test_filters_of_warnings_travel() -> None:
    def warns() -> float:
        try:
            warnings.warn("careful", RuntimeWarning, stacklevel=1)
        except RuntimeWarning:
            return 1.0
        return 0.0

    for action, found in (("ignore", 0.0), ("error", 1.0), ("ignore", 0.0)):
        with warnings.catch_warnings():
            warnings.simplefilter(action)  # type: ignore[arg-type]  # one of these
            assert everywhere(warns) == {found}


def test_options_of_pandas_travel() -> None:
    def width() -> float:
        import pandas as pd

        return float(pd.get_option("display.max_columns") or -1)

    usual = everywhere(width)
    with pd.option_context("display.max_columns", 77):
        assert everywhere(width) == {77.0}
    assert everywhere(width) == usual


def test_how_deep_calls_may_be_nested_travels() -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 500)
    try:
        assert number_of(lambda: sys.getrecursionlimit(), n_jobs=2) == {before + 500}
    finally:
        sys.setrecursionlimit(before)


def test_workers_keep_their_own_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "77")
    assert number_of(lambda: float(os.environ["OMP_NUM_THREADS"]), n_jobs=2) != {77.0}

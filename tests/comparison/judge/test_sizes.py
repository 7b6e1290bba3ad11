"""Large tables are answered in seconds, or refused in one line before memory is asked for."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef

RNG = np.random.default_rng(0)
SECONDS = 15.0  # of the processor; a few, of which a busy machine makes more


def _algorithms(k: int, rows_each: int, **given: Any) -> Any:
    table = {f"m{i:03}": RNG.random(rows_each) for i in range(k)}
    return ef.judge(table, higher_is_better=True, **given)


def _data_sets(n: int, k: int) -> Any:
    columns = {f"m{i}": RNG.random(n) for i in range(k)}
    return ef.judge(pd.DataFrame({"dataset": np.arange(n), **columns}), higher_is_better=True)


LARGE: dict[str, Callable[[], Any]] = {
    "30 algorithms, 3 runs": lambda: _algorithms(30, 3, rows="runs"),
    "30 algorithms, 3 folds": lambda: _algorithms(30, 3, rows="folds", n=300),
    "100 data sets, 5 algorithms": lambda: _data_sets(100, 5),
    "120 algorithms, 3 runs": lambda: _algorithms(120, 3, rows="runs"),
    "120 algorithms, 3 folds": lambda: _algorithms(120, 3, rows="folds", n=300),
    "400 algorithms against a baseline": lambda: _algorithms(
        400, 20, rows="examples", baseline="m000"
    ),
    "300 data sets, 10 algorithms": lambda: _data_sets(300, 10),
    "2100 data sets": lambda: _data_sets(2100, 2),
    "a million folds": lambda: ef.KFold(10**6, random_state=0).partition(10**6),
}


SLOW = (
    "120 algorithms, 3 runs",
    "120 algorithms, 3 folds",
    "300 data sets, 10 algorithms",
    "2100 data sets",
)


@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=pytest.mark.guarantee) if what in SLOW else what for what in LARGE],
)
def test_an_answer_within_seconds(what: str) -> None:
    start = time.process_time()
    assert str(LARGE[what]())
    assert time.process_time() - start < SECONDS


def _different_runs() -> pd.DataFrame:
    half = np.arange(50_000)
    columns = {"algorithm": np.repeat(["a", "b"], 50_000), "example": np.tile(half, 2)}
    return pd.DataFrame({**columns, "run": np.arange(100_000), "value": RNG.random(100_000)})


def _folds(size: int) -> pd.DataFrame:
    columns = {"algorithm": np.repeat(["a", "b"], 5), "fold": np.tile(np.arange(5), 2)}
    return pd.DataFrame({**columns, "n_test": size, "value": RNG.random(10)})


BEYOND: dict[str, tuple[Callable[[], Any], dict[str, Any], str]] = {
    "runs that never meet": (
        _different_runs,
        {},
        "run and example ids of the table hardly ever occur together",
    ),
    "folds of 10^15": (lambda: _folds(10**15), {}, "n must be an integer from 2 to 100000000"),
    "10^15 examples": (
        lambda: {"a": RNG.random(5), "b": RNG.random(5)},
        {"rows": "folds", "n": 10**15},
        "n must",
    ),
    "a million splits": (
        lambda: {"a": RNG.random(10_000), "b": RNG.random(10_000)},
        {"rows": "folds", "cv": ef.KFold(10**6), "n": 10**6},
        "cv must have splits that can be listed",
    ),
}


@pytest.mark.parametrize("what", BEYOND)
def test_one_line_instead_of_all_memory(what: str) -> None:
    table, given, reason = BEYOND[what]
    with pytest.raises(ef.EvenfoldError, match=reason) as caught:
        ef.judge(table(), higher_is_better=True, **given)
    assert "\n" not in str(caught.value)

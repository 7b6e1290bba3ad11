import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.partition import Partition
from evenfold.run import progress as module

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]


def test_silent_and_logged_where_nobody_looks(
    halvings: Halvings, xy: XY, tmp_path: Path, capsys: Any, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOG_SECONDS", -1.0)
    with caplog.at_level(logging.INFO, logger="evenfold.run"):
        for m in (1, 2):
            ef.run.run([GaussianNB()], halvings(80, m), *xy, seed=0, store=tmp_path / "runs.db")
    assert capsys.readouterr() == ("", "")
    assert "1 of 2 cells, 0 failed, 0 reused" in caplog.text
    assert caplog.messages[-1] == "4 of 4 cells, 0 failed, 2 reused"


def test_a_bar_where_it_is_asked_for(
    halvings: Halvings, xy: XY, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then believes in the terminal

    def fails(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        raise RuntimeError

    ef.run.run([GaussianNB(), fails], halvings(80, 1), *xy, progress=True)
    assert "cells, 2 failed, 0 reused" in capsys.readouterr().err


def test_a_bar_on_terminals_and_in_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(module.watch(None), module.Logged)
    monkeypatch.setitem(sys.modules, "ipykernel", module)
    bar = module.watch(None)
    bar.close()
    assert isinstance(bar, module.Bar)

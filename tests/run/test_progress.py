"""Progress: a bar where somebody looks, lines where they are asked for, the log elsewhere."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.partition import Partition
from evenfold.run import progress as module

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]


def fails(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    raise RuntimeError


def test_silent_and_logged_where_nobody_looks(
    halvings: Halvings,
    xy: XY,
    tmp_path: Path,
    capsys: Any,
    caplog: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_LINE_SECONDS", -1.0)
    with caplog.at_level(logging.INFO, logger="evenfold.run"):
        for m in (1, 2):
            ef.run.run([GaussianNB()], halvings(80, m), *xy, seed=0, store=tmp_path / "runs.db")
    assert capsys.readouterr() == ("", "")
    assert "1 of 2 fits" in caplog.text
    assert caplog.messages[-1] == "4 of 4 fits, 2 reused"


def test_lines_say_the_next_look_and_the_most_there_can_be(xy: XY, capsys: Any) -> None:
    pair = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    c = ef.compare(pair, *xy, random_state=0, progress=True)
    lines = capsys.readouterr().err.splitlines()
    looks = [f"next look after {m} of 9 repetitions" for m in (3, 5, 7, 9)][: len(lines) - 1]
    assert lines[0] == f"0 of at most 36 fits, {looks[0]}"
    assert [line.split(", ")[1] for line in lines[:-1]] == looks
    assert lines[-1] == f"{c.fits} of at most 36 fits"


def test_nothing_is_said_where_it_is_not_wanted(xy: XY, capsys: Any) -> None:
    ef.compare([GaussianNB(), DecisionTreeClassifier()], *xy, random_state=0, progress=False)
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(
    halvings: Halvings, xy: XY, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then believes in the terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ef.run.run([GaussianNB(), fails], halvings(80, 1), *xy)
    assert "4 of 4 fits, 2 failed" in capsys.readouterr().err


def test_who_gets_what(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(module.watch(None), module.Lines)
    assert isinstance(module.watch(True), module.Lines)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar = module.watch(None)
    bar.close()
    assert isinstance(bar, module.Bar)
    assert isinstance(module.watch(False), module.Lines)

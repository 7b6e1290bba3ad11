"""Progress: a bar where somebody looks, lines where they are asked for, the log elsewhere."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.partition import Partition
from evenfold.core.words import format_replicability
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
    c = ef.compare(pair, *xy, random_state=0, replicability=0.999, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "0 of at most 124 fits, next look after 5 of 31 repetitions"
    path = c.pairs[0].path
    assert len(path) > 1
    for line, look, then in zip(lines[1:-1], path, path[1:], strict=False):
        done = (
            f"{look.m} repetitions done (same verdict {format_replicability(look.replicability)})"
        )
        most = f"{4 * look.m} of at most 124 fits"
        assert line == f"{most}, {done}, next look after {then.m} of 31 repetitions"
    assert lines[-1] == f"{c.fits} of at most 124 fits"


def test_nothing_is_said_where_it_is_not_wanted(xy: XY, capsys: Any) -> None:
    ef.compare([GaussianNB(), DecisionTreeClassifier()], *xy, random_state=0, progress=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("verbose", [0, 1, 2, False, True])
def test_verbose_of_scikit_learn_means_progress(verbose: int, xy: XY, capsys: Any) -> None:
    named: Any = {"verbose": verbose}
    ef.compare([GaussianNB()], *xy, design=ef.Mx2BCV(3), random_state=0, **named)
    assert capsys.readouterr().err.endswith("6 of 6 fits\n" * bool(verbose))
    assert bool(capsys.readouterr().err) is False


def test_verbose_and_progress_together_are_refused(xy: XY) -> None:
    both: Any = {"verbose": 1, "progress": True}
    with pytest.raises(TypeError, match="verbose means progress, which was given too"):
        ef.compare([GaussianNB()], *xy, **both)


def test_a_bar_on_a_terminal(
    halvings: Halvings, xy: XY, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then believes in the terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ef.run.run([GaussianNB(), fails], halvings(80, 1), *xy)
    assert "4 of 4 fits, 2 failed" in capsys.readouterr().err


def test_bars_show_the_most_there_can_be_and_what_is_known_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, picture: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(picture.get("text/html", ""))

    display = SimpleNamespace(display=lambda *_, **__: Handle())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    bar = module.NotebookBar("fits")
    terminal = module.Bar("fits")
    for one in (bar, terminal):
        one.expect(20)
        one.aim("look after 5 of 31 repetitions", most=124)
        assert str(one) == "0 of at most 124 fits, next look after 5 of 31 repetitions"
        one.aim("look after 7 of 31 repetitions", most=124, so_far="5 repetitions done")
        assert "5 repetitions done, next look after 7 of 31" in str(one)
        one.close()
    assert "0 of at most 124 fits, next look after 5 of 31 repetitions" in shown[0]
    assert "5 repetitions done" in shown[1]


def test_who_gets_what(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(module.watch(None), module.Lines)
    assert isinstance(module.watch(True), module.Lines)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar = module.watch(None)
    bar.close()
    assert isinstance(bar, module.Bar)
    assert isinstance(module.watch(False), module.Lines)

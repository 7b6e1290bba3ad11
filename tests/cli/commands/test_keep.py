"""``evenfold keep`` from the shell."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from tests.cli.conftest import write_csv


def _table(path: Path, right: Any) -> Path:
    return write_csv(
        path, {"example": list(range(len(right))), "value": np.asarray(right).tolist()}
    )


def test_a_loop_from_start_to_keep(evenfold: Any, tmp_path: Path) -> None:
    right = (np.random.default_rng(0).random(300) < 0.6).astype(int)
    better = right.copy()
    better[np.flatnonzero(right == 0)[:40]] = 1
    loop = tmp_path / "loop.json"
    base = _table(tmp_path / "main.csv", right)
    good = _table(tmp_path / "good.csv", better)
    done = evenfold(
        "keep", loop, "--baseline", base, "--measure", "accuracy", "--shown", "decisions"
    )
    assert done.exit_code == 0, done.stderr
    again = evenfold("keep", loop, "--candidate", base, "--name", "same")
    assert again.exit_code == 3
    assert "same is discarded" in again.stdout
    kept = evenfold("keep", loop, "--candidate", good, "--json", tmp_path / "kept.json")
    assert kept.exit_code == 0, kept.stderr
    assert "good is kept" in kept.stdout
    numbers = json.loads((tmp_path / "kept.json").read_text())
    assert numbers["proposal"]["kept"] is True
    assert numbers["proposals"] == 2
    status = evenfold("keep", loop)
    assert status.exit_code == 0
    assert "2 proposals, 1 kept; the best is good" in status.stdout


def test_columns_that_are_called_otherwise(evenfold: Any, tmp_path: Path) -> None:
    """What a table calls its roles is given at the start and remembered."""
    base, other = tmp_path / "main.csv", tmp_path / "other.csv"
    for path in (base, other):
        write_csv(path, {"nr": list(range(40)), "hit": [0, 1, 1, 1] * 10})
    start = (
        "keep",
        tmp_path / "loop.json",
        "--baseline",
        base,
        "--measure",
        "accuracy",
        "--shown",
        "nothing",
    )
    assert evenfold(*start).exit_code == 2
    assert evenfold(*start, "--column", "example=nr", "--column", "value=hit").exit_code == 0
    assert (
        "other is discarded"
        in evenfold("keep", tmp_path / "loop.json", "--candidate", other).stdout
    )


def test_mistakes_are_one_line_and_exit_2(evenfold: Any, tmp_path: Path) -> None:
    base = _table(tmp_path / "main.csv", [1, 0, 1, 1])
    for words in (
        ["keep", tmp_path / "none.json", "--candidate", base],
        ["keep", tmp_path / "new.json", "--baseline", base, "--measure", "accuracy"],
        ["keep", tmp_path / "new.json", "--baseline", tmp_path / "none.csv", "--shown", "nothing"],
    ):
        done = evenfold(*words)
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
    done = evenfold("keep", tmp_path / "none.json", "--candidate", base)
    assert "Pass --baseline to start a loop" in done.stderr


def test_a_history_of_nights(evenfold: Any, tmp_path: Path) -> None:
    right = (np.random.default_rng(0).random(300) < 0.6).astype(int)
    base = _table(tmp_path / "main.csv", right)
    nightly = _table(tmp_path / "nightly.csv", right)
    history = tmp_path / "nights.json"
    words = [
        "judge",
        "--baseline",
        base,
        "--candidate",
        nightly,
        "--measure",
        "accuracy",
        "--history",
        history,
    ]
    for count in ("1 night;", "2 nights;"):
        done = evenfold(*words, "--margin", "0.05", "--fail-unless", "not-worse")
        assert done.exit_code == 0, done.stderr
        assert count in done.stdout
        assert "last good: nightly" in done.stdout
    history.write_text("{}")
    assert evenfold(*words).exit_code == 2

"""``evenfold board`` from the shell."""

import json
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parents[3] / "docs" / "_static"


def test_a_board_from_a_file_to_every_report(evenfold: Any, tmp_path: Path) -> None:
    words = [
        "--html",
        tmp_path / "b.html",
        "--markdown",
        tmp_path / "b.md",
        "--json",
        tmp_path / "b.json",
    ]
    done = evenfold(
        "board",
        TABLES / "leaderboard.csv",
        "--measure",
        "accuracy",
        *words,
        "--figure",
        tmp_path / "b.png",
    )
    assert done.exit_code == 0, done.stderr
    assert "2 of 7 neighbouring pairs are resolved" in done.stdout
    assert "evenfold board" in (tmp_path / "b.html").read_text(encoding="utf-8")
    assert "| ada " in (tmp_path / "b.md").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))["evenfold"] == "board"
    assert (tmp_path / "b.png").stat().st_size > 1000


def test_battles_and_other_aggregates(evenfold: Any) -> None:
    done = evenfold("board", TABLES / "battles.csv", "--ties", "split", "--markdown", "-")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("\n| ") >= 6
    ranks = evenfold(
        "board", TABLES / "leaderboard.csv", "--measure", "accuracy", "--aggregate", "mean-rank"
    )
    assert "mean rank" in ranks.stdout


def test_weights_of_tasks(evenfold: Any) -> None:
    given = ("board", TABLES / "leaderboard.csv", "--measure", "accuracy", "--json", "-")
    plain, weighted = (
        json.loads(evenfold(*given, *words).stdout)["entries"]
        for words in ((), ("--weight", "task 3=9", "--weight", "task 4=0"))
    )
    assert plain != weighted


def test_odd_usage_is_one_line(evenfold: Any, tmp_path: Path) -> None:
    for words in (
        ("board", tmp_path / "nowhere.csv"),
        ("board", TABLES / "leaderboard.csv"),
        ("board", TABLES / "leaderboard.csv", "--measure", "accuracy", "--aggregate", "median"),
        ("board", TABLES / "leaderboard.csv", "--measure", "accuracy", "--weight", "task 3"),
    ):
        done = evenfold(*words)
        assert done.exit_code == 2
        assert len(done.stderr.strip().splitlines()) == 1


def test_labels_and_scores(evenfold: Any) -> None:
    options = ["--labels", "human", "--scores", "judge", "--higher-is-better", "--baseline", "old"]
    done = evenfold("judge", TABLES / "labelled.csv", *options)
    assert done.exit_code == 0, done.stderr
    assert "higher by 0.045" in done.stdout

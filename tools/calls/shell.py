"""Calls of the command line, in this process and in a folder of its own."""

import csv
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from typer.testing import CliRunner

from evenfold.cli import app
from tools.calls import Call
from tools.calls.fitting import X, Y
from tools.calls.tables import answers, battles, scores_of_tasks

BAYES = "sklearn.naive_bayes:GaussianNB"
STUMP = "sklearn.tree:DecisionTreeClassifier(max_depth=1, random_state=0)"
DUMMY = "sklearn.dummy:DummyClassifier"
COMPARE = ("compare", "data.csv", "--target", "y", "--a", STUMP, "--b", BAYES, "--seed", "0")
THREE = (*COMPARE, "--b", DUMMY)
JUDGE = ("judge", "--baseline", "main.csv", "--measure", "accuracy", "--candidate")
ASKED: dict[str, tuple[str, ...]] = {
    "compare": COMPARE,
    "compare-details": (*COMPARE, "--details"),
    "compare-json": (*COMPARE, "--json", "-"),
    "compare-margin": (*COMPARE, "--margin", "0.1", "--fail-unless", "not-worse"),
    "compare-gate": (*COMPARE, "--fail-unless", "better"),
    "compare-pass": (*COMPARE, "--fail-unless", "better", "--undecided", "pass"),
    "compare-full": (*COMPARE, "--at", "full"),
    "compare-design": (*COMPARE, "--design", "kfold:5"),
    "compare-markdown": (*COMPARE, "--markdown", "-"),
    "compare-latex": (*COMPARE, "--latex", "-"),
    "compare-three": THREE,
    "compare-three-markdown": (*THREE, "--markdown", "-"),
    "compare-nonsense": (*COMPARE, "--level", "2"),
    "compare-no-file": ("compare", "none.csv", "--target", "y", "--a", BAYES),
    "judge": (*JUDGE, "good.csv"),
    "judge-json": (*JUDGE, "good.csv", "--json", "-"),
    "judge-details": (*JUDGE, "good.csv", "--details"),
    "judge-gate-passed": (*JUDGE, "good.csv", "--fail-unless", "not-worse", "--margin", "0.05"),
    "judge-gate-failed": (*JUDGE, "bad.csv", "--fail-unless", "not-worse", "--margin", "0.05"),
    "judge-gate-undecided": (*JUDGE, "like.csv", "--fail-unless", "better"),
    "judge-summary": (*JUDGE, "bad.csv", "--summary", "-"),
    "judge-battles": ("judge", "battles.csv", "--baseline", "old"),
    "board": ("board", "board.csv", "--higher-is-better"),
    "board-markdown": ("board", "board.csv", "--higher-is-better", "--markdown", "-"),
    "design": ("design", "mx2-bcv:5", "--n", "40", "--seed", "0"),
    "method": ("methods", "mx2-influence-t"),
    "plan": ("plan", "0.05", "--sigma", "0.02", "--n", "500"),
    "plan-nothing": ("plan", "0.02"),
    "doctor-file": ("doctor", "main.csv"),
}


@dataclass(frozen=True, kw_only=True)
class Finished:
    """What a command printed, and how it ended."""

    exit_code: int
    stdout: str
    stderr: str

    def __str__(self) -> str:
        return self.stdout + self.stderr


def shell_calls() -> dict[str, Call]:
    """Return the commands, by name."""
    return {name: partial(_run, words) for name, words in ASKED.items()}


def write_tables(folder: Path) -> None:
    """Write the files that the commands read."""
    columns: dict[str, Any] = {f"x{k}": X[:, k].round(6) for k in range(X.shape[1])}
    _write(folder / "data.csv", {**columns, "y": Y})
    for name, right in answers().items():
        _write(folder / f"{name}.csv", {"example": range(len(right)), "value": right})
    for name, frame in (("battles", battles()), ("board", scores_of_tasks())):
        frame.to_csv(folder / f"{name}.csv", index=False)


def _write(path: Path, columns: dict[str, Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _run(words: tuple[str, ...]) -> Finished:
    with TemporaryDirectory() as folder:
        write_tables(Path(folder))
        arguments = [f"{folder}/{word}" if word.endswith(".csv") else word for word in words]
        done = CliRunner().invoke(app, arguments, env={"COLUMNS": "100"})
    return Finished(
        exit_code=done.exit_code,
        stdout=done.stdout.replace(folder, "FOLDER"),
        stderr=done.stderr.replace(folder, "FOLDER"),
    )

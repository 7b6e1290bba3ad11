"""A repository with one check, whose head is worse than its base by far more than the margin."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evenfold.evals.pr.api import judge_pull_request
from evenfold.evals.pr.facts import PullRequestFacts

N = 300
GATE = """\
[pr]

[[pr.checks]]
name = "answers"
base = "base.csv"
head = "head.csv"
measure = "accuracy"
margin = 0.05
"""
TIMES = """\
[pr]

[[pr.checks]]
name = "times"
base = "base.json"
head = "head.json"
margin = 0.05
"""


class Repository:
    """A folder with a gate and the files of both sides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        rng = np.random.default_rng(46)
        self.right = rng.random(N) < 0.8
        self.write("base.csv", self.right)
        self.configure(GATE)

    def configure(self, text: str) -> None:
        """Write the configuration."""
        (self.folder / "evenfold.toml").write_text(text, encoding="utf-8")

    def write(self, name: str, right: Sequence[bool] | np.ndarray, head: str = "value") -> None:
        """Write a table of right and wrong answers."""
        self.rows(name, [f"q{i},{int(one)}" for i, one in enumerate(right)], f"example,{head}")

    def rows(self, name: str, rows: Sequence[str], header: str = "example,value") -> None:
        """Write a table line by line."""
        (self.folder / name).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")

    def breaks(self, count: int) -> np.ndarray:
        """Return the base's answers with so many right ones wrong."""
        other = self.right.copy()
        other[np.flatnonzero(self.right)[:count]] = False
        return other

    def judge(self, **commits: str) -> PullRequestFacts:
        """Judge the pull request."""
        return judge_pull_request(self.folder / "evenfold.toml", **commits)

    def git(self, *words: str, date: str = "2026-01-01T00:00:00Z") -> str:
        """Run git in the folder; whose time is fixed."""
        names = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"), ("DATE", date))
        }
        names |= {"HOME": str(self.folder), "PATH": os.environ["PATH"]}
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=names, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, date: str = "2026-01-01T00:00:00Z") -> str:
        """Commit all files and return the commit."""
        if not (self.folder / ".git").exists():
            self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "results", date=date)
        return self.git("rev-parse", "HEAD")

    def times(self, name: str, **benchmarks: Sequence[float] | Sequence[str]) -> None:
        """Write times as hyperfine does."""
        results = [
            {"command": command, "mean": 1.0, "times": list(values)}
            for command, values in benchmarks.items()
        ]
        text = json.dumps({"results": results})
        (self.folder / name).write_text(text, encoding="utf-8")

    def slower(self, factor: float, seed: int = 1, runs: int = 12) -> list[float]:
        """Return times that are larger than a second by a factor, with noise of 1%."""
        rng = np.random.default_rng(seed)
        return [float(factor * np.exp(noise)) for noise in rng.normal(0, 0.01, runs)]


@pytest.fixture
def timed(tmp_path: Path) -> Repository:
    """Return a repository whose head takes 30% more time in one of two benchmarks."""
    made = Repository(tmp_path)
    made.configure(TIMES)
    made.times("base.json", parse=made.slower(1.0, 1), show=made.slower(1.0, 2))
    made.times("head.json", parse=made.slower(1.3, 3), show=made.slower(1.0, 4))
    return made


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository whose head breaks 90 of 300 answers."""
    made = Repository(tmp_path)
    made.write("head.csv", made.breaks(90))
    return made

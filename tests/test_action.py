"""The action for GitHub, its steps run by bash as a runner would, and the workflow that uses it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / "examples" / "ci" / "judge.yml").read_text(encoding="utf-8"))
N = 1319


def table(path: Path, right: Any) -> str:
    rows = "".join(f"q{i},{int(one)}\n" for i, one in enumerate(right))
    path.write_text("example,value\n" + rows, encoding="utf-8")
    return path.name


class Runner:
    """A folder in which the step ``judge`` of the action is run with some inputs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.right = np.random.default_rng(0).random(N) < 0.7
        self.baseline = table(folder / "main.csv", self.right)

    def candidate(self, *, fixes: int = 0, breaks: int = 0) -> str:
        other = self.right.copy()
        other[np.flatnonzero(~self.right)[:fixes]] = True
        other[np.flatnonzero(self.right)[:breaks]] = False
        return table(self.folder / "pr.csv", other)

    def run(self, **inputs: str) -> "subprocess.CompletedProcess[str]":
        step = next(one for one in ACTION["runs"]["steps"] if one.get("id") == "judge")
        given = {
            name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()
        } | inputs
        variables = {name: _filled(text, given) for name, text in step["env"].items()}
        python = str(Path(sys.executable).parent)
        environment = {
            **os.environ,
            **variables,
            "PATH": f"{python}:{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "RUNNER_TEMP": str(self.folder),
        }
        words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        return subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    @property
    def outputs(self) -> dict[str, str]:
        path = self.folder / "output"
        lines = path.read_text().splitlines() if path.exists() else []
        return dict(line.split("=", 1) for line in lines)


def _filled(text: str, given: dict[str, str]) -> str:
    found = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", text)
    assert found, f"{text} is no plain input"
    return given[found[1]]


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


@pytest.mark.parametrize(
    ("change", "code", "verdict"),
    [
        ({"fixes": 12, "breaks": 12}, 0, "not worse"),
        ({"breaks": 2}, 0, "not worse"),
        ({"breaks": 40}, 3, "worse"),
        ({"breaks": 12}, 3, "inconclusive"),
    ],
)
def test_a_pull_request_is_judged(
    runner: Runner, change: dict[str, int], code: int, verdict: str
) -> None:
    candidate = runner.candidate(**change)
    done = runner.run(
        baseline=runner.baseline, candidate=candidate, measure="accuracy", margin="0.01"
    )
    assert done.returncode == code, done.stderr
    assert runner.outputs["verdict"] in (verdict, "equivalent")
    assert (
        json.loads(Path(runner.outputs["json"]).read_text())["pairs"][0]["outcome"]
        == runner.outputs["verdict"]
    )
    assert "accuracy" in (runner.folder / "summary.md").read_text()


def test_half_of_the_answers_or_an_empty_file_never_pass(runner: Runner) -> None:
    half = table(runner.folder / "half.csv", runner.right[: N // 2])
    (runner.folder / "empty.csv").touch()
    for candidate in (half, "empty.csv", "none.csv"):
        done = runner.run(baseline=runner.baseline, candidate=candidate, measure="accuracy")
        assert done.returncode == 2, candidate
        assert runner.outputs == {}
        summary = (runner.folder / "summary.md").read_text(encoding="utf-8")
        heading, why = summary.split("\n\n")
        assert heading == "### ✗ nothing could be judged"
        assert why == f"    {done.stderr}"
        (runner.folder / "summary.md").unlink()


EVIL = '"; touch hacked; echo "$(touch hacked)`touch hacked`'


def test_inputs_are_no_commands(runner: Runner) -> None:
    candidate = runner.candidate()
    for name in set(ACTION["inputs"]) - {"extras"}:  # which is the other step's
        given = {
            "baseline": runner.baseline,
            "candidate": candidate,
            "measure": "accuracy",
            name: EVIL,
        }
        assert runner.run(**given).returncode != 0, name
        assert not (runner.folder / "hacked").exists(), name


@pytest.mark.parametrize(
    ("extras", "wanted"),
    [("", "/action"), ("report,tables", "/action[report,tables]"), (EVIL, f"/action[{EVIL}]")],
)
def test_extras_are_one_word_for_pip(extras: str, wanted: str, tmp_path: Path) -> None:
    step = ACTION["runs"]["steps"][0]
    program = tmp_path / "python"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > words\n', encoding="utf-8")
    program.chmod(0o755)
    variables = {name: _filled(text, {"extras": extras}) for name, text in step["env"].items()}
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": "/action",
        **variables,
    }
    words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    subprocess.run(words, cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "words").read_text(encoding="utf-8").splitlines()[-1] == wanted
    assert not (tmp_path / "hacked").exists()


def test_the_workflow_gives_the_inputs_that_the_action_has() -> None:
    steps = WORKFLOW["jobs"]["judge"]["steps"]
    given = next(one["with"] for one in steps if "evenfold" in one.get("uses", ""))
    assert set(given) <= set(ACTION["inputs"])
    assert {name for name, one in ACTION["inputs"].items() if one.get("required")} <= set(given)


def test_the_action_installs_what_it_was_checked_out_with() -> None:
    first = ACTION["runs"]["steps"][0]["run"]
    assert "$GITHUB_ACTION_PATH" in first

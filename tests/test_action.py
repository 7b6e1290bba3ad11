"""The action for GitHub, its steps run by bash as a runner would, and the workflow that uses it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import numpy as np
import pytest
import yaml

from evenfold.evals.pr.comment import MARKER

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / "examples" / "ci" / "judge.yml").read_text(encoding="utf-8"))
N = 1319


def table(path: Path, right: Any) -> str:
    rows = "".join(f"q{i},{int(one)}\n" for i, one in enumerate(right))
    path.write_text("example,value\n" + rows, encoding="utf-8")
    return path.name


IN_A_PULL_REQUEST = {
    "base-commit": "",
    "head-commit": "",
    "token": "secret",
    "number": "7",
}


class Runner:
    """A folder in which the step ``judge`` of the action is run with some inputs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = ""
        self.right = np.random.default_rng(0).random(N) < 0.7
        self.baseline = table(folder / "main.csv", self.right)

    def candidate(self, *, fixes: int = 0, breaks: int = 0) -> str:
        other = self.right.copy()
        other[np.flatnonzero(~self.right)[:fixes]] = True
        other[np.flatnonzero(self.right)[:breaks]] = False
        return table(self.folder / "pr.csv", other)

    def run(self, step_id: str = "judge", **inputs: str) -> "subprocess.CompletedProcess[str]":
        step = next(one for one in ACTION["runs"]["steps"] if one.get("id") == step_id)
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
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_REPOSITORY": "owner/name",
            "GITHUB_API_URL": self.server,
        }
        words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        return subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    def check(self, **inputs: str) -> "tuple[subprocess.CompletedProcess[str], str]":
        """Judge all checks and post the comment; return the first and what the second printed."""
        judged = self.run("pr", **IN_A_PULL_REQUEST, **inputs)
        posted = self.run("comment", **IN_A_PULL_REQUEST, **inputs)
        assert posted.returncode == 0, posted.stderr
        return judged, posted.stdout

    @property
    def outputs(self) -> dict[str, str]:
        path = self.folder / "output"
        lines = path.read_text().splitlines() if path.exists() else []
        return dict(line.split("=", 1) for line in lines)


_NUMBER = "${{ github.event.pull_request.number }}"


def _filled(text: str, given: dict[str, str]) -> str:
    if text == _NUMBER:
        return given["number"]
    if text == "1":  # PYTHONSAFEPATH
        return text
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
    step = next(one for one in ACTION["runs"]["steps"] if one.get("id") == "judge")
    for name in re.findall(r"inputs\.([a-z-]+)", " ".join(step["env"].values())):
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


# All checks of a pull request, and the comment.


GATE = """\
[pr]

[[pr.checks]]
name = "answers"
base = "main.csv"
head = "pr.csv"
measure = "accuracy"
margin = 0.02
"""


class Comments(BaseHTTPRequestHandler):
    """What GitHub keeps of comments: one list, and who may write."""

    stored: ClassVar[dict[int, dict[str, Any]]] = {}
    may_write = True
    login: ClassVar[str | None] = None

    def do_GET(self) -> None:
        """Say whose the token is, or list the comments, a page at a time."""
        if self.path == "/user":
            if self.login is None:  # as of the token of a job
                self.send_error(403)
            else:
                self._answer({"login": self.login})
            return
        page = int(re.findall(r"&page=(\d+)", self.path)[0])
        self._answer(list(self.stored.values())[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        """Make a comment of a bot, or of whom the token belongs to."""
        number = len(self.stored) + 1
        user = {"type": "Bot", "login": "github-actions[bot]"}
        if self.login is not None:
            user = {"type": "User", "login": self.login}
        made = {"id": number, "user": user, "body": self._body()}
        if self._is_allowed():
            self.stored[number] = made
            self._answer(made)

    def do_PATCH(self) -> None:
        """Change a comment."""
        changed = self.stored[int(self.path.rsplit("/", 1)[1])]
        body = self._body()
        if self._is_allowed():
            changed["body"] = body
            self._answer(changed)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _body(self) -> str:
        assert self.headers["Authorization"] == "Bearer secret"
        plain: dict[str, str] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return plain["body"]

    def _is_allowed(self) -> bool:
        if not self.may_write:
            self.send_error(403)
        return self.may_write

    def _answer(self, plain: Any) -> None:
        body = json.dumps(plain).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def github(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Comments]]:
    monkeypatch.setattr(Comments, "stored", {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), Comments)
    thread = Thread(target=server.serve_forever)
    thread.start()
    runner.server = f"http://127.0.0.1:{server.server_port}"
    (runner.folder / "evenfold.toml").write_text(GATE, encoding="utf-8")
    yield Comments
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_comment_is_made_once_and_updated_in_place(
    runner: Runner, github: type[Comments]
) -> None:
    github.stored.update(
        {k: {"id": k, "user": {"type": "User"}, "body": MARKER} for k in range(1, 101)}
    )
    github.stored[101] = {"id": 101, "user": None, "body": MARKER}  # whose account is gone
    github.stored[102] = {"id": 102, "user": {"type": "Bot"}, "body": None}
    for breaks, code, verdict in ((60, 3, "failed"), (0, 0, "passed"), (26, 4, "undecided")):
        runner.candidate(breaks=breaks)
        done, _ = runner.check()
        assert done.returncode == code, done.stderr
        assert runner.outputs["verdict"] == verdict
        assert json.loads(Path(runner.outputs["json"]).read_text("utf-8"))["code"] == code
        assert len(github.stored) == 103
        first, *_ = github.stored[103]["body"].splitlines()
        assert first.startswith({3: "### ✗ regression", 0: "### ✓ no", 4: "### ? undecided"}[code])
    assert (runner.folder / "summary.md").read_text("utf-8").count("### ") == 3


def test_a_token_of_a_person_updates_its_own_comment_only(
    runner: Runner, github: type[Comments], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(github, "login", "me")
    github.stored[1] = {"id": 1, "user": {"type": "User", "login": "other"}, "body": MARKER}
    for breaks in (60, 0):
        runner.candidate(breaks=breaks)
        runner.check()
        assert [comment["user"]["login"] for comment in github.stored.values()] == ["other", "me"]
    assert github.stored[1]["body"] == MARKER
    assert github.stored[2]["body"].startswith("### ✓")


def test_each_configuration_has_a_comment_of_its_own(
    runner: Runner, github: type[Comments]
) -> None:
    runner.candidate(breaks=60)
    config = "gates/a --> b.toml"
    (runner.folder / "gates").mkdir()
    (runner.folder / config).write_text(GATE.replace('"main', '"../main').replace('"pr', '"../pr'))
    for _ in range(2):
        for path in ("", config, "evenfold.toml"):
            runner.check(config=path)
    last = [comment["body"].splitlines()[-1] for comment in github.stored.values()]
    names = ("gates/a%20--%3E%20b.toml", "evenfold.toml")
    assert last == [MARKER, *(f"<!-- evenfold pr {name} -->" for name in names)]


@pytest.mark.parametrize("may", ["not write", "reach nothing", "be hung up on"])
def test_without_permission_the_summary_has_the_comment(
    runner: Runner, github: type[Comments], monkeypatch: pytest.MonkeyPatch, may: str
) -> None:
    runner.candidate(breaks=60)
    if may == "not write":
        monkeypatch.setattr(github, "may_write", False)
    elif may == "be hung up on":
        monkeypatch.setattr(github, "do_GET", lambda _: None)  # closes without an answer
    else:
        runner.server = "http://127.0.0.1:9"
    done, posted = runner.check()
    assert done.returncode == 3
    assert "::notice::no comment was written" in posted
    assert not github.stored
    assert "### ✗ regression" in (runner.folder / "summary.md").read_text("utf-8")


def test_a_gate_that_cannot_be_read_is_said_in_the_comment(
    runner: Runner, github: type[Comments]
) -> None:
    (runner.folder / "evenfold.toml").write_text(GATE + "marign = 1\n", encoding="utf-8")
    done, _ = runner.check()
    assert done.returncode == 2
    assert "marign" in github.stored[1]["body"]
    assert runner.outputs == {"verdict": "refused"}
    done, _ = runner.check(config=EVIL)
    assert done.returncode == 2
    assert not (runner.folder / "hacked").exists()
    assert len(github.stored) == 2


# A pull request that tries to replace the gate by files of its own.


def test_modules_of_the_pull_request_are_not_imported(
    runner: Runner, github: type[Comments]
) -> None:
    spy = "import os, pathlib\npathlib.Path('hacked').touch()\nos._exit(0)\n"
    for name in ("typer", "json", "evenfold", "urllib", "pip"):
        (runner.folder / name).mkdir()
        for file in ("__init__.py", "__main__.py"):
            (runner.folder / name / file).write_text(spy, encoding="utf-8")
    candidate = runner.candidate(breaks=60)
    judged = runner.run(baseline=runner.baseline, candidate=candidate, measure="accuracy")
    done, _ = runner.check()
    assert (judged.returncode, done.returncode) == (3, 3), done.stderr
    assert not (runner.folder / "hacked").exists()
    assert len(github.stored) == 1


def test_python_is_safe_in_each_step_and_only_the_comment_has_the_token() -> None:
    for step in ACTION["runs"]["steps"]:
        assert step["env"]["PYTHONSAFEPATH"] == "1"
        calls = re.findall(r"\bpython (\S+)", step["run"])
        assert calls
        assert set(calls) == {"-P"}
        has_token = any("token" in text for text in step["env"].values())
        assert has_token == (step.get("id") == "comment")


def test_the_workflow_of_pull_requests_keeps_its_token_to_itself() -> None:
    path = ROOT / "examples" / "pull-request" / "workflow.yml"
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow[True] == "pull_request"  # YAML reads the key "on" as true
    checkout, *_ = workflow["jobs"]["gate"]["steps"]
    assert checkout["with"]["persist-credentials"] is False

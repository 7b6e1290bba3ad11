"""
The command and its gate, asked to end.

Exit codes of shells, one line, nothing finished is lost.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evenfold.run.stores import open_store

pytestmark = pytest.mark.faults

GATE = ("--fail-unless", "better")
SLOW = """
import time
from pathlib import Path
from sklearn.base import BaseEstimator, ClassifierMixin

class Slow(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        time.sleep(0.2)
        Path("started").touch()
        return self
    def predict(self, X): return 1 * (X[:, 0] > 0)
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Words that compare a fast algorithm with a slow one."""
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i % 7 - 3},{i % 2}\n" for i in range(60)))
    words = ("t.csv", "--target", "y", "--a", "sklearn.dummy:DummyClassifier", "--b", "slow:Slow")
    code = "from evenfold.cli import main; main()"
    asked = ("--store", "runs.db", "--seed", "0", "--design", "kfold:10")
    return [sys.executable, "-c", code, "compare", *words, *asked]


def started(command: list[str], folder: Path) -> subprocess.Popen[str]:
    """Start a command in a group of its own and return it when some fits are finished."""
    streams: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = subprocess.Popen(command, cwd=folder, start_new_session=True, **streams)
    while not (folder / "started").exists() and running.poll() is None:
        time.sleep(0.02)
    time.sleep(0.3)
    return running


def finished(folder: Path) -> int:
    return len(list(open_store(str(folder / "runs.db")).keys("cells")))


@pytest.mark.parametrize(
    ("gate", "signum", "send"),
    [
        (GATE, signal.SIGINT, os.kill),
        (GATE, signal.SIGINT, os.killpg),
        (GATE, signal.SIGTERM, os.kill),
        ((), signal.SIGTERM, os.kill),
    ],
)
def test_a_signal_ends_the_command_and_keeps_what_is_finished(
    command: list[str], tmp_path: Path, gate: tuple[str, ...], signum: signal.Signals, send: Any
) -> None:
    with started([*command, *gate], tmp_path) as running:
        send(running.pid, signum)
        _, said = running.communicate(timeout=20)
    assert running.returncode == 128 + signum
    kept = (
        "Finished fits are in the store. Give the same command again, with the same --seed, to "
        "continue."
    )
    assert said.splitlines()[-1] == f"evenfold: interrupted. {kept}"
    assert "Traceback" not in said
    with pytest.raises(ProcessLookupError):  # nobody is left behind
        os.killpg(running.pid, 0)
    assert 0 < finished(tmp_path) < 20


def test_a_gate_whose_watcher_is_killed_goes_on_for_a_second_at_most(
    command: list[str], tmp_path: Path
) -> None:
    with started([*command, *GATE], tmp_path) as running:
        running.kill()
        _, said = running.communicate(timeout=20)  # until nobody holds the other ends
    assert running.returncode == -signal.SIGKILL
    assert "Traceback" not in said
    assert 0 < finished(tmp_path) < 20

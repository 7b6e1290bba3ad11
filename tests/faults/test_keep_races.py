"""Two processes propose at once, one is killed: no proposal is lost and no level is spent twice."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evenfold as ef

pytestmark = pytest.mark.faults

_PROPOSE = """
import sys
import numpy as np
import evenfold as ef
file, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
right = (np.random.default_rng(0).random(200) < 0.6).astype(int)
for i in range(count):
    rng = np.random.default_rng([seed, i])
    candidate = np.where(rng.random(200) < 0.1, 1 - right, right)
    ef.keep(file, candidate, name=f"{seed}-{i}")
    print(i, flush=True)
"""


def _start(file: Path) -> None:
    import numpy as np

    right = (np.random.default_rng(0).random(200) < 0.6).astype(int)
    ef.keep(
        file, baseline=right, rows="examples", measure="accuracy", shown="nothing", horizon=1000
    )


def _propose(file: Path, seed: int, count: int) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-c", _PROPOSE, str(file), str(seed), str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE)


def test_three_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "loop.json"
    _start(file)
    workers = [_propose(file, seed, 12) for seed in range(3)]
    for one in workers:
        one.communicate(timeout=120)
    assert [one.returncode for one in workers] == [0, 0, 0]
    names = [one.name for one in ef.keep(file).proposals]
    assert sorted(names) == sorted(f"{seed}-{i}" for seed in range(3) for i in range(12))


def test_a_killed_process_leaves_a_whole_file_and_no_lock(tmp_path: Path) -> None:
    file = tmp_path / "loop.json"
    _start(file)
    with _propose(file, 1, 500) as worker:
        assert worker.stdout is not None
        for _ in range(5):
            worker.stdout.readline()
        time.sleep(0.01)
        os.kill(worker.pid, signal.SIGKILL)
    names = [one.name for one in ef.keep(file).proposals]
    assert names == [f"1-{i}" for i in range(len(names))]
    assert len(names) >= 5

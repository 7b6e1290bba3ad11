"""Ctrl-C in the command once it has an answer so far: the answer is printed and passes no gate."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.faults

SLOW = """
import time
from sklearn.naive_bayes import GaussianNB
class Slow(GaussianNB):
    def fit(self, X, y):
        with open("fits", "a") as file: file.write("x")
        time.sleep(0.05 if len(open("fits").read()) < 11 else 0.5)
        return super().fit(X, y)
"""


@pytest.mark.parametrize(
    ("gate", "code"), [((), 130), (("--fail-unless", "better"), 4), (("--fail-unless", "worse"), 4)]
)
def test_ctrl_c_after_the_first_look_prints_the_answer_so_far(
    tmp_path: Path, gate: tuple[str, ...], code: int
) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=100)
    rows = [f"{a},{b}" for a, b in zip(rng.normal(size=100) + 0.4 * y, y, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *rows]))
    (tmp_path / "slow.py").write_text(SLOW)
    words = ["compare", "t.csv", "--target", "y", "--seed", "0", "--replicability", "0.999"]
    words += ["--a", "sklearn.dummy:DummyClassifier", "--b", "slow:Slow", "--trust", "slow", *gate]
    process = subprocess.Popen(
        [sys.executable, "-c", "from evenfold.cli import main; main()", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    )
    until = time.monotonic() + 120
    fits = tmp_path / "fits"
    while process.poll() is None and time.monotonic() < until:
        if fits.exists() and len(fits.read_text()) > 11:  # the first look was at ten
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, noted = process.communicate(timeout=120)
    assert process.returncode == code, noted
    assert "The run was interrupted after 5 of at most 31 repetitions" in said
    assert "Nothing is kept" not in noted
    assert "Traceback" not in noted

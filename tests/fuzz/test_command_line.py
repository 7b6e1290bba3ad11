"""The command line, asked nonsense: an exit code of ours, and one line where it refuses."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import write_csv
from typer.main import get_command
from typer.testing import CliRunner

from evenfold.cli import app
from evenfold.core.environment import is_installed

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400")) // 10
GROUP: Any = get_command(app)
COMMANDS: Any = {name: GROUP.get_command(None, name) for name in GROUP.list_commands(None)}
WORDS = [
    "", " ", "x", "0", "1", "-1", "3", "0.5", "nan", "inf", "-inf", "1e400", "9" * 20, "None", "-",
    "--", "y",
    "x,y", "a:b", ":", "=", "kfold:3", f"kfold:{'9' * 20}", "mx2-bcv:3", "kfold:3:labels", "loo:::",
    "f1",
    "log", "mx2-t", "kfold-t", "mcnemar", "better", "holm", "less", "/", ".", "/dev/null",
    "no/such/file",
    "os:system", "zero-one",
    "sklearn.dummy:DummyClassifier", "sklearn.dummy:DummyClassifier(strategy='x')", "m:C(", "'",
    '"', "\x00",
    "\ud800", "é", "sqlite://", "ftp://x", "table", "conll", "IOB2", "tokens:IOB2", "mean-line:n=x",
]  # fmt: skip
DUMMY, BAYES = "sklearn.dummy:DummyClassifier", "sklearn.naive_bayes:GaussianNB"
REASONABLE = {
    "compare": [
        "--target",
        "y",
        "--a",
        "sklearn.dummy:DummyClassifier",
        "--b",
        "sklearn.naive_bayes:GaussianNB",
    ],
    "design": ["kfold:3", "--n", "20"],
    "plan": ["0.1", "--sigma", "0.1", "--n", "100"],
    "methods": [],
    "report": ["none", "--store", "none.db"],
    "runs": ["none.db"],
    "judge": ["--baseline", "a.csv", "--candidate", "b.csv"],
    "lab": ["type1", "normal-mean", "--n", "16", "--replications", "2", "--methods", "5x2-t"],
}
if not is_installed("evenfold_lab"):
    del REASONABLE["lab"]
SLOW = ("compare", "judge", "lab", "runs")
COSTLY = ("--jobs", "--device")  # workers, and libraries that may be missing


# a line for users, no fault
@pytest.mark.filterwarnings("ignore::evenfold.core.errors.EvenfoldWarning")
@pytest.mark.parametrize("name", REASONABLE)
def test_commands(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(sum(map(ord, name)))
    x = rng.normal(size=40)
    write_csv(
        tmp_path / "t.csv",
        {"x": x.tolist(), "g": [i % 4 for i in range(40)], "y": (x > 0).tolist()},
    )
    for one in "ab":
        write_csv(
            tmp_path / f"{one}.csv", {"example": list(range(40)), "value": rng.random(40).tolist()}
        )
    command = COMMANDS[name].commands["type1"] if name == "lab" else COMMANDS[name]
    params = [p for p in command.params if p.param_type_name == "option"]
    options = [option for p in params for option in p.opts if option not in COSTLY] or ["--help"]
    for _ in range(CALLS // 4 if name in SLOW else CALLS):
        words = [*(["t.csv"] if name == "compare" else []), *REASONABLE[name]]
        for _ in range(rng.integers(1, 4)):
            words += [str(rng.choice(options)), WORDS[rng.integers(len(WORDS))]]
        if rng.random() < 0.2 and words and name != "lab":
            words[rng.integers(len(words))] = WORDS[rng.integers(len(WORDS))]
        done = CliRunner().invoke(app, [name, *words])
        assert done.exit_code in {0, 1, 2, 3, 4}, words
        assert isinstance(done.exception, (SystemExit, type(None))), words
        if done.exit_code == 2:
            assert done.stderr.splitlines()[-1].startswith("evenfold: "), (words, done.stderr)
        assert "Traceback" not in done.output, words

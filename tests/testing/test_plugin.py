"""The pytest plugin: its fixture passes, fails and explains itself in one plain text."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from evenfold.core.errors import EvenfoldError
from evenfold.testing.plugin import check_gate

pytestmark = pytest.mark.quick

RIGHT = [1, 1, 1, 0] * 100


def _broken(count: int) -> list[int]:
    return [0] * count + RIGHT[count:]


def test_a_gate_returns_the_comparison_where_it_passes() -> None:
    c = check_gate(RIGHT, RIGHT, rows="examples", measure="accuracy", margin=0.05)
    assert c.pairs[0].challenger == "candidate"


def test_worse_and_undecided_fail_with_the_sentence() -> None:
    for other, margin, word in ((_broken(200), 0.01, "worse"), (_broken(4), 0.01, "inconclusive")):
        with pytest.raises(
            pytest.fail.Exception, match=rf"asks for not-worse and finds {word}\.\n.*candidate"
        ):
            check_gate(RIGHT, other, rows="examples", measure="accuracy", margin=margin)
    check_gate(
        RIGHT, _broken(4), rows="examples", measure="accuracy", margin=0.01, undecided="pass"
    )


def test_a_candidate_that_lacks_answers_does_not_pass() -> None:
    whole, part = ({str(i): one for i, one in enumerate(RIGHT[:n])} for n in (400, 300))
    tables = [
        pd.DataFrame({"example": list(one), "value": list(one.values())}) for one in (whole, part)
    ]
    asked: Any = {"measure": "accuracy", "margin": 0.05, "on_missing": "drop"}
    asked["undecided"] = "pass"
    with pytest.raises(pytest.fail.Exception, match="about only a part of the data: 100 of 400"):
        check_gate(*tables, **asked)
    check_gate(*reversed(tables), **asked)  # what the baseline lacks no candidate chose


def test_mistakes_are_refused() -> None:
    with pytest.raises(EvenfoldError, match="--fail-unless"):
        check_gate(RIGHT, RIGHT, rows="examples", measure="accuracy", fail_unless="nicer")
    with pytest.raises(EvenfoldError, match="undecided"):
        check_gate(RIGHT, RIGHT, rows="examples", measure="accuracy", undecided="maybe")


def test_the_text_of_a_failure_is_plain(tmp_path: Path) -> None:
    test = f"""
def test_gate(gate):
    gate({RIGHT}, {_broken(200)}, rows="examples", measure="accuracy", margin=0.01)
"""
    (tmp_path / "test_it.py").write_text(test)
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "evenfold.testing.plugin",
        "-p",
        "no:cacheprovider",
    ]
    # an installed package brings it by itself
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*words, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=alone,
    )
    assert done.returncode == 1
    assert "asks for not-worse and finds worse.\ncandidate is worse than baseline" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_plugin_loads_nothing_heavy() -> None:
    heavy = ("sklearn", "pandas", "typer", "scipy")
    code = f"import sys, evenfold.testing.plugin; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_mistake_in_a_test_is_one_line_without_internals(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_gate(gate):\n    gate('old.csv', 'new.csv')\n")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "evenfold.testing.plugin"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*words, "-p", "no:cacheprovider", "-p", "no:warnings", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=alone,
    )
    assert done.returncode == 1
    assert "The gate was not asked: " in done.stdout
    assert "old.csv" in done.stdout
    assert len(done.stdout.splitlines()) < 10

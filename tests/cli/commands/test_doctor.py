"""``evenfold doctor``: what is installed, what a file holds."""

import json
import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import write_csv

import evenfold as package
from evenfold.core.environment import EXTRAS


def _promptfoo(path: Path) -> Path:
    rows = [
        {
            "provider": {"id": name},
            "vars": {"q": str(i)},
            "success": bool((i + j) % 3),
            "score": 0.5,
            "prompt": {"raw": "{{q}}"},
        }
        for i in range(30)
        for j, name in enumerate(("gpt-a", "gpt-b"))
    ]
    path.write_text(json.dumps({"results": {"results": rows}}))
    return path


def test_without_a_file_it_says_what_is_installed_and_what_works(
    evenfold: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "skrub", None)
    done = evenfold("doctor")
    assert done.exit_code == 0
    first, *lines = done.stdout.splitlines()
    assert first.startswith(
        f"evenfold {package.__version__} on Python {platform.python_version()}, "
    )
    rows = {line[:13].strip(): line[13:].strip() for line in lines}
    assert list(rows) == ["needed", *dict.fromkeys(EXTRAS.values()), "laboratory", "engines"]
    assert f"numpy {version('numpy')}" in rows["needed"]
    assert rows["report"] == f"matplotlib {version('matplotlib')}, Jinja2 {version('Jinja2')}"
    assert rows["tables"].endswith('skrub not installed: pip install "evenfold[tables]"')
    assert rows["engines"].startswith("serial works; threads work; processes work; dask")


def test_an_engine_that_does_not_start_is_said_to_fail(
    evenfold: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError("no semaphores here")

    monkeypatch.setattr("evenfold.run.engines.loky.Processes.submit", refuse)
    assert "processes fail (OSError: no semaphores here)" in evenfold("doctor").stdout


def test_a_log_is_recognised_and_the_next_command_works(evenfold: Any, tmp_path: Path) -> None:
    done = evenfold("doctor", _promptfoo(tmp_path / "results.json"))
    assert done.exit_code == 0, done.stderr
    assert "1 log of promptfoo" in done.stdout
    assert "gpt-a, gpt-b" in done.stdout
    command = done.stdout.split("next ")[1].strip()
    assert evenfold(*shlex.split(command)[1:]).exit_code == 0


@pytest.mark.parametrize(
    ("columns", "held", "option"),
    [
        (
            {"algorithm": ["a", "a", "b", "b"], "example": [1, 2, 1, 2], "value": [0, 1, 1, 1]},
            "2 examples",
            "accuracy",
        ),
        (
            {"algorithm": ["a", "a", "b", "b"], "run": [1, 2, 1, 2], "value": [0.1, 1, 2, 1]},
            "2 runs",
            "higher",
        ),
        (
            {
                "model": ["a", "b"] * 4,
                "task": ["law"] * 4 + ["code"] * 4,
                "id": [1, 1, 2, 2] * 2,
                "score": [1, 0] * 4,
            },
            "8 rows, 2 tasks, 4 examples",
            "--measure accuracy",
        ),
        (
            {"example": [1, 2, 3], "truth": [0, 1, 1], "prediction": [0, 1, 0]},
            "truth and predictions",
            "OTHER.csv",
        ),
    ],
)
def test_a_table_says_what_it_can_answer(
    evenfold: Any, tmp_path: Path, columns: Any, held: str, option: str
) -> None:
    done = evenfold("doctor", write_csv(tmp_path / "t.csv", columns))
    assert done.exit_code == 0, done.stderr
    assert held in done.stdout
    assert option in done.stdout


def test_what_is_no_result_is_refused_in_one_line(evenfold: Any, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    for file in (
        tmp_path / "none.csv",
        tmp_path / "x.json",
        write_csv(tmp_path / "y.csv", {"x": [1, 2]}),
    ):
        done = evenfold("doctor", file)
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1

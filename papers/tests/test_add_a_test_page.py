"""The page *Add your test to the benchmark* works word for word."""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from papers.bench import lasting
from papers.bench.page import RESULTS, SCHEMA
from typer.testing import CliRunner

from evenfold_lab import bench
from evenfold_lab.bench.populations import POPULATIONS
from evenfold_lab.cli import lab

PAGE = Path(__file__).parents[2] / "docs" / "lab" / "add-a-test.md"


@pytest.fixture(autouse=True)
def _lists_as_they_were() -> Iterator[None]:
    tests, populations = dict(bench.TESTS), dict(POPULATIONS)
    yield
    bench.TESTS.clear()
    bench.TESTS.update(tests)
    POPULATIONS.clear()
    POPULATIONS.update(populations)
    sys.modules.pop("mytests", None)


def test_a_stranger_can_follow_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text("utf-8")
    code = re.search(r"Save this example as `mytests\.py`:\n\n```python\n(.*?)```", page, re.DOTALL)
    assert code is not None
    (tmp_path / "mytests.py").write_text(code[1], "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    checked = re.search(r'python -c "(.*)"', page)
    assert checked is not None
    exec(checked[1], {})
    for tier in ("a trial", "a tenth"):
        command = re.search(rf"\| {tier} \| `evenfold lab (.*?)` \|", page)
        assert command is not None
        done = CliRunner().invoke(lab, shlex.split(command[1]))
        assert done.exit_code == 0, done.output
    mine = tmp_path / "mine.csv"
    bench.check_results(mine)
    text = lasting.beside(mine)
    assert "| `range-of-thirds` |" in text
    assert "| `default` |" in text


def test_the_published_schema_is_that_of_the_code() -> None:
    schema = bench.results_schema()
    assert SCHEMA.name == f"bench-results-{schema['version']}.schema.json"
    assert json.loads(SCHEMA.read_text("utf-8")) == schema, "python -m papers.bench.page"


@pytest.mark.parametrize("name", ["results", "agreement", "real", "history"])
def test_kept_files_keep_the_schema(name: str) -> None:
    bench.check_results(RESULTS.with_name(f"{name}.csv"))


def test_a_file_that_breaks_the_schema_is_not_compared(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("population\ncoin\n", "utf-8")
    with pytest.raises(SystemExit, match=r"mine\.csv breaks a rule: it has the columns"):
        lasting.beside(tmp_path / "mine.csv")

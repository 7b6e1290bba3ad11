"""Every console block of the user guide prints what the page says."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Run

ID = r"\b[0-9a-f]{12}\b"  # of a run
DOCS = Path(__file__).parents[2] / "docs"


def commands(page: str) -> Iterator[tuple[str, str]]:
    """Yield each command of the page and what it prints."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        yield from re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def plain(text: str) -> str:
    """Leave out what differs from run to run (times, ids) and how lines are broken."""
    text = re.sub(ID, "", text)
    return " ".join(re.sub(r"(\d[\d.]* (ms|s|min) ?)+(?=of fitting)", "", text).split())


@pytest.mark.parametrize("page", ["cli.md", "applied/defects.md"])
def test_the_page_prints_what_it_says(
    page: str, evenfold: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, run = 0, ""
    for command, expected in commands(page):
        program, *words = shlex.split(re.sub(ID, run, command))
        if program == "python":
            subprocess.run([sys.executable, *words], check=True)
            found = ""
        elif program == "echo":
            found = str(code)
        else:
            done = evenfold(*words)
            code, found = done.exit_code, done.output
            run = next(iter(re.findall(ID, found)), run)
        assert plain(found) == plain(expected), command

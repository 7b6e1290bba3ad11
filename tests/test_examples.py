"""Every example of the gallery runs, without a warning and without a display."""

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_the_example_runs(
    example: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out.strip(), "an example says something"
    assert not list(tmp_path.iterdir()), "an example leaves nothing behind"


def test_there_is_a_gallery() -> None:
    assert len(EXAMPLES) >= 10

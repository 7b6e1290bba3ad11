"""Every example of the gallery runs, without a warning and without a display."""

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

from evenfold.core.environment import is_installed
from evenfold.testing.plugin import check_gate

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
QUOTED = {  # what the README or the words of the example rest on
    "why_folds_lie": "10 folds, t-test             0.117 ± 0.016",
    "grid_search": "after 9 of at most 31 repetitions, 36 fits",
    "plain_functions": "after 5 of at most 31 repetitions, 20 fits",
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_the_example_runs(
    example: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    if "ef.lab" in example.read_text(encoding="utf-8") and not is_installed("evenfold_lab"):
        pytest.skip("needs evenfold-lab")
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    runpy.run_path(str(example), run_name="__main__")
    said = capsys.readouterr().out
    assert said.strip(), "an example says something"
    assert QUOTED.get(example.stem, "") in said
    assert not list(tmp_path.iterdir()), "an example leaves nothing behind"


def test_there_is_a_gallery() -> None:
    assert len(EXAMPLES) >= 10


def test_the_gate_of_a_pipeline_passes() -> None:
    gate = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "ci" / "test_not_worse.py"))
    gate["test_the_candidate_is_not_worse"](check_gate)

"""The example repository: what its recorded files give, from the shell."""

import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from evenfold.cli import app
from evenfold.evals.pr.config import Check

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "pull-request"
PAGE = ROOT / "docs" / "gate-a-pull-request.md"


def test_the_recorded_files_give_the_recorded_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["pr", "--markdown", "made.md"])
    assert done.exit_code == 3
    comment = Path("made.md").read_text(encoding="utf-8")
    assert comment == (FOLDER / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("### ✗ regression in times: parse takes 11.9% more time")
    shutil.copy("base/times.json", "head/times.json")  # a copy is no measurement
    assert CliRunner().invoke(app, ["pr"]).exit_code == 2


def test_the_example_can_be_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    done = CliRunner().invoke(app, ["plan", "--gate", "evenfold.toml", "--margin", "0.01"])
    assert done.exit_code == 0
    assert len(done.output.strip().splitlines()) == 4
    assert "a margin of 0.01 needs about" in done.output


def test_the_page_has_the_configuration_and_every_key() -> None:
    page = PAGE.read_text(encoding="utf-8")
    configuration = (FOLDER / "evenfold.toml").read_text(encoding="utf-8")
    stated = [line.split("#")[0].strip() for line in configuration.splitlines()]
    for line in filter(None, stated):
        assert line in page, line
    for key in Check.__dataclass_fields__:
        assert f"`{key}`" in page, key


def test_the_workflow_uses_the_action_as_it_is() -> None:
    workflow = yaml.safe_load((FOLDER / "workflow.yml").read_text(encoding="utf-8"))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["gate"]["steps"]
    (gate,) = [step for step in steps if "evenfold" in step.get("uses", "")]
    assert set(gate.get("with", {})) <= set(action["inputs"])
    assert workflow["permissions"]["pull-requests"] == "write"

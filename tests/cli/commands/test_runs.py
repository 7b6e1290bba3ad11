"""``evenfold runs``."""

from pathlib import Path

from tests.cli.conftest import Run


def test_runs_are_listed_with_their_verdict(evenfold: Run, numbers: Path, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    two = ["--a", "sklearn.dummy:DummyClassifier", "--b", "sklearn.naive_bayes:GaussianNB"]
    assert (
        evenfold("compare", numbers, "--target", "y", *two, "--seed", 0, "--store", store).exit_code
        == 0
    )
    found = evenfold("runs", store)
    assert found.exit_code == 0
    header, row = found.stdout.splitlines()
    assert header.split() == ["id", "when", "algorithms", "measures", "data", "design", "verdict"]
    assert "GaussianNB" in row
    assert evenfold("report", row.split()[0], "--store", store).exit_code == 0


def test_a_store_that_is_not_there_is_named(evenfold: Run, tmp_path: Path) -> None:
    found = evenfold("runs", tmp_path / "none.db")
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert "There is no store" in found.stderr

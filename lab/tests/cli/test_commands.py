"""``evenfold lab``."""

import sys
from pathlib import Path

import pytest

from ..conftest import Run

pytestmark = pytest.mark.quick

SMALL = ("--n", 24, "--replications", 20, "--seed", 0)


@pytest.mark.parametrize("study", ["type1", "power", "coverage", "fits", "replicability"])
def test_studies_of_methods(evenfold: Run, study: str, tmp_path: Path) -> None:
    csv, figure = tmp_path / "t.csv", tmp_path / "t.png"
    done = evenfold(
        "lab",
        study,
        "mean-line",
        "--methods",
        "mx2-t,5x2-t",
        *SMALL,
        "--csv",
        csv,
        "--figure",
        figure,
    )
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"{study}: MeanLine(")
    assert csv.read_text().count("mx2-t") >= 1
    assert figure.stat().st_size > 1000


@pytest.mark.parametrize("study", ["variance", "covariance", "correlations"])
def test_studies_of_designs(evenfold: Run, study: str, tmp_path: Path) -> None:
    words = ("--design", "rlt:4:0.5", "--design", "mx2-bcv:3") if study == "variance" else ()
    done = evenfold("lab", study, "normal-mean:sd=2", *words, *SMALL, "--store", tmp_path / "s.db")
    assert done.exit_code == 0, done.stderr
    assert "NormalMean(mean=0.0, sd=2)" in done.stdout
    again = evenfold("lab", study, "normal-mean:sd=2", *words, *SMALL, "--store", tmp_path / "s.db")
    assert done.stdout.splitlines()[1:] == again.stdout.splitlines()[1:]


def test_the_true_curve(evenfold: Run) -> None:
    done = evenfold(
        "lab", "power", "mean-line", "--methods", "5x2-t", "--vary", "slope=0,9", *SMALL
    )
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("true") == 2


def test_populations_are_listed(evenfold: Run) -> None:
    assert "two-gaussians" in evenfold("lab", "populations").stdout


def test_calibrate(evenfold: Run, numbers: Path) -> None:
    done = evenfold(
        "lab", "calibrate", numbers, "--target", "y", "--a", "sklearn.dummy:DummyClassifier", "--b",
        "sklearn.naive_bayes:GaussianNB", "--methods", "5x2-t", "--replications", 3, "--seed", 0,
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("on data like yours '5x2-t' errs")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("type1", "mean-lien"), "Did you mean 'mean-line'"),
        (("type1", "mean-line", "--methods", "mx2"), "There is no method 'mx2'"),
        (("type1", "mean-line:slope"), "name:key=value"),
        (("type1", "mean-line:hue=3"), "parameters of 'mean-line'"),
        (("power", "mean-line", "--vary", "slope"), "--vary"),
        (("calibrate", "x.csv", "--target", "y"), "one after --a and one after --b"),
    ],
)
def test_mistakes_in_one_line(evenfold: Run, words: tuple[str, ...], message: str) -> None:
    done = evenfold("lab", *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_csv_needs_no_frame_library_and_a_figure_is_refused_before_the_study(
    evenfold: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    csv = tmp_path / "t.csv"
    words = ("lab", "type1", "mean-line", "--methods", "5x2-t", *SMALL)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert evenfold(*words, "--csv", csv).exit_code == 0
    assert csv.read_text(encoding="utf-8").startswith("method,size,se")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = evenfold(*words, "--figure", tmp_path / "t.png")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith('which is not installed: pip install "evenfold[report]"\n')

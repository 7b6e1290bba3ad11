"""The other commands, help, version, and warnings."""

import json
import platform
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.cli.conftest import Run

import evenfold as package
from evenfold.core.environment import is_installed
from evenfold.infer import methods


def test_version_and_help(evenfold: Run) -> None:
    (line,) = evenfold("--version").stdout.splitlines()
    assert line.startswith(
        f"evenfold {package.__version__} (Python {platform.python_version()}, numpy "
    )
    for name in ("numpy", "scipy", "scikit-learn"):
        assert f"{name} {version(name)}" in line
    assert platform.system() in line
    for words in ((), ("--help",), ("-h",)):
        shown = evenfold(*words)
        assert shown.exit_code == 0
        for command in ("compare", "demo", "report", "design", "methods"):
            assert command in shown.stdout
        assert ("lab " in shown.stdout) == is_installed("evenfold_lab")
    for command in ("compare", "judge"):
        shown_help = " ".join(evenfold(command, "--help").stdout.replace("│", " ").split())
        assert "not-worse: is B not worse by more" in shown_help
        assert "better, equivalent, not-worse" in shown_help


def test_unknown_commands(evenfold: Run) -> None:
    for command in ("labs", "comprae"):
        done = evenfold(command)
        assert done.exit_code == 2
        assert done.stderr.startswith(f"evenfold: No such command '{command}'")
        assert len(done.stderr.splitlines()) == 1


def test_methods_lists_the_registry(evenfold: Run) -> None:
    lines = evenfold("methods").stdout.splitlines()
    assert {line.split()[0] for line in lines[1:]} == set(methods())
    uses = ["recommended" in line for line in lines[1:]]
    assert uses == sorted(uses, reverse=True)
    fitting = evenfold("methods", "--design", "nested-rlt").stdout.splitlines()
    assert [line.split()[0] for line in fitting] == ["method", "conservative-t", "conservative-z"]


@pytest.mark.parametrize("key", methods())
def test_methods_says_everything_about_one(evenfold: Run, key: str) -> None:
    text = " ".join(evenfold("methods", key).stdout.split())
    entry = methods()[key]
    for part in (key, entry.source, entry.why, entry.why_no_card, entry.estimand, *entry.designs):
        assert " ".join(part.split()) in text


def test_methods_refuses_in_one_line(evenfold: Run) -> None:
    for words in (("mx2-tt",), ("--design", "mx2-bvc")):
        done = evenfold("methods", *words)
        assert done.exit_code == 2
        assert "Did you mean" in done.stderr


def test_design_shows_overlaps_beside_random(evenfold: Run) -> None:
    done = evenfold("design", "mx2-bcv:7", "--n", 569)
    assert done.exit_code == 0
    assert "142 to 143" in done.stdout
    assert "off by 0.75, and no partition of these sizes stays below 0.75" in " ".join(
        done.stdout.split()
    )
    assert evenfold("design", "mx2-bcv", "--m", 7, "--n", 569).stdout == done.stdout
    assert evenfold("design", "mx2-bcv:7", "--n", 569, "--seed", 5).stdout != done.stdout


@pytest.mark.parametrize(
    "key", ["blocked-3x2", "mx2:5", "brlt:15:0.9", "rlt:15:0.9", "kfold:10", "loo", "holdout:0.7"]
)
def test_every_design_can_be_shown(evenfold: Run, key: str) -> None:
    done = evenfold("design", key, "--n", 60)
    assert done.exit_code == 0, done.stderr
    assert ("no certificate" in done.stdout) == (key.split(":")[0] in {"mx2", "rlt", "holdout"})


def test_design_on_labels_and_groups(evenfold: Run, table: Path, numbers: Path) -> None:
    labels = evenfold("design", "mx2-bcv:3:labels", "--labels", table, "--column", "label")
    assert "of class yes train" in labels.stdout
    sources = evenfold("design", "sources", "--labels", numbers, "--groups", "g")
    assert "splits                         6" in sources.stdout


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("mx2-bcv:7",), "Give the examples by --n, or by --labels"),
        (("mx2-bcv:7", "--n", "1"), "--n must be an integer ≥ 2"),
        (("mx2-bcv:7", "--n", "5"), "m must be at most 3"),
        (("mx2-bcv:7", "--m", "3", "--n", "9"), "balance must be one of"),
        (("kfold", "--n", "9"), "written as kfold:n_splits[:balance]"),
        (("sources", "--n", "9"), "groups must be given"),
        (("kfold:3", "--labels", "t.csv"), "--labels goes with --column or --groups"),
    ],
)
def test_design_refuses_in_one_line(evenfold: Run, words: tuple[str, ...], part: str) -> None:
    done = evenfold("design", *words)
    assert done.exit_code == 2
    assert part in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_demo_decides_before_the_last_repetition(
    evenfold: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = evenfold("demo")
    assert done.exit_code == 0, done.stderr
    assert "logistic regression is better than LDA" in done.stdout
    assert re.search(r"after ([3-9]|[12]\d) of at most 31 repetitions", done.stdout)
    assert (tmp_path / "report.html").stat().st_size < 2e6


@pytest.mark.filterwarnings("default")
def test_each_warning_is_said_once_in_one_line(evenfold: Run, numbers: Path) -> None:
    logistic = "sklearn.linear_model:LogisticRegression(max_iter=1, C=1e9)"
    call = ("--a", "sklearn.dummy:DummyClassifier", "--b", logistic, "--seed", 0, "--json", "-")
    done = evenfold("compare", numbers, "--target", "y", *call)
    answer = json.loads(done.stdout)
    assert answer["fits"] >= 12
    assert done.stderr == ""
    (warned,) = [note["text"] for note in answer["notes"] if note["code"] == "fits-warned"]
    assert "lbfgs failed to converge" in warned
    assert "\n" not in warned


SLIPS: dict[str, tuple[str, str]] = {
    "a command with a typing error": ("comapre t.csv", "compare"),
    "two tables one after the other": (
        "judge a.csv b.csv",
        "--baseline FILE and --candidate FILE",
    ),
    "a test of other libraries": (
        "compare t.csv --target y --a sklearn.svm:SVC --b sklearn.svm:SVC --method wilcoxon",
        "evenfold across",
    ),
    "no algorithms": ("compare t.csv --target y", "--a sklearn.linear_model:LogisticRegression"),
    "no store": ("runs", "--store"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_answered_in_one_line_with_the_likely_intention(
    slip: str, evenfold: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("id,correct\n1,1\n2,0\n")
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(20)))
    words, said = SLIPS[slip]
    done = evenfold(*words.split())
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert said in done.stderr

"""The command line takes several files, plain functions, negative differences, method options."""

import json
from pathlib import Path

import pytest
from sklearn.datasets import make_classification
from tests.cli.conftest import Run

A = ("--target", "y", "--a", "sklearn.naive_bayes:GaussianNB", "--seed", "0")
TREE = ("--b", "sklearn.tree:DecisionTreeClassifier")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for k in range(3):
        X, y = make_classification(80, n_features=5, random_state=k)
        pd.DataFrame(X).add_prefix("x").assign(y=y).to_csv(f"set-{k}.csv", index=False)
    return [f"set-{k}.csv" for k in range(3)]


def test_several_files_are_several_data_sets(evenfold: Run, files: list[str]) -> None:
    done = evenfold("across", *files, *A, *TREE)
    assert done.exit_code == 0
    assert "3 data sets" in done.output
    assert "of 3 data sets" in done.output
    one = evenfold("across", files[0], *A, *TREE)
    assert one.exit_code == 2
    assert "Use evenfold compare for one file" in one.output


def test_the_report_repeats_a_command_with_several_files_as_it_is_typed(
    evenfold: Run, files: list[str]
) -> None:
    assert evenfold("across", *files, *A, *TREE, "--json", "answer.json").exit_code == 0
    call = json.loads(Path("answer.json").read_text(encoding="utf-8"))["call"]
    assert call == " ".join(["evenfold", "across", *files, *A[:4], *TREE, *A[4:]])


def test_a_file_given_twice_is_refused_and_names_may_be_the_same_in_two_folders(
    evenfold: Run, files: list[str]
) -> None:
    twice = evenfold("across", files[0], files[0], *A, *TREE)
    assert twice.exit_code == 2
    assert "data must be different files but got set-0.csv twice" in twice.output
    Path("other").mkdir()
    Path(files[1]).rename("other/set-0.csv")
    done = evenfold("across", files[0], "other/set-0.csv", *A, *TREE)
    assert "of 2 data sets" in done.output


def test_an_option_of_version_0_2_is_said_to_be_gone(evenfold: Run) -> None:
    done = evenfold("compare", "data.csv", *A, *TREE, "--question", "best")
    assert done.exit_code == 2
    said = "evenfold: --question is gone: every comparison has best_set; leave it out"
    assert said in done.output.splitlines()


@pytest.mark.parametrize(
    "command",
    [
        ("methods", "mx2-influence-sequential-t"),
        ("compare", "data.csv", *A, *TREE, "--method", "mx2-influence-sequential-t"),
        ("judge", "data.csv", "--method", "mx2-influence-sequential-t"),
    ],
)
def test_the_default_method_of_version_0_2_names_what_replaced_it(
    evenfold: Run, command: tuple[str, ...]
) -> None:
    done = evenfold(*command)
    assert done.exit_code == 2
    said = "method 'mx2-influence-sequential-t' is replaced by 'mx2-influence-t', the default"
    assert any(said in line for line in done.output.splitlines())


@pytest.mark.parametrize(
    ("theirs", "ours"), [("--scoring", "--measure"), ("--cv", "--design"), ("--n-jobs", "--jobs")]
)
def test_options_by_the_names_of_other_libraries(evenfold: Run, theirs: str, ours: str) -> None:
    done = evenfold("compare", "data.csv", *A, *TREE, theirs, "5")
    assert done.exit_code == 2
    assert f"there is no option {theirs}; use {ours}" in done.output


def test_a_plain_function_is_an_algorithm(evenfold: Run, files: list[str]) -> None:
    Path("own_function.py").write_text(
        "def first(X_train, y_train, X_test): return [y_train[0]] * len(X_test)\n", encoding="utf-8"
    )
    done = evenfold("compare", files[0], *A, "--b", "own_function:first", "--trust", "own_function")
    assert done.exit_code == 0
    assert "first is worse than GaussianNB" in done.output


def test_the_method_is_named_where_details_are_asked_for(evenfold: Run, files: list[str]) -> None:
    plain = evenfold("compare", files[0], *A, *TREE)
    told = evenfold("compare", files[0], *A, *TREE, "--details")
    assert "(mx2-influence-t) on Mx2BCV" not in plain.output
    assert "(mx2-influence-t) on Mx2BCV" in told.output


def test_options_of_a_method(evenfold: Run, files: list[str]) -> None:
    asked = ("compare", files[0], *A, *TREE, "--method", "mx2-sequential-t", "--method-option")
    assert evenfold(*asked, "boundary=thesis").exit_code == 0
    wrong = evenfold(*asked, "bound=thesis")
    assert wrong.exit_code == 2
    assert "Did you mean 'boundary'?" in wrong.output
    assert "--method-option must be NAME=VALUE" in evenfold(*asked, "thesis").output


@pytest.mark.parametrize("words", [("-0.02", "--sigma", "0.015"), ("--sigma", "0.015", "-0.02")])
def test_a_difference_may_be_negative(evenfold: Run, words: tuple[str, ...]) -> None:
    done = evenfold("plan", *words, "--n", "500")
    assert done.exit_code == 0
    assert done.output == evenfold("plan", "0.02", "--sigma", "0.015", "--n", "500").output


def test_methods_by_paper_and_those_to_use(evenfold: Run) -> None:
    found = evenfold("methods", "--source", "nb", "--recommended").output
    assert "corrected-resampled-t" in found
    assert "resampled-t " not in found.replace("corrected-resampled-t", "")
    assert "for comparison only" not in found
    assert "There is no source 'nbb'" in evenfold("methods", "--source", "nbb").output

"""What a command refuses is said with its own options, whatever Python calls them."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import write_csv

ALGORITHMS = ("--a", "sklearn.dummy:DummyClassifier", "--b", "sklearn.naive_bayes:GaussianNB")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two models on the same examples."""
    columns = {"example": list(range(40)), "a": [0, 1] * 20, "b": [1] * 40}
    return write_csv(tmp_path / "results.csv", columns)


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Two models, one of which lacks a task."""
    columns = {"model": ["a", "a", "b"], "task": ["x", "y", "x"], "value": [0.1, 0.2, 0.3]}
    return write_csv(tmp_path / "tasks.csv", columns)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("compare", "{numbers}", "--target", "y", *ALGORITHMS, "--level", "7"),
            "--level must be",
        ),
        (("compare", "{numbers}", "--target", "y", *ALGORITHMS, "--level", "0.95"), "--level 0.05"),
        (
            ("judge", "{results}", "--measure", "accuracy", "--margin", "-1"),
            "--margin must be",
        ),
        (
            ("across", "{numbers}", "{results}", "--target", "y", *ALGORITHMS, "--level", "7"),
            "--level must be",
        ),
        (
            ("report", "run", "--store", "{folder}/none.db", "--level", "7"),
            "--level must be",
        ),
        (
            ("report", "run", "--store", "{folder}/none.db"),
            "(--store)",
        ),
        (("runs", "{folder}/none.db"), "There is no store"),
        (("design", "kfold:5", "--n", "2"), "n_splits must be"),
        (("plan", "0.1", "--sigma", "-1", "--n", "100"), "--sigma must be"),
        (
            ("board", "{tasks}", "--higher-is-better", "--tasks", "some"),
            "--tasks must be one of",
        ),
        (("board", "{tasks}", "--higher-is-better"), "Pass --on-missing drop or keep"),
        (("keep", "{folder}/loop.json"), "Pass --baseline to start a loop"),
        (("keep", "{folder}/loop.json", "--baseline", "{results}"), "shown must be given"),
        (("methods", "nonsense"), "There is no method 'nonsense'"),
        (("demo", "--seed", "x"), "--seed"),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else "",
)
def test_a_wrong_option_is_named_as_it_was_typed(
    evenfold: Any,
    tmp_path: Path,
    numbers: Path,
    results: Path,
    tasks: Path,
    words: tuple[str, ...],
    said: str,
) -> None:
    places = {"numbers": numbers, "results": results, "tasks": tasks, "folder": tmp_path}
    done = evenfold(*(word.format(**places) for word in words))
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.startswith("evenfold: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        (
            {"model": "aabb", "example": "1212", "acc": "0110", "score": "0111"},
            (),
            "Pass --column value=acc, or another of them",
        ),
        (
            {"example": "12", "a": [0.1, 0.2], "b": [0.3, 0.5]},
            (),
            "--higher-is-better must be given because the direction of the values is not known. "
            "Pass --higher-is-better or --lower-is-better.",
        ),
        (
            {"algorithm": "aab", "example": "121", "value": "011"},
            ("--measure", "accuracy"),
            "pass --on-missing drop to use only the examples that all algorithms have (1 of 2)",
        ),
        (
            {"algorithm": "aabb", "fold": "1212", "value": "0110"},
            ("--higher-is-better",),
            "or pass --n, the number of examples",
        ),
        (
            {
                "algorithm": "aaaabbbb",
                "example": "12121212",
                "run": "11221133",
                "value": "01100110",
            },
            ("--measure", "accuracy"),
            "Pass --unpaired if the runs are independent",
        ),
        (
            {"example": "12", "a": "01", "b": "11"},
            ("--measure", "accuracy", "--stop-early"),
            "--stop-early answers whether B is not worse, so alternative must be 'not-worse' "
            "but got 'two-sided'. Pass --alternative not-worse.",
        ),
        (
            {"my id": list(range(12)), "a": "01" * 6, "b": "11" * 6},
            ("--measure", "accuracy"),
            "Pass --column 'example=my id', or leave the column out",
        ),
    ],
)
def test_advice_is_what_a_shell_takes(
    evenfold: Any, tmp_path: Path, columns: dict[str, Any], options: tuple[str, ...], said: str
) -> None:
    table = write_csv(tmp_path / "table.csv", columns)
    done = evenfold("judge", table, *options)
    assert done.exit_code == 2
    assert said in done.stderr

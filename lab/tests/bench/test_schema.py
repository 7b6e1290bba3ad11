"""The schema of a file of results, and the check that names the line that breaks it."""

from pathlib import Path

import pytest

from evenfold.testing import BrokenContract
from evenfold_lab import bench
from evenfold_lab.bench import COLUMNS

pytestmark = pytest.mark.quick

GOOD = {
    "population": "coin", "pair": "majority/ridge", "n": "100", "measure": "zero-one",
    "test": "mine", "error": "0.04", "error_se": "0.01", "power": "0.5", "power_se": "0.02",
    "fits": "3", "data_sets": "50", "edition": "1",
}  # fmt: skip


def _file(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "mine.csv"
    bench.write_rows(path, rows)
    return path


def test_the_schema_has_every_column_and_the_edition() -> None:
    schema = bench.results_schema()
    assert [field["name"] for field in schema["fields"]] == list(COLUMNS)
    assert schema["version"] == "1"
    assert schema["primaryKey"] == list(COLUMNS[:5])
    assert all(field["description"] for field in schema["fields"])


def test_what_the_benchmark_writes_keeps_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    bench.bench(
        path,
        populations=["friedman1"],
        pairs=["linear/ridge", "ridge"],
        tests=["default", "kfold-t"],
        sizes=[40],
        data_sets=6,
    )
    assert {row["pair"] for row in bench.read_rows(path)} == {"linear/ridge", "ridge"}
    bench.check_results(path)


def test_a_row_without_numbers_is_allowed(tmp_path: Path) -> None:
    names = (*COLUMNS[:5], "edition")
    bench.check_results(_file(tmp_path, {name: GOOD[name] for name in names} | {"data_sets": "0"}))


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"measure": "luck"}, "line 2: measure is one of zero-one, log"),
        ({"population": ""}, "line 2: population is not empty"),
        ({"n": "10"}, "line 2: n is at least 20"),
        ({"error": "1.2"}, "line 2: error is at most 1"),
        ({"error": "often"}, "line 2: error is a number"),
        ({"power": "inf"}, "line 2: power is finite"),
        ({"error_se": ""}, "line 2: error and error_se are both known or both empty"),
        ({"edition": "2"}, "line 2: edition is at most 1"),
        ({"data_sets": "2.5"}, "line 2: data_sets is an integer"),
        ({"data_sets": "0"}, "line 2: a row of no data sets has no numbers"),
        ({"fits": ""}, "line 2: fits is not empty"),
        ({"pair": "ridge"}, "line 2: a single learner has no error, power or agreement"),
    ],
)
def test_the_line_and_the_rule_are_named(
    tmp_path: Path, changed: dict[str, str], rule: str
) -> None:
    bench.check_results(_file(tmp_path, GOOD))
    with pytest.raises(BrokenContract, match=rf"mine\.csv breaks a rule: {rule}"):
        bench.check_results(_file(tmp_path, GOOD | changed))


def test_no_two_rows_are_about_the_same(tmp_path: Path) -> None:
    path = _file(tmp_path, GOOD)
    with path.open("a", encoding="utf-8") as file:
        file.write(path.read_text("utf-8").splitlines()[1] + "\n")
    with pytest.raises(BrokenContract, match="line 3 is the only one about coin, majority/ridge"):
        bench.check_results(path)


def test_a_file_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("population,pair\ncoin,majority/ridge\n", "utf-8")
    with pytest.raises(BrokenContract, match="it has the columns of the schema"):
        bench.check_results(path)
    with pytest.raises(BrokenContract, match="it is a csv file"):
        bench.check_results(tmp_path / "missing.csv")

"""``evenfold compare FOLDER``."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run, write_csv

ALGORITHMS = ("--a", "sklearn.dummy:DummyClassifier", "--b", "sklearn.naive_bayes:GaussianNB")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from sklearn.datasets import load_iris, load_wine

    path = tmp_path_factory.mktemp("sets")
    load_iris(as_frame=True).frame.to_csv(path / "iris.csv", index=False)
    load_wine(as_frame=True).frame.to_csv(path / "wine.csv.gz", index=False)
    (path / "README.txt").write_text("not data")
    return path


def test_every_file_is_one_data_set(evenfold: Run, folder: Path, tmp_path: Path) -> None:
    html, out = tmp_path / "a.html", tmp_path / "a.json"
    done = evenfold(
        "compare", str(folder), "--target", "target", *ALGORITHMS, "--design", "mx2-bcv:3",
        "--seed", "0",
        "--html", str(html), "--json", str(out),
    )  # fmt: skip
    assert done.exit_code == 0
    assert "GaussianNB is better on 2 of 2 data sets" in done.output
    facts = json.loads(out.read_text())
    assert [row["name"] for row in facts["data_sets"]] == ["iris", "wine"]
    assert facts["call"].startswith("evenfold compare")
    assert "report over data sets" in html.read_text()


def test_mistakes_name_the_file(evenfold: Run, folder: Path, tmp_path: Path) -> None:
    done = evenfold("compare", str(folder), "--target", "targe", *ALGORITHMS)
    assert done.exit_code == 2
    assert (
        "two files that can be used, and here are 0: iris.csv: There is no column 'targe'"
        in done.stderr
    )
    done = evenfold("compare", str(tmp_path), "--target", "target", *ALGORITHMS)
    assert done.exit_code == 2
    assert "at least two files" in done.output
    done = evenfold(
        "compare", str(folder), "--target", "target", *ALGORITHMS, "--alternative", "less"
    )
    assert done.exit_code == 2
    assert "two-sided over several data sets" in done.output


def test_a_bad_file_is_left_out_and_named_and_the_rest_answered(
    evenfold: Run, folder: Path, tmp_path: Path
) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "damaged.csv.gz").write_bytes((folder / "wine.csv.gz").read_bytes()[:900])
    (tmp_path / "other.csv").write_text("x,z\n1,2\n")
    words = ("--target", "target", *ALGORITHMS, "--design", "mx2-bcv:3", "--seed", "0")
    done = evenfold("compare", str(tmp_path), *words)
    assert done.exit_code == 1, done.output  # a part of an answer is none that passes
    assert "GaussianNB is better on 2 of 2 data sets" in done.stdout
    assert "note      damaged.csv.gz is left out: damaged.csv.gz cannot be read" in done.stdout
    assert "other.csv is left out: There is no column 'target'" in done.stdout
    assert "evenfold: other.csv is left out" in done.stderr


def test_fail_unless_and_names(evenfold: Run, folder: Path) -> None:
    words = (
        "compare",
        str(folder),
        "--target",
        "target",
        *ALGORITHMS,
        "--design",
        "mx2-bcv:3",
        "--seed",
        "0",
    )
    assert evenfold(*words, "--fail-unless", "better").exit_code == 4
    assert evenfold(*words, "--fail-unless", "better", "--undecided", "pass").exit_code == 0
    assert evenfold(*words, "--fail-unless", "inconclusive", "--test", "nemenyi").exit_code == 0


def test_files_with_equal_stems_keep_their_endings(tmp_path: Path) -> None:
    from evenfold.cli.commands.compare import files

    for name in ("a.csv", "a.tsv", "b.csv"):
        (tmp_path / name).write_text("x,y\n1,2\n")
    assert list(files(tmp_path)) == ["a.csv", "a.tsv", "b.csv"]


def test_every_file_may_be_a_series(evenfold: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("one.csv", "two.csv"):
        x = rng.normal(size=60)
        write_csv(
            tmp_path / name, {"day": np.arange(60), "x": x, "y": x + 0.1 * rng.normal(size=60)}
        )
    pair = ("--a", "sklearn.dummy:DummyRegressor", "--b", "sklearn.linear_model:Ridge", "--seed", 0)
    done = evenfold("compare", tmp_path, "--target", "y", "--order", "day", "--details", *pair)
    assert done.exit_code == 0, done.stderr
    assert "diebold-mariano on each" in done.output

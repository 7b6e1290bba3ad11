"""Files: what is read, what is learned inside the folds only, what is refused."""

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.cli.conftest import mixed, write_csv

from evenfold.core.errors import InvalidInput, NotInstalled
from evenfold.read import read_table
from evenfold.read.tables import read_frame

pytestmark = pytest.mark.quick


def test_columns_get_their_roles(table: Path) -> None:
    data = read_table(table, target="label")
    assert (data.numeric, data.categorical) == (("x", "size", "member"), ("city",))
    assert data.y.tolist() == mixed()["label"]
    assert (data.imputed, data.scaled) == (True, False)
    assert set(data.X["city"].dropna()) == {"Bern", "Basel", "Genf"}


def test_plain_numbers_need_no_pipeline(numbers: Path) -> None:
    data = read_table(numbers, target="y", groups="g", weights="price", drop=["noise"])
    assert isinstance(data.X, np.ndarray)
    assert data.X.shape == (64, 1)
    assert data.groups is not None
    assert data.groups.name == "g"  # an answer calls groups by the name of their column
    assert data.weights is not None
    model = LogisticRegression()
    assert data.prepared(model) is model


def test_gaps_categories_and_scales_are_learned_on_the_training_rows_alone(table: Path) -> None:
    data = read_table(table, target="label", scale=True)
    train = data.X.iloc[:40].copy()
    train["city"] = train["city"].replace("Genf", "Bern")
    model = data.prepared(LogisticRegression()).fit(train, data.y[:40])
    columns = model.named_steps["columns"]
    imputer, scaler = columns.named_transformers_["numeric"].named_steps.values()
    assert imputer.statistics_[1] == pytest.approx(train["size"].median())
    assert scaler.mean_[0] == pytest.approx(train["x"].mean())
    encoder = columns.named_transformers_["categorical"].named_steps["onehotencoder"]
    assert encoder.categories_[0].tolist() == ["Basel", "Bern"]
    unseen = data.X.iloc[[int(np.flatnonzero(data.X["city"] == "Genf")[0])]]
    assert columns.transform(unseen)[0, -2:].tolist() == [0, 0]


def test_numbers_are_scaled_only_when_asked(numbers: Path) -> None:
    assert not read_table(numbers, target="y").scaled
    assert (
        "scaler"
        in str(read_table(numbers, target="y", scale=True).prepared(LogisticRegression())).lower()
    )


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv", "semicolon.csv", "bom.csv", "index.csv"])
def test_forms_of_csv(tmp_path: Path, name: str) -> None:
    text = "a,b\n1,x\n2,y\n"
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        other = {"t.tsv": "\t", "semicolon.csv": ";"}.get(name, ",")
        text = ",a,b\n0,1,x\n1,2,y\n" if name == "index.csv" else text
        path.write_text(
            text.replace(",", other), encoding="utf-8-sig" if name == "bom.csv" else "utf-8"
        )
    frame = read_frame(path)
    assert list(frame.columns) == ["a", "b"]
    assert frame["b"].tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty.csv is empty"),
        ("header.csv", b"a,b\n", "header.csv has 2 columns but no rows"),
        ("long.csv", b"a,b\n1,2\n1,2,3,4\n", "long.csv has rows that do not fit its header"),
        ("shifted.csv", b"a,b\n1,2,3\n4,5,6\n", "shifted.csv has rows that do not fit its header"),
        ("bytes.csv", b"a,b\n1,\x00\n", "bytes.csv is not text: it holds zero bytes"),
        ("broken.csv.gz", b"a,b\n1,2\n", "broken.csv.gz cannot be read"),
        ("t.xlsx", b"", "must be a file that ends in .csv"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=message) as caught:
        read_frame(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no file"):
        read_frame(tmp_path / "nothing.csv")
    with pytest.raises(InvalidInput, match="is a folder"):
        read_frame(tmp_path)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyarrow", "fastparquet"):
        monkeypatch.setitem(sys.modules, module, None)
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1")
    rule = r'reading t.parquet needs pyarrow, .*: pip install "evenfold\[tables\]"$'
    with pytest.raises(NotInstalled, match=rule):
        read_frame(path)


def test_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pandas as pd

    frame = pd.DataFrame({
        "i": pd.array([1, None, 3, 4], dtype="Int64"),
        "c": pd.Categorical(["u", "v", None, "u"]),
        "y": pd.array([True, False, True, False], dtype="boolean"),
    })  # fmt: skip
    frame.to_parquet(tmp_path / "t.parquet")
    data = read_table(tmp_path / "t.parquet", target="y")
    assert data.y.dtype == bool
    assert (data.numeric, data.categorical, data.imputed) == (("i",), ("c",), True)


def _with(column: str, cells: list[Any]) -> dict[str, list[Any]]:
    return {**mixed(len(cells)), column: cells}


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (mixed(), {"target": "lable"}, r"no column 'lable'\. Did you mean 'label'\? The columns "
                                       r"are 'x', "),
        (mixed(), {"target": "zzz"}, r"no column 'zzz'\. The columns are"),
        (mixed(), {"target": "label", "drop": ["q"]}, "no column 'q'"),
        (mixed(), {"target": "label", "groups": "label"}, "must be different columns"),
        (mixed(), {"target": "size"}, "Column 'size' must be complete, but . of its values "
                                      "are missing, the first in row"),
        (mixed(), {"target": "label", "drop": ["x", "size", "city", "member"]}, "no column left "
                                                                                "to predict"),
        (_with("x", [1.0, float("inf"), *[0.0] * 78]), {"target": "label"}, "finite numbers, "
                                                                            "but row 2 has inf"),
        (_with("id", [f"n{i}" for i in range(80)]), {"target": "label"}, "80 different "
                                                                         "texts.*--drop id"),
    ],
)  # fmt: skip
def test_columns_that_are_refused(
    tmp_path: Path, columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    path = write_csv(tmp_path / "t.csv", columns)
    with pytest.raises(InvalidInput, match=message) as caught:
        read_table(path, **options)
    assert "\n" not in str(caught.value)


def test_types_that_only_parquet_has(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    frame = pd.DataFrame({
        "i": pd.array([1, None, 3, 4], dtype="Int64"),
        "c": pd.Categorical(["u", "v", None, "u"]),
        "when": pd.to_datetime(["2020-01-01"] * 4),
        "y": pd.array([1, 2, 1, 2], dtype="Int64"),
    })  # fmt: skip
    monkeypatch.setattr("evenfold.read.tables.read_frame", lambda *_: frame)
    monkeypatch.setitem(sys.modules, "skrub", None)
    data = read_table(Path("t.parquet"), target="y", drop=["when"])
    assert data.y.dtype == np.int64
    assert (data.numeric, data.categorical, data.imputed) == (("i",), ("c",), True)
    with pytest.raises(
        InvalidInput, match=r"'when' must hold numbers or categories, .*weekday.* --drop when"
    ):
        read_table(Path("t.parquet"), target="y")
    with pytest.raises(InvalidInput, match="'when' must hold numbers or labels"):
        read_table(Path("t.parquet"), target="when")


def test_categories_alone(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", {"city": ["Bern", "Genf"] * 8, "y": [0, 1] * 8})
    data = read_table(path, target="y", scale=True)
    assert data.prepared(LogisticRegression()).fit(data.X, data.y).score(data.X, data.y) == 1


_RNG = np.random.default_rng(0)
_WIDE: dict[str, Any] = {
    "größe": _RNG.normal(size=60).round(3).tolist(),
    "stadt": _RNG.choice(["Zürich", "Genf"], size=60).tolist(),
    "when": [f"2021-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(60)],
    "note": [
        f"the {word} came with number {i}" for i, word in enumerate(["cat", "dog", "owl"] * 20)
    ],
    "y": ["ja", "nein"] * 30,
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize(
    ("separator", "decimal"), [(";", ","), ("\t", ","), (",", "."), ("|", "."), (";", ".")]
)
def test_separator_decimals_and_encoding_are_found(
    tmp_path: Path, separator: str, decimal: str, encoding: str
) -> None:
    import pandas as pd

    path = tmp_path / "t.csv"
    pd.DataFrame(_WIDE).to_csv(path, sep=separator, decimal=decimal, encoding=encoding, index=False)
    table = read_table(path, target="y", drop=["when", "note"])
    assert (table.numeric, table.categorical) == (("größe",), ("stadt",))
    assert table.X["größe"].tolist() == _WIDE["größe"]
    assert set(table.X["stadt"]) == {"Zürich", "Genf"}


def test_separator_decimals_and_encoding_are_as_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a,5|b\n1,5|ї\n2|x\n".encode("cp1251"))
    table = read_table(path, target="b", sep="|", decimal=",", encoding="cp1251")
    assert (table.X.tolist(), table.y.tolist()) == ([[1.5], [2.0]], ["ї", "x"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": "::"}, "sep must be one of"),
        ({"decimal": "'"}, "decimal must be one of"),
        ({"encoding": "utf-99"}, "encoding must be one that Python knows"),
        ({"encoding": "ascii"}, "not text in the given encoding"),
        ({"features": ["grösse"]}, "no column 'grösse'. Did you mean 'größe'"),
        ({"features": ["y"]}, "no column left to predict from"),
    ],
)
def test_what_is_said_wrongly_is_refused(tmp_path: Path, options: Any, message: str) -> None:
    path = write_csv(tmp_path / "t.csv", _WIDE)
    with pytest.raises(InvalidInput, match=message):
        read_table(path, target="y", **options)


def test_features_are_those_that_are_named(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", _WIDE)
    table = read_table(path, target="y", features=["stadt", "größe"])
    assert (table.numeric, table.categorical, table.rich) == (("größe",), ("stadt",), ())


def test_dates_and_texts_become_numbers_inside_the_folds(tmp_path: Path) -> None:
    pytest.importorskip("skrub", reason="skrub is not installed")
    path = write_csv(tmp_path / "t.csv", {**_WIDE, "note": [None, *_WIDE["note"][1:]]})
    table = read_table(path, target="y")
    assert table.rich == ("when", "note")
    fitted = table.prepared(LogisticRegression()).fit(table.X[:40], table.y[:40])
    assert len(fitted.predict(table.X[40:])) == 20
    columns = fitted[0].transform(table.X)
    assert np.isfinite(columns).all()


@pytest.mark.parametrize(("column", "remedy"), [("when", "weekday"), ("note", "counts of words")])
def test_dates_and_texts_without_skrub_are_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, remedy: str
) -> None:
    monkeypatch.setitem(sys.modules, "skrub", None)
    path = write_csv(tmp_path / "t.csv", _WIDE)
    with pytest.raises(InvalidInput, match=rf"evenfold\[tables\].*{remedy}.*--drop {column}"):
        read_table(path, target="y", features=["größe", column])

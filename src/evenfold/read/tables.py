"""
Tables from files: CSV and Parquet, columns of mixed types.

What must be learned from data (the value for a gap, the categories, the scale of a column) is learned inside
the folds: the estimator is wrapped in a pipeline, and the file's rows go into it as they are.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import near, refuse
from evenfold.core.errors import InvalidInput
from evenfold.read.unpack import UNREADABLE, check_cells, check_gzip, require_file

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")
_FEW = 10  # different numbers that are levels by themselves
_MANY = 50  # categories, above which a column that hardly repeats itself is taken for names or texts


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Table:
    """
    What a file says, by role.

    Attributes
    ----------
    X : array or frame
        A numeric array where nothing needs preparation, else a frame of numbers and texts.
    y, groups, weights, order : arrays
        Target, and the group, the weight and the time of each row where they were asked for.
    numeric, categorical : tuple of str
        Columns of a frame X by type.
    imputed, scaled : bool
        Whether numeric columns need their gaps filled, and are to be scaled.
    features : array or None
        Level counts to be balanced.
    """

    X: Any
    y: NDArray[Any]
    groups: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    imputed: bool
    scaled: bool
    features: NDArray[np.int64] | None = None
    order: NDArray[Any] | None = None

    def prepared(self, estimator: Any) -> Any:
        """Put before the estimator what its columns need, to be learned anew on each training set."""
        steps = self._numeric_steps()
        if not steps and not self.categorical:
            return estimator
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import Pipeline, make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        parts = []
        if self.numeric:
            parts.append(("numeric", make_pipeline(*steps) if steps else "passthrough", list(self.numeric)))
        if self.categorical:
            encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            filled = make_pipeline(SimpleImputer(strategy="most_frequent", keep_empty_features=True), encoder)
            parts.append(("categorical", filled, list(self.categorical)))
        return Pipeline([("columns", ColumnTransformer(parts)), ("model", estimator)])

    def _numeric_steps(self) -> list[Any]:
        from sklearn.impute import SimpleImputer
        from sklearn.preprocessing import StandardScaler

        steps: list[Any] = []
        if self.imputed:
            steps.append(SimpleImputer(strategy="median", keep_empty_features=True))
        if self.scaled:
            steps.append(StandardScaler())
        return steps


def read_table(
    path: str | Path,
    *,
    target: str,
    groups: str | None = None,
    order: str | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
    scale: bool = False,
    balance: Sequence[str] = (),
) -> Table:
    r"""
    Read a file and give every column its role, or say in one line what is wrong with it.

    Parameters
    ----------
    path : str or Path
        CSV, tab-separated or Parquet file.
    target : str
        Column to be predicted.
    groups, order, weights : str, optional
        Columns with the group, the time (numbers or ISO dates) and the weight of each row; no features then.
    drop : sequence of str
        Columns to leave out.
    scale : bool
        Whether numeric columns are to be scaled, inside the folds.
    balance : sequence of str
        Columns that every half gets alike; they stay features.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> file = NamedTemporaryFile("w", suffix=".csv")
    >>> _ = file.write("size,city,sold\n1.5,Bern,yes\n2,Basel,no\n"), file.flush()
    >>> table = read_table(file.name, target="sold")
    >>> table.y, table.numeric, table.categorical
    (array(['yes', 'no'], dtype='<U3'), ('size',), ('city',))
    >>> file.close()
    """
    frame = read_frame(Path(path))
    roles = [name for name in (target, groups, order, weights) if name is not None]
    for name in (*roles, *drop, *balance):
        column(frame, name)
    if len(set(roles)) < len(roles):
        refuse("target, groups, order and weights", "different columns", ", ".join(roles))
    features = frame.drop(columns=list({*roles, *drop}))
    numbers, texts = _features(features)
    imputed = bool(numbers) and bool(np.isnan(np.column_stack(list(numbers.values()))).any())
    return Table(
        X=_matrix(numbers, texts, plain=not (texts or imputed or scale)),
        y=values(frame, target),
        groups=None if groups is None else values(frame, groups),
        order=None if order is None else times(frame, order),
        weights=None if weights is None else _numbers(column(frame, weights)),
        numeric=tuple(numbers),
        categorical=tuple(texts),
        imputed=imputed,
        scaled=scale and bool(numbers),
        features=np.concatenate([levels(frame, name) for name in balance], axis=1) if balance else None,
    )


def read_frame(path: Path) -> Any:
    """Read a file into a frame with at least one row."""
    require_file(path)
    if not path.name.lower().endswith(SUFFIXES):
        refuse("data", f"a file that ends in {', '.join(SUFFIXES)}", path.name)
    frame = _parquet(path) if path.suffix.lower() in (".parquet", ".pq") else _csv(path)
    if not len(frame):
        raise InvalidInput(f"{path.name} has {len(frame.columns)} columns but no rows")
    frame.columns = [str(name) for name in frame.columns]
    first = frame.columns[0]
    if first == "Unnamed: 0" and np.array_equal(frame[first], np.arange(len(frame))):
        return frame.drop(columns=first)  # the row numbers that pandas writes
    return frame


def _parquet(path: Path) -> Any:
    import pandas as pd

    try:
        from pyarrow import parquet
    except ImportError as error:
        raise InvalidInput(f"reading {path.name} needs pyarrow; say pip install pyarrow") from error
    try:
        header = parquet.read_metadata(path)
        check_cells(path, header.num_rows * header.num_columns)
        frame = pd.read_parquet(path).reset_index(drop=True)
        for name in frame.columns[frame.dtypes == "string"]:
            frame[name].to_numpy(dtype=object)  # texts are decoded only now: damaged ones must not pass
        return frame
    except InvalidInput:
        raise
    except Exception as error:  # damaged files make the reader raise whatever comes
        raise InvalidInput(f"{path.name} is no Parquet file: {_line(error)}") from error


def _csv(path: Path) -> Any:
    import pandas as pd

    suffixes = path.name.lower()
    separator = "\t" if suffixes.endswith((".tsv", ".tsv.gz")) else ","
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            if suffixes.endswith(".gz"):
                check_gzip(path)
            frame = _table(path, separator)
            if len(frame.columns) == 1 and ";" in str(frame.columns[0]):
                frame = _table(path, ";")
            return frame
    except pd.errors.EmptyDataError as error:
        raise InvalidInput(f"{path.name} is empty") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name} is not UTF-8 text: {_line(error)}") from error
    except (pd.errors.ParserWarning, pd.errors.ParserError) as error:
        raise InvalidInput(f"{path.name} has rows that do not fit its header: {_line(error)}") from error
    except (OSError, MemoryError, OverflowError, *UNREADABLE) as error:
        raise InvalidInput(f"{path.name} cannot be read: {_line(error)}") from error


def _table(path: Path, separator: str) -> Any:
    import pandas as pd

    return pd.read_csv(path, sep=separator, index_col=False, low_memory=False, encoding="utf-8-sig")


def column(frame: Any, name: str) -> Any:
    """Return a column, or refuse a name that is none, with the names that are."""
    if name in frame.columns:
        return frame[name]
    names = list(frame.columns)
    shown = ", ".join(map(repr, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    raise InvalidInput(f"there is no column {name!r}{near(name, names) or ';'} the columns are {shown}")


def values(frame: Any, name: str) -> NDArray[Any]:
    """Return a column without gaps as numbers, booleans or strings."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    found = column(frame, name)
    gaps = found.isna().to_numpy()
    if gaps.any():
        where = f"{int(gaps.sum())} missing, the first in row {int(gaps.argmax()) + 1}"
        refuse(f"column {name!r}", "complete", where, "empty cells, NA, None and null count as missing")
    if _is_time(found):
        refuse(f"column {name!r}", "numbers or labels", f"values of type {found.dtype}")
    if is_bool_dtype(found) or is_numeric_dtype(found):
        numbers: NDArray[Any] = found.to_numpy(dtype=_plain(found))
        return numbers
    return np.array([str(value) for value in found])


def times(frame: Any, name: str) -> NDArray[Any]:
    """Return a column without gaps as numbers or moments."""
    import pandas as pd

    found = column(frame, name)
    if not _is_time(found):
        found = pd.Series(values(frame, name))
    if found.dtype.kind not in "iufMm":
        try:
            found = pd.to_datetime(found, format="ISO8601")
        except ValueError:
            refuse(f"column {name!r}", "numbers or ISO dates such as 2024-01-31", found.iloc[0])
    moments: NDArray[Any] = found.to_numpy()
    return moments


def levels(frame: Any, name: str) -> NDArray[np.int64]:
    """Mark the category of each row in a column; numbers of many values are put into fifths."""
    found = values(frame, name)
    if found.dtype.kind in "iuf" and len(np.unique(found)) > _FEW:
        found = np.searchsorted(np.quantile(found, np.arange(1, 5) / 5), found)
    marks: NDArray[np.int64] = (found[:, None] == np.unique(found)).astype(np.int64)
    return marks


def _plain(found: Any) -> Any:
    """Return numpy's type for a column of numbers, also where pandas has one of its own."""
    return getattr(found.dtype, "numpy_dtype", found.dtype)


def _is_time(found: Any) -> bool:
    return getattr(found.dtype, "kind", "") in "Mm"


def _features(frame: Any) -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.object_]]]:
    """Sort the feature columns into numbers and categories."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if not len(frame.columns):
        raise InvalidInput("there is no column left to predict from")
    numbers: dict[str, NDArray[np.float64]] = {}
    texts: dict[str, NDArray[np.object_]] = {}
    for name in frame.columns:
        found = frame[name]
        if is_bool_dtype(found) or is_numeric_dtype(found):
            numbers[name] = _numbers(found)
        else:
            texts[name] = _categories(found)
    return numbers, texts


def _numbers(found: Any) -> NDArray[np.float64]:
    numbers: NDArray[np.float64] = found.to_numpy(dtype=float, na_value=np.nan)
    infinite = np.isinf(numbers)
    if infinite.any():
        refuse(f"column {found.name!r}", "finite", f"{numbers[infinite][0]} in row {infinite.argmax() + 1}")
    return numbers


def _categories(found: Any) -> NDArray[np.object_]:
    """Return texts with NaN for gaps; refuse dates, and columns that hardly ever repeat a text."""
    remedy = f"leave it out with --drop {found.name}"
    if _is_time(found):
        refuse(f"column {found.name!r}", "numbers or categories", f"values of type {found.dtype}", remedy)
    texts = found.map(str, na_action="ignore")
    different = texts.nunique()
    if different > max(_MANY, len(texts) / 2):
        rule = f"{different} different texts in {len(texts)} rows"
        refuse(f"column {found.name!r}", "numbers or categories", rule, remedy)
    return np.array([text if isinstance(text, str) else np.nan for text in texts], dtype=object)


def _matrix(numbers: dict[str, Any], texts: dict[str, Any], *, plain: bool) -> Any:
    if plain:
        return np.column_stack(list(numbers.values()))
    import pandas as pd

    columns = {name: pd.Series(column, dtype=column.dtype) for name, column in (numbers | texts).items()}
    return pd.DataFrame(columns)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())

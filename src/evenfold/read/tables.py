"""
Tables from files: CSV and Parquet, columns of mixed types.

What must be learned from data (the value for a gap, the categories, the scale of a column) is learned inside
the folds: the estimator is wrapped in a pipeline, and the file's rows go into it as they are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import flag, near, refuse
from evenfold.core.checks import path as checked
from evenfold.core.checks import texts as names_of
from evenfold.core.errors import InvalidInput
from evenfold.core.extras import install_command, is_installed, require
from evenfold.read.delimited import Dialect
from evenfold.read.frames import read_frame

_FEW = 10  # different numbers that are levels by themselves
_WORDS = 3  # on average, from which texts are texts and no names
_DAY = re.compile(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{4}( .*)?")
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
    numeric, categorical, rich : tuple of str
        Columns of a frame X by type; dates and free texts are rich.
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
    rich: tuple[str, ...]
    imputed: bool
    scaled: bool
    features: NDArray[np.int64] | None = None
    order: NDArray[Any] | None = None

    def prepared(self, estimator: Any) -> Any:
        """Put before the estimator what its columns need, to be learned anew on each training set."""
        steps = self._numeric_steps()
        if not steps and not self.categorical and not self.rich:
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
        if self.rich:
            parts.append(("rich", _vectorizer(), list(self.rich)))
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
    features: Sequence[str] = (),
    drop: Sequence[str] = (),
    scale: bool = False,
    balance: Sequence[str] = (),
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
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
    features : sequence of str
        Columns to predict from, all others if none is named.
    drop : sequence of str
        Columns to leave out.
    scale : bool
        Whether numeric columns are to be scaled, inside the folds.
    balance : sequence of str
        Columns that every half gets alike; they stay features.
    sep, decimal, encoding : str, optional
        Separator of columns, decimal sign and encoding of a CSV file; found by a look at it if not said.

    Notes
    -----
    This needs the extra ``tables`` (``pip install "evenfold[tables]"``): pandas, and skrub, whose
    ``TableVectorizer`` turns dates and free texts into numbers inside the folds.

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
    frame = read_frame(checked("path", path), Dialect(separator=sep, decimal=decimal, encoding=encoding))
    roles = [name for name in (target, groups, order, weights) if name is not None]
    features, drop = names_of("features", features), names_of("drop", drop)
    balance, scale = names_of("balance", balance), flag("scale", scale)
    _require_columns(frame, roles, [*features, *drop, *balance])
    left = [name for name in features or frame.columns if name not in {*roles, *drop}]
    numbers, texts, rich = _features(frame[left])
    imputed = bool(numbers) and bool(np.isnan(np.column_stack(list(numbers.values()))).any())
    return Table(
        X=_matrix(numbers, texts | rich, plain=not (texts or rich or imputed or scale)),
        y=values(frame, target),
        groups=None if groups is None else values(frame, groups),
        order=None if order is None else times(frame, order),
        weights=None if weights is None else _numbers(column(frame, weights)),
        numeric=tuple(numbers),
        categorical=tuple(texts),
        rich=tuple(rich),
        imputed=imputed,
        scaled=scale and bool(numbers),
        features=np.concatenate([levels(frame, name) for name in balance], axis=1) if balance else None,
    )


def _require_columns(frame: Any, roles: Sequence[str], others: Sequence[str]) -> None:
    """Refuse names of columns that are not there, and a column in two roles."""
    for name in (*roles, *others):
        column(frame, name)
    if len(set(roles)) < len(roles):
        refuse("target, groups, order and weights", "different columns", ", ".join(roles))


def column(frame: Any, name: object) -> Any:
    """Return a column, or refuse a name that is none, with the names that are."""
    if not isinstance(name, str):
        refuse("a column", "named by a text", name)
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
    of: NDArray[Any] = found.to_numpy()
    return of if found.dtype.kind in "iufMm" else moments(f"column {name!r}", of)


def moments(name: str, texts: NDArray[Any]) -> NDArray[Any]:
    """
    Read dates that are written so that nobody can take them for others, or refuse them.

    Examples
    --------
    >>> moments("order", np.array(["2024-02-01", "2024-01-31 12:00"])).argmin()
    np.int64(1)
    """
    require("pandas", f"{name} of dates in texts")
    import pandas as pd

    read = pd.to_datetime(pd.Series(texts), errors="coerce", format="ISO8601", utc=True).dt.tz_localize(None)
    odd = read.isna().to_numpy()
    if odd.any():
        found = f"{str(texts[odd][0])!r} at position {odd.argmax()}"
        remedy = "number them if they sort as texts: np.unique(times, return_inverse=True)[1]"
        refuse(name, "numbers or ISO dates such as 2024-01-31", found, remedy)
    of: NDArray[Any] = read.to_numpy()
    return of


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


def _features(frame: Any) -> tuple[dict[str, NDArray[np.float64]], dict[str, Any], dict[str, Any]]:
    """Sort the feature columns into numbers, categories, and dates or free texts."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if not len(frame.columns):
        raise InvalidInput("there is no column left to predict from")
    numbers: dict[str, NDArray[np.float64]] = {}
    texts: dict[str, Any] = {}
    rich: dict[str, Any] = {}
    for name in frame.columns:
        found = frame[name]
        if is_bool_dtype(found) or is_numeric_dtype(found):
            numbers[name] = _numbers(found)
        elif what := _is_rich(found):
            rich[name] = _dates_or_texts(found, what)
        else:
            texts[name] = _categories(found)
    return numbers, texts, rich


def _is_rich(found: Any) -> str:
    """Say whether a column holds dates or free texts, neither of which is a category; nothing if not."""
    if _is_time(found):
        return "dates"
    texts = found.dropna().map(str)
    different = texts.nunique()
    if different > len(texts) / 2 and texts.map(lambda text: bool(_DAY.fullmatch(text.strip()))).all():
        return "dates"
    return "free text" if different > _most(texts) and texts.str.split().str.len().mean() >= _WORDS else ""


def _most(texts: Any) -> float:
    """How many different texts there may be in a column of categories."""
    return max(_MANY, len(texts) / 2)


def _dates_or_texts(found: Any, what: str) -> Any:
    if not is_installed("skrub"):
        instead = "days since a start, month, weekday" if what == "dates" else "counts of words"
        remedy = (
            f"say {install_command('skrub')}, which turns {what} into numbers inside the folds; or make "
            f"columns of your own ({instead}) or leave it out with --drop {quote(found.name)}"
        )
        refuse(f"column {found.name!r}", "numbers or categories", what, remedy)
    return found if _is_time(found) else found.map(str, na_action="ignore").astype(object)


def _vectorizer() -> Any:
    """Turn dates into their parts and texts into a few numbers; gaps are filled after it."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from skrub import TableVectorizer

    numbers = TableVectorizer(cardinality_threshold=1)  # no text is a category, however few rows train
    return make_pipeline(numbers, SimpleImputer(strategy="median", keep_empty_features=True))


def _numbers(found: Any) -> NDArray[np.float64]:
    numbers: NDArray[np.float64] = found.to_numpy(dtype=float, na_value=np.nan)
    infinite = np.isinf(numbers)
    if infinite.any():
        refuse(f"column {found.name!r}", "finite", f"{numbers[infinite][0]} in row {infinite.argmax() + 1}")
    return numbers


def _categories(found: Any) -> NDArray[np.object_]:
    """Return texts with NaN for gaps; refuse columns that hardly ever repeat a text: names and numbers."""
    remedy = f"leave it out with --drop {quote(found.name)}"
    texts = found.map(str, na_action="ignore")
    different = texts.nunique()
    if different > _most(texts):
        rule = f"{different} different texts in {len(texts)} rows"
        refuse(f"column {found.name!r}", "numbers or categories", rule, remedy)
    return np.array([text if isinstance(text, str) else np.nan for text in texts], dtype=object)


def _matrix(numbers: dict[str, Any], texts: dict[str, Any], *, plain: bool) -> Any:
    if plain:
        return np.column_stack(list(numbers.values()))
    import pandas as pd

    columns = {name: pd.Series(column, dtype=column.dtype) for name, column in (numbers | texts).items()}
    return pd.DataFrame(columns)

"""
Tables from files: CSV and Parquet, with columns of mixed types.

What must be learned from data (the value for a gap, the categories, the scale of a column) is
learned inside the folds: the estimator is wrapped in a pipeline, which gets the rows as they are in
the file.
"""

import csv
import gzip
import re
import warnings
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import checks
from evenfold.core.checks import refuse, refuse_value, short_repr
from evenfold.core.environment import install_command, is_installed, require
from evenfold.core.errors import InvalidInput
from evenfold.core.words import reason
from evenfold.read.plain_tables import PlainTable, Ragged, read_texts

# Compressed files: what they unpack to is measured before it is held in memory.


_PLENTY = 64 * 2**20  # bytes that any file may unpack to
# above that, so many times its own size: tables shrink to a tenth, bombs to a thousandth
_TIMES = 100
_PIECE = 2**20
MOST_COLUMNS = 10_000  # of a table of results: algorithms, ids and classes
MOST_FEATURES = 50_000  # of a table of data

UNREADABLE = (gzip.BadGzipFile, EOFError, zlib.error)
"""What damaged gzip files raise."""


def require_file(path: Path, name: str = "data", suffixes: tuple[str, ...] = ()) -> None:
    """Refuse what is no file, or a file whose name ends in none of the suffixes, if any."""
    if path.is_dir():
        refuse(name, f"{name} must be a file, but {path} is a folder.")
    if not path.exists():
        refuse(name, f"{name} must be a file, but there is no file {path}.")
    if suffixes and not path.name.lower().endswith(suffixes):
        refuse_value(name, path.name, f"a file that ends in {', '.join(suffixes)}")


def check_gzip(path: Path) -> None:
    """Refuse a gzipped file that unpacks to far more than it should, read piece by piece."""
    if path.stat().st_size * 1032 <= _PLENTY:  # deflate packs at most 1032 bytes into one
        return
    seen = 0
    with gzip.open(path) as file:
        while piece := file.read(_PIECE):
            seen += len(piece)
            check_unpacked(path, seen)


def check_columns(path: Path, count: int, most: int = MOST_COLUMNS) -> None:
    """Refuse a table of more columns than anyone has: each takes a thousand bytes and a moment."""
    if count > most:
        refuse(
            "table",
            f"table must have at most {most:,} columns, but {path.name} has {count:,} or more.",
        )


def check_unpacked(path: Path, size: int) -> None:
    """Refuse a file that would take far more memory than it does on the disk."""
    if size > max(_PLENTY, _TIMES * path.stat().st_size):
        raise InvalidInput(
            f"{path.name} unpacks to {size / 2**20:,.0f} MB or more, over {_TIMES} times its size.",
            remedy="Unpack it yourself if you trust it.",
        )


# Texts with columns: what the caller does not say of them is found by a look at the file.


_SIGNS = (",", ";", "\t", "|")
_SEPARATORS = {sign: sign for sign in _SIGNS} | {"tab": "\t", "comma": ",", "semicolon": ";"}
_HEAD = 2**16  # bytes that are looked at
_WITH_COMMA = re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?")
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # with which a text in UTF-16 begins


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """
    How a text with columns is written; what is None is found by a look at the file.

    The separator may be called "tab", "comma" or "semicolon".
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None:
            checks.one_of("sep", self.separator, _SEPARATORS)
        if self.decimal is not None:
            checks.one_of("decimal", self.decimal, (".", ","))
        try:
            "".encode("utf-8" if self.encoding is None else self.encoding)
        except (LookupError, TypeError, ValueError):
            refuse(
                "encoding",
                "encoding must be one that Python knows, such as utf-8 or latin-1, but got "
                f"{short_repr(self.encoding)}.",
            )


def read_delimited(
    path: Path, dialect: Dialect, *, verbatim: bool, most_columns: int = MOST_FEATURES
) -> Any:
    """
    Read a text with columns, or say in one line what is wrong with it.

    If ``verbatim``, every cell is the text that stands there, in a :class:`PlainTable`. Otherwise
    the result is a pandas frame.
    """
    if not verbatim:
        require("pandas", f"learning from {path.name}")
    try:
        if path.name.lower().endswith(".gz"):
            check_gzip(path)
        known = _detect_dialect(path, dialect)
        _require_few_columns(path, known, most_columns)
        return _verbatim(path, known) if verbatim else _frame(path, known)
    except UnicodeError as error:
        raise InvalidInput(
            f"{path.name} is not text in the given encoding: {reason(error)}."
        ) from error
    except Ragged as error:
        raise InvalidInput(
            f"{path.name} has rows that do not fit its header: {reason(error)}."
        ) from error
    except (OSError, MemoryError, OverflowError, *UNREADABLE) as error:
        raise InvalidInput(f"{path.name} cannot be read: {reason(error)}.") from error


def _detect_dialect(path: Path, dialect: Dialect) -> Dialect:
    """Fill in encoding and separator."""
    encoding = dialect.encoding or _encoding(path)
    if dialect.separator is not None:
        return replace(dialect, separator=_SEPARATORS[dialect.separator], encoding=encoding)
    preferred = "\t" if ".tsv" in path.name.lower() else ","  # where several are as frequent
    with _open_binary(path) as file:
        head = file.read(_HEAD).decode(encoding, errors="ignore")
    header = re.sub(r'"[^"]*"', "", head.partition("\n")[0])  # what is quoted separates nothing
    separator = max((preferred, ";", "\t", "|", ","), key=header.count)
    return replace(dialect, separator=separator, encoding=encoding)


def _require_few_columns(path: Path, dialect: Dialect, most: int) -> None:
    """Refuse a header of more columns than anyone has, before a parser makes an object of each."""
    with _open_binary(path) as file:
        header = file.readline(_PLENTY)
    check_columns(path, 1 + header.count((dialect.separator or ",").encode()), most)


def _open_binary(path: Path) -> Any:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path)
    return path.open("rb")


def _encoding(path: Path) -> str:
    """
    Return the encoding: UTF-16 by its mark, else UTF-8 if every byte fits, else Latin-1.

    Latin-1 is read as Windows writes it. Binary content is refused.
    """
    with _open_binary(path) as file:
        head = file.read(_HEAD)
        if head.startswith(_MARKS):
            return "utf-16"
        if b"\0" in head:
            raise InvalidInput(
                f"{path.name} is not text: it holds zero bytes.",
                remedy="Save it as UTF-8 if it is text.",
            )
        file.seek(0)
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            while text.read(_PIECE):
                pass
        except UnicodeDecodeError:
            return "cp1252"
        return "utf-8-sig"


def _frame(path: Path, dialect: Dialect) -> Any:
    frame = _parse_table(path, dialect, decimal=dialect.decimal or ".")
    if dialect.decimal is None and dialect.separator != ",":
        texts = frame.select_dtypes(exclude="number")
        if any(_is_decimal(texts[name].dropna()) for name in texts.columns):
            return _parse_table(path, dialect, decimal=",")
    return frame


def _verbatim(path: Path, dialect: Dialect) -> PlainTable:
    """
    Return every cell as the text that stands there, but with points for decimal commas.

    The names of the columns must differ.
    """
    separator = dialect.separator or ","
    with (
        _open_binary(path) as file,
        TextIOWrapper(file, encoding=dialect.encoding, newline="") as text,
    ):
        table = read_texts(text, separator, path.name)
    if table is None:
        raise InvalidInput(f"{path.name} is empty.")
    if separator == ",":
        return table
    return PlainTable({name: _decimal_points(cells) for name, cells in table.cells.items()})


def _decimal_points(cells: NDArray[Any]) -> NDArray[Any]:
    if not _is_decimal({cell for cell in cells if cell}):
        return cells
    return np.array([cell.replace(",", ".") for cell in cells], dtype=object)


def _parse_table(path: Path, dialect: Dialect, decimal: str) -> Any:
    import pandas as pd

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                path,
                sep=dialect.separator,
                encoding=dialect.encoding,
                decimal=decimal,
                index_col=False,
                low_memory=False,
                quoting=csv.QUOTE_MINIMAL,
            )
    except pd.errors.EmptyDataError as error:
        raise InvalidInput(f"{path.name} is empty.") from error
    except (pd.errors.ParserWarning, pd.errors.ParserError) as error:
        raise Ragged(str(error)) from error


def _is_decimal(cells: Iterable[Any]) -> bool:
    """Whether all cells of a column are numbers with a comma, or without decimals."""
    entries = {str(cell).strip() for cell in cells}
    return any("," in entry for entry in entries) and all(map(_WITH_COMMA.fullmatch, entries))


# Files with columns as frames: texts with any separator, and Parquet.


COLUMNAR = (".parquet", ".pq")
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *COLUMNAR)
_BATCH = 256  # rows
_FOUND = Dialect()  # by a look at the file


def read_frame(
    path: Path,
    dialect: Dialect = _FOUND,
    *,
    verbatim: bool = False,
    most_columns: int = MOST_FEATURES,
) -> Any:
    """
    Read a file into a frame with at least one row.

    If ``verbatim``, the cells of a text stay texts, so that ids and labels are what they are; only
    decimal commas become points. The frame is a :class:`PlainTable` then, which needs no frame
    library.
    """
    require_file(path, suffixes=SUFFIXES)
    columnar = path.suffix.lower() in COLUMNAR
    if columnar:
        frame = _parquet(path, most_columns)
    else:
        frame = read_delimited(path, dialect, verbatim=verbatim, most_columns=most_columns)
    if not len(frame):
        raise InvalidInput(f"{path.name} has {len(frame.columns):,} columns but no rows.")
    return _without_row_numbers(frame)


def _without_row_numbers(frame: Any) -> Any:
    """Drop the row numbers that pandas writes as a first column without a name."""
    if not isinstance(frame, PlainTable):
        frame.columns = [str(name) for name in frame.columns]
    first = frame.columns[0]
    if first != "Unnamed: 0":
        return frame
    counted = np.array_equal(
        np.asarray(frame[first]).astype(str), np.arange(len(frame)).astype(str)
    )
    return frame.drop(columns=first) if counted else frame


def _parquet(path: Path, most_columns: int) -> Any:
    for package in ("pandas", "pyarrow"):  # the latter reads it for the former
        require(package, f"reading {path.name}")
    import pandas as pd

    try:
        _check_parquet(path, most_columns)
        frame = pd.read_parquet(path).reset_index(drop=True)
        for name in frame.columns[frame.dtypes == "string"]:
            # texts are decoded only now: damaged ones must not pass
            frame[name].to_numpy(dtype=object)
        return frame
    except InvalidInput:
        raise
    except Exception as error:  # damaged files make the reader raise whatever comes
        raise InvalidInput(f"{path.name} is not a Parquet file: {reason(error)}.") from error


def _check_parquet(path: Path, most_columns: int) -> None:
    """Refuse a file that unpacks to far more than it holds, by its header and repeated texts."""
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        header = file.metadata
        schema = file.schema_arrow
        check_columns(path, header.num_columns, most_columns)
        # The sizes of its parts are not read, because the library ends the program if the header is
        # damaged there.
        check_unpacked(path, 8 * header.num_rows * header.num_columns)
        # A text, list or object that stands in every row is written once, so the number of rows
        # does not say how much memory such columns take. They are read a few rows at a time.
        texts = [field.name for field in schema if not pa.types.is_primitive(field.type)]
        size = 0
        for batch in file.iter_batches(batch_size=_BATCH, columns=texts) if texts else ():
            size += batch.nbytes
            check_unpacked(path, size)


_SHOWN = 20  # names of columns that a message lists
_FEW = 10  # different numbers that are levels by themselves
_WORDS = 3  # on average, from which texts are texts and no names
_DAY = re.compile(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{4}( .*)?")
# categories, above which a column that hardly repeats itself is taken for names or texts
_MANY = 50


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Table:
    """
    What a file says, by role.

    Attributes
    ----------
    X : array or frame
        A numeric array where nothing needs preparation, else a frame of numbers and texts.
    y, weights, order : arrays
        Target, and the weight and the time of each row where they were asked for.
    groups : series or None
        The group of each row, with the name that the file calls groups by.
    numeric, categorical, rich : tuple of str
        Columns of a frame X by type; dates and free texts are rich.
    imputed, scaled : bool
        Whether numeric columns need their gaps filled, and are to be scaled.
    features : array or None
        Level counts to be balanced.
    group : str or None
        What the file calls the column of groups.
    """

    X: Any
    y: NDArray[Any]
    groups: Any
    weights: NDArray[np.float64] | None
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    rich: tuple[str, ...]
    imputed: bool
    scaled: bool
    features: NDArray[np.int64] | None = None
    order: NDArray[Any] | None = None
    group: str | None = None

    def prepared(self, estimator: Any) -> Any:
        """
        Put before the estimator what its columns need, to be learned anew on each training set.

        A plain function gets the rows as they are in the file.
        """
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import Pipeline, make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        steps: list[Any] = []
        if self.imputed:
            steps.append(SimpleImputer(strategy="median", keep_empty_features=True))
        if self.scaled:
            steps.append(StandardScaler())
        if not hasattr(estimator, "fit") or not (steps or self.categorical or self.rich):
            return estimator
        parts: list[Any] = []
        if self.numeric:
            numeric = make_pipeline(*steps) if steps else "passthrough"
            parts.append(("numeric", numeric, list(self.numeric)))
        if self.categorical:
            encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            filled = make_pipeline(
                SimpleImputer(strategy="most_frequent", keep_empty_features=True), encoder
            )
            parts.append(("categorical", filled, list(self.categorical)))
        if self.rich:
            parts.append(("rich", _vectorizer(), list(self.rich)))
        return Pipeline([("columns", ColumnTransformer(parts)), ("model", estimator)])


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
        Columns with the group, the time (numbers or ISO dates) and the weight of each row; no
        features then.
    features : sequence of str
        Columns to predict from, all others if none is named.
    drop : sequence of str
        Columns to leave out.
    scale : bool
        Whether numeric columns are to be scaled, inside the folds.
    balance : sequence of str
        Columns that every half gets alike; they stay features.
    sep, decimal, encoding : str, optional
        Separator of columns, decimal sign and encoding of a CSV file; found by a look at it if not
        said.

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
    frame = read_frame(
        checks.path("path", path), Dialect(separator=sep, decimal=decimal, encoding=encoding)
    )
    import pandas as pd

    roles = [name for name in (target, groups, order, weights) if name is not None]
    features = checks.texts("features", features)
    drop = checks.texts("drop", drop)
    balance = checks.texts("balance", balance)
    scale = checks.flag("scale", scale)
    _require_columns(frame, roles, [*features, *drop, *balance])
    left = [name for name in features or frame.columns if name not in {*roles, *drop}]
    numbers, texts, rich = _features_by_kind(frame[left])
    imputed = bool(numbers) and bool(np.isnan(np.column_stack(list(numbers.values()))).any())
    return Table(
        X=_matrix(numbers, texts | rich, plain=not (texts or rich or imputed or scale)),
        y=values(frame, target),
        # with the name of their column, by which an answer calls them
        groups=None if groups is None else pd.Series(values(frame, groups), name=groups),
        order=None if order is None else times(frame, order),
        weights=None if weights is None else _numbers(column(frame, weights)),
        numeric=tuple(numbers),
        categorical=tuple(texts),
        rich=tuple(rich),
        imputed=imputed,
        scaled=scale and bool(numbers),
        features=np.concatenate([levels(frame, name) for name in balance], axis=1)
        if balance
        else None,
        group=groups,
    )


def _require_columns(frame: Any, roles: Sequence[str], others: Sequence[str]) -> None:
    """Refuse names of columns that are not there, and a column in two roles."""
    for name in (*roles, *others):
        column(frame, name)
    if len(set(roles)) < len(roles):
        refuse(
            None,
            "target, groups, order and weights must be different columns but got "
            f"{', '.join(map(repr, roles))}.",
        )


def column(frame: Any, name: object) -> Any:
    """Return a column, or refuse a name that is none, with the names that are."""
    if not isinstance(name, str):
        refuse(None, f"The name of a column must be a text but got {short_repr(name)}.")
    if name in frame.columns:
        return frame[name]
    names = list(frame.columns)
    shown = ", ".join(map(repr, names[:_SHOWN]))
    if len(names) > _SHOWN:
        shown += f" and {len(names) - _SHOWN:,} more"
    remedy = f"{checks.did_you_mean(name, names)} The columns are {shown}."
    refuse(None, f"There is no column {name!r}.", remedy.lstrip())


def values(frame: Any, name: str) -> NDArray[Any]:
    """Return a column without gaps as numbers, booleans or strings."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    series = column(frame, name)
    gaps = series.isna().to_numpy()
    if gaps.any():
        refuse(
            None,
            f"Column {name!r} must be complete, but {int(gaps.sum()):,} of its values are missing, "
            f"the first in row {int(gaps.argmax()) + 1}.",
            "Empty cells, NA, None and null count as missing.",
        )
    if _is_time(series):
        refuse(None, f"Column {name!r} must hold numbers or labels, but it has dates.")
    if is_bool_dtype(series) or is_numeric_dtype(series):
        # numpy's type for a column of numbers, also where pandas has one of its own
        numbers: NDArray[Any] = series.to_numpy(
            dtype=getattr(series.dtype, "numpy_dtype", series.dtype)
        )
        return numbers
    return np.array([str(value) for value in series])


def times(frame: Any, name: str) -> NDArray[Any]:
    """Return a column without gaps as numbers or moments."""
    import pandas as pd

    series = column(frame, name)
    if not _is_time(series):
        series = pd.Series(values(frame, name))
    entries: NDArray[Any] = series.to_numpy()
    if series.dtype.kind in "iufMm":
        return entries
    return moments(f"Column {name!r}", entries)


def moments(name: str, texts: NDArray[Any]) -> NDArray[Any]:
    """
    Read dates in the ISO format, which is unambiguous, or refuse them.

    Examples
    --------
    >>> moments("order", np.array(["2024-02-01", "2024-01-31 12:00"])).argmin()
    np.int64(1)
    """
    require("pandas", f"{name} of dates in texts")
    import pandas as pd

    read = pd.to_datetime(
        pd.Series(texts), errors="coerce", format="ISO8601", utc=True
    ).dt.tz_localize(None)
    odd = read.isna().to_numpy()
    if odd.any():
        refuse(
            name,
            f"{name} must be numbers or ISO dates such as 2024-01-31 but got "
            f"{short_repr(str(texts[odd][0]))} at position {odd.argmax()}.",
            "If the times sort correctly as texts, pass np.unique(times, return_inverse=True)[1].",
        )
    times: NDArray[Any] = read.to_numpy()
    return times


def levels(frame: Any, name: str) -> NDArray[np.int64]:
    """Mark the category of each row in a column; numbers of many values are put into fifths."""
    entries = values(frame, name)
    if entries.dtype.kind in "iuf" and len(np.unique(entries)) > _FEW:
        entries = np.searchsorted(np.quantile(entries, np.arange(1, 5) / 5), entries)
    marks: NDArray[np.int64] = (entries[:, None] == np.unique(entries)).astype(np.int64)
    return marks


def _is_time(series: Any) -> bool:
    return getattr(series.dtype, "kind", "") in "Mm"


def _features_by_kind(
    frame: Any,
) -> tuple[dict[str, NDArray[np.float64]], dict[str, Any], dict[str, Any]]:
    """Sort the feature columns into numbers, categories, and dates or free texts."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if not len(frame.columns):
        raise InvalidInput("There is no column left to predict from.")
    numbers: dict[str, NDArray[np.float64]] = {}
    texts: dict[str, Any] = {}
    rich: dict[str, Any] = {}
    for name in frame.columns:
        series = frame[name]
        if is_bool_dtype(series) or is_numeric_dtype(series):
            numbers[name] = _numbers(series)
        elif what := _rich_kind(series):
            rich[name] = _dates_or_texts(series, what)
        else:
            texts[name] = _categories(series)
    return numbers, texts, rich


def _rich_kind(series: Any) -> str:
    """Return "dates" or "free text" for a column of these, and an empty text for other columns."""
    if _is_time(series):
        return "dates"
    texts = series.dropna().map(str)
    different = texts.nunique()
    if (
        different > len(texts) / 2
        and texts.map(lambda text: bool(_DAY.fullmatch(text.strip()))).all()
    ):
        return "dates"
    if different > _most_categories(texts) and texts.str.split().str.len().mean() >= _WORDS:
        return "free text"
    return ""


def _most_categories(texts: Any) -> float:
    """How many different texts there may be in a column of categories."""
    return max(_MANY, len(texts) / 2)


def _dates_or_texts(series: Any, what: str) -> Any:
    if not is_installed("skrub"):
        instead = "counts of words"
        if what == "dates":
            instead = "days since a start, month, weekday"
        refuse(
            None,
            f"Column {series.name!r} must hold numbers or categories, but it has {what}.",
            f"Run {install_command('skrub')} to turn {what} into numbers inside the folds. Or make "
            f"columns of your own ({instead}), or leave the column out with "
            f"--drop {quote(series.name)}.",
        )
    if _is_time(series):
        return series
    return series.map(str, na_action="ignore").astype(object)


def _vectorizer() -> Any:
    """Turn dates into their parts and texts into a few numbers; gaps are filled after it."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from skrub import TableVectorizer

    # no text is a category, however few rows train
    numbers = TableVectorizer(cardinality_threshold=1)
    return make_pipeline(numbers, SimpleImputer(strategy="median", keep_empty_features=True))


def _numbers(series: Any) -> NDArray[np.float64]:
    numbers: NDArray[np.float64] = series.to_numpy(dtype=float, na_value=np.nan)
    infinite = np.isinf(numbers)
    if infinite.any():
        row = infinite.argmax()
        refuse(
            None,
            f"Column {series.name!r} must hold finite numbers, but row {row + 1} has "
            f"{numbers[row]}.",
        )
    return numbers


def _categories(series: Any) -> NDArray[np.object_]:
    """
    Return texts, with NaN for gaps.

    A column that hardly ever repeats a text, such as one of names, is refused.
    """
    texts = series.map(str, na_action="ignore")
    different = texts.nunique()
    if different > _most_categories(texts):
        refuse(
            None,
            f"Column {series.name!r} must hold numbers or categories, but it has {different:,} "
            f"different texts in {len(texts):,} rows.",
            f"Leave it out with --drop {quote(series.name)}.",
        )
    return np.array([text if isinstance(text, str) else np.nan for text in texts], dtype=object)


def _matrix(numbers: dict[str, Any], texts: dict[str, Any], *, plain: bool) -> Any:
    if plain:
        return np.column_stack(list(numbers.values()))
    import pandas as pd

    columns = {
        name: pd.Series(column, dtype=column.dtype) for name, column in (numbers | texts).items()
    }
    return pd.DataFrame(columns)

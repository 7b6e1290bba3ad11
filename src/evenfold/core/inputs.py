"""The types of what users pass, labels as files write them, and tables of results."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike, NDArray

from evenfold.core.losses import Quantity
from evenfold.core.note import Note

Floats = NDArray[np.float64]


# Types of what users may pass, for editors and type checkers. Values are checked where they are
# used.


class Estimator(Protocol):
    """An estimator with ``fit`` and ``predict``, as in scikit-learn."""

    def fit(self, X: Any, y: Any, /) -> Any: ...
    def predict(self, X: Any, /) -> Any: ...


class Splitter(Protocol):
    """A design, or a cross-validator of scikit-learn."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[Any]: ...


class Scored(Protocol):
    """A measure, which knows its quantity."""

    @property
    def quantity(self) -> Quantity: ...


Algorithm = Estimator | Callable[..., Any]
Algorithms = Algorithm | Sequence[Algorithm] | Mapping[str, Algorithm]
OneMeasure = str | Scored | Callable[..., Any]
Measures = OneMeasure | Sequence[OneMeasure] | Mapping[str, OneMeasure]
Splits = str | int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
Seed = int | Generator | RandomState
Version = str | Mapping[str, str]
Side = Literal["two-sided", "greater", "less", "not-worse"]
RowsOfOneDataSet = Literal["examples", "folds", "splits", "runs", "times"]


class JudgeKeywords(TypedDict, total=False):
    """The keywords of ``judge`` on which the kind of its answer does not depend."""

    measure: OneMeasure | Sequence[OneMeasure] | None
    method: str | None
    margin: float
    level: float
    alternative: Side
    baseline: str | None
    adjust: str
    positive: Any
    higher_is_better: bool | None
    columns: Mapping[str, str] | None
    cv: Splits | None
    n: int | None
    paired: bool | None
    horizon: int | None
    on_missing: Literal["refuse", "drop", "keep"]
    stop_early: bool
    random_state: int
    power_at: float | None
    tasks: Literal["pooled", "each"]
    slices: Sequence[str]
    labels: str | None
    scores: str | None
    floor: str | Path | None
    floor_days: int


class PlanKeywords(TypedDict, total=False):
    """The keywords of ``plan`` on which the kind of its answer does not depend."""

    sigma: float | None
    n: int | None
    m: int | None
    baseline: str | int
    challenger: str | int
    power: float
    level: float
    alternative: Side
    rho1: float | None
    rho2: float | None
    margin: float


# Labels as files write them: marks of missing labels, and different spellings of the same label.


_MARKS = frozenset(
    {"nan", "+nan", "-nan", "none", "null", "na", "n/a", "#n/a", "<na>", "nat", "nil"}
)
_EXACT = 2**53  # up to here every integer is a float
_LARGEST = 2**63 - 1
_LONG = 16  # digits that larger ones have
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_TRUE_AND_FALSE = {"true": "1", "false": "0"}


def missing_marks(values: NDArray[Any]) -> NDArray[np.bool_]:
    """
    Return which entries of a column are words for a missing number.

    In a column with other words, such words are labels and nothing is missing.

    Examples
    --------
    >>> (
    ...     missing_marks(np.array(["1.0", "nan", "0"])).tolist(),
    ...     missing_marks(np.array(["nan", "naan"])).any(),
    ... )
    ([False, True, False], np.False_)
    """
    none: NDArray[np.bool_] = np.zeros(len(values), dtype=bool)
    if values.dtype.kind not in "OU" or not any(map(_is_mark, _distinct(values))):
        return none
    marks = np.fromiter(map(_is_mark, values), bool, len(values))
    if marks.all() or not all(map(is_number, values[~marks])):
        return none
    return marks


def _distinct(values: NDArray[Any]) -> Iterable[Any]:
    """Return the distinct entries, or all of them if some cannot be hashed."""
    entries: list[Any] = values.tolist()
    try:
        return set(entries)
    except TypeError:  # lists, which are refused elsewhere
        return entries


def _is_mark(entry: Any) -> bool:
    return isinstance(entry, str) and entry.strip().casefold() in _MARKS


def is_number(value: Any) -> bool:
    """Return whether a value or a text is a number; infinities are, NaN and ``1_0`` are not."""
    return not math.isnan(as_number(value))


def as_number(value: Any) -> float:
    """Return a value, or a text, as a number, or NaN if it is no number."""
    try:
        if isinstance(value, str) and "_" in value:  # Python reads 1_0 as 10
            return math.nan
        return float(value)
    except (TypeError, ValueError, OverflowError):  # the last of an integer beyond all floats
        return math.nan


def label_text(label: Any) -> str:
    """
    Write a label as a text; equal numbers give equal texts.

    Examples
    --------
    >>> label_text("1.0"), label_text(1), label_text(True), label_text("0.50"), label_text("idk")
    ('1', '1', '1', '0.5', 'idk')
    """
    if not is_number(label) or math.isinf(float(label)):
        return str(label)
    if _INTEGER.fullmatch(str(label).strip()):
        return str(int(label))  # an integer beyond 2⁵³ may be no float
    number = float(label)
    if number.is_integer():
        return str(int(number))
    return repr(number)


def look_alike(labels: Iterable[Any], known: Iterable[Any]) -> tuple[Any, Any] | None:
    """
    Return the first unknown label that looks like a known one, and that known label.

    Labels look alike if only case, blanks or the composition of letters differ. ``True`` looks like
    1.

    Examples
    --------
    >>> look_alike(["cat", "Dog "], ["cat", "dog"])
    ('Dog ', 'dog')
    """
    known = set(known)
    by_looks = {_normalised(label): label for label in known}
    for label in labels:
        if label not in known and _normalised(label) in by_looks:
            return label, by_looks[_normalised(label)]
    return None


def _normalised(label: Any) -> str:
    text = unicodedata.normalize("NFKC", str(label)).strip().casefold()
    return _TRUE_AND_FALSE.get(text, text)


def large_integers(columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """
    Return columns of labels as integers if all labels are, and some are too large for floats.

    Otherwise nothing is returned, because floats can hold the labels.
    """
    if not any(map(_may_be_large, columns.values())):
        return {}
    read = {role: _integers(values) for role, values in columns.items()}
    largest = max(
        (max(map(abs, values), default=0) for values in read.values() if values is not None),
        default=0,
    )
    if any(values is None for values in read.values()) or not _EXACT < largest <= _LARGEST:
        return {}
    return {role: np.array(values, dtype=np.int64) for role, values in read.items()}


def _may_be_large(values: NDArray[Any]) -> bool:
    """Return whether a column may hold an integer that is no float, which is quick to find."""
    if values.dtype.kind in "iu":
        return bool(len(values)) and max(abs(int(values.min())), abs(int(values.max()))) > _EXACT
    if values.dtype.kind not in "OU":
        return False
    return any(len(x) >= _LONG if isinstance(x, str) else _is_large(x) for x in values)


def _is_large(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and abs(int(value)) > _EXACT


def _integers(values: NDArray[Any]) -> list[int] | None:
    """Return a column as integers of any size; None if it holds anything else."""
    kind = values.dtype.kind
    if kind in "biu" or (kind == "f" and (values == np.round(values)).all()):
        return list(map(int, values))
    if kind not in "OU":
        return None
    texts = [str(value).strip() for value in values]
    if all(map(_INTEGER.fullmatch, texts)):
        return list(map(int, texts))
    return None


# Results that exist already, in one normal form, whatever table they were read from: long columns.
#
# Every row is one value, or one prediction, of one algorithm. The other columns say what varied:
# examples, groups, runs, folds, splits, data sets. Ids are kept as codes of their sorted labels, so
# that no result depends on the order of rows.


IDS = ("example", "group", "run", "split", "repetition", "fold", "dataset", "time")
NUMBERS = ("n_train", "n_test", "weight", "horizon", "value", "score")
PREDICTED = ("truth", "prediction")
TASK = "task"
SLICE = "slice:"  # the prefix of the role of a column that the user names as one of slices
PROBABILITY = "p:"  # the prefix of the name of a column with the probabilities of one class


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Ids:
    """
    A column of ids.

    Attributes
    ----------
    labels : array
        The distinct ids in order: integers where all of them are, else texts.
    codes : array (rows,)
        The position of each row's id among the labels.

    Examples
    --------
    >>> Ids(labels=np.array(["x", "y"]), codes=np.array([1, 0, 1])).values().tolist()
    ['y', 'x', 'y']
    """

    labels: NDArray[Any]
    codes: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.labels)

    def values(self) -> NDArray[Any]:
        """The id of every row."""
        values: NDArray[Any] = self.labels[self.codes]
        return values

    def take(self, rows: NDArray[Any]) -> "Ids":
        """The same column on some of the rows, with the labels that are left."""
        codes = self.codes[rows]
        left = np.zeros(len(self.labels), dtype=bool)
        left[codes] = True
        places = np.cumsum(left) - 1
        return Ids(labels=self.labels[left], codes=places[codes])


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Results:
    """
    A table of results in its normal form.

    Attributes
    ----------
    names : tuple of str
        The algorithms, in the order of the table if it has one (a mapping, wide columns), or else
        sorted.
    algorithm : array (rows,)
        The algorithm of every row, as a position in ``names``.
    example, group, run, split, repetition, fold, dataset, time : Ids or None
        What varied. A column is None if the table does not have it.
    n_train, n_test, weight : arrays (rows,) or None
        Sizes of the training and of the test set behind a row, and its weight.
    horizon : array (rows,) or None
        How many times ahead a forecast was made.
    value : array (rows,) or None
        What was measured.
    score : array (rows,) or None
        A predicted score beside a truth of two classes. It is larger if the positive class is more
        probable.
    truth, prediction : arrays (rows,) or None
        The true values, and the predicted values.
    probabilities : mapping of label to array
        The predicted probabilities of each class.
    parts : mapping of str to Ids
        Parts of the examples that get rows of their own: ``task``, and the columns named as slices.
    measure : str
        The table's name of its values; empty if it has none.
    higher_is_better : bool or None
        The direction of the values, if the format of the table fixes it.
    right : str
        The column of the values if its name says that 1 is right and another measure was asked for.
    sorted_names : bool
        Whether the names are sorted because the table has no order of its own.
    runs_by : {"id", "position", "row"}
        What identifies runs: an id, or only their position in separate arrays or in one frame.
    notes : tuple of Note
        Notes of the reader for the report.
    """

    names: tuple[str, ...]
    algorithm: NDArray[np.integer]
    example: Ids | None = None
    group: Ids | None = None
    run: Ids | None = None
    split: Ids | None = None
    repetition: Ids | None = None
    fold: Ids | None = None
    dataset: Ids | None = None
    time: Ids | None = None
    n_train: Floats | None = None
    n_test: Floats | None = None
    weight: Floats | None = None
    horizon: Floats | None = None
    value: Floats | None = None
    score: Floats | None = None
    truth: NDArray[Any] | None = None
    prediction: NDArray[Any] | None = None
    probabilities: Mapping[Any, Floats] = field(default_factory=lambda: MappingProxyType({}))
    parts: Mapping[str, Ids] = field(default_factory=lambda: MappingProxyType({}))
    measure: str = ""
    higher_is_better: bool | None = None
    right: str = ""
    sorted_names: bool = False
    runs_by: str = "id"
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.algorithm)

    def ids(self, role: str) -> Ids | None:
        """The column of ids with this role."""
        column: Ids | None = getattr(self, role)
        return column

    @property
    def varied(self) -> tuple[str, ...]:
        """The roles whose ids have more than one value."""
        columns = ((role, self.ids(role)) for role in IDS)
        return tuple(role for role, column in columns if column is not None and len(column) > 1)

    def take(self, rows: NDArray[Any]) -> "Results":
        """Return the table with some of its rows, given by a mask or by positions."""
        columns = {
            column.name: _take_rows(getattr(self, column.name), rows) for column in fields(self)
        }
        return Results(**columns)

    def __repr__(self) -> str:
        return (
            f"Results({', '.join(self.names)}; {len(self)} rows; varied: {', '.join(self.varied)})"
        )


def _take_rows(column: Any, rows: NDArray[Any]) -> Any:
    if isinstance(column, Ids):
        return column.take(rows)
    if isinstance(column, Mapping):
        return MappingProxyType(
            {label: _take_rows(values, rows) for label, values in column.items()}
        )
    if isinstance(column, np.ndarray):
        return column[rows]
    return column

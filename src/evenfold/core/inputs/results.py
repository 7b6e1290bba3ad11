"""
Results that exist already, as one normal form: long columns, whatever table they were read from.

Every row is one value, or one prediction, of one algorithm. The other columns say what varied:
examples, groups of them, runs, folds, splits, data sets. Ids are kept as codes of their sorted
labels, so that nothing behind depends on the order of rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

IDS = ("example", "group", "run", "split", "repetition", "fold", "dataset", "time")
NUMBERS = ("n_train", "n_test", "weight", "horizon", "value", "score")
PREDICTED = ("truth", "prediction")
TASK = "task"
SLICE = "slice:"  # what the role of a column that the user names as one of slices begins with
PROBABILITY = "p:"  # what the name of a column with the probabilities of one class begins with


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
        The algorithms: in the order given where the table has one (a mapping, wide columns), else
        sorted.
    algorithm : array (rows,)
        The algorithm of every row, as a position in ``names``.
    example, group, run, split, repetition, fold, dataset, time : Ids or None
        What varied; None where the table does not say.
    n_train, n_test, weight : arrays (rows,) or None
        Sizes of the training and of the test set behind a row, and its weight.
    horizon : array (rows,) or None
        How many times ahead a forecast was made.
    value : array (rows,) or None
        What was measured.
    score : array (rows,) or None
        A predicted score beside a truth of two classes, larger where the positive one is likelier.
    truth, prediction : arrays (rows,) or None
        What was to be predicted, and what was.
    probabilities : mapping of label to array
        The predicted probabilities of each class.
    parts : mapping of str to Ids
        Parts of the examples that get rows of their own: ``task``, and the columns named as slices.
    measure : str
        What the table calls its values; empty where it does not say.
    higher_is_better : bool or None
        The direction of the values where the table's format fixes it.
    sorted_names : bool
        Whether the names are sorted because the table has no order of its own.
    runs_by : {"id", "position", "row"}
        What tells runs apart: an id, or only their place in arrays of their own or in one frame.
    notes : tuple of str
        What the reader did with the table, for the report.
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
    sorted_names: bool = False
    runs_by: str = "id"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.algorithm)

    def ids(self, role: str) -> Ids | None:
        """The column of ids with this role."""
        column: Ids | None = getattr(self, role)
        return column

    @property
    def varied(self) -> tuple[str, ...]:
        """The roles whose ids take more than one value: what varied."""
        columns = ((role, self.ids(role)) for role in IDS)
        return tuple(role for role, column in columns if column is not None and len(column) > 1)

    def take(self, rows: NDArray[Any]) -> "Results":
        """
        The same table with some of its rows, given by a mask or by positions.

        All algorithms stay.
        """
        return Results(
            **{one.name: _take_rows(getattr(self, one.name), rows) for one in fields(self)}
        )

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

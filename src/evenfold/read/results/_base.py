"""What a reader of result tables is: it says what it takes, and turns it into long columns."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of, refuse
from evenfold.core.registry import Registry

ROWS: dict[str, str] = {
    "examples": "example",
    "folds": "fold",
    "splits": "split",
    "runs": "run",
    "data sets": "dataset",
    "times": "time",
}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Given:
    """What the caller says of a table beside the table itself, see :func:`read_results`."""

    columns: Mapping[str, str] = field(default_factory=dict)
    rows: str | None = None
    cv: Any = None
    n: int | None = None
    measure: str | None = None
    drop: bool = False
    right_or_wrong: bool = False
    slices: tuple[str, ...] = ()

    def name(self, role: str) -> str:
        """What the table calls a role."""
        return self.columns.get(role, role)

    def score(self, names: Sequence[str], several: str) -> str:
        """
        Return which of several scores was asked for, or the only one.

        ``several`` says that it must be.
        """
        if self.measure is not None:
            return one_of("measure", self.measure, names)
        if len(names) != 1:
            refuse("measure", f"one of {', '.join(map(repr, names))}", None, several)
        return names[0]


@dataclass(frozen=True, eq=False, slots=True)
class Coded:
    """
    A column of few labels in many rows: labels, and the position of each row's.

    −1 where it has none.

    Examples
    --------
    >>> len(
    ...     Coded(np.array(["a", "b"], dtype=object), np.array([0, 0, 1]))[
    ...         np.array([True, False, True])
    ...     ]
    ... )
    2
    """

    labels: NDArray[Any]
    codes: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: NDArray[Any]) -> "Coded":
        return Coded(self.labels, self.codes[rows])

    @classmethod
    def repeated(cls, labels: Sequence[str], counts: int | Sequence[int]) -> "Coded":
        """Return the labels, each repeated so many times."""
        codes = np.arange(len(labels), dtype=np.int32)
        return cls(np.array(labels, dtype=object), np.repeat(codes, counts))


def decode(column: Any) -> Any:
    """Return a column with the label of every row, None where it has none."""
    if not isinstance(column, Coded):
        return column
    lacking = column.codes < 0
    if not lacking.any():
        return column.labels[column.codes]
    labels = np.full(len(column.codes), None, dtype=object)
    labels[~lacking] = column.labels[column.codes[~lacking]]
    return labels


def mask_to_gaps(values: Any) -> NDArray[Any]:
    """
    Return an array in which what a mask hides is missing, not taken for what lies below.

    Examples
    --------
    >>> mask_to_gaps(np.ma.array([1, 2], mask=[False, True])).tolist()
    [1, None]
    """
    array = np.asarray(values)
    if not np.ma.is_masked(values):
        return array
    shown = array.astype(object)
    shown[np.ma.getmaskarray(values)] = None
    return shown


def name_columns(table: Mapping[Any, Any]) -> dict[str, Any]:
    """
    Return a table by the texts of its names.

    Refuse two names that are one text, such as 1 and "1".
    """
    found: dict[str, Any] = {}
    for name, one in table.items():
        if str(name) in found:
            refuse("algorithms", "named differently", f"{str(name)!r} twice", "rename one of them")
        found[str(name)] = one
    return found


def each_is(table: Any, of_kind: Callable[[Any], bool]) -> bool:
    """Whether a table is a mapping of algorithms to things of a kind."""
    return isinstance(table, Mapping) and bool(table) and all(map(of_kind, table.values()))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Long:
    """
    Long columns, not yet checked.

    Attributes
    ----------
    columns : mapping of role to column
        ``algorithm`` and whichever other roles the table has; any sequence of the same length.
    names : sequence of str or None
        The algorithms in the order that the table has them; None: sorted.
    measure, higher_is_better, runs_by, notes
        As in :class:`evenfold.core.inputs.Results`.
    """

    columns: Mapping[str, Any]
    names: Sequence[str] | None = None
    measure: str = ""
    higher_is_better: bool | None = None
    runs_by: str = "id"
    notes: tuple[str, ...] = ()


class Reader(ABC):
    """
    One kind of table.

    A reader registers one instance of itself in :data:`READERS`; other packages announce theirs by
    entry points of the group ``evenfold.readers``. The first one that knows a table reads it.
    """

    key: ClassVar[str]
    takes: ClassVar[str]  # what it takes, in words for messages and the documentation
    general: ClassVar[bool] = False  # asked after all others, because it would take theirs too

    @abstractmethod
    def knows(self, table: Any, given: Given) -> bool:
        """Whether this is a table of its kind; looks, but does not read."""

    @abstractmethod
    def read(self, table: Any, given: Given) -> Long:
        """Return the long columns of the table."""


READERS: Registry[Reader] = Registry("reader", "evenfold.readers")


def register(reader: type[Reader]) -> type[Reader]:
    """Put a reader on the shelf: a decorator of its class."""
    READERS.add(reader.key, reader())
    return reader

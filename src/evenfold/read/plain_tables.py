"""Tables without a frame library: named columns of equal length, and delimited texts in them."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, short_repr

# characters; csv refuses more than 2¹⁷, but a cell may hold a whole conversation
_LONGEST_CELL = 2**26
# rows; more short lists at a time would wake the collector of garbage again and again
_AT_ONCE = 100
_INTEGERS = np.iinfo(np.int64)


class Ragged(ValueError):
    """Rows do not fit their header, or quotes do not close; the message says where."""


@dataclass(frozen=True, eq=False, slots=True)
class PlainTable:
    """
    Named columns of equal length, as far as a frame is needed to hold results.

    Examples
    --------
    >>> table = PlainTable.of({"example": [1, 2], "value": [0.5, None]})
    >>> len(table), table.columns, table["value"].tolist()
    (2, ['example', 'value'], [0.5, None])
    """

    cells: Mapping[str, NDArray[Any]]

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]]) -> "PlainTable":
        """Make columns of values; numbers and truth values become arrays of their kind."""
        return cls({str(name): _array(values) for name, values in columns.items()})

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.cells)

    def __len__(self) -> int:
        return len(next(iter(self.cells.values()), ()))

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.cells[name]

    def rows(self) -> list[dict[str, Any]]:
        """Return every row as a mapping of names to values."""
        return [
            dict(zip(self.cells, row, strict=True))
            for row in zip(*self.cells.values(), strict=True)
        ]

    def drop(self, *, columns: str) -> "PlainTable":
        """Return the table without one column."""
        return PlainTable({name: values for name, values in self.cells.items() if name != columns})


def _array(values: Sequence[Any]) -> NDArray[Any]:
    """
    Return integers, floats and truth values in an array of their type.

    All other values stay the objects that they are.
    """
    kinds = set(map(type, values))
    if kinds == {bool}:
        return np.array(values, dtype=bool)
    if kinds == {int} and _INTEGERS.min <= min(values) and max(values) <= _INTEGERS.max:
        return np.array(values, dtype=np.int64)
    if float in kinds and kinds <= {int, float}:
        with suppress(OverflowError):  # an integer beyond all floats stays an object
            return np.array(values, dtype=float)
    # np.array would make a matrix of lists
    return np.fromiter(values, dtype=object, count=len(values))


def read_texts(text: io.TextIOBase, separator: str, file: str) -> PlainTable | None:
    r"""
    Read a delimited text of a file verbatim.

    Every cell is the text that stands there, and a missing cell is empty. Names that occur twice
    and a single column are refused.

    Returns
    -------
    PlainTable or None
        None if there is not even a header.

    Examples
    --------
    >>> read_texts(io.StringIO('id;x\n7;"a;b"\n\n8\n'), ";", "x.csv")["x"].tolist()
    ['a;b', '']
    """
    reader = csv.reader(text, delimiter=separator, strict=True)
    rows = filter(None, reader)  # an empty line is no row
    limit_before = csv.field_size_limit(_LONGEST_CELL)
    try:
        header = next(rows, None)
        if header is None:
            return None
        columns = _columns(rows, len(header))
    except csv.Error as error:
        raise Ragged(f"line {reader.line_num}: {error}") from error
    finally:
        csv.field_size_limit(limit_before)
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        refuse(
            "table",
            f"table must have columns with different names, but {file} has {doubled[0]!r} twice.",
        )
    if len(header) == 1:
        refuse(
            "table",
            f"table must have several columns, separated by {separator!r}, but {file} has only "
            f"{short_repr(header[0])}.",
        )
    names = [name or f"Unnamed: {at}" for at, name in enumerate(header)]
    return PlainTable(dict(zip(names, map(_array, columns), strict=True)))


def _columns(rows: Iterator[list[str]], width: int) -> list[list[str]]:
    """Turn rows into columns, some rows at a time."""
    columns: list[list[str]] = [[] for _ in range(width)]
    while batch := list(islice(rows, _AT_ONCE)):
        if set(map(len, batch)) != {width}:
            first = len(columns[0]) + 1
            batch = [_fit_row(row, width, number) for number, row in enumerate(batch, first)]
        for column, cells in zip(columns, zip(*batch, strict=True), strict=True):
            column.extend(cells)
    return columns


def _fit_row(row: list[str], width: int, number: int) -> list[str]:
    """
    Return a row that is as wide as the header: cells that are missing are empty.

    A separator at the end of a row adds no cell.
    """
    if len(row) > width + 1 or any(row[width:]):
        raise Ragged(f"row {number} has {len(row)} cells where the header has {width}")
    return [*row[:width], *[""] * (width - len(row))]

"""Texts with columns: separator, decimal sign and encoding are found by a look at the file, or said."""

import csv
import gzip
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of, refuse
from evenfold.core.errors import InvalidInput, in_a_line
from evenfold.core.extras import require
from evenfold.read.plain_tables import PlainTable, Ragged, read_texts
from evenfold.read.unpack import MOST_FEATURES, UNREADABLE, check_columns, check_gzip

_SEPARATORS = {",": ",", ";": ";", "\t": "\t", "|": "|", "tab": "\t", "comma": ",", "semicolon": ";"}
_DECIMALS = (".", ",")
_HEAD = 2**16  # bytes that are looked at
_WITH_COMMA = re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?")
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}  # with which a text in UTF-16 begins


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """How a text with columns is written; what is None is found by a look at it. Tabs may be named."""

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None:
            one_of("sep", self.separator, _SEPARATORS)
        if self.decimal is not None:
            one_of("decimal", self.decimal, _DECIMALS)
        if self.encoding is not None:
            _require_encoding(self.encoding)


def _require_encoding(name: str) -> None:
    try:
        "".encode(name)
    except (LookupError, TypeError, ValueError):
        refuse("encoding", "one that Python knows, such as utf-8 or latin-1", name)


def read_delimited(path: Path, dialect: Dialect, *, verbatim: bool, most_columns: int = MOST_FEATURES) -> Any:
    """
    Read a text with columns, or say in one line what is wrong with it.

    Verbatim, every cell is the text that stands there, in a :class:`PlainTable`; else it is a pandas frame.
    """
    if not verbatim:
        require("pandas", f"to learn from {path.name}")
    try:
        if path.name.lower().endswith(".gz"):
            check_gzip(path)
        known = _looked_at(path, dialect)
        _require_few_columns(path, known, most_columns)
        return _verbatim(path, known) if verbatim else _frame(path, known)
    except UnicodeError as error:
        raise InvalidInput(
            f"{path.name} is no text in the encoding that was said: {in_a_line(error)}"
        ) from error
    except Ragged as error:
        raise InvalidInput(f"{path.name} has rows that do not fit its header: {in_a_line(error)}") from error
    except (OSError, MemoryError, OverflowError, *UNREADABLE) as error:
        raise InvalidInput(f"{path.name} cannot be read: {in_a_line(error)}") from error


def _looked_at(path: Path, dialect: Dialect) -> Dialect:
    """Fill in encoding and separator."""
    encoding = dialect.encoding or _encoding(path)
    if dialect.separator is not None:
        return replace(dialect, separator=_SEPARATORS[dialect.separator], encoding=encoding)
    usual = "\t" if ".tsv" in path.name.lower() else ","
    with _opened(path) as file:
        head = file.read(_HEAD).decode(encoding, errors="ignore")
    header = re.sub(r'"[^"]*"', "", head.partition("\n")[0])  # what is quoted separates nothing
    counts = {sign: header.count(sign) for sign in (usual, ";", "\t", "|", ",")}
    return replace(dialect, separator=max(counts, key=lambda sign: counts[sign]), encoding=encoding)


def _require_few_columns(path: Path, dialect: Dialect, most: int) -> None:
    """Refuse a header of more columns than anyone has, before a parser makes an object of each."""
    separator = (dialect.separator or ",").encode()
    seen = 1
    with _opened(path) as file:
        while piece := file.readline(_HEAD):
            seen += piece.count(separator)
            check_columns(path, seen, most)
            if piece.endswith(b"\n"):
                return


def _opened(path: Path) -> Any:
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def _encoding(path: Path) -> str:
    """UTF-16 by its mark, UTF-8 if every byte fits, else Latin-1 as Windows writes it; bytes are no text."""
    with _opened(path) as file:
        head = file.read(_HEAD)
        if (mark := head[:2]) in _MARKS:
            return _MARKS[mark]
        if b"\0" in head:
            raise InvalidInput(f"{path.name} is no text: it holds zero bytes; say --encoding if it is one")
        file.seek(0)
        return "utf-8-sig" if _is_utf8(iter(lambda: file.read(2**20), b"")) else "cp1252"


def _is_utf8(pieces: Iterator[bytes]) -> bool:
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in pieces:
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _frame(path: Path, dialect: Dialect) -> Any:
    frame = _parsed(path, dialect, decimal=dialect.decimal or ".")
    if dialect.decimal is None and dialect.separator != "," and any(map(_is_decimal, _texts(frame))):
        return _parsed(path, dialect, decimal=",")
    return frame


def _verbatim(path: Path, dialect: Dialect) -> PlainTable:
    """Every cell as it stands there, but with points for decimal commas; names must tell columns apart."""
    separator = dialect.separator or ","
    with _opened(path) as file, TextIOWrapper(file, encoding=dialect.encoding, newline="") as text:
        table = read_texts(text, separator)
    if table is None:
        raise InvalidInput(f"{path.name} is empty")
    _require_names(path, dialect)
    if separator == ",":
        return table
    return PlainTable({name: _with_points(cells) for name, cells in table.cells.items()})


def _with_points(cells: NDArray[Any]) -> NDArray[Any]:
    if not _is_decimal({cell for cell in cells if cell}):
        return cells
    return np.array([cell.replace(",", ".") for cell in cells], dtype=object)


def _require_names(path: Path, dialect: Dialect) -> None:
    """Refuse doubled names, of which a table could hold one only, and a single column."""
    with _opened(path) as file:
        lines = TextIOWrapper(file, encoding=dialect.encoding, newline="")
        header = next(csv.reader(lines, delimiter=dialect.separator or ","), [])
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        refuse("table", "one whose columns are named once", f"{doubled[0]!r} twice in {path.name}")
    if len(header) == 1:
        refuse("table", f"one with several columns, separated by {dialect.separator!r}", header[0])


def _parsed(path: Path, dialect: Dialect, decimal: str) -> Any:
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
        raise InvalidInput(f"{path.name} is empty") from error
    except (pd.errors.ParserWarning, pd.errors.ParserError) as error:
        raise Ragged(str(error)) from error


def _texts(frame: Any) -> Iterator[Any]:
    from pandas.api.types import is_numeric_dtype

    return (frame[name].dropna() for name in frame.columns if not is_numeric_dtype(frame[name]))


def _is_decimal(cells: Iterable[Any]) -> bool:
    """Whether all cells of a column are numbers with a comma, or without decimals."""
    entries = {str(cell).strip() for cell in cells}
    return any("," in entry for entry in entries) and all(map(_WITH_COMMA.fullmatch, entries))

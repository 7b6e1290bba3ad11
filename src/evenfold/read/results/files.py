"""
Files of results: csv, tsv, parquet and jsonl.

One file holds all algorithms, or each algorithm has its own file or frame, and their ids are
matched.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.checks import ELLIPSIS, Advice, refuse
from evenfold.core.inputs import IDS
from evenfold.core.json import parse
from evenfold.core.words import list_first_values, reason
from evenfold.read import tables
from evenfold.read.plain_tables import PlainTable
from evenfold.read.results import base
from evenfold.read.results.base import LongTable, Reader, ReadingOptions
from evenfold.read.tables import COLUMNAR, MOST_COLUMNS, check_columns, check_unpacked, require_file

_LINES = ".jsonl"
_OWN = ("battles", "long", "wide")  # asked after readers of other frames, which know theirs better
SUFFIXES = (*tables.SUFFIXES, _LINES)
_LONGEST = 2**20  # bytes of a line; a table has shorter ones
_LONGEST_ROW = 2**26  # bytes of a line of JSON, which may hold a whole conversation


@base.register
class Paths(Reader):
    """The path of one file, which holds all algorithms, or one that is named after the file."""

    key = "path"
    takes = f"a path ending in {', '.join(SUFFIXES)}"
    general = True  # a log is a path, too

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        return is_path(table)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        frame = read_frame(Path(table))
        if _is_of_one_algorithm(frame, options):
            name = Path(table).name.partition(".")[0]
            return base.READERS["files"].read({name: frame}, options)
        others = [reader for reader in base.READERS.values() if reader.of_frames]
        readers = (*others, *(base.READERS[key] for key in _OWN))
        reader = next(reader for reader in readers if reader.knows(frame, options))
        return reader.read(frame, options)


def _is_of_one_algorithm(frame: Any, options: ReadingOptions) -> bool:
    """Whether a table has ids and a truth with predictions, or values, but names no algorithm."""
    known = base.as_frame(frame)
    if known is None or base.is_long(known, options) or base.columns_without_role(known, options):
        return False
    columns = base.by_role(known, options)
    return base.is_measured(columns) and any(role in columns for role in IDS)


def is_path(table: Any) -> bool:
    """Return whether a table is a path, or a text that ends like the path of a file of results."""
    if isinstance(table, str):
        return table.lower().endswith(SUFFIXES)
    return isinstance(table, Path)


def read_frame(path: Path) -> Any:
    """Read a file into a frame; ids and labels stay the texts that they are."""
    require_file(path, "table", SUFFIXES)
    require_lines(path, binary=path.suffix.lower() in (".gz", *COLUMNAR))
    if path.suffix.lower() == _LINES:
        return _jsonl(path)
    return tables.read_frame(path, verbatim=True, most_columns=MOST_COLUMNS)


def require_lines(path: Path, *, binary: bool) -> None:
    """Refuse a file that is empty, or text without line breaks, before a parser swallows it."""
    if not path.stat().st_size:
        refuse("table", f"{path.name} is empty.")
    if binary:
        return
    with path.open("rb") as file:
        if b"\n" not in (head := file.read(_LONGEST)) and len(head) == _LONGEST:
            refuse(
                "table",
                f"table must be a file with lines below {_LONGEST:,} bytes, but the first line of "
                f"{path.name} is longer.",
            )


def _jsonl(path: Path) -> Any:
    rows = json_rows(path)
    if not rows:
        refuse("table", f"{path.name} has no rows.")
    names = dict.fromkeys(name for row in rows for name in row)
    check_columns(path, len(names))
    # a row that lacks a column takes room for it, too
    check_unpacked(path, 8 * len(names) * len(rows))
    return PlainTable.of({name: [row.get(name) for row in rows] for name in names})


def json_rows(path: Path) -> list[dict[str, Any]]:
    """Read one JSON object per line."""
    rows = []
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_ROW + 1), b""), start=1):
            where = f"line {number} of {path.name}"
            if len(line) > _LONGEST_ROW:
                refuse(
                    "table",
                    f"table must be a file with lines below {_LONGEST_ROW:,} bytes, but {where} is "
                    "longer.",
                )
            if not line.strip():
                continue
            try:
                row = parse(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except UnicodeDecodeError:
                refuse("table", f"table must be a file in UTF-8, but {where} is not.")
            except ValueError as error:
                refuse(
                    "table",
                    f"table must have one JSON object per line, but {where} is none: "
                    f"{reason(error)}.",
                )
            if not isinstance(row, dict):
                refuse("table", f"table must have one JSON object per line, but {where} is none.")
            rows.append(row)
    return rows


@base.register
class Files(Reader):
    """A mapping of names to paths or frames, each the table of one algorithm."""

    key = "files"
    takes = "a mapping of algorithm to path or frame"
    general = True

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        return base.each_is(table, _is_table)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        frames = {name: load_frame(table) for name, table in base.name_columns(table).items()}
        parts = {name: _columns(name, frame, options) for name, frame in frames.items()}
        notes = base.unused_groups_notes(list(frames.values()), list(parts.values()), options)
        facts = base.told_by_name(next(iter(frames.values())).columns, options)
        return join_parts(parts, notes=notes, **facts)


def join_parts(parts: Mapping[str, Mapping[str, Any]], **facts: Any) -> LongTable:
    """Put the columns of several algorithms below each other; they must be the same ones."""
    roles = [sorted(columns) for columns in parts.values()]
    if any(names != roles[0] for names in roles):
        text = "; ".join(f"{name}: {', '.join(columns)}" for name, columns in parts.items())
        refuse("tables", f"All tables must have the same columns, but these are {text}.")
    counts = [len(next(iter(columns.values()))) for columns in parts.values()]
    columns = {role: _stack_columns([part[role] for part in parts.values()]) for role in roles[0]}
    columns["algorithm"] = base.CodedColumn.repeated(list(parts), counts)
    return LongTable(columns=columns, names=list(parts), **facts)


def _stack_columns(columns: list[Any]) -> Any:
    """Concatenate columns; numbers become objects if another file has texts in this column."""
    arrays = [np.asarray(base.decode(column)) for column in columns]
    if any(column.dtype.kind in "OU" for column in arrays):
        arrays = [np.asarray(base.decode(column), dtype=object) for column in columns]
    return np.concatenate(arrays)


def _is_table(table: Any) -> bool:
    return is_path(table) or (hasattr(table, "columns") and base.as_frame(table) is not None)


def load_frame(table: Any) -> Any:
    """Return the frame of a file, or one that is given; None of what is neither."""
    if is_path(table):
        return base.as_frame(read_frame(Path(table)))
    return base.as_frame(table)


def _columns(name: Any, frame: Any, options: ReadingOptions) -> dict[str, Any]:
    columns = base.by_role(frame, options)
    mixed = np.unique(np.asarray(base.decode(columns.pop("algorithm", [])), dtype=str))
    if len(mixed) > 1:
        refuse(
            None,
            f"The table of {name!r} must be about one algorithm but has "
            f"{list_first_values(mixed)}.",
            "Pass it alone, as one table.",
        )
    rest = base.columns_without_role(frame, options)
    measured = base.is_measured(columns)
    if not measured and options.measure in rest:
        rest = [options.measure]
    if not measured and len(rest) == 1:  # the only other column is what was measured
        columns["value"] = base.array(frame, rest.pop())
        measured = True
    present = ", ".join(map(repr, frame.columns[:8]))
    with_ids = any(role in columns for role in IDS)
    if not measured:
        missing = ["value"] if with_ids else ["example", "value"]
        refuse(
            None,
            f"The table of {name!r} must have a column 'value', or 'truth' and 'prediction', but "
            f"it has {present}.",
            _roles_to_say(missing, rest),
        )
    if not with_ids:
        refuse(
            None,
            f"The table of {name!r} must have a column of ids ({', '.join(IDS)}), but it has "
            f"{present}.",
            _roles_to_say(["example"], rest),
        )
    return dict(columns)


def _roles_to_say(missing: list[str], unknown: list[str]) -> str:
    """
    Say how columns get the roles that are missing.

    If there are as many columns as roles, the columns are assigned in the order of the roles.
    """
    if len(unknown) < len(missing):
        return ""
    clear = len(unknown) == len(missing)
    names = unknown if clear else [ELLIPSIS] * len(missing)
    return Advice("Pass ", {"columns": dict(zip(missing, names, strict=True))}, ".")

"""Files: csv, tsv, parquet and jsonl, read as frames and then as what they hold."""

from pathlib import Path
from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.json import parse
from evenfold.core.words import one_line
from evenfold.read import tables as frames
from evenfold.read.plain_tables import PlainTable
from evenfold.read.results._base import READERS, Given, Long, Reader, register
from evenfold.read.tables import COLUMNAR, MOST_COLUMNS, check_cells, check_columns, require_file

_LINES = ".jsonl"
SUFFIXES = (*frames.SUFFIXES, _LINES)
_LONGEST = 2**20  # bytes of a line; a table has shorter ones
_LONGEST_ROW = 2**26  # bytes of a line of JSON, which may hold a whole conversation


@register
class Paths(Reader):
    """The path of one file that holds all algorithms."""

    key = "path"
    takes = f"a path ending in {', '.join(SUFFIXES)}"
    general = True  # a log is a path, too

    def knows(self, table: Any, given: Given) -> bool:  # noqa: ARG002  (one signature)
        return is_path(table)

    def read(self, table: Any, given: Given) -> Long:
        frame = read_frame(Path(table))
        key = next(
            key
            for key in ("inspect", "battles", "long", "wide")
            if READERS[key].knows(frame, given)
        )
        return READERS[key].read(frame, given)


def is_path(one: Any) -> bool:
    """Whether this is the path of a file of results, or was meant to be one."""
    return isinstance(one, Path) or (isinstance(one, str) and one.lower().endswith(SUFFIXES))


def read_frame(path: Path) -> Any:
    """Read a file into a frame; ids and labels stay the texts that they are."""
    require_file(path, "table")
    if not path.name.lower().endswith(SUFFIXES):
        refuse("table", f"a file that ends in {', '.join(SUFFIXES)}", path.name)
    require_lines(path, binary=path.suffix.lower() in (".gz", *COLUMNAR))
    if path.suffix.lower() == _LINES:
        return _jsonl(path)
    return frames.read_frame(path, verbatim=True, most_columns=MOST_COLUMNS)


def require_lines(path: Path, *, binary: bool) -> None:
    """Refuse a file that is empty, or text without line breaks, before a parser swallows it."""
    if not path.stat().st_size:
        refuse("table", "a file with rows", path.name, "it is empty")
    if binary:
        return
    with path.open("rb") as file:
        if b"\n" not in (head := file.read(_LONGEST)) and len(head) == _LONGEST:
            refuse(
                "table",
                f"a file with lines below {_LONGEST} bytes",
                path.name,
                "the first is longer",
            )


def _jsonl(path: Path) -> Any:
    rows = json_rows(path)
    if not rows:
        refuse("table", "a file with rows", path.name)
    names = dict.fromkeys(name for row in rows for name in row)
    check_columns(path, len(names))
    check_cells(path, len(names) * len(rows))  # a row that lacks a column takes room for it, too
    return PlainTable.of({name: [row.get(name) for row in rows] for name in names})


def json_rows(path: Path) -> list[dict[str, Any]]:
    """Read one JSON object per line."""
    rows = []
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_ROW + 1), b""), start=1):
            where = f"{path.name}, line {number}"
            if len(line) > _LONGEST_ROW:
                refuse("table", f"a file with lines below {_LONGEST_ROW} bytes", where)
            if not line.strip():
                continue
            try:
                row = parse(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except UnicodeDecodeError:
                refuse("table", "a file in UTF-8", where)
            except ValueError as reason:
                refuse("table", "one JSON object per line", where, one_line(reason)[:120])
            if not isinstance(row, dict):
                refuse("table", "one JSON object per line", where)
            rows.append(row)
    return rows

"""Files: csv, tsv, parquet and jsonl, read as frames and then as what they hold."""

import csv
import json
import warnings
from pathlib import Path
from typing import Any

from evenfold.core.checks import refuse
from evenfold.read.results._base import READERS, Given, Long, Reader, register

SEPARATORS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (*SEPARATORS, ".parquet", ".pq", ".jsonl")
_LONGEST = 2**20  # bytes of a line; a table has shorter ones


@register
class Paths(Reader):
    """The path of one file that holds all algorithms."""

    key = "path"
    takes = f"a path ending in {', '.join(SUFFIXES)}"

    def knows(self, table: Any, given: Given) -> bool:  # noqa: ARG002  (one signature)
        return is_path(table)

    def read(self, table: Any, given: Given) -> Long:
        frame = read_frame(Path(table))
        key = next(key for key in ("inspect", "long", "wide") if READERS[key].knows(frame, given))
        return READERS[key].read(frame, given)


def is_path(one: Any) -> bool:
    """Whether this is the path of a file of results, or was meant to be one."""
    return isinstance(one, Path) or (isinstance(one, str) and one.lower().endswith(SUFFIXES))


def read_frame(path: Path) -> Any:
    """Read a file into a frame; ids and labels stay the texts that they are."""
    if path.is_dir() or not path.exists():
        refuse("table", "a file", str(path), "it is a folder" if path.is_dir() else "there is no such file")
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        refuse("table", f"a file that ends in {', '.join(SUFFIXES)}", path.name)
    require_lines(path, binary=suffix in (".parquet", ".pq"))
    read = _separated if suffix in SEPARATORS else _jsonl if suffix == ".jsonl" else _parquet
    frame = read(path)
    if not len(frame):
        refuse("table", "a file with rows", path.name)
    return frame


def require_lines(path: Path, *, binary: bool) -> None:
    """Refuse a file that is empty, or text without line breaks, before a parser swallows it."""
    if not path.stat().st_size:
        refuse("table", "a file with rows", path.name, "it is empty")
    if binary:
        return
    with path.open("rb") as file:
        if b"\n" not in (head := file.read(_LONGEST)) and len(head) == _LONGEST:
            refuse("table", f"a file with lines below {_LONGEST} bytes", path.name, "the first is longer")


def _separated(path: Path) -> Any:
    import pandas as pd

    separator = SEPARATORS[path.suffix.lower()]
    try:
        _require_header(path, separator)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # rows longer than the header
            return pd.read_csv(
                path, sep=separator, dtype=str, keep_default_na=False, index_col=False, encoding="utf-8-sig"
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, UnicodeDecodeError, csv.Error) as reason:
        refuse("table", "a readable table in UTF-8", path.name, str(reason).strip().splitlines()[0])


def _require_header(path: Path, separator: str) -> None:
    """Refuse doubled names, which pandas would rename, and a header that another separator cuts."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = next(csv.reader(file, delimiter=separator), [])
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        refuse("table", "one whose columns are named once", f"{doubled[0]!r} twice in {path.name}")
    if len(header) == 1:
        other = next((one for one in ";\t,|" if one != separator and one in header[0]), None)
        why = f"is it separated by {other!r}?" if other else "it has one column"
        refuse("table", f"separated by {separator!r}", header[0], why)


def _parquet(path: Path) -> Any:
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except (OSError, ValueError, ImportError) as reason:
        refuse("table", "a readable Parquet file", path.name, str(reason).strip().splitlines()[0])


def _jsonl(path: Path) -> Any:
    import pandas as pd

    return pd.DataFrame(json_rows(path))


def json_rows(path: Path) -> list[dict[str, Any]]:
    """Read one JSON object per line."""
    rows = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as reason:
                refuse("table", "one JSON object per line", f"{path.name}, line {number}", str(reason))
            if not isinstance(row, dict):
                refuse("table", "one JSON object per line", f"{path.name}, line {number}")
            rows.append(row)
    return rows

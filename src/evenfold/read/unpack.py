"""Compressed files: what they unpack to is measured before it is held in memory."""

import gzip
import zlib
from pathlib import Path

from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput

_PLENTY = 64 * 2**20  # bytes that any file may unpack to
_TIMES = 100  # above that, so many times its own size: tables shrink to a tenth, bombs to a thousandth
_PIECE = 2**20
MOST_COLUMNS = 10_000  # of a table of results: algorithms, ids and classes
MOST_FEATURES = 50_000  # of a table of data

UNREADABLE = (gzip.BadGzipFile, EOFError, zlib.error)
"""What damaged gzip files raise."""


def require_file(path: Path, name: str = "data") -> None:
    """Refuse what is no file."""
    if path.is_dir() or not path.exists():
        refuse(name, "a file", str(path), "it is a folder" if path.is_dir() else "there is no such file")


def check_gzip(path: Path) -> None:
    """Refuse a gzipped file that unpacks to far more than it should, by reading it piece by piece."""
    if path.stat().st_size * 1032 <= _PLENTY:  # deflate packs at most 1032 bytes into one
        return
    limit, seen = _limit(path), 0
    with gzip.open(path) as file:
        while piece := file.read(_PIECE):
            seen += len(piece)
            if seen > limit:
                refuse_bomb(path, seen)


def check_cells(path: Path, cells: int) -> None:
    """Refuse a table of columns that would hold far more than its file does, by what its header says."""
    check_unpacked(path, 8 * cells)


def check_columns(path: Path, count: int, most: int = MOST_COLUMNS) -> None:
    """Refuse a table of more columns than anyone has: each takes a thousand bytes and a moment."""
    if count > most:
        refuse("table", f"one of at most {most} columns", f"{count} or more in {path.name}")


def check_unpacked(path: Path, size: int) -> None:
    """Refuse a file that would take far more memory than it does on the disk."""
    if size > _limit(path):
        refuse_bomb(path, size)


def _limit(path: Path) -> int:
    return max(_PLENTY, _TIMES * path.stat().st_size)


def refuse_bomb(path: Path, size: int) -> None:
    """Say that a file unpacks to too much."""
    raise InvalidInput(
        f"{path.name} unpacks to {size / 2**20:.0f} MB or more, over {_TIMES} times its size; "
        f"unpack it yourself if you trust it"
    )

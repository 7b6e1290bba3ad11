"""
The base class of formats of logs of evaluation programs, and the reader that finds the format.

A format knows its documents and returns one item per answer. The reader makes long columns of the
items, whichever program wrote them.
"""

import os
import struct
import sys
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from evenfold.core.checks import refuse
from evenfold.core.environment import require
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.inputs import TASK
from evenfold.core.json import parse
from evenfold.core.registry import Registry
from evenfold.core.words import count, reason
from evenfold.read.results.base import FileDescription, LongTable, Reader, ReadingOptions, register
from evenfold.read.results.files import json_rows, read_frame
from evenfold.read.tables import UNREADABLE, check_unpacked

Document = Any  # what a file holds: JSON, rows of JSON lines, or a frame


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Item:
    """
    One answer of one algorithm.

    Attributes
    ----------
    example : str
        The id of what was asked: the same in every log about the same question.
    scores : mapping of str to value
        What it was given, by the name of the score; None where the program could not score it.
    algorithm : str
        Who answered, as far as the log says it.
    run : int
        Which of several answers to the same question.
    task : str
        Which benchmark the question is from, as far as the log says it.
    """

    example: str
    scores: Mapping[str, Any]
    algorithm: str = ""
    run: int = 0
    task: str = ""


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Log:
    """The items of one document, and the scores of which the program says that more is better."""

    items: list[Item]
    higher: frozenset[str] = field(default_factory=frozenset)


class LogFormat(ABC):
    """
    One format of logs; a file registers one instance of its own in :data:`FORMATS`.

    Attributes
    ----------
    key, program : str
        The name of the format, and of who writes it, for people.
    provisional : bool
        Whether it was read off a program's source or documentation only, and may change with it.
    files : tuple of str
        Patterns of the file names in a folder of such logs.
    """

    key: ClassVar[str]
    program: ClassVar[str]
    files: ClassVar[tuple[str, ...]]
    provisional: ClassVar[bool] = True

    @abstractmethod
    def knows(self, document: Document, path: Path) -> bool:
        """
        Whether this is a document of the format; looks, but does not read.

        A KeyError, TypeError, AttributeError or IndexError means that it is not.
        """

    @abstractmethod
    def read(self, document: Document, path: Path) -> Log:
        """Return its items; what is not of this format raises KeyError, TypeError, ValueError."""


FORMATS: Registry[LogFormat] = Registry("log format", "evenfold.log_formats")


def register_format(form: type[LogFormat]) -> type[LogFormat]:
    """Put a format on the shelf: a decorator of its class."""
    FORMATS.add(form.key, form())
    return form


def text_id(*parts: Any) -> str:
    """
    A short id of a question that a log knows by its text only: equal texts have equal ids.

    Examples
    --------
    >>> text_id("What is 2 + 2?") == text_id("What is 2 + 2?") != text_id("What is 2 + 3?")
    True
    """
    text = "\0".join(str(part) for part in parts)
    start = " ".join(text.split())[:24]
    return f"{start} #{blake2b(text.encode(), digest_size=5).hexdigest()}"


def number_runs(items: Iterator[Item]) -> list[Item]:
    """Number the answers to one question by one algorithm as its runs, in the order of the log."""
    seen: dict[tuple[str, str, str], int] = {}
    found = []
    for item in items:
        key = item.algorithm, item.task, item.example
        seen[key] = seen.get(key, 0) + 1
        found.append(replace(item, run=seen[key]))
    return found


def require_finished(finished: bool, path: Path, status: str) -> None:
    """Refuse the log of a run that did not come to its end: half of the answers are no answer."""
    if not finished:
        refuse(
            "log",
            f"The run of a log must have finished, but {path.name} has {status}.",
            "Run it to its end.",
        )


# The reader: it finds the format of a file or folder.


_LARGEST_BYTES = 2**30
_HEAD_BYTES = 2**14
_MOST_FILES = 20_000
_ZSTANDARD = 93  # how a zip file calls it
_DAMAGED = (  # what archives raise that are torn, encrypted or packed in a way nobody knows
    zipfile.BadZipFile,
    KeyError,
    OSError,
    ValueError,
    RuntimeError,
    MemoryError,
    struct.error,
    *UNREADABLE,
)
_RIGHT_OR_WRONG = ("success", "correct")  # what programs call it
_SUFFIXES = (".json", ".eval", ".jsonl", ".csv", ".tsv", ".parquet")


@register
class Logs(Reader):
    """
    A log of an evaluation program, or a mapping of algorithms to logs, one or several of each.

    Formats of other packages are announced by entry points of the group ``evenfold.log_formats``.
    """

    key = "logs"
    takes = (
        "a log of promptfoo, Inspect, HELM, DeepEval, OpenAI evals, Ragas or lighteval, or "
        "one per algorithm"
    )

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        if isinstance(table, Mapping):
            return bool(table) and all(bool(log_paths(one)) for one in table.values())
        return bool(log_paths(table))

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        if not isinstance(table, Mapping):
            logs = [_log(path) for path in log_paths(table)]
            _require_names(item for log in logs for item in log.items)
            return _long_columns(logs, None, options)
        logs = [
            _name_items(_log(path), str(name))
            for name, one in table.items()
            for path in log_paths(one)
        ]
        return _long_columns(logs, [str(name) for name in table], options)

    def describe(self, path: Path) -> FileDescription | None:
        paths = log_paths(path)
        if not paths:
            return None
        form = format_of(paths[0])
        kind = f"{count(len(paths), 'log')} of {form.program if form else ''}"
        return FileDescription(kind=kind, scores=score_names(paths))


def _name_items(log: Log, name: str) -> Log:
    return replace(log, items=[replace(item, algorithm=name) for item in log.items])


def log_paths(one: Any) -> list[Path]:
    """Return the log files of a path, a folder or several of them; none if one is not a log."""
    if isinstance(one, (str, Path)):
        path = Path(one)
        if path.is_dir():
            return _files_in_folder(path)
        return [path] if path.is_file() and format_of(path) is not None else []
    if isinstance(one, Sequence) and one and all(isinstance(part, (str, Path)) for part in one):
        each = [log_paths(part) for part in one]
        if all(each):
            return [path for paths in each for path in paths]
    return []


def _files_in_folder(folder: Path) -> list[Path]:
    """The files of the first format that has any in a folder or below."""
    inside = _files_of(folder)
    for form in FORMATS.values():
        there = [path for path in inside if any(path.match(pattern) for pattern in form.files)]
        found = [path for path in there if format_of(path) is form]
        if found:
            return found
    return []


def _files_of(folder: Path) -> list[Path]:
    """The files of a folder and below, in order; a whole disk is nobody's folder of logs."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(place) / name for name in sorted(names)]
        if len(found) > _MOST_FILES:
            refuse(
                "table",
                f"table must be a folder with at most {_MOST_FILES:,} files, but {folder} has "
                "more.",
                "Name the folder of the logs.",
            )
    return found


def format_of(path: Path) -> LogFormat | None:
    """The format of a log file; None where it is none, or no file that can be read."""
    try:
        if not _may_be_log(path):
            return None
        document = load_document(path)
    except (EvenfoldError, OSError):
        return None
    return next((form for form in FORMATS.values() if _knows(form, document, path)), None)


def _may_be_log(path: Path) -> bool:
    """Whether the name and the first bytes allow a log, so that plain tables are not read twice."""
    suffix = path.suffix.lower()
    if suffix in (".json", ".eval"):
        return True
    if suffix == ".parquet":
        return path.name.startswith("details_")
    if suffix not in _SUFFIXES:
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if suffix == ".jsonl":
        return b'"spec"' in head
    first = next(iter(head.splitlines()), b"")
    return b"user_input" in first and b"response" in first


def _knows(form: LogFormat, document: Document, path: Path) -> bool:
    try:
        return form.knows(document, path)
    except (KeyError, TypeError, AttributeError, IndexError):
        return False


def load_document(path: Path) -> Document:
    """What a file holds, read once as long as it does not change."""
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise InvalidInput(f"{path.name} is not a log of a known program.")
    about = path.stat()
    if about.st_size > _LARGEST_BYTES:
        _refuse_large(path)
    return _load_document(path.absolute(), about.st_mtime_ns, about.st_size)


def _refuse_large(path: Path) -> NoReturn:
    refuse("log", f"A log must hold at most {_LARGEST_BYTES:,} bytes, but {path.name} holds more.")


@lru_cache(maxsize=4)
def _load_document(path: Path, changed: int, size: int) -> Document:  # noqa: ARG001  (what makes it another file)
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        return json_rows(path)
    if suffix == ".eval":
        return _archive(path)
    if suffix == ".json":
        return _parse_json(path.read_bytes(), path.name)
    return read_frame(path)


def _parse_json(content: bytes, name: str) -> Any:
    try:
        return parse(content)
    except ValueError as error:
        raise InvalidInput(f"{name} is not JSON: {reason(error)}.") from error


def _archive(path: Path) -> dict[str, Any]:
    """The header of an Inspect archive with its samples: their summaries, or themselves."""
    try:
        with zipfile.ZipFile(path) as file:
            names = file.namelist()
            size = sum(one.file_size for one in file.infolist())
            if size > _LARGEST_BYTES:
                _refuse_large(path)
            check_unpacked(path, size)
            header = _parse_json(unpack(file, "header.json"), path.name)
            if "summaries.json" in names:
                samples = _parse_json(unpack(file, "summaries.json"), path.name)
            else:
                inside = sorted(name for name in names if name.startswith("samples/"))
                samples = [_parse_json(unpack(file, name), path.name) for name in inside]
    except EvenfoldError:
        raise
    except _DAMAGED as error:
        raise InvalidInput(
            f"{path.name} is not a finished log of Inspect: {reason(error)}."
        ) from error
    if not isinstance(header, dict):
        raise InvalidInput(f"{path.name} is not a log of Inspect: its header is not an object.")
    return {**header, "samples": samples}


def unpack(file: zipfile.ZipFile, name: str) -> bytes:
    """
    Read one file of an archive.

    Inspect packs with Zstandard, which :mod:`zipfile` knows from Python 3.14 on.
    """
    info = file.getinfo(name)
    if info.compress_type != _ZSTANDARD or sys.version_info >= (3, 14):
        return file.read(name)
    require("pyarrow", "a log packed with Zstandard")
    import pyarrow as pa

    if file.fp is None:
        raise zipfile.BadZipFile("the archive is closed")
    file.fp.seek(info.header_offset)
    # of the name and of the extra field, before the data
    lengths = struct.unpack("<26xHH", file.fp.read(30))
    file.fp.seek(sum(lengths), 1)
    packed = file.fp.read(info.compress_size)
    unpacked: bytes = pa.Codec("zstd").decompress(
        packed, decompressed_size=info.file_size, asbytes=True
    )
    return unpacked


def _log(path: Path) -> Log:
    form = format_of(path)
    if form is None:
        refuse("log", f"{path.name} is not a log of a known program.")
    try:
        log = form.read(load_document(path), path)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        if isinstance(error, EvenfoldError):
            raise
        raise InvalidInput(
            f"{path.name} is not as {form.program} writes it: {type(error).__name__} "
            f"{reason(error)}."
        ) from error
    if not log.items:
        refuse("log", f"{path.name} has no answers.")
    return log


def score_names(paths: Iterable[Path]) -> tuple[str, ...]:
    """The names of the scores that logs have, in their order."""
    names = (name for path in paths for item in _log(path).items for name in item.scores)
    return tuple(dict.fromkeys(names))


def _require_names(items: Iterable[Item]) -> None:
    if any(not item.algorithm for item in items):
        refuse(
            "table",
            "table must be a mapping of algorithms to logs, because these logs do not name them.",
            'Write {"main": "main.json", "branch": "branch.json"}, or use --baseline and '
            "--candidate.",
        )


def _long_columns(logs: list[Log], names: list[str] | None, options: ReadingOptions) -> LongTable:
    """Columns of the items by one of their scores."""
    items = [item for log in logs for item in log.items]
    score = _score(items, options)
    tasks = {item.task for item in items}
    apart = len(tasks) > 1
    columns: dict[str, Any] = {
        "algorithm": [item.algorithm for item in items],
        "example": [f"{item.task}/{item.example}" if apart else item.example for item in items],
        "value": [item.scores.get(score) for item in items],
    }
    if len({item.run for item in items}) > 1:
        columns["run"] = [item.run for item in items]
    if apart:
        columns["dataset" if options.rows == "data sets" else TASK] = [item.task for item in items]
    return LongTable(
        columns=columns,
        names=names,
        measure=score,
        higher_is_better=any(score in log.higher for log in logs) or None,
    )


def _score(items: list[Item], options: ReadingOptions) -> str:
    """Which score is meant: the one asked for, right/wrong by its usual names, or the only one."""
    names = list(dict.fromkeys(name for item in items for name in item.scores))
    usual = [name for name in _RIGHT_OR_WRONG if name in names]
    if (
        usual
        and options.measure not in names
        and (options.measure is None or options.right_or_wrong)
    ):
        return usual[0]
    if options.right_or_wrong and options.measure not in names and len(names) == 1:
        return names[0]
    return options.score(names, "The log has several scores.")

"""
The base class of formats of logs of evaluation programs, and the reader that finds the format.

Each format recognises its documents and returns one item per answer. The reader turns the items
into long columns, whichever program wrote them.
"""

import os
import struct
import sys
import zipfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from evenfold.core.checks import refuse
from evenfold.core.environment import require
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.inputs import TASK
from evenfold.core.registry import Registry
from evenfold.core.words import count, reason
from evenfold.evals.documents import find_format, parse_json, refuse_malformed
from evenfold.read.results import base
from evenfold.read.results.base import FileDescription, LongTable, Reader, ReadingOptions
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
        The id of the question. A question has the same id in every log.
    scores : mapping of str to value
        The value of each score by its name. A value is None if the program could not score the
        answer.
    algorithm : str
        The algorithm that answered. It is empty if the log does not name the algorithm.
    run : int, optional
        The number of this answer among several answers to the same question. The reader numbers
        answers without a number in the order of the log.
    task : str
        The benchmark that the question is from. It is empty if the log does not name the benchmark.
    """

    example: str
    scores: Mapping[str, Any]
    algorithm: str = ""
    run: int | None = None
    task: str = ""


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Log:
    """The items of one document, and the names of the scores that are better when higher."""

    items: list[Item]
    higher: frozenset[str] = field(default_factory=frozenset)


class LogFormat(ABC):
    """
    One format of logs. Each module of a format registers one instance in :data:`FORMATS`.

    Attributes
    ----------
    key : str
        The name of the format.
    program : str
        The name of the program that writes the format, as people know it.
    provisional : bool
        Whether the format is known only from the source code or the documentation of the program,
        so that a new release of the program may change it.
    files : tuple of str
        The patterns of the names of such logs in a folder.
    """

    key: ClassVar[str]
    program: ClassVar[str]
    files: ClassVar[tuple[str, ...]]
    provisional: ClassVar[bool] = True

    @abstractmethod
    def knows(self, document: Document, path: Path) -> bool:
        """
        Return whether a document has this format, without reading its answers.

        A KeyError, TypeError, AttributeError or IndexError means that the document has another
        format.
        """

    @abstractmethod
    def read(self, document: Document, path: Path) -> Log:
        """
        Return the items of a document.

        A document that breaks the rules of the format may raise KeyError, TypeError,
        AttributeError, ValueError, IndexError or OverflowError.
        """


FORMATS: Registry[LogFormat] = Registry("log format", "evenfold.log_formats")


def register(form: type[LogFormat]) -> type[LogFormat]:
    """Register a format of logs: a decorator of its class."""
    FORMATS.add(form.key, form())
    return form


def text_id(*parts: Any) -> str:
    """
    Return a short id of a question that has no id in its log. Equal texts have equal ids.

    Examples
    --------
    >>> text_id("What is 2 + 2?") == text_id("What is 2 + 2?") != text_id("What is 2 + 3?")
    True
    """
    text = "\0".join(str(part) for part in parts)
    start = " ".join(text.replace("\0", " ").split())[:24]
    return f"{start} #{blake2b(text.encode(), digest_size=5).hexdigest()}"


def _number_runs(items: list[Item]) -> list[Item]:
    """Number the answers to one question by one algorithm where the log does not number them."""
    seen: Counter[tuple[str, str, str]] = Counter()
    numbered = []
    for item in items:
        key = item.algorithm, item.task, item.example
        seen[key] += 1
        numbered.append(item if item.run is not None else replace(item, run=seen[key]))
    return numbered


def require_finished(finished: bool, path: Path, status: str) -> None:
    """Refuse the log of a run that did not finish, because some of its answers are missing."""
    if not finished:
        refuse(
            "log",
            f"The run of a log must have finished, but {path.name} has {status}.",
            "Repeat the run and let it finish.",
        )


# The reader: it finds the format of a file or folder.


_LARGEST_BYTES = 2**30
_HEAD_BYTES = 2**14
_MOST_FILES = 20_000
_ZSTANDARD = 93  # the number of this compression method in a zip file
_DAMAGED = (  # what reading an archive raises that is torn, encrypted or packed in an unknown way
    zipfile.BadZipFile,
    KeyError,
    OSError,
    ValueError,
    RuntimeError,
    MemoryError,
    struct.error,
    *UNREADABLE,
)
_RIGHT_OR_WRONG = ("success", "correct")  # the names that programs give to right or wrong
_SUFFIXES = (".json", ".eval", ".jsonl", ".csv", ".tsv", ".parquet")


@base.register
class Logs(Reader):
    """
    A log of an evaluation program, or a mapping of each algorithm to one or several logs.

    Formats of other packages are announced by entry points of the group ``evenfold.log_formats``.
    """

    key = "logs"
    takes = (
        "a log of promptfoo, Inspect, HELM, DeepEval, OpenAI evals, Ragas or lighteval, or "
        "one per algorithm"
    )

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        if isinstance(table, Mapping):
            return bool(table) and all(find_logs(source) for source in table.values())
        return bool(find_logs(table))

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        if not isinstance(table, Mapping):
            logs = [_read_log(*entry) for entry in find_logs(table)]
            _require_names(item for log in logs for item in log.items)
            return _long_columns(logs, None, options)
        logs = [
            _name_items(_read_log(*entry), str(name))
            for name, source in table.items()
            for entry in find_logs(source)
        ]
        return _long_columns(logs, [str(name) for name in table], options)

    def describe(self, path: Path) -> FileDescription | None:
        logs = find_logs(path)
        if not logs:
            return None
        _, form = logs[0]
        items = [item for entry in logs for item in _read_log(*entry).items]
        kind = f"{count(len(logs), 'log')} of {form.program}"
        return FileDescription(kind=kind, scores=_score_names(items))


def _name_items(log: Log, name: str) -> Log:
    return replace(log, items=[replace(item, algorithm=name) for item in log.items])


def find_logs(source: Any) -> list[tuple[Path, LogFormat]]:
    """
    Return the logs of a path, a folder or several of them, each with its format.

    Nothing is returned if any of them is not a log.
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        if path.is_dir():
            return _logs_in_folder(path)
        form = format_of(path) if path.is_file() else None
        return [] if form is None else [(path, form)]
    if not isinstance(source, Sequence) or not all(
        isinstance(part, (str, Path)) for part in source
    ):
        return []
    parts = [find_logs(part) for part in source]
    if not all(parts):
        return []
    return [entry for part in parts for entry in part]


def _logs_in_folder(folder: Path) -> list[tuple[Path, LogFormat]]:
    """Return the logs of the first format that has any in a folder or its subfolders."""
    inside = _files_of(folder)
    for form in FORMATS.values():
        candidates = [path for path in inside if any(path.match(pattern) for pattern in form.files)]
        logs = [(path, form) for path in candidates if format_of(path) is form]
        if logs:
            return logs
    return []


def _files_of(folder: Path) -> list[Path]:
    """Return the files of a folder and its subfolders in order, and refuse a very large folder."""
    files: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        files += [Path(place) / name for name in sorted(names)]
        if len(files) > _MOST_FILES:
            refuse(
                "table",
                f"table must be a folder with at most {_MOST_FILES:,} files, but {folder} has "
                "more.",
                "Pass the folder that holds only the logs.",
            )
    return files


def format_of(path: Path) -> LogFormat | None:
    """Return the format of a log file; None if the file is not a log or cannot be read."""
    try:
        if not _may_be_log(path):
            return None
        document = load_document(path)
    except (EvenfoldError, OSError):
        return None
    return find_format(FORMATS, document, path)


def _may_be_log(path: Path) -> bool:
    """
    Return whether a file may be a log, judged by its name and its first bytes.

    This check is fast, so that plain tables are not read twice.
    """
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


def load_document(path: Path) -> Document:
    """Return the content of a file, which is read once as long as the file does not change."""
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
def _load_document(path: Path, changed: int, size: int) -> Document:  # noqa: ARG001  (keys of the cache)
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        return json_rows(path)
    if suffix == ".eval":
        return _archive(path)
    if suffix == ".json":
        return parse_json(path.read_bytes(), path.name)
    return read_frame(path)


def _archive(path: Path) -> dict[str, Any]:
    """
    Return the header of an Inspect archive together with its samples.

    If the archive has summaries of the samples, the summaries are read instead of the samples.
    """
    try:
        with zipfile.ZipFile(path) as file:
            names = file.namelist()
            size = sum(member.file_size for member in file.infolist())
            if size > _LARGEST_BYTES:
                _refuse_large(path)
            check_unpacked(path, size)
            header = parse_json(unpack(file, "header.json"), path.name)
            if "summaries.json" in names:
                samples = parse_json(unpack(file, "summaries.json"), path.name)
            else:
                inside = sorted(name for name in names if name.startswith("samples/"))
                samples = [parse_json(unpack(file, name), path.name) for name in inside]
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
    # the name and the extra field, of these lengths, stand between the header and the data
    lengths = struct.unpack("<26xHH", file.fp.read(30))
    file.fp.seek(sum(lengths), 1)
    packed = file.fp.read(info.compress_size)
    unpacked: bytes = pa.Codec("zstd").decompress(
        packed, decompressed_size=info.file_size, asbytes=True
    )
    return unpacked


def _read_log(path: Path, form: LogFormat) -> Log:
    with refuse_malformed(path, f"a log of {form.program}"):
        log = form.read(load_document(path), path)
    if not log.items:
        refuse("log", f"A log must hold at least one answer, but {path.name} holds none.")
    return replace(log, items=_number_runs(log.items))


def _score_names(items: Iterable[Item]) -> tuple[str, ...]:
    """Return the names of the scores, in the order in which they first appear."""
    return tuple(dict.fromkeys(name for item in items for name in item.scores))


def _require_names(items: Iterable[Item]) -> None:
    if any(not item.algorithm for item in items):
        refuse(
            "table",
            "table must be a mapping of algorithms to logs, because these logs do not name them.",
            'Write {"main": "main.json", "branch": "branch.json"}, or use --baseline and '
            "--candidate.",
        )


def _long_columns(logs: list[Log], names: list[str] | None, options: ReadingOptions) -> LongTable:
    """Return the items as long columns, with the values of one score."""
    items = [item for log in logs for item in log.items]
    score = _score(items, options)
    tasks = [item.task for item in items]
    several_tasks = len(set(tasks)) > 1
    columns: dict[str, Any] = {
        "algorithm": [item.algorithm for item in items],
        "example": [item.example for item in items],
        "value": [item.scores.get(score) for item in items],
    }
    if len({item.run for item in items}) > 1:
        columns["run"] = [item.run for item in items]
    if several_tasks:
        columns["example"] = [f"{item.task}/{item.example}" for item in items]
        columns["dataset" if options.rows == "data sets" else TASK] = tasks
    return LongTable(
        columns=columns,
        names=names,
        measure=score,
        higher_is_better=any(score in log.higher for log in logs) or None,
    )


def _score(items: list[Item], options: ReadingOptions) -> str:
    """Return the requested score, the score that says right or wrong, or the only score."""
    names = _score_names(items)
    right_or_wrong = [name for name in _RIGHT_OR_WRONG if name in names]
    if options.measure not in names:
        if right_or_wrong and (options.measure is None or options.right_or_wrong):
            return right_or_wrong[0]
        if options.right_or_wrong and len(names) == 1:
            return names[0]
    return options.score(names, "The log has several scores.")

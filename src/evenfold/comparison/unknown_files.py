"""What a file that holds no results is, and what evenfold can do with it, if anything."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from evenfold.core.errors import EvenfoldError
from evenfold.core.inputs import is_number
from evenfold.core.json import parse
from evenfold.core.words import count, list_first_values, one_line
from evenfold.read.estimators import FOREST, LINEAR
from evenfold.read.results.files import SUFFIXES, read_frame

_HEAD = 2**16  # bytes that are looked at
_MOST_JSON = 2**26  # bytes of a JSON file that is read whole
_TARGETS = ("target", "label", "y", "class", "outcome", "response", "diagnosis")
_MOST_CLASSES = 20  # different whole numbers; more are taken for counts
_FEWEST_ROWS = 10  # to tell a column of ids by its different values
_SIGNS = {",": ".csv", ";": ".csv", "\t": ".tsv", "|": ".csv"}
_STARTS = {
    b"SQLite format 3": "an SQLite database",
    b"PK\x03\x04": "a zip archive, as Excel's workbooks are",
    b"\x80\x04": "a pickle of Python, which evenfold never opens",
    b"\x80\x05": "a pickle of Python, which evenfold never opens",
    b"\x89PNG": "a picture",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a file packed by gzip",
}


def describe_file(path: Path, reason: str) -> dict[str, str]:
    """
    Return rows about a file that ``judge`` refuses, by name: kind, holds, answers, next.

    ``reason`` is what ``judge`` said.
    """
    if path.is_dir():
        return _describe_folder(path)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        return {"kind": "an empty file", "next": "nothing can be done with it"}
    kind = next(
        (description for start, description in _STARTS.items() if head.startswith(start)), ""
    )
    if kind.startswith("an SQLite"):
        return _describe_store(path)
    if path.name.lower().endswith(SUFFIXES):
        return _describe_table(path, reason)
    if kind:
        return {"kind": kind, "next": "save its table as CSV, and ask again"}
    if b"\0" in head:
        return {"kind": f"bytes that are no text ({_format_size(path)})", "next": _READS}
    return _describe_text(path, head.decode("utf-8", errors="replace"))


_READS = f"evenfold reads tables ({', '.join(SUFFIXES)}) and logs of evaluation programs"


def _format_size(path: Path) -> str:
    return count(path.stat().st_size, "byte")


def _describe_folder(path: Path) -> dict[str, str]:
    tables = sorted(file.name for file in path.iterdir() if file.name.lower().endswith(SUFFIXES))
    if not tables:
        return {"kind": "a folder without tables and logs", "next": _READS}
    return {
        "kind": f"a folder with {count(len(tables), 'table')}: {list_first_values(tables)}",
        "answers": "if they are data: are the algorithms different on a new data set?",
        "next": f"evenfold compare {quote(str(path))} --target COLUMN; or evenfold doctor for one "
        "of them",
    }


def _describe_store(path: Path) -> dict[str, str]:
    from evenfold.comparison.reopen import runs

    file = quote(str(path))
    try:
        held = len(runs(path))
    except EvenfoldError as error:
        return {
            "kind": "an SQLite database that is no store of evenfold",
            "answers": f"nothing: {one_line(error)}",
            "next": "export its table as CSV, and ask again",
        }
    return {
        "kind": "a store of evenfold",
        "holds": count(held, "run"),
        "answers": "what its runs were asked, again and with other measures, without a fit",
        "next": f"evenfold runs {file}; evenfold report RUN --store {file}",
    }


# Tables: of data to learn from, or of results that lack something.


def _describe_table(path: Path, reason: str) -> dict[str, str]:
    try:
        frame = read_frame(path)
    except EvenfoldError as error:
        return {
            "kind": f"no table that can be read ({one_line(error)})",
            "holds": _format_size(path),
            "next": "mend the file, and ask again",
        }
    names = [str(name) for name in frame.columns]
    shape = f"{count(len(frame), 'row')}, {count(len(names), 'column')}: {list_first_values(names)}"
    if _looks_like_results(names):
        return {
            "kind": "a table of results",
            "holds": shape,
            "answers": f"nothing yet: {reason}",
            "next": "mend what is said above, and ask again",
        }
    if len(names) < 2:
        return {"kind": "a table with one column", "holds": shape, "next": _READS}
    target = _guess_target(path, frame, names)
    labels = _has_labels(frame, target)
    ids = [name for name in names if name != target and _is_id(frame, name)]
    left_out = "".join(f"--drop {quote(name)} " for name in ids)
    kind = "a table of data"
    if reason:
        kind = f"{kind}, unless it holds results ({reason})"
    return {
        "kind": kind,
        "holds": f"{shape}; the target is probably {target!r}",
        "answers": "which algorithm predicts the target better?",
        "next": f"evenfold compare {quote(str(path))} --target {quote(target)} "
        f"{left_out}--a {LINEAR[labels]} --b {FOREST[labels]}",
    }


_WORDS_OF_RESULTS = {
    *("algorithm", "model", "model_name", "model_id", "prediction", "y_pred", "correct"),
    *("is_correct", "passed", "model_a", "model_b", "winner"),
}


def _looks_like_results(names: Sequence[str]) -> bool:
    return bool(_WORDS_OF_RESULTS & {name.lower() for name in names})


def _guess_target(path: Path, frame: Any, names: Sequence[str]) -> str:
    """
    Return the column that is probably to be predicted.

    One with a usual name, else one that the file is called by, else the last that is no id.
    """
    lower = {name.lower(): name for name in names}
    stem = path.name.partition(".")[0].lower()
    for word in (*_TARGETS, stem):
        if word in lower:
            return lower[word]
    candidates = [name for name in reversed(names) if not _is_id(frame, name)]
    return next(iter(candidates), names[-1])


def _has_labels(frame: Any, name: str) -> bool:
    """Whether a column holds classes: words, or few different whole numbers."""
    entries = {str(entry) for entry in np.asarray(frame[name]).tolist() if entry is not None}
    if not all(map(is_number, entries)):
        return True
    return len(entries) <= _MOST_CLASSES and all(float(entry).is_integer() for entry in entries)


def _is_id(frame: Any, name: str) -> bool:
    """Whether a column has another text or whole number in every row."""
    entries = [str(entry) for entry in np.asarray(frame[name]).tolist()]
    if len(entries) < _FEWEST_ROWS or len(set(entries)) < len(entries):
        return False
    if not all(map(is_number, entries)):
        return True
    return all(float(entry).is_integer() for entry in entries)


# Texts under other endings.


def _describe_text(path: Path, head: str) -> dict[str, str]:
    if head.lstrip()[:1] in ("{", "["):
        return _describe_json(path)
    lines = [line for line in head.splitlines() if line.strip()]
    for sign, ending in _SIGNS.items():
        columns = {line.count(sign) for line in lines[:-1] or lines}
        if len(columns) == 1 and (k := columns.pop()) and len(lines) > 1:
            other = path.with_suffix(ending).name
            return {
                "kind": f"a text with {k + 1} columns, by its separators a table",
                "next": f"rename it to {other}, and ask evenfold doctor {quote(other)}",
            }
    if head.lstrip()[:1] == "<":
        return {"kind": "a page of HTML or XML, such as a report", "next": _READS}
    return {"kind": f"a text without columns ({_format_size(path)})", "next": _READS}


def _describe_json(path: Path) -> dict[str, str]:
    if path.stat().st_size > _MOST_JSON:
        return {"kind": "a large file of JSON", "next": _READS}
    try:
        content = parse(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        return {
            "kind": f"a text that begins like JSON but is none ({one_line(error)})",
            "next": "mend the file, and ask again",
        }
    if isinstance(content, dict) and "evenfold" in content:
        return {
            "kind": "an answer of evenfold, or what is behind one",
            "answers": "what was found, in every form of a report",
            "next": f"in Python: ef.load({str(path)!r})",
        }
    if isinstance(content, list) and content and all(isinstance(item, dict) for item in content):
        names = list_first_values(list(content[0]))
        return {
            "kind": f"a JSON list of {count(len(content), 'object')} with {names}",
            "next": f"write one object per line into {path.with_suffix('.jsonl').name}, and ask "
            "again",
        }
    return {"kind": "JSON of no program that evenfold knows", "next": _READS}

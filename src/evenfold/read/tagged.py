"""
Tagged texts from files: CoNLL columns, or lines of segmented words.

The units are sentences. If a file marks documents, each sentence knows its document.
"""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, refuse, short_repr
from evenfold.core.checks import path as checked
from evenfold.core.errors import InvalidInput
from evenfold.core.words import reason
from evenfold.read.tables import UNREADABLE, check_gzip, require_file

_DOCUMENTS = ("-DOCSTART-", "# newdoc")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TaggedText:
    """
    Sentences and their tags.

    Attributes
    ----------
    X, y : list of list of str
        Tokens and tags.
    documents : array or None
        Document of each sentence, where the file marks more than one.
    """

    X: list[list[str]]
    y: list[list[str]]
    documents: NDArray[np.int64] | None


def read_conll(path: str | Path, *, column: int | None = None) -> TaggedText:
    r"""
    Read one token per line with its tag in another column, an empty line after each sentence.

    Parameters
    ----------
    path : str or Path
        Plain or gzipped UTF-8 text.
    column : int, optional
        Number of the column with the tag, from 2; the last one by default.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> file = NamedTemporaryFile("w", suffix=".conll")
    >>> _ = file.write("Ada B-PER\nslept O\n\nall O\n"), file.flush()
    >>> text = read_conll(file.name)
    >>> text.X, text.y, text.documents
    ([['Ada', 'slept'], ['all']], [['B-PER', 'O'], ['O']], None)
    >>> file.close()
    """
    path = checked("path", path)
    if column is None:
        where = -1
    else:
        where = integer("column", column, low=2) - 1
    sentences = list(_sentences(_lines(path), path.name))
    if not sentences:
        raise InvalidInput(f"{path.name} has no sentences.")
    for _, rows in sentences:
        narrowest = min(map(len, rows))
        if where >= narrowest:
            refuse(
                "column",
                f"column must be the number of a column, from 2 to {narrowest}, but got {column}.",
            )
    documents = [document for document, _ in sentences]
    return TaggedText(
        X=[[row[0] for row in rows] for _, rows in sentences],
        y=[[row[where] for row in rows] for _, rows in sentences],
        documents=np.array(documents) if len(set(documents)) > 1 else None,
    )


def read_words(path: str | Path) -> list[list[str]]:
    r"""
    Read one sentence per line, with white space between its words.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> file = NamedTemporaryFile("w", suffix=".txt")
    >>> _ = file.write("all slept well\n\nAda sang\n"), file.flush()
    >>> read_words(file.name)
    [['all', 'slept', 'well'], ['Ada', 'sang']]
    >>> file.close()
    """
    path = checked("path", path)
    sentences = [words for line in _lines(path) if (words := line.split())]
    if not sentences:
        raise InvalidInput(f"{path.name} has no sentences.")
    return sentences


def _lines(path: Path) -> list[str]:
    require_file(path)
    try:
        raw = path.read_bytes()
        if path.suffix == ".gz":
            check_gzip(path)
            raw = gzip.decompress(raw)
        # splitlines would also cut at U+2028 inside a token
        return raw.decode("utf-8-sig").split("\n")
    except (UnicodeDecodeError, MemoryError, *UNREADABLE) as error:
        raise InvalidInput(f"{path.name} is not UTF-8 text: {reason(error)}.") from error


def _sentences(lines: Sequence[str], name: str) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield the document and the rows of each sentence."""
    document = 0
    rows: list[list[str]] = []
    for number, line in enumerate([*lines, ""], start=1):
        opens = line.startswith(_DOCUMENTS)
        if opens or line.startswith("# "):
            cells = []
        else:
            cells = line.rstrip("\r").split("\t")
        if len(cells) <= 1:
            cells = "".join(cells).split()
        if len(cells) == 1:
            raise InvalidInput(
                f"Line {number} of {name} has a token without a tag: {short_repr(cells[0])}."
            )
        if cells:
            rows.append([cell.strip() for cell in cells])
        elif rows and (opens or not line.strip()):
            yield document, rows
            rows = []
        document += opens

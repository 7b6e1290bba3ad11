"""``load``: an answer that was written as JSON, read again."""

from itertools import islice
from pathlib import Path

from evenfold.comparison.across.api import AcrossDataSets
from evenfold.comparison.board.result import Board
from evenfold.comparison.result import Comparison
from evenfold.core.checks import refuse
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.board import BoardFacts
from evenfold.core.json import LARGEST_BYTES, read
from evenfold.core.words import one_line

_PIECE = 2**20  # bytes


def load(path: str | Path) -> Comparison | AcrossDataSets | Board:
    """
    Read an answer from the JSON file that ``to_json`` wrote.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Comparison, AcrossDataSets or Board
        As it was written, but for the values of single examples.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import evenfold as ef
    >>> c = ef.judge(
    ...     {"main": [1, 0, 0, 1], "branch": [1, 1, 1, 1]}, rows="examples", measure="accuracy"
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     _ = c.to_json(f"{folder}/c.json")
    ...     again = ef.load(f"{folder}/c.json")
    >>> (
    ...     str(again) == str(c),
    ...     again.estimate.confidence_interval() == c.estimate.confidence_interval(),
    ... )
    (True, True)
    """
    try:
        with Path(path).open("rb") as file:  # in pieces: what is no plain file may have no end
            pieces = list(islice(iter(lambda: file.read(_PIECE), b""), LARGEST_BYTES // _PIECE + 1))
    except (OSError, TypeError, ValueError) as reason:
        refuse("path", "a file that can be read", path, one_line(reason))
    found = read(b"".join(pieces))
    if found.get("evenfold") == AcrossFacts.schema:
        return AcrossDataSets.from_json(found)
    if found.get("evenfold") == BoardFacts.schema:
        return Board.from_json(found)
    return Comparison.from_json(found)

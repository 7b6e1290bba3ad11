"""``load``: an answer that was written as JSON, read again."""

from pathlib import Path

from evenfold.core.checks import refuse
from evenfold.core.errors import in_a_line
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.json.plain import read
from evenfold.corridor.across.api import AcrossDataSets
from evenfold.corridor.result import Comparison


def load(path: str | Path) -> Comparison | AcrossDataSets:
    """
    Read an answer from the JSON file that ``to_json`` wrote.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Comparison or AcrossDataSets
        As it was written, but for the values of single examples.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import evenfold as ef
    >>> c = ef.judge({"main": [1, 0, 0, 1], "branch": [1, 1, 1, 1]}, rows="examples", measure="accuracy")
    >>> with TemporaryDirectory() as folder:
    ...     _ = c.to_json(f"{folder}/c.json")
    ...     again = ef.load(f"{folder}/c.json")
    >>> str(again) == str(c), again.estimate.confidence_interval() == c.estimate.confidence_interval()
    (True, True)
    """
    try:
        text = Path(path).read_bytes()
    except (OSError, TypeError, ValueError) as reason:
        refuse("path", "a file that can be read", path, in_a_line(reason))
    is_over = read(text).get("evenfold") == AcrossFacts.schema
    return AcrossDataSets.from_json(text) if is_over else Comparison.from_json(text)

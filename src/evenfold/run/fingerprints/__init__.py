"""
Fingerprints: two things with the same fingerprint give the same predictions.

Data are hashed by their bytes. Code of installed libraries is hashed by name and version, the
caller's own by its bytecode and everything that it refers to; other objects as pickle would take
them apart. What has no content to hash (a closure over changing state, an open file) raises
:class:`Unhashable`.
"""

from typing import Any

from evenfold.run.fingerprints._hasher import Hasher, Unhashable
from evenfold.run.fingerprints._libraries import (
    imported_inside,
    installed_version,
    is_library,
    own_modules,
)

__all__ = [
    "Unhashable",
    "fingerprint",
    "imported_inside",
    "installed_version",
    "is_library",
    "own_modules",
]


def fingerprint(*values: Any, cloned: bool = False, lenient: bool = False) -> bytes:
    """
    Return the hash of some values by their content.

    ``cloned`` says that estimators among them are cloned before use, so that what they learnt plays
    no part; ``lenient`` leaves out what has no content instead of raising.
    """
    hasher = Hasher(lenient=lenient)
    try:
        for value in values:
            hasher.add(value, cloned=cloned)
    except Unhashable:
        raise
    except Exception as error:  # of objects that are not what they seem, too
        raise Unhashable(f"something that cannot be read to its end: {error}") from error
    return hasher.digest()

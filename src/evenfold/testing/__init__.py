"""
Contract kits: the rules that every design, method, measure, store, format and reader must keep.

Call a kit from a test of your own package. It raises :class:`BrokenContract`, which names the
object and the rule that it breaks.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from evenfold.core.errors import EvenfoldError, EvenfoldWarning

if TYPE_CHECKING:
    from evenfold.testing.designs import check_design
    from evenfold.testing.formats import check_format
    from evenfold.testing.measures import check_measure
    from evenfold.testing.methods import check_method
    from evenfold.testing.readers import check_reader
    from evenfold.testing.stores import check_store

__all__ = [
    "BrokenContract",
    "check_design",
    "check_format",
    "check_measure",
    "check_method",
    "check_reader",
    "check_store",
]


if not TYPE_CHECKING:  # a type checker knows the names and refuses others

    def __getattr__(name: str) -> Any:
        """Load a kit on first use."""
        if name in __all__:
            return getattr(import_module(f"evenfold.testing.{name.removeprefix('check_')}s"), name)
        raise AttributeError(f"module 'evenfold.testing' has no attribute {name!r}")


T = TypeVar("T")


class BrokenContract(EvenfoldError, AssertionError):
    """An object breaks a rule of its kind; the message names the object and the rule."""


@contextmanager
def contract(thing: object) -> Iterator[None]:
    """Name the object if a rule is broken inside, and ignore warnings about invented data."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EvenfoldWarning)
            yield
    except BrokenContract as broken:
        broken.args = (f"{thing} breaks a rule: {broken}",)
        raise


def require(holds: Any, rule: str) -> None:
    """Raise :class:`BrokenContract` if a rule does not hold."""
    if not holds:
        raise BrokenContract(rule)


def works(call: Callable[[], T], rule: str) -> T:
    """Return the result of a call, or say which rule its error breaks."""
    try:
        return call()
    except BrokenContract:
        raise
    except Exception as error:
        raise BrokenContract(f"{rule} ({type(error).__name__}: {error})") from error


def refuses(call: Callable[[], Any], rule: str, *, by: type[EvenfoldError] = EvenfoldError) -> None:
    """Require that a call is refused by an error of evenfold."""
    try:
        works(call, rule)
    except BrokenContract as broken:
        if isinstance(broken.__cause__, by):
            return
        raise
    raise BrokenContract(rule)


def find_registered(shelf: Mapping[str, T], key: str) -> T:
    """Return what is registered under a key, which must be there."""
    require(key in shelf, "it is registered under its key")
    return shelf[key]

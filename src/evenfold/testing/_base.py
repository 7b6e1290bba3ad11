"""How a kit says that a contract is broken."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from evenfold.core.errors import EvenfoldError
from evenfold.core.numpydoc import with_section

T = TypeVar("T")


class BrokenContract(EvenfoldError, AssertionError):
    """A thing breaks a rule of its kind; the message names the thing and the rule."""


kit = with_section("Raises", "BrokenContract\n    With the rule that is broken.")


def require(holds: Any, thing: object, rule: str) -> None:
    """Raise :class:`BrokenContract` where a rule does not hold."""
    if not holds:
        raise BrokenContract(f"{thing} breaks a rule: {rule}")


def works(call: Callable[[], T], thing: object, rule: str) -> T:
    """Return what a call gives, or say which rule its error breaks."""
    try:
        return call()
    except BrokenContract:
        raise
    except Exception as error:
        raise BrokenContract(
            f"{thing} breaks a rule: {rule} ({type(error).__name__}: {error})"
        ) from error


def find_registered(shelf: Mapping[str, T], key: str, what: str) -> T:
    """Return what is on the shelf under its key, where it must be."""
    require(key in shelf, what, "it is registered under its key")
    return shelf[key]

"""One tree of errors: everything evenfold raises on purpose is an :class:`EvenfoldError`."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class EvenfoldError(Exception):
    """Root of all errors of evenfold."""


class InvalidInput(EvenfoldError, ValueError):
    """An argument breaks a rule; the message names parameter, rule, value and remedy."""


class UnknownName(InvalidInput, KeyError):
    """Nothing is registered under a name; the message gives the nearest one."""

    __str__ = Exception.__str__  # a KeyError would put its message into quotes


class NotApplicable(EvenfoldError):
    """A method was asked for where it is not valid; the message names both sides."""


class NotInstalled(EvenfoldError, ImportError):
    """
    A use needs a package that is not installed.

    The message names the command that installs it.
    """


class CellFailed(EvenfoldError):
    """An algorithm failed on a split and the caller asked not to go on."""


class StoreError(EvenfoldError):
    """A store cannot be read or written; what was finished before is in it."""


class WorkersLost(EvenfoldError):
    """
    A cluster of workers cannot be reached any more.

    What was finished before is in the store, if any.
    """


class EvenfoldWarning(UserWarning):
    """Root of all warnings of evenfold."""


class DegenerateData(EvenfoldWarning):
    """The data show no spread at all, so the answer follows from a convention, not from a law."""


class HiddenVariance(EvenfoldWarning):
    """The design hides a part of the variance, so that intervals may be too short."""


class FoldsLeftOut(EvenfoldWarning):
    """Some folds fail a method's condition and were left out, which selects on the outcome."""


class OrderIgnored(EvenfoldWarning):
    """
    The examples have an order in time that the design does not keep.

    It trains on later ones, too.
    """


class RareClass(EvenfoldWarning):
    """A class has fewer examples than a design cuts parts, so that some part has none of it."""


class NotReused(EvenfoldWarning):
    """An algorithm or measure has no content to know it by, so a store cannot reuse its results."""


def in_a_line(said: object) -> str:
    r"""
    Return what something says, such as an error, in one line that a terminal only shows.

    White space is collapsed; control characters, which may move a cursor or turn text round, become
    a mark.

    Examples
    --------
    >>> in_a_line("a\n  b\x1b[2J")
    'a b\ufffd[2J'
    """
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(str(said).split()))


@contextmanager
def without_warnings() -> Iterator[None]:
    """Look at data that may show no spread without saying so each time; the answer says it once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        yield

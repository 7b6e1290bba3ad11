"""
One tree of errors: everything evenfold raises on purpose is an :class:`EvenfoldError`.

A stable name is changed by a deprecation: its old form works, and warns, for one minor version.
"""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class EvenfoldError(Exception):
    """Root of all errors of evenfold."""


class InvalidInput(EvenfoldError, ValueError):
    """
    An argument breaks a rule; the text names parameter, rule, value and remedy.

    Attributes
    ----------
    message : str
        What is wrong, in one sentence.
    parameter : str or None
        The parameter that breaks the rule, as Python calls it; None if it is not a single one.
    remedy : str
        What to do about it, in one sentence; empty if the message says that already.
    """

    def __init__(self, message: str, *, parameter: str | None = None, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}" if remedy else message)
        self.message = message
        self.parameter = parameter
        self.remedy = remedy


class UnknownName(InvalidInput, KeyError):
    """Nothing is registered under a name; the message gives the nearest one."""

    __str__ = Exception.__str__  # a KeyError would put its message into quotes


class NotApplicable(EvenfoldError):
    """A method was asked for where it is not valid; the message names both sides."""


class NotInstalled(EvenfoldError, ImportError):
    """A use needs a package that is not installed; the message has the command to install it."""


class CellFailed(EvenfoldError):
    """An algorithm failed on a split and the caller asked not to go on."""


class StoreError(EvenfoldError):
    """A store cannot be read or written; what was finished before is in it."""


class WorkersLost(EvenfoldError):
    """A cluster of workers cannot be reached any more; a store has what was finished before."""


class EvenfoldWarning(UserWarning):
    """Root of all warnings of evenfold."""


class DegenerateData(EvenfoldWarning):
    """The data have no spread, so the answer follows from a convention, not from a distribution."""


class HiddenVariance(EvenfoldWarning):
    """The design hides a part of the variance, so that intervals may be too short."""


class FoldsLeftOut(EvenfoldWarning):
    """Some folds break a condition of the method and were left out, which may bias the answer."""


class OrderIgnored(EvenfoldWarning):
    """The examples are ordered in time, but the design also trains on later ones."""


class RareClass(EvenfoldWarning):
    """A class has fewer examples than the design has parts, so some part has none of them."""


class NotReused(EvenfoldWarning):
    """An algorithm or measure cannot be recognised, so a store cannot reuse its results."""


DEPRECATED: dict[str, str] = {}
"""The version that deprecated each function, by its full name. A release looks through them."""


class EvenfoldDeprecation(FutureWarning):
    """A name of evenfold will go in the next minor version; the message names what replaces it."""


def deprecated(*, since: str, instead: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """
    Make a function warn that it goes in the minor version after ``since``.

    Parameters
    ----------
    since : str
        The version that deprecates it, such as ``"0.3"``.
    instead : str
        What to use in its place, as a user would write it.

    Examples
    --------
    >>> @deprecated(since="0.2", instead="ef.new_name")
    ... def old_name(x: int) -> int:
    ...     return x + 1
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     old_name(1)
    2
    >>> print(seen[0].message)
    old_name is deprecated since evenfold 0.2 and goes in 0.3. Use ef.new_name instead.
    """

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__qualname__.rpartition(".")[2]
        DEPRECATED[f"{function.__module__}.{function.__qualname__}"] = since

        @wraps(function)
        def warn_and_call(*args: P.args, **options: P.kwargs) -> R:
            warnings.warn(
                f"{name} is deprecated since evenfold {since} and goes in {next_minor(since)}. "
                f"Use {instead} instead.",
                EvenfoldDeprecation,
                stacklevel=2,
            )
            return function(*args, **options)

        return warn_and_call

    return mark


def next_minor(version: str) -> str:
    """
    Return the minor version that follows a version.

    Examples
    --------
    >>> next_minor("0.2"), next_minor("1.9.3")
    ('0.3', '1.10')
    """
    major, minor, *_ = version.split(".")
    return f"{major}.{int(minor) + 1}"


def is_overdue(since: str, version: str) -> bool:
    """
    Whether what was deprecated in ``since`` should be gone in ``version``.

    Examples
    --------
    >>> is_overdue("0.2", "0.2.4"), is_overdue("0.2", "0.3.0")
    (False, True)
    """
    gone = tuple(map(int, next_minor(since).split(".")))
    major, minor, *_ = version.split(".")
    return (int(major), int(minor)) >= gone

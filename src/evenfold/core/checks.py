"""
Checks of user input, all with one form of message: *name* must be *rule* but got *value*.

*remedy*. Parameters that other libraries call otherwise are understood.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeGuard, TypeVar

import numpy as np

from evenfold.core.errors import InvalidInput
from evenfold.core.words import one_line

_READABLE = 20  # names that a message can list
_NEAREST = 3


def refuse(parameter: str | None, message: str, remedy: str = "") -> NoReturn:
    """
    Raise :class:`InvalidInput` about a parameter.

    Parameters
    ----------
    parameter : str or None
        The parameter that breaks a rule, as Python calls it; None if it is not a single one.
    message : str
        One sentence that names the parameter, the rule and the value.
    remedy : str
        One sentence that says what to do, if that is known.

    Examples
    --------
    >>> refuse("margin", "margin must be at least 0 but got -0.1.", "Leave the sign out.")
    Traceback (most recent call last):
    evenfold.core.errors.InvalidInput: margin must be at least 0 but got -0.1. Leave the sign out.
    """
    raise InvalidInput(one_line(message), parameter=parameter, remedy=remedy)


Setting = Mapping[str, object]
ELLIPSIS = "…"  # in the place of a value that the user knows


class Advice(str):
    """
    Words about parameters to give, which Python and a shell spell in different ways.

    Parameters
    ----------
    *parts : str, Advice or mapping
        Texts, other advice, and parameters with their values: a tuple stands for a choice among
        several values, :data:`ELLIPSIS` for whatever the user knows.

    Examples
    --------
    >>> said = Advice("pass ", {"on_missing": ("drop", "keep")}, ", or ", {"n": ELLIPSIS})
    >>> said
    "pass on_missing='drop' or 'keep', or n="
    >>> said.spelled(lambda name, value: f"--{name}")
    'pass --on_missing, or --n'
    """

    parts: tuple[str | Setting, ...]

    def __new__(cls, *parts: str | Setting) -> "Advice":
        """Write the words as Python spells them."""
        single: list[str | Setting] = []
        for part in parts:
            single += part.parts if isinstance(part, Advice) else (part,)
        words = super().__new__(cls, _join_parts(single, python_spelling))
        words.parts = tuple(single)
        return words

    def spelled(self, spell: Callable[[str, object], str]) -> str:
        """Return the words with every parameter as ``spell`` writes its name and value."""
        return _join_parts(self.parts, spell)


def _join_parts(parts: Iterable[str | Setting], spell: Callable[[str, object], str]) -> str:
    words = []
    for part in parts:
        if isinstance(part, str):
            words.append(part)
        else:
            words += [spell(name, value) for name, value in part.items()]
    return "".join(words)


def python_spelling(name: str, value: object) -> str:
    """
    Return a parameter with its value as a call in Python has them.

    Examples
    --------
    >>> python_spelling("columns", {"example": "id", "value": ELLIPSIS})
    "columns={'example': 'id', 'value': …}"
    """
    if value == ELLIPSIS:
        return f"{name}="
    if isinstance(value, tuple):
        return f"{name}={' or '.join(map(repr, value))}"
    if isinstance(value, Mapping):
        entries = [
            f"{key!r}: {ELLIPSIS if one == ELLIPSIS else repr(one)}" for key, one in value.items()
        ]
        return f"{name}={{{', '.join(entries)}}}"
    return f"{name}={value!r}"


def short_repr(value: object) -> str:
    """
    Return the representation of a value in one short line.

    Examples
    --------
    >>> short_repr(np.float64(0.5)), short_repr(np.zeros((2, 3))), len(short_repr("x" * 1000))
    ('0.5', 'an array of shape (2, 3)', 80)
    """
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = one_line(repr(value))
    except Exception:  # an integer of thousands of digits, or an object that cannot say what it is
        return f"a {type(value).__name__}"
    if len(text) <= 80:
        return text
    return f"{text[:77]}..."


def is_integer(value: object) -> TypeGuard[int]:
    """Whether ``value`` is an integer of any kind, numpy's included, but not a bool."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def _is_real(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


_LARGEST = 2**53  # up to which every integer is a float


def integer(
    name: str, value: object, *, low: int, high: int | None = None, remedy: str = ""
) -> int:
    """
    Return ``value`` as an int in ``[low, high]``, or refuse it.

    Beyond 2⁵³ no size makes sense.
    """
    if high is None:
        rule = f"an integer ≥ {low}"
    else:
        rule = f"an integer from {low} to {high}"
    if not is_integer(value) or value < low or value > (_LARGEST if high is None else high):
        refuse(name, f"{name} must be {rule} but got {short_repr(value)}.", remedy)
    return int(value)


def flag(name: str, value: object) -> bool:
    """Return ``value`` as a bool, or refuse it."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(name, f"{name} must be True or False but got {short_repr(value)}.")
    return bool(value)


def size(name: str, value: object, *, n: int, low: int = 1) -> int:
    """Turn a size, an int or a fraction of ``n``, into a number of examples in ``[low, n - 1]``."""
    message = (
        f"{name} must be an integer from {low} to {n - 1} or a fraction between 0 and 1 but got "
        f"{short_repr(value)}."
    )
    if not _is_real(value) or (not is_integer(value) and not 0 < value < 1):
        refuse(name, message)
    if is_integer(value):
        count = int(value)
    else:
        count = round(value * n)
    if not low <= count <= n - 1:
        refuse(name, message, f"Of {n} examples that is {count}.")
    return count


_HUGE = float(np.finfo(float).max)


def fraction(name: str, value: object, *, low: float = 0.0, high: float = 1.0) -> float:
    """Return ``value`` as a float strictly between ``low`` and ``high``, or refuse it."""
    if not _is_real(value) or not low < value < min(high, _HUGE):
        refuse(
            name,
            f"{name} must be a number between {low:g} and {high:g} but got {short_repr(value)}.",
        )
    return float(value)


def number(name: str, value: object, *, low: float = -np.inf, high: float = np.inf) -> float:
    """Return ``value`` as a finite float in ``[low, high]``, or refuse it."""
    rule = (
        "a finite number"
        + ("" if low == -np.inf else f" ≥ {low:g}")
        + ("" if high == np.inf else f" ≤ {high:g}")
    )
    try:
        if _is_real(value):
            number = float(value)
        else:
            number = np.nan
    except OverflowError:  # an integer beyond all floats
        number = np.inf
    if not math.isfinite(number) or not low <= number <= high:
        refuse(name, f"{name} must be {rule} but got {short_repr(value)}.")
    return number


def one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return ``value`` if it is among ``allowed``; otherwise refuse it and name the nearest."""
    names = list(allowed)
    if isinstance(value, str) and value in names:
        return value
    refuse_unknown(name, value, names)


def refuse_unknown(
    name: str,
    value: object,
    known: Sequence[str],
    *,
    more: Iterable[str] = (),
    also: str = "",
    remedy: str = "",
) -> NoReturn:
    """
    Refuse a name that is not known.

    With all that are, or with the nearest where they are too many to read.

    ``more`` names are near ones, too, which ``also`` stands for in the list. ``remedy`` says how to
    find the right name where none is near.

    Examples
    --------
    >>> refuse_unknown("method", "mx2-tt", ["mx2-t", *map(str, range(80))])
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: method must be one of 81 names but got 'mx2-tt'. Did you mean
    'mx2-t'?
    """
    question = did_you_mean(str(value), [*known, *more]) or remedy
    short = question and len(known) > _READABLE
    if short:
        listed = f"{len(known)} names"
    else:
        listed = ", ".join(map(repr, known))
    refuse(name, f"{name} must be one of {listed}{also} but got {short_repr(value)}.", question)


def did_you_mean(name: str, names: Iterable[str], *, prefix: str = "") -> str:
    """
    Ask whether one of the nearest names was meant; empty if no name is near.

    Examples
    --------
    >>> did_you_mean("mx2-tt", ["mx2-t", "kfold-t", "mcnemar"])
    "Did you mean 'mx2-t'?"
    >>> did_you_mean("Acc", ["zero-one", "balanced_accuracy", "accuracy"])
    "Did you mean 'accuracy'?"
    """
    known = list(dict.fromkeys(names))
    begun = [one for one in known if name and one.casefold().startswith(name.casefold())]
    close = get_close_matches(name, known, n=_NEAREST, cutoff=0.6)
    found = list(dict.fromkeys([*sorted(begun, key=len), *close]))[:_NEAREST]
    if found:
        return f"Did you mean {' or '.join(repr(prefix + one) for one in found)}?"
    return ""


def path(name: str, value: object) -> Path:
    """Return ``value`` as a path that a file can have, or refuse it."""
    if not isinstance(value, (str, Path)) or not str(value) or not is_writable_text(str(value)):
        refuse(name, f"{name} must be a path but got {short_repr(value)}.")
    return Path(value)


def is_writable_text(text: str) -> bool:
    """Whether a text has no NUL and no half characters, which can name no file or server."""
    if "\0" in text:
        return False
    return text.isascii() or text == text.encode(errors="replace").decode()


WRITABLE = "texts without the character NUL that UTF-8 can hold"


def require_writable(name: str, values: Iterable[object]) -> None:
    """Refuse the first text that no file can hold: a report could be computed, but not written."""
    for one in values:
        if isinstance(one, str) and not is_writable_text(one):
            refuse(name, f"{name} must be {WRITABLE} but got {short_repr(one)}.", "Rename it.")


def texts(name: str, values: Any) -> tuple[str, ...]:
    """Return several texts, or refuse what is not a list or tuple of them."""
    if not isinstance(values, (list, tuple)) or not all(isinstance(one, str) for one in values):
        refuse(name, f"{name} must be a list of texts but got {short_repr(values)}.")
    return tuple(values)


def vector(name: str, values: Any, *, n: int | None = None) -> np.ndarray:
    """Return ``values`` as an array (n,) with nothing missing, or refuse it."""
    rule = f"{name} must be one value per example" + ("" if n is None else f" ({n})")
    try:
        array = np.asarray(values)
    except ValueError:  # numpy's word for lists of unequal lengths
        refuse(name, f"{rule} but got lists of unequal lengths.")
    if array.ndim != 1 or (n is not None and len(array) != n):
        refuse(name, f"{rule} but got shape {array.shape}.")
    if np.ma.is_masked(values):
        refuse(name, f"{name} has masked entries.", "Leave these examples out.")
    missing = _missing(array)
    if missing.any():
        where = int(missing.argmax())
        refuse(
            name,
            f"{name} must be free of NaN and infinities but got {array[where]} at position "
            f"{where}.",
        )
    if array.dtype.kind in "OU":
        require_writable(name, array)
    return array


def _missing(array: np.ndarray) -> np.ndarray:
    """Which entries are NaN, infinite, None or not a time."""
    if array.dtype.kind in "fc":
        return np.asarray(~np.isfinite(array))
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype.kind == "O":  # NaN is the value that differs from itself, whatever its type
        return np.fromiter((is_missing(v) for v in array), bool, len(array))
    return np.zeros(len(array), bool)


def is_missing(value: object) -> bool:
    """
    Whether a value stands for a missing one: None, NaN of any float type, or pandas' ``NA``.

    Examples
    --------
    >>> [is_missing(one) for one in (None, float("nan"), 0.0, "", "nan")]
    [True, True, False, False, False]
    """
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def plain_numbers(array: np.ndarray) -> np.ndarray:
    """
    Return an array of objects that are all plain numbers as an array of numbers.

    Other arrays are returned as they are: pandas and JSON readers often hand over a column of
    numbers with the type ``object``.

    Examples
    --------
    >>> plain_numbers(np.array([1, 2.5], dtype=object)).dtype, plain_numbers(np.array(["a"])).dtype
    (dtype('float64'), dtype('<U1'))
    """
    if array.dtype.kind != "O" or not all(
        isinstance(one, (int, float, np.number, np.bool_)) for one in array.flat
    ):
        return array
    return np.array(array.tolist())


PROBABILITIES = "from 0 to 1 and sum to 1 over all classes"


def probability_fault(
    values: np.ndarray, *, off: float = 1e-3, whole: bool = True
) -> tuple[str, str]:
    """
    Say what keeps rows (n, classes) from being probabilities, and what to do.

    Both texts are empty where the rows are probabilities.

    This is the one rule for all of them: of estimators, functions and tables.

    Parameters
    ----------
    values : array (n, classes)
        One row per example.
    off : float
        By how much numbers of few digits may miss 0, 1 and the sum; that of single precision if not
        said.
    whole : bool
        Whether all classes have a column; where some have none, rows need not reach a sum of 1.

    Examples
    --------
    >>> probability_fault(np.array([[0.25, 0.75], [1.0, 0.0]]))
    ('', '')
    >>> probability_fault(np.array([[25.0, 75.0]]))
    ('25 in row 0', 'Divide percentages by 100.')
    """
    # so that NaN is outside, too
    outside = ~((values >= -min(off, 1e-3)) & (values <= 1 + min(off, 1e-3)))
    if outside.any():
        row, column = np.argwhere(outside)[0]
        are_percentages = values.min() >= 0 and 2 < values.max() <= 101
        remedy = "Divide percentages by 100." if are_percentages else ""
        return f"{values[row, column]:g} in row {row}", remedy
    sums = values.sum(axis=1)
    wrong = (sums > 1 + off) | ((sums < 1 - off) & whole)
    if wrong.any():
        row = int(wrong.argmax())
        return f"a sum of {sums[row]:g} in row {row}", ""
    return "", ""


def examples(name: str, values: Any) -> int:
    """Return how many examples an array, frame, sparse matrix or sequence holds, or refuse it."""
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    try:
        if not isinstance(values, (str, bytes, Mapping)):
            return len(values)
    except TypeError:  # a generator, an array without a dimension, a class
        pass
    refuse(
        name,
        f"{name} must be an array, a frame or a sequence with one entry per example but got "
        f"{short_repr(values)}.",
    )


def position(mask: np.ndarray) -> int | tuple[int, ...]:
    """Where the first True of ``mask`` is, for messages: an int in one dimension, else a tuple."""
    where = tuple(int(i) for i in np.argwhere(mask)[0])
    if len(where) == 1:
        return where[0]
    return where


P = ParamSpec("P")
R = TypeVar("R")

SYNONYMS = {
    "scoring": "measure",
    "metric": "measure",
    "metrics": "measure",
    "cv": "design",
    "splitter": "design",
    "n_splits": "design",
    "n_folds": "design",
    "folds": "design",
    "seed": "random_state",
    "alpha": "level",
    "weights": "sample_weight",
    "pos_label": "positive",
    "jobs": "n_jobs",
    "verbose": "progress",
    "rope": "margin",
    "correction": "adjust",
    "control": "baseline",
    "reference": "baseline",
    "sd": "sigma",
    "std": "sigma",
    "delta": "difference",
}
"""What other libraries say, and what it is here."""

_INSTEAD = {
    "confidence": "give level=, which is 1 − confidence",
    "confidence_level": "give level=, which is 1 − confidence",
    "n_repeats": "give design=, e.g. design=RepeatedKFold(n_splits=10, n_repeats=3)",
    "y_true": "give each model a table with columns id, y_true and y_pred",
    "groups": "a table names its column of groups by columns={'group': …}",
    "test": "give method=; ef.infer.methods() lists them",
}
"""What other libraries have and what is said otherwise here."""


GONE = {"question": "every comparison has best_set; leave it out"}
"""Parameters of earlier versions, and what is there instead."""


class UnknownArgument(InvalidInput, TypeError):
    """A keyword that a function does not have."""


def understands_synonyms(function: Callable[P, R]) -> Callable[P, R]:
    """
    Let a function be called with the parameter names of other libraries.

    To an editor and a type checker the function has its own parameters only.

    Examples
    --------
    >>> @understands_synonyms
    ... def ask(*, measure="zero-one", level=0.05):
    ...     return measure, level
    >>> ask(scoring="auc", alpha=0.01)
    ('auc', 0.01)
    >>> ask(levle=0.01)
    Traceback (most recent call last):
        ...
    evenfold.core.checks.UnknownArgument: ask has no parameter 'levle'; did you mean 'level'?
    """
    own = signature(function).parameters
    by_position = [one for one in own.values() if one.kind is one.POSITIONAL_OR_KEYWORD]

    @wraps(function)
    def understanding(*args: P.args, **kwargs: P.kwargs) -> R:
        missing = [
            one.name
            for one in by_position[len(args) :]
            if one.default is one.empty and one.name not in kwargs
        ]
        if missing and kwargs.keys() <= own.keys():
            _refuse_fewer_arguments(function.__name__, missing)
        if len(args) > len(by_position):
            _refuse_more_arguments(function.__name__, len(args), [one.name for one in by_position])
        if kwargs.keys() <= own.keys():
            return function(*args, **kwargs)
        named: dict[str, object] = {}
        for name, value in kwargs.items():
            known = _own_parameter_name(name, function.__name__, own)
            if known in named or (known != name and known in kwargs):
                raise UnknownArgument(
                    f"{name} means {known}, which is given as well; keep one of them"
                )
            named[known] = value
        return function(*args, **named)  # type: ignore[arg-type]  # the names are its own now

    return understanding


_TOGETHER = {
    "judge": "give both results in one table, as in ef.judge({'A': a, 'B': b}, rows='examples')",
    "compare": "give the algorithms together, as in ef.compare([a, b], X, y)",
}
"""What was probably meant by more arguments than a function takes without names."""


_COMPLETE = {
    "judge": "ef.judge(table) takes a frame, a path or a mapping of names to results",
    "compare": "ef.compare([a, b], X, y) takes algorithms and data, or a frame X and the name of y",
}


def _refuse_fewer_arguments(function: str, missing: Sequence[str]) -> NoReturn:
    remedy = _COMPLETE.get(function, f"see help(ef.{function})")
    raise UnknownArgument(f"{function} needs {' and '.join(missing)}; {remedy}")


def _refuse_more_arguments(function: str, given: int, own: Sequence[str]) -> NoReturn:
    remedy = _TOGETHER.get(function, "give the others by name")
    raise UnknownArgument(
        f"{function} takes {', '.join(own)} by position but got {given} arguments; {remedy}"
    )


def _own_parameter_name(name: str, function: str, own: Mapping[str, object]) -> str:
    """Return the function's own name of a parameter."""
    if name in own:
        return name
    if SYNONYMS.get(name) in own:
        return SYNONYMS[name]
    if name in GONE:
        raise UnknownArgument(f"{name}= is gone: {GONE[name]}.")
    # two letters are near to anything
    understood = [one for one in SYNONYMS if SYNONYMS[one] in own and len(one) > 2]
    near = get_close_matches(name, [*own, *understood], n=1)
    if name in _INSTEAD:
        guess = _INSTEAD[name]
    elif near:
        guess = f"did you mean {SYNONYMS.get(near[0], near[0])!r}?"
    else:
        guess = f"see help(ef.{function})"
    raise UnknownArgument(f"{function} has no parameter {name!r}; {guess}")

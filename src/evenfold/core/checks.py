"""
Checks of user input. Each refusal is a sentence with the parameter, the rule and the value.

The last part of the module lets functions be called with the parameter names of other libraries.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
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


def refuse_value(parameter: str, value: object, rule: str, remedy: str = "") -> NoReturn:
    """
    Raise :class:`InvalidInput` because a value breaks the rule of its parameter.

    Examples
    --------
    >>> refuse_value("n_jobs", "two", "None or an integer")
    Traceback (most recent call last):
    evenfold.core.errors.InvalidInput: n_jobs must be None or an integer but got 'two'.
    """
    refuse(parameter, f"{parameter} must be {rule} but got {short_repr(value)}.", remedy)


Arguments = Mapping[str, object]
ELLIPSIS = "…"  # in the place of a value that only the user knows


class Advice(str):
    """
    A remedy that names arguments, which Python and a shell spell in different ways.

    Parameters
    ----------
    *parts : str, Advice or mapping
        Texts, other advice, and arguments by the names of their parameters. A tuple is a choice
        among several values, and :data:`ELLIPSIS` is a value that only the user knows.

    Examples
    --------
    >>> advice = Advice("Pass ", {"on_missing": ("drop", "keep")}, " or ", {"n": ELLIPSIS}, ".")
    >>> advice
    "Pass on_missing='drop' or 'keep' or n=."
    >>> advice.spelled(lambda name, value: f"--{name}")
    'Pass --on_missing or --n.'
    """

    parts: tuple[str | Arguments, ...]

    def __new__(cls, *parts: str | Arguments) -> "Advice":
        """Write the text as Python spells the arguments."""
        flat: list[str | Arguments] = []
        for part in parts:
            flat += part.parts if isinstance(part, Advice) else (part,)
        advice = super().__new__(cls, _spell_parts(flat, python_spelling))
        advice.parts = tuple(flat)
        return advice

    def spelled(self, spell: Callable[[str, object], str]) -> str:
        """Return the text with every argument as ``spell`` writes its name and value."""
        return _spell_parts(self.parts, spell)


def _spell_parts(parts: Iterable[str | Arguments], spell: Callable[[str, object], str]) -> str:
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
        else:
            text += "".join(spell(name, value) for name, value in part.items())
    return text


def python_spelling(name: str, value: object) -> str:
    """
    Return an argument as a call in Python has it.

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
            f"{key!r}: {ELLIPSIS if entry == ELLIPSIS else repr(entry)}"
            for key, entry in value.items()
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
        return f"a value of type {type(value).__name__}"
    if len(text) <= 80:
        return text
    return f"{text[:77]}..."


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether ``value`` is an integer, of Python or numpy, but not a bool."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def _is_real(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


_LARGEST = 2**53  # up to which every integer is a float


def integer(
    name: str, value: object, *, low: int, high: int | None = None, remedy: str = ""
) -> int:
    """Return ``value`` as an int in ``[low, high]``, by default up to 2⁵³, or refuse it."""
    if high is None:
        rule = f"an integer ≥ {low}"
    else:
        rule = f"an integer from {low} to {high}"
    if not is_integer(value) or value < low or value > (_LARGEST if high is None else high):
        refuse_value(name, value, rule, remedy)
    return int(value)


def flag(name: str, value: object) -> bool:
    """Return ``value`` as a bool, or refuse it."""
    if not isinstance(value, (bool, np.bool_)):
        refuse_value(name, value, "True or False")
    return bool(value)


def size(name: str, value: object, *, n: int) -> int:
    """Turn a size, an int or a fraction of ``n``, into a number of examples in ``[1, n - 1]``."""
    rule = f"an integer from 1 to {n - 1} or a fraction between 0 and 1"
    if not _is_real(value) or (not is_integer(value) and not 0 < value < 1):
        refuse_value(name, value, rule)
    remedy = ""
    if is_integer(value):
        count = int(value)
    else:
        count = round(value * n)
        remedy = f"This fraction of {n} examples is {count}."
    if not 1 <= count <= n - 1:
        refuse_value(name, value, rule, remedy)
    return count


_HUGE = float(np.finfo(float).max)


def fraction(name: str, value: object, *, low: float = 0.0, high: float = 1.0) -> float:
    """Return ``value`` as a float strictly between ``low`` and ``high``, or refuse it."""
    if not _is_real(value) or not low < value < min(high, _HUGE):
        refuse_value(name, value, f"a number between {low:g} and {high:g}")
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
        refuse_value(name, value, rule)
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
    Refuse a name that is not known, and list the known names or suggest the nearest of them.

    Parameters
    ----------
    name, value
        The parameter, and what it is.
    known : sequence of str
        The known names. If they are too many to read, the message says how many there are.
    more : iterable of str
        Other names that may be suggested.
    also : str
        What the list says about those other names.
    remedy : str
        How to find the right name; it is said if no name is near.

    Examples
    --------
    >>> refuse_unknown("method", "mx2-tt", ["mx2-t", *map(str, range(80))])
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: method must be one of 81 names but got 'mx2-tt'. Did you mean
    'mx2-t'?
    """
    question = did_you_mean(str(value), [*known, *more]) or remedy
    if question and len(known) > _READABLE:
        listed = f"{len(known)} names"
    else:
        listed = ", ".join(map(repr, known))
    refuse_value(name, value, f"one of {listed}{also}", question)


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
    beginning = name.casefold()
    longer = [other for other in known if beginning and other.casefold().startswith(beginning)]
    close = get_close_matches(name, known, n=_NEAREST, cutoff=0.6)
    near = list(dict.fromkeys([*sorted(longer, key=len), *close]))[:_NEAREST]
    if near:
        return f"Did you mean {' or '.join(repr(prefix + known_name) for known_name in near)}?"
    return ""


def path(name: str, value: object) -> Path:
    """Return ``value`` as a path that a file can have, or refuse it."""
    if not isinstance(value, (str, Path)) or not str(value) or not is_writable_text(str(value)):
        refuse_value(name, value, "a path")
    return Path(value)


def is_writable_text(text: str) -> bool:
    """Return whether a file can hold a text: it has no NUL and no half characters."""
    if "\0" in text:
        return False
    return text.isascii() or text == text.encode(errors="replace").decode()


WRITABLE = "texts without the character NUL that UTF-8 can hold"


def require_writable(name: str, values: Iterable[object]) -> None:
    """Refuse the first text that no file can hold, because a report could not be written."""
    for value in values:
        if isinstance(value, str) and not is_writable_text(value):
            refuse_value(name, value, WRITABLE, "Rename it.")


def texts(name: str, values: Any) -> tuple[str, ...]:
    """Return several texts, or refuse anything but a list or tuple of them."""
    if not isinstance(values, (list, tuple)) or not all(isinstance(text, str) for text in values):
        refuse_value(name, values, "a list of texts")
    return tuple(values)


def vector(name: str, values: Any, *, n: int | None = None) -> np.ndarray:
    """Return ``values`` as an array (n,) with nothing missing, or refuse it."""
    rule = f"{name} must be one value per example" + ("" if n is None else f" ({n})")
    try:
        array = np.asarray(values)
    except ValueError:  # numpy raises it for lists of unequal lengths
        refuse(name, f"{rule} but got lists of unequal lengths.")
    if array.ndim != 1 or (n is not None and len(array) != n):
        refuse(name, f"{rule} but got shape {array.shape}.")
    if np.ma.is_masked(values):
        refuse(name, f"{name} has masked entries.", "Leave these examples out.")
    missing = _missing(array)
    if missing.any():
        place = int(missing.argmax())
        refuse(
            name,
            f"{name} must be free of NaN and infinities but got {array[place]} at position "
            f"{place}.",
        )
    if array.dtype.kind in "OU":
        require_writable(name, array)
    return array


def _missing(array: np.ndarray) -> np.ndarray:
    """Return which entries are NaN, infinite, None or not a time."""
    if array.dtype.kind in "fc":
        return np.asarray(~np.isfinite(array))
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype.kind == "O":  # NaN is the value that differs from itself, whatever its type
        return np.fromiter((is_missing(v) for v in array), bool, len(array))
    return np.zeros(len(array), bool)


def is_missing(value: object) -> bool:
    """
    Return whether a value is missing: None, NaN of any float type, or ``NA`` of pandas.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0.0, "", "nan")]
    [True, True, False, False, False]
    """
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def plain_numbers(array: np.ndarray) -> np.ndarray:
    """
    Return an array of objects that are all plain numbers as an array of numbers.

    Other arrays are returned as they are. Readers of frames and of JSON often give a column of
    numbers the type ``object``.

    Examples
    --------
    >>> plain_numbers(np.array([1, 2.5], dtype=object)).dtype, plain_numbers(np.array(["a"])).dtype
    (dtype('float64'), dtype('<U1'))
    """
    if array.dtype.kind != "O" or not all(
        isinstance(entry, (int, float, np.number, np.bool_)) for entry in array.flat
    ):
        return array
    return np.array(array.tolist())


PROBABILITIES = "from 0 to 1 and sum to 1 over all classes"


def probability_fault(
    values: np.ndarray, *, off: float = 1e-3, whole: bool = True
) -> tuple[str, str]:
    """
    Say why rows are not probabilities, and what to do; both texts are empty if they are.

    Parameters
    ----------
    values : array (n, classes)
        One row per example, from an estimator, a function or a table.
    off : float
        How far rounded numbers may miss 0, 1 and the sum. The default suits single precision.
    whole : bool
        Whether all classes have a column. If some have none, rows may sum to less than 1.

    Examples
    --------
    >>> probability_fault(np.array([[0.25, 0.75], [1.0, 0.0]]))
    ('', '')
    >>> probability_fault(np.array([[25.0, 75.0]]))
    ('25 in row 0', 'Divide percentages by 100.')
    """
    margin = min(off, 1e-3)
    # written so that NaN is outside, too
    outside = ~((values >= -margin) & (values <= 1 + margin))
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
    refuse_value(name, values, "an array, a frame or a sequence with one entry per example")


def position(mask: np.ndarray) -> int | tuple[int, ...]:
    """Return the position of the first True in ``mask``: an int in one dimension, else a tuple."""
    place = tuple(int(i) for i in np.argwhere(mask)[0])
    if len(place) == 1:
        return place[0]
    return place


def count_required(function: Callable[..., object]) -> int:
    """
    Return how many positional arguments a function needs; 2 if its signature is not known.

    A function of three is a scorer ``(estimator, X, y)``, or fits and predicts at once.

    Examples
    --------
    >>> count_required(lambda estimator, X, y, sample_weight=None: 0.5)
    3
    """
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = signature(function).parameters.values()
    except ValueError:  # functions written in C need not tell
        return 2
    return sum(p.kind in kinds and p.default is p.empty for p in parameters)


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
"""Parameter names of other libraries, and the names here."""

_INSTEAD = {
    "confidence": "Pass level=, which is 1 − confidence.",
    "confidence_level": "Pass level=, which is 1 − confidence.",
    "n_repeats": "Pass design=, such as design=RepeatedKFold(n_splits=10, n_repeats=3).",
    "y_true": "Give each model a table with columns id, y_true and y_pred.",
    "groups": "Name the column of groups in the table by columns={'group': …}.",
    "test": "Pass method=; ef.infer.methods() lists the methods.",
}
"""Parameters of other libraries that have another form here."""


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
    evenfold.core.checks.UnknownArgument: ask has no parameter 'levle'. Did you mean 'level'?
    """
    parameters = signature(function).parameters
    positional = [
        parameter
        for parameter in parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]

    @wraps(function)
    def understanding(*args: P.args, **kwargs: P.kwargs) -> R:
        missing = [
            parameter.name
            for parameter in positional[len(args) :]
            if parameter.default is parameter.empty and parameter.name not in kwargs
        ]
        are_known = kwargs.keys() <= parameters.keys()
        if missing and are_known:
            _refuse_fewer_arguments(function.__name__, missing)
        if len(args) > len(positional):
            names = [parameter.name for parameter in positional]
            _refuse_more_arguments(function.__name__, len(args), names)
        if are_known:
            return function(*args, **kwargs)
        known_arguments: dict[str, object] = {}
        for name, value in kwargs.items():
            known = _known_name(name, function.__name__, parameters)
            if known in known_arguments or (known != name and known in kwargs):
                raise UnknownArgument(
                    f"{name} means {known}, which was given too.", remedy="Keep one of them."
                )
            known_arguments[known] = value
        return function(*args, **known_arguments)  # type: ignore[arg-type]  # its own names now

    return understanding


_TOGETHER = {
    "judge": "Pass both results in one table, as in ef.judge({'A': a, 'B': b}, rows='examples').",
    "compare": "Pass the algorithms together, as in ef.compare([a, b], X, y).",
}
"""What users probably mean by more arguments than a function takes by position."""


_COMPLETE = {
    "judge": "Call ef.judge(table) with a frame, a path or a mapping of names to results.",
    "compare": "Call ef.compare([a, b], X, y), where y may be the name of a column of X.",
}


def _refuse_fewer_arguments(function: str, missing: Sequence[str]) -> NoReturn:
    remedy = _COMPLETE.get(function, f"See help(ef.{function}).")
    raise UnknownArgument(f"{function} needs {' and '.join(missing)}.", remedy=remedy)


def _refuse_more_arguments(function: str, count: int, names: Sequence[str]) -> NoReturn:
    message = f"{function} takes {', '.join(names)} by position but got {count} arguments."
    raise UnknownArgument(message, remedy=_TOGETHER.get(function, "Pass the others by name."))


def _known_name(name: str, function: str, parameters: Mapping[str, object]) -> str:
    """Return the name that a function itself has for a parameter."""
    if name in parameters:
        return name
    if SYNONYMS.get(name) in parameters:
        return SYNONYMS[name]
    if name in GONE:
        raise UnknownArgument(f"{name}= is gone: {GONE[name]}.")
    # a synonym of two letters is near to any name
    synonyms = [
        synonym for synonym in SYNONYMS if SYNONYMS[synonym] in parameters and len(synonym) > 2
    ]
    near = get_close_matches(name, [*parameters, *synonyms], n=1)
    if name in _INSTEAD:
        remedy = _INSTEAD[name]
    elif near:
        remedy = f"Did you mean {SYNONYMS.get(near[0], near[0])!r}?"
    else:
        remedy = f"See help(ef.{function})."
    raise UnknownArgument(f"{function} has no parameter {name!r}.", remedy=remedy)

"""Words of the trade: parameters that other libraries call otherwise are understood."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from evenfold.core.errors import InvalidInput

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
    "rope": "margin",
    "correction": "adjust",
    "control": "baseline",
    "reference": "baseline",
}
"""What other libraries say, and what it is here."""

_INSTEAD = {
    "confidence": "give level=, which is 1 − confidence",
    "confidence_level": "give level=, which is 1 − confidence",
    "n_repeats": "give design=, e.g. design=RepeatedKFold(n_splits=10, n_repeats=3)",
    "y_true": "give each model a table with columns id, y_true and y_pred",
    "test": "give method=; ef.infer.methods() lists them",
}
"""What other libraries have and what is said otherwise here."""


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
    evenfold.core.synonyms.UnknownArgument: ask has no parameter 'levle'; did you mean 'level'?
    """
    own = signature(function).parameters

    @wraps(function)
    def understanding(*args: P.args, **kwargs: P.kwargs) -> R:
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


def _own_parameter_name(name: str, function: str, own: Mapping[str, object]) -> str:
    """Return the function's own name of a parameter."""
    if name in own:
        return name
    if SYNONYMS.get(name) in own:
        return SYNONYMS[name]
    near = get_close_matches(name, [*own, *SYNONYMS], n=1)
    if name in _INSTEAD:
        guess = _INSTEAD[name]
    elif near:
        guess = f"did you mean {SYNONYMS.get(near[0], near[0])!r}?"
    else:
        guess = f"see help(ef.{function})"
    raise UnknownArgument(f"{function} has no parameter {name!r}; {guess}")

"""What searches inside algorithms chose: the ``best_params_`` of every fit, kept beside its predictions."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evenfold.core.errors import NotApplicable, StoreError, in_a_line

CHOSEN = "best_params_"  # as scikit-learn's searches, and those of others, call it
_INSIDE = ("estimator_", "regressor_", "best_estimator_")  # what wrappers have fitted

_LOOKED_AT = 3  # splits, before an algorithm is taken for one that chooses nothing

Parameters = Mapping[str, Any]


def chosen_answer(estimator: Any) -> dict[str, Any]:
    """Return what a fitted estimator chose as one more answer; nothing where it chose nothing."""
    found = next((one for one in map(_own, _parts(estimator, set())) if one), None)
    if found is None:
        return {}
    return {CHOSEN: np.array([json.dumps({str(name): _plain(value) for name, value in found.items()})])}


def pipeline_steps(estimator: Any) -> list[tuple[str, Any]]:
    """
    Return the steps of a pipeline; none of any other estimator.

    An attribute ``steps`` alone says nothing: it may be a number of iterations.
    """
    if "sklearn.pipeline" not in sys.modules:
        return []
    from sklearn.pipeline import Pipeline

    return list(estimator.steps) if isinstance(estimator, Pipeline) else []


def all_chosen(
    names: Sequence[str], splits: int, answer: Callable[[int, int], Any]
) -> dict[str, tuple[Parameters, ...]]:
    """
    Return what each algorithm that chooses chose on each split; nothing on a split where it failed.

    ``answer`` reads the answer of an algorithm on a split, both by number, or raises where there is none.
    """

    def chosen(algorithm: int, split: int) -> Parameters:
        try:
            return dict(json.loads(str(answer(algorithm, split)[0])))
        except (NotApplicable, StoreError, ValueError, TypeError, IndexError, RecursionError):
            return {}  # there is none, or a store from elsewhere says something else

    choosing = (a for a in range(len(names)) if any(chosen(a, j) for j in range(min(splits, _LOOKED_AT))))
    return {names[a]: tuple(chosen(a, j) for j in range(splits)) for a in choosing}


def _parts(estimator: Any, seen: set[int]) -> Iterator[Any]:
    """Return the estimator, the steps of a pipeline from the last, and what a wrapper fitted."""
    if id(estimator) in seen:  # an attribute that leads back
        return
    seen.add(id(estimator))
    yield estimator
    for _, step in reversed(pipeline_steps(estimator)):
        yield from _parts(step, seen)
    for name in _INSIDE:
        inner = _attribute(estimator, name)
        if _attribute(inner, "get_params") is not None:  # an estimator, not a number of that name
            yield from _parts(inner, seen)


def _own(estimator: Any) -> Any:
    found = _attribute(estimator, CHOSEN)
    return found if isinstance(found, Mapping) else None


def _attribute(thing: Any, name: str) -> Any:
    """Return an attribute that nobody promised; None where it is not there, or raises when it is asked."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, (bool, int, float, str, type(None))) else in_a_line(repr(value))

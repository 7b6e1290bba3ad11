"""Classes of questions in which a method is known to err by more than its level, told where one is asked."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.inputs.task import Task
from evenfold.core.words import listed
from evenfold.infer import Method

_ROWS = 2000  # that are looked at
_COLUMNS = 500
_NEARLY = 0.9  # share of one value within a class, from which a column counts as near-constant
_TELLS = 0.01  # level at which a column tells y by itself, shared among columns
_LASSO = {"Lasso", "LassoCV", "LassoLars", "LassoLarsCV", "LassoLarsIC", "ElasticNet", "ElasticNetCV"}
_TREES = {"DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"}
_SPARSE = ("l1", "elasticnet")


def known_failures(algorithms: Mapping[str, Any], task: Task, entry: Method) -> list[str]:
    """Return a note for each class of the method's card that these algorithms on these data fall into."""
    card = entry.card or {}
    return [note for one in card.get("classes", ()) for note in _note(one, algorithms, task, entry)]


def _note(one: Mapping[str, Any], algorithms: Mapping[str, Any], task: Task, entry: Method) -> Iterator[str]:
    applies = _CLASSES.get(one["kind"])
    if applies is None:
        return
    which, of_data = applies
    names = [name for name, subject in algorithms.items() if any(map(which, parts_of(subject)))]
    if not names or not of_data(task):
        return
    error = f"{one['size']:.2f}".removeprefix("0")
    instead = f"; {one['instead']!r} errs less there" if one["instead"] else ""
    yield (
        f"a class that is known to fail, {one['name']} ({listed(names)}): {entry.key} was measured to err up "
        f"to {error} at .05 there, because {one['why']}{instead}"
    )


def parts_of(subject: Any) -> Iterator[Any]:
    """What predicts in an algorithm: itself, the last step of a pipeline, what a search tunes."""
    yield subject
    steps = getattr(subject, "steps", None)
    inner = steps[-1][1] if isinstance(steps, list) and steps else getattr(subject, "estimator", None)
    if inner is not None and not isinstance(inner, (str, type)):
        yield from parts_of(inner)


def _is_gaussian_bayes(subject: Any) -> bool:
    return type(subject).__name__ == "GaussianNB"


def _is_lasso(subject: Any) -> bool:
    if type(subject).__name__ in _LASSO:
        return True
    ratio = getattr(subject, "l1_ratio", None)
    mixed = isinstance(ratio, float) and ratio > 0 and type(subject).__name__.startswith("Logistic")
    return mixed or getattr(subject, "penalty", None) in _SPARSE


def _is_tree(subject: Any) -> bool:
    return type(subject).__name__ in _TREES


def _numbers(task: Task) -> NDArray[np.float64] | None:
    """The first rows and columns of X as numbers; None where they are none."""
    X = task.X
    if hasattr(X, "iloc"):
        X = X.iloc[:_ROWS, :_COLUMNS] if getattr(X, "ndim", 0) == 2 else None
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        X = X[:_ROWS, :_COLUMNS]
    else:
        return None
    try:
        return np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        return None


def _always(task: Task) -> bool:  # noqa: ARG001  (one signature)
    return True


def _near_constant(task: Task) -> bool:
    """Whether some column hardly varies within a class: its variance there is 0 in some training sets."""
    X = _numbers(task)
    if X is None or task.target != "labels":
        return False
    y = np.asarray(task.y)[: len(X)]
    for label in np.unique(y):
        rows = X[y == label]
        middle = np.median(rows, axis=0)
        if ((rows == middle).mean(axis=0) >= _NEARLY).any():
            return True
    return False


def _only_interactions(task: Task) -> bool:
    """Whether no column tells y by itself, so that whatever is learned lies in how columns act together."""
    X = _numbers(task)
    if X is None or task.target not in ("labels", "numbers") or not np.isfinite(X).all() or not X.shape[1]:
        return False
    from sklearn.feature_selection import f_classif, f_regression

    y = np.asarray(task.y)[: len(X)]
    varies = X.std(axis=0) > 0
    if not varies.any() or len(np.unique(y)) < 2:
        return False
    tells = f_classif if task.target == "labels" else f_regression
    with np.errstate(all="ignore"):
        _, p = tells(X[:, varies], y)
    return bool(np.nanmin(p) * varies.sum() > _TELLS)


_CLASSES: dict[str, tuple[Callable[[Any], bool], Callable[[Task], bool]]] = {
    "naive Bayes": (_is_gaussian_bayes, _near_constant),
    "lasso": (_is_lasso, _always),
    "trees": (_is_tree, _only_interactions),
}
"""Of each class that can be seen: which algorithms, and which data."""

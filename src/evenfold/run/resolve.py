"""From what the caller writes in ``measures=`` to measures that know their target."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any, cast

import numpy as np

from evenfold.core.checks import one_of, refuse
from evenfold.run.data import Target
from evenfold.run.measures import NAMED, Confusion, Loss, Measure, ProbabilityLoss, Ranking, Score, measure
from evenfold.run.tags import SCHEMES, require_legal

_SHAPE = ("name", "evaluate", "responses")


def resolve_measures(measures: Any, target: Target, *, positive: Any, scheme: str) -> list[Measure]:
    """Turn names, callables, scorers, one or several of them, into measures; refuse unknown ones."""
    one_of("scheme", scheme, SCHEMES)
    if isinstance(measures, Mapping):
        pairs = [(str(name), item) for name, item in measures.items()]
    else:
        items = measures if isinstance(measures, (list, tuple)) else [measures]
        pairs = [("", item) for item in items]
    resolved = [_resolve(name, item, target) for name, item in pairs]
    names = [one.name for one in resolved]
    if not resolved or len(set(names)) < len(names):
        refuse("measures", "one or more, with different names", ", ".join(names) or measures)
    for one in resolved:
        one.check(target)
    return [_bound(one, target, positive, scheme) for one in resolved]


def require_weighable(measures: Sequence[Measure], target: Target) -> None:
    """Refuse sample weights where a measure has no weighted form."""
    for one in measures:
        chunks = isinstance(one, Confusion) and target.kind == "sequence"
        if isinstance(one, (Score, Ranking)) or chunks or _looks_whole(one, target):
            refuse("sample_weight", f"None with measure {one.name!r}", "weights", "it has no weighted form")


def _resolve(name: str, item: Any, target: Target) -> Measure:
    if isinstance(item, str):
        return _renamed(NAMED[one_of("measure", item, NAMED)], name)
    if all(hasattr(item, attribute) for attribute in _SHAPE):
        return _renamed(item, name)
    if not callable(item):
        refuse("measure", "a name, a function (y_true, y_pred) or a scorer", item)
    if hasattr(item, "_score_func") or _required(item) == 3:
        from evenfold.run.scorers import scorer_measure

        return scorer_measure(item, target, name or None)
    return replace(cast("Loss", measure(item, name=name or None)), may_be_whole=True)


def _renamed(one: Any, name: str) -> Measure:
    renamed: Measure = replace(one, name=name) if name else one
    return renamed


def _required(function: Any) -> int:
    """How many positional arguments a callable needs: 3 make a scorer ``(estimator, X, y)``."""
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    parameters = signature(function).parameters.values()
    return sum(p.kind in kinds and p.default is p.empty for p in parameters)


def _looks_whole(one: Measure, target: Target) -> bool:
    """Whether a caller's function seems to give one number per test set: refused early, not only in cells."""
    if not isinstance(one, Loss) or not one.may_be_whole:
        return False
    try:
        return np.ndim(one.function(target.values, target.values)) == 0
    except Exception:  # whatever it objects to, the cells will tell
        return False


def _bound(one: Measure, target: Target, positive: Any, scheme: str) -> Measure:
    if isinstance(one, ProbabilityLoss) and target.kind != "sequence":
        return replace(one, classes=target.classes)
    if isinstance(one, Confusion) and target.kind != "sequence":
        return replace(one, positive=_positive(positive, target))
    if isinstance(one, Ranking):
        return replace(one, positive=_positive(positive, target), classes=target.classes)
    if isinstance(one, Confusion):
        require_legal(cast("Sequence[Sequence[str]]", target.values), scheme, name="y")
        return replace(one, scheme=scheme)
    return one


def _positive(positive: Any, target: Target) -> Any:
    """Return the class that counts as positive: the one given, or the larger of 0/1, −1/1, False/True."""
    labels = target.classes.tolist()
    if positive is not None:
        if positive not in labels:
            refuse("positive", f"one of the labels {labels[:10]}", positive)
        return positive
    if labels in ([0, 1], [-1, 1], [False, True]):
        return labels[1]
    remedy = "precision, recall, F1 and AUC need it"
    if any(re.match("[BIMES]-", str(label)) for label in labels):
        remedy = "tags of tokens? pass one sequence of tags per sentence"  # tokens are no units: see docs
    refuse("positive", f"one of the labels {labels[:10]}", None, remedy)

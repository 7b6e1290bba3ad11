"""From what the caller writes in ``measures=`` to measures that know their target."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evenfold.core.checks import one_of, refuse, refuse_unknown
from evenfold.core.inputs.tags import SCHEMES
from evenfold.run.data import Target
from evenfold.run.measures._base import MEASURES, Measure
from evenfold.run.measures.functions import measure
from evenfold.run.measures.trials import by_trials


def usual_measure(*, numbers: bool) -> str:
    """Return what is measured where nothing was said: of numbers, or of labels and sequences of tags."""
    return "squared" if numbers else "zero-one"


def resolve_measures(measures: Any, target: Target, *, positive: Any, scheme: str) -> list[Measure]:
    """Turn names, callables, scorers, one or several of them, into measures; refuse unknown ones."""
    one_of("scheme", scheme, SCHEMES)
    if isinstance(measures, Mapping):
        pairs = [(str(name), item) for name, item in measures.items()]
    else:
        items = measures if isinstance(measures, (list, tuple)) else [measures]
        pairs = [("", item) for item in items]
    resolved = []
    for name, item in pairs:
        found = as_measure(item)
        found.check(target)
        bound = found.bind(target, positive=positive, scheme=scheme)
        asked = {"measure": item, "positive": _plain(positive), "scheme": scheme}
        bound = bound.having(asked=asked) if isinstance(item, str) else bound
        resolved.append(bound.about(name=name, words=name) if name else bound)
    names = [one.name for one in resolved]
    if not resolved or len(set(names)) < len(names):
        refuse("measures", "one or more, with different names", ", ".join(names) or measures)
    return resolved


def as_measure(item: Any) -> Measure:
    """
    Return the measure that a name, a function or a scorer stands for.

    Examples
    --------
    >>> as_measure("neg_mean_absolute_error").quantity.lower_is_better
    True
    """
    if isinstance(item, Measure):
        return item
    if isinstance(item, str):
        return _by_name(item)
    if isinstance(item, type) or not callable(item):
        refuse("measure", "a name, a function (y_true, y_pred) or a scorer", item)
    return measure(item)


def _by_name(name: str) -> Measure:
    """Look among our own and other packages' measures, then among scikit-learn's scorers."""
    family, colon, text = name.partition(":")
    if name in MEASURES:
        return MEASURES[name]
    if colon and family in MEASURES:
        spell = MEASURES[family].spell
        if spell is None:
            refuse("measure", f"{family!r} alone, which has nothing to set,", name)
        return spell(text)
    if trials := by_trials(name):
        return trials
    from evenfold.run.measures.known import by_metric
    from evenfold.run.measures.scorers import named_scorer, scorer_names

    if name in scorer_names():
        return named_scorer(name)
    if metric := by_metric(name):
        return metric
    refuse_unknown("measure", name, list(MEASURES), more=scorer_names(), also=" or a scorer of scikit-learn")


def _plain(label: Any) -> Any:
    """Return a label as JSON can write it."""
    return label.item() if isinstance(label, np.generic) else label


def require_weighable(measures: Sequence[Measure], target: Target) -> None:
    """Refuse sample weights where a measure has no weighted form."""
    for one in measures:
        if not one.weighable(target):
            refuse("sample_weight", f"None with measure {one.name!r}", "weights", "it has no weighted form")

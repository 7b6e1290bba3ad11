"""Measures made of a function of truth and prediction."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any, NoReturn

import numpy as np

from evenfold.core.checks import flag, number, one_of, refuse
from evenfold.core.measure import Quantity
from evenfold.run.data import Target
from evenfold.run.measures._base import Answer, Evaluated, Floats, Measure, one_each, weighted_mean

Function = Callable[[Any, Any], Any]


@dataclass(frozen=True, kw_only=True)
class FunctionMeasure(Measure):
    """One value per example, or one per test set; where nobody said which, the function shows it."""

    quantity: Quantity
    function: Function
    responses: tuple[str, ...]
    per_example: bool | None
    takes_sequences = True

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "Measure":  # noqa: ARG002  (one signature)
        """Know before the first fit that it gives one number per test set, where it does."""
        return self if self.weighable(target) else self.about(per_example="none")

    def weighable(self, target: Target) -> bool:
        """Whether it gives values per example; tried on the truth itself, so that no fit is wasted."""
        if self.per_example is not None:
            return self.per_example
        try:
            return np.ndim(self.function(target.values, target.values)) > 0
        except Exception:  # whatever it objects to, the cells will tell
            return True

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:
        values = np.asarray(self.function(truth, answer.values), dtype=float)
        if self.per_example is True or (self.per_example is None and values.ndim):
            return Evaluated(weighted_mean(one_each(values, truth), weights))
        if weights is not None:
            raise ValueError("one number per test set has no weighted form")
        return Evaluated(float(values), whole=True)

    def examples(self, truth: Any, answer: Answer) -> Floats:
        return one_each(self.function(truth, answer.values), truth)


def measure(
    function: Function,
    *,
    higher_is_better: bool | None = None,
    name: str | None = None,
    per_example: bool | None = None,
    response: str = "predict",
    low: float = -np.inf,
    high: float = np.inf,
) -> Measure:
    """
    Make a measure of a function of truth and prediction.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred)``, with arrays (or lists of tag sequences) of one test set.
    higher_is_better : bool
        False for losses, True for scores. Known of functions of ``sklearn.metrics``, to be said of others.
    name : str, optional
        How reports call it; the name of the function where none is given.
    per_example : bool, optional
        Whether it returns an array with one value per example, or one number per test set; None waits to see.
    response : {"predict", "predict_proba", "decision_function"}
        What is passed as ``y_pred``.
    low, high : float
        The range of its values, which intervals then do not leave.

    Returns
    -------
    Measure
        To be given in ``measures=``.

    Examples
    --------
    >>> far = measure(lambda truth, predicted: abs(truth - predicted) > 1, name="miss by more than 1",
    ...               higher_is_better=False)
    >>> far.name, far.quantity.lower_is_better
    ('miss by more than 1', True)
    """
    if not callable(function):
        refuse("function", "callable", function)
    one_of("response", response, ("predict", "predict_proba", "decision_function"))
    _check_claims(name, higher_is_better, per_example, (low, high))
    called = name or str(getattr(function, "__name__", type(function).__name__))
    if higher_is_better is None:
        known = _from_sklearn(function) if response == "predict" else None
        if known is None:
            _refuse_undirected(called)
        return known.about(name=name, words=name) if name else known
    return FunctionMeasure(
        quantity=Quantity(
            name=called,
            lower_is_better=not higher_is_better,
            low=low,
            high=high,
            per_example="none" if per_example is False else "values",
        ),
        function=function,
        responses=(response,),
        per_example=per_example,
    )


def _check_claims(name: Any, higher_is_better: Any, per_example: Any, ends: tuple[Any, Any]) -> None:
    """Refuse what a measure cannot say of itself."""
    if name is not None and (not isinstance(name, str) or not name):
        refuse("name", "None or a text", name)
    for what, said in (("higher_is_better", higher_is_better), ("per_example", per_example)):
        if said is not None:
            flag(what, said)
    for what, end in zip(("low", "high"), ends, strict=True):
        if not isinstance(end, float) or isnan(end):
            number(what, end)
    if ends[0] >= ends[1]:
        refuse("low", "less than high", ends[0])


def _refuse_undirected(called: str) -> NoReturn:
    """Say how the direction of a function is said: guessed wrongly, the verdict would be reversed."""
    remedy = f"write ef.run.measure({called}, higher_is_better=True) or False"
    refuse(f"measure {called!r}", "one that says whether higher is better", "only a function", remedy)


def _from_sklearn(function: Function) -> Measure | None:
    """Return the measure of a function of ``sklearn.metrics``, which has its direction; None for others."""
    if "sklearn.metrics" not in sys.modules:
        return None
    from evenfold.run.measures.scorers import metric_measure

    return metric_measure(function)

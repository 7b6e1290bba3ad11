"""Measures made of a function of truth and prediction."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from math import isnan
from typing import Any, NoReturn

import numpy as np

from evenfold.core.checks import flag, number, one_of, refuse
from evenfold.core.losses import Quantity
from evenfold.run.data import Target
from evenfold.run.measures._base import Answer, Evaluated, Floats, Measure, one_each, weighted_mean

Function = Callable[..., Any]


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
    Make a measure of a function of truth and prediction, or of a scorer.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred)``, with arrays (or lists of tag sequences) of one test set; or a scorer
        ``function(estimator, X, y)``, which gives one number per test set and is computed where the model is.
    higher_is_better : bool
        False for losses, True for scores. Known of functions of ``sklearn.metrics`` and of what
        ``make_scorer`` makes, to be said of others.
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
    if is_scorer(function):
        _require_one_number(per_example, response)
        return _of_scorer(function, called if name else None, higher_is_better, low, high)
    if higher_is_better is None:
        known = _from_sklearn(function) if response == "predict" else None
        if known is None:
            refuse_undirected(called)
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


def refuse_undirected(called: str, what: str = "only a function") -> NoReturn:
    """Say how the direction of a function is said: guessed wrongly, the verdict would be reversed."""
    remedy = f"write ef.run.measure({called}, higher_is_better=True) or False"
    if what == "only a function":
        remedy += ", and response='predict_proba' where it takes probabilities"
    refuse(f"measure {called!r}", "one that says whether higher is better", what, remedy)


def is_scorer(function: Any) -> bool:
    """Whether it is asked about a fitted estimator: made by ``make_scorer``, or ``(estimator, X, y)``."""
    return hasattr(function, "_score_func") or _required(function) == 3


def _required(function: Any) -> int:
    """How many positional arguments a callable needs: 3 make a scorer ``(estimator, X, y)``."""
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = signature(function).parameters.values()
    except ValueError:  # functions written in C need not tell
        return 2
    return sum(p.kind in kinds and p.default is p.empty for p in parameters)


def _require_one_number(per_example: bool | None, response: str) -> None:
    """Refuse what is said of functions of predictions and not of scorers."""
    if per_example:
        refuse("per_example", "None or False for a scorer (estimator, X, y)", per_example)
    if response != "predict":
        refuse("response", "left out for a scorer (estimator, X, y), which asks by itself,", response)


def _of_scorer(
    scorer: Any, name: str | None, higher_is_better: bool | None, low: float, high: float
) -> Measure:
    from evenfold.run.measures.scorers import scorer_measure

    found = scorer_measure(scorer, higher_is_better=higher_is_better)
    known = {"low": low, "high": high} if low > -np.inf or high < np.inf else {}
    called = {"name": name, "words": name} if name else {}
    return found.about(**called, **known)


def _from_sklearn(function: Function) -> Measure | None:
    """Return the measure of a function of ``sklearn.metrics``, which has its direction; None for others."""
    if "sklearn.metrics" not in sys.modules:
        return None
    from evenfold.run.measures.scorers import metric_measure

    return metric_measure(function)

"""
Scikit-learn scorers as measures.

A scorer that says which method it asks (``make_scorer`` does) is answered from stored predictions by a
stand-in for the fitted estimator. One that does not, ``scorer(estimator, X, y)``, must see the estimator and
so is computed inside the cell; asking for it later refits.
"""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from evenfold.core.checks import refuse
from evenfold.core.measure import Quantity
from evenfold.run.cells import LIVE
from evenfold.run.data import Target
from evenfold.run.fingerprints import Unhashable, fingerprint
from evenfold.run.measures import Answer, Evaluated, Floats


class _Replay(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Repeats one recorded answer."""

    def __init__(self, answer: Answer, classes: NDArray[Any]) -> None:
        self.answer = answer
        self.classes_ = classes

        def repeat(X: Any) -> Any:  # noqa: ARG001  (replays, whatever X is)
            return answer.values

        repeat.__name__ = answer.response  # scorers ask which method they were given
        setattr(self, answer.response, repeat)


class _ReplayClassifier(ClassifierMixin, _Replay):  # type: ignore[misc]  # scikit-learn has no types
    pass


class _ReplayRegressor(RegressorMixin, _Replay):  # type: ignore[misc]  # scikit-learn has no types
    pass


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedScorer:
    """A scorer that works on predictions; higher is better, as always in scikit-learn."""

    name: str
    scorer: Any
    target: Target
    responses: tuple[str, ...]
    lower_is_better: bool = False
    key: str | None = None

    @property
    def quantity(self) -> Quantity:
        return Quantity(name=self.name, lower_is_better=self.lower_is_better)

    def check(self, target: Target) -> None:
        if target.kind == "sequence":
            refuse("y", f"numbers or labels for scorer {self.name!r}", "tag sequences")

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:
        numbers = self.target.is_continuous
        replay = (
            _ReplayRegressor(answer, np.empty(0))
            if numbers
            else _ReplayClassifier(answer, self.target.classes)
        )
        weighted = {} if weights is None else {"sample_weight": weights}
        return Evaluated(float(self.scorer(replay, np.empty((len(truth), 0)), truth, **weighted)))


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveScorer:
    """A scorer that needs the fitted estimator; the cell computes it, here it is only read."""

    name: str
    scorer: Any
    responses: tuple[str, ...]
    lower_is_better: bool = False
    key: str | None = None

    @property
    def quantity(self) -> Quantity:
        return Quantity(name=self.name, lower_is_better=self.lower_is_better)

    def check(self, target: Target) -> None:
        """Any target will do: the scorer sees the data itself."""

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:  # noqa: ARG002  (one signature)
        return Evaluated(float(answer.values[0]))


def scorer_measure(scorer: Any, target: Target, name: str | None) -> RecordedScorer | LiveScorer:
    """Wrap a scorer, recorded where it says which responses it asks for."""
    function = getattr(scorer, "_score_func", scorer)
    called = name or str(getattr(function, "__name__", type(function).__name__))
    asked = getattr(scorer, "_response_method", None)  # private, but the only place where it is said
    if asked is None:
        return LiveScorer(name=called, scorer=scorer, responses=(f"{LIVE}{called} {_content(scorer)}",))
    responses = (asked,) if isinstance(asked, str) else tuple(asked)
    return RecordedScorer(name=called, scorer=scorer, target=target, responses=responses)


def _content(scorer: Any) -> str:
    """Tell scorers of one name apart; one that cannot be recognised again gets a name of its own."""
    try:
        return fingerprint(scorer).hex()
    except Unhashable:
        return uuid4().hex

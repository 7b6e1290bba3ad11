"""
Scikit-learn scorers and metrics as measures, each with its own direction and in its own units.

A scorer turns a loss around so that higher is better (``neg_mean_absolute_error``); here it is
turned back: the value is the mean absolute error, and lower is better.

A scorer that says which method it asks (``make_scorer`` does) is answered from stored predictions
by a stand-in for the fitted estimator. One that does not, ``scorer(estimator, X, y)``, must see the
estimator and so is computed inside the fit; asking for it later refits.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from inspect import signature
from math import inf
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from evenfold.core.checks import refuse, refuse_value
from evenfold.core.losses import Quantity
from evenfold.core.words import one_line
from evenfold.run.cells import LIVE
from evenfold.run.data import Target
from evenfold.run.fingerprints import Unhashable, fingerprint
from evenfold.run.measures._base import Evaluated, Floats, Measure, Predictions, positive_class
from evenfold.run.measures.resolve import equivalent_of, name_of, refuse_undirected

# scikit-learn's own convention
_HIGHER = ("_score", "_corrcoef")
_LOWER = ("_error", "_loss", "_deviance")
_RANGES = {  # by the last words of a metric's name; others have no known end
    (0.0, 1.0): (
        "accuracy_score", "f1_score", "fbeta_score", "jaccard_score", "precision_score",
        "recall_score",
        "roc_auc_score", "ndcg_score", "zero_one_loss", "hamming_loss",
    ),
    (-1.0, 1.0): ("matthews_corrcoef", "cohen_kappa_score"),
    (-inf, 1.0): ("r2_score", "explained_variance_score", "d2_brier_score", "d2_log_loss_score",
                  "d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score"),
    (0.0, inf): ("_error", "_loss", "_deviance"),
}  # fmt: skip


class _Replay(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Repeats one recorded answer."""

    def __init__(self, answer: Predictions, classes: NDArray[Any]) -> None:
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


@dataclass(frozen=True, kw_only=True)
class RecordedScorer(Measure):
    """A scorer that works on predictions."""

    quantity: Quantity
    scorer: Any
    responses: tuple[str, ...]
    classes: NDArray[Any] | None = None  # None: the target is continuous; set when bound

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "RecordedScorer":
        bound = self._bound(target, positive)
        bound._require_able(target)
        return bound

    def _require_able(self, target: Target) -> None:
        """Try the scorer on made-up predictions, so that its errors come before the first fit."""
        truth = np.asarray(target.y)
        response = self.responses[-1]
        answer = Predictions(response, example_response(truth, response, self.classes))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.evaluate(truth, answer, None)
            except Exception as error:
                refuse(
                    "measure",
                    f"measure {self.name!r} cannot be computed for these data.",
                    f"scikit-learn says: {one_line(error)[:200]}",
                )

    def _bound(self, target: Target, positive: Any) -> "RecordedScorer":
        if target.is_continuous:
            return self
        if self.scorer._kwargs.get("average") == "binary" and len(target.classes) > 2:
            refuse(
                "y",
                f"y must have two classes for measure {self.name!r} but has "
                f"{len(target.classes):,}.",
                "Use a measure that averages over classes.",
            )
        bound = replace(self, classes=target.classes)
        if not self._has_positive(target):
            return bound
        label = positive_class(positive, target)
        return replace(bound, scorer=_scorer_for_class(self.scorer, label)).about(
            positive=str(label)
        )

    def _has_positive(self, target: Target) -> bool:
        """Whether it is about one of two classes."""
        asks = "pos_label" in signature(self.scorer._score_func).parameters
        return asks and "pos_label" not in self.scorer._kwargs and len(target.classes) == 2

    def weighable(self, target: Target) -> bool:
        return "sample_weight" in signature(self.scorer._score_func).parameters

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        if self._is_average_precision():
            positive = np.asarray(truth == self.scorer._kwargs["pos_label"])
            return Evaluated(average_precision(positive, self._scores(answer), weights))
        if self._is_top_k():
            codes = np.searchsorted(np.asarray(self.classes), truth)
            k = self.scorer._kwargs.get("k", 2)
            return Evaluated(top_k_accuracy(codes, answer.values, k, weights))
        if self.classes is None:
            replay = _ReplayRegressor(answer, np.empty(0))
        else:
            replay = _ReplayClassifier(answer, self.classes)
        weighted = {} if weights is None else {"sample_weight": weights}
        score = float(self.scorer(replay, np.empty((len(truth), 0)), truth, **weighted))
        return Evaluated(-score if self.quantity.lower_is_better else score)

    def _is_average_precision(self) -> bool:
        """Whether it is the average precision of one of two classes, which need not be replayed."""
        if self.classes is None or len(self.classes) != 2:
            return False
        known = self.scorer._score_func is metrics.average_precision_score
        return known and set(self.scorer._kwargs) == {"pos_label"}

    def _is_top_k(self) -> bool:
        """Whether it is the top k accuracy of several classes, which need not be replayed."""
        if self.classes is None or len(self.classes) < 3:
            return False
        known = self.scorer._score_func is metrics.top_k_accuracy_score
        return known and set(self.scorer._kwargs) <= {"k"}

    def _scores(self, answer: Predictions) -> Floats:
        """The scores of the positive class, out of those of both classes or of the second one."""
        values = np.asarray(answer.values, dtype=float)
        is_second = self.scorer._kwargs["pos_label"] == np.asarray(self.classes)[1]
        if values.ndim == 2:
            return values[:, int(is_second)]
        return values if is_second else -values


def average_precision(positive: Any, scores: Floats, weights: Floats | None = None) -> float:
    """
    Return the average precision, as scikit-learn has it, in a fraction of the time.

    A table is judged by the scores of some hundred resamples.

    Examples
    --------
    >>> average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.7]))
    0.833...
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    counted = np.ones(len(scores)) if weights is None else weights[order]
    last = np.ones(len(ranked), dtype=bool)  # of those with one score
    last[:-1] = ranked[1:] != ranked[:-1]
    hits = np.cumsum(counted * positive[order])[last]
    if not hits[-1]:
        return 0.0
    among = np.cumsum(counted)[last]
    precision = np.divide(hits, among, out=np.zeros_like(hits), where=among > 0)
    steps = hits.copy()
    steps[1:] -= hits[:-1]
    return float(steps @ precision / hits[-1])


def top_k_accuracy(codes: Any, scores: Any, k: int, weights: Floats | None = None) -> float:
    """
    Return how often the true class is among the k highest, as scikit-learn has it, only sooner.

    Of equal scores the one of the last class counts as the highest.

    Examples
    --------
    >>> top_k_accuracy(np.array([0, 1, 2]), np.eye(3)[[0, 2, 1]], k=1)
    0.333...
    """
    scores = np.asarray(scores, dtype=float)
    classes = np.arange(scores.shape[1])
    if not np.isin(classes, codes).all():
        raise ValueError("not every class is among the test examples")
    if not np.isfinite(scores).all():
        raise ValueError("some scores are no finite numbers")
    of_truth = scores[np.arange(len(codes)), codes][:, None]
    ahead = (scores > of_truth) | ((scores == of_truth) & (classes > codes[:, None]))
    return float(np.average(ahead.sum(axis=1) < k, weights=weights))


@dataclass(frozen=True, kw_only=True)
class LiveScorer(Measure):
    """A scorer that needs the fitted estimator and is therefore computed in the fit."""

    quantity: Quantity
    scorer: Any
    responses: tuple[str, ...]
    takes_sequences = True

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        return Evaluated(float(answer.values[0]))


def example_response(truth: NDArray[Any], response: str, classes: NDArray[Any] | None) -> Any:
    """Return correct labels, probabilities of 0.8 for them, or the mean of numbers."""
    if classes is None:
        return np.full(len(truth), truth.mean())
    if response == "predict":
        return truth
    chances = np.where(truth[:, None] == classes, 0.8, 0.2 / max(len(classes) - 1, 1))
    if response == "predict_proba" or len(classes) > 2:
        return chances
    return chances[:, 1]


def scorer_names() -> list[str]:
    """Return every scorer that scikit-learn knows by name."""
    names: list[str] = metrics.get_scorer_names()
    return names


def named_scorer(name: str) -> Measure:
    """Return the measure of one of scikit-learn's scorers."""
    return _make_measure(metrics.get_scorer(name), name.removeprefix("neg_"))


def scorer_measure(scorer: Any, *, higher_is_better: bool | None = None) -> Measure:
    """
    Return the measure of a scorer.

    The direction of a scorer of ``make_scorer`` is known. That of a bare ``(estimator, X, y)`` is
    not, although scikit-learn assumes that higher is better: a gap between groups, for example, is
    not a score.
    """
    # private, but the only attribute that tells it
    if getattr(scorer, "_response_method", None) is not None:
        called = _scikit_learn_name(scorer) or name_of(scorer._score_func)
        known = _make_measure(scorer, called.removeprefix("neg_"))
        higher = not known.quantity.lower_is_better
        if higher_is_better is not None and higher_is_better != higher:
            refuse_value(
                "higher_is_better",
                higher_is_better,
                f"{higher} for scorer {called!r}",
                "Leave it out.",
            )
        return known
    called = name_of(scorer)
    if higher_is_better is None:
        refuse_undirected(called, "scorer (estimator, X, y)")
    quantity = Quantity(name=called, lower_is_better=not higher_is_better)
    response = f"{LIVE}{called} {_scorer_fingerprint(scorer)}"
    return LiveScorer(quantity=quantity, scorer=scorer, responses=(response,))


def metric_measure(function: Callable[..., Any]) -> Measure | None:
    """Return the measure of a function of ``sklearn.metrics``; None for any other function."""
    name = name_of(function)
    if getattr(metrics, name, None) is not function or not name.endswith(_HIGHER + _LOWER):
        return None
    # A scorer knows whether its metric needs labels or probabilities.
    for scorer in _scorers().values():
        if scorer._score_func is function:
            return _make_measure(scorer, name)
    return _make_measure(
        metrics.make_scorer(function, greater_is_better=name.endswith(_HIGHER)), name
    )


def _make_measure(scorer: Any, name: str) -> Measure:
    """Return one of ours where it is the same, because it knows single examples; else a replay."""
    words = name.replace("_", " ")
    lower_is_better = scorer._sign < 0
    methods = scorer._response_method  # that a scorer asks, the preferred first
    responses = (methods,) if isinstance(methods, str) else tuple(methods)
    ours = equivalent_of(name_of(scorer._score_func), scorer._kwargs)
    if (
        ours is not None
        and ours.responses == responses
        and ours.quantity.lower_is_better == lower_is_better
    ):
        is_of_labels = ours.quantity.target == "labels"
        return ours.about(name=name, words=ours.quantity.words if is_of_labels else words)
    low, high = _range(scorer)
    quantity = Quantity(name=name, words=words, lower_is_better=lower_is_better, low=low, high=high)
    return RecordedScorer(quantity=quantity, scorer=scorer, responses=responses)


def _scorer_for_class(scorer: Any, label: Any) -> Any:
    """Return the scorer for another positive class."""
    return metrics.make_scorer(
        scorer._score_func,
        greater_is_better=scorer._sign > 0,
        response_method=scorer._response_method,
        **scorer._kwargs,
        pos_label=label,
    )


def _range(scorer: Any) -> tuple[float, float]:
    function = "" if scorer._kwargs.get("adjusted") else name_of(scorer._score_func)
    return next((ends for ends, names in _RANGES.items() if function.endswith(names)), (-inf, inf))


@cache
def _scorers() -> dict[str, Any]:
    return {name: metrics.get_scorer(name) for name in scorer_names()}


def _scikit_learn_name(scorer: Any) -> str | None:
    """Return scikit-learn's name for a scorer, so that f1_macro and f1_micro differ."""

    def facts(scorer: Any) -> tuple[Any, ...]:
        return scorer._score_func, scorer._sign, scorer._kwargs, scorer._response_method

    return next((name for name, known in _scorers().items() if facts(known) == facts(scorer)), None)


def _scorer_fingerprint(scorer: Any) -> str:
    """
    Return a text that distinguishes scorers with the same name.

    For a scorer that cannot be recognised again it is a random text.
    """
    try:
        return fingerprint(scorer).hex()
    except Unhashable:
        return uuid4().hex

"""
Measures: what a prediction was worth, in its own units and with its own direction.

A measure is derived from stored predictions, so asking another one later costs no fit. Six shapes:

- :class:`Loss`, one value per test example (``zero-one``, ``squared``, ``absolute``, ``pinball``);
- :class:`ProbabilityLoss`, the same on probabilities (``log``, ``brier``);
- :class:`Confusion`, a ratio of TP, FP, FN (``precision``, ``recall``, ``f1``), of chunks for tag sequences;
- :class:`Ranking`, the area under the ROC curve of one class (``auc``);
- :class:`Score`, one value per test set (``fpa``, callables that return a number);
- scikit-learn scorers, see :mod:`evenfold.run.scorers`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of, refuse
from evenfold.core.measure import Quantity
from evenfold.core.ranking import placements
from evenfold.run.chunks import chunk_counts
from evenfold.run.data import Target
from evenfold.run.fpa import fpa

Floats = NDArray[np.float64]
Counts = tuple[float, float, float]
Function = Callable[[Any, Any], Any]


class Answer(NamedTuple):
    """What an algorithm said about one test set, and which of its methods said it."""

    response: str
    values: Any


class Evaluated(NamedTuple):
    """
    The value of a measure on one test set.

    ``counts`` are TP, FP, FN where it is made of them; ``whole`` says that it is no mean over examples.
    """

    value: float
    counts: Counts | None = None
    whole: bool = False


class Measure(Protocol):
    """
    What the room needs of a measure.

    ``responses`` are the outputs it can work on, the preferred first; ``key`` names it and its parameters in
    a store, None where it cannot be recognised again; ``check`` refuses targets it is not made for;
    ``evaluate`` gives the value on a test set.
    """

    @property
    def name(self) -> str: ...
    @property
    def lower_is_better(self) -> bool: ...
    @property
    def quantity(self) -> Quantity: ...
    @property
    def responses(self) -> tuple[str, ...]: ...
    @property
    def key(self) -> str | None: ...
    def check(self, target: Target) -> None: ...
    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated: ...


def weighted_mean(values: Floats, weights: Floats | None) -> float:
    """Mean over examples; the plain sum is faster than ``average`` where nothing is weighted."""
    if weights is None:
        return float(values.sum() / len(values))
    return float((values * weights).sum() / weights.sum())


def _one_each(values: Floats, truth: Any) -> Floats:
    """Refuse what is not one value per example: a column would be broadcast against the weights."""
    if values.shape != (len(truth),):
        raise ValueError(f"must return one value per example, shape ({len(truth)},), not {values.shape}")
    return values


@dataclass(frozen=True, kw_only=True, slots=True)
class Loss:
    """A value per test example, computed from predicted labels or numbers."""

    name: str
    function: Function
    takes: tuple[str, ...]  # kinds of target
    key: str | None
    labels_only: bool = False
    may_be_whole: bool = False  # a caller's function of which nobody said what it returns
    lower_is_better: bool = True
    responses: tuple[str, ...] = ("predict",)
    words: str = ""
    low: float = -np.inf

    @property
    def quantity(self) -> Quantity:
        return Quantity(
            name=self.name,
            words=self.words,
            lower_is_better=self.lower_is_better,
            low=self.low,
            high=1.0 if self.labels_only else np.inf,
            target="labels" if self.labels_only else "numbers" if self.takes == ("number",) else "any",
            per_example="values",
            counts_wrong=self.labels_only,
        )

    def check(self, target: Target) -> None:
        if target.kind not in self.takes:
            refuse("y", f"of kind {' or '.join(self.takes)} for measure {self.name!r}", target.kind)
        if self.labels_only and target.is_continuous:
            refuse(
                "y", "labels for measure 'zero-one'", "a continuous target", "take 'squared' or 'absolute'"
            )

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:
        values = np.asarray(self.function(truth, answer.values), dtype=float)
        if self.may_be_whole and values.ndim == 0:
            if weights is not None:
                raise ValueError("one number per test set has no weighted form")
            return Evaluated(float(values), whole=True)
        return Evaluated(weighted_mean(_one_each(values, truth), weights))

    def examples(self, truth: Any, answer: Answer) -> Floats:
        return _one_each(np.asarray(self.function(truth, answer.values), dtype=float), truth)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbabilityLoss:
    """A value per test example, computed from the probabilities of all classes."""

    name: str
    function: Callable[[NDArray[np.intp], Floats], Floats]  # column of the true class, probabilities
    key: str | None
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))  # set when resolved
    lower_is_better: bool = True
    responses: tuple[str, ...] = ("predict_proba",)
    words: str = ""
    high: float = np.inf

    @property
    def quantity(self) -> Quantity:
        return Quantity(
            name=self.name, words=self.words, lower_is_better=True, low=0.0, high=self.high,
            target="labels", per_example="values",
        )  # fmt: skip

    def check(self, target: Target) -> None:
        if target.kind == "sequence" or target.is_continuous:
            refuse("y", f"class labels for measure {self.name!r}", f"a {target.kind} target")

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:
        return Evaluated(weighted_mean(self.examples(truth, answer), weights))

    def examples(self, truth: Any, answer: Answer) -> Floats:
        return self.function(np.searchsorted(self.classes, truth), answer.values)


@dataclass(frozen=True, kw_only=True, slots=True)
class Confusion:
    """A ratio of TP, FP, FN of one class, or of the chunks of tag sequences."""

    name: str
    kind: str
    ratio: Callable[[float, float, float], tuple[float, float]]
    positive: Any = None
    scheme: str = "IOB2"
    lower_is_better: bool = False
    responses: tuple[str, ...] = ("predict",)
    words: str = ""

    @property
    def quantity(self) -> Quantity:
        return Quantity(
            name=self.name, words=self.words, lower_is_better=False, low=0.0, high=1.0,
            target="labels", per_example="outcomes",
        )  # fmt: skip

    @property
    def key(self) -> str:
        return f"{self.kind}({self.positive!r}, {self.scheme})"

    def check(self, target: Target) -> None:
        if target.is_continuous:
            refuse("y", f"class labels for measure {self.name!r}", "a continuous target")

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:
        counts = self.counts(truth, answer.values, weights)
        above, below = self.ratio(*counts)
        return Evaluated(above / below if below else 0.0, counts)  # 0/0 is 0, as everywhere in the field

    def counts(self, truth: Any, predicted: Any, weights: Floats | None) -> Counts:
        """TP, FP, FN: of chunks where the truth is a list of tag sequences."""
        if isinstance(truth, list):
            return chunk_counts(truth, predicted, scheme=self.scheme)
        weight = np.ones(len(truth)) if weights is None else weights
        tp, fp, fn = (float(weight @ cell) for cell in self._cells(truth, predicted))
        return tp, fp, fn

    def outcomes(self, truth: Any, answer: Answer, weights: Floats | None) -> Floats:
        """TP, FP, FN of every example, or of the chunks of every sequence: (examples, 3)."""
        if isinstance(truth, list):
            pairs = zip(truth, answer.values, strict=True)
            return np.array([chunk_counts([a], [b], scheme=self.scheme) for a, b in pairs], dtype=float)
        cells = np.stack(self._cells(truth, answer.values), axis=-1).astype(float)
        return cells if weights is None else cells * weights[:, None]

    def _cells(self, truth: Any, predicted: Any) -> tuple[Any, Any, Any]:
        is_true, is_predicted = truth == self.positive, predicted == self.positive
        return is_true & is_predicted, ~is_true & is_predicted, is_true & ~is_predicted


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """The area under the ROC curve of one class against the others, which has no weighted form."""

    name: str
    positive: Any = None  # both set when resolved
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    lower_is_better: bool = False
    responses: tuple[str, ...] = ("decision_function", "predict_proba")

    @property
    def quantity(self) -> Quantity:
        return Quantity(
            name=self.name, words="AUC", lower_is_better=False, low=0.0, high=1.0,
            target="labels", per_example="placements",
        )  # fmt: skip

    @property
    def key(self) -> str:
        return f"auc({self.positive!r})"

    def check(self, target: Target) -> None:
        if target.kind == "sequence" or target.is_continuous:
            refuse("y", f"class labels for measure {self.name!r}", f"a {target.kind} target")

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:  # noqa: ARG002  (one signature)
        return Evaluated(float(self._placements(truth, answer, smallest=1)[0].mean()))

    def examples(self, truth: Any, answer: Answer) -> Floats:
        """
        Values whose mean is the area, and whose variance over their number is DeLong's.

        Placement values are moved away from their mean by √(n(n−1)/(m(m−1))) for a class of m of the n.
        """
        parts = self._placements(truth, answer, smallest=2)
        n, area = len(truth), parts[0].mean()
        values, mine = np.empty(n), truth == self.positive
        for part, who in zip(parts, (mine, ~mine), strict=True):
            m = len(part)
            values[who] = area + np.sqrt(n * (n - 1) / (m * (m - 1))) * (part - area)
        return values

    def _placements(self, truth: Any, answer: Answer, *, smallest: int) -> tuple[Floats, Floats]:
        mine = np.asarray(truth == self.positive)
        m = int(mine.sum())
        if min(m, len(mine) - m) < smallest:
            raise ValueError(
                f"{m} of {len(mine)} test examples are positive; {smallest} of either are needed"
            )
        column = self.classes.tolist().index(self.positive)
        scores = np.asarray(answer.values, dtype=float)
        if scores.ndim == 1:  # that of the second of two classes
            scores = scores if column == len(self.classes) - 1 else -scores
        else:
            scores = scores[:, column]
        return placements(scores, mine)


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """One value per test set, which has no weighted form."""

    name: str
    function: Function
    key: str | None
    lower_is_better: bool
    responses: tuple[str, ...] = ("predict",)
    words: str = ""

    @property
    def quantity(self) -> Quantity:
        return Quantity(name=self.name, words=self.words, lower_is_better=self.lower_is_better)

    def check(self, target: Target) -> None:
        if self.key == "fpa" and target.kind != "number":
            refuse("y", "counts for measure 'fpa'", f"a {target.kind} target")

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:  # noqa: ARG002  (one signature)
        return Evaluated(float(self.function(truth, answer.values)))


def measure(
    function: Function,
    *,
    name: str | None = None,
    lower_is_better: bool = True,
    per_example: bool = True,
    response: str = "predict",
) -> Measure:
    """
    Make a measure of a function of truth and prediction.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred)``, with arrays (or lists of tag sequences) of one test set.
    name : str, optional
        How reports call it; the name of the function where none is given.
    lower_is_better : bool
        True for losses, False for scores.
    per_example : bool
        Whether it returns an array with one value per example, or one number per test set.
    response : {"predict", "predict_proba", "decision_function"}
        What is passed as ``y_pred``.

    Returns
    -------
    Measure
        To be given in ``measures=``.

    Examples
    --------
    >>> measure(lambda truth, predicted: abs(truth - predicted) > 1, name="miss by more than 1").name
    'miss by more than 1'
    """
    if not callable(function):
        refuse("function", "callable", function)
    one_of("response", response, ("predict", "predict_proba", "decision_function"))
    called = name or str(getattr(function, "__name__", type(function).__name__))
    if per_example:
        return Loss(
            name=called,
            function=function,
            takes=("number", "label", "sequence"),
            key=None,
            lower_is_better=lower_is_better,
            responses=(response,),
        )
    return Score(
        name=called, function=function, key=None, lower_is_better=lower_is_better, responses=(response,)
    )


def pinball(quantile: float = 0.5) -> Loss:
    """
    Make the pinball loss of a quantile; ``"pinball"`` by name is that of the median.

    Examples
    --------
    >>> pinball(0.9).name
    'pinball(0.9)'
    """
    if not 0 < quantile < 1:
        refuse("quantile", "between 0 and 1", quantile)

    def function(truth: Floats, predicted: Floats) -> Floats:
        error = _error(truth, predicted)
        return np.maximum(quantile * error, (quantile - 1) * error)

    name = f"pinball({quantile})"
    return Loss(name=name, function=function, takes=("number",), key=name, low=0.0)


def _error(truth: Any, predicted: Any) -> Floats:
    """Subtract as floats: numpy refuses to subtract booleans."""
    error: Floats = np.asarray(truth, dtype=float) - np.asarray(predicted, dtype=float)
    return error


def _squared(truth: Any, predicted: Any) -> Floats:
    return np.square(_error(truth, predicted))


def _absolute(truth: Any, predicted: Any) -> Floats:
    return np.abs(_error(truth, predicted))


def _zero_one(truth: Any, predicted: Any) -> Any:
    """1 where wrong; a tag sequence is wrong if any of its tags is."""
    if isinstance(truth, list):
        return [a != b for a, b in zip(truth, predicted, strict=True)]
    return truth != predicted


def _log(column: NDArray[np.intp], probabilities: Floats) -> Floats:
    p = probabilities[np.arange(len(column)), column]
    losses: Floats = -np.log(np.maximum(p, np.finfo(float).eps))  # as log_loss does: finite, but large
    return losses


def _brier(column: NDArray[np.intp], probabilities: Floats) -> Floats:
    """Sum over classes of (p − [class is true])², in [0, 2]; for two classes twice the one-column form."""
    p = probabilities[np.arange(len(column)), column]
    losses: Floats = (probabilities**2).sum(axis=1) - 2 * p + 1
    return losses


NAMED: dict[str, Measure] = {
    "zero-one": Loss(
        name="zero-one",
        function=_zero_one,
        takes=("number", "label", "sequence"),
        key="zero-one",
        labels_only=True,
        words="error",
        low=0.0,
    ),
    "squared": Loss(
        name="squared", function=_squared, takes=("number",), key="squared", words="squared error", low=0.0
    ),
    "absolute": Loss(
        name="absolute",
        function=_absolute,
        takes=("number",),
        key="absolute",
        words="absolute error",
        low=0.0,
    ),
    "pinball": replace(pinball(), name="pinball", words="pinball loss"),
    "log": ProbabilityLoss(name="log", function=_log, key="log", words="log loss"),
    "brier": ProbabilityLoss(name="brier", function=_brier, key="brier", words="Brier score", high=2.0),
    "precision": Confusion(name="precision", kind="precision", ratio=lambda tp, fp, fn: (tp, tp + fp)),  # noqa: ARG005
    "recall": Confusion(name="recall", kind="recall", ratio=lambda tp, fp, fn: (tp, tp + fn)),  # noqa: ARG005
    "f1": Confusion(name="f1", kind="f1", ratio=lambda tp, fp, fn: (2 * tp, 2 * tp + fp + fn), words="F1"),
    "auc": Ranking(name="auc"),
    "fpa": Score(name="fpa", function=fpa, key="fpa", lower_is_better=False, words="FPA"),
}

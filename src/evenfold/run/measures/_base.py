"""
The base of all measures. A measure rates predictions, in its own units and with its own direction.

A measure is computed from stored predictions, so that another measure later needs no fit. Its
:class:`~evenfold.core.losses.Quantity` describes it, and no other code has lists of names.
"""

import math
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, refuse_value
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Quantity, Score
from evenfold.core.registry import Registry
from evenfold.run.data import Target

Floats = NDArray[np.float64]
Counts = tuple[float, float, float]


class Predictions(NamedTuple):
    """The predictions of an algorithm on one test set, their kind, and how long they took."""

    response: str
    values: Any
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan


class Evaluated(NamedTuple):
    """
    The value of a measure on one test set.

    ``counts`` are TP, FP, FN if the value is computed from them. ``whole`` says that the value is
    not a mean over examples.
    """

    value: float
    counts: Counts | None = None
    whole: bool = False


class Measure:
    """
    Base of all measures. A measure of another package defines ``quantity`` and ``examples``.

    A score that is a smooth function of sums over examples defines ``score`` and ``outcomes``
    instead, and any other measure defines ``evaluate``. To be found by its name, a measure is
    announced as an entry point of the group ``evenfold.measures``.

    Attributes
    ----------
    quantity : Quantity
        Name, words, direction and range; ``per_example="values"`` if ``examples`` is defined,
        ``"outcomes"`` if ``outcomes`` is, ``"placements"`` if ``placements`` is.
    score : Score
        For measures with outcomes: the measure as a function of their sums.
    responses : tuple of str
        The outputs it can work on, the preferred first: ``"predict"``, ``"predict_proba"`` (columns
        in the order of the sorted labels), ``"decision_function"``.
    each : callable or None
        For losses that are computed element by element: ``each(truth, prediction)``, for arrays of
        any library. The lab can study such losses, and scores that are ratios of TP, FP and FN.
    key : str or None
        The name of the measure and its parameters in a store; None if its values are not stored
        but computed again from stored predictions.
    takes_sequences : bool
        Whether it can be asked of tag sequences.
    of_estimators : bool
        Whether it can be asked of estimators only, not of functions that fit and predict at once.

    Notes
    -----
    *Validity.* Methods that read values per example take them as they are: their mean over a test
    set must be the value of the measure there. ``evenfold.testing.check_measure`` looks.

    Examples
    --------
    >>> import numpy as np
    >>> from evenfold.run import Measure, Predictions, Quantity
    >>> class Capped(Measure):
    ...     quantity = Quantity(
    ...         name="capped",
    ...         words="capped error",
    ...         lower_is_better=True,
    ...         low=0.0,
    ...         high=1.0,
    ...         target="numbers",
    ...         per_example="values",
    ...     )
    ...
    ...     def examples(self, truth, answer):
    ...         return np.minimum(abs(truth - answer.values), 1.0)
    >>> predicted = Predictions("predict", np.array([0.5, 7.0]))
    >>> Capped().evaluate(np.array([0.0, 0.0]), predicted, None).value
    0.75
    """

    quantity: Quantity
    score: Score
    responses: tuple[str, ...] = ("predict",)
    each: Callable[[Any, Any], Any] | None = None
    key: str | None = None
    takes_sequences: ClassVar[bool] = False
    of_estimators: bool = False
    asked: dict[str, Any] | None = None  # name and options from which it can be made again
    # makes it from what follows the colon in "pinball:0.9", and the type of that
    spell: Callable[[Any], "Measure"] | None = None
    setting_type: type[Any] = str

    @property
    def name(self) -> str:
        """Its name in code, in stores and on the command line."""
        return self.quantity.name

    def about(self, **facts: Any) -> Self:
        """Return the same measure with other facts in its quantity."""
        return self.having(quantity=replace(self.quantity, **facts))

    def having(self, **attributes: Any) -> Self:
        """Return a copy with other attributes; measures may be frozen."""
        other = copy(self)
        for key, value in attributes.items():
            object.__setattr__(other, key, value)
        return other

    def check(self, target: Target) -> None:
        """Refuse a target that it is not made for."""
        if target.kind == "sequence" and not self.takes_sequences:
            refuse(
                "y",
                f"y must be one value per example for measure {self.name!r} but holds tag "
                "sequences.",
            )
        if self.quantity.target == "labels" and target.is_continuous:
            known = (key for key in MEASURES if MEASURES[key].quantity.target == "numbers")
            refuse(
                "y",
                f"y must be class labels for measure {self.name!r} but is continuous.",
                f"Use one of the measures {', '.join(known)}.",
            )
        if self.quantity.target == "numbers" and target.kind != "number":
            refuse("y", f"y must be numbers for measure {self.name!r} but holds {target.kind}s.")

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "Measure":
        """Return the measure bound to a target, with its classes, positive class or tag scheme."""
        return self

    def weighable(self, target: Target) -> bool:
        """Whether it has a form with sample weights."""
        return True

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        """Return its value on a test set."""
        if self.quantity.per_example == "outcomes":
            return Evaluated(float(self.score(self.outcomes(truth, answer, weights).sum(axis=0))))
        return Evaluated(
            weighted_mean(one_per_example(self.examples(truth, answer), truth), weights)
        )

    def examples(self, truth: Any, answer: Predictions) -> Floats:
        """Return one value per test example."""
        raise NotApplicable(f"Measure {self.name!r} has no values per example.")

    def outcomes(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        """Return the counts of every test example, times its weight, an array (examples, k)."""
        raise NotApplicable(f"Measure {self.name!r} is not made of counts.")

    def placements(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        """Return one value per test example; their mean and variance over n are the measure's."""
        raise NotApplicable(f"Measure {self.name!r} is not a measure of a ranking.")


MEASURES: Registry[Measure] = Registry("measure", "evenfold.measures")


def weighted_mean(values: Floats, weights: Floats | None) -> float:
    """Mean over examples; the plain sum is faster than ``average`` where nothing is weighted."""
    if weights is None:
        return float(values.sum() / len(values))
    return float((values * weights).sum() / weights.sum())


def weights_of(which: Any, weights: Floats | None) -> Floats | None:
    """Return the weights of some examples, where examples have weights."""
    return None if weights is None else weights[which]


def weigh_counts(counts: NDArray[Any], weights: Floats | None) -> Floats:
    """Return the counts of examples, (examples, k), times their weights."""
    if weights is None:
        return counts.astype(float)
    return counts * weights[:, None]


def one_per_example(values: Any, truth: Any) -> Floats:
    """Return one value per example. A column, which weights would broadcast, is an error."""
    each = np.asarray(values, dtype=float)
    if each.shape != (len(truth),):
        raise ValueError(
            f"the measure must return one value per example, of shape ({len(truth)},), but "
            f"returned shape {each.shape}"
        )
    return each


# Shared by measures of labels: labels as numbers, the positive class, and quantities.


Codes = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class OfClasses(Measure):
    """A measure that must know the classes of its target."""

    quantity: Quantity
    key: str
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))  # set when bound

    def bind(self, target: Target, *, positive: Any, scheme: str) -> Self:
        return replace(self, classes=target.classes)


def score(name: str, words: str = "", **facts: Any) -> Quantity:
    """Return what a score is about. By default it is of labels, has outcomes and is 0 to 1."""
    facts = {"low": 0.0, "high": 1.0, "target": "labels", "per_example": "outcomes", **facts}
    return Quantity(name=name, words=words, lower_is_better=False, **facts)


def loss(name: str, words: str, **facts: Any) -> Quantity:
    """Return what a loss is about. By default it has values per example and is at least 0."""
    facts = {"low": 0.0, "per_example": "values", **facts}
    return Quantity(name=name, words=words, lower_is_better=True, **facts)


def label_codes(labels: Any, classes: NDArray[Any]) -> Codes:
    """
    Return the place of each label among the sorted classes; K for a label that is not among the K.

    Examples
    --------
    >>> label_codes(np.array(["b", "a", "z"]), np.array(["a", "b"])).tolist()
    [1, 0, 2]
    """
    array = np.asarray(labels)
    places = np.minimum(np.searchsorted(classes, array), len(classes) - 1)
    codes: Codes = np.where(classes[places] == array, places, len(classes)).astype(np.intp)
    return codes


def positive_class(positive: Any, target: Target) -> Any:
    """
    Return the class that counts as positive.

    It is the one that the caller names, or the larger of 0/1, −1/1, False/True.
    """
    labels = target.classes.tolist()
    if positive is not None:
        if positive not in labels:
            refuse_value("positive", positive, f"one of the labels {labels[:10]}")
        return labels[labels.index(positive)]
    if labels in ([0, 1], [-1, 1], [False, True]):
        return labels[1]
    remedy = "Pass the class that the measure is about."
    if len(labels) > 2:
        remedy = "Pass the class that the measure is about, or use one that averages over classes."
    if any(re.match("[BIMES]-", str(label)) for label in labels):
        # tokens are no units: see docs
        remedy = "If y holds tags of tokens, pass one sequence of tags per sentence."
    refuse("positive", f"positive must be one of the labels {labels[:10]} but got None.", remedy)

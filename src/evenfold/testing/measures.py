"""The contract of a measure."""

from functools import partial
from typing import Any

import numpy as np

from evenfold.core.errors import EvenfoldError
from evenfold.run import Evaluated, Measure, Predictions
from evenfold.run.cells import LIVE
from evenfold.run.data import Target, as_target
from evenfold.run.measures import MEASURES
from evenfold.testing import contract, require, works

_N = 60
_SEQUENCES = [["B-X", "I-X", "O"], ["O", "B-Y"], ["O", "O", "B-X"]] * (_N // 3)


def check_measure(measure: Measure, *, registered: bool = True) -> None:
    """
    Check that a measure keeps the rules that runs, methods and reports rely on.

    Parameters
    ----------
    measure : Measure
        As it is registered, not yet bound to a target.
    registered : bool, default True
        Whether it must be found by its name.

    Raises
    ------
    BrokenContract
        With the rule that is broken.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.testing.check_measure(ef.run.measures()["zero-one"])
    """
    name = getattr(getattr(measure, "quantity", None), "name", type(measure).__name__)
    with contract(name):
        require(isinstance(measure, Measure), "it is a Measure")
        quantity = measure.quantity
        require(quantity.name and quantity.words, "it has a name and words")
        require(quantity.low < quantity.high, "its range is not empty")
        require(measure.responses, "it says which responses it works on")
        if registered:
            require(MEASURES.get(quantity.name) is measure, "it is registered under its name")
        targets = _targets(measure)
        require(targets, "it takes numbers, labels or tag sequences")
        for target in targets:
            _check_on(measure, target)


def _targets(measure: Measure) -> list[Target]:
    """Return the targets that it does not refuse."""
    rng = np.random.default_rng(0)
    counts = rng.integers(4, size=_N)
    labels = rng.integers(2, size=_N)
    targets = [as_target(y) for y in (counts + 0.5, counts, labels, labels.astype(str), _SEQUENCES)]
    accepted = []
    for target in targets:
        try:
            measure.check(target)
            measure.bind(target, positive=None if target.kind == "number" else "1", scheme="IOB2")
        except EvenfoldError:
            continue
        accepted.append(target)
    return accepted


def _check_on(measure: Measure, target: Target) -> None:
    label = target.classes.tolist()[-1] if target.kind == "label" else None
    bound = works(
        partial(measure.bind, target, positive=label, scheme="IOB2"), "it can be bound to a target"
    )
    require(bound.name == measure.name, "bound to a target it keeps its name")
    require(
        bound.quantity.lower_is_better == measure.quantity.lower_is_better, "it keeps its direction"
    )
    for response in bound.responses:
        answer = Predictions(
            response, _answers(target, response), fit_seconds=0.5, predict_seconds=0.1
        )
        evaluate = partial(bound.evaluate, target.y, answer, None)
        evaluated = works(evaluate, f"it evaluates {response} of a {target.kind} target")
        _check_value(bound, evaluated, evaluate())
        _check_examples(bound, target, answer, evaluated)
        _check_weights(bound, target, answer, evaluated)


def _answers(target: Target, response: str) -> Any:
    rng = np.random.default_rng(1)
    if response == "predict":
        if target.kind == "sequence":
            return [
                ["O"] * len(tags) if i % 4 == 0 else list(tags) for i, tags in enumerate(_SEQUENCES)
            ]
        return np.asarray(target.y)[rng.permutation(_N)]
    if response.startswith(LIVE):
        return np.array([100.0])
    k = len(target.classes)
    if response == "decision_function" and k == 2:
        return rng.normal(size=_N)
    chances = rng.dirichlet(np.ones(k), size=_N)
    if response == "predict_proba":
        return chances
    return np.log(chances)


def _check_value(measure: Measure, evaluated: Any, again: Any) -> None:
    low = measure.quantity.low
    high = measure.quantity.high
    require(isinstance(evaluated, Evaluated), "it gives an Evaluated")
    require(
        type(evaluated.value) is float and np.isfinite(evaluated.value),
        "its value is a finite float",
    )
    require(
        low <= evaluated.value <= high,
        f"its value {evaluated.value} lies in its range [{low}, {high}]",
    )
    require(evaluated.value == again.value, "asked twice it gives the same value")


def _check_examples(measure: Measure, target: Target, answer: Predictions, evaluated: Any) -> None:
    kind = measure.quantity.per_example
    n = len(target.y)
    if kind in ("values", "placements"):
        evaluate = partial(measure.examples, target.y, answer)
        if kind == "placements":
            evaluate = partial(measure.placements, target.y, answer, None)
        each = works(evaluate, "it has values per example")
        require(np.shape(each) == (n,), "it has one value per example")
        require(np.isclose(np.mean(each), evaluated.value), "the mean of its examples is its value")
    if kind == "values" and measure.quantity.counts_wrong:
        require(set(np.unique(each)) <= {0.0, 1.0}, "a wrong prediction counts 1, a right one 0")
    if measure.each is not None and target.kind != "sequence":
        same = np.allclose(measure.each(np.asarray(target.y), np.asarray(answer.values)), each)
        require(same, "element by element it is what its examples are")
    if kind == "outcomes":
        _check_outcomes(measure, target, answer, evaluated)


def _check_outcomes(measure: Measure, target: Target, answer: Predictions, evaluated: Any) -> None:
    each = works(partial(measure.outcomes, target.y, answer, None), "it has outcomes")
    require(np.ndim(each) == 2 and len(each) == len(target.y), "it has outcomes of every example")
    sums = np.sum(each, axis=0)
    require(
        np.isclose(measure.score(sums), evaluated.value), "its value is its score of their sums"
    )
    require(
        np.isclose(measure.score(3 * sums), evaluated.value), "multiples of the sums have one score"
    )
    if evaluated.counts is not None:
        require(np.allclose(sums, evaluated.counts), "its outcomes add up to its counts")
    # A score that is smooth has one slope from both sides.
    step = 1e-6 * max(np.abs(sums).max(), 1.0) * np.eye(len(sums))
    by_hand = (measure.score(sums + step) - measure.score(sums - step)) / (2 * step.max())
    require(
        np.allclose(measure.score.slopes(sums), by_hand, rtol=1e-4, atol=1e-6),
        "its score is smooth",
    )


def _check_weights(measure: Measure, target: Target, answer: Predictions, evaluated: Any) -> None:
    if not measure.weighable(target):
        return
    ones = np.ones(len(target.y))
    weighted = works(partial(measure.evaluate, target.y, answer, ones), "it can be weighted")
    require(np.isclose(weighted.value, evaluated.value), "equal weights change nothing")
    doubled = measure.evaluate(target.y, answer, 2 * ones)
    require(np.isclose(doubled.value, evaluated.value), "the scale of the weights does not count")

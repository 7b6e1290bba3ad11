"""What single examples are worth to a measure, from the predictions of cells, when somebody asks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import isfinite
from typing import Any

from evenfold.core.errors import StoreError
from evenfold.core.losses import Floats, PerExample
from evenfold.core.partition import Cut, LazySequence
from evenfold.run.cells import Fault, fault_of
from evenfold.run.data import Target
from evenfold.run.measures import Answer, Evaluated, Measure


def evaluate(measure: Measure, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated | Fault:
    """Return the value of a measure, or why it has none on this test set."""
    if weights is not None and not weights.any():
        return Fault("measure", f"{measure.name}: all weights of the test set are 0")
    try:
        evaluated = measure.evaluate(truth, answer, weights)
    except (Exception, SystemExit) as error:
        return fault_of("measure", error, about=f"{measure.name}: ")
    if not isfinite(evaluated.value):  # NaN in the losses means a failure, so it must be one
        return Fault("measure", f"{measure.name}: gave {evaluated.value}")
    return evaluated


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Single:
    """
    Values of single examples, made of what algorithms answered.

    Attributes
    ----------
    measure : function
        Returns the measure; it is called when a value is asked for.
    responses : sequence of str
        What the measure looks at, of each algorithm.
    answer : function
        What an algorithm answered on a split, by their numbers and the response.
    target, cut, weights
        Truth, splits and weights of the examples.
    keeps : bool
        Whether values stay for whoever asks next.
    """

    measure: Callable[[], Measure]
    responses: Sequence[str]
    answer: Callable[[int, int, str], Any]
    target: Target
    cut: Cut
    weights: Floats | None
    keeps: bool = False

    def of(self, given: PerExample) -> dict[str, Any]:
        """Return those fields of losses that a measure has which gives this, not nothing, per example."""
        if given == "outcomes":
            return {"outcomes": self._rows(given), "score": self.measure().score}
        return {"examples": self._rows(given)}

    def _rows(self, given: PerExample) -> tuple[LazySequence[Floats], ...]:
        item = cache(self._item) if self.keeps else self._item
        each = range(len(self.responses))
        return tuple(LazySequence(self.cut.n_splits, partial(item, given, a)) for a in each)

    def _item(self, given: PerExample, algorithm: int, split: int) -> Floats:
        response, test, measure = self.responses[algorithm], self.cut.test(split), self.measure()
        given_back = self.answer(algorithm, split, response)
        if len(given_back) != len(test):  # of a store that came from elsewhere
            raise StoreError(f"{len(given_back)} stored answers for {len(test)} test examples; run it again")
        answer = Answer(response, given_back)
        truth, weights = self.target.take(test), None if self.weights is None else self.weights[test]
        if given == "values":
            return measure.examples(truth, answer)
        values = measure.placements if given == "placements" else measure.outcomes
        return values(truth, answer, weights)

"""
Find what a table measures: its column of values, or a measure of its predictions.

Either gives one value per example whose mean is the measure. Where the measure is a mean, these are
its terms; for a score such as F1 or AUC a value is the score plus the influence of the example, see
:mod:`evenfold.infer.tables`.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NoReturn
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import ELLIPSIS, Advice, refuse, short_repr
from evenfold.core.errors import EvenfoldError, NotApplicable
from evenfold.core.inputs import Floats, Results, look_alike
from evenfold.core.losses import Quantity, weighted_values
from evenfold.core.words import list_first_values, one_line
from evenfold.infer.tables.kernels import bootstrap_values, jackknife_values, require_smooth
from evenfold.run.data import as_target
from evenfold.run.measures import MEASURES, Measure, Predictions, as_measure, resolve_measures
from evenfold.run.measures.resolve import default_measure

Rows = NDArray[np.int64]
Codes = NDArray[np.intp]


# Predicted scores, and values of whole measures: which questions a table can answer.


DIRECTION = Advice("Pass ", {"higher_is_better": (True, False)}, ".")
_SLIP = 0.8  # names so alike are slips of the pen: 'acurracy', but not 'ndcg@10' for 'ndcg'


def measure_of_values(measure: Any) -> Measure:
    """Return the measure of a column of values, or ask for the direction of an unknown one."""
    try:
        return as_measure(measure)
    except EvenfoldError:
        if not isinstance(measure, str) or get_close_matches(measure, MEASURES, cutoff=_SLIP):
            raise
    refuse(
        "higher_is_better",
        f"higher_is_better must be given because evenfold does not know measure {measure!r}.",
        DIRECTION,
    )


def known_quantity(name: str) -> Quantity | None:
    """
    Return the quantity of the measure of this name; None where no measure has the name.

    Examples
    --------
    >>> known_quantity("roc_auc").lower_is_better, known_quantity("ndcg@10")
    (False, None)
    """
    try:
        return as_measure(name).quantity
    except EvenfoldError:
        return None


def require_a_mean(
    results: Results, measure: Any, known: Quantity, *, direction_said: bool
) -> None:
    """
    Refuse values of single examples of a measure that is no mean of them.

    A single example has no area under a curve and no R². It may have an F1, that of its words;
    such values are accepted where the caller says their direction.
    """
    if results.example is None or known.per_example not in ("outcomes", "placements"):
        return
    if direction_said and known.per_example == "outcomes" and known.target != "numbers":
        return
    remedy = (
        "Give the columns 'truth' and 'prediction', or 'score', or one column p:CLASS per class."
    )
    if results.truth is not None:
        remedy = Advice(
            "Leave ",
            {"columns": {"value": ELLIPSIS}},
            " out, so that the column 'score' beside 'truth' is read as a score.",
        )
    refuse(
        "table",
        f"The table must have predictions for measure {measure!r}, which is no mean of values per "
        "example, but it has a value of each example.",
        remedy,
    )


def require_labels_not_scores(results: Results, measure: str) -> None:
    """Refuse probabilities in the place of predicted labels, because all would count as wrong."""
    truth = results.truth
    prediction = results.prediction
    if truth is None:
        return
    if prediction is None:
        refuse(
            "table",
            f"The table must have predicted labels for measure {measure!r} but it has only scores.",
            "Give a column 'prediction', or use 'auc', 'log' or 'brier'.",
        )
    fraction = _fractions(prediction) & ~np.isin(prediction, np.unique(truth))
    if not fraction.any() or _fractions(truth).any():
        return
    refuse(
        None,
        f"Column 'prediction' must have labels of the truth for measure {measure!r} but got "
        f"{prediction[fraction][0]}.",
        "Call a column of probabilities 'score' or p:CLASS and use 'auc', 'log' or 'brier'. For "
        "predicted numbers use 'squared'.",
    )


def _fractions(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are numbers that are not whole."""
    try:
        numbers = values.astype(float)
    except ValueError:
        return np.zeros(len(values), dtype=bool)
    return np.asarray(np.isfinite(numbers) & (numbers != np.round(numbers)))


def predicted_scores(results: Results) -> Floats | None:
    """Return the column of scores, or numbers in the place of predicted labels, or None."""
    if results.score is not None:
        return results.score
    prediction = results.prediction
    if prediction is None or not _fractions(prediction).any():
        return None
    return prediction.astype(float)


def score_answer(
    measure: Measure, scores: Floats, classes: NDArray[Any], positive: Any
) -> Predictions:
    """
    Return scores in the form that a measure needs, larger for the positive one of two classes.

    The positive class is the second one unless the caller names it.
    """
    if len(classes) != 2:
        refuse(
            "table",
            f"The table must have two classes for measure {measure.name!r} of a single score but "
            f"it has {len(classes)}.",
            "Give one column p:CLASS per class.",
        )
    turned = positive is not None and positive == classes[0]
    if "decision_function" in measure.responses:
        return Predictions("decision_function", -scores if turned else scores)
    if scores.size and (scores.min() < 0 or scores.max() > 1):
        if scores.min() < 0:
            worst = scores.min()
        else:
            worst = scores.max()
        refuse(
            None,
            f"Column 'score' must be a probability for measure {measure.name!r} but got {worst:g}.",
            "Use 'auc' for other scores.",
        )
    of_second = scores
    if turned:
        of_second = 1 - scores
    return Predictions("predict_proba", np.stack([1 - of_second, of_second], axis=-1))


# Predicted labels that the truth does not have: a model is not wrong because of a spelling.


def require_labels(results: Results) -> None:
    """
    Refuse predictions that are spelled unlike the truth, or of which none is a label of it.

    A few other labels count as wrong answers, because a model may say "idk". Where the truth has
    only one label, nothing is refused.
    """
    if results.truth is None or results.prediction is None:
        return
    truth = _different(results.truth)
    for a, name in enumerate(results.names):
        predicted = _different(results.prediction[results.algorithm == a])
        alike = look_alike(predicted, truth)
        if alike is not None:
            _refuse_labels(name, f"{alike[0]!r} where the truth has {alike[1]!r}")
        if len(truth) > 1 and predicted and not predicted & truth:
            mismatch = (
                f"{list_first_values(sorted(predicted, key=str))}, none of the labels of the truth "
                f"({list_first_values(sorted(truth, key=str))})"
            )
            _refuse_labels(name, mismatch)
        if truth - predicted and predicted - truth:
            of_a = results.algorithm == a
            _require_no_other_name(name, results.truth[of_a], results.prediction[of_a])


def _require_no_other_name(name: str, truth: NDArray[Any], predicted: NDArray[Any]) -> None:
    """
    Refuse predictions that have another name for a class, such as 'cat.' wherever 'cat' is true.

    A label is another name if the class itself is never predicted, most of its examples get this
    label, the truth does not have it, and most examples with the label are of the class.
    """
    known = _different(truth)
    never = known - _different(predicted)
    pairs = Counter(zip(predicted.tolist(), truth.tolist(), strict=True))
    of_predicted = Counter(predicted.tolist())
    of_truth = Counter(truth.tolist())
    for (other, label), count in pairs.items():
        half = max(of_predicted[other], of_truth[label]) / 2
        if label in never and other not in known and count > half:
            mismatch = (
                f"{other!r} in {count:,} of the {of_truth[label]:,} rows where the truth is "
                f"{label!r}, and {label!r} in none"
            )
            _refuse_labels(name, mismatch)


def _refuse_labels(name: str, mismatch: str) -> NoReturn:
    refuse(
        None,
        f"Predictions of {name!r} must be written like the labels of the truth but got {mismatch}.",
        "Write labels alike, or give a column 'value' that says what is right (1) and wrong (0).",
    )


def _different(values: Any) -> set[Any]:
    """Return the different labels; NumPy sorts numbers out faster than a set does."""
    return set((np.unique(values) if values.dtype.kind in "iuf" else values).tolist())


LARGEST = 1e150  # its square is still finite
_LARGEST_TARGET = 1e120  # its squares can be summed, and the sums can be squared
_ROUNDING = 1e-9


class TableMeasure(ABC):
    """One measure of the rows of a table; ``quantity`` describes it."""

    quantity: Quantity
    results: Results

    @property
    def is_mean(self) -> bool:
        """
        Whether it is the mean of values of single examples, each within its range.

        Values that stand for the examples of a score such as AUC or F1 may lie far outside.
        """
        return True

    @abstractmethod
    def examples(self, rows: Rows, clusters: Codes | None = None) -> Floats:
        """Return a value for every row, each an example, whose mean is the measure of them all."""

    @abstractmethod
    def score(self, rows: Rows) -> float:
        """Return the measure of all these rows."""

    @abstractmethod
    def right(self, rows: Rows) -> NDArray[np.bool_] | None:
        """Return which rows are right, None where nothing is right or wrong."""

    def rests_on(self, rows: Rows) -> int:
        """Return how many of these rows the measure uses; recall uses those that are positive."""
        return len(rows)

    def weights(self, rows: Rows) -> Floats | None:
        """Return the weights of the rows, None where all count alike."""
        if self.results.weight is None:
            return None
        weights = self.results.weight[rows]
        if (weights < 0).any() or not weights.any():
            refuse(
                None,
                f"Column 'weight' must not be negative and not all 0 but got {weights.min():g}.",
            )
        return weights


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueColumn(TableMeasure):
    """The column ``value``."""

    quantity: Quantity
    results: Results
    values: Floats

    def examples(self, rows: Rows, clusters: Codes | None = None) -> Floats:  # noqa: ARG002  (one signature)
        weights = self.weights(rows)
        values = self.values[rows]
        if weights is None:
            return values
        return weighted_values(values, weights)

    def score(self, rows: Rows) -> float:
        return float(np.average(self.values[rows], weights=self.weights(rows)))

    def right(self, rows: Rows) -> NDArray[np.bool_] | None:
        values = self.values[rows]
        if not np.isin(values, (0.0, 1.0)).all():
            return None
        return np.asarray(values == (0.0 if self.quantity.lower_is_better else 1.0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Predicted(TableMeasure):
    """A measure of truth and prediction."""

    quantity: Quantity
    results: Results
    measure: Measure
    truth: NDArray[Any]
    prediction: NDArray[Any] | None
    positive: Any = None

    @property
    def is_mean(self) -> bool:
        return self.measure.quantity.per_example == "values"

    def examples(self, rows: Rows, clusters: Codes | None = None) -> Floats:
        weights = self.weights(rows)
        kind = self.measure.quantity.per_example
        if weights is not None and not self.measure.weighable(as_target(self.truth)):
            raise NotApplicable(
                f"Measure {self.quantity.name!r} has no weighted form. Leave 'weight' out."
            )
        truth = self.truth[rows]
        answer = self._answer(rows)
        if kind == "outcomes":
            return self.measure.score.values([self._outcomes(rows, weights)])[0]
        if kind == "none":
            return self._any_score(rows, clusters)
        with self._applicable():
            if kind == "placements":
                return self.measure.placements(truth, answer, weights)
            values = self.measure.examples(truth, answer)
        if weights is None:
            return values
        return weighted_values(values, weights)

    def score(self, rows: Rows) -> float:
        with self._applicable():
            return self.measure.evaluate(
                self.truth[rows], self._answer(rows), self.weights(rows)
            ).value

    @contextmanager
    def _applicable(self) -> Iterator[None]:
        """Raise NotApplicable with the reason where a measure has no value."""
        try:
            yield
        except EvenfoldError:
            raise
        except ValueError as error:
            raise NotApplicable(
                f"Measure {self.quantity.name!r} has no value here: {one_line(error).rstrip('.')}."
            ) from error

    def rests_on(self, rows: Rows) -> int:
        if self.measure.quantity.per_example != "outcomes":
            return len(rows)
        return self.measure.score.rests_on(self._outcomes(rows, None))

    def _outcomes(self, rows: Rows, weights: Floats | None) -> Floats:
        """Return what every row counts, or refuse rows of which the score would be 0/0."""
        outcomes = self.measure.outcomes(self.truth[rows], self._answer(rows), weights)
        if not self.measure.score.rests_on(outcomes):
            raise NotApplicable(
                "The score is 0/0 because no example is positive, neither by truth nor by "
                "prediction."
            )
        return outcomes

    def right(self, rows: Rows) -> NDArray[np.bool_] | None:
        if self.measure.quantity.target == "numbers" or self.prediction is None:
            return None
        return np.asarray(self.truth[rows] == self.prediction[rows])

    @cached_property
    def _classes(self) -> NDArray[Any]:
        """The labels of the truth, cached because resampling needs them some hundred times."""
        return np.unique(self.truth)

    def _answer(self, rows: Rows) -> Predictions:
        """Return the predictions in the form that the measure needs."""
        if "predict" in self.measure.responses and self.prediction is not None:
            return Predictions("predict", self.prediction[rows])
        classes = self._classes
        missing = [label for label in classes.tolist() if label not in self.results.probabilities]
        if missing:
            scores = predicted_scores(self.results)
            if scores is not None:
                return score_answer(self.measure, scores[rows], classes, self.positive)
            refuse(
                "table",
                f"The table must have probabilities for measure {self.quantity.name!r} but it has "
                f"no column 'p:{missing[0]}'.",
                "Give one column p:CLASS per class.",
            )
        columns = [self.results.probabilities[label][rows] for label in classes.tolist()]
        return Predictions("predict_proba", np.stack(columns, axis=-1))

    def _any_score(self, rows: Rows, clusters: Codes | None) -> Floats:
        """Return values of any score, by the bootstrap, or by the jackknife along time."""
        n = len(rows)

        def score(kept: Codes) -> float:
            return self.score(rows[kept])

        if self.results.time is None or clusters is not None:
            # The seed comes from the ranks of the truth, which all algorithms share and which no
            # change of unit affects, so that a table always gets the same answer.
            ranks = np.unique(self.truth[rows], return_inverse=True)[1]
            seed = crc32(ranks.astype(np.int64).tobytes())
            return bootstrap_values(score, n, seed=seed, clusters=clusters)
        values = jackknife_values(score, n, blocks=np.arange(n), count=n)
        if self.measure.quantity.target != "labels" and as_target(self.truth).is_continuous:
            require_smooth(values)
        return values


def measure_of_table(
    results: Results,
    measure: Any,
    *,
    higher_is_better: bool | None,
    positive: Any,
    per_example: bool,
) -> TableMeasure:
    """Return what is measured: the values of the table, or a measure of its predictions."""
    _require_moderate(results)
    if results.value is not None:
        quantity = _column_quantity(results, measure, higher_is_better)
        _require_range(results, results.value, quantity)
        mean = replace(
            quantity,
            per_example="values" if per_example else "none",
            right_or_wrong=results.weight is None
            and bool(np.isin(results.value, (0.0, 1.0)).all()),
        )
        return ValueColumn(quantity=mean, results=results, values=results.value)
    if results.truth is None or (results.prediction is None and results.score is None):
        refuse(
            "table",
            "The table has neither a column 'value' nor the columns 'truth' and 'prediction'.",
        )
    target = as_target(results.truth)
    if measure is None and results.prediction is None:
        refuse("measure", "measure must be given for scores.", "Use 'auc', 'log' or 'brier'.")
    if measure is not None:
        requested = measure
    else:
        requested = default_measure(numbers=target.is_continuous)
    label = _label(positive, results.truth)
    resolved = resolve_measures(requested, target, positive=label, scheme="IOB2")[0]
    if measure is not None:
        _require_same_direction(resolved.quantity, higher_is_better)
    if "predict" in resolved.responses and resolved.quantity.target != "numbers":
        require_labels_not_scores(results, resolved.name)
        if not target.is_continuous:
            require_labels(results)
    kind = "values" if per_example else resolved.quantity.per_example
    return Predicted(
        quantity=replace(
            resolved.quantity,
            per_example=kind,
            weighted=results.weight is not None,
            right_or_wrong=resolved.quantity.right_or_wrong and results.weight is None,
        ),
        results=results,
        measure=resolved,
        truth=results.truth,
        prediction=results.prediction,
        positive=label,
    )


def _require_moderate(results: Results) -> None:
    """Refuse numbers whose squares, or sums of squares, are infinite."""
    limits = {"value": LARGEST, "truth": _LARGEST_TARGET, "prediction": _LARGEST_TARGET}
    for role, most in limits.items():
        column = getattr(results, role)
        if column is None or column.dtype.kind != "f":
            continue
        largest = float(np.abs(column).max())
        if largest > most:
            refuse(
                None,
                f"Column {role!r} must be at most {most:g} but got {largest:g}.",
                "Use another unit.",
            )


def _require_range(results: Results, values: Floats, quantity: Quantity) -> None:
    """Refuse values outside the range of the measure, such as percentages."""
    off = _is_off(results, quantity)
    if off.any():
        first = int(off.argmax())
        ids = ((role, results.ids(role)) for role in results.varied)
        where = ", ".join(
            f"{role} {of.labels[of.codes[first]]}" for role, of in ids if of is not None
        )
        remedy = "Name another measure"
        if values[first] > quantity.high:
            remedy = "Divide percentages by 100, name another measure"
        name = results.names[results.algorithm[first]]
        at = f" at {where}" if where else ""
        refuse(
            None,
            f"Values of {name!r} must be from {quantity.low:g} to {quantity.high:g} for measure "
            f"{quantity.name!r} but got {values[first]:g}{at}.",
            Advice(f"{remedy}, or pass ", {"higher_is_better": (True, False)}, "."),
        )


def _is_off(results: Results, quantity: Quantity) -> NDArray[np.bool_]:
    """Return which values are outside the range of the measure."""
    values = np.asarray(results.value)
    return np.asarray((values < quantity.low - _ROUNDING) | (values > quantity.high + _ROUNDING))


_TRUE_OR_FALSE = {"True": 1, "False": 0}  # bool labels are numbers


def _label(positive: Any, truth: NDArray[Any]) -> Any:
    """Return the positive class in the type of the labels, such as 1 where the caller has "1"."""
    if positive is None or isinstance(positive, str) == (truth.dtype.kind == "U"):
        return positive
    try:
        if truth.dtype.kind == "U":
            return str(positive)
        return truth.dtype.type(float(_TRUE_OR_FALSE.get(positive, positive)))
    except ValueError:
        return positive


def _column_quantity(results: Results, measure: Any, higher_is_better: bool | None) -> Quantity:
    """Return the quantity of a column of values: its name, direction and range."""
    weighted = results.weight is not None
    higher = higher_is_better
    if higher_is_better is None:
        higher = results.higher_is_better
    if higher is None and _is_negated(results, measure):
        higher = True
    if measure is not None and not (isinstance(measure, str) and higher is not None):
        known = measure_of_values(measure).quantity
        require_a_mean(results, measure, known, direction_said=False)
        if results.right and known.lower_is_better:
            _refuse_loss_of_right_answers(results.right, measure)
        _require_same_direction(known, higher_is_better)
        return replace(known, weighted=weighted)
    _require_known_direction(results, measure, higher_is_better)
    if higher is None:
        refuse(
            "higher_is_better",
            "higher_is_better must be given because the direction of the values is not known.",
            DIRECTION,
        )
    if isinstance(measure, str) and (named := known_quantity(measure)):
        require_a_mean(results, measure, named, direction_said=True)
    name = measure or results.measure or "value"
    low, high = _range(results, name, higher_is_better=higher)
    return Quantity(name=name, lower_is_better=not higher, low=low, high=high, weighted=weighted)


def _refuse_loss_of_right_answers(column: str, measure: str) -> NoReturn:
    """Refuse a loss as the measure of a column whose name says that 1 is right."""
    refuse(
        "measure",
        f"measure must be one in which higher is better, because column {column!r} says which "
        f"answers are right, but got {short_repr(measure)}.",
        Advice(
            "Leave measure out, or pass ",
            {"columns": {"value": column}},
            " if the column holds losses.",
        ),
    )


def _is_negated(results: Results, measure: Any) -> bool:
    """Whether values have the minus sign of ``neg_log_loss`` in scikit-learn: higher is better."""
    turned = isinstance(measure, str) and measure.startswith("neg_")
    return turned and results.value is not None and bool((results.value <= 0).all())


def _require_known_direction(results: Results, measure: Any, higher_is_better: bool | None) -> None:
    """
    Refuse a direction that contradicts the name of the values.

    Values outside the range of the measure of that name may have any direction.
    """
    if higher_is_better is None or not isinstance(measure, str):
        return
    known = known_quantity(measure)
    if known is None:
        return
    if _is_negated(results, measure):
        known = replace(
            known, name=measure, lower_is_better=False, low=-known.high, high=-known.low
        )
    if _is_off(results, known).any():
        return
    _require_same_direction(known, higher_is_better)


def _require_same_direction(known: Quantity, higher_is_better: bool | None) -> None:
    if higher_is_better is not None and higher_is_better == known.lower_is_better:
        refuse(
            "higher_is_better",
            f"higher_is_better must be {not known.lower_is_better} for measure {known.name!r} but "
            f"got {higher_is_better}.",
        )


def _range(results: Results, name: str, *, higher_is_better: bool) -> tuple[float, float]:
    """Return [0, 1] for right and wrong, the range of a known measure, or an infinite range."""
    values = results.value
    if values is None:
        return -np.inf, np.inf
    if np.isin(values, (0.0, 1.0)).all():
        return 0.0, 1.0
    known = known_quantity(name)
    if known is None or known.lower_is_better == higher_is_better:
        return -np.inf, np.inf
    if ((values >= known.low) & (values <= known.high)).all():
        return known.low, known.high
    return -np.inf, np.inf  # another scale, such as percentages

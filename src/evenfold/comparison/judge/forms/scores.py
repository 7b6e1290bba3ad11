"""Predicted scores, and values that stand for whole measures: what a table may be asked, and what not."""

from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldError
from evenfold.core.inputs.results import Floats, Results
from evenfold.core.losses import Quantity
from evenfold.run.measures import MEASURES, Answer, Measure, as_measure

DIRECTION = "say higher_is_better=True or False"
_SLIP = 0.8  # names so alike are slips of the pen: 'acurracy', but not 'ndcg@10' for 'ndcg'


def known_measure(measure: Any) -> Measure:
    """Return the measure of a column of values; ask for the direction where its name is not known."""
    try:
        return as_measure(measure)
    except EvenfoldError:
        if not isinstance(measure, str) or get_close_matches(measure, MEASURES, cutoff=_SLIP):
            raise
    refuse("higher_is_better", f"said of measure {measure!r}, which is not known here,", None, DIRECTION)


def is_known_measure(name: str) -> bool:
    """
    Whether a measure has this name.

    Examples
    --------
    >>> is_known_measure("roc_auc"), is_known_measure("ndcg@10")
    (True, False)
    """
    try:
        as_measure(name)
    except EvenfoldError:
        return False
    return True


def require_a_mean(results: Results, measure: Any, known: Quantity, *, direction_said: bool) -> None:
    """
    Refuse values of single examples of a measure that is no mean of them.

    An area under a curve or R² of one example does not exist. F1 of one example does, of its words: where the
    direction was said, values are taken as they are.
    """
    if results.example is None or known.per_example not in ("outcomes", "placements"):
        return
    if direction_said and known.per_example == "outcomes" and known.target != "numbers":
        return
    rule = f"predictions for measure {measure!r}, which is no mean of values per example,"
    if results.truth is not None:
        remedy = "leave columns={'value': …} out: a column 'score' beside 'truth' is read as one"
    else:
        remedy = "give 'truth' and 'prediction', 'score' or one p:CLASS per class"
    refuse("table", rule, "a value per example", remedy)


def require_labels_not_scores(results: Results, measure: str) -> None:
    """Refuse probabilities in the place of predicted labels: they are never the truth, so all were wrong."""
    truth, prediction = results.truth, results.prediction
    if truth is None:
        return
    if prediction is None:
        remedy = "give a column 'prediction', or take 'auc', 'log' or 'brier'"
        refuse("table", f"one with predicted labels for measure {measure!r}", "scores alone", remedy)
    fraction = _fractions(prediction) & ~np.isin(prediction, np.unique(truth))
    if not fraction.any() or _fractions(truth).any():
        return
    rule = f"labels of the truth for measure {measure!r}"
    remedy = "call probabilities 'score' or p:CLASS and take 'auc', 'log' or 'brier'; of numbers 'squared'"
    refuse("column 'prediction'", rule, f"{prediction[fraction][0]!s}", remedy)


def _fractions(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are numbers that are not whole."""
    try:
        found = values.astype(float)
    except ValueError:
        return np.zeros(len(values), dtype=bool)
    return np.asarray(np.isfinite(found) & (found != np.round(found)))


def predicted_scores(results: Results) -> Floats | None:
    """Return the scores of a table: a column of them, or numbers in the place of predicted labels."""
    if results.score is not None:
        return results.score
    prediction = results.prediction
    return None if prediction is None or not _fractions(prediction).any() else prediction.astype(float)


def score_answer(measure: Measure, scores: Floats, classes: NDArray[Any], positive: Any) -> Answer:
    """
    Return scores as the answer that a measure asks for: of two classes, larger for the positive one.

    The positive class is the second one where none was said.
    """
    if len(classes) != 2:
        rule = f"one of two classes where measure {measure.name!r} is asked of one score"
        refuse("table", rule, f"{len(classes)} classes", "one column p:CLASS per class")
    turned = positive is not None and positive == classes[0]
    if "decision_function" in measure.responses:
        return Answer("decision_function", -scores if turned else scores)
    if scores.size and (scores.min() < 0 or scores.max() > 1):
        worst = scores.min() if scores.min() < 0 else scores.max()
        refuse("column 'score'", f"a probability for measure {measure.name!r}", worst, "or take 'auc'")
    of_second = 1 - scores if turned else scores
    return Answer("predict_proba", np.stack([1 - of_second, of_second], axis=-1))

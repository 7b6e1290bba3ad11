"""DeLong's test of two areas under ROC curves on one test set."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, vector
from evenfold.core.estimand import Estimand
from evenfold.core.estimate import Floats, Normal
from evenfold.core.kind import HOLDOUT
from evenfold.core.ranking import placements
from evenfold.infer._base import Pivot, method
from evenfold.infer._inputs import finite, fitted
from evenfold.infer._spread import mean_and_variance
from evenfold.infer._valid import ONE_SPLIT
from evenfold.infer.feeds import Question, Scores


def _from_placements(asked: Question) -> Pivot:
    """The same from what a ranking measure gives per example, whose mean has that variance."""
    (values,) = Scores().read(asked)
    mean, s2 = mean_and_variance(values)
    return Pivot(mean, s2 / values.shape[-1], Normal())


@method(
    "delong",
    valid=ONE_SPLIT,
    takes=Scores(),
    estimand=Estimand(quantity="area under the ROC curve", varied="test points", size="n1"),
    leaning="liberal",
    why="knows the spread of test points but not that of training sets; it is right for these two models",
    formula="AUC_B − AUC_A, variance S²(D10)/m + S²(D01)/k, where D10 and D01 are the differences of the "
    "placement values of the m positive and the k negative examples, reference N(0, 1).",
    source="DeLong 1988; Sun 2014",
    recommended=True,
    default_for=(HOLDOUT,),
    run=_from_placements,
)
def delong(scores_a: Any, scores_b: Any, y: Any, *, positive: Any = None) -> Pivot:
    """
    Test the difference of two areas under the ROC curve on one test set.

    *Validity.* Right for the two models at hand once both classes have 30 test points or so; for fewer, and
    for areas near 1, the normal reference is liberal. Liberal for the algorithms, as :func:`holdout_t` is:
    one training set says nothing about others. Placement values by midranks take n·log n steps.

    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a, b = [1, 3, 2, 5, 4, 2, 6, 7], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> e = ef.infer.delong(a, b, y)
    >>> round(float(e.value), 5), round(float(e.pvalue), 4)
    (0.21875, 0.2299)

    Parameters
    ----------
    positive : label, optional
        The positive class; the larger label where none is given.
    """
    is_positive = _labels(y, positive)
    a, b = (
        _scores(name, s, len(is_positive)) for name, s in (("scores_a", scores_a), ("scores_b", scores_b))
    )
    a, b = fitted(scores_a=a, scores_b=b)
    parts = zip(placements(a, is_positive), placements(b, is_positive), strict=True)
    (value, positives), (_, negatives) = (mean_and_variance(theirs - ours) for ours, theirs in parts)
    m = int(is_positive.sum())
    variance = positives / m + negatives / (len(is_positive) - m)
    return Pivot(value, variance, Normal())


def _labels(y: Any, positive: Any) -> NDArray[np.bool_]:
    labels = _vector(y)
    try:
        classes = np.unique(labels)
    except TypeError:
        refuse("y", "labels of one kind", y)
    if len(classes) != 2:
        refuse("y", "labels of two classes", f"{len(classes)} classes")
    if positive is not None and not any(positive is one or positive == one for one in classes.tolist()):
        refuse("positive", f"one of the labels {classes.tolist()}", positive)
    mask: NDArray[np.bool_] = labels == (classes[1] if positive is None else positive)
    if min(mask.sum(), (~mask).sum()) < 2:
        refuse("y", "at least two examples of each class", f"{int(mask.sum())} of {len(mask)} positive")
    return mask


def _vector(y: Any) -> NDArray[Any]:
    try:
        return vector("y", y, n=len(y))
    except TypeError:
        refuse("y", "an array of labels", y)


def _scores(name: str, values: Any, n: int) -> Floats:
    array = finite(name, values)
    if array.ndim < 1 or array.shape[-1] != n:
        refuse(name, f"of shape (..., {n}) like y", f"shape {array.shape}")
    return array

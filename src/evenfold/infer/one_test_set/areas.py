"""DeLong's test of two areas under ROC curves: on one test set, or each on its own."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, vector
from evenfold.core.estimate import Estimand, Floats, Normal
from evenfold.core.partition import HOLDOUT
from evenfold.core.ranking import placements
from evenfold.infer._arrays import broadcast_arrays, finite, mean_and_variance
from evenfold.infer._base import Pivot, method
from evenfold.infer._registry import ONE_SPLIT
from evenfold.infer.inputs import Question, Scores, TwoTestSets

_area = partial(
    method,
    valid=ONE_SPLIT,
    estimand=Estimand(quantity="area under the ROC curve"),
    liberal="knows the spread of test points but not that of training sets; it is right for these "
    "two models",
)


def _from_placements(asked: Question) -> Pivot:
    """The same from what a ranking measure gives per example, whose mean has that variance."""
    (values,) = Scores().read(asked)
    mean, s2 = mean_and_variance(values)
    return Pivot(mean, s2 / values.shape[-1], Normal())


@_area(
    takes=Scores(),
    source="DeLong 1988; Sun 2014",
    default_for=(HOLDOUT,),
    no_card="the lab's worlds give losses and counts, not scores to rank by",
    run=_from_placements,
)
def delong(scores_a: Any, scores_b: Any, y: Any, *, positive: Any = None) -> Pivot:
    """
    Test the difference of two areas under the ROC curve on one test set.

    *Formula.* AUC_B − AUC_A, variance S²(D10)/m + S²(D01)/k, where D10 and D01 are the differences
    of the placement values of the m positive and the k negative examples, reference N(0, 1).

    *Validity.* Right for the two models at hand once both classes have 30 test points or so; for
    fewer, and for areas near 1, the normal reference is liberal. Liberal for the algorithms, as
    :func:`holdout_t` is: one training set says nothing about others. Placement values by midranks
    take n·log n steps.

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
        _scores(name, s, len(is_positive))
        for name, s in (("scores_a", scores_a), ("scores_b", scores_b))
    )
    a, b = broadcast_arrays(scores_a=a, scores_b=b)
    parts = zip(placements(a, is_positive), placements(b, is_positive), strict=True)
    (value, positives), (_, negatives) = (
        mean_and_variance(theirs - ours) for ours, theirs in parts
    )
    m = int(is_positive.sum())
    return Pivot(value, positives / m + negatives / (len(is_positive) - m), Normal())


@_area(
    takes=TwoTestSets(),
    source="DeLong 1988",
    no_card="the lab's designs test both algorithms on the same examples",
)
def unpaired_delong(
    scores_a: Any, scores_b: Any, y_a: Any, y_b: Any, *, positive: Any = None
) -> Pivot:
    """
    Test the difference of two areas under the ROC curve, each from a test set of its own.

    *Formula.* AUC_B − AUC_A, variance the sum of DeLong's two, reference N(0, 1).

    *Validity.* Right for the two models at hand once each class of each test set has 30 points or
    so, and if no example is in both; liberal for fewer, and for the algorithms, as :func:`delong`
    is. R's pROC has the same statistic and takes a t for its reference. On one test set that both
    models met it is wasteful: use :func:`delong`.

    >>> a, b = [1, 3, 2, 5, 4, 2, 6, 7], [1, 2, 3, 4, 5, 6]
    >>> e = ef.infer.unpaired_delong(a, b, [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1])
    >>> round(float(e.value), 5), round(float(e.pvalue), 4)
    (0.10764, 0.6546)

    Parameters
    ----------
    positive : label, optional
        The positive class; the larger label of each test set where none is given.
    """
    each = []
    for name, scores, y in (("a", scores_a, y_a), ("b", scores_b, y_b)):
        mask = _labels(y, positive, name=f"y_{name}")
        array = _scores(f"scores_{name}", scores, len(mask))
        each.append(
            [(*mean_and_variance(part), part.shape[-1]) for part in placements(array, mask)]
        )
    (a, _), (b, _) = (one[0][:2] for one in each)
    parts = broadcast_arrays(
        **{f"{i}{j}": s2 / m for i, one in enumerate(each) for j, (_, s2, m) in enumerate(one)}
    )
    return Pivot(b - a, np.sum(parts, axis=0), Normal())


def _labels(y: Any, positive: Any, *, name: str = "y") -> NDArray[np.bool_]:
    labels = _vector(y, name)
    try:
        classes = np.unique(labels)
    except TypeError:
        refuse(name, "labels of one kind", y)
    if len(classes) != 2:
        refuse(name, "labels of two classes", f"{len(classes)} classes")
    if positive is not None and not any(
        positive is one or positive == one for one in classes.tolist()
    ):
        refuse("positive", f"one of the labels {classes.tolist()}", positive)
    mask: NDArray[np.bool_] = labels == (classes[1] if positive is None else positive)
    if min(mask.sum(), (~mask).sum()) < 2:
        rule = "at least two examples of each class"
        refuse(name, rule, f"{int(mask.sum())} of {len(mask)} positive")
    return mask


def _vector(y: Any, name: str) -> NDArray[Any]:
    try:
        return vector(name, y, n=len(y))
    except TypeError:
        refuse(name, "an array of labels", y)


def _scores(name: str, values: Any, n: int) -> Floats:
    array = finite(name, values)
    if array.ndim < 1 or array.shape[-1] != n:
        refuse(name, f"of shape (..., {n}) like y", f"shape {array.shape}")
    return array

"""DeLong's test of two areas under ROC curves: on one test set, or each on its own."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, refuse_value, short_repr, vector
from evenfold.core.estimate import Alternative, Estimand, Floats, Normal, PivotEstimate
from evenfold.core.partition import HOLDOUT
from evenfold.core.ranking import placements
from evenfold.infer._arrays import broadcast_arrays, finite, mean_and_variance, require_shape
from evenfold.infer._base import Pivot, mean_z, method
from evenfold.infer._designs import ONE_SPLIT
from evenfold.infer.inputs import Question, Scores, TwoTestSets

_area = partial(
    method,
    valid=ONE_SPLIT,
    estimand=Estimand(quantity="area under the ROC curve"),
    liberal="It knows the spread of test points only, so it is right for these two models only.",
)


def _from_placements(question: Question, *, null: float, alternative: Alternative) -> PivotEstimate:
    """Test the mean of the placements that a ranking measure gives per example."""
    return mean_z(*Scores().read(question)).test(null, alternative)


@_area(
    name="DeLong's test",
    takes=Scores(),
    source="DeLong 1988; Sun 2014",
    default_for=(HOLDOUT,),
    no_card="the lab's worlds give losses and counts, not scores to rank by",
    run=_from_placements,
)
def delong(
    scores_a: Any,
    scores_b: Any,
    y: Any,
    *,
    positive: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the difference of two areas under the ROC curve on one test set.

    Parameters
    ----------
    scores_a, scores_b : arrays of shape (..., n2)
        Scores of both models, larger for examples that are more likely positive.
    y : array of shape (n2,)
        Labels of two classes, each at least twice.
    positive : label, optional
        The positive class; the larger label where none is given.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* AUC_B − AUC_A, variance S²(D10)/m + S²(D01)/k, where D10 and D01 are the differences
    of the placement values of the m positive and the k negative examples, reference N(0, 1).

    *Validity.* It is right for the two models at hand once both classes have 30 test points or so.
    For fewer, and for areas near 1, the normal reference is liberal: with 10 and 30 of 1000 test
    points positive it errs .077 and .054 at .05. It is liberal for the algorithms, as
    :func:`holdout_t` is: one training set says nothing about others. Placement values by midranks
    take n·log n steps.

    *How it errs.* It is liberal. It knows the spread of test points only, so it is right for these
    two models only. It estimates the difference of area under the ROC curve B − A at training size
    n1.

    References
    ----------
    DeLong 1988; Sun 2014. DeLong, E. R., DeLong, D. M., Clarke-Pearson, D. L. (1988). Comparing the
    areas under two or more correlated receiver operating characteristic curves. Biometrics 44. Sun,
    X., Xu, W. (2014). Fast implementation of DeLong's algorithm. IEEE Signal Processing Letters 21.

    Examples
    --------
    >>> import evenfold as ef
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a, b = [1, 3, 2, 5, 4, 2, 6, 7], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> e = ef.infer.delong(a, b, y)
    >>> round(float(e.value), 5), round(float(e.pvalue), 4)
    (0.21875, 0.2299)
    """
    is_positive = _labels(y, positive)
    n = len(is_positive)
    a = _scores("scores_a", scores_a, n)
    b = _scores("scores_b", scores_b, n)
    a, b = broadcast_arrays(scores_a=a, scores_b=b)
    parts = zip(placements(a, is_positive), placements(b, is_positive), strict=True)
    differences = [theirs - ours for ours, theirs in parts]
    (value, positives), (_, negatives) = map(mean_and_variance, differences)
    m = int(is_positive.sum())
    variance = positives / m + negatives / (n - m)
    return Pivot(value, variance, Normal()).test(null, alternative)


@_area(
    name="DeLong's test for two test sets",
    takes=TwoTestSets(),
    source="DeLong 1988",
    no_card="the lab's designs test both algorithms on the same examples",
)
def unpaired_delong(
    scores_a: Any,
    scores_b: Any,
    y_a: Any,
    y_b: Any,
    *,
    positive: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the difference of two areas under the ROC curve, each from a test set of its own.

    Parameters
    ----------
    scores_a, scores_b : arrays of shape (..., n_A) and (..., n_B)
        Scores of either model on its test set, larger for examples that are more likely positive.
    y_a : array of shape (n_A,)
        Labels of two classes, each at least twice.
    y_b : array of shape (n_B,)
        The same of the other test set.
    positive : label, optional
        The positive class; the larger label of each test set where none is given.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* AUC_B − AUC_A, variance the sum of DeLong's two, reference N(0, 1).

    *Validity.* It is right for the two models at hand once each class of each test set has 30
    points or so, and if no example is in both. It is liberal for fewer, and for the algorithms, as
    :func:`delong` is. R's pROC has the same statistic and takes a t for its reference. On one test
    set that both models met it is wasteful: use :func:`delong`.

    *How it errs.* It is liberal. It knows the spread of test points only, so it is right for these
    two models only. It estimates the difference of area under the ROC curve B − A at training size
    n1.

    References
    ----------
    DeLong 1988. DeLong, E. R., DeLong, D. M., Clarke-Pearson, D. L. (1988). Comparing the areas
    under two or more correlated receiver operating characteristic curves. Biometrics 44.

    Examples
    --------
    >>> import evenfold as ef
    >>> a, b = [1, 3, 2, 5, 4, 2, 6, 7], [1, 2, 3, 4, 5, 6]
    >>> e = ef.infer.unpaired_delong(a, b, [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1])
    >>> round(float(e.value), 5), round(float(e.pvalue), 4)
    (0.10764, 0.6546)
    """
    a, positives_a, negatives_a = _area_and_variances("a", scores_a, y_a, positive)
    b, positives_b, negatives_b = _area_and_variances("b", scores_b, y_b, positive)
    a, b = broadcast_arrays(scores_a=a, scores_b=b)
    variance = positives_a + negatives_a + positives_b + negatives_b
    return Pivot(b - a, variance, Normal()).test(null, alternative)


def _area_and_variances(
    name: str, scores: Any, y: Any, positive: Any
) -> tuple[Floats, Floats, Floats]:
    """Return an area, and the parts of its variance by positive and by negative examples."""
    is_positive = _labels(y, positive, name=f"y_{name}")
    array = _scores(f"scores_{name}", scores, len(is_positive))
    by_positive, by_negative = placements(array, is_positive)
    area, s2_positive = mean_and_variance(by_positive)
    _, s2_negative = mean_and_variance(by_negative)
    return area, s2_positive / by_positive.shape[-1], s2_negative / by_negative.shape[-1]


def _labels(y: Any, positive: Any, *, name: str = "y") -> NDArray[np.bool_]:
    try:
        labels = vector(name, y, n=len(y))
    except TypeError:
        refuse_value(name, y, "an array of labels")
    try:
        classes = np.unique(labels)
    except TypeError:
        refuse(name, f"{name} must hold labels of one type but got {short_repr(y)}.")
    if len(classes) != 2:
        refuse(name, f"{name} must hold labels of two classes but got {len(classes)}.")
    if positive is not None and not any(
        positive is label or positive == label for label in classes.tolist()
    ):
        refuse_value("positive", positive, f"one of the labels {classes.tolist()}")
    mask: NDArray[np.bool_] = labels == (classes[1] if positive is None else positive)
    if min(mask.sum(), (~mask).sum()) < 2:
        refuse(
            name,
            f"{name} must hold at least two examples of each class but {mask.sum()} of "
            f"{len(mask)} are positive.",
        )
    return mask


def _scores(name: str, values: Any, n: int) -> Floats:
    array = finite(name, values)
    fits = array.ndim >= 1 and array.shape[-1] == n
    require_shape(name, array.shape, f"(..., {n}), one score per label,", fits=fits)
    return array

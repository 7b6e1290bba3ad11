"""DeLong's test of two areas under ROC curves on one test set."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, vector
from evenfold.core.estimate import Floats, Normal, PivotEstimate
from evenfold.core.ranking import placements
from evenfold.infer._inputs import finite, together
from evenfold.infer._registry import method
from evenfold.infer._result import pivot
from evenfold.infer._spread import mean_and_variance


@method(
    "delong",
    designs=("holdout",),
    inputs=("scores",),
    estimand="difference of the areas under the ROC curves, B − A",
    training_size="n1",
    leaning="liberal",
    why="knows the spread of test points but not that of training sets; it is right for these two models",
    source="DeLong 1988; Sun 2014",
    recommended=True,
)
def delong(
    scores_a: Any,
    scores_b: Any,
    y: Any,
    *,
    positive: Any = None,
    null: float = 0.0,
    alternative: str = "two-sided",
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
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        AUC_B − AUC_A, variance S²(D10)/m + S²(D01)/k, where D10 and D01 are the differences of the placement
        values of the m positive and the k negative examples, reference N(0, 1).

    Notes
    -----
    *Validity.* Right for the two models at hand once both classes have 30 test points or so; for fewer, and
    for areas near 1, the normal reference is liberal. Liberal for the algorithms, as :func:`holdout_t` is:
    one training set says nothing about others. Placement values by midranks take n·log n steps.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44. Sun and Xu (2014), IEEE Signal Processing
    Letters 21.

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
    a, b = (
        _scores(name, s, len(is_positive)) for name, s in (("scores_a", scores_a), ("scores_b", scores_b))
    )
    a, b = together(scores_a=a, scores_b=b)
    parts = zip(placements(a, is_positive), placements(b, is_positive), strict=True)
    (value, positives), (_, negatives) = (mean_and_variance(theirs - ours) for ours, theirs in parts)
    m = int(is_positive.sum())
    variance = positives / m + negatives / (len(is_positive) - m)
    return pivot("delong", value, variance, Normal(), null=null, alternative=alternative)


def delong_from_values(values: Floats, *, null: float, alternative: str) -> PivotEstimate:
    """Return the same from the values per example of the measure ``auc``, whose mean has that variance."""
    mean, s2 = mean_and_variance(values)
    return pivot("delong", mean, s2 / values.shape[-1], Normal(), null=null, alternative=alternative)


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

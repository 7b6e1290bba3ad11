"""Fault-percentile average: how well predicted counts rank the modules that hold the defects."""

from typing import Any

from evenfold.core.checks import refuse, vector
from evenfold.run.data import Target
from evenfold.run.measures._base import MEASURES, Evaluated, Floats, Measure, Predictions, score


def fpa(y_true: Any, y_pred: Any) -> float:
    """
    Fault-percentile average of predicted defect counts.

    The mean over m = 1..K of the share of all defects that lie in the m modules with the highest
    predictions, ties averaged over their orders. The best order of K modules gives at
    most 1 (reached when one module holds everything), the worst at least 1/K.

    Parameters
    ----------
    y_true : array (K,)
        Defects of each module, ≥ 0 and not all 0.
    y_pred : array (K,)
        Predictions; only their order counts.

    Returns
    -------
    float
        In (0, 1]; higher is better.

    References
    ----------
    R. Wang (2019), chapter 7; E. Weyuker, T. Ostrand, R. Bell (2010).

    Examples
    --------
    >>> fpa([5, 1, 0], [9.0, 3.0, 1.0]), fpa([5, 1, 0], [1, 1, 1])
    (0.944..., 0.666...)
    """
    from scipy.stats import rankdata

    truth = _numbers("y_true", y_true)
    predicted = _numbers("y_pred", y_pred, n=len(truth))
    if (truth < 0).any() or not truth.any():
        refuse(
            "y_true",
            "y_true must be counts ≥ 0 that are not all 0 but the smallest is "
            f"{truth.min(initial=0.0):g}.",
        )
    # a module of ascending rank r is among the top m for r of the K values of m, and ranks average
    # over ties
    return float(truth @ rankdata(predicted) / (len(truth) * truth.sum()))


def _numbers(name: str, values: Any, n: int | None = None) -> Floats:
    array = vector(name, values, n=n)
    if array.dtype.kind not in "biuf":
        refuse(name, f"{name} must hold numbers but has dtype {array.dtype}.")
    return array.astype(float)


class Percentile(Measure):
    """The fault-percentile average of a test set; it has no weighted form."""

    quantity = score("fpa", "FPA", target="numbers", per_example="none")
    key = "fpa"

    def weighable(self, target: Target) -> bool:
        return False

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        return Evaluated(fpa(truth, answer.values))


MEASURES.add("fpa", Percentile())

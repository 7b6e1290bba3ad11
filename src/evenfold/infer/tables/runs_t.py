"""The t-test on one score per run, and nothing else."""

from evenfold.core.checks import flag, refuse
from evenfold.core.estimate import Floats, StudentT
from evenfold.core.partition import SEEDS
from evenfold.infer._base import Pivot, mean_t, method
from evenfold.infer._spread import mean_and_variance, welch_df
from evenfold.infer._valid import BY_RUN


@method(
    valid=BY_RUN,
    exact="right for these recipes on this very test set; further examples are not in its variance",
    source="Student 1908; Welch 1947",
    default_for=(SEEDS,),
)
def runs_t(a: Floats, b: Floats, *, paired: bool = True) -> Pivot:
    """
    Test the mean difference of two recipes over runs (seeds), given one score per run.

    *Formula.* Mean difference; paired: variance S²/S, reference t with S − 1 df; not paired: the sum of both
    variances, reference t with Welch's df.

    *Validity.* About further runs on this very test set. Scores on another test set would differ by more than
    this interval says: keep the values of the single examples and use :func:`crossed_t`.

    >>> e = ef.infer.runs_t([0.71, 0.74, 0.70], [0.78, 0.75, 0.77, 0.79], paired=False)
    >>> round(float(e.value), 4), round(float(e.df), 3), round(float(e.pvalue), 4)
    (0.0558, 3.871, 0.0205)
    """
    if flag("paired", paired):
        if a.shape[-1] != b.shape[-1]:
            refuse("a", f"of {b.shape[-1]} runs like b", f"shape {a.shape}", "or say paired=False")
        return mean_t(b - a)
    (mean_a, s2_a), (mean_b, s2_b) = mean_and_variance(a), mean_and_variance(b)
    of_a, of_b = s2_a / a.shape[-1], s2_b / b.shape[-1]
    df = welch_df(of_a, a.shape[-1] - 1, of_b, b.shape[-1] - 1)
    return Pivot(mean_b - mean_a, of_a + of_b, StudentT(df))

"""The t-test on one score per run, and nothing else."""

from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.estimate import PivotEstimate, StudentT
from evenfold.core.kind import SEEDS
from evenfold.infer._inputs import splits
from evenfold.infer._registry import method
from evenfold.infer._result import pivot
from evenfold.infer._spread import mean_and_variance


@method(
    "runs-t",
    designs=(SEEDS,),
    inputs=("seeds",),
    training_size="of these runs",
    leaning="exact",
    why="right for these recipes on this very test set; further examples are not in its variance",
    source="Student 1908; Welch 1947",
    recommended=True,
    estimand="difference B − A of these recipes over runs on this very test set",
)
def runs_t(
    a: Any, b: Any, *, paired: bool = True, null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    Test the mean difference of two recipes over runs (seeds), given one score per run.

    Parameters
    ----------
    a, b : arrays of shape (..., S)
        Scores of the runs of A and B; as many of both where ``paired``.
    paired : bool, default True
        Whether run s of A and run s of B belong together; else Welch's test.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean difference; paired: variance S²/S, reference t with S − 1 degrees of freedom; not paired: the sum
        of both variances, with Welch's degrees of freedom.

    Notes
    -----
    *Validity.* About further runs on this very test set. Scores on another test set would differ by more than
    this interval says: keep the values of the single examples and use :func:`crossed_t`.

    References
    ----------
    Student (1908), Biometrika 6. Welch (1947), Biometrika 34.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.runs_t([0.71, 0.74, 0.70], [0.78, 0.75, 0.77, 0.79], paired=False)
    >>> round(float(e.value), 4), round(float(e.df), 3), round(float(e.pvalue), 4)
    (0.0558, 3.871, 0.0205)
    """
    a, b = splits("a", a), splits("b", b)
    if paired:
        if a.shape[-1] != b.shape[-1]:
            refuse("a", f"as long as b ({b.shape[-1]}) where runs are paired", a, "or say paired=False")
        value, s2 = mean_and_variance(b - a)
        variance, df = s2 / b.shape[-1], np.asarray(b.shape[-1] - 1.0)
    else:
        (mean_a, s2_a), (mean_b, s2_b) = mean_and_variance(a), mean_and_variance(b)
        parts = s2_a / a.shape[-1], s2_b / b.shape[-1]
        value, variance = mean_b - mean_a, parts[0] + parts[1]
        below = parts[0] ** 2 / (a.shape[-1] - 1) + parts[1] ** 2 / (b.shape[-1] - 1)
        df = np.where(below > 0, variance**2 / np.where(below > 0, below, 1.0), 1.0)
    return pivot("runs-t", value, variance, StudentT(df[()]), null=null, alternative=alternative)

"""The t-test on the differences of one test set, for two models as they are."""

from typing import Any

from evenfold.core.estimate import PivotEstimate, StudentT
from evenfold.core.kind import HOLDOUT, TEST_SET
from evenfold.infer._inputs import splits
from evenfold.infer._registry import method
from evenfold.infer._result import pivot
from evenfold.infer._spread import mean_and_variance


@method(
    "paired-t",
    designs=(TEST_SET, HOLDOUT),
    inputs=("losses",),
    training_size="of these models",
    leaning="exact",
    why="right for these two models on further examples; it says nothing of other training sets",
    source="Student 1908; METHODS 14",
    recommended=True,
    estimand="difference B − A of these models on further examples",
)
def paired_t(losses: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean difference of two models on the same examples.

    Parameters
    ----------
    losses : array of shape (..., n)
        Value of B less value of A at each example.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean, variance S²/n, reference t with n − 1 degrees of freedom.

    Notes
    -----
    *Validity.* About these two models on further examples of this kind, which must be independent: where
    they come in clusters use :func:`clustered_t`. It knows nothing of the training: another training set, or
    another seed, would give other models.

    References
    ----------
    Student (1908), Biometrika 6.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.paired_t([0, 1, 0, -1, 1, 1, 0, 1])
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (1.425573, 0.197022)
    """
    d = splits("losses", losses)
    n = d.shape[-1]
    mean, s2 = mean_and_variance(d)
    return pivot("paired-t", mean, s2 / n, StudentT(n - 1), null=null, alternative=alternative)

"""The t-test on the differences of one test set, for two models as they are."""

from evenfold.core.estimate import Floats
from evenfold.core.partition import TEST_SET
from evenfold.infer._base import Pivot, mean_t, method
from evenfold.infer._valid import MODELS


@method(
    valid=MODELS,
    depends="right for these two models where many examples differ; where losses are rare and large a gate "
    "errs up to .81 at .05",
    source="Student 1908",
    default_for=(TEST_SET,),
    joint="t",
)
def paired_t(losses: Floats) -> Pivot:
    """
    Test the mean difference of two models on the same examples.

    *Formula.* Mean, variance S²/n, reference t with n − 1 df.

    *Validity.* About these two models on further examples of this kind, which must be independent: where
    they come in clusters use :func:`clustered_t`. It knows nothing of the training: another training set, or
    another seed, would give other models. Where few examples differ, and by much, a gate passes what is worse
    by the whole margin in .81, .60, .36 and .16 of the tables of 20, 50, 100 and 200 examples at worst,
    instead of .05: :func:`bounded_mean` holds there.

    >>> e = ef.infer.paired_t([0, 1, 0, -1, 1, 1, 0, 1])
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (1.425573, 0.197022)
    """
    return mean_t(losses)

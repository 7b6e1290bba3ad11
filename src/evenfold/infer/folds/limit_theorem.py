"""
The central limit theorem for cross-validation: intervals for the models that were fitted (Bayle 2020).

The target is R_n, the mean over the K folds of the true error of the model that was tested there. It is a
random quantity: it belongs to these K models, not to the algorithm. About R_n the losses of different
examples are asymptotically uncorrelated if the algorithm is stable, so their plain variance over n is right.
"""

import numpy as np

from evenfold.core.estimate import Estimand, Floats, Normal
from evenfold.infer._base import Pivot, method
from evenfold.infer._spread import mean_and_variance
from evenfold.infer._valid import FOLDS, LARGE_FOLDS
from evenfold.infer.inputs import Blocks

_FITTED = Estimand(of="averaged over the models that were fitted", varied="test points", size="(K−1)n/K")
_WHY = (
    "right in large samples for the K models at hand if the algorithms are stable; for the algorithms it "
    "lacks the variance between training sets"
)


@method(
    valid=FOLDS,
    takes=Blocks(smallest=1),
    estimand=_FITTED,
    liberal=_WHY,
    source="Bayle 2020, all-pairs variance",
)
def cv_clt(losses: list[Floats]) -> Pivot:
    """
    Test the mean error of the K fitted models with the variance of all losses together.

    *Formula.* Mean of all N losses, variance (1/N²)·Σ(e − mean)², reference N(0, 1).

    *Validity.* An interval for R_n, the average true error of the K models that were fitted, exact in the
    limit if the algorithms are stable (loss stability of o(1/n), which 1-nearest-neighbours and unpruned
    trees need not have). *Liberal for μ*, the expected error of the algorithm: that varies with the training
    set too, and no term here knows by how much. Unlike :func:`cv_clt_within` it holds the spread between
    folds, and works for leave-one-out. It speaks of training on (K−1)n/K examples.

    >>> e = ef.infer.cv_clt([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.25, 0.153093)
    """
    pooled = np.concatenate(losses, axis=-1)
    n = pooled.shape[-1]
    mean, s2 = mean_and_variance(pooled)
    return Pivot(mean, s2 * ((n - 1) / n**2), Normal())


@method(
    valid=LARGE_FOLDS,
    estimand=_FITTED,
    liberal=_WHY,
    source="Bayle 2020, within-fold variance",
)
def cv_clt_within(losses: list[Floats]) -> Pivot:
    """
    Test the mean error of the K fitted models with the variance of losses inside each fold.

    *Formula.* Mean of all N losses, variance (1/N²)·Σ M_k·S_k², reference N(0, 1).

    *Validity.* As :func:`cv_clt`: about the K models that were fitted, and *liberal for μ*. The variance
    leaves out the spread between folds, so it converges under a weaker stability condition. For folds of one
    size it is θ4 of :func:`cv_theta4`, and the mean that of the folds. It speaks of training on (K−1)n/K
    examples.

    >>> e = ef.infer.cv_clt_within([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.25, 0.176777)
    """
    pooled = np.concatenate(losses, axis=-1)
    n = pooled.shape[-1]
    squares = [mean_and_variance(array)[1] * array.shape[-1] for array in losses]
    variance = np.sum(squares, axis=0) / n**2
    return Pivot(pooled.mean(axis=-1), variance, Normal())

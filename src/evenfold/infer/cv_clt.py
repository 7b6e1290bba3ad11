"""
The central limit theorem for cross-validation: intervals for the models that were fitted (Bayle 2020).

The target is R_n, the mean over the K folds of the true error of the model that was tested there. It is a
random quantity: it belongs to these K models, not to the algorithm. About R_n the losses of different
examples are asymptotically uncorrelated if the algorithm is stable, so their plain variance over n is right.
"""

from typing import Any

import numpy as np

from evenfold.core.estimate import Normal, PivotEstimate
from evenfold.infer._blocks import block_arrays
from evenfold.infer._registry import FOLDS, method
from evenfold.infer._result import pivot
from evenfold.infer._spread import mean_and_variance

_ESTIMAND = "mean of B − A of the K pairs of models that were fitted"
_WHY = (
    "right in large samples for the K models at hand if the algorithms are stable; for the algorithms it "
    "lacks the variance between training sets"
)


@method(
    "cv-clt",
    designs=FOLDS,
    inputs=("blocks",),
    estimand=_ESTIMAND,
    training_size="(K−1)n/K",
    leaning="liberal",
    why=_WHY,
    source="Bayle 2020, all-pairs variance",
    recommended=False,
)
def cv_clt(losses: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean error of the K fitted models with the variance of all losses together.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold; a fold may hold one example.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of all N losses, variance (1/N²)·Σ(e − mean)², reference N(0, 1).

    Notes
    -----
    *Validity.* An interval for R_n, the average true error of the K models that were fitted, exact in the
    limit if the algorithms are stable (loss stability of o(1/n), which 1-nearest-neighbours and unpruned
    trees need not have). *Liberal for μ*, the expected error of the algorithm: that varies with the training
    set too, and no term here knows by how much. Unlike :func:`cv_clt_within` it holds the spread between
    folds, and works for leave-one-out. It speaks of training on (K−1)n/K examples.

    References
    ----------
    Bayle, Bayle, Janson and Mackey (2020), Advances in Neural Information Processing Systems 33.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.cv_clt([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.25, 0.153093)
    """
    pooled = np.concatenate(block_arrays(losses, smallest=1), axis=-1)
    n = pooled.shape[-1]
    mean, s2 = mean_and_variance(pooled)
    return pivot("cv-clt", mean, s2 * ((n - 1) / n**2), Normal(), null=null, alternative=alternative)


@method(
    "cv-clt-within",
    designs=("kfold",),
    inputs=("blocks",),
    estimand=_ESTIMAND,
    training_size="(K−1)n/K",
    leaning="liberal",
    why=_WHY,
    source="Bayle 2020, within-fold variance",
    recommended=False,
)
def cv_clt_within(losses: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean error of the K fitted models with the variance of losses inside each fold.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k), M_k ≥ 2
        Per-example losses, or differences B − A, one array per fold.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of all N losses, variance (1/N²)·Σ M_k·S_k², reference N(0, 1).

    Notes
    -----
    *Validity.* As :func:`cv_clt`: about the K models that were fitted, and *liberal for μ*. The variance
    leaves out the spread between folds, so it converges under a weaker stability condition. For folds of one
    size it is θ4 of :func:`cv_theta4`, and the mean that of the folds. It speaks of training on (K−1)n/K
    examples.

    References
    ----------
    Bayle, Bayle, Janson and Mackey (2020), Advances in Neural Information Processing Systems 33.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.cv_clt_within([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.25, 0.176777)
    """
    arrays = block_arrays(losses, smallest=2)
    pooled = np.concatenate(arrays, axis=-1)
    n = pooled.shape[-1]
    squares = [mean_and_variance(array)[1] * array.shape[-1] for array in arrays]
    variance = np.sum(squares, axis=0) / n**2
    return pivot(
        "cv-clt-within", pooled.mean(axis=-1), variance, Normal(), null=null, alternative=alternative
    )

"""Where R19's m×2 t-test keeps its level, and where it is far below it (eq. 5.34)."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenfold.core.checks import fraction, integer
from evenfold.core.estimate import t_quantile
from evenfold.infer.theory.gaussian import c_hat, c_m, f_m

Mask = NDArray[np.bool_]
_FAR = 5  # R19: a test is overly conservative where its error is below a fifth of the level


def _test_multiplier(m: int, level: float) -> Any:
    """Return Ĉ_m·t_α(f̂_m), by which the test multiplies its standard error."""
    return c_hat(m) * t_quantile(2 * m - 1, level)


def _needed_multiplier(m: int, rho1: ArrayLike, rho2: ArrayLike, level: float) -> Any:
    """Return C_m·t_α(f_m), which would keep the level at these correlations."""
    return c_m(m, rho1, rho2) * t_quantile(f_m(m, rho1, rho2), level)


def is_conservative(m: int, rho1: ArrayLike, rho2: ArrayLike, *, level: float = 0.05) -> Mask:
    """
    Say where (ρ1, ρ2) is in Θ: the m×2 t-test on V2 keeps its one-sided level (R19 eq. 5.34).

    Parameters
    ----------
    m : int
        Repetitions.
    rho1 : array_like
        Correlation of the halves of a repetition.
    rho2 : array_like
        Correlation across repetitions.
    level : float
        The level of the one-sided test.

    Returns
    -------
    ndarray

    Notes
    -----
    *Validity*: jointly normal hold-out values with these two correlations, and t on f_m degrees of
    freedom, which is an approximation (R19 theorem 5.2).

    Examples
    --------
    >>> is_conservative(3, [0.1, 0.1], [0.3, 0.54]).tolist()
    [True, False]
    """
    level = fraction("level", level)
    _ = integer("m", m, low=1)
    return np.asarray(_test_multiplier(m, level) > _needed_multiplier(m, rho1, rho2, level))


def is_overly_conservative(
    m: int, rho1: ArrayLike, rho2: ArrayLike, *, level: float = 0.05
) -> Mask:
    """
    Say where (ρ1, ρ2) is in Θ^O: the test errs less than a fifth of its level (R19 5.2.5.1).

    What is in Θ and not here is Θ^R, where the test is only relatively conservative. Parameters and
    validity are those of :func:`is_conservative`.

    Examples
    --------
    >>> is_overly_conservative(3, 0.1, [0.1, 0.45]).tolist()
    [True, False]
    """
    level = fraction("level", level)
    _ = integer("m", m, low=1)
    return np.asarray(_test_multiplier(m, level) > _needed_multiplier(m, rho1, rho2, level / _FAR))

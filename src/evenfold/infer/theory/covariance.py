"""
Covariance of two hold-out values as a function of the overlap of their training sets.

It is known exactly in two models and estimated from data in others. Here f(x) is the covariance of
two hold-out values whose training sets share x examples, and g(x) is that of the values of two
repetitions of two-fold cross-validation.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from evenfold.core.checks import fraction, integer, number, refuse
from evenfold.core.estimate import Floats
from evenfold.core.losses import rounding
from evenfold.infer._arrays import repetitions, require_shape, sized

__all__ = [
    "Correlation",
    "OverlapCovariance",
    "exchangeable_correlation",
    "mx2_correlations",
    "normal_mean",
    "regression_errors",
    "rho2_bounds",
]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class OverlapCovariance:
    """
    The quadratic f(x) = α2·x² + α1·x + α0 of the overlap x of two training sets.

    Attributes
    ----------
    alpha2, alpha1, alpha0 : float
        Its coefficients, divided by n2².
    n : int
        Number of examples.

    Notes
    -----
    It is a quadratic if the four covariances that it is made of do not depend on x; in the
    normal mean model they do, and f is still a quadratic.
    """

    alpha2: float
    alpha1: float
    alpha0: float
    n: int

    @classmethod
    def from_losses(
        cls, *, n_train: int, n_test: int, sigma2: float, omega: float, gamma: float, tau: float
    ) -> "OverlapCovariance":
        """
        Build f from the covariances of single losses, in R19's eq. 2.10 with α0 corrected.

        Parameters
        ----------
        n_train, n_test : int
            n1 and n2, all n examples being used.
        sigma2, omega, gamma, tau : float
            Covariance of the loss at i in split 1 and at j in split 2: for the same point; for two
            points tested by both; where each is in the other's training set; where one of them is.

        Examples
        --------
        >>> f = OverlapCovariance.from_losses(
        ...     n_train=6, n_test=4, sigma2=1, omega=0, gamma=0, tau=0
        ... )
        >>> [float(f(x)) for x in (2, 6)]  # no test point, then all four, in common
        [0.0, 0.25]
        """
        n1 = integer("n_train", n_train, low=1)
        n2 = integer("n_test", n_test, low=1)
        sigma2, omega, gamma, tau = (
            number(name, value)
            for name, value in (
                ("sigma2", sigma2),
                ("omega", omega),
                ("gamma", gamma),
                ("tau", tau),
            )
        )
        alpha2 = omega + gamma - 2 * tau
        alpha1 = sigma2 - (2 * n1 - 2 * n2 + 1) * omega - 2 * n1 * gamma + 2 * (2 * n1 - n2) * tau
        alpha0 = n1**2 * gamma + (n1 - n2) * ((n1 - n2 + 1) * omega - 2 * n1 * tau - sigma2)
        return cls(alpha2=alpha2 / n2**2, alpha1=alpha1 / n2**2, alpha0=alpha0 / n2**2, n=n1 + n2)

    def __call__(self, x: ArrayLike) -> Floats:
        """Return f(x)."""
        x = np.asarray(x, dtype=float)
        return cast("Floats", (self.alpha2 * x + self.alpha1) * x + self.alpha0)

    def two_fold(self, x: ArrayLike) -> Floats:
        """Return g(x) = ½(f(x) + f(n/2 − x)), which is least at n/4 if f is convex (R19 3.2)."""
        return (self(x) + self(self.n / 2 - np.asarray(x, dtype=float))) / 2

    @property
    def rho1(self) -> float:
        """Return the correlation of the two halves of one repetition, f(0)/f(n/2)."""
        return float(self(0) / self(self.n / 2))

    @property
    def rho2(self) -> float:
        """Return the correlation across repetitions that overlap in n/4, f(n/4)/f(n/2)."""
        return float(self(self.n / 4) / self(self.n / 2))


def normal_mean(n: int, *, variance: float = 1.0) -> OverlapCovariance:
    """
    Return the exact f of the sample mean as predictor of y ~ N(μ, ψ²), n1 = n/2, squared loss.

    The covariance is f(x) = 8ψ⁴/n⁴·(36x² + n(n−20)x + 4n²), so ρ1 = 8/(n+6) and ρ2 = (n+5)/(2n+12).

    Parameters
    ----------
    n : int
        Number of examples, even.
    variance : float
        ψ².

    Examples
    --------
    >>> f = normal_mean(40)
    >>> round(f.rho1, 4), round(f.rho2, 4)
    (0.1739, 0.4891)
    """
    n = integer("n", n, low=2)
    scale = 8 * number("variance", variance, low=0.0, high=1e100) ** 2 / n**4
    return OverlapCovariance(
        alpha2=36 * scale, alpha1=n * (n - 20) * scale, alpha0=4 * n**2 * scale, n=n
    )


def regression_errors(
    n_train: int, *, residual: float = 1.0, slope: float = 0.0, spread: float = 1.0
) -> tuple[float, float]:
    """
    Return exact squared errors of the mean and of the line in simple normal regression.

    Parameters
    ----------
    n_train : int
        n1, at least 4.
    residual : float
        σ²_{Y|X}.
    slope : float
        β.
    spread : float
        σ²_X.

    Returns
    -------
    (float, float)
        μ(n1) of the mean and of the line.

    References
    ----------
    NB eqs. 18–19 and appendix A.4.

    Examples
    --------
    >>> regression_errors(100, residual=1.0, slope=0.1, spread=1.0)
    (1.0201, 1.020412...)
    """
    n1 = integer("n_train", n_train, low=4)
    slope = number("slope", slope, low=-1e100, high=1e100)
    residual, spread = (
        number(name, value, low=0, high=1e100)
        for name, value in (("residual", residual), ("spread", spread))
    )
    mean = (n1 + 1) / n1 * (residual + slope**2 * spread)
    line = (n1 + 1) / n1 * (n1 - 2) / (n1 - 3) * residual
    return mean, line


def rho2_bounds(rho1: float, *, m: int) -> tuple[float, float]:
    """
    Return bounds on ρ2 that hold for every algorithm, as no variance is negative.

    Parameters
    ----------
    rho1 : float
        Correlation of the two halves of one repetition.
    m : int
        Repetitions, at least 2. ρ2 is the same at every m, so the largest that the examples allow,
        n − 1 where n is the order of a Hadamard matrix, gives the sharpest bound.

    Returns
    -------
    (float, float)
        −(1 + ρ1)/(2(m − 1)) ≤ ρ2 ≤ (1 + ρ1)/2, both attained by some 2m variables.

    Notes
    -----
    The three eigenvalues of the covariance of 2m hold-out values are 1 − ρ1, 1 + ρ1 − 2ρ2 and 1 +
    ρ1 + 2(m − 1)ρ2. R19 theorem 5.3 has sharper bounds from the correlation of two test losses of
    one model. Its lower bound of ρ2 is false: a full tree on labels that are pure noise has ρ2 =
    .103 ± .010 where it says ≥ .25.

    Examples
    --------
    >>> rho2_bounds(0.5, m=4)
    (-0.25, 0.75)
    """
    rho1 = number("rho1", rho1, low=-1.0, high=1.0)
    m = integer("m", m, low=2)
    return -(1 + rho1) / (2 * (m - 1)), (1 + rho1) / 2


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Correlation:
    """A correlation estimated from many data sets, with its standard error."""

    value: float
    standard_error: float

    def confidence_interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Return the normal interval of NB appendix A.3."""
        q = float(special.ndtri((1 + fraction("confidence_level", confidence_level)) / 2))
        return self.value - q * self.standard_error, self.value + q * self.standard_error


def _ratio(products: Floats, squares: Floats) -> Correlation:
    """
    Return the mean product over the mean square, with its sandwich variance.

    The three functions of NB A.3 are solved by means over the data sets i; with p_i the mean
    product of the pairs of data set i and q_i its mean square, A⁻¹B(A⁻¹)' has Σ(p_i −
    ρq_i)²/(Σq_i)² in ρ's place.
    """
    rho = products.mean() / squares.mean()
    error = np.sqrt(np.sum((products - rho * squares) ** 2)) / np.sum(squares)
    return Correlation(value=float(rho), standard_error=float(error))


def _centre_values(values: Floats) -> Floats:
    """Return deviations from the overall mean in units of the largest one."""
    centred: Floats = values - values.mean()
    largest = np.abs(centred).max()
    if largest <= rounding(values).max():
        refuse(
            "values",
            f"values must not all be equal but got {values.flat[0]:g} everywhere.",
            "Values without spread have no correlation.",
        )
    return cast("Floats", centred / largest)


def exchangeable_correlation(values: Any) -> Correlation:
    """
    Return the correlation π of exchangeable entries, from one vector per data set.

    Parameters
    ----------
    values : array of shape (data sets, K)
        For example the J hold-out values of each of many independent data sets.

    References
    ----------
    NB appendix A.3 (estimating functions, White 1982).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.standard_normal((2000, 1)) + rng.standard_normal((2000, 5))
    >>> low, high = exchangeable_correlation(values).confidence_interval()
    >>> low < 0.5 < high
    True
    """
    array = sized("values", values, "(data sets, K), both at least 2,", axes=2)
    centred = _centre_values(array)
    K = array.shape[1]
    squares = np.mean(centred**2, axis=1)
    products = (K * centred.mean(axis=1) ** 2 - squares) / (K - 1)
    return _ratio(products, squares)


def mx2_correlations(values: Any) -> tuple[Correlation, Correlation]:
    """
    Return ρ1 and ρ2 of an m×2 design, from its hold-out values on many data sets.

    Parameters
    ----------
    values : array of shape (data sets, m, 2)
        Hold-out values μ̂_k^(i) of independent data sets, m ≥ 2.

    Returns
    -------
    (Correlation, Correlation)
        ρ1, within a repetition, and ρ2, across repetitions.

    References
    ----------
    NB appendix A.3, its vector of exchangeable entries replaced by an m×2 table.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rho1, rho2 = mx2_correlations(rng.standard_normal((500, 3, 2)))
    >>> abs(rho1.value) < 0.1 and abs(rho2.value) < 0.1
    True
    """
    array = repetitions("values", values)
    rule = "(data sets, m, 2) with at least two data sets"
    require_shape("values", array.shape, rule, fits=array.ndim == 3 and len(array) >= 2)
    centred = _centre_values(array)
    m = array.shape[1]
    squares = np.mean(centred**2, axis=(1, 2))
    within = np.mean(centred[..., 0] * centred[..., 1], axis=1)
    # ordered pairs of different repetitions: all pairs less the equal ones
    means = centred.mean(axis=2)
    across = (m * means.mean(axis=1) ** 2 - np.mean(means**2, axis=1)) / (m - 1)
    return _ratio(within, squares), _ratio(across, squares)

"""Populations of loss differences along a path: forecasters of equal error that differ."""

from typing import Annotated

import numpy as np

from evenfold.core.checks import number
from evenfold.core.registry import Count, NotNegative, ParameterRule, Real
from evenfold_lab.algorithm import Floats
from evenfold_lab.populations._base import population_facts
from evenfold_lab.populations.losses import LossPopulation


@population_facts(
    "forecasters",
    "differences of two forecasters, each with half of the information",
    "ours, after Diebold 1995, section 3",
)
class Forecasters(LossPopulation):
    """
    Differences of squared errors of two forecasters, each of which sees half of the information.

    The target at a time is the sum of the shocks of the last ``horizon`` times. There are three
    kinds of shocks: A sees the first kind beforehand, B the second, neither the third. So e_A = s_B
    + c and e_B = s_A + c, where s_A and s_B are independent with the same distribution: the
    forecasters are equally good but never the same. The differences d = e_B² − e_A² are correlated
    below the horizon, with autocovariances 4γ_k(γ_k + 2c_k).

    Parameters
    ----------
    horizon : int
        How far ahead they forecast; errors are moving averages of this many shocks.
    shared : float
        Variance of the shocks that neither sees; the shocks that one of them sees have variance 1.
    ar : float
        Shocks follow an autoregression with this coefficient. The forecasts ignore it, so that
        differences are correlated beyond the horizon.
    wilder : float
        In the second half of the path, errors are multiplied by this factor.
    turn : float
        A is better by this much in the first half, and B in the second; the mean does not show the
        change.
    """

    horizon: Count = 1
    shared: NotNegative = 1.0
    ar: Annotated[float, ParameterRule(number, low=-0.99, high=0.99)] = 0.0
    wilder: NotNegative = 1.0
    turn: Real = 0.0

    def draw_path(self, T: int, replications: int, rng: np.random.Generator) -> Floats:
        """Draw differences B − A, (replications, T)."""
        seen_by_a, seen_by_b, unseen = self._sums_of_shocks((3, replications), T, rng)
        common = np.sqrt(self.shared) * unseen
        d: Floats = (seen_by_a + common) ** 2 - (seen_by_b + common) ** 2
        return (
            self.mean
            + self._later_factor(T, self.wilder**2) * d
            + self._later_factor(T, -1.0) * self.turn
        )

    def _sums_of_shocks(self, batch: tuple[int, ...], T: int, rng: np.random.Generator) -> Floats:
        """Draw sums of the shocks of the last ``horizon`` times, (..., T)."""
        from scipy.signal import lfilter

        shocks = rng.standard_normal((*batch, T + self.horizon - 1))
        shocks[..., 0] /= np.sqrt(1 - self.ar**2)  # stationary from the first on
        so_far = np.cumsum(lfilter([1.0], [1.0, -self.ar], shocks, axis=-1), axis=-1)
        sums: Floats = so_far[..., self.horizon - 1 :].copy()
        sums[..., 1:] -= so_far[..., : -self.horizon]
        return sums

    def _later_factor(self, T: int, factor: float) -> Floats:
        """Return 1 in the first half of the path and ``factor`` in the second."""
        return np.where(np.arange(T) < T // 2, 1.0, factor)

    def variance_of_mean(self, *shape: int) -> float:
        """
        Return w′Γw/T² for shape (T,).

        Γ holds the autocovariances of the differences, w their factors.
        """
        (T,) = shape
        lags = np.arange(T)
        apart = np.arange(self.horizon)[:, None] - np.arange(self.horizon)[None, :]
        gamma = (self.ar ** np.abs(lags[:, None, None] + apart)).sum(axis=(1, 2)) / (1 - self.ar**2)
        autocovariance = 4 * gamma**2 * (1 + 2 * self.shared)
        w = self._later_factor(T, self.wilder**2)
        return float(w @ autocovariance[np.abs(np.subtract.outer(lags, lags))] @ w / T**2)

"""Populations of hold-out values and losses with known moments, without data or algorithms."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from evenfold.core.checks import number, refuse, short_repr
from evenfold.core.registry import NotNegative, ParameterRule, Real
from evenfold_lab.algorithm import Floats
from evenfold_lab.populations._base import Drawable, population_facts


@dataclass(frozen=True, kw_only=True)
class LossPopulation(Drawable):
    """
    Measurements of a design, drawn directly; the fields of a subclass are its parameters.

    Attributes
    ----------
    mean : float
        The truth μ.
    """

    mean: Real = 0.0

    @abstractmethod
    def variance_of_mean(self, *shape: int) -> float:
        """Return the variance of the mean of all values of one draw of the given shape."""


@population_facts("gaussian-holdouts", "normal hold-out values with given ρ1, ρ2", "R19 table 5.8")
class GaussianHoldouts(LossPopulation):
    """
    The 2m hold-out values of an m×2 block design, jointly normal (R19 5.8.1, eq. 5.4, table 5.8).

    Every value has mean ``mean`` and standard deviation ``sd``; the halves of one repetition
    correlate by ``rho1``, values of different repetitions by ``rho2``, which must be within [0, (1
    + rho1)/2].

    R19's toy experiment: mean 0, sd 1, ρ1, ρ2 ∈ {0, .1, …, .5}, 1000 draws, start 3, M = 12, α =
    .05, thresholds Δ from −3 to 3; tests ``mx2-sequential-t`` (``bmx2``; boundary ``thesis``), the
    sequential ``mx2-paired-t`` (``98paired``) and the test that knows ρ1, ρ2 (``ideal``). Worst
    sizes, table 5.8: bmx2 .000 at ρ2 ≤ .1, .019–.026 at .4, .045–.054 at .5; 98paired .037–.052 at
    ρ1 = 0, .099–.120 at ρ1 = .5.
    """

    sd: NotNegative = 1.0
    rho1: Annotated[float, ParameterRule(number, low=-1.0, high=1.0)] = 0.0
    rho2: Real = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        number("rho2", self.rho2, low=0.0, high=(1 + self.rho1) / 2)

    def draw_values(self, m: int, replications: int, rng: np.random.Generator) -> Floats:
        """Draw hold-out values (replications, m, 2) by the eigenvalues of their covariance."""
        shared = rng.standard_normal((replications, 1, 1))
        repetition = rng.standard_normal((replications, m, 1))
        half = rng.standard_normal((replications, m, 1)) * np.array([1.0, -1.0])
        z = (
            np.sqrt(self.rho2) * shared
            + np.sqrt((1 + self.rho1) / 2 - self.rho2) * repetition
            + np.sqrt((1 - self.rho1) / 2) * half
        )
        values: Floats = self.mean + self.sd * z
        return values

    def variance_of_mean(self, *shape: int) -> float:
        """Return σ²/(2m)·(1 + ρ1 + 2(m−1)ρ2) for shape (m,)."""
        (m,) = shape
        return self.sd**2 / (2 * m) * (1 + self.rho1 + 2 * (m - 1) * self.rho2)


@population_facts("block-exchangeable", "losses of blocks with given σ², ω, γ", "G13 2")
class BlockExchangeable(LossPopulation):
    """
    Losses e_{ki} of K blocks of M points with G13's three moments (G13 eq. 2).

    All losses are normal. Their variance is ``variance`` (σ²), their covariance is ``within`` (ω)
    within a block and ``between`` (γ) between blocks, with 0 ≤ γ ≤ ω ≤ σ². Random folds have small
    ω and small γ. Where the estimand is the error on a new source, γ = 0 and ω is the variance of
    the sources' means. In that case with K = 10 and M = 50, 200, 2000 the coverage of the mean is
    .81, .59, .20 by θA with z; .96, .81, .33 by θB with t; .95, .95, .94 by S²(ē_k)/K with t_{K−1}.
    """

    variance: NotNegative = 1.0
    within: Real = 0.0
    between: NotNegative = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.between <= self.within <= self.variance:
            refuse(
                "within",
                f"within must be from between ({self.between:g}) to variance "
                f"({self.variance:g}) but got {short_repr(self.within)}.",
            )

    def draw_blocks(self, K: int, M: int, replications: int, rng: np.random.Generator) -> Floats:
        """Draw (replications, K, M) losses."""
        shared = rng.standard_normal((replications, 1, 1))
        block = rng.standard_normal((replications, K, 1))
        point = rng.standard_normal((replications, K, M))
        losses: Floats = (
            self.mean
            + np.sqrt(self.between) * shared
            + np.sqrt(self.within - self.between) * block
            + np.sqrt(self.variance - self.within) * point
        )
        return losses

    def variance_of_mean(self, *shape: int) -> float:
        """Return σ²/KM + (M−1)ω/KM + (K−1)γ/K for shape (K, M) (G13 eq. 2)."""
        K, M = shape
        return (self.variance + (M - 1) * self.within) / (K * M) + (K - 1) / K * self.between

"""
The calibrated boundary of the sequential test: overall error as a function of the level of one look.

Under the Gaussian model the halves of an m×2 design have three covariance eigenvalues, so they can be
written with independent standard normals G, E_i, R_i, where λ1 = 1 − ρ1 and λ2 = 1 + ρ1 − 2ρ2, as

- mean of the repetitions up to m: √ρ2·G + √(λ2/2)·R̄_m,
- 2m·V2: λ1·ΣE_i² + λ2·Σ(R_i − R̄_m)².

The test crosses its boundary c_m = Ĉ_m·q_m at some look if and only if √ρ2·G exceeds the minimum over the
looks of c_m·√V2 − √(λ2/2)·R̄_m; given the E and R that probability is exact, so only they are simulated,
once for all (ρ1, ρ2) and all levels. The error rises in ρ2 and is convex in ρ1 along ρ2 = ½, so the worst
case is at (0, ½), where all looks share one numerator, or for levels of about .1 and more at (½, ½).
Levels above the range of the test, of which only p-values speak, have their worst case at ρ2 = 0.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from evenfold.core.cache import recall, remember, user_cache
from evenfold.core.estimate import Floats, StudentT
from evenfold.core.rng import stream
from evenfold.infer.theory.gaussian import c_hat

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator

# Levels per look and side at which the overall error is known.
NODES: Floats = np.concatenate([np.geomspace(1e-5, 0.4, 28), [0.5, 0.6, 0.7, 0.8, 0.9, 0.97]])
_CORNERS = [(0.0, 0.5), (0.5, 0.5)]
_OTHERS = [(rho1, rho2) for rho2 in (0.0, 0.25) for rho1 in (0.0, 0.25, 0.5)]
_BATCHES, _BATCH = 32, 2048
_RANGE = (1e-9, 1 - 1e-7)  # where probits are finite, and seven digits do not round to 1
_MARGIN = 3.0  # standard errors of the simulation that are added to the error, to be on the safe side
_VERSION = 1  # of the cached files; raise it when anything above changes


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Boundary:
    """
    The overall error of a sequential test that gives every look the same level.

    Attributes
    ----------
    looks : int
        Number of looks, M − start + 1.
    errors : array of shape (3, 2, nodes)
        Overall error at each corner and the worst elsewhere, one- and two-sided, when each side of each
        look has the level ``NODES``. The three are kept apart because their maximum has kinks.
    """

    looks: int
    errors: Floats

    def error(self, per_look: Floats, *, sides: int) -> Floats:
        """Overall error where every look has level ``per_look`` on each of ``sides`` sides."""
        inside = special.ndtri(np.clip(per_look, NODES[0], NODES[-1]))
        error = special.ndtr(np.max([curve(inside) for curve in _curves(self, sides)], axis=0))
        # Below the nodes the worst case is (0, ½), where each look alone errs at most at its level.
        error = np.where(per_look < NODES[0], np.minimum(error, sides * self.looks * per_look), error)
        answer: Floats = np.where(per_look > NODES[-1], 1.0, error)[()]
        return answer

    def per_look(self, level: float, *, sides: int) -> float:
        """The level of each side of each look for which the overall error is ``level``."""
        if level < self.errors[:, sides - 1, 0].max():  # below the nodes each look alone errs at its level
            return level / (sides * self.looks)
        target = special.ndtri(level)
        roots = [curve.solve(target, extrapolate=False).min() for curve in _curves(self, sides)]
        return float(special.ndtr(min(roots)))


@cache
def _curves(boundary: Boundary, sides: int) -> "list[PchipInterpolator]":
    """Probits of the errors against the probit of the level per look: nearly straight lines."""
    from scipy.interpolate import PchipInterpolator  # half the time of importing this room

    x = special.ndtri(NODES)
    return [PchipInterpolator(x, special.ndtri(error)) for error in boundary.errors[:, sides - 1]]


@cache
def boundary(start: int, M: int) -> Boundary:
    """Return the boundary for looks start..M: shipped, else from the user's cache, else computed now."""
    errors = _shipped().get(f"{start}-{M}") or _kept(start, M)
    return Boundary(looks=M - start + 1, errors=np.array(errors))


def _kept(start: int, M: int) -> Any:
    file = user_cache() / f"boundary-v{_VERSION}-{start}-{M}.json"
    errors = recall(file)
    if not _is_table(errors):
        errors = compute(start, M)
        remember(file, errors)
    return errors


def critical_values(per_look: float, start: int, M: int) -> Floats:
    """q_m for m = start..M: quantiles of t_m, the law of the statistic at its worst, (ρ1, ρ2) = (0, ½)."""
    return StudentT(np.arange(start, M + 1, dtype=float)).isf(per_look)


def compute(start: int, M: int, *, batches: int = _BATCHES) -> list[list[list[float]]]:
    """Simulate the errors of :class:`Boundary`, with a margin for the error of the simulation."""
    each = np.array([_errors(paths, start, M) for paths in _paths(start, M, batches)])
    safe = each.mean(axis=0) + _MARGIN * each.std(axis=0, ddof=1) / np.sqrt(batches)
    corners, others = np.split(safe, [len(_CORNERS)])
    errors = np.concatenate([corners, others.max(axis=0, keepdims=True)])
    rising = np.clip(np.maximum.accumulate(errors, axis=-1), *_RANGE)
    return [[[float(f"{error:.7g}") for error in curve] for curve in sides] for sides in rising]


def _paths(start: int, M: int, batches: int) -> Iterator[tuple[Floats, ...]]:
    """Yield (weights, ΣE², Σ(R − R̄)², R̄) for batches of draws; the arrays have one row per look."""
    m = np.arange(1, M + 1)[:, None]
    for batch in range(batches):
        rng = stream(0, "sequential boundary", start, M, batch)
        # The error comes from small variances at the first look: strata of ΣE² there, denser near zero.
        v = (np.arange(_BATCH) + rng.random(_BATCH)) / _BATCH
        first = 2 * special.gammaincinv(start / 2, v**2)
        E2 = np.cumsum(np.vstack([first, rng.standard_normal((M - start, _BATCH)) ** 2]), axis=0)
        R = rng.standard_normal((M, _BATCH))
        R_mean = np.cumsum(R, axis=0) / m
        R2 = np.cumsum(R**2, axis=0) - m * R_mean**2
        yield 2 * v, E2, R2[start - 1 :], R_mean[start - 1 :]


def _errors(paths: tuple[Floats, ...], start: int, M: int) -> Floats:
    """Overall errors of one batch, by correlations × (one-sided, two-sided) × nodes."""
    weights, E2, R2, R_mean = paths
    m = np.arange(start, M + 1)[:, None]
    correlations = [*_CORNERS, *_OTHERS]
    errors = np.empty((len(correlations), 2, len(NODES)))
    for i, (rho1, rho2) in enumerate(correlations):
        lambda1, lambda2 = 1 - rho1, 1 + rho1 - 2 * rho2
        scale = c_hat(m) * np.sqrt((lambda1 * E2 + lambda2 * R2) / (2 * m))
        shift = np.sqrt(lambda2 / 2) * R_mean
        for j, per_look in enumerate(NODES):
            reach = critical_values(per_look, start, M)[:, None] * scale
            up = _exceeds((reach - shift).min(axis=0), rho2)
            down = _exceeds((reach + shift).min(axis=0), rho2)
            errors[i, 0, j] = np.mean(weights * (up + down)) / 2
            errors[i, 1, j] = np.mean(weights * np.minimum(up + down, 1))
    return errors


def _exceeds(bound: Floats, rho2: float) -> Floats:
    """P(√ρ2·G > bound)."""
    exceeds: Floats = special.ndtr(-bound / np.sqrt(rho2)) if rho2 > 0 else (bound < 0).astype(float)
    return exceeds


def _is_table(errors: Any) -> bool:
    with suppress(ValueError):  # lists of several lengths
        return bool(np.shape(errors) == (3, 2, len(NODES)))
    return False


@cache
def _shipped() -> dict[str, Any]:
    """Start 3 and all M from 4 to 31, computed with eight times the usual batches."""
    text = (files("evenfold.infer.halves") / "boundaries.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table

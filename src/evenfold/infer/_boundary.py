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
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from scipy import special
from scipy.interpolate import PchipInterpolator

from evenfold.core.estimate import Floats, StudentT
from evenfold.core.folders import user_cache
from evenfold.core.rng import stream
from evenfold.infer.theory import c_hat

# Levels per look and side at which the overall error is known.
NODES: Floats = np.concatenate([np.geomspace(1e-5, 0.4, 28), [0.5, 0.6, 0.7, 0.8, 0.9, 0.97]])
_CORRELATIONS = [(rho1, rho2) for rho1 in (0.0, 0.25, 0.5) for rho2 in (0.0, 0.25, 0.5)]
_BATCHES, _BATCH = 32, 2048
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
    one_sided, two_sided : array
        Worst overall error over ρ1, ρ2 ∈ [0, ½] when each side of each look has the level ``NODES``.
    """

    looks: int
    one_sided: Floats
    two_sided: Floats

    def error(self, per_look: Floats, *, sides: int) -> Floats:
        """Overall error where every look has level ``per_look`` on each of ``sides`` sides."""
        inside = np.clip(per_look, NODES[0], NODES[-1])
        error = special.ndtr(self._curve(sides)(special.ndtri(inside)))
        # Below the nodes the worst case is (0, ½), where each look alone errs at most at its level.
        error = np.where(per_look < NODES[0], np.minimum(error, sides * self.looks * per_look), error)
        answer: Floats = np.where(per_look > NODES[-1], 1.0, error)[()]
        return answer

    def per_look(self, level: float, *, sides: int) -> float:
        """The level of each side of each look for which the overall error is ``level``."""
        roots = self._curve(sides).solve(special.ndtri(level), extrapolate=False)
        return float(special.ndtr(roots.min()))

    def _curve(self, sides: int) -> PchipInterpolator:
        """Probit of the error against probit of the level per look: nearly a straight line."""
        error = np.minimum(self.one_sided if sides == 1 else self.two_sided, 1 - 1e-9)
        return PchipInterpolator(special.ndtri(NODES), special.ndtri(error))


@cache
def boundary(start: int, M: int) -> Boundary:
    """Return the boundary for looks start..M: shipped, else from the user's cache, else computed now."""
    curves = _shipped().get(f"{start}-{M}") or _cached(start, M)
    if curves is None:
        curves = compute(start, M)
        _remember(start, M, curves)
    one_sided, two_sided = (np.array(curve) for curve in curves)
    return Boundary(looks=M - start + 1, one_sided=one_sided, two_sided=two_sided)


def critical_values(per_look: float, start: int, M: int) -> Floats:
    """q_m for m = start..M: quantiles of t_m, the law of the statistic at its worst, (ρ1, ρ2) = (0, ½)."""
    return StudentT(np.arange(start, M + 1, dtype=float)).isf(per_look)


def compute(start: int, M: int, *, batches: int = _BATCHES) -> list[list[float]]:
    """Simulate the one- and the two-sided curve: [one-sided errors, two-sided errors] at ``NODES``."""
    each = np.array([_errors(paths, start, M) for paths in _paths(start, M, batches)])
    safe = each.mean(axis=0) + _MARGIN * each.std(axis=0, ddof=1) / np.sqrt(batches)
    worst = np.minimum(safe.max(axis=0), 1.0)  # over the correlations
    rising = np.maximum.accumulate(worst, axis=-1)
    return [[float(f"{error:.6g}") for error in curve] for curve in rising]


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
    errors = np.empty((len(_CORRELATIONS), 2, len(NODES)))
    for i, (rho1, rho2) in enumerate(_CORRELATIONS):
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


@cache
def _shipped() -> dict[str, Any]:
    text = (files("evenfold.infer") / "boundaries.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def _cached(start: int, M: int) -> list[list[float]] | None:
    with suppress(OSError, ValueError):
        curves: list[list[float]] = json.loads(_place(start, M).read_text(encoding="utf-8"))
        if np.shape(curves) == (2, len(NODES)):
            return curves
    return None


def _remember(start: int, M: int, curves: list[list[float]]) -> None:
    """Write atomically; a folder that cannot be written costs seconds next time, nothing else."""
    place = _place(start, M)
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=place.parent, delete=False, encoding="utf-8") as file:
            json.dump(curves, file)
        os.replace(file.name, place)  # noqa: PTH105


def _place(start: int, M: int) -> Any:
    return user_cache() / f"boundary-v{_VERSION}-{start}-{M}.json"


def write_table(path: str, *, last: int = 31, batches: int = 8 * _BATCHES) -> None:
    """Write the table that is shipped: start 3, all M up to ``last``, eight times the usual draws."""
    table = {f"3-{M}": compute(3, M, batches=batches) for M in range(4, last + 1)}
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(table, file, indent=0)

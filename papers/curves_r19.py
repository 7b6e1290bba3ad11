"""R19's figures 2.3, 2.4, 3.2, 3.3, 5.1 and 5.2 as curves; 5.3–5.6 are in r19_sequences."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import evenfold as ef
from evenfold.infer.theory import components, gaussian
from evenfold.infer.theory.regions import is_conservative, is_overly_conservative
from evenfold_lab import estimators
from evenfold_lab.algorithm import Floats
from evenfold_lab.populations import SCla, SReg
from papers._curves import SEED, Curves, Points
from papers._table import degenerate_too, machine, scaled


def covariances(name: str, title: str, asked: Mapping[str, tuple[Any, Any, int, float]], R: int) -> Curves:
    """f(x) and, for halves, g(x)."""
    panels: dict[str, dict[str, Points]] = {}
    for panel, (population, algorithm, n, part) in asked.items():
        with degenerate_too():
            found = ef.lab.covariance(
                population, algorithms=[algorithm], n=n, train_size=part, replications=R, random_state=SEED,
                **machine().effort(),
            )  # fmt: skip
        kinds = ("f", "g") if "g" in found.rows[0] else ("f",)
        panels[panel] = {k: [(r["overlap"], r[k], r[f"{k}_se"]) for r in found.rows] for k in kinds}
    note = f"{R} data sets for each panel, seed {SEED}; bars are two standard errors."
    return Curves(
        name=name, title=f"{title}: covariance of two hold-out values", x="overlap of the training sets",
        y="covariance", note=note, panels=panels,
    )  # fmt: skip


def r19_covariances(number: str, scale: float) -> Iterator[Curves]:
    """Figures 2.3 and 2.4 (f for n1 from n/2 on), 3.2 and 3.3 (f and g for halves)."""
    R = scaled(1000 if machine().full else 50, scale)
    lasso, ridge, svm, knn = (
        estimators.lasso(),
        estimators.ridge(),
        estimators.svm(),
        estimators.triangular_knn(),
    )
    shares = (0.5, 0.6, 0.8, 0.9)
    asked: dict[str, tuple[Any, Any, int, float]]
    if number == "2.3":
        asked = {
            f"{a.name}, n1 = {round(500 * s)}": (SReg(p=500), a, 500, s)
            for a in (lasso, ridge)
            for s in shares
        }
    elif number == "2.4":
        asked = {
            f"{a.name}, n1 = {round(1000 * s)}": (SCla(p=500), a, 1000, s) for a in (knn, svm) for s in shares
        }
    else:
        R = scaled(10_000 if machine().full else 50, scale)
        asked = {f"SREG {a.name}": (SReg(p=100), a, 1000, 0.5) for a in (estimators.ols(), ridge, lasso)}
        asked |= {f"SCLA {a.name}": (SCla(p=20), a, 1000, 0.5) for a in (svm, knn)}
    yield covariances(f"r19-{number}", f"R19 figure {number}", asked, R)


def r19_regions() -> Iterator[Curves]:
    """Figures 5.1 and 5.2: up to which ρ2 variance estimates, and the m×2 t-test, are conservative."""
    note = "Exact; what is below a curve is conservative."
    estimates = {
        f"m = {m}": {
            name: _ends(partial(_overestimates, m, lam2=lam))
            for name, lam in (("V1", 0.0), ("V2", (m - 1) / m), ("V3", (m + 1) / m))
        }
        for m in (3, 5, 7, 9)
    }
    tests = {
        f"m = {m}, α = {level:g}": {
            "Θ": _ends(partial(is_conservative, m, level=level)),
            "Θ^O": _ends(partial(is_overly_conservative, m, level=level)),
        }
        for m in (3, 5, 7, 9)
        for level in (0.1, 0.05, 0.01)
    }
    told = {"x": "ρ1", "y": "ρ2", "note": note}
    yield Curves(name="r19-5.1", title="R19 figure 5.1: three variance estimates", panels=estimates, **told)
    yield Curves(name="r19-5.2", title="R19 figure 5.2: the m×2 t-test", panels=tests, **told)


def _overestimates(m: int, rho1: Floats, rho2: Floats, *, lam2: float) -> Any:
    mean = components.weighted_variance_mean(m, rho1, rho2, lam1=m / 2, lam2=lam2)
    return mean > gaussian.variance_of_mean(m, rho1, rho2)


def _ends(within: Callable[[Floats, Floats], Any]) -> Points:
    """The largest ρ2 of a region at every ρ1 where it has any."""
    rho2 = np.linspace(0, 1, 1001)
    points: Points = []
    for rho1 in np.linspace(0, 0.95, 20):
        possible = rho2[2 * rho2 < 1 + rho1]
        inside = possible[within(np.full_like(possible, rho1), possible)]
        points += [(float(rho1), float(inside.max()), 0.0)] if inside.size else []
    return points

"""R19's figures 2.3, 2.4, 3.2, 3.3, 5.1 and 5.2 as curves; 5.3–5.6 are in r19_sequences."""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from papers._table import Cell, Table, degenerate_too, machine, scaled


def covariances(
    name: str, title: str, settings: Mapping[str, tuple[Any, Any, int, float]], R: int
) -> tuple[Curves, Table]:
    """f(x) and, for halves, g(x); and how f bends, with errors over data sets."""
    panels: dict[str, dict[str, Points]] = {}
    cells: list[Cell] = []
    for panel, (population, algorithm, n, part) in settings.items():
        with degenerate_too():
            study = ef.lab.covariance(
                population, algorithms=[algorithm], n=n, train_size=part, replications=R,
                random_state=SEED,
                **machine().effort(),
            )  # fmt: skip
        kinds = ("f", "g") if "g" in study.rows[0] else ("f",)
        panels[panel] = {k: [(r["overlap"], r[k], r[f"{k}_se"]) for r in study.rows] for k in kinds}
        values = next(iter(study.draws.values())).values[0]
        cells += shape(panel, values, [row["overlap"] for row in study.rows])
    return figure(name, title, panels, cells, R)


def figure(
    name: str, title: str, panels: dict[str, dict[str, Points]], cells: Sequence[Cell], R: int
) -> tuple[Curves, Table]:
    """The curves and the table of their shape."""
    note = f"{R} data sets for each panel, seed {SEED}; bars are two standard errors."
    curves = Curves(
        name=name, title=f"{title}: covariance of two hold-out values", x="overlap of the "
                                                                          "training sets",
        y="covariance", note=note, panels=panels,
    )  # fmt: skip
    number = name.partition("-")[2]
    note = (
        f"{R} data sets for each panel, seed {SEED}. Differences of f, in shares of its largest "
        "value, with "
        "errors over data sets: points of one curve come from the same ones."
    )
    return curves, Table(
        name=f"shape-{number}", title=f"{title}: its shape", note=note, cells=cells
    )


def shape(panel: str, values: Floats, overlaps: Sequence[float]) -> list[Cell]:
    """
    How f bends and falls, from hold-out values (data sets, overlaps).

    The last is the reference.
    """
    centred = values - values.mean()
    products = centred * centred[:, -1:]
    products[:, -1] = np.mean(centred**2, axis=1)
    products = products / products[:, -1].mean()
    last = len(overlaps) - 1
    least = int(products.mean(axis=0).argmin())
    contrasts = {
        "bend of ends and middle": products[:, 0] - 2 * products[:, last // 2] + products[:, last],
        "rise from end to end": products[:, last] - products[:, 0],
        "fall to the least": products[:, 0] - products[:, least],
    }
    for i in range(1, last):
        contrasts[f"bend at point {i}"] = (
            products[:, i - 1] - 2 * products[:, i] + products[:, i + 1]
        )
    cells = [Cell(row=panel, column="least at", source=None, ours=float(overlaps[least]), se=0.0)]
    for column, each in contrasts.items():
        value, se = float(each.mean()), float(each.std(ddof=1) / np.sqrt(len(each)))
        cells.append(Cell(row=panel, column=column, source=None, ours=value, se=se))
    return cells


def r19_covariances(number: str, scale: float) -> Iterator[Curves | Table]:
    """Figures 2.3 and 2.4 (f for n1 from n/2 on), 3.2 and 3.3 (f and g for halves)."""
    R = scaled(3000 if machine().full else 50, scale)  # R19: 1000
    lasso, ridge, svm, knn = (
        estimators.lasso(),
        estimators.ridge(),
        estimators.svm(),
        estimators.triangular_knn(),
    )
    shares = (0.5, 0.6, 0.8, 0.9)
    settings: dict[str, tuple[Any, Any, int, float]]
    if number == "2.3":
        settings = {
            f"{a.name}, n1 = {round(500 * s)}": (SReg(p=500), a, 500, s)
            for a in (lasso, ridge)
            for s in shares
        }
    elif number == "2.4":
        settings = {
            f"{a.name}, n1 = {round(1000 * s)}": (SCla(p=500), a, 1000, s)
            for a in (knn, svm)
            for s in shares
        }
    else:
        R = scaled(10_000 if machine().full else 50, scale)
        settings = {
            f"SREG {a.name}": (SReg(p=100), a, 1000, 0.5) for a in (estimators.ols(), ridge, lasso)
        }
        settings |= {f"SCLA {a.name}": (SCla(p=20), a, 1000, 0.5) for a in (svm, knn)}
    yield from covariances(f"r19-{number}", f"R19 figure {number}", settings, R)


def r19_regions() -> Iterator[Curves]:
    """Figures 5.1 and 5.2: up to which ρ2 variance estimates and the m×2 t are conservative."""
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
    labels = {"x": "ρ1", "y": "ρ2", "note": note}
    yield Curves(
        name="r19-5.1", title="R19 figure 5.1: three variance estimates", panels=estimates, **labels
    )
    yield Curves(name="r19-5.2", title="R19 figure 5.2: the m×2 t-test", panels=tests, **labels)


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

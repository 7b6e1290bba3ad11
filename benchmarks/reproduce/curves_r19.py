"""R19's figures 2.3, 2.4, 3.2, 3.3 and 5.1–5.6 as curves."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import evenfold as ef
from benchmarks.reproduce._curves import SEED, STEPS, Curves, Points
from benchmarks.reproduce._table import degenerate_too, machine, scaled
from benchmarks.reproduce.r19_tests import LAST_LOOK, SOURCE_TESTS
from evenfold.core.rng import stream
from evenfold.design import Mx2BCV
from evenfold.infer.theory import components, gaussian
from evenfold.infer.theory.regions import is_conservative, is_overly_conservative
from evenfold.infer.theory.sequences import paired_sequence
from evenfold.lab import estimators
from evenfold.lab.algorithm import Floats
from evenfold.lab.draws import Wanted
from evenfold.lab.populations import DISTORTIONS, GaussianHoldouts, SCla, SReg, letters
from evenfold.lab.populations.resampled import distorted
from evenfold.lab.studies._base import prepare, share


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


def _looks(d: Floats, null: float) -> dict[str, tuple[Floats, Floats]]:
    """Rejections and stopping times of R19's sequential test and of its comparator."""
    first = ef.infer.mx2_sequential_t(d, null=null, alternative="greater", boundary="thesis")
    paired = paired_sequence(d, null=null)
    return {
        "sequential, I_U": (
            np.asarray(first.rejected, dtype=float),
            np.asarray(first.stopped_at, dtype=float),
        ),
        "paired, each look": (paired.rejected.astype(float), paired.stopped_at.astype(float)),
    }


def _sequences(names: tuple[str, str], worlds: Mapping[str, Floats], note: str) -> Iterator[Curves]:
    """Power and mean stopping time against the null."""
    panels: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    with degenerate_too():
        for panel, d in worlds.items():
            truth, spread = float(d.mean()), float(d.mean(axis=(1, 2)).std())
            for step in STEPS:
                for test, (rejected, stop) in _looks(d, truth - step * spread).items():
                    panels[0].setdefault(panel, {}).setdefault(test, []).append(
                        (float(step), *share(rejected))
                    )
                    error = float(stop.std() / np.sqrt(len(stop)))
                    panels[1].setdefault(panel, {}).setdefault(test, []).append(
                        (float(step), float(stop.mean()), error)
                    )
    words = ("power of the sequential tests", "share of rejections"), ("stopping times", "repetitions")
    for name, (title, y), told in zip(names, words, panels, strict=True):
        number = name.removeprefix("r19-")
        yield Curves(
            name=name, title=f"R19 figure {number}: {title}", y=y, note=note, panels=told,
            x="truth − null, in standard deviations of the mean",
        )  # fmt: skip


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


def r19_sequences(kind: str, folder: str | None, scale: float) -> Iterator[Curves]:
    """Figures 5.3 and 5.4 (toy), 5.5 and 5.6 (letters)."""
    R = scaled(SOURCE_TESTS * 4 if machine().full else 200, scale)
    if kind == "toy":
        worlds = {
            f"ρ1 = {r1}, ρ2 = {r2}": GaussianHoldouts(rho1=r1, rho2=r2).draw_values(
                LAST_LOOK, R, stream(SEED, "toy", str(r1), str(r2))
            )
            for r1 in (0.0, 0.2, 0.5)
            for r2 in (0.0, 0.3, 0.5)
        }
        note = f"{R} draws for each panel (R19: {SOURCE_TESTS}), seed {SEED}; M = {LAST_LOOK}, level .05."
        yield from _sequences(("r19-5.3", "r19-5.4"), worlds, note)
        return
    pair = (
        estimators.classification_tree(),
        *(estimators.nearest_neighbour(distorted(w)) for w in DISTORTIONS),
    )
    setup = prepare(
        letters(folder, pair=pair, replacement=True),
        n=300,
        replications=R,
        random_state=SEED,
        **machine().effort(),
    )
    (drawn,) = setup.draw([Wanted(design=Mx2BCV(LAST_LOOK))])
    halves = drawn.losses.values.reshape(len(pair), R, LAST_LOOK, 2)
    worlds = {f"w = {w:g}": halves[0] - halves[i] for i, w in enumerate(DISTORTIONS, start=1)}
    note = f"{R} data sets (R19: {SOURCE_TESTS}), n = 300, seed {SEED}; M = {LAST_LOOK}, level .05."
    yield from _sequences(("r19-5.5", "r19-5.6"), worlds, note)

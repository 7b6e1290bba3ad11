"""
The figures of NB, R19 and W14 as curves: ``python -m benchmarks.reproduce.curves FOLDER --results OUT``.

Curves are kept as files; ``benchmarks.reproduce.pages`` draws them. In full every point has the source's
number of data sets.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import evenfold as ef
from benchmarks.reproduce import nb, w14
from benchmarks.reproduce._table import arguments, degenerate_too, machine, scaled
from benchmarks.reproduce.r19_tests import LAST_LOOK, SOURCE_TESTS
from evenfold.core.rng import stream
from evenfold.design import Blocked3x2, Mx2, Mx2BCV, NestedRLT
from evenfold.lab import estimators
from evenfold.lab.algorithm import Floats
from evenfold.lab.draws import Wanted
from evenfold.lab.populations import (
    DISTORTIONS,
    GaussianHoldouts,
    SCla,
    SReg,
    TwoGaussians,
    W14Gaussians10d,
    W14Logistic,
    W14Shifted,
    letters,
)
from evenfold.lab.populations.resampled import distorted
from evenfold.lab.studies._base import prepare, share

SEED = 2026
STEPS = np.linspace(-4, 4, 17)  # nulls, in standard deviations of the mean
Points = list[tuple[float, float, float]]  # x, y and its standard error


@dataclass(frozen=True, eq=False, kw_only=True)
class Curves:
    """
    One figure of a source.

    Attributes
    ----------
    name : str
        ``source-figure``.
    title, x, y, note : str
        What it shows, its axes, how it was made.
    panels : mapping of str to mapping of str to points
        Curves by panel.
    """

    name: str
    title: str
    x: str
    y: str
    note: str
    panels: dict[str, dict[str, Points]] = field(default_factory=dict)

    def keep(self, folder: Path) -> None:
        """Write it as a file."""
        folder.mkdir(parents=True, exist_ok=True)
        told = {
            "name": self.name, "title": self.title, "x": self.x, "y": self.y, "note": self.note,
            "device": machine().device or "cpu", "evenfold": ef.__version__, "numpy": np.__version__,
            "panels": {
                panel: {name: [[_short(v) for v in p] for p in points] for name, points in curves.items()}
                for panel, curves in self.panels.items()
            },
        }  # fmt: skip
        text = json.dumps(told, ensure_ascii=False).replace('}, "', '},\n"').replace(']], "', ']],\n"')
        (folder / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")


def _short(value: float) -> float:
    return float(f"{value:.4g}")


Test = Callable[[float], Floats]  # the p-values of all data sets at a null


def power(tests: Mapping[str, Test], truth: float, spread: float, level: float) -> dict[str, Points]:
    """How often each test rejects, at nulls around the truth."""
    curves: dict[str, Points] = {}
    with degenerate_too():
        for name, test in tests.items():
            curves[name] = [
                (float(step), *share(np.asarray(test(truth - step * spread) < level))) for step in STEPS
            ]
    return curves


# NB -------------------------------------------------------------------------------------------------------

_J, _M = (5, 10, 15, 25), (5, 10, 20)
_FIGURES = {  # by problem and quantity: at n/2, by J, by M
    "regression": {"A": (1, 10, 19), "B": (2, 11, 20), "A−B": (3, 12, 21)},
    "gaussians": {"A": (4, 13, 22), "B": (5, 14, 23), "A−B": (6, 15, 24)},
    "letters": {"B": (7, 16, 25), "A−B": (8, 17, 26)},
}


def nb_figures(problem: str, folder: str | None, scale: float, most: int = 2000) -> Iterator[Curves]:
    """Figures 1–26: powers at n1 = n/2; by J and by M at n1 = 9n/10; simulations up to an n."""
    figures: dict[int, Curves] = {}
    for simulation in (one for one in nb.simulations(problem, folder) if one.n <= most):
        R = scaled(500 if machine().full else 100, scale)
        setup = prepare(
            simulation.population, n=simulation.n, replications=R, random_state=nb.SEED, **machine().effort()
        )
        drawn = nb.draw(simulation, nb.Size(splits=R, halvings=0), None)
        (more,) = setup.draw([Wanted(design=NestedRLT(max(_M), max(_J), 0.1))])
        halves = nb._nested(more.losses.values, max(_M), max(_J))
        for column in simulation.columns:
            for quantity, numbers in _FIGURES[problem].items():
                made = _panels(simulation, drawn, halves, column, quantity)
                for number, curves in zip(numbers, made, strict=True):
                    figure = figures.setdefault(number, _nb_figure(number, quantity, R))
                    figure.panels[column] = curves
        if problem == "letters":
            figures[9], figures[18] = _real_and_surrogate(simulation, drawn, R)
    yield from figures.values()


def _nb_figure(number: int, quantity: str, R: int) -> Curves:
    about = "n1 = n/2" if number < 9 else "n1 = 9n/10, by J" if number < 19 else "conservative Z, by M"
    return Curves(
        name=f"nb-{number}",
        title=f"NB figure {number}: power about {quantity}, {about}",
        x="truth − null, in standard deviations of the mean",
        y="share of rejections at level .1",
        note=f"{R} data sets for each panel (NB: 1000), seed {nb.SEED}; null around the mean of all.",
    )


def _panels(
    simulation: nb.Simulation, drawn: nb.Drawn, halves: Floats, column: str, quantity: str
) -> tuple[dict[str, Points], ...]:
    """The curves of one panel: at n/2, by J, by M."""
    n = simulation.n

    def of(values: Floats) -> Floats:
        return simulation.quantities(values, column)[quantity]

    half, tenth, usual, five, losses, inner = (
        of(v) for v in (drawn.half, drawn.tenth, drawn.usual, drawn.five, drawn.losses, halves)
    )
    J = nb.TEST_J
    inside = inner[:, : nb.HALVINGS, :, :J].mean(axis=-1)

    def z(d: Floats, M: int, J: int) -> Test:
        return lambda null: (
            ef.infer.conservative_z(d[:, :J], inner[:, :M, :, :J].mean(axis=-1), null=null).pvalue
        )

    def corrected(d: Floats, n1: int, n2: int) -> Test:
        return lambda null: ef.infer.corrected_resampled_t(d, n_train=n1, n_test=n2, null=null).pvalue

    def resampled(d: Floats) -> Test:
        return lambda null: ef.infer.resampled_t(d, null=null).pvalue

    at_half: dict[str, Test] = {
        "t": lambda null: ef.infer.holdout_t(losses, null=null).pvalue,
        "5×2 t": lambda null: ef.infer.five_by_two_t(five.reshape(len(five), 5, 2), null=null).pvalue,
        "resampled t, n/10": resampled(tenth[:, :J]),
        "resampled t, n/2": resampled(half[:, :J]),
        "corrected, n/10": corrected(tenth[:, :J], n // 2, n // 10),
        "corrected, n/2": corrected(half[:, :J], n // 2, n // 2),
        "conservative Z, n/10": lambda null: ef.infer.conservative_z(tenth[:, :J], inside, null=null).pvalue,
        "conservative Z, n/2": lambda null: ef.infer.conservative_z(half[:, :J], inside, null=null).pvalue,
    }
    by_j: dict[str, Test] = {}
    for j in _J:
        by_j[f"resampled t, J = {j}"] = resampled(usual[:, :j])
        by_j[f"corrected, J = {j}"] = corrected(usual[:, :j], 9 * n // 10, n // 10)
        by_j[f"conservative Z, J = {j}"] = z(usual, nb.HALVINGS, j)
    by_m = {f"conservative Z, M = {M}": z(usual, M, J) for M in _M}
    told = [(at_half, half), (by_j, usual), (by_m, usual)]
    return tuple(
        power(tests, float(d.mean()), float(d[:, :J].mean(axis=1).std()), nb.LEVEL) for tests, d in told
    )


def _real_and_surrogate(simulation: nb.Simulation, drawn: nb.Drawn, R: int) -> tuple[Curves, Curves]:
    """
    Figures 9 and 18: the null is the truth at w = 17.25 or 25.

    The real curve tests it on the data sets of all six metrics, the surrogate on those of one metric with
    the null moved by the differences of the truths.
    """
    made = []
    for number, values, n1, centre in ((9, drawn.half, 150, "w = 25"), (18, drawn.usual, 270, "w = 17.25")):
        n2 = 300 - n1
        figure = Curves(
            name=f"nb-{number}",
            title=f"NB figure {number}: real and surrogate power, letters",
            x="truth − null",
            y="share of rejections at level .1",
            note=f"{R} data sets (NB: 1000), seed {nb.SEED}; corrected resampled t with J = 15.",
        )
        for quantity in ("B", "A−B"):
            series = {
                c: simulation.quantities(values, c)[quantity][:, : nb.TEST_J] for c in simulation.columns
            }
            means = {c: float(v.mean()) for c, v in series.items()}
            null = means[centre]

            def rejected(d: Floats, at: float, n1: int = n1, n2: int = n2) -> tuple[float, float]:
                found = ef.infer.corrected_resampled_t(d, n_train=n1, n_test=n2, null=at).pvalue
                return share(np.asarray(found < nb.LEVEL))

            real = [(means[c] - null, *rejected(v, null)) for c, v in series.items()]
            moved = [(m - null, *rejected(series[centre], null - (m - null))) for m in means.values()]
            figure.panels[quantity] = {"real": sorted(real), "surrogate": sorted(moved)}
        made.append(figure)
    return made[0], made[1]


# W14 ------------------------------------------------------------------------------------------------------


def w14_powers(folder: str | None, scale: float) -> Iterator[Curves]:
    """Figures 6–8 (9–11 show the same in another scale): power of the five tests."""
    worlds: dict[int, tuple[Any, int]] = {
        6: (TwoGaussians.setting(2), 200),
        7: (TwoGaussians.setting(4), 2000),
        8: (letters(folder, w=25.0, replacement=True) if folder else None, 300),
    }
    for number, (population, n) in worlds.items():
        if population is None:
            continue
        R = scaled(10_000 if machine().full else 500, scale)
        study = ef.lab.variance(
            population,
            designs=list(w14.DESIGNS),
            n=n,
            replications=R,
            random_state=SEED,
            **machine().effort(),
        )
        draws = [study.draws[repr(design)].values for design in w14.DESIGNS]
        d = [v[1] - v[0] for v in draws]
        truth, spread = float(d[2].mean()), float(d[2].mean(axis=1).std())
        tests: dict[str, Test] = {}
        for test in w14.TESTS:
            tests[test] = lambda null, test=test, d=d: w14.pvalues(*(v - null for v in d))[test]  # type: ignore[misc]
        yield Curves(
            name=f"w14-{number}",
            title=f"W14 figures {number} and {number + 3}: power of the five tests",
            x="truth − null, in standard deviations of the mean",
            y="share of rejections at level .05",
            note=f"{R} data sets (W14: 1000), seed {SEED}; truth − null is up to {4 * spread:.3f}.",
            panels={f"n = {n}": power(tests, truth, spread, 0.05)},
        )


def w14_first_figures(scale: float) -> Iterator[Curves]:
    """Figures 1, 2 and 3."""
    R = scaled(20_000 if machine().full else 500, scale)
    real, estimated = [], []
    for n in (40, 100, 200, 400):
        study = ef.lab.variance(
            W14Gaussians10d(), designs=[Mx2(5)], n=n, replications=R, random_state=SEED, **machine().effort()
        )
        values = study.draws[repr(Mx2(5))].values[0]
        first, pairs = values[:, 0], values.reshape(R, 5, 2)
        each = pairs.var(axis=2, ddof=1).mean(axis=1)
        squares = (first - first.mean()) ** 2
        real.append((float(n), float(squares.mean()), float(squares.std() / np.sqrt(R))))
        estimated.append((float(n), float(each.mean()), float(each.std() / np.sqrt(R))))
    yield Curves(
        name="w14-1", title="W14 figure 1: variance of a hold-out value of a tree, and 5×2's estimate of it",
        x="n", y="variance", note=f"{R} data sets (W14: 100 000; its n is not said), seed {SEED}.",
        panels={"ten dimensions": {"variance": real, "estimate": estimated}},
    )  # fmt: skip
    R = scaled(10_000 if machine().full else 100, scale)
    yield _covariances(
        "w14-2", "W14 figure 2", {"SVM, n = 512": (W14Logistic(), estimators.svm(), 512, 0.5)}, R
    )
    panels: dict[str, dict[str, Points]] = {}
    for number, count in ((1, 10_000), (2, 1000)):
        R = scaled(count if machine().full else 100, scale)
        population, n = W14Shifted.setting(number), W14Shifted.sizes[number - 1]
        designs = [Blocked3x2(), Mx2(3)]
        study = ef.lab.variance(
            population, designs=designs, n=n, replications=R, random_state=SEED, **machine().effort()
        )
        for design in designs:
            mean = study.draws[repr(design)].values[0].mean(axis=1)
            quantiles = [(q, float(np.quantile(mean, q)), 0.0) for q in (0.05, 0.25, 0.5, 0.75, 0.95)]
            panels.setdefault(f"n = {n}, {R} data sets", {})[repr(design)] = quantiles
    yield Curves(
        name="w14-3", title="W14 figure 3: blocked and random 3×2, quantiles of the mean", x="quantile",
        y="mean of six hold-out values", note=f"Data sets beside each n; seed {SEED}.", panels=panels,
    )  # fmt: skip


# R19 ------------------------------------------------------------------------------------------------------


def _covariances(name: str, title: str, asked: Mapping[str, tuple[Any, Any, int, float]], R: int) -> Curves:
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
    yield _covariances(f"r19-{number}", f"R19 figure {number}", asked, R)


def _looks(d: Floats, null: float) -> dict[str, tuple[Floats, Floats]]:
    """Rejections and stopping times of R19's sequential test and of its comparator."""
    first = ef.infer.mx2_sequential_t(d, null=null, alternative="greater", boundary="thesis")
    looks = np.arange(3, LAST_LOOK + 1)
    hits = np.stack(
        [ef.infer.mx2_paired_t(d[:, :m], null=null, alternative="greater").pvalue < 0.025 for m in looks]
    )
    stop = np.where(hits.any(axis=0), looks[hits.argmax(axis=0)], LAST_LOOK)
    return {
        "sequential, I_U": (
            np.asarray(first.rejected, dtype=float),
            np.asarray(first.stopped_at, dtype=float),
        ),
        "paired, each look": (hits.any(axis=0).astype(float), stop.astype(float)),
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


PARTS: dict[str, Callable[[str | None, float], Iterator[Curves]]] = {
    "nb-regression": lambda f, s: nb_figures("regression", f, s),
    "nb-gaussians": lambda f, s: nb_figures("gaussians", f, s),
    "nb-gaussians-200": lambda f, s: nb_figures("gaussians", f, s, most=200),
    "nb-letters": lambda f, s: nb_figures("letters", f, s),
    "w14-powers": w14_powers,
    "w14-first": lambda _, s: w14_first_figures(s),
    "r19-2.3": lambda _, s: r19_covariances("2.3", s),
    "r19-2.4": lambda _, s: r19_covariances("2.4", s),
    "r19-3.2": lambda _, s: r19_covariances("3.2", s),
    "r19-toy": lambda f, s: r19_sequences("toy", f, s),
    "r19-letters": lambda f, s: r19_sequences("letters", f, s),
}
NEED_DATA = ("nb-letters", "r19-letters")


def run(parts: Sequence[str], folder: str | None, scale: float, out: Path) -> None:
    """Make the figures of some parts."""
    for part in parts:
        if folder is None and part in NEED_DATA:
            print(f"{part} left out: give the folder of the data")
            continue
        for curves in PARTS[part](folder, scale):
            curves.keep(out)
            print(curves.title, flush=True)


def main() -> None:
    told = arguments(str(__doc__), list(PARTS))
    run(told.parts, told.folder, told.scale, told.results or Path("benchmarks/reproduce/results"))


if __name__ == "__main__":
    main()

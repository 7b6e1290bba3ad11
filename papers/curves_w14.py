"""W14's figures 1–3 and 6–11 as curves."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import evenfold as ef
from evenfold.design import Blocked3x2, Mx2
from evenfold_lab import estimators
from evenfold_lab.populations import TwoGaussians, W14Gaussians10d, W14Logistic, W14Shifted, letters
from papers import w14
from papers._curves import SEED, Curves, Points, Test, power
from papers._table import machine, scaled
from papers.curves_r19 import covariances


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
    R = scaled(100_000 if machine().full else 500, scale)
    real, estimated = [], []
    for n in (40, 100, 200, 400):
        study = ef.lab.variance(
            W14Gaussians10d(),
            designs=[Mx2(5)],
            n=n,
            replications=R,
            random_state=SEED,
            **machine().effort(),
        )
        values = study.draws[repr(Mx2(5))].values[0]
        first, pairs = values[:, 0], values.reshape(R, 5, 2)
        each = pairs.var(axis=2, ddof=1).mean(axis=1)
        squares = (first - first.mean()) ** 2
        real.append((float(n), float(squares.mean()), float(squares.std() / np.sqrt(R))))
        estimated.append((float(n), float(each.mean()), float(each.std() / np.sqrt(R))))
    yield Curves(
        name="w14-1", title="W14 figure 1: variance of a hold-out value of a tree, and 5×2's "
                            "estimate of it",
        x="n", y="variance", note=f"{R} data sets (W14: 100 000; its n is not said), seed {SEED}.",
        panels={"ten dimensions": {"variance": real, "estimate": estimated}},
    )  # fmt: skip
    R = scaled(10_000 if machine().full else 100, scale)
    figure, _ = covariances(
        "w14-2", "W14 figure 2", {"SVM, n = 512": (W14Logistic(), estimators.svm(), 512, 0.5)}, R
    )
    yield figure
    panels: dict[str, dict[str, Points]] = {}
    for number, count in ((1, 10_000), (2, 5000)):
        R = scaled(count if machine().full else 100, scale)
        population, n = W14Shifted.setting(number), W14Shifted.sizes[number - 1]
        designs = [Blocked3x2(), Mx2(3)]
        study = ef.lab.variance(
            population,
            designs=designs,
            n=n,
            replications=R,
            random_state=SEED,
            **machine().effort(),
        )
        for design in designs:
            mean = study.draws[repr(design)].values[0].mean(axis=1)
            quantiles = [
                (q, float(np.quantile(mean, q)), 0.0) for q in (0.05, 0.25, 0.5, 0.75, 0.95)
            ]
            panels.setdefault(f"n = {n}, {R} data sets", {})[repr(design)] = quantiles
    yield Curves(
        name="w14-3", title="W14 figure 3: blocked and random 3×2, quantiles of the mean",
        x="quantile",
        y="mean of six hold-out values", note=f"Data sets beside each n; seed {SEED}.",
        panels=panels,
    )  # fmt: skip

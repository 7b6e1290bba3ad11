"""
Real error and power of ``leave-one-out-t``: ``python -m papers.studies.smoothers``.

CPU, two minutes.

Six linear smoothers on eight regressions, 1000 data sets each. The null is the mean of the
estimates over all data sets; power at 2.8 of their standard deviations. Prints the table of the
page "At no extra fits"; writes the card of the method.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

import evenfold as ef
from papers.studies.own_cards import row, write

SETS, LOT, SHIFT, SEED = 1000, 100, 2.8, 1873
Floats = Any
Left = tuple[Floats, Floats]  # losses (…, n) without i, and (…, n, n) without i and j, [j, i]


def left_out(hat: Callable[[Floats], Floats]) -> Callable[[Floats, Floats], Left]:
    """The closed form of the package, many data sets at once."""

    def losses_and_changes(X: Floats, y: Floats) -> Left:
        H = hat(X)
        h, r, Ht = (
            np.einsum("...ii->...i", H),
            y - (H @ y[..., None])[..., 0],
            np.swapaxes(H, -1, -2),
        )
        here, there = (1 - h)[..., None, :], (1 - h)[..., :, None]
        both = (there * r[..., None, :] + Ht * r[..., :, None]) / (here * there - H * Ht)
        return (r / (1 - h)) ** 2, both**2

    return losses_and_changes


def neighbours(k: int) -> Callable[[Floats, Floats], Left]:
    def losses_and_changes(X: Floats, y: Floats) -> Left:
        away = _squares(X)
        i = np.arange(X.shape[-2])
        away[..., i, i] = np.inf
        near = np.argsort(away, axis=-1)[..., : k + 1]
        values = np.take_along_axis(np.broadcast_to(y[..., None, :], away.shape), near, -1)
        without = values[..., :k].mean(axis=-1)
        without_both = np.broadcast_to(without[..., None], away.shape).copy()
        np.put_along_axis(
            without_both,
            near[..., :k],
            without[..., None] + (values[..., k:] - values[..., :k]) / k,
            -1,
        )
        return (y - without) ** 2, np.swapaxes((y[..., None] - without_both) ** 2, -1, -2)

    return losses_and_changes


def _squares(X: Floats) -> Floats:
    return ((X[..., :, None, :] - X[..., None, :, :]) ** 2).sum(axis=-1)


def _ridge(penalty: float) -> Callable[[Floats], Floats]:
    def hat(X: Floats) -> Floats:
        x = X - X.mean(axis=-2, keepdims=True)
        xt = np.swapaxes(x, -1, -2)
        return x @ np.linalg.solve(xt @ x + penalty * np.eye(X.shape[-1]), xt) + 1 / X.shape[-2]

    return hat


def _kernel(X: Floats) -> Floats:
    K = np.exp(-0.1 * _squares(X))
    return np.swapaxes(np.linalg.solve(K + np.eye(X.shape[-2]), K), -1, -2)


def _mean(X: Floats) -> Floats:
    return np.full((*X.shape[:-1], X.shape[-2]), 1 / X.shape[-2])


LEARNERS = {
    "mean": left_out(_mean),
    "ols": left_out(_ridge(1e-9)),
    "ridge": left_out(_ridge(20.0)),
    "kernel": left_out(_kernel),
    "nn3": neighbours(3),
    "nn10": neighbours(10),
}


def _sparse(
    rng: np.random.Generator, n: int, p: int, *, at: float = 0.3, outliers: float = 0.0
) -> Left:
    X = rng.normal(size=(SETS, n, p))
    noise = rng.normal(size=(SETS, n)) * np.where(rng.random((SETS, n)) < outliers, 10, 1)
    return X, X @ (at * (np.arange(p) < p // 4)) + noise


def _friedman(rng: np.random.Generator) -> Left:
    X = rng.random((SETS, 100, 7))
    y = (
        10 * np.sin(np.pi * X[..., 0] * X[..., 1])
        + 20 * (X[..., 2] - 0.5) ** 2
        + 10 * X[..., 3]
        + 5 * X[..., 4]
    )
    return X - 0.5, y / 5 + rng.normal(size=(SETS, 100))


def _cubic(rng: np.random.Generator) -> Left:
    X = rng.normal(size=(SETS, 100, 4))
    return X, X[..., 0] + 0.3 * X[..., 1] ** 2 + rng.standard_t(5, size=(SETS, 100))


POPULATIONS: dict[str, Callable[[np.random.Generator], Left]] = {
    "sparse, n = 50, 6 features": lambda rng: _sparse(rng, 50, 6),
    "sparse, n = 60, 10 features": lambda rng: _sparse(rng, 60, 10),
    "sparse, n = 100, 20 features": lambda rng: _sparse(rng, 100, 20),
    "sparse, n = 100, 40 features": lambda rng: _sparse(rng, 100, 40),
    "nothing to learn, n = 60, 8 features": lambda rng: _sparse(rng, 60, 8, at=0.0),
    "Friedman's function, n = 100": _friedman,
    "cubic, t noise, n = 100": _cubic,
    "1 % of the noise ten times as wide, n = 100": lambda rng: _sparse(rng, 100, 6, outliers=0.01),
}


CARD = {  # a pair of each population
    "sparse, n = 50, 6 features": ("ols", "ridge", "sparse regression, OLS against ridge"),
    "sparse, n = 100, 20 features": (
        "mean",
        "kernel",
        "sparse regression, the mean against kernel ridge",
    ),
    "nothing to learn, n = 60, 8 features": (
        "mean",
        "ols",
        "nothing to learn, the mean against OLS",
    ),
    "Friedman's function, n = 100": (
        "mean",
        "ridge",
        "Friedman's function, the mean against ridge",
    ),
    "cubic, t noise, n = 100": ("ridge", "nn10", "cubic with t noise, ridge against 10-NN"),
    "1 % of the noise ten times as wide, n = 100": (
        "ols",
        "ridge",
        "rare outliers, OLS against ridge",
    ),
}


def estimates(X: Floats, y: Floats) -> dict[str, list[tuple[Floats, Floats]]]:
    """Losses and changes (data sets, n) of every learner."""
    by_learner: dict[str, list[tuple[Floats, Floats]]] = {name: [] for name in LEARNERS}
    i = np.arange(X.shape[1])
    for start in range(0, SETS, LOT):
        for name, learner in LEARNERS.items():
            without, without_both = learner(X[start : start + LOT], y[start : start + LOT])
            change = without_both - without[:, None]
            change[:, i, i] = 0.0
            by_learner[name].append((without, change.sum(axis=2) / (len(i) - 1)))
    return by_learner


def rates(losses: Floats, changes: Floats) -> tuple[float, float, float, float]:
    """Real error, that of s²(d)/n, power, and V over the true variance."""
    e = ef.infer.leave_one_out_t(losses, changes)
    plain = ef.infer.leave_one_out_t(losses, np.zeros_like(changes))
    x, sd = e.value - e.value.mean(), e.value.std()
    reach, naive = (estimate.confidence_interval()[1] - estimate.value for estimate in (e, plain))
    power = np.mean([np.abs(x + side * SHIFT * sd) > reach for side in (1, -1)])
    return (
        float((np.abs(x) > reach).mean()),
        float((np.abs(x) > naive).mean()),
        float(power),
        float(np.mean(e.standard_error**2) / sd**2),
    )


def main() -> None:
    rows: list[dict[str, Any]] = []
    for k, (name, draws) in enumerate(POPULATIONS.items()):
        lots = estimates(*draws(np.random.default_rng([SEED, k])))
        each = {
            learner: tuple(map(np.concatenate, zip(*lots[learner], strict=True)))
            for learner in LEARNERS
        }
        pairs = np.array([rates(*(b - a for a, b in zip(each[x], each[y], strict=True)))
                          for x, y in combinations(LEARNERS, 2)])  # fmt: skip
        if name in CARD:
            a, b, title = CARD[name]
            losses, changes = (y - x for x, y in zip(each[a], each[b], strict=True))
            rows.append(
                row(title, ef.infer.leave_one_out_t(losses, changes), losses.shape[1], fits=4)
            )
        alone = [1 - rates(*each[learner])[0] for learner in LEARNERS]
        (error, naive, power, ratio) = pairs.T
        print(
            f"| {name} | {error.mean():.3f} / {error.max():.3f} | {naive.mean():.3f} / "
            f"{naive.max():.3f} | "
            f"{power.mean():.2f} | {ratio.min():.1f} to {ratio.max():.1f} | "
            f"{min(alone):.3f} to {max(alone):.3f} |",
            flush=True,
        )
    write("leave-one-out-t", SEED, rows)


if __name__ == "__main__":
    main()

"""
Looks and stops in the Gaussian model where the variance is unbiased.

``python -m papers.sharp.gaussian``.

T = 1 with 100 df, R of the repetition means with m − 1 df, the lasting part of the variance √(T(T +
2R)). The truth is 0, 0.5, … standard deviations from the null. Printed for every R/T: how often any
look rejects if no look is futile (the union), how often the run's own last look does, fits for two
algorithms, coverage at the stop, and the width of what was left open over that after nine
repetitions (median, 95 %). Takes a minute.
"""

from typing import Any

import numpy as np
from scipy import special

from papers.sharp.analyse import BLURRED, LOOKS, t_quantile

RATIOS = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
AWAY = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
DF = 100
M = LOOKS[-1]


def looked(ratio: float, away: float, draws: int, seed: int = 0) -> tuple[Any, float]:
    """Mean, V, its df, T and R at every look, and the truth."""
    rng = np.random.default_rng(seed)
    lasting = np.sqrt(1 + 2 * ratio)
    truth = away * float(np.sqrt(lasting + ratio / M))
    shared = truth + np.sqrt(lasting) * rng.normal(size=draws)
    repetitions = np.sqrt(ratio) * rng.normal(size=(M, draws))
    T = rng.chisquare(DF, draws) / DF
    rows = []
    for m in LOOKS:
        R = repetitions[:m].var(axis=0, ddof=1)
        root = np.sqrt(T * (T + 2 * R))
        V = root + R / m
        spread = ((T + R) / root * T) ** 2 / DF + ((T / root + 1 / m) * R) ** 2 / (m - 1)
        rows.append((shared + repetitions[:m].mean(axis=0), V, np.maximum(V**2 / spread, 1), T, R))
    return [np.stack(column) for column in zip(*rows, strict=True)], truth


def stopped(
    ratio: float, away: float, *, level: float = 0.05, draws: int = 100_000
) -> dict[str, float]:
    """What the looks say of the null 0."""
    (mean, V, df, T, R), truth = looked(ratio, away, draws)
    share = (np.array(LOOKS) / M) ** 2
    error = np.sqrt(V)
    at_share = (
        np.stack([t_quantile(d, s * level / 2) for d, s in zip(df, share, strict=True)]) * error
    )
    whole = t_quantile(df, level / 2) * error
    z = special.ndtri(1 - level / 2)
    m = np.array(LOOKS)[:, None]
    rejected = np.abs(mean) > at_share
    futile = (np.abs(mean) + 2 * np.sqrt(R * (1 / m - 1 / M)) < z * np.sqrt(T)) & (m < M)
    futile &= whole <= BLURRED * z * np.sqrt(T)
    stop = (rejected | futile | (m == M)).argmax(axis=0)
    at = np.arange(draws)
    decided = rejected[stop, at]
    half = np.where(decided, at_share[stop, at], whole[stop, at])
    low = mean[stop, at] - half
    high = mean[stop, at] + half
    low = np.where(decided, low, np.minimum(low, 0))
    high = np.where(decided, high, np.maximum(high, 0))
    width = ((high - low) / (2 * whole[-1]))[~decided]
    return {
        "union": rejected.any(axis=0).mean(),
        "rejected": decided.mean(),
        "fits": 4 * np.array(LOOKS)[stop].mean(),
        "covered": ((low <= truth) & (truth <= high)).mean(),
        "width": float(np.median(width)) if len(width) else np.nan,
        "width_95": float(np.quantile(width, 0.95)) if len(width) else np.nan,
    }


def main() -> None:
    for level in (0.05, 0.005):
        for ratio in RATIOS:
            for away in AWAY if level == 0.05 else AWAY[:1]:
                rates = stopped(ratio, away, level=level)
                print(level, ratio, away, *(f"{name} {value:.4f}" for name, value in rates.items()))


if __name__ == "__main__":
    main()

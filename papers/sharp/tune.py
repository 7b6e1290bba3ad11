"""
Variances that were tried, on one set of populations: ``python -m papers.sharp.tune RAW [SET]``.

Every variance is made of the same parts; its degrees of freedom follow from numerical derivatives
(T has f, R m − 1, Q m). Looks 3, 5, 7, 9 at (m/M)² of the level, with the rules of ten and of heavy
tails, no futility. Writes ``results/tried-SET.csv``.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from papers.sharp.analyse import (
    HALF,
    LEVEL,
    LOOKS,
    RESULTS,
    SHIFT,
    Arrays,
    enemy,
    load,
    parts_of,
    t_quantile,
    write,
)
from papers.sharp.reference import Parts, shares

SETS = 1000
Variance = Callable[..., Any]


def _shifts(R: Any, W: Any, Q: Any, m: int, pooled: bool) -> Any:
    return np.maximum(((m - 1) * (R + Q) / (2 * m - 1) if pooled else R) - W, 0)


def root(
    b: float, w: float, x: float, c: float = 0.0, *, pooled: bool = True, less: bool = True
) -> Variance:
    """T + C/m + √(t² + 2tE + c²D²) − t; ``less``: t is T less W/m."""

    def variance(T: Any, R: Any, W: Any, U: Any, Q: Any, m: int) -> Any:
        C = _shifts(R, W, Q, m, pooled)
        t = np.maximum(T - W / m, 0) if less else T
        E = b * C + w * W + x * np.maximum(U - Q - T, 0)
        return T + C / m + np.sqrt(t**2 + 2 * t * E + (c * np.maximum(C - W, 0)) ** 2) - t

    return variance


def power(g: float, b: float, w: float, x: float, c: float) -> Variance:
    """
    Return the variance with another exponent.

    The lift is t((1 + E/gt)^g − 1), which is the root if g is a half; D is added to it as
    before.
    """

    def variance(T: Any, R: Any, W: Any, U: Any, Q: Any, m: int) -> Any:
        C = _shifts(R, W, Q, m, pooled=True)
        t = np.maximum(T - W / m, 0)
        E = b * C + w * W + x * np.maximum(U - Q - T, 0)
        lift = t * ((1 + E / (g * np.where(t > 0, t, 1.0))) ** g - 1)
        return T + C / m + np.hypot(lift, c * np.maximum(C - W, 0))

    return variance


def line(a: float, w: float, *, pooled: bool = True) -> Variance:
    """T + aC + wW + C/m."""

    def variance(T: Any, R: Any, W: Any, U: Any, Q: Any, m: int) -> Any:
        del U
        C = _shifts(R, W, Q, m, pooled)
        return T + a * C + w * W + C / m

    return variance


def first_order(base: Variance) -> Variance:
    """With what single training examples do, H = (Q' − R)₊, shrunk by H/(H + R)."""

    def variance(T: Any, R: Any, W: Any, U: Any, Q: Any, m: int) -> Any:
        H = np.maximum((m - 1) / m * Q - R, 0)
        return base(T, R, W, U, Q, m) + H**2 / np.maximum(H + R, 1e-300)

    return variance


def shipped(weight: float) -> Variance:
    """√(T(T + 2R)) + R/m (weight 1), or with 2C + 2·weight·W in place of 2R."""

    def variance(T: Any, R: Any, W: Any, U: Any, Q: Any, m: int) -> Any:
        del U
        inside = R if weight == 1 else _shifts(R, W, Q, m, pooled=False) + weight * W
        return np.sqrt(T * (T + 2 * inside)) + R / m

    return variance


TRIED: dict[str, Variance] = {
    "√(T(T+2R)) + R/m": shipped(1.0),
    "√(T(T+2C+W)) + R/m": shipped(0.5),
    "T + C/2 + C/m, R alone": line(0.5, 0.0, pooled=False),
    "T + C/2 + C/m": line(0.5, 0.0),
    "T + C + C/m": line(1.0, 0.0),
    "T + C + W/5 + C/m": line(1.0, 0.2),
    "root(C, W/5), R alone, t = T": root(1.0, 0.2, 0.0, pooled=False, less=False),
    "root(C, W/5), t = T": root(1.0, 0.2, 0.0, less=False),
    "root(3C/2, W/5), t = T": root(1.5, 0.2, 0.0, less=False),
    "root(3C/2, 2W/5, X/4)": root(1.5, 0.4, 0.25),
    "root(2C, 2W/5, X/2)": root(2.0, 0.4, 0.5),
    "root(5C/2, W/4, X), first choice": root(2.5, 0.25, 1.0),
    "root(5C/2, W/4, X, D), taken": root(2.5, 0.25, 1.0, 1.0),
    "root(2C, W/4, X, D)": root(2.0, 0.25, 1.0, 1.0),
    "root(3C/2, W/4, X, D) + H": first_order(root(1.5, 0.25, 1.0, 1.0)),
    "root(5C/2, W/4, X, D) + H": first_order(root(2.5, 0.25, 1.0, 1.0)),
    "power .35(7C/2, W/4, X, D)": power(0.35, 3.5, 0.25, 1.0, 1.0),
    "power .7(2C, W/4, X, D)": power(0.7, 2.0, 0.25, 1.0, 1.0),
    "power .25(8C, W/2, 3X, 3D/2)": power(0.25, 8.0, 0.5, 3.0, 1.5),
    "the same, fifteen that differ": power(0.25, 8.0, 0.5, 3.0, 1.5),
}
FEWEST = {"the same, fifteen that differ": 15}  # else ten


def rates(parts: list[Parts], variance: Variance, fewest: int = 10) -> tuple[float, float, float]:
    """Error, power and fits of the sequential test, where so many examples must differ."""
    mean = np.stack([p.mean for p in parts])
    truth, sd = mean[-1].mean(), mean[-1].std()
    reach = []
    for p, share in zip(parts, shares(LOOKS), strict=True):
        V, df = _with_df(p, variance)
        waits = (p.m < max(LOOKS)) & (p.shifts > p.W)
        able = ~p.few & (p.differ >= fewest) & ~waits & (V > 0)
        reach.append(np.where(able, t_quantile(df, share * LEVEL / 2) * np.sqrt(V), np.inf))
    crossings, fits = [], []
    for null in (truth, truth + SHIFT * sd, truth - SHIFT * sd):
        crossed = np.abs(mean - null) > np.stack(reach)
        crossings.append(crossed.any(axis=0).mean())
        fits.append(
            4 * np.where(crossed.any(axis=0), np.asarray(LOOKS)[crossed.argmax(axis=0)], 9).mean()
        )
    return crossings[0], (crossings[1] + crossings[2]) / 2, (fits[1] + fits[2]) / 2


def _with_df(p: Parts, variance: Variance) -> tuple[Any, Any]:
    step, x = 0.02, [p.T, p.R, p.W, p.U, p.Q]
    V = variance(*x, p.m)
    noise: Any = 0.0
    for i, df in ((0, p.f), (1, p.m - 1), (4, p.m)):
        moved = [v * (1 + step) if j == i else v for j, v in enumerate(x)]
        noise = noise + ((variance(*moved, p.m) - V) / step) ** 2 / df
    return V, np.where(V > 0, V**2 / np.maximum(noise, 1e-300), 1.0)


def main(folder: str, half: str) -> None:
    data, rows = load(Path(folder)), []
    pairs: list[tuple[str, list[Parts]]] = []
    for case, of in HALF.items():
        if of != half or case not in data or case.startswith("groups"):
            continue
        cut = {k: v[:, :SETS] for k, v in data[case].items() if k.startswith("halves.")}
        for row, name in enumerate(data[case]["subjects"]):
            if "/" in str(name):
                pairs.append(
                    (enemy(case, str(name)), [parts_of(cut, row, i) for i in range(len(LOOKS))])
                )
    for name, variance in TRIED.items():
        table = np.array([rates(parts, variance, FEWEST.get(name, 10)) for _, parts in pairs])
        named = np.array([bool(label) for label, _ in pairs])
        row_: Arrays = {"variance": name, "pairs": int((~named).sum())}
        for label, chosen in (("", ~named), ("enemies ", named)):
            e, power, fits = table[chosen].T
            row_ |= {
                f"{label}mean error": e.mean(), f"{label}95 %": np.quantile(e, 0.95),
                f"{label}max": e.max(),
                f"{label}power": power.mean(), f"{label}fits": fits.mean(),
            }  # fmt: skip
        rows.append(row_)
        print(
            " | ".join(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row_.values()),
            flush=True,
        )
    write(RESULTS / f"tried-{half}.csv", rows)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "tune")

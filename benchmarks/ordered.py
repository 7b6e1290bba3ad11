"""
Real errors of the tests for ordered data on series of known truth, and how long they take.

Run it by itself, ``python -m benchmarks.ordered [replications]``: 10 000 series of each kind take about three
minutes. The tables of docs/infer/ordered.md are its output; the cards come from ``evenfold lab cards``.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import evenfold as ef
from evenfold.core.errors import EvenfoldWarning
from evenfold.core.rng import stream
from evenfold.infer.tables._sequences import bernstein_reach, variance_process
from evenfold.lab.populations import Forecasters

Floats = NDArray[np.float64]
LEVEL, BATCH, SEED = 0.05, 1000, 20

WORLDS = [
    *(
        (f"equal, h = {h}, T = {T}", Forecasters(horizon=h), T)
        for h in (1, 4, 12)
        for T in (30, 100, 300, 1000)
    ),
    ("one half wilder, h = 4, T = 100", Forecasters(horizon=4, wilder=3.0), 100),
    ("A better, then B, h = 4, T = 100", Forecasters(horizon=4, turn=2.0), 100),
    ("memory (AR .5), h = 1, T = 100", Forecasters(ar=0.5), 100),
    ("memory (AR .5), h = 1, T = 1000", Forecasters(ar=0.5), 1000),
]


def share(hits: int, of: int) -> str:
    p = hits / of
    return f"{p:.3f} ± {np.sqrt(max(p * (1 - p), 1 / of) / of):.3f}"


def errors(replications: int) -> Iterator[str]:
    """How often equal forecasters are told apart."""
    keys = ("paired_t", "diebold_mariano", "giacomini_white", "giacomini_white_conditional")
    yield "| | " + " | ".join(keys) + " |"
    for title, population, T in WORLDS:
        hits = dict.fromkeys(keys, 0)
        for batch in range(replications // BATCH):
            d = population.draw_path(T, BATCH, stream(SEED, title, batch))
            for key in keys:
                test = getattr(ef.infer, key)
                options = {} if key == "paired_t" else {"horizon": population.horizon}
                hits[key] += int((test(d, **options).pvalue <= LEVEL).sum())
        yield f"| {title} | " + " | ".join(share(hits[key], replications) for key in keys) + " |"


def paths_of(k: int, T: int, horizon: int, worse: float, rng: np.random.Generator, count: int) -> Floats:
    """Squared errors of k forecasters, each of which sees its own share of the shocks; the last is worse."""
    shocks = rng.standard_normal((count, k + 1, T + horizon - 1))
    so_far = np.cumsum(shocks, axis=-1)
    sums = so_far[..., horizon - 1 :].copy()
    sums[..., 1:] -= so_far[..., :-horizon]
    losses: Floats = (sums[:, :k] + sums[:, k:]) ** 2
    losses[:, -1] += worse * horizon
    return losses


def sets(replications: int) -> Iterator[str]:
    """How often the model confidence set loses the best, and how often the worse one leaves it."""
    yield "| | statistic | one of the equal ones is lost | the worse one leaves |"
    for k, T, h in ((3, 250, 1), (3, 250, 4), (8, 250, 1), (8, 100, 4)):
        for statistic in ("max", "range"):
            lost = left = 0
            for batch in range(replications // 100):
                rng = stream(SEED, "sets", k, T, h, batch)
                call = partial(ef.infer.model_confidence_set, horizon=h, statistic=statistic, draws=499)
                lost += int((~call(paths_of(k, T, h, 0.0, rng, 100)).inside(LEVEL)).any(axis=-1).sum())
                left += int((~call(paths_of(k, T, h, 1.0, rng, 100)).inside(LEVEL)[:, -1]).sum())
            of = replications // 100 * 100
            world = f"{k} forecasters, T = {T}, h = {h}"
            yield f"| {world} | {statistic} | {share(lost, of)} | {share(left, of)} |"


def drifting(T: int, speed: float, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """Wins and losses whose chance drifts, and the expectation of each before it is seen."""
    walk = np.cumsum(rng.standard_normal((count, T)), axis=-1) * speed
    expected = np.tanh(walk)
    return np.where(rng.random((count, T)) < (1 + expected) / 2, 1.0, -1.0), expected


def sequences(replications: int, T: int = 1000) -> Iterator[str]:
    """How often the limits hold the mean of what was to be expected at all times up to T."""
    yield "| the chance of a win | drift: holds at all times | constant: holds at T |"
    for title, speed in (("is the same", 0.0), ("drifts slowly", 0.02), ("drifts", 0.1)):
        held = at_the_end = total = 0
        for batch in range(max(replications // 250, 1)):
            d, expected = drifting(T, speed, stream(SEED, title, batch), 250)
            n = np.arange(1, T + 1)
            true, mean = np.cumsum(expected, axis=-1) / n, np.cumsum(d, axis=-1) / n
            reach = bernstein_reach(variance_process(d, 0.0), 2.0, LEVEL / 2) / n
            held += int((np.abs(mean - true) <= reach).all(axis=-1).sum())
            low, high = ef.infer.anytime(d, low=-1, high=1, mean="constant").confidence_interval(1 - LEVEL)
            at_the_end += int(((low <= true[:, -1]) & (true[:, -1] <= high)).sum())
            total += 250
        yield f"| {title} | {share(held, total)} | {share(at_the_end, total)} |"


def speed() -> Iterator[str]:
    """1000 series of 500 times each."""
    d = Forecasters(horizon=4).draw_path(500, 1000, stream(SEED, "speed"))
    tests: dict[str, Callable[[], Any]] = {
        "diebold-mariano": lambda: ef.infer.diebold_mariano(d, horizon=4).confidence_interval(),
        "giacomini-white": lambda: ef.infer.giacomini_white(d, horizon=4).confidence_interval(),
        "giacomini-white-conditional": lambda: ef.infer.giacomini_white_conditional(d, horizon=4).pvalue,
        "anytime (drift)": lambda: ef.infer.anytime(np.tanh(d), low=-1, high=1).confidence_interval(),
    }
    for name, test in tests.items():
        test()
        began = perf_counter()
        test()
        yield f"{name}: {perf_counter() - began:.3f} s"


def main(replications: int = 10_000) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        for part in (speed(), errors(replications), sequences(replications // 10), sets(replications // 10)):
            print(*part, sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

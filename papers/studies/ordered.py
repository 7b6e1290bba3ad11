"""
Real errors of the tests for ordered data on series of known truth.

Run it alone, ``python -m papers.studies.ordered [replications]``: 10 000 series of each kind take
about three minutes. The tables of docs/infer/ordered.md are its output. Cards come from ``evenfold
lab cards``, but for ``anytime``, which needs losses with a range: ``python -m
papers.studies.ordered card`` adds to that one.
"""

import json
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import evenfold as ef
from evenfold.core.errors import EvenfoldWarning
from evenfold.core.rng import stream
from evenfold.infer.anytime import bernstein_reach, variance_process
from evenfold.infer.forecasts import alike_beyond
from evenfold_lab.populations import Forecasters

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


def memory(replications: int) -> Iterator[str]:
    """How often autoregressive differences without a mean are taken for a difference."""
    from scipy.signal import lfilter

    yield (
        "| T | correlation of neighbours | horizon 1 "
        "| horizon from the lag that is said | fixed-b |"
    )
    for T in (50, 100, 200, 500, 1000):
        for r in (0.0, 0.5, 0.8, 0.95):
            hits = np.zeros(3, dtype=int)
            for batch in range(replications // BATCH):
                shocks = stream(SEED, "memory", T, int(100 * r), batch).standard_normal(
                    (BATCH, T + 300)
                )
                d = lfilter([1.0], [1.0, -r], shocks, axis=-1)[:, 300:]
                lags = [alike_beyond(series, 1) for series in d]
                ahead = [1 if lag is None else min(lag[1] + 1, T - 1) for lag in lags]
                by_lag = [
                    ef.infer.diebold_mariano(series, horizon=h).pvalue
                    for series, h in zip(d, ahead, strict=True)
                ]
                tests = (ef.infer.diebold_mariano(d), ef.infer.diebold_mariano_fixed_b(d))
                each = (tests[0].pvalue, np.array(by_lag), tests[1].pvalue)
                hits += [int((p <= LEVEL).sum()) for p in each]
            of = replications // BATCH * BATCH
            yield f"| {T} | {r:g} | " + " | ".join(share(int(hit), of) for hit in hits) + " |"


def two_lines(n: int, windows: int, ar: float, rng: np.random.Generator, count: int) -> Floats:
    """Differences (count, windows, h) of two lines with one feature each, on growing windows."""
    from scipy.signal import lfilter

    x, z, noise = lfilter([1.0], [1.0, -ar], rng.standard_normal((3, count, n)), axis=-1)
    y = x + z + noise
    differences = []
    for train, test in ef.design.GrowingWindow(0.5, n // 2 // windows).partition(n):
        losses = []
        for feature in (x, z):
            mean, level = (
                feature[:, train].mean(axis=1, keepdims=True),
                y[:, train].mean(axis=1, keepdims=True),
            )
            centred = feature[:, train] - mean
            slope = (centred * y[:, train]).sum(axis=1) / (centred**2).sum(axis=1)
            losses.append((y[:, test] - level - slope[:, None] * (feature[:, test] - mean)) ** 2)
        differences.append(losses[1] - losses[0])
    return np.stack(differences, axis=1)


def by_window(replications: int) -> Iterator[str]:
    """What a run gains by one value per window."""
    yield "| | windows | by time, horizon h | by window | ordinary t on times |"
    for n, windows, ar in (
        (200, 20, 0.0),
        (200, 20, 0.5),
        (200, 20, 0.8),
        (600, 5, 0.0),
        (200, 5, 0.5),
    ):
        h, hits = n // 2 // windows, np.zeros(3, dtype=int)
        for batch in range(replications // BATCH):
            d = two_lines(
                n, windows, ar, stream(SEED, "two lines", n, windows, int(10 * ar), batch), BATCH
            )
            flat = d.reshape(BATCH, -1)
            by_time = ef.infer.diebold_mariano(flat, horizon=h).pvalue
            each = ef.infer.diebold_mariano(d.mean(axis=-1)).pvalue
            hits += [
                int((p <= LEVEL).sum()) for p in (by_time, each, ef.infer.paired_t(flat).pvalue)
            ]
        memory = f"AR .{10 * ar:.0f}" if ar else "independent"
        rates = " | ".join(share(int(hit), replications) for hit in hits)
        yield f"| n = {n}, {memory} | {windows} of {h} | {rates} |"


def paths_of(
    k: int, T: int, horizon: int, worse: float, rng: np.random.Generator, count: int
) -> Floats:
    """
    Return squared errors of k forecasters, each of which sees its own share of the shocks.

    The last forecaster is worse.
    """
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
                call = partial(
                    ef.infer.model_confidence_set, horizon=h, statistic=statistic, draws=499
                )
                lost += int(
                    (~call(paths_of(k, T, h, 0.0, rng, 100)).inside(LEVEL)).any(axis=-1).sum()
                )
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
            low, high = ef.infer.anytime(d, low=-1, high=1, mean="constant").confidence_interval(
                1 - LEVEL
            )
            at_the_end += int(((low <= true[:, -1]) & (true[:, -1] <= high)).sum())
            total += 250
        yield f"| {title} | {share(held, total)} | {share(at_the_end, total)} |"


def within(d: Floats, better: float = 0.0) -> Floats:
    """The same differences squeezed into [−1, 1], B ahead."""
    squeezed: Floats = np.tanh(d / d.std() - better)
    return squeezed


def card_row(horizon: int, T: int, replications: int = 10_000) -> dict[str, Any]:
    """How ``anytime`` does on equal forecasters, looked at once, at the end."""
    judged: dict[str, list[Any]] = {"size": [], "power": [], "length": [], "difference": []}
    better = 3 * np.sqrt(Forecasters(horizon=horizon).variance_of_mean(T) / (12 * horizon**2))
    for batch in range(replications // BATCH):
        d = Forecasters(horizon=horizon).draw_path(
            T, BATCH, stream(SEED, "card", horizon, T, batch)
        )
        equal, ahead = (ef.infer.anytime(within(d, by), low=-1, high=1) for by in (0.0, better))
        low, high = equal.confidence_interval(1 - LEVEL)
        judged["size"].append(equal.pvalue <= LEVEL)
        judged["power"].append(ahead.pvalue <= LEVEL)
        judged["length"].append(high - low)
        judged["difference"].append(ahead.value)
    joined = {name: np.concatenate(values) for name, values in judged.items()}
    size, power = (float(joined[name].mean()) for name in ("size", "power"))
    error = [
        float(np.sqrt(max(p * (1 - p), 1 / replications) / replications)) for p in (size, power)
    ]
    return {
        "population": f"equal forecasters within ±1, horizon {horizon}, T = {T}", "n": T,
        "replications": replications, "size": size, "size_se": error[0], "power": power,
        "power_se": error[1],
        "coverage": 1 - size, "coverage_se": error[0],
        "difference": float(-joined["difference"].mean()),
        "fits": 0.0, "applicable": 1.0, "length": float(np.median(joined["length"])),
    }  # fmt: skip


def card() -> None:
    """Add what was measured on ordered data to the card of ``anytime``."""
    path = Path(ef.__file__).parent / "infer" / "cards" / "anytime.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    rows = [card_row(horizon, T) for horizon, T in ((1, 100), (1, 1000), (4, 1000))]
    titles = {row["population"] for row in rows}
    known["measured"] = [row for row in known["measured"] if row["population"] not in titles] + [
        {name: float(f"{of:.4g}") if isinstance(of, float) else of for name, of in row.items()}
        for row in rows
    ]
    path.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(replications: int = 10_000) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        for part in (
            errors(replications),
            memory(replications),
            by_window(replications),
            sequences(replications // 10),
            sets(replications // 10),
        ):
            print(*part, sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["card"]:
        card()
    else:
        main(*map(int, sys.argv[1:]))

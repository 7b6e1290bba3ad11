"""
Real errors of the tests for results that exist already: clusters, runs × examples, scores, peeking.

Run it by itself, ``python -m papers.studies.tables [replications] [cards]``: 10 000 replications
take some minutes. The tables of docs/infer/tables.md are its output; with ``cards`` it writes the
methods' cards.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy import special

import evenfold as ef
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import StudentT
from evenfold.core.losses import F1, PRECISION, RECALL
from evenfold.core.rng import stream
from evenfold.infer.anytime import bernstein_reach, betting_evidence, variance_process
from evenfold.infer.tables.kernels import (
    bootstrap_values,
    clustered_variance,
    compare_runs,
    cr2_variance,
    fair_variance,
)

Floats = NDArray[np.float64]
LEVEL, BATCH, SEED = 0.05, 250, 16
ALPHA2 = LEVEL / 2


class World(NamedTuple):
    """
    A world without a difference.

    It has a name, a function that draws tables, and tests that should not reject.
    """

    name: str
    draw: Callable[[np.random.Generator, int], Any]
    tests: Mapping[str, Callable[[Any], Any]]


def rates(world: World, replications: int) -> Iterator[tuple[str, float, float]]:
    """Yield the share of tables that each test rejects, and its Monte Carlo error."""
    rejected = dict.fromkeys(world.tests, 0)
    for batch in range(-(-replications // BATCH)):
        table = world.draw(stream(SEED, world.name, batch), BATCH)
        for name, test in world.tests.items():
            rejected[name] += int(np.sum(test(table)))
    total = BATCH * -(-replications // BATCH)
    for name, count in rejected.items():
        rate = count / total
        yield name, rate, float(np.sqrt(rate * (1 - rate) / total))


def t_rejects(value: Floats, variance: Floats, reference: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.abs(value) > reference.isf(ALPHA2) * np.sqrt(variance)


# --- clusters -----------------------------------------------------------------------------------


def flips(rng: np.random.Generator, count: int, codes: NDArray[np.intp], share: float) -> Floats:
    """Right minus wrong of two equal models; clusters agree with intraclass ≈ share²."""
    common = rng.normal(size=(count, codes.max() + 1))[:, codes]
    independent = rng.normal(size=(count, len(codes)))
    d: Floats = np.sign(share**0.5 * common + (1 - share) ** 0.5 * independent)
    return d


def naive_t(d: Floats) -> Any:
    n = d.shape[-1]
    return t_rejects(d.mean(axis=-1), d.var(axis=-1, ddof=1) / n, StudentT(n - 1))


def clustered_t(d: Floats, codes: NDArray[np.intp]) -> Any:
    count = int(codes.max()) + 1
    mean = d.mean(axis=-1)
    return t_rejects(mean, clustered_variance(d - mean[:, None], codes), StudentT(count - 1))


def fair_t(d: Floats, codes: NDArray[np.intp]) -> Any:
    mean = d.mean(axis=-1)
    variance, df = fair_variance(d - mean[:, None], codes)
    return t_rejects(mean, variance, StudentT(df))


def cr2_t(d: Floats, codes: NDArray[np.intp]) -> Any:
    mean = d.mean(axis=-1)
    variance, df = cr2_variance(d - mean[:, None], codes)
    return t_rejects(mean, variance, StudentT(df))


def sizes_of(kind: str, count: int) -> NDArray[np.intp]:
    """Cluster sizes around ten: all alike, from 1 to 20, or a tenth of them very large."""
    sizes = {
        "10 each": np.full(count, 10),
        "1 to 20": np.linspace(1, 20, count).round().astype(int),
        "a tenth has 55": np.where(np.arange(count) % 10 == 0, 55, 5),
    }
    return np.repeat(np.arange(count), sizes[kind])


def cluster_worlds() -> Iterator[World]:
    for count in (10, 20, 50, 200):
        for kind in ("10 each", "1 to 20", "a tenth has 55"):
            codes = sizes_of(kind, count)
            yield World(
                f"{count} clusters, {kind}",
                partial(flips, codes=codes, share=0.78),
                {
                    "naive t": naive_t,
                    "clustered-t": partial(clustered_t, codes=codes),
                    "clustered-cr2-t": partial(cr2_t, codes=codes),
                    "clustered-fair-t": partial(fair_t, codes=codes),
                },
            )


# --- runs × examples ----------------------------------------------------------------------------


class Crossed(NamedTuple):
    """Standard deviations of examples, runs and residuals, all for 200 examples."""

    example: float
    run: float
    residual: float


MIXES = {
    "runs do not matter": Crossed(1.0, 0.0, 1.0),
    "runs matter little": Crossed(1.0, 0.05, 1.0),
    "runs matter": Crossed(1.0, 0.3, 1.0),
    "only runs matter": Crossed(0.05, 1.0, 0.05),
}


def crossed(
    rng: np.random.Generator, count: int, mix: Crossed, S: int, codes: Any = None
) -> Floats:
    n = 200
    example = rng.normal(size=(count, 1, n))
    residual = rng.normal(size=(count, S, n))
    if codes is not None:
        G = int(codes.max()) + 1
        example = (example + 1.5 * rng.normal(size=(count, 1, G))[..., codes]) / 1.8
        residual = (residual + rng.normal(size=(count, S, G))[..., codes]) / 1.4
    return (
        mix.example * example + mix.run * rng.normal(size=(count, S, 1)) + mix.residual * residual
    )


def crossed_t(d: Floats, codes: Any = None) -> Any:
    return t_rejects(*compare_runs(np.zeros_like(d), d, codes, paired=True))


def unpaired_t(ab: tuple[Floats, Floats]) -> Any:
    return t_rejects(*compare_runs(*ab, None, paired=False))


def mean_t(d: Floats) -> Any:
    """The means over runs as if they were values of one run: these runs, not further ones."""
    return naive_t(d.mean(axis=-2))


def satterthwaite(d: Floats) -> Any:
    value, variance, reference = compare_runs(np.zeros_like(d), d, None, paired=True)
    return t_rejects(value, variance, StudentT(np.maximum(reference.df, 1.0)))


def two_recipes(
    rng: np.random.Generator, count: int, mix: Crossed, runs: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Draw runs of A and of B on the same examples, with a difficulty for each recipe."""
    common = rng.normal(size=(count, 1, 200))
    a, b = (common + crossed(rng, count, mix, S) for S in runs)
    return a, b


def run_worlds() -> Iterator[World]:
    codes = np.arange(200) % 40
    for name, mix in MIXES.items():
        for S in (2, 3, 4, 5, 10, 30):
            yield World(
                f"{S} runs, {name}",
                partial(crossed, mix=mix, S=S),
                {
                    "mean over runs, t": mean_t,
                    "Satterthwaite": satterthwaite,
                    "crossed-t": crossed_t,
                },
            )
    for name, mix in MIXES.items():
        for S in (2, 3, 5, 10):
            draw = partial(crossed, mix=mix, S=S, codes=codes)
            tests: dict[str, Any] = {
                "crossed-t": crossed_t,
                "crossed-t, clusters": partial(crossed_t, codes=codes),
            }
            yield World(f"{S} runs, 40 clusters, {name}", draw, tests)
    for name, mix in MIXES.items():
        for runs in ((2, 2), (3, 3), (5, 5), (3, 10), (10, 10)):
            draw_two = partial(two_recipes, mix=mix, runs=runs)
            yield World(
                f"{runs[0]} and {runs[1]} runs, {name}",
                draw_two,
                {"crossed-t, unpaired": unpaired_t},
            )


# --- scores on one test set ---------------------------------------------------------------------

RATIOS = {"precision": PRECISION, "recall": RECALL, "f1": F1}


def predictions(rng: np.random.Generator, count: int, n: int, share: float) -> tuple[Any, Any, Any]:
    """Draw a truth and two equal models that see other noise."""
    truth = rng.random((count, n)) < share
    signal = np.where(truth, 1.2, 0.0)
    common = rng.normal(size=(count, n))
    threshold = 0.6 - 0.4 * np.log(share / (1 - share)) / 1.2
    a, b = (signal + 0.7 * common + 0.7 * rng.normal(size=(count, n)) > threshold for _ in "ab")
    return truth, a, b


def score_t(table: tuple[Any, Any, Any], score: str) -> Any:
    truth, a, b = table
    d: Any = 0.0
    for sign, predicted in ((-1, a), (1, b)):
        outcomes = np.stack([truth & predicted, ~truth & predicted, truth & ~predicted], -1).astype(
            float
        )
        d = d + sign * RATIOS[score].values([outcomes])[0]
    return naive_t(d)


def score_worlds() -> Iterator[World]:
    for n in (100, 300, 1000):
        for share in (0.5, 0.1):
            tests = {f"{score} values, t": partial(score_t, score=score) for score in RATIOS}
            yield World(
                f"{n} examples, {share:.0%} positive", partial(predictions, n=n, share=share), tests
            )


# --- scores of which nothing is known -----------------------------------------------------------


def two_regressors(
    rng: np.random.Generator, count: int, n: int, df: float
) -> tuple[Floats, Floats]:
    """Absolute errors of two equal regressors that share some noise, Student's t with df."""
    common, a, b = rng.standard_t(df, size=(3, count, n))
    return np.abs(common + 0.7 * a), np.abs(common + 0.7 * b)


def resampled_t(table: tuple[Floats, Floats], score: Callable[[Floats], Any]) -> Any:
    """The t-test of values that stand for any score, as ``judge`` makes them."""

    def values(errors: Floats, seed: int) -> Floats:
        return bootstrap_values(lambda rows: float(score(errors[rows])), len(errors), seed=seed)

    pairs = [(a, b, crc32(a.tobytes())) for a, b in zip(*table, strict=True)]
    d = np.stack([values(b, seed) - values(a, seed) for a, b, seed in pairs])
    return naive_t(d)


ANY_SCORES: dict[str, Callable[[Floats], Any]] = {
    "median": np.median,
    ".9 quantile": partial(np.quantile, q=0.9),
    "root mean square": lambda e: np.sqrt(np.mean(e**2)),
}


def any_score_worlds() -> Iterator[World]:
    for n in (30, 50, 100, 300):
        for df, tails in ((1e9, "normal"), (3.0, "heavy tails")):
            tests = {name: partial(resampled_t, score=score) for name, score in ANY_SCORES.items()}
            yield World(f"{n} examples, {tails}", partial(two_regressors, n=n, df=df), tests)


# --- peeking ------------------------------------------------------------------------------------


def wins(rng: np.random.Generator, count: int, n: int, ties: float) -> Floats:
    """Draw −1, 0, 1 of two equal models."""
    return np.sign(rng.normal(size=(count, n))) * (rng.random((count, n)) > ties)


def peeked_t(d: Floats) -> Any:
    """The t-test after every example from the twentieth on."""
    n = np.arange(1, d.shape[-1] + 1)
    mean = np.cumsum(d, axis=-1) / n
    square = np.cumsum(d**2, axis=-1)
    variance = np.maximum(square - n * mean**2, 0)[:, 19:] / (n * (n - 1))[19:]
    reach = -special.stdtrit(n[19:] - 1.0, ALPHA2)
    beyond: NDArray[np.bool_] = np.abs(mean[:, 19:]) > reach * np.sqrt(variance) + 1e-12
    return np.asarray(beyond.any(axis=-1))


def bernstein(d: Floats) -> Any:
    reach = bernstein_reach(variance_process(d, 0.0), 2.0, ALPHA2)
    beyond: NDArray[np.bool_] = np.abs(np.cumsum(d, axis=-1)) >= reach
    return np.asarray(beyond.any(axis=-1))


def betting(d: Floats) -> Any:
    return np.maximum(*betting_evidence((d + 1) / 2, 0.5)) >= np.log(2 / LEVEL)


def peeking_worlds() -> Iterator[World]:
    for ties in (0.0, 0.8):
        tests = {"t, peeking": peeked_t, "anytime, drift": bernstein, "anytime, constant": betting}
        yield World(f"1000 examples, {ties:.0%} alike", partial(wins, n=1000, ties=ties), tests)


# --- cards --------------------------------------------------------------------------------------


class Population(NamedTuple):
    """One row of a card: a world, how many units it has, and how a shift is added to its tables."""

    name: str
    n: int
    draw: Callable[[np.random.Generator, int], Any]
    more: dict[str, Any]


def skewed(rng: np.random.Generator, count: int, n: int) -> Floats:
    return rng.exponential(size=(count, n)) - 1


def crossed_pair(rng: np.random.Generator, count: int, mix: Crossed, S: int) -> Any:
    return np.zeros((count, S, 200)), crossed(rng, count, mix, S)


def seeds_pair(rng: np.random.Generator, count: int, S: int) -> Any:
    return rng.normal(size=(2, count, S))


def _populations() -> dict[str, list[Population]]:
    models = [
        Population("wins, ties and losses", 200, partial(wins, n=200, ties=0.6), {}),
        Population("skewed differences", 200, partial(skewed, n=200), {}),
    ]
    clusters = [
        Population(
            f"{count} clusters, {kind}", count,
            partial(flips, codes=sizes_of(kind, count), share=0.78),
            {"clusters": sizes_of(kind, count)},
        )
        for count, kind in (
            (10, "a tenth has 55"), (20, "10 each"), (50, "10 each"), (50, "1 to 20"),
            (50, "a tenth has 55"),
        )
    ]  # fmt: skip
    runs = [
        Population(f"{S} runs, {name}", 200, partial(crossed_pair, mix=MIXES[name], S=S), {})
        for S, name in (
            (3, "runs matter"),
            (5, "runs matter"),
            (5, "runs do not matter"),
            (10, "only runs matter"),
        )
    ]
    long_run = [
        Population(
            "wins, ties and losses", 1000, partial(wins, n=1000, ties=0.8), {"low": -1, "high": 1}
        )
    ]
    return {
        "paired-t": models,
        **{
            f"clustered-{end}": clusters
            for end in ("t", "cr2-t", "fair-t", "bootstrap", "permutation")
        },
        "crossed-t": runs,
        "runs-t": [
            Population(f"{S} runs, normal", S, partial(seeds_pair, S=S), {}) for S in (3, 5, 10)
        ],
        "anytime": long_run,
    }


def _shifted(table: Any, by: float, *, bounded: bool, rng: np.random.Generator) -> Any:
    """The same with B better: added to all values, or by turning losses into wins."""
    if isinstance(table, tuple) or (
        isinstance(table, np.ndarray) and table.ndim == 3 and len(table) == 2
    ):
        return table[0], table[1] + by
    if not bounded:
        return table + by
    return np.where(
        (table < 0) & (rng.random(table.shape) < by / 2 / max((table < 0).mean(), 1e-9)), 1.0, table
    )


def _given(key: str, table: Any) -> tuple[Any, ...]:
    """Values of A and of B, or their differences."""
    return tuple(table) if key in ("crossed-t", "runs-t") else (table,)


def _measured(key: str, population: Population, replications: int) -> dict[str, Any]:
    method = ef.infer.methods()[key].function
    options = population.more | ({"draws": 999} if "draws" in signature(method).parameters else {})
    tallies: dict[str, list[Any]] = {"size": [], "power": [], "coverage": [], "length": []}
    difference = 0.0
    for batch in range(-(-replications // BATCH)):
        rng = stream(SEED, key, population.name, batch)
        table = population.draw(rng, BATCH)
        plain = method(*_given(key, table), **options)
        difference = difference or 2.8 * float(np.std(plain.value))
        moved = method(
            *_given(key, _shifted(table, difference, bounded=key == "anytime", rng=rng)), **options
        )
        low, high = plain.confidence_interval()
        tallies["size"].append(plain.pvalue < LEVEL)
        tallies["power"].append(moved.pvalue < LEVEL)
        tallies["coverage"].append((low <= 0) & (high >= 0))
        tallies["length"].append(high - low)
    rates = {
        name: float(np.mean(np.concatenate([np.atleast_1d(x) for x in xs])))
        for name, xs in tallies.items()
    }
    total = BATCH * -(-replications // BATCH)
    row: dict[str, Any] = {"population": population.name, "n": population.n, "replications": total}
    for name in ("size", "power", "coverage"):
        row[name] = round(rates[name], 6)
        row[f"{name}_se"] = round(float(np.sqrt(rates[name] * (1 - rates[name]) / total)), 6)
    return row | {
        "difference": round(difference, 6),
        "fits": 0.0,
        "applicable": 1.0,
        "length": round(rates["length"], 6),
    }


def cards(replications: int) -> None:
    """Measure every method for tables and write its card."""
    folder = Path(ef.__file__).parent / "infer" / "cards"
    for key, populations in _populations().items():
        file = folder / f"{key}.json"
        named = {population.name for population in populations}
        known = json.loads(file.read_text("utf-8"))["measured"] if file.exists() else []
        other = [row for row in known if row["population"] not in named]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HiddenVariance)
            rows = [_measured(key, population, replications) for population in populations]
        card = {"level": LEVEL, "seed": SEED, "measured": rows + other}
        file.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
        print(
            key,
            *(f"{row['population']}: {row['size']:.3f}/{row['power']:.2f}" for row in rows),
            sep="; ",
            flush=True,
        )


WORLDS = {
    "clusters": cluster_worlds,
    "runs": run_worlds,
    "scores": score_worlds,
    "any score": any_score_worlds,
    "peeking": peeking_worlds,
}


def main() -> None:
    replications = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    if sys.argv[2:3] == ["cards"]:
        cards(replications)
        return
    for title, worlds in WORLDS.items():
        print(f"\n## {title}, {replications} tables each\n")
        for world in worlds():
            text = "  ".join(
                f"{name} {rate:.3f} ± {error:.3f}"
                for name, rate, error in rates(world, replications)
            )
            print(f"{world.name:45} {text}", flush=True)


if __name__ == "__main__":
    main()

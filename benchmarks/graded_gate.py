"""
How often a gate passes what is worse by the whole margin: graded answers with rare large losses.

Scores lie in [0, 1]. The candidate loses on a share p of the examples (or clusters), by a magnitude with a
uniform or a Beta law; it gains on half as many in some worlds, and everything else is alike or has a small
noise. The margin is the expected loss exactly, so that "not worse" is wrong in every table: the share of
tables that pass at .05 is the error of the gate. Run it by itself, ``python -m benchmarks.graded_gate
[tables]``: 10 000 tables take some minutes. It keeps what it found in ``benchmarks/graded_gate.json``; the
table of docs/infer/tables.md is the largest error of each gate.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import evenfold as ef
from evenfold.core.errors import DegenerateData, HiddenVariance
from evenfold.core.estimate import StudentT
from evenfold.core.intervals import Bounds
from evenfold.core.rng import stream

Floats = NDArray[np.float64]
LEVEL, BATCH, SEED = 0.05, 500, 28
KEPT = Path(__file__).with_suffix(".json")

MAGNITUDES: dict[str, tuple[Callable[[np.random.Generator, int], Floats], float]] = {
    "all of it": (lambda _, k: np.ones(k), 1.0),
    "uniform": (lambda rng, k: rng.random(k), 1 / 2),
    "Beta(2, 5)": (lambda rng, k: rng.beta(2, 5, k), 2 / 7),
    "Beta(½, ½)": (lambda rng, k: rng.beta(0.5, 0.5, k), 1 / 2),
}


class World(NamedTuple):
    """How rarely what is lost, how many examples or clusters there are, and the small noise of the rest."""

    n: int
    p: float
    magnitude: str
    gains: float = 0.0
    noise: float = 0.0

    @property
    def margin(self) -> float:
        return self.p * (1 - self.gains) * MAGNITUDES[self.magnitude][1]

    def draw(self, rng: np.random.Generator, tables: int) -> Floats:
        """Differences B − A of the units, whose expectation is minus the margin."""
        u = rng.random((tables, self.n))
        lost = u < self.p
        won = ~lost & (u < self.p * (1 + self.gains))
        d = np.zeros(u.shape)
        draw = MAGNITUDES[self.magnitude][0]
        d[lost] = -draw(rng, int(lost.sum()))
        d[won] = draw(rng, int(won.sum()))
        alike = ~lost & ~won
        d[alike] = self.noise * rng.uniform(-1, 1, int(alike.sum()))
        return d


def worlds(sizes: tuple[int, ...]) -> Iterator[World]:
    for n, p, magnitude, gains in product(sizes, (0.01, 0.05, 0.2), MAGNITUDES, (0.0, 0.5)):
        yield World(n, p, magnitude, gains)


def t_passes(estimate: Any, margin: float, units: int) -> Any:
    """Whether the lower end of a pivot's interval, as ``judge`` prints it, is above minus the margin."""
    from dataclasses import replace

    within = replace(estimate, bounds=Bounds(low=-1.0, high=1.0, units=units))
    return within.confidence_interval(1 - 2 * LEVEL)[0] > -margin


# --- one value per example --------------------------------------------------------------------------------


def of_examples(world: World, rng: np.random.Generator, tables: int) -> dict[str, Any]:
    d = world.draw(rng, tables)
    bounded = ef.infer.bounded_mean(d, low=-1, high=1, null=-world.margin, alternative="greater")
    return {
        "paired-t": t_passes(ef.infer.paired_t(d), world.margin, world.n),
        "bounded-mean": bounded.pvalue < LEVEL,
    }


# --- clusters ---------------------------------------------------------------------------------------------


def of_clusters(world: World, rng: np.random.Generator, tables: int) -> dict[str, Any]:
    """Whole clusters are lost together, half of their examples by what the other half is spared."""
    sizes = np.where(np.arange(world.n) % 2, 5, 10)
    codes = np.repeat(np.arange(world.n), sizes)
    d = world.draw(rng, tables)[:, codes]
    found = {}
    for key in ("clustered-t", "clustered-fair-t"):
        e = ef.infer.methods()[key].function(d, codes)
        found[key] = t_passes(e, world.margin, world.n)
    e = ef.infer.clustered_bounded_mean(d, codes, low=-1, high=1, null=-world.margin, alternative="greater")
    return found | {"clustered-bounded-mean": e.pvalue < LEVEL}


# --- runs × examples --------------------------------------------------------------------------------------


def of_runs(world: World, rng: np.random.Generator, tables: int, S: int = 3) -> dict[str, Any]:
    """An example that is lost is lost in all runs, by as much or by half of it."""
    each = world.draw(rng, tables)[:, None, :]
    d = each * (1 + 0.5 * rng.choice([-1, 1], size=(tables, S, world.n)) * (np.abs(each) <= 2 / 3))
    a = np.where(d < 0, -d, 0.0)
    b = np.where(d > 0, d, 0.0)
    e = ef.infer.crossed_bounded_mean(a, b, low=0, high=1, null=-world.margin, alternative="greater")
    return {
        "crossed-t": t_passes(ef.infer.crossed_t(a, b), world.margin, world.n),
        "crossed-bounded-mean": crossed_passes(e, -world.margin),
    }


def crossed_passes(e: Any, null: float) -> Any:
    """Whether p is below the level, by one look at the examples: at what the runs leave of the way."""
    left = (e.value - null) ** 2 - e.runs[..., 0] * StudentT(e.dfs[0]).isf(LEVEL) ** 2
    mean = e.value - np.sqrt(np.maximum(left, 0.0))
    return (e.value > null) & (left > 0) & (e.of.share(mean, below=True) < LEVEL)


# --- folds ------------------------------------------------------------------------------------------------


def of_folds(world: World, rng: np.random.Generator, tables: int, K: int = 10) -> dict[str, Any]:
    """The means of ten folds of equal size; training sets add nothing."""
    d = world.draw(rng, tables).reshape(tables, K, -1)
    folds = d.mean(axis=-1)
    e = ef.infer.corrected_kfold_t(folds)
    b = ef.infer.bounded_kfold_t(
        folds, n_test=world.n // K, low=-1, high=1, null=-world.margin, alternative="greater"
    )
    return {
        "corrected-kfold-t": t_passes(e, world.margin, world.n),
        "bounded-kfold-t": b.pvalue < LEVEL,
    }


SIZES = (20, 50, 100, 200)
NOISY = [World(n, p, name, 0.0, 0.02) for n, p, name in product(SIZES, (0.01, 0.05), ("all of it",))]
STUDIES: dict[str, tuple[Callable[..., dict[str, Any]], list[World]]] = {
    "examples": (of_examples, [*worlds(SIZES), *NOISY]),
    "folds": (of_folds, list(worlds(SIZES))),
    "clusters": (of_clusters, list(worlds(SIZES[:3]))),
    "runs": (of_runs, list(worlds(SIZES[:3]))),
}


def measure(study: str, world: World, tables: int) -> dict[str, float]:
    """Return the share of tables that each gate passes."""
    passed: dict[str, int] = {}
    batches = -(-tables // BATCH)
    for batch in range(batches):
        rng = stream(SEED, study, *map(str, world), batch)
        for name, ok in STUDIES[study][0](world, rng, BATCH).items():
            passed[name] = passed.get(name, 0) + int(np.sum(ok))
    return {name: count / (batches * BATCH) for name, count in passed.items()}


def row_of(study: str, tables: int, world: World) -> dict[str, Any]:
    """One world and the error of every gate in it."""
    warnings.simplefilter("ignore", HiddenVariance)
    warnings.simplefilter("ignore", DegenerateData)
    found = measure(study, world, tables)
    return {**world._asdict(), **{name: round(rate, 5) for name, rate in found.items()}}


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    chosen = sys.argv[2:] or list(STUDIES)
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    for study in chosen:
        rows = [row_of(study, tables, world) for world in STUDIES[study][1]]
        names = [name for name in rows[0] if name not in World._fields]
        kept[study] = {"tables": tables, "worst": worst_of(rows, names)}
        for row in kept[study]["worst"]:
            print(study, json.dumps(row, ensure_ascii=False), flush=True)
        KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def worst_of(rows: list[dict[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    """For every number of units the largest error of each gate, and where it was found."""
    found = []
    for n, name in product(sorted({row["n"] for row in rows}), names):
        row = max((row for row in rows if row["n"] == n), key=lambda row: row[name])
        world = {field: row[field] for field in World._fields if field != "n"}
        found.append({"n": n, "gate": name, "error": row[name], **world})
    return found


if __name__ == "__main__":
    main()

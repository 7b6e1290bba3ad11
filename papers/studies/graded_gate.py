"""
How often a gate passes what is worse by the whole margin: graded answers with rare large losses.

Scores lie in [0, 1]. The candidate loses on a share p of the examples (or clusters), by a magnitude
with a uniform or a Beta law; it gains on half as many in some worlds, and everything else is alike
or has a small noise. The margin is the expected loss exactly, so that "not worse" is wrong in every
table: the share of tables that pass at .05 is the error of the gate. Run it by itself, ``python -m
papers.studies.graded_gate [tables] [cards]``: 10 000 tables take some minutes. It keeps what it
found in ``papers/studies/graded_gate.json``; the table of docs/infer/tables.md is the largest error
of each gate. With ``cards`` it writes the methods' cards.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import evenfold as ef
from evenfold.core.errors import DegenerateData, HiddenVariance
from evenfold.core.estimate import Bounds, t_quantile
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
    """How rarely what is lost, how many examples or clusters, and the small noise of the rest."""

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
    """Whether the lower end of a pivot's interval, as ``judge`` prints it, is above −margin."""
    from dataclasses import replace

    within = replace(estimate, bounds=Bounds(low=-1.0, high=1.0, units=units))
    return within.confidence_interval(1 - 2 * LEVEL)[0] > -margin


# --- one value per example ----------------------------------------------------------------------


def of_examples(world: World, rng: np.random.Generator, tables: int) -> dict[str, Any]:
    d = world.draw(rng, tables)
    bounded = ef.infer.bounded_mean(d, low=-1, high=1, null=-world.margin, alternative="greater")
    return {
        "paired-t": t_passes(ef.infer.paired_t(d), world.margin, world.n),
        "bounded-mean": bounded.pvalue < LEVEL,
    }


# --- clusters -----------------------------------------------------------------------------------


def of_clusters(world: World, rng: np.random.Generator, tables: int) -> dict[str, Any]:
    """Whole clusters are lost together, half of their examples by what the other half is spared."""
    sizes = np.where(np.arange(world.n) % 2, 5, 10)
    codes = np.repeat(np.arange(world.n), sizes)
    d = world.draw(rng, tables)[:, codes]
    passed = {}
    for key in ("clustered-t", "clustered-fair-t"):
        e = ef.infer.methods()[key].function(d, codes)
        passed[key] = t_passes(e, world.margin, world.n)
    e = ef.infer.clustered_bounded_mean(
        d, codes, low=-1, high=1, null=-world.margin, alternative="greater"
    )
    return passed | {"clustered-bounded-mean": e.pvalue < LEVEL}


# --- runs × examples ----------------------------------------------------------------------------


def of_runs(world: World, rng: np.random.Generator, tables: int, S: int = 3) -> dict[str, Any]:
    """An example that is lost is lost in all runs, by as much or by half of it."""
    each = world.draw(rng, tables)[:, None, :]
    d = each * (1 + 0.5 * rng.choice([-1, 1], size=(tables, S, world.n)) * (np.abs(each) <= 2 / 3))
    a = np.where(d < 0, -d, 0.0)
    b = np.where(d > 0, d, 0.0)
    e = ef.infer.crossed_bounded_mean(
        a, b, low=0, high=1, null=-world.margin, alternative="greater"
    )
    return {
        "crossed-t": t_passes(ef.infer.crossed_t(a, b), world.margin, world.n),
        "crossed-bounded-mean": crossed_passes(e, -world.margin),
    }


def crossed_passes(e: Any, null: float) -> Any:
    """
    Say whether p is below the level, by one test of the examples.

    Their null value is moved towards the estimate by what the variance of the runs takes.
    """
    left = (e.value - null) ** 2 - e.runs[..., 0] * t_quantile(e.dfs[0], LEVEL) ** 2
    mean = e.value - np.sqrt(np.maximum(left, 0.0))
    return (e.value > null) & (left > 0) & (e.of.share(mean, below=True) < LEVEL)


# --- folds --------------------------------------------------------------------------------------


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
NOISY = [
    World(n, p, name, 0.0, 0.02) for n, p, name in product(SIZES, (0.01, 0.05), ("all of it",))
]
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


# --- cards --------------------------------------------------------------------------------------

Ask = Callable[..., Any]  # an estimate, given the null


def asks(study: str, world: World, rng: np.random.Generator, tables: int) -> dict[str, Ask]:
    """The gates of one study on the same tables, as functions of what they are asked about."""
    d = world.draw(rng, tables)
    bounded: Ask
    if study == "clusters":
        codes = np.repeat(np.arange(world.n), np.where(np.arange(world.n) % 2, 5, 10))
        bounded = partial(ef.infer.clustered_bounded_mean, d[:, codes], codes, low=-1, high=1)
        keys = ("clustered-t", "clustered-fair-t")
        plain: dict[str, Ask] = {
            key: partial(ef.infer.methods()[key].function, d[:, codes], codes) for key in keys
        }
        return plain | {"clustered-bounded-mean": bounded}
    if study == "runs":
        runs = np.repeat(d[:, None, :], 3, axis=1) * (1 - 0.1 * rng.random((tables, 3, world.n)))
        a, b = np.where(runs < 0, -runs, 0.0), np.where(runs > 0, runs, 0.0)
        bounded = partial(ef.infer.crossed_bounded_mean, a, b, low=0, high=1)
        return {"crossed-t": partial(ef.infer.crossed_t, a, b), "crossed-bounded-mean": bounded}
    if study == "folds":
        folds = d.reshape(tables, 10, -1).mean(axis=-1)
        bounded = partial(ef.infer.bounded_kfold_t, folds, n_test=world.n // 10, low=-1, high=1)
        return {
            "corrected-kfold-t": partial(ef.infer.corrected_kfold_t, folds),
            "bounded-kfold-t": bounded,
        }
    bounded = partial(ef.infer.bounded_mean, d, low=-1, high=1)
    return {"paired-t": partial(ef.infer.paired_t, d), "bounded-mean": bounded}


CARDS = {
    "examples": [World(100, 0.05, "all of it"), World(100, 0.05, "Beta(½, ½)")],
    "clusters": [World(50, 0.05, "all of it"), World(50, 0.05, "Beta(½, ½)")],
    "folds": [World(100, 0.05, "all of it"), World(100, 0.05, "Beta(½, ½)")],
    "runs": [World(50, 0.05, "all of it"), World(50, 0.05, "Beta(½, ½)")],
}


def cards(tables: int) -> None:
    """Write into the card of every gate how it errs, and what it finds, where losses are rare."""
    for study, of_study in CARDS.items():
        by_key: dict[str, list[dict[str, Any]]] = {}
        for world in of_study:
            for key, row in carded(study, world, tables).items():
                by_key.setdefault(key, []).append(row)
        for key, rows in by_key.items():
            write_card(key, rows)


def carded(study: str, world: World, tables: int) -> dict[str, dict[str, Any]]:
    rates: dict[str, dict[str, list[Any]]] = {}
    difference = (
        2.8 * float(world.draw(stream(SEED, "spread"), 2000).std(axis=-1).mean()) / world.n**0.5
    )
    for batch in range(-(-tables // BATCH)):
        for key, ask in asks(
            study, world, stream(SEED, "card", study, *map(str, world), batch), BATCH
        ).items():
            of = rates.setdefault(key, {"size": [], "power": [], "coverage": [], "length": []})
            for name, null in (("size", -world.margin), ("power", -world.margin - difference)):
                of[name].append(ask(null=max(null, -1.0), alternative="greater").pvalue < LEVEL)
            of["coverage"].append(~of["size"][-1])
            if not batch:
                low, high = ask().confidence_interval()
                of["length"].append(high - low)
    name = f"gate, losses ({world.magnitude}) on {world.p:.0%}"
    return {key: card_row(name, world.n, of, difference) for key, of in rates.items()}


def card_row(name: str, n: int, tallies: dict[str, list[Any]], difference: float) -> dict[str, Any]:
    total = len(np.concatenate(tallies["size"]))
    row: dict[str, Any] = {"population": name, "n": n, "replications": total}
    for kind in ("size", "power", "coverage"):
        rate = float(np.mean(np.concatenate(tallies[kind])))
        row[kind] = round(rate, 6)
        # none of them is not never
        error = max(float(np.sqrt(rate * (1 - rate) / total)), 1 / total)
        row[f"{kind}_se"] = round(error, 6)
    length = round(float(np.mean(np.concatenate(tallies["length"]))), 6)
    return row | {
        "difference": round(difference, 6),
        "fits": 0.0,
        "applicable": 1.0,
        "length": length,
    }


def write_card(key: str, rows: list[dict[str, Any]]) -> None:
    file = Path(ef.__file__).parent / "infer" / "cards" / f"{key}.json"
    card: dict[str, Any] = (
        json.loads(file.read_text("utf-8"))
        if file.exists()
        else {"level": LEVEL, "seed": SEED, "measured": []}
    )
    named = {row["population"] for row in rows}
    card["measured"] = [row for row in card["measured"] if row["population"] not in named] + rows
    file.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(
        key,
        *(f"{row['population']}: {row['size']:.3f}/{row['power']:.2f}" for row in rows),
        sep="; ",
        flush=True,
    )


def other_cards(tables: int) -> None:
    """The tests of two test sets, and the gate that looks after every item."""
    two: dict[str, Ask] = {
        "welch-t": lambda rng: tuple(
            rng.normal(m, s, (BATCH, n)) for m, s, n in ((0, 1, 60), (0, 2, 40))
        ),
        "miettinen-nurminen": lambda rng: tuple(
            (rng.random((BATCH, n)) < 0.7) * 1.0 for n in (100, 80)
        ),
    }
    for key, draw in two.items():
        tallies: dict[str, list[Any]] = {"size": [], "power": [], "coverage": [], "length": []}
        method = ef.infer.methods()[key].function
        shift = 0.18 if key == "miettinen-nurminen" else 0.95
        for batch in range(-(-tables // BATCH)):
            a, b = draw(stream(SEED, key, batch))
            e = method(a, b)
            low, high = e.confidence_interval()
            tallies["size"].append(e.pvalue < LEVEL)
            tallies["power"].append(method(a, b, null=-shift).pvalue < LEVEL)
            tallies["coverage"].append((low <= 0) & (high >= 0))
            tallies["length"].append(high - low)
        name = (
            "right on 70 %, 100 and 80 examples"
            if shift < 0.5
            else "normal, 60 and 40 examples, sd 1 and 2"
        )
        write_card(key, [card_row(name, a.shape[1] + b.shape[1], tallies, shift)])
    tallies = {"size": [], "power": [], "coverage": [], "length": []}
    for batch in range(-(-tables // BATCH)):
        rng = stream(SEED, "item-gate", batch)
        worse, alike = (
            rng.choice([-1.0, 0.0, 1.0], p=p, size=(BATCH, 400))
            for p in ((0.05, 0.93, 0.02), (0.02, 0.96, 0.02))
        )
        gate = partial(ef.infer.item_gate, low=-1, high=1, null=-0.03, alternative="greater")
        tallies["size"].append(gate(worse).pvalue < LEVEL)
        tallies["power"].append(gate(alike).pvalue < LEVEL)
        tallies["coverage"].append(~tallies["size"][-1])
        if not batch:
            low, high = ef.infer.item_gate(alike[:50], low=-1, high=1).confidence_interval()
            tallies["length"].append(high - low)
    write_card("item-gate", [card_row("gate after 400 items, margin .03", 400, tallies, 0.03)])


def row_of(study: str, tables: int, world: World) -> dict[str, Any]:
    """One world and the error of every gate in it."""
    warnings.simplefilter("ignore", HiddenVariance)
    warnings.simplefilter("ignore", DegenerateData)
    rates = measure(study, world, tables)
    return {**world._asdict(), **{name: round(rate, 5) for name, rate in rates.items()}}


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    if sys.argv[2:] == ["cards"]:
        warnings.simplefilter("ignore", HiddenVariance)
        warnings.simplefilter("ignore", DegenerateData)
        cards(tables)
        other_cards(tables)
        return
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
    worst = []
    for n, name in product(sorted({row["n"] for row in rows}), names):
        row = max((row for row in rows if row["n"] == n), key=lambda row: row[name])
        world = {field: row[field] for field in World._fields if field != "n"}
        worst.append({"n": n, "gate": name, "error": row[name], **world})
    return worst


if __name__ == "__main__":
    main()

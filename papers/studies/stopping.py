"""
When may a run of halvings stop, and how large must its standard error be? The draws.

    python -m papers.studies.stopping TABLES OUT [--device cuda] [--workers 6] [--seconds 480]
        [--blocks 3] [--start 0] [--only SET/NAME ...]

TABLES is a folder with ``adult.npz``, ``defects.npz`` and ``text.npz`` (``papers.bench.prepare``)
and a folder ``sharp`` with ``data.npz`` (``papers.sharp.prepare``). OUT receives ``part-K.npz`` and
``log.json``. ``papers.studies.stopping_judged`` reads them.

Every data set is cut twice, by two independent designs of 31 halvings, and every pair of learners
is fitted on both. What is kept of a pair, a data set, a cut and a look (3, 5, 7, 9, 15, 23 or 31
halvings; 27 at n = 30) is not the losses but the few numbers that any rule for stopping and any
factor of the standard error can be judged by afterwards: the mean, V and its degrees of freedom, R
and W, whether few examples differ, and what the verdict hangs on where a few outweigh all others.

The populations are those of the benchmark ("bench"), and the validation ("judge") and test ("exam")
populations of ``papers/sharp``; these two need PyTorch. A unit of work is a block of data sets of
one population and size. Units are ordered by block, so that a run that ends early has as many data
sets of every population, and ``--start`` continues where the log of an earlier run says it ended.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

import evenfold as ef
from evenfold.core.rng import stream
from evenfold_lab import bench
from evenfold_lab.arrays import Array, Place, namespace, to_numpy
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.material import (
    MEASURES_OF_CLASSES,
    MEASURES_OF_NUMBERS,
    Chunk,
    losses,
    measures_of,
)
from evenfold_lab.bench.populations import POPULATIONS
from evenfold_lab.bench.runner import LARGE_MEASURES, LARGE_PAIRS, LARGE_POPULATIONS
from papers.sharp.reference import LARGEST, Parts

LOOKS = (3, 5, 7, 9, 15, 23, 31)
EARLY = 3  # looks at which the test with shares could end as futile
LAST_OF_SHARES = 9
SEED = 48
SETS = 100  # data sets of a block
LARGE_SETS = 50  # where n is above a thousand
AT_ONCE = 50  # data sets that are fitted together where n is large, for want of memory
AT_ONCE_FROM = 1000
SIZES = (100, 500, 1000)
LARGE_SIZES = (5000, 10_000)
PER_EXAMPLE = tuple(m for m in (*MEASURES_OF_CLASSES, *MEASURES_OF_NUMBERS) if m != "auc")
LEAST = 4.0  # df below which Satterthwaite's approximation is not believed
EFFECTIVE = 20  # df of T below which a few examples may outweigh all others
LEVEL = 0.05
FUTILITY, BLURRED = 2.0, 2.0  # as the test with shares has them
QUANTILE = float(special.ndtri(1 - LEVEL / 2))
FINE = 400.0  # steps of a logarithm in the files: a quarter of a percent of V
NOTHING = np.iinfo(np.int16).min  # stands for the logarithm of 0
PART_BYTES = 12_500_000  # of a file before it is compressed, which saves a quarter
PARTS = 6  # full files, after which nothing further is begun

Floats = np.ndarray[Any, np.dtype[np.float64]]
Booleans = np.ndarray[Any, np.dtype[np.bool_]]
Arrays = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A block of data sets of one population and size."""

    group: str
    name: str
    n: int
    block: int
    sets: int

    @property
    def key(self) -> str:
        """Its name in the files."""
        return f"{self.group}/{self.name}/{self.n}/{self.block}"


# What is kept ------------------------------------------------------------------------------------


def looks_of(n: int) -> tuple[int, ...]:
    """The looks that n examples allow; where there are not enough for 31 the last comes sooner."""
    most = min(LOOKS[-1], 4 * (n // 4) - 1)
    return (*(m for m in LOOKS[:-1] if m < most), most)


def sides_of(n: int, seed: int) -> Booleans:
    """Which examples the first half of each halving tests: (31, n), or fewer rows for small n."""
    most = looks_of(n)[-1]
    partition = ef.Mx2BCV(most, random_state=seed).partition(n)
    sides = np.zeros((most, n), dtype=bool)
    for r in range(most):
        sides[r, partition.test[2 * r]] = True
    return sides


def statistics(e: Array, sides: Array, looks: Sequence[int]) -> list[Parts]:
    """Parts of the variance after each look, of losses (R, M, n), on whatever device they are."""
    xp = namespace(e)
    e = xp.astype(e, xp.float64)
    first = xp.astype(sides, xp.float64)
    up = first / xp.sum(first, axis=1, keepdims=True)
    down = (1 - first) / xp.sum(1 - first, axis=1, keepdims=True)
    contrasts = xp.matmul(e, xp.matrix_transpose((up - down) / 2))
    of_repetition = xp.sum(e * ((up + down) / 2), axis=-1)
    return [_parts(e[:, :m, :], of_repetition[:, :m], contrasts[:, :m, :m]) for m in looks]


def _parts(e: Array, of_repetition: Array, contrasts: Array) -> Parts:
    xp = namespace(e)
    m, n = e.shape[1:]
    diagonal = xp.linalg.diagonal(contrasts)
    others = (xp.sum(contrasts, axis=1) - diagonal) / (m - 1)
    bar = xp.mean(e, axis=1)
    away = bar - xp.mean(bar, axis=-1, keepdims=True)
    s2 = xp.sum(away**2, axis=-1) / (n - 1)
    fourth = xp.mean(away**4, axis=-1) / xp.where(s2 > 0, s2, xp.ones_like(s2)) ** 2
    order = xp.argsort(xp.abs(away), axis=-1)[:, : max(n - LARGEST, 1)]
    R = xp.var(of_repetition, axis=-1, correction=1)
    fields = {
        "mean": xp.mean(of_repetition, axis=-1),
        "T": s2 / n,
        "f": 1 / xp.clip((fourth - 1) / (2 * n), min=1 / (n - 1)),
        "R": R,
        "W": xp.mean(xp.var(e, axis=1, correction=1), axis=-1) / n,
        "U": xp.mean((2 * others - diagonal) ** 2, axis=-1),
        "Q": xp.mean((diagonal - others) ** 2, axis=-1),
        "differ": xp.sum(xp.astype(xp.abs(bar) > 1e-12, xp.float64), axis=-1),
        "halves": (m - 1) / m * R + xp.mean(diagonal**2, axis=-1),
        "trimmed": xp.mean(xp.take_along_axis(bar, order, axis=-1), axis=-1),
    }
    return Parts(m=m, **{key: to_numpy(value) for key, value in fields.items()})


def packed(looks: Sequence[Parts]) -> Arrays:
    """
    The numbers of one pair and cut in few bytes, looks first.

    Means are kept as differences from the last, in its standard errors; R and W as shares of V;
    what lies beyond the ten largest examples only where the tails are so heavy that it counts; and
    the degrees of freedom that the test with shares had only where they were others.
    """
    tested = [look.tested() for look in looks]
    V = np.stack([v for v, _, _ in tested])
    before = np.stack([of for _, of, _ in tested])
    df = np.stack([degrees_of_freedom(look, of) for look, of in zip(looks, before, strict=True)])
    of_shares = sum(look.m <= LAST_OF_SHARES for look in looks)
    error = np.sqrt(V)
    scale = np.where(error > 0, error, 1.0)
    mean = np.stack([look.mean for look in looks])
    beyond = np.stack(
        [(look.trimmed - look.mean) / s for look, s in zip(looks, scale, strict=True)]
    )
    heavy = np.stack([~look.few & (look.f < EFFECTIVE) for look in looks])
    shares = {
        name: np.stack([getattr(look, name) for look in looks]) / scale**2 for name in ("R", "W")
    }
    return {
        "mean": mean[-1].astype(np.float32),
        "shift": _half((mean[:-1] - mean[-1]) / scale[-1]),
        "variance": _logarithm(V),
        "df": _half(df),
        "before": _half(np.where(before == df, np.nan, before)[:of_shares]),
        "R": _half(shares["R"]),
        "W": _half(shares["W"]),
        "beyond": _half(np.where(heavy, beyond, np.nan)),
        "few": np.stack([look.few for look in looks]),
        "whole": np.stack([look.shifts > look.W for look in looks[:EARLY]]),
        "futile": _half(np.stack([_futile(look) for look in looks[:EARLY]]) / scale[:EARLY]),
    }


def degrees_of_freedom(parts: Parts, before: Floats) -> Floats:
    """
    Degrees of freedom of the test today, from those that ``papers/sharp`` had.

    They are never below four (or m), and k examples that differ, fewer than ten, have k + 1.
    """
    of_few = np.minimum(parts.differ + 1, 2 * parts.m - 1)
    df: Floats = np.where(parts.few, of_few, np.maximum(before, min(LEAST, parts.m)))
    return df


def _futile(parts: Parts) -> Floats:
    """How near to the null the mean must be for the test with shares to give up; below 0: never."""
    left = 1 / parts.m - 1 / LAST_OF_SHARES
    V, df, _ = parts.tested()
    least = np.sqrt(np.maximum(parts.T - parts.W * left, 0))
    reach = special.stdtrit(df, 1 - LEVEL / 2) * np.sqrt(V)
    clear = reach <= BLURRED * QUANTILE * np.sqrt(parts.T)
    bound: Floats = QUANTILE * least - FUTILITY * np.sqrt(parts.pooled * left)
    return np.where(clear, bound, -1.0)


def _half(x: Floats) -> Any:
    return np.clip(x, -60_000, 60_000).astype(np.float16)


def _logarithm(V: Floats) -> Any:
    steps = np.round(FINE * np.log(np.where(V > 0, V, 1.0)))
    return np.where(V > 0, np.clip(steps, NOTHING + 1, -NOTHING - 1), NOTHING).astype(np.int16)


# Draws -------------------------------------------------------------------------------------------


def two_cuts(n: int, rng: np.random.Generator) -> kinds.Family:
    """Two independent designs of 31 halvings, one after the other."""
    both = np.concatenate([sides_of(n, int(rng.integers(2**31))) for _ in range(2)])
    return kinds.family("halvings", np.stack([both, ~both], axis=1).reshape(-1, n))


def of_bench(unit: Unit, place: Place) -> Iterator[tuple[str, list[Arrays]]]:
    """Every pair and measure of a population of the benchmark, with what is kept of both cuts."""
    size = unit.sets if unit.n < AT_ONCE_FROM else min(AT_ONCE, unit.sets)
    pieces = [
        dict(
            _bench_piece(unit, unit.block * unit.sets + start, min(size, unit.sets - start), place)
        )
        for start in range(0, unit.sets, size)
    ]
    for key in pieces[0]:
        if all(piece[key] for piece in pieces):
            cuts = zip(*(piece[key] for piece in pieces), strict=True)
            yield key, [_joined(parts) for parts in cuts]


def _joined(parts: Sequence[Arrays]) -> Arrays:
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}


def _bench_piece(
    unit: Unit, number: int, sets: int, place: Place
) -> Iterator[tuple[str, list[Arrays]]]:
    """As many data sets as are fitted together, cut alike."""
    population = POPULATIONS[unit.name]
    large = unit.n > SIZES[-1]
    pairs = [pair for pair in population.pairs if not large or pair in LARGE_PAIRS]
    chunk = Chunk(
        population,
        unit.n,
        number,
        wanted=["halvings"],
        subjects=pairs,
        measures=LARGE_MEASURES if large else PER_EXAMPLE,
        sets=sets,
        fresh=2,
        seed=SEED,
        place=place,
        makers={"halvings": two_cuts},
    )
    sides = place.put(chunk.families["halvings"].tests[::2] > 0)
    tested: dict[tuple[str, str], Array] = {}
    for key, learner in chunk.learners.items():
        for measure in measures_of(learner, population.classes):
            if measure in chunk.wanted and measure in PER_EXAMPLE:
                tested[key, measure] = _tested(chunk, key, measure)
    for first, second in pairs:
        for measure in PER_EXAMPLE:
            if (first, measure) in tested and (second, measure) in tested:
                d = tested[second, measure] - tested[first, measure]
                yield f"{first}/{second}/{measure}", _both_cuts(d, sides, looks_of(unit.n))


def _tested(chunk: Chunk, key: str, measure: str) -> Array:
    """Losses (R, 62, n): every example once in every halving."""
    n = chunk.n
    loss = losses(measure, chunk.scores[key]["halvings"], chunk.y[:, :n])
    xp = namespace(loss)
    R, S, _ = loss.shape
    return xp.sum(xp.reshape(loss * chunk.tests["halvings"], (R, S // 2, 2, n)), axis=2)


def _both_cuts(d: Array, sides: Array, looks: Sequence[int]) -> list[Arrays]:
    """What is kept of each of the two cuts; none where a loss is no number."""
    xp = namespace(d)
    if not bool(xp.all(xp.isfinite(d))):
        return []
    half = d.shape[1] // 2
    cuts = ((d[:, :half, :], sides[:half, :]), (d[:, half:, :], sides[half:, :]))
    return [packed(statistics(e, s, looks)) for e, s in cuts]


def of_sharp(unit: Unit, tables: Path, device: str) -> Iterator[tuple[str, list[Arrays]]]:
    """Every pair of a population of ``papers/sharp``, with what is kept of both cuts."""
    import torch

    from papers.sharp import lab

    case = _sharp_cases(tables)[unit.name]
    rng = stream(SEED, "stopping", unit.name, unit.block)
    generator = torch.Generator(device=device).manual_seed(int(rng.integers(2**62)))
    X, y = case.draw(generator, unit.sets, case.n)
    kept: list[dict[str, Arrays]] = []
    for cut in (0, 1):
        sides = sides_of(case.n, int(rng.integers(2**31)))
        splits = lab.Splits(case, {f"sides-{case.n}": sides}, device, len(sides))
        here = (X, y)
        if case.stratified:
            here = lab.stratify(X, y, splits.slots, generator)
        # Bagged trees and the learner that fails draw alike at every call: the second cut sees
        # the data sets in the opposite order, so that no data set has the same luck twice.
        features, target = (torch.flip(values, [0]) if cut else values for values in here)
        e = {}
        for name, fit in case.fits().items():
            losses = lab.losses(case, features, target, fit, *splits.halves)
            losses = lab.in_order(losses, splits.halves[1], case.n)
            e[name] = torch.flip(losses, [0]) if cut else losses
        kept.append(
            {
                f"{a}/{b}/{case.loss}": packed(
                    statistics(e[b] - e[a], splits.sides, looks_of(case.n))
                )
                for a, b in case.pairs()
            }
        )
    for key in kept[0]:
        yield key, [of_cut[key] for of_cut in kept]


@cache
def _sharp_cases(tables: Path) -> Mapping[str, Any]:
    from papers.sharp.populations import cases

    with np.load(tables / "sharp" / "data.npz") as file:
        data = {key: file[key] for key in file.files}
    return {case.name: case for case in cases(data)}


def draw(unit: Unit, tables: Path, device: str) -> Arrays:
    """What is kept of a unit: names of pairs, looks, and arrays (pairs, 2 cuts, …, data sets)."""
    if unit.group == "bench":
        pairs = of_bench(unit, _place(tables, device))
    else:
        pairs = of_sharp(unit, tables, device)
    rows = {key: cuts for key, cuts in pairs if cuts}
    if device != "cpu":
        _free_memory()
    arrays: Arrays = {"rows": np.array(list(rows)), "looks": np.array(looks_of(unit.n))}
    for name in next(iter(rows.values()))[0]:
        arrays[name] = np.stack([[cut[name] for cut in cuts] for cuts in rows.values()])
    return {f"{unit.key}|{name}": value for name, value in arrays.items()}


def _free_memory() -> None:
    """Give what the last unit held back to the other processes on the same GPU."""
    import torch

    torch.cuda.empty_cache()


@cache
def _place(tables: Path, device: str) -> Place:
    for population in bench.tables(tables):
        bench.add_population(population)
    if device == "cpu":
        return Place.of(None)
    return Place.of(device)


# A run -------------------------------------------------------------------------------------------

# judge and exam of papers/sharp by name and size, without groups, of which no loss is one example's
SHARP = {
    "judge": (
        "rare12-200", "pages-200", "defects-200", "xor-400", "pima-200", "waves-200", "soft-400",
        "lasso-100", "cubic-100", "outliers-100", "correlated-30", "gauss8-100", "rare3-200",
        "heavy-200", "wine-100", "letters-400", "sparse-50", "xor-1000", "correlated-1000",
        "gauss8-5000",
    ),
    "exam": (
        "rings-200", "laplace-500", "gauss20-60", "rare5-300", "quadratic-30", "rings-100",
        "xor2-150", "xor6-500", "spam-200", "vehicle-200", "yeast-300", "adult-200", "pc1-200",
        "digits-100", "friedman-150", "sparse-60", "mild-200", "soft-100", "rings-2000",
    ),
}  # fmt: skip
TABLES = ("adult", "defects", "text")


def units(blocks: int, sets: int | None = None) -> list[Unit]:
    """All units, block after block."""
    cells = [("bench", name, n) for n in SIZES for name in (*POPULATIONS, *TABLES)]
    cells += [("bench", name, n) for n in LARGE_SIZES for name in LARGE_POPULATIONS]
    cells += [(group, name, int(name.split("-")[1])) for group in SHARP for name in SHARP[group]]
    cells = list(dict.fromkeys(cells))
    return [
        Unit(group=group, name=name, n=n, block=block,
             sets=sets or (LARGE_SETS if n > SIZES[-1] else SETS))
        for block in range(blocks)
        for group, name, n in cells
    ]  # fmt: skip


class Shelf:
    """Files of arrays, none too large; the last one is written again as it grows."""

    def __init__(self, out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.part = 0
        self.waiting: Arrays = {}
        self.log: list[Arrays] = []

    @property
    def full(self) -> bool:
        """Whether nothing further may be begun; what is being drawn goes into one more file."""
        return self.part >= PARTS

    def put(self, arrays: Arrays, entry: Arrays) -> None:
        """Keep the arrays of a unit."""
        self.log.append(entry)
        size = sum(value.nbytes for value in (*self.waiting.values(), *arrays.values()))
        if self.waiting and size > PART_BYTES:
            self.save()
            self.part += 1
            self.waiting = {}
        self.waiting |= arrays

    def save(self) -> None:
        """Write the last file and the log."""
        path = self.out / f"part-{self.part}.npz"
        np.savez_compressed(path, allow_pickle=False, **self.waiting)
        (self.out / "log.json").write_text(json.dumps(self.log, indent=0) + "\n", "utf-8")


def run(todo: Sequence[Unit], tables: Path, out: Path, options: argparse.Namespace) -> None:
    """Draw units in several processes until the time is over, and keep what was drawn."""
    begun = saved = time.time()
    shelf = Shelf(out)
    left = iter(todo)
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        running: dict[Future[Arrays], tuple[Unit, float]] = {}
        while True:
            while len(running) < options.workers and not shelf.full:
                unit = next(left, None) if time.time() - begun < options.seconds else None
                if unit is None:
                    break
                running[pool.submit(draw, unit, tables, options.device)] = unit, time.time()
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                unit, since = running.pop(future)
                _keep(shelf, unit, future, since)
            if time.time() - saved > 45:
                shelf.save()
                saved = time.time()
    shelf.save()
    done = {entry["unit"] for entry in shelf.log}
    print("next: --start", options.start + sum(unit.key in done for unit in todo), flush=True)
    if any("error" in entry for entry in shelf.log):
        raise SystemExit("some units failed: the log says which")


def _keep(shelf: Shelf, unit: Unit, future: "Future[Arrays]", since: float) -> None:
    entry: Arrays = {"unit": unit.key, **asdict(unit), "seconds": round(time.time() - since, 1)}
    try:
        shelf.put(future.result(), entry)
    except Exception as error:  # the other populations are still worth their time
        shelf.log.append({**entry, "error": repr(error)[:500]})
    last = shelf.log[-1]
    print(last["unit"], last["seconds"], last.get("error", ""), flush=True)


def main() -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--sets", type=int, help="of a block; for trials")
    parser.add_argument("--only", nargs="*", default=[], metavar="SET/NAME/N")
    options = parser.parse_args()
    every = units(options.blocks, options.sets)[options.start :]
    todo = [
        unit for unit in every if not options.only or unit.key.rpartition("/")[0] in options.only
    ]
    run(todo, options.tables, options.out, options)


if __name__ == "__main__":
    main()

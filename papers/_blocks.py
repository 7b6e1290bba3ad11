"""Hold-out values of blocked 3×2 cross-validation whose four blocks are balanced by class."""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenfold.core.rng import stream
from evenfold_lab.algorithm import Algorithm, Floats
from evenfold_lab.arrays import Place
from evenfold_lab.masks import Splits
from evenfold_lab.populations._base import Population
from evenfold_lab.world import score

PART = 5000  # data sets that share a generator and a file
_AT_ONCE = {True: 2_000_000, False: 60_000_000}  # examples times splits: on the host, on a device


def balanced_order(y: Floats, rng: np.random.Generator) -> NDArray[np.intp]:
    """
    An order of the examples of each data set (R, n) whose four quarters are balanced by class.

    The examples are sorted by class and dealt to the blocks in runs of four, each in a random
    order, so that the counts of a class differ by at most 1 between blocks. Where 4 does not divide
    n, the first n mod 4 examples, which are as random as any, stay where they are: at the end.
    """
    R, n = y.shape
    extra = n % 4
    by_class = np.argsort(y[:, extra:], axis=1, kind="stable") + extra
    runs = rng.permuted(by_class.reshape(R, -1, 4), axis=2)
    blocks = runs.transpose(0, 2, 1).reshape(R, -1)
    last = np.broadcast_to(np.arange(extra), (R, extra))
    return np.concatenate([blocks, last], axis=1)


def shared_splits(n: int) -> Splits:
    """The three two-fold splits of four quarters; examples that are left over go to the first."""
    block = np.concatenate([np.repeat(np.arange(4), n // 4), np.arange(n % 4)])
    trains = []
    for other in (1, 2, 3):
        first = np.isin(block, (0, other))
        trains += [first, ~first]
    stacked = np.stack(trains)
    return Splits(trains=stacked, tests=~stacked)


def holdout_values(
    population: Population,
    algorithm: Algorithm,
    n: int,
    replications: int,
    *,
    seed: int,
    store: str | Path | None = None,
    device: str | None = None,
) -> Floats:
    """
    Hold-out values (data sets, 3, 2); parts that a stopped run left in ``store`` are read.

    Examples are exchangeable within a class, so the data sets are put into a balanced order and
    all cut alike, which is what makes 100 000 of them cheap.
    """
    parts = -(-replications // PART)
    pieces = [
        _kept_part(population, algorithm, n, part, seed, store, device) for part in range(parts)
    ]
    values: Floats = np.concatenate(pieces)[:replications].reshape(replications, 3, 2)
    return values


def _kept_part(
    population: Population,
    algorithm: Algorithm,
    n: int,
    part: int,
    seed: int,
    store: str | Path | None,
    device: str | None,
) -> Floats:
    if store is None:
        return _draw_part(population, algorithm, n, part, seed, device)
    name = f"{type(population).__name__} {algorithm!r} {n} {seed} {part}"
    file = Path(store) / f"{re.sub('[^A-Za-z0-9.]+', '-', name)}.npy"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, _draw_part(population, algorithm, n, part, seed, device))
    values: Floats = np.load(file)
    return values


def _draw_part(
    population: Population, algorithm: Algorithm, n: int, part: int, seed: int, device: str | None
) -> Floats:
    place = Place.of(device)
    step = max(1, _AT_ONCE[place.is_host] // (6 * n))
    splits = shared_splits(n).on(place)
    rng = stream(seed, "balanced blocks", n, part)
    values = []
    for start in range(0, PART, step):
        sample = population.at(n).draw(n, min(step, PART - start), rng)
        order = balanced_order(sample.y, rng)
        X = place.put(np.take_along_axis(sample.X, order[..., None], axis=1))
        y = place.put(np.take_along_axis(sample.y, order, axis=1))
        scored = score("zero-one", y, algorithm.predict(X, y, splits), splits, examples=False)
        values.append(scored["values"])
    return np.concatenate(values)

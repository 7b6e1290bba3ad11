"""One world of a study, whose data sets are drawn, cut, fitted and scored a few at a time."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.choose import cut
from evenfold.core.checks import integer, one_of
from evenfold.core.losses import Quantity, Ratio
from evenfold.core.partition import Partition
from evenfold.core.rng import stream
from evenfold.design import Design
from evenfold.run.measures import MEASURES
from evenfold_lab.algorithm import Algorithm, Floats
from evenfold_lab.arrays import Array, Place, namespace, to_numpy
from evenfold_lab.cuts import CHUNK, Cuts, can_share, is_drawn_anew, looks
from evenfold_lab.masks import Splits
from evenfold_lab.populations._base import Population, Sample
from evenfold_lab.populations.resampled import Resampled

_AT_ONCE = 2**24  # predictions in memory at a time
_ON_DEVICE = 2**27  # predictions in a GPU's memory at a time
HERE = Place.of(None)

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class DrawnData:
    """Data sets X (R, n, p) and y (R, n) where they are fitted; on the host also as drawn."""

    X: Array
    y: Array
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class World:
    """
    A population, the algorithms that learn from it, and the size of its data sets.

    Attributes
    ----------
    population : Population
        Where data sets come from.
    algorithms : tuple of Algorithm
        The baseline A first.
    measure : str
        One that passes :func:`require_studied`; the positive class is 1.
    n : int
        Examples per data set.
    seed : int
        Seed of everything random, data sets and partitions alike.
    recut : int
        Another number cuts the same data sets differently.
    """

    population: Population
    algorithms: tuple[Algorithm, ...]
    measure: str
    n: int
    seed: int
    recut: int = 0

    def __post_init__(self) -> None:
        require_studied(self.measure)
        integer("n", self.n, low=8)

    @property
    def quantity(self) -> Quantity:
        """The quantity that the measure estimates."""
        return MEASURES[self.measure].quantity

    def sample(self, chunk: int) -> Sample:
        """Draw the data sets of a chunk."""
        return self.population.draw(self.n, CHUNK, stream(self.seed, "sample", chunk))

    def data(self, chunks: Sequence[int], place: Place = HERE) -> "DrawnData":
        """Draw the data sets of some chunks, many by several threads, and bring them to a place."""
        if place.is_host or not isinstance(self.population, Resampled):
            samples = _map_chunks(self.sample, chunks)
            X, y = (
                np.concatenate(parts) for parts in zip(*((s.X, s.y) for s in samples), strict=True)
            )
            return DrawnData(X=place.put(X), y=place.put(y), samples=tuple(samples))
        # A row number takes a few bytes and its features hundreds, so the device looks them up.
        rows = np.concatenate(_map_chunks(self._rows, chunks))
        table = Sample(place.put(self.population.X), place.put(self.population.y))
        flat = place.put(rows.reshape(-1))
        xp = place.xp
        X = xp.reshape(xp.take(table.X, flat, axis=0), (*rows.shape, -1))
        return DrawnData(X=X, y=xp.reshape(xp.take(table.y, flat), rows.shape))

    def _rows(self, chunk: int) -> NDArray[np.int64]:
        population: Any = self.population
        rows: NDArray[np.int64] = population.draw_rows(
            self.n, CHUNK, stream(self.seed, "sample", chunk)
        )
        return rows

    def chunks_at_once(self, design: Design) -> int:
        """Return how many chunks fill a GPU."""
        splits = len(self.partition(design))
        p = int(self.sample(0).X.shape[-1])
        return max(1, _ON_DEVICE // (CHUNK * self.n * max(splits, 4 * p)))

    def partitions(self, design: Design, sample: Sample, chunk: int) -> list[Partition]:
        """
        Cut the data sets of a chunk: each by itself, or all alike if that makes no difference.

        The examples of a data set are exchangeable. A partition whose overlaps are designed may
        therefore be the same for all; one whose overlaps are random, or that uses labels or groups,
        must be drawn anew.
        """
        if not self._is_cut_apart(design, sample):
            return [self._cut(design, sample, 0, "all")]
        return [self._cut(design, sample, r, chunk, r) for r in range(CHUNK)]

    @staticmethod
    def _is_cut_apart(design: Design, sample: Sample) -> bool:
        """Say whether every data set is cut by itself."""
        return is_drawn_anew(design) or (sample.groups is not None and design.uses_groups_now)

    def partition(self, design: Design) -> Partition:
        """Return the first partition, whose sizes are those of all others."""
        sample = self.sample(0)
        address = (0, 0) if self._is_cut_apart(design, sample) else ("all",)
        return self._cut(design, sample, 0, *address)

    def _cut(self, design: Design, sample: Sample, r: int, *address: int | str) -> Partition:
        seeded = self._cuts(design).seeded(*address)
        groups = sample.groups if design.uses_groups_now else None
        return cut(seeded, self.n, y=sample.y[r], groups=None if groups is None else groups[r])

    def _cuts(self, design: Design) -> Cuts:
        return Cuts(design=design, n=self.n, seed=self.seed, recut=self.recut)

    def splits(
        self, design: Design, chunks: Sequence[int], samples: Sequence[Sample] = (), jobs: int = 1
    ) -> Splits:
        """
        Return the training and test sets of some chunks.

        If every data set has its own cuts, ``jobs`` processes make them.
        """
        if can_share(design):
            return self._cuts(design).splits(chunks, jobs)
        if not samples:
            samples = [self.sample(c) for c in (chunks if looks(design) else chunks[:1])]
        cuts = [self.partitions(design, s, c) for s, c in zip(samples, chunks, strict=False)]
        if len(cuts[0]) == 1:
            return Splits.of(cuts[0])
        return Splits.of([partition for partitions in cuts for partition in partitions])

    def holdouts(
        self,
        design: Design,
        chunks: Sequence[int],
        *,
        examples: bool,
        place: Place = HERE,
        jobs: int = 1,
        data: "DrawnData | None" = None,
    ) -> Arrays:
        """
        Return the hold-out values of some chunks, whose ``data`` may have been drawn already.

        The arrays are ``values`` (algorithms, data sets, splits); ``counts`` with a last axis TP,
        FP, FN for scores; and with ``examples`` the losses of all test examples, split after split,
        or of scores the ``outcomes``, again with a last axis TP, FP, FN.
        """
        if data is None:
            data = self.data(chunks, place)
        splits = self.splits(design, chunks, data.samples, jobs)
        most = _AT_ONCE if place.is_host else _ON_DEVICE
        scores = [
            self._score(data.X[part, ...], data.y[part, ...], some, examples)
            for part, some in _parts(splits, data.y.shape[0], most, place)
        ]
        return {key: np.concatenate([s[key] for s in scores], axis=1) for key in scores[0]}

    def reruns(
        self,
        design: Design,
        chunks: Sequence[int],
        count: int,
        *,
        place: Place = HERE,
        jobs: int = 1,
    ) -> Arrays:
        """
        Repeat a whole design on each data set with ``count`` other partitions (NB section 4, 5).

        Returns ``reruns`` (algorithms, data sets, count): the mean over the splits of each rerun.
        """
        again = [replace(self, recut=1000 * (1 + self.recut) + b) for b in range(count)]
        holdouts = [
            other.holdouts(design, chunks, examples=False, place=place, jobs=jobs)
            for other in again
        ]
        return {"reruns": np.stack([h["values"].mean(axis=-1) for h in holdouts], axis=-1)}

    def _score(self, X: Array, y: Array, splits: Splits, examples: bool) -> Arrays:
        predicted = (a.predict(X, y, splits) for a in self.algorithms)
        scored = [score(self.measure, y, p, splits, examples=examples) for p in predicted]
        return {key: np.stack([s[key] for s in scored]) for key in scored[0]}


def _map_chunks(function: Callable[[int], Any], chunks: Sequence[int]) -> list[Any]:
    if len(chunks) == 1:
        return [function(chunks[0])]
    with ThreadPoolExecutor() as threads:  # NumPy's generators let go of the interpreter
        return list(threads.map(function, chunks))


def require_studied(measure: str) -> str:
    """
    Refuse a measure that cannot be studied.

    The lab can study losses of single examples, and ratios of TP, FP and FN.
    """
    able = (
        key
        for key, entry in MEASURES.items()
        if entry.each or isinstance(getattr(entry, "score", None), Ratio)
    )
    return one_of("measure", measure, able)


def score(measure: str, y: Array, predicted: Array, splits: Splits, *, examples: bool) -> Arrays:
    """
    Score the predictions of one algorithm on the test sets, and return NumPy arrays.

    Parameters
    ----------
    measure : str
        One that passes :func:`require_studied`.
    y, predicted : arrays, shapes (R, n) and (R, J, n)
        Truths, and predictions by the models of all splits.
    splits : Splits
        The training and test sets.
    examples : bool
        Whether the losses of the single examples are wanted.
    """
    each = MEASURES[measure].each
    if each is None:
        here = Splits(trains=to_numpy(splits.trains), tests=to_numpy(splits.tests))
        return _count_confusion(measure, to_numpy(y), to_numpy(predicted), here, examples)
    xp = namespace(predicted)
    losses = each(y[:, None, :], predicted)
    sizes = xp.sum(xp.astype(splits.tests, xp.float64), axis=-1)
    # Predictions outside the test set may be NaN, so they are left out, not multiplied by 0.
    if losses.dtype == xp.bool:
        total = xp.astype(xp.count_nonzero(losses & splits.tests, axis=-1), xp.float64)
    else:
        total = xp.sum(xp.where(splits.tests, losses, xp.zeros_like(losses)), axis=-1)
    arrays = {"values": to_numpy(total / sizes)}
    if examples:
        tested = xp.broadcast_to(splits.tests, losses.shape)
        arrays["examples"] = to_numpy(xp.reshape(losses[tested], (y.shape[0], -1)))
    return arrays


def _count_confusion(
    measure: str, y: Floats, predicted: Floats, splits: Splits, examples: bool
) -> Arrays:
    """Count TP, FP and FN, and compute the score from them."""
    cells = _cells(y[:, None, :] == 1, predicted == 1, splits.tests)
    counts = np.count_nonzero(cells, axis=-1).astype(float)
    together = np.moveaxis(counts, 0, -1)
    arrays: Arrays = {"values": MEASURES[measure].score(together), "counts": together}
    if examples:
        tested = np.broadcast_to(splits.tests, predicted.shape)
        arrays["outcomes"] = np.stack([c[tested].reshape(len(y), -1) for c in cells], axis=-1)
    return arrays


def _cells(
    is_true: NDArray[np.bool_], positive: NDArray[np.bool_], tests: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which tested examples are TP, FP and FN, on a first axis."""
    return np.stack(
        [is_true & positive & tests, ~is_true & positive & tests, is_true & ~positive & tests]
    )


def _parts(splits: Splits, R: int, most: int, place: Place) -> Iterator[tuple[slice, Splits]]:
    """Yield slices of the data sets that fit into memory, each with its splits."""
    step = max(1, most // (splits.count * splits.trains.shape[-1]))
    shared = splits.on(place) if splits.shared else None
    for start in range(0, R, step):
        part = slice(start, min(start + step, R))
        yield part, shared or splits.part(part, slice(0, splits.count)).on(place)


def differences(values: Any) -> Any:
    """Return B − A, or the values of a single algorithm; algorithms are on the first axis."""
    if len(values) == 1:
        return values[0]
    return values[1] - values[0]

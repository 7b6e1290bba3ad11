"""One world of a study, and what happens to a handful of its data sets: drawn, cut, fitted, scored."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, one_of
from evenfold.core.measure import Quantity
from evenfold.core.partition import Partition
from evenfold.core.rng import stream
from evenfold.corridor.plan import cut
from evenfold.design import BalancedDesign, Design
from evenfold.lab.algorithm import Algorithm, Floats
from evenfold.lab.masks import Splits
from evenfold.lab.populations._base import Population, Sample
from evenfold.run.measures import MEASURES, Answer

CHUNK = 50  # data sets drawn together; a part of the address of every draw, so it must not change
# What a study measures: losses have values per example, scores are made of counts.
LOSSES = ("zero-one", "squared", "absolute")
SCORES = ("precision", "recall", "f1")
_AT_ONCE = 2**24  # predictions in memory at a time
_RANDOM = ("rlt", "mx2", "nested-rlt")  # designs whose overlaps are drawn, not designed

Arrays = dict[str, NDArray[Any]]


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
        One of ``LOSSES`` or ``SCORES``; the positive class is 1.
    n : int
        Examples per data set.
    seed : int
        Of everything random: data sets and partitions are addressed below it.
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
        one_of("measure", self.measure, LOSSES + SCORES)
        integer("n", self.n, low=8)

    @property
    def quantity(self) -> Quantity:
        """What the measure is about."""
        return MEASURES[self.measure].quantity

    def sample(self, chunk: int) -> Sample:
        """Draw the data sets of a chunk."""
        return self.population.draw(self.n, CHUNK, stream(self.seed, "sample", chunk))

    def partitions(self, design: Design, sample: Sample, chunk: int) -> list[Partition]:
        """
        Cut the data sets of a chunk: each by itself, or all alike where that makes no difference.

        The examples of a data set are exchangeable, so a partition whose overlaps are designed may be the
        same for all; one whose overlaps are random, or that looks at labels or groups, must be drawn anew.
        """
        if not drawn_anew(design) and not (sample.groups is not None and design.uses_groups_now):
            return [self._cut(design, sample, 0, "all")]
        return [self._cut(design, sample, r, chunk, r) for r in range(CHUNK)]

    def partition(self, design: Design) -> Partition:
        """The first partition that is used, which stands for all: they have the same sizes."""
        return self.partitions(design, self.sample(0), 0)[0]

    def _cut(self, design: Design, sample: Sample, r: int, *address: int | str) -> Partition:
        seed = int(stream(self.seed, "partition", self.recut, *address).integers(2**63))
        seeded = replace(design, random_state=seed)
        groups = sample.groups[r] if sample.groups is not None and design.uses_groups_now else None
        return cut(seeded, self.n, y=sample.y[r], groups=groups)

    def holdouts(self, design: Design, chunk: int, *, examples: bool) -> Arrays:
        """
        Return the hold-out values of a chunk.

        The arrays are ``values`` (algorithms, data sets, splits); ``counts`` with a last axis TP, FP, FN for
        scores; and with ``examples`` the losses of all test examples, split after split, or of scores the
        ``outcomes``, again with a last axis TP, FP, FN.
        """
        sample = self.sample(chunk)
        partitions = self.partitions(design, sample, chunk)
        found = [
            self._score(Sample(sample.X[part], sample.y[part]), splits, examples)
            for part, splits in _parts(partitions, len(sample.y))
        ]
        return {key: np.concatenate([f[key] for f in found], axis=1) for key in found[0]}

    def reruns(self, design: Design, chunk: int, count: int) -> Arrays:
        """
        Repeat a whole design on each data set with ``count`` other partitions (NB section 4, 5).

        Returns ``reruns`` (algorithms, data sets, count): the mean over the splits of each rerun.
        """
        again = [replace(self, recut=1000 * (1 + self.recut) + b) for b in range(count)]
        means = [other.holdouts(design, chunk, examples=False)["values"].mean(axis=-1) for other in again]
        return {"reruns": np.stack(means, axis=-1)}

    def _score(self, sample: Sample, splits: Splits, examples: bool) -> Arrays:
        predicted = (a.predict(sample.X, sample.y, splits) for a in self.algorithms)
        scored = [score(self.measure, sample.y, p, splits, examples=examples) for p in predicted]
        return {key: np.stack([s[key] for s in scored]) for key in scored[0]}


def score(measure: str, y: Floats, predicted: Floats, splits: Splits, *, examples: bool) -> Arrays:
    """
    Score the predictions of one algorithm on the test sets.

    Parameters
    ----------
    measure : str
        One of ``LOSSES`` or ``SCORES``.
    y, predicted : arrays, shapes (R, n) and (R, J, n)
        Truths, and predictions by the models of all splits.
    splits : Splits
        Who is tested in which split.
    examples : bool
        Whether the losses of the single examples are wanted.
    """
    named: Any = MEASURES[measure]
    truth = y[:, None, :]
    if measure in SCORES:
        cells = _cells(truth == 1, predicted == 1, splits.tests)
        counts = np.count_nonzero(cells, axis=-1).astype(float)
        arrays: Arrays = {
            "values": _ratio(*named.ratio(*counts)),
            "counts": np.moveaxis(counts, 0, -1),
        }
        if examples:
            tested = np.broadcast_to(splits.tests, predicted.shape)
            arrays["outcomes"] = np.stack([c[tested].reshape(len(y), -1) for c in cells], axis=-1)
        return arrays
    losses = named.examples(truth, Answer("predict", predicted))
    sizes = np.count_nonzero(splits.tests, axis=-1)
    # Predictions outside the test set mean nothing and may be NaN, so they are left out, not multiplied by 0.
    arrays = {"values": np.sum(losses, axis=-1, where=splits.tests, dtype=float) / sizes}
    if examples:
        tested = np.broadcast_to(splits.tests, losses.shape)
        arrays["examples"] = losses[tested].reshape(len(y), -1)
    return arrays


def _cells(
    is_true: NDArray[np.bool_], said: NDArray[np.bool_], tests: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which tested examples are TP, FP, FN: these first, then the axes of ``said``."""
    return np.stack([is_true & said & tests, ~is_true & said & tests, is_true & ~said & tests])


def _ratio(above: Floats, below: Floats) -> Floats:
    """0/0 is 0, as everywhere in the field."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _parts(partitions: list[Partition], R: int) -> Iterator[tuple[slice, Splits]]:
    """Slices of the data sets small enough for the memory, each with its splits."""
    first = partitions[0]
    step = max(1, _AT_ONCE // (len(first) * first.n))
    shared = Splits.of(partitions) if len(partitions) == 1 else None
    for start in range(0, R, step):
        part = slice(start, min(start + step, R))
        yield part, shared or _own(partitions[part])


def _own(partitions: list[Partition]) -> Splits:
    splits = Splits.of(partitions)
    return splits if not splits.shared else Splits(trains=splits.trains[None], tests=splits.tests[None])


def drawn_anew(design: Design) -> bool:
    """Whether every data set is cut by itself, because overlaps are random or labels are looked at."""
    return design.kind in _RANDOM or (isinstance(design, BalancedDesign) and design.balance is not None)

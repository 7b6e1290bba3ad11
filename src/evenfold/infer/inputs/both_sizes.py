"""The input of tests at nearly the full training size: runs of folds, and halvings of the same data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats
from evenfold.core.losses import Quantity
from evenfold.core.partition import KFOLD, MX2_BCV, Partition
from evenfold.infer._inputs import finite
from evenfold.infer.inputs._base import Batch, Input, Question
from evenfold.infer.inputs.examples import AllTested

HALVINGS = AllTested()


@dataclass(frozen=True, slots=True)
class FoldsAndHalvings(Input):
    """
    Losses of every example in runs of folds, and in halvings of the same data.

    array of shape (..., r, n)
        Loss of B less loss of A (or of one algorithm alone) at each example, in each of r runs of folds.
    array of shape (..., m, n)
        The same in m halvings of the same data, repetition by repetition; m ≥ 3.
    """

    closely = True
    joint = "means"
    keywords = AllTested.keywords
    names = ("folded", "tested")

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Runs and repetitions of the same four examples or more."""
        folds, halves = (finite(name, values) for name, values in zip(names, given, strict=True))
        least = HALVINGS.least
        if halves.ndim < 2 or halves.shape[-2] < least or halves.shape[-1] < 4:
            refuse(names[1], f"of shape (..., m, n) with m ≥ {least} and n ≥ 4", f"shape {halves.shape}")
        batch, n = halves.shape[:-2], halves.shape[-1]
        if folds.ndim < 2 or (folds.shape[:-2], folds.shape[-1]) != (batch, n) or not folds.shape[-2]:
            shape = ", ".join(map(str, (*batch, "r", n)))
            refuse(names[0], f"of shape ({shape}), like {names[1]}", f"shape {folds.shape}")
        return folds, halves

    def suits(self, quantity: Quantity) -> bool:
        """Whatever gives something for every example."""
        return HALVINGS.suits(quantity)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Values in the order of the data: of the folds, and of the halvings."""
        return self.at_folds(asked), HALVINGS.read(halvings(asked))[0]

    def at_folds(self, asked: Question) -> Floats:
        """Values of one run of folds in the order of the data, (..., 1, n)."""
        return HALVINGS.values_of(folds(asked), runs=1)

    def jointly(self, asked: Question) -> Floats:
        """The value of every example in the folds, which the estimate is the mean of."""
        values: Floats = self.at_folds(asked).mean(axis=-2)
        return values

    def further(self, asked: Question) -> dict[str, Any]:
        """Sides, training size, groups, and whether 0 means that an example makes no difference."""
        known = {"sides": halvings(asked).sides(), "n_train": asked.partition.n_train}
        return known | HALVINGS.further(asked)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """One run of folds and the halvings of the influence test, 64 examples."""
        halves, _ = HALVINGS.example(rng, batch)
        return halves.mean(axis=-2, keepdims=True) + 0.3 * rng.normal(size=(*batch, 1, 64)), halves


def halvings(asked: Question) -> Question:
    """The same question of the halvings alone, which come first."""
    return asked.on(stages(asked.partition)["half"], kind=MX2_BCV)


def quarters(asked: Question) -> Question:
    """The same question of models of a quarter of the examples, tested like those of the halvings."""
    return asked.on(stages(asked.partition)["quarter"], kind=MX2_BCV)


def folds(asked: Question) -> Question:
    """The same question of the folds alone."""
    return asked.on(stages(asked.partition)["full"], kind=KFOLD)


def stages(partition: Partition) -> dict[str, slice]:
    """The splits of each training size, the smallest first; a quarter leaves examples over, if it was run."""
    before, whole = ~partition.about, partition.train_sizes + partition.test_sizes == partition.n
    halves, first = int(np.count_nonzero(before & whole)), int(np.count_nonzero(before))
    quarter = {"quarter": slice(halves, first)} if first > halves else {}
    return quarter | {"half": slice(halves), "full": slice(first, None)}

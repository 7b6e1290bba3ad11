"""Worlds without data and algorithms: hold-out values, or losses in blocks, drawn directly."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evenfold.core.checks import refuse, short_repr
from evenfold.core.losses import Quantity
from evenfold.core.partition import Partition
from evenfold.core.rng import stream
from evenfold.design import Design
from evenfold.infer import methods
from evenfold_lab.cuts import CHUNK
from evenfold_lab.populations.losses import BlockExchangeable, GaussianHoldouts, LossPopulation
from evenfold_lab.populations.series import Forecasters
from evenfold_lab.world import Arrays


@dataclass(frozen=True, kw_only=True)
class _Given:
    """A stand-in for the algorithms that would have these losses."""

    name: str = "given values"


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueWorld:
    """
    A population of hold-out values on m×2 designs, losses on k folds, or differences on a path.

    Attributes
    ----------
    population : LossPopulation
        Where the values come from.
    n : int
        Examples that the designs are made for; Gaussian hold-outs do not depend on it.
    seed : int
        Seed of everything random.
    """

    population: LossPopulation
    n: int
    seed: int

    algorithms: ClassVar[tuple[Any, ...]] = (_Given(),)
    measure: ClassVar[str] = "squared"  # any loss: values of either sign
    quantity: ClassVar[Quantity] = Quantity(
        name="squared", lower_is_better=True, per_example="values"
    )

    def methods_for(self) -> list[str]:
        """Return the methods that take such values."""
        if isinstance(self.population, Forecasters):
            return [
                key
                for key, entry in methods().items()
                if "path" in entry.inputs and entry.family == "test"
            ]
        halves = isinstance(self.population, GaussianHoldouts)
        values, shape = ("repetitions", "halves") if halves else ("splits", "folds")
        return [
            key
            for key, entry in methods().items()
            if entry.inputs == (values,)
            and entry.family == "test"
            and entry.default_design.shape == shape
        ]

    def partition(self, design: Design) -> Partition:
        """Return the partition whose values are drawn."""
        return design.partition(self.n)

    def holdouts(self, design: Design, chunks: Sequence[int], *, examples: bool) -> Arrays:
        """Return ``values`` (1, data sets, splits) and, if requested, ``examples`` of a chunk."""
        (chunk,) = chunks
        partition = self.partition(design)
        rng = stream(self.seed, "values", chunk)
        if isinstance(self.population, Forecasters):
            return _means_by_window(self.population, partition, rng)
        if isinstance(self.population, GaussianHoldouts):
            if not partition.kind.is_halving or examples:
                refuse(
                    "design",
                    "design must be m×2 for Gaussian hold-outs, with a method on "
                    f"hold-out values, but got {short_repr(design)}.",
                )
            return {
                "values": self.population.draw_values(len(partition) // 2, CHUNK, rng).reshape(
                    1, CHUNK, -1
                )
            }
        if not isinstance(self.population, BlockExchangeable) or not partition.kind.is_folds:
            refuse(
                "design",
                f"design must be k folds for exchangeable blocks but got {short_repr(design)}.",
            )
        M = self.n // len(partition)
        if M * len(partition) != self.n:
            refuse(
                "n", f"n must be a multiple of {len(partition)} folds but got {short_repr(self.n)}."
            )
        blocks = self.population.draw_blocks(len(partition), M, CHUNK, rng)
        arrays: Arrays = {"values": blocks.mean(axis=-1)[None]}
        return arrays | ({"examples": blocks.reshape(1, CHUNK, -1)} if examples else {})


def _means_by_window(
    population: Forecasters, partition: Partition, rng: np.random.Generator
) -> Arrays:
    """Draw the mean difference in each window."""
    if not partition.kind.is_ordered:
        refuse(
            "design",
            "design must be growing or rolling windows for forecasters but got "
            f"{partition.kind!s}.",
        )
    path = population.draw_path(int(partition.test_sizes.sum()), CHUNK, rng)
    return {"values": path.reshape(1, CHUNK, len(partition), -1).mean(axis=-1)}

"""The input of tests on examples left out one by one: their losses, and what leaving out one more changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.infer._inputs import finite
from evenfold.infer.inputs._base import Batch, Input, Question

_FEWEST = 4  # examples: fewer say nothing of how examples vary


@dataclass(frozen=True, slots=True)
class LeftOut(Input):
    """
    Losses of models that did not see the example, and what one more left out changes, maybe by halves.

    array of shape (..., n)
        Loss of B less loss of A (or of one algorithm alone) at each example, by models that did not see it.
    array of shape (..., n), by two halves of the models (..., 2, n)
        For each example, by how much the mean loss of all others changes if it is left out, too; see
        ``ef.run.left_out``.
    """

    halves: bool = False

    names = ("left-out", "changes")

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Four examples or more, and a change for each."""
        losses, changes = (finite(name, values) for name, values in zip(names, given, strict=True))
        if losses.ndim < 1 or losses.shape[-1] < _FEWEST:
            refuse(names[0], f"of shape (..., n) with n ≥ {_FEWEST}", f"shape {losses.shape}")
        n = losses.shape[-1]
        wanted = (*losses.shape[:-1], 2, n) if self.halves else losses.shape
        if changes.shape != wanted:
            refuse(names[1], f"of shape {wanted}, like {names[0]}", f"shape {changes.shape}")
        return losses, changes

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Nothing that was run says what leaving out one more example would change."""
        asked.refuse("takes what ef.run.left_out gives: call its function in ef.infer with that")

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Twenty examples."""
        losses = rng.normal(0.3, 1.0, size=(*batch, 20))
        changes = rng.normal(0.0, 0.01, size=(*batch, 1, 20)) + rng.normal(0.0, 0.002, size=(*batch, 2, 20))
        return losses, changes if self.halves else changes[..., 0, :]

"""A design of your own: every k-th example is tested together."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evenfold.extend import Design, FoldCut, Kind, Partition, integer


@dataclass(frozen=True, eq=False, repr=False)
class Interleaved(Design):
    """
    Fold i holds the examples i, i + k, i + 2k, ...; nothing is random.

    Parameters
    ----------
    n_splits : int
        k, the number of folds.
    """

    n_splits: int = 5

    kind: ClassVar[Kind] = Kind("interleaved", shape="folds")
    example: ClassVar[str] = "interleaved:5"
    shuffle: ClassVar[bool] = False

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002  (scikit-learn's signature)
        """Return the number of folds."""
        return integer("n_splits", self.n_splits, low=2)

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:  # noqa: ARG002  (one signature)
        k = integer("n_splits", self.n_splits, low=2, high=n)
        return Partition(
            kind=self.kind,
            seed=None,
            cut=FoldCut(folds=np.arange(n) % k, n_splits=k),
            repetition=np.zeros(k, dtype=int),
            fold=np.arange(k),
        )

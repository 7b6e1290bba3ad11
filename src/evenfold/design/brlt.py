"""Block-regularized repeated learning-testing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import kind as kinds
from evenfold.core.checks import integer, refuse, size
from evenfold.core.partition import BlockCut, Certificate, Partition, smallest_unsigned
from evenfold.core.rng import stream
from evenfold.design._base import BalancedDesign
from evenfold.design._deal import flat_rows
from evenfold.design._patterns import pattern_table
from evenfold.design._units import Units, with_traits
from evenfold.design.measures import ideal_overlap, rounding_error, worst_chi_square

_MOST_SPLITS = 1000  # the search for even patterns takes minutes there


@dataclass(frozen=True, eq=False, repr=False)
class BRLT(BalancedDesign):
    """
    Block-regularized repeated learning-testing: J splits whose training sets overlap equally.

    Every example trains equally often (to within one) and all pairs of training sets share φ* examples: to
    within one, or two where nothing better is found, for up to 30 splits. The certificate tells. With
    n1 = n/2 this is R19's BRHS, the half-sampling of least variance.

    Parameters
    ----------
    n_splits : int
        Number of splits J.
    train_size : int or float
        Training set size n1, a count or a fraction.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on n1 examples. The variance is smallest among designs of
    equal cost where the covariance of two hold-out estimates is convex in their overlap (R19 theorem 2.1).

    Examples
    --------
    >>> partition = BRLT(7, 0.7, random_state=0).partition(100)
    >>> import numpy as np
    >>> overlaps = partition.overlaps()[np.triu_indices(7, 1)]
    >>> int(overlaps.min()), int(overlaps.max()), round(partition.certificate.overlap_target, 2)
    (45, 46, 45.71)

    References
    ----------
    R19 sections 2.2 and 2.5.2.
    """

    kind = kinds.BRLT

    n_splits: int
    train_size: float

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("n_splits", self.n_splits, low=1, high=_MOST_SPLITS)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        units = with_traits(self._units(n, y, groups, features))
        if len(units) < 2:
            refuse("groups", "at least two different groups", "1 group")
        n1 = size("train_size", self.train_size, n=n)
        units_train = size(
            "train_size", min(max(round(n1 / n * len(units)), 1), len(units) - 1), n=len(units)
        )
        patterns, counts, construction = pattern_table(len(units), units_train, self.n_splits)
        rng = stream(seed, "splits")
        trains = patterns[:, rng.permutation(self.n_splits)]
        even = trains if units.of_example is None else _with_overlaps(trains)
        rows = flat_rows(units, _interleaved(counts, rng), even, rng, run=None)
        cut = BlockCut(blocks=units.spread(rows).astype(smallest_unsigned(len(trains))), trains=trains)
        J = self.n_splits
        return Partition(
            kind=self.kind, seed=seed, cut=cut, repetition=np.arange(J), fold=np.zeros(J, np.int64),
            certificate=_certificate(cut, n1, construction, units),
        )  # fmt: skip


def _with_overlaps(trains: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Add a column for each pair of splits: groups of unequal size must even out the overlaps, too."""
    i, j = np.triu_indices(trains.shape[1], 1)
    return np.concatenate([trains, trains[:, i] & trains[:, j]], axis=1)


def _interleaved(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.intp]:
    """List each pattern as often as it is taken, spread evenly: any run of the list is a fair sample."""
    rows = np.repeat(np.arange(len(counts)), counts)
    turn = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = (turn + np.repeat(rng.random(len(counts)), counts)) / np.repeat(counts, counts)
    return rows[np.argsort(place, kind="stable")]


def _certificate(cut: BlockCut, n1: int, construction: str, units: Units) -> Certificate:
    J = cut.n_splits
    target = ideal_overlap(cut.n, n1, J) if J > 1 else float(n1)
    overlaps = cut.overlaps()[np.triu_indices(J, 1)]
    return Certificate(
        construction=construction,
        overlap_target=target,
        overlap_error=float(np.abs(overlaps - target).max(initial=0.0)),
        overlap_bound=rounding_error(target) if J > 1 else 0.0,
        size_error=float(np.abs(cut.sizes()[0] - n1).max()),
        occurrence_spread=int(np.ptp(cut.occurrences())),
        chi_square=None if units.table is None else worst_chi_square(units.table, cut.pairs()),
    )

"""Designs that are repeated, each time with a new seed: k-fold cross-validation, and splits."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import partition as kinds
from evenfold.core.checks import integer, one_of, refuse_value
from evenfold.core.partition import BlockCut, Certificate, Partition, smallest_unsigned
from evenfold.core.rng import stream
from evenfold.design._base import (
    MOST_SPLITS,
    BalancedDesign,
    Several,
    balance_names,
    register,
    split_partition,
)
from evenfold.design.folds import OfFolds, worst_ratio
from evenfold.design.splits import BRLT, RLT

_SEEDS = 2**63
_SPLITS: dict[str, type[RLT] | type[BRLT]] = {"random": RLT, "even": BRLT}


@register
@dataclass(frozen=True, eq=False, repr=False)
class RepeatedKFold(OfFolds):
    """
    r repetitions of shuffled k-fold cross-validation.

    The first repetition is that of :class:`KFold` with the same seed.

    Parameters
    ----------
    n_splits : int
        Number of folds k of a repetition.
    repetitions : int
        Number of repetitions r.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on (k−1)n/k examples. More repetitions only reduce
    the variance that is due to the choice of the folds. The data stay the same, and a test that
    treats the k·r values as independent is grossly liberal. The method for this design is
    ``corrected-resampled-t`` with J = k·r. It assumes a correlation between the values, and is
    liberal if models depend on their training sets more than assumed. It was not liberal where it
    was measured: on two Gaussians at n = 200 (10×3, 400 data sets) it rejected .030 ± .009 at the
    nominal .05, compared with .060 ± .012 for 30 random splits, and in ``sreg`` it rejected 0 of
    400. ``at="full"`` answers the same question with a calibrated variance.

    Examples
    --------
    >>> partition = RepeatedKFold(5, 3, random_state=0).partition(20)
    >>> len(partition), partition.n_train, partition.repetition.tolist()[4:7]
    (15, 16, [0, 1, 1])

    References
    ----------
    Bouckaert and Frank (2004), Evaluating the replicability of significance tests for comparing
    learning algorithms.
    """

    kind = kinds.REPEATED_KFOLD
    example = "repeated-kfold:10:3"
    by_chance = True

    repetitions: int

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("repetitions", self.repetitions, low=2, high=MOST_SPLITS // self.n_splits)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return k·r."""
        return self.n_splits * self.repetitions

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        drawn = stream(seed, "repetitions").integers(_SEEDS, size=self.repetitions - 1)
        folds = []
        for fold_seed in [seed, *drawn.tolist()]:
            cut: Any = self.once._partition(n, fold_seed, y, groups, features).cut
            folds.append(cut.folds)
        return repeated_folds(self.kind, seed, np.stack(folds))


def repeated_folds(kind: kinds.Kind, seed: int | None, folds: NDArray[np.integer]) -> Partition:
    """
    Return the partition in which each fold of each repetition is tested in turn.

    Parameters
    ----------
    kind, seed
        Attributes of the partition.
    folds : array, shape (r, n)
        Fold of every example in every repetition, from 0 to k − 1.
    """
    r = len(folds)
    k = int(folds.max()) + 1
    blocks = np.zeros(folds.shape[1], dtype=np.int64)
    first = np.zeros(1, dtype=np.intp)
    for fold in folds:  # examples that are always in the same fold are a block
        _, first, blocks = np.unique(blocks * k + fold, return_index=True, return_inverse=True)
    trains = (folds.T[first][:, :, None] != np.arange(k)).reshape(len(first), r * k)
    cut = BlockCut(blocks=blocks.astype(smallest_unsigned(len(first))), trains=trains)
    return Partition(
        kind=kind,
        seed=seed,
        cut=cut,
        repetition=np.repeat(np.arange(r), k),
        fold=np.tile(np.arange(k), r),
    )


@register
@dataclass(frozen=True, eq=False, repr=False)
class Reruns(BalancedDesign):
    """
    J splits for the estimate, and R reruns with J other splits of the same data for the variance.

    The splits for the estimate come first, marked by ``repetition`` −1. They are those of
    :class:`RLT` with the same seed, or those of :class:`BRLT` if ``splits`` is ``"even"``.

    Parameters
    ----------
    n_reruns : int
        Number of reruns R, at least 2.
    n_splits : int
        Number of splits J of each run; at most 100 if ``splits`` is ``"even"``.
    train_size : int or float
        Training set size n1, a count or a fraction.
    splits : {"random", "even"}
        Whether the splits of a run are drawn independently, as by Nadeau and Bengio, or overlap
        evenly.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`; random splits can balance labels only.

    Notes
    -----
    *Validity.* Estimates speak of models trained on n1 examples. Reruns measure the variance
    between splits, not between data sets, because the data stay the same. The design costs
    (R + 1)·J fits of each algorithm, and tests on it are known to be liberal. It serves for
    comparison, as in Nadeau and Bengio's paper. The means of even splits hardly differ from run to
    run, so tests on them are far more liberal than the paper reports: on the populations of its
    card, the corrected bootstrap rejects .00 to .10 at .05 with random splits, and .02 to .20 with
    even ones.

    Examples
    --------
    >>> partition = Reruns(15, 15, 0.9, random_state=0).partition(100)
    >>> len(partition), partition.n_train, int(partition.about.sum())
    (240, 90, 15)

    References
    ----------
    NB section 4, methods 5 and 7.
    """

    kind = kinds.RERUNS
    example = "reruns:15:15:0.9"
    even_example = "reruns:15:15:0.9:splits=even"
    by_chance = True
    named = ("splits",)

    n_reruns: Several
    n_splits: int
    train_size: float
    splits: str = field(default="random", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("splits", self.splits, _SPLITS)
        unknown = [name for name in balance_names(self.balance) if name not in self._run.balances]
        if unknown:
            remedy = "Pass splits='even' to balance other conditions."
            refuse_value("balance", self.balance, "None or 'labels' with splits='random'", remedy)
        self._once()  # checks the remaining arguments

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return (R + 1)·J."""
        return (self.n_reruns + 1) * self.n_splits

    @property
    def _run(self) -> type[RLT] | type[BRLT]:
        return _SPLITS[self.splits]

    def _once(self) -> RLT | BRLT:
        """Return the design of one run."""
        if self._run is RLT:
            return RLT(self.n_splits, self.train_size, balance=self.balance)
        return BRLT(self.n_splits, self.train_size, balance=self.balance, features=self.features)

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        once = self._once()
        seeds = [seed, *stream(seed, "reruns").integers(_SEEDS, size=self.n_reruns).tolist()]
        runs = [once._partition(n, run_seed, y, groups, features) for run_seed in seeds]
        repetition = np.repeat(np.arange(-1, self.n_reruns), self.n_splits)
        fold = np.tile(np.arange(self.n_splits), len(runs))
        pairs = [pair for run in runs for pair in run]
        partition = split_partition(self.kind, seed, n, pairs, repetition, fold)
        certificates = [run.certificate for run in runs if run.certificate is not None]
        if not certificates:
            return partition
        spread = int(np.ptp(partition.cut.occurrences()))
        return replace(partition, certificate=_worst_certificate(certificates, spread))


def _worst_certificate(certificates: list[Certificate], spread: int) -> Certificate:
    """Return a certificate that holds in every run; it says nothing of overlaps between runs."""
    return replace(
        certificates[0],
        construction=f"{certificates[0].construction} in each run by itself",
        overlap_error=max(certificate.overlap_error for certificate in certificates),
        size_error=max(certificate.size_error for certificate in certificates),
        occurrence_spread=spread,
        chi_square=worst_ratio(certificates),
    )

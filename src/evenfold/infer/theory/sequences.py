"""R19's comparator: the m×2 paired t-test as a sequence of looks."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenfold.core.checks import fraction, integer
from evenfold.core.estimate import Alternative
from evenfold.infer._arrays import repetitions


class PairedSequence(NamedTuple):
    """Whether the sequence rejected, and after how many repetitions it stopped."""

    rejected: NDArray[np.bool_]
    stopped_at: NDArray[np.int64]


def paired_sequence(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "greater",
    level: float = 0.05,
    start: int = 3,
) -> PairedSequence:
    """
    Look with ``mx2-paired-t`` after ``start``, ``start + 1``, … repetitions.

    Each look has half of the level (R19 5.5.1).

    Parameters
    ----------
    d : array_like, shape (..., M, 2)
        Differences of M repetitions.
    null, alternative
        As in :func:`evenfold.infer.mx2_paired_t`.
    level : float
        α; each look is made at α/2, as R19 has it.
    start : int
        Repetitions before the first look.

    Examples
    --------
    >>> sequence = paired_sequence([[[0.4, 0.5], [0.5, 0.4], [0.5, 0.5], [0.4, 0.4]]])
    >>> sequence.rejected.tolist(), sequence.stopped_at.tolist()
    ([True], [3])

    Notes
    -----
    *Validity*: it is here for comparison only. The error of all looks together is not bounded: it
    reaches .11 at .05 where ρ1 = ½ (R19 table 5.8), and the paired test is liberal by itself where
    ρ1 > 0.
    """
    # imported here because the methods import the theory
    from evenfold.infer.halves.mx2_tests import mx2_paired_t

    values = repetitions("d", d, low=1)
    M = values.shape[-2]
    looks = np.arange(integer("start", start, low=1, high=M), M + 1)
    per_look = fraction("level", level) / 2
    hits = np.stack(
        [
            mx2_paired_t(values[..., :m, :], null=null, alternative=alternative).pvalue < per_look
            for m in looks
        ]
    )
    rejected = np.asarray(hits.any(axis=0))
    return PairedSequence(rejected, np.where(rejected, looks[hits.argmax(axis=0)], M))

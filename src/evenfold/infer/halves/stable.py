"""Repeat the influence test until another partition would hardly change its verdict (ours)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, refuse, refuse_value, short_repr
from evenfold.core.estimate import Floats, StudentT
from evenfold.infer._arrays import hypothesis
from evenfold.infer._registry import METHODS
from evenfold.infer.family import REPLICABILITY, check_replicability, is_stable
from evenfold.infer.halves.influence import (
    DEFAULT_MOST,
    LOOKS,
    Booleans,
    InfluenceEstimate,
    mx2_influence_t,
)
from evenfold.infer.inputs import HALVINGS

FEWEST = LOOKS[0]
_DEFAULT_LOOKS = tuple(m for m in LOOKS if m <= DEFAULT_MOST)
_ARRAYS = ("value", "standard_error", "statistic", "decidable", "few", "step", "held", "between")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class StableEstimate(InfluenceEstimate):
    """
    The influence test at the look where its verdict became stable, or at the last look.

    Attributes
    ----------
    rejected : array of bool
        Whether the test rejects at its stop.
    stopped_at : array of int
        Repetitions at the stop.
    replicability : array
        P(same): the probability that another random partition gives the same verdict. It is not a
        number where a few examples outweigh all others, so that the verdict is withheld.
    """

    rejected: Booleans
    stopped_at: NDArray[np.int64]
    replicability: Floats


def until_stable(
    losses: Any,
    sides: Any,
    *,
    null: float = 0.0,
    level: float = 0.05,
    alternative: str = "two-sided",
    replicability: float = REPLICABILITY,
    looks: Sequence[int] = _DEFAULT_LOOKS,
) -> StableEstimate:
    """
    Apply the default rule of :func:`evenfold.compare` to existing losses.

    The influence test (:func:`mx2_influence_t`) is applied to the first 5, 7, 9, … repetitions, at
    the whole level each time. It stops at the first look where P(same), the probability that
    another random partition of the same data would give the same verdict, reaches
    ``replicability``; a verdict that does not reject is believed from nine repetitions on. The
    p-value, the interval and the verdict are those of the one test at the stop.

    Parameters
    ----------
    losses : array of shape (..., M, n)
        Loss of B less loss of A at each example, repetition by repetition.
    sides : bool array of shape (M, n)
        Whether an example is tested by the first split of a repetition.
    null : float, default 0
        The difference Δ that is tested.
    level : float, default 0.05
        Level of the test.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery.
    replicability : float, default 0.8
        The goal, from 0.5 to below 1.
    looks : sequence of int
        Increasing numbers of repetitions, from 5 on. Looks beyond M are left out, and M is then
        the last one.

    Returns
    -------
    StableEstimate
        ``rejected``, ``stopped_at``, ``replicability``, ``value``, ``standard_error``, ``df``,
        ``pvalue`` and ``confidence_interval()``, all arrays over the data sets.

    See Also
    --------
    mx2_influence_t : The test itself.

    Notes
    -----
    *Validity.* It is measured, not proved; the page "The influence test" has the error, the power,
    the agreement of two partitions and the calibration of P(same).

    Examples
    --------
    >>> import numpy as np
    >>> import evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> partition = ef.Mx2BCV(31, random_state=0).partition(100)
    >>> sides = np.zeros((31, 100), dtype=bool)
    >>> for side, test in zip(sides, partition.test[::2]):
    ...     side[test] = True
    >>> losses = 0.4 + rng.normal(size=100) + 0.5 * rng.normal(size=(31, 100))
    >>> e = ef.infer.until_stable(losses, sides)
    >>> bool(e.rejected), int(e.stopped_at), bool(e.replicability > 0.8)
    (True, 5, True)
    """
    null, side = hypothesis(null, alternative)
    goal = check_replicability(replicability)
    e, first = HALVINGS.check(("losses", "sides"), (losses, sides))
    at = _check_looks(looks, e.shape[-2])
    tests = [
        mx2_influence_t(e[..., :m, :], first[:m], null=null, alternative=side).at(level) for m in at
    ]
    same = [np.where(test.is_withheld, np.nan, test.same_verdict([null])) for test in tests]
    rejected = [(test.pvalue <= level) & ~test.is_withheld for test in tests]
    verdicts = zip(same, rejected, at, strict=True)
    stops = np.array([is_stable(chance, rejects, m, goal=goal) for chance, rejects, m in verdicts])
    stops[-1] = True
    stop = stops.argmax(axis=0)

    def at_stop(at_looks: Sequence[Any]) -> Any:
        return np.take_along_axis(np.array(at_looks), stop[None], axis=0)[0][()]

    entry = METHODS[tests[0].method]
    stable = StableEstimate(
        level=level,
        null=null,
        alternative=side,
        reference=StudentT(at_stop([np.broadcast_to(test.df, stop.shape) for test in tests])),
        **{name: at_stop([getattr(test, name) for test in tests]) for name in _ARRAYS},
        m=np.array(at)[stop],
        rejected=at_stop(rejected),
        stopped_at=np.array(at)[stop][()],
        replicability=at_stop(same),
    )
    stamped: StableEstimate = entry.stamp(stable, entry.about())
    return stamped


def _check_looks(looks: Any, repetitions: int) -> tuple[int, ...]:
    if isinstance(looks, np.ndarray):
        looks = looks.tolist()
    checked: tuple[int, ...] = ()
    if isinstance(looks, Sequence):
        checked = tuple(integer("looks", m, low=FEWEST) for m in looks)
    if not checked or any(b <= a for a, b in pairwise(checked)):
        refuse_value("looks", looks, "increasing numbers of repetitions")
    if repetitions < checked[0]:
        refuse(
            "losses",
            f"losses must have at least {checked[0]} repetitions but got "
            f"{short_repr(repetitions)}.",
            "Run more of them.",
        )
    if repetitions < checked[-1]:
        return (*(m for m in checked if m < repetitions), repetitions)
    return checked

"""From the losses of a run to the joint law of several questions about them."""

from collections.abc import Sequence

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.infer._inputs import of_losses
from evenfold.infer._registry import methods, select
from evenfold.infer.inputs import Question
from evenfold.infer.many.max_t import MaxT


def jointly(
    losses: Losses,
    method: str,
    pairs: Sequence[tuple[str | None, str]],
    *,
    alternative: str = "two-sided",
) -> MaxT:
    """
    Return the joint law of the tests of several pairs on the same splits.

    Parameters
    ----------
    losses : Losses
        One measure of every algorithm on every split.
    method : str
        A key of :func:`methods` whose statistic is a mean over the spread of all its values.
    pairs : sequence of (baseline, challenger)
        The questions; no baseline where an algorithm is estimated alone.
    alternative : {"two-sided", "greater", "less"}
        The side of a discovery, about B − A in the measure's own units.

    Raises
    ------
    NotApplicable
        If the method is not of that kind, or a cell failed.

    Examples
    --------
    >>> import evenfold as ef
    >>> from evenfold.run.sample import sample
    >>> losses = sample(ef.Mx2BCV(3, random_state=0).partition(150))
    >>> joint = ef.infer.jointly(losses, "mx2-t", [("a", "b"), ("a", "c")])
    >>> joint.k, 0.025 < joint.per_test(0.05) < 0.05
    (2, True)
    """
    entry = select(method, design=of_losses(losses).partition.kind)
    if not entry.joint:
        kind = losses.partition.kind
        fitting = ", ".join(other.key for other in methods().values() if other.joint and other.fits(kind))
        remedy = f"use {fitting}, or adjust='holm'" if fitting else "use adjust='holm'"
        raise NotApplicable(f"method {method!r} has no joint law for several pairs, as max-t needs; {remedy}")
    asked = [
        Question(losses, losses.index(b), None if a is None else losses.index(a), entry.key)
        for a, b in _checked(pairs)
    ]
    values = [entry.takes.jointly(one) for one in asked]
    return MaxT(values=values, df=np.inf if entry.joint == "normal" else None, alternative=alternative)


def _checked(pairs: object) -> list[tuple[str | None, str]]:
    questions = [
        pair
        for pair in (pairs if isinstance(pairs, (list, tuple)) else [])
        if isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[1], (str, int))
    ]
    if not questions or len(questions) != len(pairs):  # type: ignore[arg-type]  # a sequence: it has questions
        refuse("pairs", "a list of pairs (baseline, challenger)", pairs)
    return [(pair[0], pair[1]) for pair in questions]

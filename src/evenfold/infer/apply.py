"""From the losses of a run to an estimate: a method is fed what its entry says."""

from collections.abc import Mapping
from typing import Any

from evenfold.core.checks import fraction, integer
from evenfold.core.estimate import Estimate, LookingEstimate
from evenfold.core.losses import Losses
from evenfold.infer._arrays import of_losses
from evenfold.infer._registry import select
from evenfold.infer.inputs import Question


def estimate(
    losses: Losses,
    method: str,
    *,
    challenger: str | int = 1,
    baseline: str | int | None = 0,
    null: float = 0.0,
    alternative: str = "two-sided",
    level: float = 0.05,
    most: int | None = None,
    before: Estimate | None = None,
    method_options: Mapping[str, Any] | None = None,
) -> Estimate:
    """
    Apply a method to the losses of a run.

    Parameters
    ----------
    losses : Losses
        One measure of every algorithm on every split; of many data sets at once where its arrays
        have a batch axis after that of the algorithms.
    method : str
        A key of :func:`methods`.
    challenger, baseline : str or int
        B and A; baseline None estimates one algorithm alone.
    null : float
        The difference that a test tests.
    alternative : {"two-sided", "greater", "less"}
        The side of a discovery, about B − A in the measure's own units.
    level : float
        Error level of the intervals, and of a sequential test.
    most : int, optional
        M of a sequential test, the number of repetitions of the losses if not given.
    before : Estimate, optional
        What a sequential test said of the same question after fewer repetitions: its looks are
        kept, not computed again, where the test can.
    method_options : mapping, optional
        What the method itself can be told, by the names of its function in ``ef.infer``:
        ``{"boundary": "thesis"}`` of ``mx2-sequential-t``, ``{"lam": 0.5}`` of ``blocked-3x2-t``,
        ``{"prior": 0.5}`` of ``bayes-f1``.

    Returns
    -------
    Estimate

    Raises
    ------
    NotApplicable
        If the method does not fit the design or the measure, needs what a run does not have, or
        fits failed.

    Examples
    --------
    >>> import evenfold as ef
    >>> from evenfold.run.sample import sample
    >>> losses = sample(ef.Mx2BCV(3, random_state=0).partition(150))
    >>> e = ef.infer.estimate(losses, "mx2-t")
    >>> e.estimand, bool(e.value < -0.5)
    ('expected difference B − A at training size 75', True)
    """
    entry = select(method, design=of_losses(losses).partition.kind)
    level = fraction("level", level)
    b = losses.index(challenger)
    if baseline is None:
        a = None
    else:
        a = losses.index(baseline)
    options: dict[str, Any] = entry.check_options(method_options)
    if entry.sequential:
        so_far = len(losses.partition) // 2
        options |= {
            "level": level,
            "most": so_far if most is None else integer("most", most, low=2),
        }
    asked = Question(losses, b, a, entry.key)
    if not isinstance(before, LookingEstimate) or before.since is None:
        return entry.on_losses(asked, null=null, alternative=alternative, **options).at(level)
    later: Any = entry.on_losses(
        asked, null=null, alternative=alternative, since=before.since, **options
    )
    return later.following(before).at(level)  # type: ignore[no-any-return]  # a looking estimate

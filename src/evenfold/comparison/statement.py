"""
What the sentence of an answer says beside its numbers, as data.

Which models and which examples it is about, and what more would decide it.
"""

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from evenfold.comparison.criteria import Criteria
from evenfold.comparison.plan.table import (
    plan_of_answers,
    plan_path,
    plan_table,
    recommended_for_flips,
)
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Estimate, TestEstimate
from evenfold.core.facts.answers import Pair
from evenfold.core.losses import Losses, Quantity
from evenfold.core.note import WRITTEN, Note, note
from evenfold.core.words import precision
from evenfold.infer import methods
from evenfold.infer.effects import examples_needed, fewest, needed_noncentrality
from evenfold.infer.halves.influence import Parts, influence_pilot
from evenfold.infer.inputs.values import tested_times
from evenfold.infer.planning import power_of_gate


def judged_quantity(losses: Losses, method: str) -> Quantity:
    """Return what the verdict speaks of, where a method is about a part of the examples only."""
    about = methods()[method].estimand
    if about.form != "other":
        return losses.quantity
    return replace(losses.quantity, words=about.quantity, counts_wrong=False)


def subject(losses: Losses, rule: Criteria, *, alone: bool) -> Note:
    """
    Return which models the answer is about, and where examples come in groups, on which of them.

    One split has one model of each algorithm: what is tested there are these models, not their
    training.
    """
    kind = losses.partition.kind
    if kind.about:
        return note("about-results", about=kind.about, group=rule.group)
    size = rule.entry.n_train(losses.partition)
    if kind.is_one_split:
        return note("about-split-alone" if alone else "about-split", size=size)
    if kind.is_ordered:
        return note("about-path" if rule.entry.estimand.of else "about-windows", size=size)
    where = ""
    if _keeps_groups(losses):
        where = "new groups"
    if kind.is_by_source:
        where = "a new source" if rule.entry.estimand.varied == "sources" else "these sources"
    return note("about-models", size=size, where=where, group=rule.group)


def _keeps_groups(losses: Losses) -> bool:
    """Whether examples come in groups, and no tested example is in a group that trained."""
    of = losses.clusters
    partition = losses.partition
    if of is None or partition.kind.is_ordered:
        return False
    return not np.isin(of[partition.test[0]], of[partition.train[0]]).any()


# What an undecided answer could have found, and what a difference of the margin would take: the
# numbers of :func:`evenfold.plan` with the answer as its pilot. One formula, one number.


POWER = 0.8
_FEWEST = 8  # examples that a run can have
_FAR = 1000  # times as many: no advice any more


def reasons_undecided(losses: Losses, pair: Pair, rule: Criteria, found: Estimate) -> list[Note]:
    """Return why an answer that decides nothing does not, and what would."""
    if shows_no_difference(found, pair):
        return [note("same-values")]
    if found.undecided:  # of what a few examples hold nobody knows how many more would show it
        return [note(WRITTEN, text=found.undecided), *_scarce_class(losses)]
    remark = [note(WRITTEN, text=found.remark), *_scarce_class(losses)] if found.remark else []
    detectable = _detectable_note(found, pair, losses, rule)
    return remark if detectable is None else [*remark, detectable]


def _scarce_class(losses: Losses) -> Iterator[Note]:
    """Yield which class is the rarest, where the measure looks at how classes are ranked."""
    sizes = losses.class_sizes
    if sizes is None or losses.quantity.target != "labels":
        return
    label, examples = min(sizes.items(), key=itemgetter(1))
    which = f"of class {label}"
    if len(sizes) == 2:
        positive = losses.quantity.positive or list(sizes)[-1]
        which = "positive" if label == positive else "negative"
    yield note("few-of-class", examples=examples, total=sum(sizes.values()), which=which)


def _detectable_note(found: Estimate, pair: Pair, losses: Losses, rule: Criteria) -> Note | None:
    """
    Return which difference could have been found, and how much more one of the margin would take.

    What the difference that was seen would take is not said: it is a guess at the truth, and its
    square is in the number.
    """
    half = (pair.high - pair.low) / 2
    if not np.isfinite(half) or abs(pair.value) > half + rule.margin:
        return None  # nothing is known, or it was not the interval that left the question open
    if pair.low > 0 or pair.high < 0:
        # a difference was found: by how much is open, and no size that could be found answers that
        return None
    pilot = _pilot(losses, pair, rule)
    size = _detectable(pilot, found, half, losses, pair, rule)
    shown: dict[str, Any] = {
        "ratio": losses.quantity.ratio,
        "digits": precision(pair.value, pair.low, pair.high),
    }
    if size is None or not np.isfinite(size):
        return note("half-width", size=half, **shown)
    shown["power"] = POWER
    if not _is_gate(found, pair, losses, rule):  # else its power is said once, and of its margin
        shown["size"] = size
    if rule.margin:
        have, unit = _what_grows(losses, rule) if pilot is None else _planned_count(losses)
        needed = _needed(pilot, found, half, have, losses, pair, rule)
        if have and needed is not None and have < needed <= _FAR * have:
            shown |= {"needed": needed, "unit": unit}
    if "size" in shown or "needed" in shown:
        return note("detectable", **shown)
    return None


def _is_gate(found: Estimate, pair: Pair, losses: Losses, rule: Criteria) -> bool:
    """Whether the report says the power relative to the margin, as that of a gate."""
    if not (rule.margin or rule.not_worse) or rule.side != "two-sided" or losses.quantity.ratio:
        return False
    limits = (pair.value, pair.low, pair.high)
    return power_of_gate(found, limits, rule.margin, pair.level) is not None


def _side(rule: Criteria) -> str:
    if rule.not_worse:
        return "greater"
    return "two-sided"


def _pilot(losses: Losses, pair: Pair, rule: Criteria) -> Parts | None:
    """What single examples of halvings show, where the test looks at them."""
    halves = losses.partition.kind.is_halving
    if pair.baseline is None or not halves or not rule.entry.takes.closely:
        return None
    b = losses.index(pair.challenger)
    a = losses.index(pair.baseline)
    try:
        return influence_pilot(losses, rule.method, challenger=b, baseline=a)
    except NotApplicable:  # nothing varies
        return None


def _detectable(
    pilot: Parts | None,
    found: Estimate,
    half: float,
    losses: Losses,
    pair: Pair,
    rule: Criteria,
) -> float | None:
    """Return the difference that was found with a power of 80%; None where nobody knows."""
    if pilot is not None:
        m = rule.most or len(losses.partition) // 2
        return pilot.detectable(m=m, level=pair.level, alternative=_side(rule), power=POWER)
    known = _error_and_df(found)
    if known is None:
        return None
    error, df = known
    return needed_noncentrality(POWER, half / error, df, two_sided=not rule.not_worse) * error


def _needed(
    pilot: Parts | None,
    found: Estimate,
    half: float,
    have: int,
    losses: Losses,
    pair: Pair,
    rule: Criteria,
) -> float | None:
    """How many of what grows would find a difference of the margin, by the plan that fits."""
    if pilot is not None:
        side = _side(rule)
        m = rule.most or len(losses.partition) // 2

        def enough(n: int) -> bool:
            power = pilot.power(rule.margin, n=n, m=m, level=pair.level, alternative=side)
            return power >= POWER

        return fewest(enough, _FEWEST)
    kind = losses.partition.kind
    if pair.baseline is not None and (kind.about or kind.is_ordered):
        return _planned_number(losses, pair, rule)
    known = _error_and_df(found)
    if known is None or not have:
        return None
    error, df = known
    return examples_needed(
        rule.margin, n=have, standard_error=error, reach=half, df=df, power=POWER
    )


def _planned_number(losses: Losses, pair: Pair, rule: Criteria) -> int | None:
    """Of a table or a path, as a plan has it."""
    a = losses.index(str(pair.baseline))
    b = losses.index(pair.challenger)
    asked: dict[str, Any] = {"difference": rule.margin, "wanted": POWER}
    asked |= {"level": pair.level, "alternative": _side(rule)}
    try:
        if losses.partition.kind.is_ordered:
            return plan_path(losses, a, b, method=rule.method, **asked).needed
        if rule.method == recommended_for_flips():  # right and wrong answers have their own test
            return plan_of_answers(losses, a, b, **asked).units
        plan = plan_table(losses, a, b, method=rule.method, **asked)
    except NotApplicable:
        return None
    if plan.word:
        return plan.units
    return plan.runs


def _planned_count(losses: Losses) -> tuple[int, str]:
    """What the plan of a run counts, and how many there are."""
    grouped = losses.clusters is not None
    return losses.partition.n, "examples in groups like these" if grouped else "examples"


def _what_grows(losses: Losses, rule: Criteria) -> tuple[int, str]:
    """
    What the standard error falls with, and how many of it there are.

    Nothing where two things vary.
    """
    partition = losses.partition
    kind = partition.kind
    if kind.is_runs:
        return 0, ""
    if kind.is_seeds:
        return len(partition), "runs"
    if kind.is_ordered:
        if len(partition) > 1:
            return (len(partition), "windows")
        return (tested_times(partition), "times")
    if losses.clusters is not None:
        groups = int(losses.clusters.max()) + 1
        return groups, "clusters" if kind.about else "groups"
    if rule.entry.estimand.varied == "sources":
        return len(partition), "sources"
    if kind.is_one_split:
        return partition.n_test, "test examples"
    return partition.n, "examples"


def _error_and_df(found: Estimate) -> tuple[float, float] | None:
    """Return standard error and degrees of freedom of a test that has one of each; None else."""
    if not isinstance(found, TestEstimate) or not found.standard_error > 0:
        return None
    df = np.asarray(found.df)
    if df.ndim:
        return None
    return (float(found.standard_error), float(df))


def shows_no_difference(found: Estimate, pair: Pair) -> bool:
    """Whether two algorithms showed no difference at all."""
    return not any((pair.value, pair.low, pair.high)) or (
        isinstance(found, TestEstimate) and bool((found.value == 0) & (found.standard_error == 0))
    )

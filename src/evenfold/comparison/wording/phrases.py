"""
What an answer is about, in words.

Which models, which examples, and what more would decide it.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenfold.comparison.plan.needs import POWER, Needs
from evenfold.core.estimate import Estimate, TestEstimate
from evenfold.core.losses import Losses, Quantity
from evenfold.core.words import (
    format_confidence,
    format_count,
    format_number,
    group_words,
    join_words,
    measure_name,
    precision,
)
from evenfold.infer import Method, methods
from evenfold.infer.inputs.values import tested_times


def judged_quantity(losses: Losses, method: str) -> Quantity:
    """Return what the verdict speaks of, where a method is about a part of the examples only."""
    about = methods()[method].estimand
    if about.form != "other":
        return losses.quantity
    return replace(losses.quantity, words=about.quantity, counts_wrong=False)


def estimand_phrase(losses: Losses, entry: Method, *, alone: bool, group: str | None = None) -> str:
    """
    Say which models the answer is about, and where examples come in groups, on which of them.

    Groups are called by the name that the user gave. One split has one model of each algorithm:
    what is tested there are these models, not their training.
    """
    partition = losses.partition
    if partition.kind.about:
        return _name_groups(partition.kind.about, group)
    size = entry.n_train(partition)
    if partition.kind.is_one_split:
        if alone:
            whom = "this model"
        else:
            whom = "these two models"
        return f"for {whom}, trained on {format_count(size)} examples"
    if partition.kind.is_ordered:
        if entry.estimand.of:
            path = "these forecasts along this path, of "
        else:
            path = ""
        return f"for {path}models trained on the latest {format_count(size)} examples"
    one, many = group_words(group)
    if _keeps_groups(losses):
        where = f"on new {many}, "
    else:
        where = ""
    if partition.kind.is_by_source:
        where = f"on {f'a new {one}' if entry.estimand.varied == 'sources' else f'these {many}'}, "
    return f"{where}for models trained on {format_count(size)} examples"


def _name_groups(about: str, group: str | None) -> str:
    """Call groups of examples by the user's name for them."""
    if group is None:
        return about
    return about.replace("groups of examples", group_words(group)[1])


def _keeps_groups(losses: Losses) -> bool:
    """Whether examples come in groups, and no tested example is in a group that trained."""
    of = losses.clusters
    partition = losses.partition
    if of is None or partition.kind.is_ordered:
        return False
    trained = np.zeros(int(of.max()) + 1, dtype=bool)
    trained[of[partition.train[0]]] = True
    return not trained[of[partition.test[0]]].any()


def estimand(
    losses: Losses,
    entry: Method,
    pairs: Sequence[tuple[str | None, str]],
    *,
    group: str | None = None,
) -> str:
    """Return what the numbers are about, with the training size, in this comparison's names."""
    size = entry.n_train(losses.partition)
    about = entry.estimand
    one_split = losses.partition.kind.is_one_split
    if one_split or about.quantity:
        expected = ""
    else:
        expected = "expected "
    named = _measure_of_pairs(losses.quantity, pairs)
    if one_split:  # which models of one split are meant is said below
        of = ""
    else:
        of = about.of
    one, many = group_words(group)
    of = of.replace("a new source", f"a new {one}").replace("these sources", f"these {many}")
    said = f"{expected}{named} {of}".strip()
    if about.form == "other":
        said = str(about)
    if losses.partition.kind.about:
        return f"{named} {_name_groups(losses.partition.kind.about, group)}"
    if one_split:
        if len(pairs) == 1 and pairs[0][0] is None:
            whose = "as it was"
        else:
            whose = "of the models"
        return f"{said} {whose} trained on {format_count(size)} examples"
    return f"{said} at training size {format_count(size)}"


def _measure_of_pairs(quantity: Quantity, pairs: Sequence[tuple[str | None, str]]) -> str:
    what = measure_name(quantity)
    if not pairs:
        return what
    if all(a is None for a, _ in pairs):
        return f"{what} of {join_words(b for _, b in pairs)}"
    (a, b) = pairs[0]
    if quantity.ratio:
        sign = "/"
    else:
        sign = "−"
    if len(pairs) > 1:
        set_against = quantity.against
    else:
        set_against = f"{b} {sign} {a}"
    return f"{quantity.contrast} {what}, {set_against},"


def units(losses: Losses) -> int:
    """How many independent things were tested: sources, clusters, times, or examples."""
    partition = losses.partition
    if partition.kind.is_by_source:
        return len(partition)
    if partition.kind.is_ordered:
        return tested_times(partition)
    if losses.clusters is not None:
        return int(losses.clusters.max()) + 1
    if partition.kind.is_one_split:
        return partition.n_test
    return partition.n


def detectable_phrase(
    found: Estimate, limits: tuple[float, float, float], margin: float, losses: Losses, needs: Needs
) -> str:
    """
    Say which difference could have been found, and how much more one of the margin would take.

    What the difference that was seen would take is not said: it is a guess at the truth, and its
    square is in the number.
    """
    value, low, high = limits
    half = (high - low) / 2
    if gave_the_same(found, limits):
        return "they gave the same values everywhere"
    if not np.isfinite(half) or abs(value) > half + margin:
        return ""  # nothing is known, or it was not the interval that left the question open
    if low > 0 or high < 0:
        # a difference was found: by how much is open, and no size that could be found answers that
        return ""
    detectable = needs.detectable(found, half)
    digits = precision(value, low, high)
    if detectable is None:
        return f"the half-width of the interval is {_size(half, losses.quantity, digits)}"
    if losses.quantity.ratio:
        what = "ratio"
    else:
        what = "difference"
    size = _size(detectable, losses.quantity, digits)
    could = f"a {what} of about {size} could have been found (power {format_confidence(1 - POWER)})"
    if margin > 0 and not found.undecided:
        enough = needs.margin(found, half, margin)
    else:
        enough = ""
    if enough:
        return f"{could}; one as large as the margin takes {enough}"
    return could


def _size(amount: float, quantity: Quantity, digits: int) -> str:
    """Write the size of a difference; of logarithms the ratio that it is."""
    if quantity.ratio:
        return f"{np.exp(amount):.2g}"
    return format_number(amount, digits=digits)


def gave_the_same(found: Estimate, limits: tuple[float, float, float]) -> bool:
    """Whether two algorithms showed no difference at all."""
    return not any(limits) or (
        isinstance(found, TestEstimate) and bool((found.value == 0) & (found.standard_error == 0))
    )

"""Whether an answer changes with the training size, in words."""

import math
from collections.abc import Sequence

from evenfold.core.facts.answers import Sizes, Step
from evenfold.core.losses import Quantity, measure_name
from evenfold.core.note import says
from evenfold.core.words import format_confidence, format_number, interval, join_words


@says("sizes-differ")
def sizes_differ(
    *, n_train: Sequence[int], outcomes: Sequence[str], values: Sequence[float], digits: int
) -> str:
    """Say first that the answer depends on the training size."""
    on = [f"on {n}{' examples' if k == 0 else ''}" for k, n in enumerate(n_train)]
    if len(set(outcomes)) > 1:
        parts = [f"{outcome} {where}" for outcome, where in zip(outcomes, on, strict=True)]
        return f"the verdict depends on the training size, {join_words(parts)}"
    numbers = [format_number(value, digits=digits) for value in values]
    parts = [f"{number} {where}" for number, where in zip(numbers, on, strict=True)]
    return f"the sign depends on the training size: B − A is {join_words(parts)}"


def sizes_sentence(
    sizes: Sizes, baseline: str | None, challenger: str, quantity: Quantity, level: float
) -> str:
    """Return what changes, from what to what, and how surely."""
    change, sign = size_change(sizes, baseline, challenger, quantity)
    of = f"{' → '.join(str(step.n_train) for step in sizes.at)} training examples"
    steps = [
        f"{_change_text(step, sign, sizes.digits)} from {step.sizes[0]} to {step.sizes[1]}"
        for step in sizes.steps
    ]
    whole = _change_text(sizes, sign, sizes.digits, f", {format_confidence(level)} CI ")
    return f"{change} ({of}; change {'; '.join([whole, *steps])})"


def size_change(
    sizes: Sizes, baseline: str | None, challenger: str, quantity: Quantity
) -> tuple[str, float]:
    """Return what changes, and the sign that turns B − A into it: changes of a lead have its."""
    if baseline is None:
        return _value_change(sizes, challenger, quantity), 1.0
    return _lead(sizes, baseline, challenger, quantity)


def _value_change(sizes: Sizes, challenger: str, quantity: Quantity) -> str:
    if not sizes.decided:
        how = _no_change(sizes)
    elif quantity.improvement(sizes.value) > 0:
        how = "gets better"
    else:
        how = "gets worse"
    path = " → ".join(format_number(at.value, digits=sizes.digits) for at in sizes.at)
    return f"the {measure_name(quantity)} of {challenger} {how} with more data: {path}"


def _no_change(sizes: Sizes) -> str:
    """What is said where the smallest and the largest size do not differ beyond chance."""
    if any(step.decided for step in sizes.steps):
        return "varies"
    return "shows no clear change"


def _change_text(estimate: Sizes | Step, sign: float, digits: int, between: str = ", CI ") -> str:
    low, high = sorted((sign * estimate.low, sign * estimate.high))
    limits = interval(low, high, digits=digits)
    return f"{format_number(sign * estimate.value, digits=digits)}{between}{limits}"


def _lead(sizes: Sizes, baseline: str, challenger: str, quantity: Quantity) -> tuple[str, float]:
    """Say whose lead it is and whether it grows; and how the lead follows from B − A."""
    leads = [quantity.improvement(at_size.value) for at_size in sizes.at]
    names = {True: challenger, False: baseline}
    amounts = [format_number(abs(x), digits=sizes.digits) for x in leads]
    if min(leads) * max(leads) < 0:
        known = ", within chance"
        if sizes.decided:
            known = ""
        path = ", then ".join(
            f"{names[x > 0]} by {size}" for x, size in zip(leads, amounts, strict=True)
        )
        return f"the lead changes hands with more data{known}: {path}", 1.0
    if not any(leads):
        return "no difference at either size", 1.0
    ahead = sum(leads) > 0
    if not sizes.decided:
        how = _no_change(sizes)
    elif abs(leads[-1]) < abs(leads[0]):
        how = "shrinks"
    else:
        how = "grows"
    words = (
        f"the lead of {names[ahead]} over {names[not ahead]} {how} with more data: "
        f"{' → '.join(amounts)}"
    )
    return words, quantity.improvement(math.copysign(1.0, sum(leads)))

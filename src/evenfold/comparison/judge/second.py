"""A second line beside the verdict of folds whose single examples are known: what the limit theorem says."""

from evenfold.comparison.wording.notes import without_warnings
from evenfold.core.errors import EvenfoldError
from evenfold.core.estimate import TestEstimate
from evenfold.core.losses import Losses
from evenfold.core.words import interval, percent, precision, shown
from evenfold.infer import estimate, methods
from evenfold.infer.inputs import Blocks


def second_line(losses: Losses, baseline: str | None, challenger: str, *, level: float) -> str:
    """
    Say what a test on the values of single examples finds, marked as what it is; nothing where there is none.

    It is sharper than a test on the means of folds, and liberal: training sets are not in its variance.
    """
    keys = [
        entry.key
        for entry in methods().values()
        if entry.family == "test" and isinstance(entry.takes, Blocks) and entry.fits(losses.partition.kind)
    ]
    if not keys or losses.examples is None:
        return ""
    try:
        with without_warnings():
            found = estimate(losses, keys[0], challenger=challenger, baseline=baseline, level=level)
    except EvenfoldError:  # too few examples in a fold
        return ""
    assert isinstance(found, TestEstimate)
    value = float(found.value)
    low, high = (float(end) for end in found.confidence_interval())
    digits = precision(value, low, high)
    limits = f"{percent(level)} interval {interval(low, high, digits=digits)}"
    leaning = methods()[keys[0]].leaning
    return f"by single examples, {keys[0]} ({leaning}) says {shown(value, digits=digits)} ({limits})"

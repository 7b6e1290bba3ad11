"""Which method a table gets: one that holds where losses are rare and large, where that may matter."""

from collections.abc import Sequence

import numpy as np

from evenfold.comparison.ask import Asked
from evenfold.comparison.judge.question import Arranged
from evenfold.comparison.setup import usual_method_of, what_is_left
from evenfold.core.losses import Losses
from evenfold.core.partition import TEST_SET
from evenfold.infer import methods, recommended
from evenfold.infer.inputs.tables import value_range
from evenfold.infer.many.adjust import ADJUSTMENTS

_FEW = 20  # examples that differ: with so many the t-test of "no difference" errs .06 at most


def method_of(found: Arranged, pairs: Sequence[tuple[str | None, str]], asked: Asked) -> str:
    """
    Return the method of a table where none was asked for.

    A question about a margin, or a table in which few examples differ, gets a method that holds its level
    where losses are rare and large. A joint law of several pairs is one of t-tests.
    """
    losses = found.losses
    joint = ADJUSTMENTS[asked.adjust].joint and len(pairs) > 1
    alone = any(a is None for a, _ in pairs)
    one_each = losses.partition.kind == TEST_SET and found.right is not None  # right or wrong
    about_margin = asked.not_worse or asked.margin > 0
    ranged = value_range(losses) is not None
    if joint or alone or one_each or not ranged or not (about_margin or _few_differ(losses, pairs)):
        return usual_method_of(losses, joint=joint)
    return recommended(losses.partition.kind, measure=what_is_left(losses), gate=True)


def _few_differ(losses: Losses, pairs: Sequence[tuple[str | None, str]]) -> bool:
    """Whether some pair gives other values on a few examples only, of a test set that is not itself small."""
    if losses.partition.kind != TEST_SET or losses.examples is None or not np.isfinite(losses.quantity.width):
        return False
    if losses.partition.n < _FEW:
        return False
    rows = {
        name: np.asarray(losses.examples[losses.index(name)][0]) for pair in pairs for name in pair if name
    }
    return any(int((rows[a] != rows[b]).sum()) < _FEW for a, b in pairs if a is not None)


def range_note(losses: Losses, method: str) -> str:
    """Say which range was taken for granted, where the method needs one and the measure has none."""
    needs = "low" in methods()[method].takes.keywords
    if not needs or np.isfinite(losses.quantity.width):
        return ""
    return "the bound takes values to lie between 0 and 1, as all of this table do: name a measure if not"

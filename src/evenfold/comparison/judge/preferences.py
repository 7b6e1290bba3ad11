"""Battles of two models: how often the answer of B is preferred, ties split."""

from dataclasses import replace

from evenfold.comparison.result import Comparison
from evenfold.core.words import format_confidence, format_number, interval, one_line
from evenfold.read.results.battles import WIN_RATE


def add_preference(comparison: Comparison) -> Comparison:
    """
    Add to an answer about battles how often B is preferred; others are returned as they are.

    With ties split that is (1 + d)/2, where d is the win rate of B less that of A.
    """
    facts = comparison.facts
    if facts.measure != WIN_RATE or len(facts.pairs) != 1 or facts.pairs[0].baseline is None:
        return comparison
    pair = facts.pairs[0]
    low = (1 + pair.low) / 2
    high = (1 + pair.high) / 2
    share = format_number(50 * (1 + pair.value), digits=1)
    note = (
        f"with ties split {one_line(pair.challenger)} is preferred in {share}% of the battles "
        f"({format_confidence(pair.level)} CI {interval(100 * low, 100 * high, digits=1)})"
    )
    return replace(comparison, facts=replace(facts, notes=(note, *facts.notes), flips=()))

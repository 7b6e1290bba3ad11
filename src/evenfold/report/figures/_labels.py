"""Short names for figures that still tell algorithms apart."""

from collections.abc import Sequence

from evenfold.core.facts.comparison import Facts
from evenfold.core.words import short


def labels(order: Sequence[str], most: int) -> dict[str, str]:
    """
    Return a short form of every name; where two would look alike, all are numbered in this order.

    Examples
    --------
    >>> labels(["tree", "forest"], 12)
    {'tree': 'tree', 'forest': 'forest'}
    >>> list(labels(["forest of one hundred trees", "forest of two hundred trees"], 12).values())
    ['1 fores…trees', '2 fores…trees']
    """
    plain = {name: short(name, most) for name in order}
    if len(set(plain.values())) == len(plain):
        return plain
    return {name: f"{k} {short(name, most - 2)}" for k, name in enumerate(order, start=1)}


def best_first(facts: Facts) -> list[str]:
    """Return all names in the order of the ranking; those that it leaves out come last."""
    ranked = [one.name for one in facts.candidates]
    return ranked + [name for name in facts.algorithms if name not in ranked]

"""Short names for figures that still tell algorithms apart."""

from evenfold.core.facts.comparison import Facts
from evenfold.core.words import short


def labels(facts: Facts, most: int) -> dict[str, str]:
    """
    Return a short form of every name; where two would look alike, all are numbered as in the ranking.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from evenfold.report.sample import sample
    >>> labels(sample(), 12)
    {'tree': 'tree', 'forest': 'forest'}
    >>> names = ("forest of one hundred trees", "forest of two hundred trees")
    >>> list(labels(replace(sample(), algorithms=names), 12).values())
    ['1 fores…trees', '2 fores…trees']
    """
    order = [one.name for one in facts.candidates]
    order += [name for name in facts.algorithms if name not in order]
    plain = {name: short(name, most) for name in order}
    if len(set(plain.values())) == len(plain):
        return plain
    return {name: f"{k} {short(name, most - 2)}" for k, name in enumerate(order, start=1)}

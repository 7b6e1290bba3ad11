"""Facts of a measure whose values are logarithms, as they are shown: values and ratios."""

from dataclasses import replace
from typing import TypeVar

import numpy as np

from evenfold.core.facts.comparison import Candidate, Facts, Look, Pair, Summary

_Interval = TypeVar("_Interval", Pair, Look, Candidate)


def as_ratios(facts: Facts) -> Facts:
    """Return facts without logarithms: geometric means, and B / A with its interval."""
    return replace(
        facts,
        summaries=tuple(map(_summary, facts.summaries)),
        values=tuple(tuple(_exp(row)) for row in facts.values),
        pairs=tuple(map(_pair, facts.pairs)),
        candidates=tuple(map(_interval, facts.candidates)),
    )


def _exp(values: tuple[float, ...]) -> list[float]:
    found: list[float] = np.exp(np.asarray(values, dtype=float)).tolist()
    return found


def _summary(one: Summary) -> Summary:
    mean, low, high = _exp((one.mean, one.low, one.high))
    return replace(one, mean=mean, low=low, high=high)


def _interval(one: _Interval) -> _Interval:
    value, low, high = _exp((one.value, one.low, one.high))
    return replace(one, value=value, low=low, high=high)


def _pair(pair: Pair) -> Pair:
    """A standard error is that of a logarithm: none is shown."""
    path = tuple(map(_interval, pair.path))
    differences = tuple(_exp(pair.differences))
    return replace(_interval(pair), differences=differences, path=path, standard_error=None)

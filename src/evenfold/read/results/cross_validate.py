"""What scikit-learn's ``cross_validate`` returns, one dict per algorithm, with its splitter."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.read.results._base import Given, Long, Reader, each_is, named_apart, register, with_gaps
from evenfold.read.results.wide import stacked

_SCORES = "test_"


@register
class CrossValidated(Reader):
    """A mapping of names to dicts of ``cross_validate``: one score per split; higher is better there."""

    key = "cross-validate"
    takes = "a mapping of algorithm to what cross_validate returned, with cv= and n="

    def knows(self, table: Any, given: Given) -> bool:  # noqa: ARG002  (one signature)
        return each_is(table, _is_validated)

    def read(self, table: Any, given: Given) -> Long:
        first = next(iter(table.values()))
        names = [key.removeprefix(_SCORES) for key in first if _is_score(key)]
        name = names[0] if len(names) == 1 else given.score(names, "the table has several scores")
        values = {}
        for algorithm, scores in named_apart(table).items():
            if f"{_SCORES}{name}" not in scores:
                refuse(f"scores of {algorithm!r}", f"with {_SCORES}{name}", ", ".join(scores))
            values[algorithm] = np.atleast_1d(with_gaps(scores[f"{_SCORES}{name}"]))
        lengths = {len(one) for one in values.values()}
        if len(lengths) > 1:
            refuse("scores", "as many for every algorithm", ", ".join(map(str, sorted(lengths))))
        rows = given.rows or ("folds" if given.cv is None or not hasattr(given.cv, "split") else "splits")
        long = stacked(values, {}, replace(given, rows=rows))
        return replace(long, measure=name, higher_is_better=True)


def _is_score(key: Any) -> bool:
    return isinstance(key, str) and key.startswith(_SCORES)


def _is_validated(one: Any) -> bool:
    return isinstance(one, Mapping) and any(map(_is_score, one))

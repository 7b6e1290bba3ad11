"""``cv_results_`` of scikit-learn's searches: every candidate is an algorithm, every split a score."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from evenfold.core.words import unused
from evenfold.read.results._base import Given, Long, Reader, register, with_gaps
from evenfold.read.results._frames import as_frame
from evenfold.read.results._numbers import parsed
from evenfold.read.results.wide import stacked

_SPLIT = re.compile(r"split(\d+)_test_(.+)")


@register
class SearchResults(Reader):
    """A fitted search, or its ``cv_results_``, as a mapping or as a frame."""

    key = "cv-results"
    takes = "a fitted GridSearchCV or its cv_results_, with n="

    def knows(self, table: Any, given: Given) -> bool:  # noqa: ARG002  (one signature)
        found = _columns(table)
        return "params" in found and any(_SPLIT.fullmatch(str(key)) for key in found)

    def read(self, table: Any, given: Given) -> Long:
        found = _columns(table)
        if given.cv is None and hasattr(table, "cv_results_"):
            given = replace(given, cv=_splitter(table))
        scores = [match.groups() for key in found if (match := _SPLIT.fullmatch(str(key)))]
        names = sorted({name for _, name in scores})
        name = names[0] if len(names) == 1 else given.score(names, "the search has several scores")
        splits = sorted(int(j) for j, of in scores if of == name)
        columns = [parsed(with_gaps(found[f"split{j}_test_{name}"])) for j in splits]
        values = dict(zip(_candidates(found["params"]), np.column_stack(columns), strict=True))
        rows = given.rows or ("splits" if hasattr(given.cv, "split") else "folds")
        long = stacked(values, {}, replace(given, rows=rows))
        return replace(long, measure=name, higher_is_better=True)


def _columns(table: Any) -> Mapping[str, Any]:
    """The columns of ``cv_results_``: of a search, as a mapping, or as a frame; none of anything else."""
    found = getattr(table, "cv_results_", table)
    if isinstance(found, Mapping):
        return found
    frame = as_frame(found)
    return {} if frame is None else {name: frame[name].to_list() for name in frame.columns}


def _splitter(search: Any) -> Any:
    """The splitter of a fitted search where it says it; an int or None means folds."""
    cv = search.cv
    return cv if hasattr(cv, "split") else None


def _candidates(params: Any) -> list[str]:
    """The candidates by what distinguishes them; numbered where they print alike."""
    names: list[str] = []
    for one in params:
        names.append(unused(one if isinstance(one, str) else _candidate(one), names))
    return names


def _candidate(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in params.items()) or "default"

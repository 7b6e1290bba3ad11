"""Judge algorithms on several data sets: each data set first, then what holds over all of them."""

from dataclasses import replace
from typing import Any

import numpy as np

from evenfold.comparison.across import AcrossCriteria, AcrossDataSets, summarise
from evenfold.comparison.gather import facts_of
from evenfold.comparison.judge.api import KEEP, judge_table
from evenfold.comparison.judge.arrange import TableOptions, column, left_out, what_varied
from evenfold.comparison.judge.runs import one_value
from evenfold.comparison.judge.values import measure_of_table
from evenfold.comparison.result import Comparison
from evenfold.core.checks import Advice, refuse, short_repr
from evenfold.core.errors import InvalidInput
from evenfold.core.inputs import Results
from evenfold.core.words import list_first_values
from evenfold.infer.adjust import ADJUSTMENTS
from evenfold.infer.family import Criteria, default_method

_TEST = "wilcoxon"


def compare_over_data_sets(
    results: Results, measure: Any, options: TableOptions, criteria: Criteria
) -> AcrossDataSets:
    """Judge every data set by what varied in it, or take its one value, and judge them together."""
    if criteria.alternative != "two-sided":
        refuse(
            "alternative",
            "alternative must be 'two-sided' over data sets, where a test by ranks decides, but "
            f"got {short_repr(criteria.alternative)}.",
        )
    keep = options.on_missing == KEEP
    if not keep:
        results = _complete(results, drop=options.drop)
    options = replace(options, on_missing="refuse" if keep else options.on_missing)
    data_sets = column(results, "dataset")
    parts = {
        str(label): replace(results.take(data_sets.codes == i), dataset=None)
        for i, label in enumerate(data_sets.labels)
    }
    across = AcrossCriteria(
        test=_TEST,
        # Ranks over data sets have no joint distribution, so they get their own default.
        adjust=None if ADJUSTMENTS[criteria.adjust].joint else criteria.adjust,
        margin=criteria.margin,
        level=criteria.level,
        baseline=criteria.baseline,
    )
    across.check(len(results.names))
    each = {}
    for name, part in parts.items():
        present = _algorithms_present(part)
        baseline = criteria.baseline if criteria.baseline in present.names else None
        of_data_set = replace(criteria, adjust=Criteria().adjust, baseline=baseline)
        try:
            varied = what_varied(present)
        except InvalidInput:
            each[name] = _single(present, measure, options, of_data_set)
        else:
            each[name] = judge_table(present, varied, measure, options, of_data_set)
    return summarise(
        each, across, call="ef.judge(table)", algorithms=results.names if keep else None
    )


def _algorithms_present(part: Results) -> Results:
    """Return one data set with the algorithms that were run on it."""
    there = np.unique(part.algorithm)
    if len(there) == len(part.names):
        return part
    return replace(
        part,
        names=tuple(part.names[i] for i in there),
        algorithm=np.searchsorted(there, part.algorithm),
    )


def _complete(results: Results, *, drop: bool) -> Results:
    """Leave out data sets that not every algorithm has, or refuse them."""
    data_sets = column(results, "dataset")
    there = np.zeros((len(results.names), len(data_sets)), dtype=bool)
    there[results.algorithm, data_sets.codes] = True
    lacking = np.asarray(~there.all(axis=0))
    if not lacking.any():
        return results
    names = list_first_values(data_sets.labels[lacking])
    if not drop:
        refuse(
            "table",
            "The table must have a value of every algorithm on every data set but some algorithm "
            f"has none on {names}.",
            Advice("Pass ", {"on_missing": ("drop", "keep")}, "."),
        )
    # The first algorithm is the baseline: what only it lacks was not chosen by any candidate.
    dropped = left_out(lacking, "data sets", partial=not there[1:].all())
    kept = results.take(~lacking[data_sets.codes])
    return replace(kept, notes=(*kept.notes, dropped))


def _single(part: Results, measure: Any, options: TableOptions, criteria: Criteria) -> Comparison:
    """Return one value of each algorithm, without an answer, as one block among others."""
    if options.method is not None:
        refuse(
            "method",
            "method must be left out where a data set has one value of each algorithm but got "
            f"{options.method!r}.",
            "A test by ranks decides over data sets.",
        )
    measured = measure_of_table(
        part,
        measure,
        higher_is_better=options.higher_is_better,
        positive=options.positive,
        per_example=False,
    )
    losses = one_value(measured).losses
    rule = replace(criteria, method=default_method(losses))
    facts = facts_of(losses, [], rule, design="one value", call="", notes=part.notes)
    return Comparison(pairs=(), losses=losses, facts=facts)

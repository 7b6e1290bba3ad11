"""
Algorithms on several data sets.

Each is judged by itself, then what holds over all of them is asked.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from evenfold.comparison.across.api import AcrossDataSets, summarise
from evenfold.comparison.across.pairs import AcrossAsked
from evenfold.comparison.answer import DecisionRule
from evenfold.comparison.gather import gather
from evenfold.comparison.judge.api import KEEP, TableOptions, judge_table
from evenfold.comparison.judge.arrange import what_varied
from evenfold.comparison.judge.models import one_value
from evenfold.comparison.judge.question import TableQuestion, column
from evenfold.comparison.judge.values import measure_of_table
from evenfold.comparison.request import Criteria, usual_method_of
from evenfold.comparison.result import Comparison
from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput
from evenfold.core.facts.comparison import PartialNote
from evenfold.core.inputs import Results
from evenfold.core.words import list_first_values
from evenfold.run import Run

_TEST = "wilcoxon"


def over_data_sets(
    results: Results, measure: Any, said: TableOptions, asked: Criteria
) -> AcrossDataSets:
    """Judge every data set by what varied in it, or take its one value, and ask over all."""
    if asked.alternative != "two-sided":
        remedy = "a test by ranks decides who is better, whatever the margin"
        refuse("alternative", "'two-sided' over data sets", asked.alternative, remedy)
    keep = said.on_missing == KEEP
    if not keep:
        results = _complete(results, drop=said.on_missing == "drop")
    said = replace(said, on_missing="refuse" if keep else said.on_missing)
    data_sets = column(results, "dataset")
    parts = {
        str(label): replace(results.take(data_sets.codes == i), dataset=None)
        for i, label in enumerate(data_sets.labels)
    }
    across = AcrossAsked(
        test=_TEST,
        adjust=asked.adjust,
        margin=asked.margin,
        level=asked.level,
        baseline=asked.baseline,
    )
    across.check(len(results.names))
    each = {
        name: _judge_data_set(
            _algorithms_present(part), measure, said, _terms_of_data_set(part, asked)
        )
        for name, part in parts.items()
    }
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


def _terms_of_data_set(part: Results, asked: Criteria) -> Criteria:
    """What is asked of one data set: the baseline only if it was run there, adjusted in any way."""
    there = {part.names[i] for i in np.unique(part.algorithm)}
    return replace(
        asked, adjust="holm", baseline=asked.baseline if asked.baseline in there else None
    )


def _complete(results: Results, *, drop: bool) -> Results:
    """Leave data sets out that not every algorithm has, or name them."""
    data_sets = column(results, "dataset")
    there = np.zeros((len(results.names), len(data_sets)), dtype=bool)
    there[results.algorithm, data_sets.codes] = True
    lacking = np.asarray(~there.all(axis=0))
    if not lacking.any():
        return results
    names = list_first_values(data_sets.labels[lacking])
    if not drop:
        rule = "have a value of every algorithm on every data set"
        refuse(
            "table", rule, f"some algorithm has none on {names}", "pass on_missing='drop' or 'keep'"
        )
    note = (
        f"{int(lacking.sum())} of {len(lacking)} data sets that not every algorithm has were "
        "left out"
    )
    if not there[1:].all():  # what the first, the baseline, lacks was not chosen by any candidate
        note = PartialNote(note)
    kept = results.take(~lacking[data_sets.codes])
    return replace(kept, notes=(*kept.notes, note))


def _judge_data_set(part: Results, measure: Any, said: TableOptions, asked: Criteria) -> Comparison:
    try:
        varied = what_varied(part)
    except InvalidInput:
        return _single(part, measure, said, asked)
    return judge_table(part, varied, measure, said, asked)


def _single(part: Results, measure: Any, said: TableOptions, asked: Criteria) -> Comparison:
    """One value of each algorithm: no error of its own, but a block among others."""
    if said.method is not None:
        remedy = "leave it out: a test by ranks decides over data sets"
        refuse(
            "method", "None where a data set has one value of each algorithm", said.method, remedy
        )
    one = measure_of_table(
        part,
        measure,
        higher_is_better=said.higher_is_better,
        positive=said.positive,
        per_example=False,
    )
    losses = one_value(TableQuestion(results=part, measured=one)).losses
    rule = DecisionRule(criteria=asked, method=usual_method_of(losses))
    run = Run(losses={losses.measure: losses}, fits=0, reused=0, speculative=0, seed=0)
    facts = gather(run, losses, [], rule, design="one value", call="", notes=part.notes)
    return Comparison(pairs=(), losses=losses, facts=facts, fits=0, reused=0)

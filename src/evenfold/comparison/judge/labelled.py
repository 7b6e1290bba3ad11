"""
Judge by few labels and many scores of a judge.

The answer is about the labels; the scores only make its interval shorter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.gather import comparison_of
from evenfold.comparison.judge.arrange import (
    TableOptions,
    TestedCut,
    Varied,
    baseline_first,
    complete,
    grid,
    losses_of,
    one_per,
    partition_of,
    what_varied,
)
from evenfold.comparison.judge.values import TableMeasure, measure_of_table
from evenfold.comparison.result import Comparison
from evenfold.core.checks import refuse, short_repr
from evenfold.core.inputs import Results
from evenfold.core.losses import Losses
from evenfold.core.note import Note, note
from evenfold.core.partition import LABELLED, LABELLED_CLUSTERS
from evenfold.core.words import format_count
from evenfold.infer import prediction_powered_t
from evenfold.infer.family import Criteria, Names, default_method
from evenfold.read.results import read_results

Floats = NDArray[np.float64]
_FEWEST = 3  # labels: fewer do not determine a slope


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class LabelledExamples:
    """
    Labels and scores (algorithms, examples), the labelled examples first.

    A label that is missing is NaN.
    """

    labels: Floats
    scores: Floats
    clusters: NDArray[np.intp] | None
    notes: tuple[Note, ...]

    @property
    def count(self) -> int:
        """How many examples have labels."""
        return int((~np.isnan(self.labels[0])).sum())


def judge_labelled(
    table: Any,
    labels: str | None,
    scores: str | None,
    measure: Any,
    options: TableOptions,
    criteria: Criteria,
) -> Comparison:
    """Judge by the labels of some examples with the help of a judge's scores of all of them."""
    for name, column, other in (("labels", labels, "scores"), ("scores", scores, "labels")):
        if not isinstance(column, str):
            refuse(
                name,
                f"{name} must be the name of a column because {other} is given but got "
                f"{short_repr(column)}.",
            )
    if isinstance(measure, (list, tuple)):
        refuse(
            "measure",
            "measure must be a single one where there are labels and scores but got "
            f"{len(measure)} of them.",
        )
    labelled = _read_as_values(table, labels, "drop", options, criteria)
    scored = _read_as_values(table, scores, options.on_missing, options, criteria)
    if what_varied(scored) is not Varied.EXAMPLES:
        varied = ", ".join(scored.varied)
        refuse(
            "table",
            "The table must have one row per algorithm and example where there are labels and "
            f"scores but it has the columns {varied}.",
            "Average over runs, or ask about one task.",
        )
    missing = [name for name in scored.names if name not in labelled.names]
    if missing:
        refuse(
            "labels", f"labels must be given for every algorithm but got none for {missing[0]!r}."
        )
    measured = measure_of_table(
        labelled,
        measure,
        higher_is_better=options.higher_is_better,
        positive=None,
        per_example=True,
    )
    examples = _match_labels(labelled, scored, drop=options.drop)
    losses = _losses(measured, examples)
    criteria = criteria.with_pairs_of(losses.algorithms)
    criteria.check_adjustment(len(losses.algorithms))
    rule = replace(criteria, method=options.method or default_method(losses))
    number = examples.scores.shape[1]
    design = (
        f"{format_count(examples.count)} of {format_count(number)} examples with labels, all "
        "with scores"
    )
    notes = (*_label_saving_notes(losses, rule.pairs, examples), *examples.notes)
    call = "ef.judge(table, labels=…, scores=…)"
    return comparison_of([losses], [rule], design=design, call=call, notes=notes, strict=True)


def _read_as_values(
    table: Any, column: str | None, on_missing: str, options: TableOptions, criteria: Criteria
) -> Results:
    """Read the table with one of its columns as the values."""
    results = read_results(
        table,
        columns={**(options.columns or {}), "value": str(column)},
        rows=options.rows,
        on_missing=on_missing,
    )
    return baseline_first(replace(results, notes=()), criteria.baseline)


def _match_labels(labelled: Results, scored: Results, *, drop: bool) -> LabelledExamples:
    """Match labels and scores by the ids of examples."""
    row_grid, dropped = complete(grid(scored, ["example"]), scored, ["example"], drop=drop)
    if scored.value is None or labelled.value is None:
        refuse(None, "labels and scores must be columns of numbers.")
    scores = scored.value[row_grid.rows]
    label_grid = grid(labelled, ["example"])
    labels = np.full(scores.shape, np.nan)
    place = {label: k for k, label in enumerate(row_grid.ids.tolist())}
    here = np.array([place.get(label, -1) for label in label_grid.ids.tolist()])
    whole = (label_grid.rows >= 0).all(axis=0)
    partly = int((~whole & (here >= 0)).sum())
    known = whole & (here >= 0)
    # The algorithms of both tables are in the same order: the baseline first, then by name.
    labels[:, here[known]] = labelled.value[label_grid.rows[:, known]]
    order = np.argsort(np.isnan(labels[0]), kind="stable")
    count = int((~np.isnan(labels[0])).sum())
    if count < _FEWEST or count > scores.shape[1] - 2:
        refuse(
            "labels",
            f"labels must be given for at least {_FEWEST} examples and missing for at least two "
            f"but got {count:,} for {scores.shape[1]:,} examples.",
            "Without scores of unlabelled examples, use a column 'value' alone.",
        )
    clusters = None
    if scored.group is not None:
        codes = one_per(row_grid, scored.group.codes, "group")
        clusters = np.unique(codes, return_inverse=True)[1].astype(np.intp)[order]
    if partly:
        dropped = (*dropped, note("partly-labelled", examples=partly))
    return LabelledExamples(
        labels=labels[:, order],
        scores=scores[:, order],
        clusters=clusters,
        notes=dropped,
    )


def _losses(measured: TableMeasure, examples: LabelledExamples) -> Losses:
    n = examples.scores.shape[1]
    kind = LABELLED if examples.clusters is None else LABELLED_CLUSTERS
    values = [
        [float(_estimate(labels, scores, examples).value)]
        for labels, scores in zip(examples.labels, examples.scores, strict=True)
    ]
    losses = losses_of(measured, partition_of(kind, TestedCut(n=n, n_splits=1)), values)
    outcomes = tuple(
        (np.column_stack([labels, scores]),)
        for labels, scores in zip(examples.labels, examples.scores, strict=True)
    )
    return replace(losses, outcomes=outcomes, clusters=examples.clusters)


def _estimate(
    labels: Floats, scores: Floats, examples: LabelledExamples, weight: float | None = None
) -> Any:
    return prediction_powered_t(
        labels[: examples.count], scores, clusters=examples.clusters, weight=weight
    )


def _label_saving_notes(
    losses: Losses, pairs: Sequence[Names], examples: LabelledExamples
) -> tuple[Note, ...]:
    """Return a note of how many labels alone would give as short an interval, for one pair."""
    if len(pairs) != 1:
        return ()
    a, b = pairs[0]
    labels = examples.labels[losses.index(b)]
    scores = examples.scores[losses.index(b)]
    if a is not None:
        labels = labels - examples.labels[losses.index(a)]
        scores = scores - examples.scores[losses.index(a)]
    helped = float(_estimate(labels, scores, examples).standard_error)
    alone = float(_estimate(labels, scores, examples, weight=0.0).standard_error)
    if helped == 0 or alone == 0:
        return ()
    worth = round(examples.count * (alone / helped) ** 2)
    return (note("labels-saved", labels=examples.count, worth=worth),)

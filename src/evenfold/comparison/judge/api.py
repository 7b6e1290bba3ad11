"""``judge``: an answer from results that exist already, without a fit."""

import re
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.gather import comparison_of
from evenfold.comparison.judge.arrange import (
    ArrangedTable,
    TableOptions,
    Varied,
    arrange,
    baseline_first,
    describe_table,
    examples_of_tasks,
    what_varied,
)
from evenfold.comparison.judge.kinds import RESULT_KINDS, ResultKind
from evenfold.comparison.judge.parts import TASKS, with_parts
from evenfold.comparison.judge.runs import with_trials
from evenfold.comparison.judge.values import known_quantity
from evenfold.comparison.request import weight_zero_notes
from evenfold.comparison.result import Comparison
from evenfold.core.checks import (
    Advice,
    one_of,
    refuse,
    short_repr,
    understands_synonyms,
)
from evenfold.core.errors import EvenfoldError, EvenfoldWarning, NotApplicable
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.answers import Flips
from evenfold.core.inputs import (
    IDS,
    JudgeKeywords,
    OneMeasure,
    Results,
    RowsOfOneDataSet,
    Side,
    Splits,
)
from evenfold.core.losses import Losses
from evenfold.core.note import Note, note
from evenfold.core.partition import TEST_SET
from evenfold.core.rng import stream
from evenfold.design import design_from
from evenfold.infer import estimate, gate_items, item_gate, methods, recommended
from evenfold.infer.family import Criteria, Names, default_method, limits, remaining_quantity
from evenfold.infer.inputs import Blocks
from evenfold.infer.inputs.tables import value_range
from evenfold.read.results import read_results
from evenfold.read.results.frames import WIN_RATE
from evenfold.run.measures.resolve import as_trials

if TYPE_CHECKING:
    from evenfold.comparison.across import AcrossDataSets

# Runs inside folds or splits: an algorithm that is run several times on the same training set.


_CUTS = ("split", "repetition", "fold")
_BUT_RUNS = tuple(role for role in IDS if role != "run")


def over_runs(results: Results) -> Results:
    """
    Return the table with the mean over the runs in the place of runs inside folds or splits.

    What runs add then varies together with training sets, in the values of the folds; the answer is
    about the learning procedures on average over so many runs. Other tables are returned as they
    are.

    Examples
    --------
    >>> from evenfold.core.inputs import Ids
    >>> fold, run = ([0, 0, 1, 1], [0, 1, 0, 1])
    >>> ids = [Ids(labels=np.arange(2), codes=np.array(codes)) for codes in (fold, run)]
    >>> table = Results(names=("a",), algorithm=np.zeros(4, dtype=int), fold=ids[0], run=ids[1],
    ...                 value=np.array([0.1, 0.3, 0.5, 0.5]))
    >>> over_runs(table).value.tolist()
    [0.2, 0.5]
    """
    cuts = [role for role in _CUTS if role in results.varied]
    if "run" not in results.varied or not cuts:
        return results
    what = " and ".join(f"{role}s" for role in cuts)
    if results.value is None:
        refuse(
            "table",
            f"The table has runs inside {what} but no column 'value'.",
            "Give the value of every row, or the predictions of one run.",
        )
    cell, place = (_cells(results, roles) for roles in (_BUT_RUNS, (*_BUT_RUNS, "run")))
    if len(np.unique(place)) < len(results):
        refuse(
            "table",
            "The table must have one value for every algorithm and run on every split but some "
            "come twice.",
        )
    count = np.bincount(cell)
    if count.min() < count.max():
        refuse(
            "table",
            f"The table must have equally many runs of every algorithm in all {what} but it has "
            f"{count.min()} to {count.max()}.",
        )
    # in a fixed order, because a sum may depend on the order of its terms
    rows = np.argsort(place).reshape(-1, count[0])
    means = results.value[rows].mean(axis=1)
    averaged = note("runs-averaged", runs=int(count[0]), cuts=what)
    notes = (*results.notes, averaged)
    return replace(results.take(rows[:, 0]), run=None, value=means, notes=notes)


def _cells(results: Results, roles: tuple[str, ...]) -> NDArray[np.int64]:
    """Number the combinations of algorithm and ids that occur, and return that of every row."""
    columns = [
        results.algorithm,
        *(ids.codes for role in roles if (ids := results.ids(role)) is not None),
    ]
    cells: NDArray[np.int64] = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].ravel()
    return cells


# Which method a table gets by default.


_FEW = 20  # examples that differ: with so many the t-test of "no difference" errs .06 at most


def method_of(arranged: ArrangedTable, criteria: Criteria) -> str:
    """
    Return the method of a table where the caller chose none.

    A question about a margin, or a table in which few examples differ, gets a method that holds its
    level where losses are rare and large.
    """
    losses = arranged.losses
    alone = criteria.pairs[0][0] is None
    one_each = losses.partition.kind == TEST_SET and arranged.right is not None  # right or wrong
    about_margin = criteria.not_worse or criteria.margin > 0
    if alone or one_each or not (about_margin or _few_differ(losses, criteria.pairs)):
        return default_method(losses)
    if not arranged.is_mean or value_range(losses) is None:
        return default_method(losses)
    return recommended(losses.partition.kind, measure=remaining_quantity(losses), gate=True)


def _few_differ(losses: Losses, pairs: Sequence[Names]) -> bool:
    """Whether some pair differs on a few examples only, of a test set that is not small itself."""
    if (
        losses.partition.kind != TEST_SET
        or losses.examples is None
        or not np.isfinite(losses.quantity.width)
    ):
        return False
    if losses.partition.n < _FEW:
        return False
    rows = {
        name: np.asarray(losses.examples[losses.index(name)][0])
        for pair in pairs
        for name in pair
        if name
    }
    return any(int((rows[a] != rows[b]).sum()) < _FEW for a, b in pairs if a is not None)


def range_note(losses: Losses, method: str) -> Note | None:
    """Return which range was assumed, where the method needs one and the measure has none."""
    needs = "low" in methods()[method].arguments
    if not needs or np.isfinite(losses.quantity.width):
        return None
    return note("assumed-range")


# A gate that stops early: the items of a table in random order, up to where the question is
# settled.


def stopping_method() -> str:
    """Return the key of the method that may be looked at after every item."""
    return next(key for key, entry in methods().items() if entry.function is item_gate)


def items_until_settled(
    arranged: ArrangedTable, results: Results, criteria: Criteria, seed: int
) -> Results:
    """Return the table up to the item that settles "not worse" or "worse", in random order."""
    _require_item_by_item(arranged, criteria)
    losses = arranged.losses
    quantity = losses.quantity
    rows = [np.asarray(row[0]) for row in losses.examples or ()]
    order = stream(seed, "items", len(rows[0])).permutation(len(rows[0]))
    a, b = (rows[losses.index(str(name))][order].tolist() for name in criteria.pairs[0])
    looks = gate_items(
        zip(a, b, strict=True),
        margin=criteria.margin,
        level=criteria.level,
        low=quantity.low,
        high=quantity.high,
        higher_is_better=not quantity.lower_is_better,
    )
    last = deque(looks, maxlen=1).pop()
    assert arranged.ids is not None
    assert results.example is not None
    kept = np.isin(results.example.values(), arranged.ids[order[: last.n]])
    stopped = note("stopped-early", items=last.n, of=len(order), seed=seed, settled=last.settled)
    return replace(results.take(kept), notes=(*results.notes, stopped))


def _require_item_by_item(arranged: ArrangedTable, criteria: Criteria) -> None:
    """Refuse questions and tables that cannot be judged item by item."""
    losses = arranged.losses
    if len(criteria.pairs) > 1 or criteria.pairs[0][0] is None:
        refuse(
            "stop_early",
            f"stop_early compares two algorithms but the table has {len(losses.algorithms)}.",
            "Leave stop_early out, or give a table of two algorithms.",
        )
    if not criteria.not_worse:
        refuse(
            "stop_early",
            "stop_early answers whether B is not worse, so alternative must be 'not-worse' but got "
            f"{criteria.alternative!r}.",
            Advice("Pass ", {"alternative": "not-worse"}, "."),
        )
    if criteria.power_at is not None:
        refuse(
            "power_at",
            f"power_at must be left out with stop_early but got {short_repr(criteria.power_at)}.",
        )
    if losses.partition.kind != TEST_SET or losses.weights is not None or losses.quantity.weighted:
        refuse(
            "stop_early",
            "stop_early needs single examples, each of them once and with the same weight, but "
            f"the table is of another kind ({losses.partition.kind}).",
        )
    if not arranged.is_mean or not np.isfinite(losses.quantity.width):
        refuse(
            "stop_early",
            "stop_early needs values with a known range but measure "
            f"{losses.quantity.name!r} has none.",
            "Name a measure that has one.",
        )


# A note beside the verdict of folds whose single examples are known.


def notes_by_single_examples(
    losses: Losses, baseline: str | None, challenger: str, *, level: float
) -> list[Note]:
    """
    Return a note with the answer of a test on the values of single examples, if there is one.

    That test has more power than a test on the means of folds, but it is liberal, because its
    variance does not include that of training sets.
    """
    fitting = [
        entry
        for entry in methods().values()
        if entry.family == "test"
        and isinstance(entry.takes, Blocks)
        and entry.fits(losses.partition.kind)
    ]
    if not fitting or losses.examples is None:
        return []
    [entry, *_] = fitting
    try:
        with warnings.catch_warnings(action="ignore", category=EvenfoldWarning):
            estimated = estimate(
                losses, entry.key, challenger=challenger, baseline=baseline, level=level
            )
    except EvenfoldError:  # too few examples in a fold
        return []
    assert isinstance(estimated, TestEstimate)
    value, low, high = limits(estimated)
    ends = {"value": value, "low": low, "high": high, "level": level}
    return [
        note("by-single-examples", method=entry.key, name=entry.name, leaning=entry.leaning, **ends)
    ]


@overload
def judge(
    table: Any, *, rows: Literal["data sets"], **keywords: Unpack[JudgeKeywords]
) -> "AcrossDataSets": ...
@overload
def judge(
    table: Any, *, rows: RowsOfOneDataSet, **keywords: Unpack[JudgeKeywords]
) -> Comparison: ...
@overload
def judge(
    table: Any,
    *,
    rows: RowsOfOneDataSet | Literal["data sets"] | None = None,
    **keywords: Unpack[JudgeKeywords],
) -> Comparison | Any:
    # a table with a column of data sets makes it an AcrossDataSets, which shows only when it is
    # read
    ...


@understands_synonyms
def judge(
    table: Any,
    *,
    measure: "OneMeasure | Sequence[OneMeasure] | None" = None,
    method: str | None = None,
    margin: float = 0.0,
    level: float = 0.05,
    alternative: Side = "two-sided",
    baseline: str | None = None,
    adjust: str = "max-t",
    positive: Any = None,
    higher_is_better: bool | None = None,
    columns: Mapping[str, str] | None = None,
    rows: RowsOfOneDataSet | Literal["data sets"] | None = None,
    cv: "Splits | None" = None,
    n: int | None = None,
    paired: bool | None = None,
    horizon: int | None = None,
    on_missing: Literal["refuse", "drop", "keep"] = "refuse",
    stop_early: bool = False,
    random_state: int = 0,
    power_at: float | None = None,
    tasks: Literal["pooled", "each"] = "pooled",
    slices: Sequence[str] = (),
    labels: str | None = None,
    scores: str | None = None,
    floor: str | Path | None = None,
    floor_days: int = 30,
) -> "Comparison | AcrossDataSets | Any":
    """
    Say whether B is better than A from results that exist already: nothing is fitted.

    What varied in the table decides what can be said, and the answer says it: new examples of this
    kind for fixed models, new clusters of them, new runs of the learning procedures, the algorithms
    at their training size, a new data set.

    Parameters
    ----------
    table : frame, path, mapping, or what another program returned
        A long frame (pandas, polars, pyarrow, …) or a file (csv, tsv, parquet, jsonl) with a column
        ``algorithm``, either ``value`` or ``truth`` and ``prediction`` (probabilities: one column
        ``p:CLASS`` per class), and whichever of ``example``, ``group``, ``run`` (or ``seed``),
        ``split``, ``repetition``, ``fold``, ``n_train``, ``n_test``, ``dataset``, ``time``,
        ``weight`` say what varied. Or a wide frame with one column per algorithm; a mapping of
        algorithm to array, file or frame; what ``cross_validate`` returned per algorithm; a fitted
        grid search; samples of lm-evaluation-harness; a frame of Inspect logs; runs of MLflow.
    measure : str, callable, scorer, or a list of them, optional
        What to compute from predictions, by default ``"zero-one"`` for classes and ``"squared"``
        for numbers; of values, what they are, which gives their direction. With several the first
        is the verdict.
    method : str, optional
        A key of ``ef.infer.methods()``; by default the one recommended for what varied.
    margin, level, alternative, adjust
        As in :func:`compare`; ``alternative="not-worse"`` asks whether B is worse by more than the
        margin.
    baseline : str, optional
        A; by default the first name, in sorted order where the table has no order of its own.
    positive : label, optional
        The class that precision, recall, F1 and AUC are about.
    higher_is_better : bool, optional
        The direction of bare values; known of a known measure.
    columns : mapping of str to str, optional
        The table's names of the roles: ``{"algorithm": "model"}``.
    rows : {"examples", "folds", "splits", "runs", "data sets", "times"}, optional
        What a row is; needed where the table has no ids.
    cv, n : optional
        The splitter, its spelling (``"rlt:10:.9"``) or its pairs, and the number of examples behind
        scores of folds or splits.
    paired : bool, optional
        Whether the runs of two algorithms belong together; by default if their ids (``run`` or
        ``seed``) are equal. Runs in a mapping of arrays have no ids: True pairs them by position,
        and the answer says so. Examples without an id in common are not paired, nor are those with
        ``paired=False``; ids that overlap in part are refused.
    horizon : int, optional
        How many times ahead forecasts were made, where the table has a column ``time`` (integers,
        or texts that sort, as ISO dates do): their differences may be alike below that many times.
        By default what a column ``horizon`` says, else 1.
    on_missing : {"refuse", "drop", "keep"}
        What to do with ids that not every algorithm has: name them, or leave them out and say how
        many; or keep data sets that some have, so that each pair is compared on those that both
        have.
    stop_early : bool, default False
        With ``alternative="not-worse"``: take the examples in random order and stop as soon as "not
        worse" or "worse" is settled, whenever that is (``item-gate``);
        :func:`evenfold.infer.gate_items` does the same for answers that are made one by one.
    random_state : int, default 0
        The seed of that order.
    power_at : float, optional
        A drop, in the measure's own units: the answer says with which chance it would have been
        caught. By default, where a gate is asked, the drop that is caught with a chance of about
        80%.
    tasks : {"pooled", "each"}
        How the tasks of a benchmark, where the table has a column ``task``, become one decision:
        every example counts alike; or not worse (better, equivalent) on each of them, all tested at
        the level of the pair. Every task has a row of its own.
    slices : sequence of str, optional
        Columns whose values get answers of their own, which share the level equally and decide
        nothing.
    labels, scores : str, optional
        The column of labels that few examples have (of people, say) and that of scores that all
        have (of a model as a judge). The answer is about the labels; the scores make it sharper,
        however biased they are (``prediction-powered-t``).
    floor : path, optional
        Of measured times: the noise floor that ``evenfold floor`` wrote. A change must lie beyond
        it.
    floor_days : int, default 30
        The age in days beyond which a noise floor is not used.

    Returns
    -------
    Comparison
        As from :func:`compare`; ``flips`` says what was fixed and broken where right and wrong is
        judged. Over several data sets an :class:`AcrossDataSets`, as from :func:`across`. Of times
        that a benchmarking tool measured, a mapping of two names to files or folders, one answer
        per benchmark.

    Notes
    -----
    *Validity.* Ids are matched, never the order of rows. A table of fixed models says nothing of
    their training; scores of folds say nothing without their sizes, and are refused. Each method's
    own note says how well it holds its level.

    Examples
    --------
    >>> import evenfold as ef
    >>> table = {"main": [1, 1, 0, 1, 0, 0, 1, 1, 0, 1], "branch": [1, 1, 1, 1, 0, 1, 1, 1, 1, 1]}
    >>> c = ef.judge(table, rows="examples", measure="accuracy")
    >>> print(c.verdict)
    inconclusive: neither branch nor main is shown to be better; the accuracy of branch is higher by
    0.30 (95% CI −0.11 to 0.65), for these models, on new examples; a difference of about
    0.50 could have been found (power 80%).
    >>> print(c.flips)
    fixed 3, broke 0
    """
    options = TableOptions(
        columns=columns,
        rows=rows,
        cv=design_from(cv) if isinstance(cv, str) else cv,
        n=n,
        paired=paired,
        horizon=horizon,
        on_missing=on_missing,
        positive=positive,
        higher_is_better=higher_is_better,
        method=method,
        stop_early=stop_early,
        random_state=random_state,
        tasks=one_of("tasks", tasks, TASKS),
        slices=(slices,) if isinstance(slices, str) else tuple(slices),
    )
    criteria = Criteria(
        margin=margin,
        level=level,
        alternative=alternative,
        adjust=adjust,
        baseline=baseline,
        power_at=power_at,
        group=_group_name(columns),
    )
    measured = _kind_of(table)
    if measured is not None:
        keywords = _changed_arguments(measure, options, criteria)
        for name, column in (("labels", labels), ("scores", scores)):
            if column is not None:
                keywords[name] = column
        return measured.judge(table, floor=floor, floor_days=floor_days, **keywords)
    if floor is not None:
        refuse(
            "floor",
            "floor needs the files or folders that a benchmarking tool wrote for a baseline and "
            "for a candidate, but the table holds other results or one of them is missing.",
        )
    if labels is not None or scores is not None:
        from evenfold.comparison.judge.labelled import judge_labelled

        return judge_labelled(table, labels, scores, measure, options, criteria)
    measures = list(measure) if isinstance(measure, (list, tuple)) else [measure]
    if not measures:
        refuse("measure", "measure must name at least one measure but the list is empty.")
    first, *others = [
        _judge_by_measure(table, item, options, criteria, of=len(measures)) for item in measures
    ]
    if others:
        return first.with_further_measures(others)
    return first


def _kind_of(table: Any) -> ResultKind | None:
    """Return the kind of results, None where they are a table; arrays and frames always are."""
    if not isinstance(table, Mapping) or not table:
        return None
    if not all(_may_be_files(value) for value in table.values()):
        return None
    return next((kind for kind in RESULT_KINDS.values() if kind.knows(table)), None)


def _may_be_files(value: Any) -> bool:
    """Whether these may be files, or what was read from them."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return isinstance(first, (str, Path)) or hasattr(first, "benchmarks")


def _judge_by_measure(
    table: Any, measure: Any, options: TableOptions, criteria: Criteria, *, of: int
) -> Comparison | Any:
    """Read the table, arrange it, and judge it by one of the measures; ``of`` is their number."""
    results = read_results(
        table,
        columns=options.columns,
        rows=options.rows,
        cv=options.cv,
        n=options.n,
        measure=measure if isinstance(measure, str) else None,
        on_missing=options.on_missing,
        slices=options.slices,
        right_or_wrong=counts_answers(measure),
    )
    if measure is not None and (trials := as_trials(measure)):
        results = with_trials(results, trials)
    results = examples_of_tasks(_times_as_examples(baseline_first(results, criteria.baseline)))
    results = over_runs(_without_weight_zero(results))
    varied = what_varied(results)
    if varied is Varied.EXAMPLES:
        _require_no_quantile(measure)
    if varied is Varied.DATA_SETS:
        if of > 1:
            refuse(
                "measure",
                f"measure must be a single one over data sets but got {of} of them.",
                "Make one call for each measure.",
            )
        from evenfold.comparison.judge.data_sets import compare_over_data_sets

        return compare_over_data_sets(results, measure, options, criteria)
    whole = _add_preference(judge_table(results, varied, measure, options, criteria))
    if not results.parts or whole.facts.pairs[0].baseline is None:
        return whole
    rule = replace(criteria, method=whole.facts.method.key)
    return with_parts(
        whole,
        results,
        rule,
        lambda part: judge_table(part, varied, measure, options, criteria),
        tasks=options.tasks,
    )


def _require_no_quantile(measure: Any) -> None:
    """Refuse the name of a quantile, because only means of examples are compared."""
    if isinstance(measure, str) and re.fullmatch(r"[pP][0-9]{1,2}(\.[0-9]+)?", measure):
        q = float(measure[1:]) / 100
        refuse(
            "measure",
            f"measure must be a mean over examples or a score of them but got {measure!r}, which "
            "looks like a quantile.",
            f"Use ef.infer.quantile_difference(a, b, {q:g}).",
        )


def counts_answers(measure: Any) -> bool:
    """Whether a measure counts right and wrong answers."""
    known = known_quantity(measure) if isinstance(measure, str) else None
    return known is not None and known.right_or_wrong


def _without_weight_zero(results: Results) -> Results:
    """
    Return the table without the examples whose weight is 0, which must not count in n.

    A table with times keeps them, because the next time must stay one step ahead.
    """
    weight = results.weight
    if weight is None or results.example is None or results.time is not None or not weight.any():
        return results
    example = results.example.codes.astype(np.int64)
    if results.dataset is not None:  # example 7 of each data set is another one
        example = example + len(results.example) * results.dataset.codes.astype(np.int64)
    # an example that has another weight elsewhere stays, and is refused by its name
    counted = np.unique(example[weight != 0])
    kept = np.isin(example, counted)
    if kept.all() or len(counted) < 2:  # a single one is refused where weights are checked
        return results
    left_out = len(np.unique(example[~kept]))
    return replace(results.take(kept), notes=(*results.notes, *weight_zero_notes(left_out)))


def _times_as_examples(results: Results) -> Results:
    """Return the table with its times as examples where nothing else says what an example is."""
    others = {"example", "run", "split", "repetition", "fold"} & set(results.varied)
    if results.time is None or results.example is not None or others:
        return results
    return replace(results, example=results.time)


def judge_table(
    results: Results, varied: Varied, measure: Any, options: TableOptions, criteria: Criteria
) -> Comparison:
    """Judge a table of one data set."""
    if options.on_missing == KEEP:
        refuse(
            "on_missing",
            "on_missing must be 'refuse' or 'drop' where there is one data set but got "
            f"{short_repr(options.on_missing)}.",
        )
    arranged = arrange(results, varied, measure, options)
    criteria = criteria.with_pairs_of(arranged.losses.algorithms)
    if options.stop_early:
        results = items_until_settled(arranged, results, criteria, options.random_state)
        arranged = arrange(results, varied, measure, options)
    losses = arranged.losses
    criteria.check_adjustment(len(losses.algorithms))
    _check_margin(criteria, losses)
    key = options.method or (
        stopping_method() if options.stop_early else method_of(arranged, criteria)
    )
    _require_mean(arranged, key)
    first = filter(None, [_first_by_name_note(results, criteria), range_note(losses, key)])
    second = []
    if varied is Varied.FOLDS and len(criteria.pairs) == 1:
        second = notes_by_single_examples(losses, *criteria.pairs[0], level=criteria.level)
    notes = (*first, *results.notes, *arranged.notes, *second)
    c = comparison_of(
        [losses],
        [replace(criteria, method=key)],
        design=describe_table(losses, varied, criteria.group),
        call=_call(measure, options, criteria),
        notes=notes,
        strict=True,
    )
    return replace(c, facts=replace(c.facts, flips=_flips(arranged, criteria.pairs)))


def _group_name(columns: Mapping[str, str] | None) -> str | None:
    """Return the user's name of the column of groups."""
    if not isinstance(columns, Mapping):  # which is refused where the table is read
        return None
    name = columns.get("group")
    return name if isinstance(name, str) else None


def _first_by_name_note(results: Results, criteria: Criteria) -> Note | None:
    """Return which of two is A where only the alphabet decided, and how to reverse it."""
    a, b = criteria.pairs[0]
    chosen = criteria.baseline is not None or not results.sorted_names
    if chosen or len(criteria.pairs) > 1 or a is None:
        return None
    return note("first-by-name", baseline=a, challenger=b)


def _require_mean(arranged: ArrangedTable, method: str) -> None:
    """Refuse a method for values within a range where a score has no such values of examples."""
    if not arranged.is_mean and "low" in methods()[method].arguments:
        raise NotApplicable(
            f"method {method!r} needs a mean of values of single examples, which measure "
            f"{arranged.losses.quantity.name!r} is not. Leave the method out."
        )


def _check_margin(criteria: Criteria, losses: Losses) -> None:
    """Refuse a margin so large that it cannot be in the unit of these values."""
    criteria.check_margin(losses.quantity)
    most = float(np.nanmax(np.abs(losses.values), initial=0.0))
    if most and criteria.margin > _BEYOND * most:
        refuse(
            "margin",
            f"margin must be in the unit of the values, which are at most {most:g}, but got "
            f"{short_repr(criteria.margin)}.",
        )


def _flips(arranged: ArrangedTable, pairs: Sequence[Names]) -> tuple[Flips, ...]:
    """Return which examples each challenger fixed and broke, where answers are right or wrong."""
    if arranged.right is None or arranged.ids is None:
        return ()
    names = arranged.losses.algorithms
    flips = []
    for a, b in pairs:
        if a is not None:
            right_a, right_b = (arranged.right[names.index(name)] for name in (a, b))
            fixed = tuple(arranged.ids[~right_a & right_b].tolist())
            broke = tuple(arranged.ids[right_a & ~right_b].tolist())
            flips.append(Flips(baseline=a, challenger=b, fixed=fixed, broke=broke))
    return tuple(flips)


KEEP = "keep"
_BEYOND = 1e12  # times the largest value: no such margin can be meant
_CRITERIA = ("margin", "level", "alternative", "adjust", "baseline", "power_at")


def _changed_arguments(measure: Any, options: TableOptions, criteria: Criteria) -> dict[str, Any]:
    """Return the arguments that differ from their defaults."""
    changed = {} if measure is None else {"measure": measure}
    names = ((criteria, _CRITERIA), (options, TableOptions.__slots__))
    for arguments, of_arguments in names:
        default = type(arguments)()
        for name in of_arguments:
            value = getattr(arguments, name)
            if value not in (None, {}, getattr(default, name)):
                changed[name] = value
    return changed


def _call(measure: Any, options: TableOptions, criteria: Criteria) -> str:
    """Return the call that gives this answer again, with ``table`` for the results."""
    arguments = _changed_arguments(measure, options, criteria)
    words = [f"{name}={value!r}" for name, value in arguments.items()]
    return f"ef.judge({', '.join(['table', *words])})"


# Battles of two models: how often the answer of B is preferred, ties split.


def _add_preference(comparison: Comparison) -> Comparison:
    """
    Add to an answer about battles how often B is preferred; others are returned as they are.

    With ties split that is (1 + d)/2, where d is the win rate of B less that of A.
    """
    facts = comparison.facts
    if facts.measure != WIN_RATE or len(facts.pairs) != 1 or facts.pairs[0].baseline is None:
        return comparison
    pair = facts.pairs[0]
    shown = {name: getattr(pair, name) for name in ("challenger", "value", "low", "high", "level")}
    notes = (note("preferred", **shown), *facts.notes)
    return replace(comparison, facts=replace(facts, notes=notes, flips=()))

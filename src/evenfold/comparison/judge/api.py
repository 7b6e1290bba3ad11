"""``judge``: an answer from results that exist already, without a fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenfold.comparison.answer import Rule, which_pairs
from evenfold.comparison.ask import Asked
from evenfold.comparison.comparing import concluded
from evenfold.comparison.gather import Origin
from evenfold.comparison.judge.averaged import over_runs
from evenfold.comparison.judge.gates.graded import method_of, range_note
from evenfold.comparison.judge.gates.stopped import settled_items, stopping_method
from evenfold.comparison.judge.parts import POOLED, TASKS, examples_of_tasks, with_parts
from evenfold.comparison.judge.preferences import as_preference
from evenfold.comparison.judge.question import Arranged, Question
from evenfold.comparison.judge.second import second_line
from evenfold.comparison.judge.trials import with_trials
from evenfold.comparison.judge.values import measured
from evenfold.comparison.judge.varied import Varied, arrange, described, what_varied
from evenfold.comparison.result import Comparison
from evenfold.core.checks import flag, integer, one_of, refuse
from evenfold.core.errors import EvenfoldError
from evenfold.core.facts.comparison import flips
from evenfold.core.inputs.results import Results
from evenfold.core.losses import Losses
from evenfold.infer import methods
from evenfold.read.results import read_results
from evenfold.run import Run
from evenfold.run.measures import as_measure


def judge(
    table: Any,
    *,
    measure: Any = None,
    method: str | None = None,
    margin: float = 0.0,
    level: float = 0.05,
    alternative: str = "two-sided",
    baseline: str | None = None,
    adjust: str = "holm",
    positive: Any = None,
    higher_is_better: bool | None = None,
    columns: Mapping[str, str] | None = None,
    rows: str | None = None,
    cv: Any = None,
    n: int | None = None,
    paired: bool | None = None,
    horizon: int | None = None,
    on_missing: str = "refuse",
    stop_early: bool = False,
    random_state: int = 0,
    power_at: float | None = None,
    tasks: str = "pooled",
    slices: Sequence[str] = (),
    labels: str | None = None,
    scores: str | None = None,
) -> Comparison:
    """
    Say whether B is better than A from results that exist already: nothing is fitted.

    What varied in the table decides what can be said, and the answer says it: further examples of this kind
    for fixed models, further clusters of them, further runs of the recipes, the algorithms at their training
    size, a further data set.

    Parameters
    ----------
    table : frame, path, mapping, or what another program returned
        A long frame (pandas, polars, pyarrow, …) or a file (csv, tsv, parquet, jsonl) with a column
        ``algorithm``, either ``value`` or ``truth`` and ``prediction`` (probabilities: one column ``p:CLASS``
        per class), and whichever of ``example``, ``group``, ``run`` (or ``seed``), ``split``, ``repetition``,
        ``fold``, ``n_train``, ``n_test``, ``dataset``, ``time``, ``weight`` say what varied. Or a wide frame
        with one column per algorithm; a mapping of algorithm to array, file or frame; what ``cross_validate``
        returned per algorithm; a fitted grid search; samples of lm-evaluation-harness; a frame of Inspect
        logs; runs of MLflow.
    measure : str, callable, scorer, or a list of them, optional
        What to compute from predictions, by default ``"zero-one"`` for classes and ``"squared"`` for numbers;
        of values, what they are, which gives their direction. With several the first is the verdict.
    method : str, optional
        A key of ``ef.infer.methods()``; by default the one recommended for what varied.
    margin, level, alternative, adjust
        As in :func:`compare`; ``alternative="not-worse"`` asks whether B is worse by more than the margin.
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
        The splitter (or its pairs) and the number of examples behind scores of folds or splits.
    paired : bool, optional
        Whether the runs of two algorithms belong together; by default if their ids (``run`` or ``seed``) are
        equal. Runs in a mapping of arrays have no ids: True pairs them by position, and the answer says so.
        Examples without an id in common are not paired, nor are those with ``paired=False``; ids that overlap
        in part are refused.
    horizon : int, optional
        How many times ahead forecasts were made, where the table has a column ``time`` (integers, or texts
        that sort, as ISO dates do): their differences may be alike below that many times. By default what a
        column ``horizon`` says, else 1.
    on_missing : {"refuse", "drop", "keep"}
        What to do with ids that not every algorithm has: name them, or leave them out and say how many; or
        keep data sets that some have, so that each pair is compared on those that both have.
    stop_early : bool, default False
        With ``alternative="not-worse"``: take the examples in random order and stop as soon as "not worse" or
        "worse" is settled, whenever that is (``item-gate``); :func:`evenfold.infer.gate_items` does the same
        for answers that are made one by one.
    random_state : int, default 0
        The seed of that order.
    power_at : float, optional
        A drop, in the measure's own units: the answer says with which chance it would have been caught. By
        default twice the margin, where there is one; with ``alternative="not-worse"`` and no margin the drop
        that is caught with 80 %.
    tasks : {"pooled", "each"}
        How the tasks of a benchmark, where the table has a column ``task``, become one decision: every
        example counts alike; or not worse (better, equivalent) on each of them, all tested at the level.
        Every task has a row of its own.
    slices : sequence of str, optional
        Columns whose values get answers of their own, which share the level (Holm) and decide nothing.
    labels, scores : str, optional
        The column of labels that few examples have (of people, say) and that of scores that all have (of a
        model as a judge). The answer is about the labels; the scores make it sharper, however biased they
        are (``prediction-powered-t``).

    Returns
    -------
    Comparison
        As from :func:`compare`; ``flips`` says what was fixed and broken where right and wrong is judged.
        Over several data sets an :class:`AcrossDataSets`, as from :func:`across`.

    Notes
    -----
    *Validity.* Ids are matched, never the order of rows. A table of fixed models says nothing of their
    training; scores of folds say nothing without their sizes, and are refused. Each method's own note says
    how well it holds its level.

    Examples
    --------
    >>> import evenfold as ef
    >>> table = {"main": [1, 1, 0, 1, 0, 0, 1, 1, 0, 1], "branch": [1, 1, 1, 1, 0, 1, 1, 1, 1, 1]}
    >>> c = ef.judge(table, rows="examples", measure="accuracy")
    >>> print(c.verdict)
    no decision between branch and main: the accuracy of branch is higher by 0.30 (95 % interval −0.11 to
    0.65), for the models as they are, on further examples; no fits; a difference of about 0.50 could have
    been found (power 80 %).
    >>> print(c.flips)
    fixed 3, broke 0
    """
    said = Said(
        columns=columns,
        rows=rows,
        cv=cv,
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
    asked = Asked(
        margin=margin,
        level=level,
        alternative=alternative,
        adjust=adjust,
        baseline=baseline,
        power_at=power_at,
    )
    if labels is not None or scores is not None:
        return _by_labels(table, labels, scores, measure, said, asked)
    measures = list(measure) if isinstance(measure, (list, tuple)) else [measure]
    if not measures:
        refuse("measure", "one or more", measure)
    first, *others = [_judged(table, one, said, asked, of=len(measures)) for one in measures]
    return first.beside(others) if others else first


def _by_labels(
    table: Any, labels: str | None, scores: str | None, measure: Any, said: "Said", asked: Asked
) -> Comparison:
    """Read the table twice, with its labels and with its scores as values."""
    for name, column, other in (("labels", labels, "scores"), ("scores", scores, "labels")):
        if not isinstance(column, str):
            refuse(name, f"the name of a column where {other} are", column)
    if isinstance(measure, (list, tuple)):
        refuse("measure", "one where there are labels and scores", f"{len(measure)} of them")
    from evenfold.comparison.judge.labelled import judge_labelled

    read = [
        read_results(
            table,
            columns={**(said.columns or {}), "value": str(column)},
            rows=said.rows,
            on_missing="drop" if column == labels else said.on_missing,
        )
        for column in (labels, scores)
    ]
    labelled, scored = (baseline_first(replace(one, notes=()), asked.baseline) for one in read)
    return judge_labelled(
        labelled,
        scored,
        measure,
        asked,
        higher_is_better=said.higher_is_better,
        method=said.method,
        drop=said.on_missing == "drop",
    )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Said:
    """What was said of a table, as given; the readers and the arrangements check it."""

    columns: Mapping[str, str] | None
    rows: str | None
    cv: Any
    n: int | None
    paired: bool | None
    horizon: int | None
    on_missing: str
    positive: Any
    higher_is_better: bool | None
    method: str | None
    stop_early: bool = False
    random_state: int = 0
    tasks: str = POOLED
    slices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("paired", "higher_is_better"):
            if getattr(self, name) is not None:
                flag(name, getattr(self, name))
        flag("stop_early", self.stop_early)
        integer("random_state", self.random_state, low=0)
        if self.horizon is not None:
            integer("horizon", self.horizon, low=1)
        if self.method is not None:
            one_of("method", self.method, methods())
        if self.positive is not None and np.ndim(self.positive):
            refuse("positive", "one label", self.positive)


def _judged(table: Any, measure: Any, said: Said, asked: Asked, *, of: int) -> Comparison:
    """Read, arrange, and judge by one measure of several; over data sets that is another kind of answer."""
    results = read_results(
        table,
        columns=said.columns,
        rows=said.rows,
        cv=said.cv,
        n=said.n,
        measure=measure if isinstance(measure, str) else None,
        on_missing=said.on_missing,
        slices=said.slices,
        right_or_wrong=_counts_answers(measure),
    )
    results = with_trials(results, measure)
    results = over_runs(examples_of_tasks(_with_examples(baseline_first(results, asked.baseline))))
    varied = what_varied(results)
    if varied is Varied.DATA_SETS:
        if of > 1:
            refuse("measure", "one over data sets", f"{of} of them", "ask for each by itself")
        from evenfold.comparison.judge.data_sets import over_data_sets

        return over_data_sets(results, measure, said, asked)  # type: ignore[return-value]  # as ``across``
    whole = as_preference(answered(results, varied, measure, said, asked))
    if not results.parts or whole.facts.pairs[0].baseline is None:
        return whole
    rule = Rule(asked=asked, method=whole.facts.method.key)
    return with_parts(
        whole, results, rule, lambda part: answered(part, varied, measure, said, asked), tasks=said.tasks
    )


def _counts_answers(measure: Any) -> bool:
    """Whether a measure counts right and wrong answers, which every log has by some name of its own."""
    if not isinstance(measure, str):
        return False
    try:
        return as_measure(measure).quantity.right_or_wrong
    except EvenfoldError:  # the name of a score that only the table knows
        return False


def baseline_first(results: Results, baseline: str | None) -> Results:
    """Return the table with the baseline as its first algorithm."""
    if baseline is None:
        return results
    one_of("baseline", baseline, results.names)
    order = sorted(results.names, key=lambda name: name != baseline)
    places = np.array([order.index(name) for name in results.names])
    return replace(results, names=tuple(order), algorithm=places[results.algorithm])


def _with_examples(results: Results) -> Results:
    """Return the table with its times as examples where nothing else says what an example is."""
    others = {"example", "run", "split", "repetition", "fold"} & set(results.varied)
    if results.time is None or results.example is not None or others:
        return results
    return replace(results, example=results.time)


def arranged(results: Results, varied: Varied, measure: Any, said: Said) -> Arranged:
    """Return the losses that a table amounts to, by one measure."""
    one = measured(
        results,
        measure,
        higher_is_better=said.higher_is_better,
        positive=said.positive,
        per_example=results.example is not None,
    )
    drop = said.on_missing == "drop"
    asked = Question(
        results=results, measured=one, paired=said.paired, n=said.n, drop=drop, horizon=said.horizon
    )
    return arrange(asked, varied)


def answered(results: Results, varied: Varied, measure: Any, said: Said, asked: Asked) -> Comparison:
    """Judge a table of one data set."""
    if said.on_missing == KEEP:
        refuse("on_missing", "'refuse' or 'drop' where there is one data set", said.on_missing)
    found = arranged(results, varied, measure, said)
    pairs = which_pairs(found.losses.algorithms, asked.baseline)
    if said.stop_early:
        results = settled_items(found, results, pairs, asked, said.random_state)
        found = arranged(results, varied, measure, said)
    losses = found.losses
    asked.check_adjustment(len(losses.algorithms))
    _check_margin(asked, losses)
    key = said.method or (stopping_method() if said.stop_early else method_of(found, pairs, asked))
    first = filter(None, [_who_is_a(results, pairs, asked), range_note(losses, key)])
    notes = (*first, *results.notes, *found.notes, *_second(losses, varied, pairs, asked))
    origin = Origin(design=described(losses, varied), call=_call(measure, said, asked), notes=notes)
    run = Run(losses={losses.measure: losses}, fits=0, reused=0, speculative=0, seed=0)
    c = concluded(run, [Rule(asked=asked, method=key)], pairs, origin, None, strict=True)
    return replace(c, facts=replace(c.facts, flips=_flips(found, pairs)))


def _who_is_a(results: Results, pairs: Sequence[tuple[str | None, str]], asked: Asked) -> str:
    """Say which of two is A where only the alphabet decided, and how to turn it round."""
    a, b = pairs[0]
    if not results.sorted_names or asked.baseline is not None or len(pairs) > 1 or a is None:
        return ""
    return f"A is {a!r}, the first by name: say baseline={b!r} to turn it round"


def _check_margin(asked: Asked, losses: Losses) -> None:
    """Refuse a margin that no value of this table could ever leave."""
    asked.check_margin(losses.quantity)
    most = float(np.nanmax(np.abs(losses.values), initial=0.0))
    if most and asked.margin > _BEYOND * most:
        refuse("margin", f"in the unit of the values, which are at most {most:g},", asked.margin)


def _second(
    losses: Losses, varied: Varied, pairs: Sequence[tuple[str | None, str]], asked: Asked
) -> tuple[str, ...]:
    """What single examples say, where folds hold them and there is one question."""
    if varied is not Varied.FOLDS or len(pairs) > 1:
        return ()
    line = second_line(losses, *pairs[0], level=asked.level)
    return (line,) if line else ()


def _flips(found: Arranged, pairs: Sequence[tuple[str | None, str]]) -> tuple[Any, ...]:
    if found.right is None or found.ids is None:
        return ()
    names = found.losses.algorithms
    return tuple(
        flips(a, b, ids=found.ids, right_a=found.right[names.index(a)], right_b=found.right[names.index(b)])
        for a, b in pairs
        if a is not None
    )


KEEP = "keep"
_BEYOND = 1e12  # so many times the largest value no margin can be meant
_DEFAULTS = {"margin": 0.0, "level": 0.05, "alternative": "two-sided", "adjust": "holm"}
_UNSAID = {**_DEFAULTS, "on_missing": "refuse", "tasks": POOLED, "slices": ()}
_UNSAID |= {"stop_early": False, "random_state": 0}


def _call(measure: Any, said: Said, asked: Asked) -> str:
    """Return the call that gives this again on the same table, as far as it can be written."""
    given = {"measure": measure}
    given |= {name: getattr(asked, name) for name in (*_DEFAULTS, "baseline", "power_at")}
    given |= {name: getattr(said, name) for name in Said.__slots__}
    words = [
        f"{name}={value!r}"
        for name, value in given.items()
        if value is not None and value != _UNSAID.get(name)
    ]
    return f"ef.judge({', '.join(['table', *words])})"

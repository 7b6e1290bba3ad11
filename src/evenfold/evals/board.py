"""``board``: a leaderboard that says what is resolved."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.gather import versions
from evenfold.comparison.judge.api import counts_answers
from evenfold.comparison.judge.arrange import left_out
from evenfold.comparison.judge.runs import with_trials
from evenfold.comparison.judge.values import TableMeasure, ValueColumn, measure_of_table
from evenfold.comparison.result import AnswerBase, write_if_path
from evenfold.core.checks import (
    Advice,
    flag,
    fraction,
    integer,
    one_of,
    refuse,
    refuse_value,
    understands_synonyms,
)
from evenfold.core.errors import NotApplicable
from evenfold.core.facts.board import BoardEntry, BoardFacts, require_board
from evenfold.core.inputs import Ids, OneMeasure, Results
from evenfold.core.json import read
from evenfold.core.losses import Quantity, measure_name
from evenfold.core.note import Note, note, partial_note
from evenfold.core.words import count, format_confidence, join_words, list_first_values
from evenfold.evals.tables import read_board
from evenfold.infer import RankSets, bradley_terry, further_ranks, rank_sets, rank_sets_of
from evenfold.infer.battles import ELO, FEW_JUDGES, TIES, BradleyTerry, connected_groups
from evenfold.infer.boards import AGGREGATES, FEWEST_TASKS, Aggregate, pseudo_values, tie_groups
from evenfold.infer.tables.kernels import cluster_covariance
from evenfold.read.results.frames import Battles
from evenfold.run.measures.resolve import as_trials


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class Board(AnswerBase):
    """
    A leaderboard that says what is resolved.

    Attributes
    ----------
    facts : BoardFacts
        Everything a report says, as one plain value.

    Examples
    --------
    Print it, ask ``ranking``, ``tiers`` and ``resolved``, draw it with ``plot``, write it with
    ``to_html``.
    """

    facts: BoardFacts

    @property
    def ranking(self) -> tuple[BoardEntry, ...]:
        """The models, the best first: value with interval, rank set, tier, letters of ties."""
        return self.facts.entries

    @property
    def best_set(self) -> tuple[str, ...]:
        """The models that may be the best."""
        return tuple(entry.name for entry in self.facts.entries if entry.among_best)

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The models by tier: models of one tier are tied."""
        last = max(entry.tier for entry in self.facts.entries)
        return tuple(
            tuple(entry.name for entry in self.facts.entries if entry.tier == tier)
            for tier in range(1, last + 1)
        )

    @property
    def resolved(self) -> int:
        """How many neighbours were shown to differ."""
        return self.facts.resolved

    @property
    def sentence(self) -> str:
        """What is resolved, in words."""
        return self.facts.sentence

    def plot(self, kind: str | None = None, *, a: str | None = None, b: str | None = None) -> Any:
        """
        Return a matplotlib figure.

        Parameters
        ----------
        kind : {"ranks", "tiers", "wins", "scatter"}, optional
            Rank intervals, tiers, who won how often against whom, or model a against model b on
            every task; ranks and tiers if not said.
        a, b : str, optional
            The models of a scatter; the first and the second of the board if not said.
        """
        from evenfold.evals.figures import board_figure

        names = self.facts.algorithms
        first = one_of("a", a or names[0], names)
        second = one_of("b", b or names[1], names)
        return board_figure(self.facts, kind, (first, second))

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all facts as JSON, and write it to ``path`` if given."""
        return str(write_if_path(self.facts.to_json(), path))

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> "Board":
        """Read back what :meth:`to_json` wrote; anything else is refused in one line."""
        facts = BoardFacts.from_json(text if isinstance(text, Mapping) else read(text))
        require_board(facts)
        return cls(facts=facts)

    def __repr__(self) -> str:
        facts = self.facts
        return f"<Board: {len(facts.entries)} models, {facts.resolved} neighbouring pairs resolved>"


Floats = NDArray[np.float64]


# One value per model and task, or per model and example of fixed tasks.


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Cells:
    """
    Values of models on tasks.

    Attributes
    ----------
    names, tasks : tuple of str
        The models and the tasks.
    values : array (tasks, models)
        Mean over examples and runs; NaN where a model was not run on a task.
    of : TableMeasure
        What was measured, and where single examples come from.
    notes : tuple of Note
        What was done with the table.
    """

    names: tuple[str, ...]
    tasks: tuple[str, ...]
    values: Floats
    of: TableMeasure
    notes: tuple[Note, ...] = ()

    @property
    def quantity(self) -> Quantity:
        """What was measured."""
        return self.of.quantity

    def take(self, tasks: NDArray[np.bool_], note: Note) -> "Cells":
        """Return the values on some of the tasks, with one more note."""
        kept = tuple(name for name, there in zip(self.tasks, tasks, strict=True) if there)
        return replace(self, tasks=kept, values=self.values[tasks], notes=(*self.notes, note))


def cells_of(
    results: Results, *, measure: Any, higher_is_better: bool | None, positive: Any
) -> Cells:
    """Return the mean of every model on every task."""
    tasks = results.dataset
    if tasks is None:
        refuse("table", "The table must have a column 'task', but it has none.")
    if len(results.names) < 2:
        refuse("table", f"A board needs two models or more but got only {results.names[0]!r}.")
    quantity = measure_of_table(
        results,
        measure,
        higher_is_better=higher_is_better,
        positive=positive,
        per_example=results.example is not None,
    )
    _require_once(results, tasks)
    shape = (len(tasks), len(results.names))
    cell = tasks.codes.astype(np.int64) * shape[1] + results.algorithm
    if isinstance(quantity, ValueColumn) and results.weight is None:
        values = _means(quantity.values, cell, shape)
    else:
        values = _scores(quantity, results, cell, shape)
    return Cells(
        names=results.names,
        tasks=tuple(map(str, tasks.labels)),
        values=values,
        of=quantity,
        notes=results.notes,
    )


def _require_once(results: Results, tasks: Ids) -> None:
    """Refuse a model that has two values where nothing says how they differ."""
    place = results.algorithm.astype(np.int64) * len(tasks) + tasks.codes
    for ids in (results.example, results.run):
        if ids is not None:
            place = place * len(ids) + ids.codes
    first = np.unique(place, return_index=True)[1]
    if len(first) < len(place):
        again = np.setdiff1d(np.arange(len(place)), first)[0]
        name = results.names[results.algorithm[again]]
        refuse(
            "table",
            f"The table must have one value per model and task, but {name!r} has several on task "
            f"{tasks.labels[tasks.codes[again]]}.",
            "Add a column 'example' or 'run'.",
        )


def _scores(
    quantity: TableMeasure, results: Results, cell: NDArray[np.int64], shape: tuple[int, int]
) -> Floats:
    """Return the score of each model on each task, as the mean over its runs."""
    scores = np.full(shape[0] * shape[1], np.nan)
    order = np.argsort(cell, kind="stable")
    edges = np.flatnonzero(np.diff(cell[order])) + 1
    for rows in np.split(order, edges):
        runs = np.zeros(len(rows)) if results.run is None else results.run.codes[rows]
        scores[cell[rows[0]]] = np.mean(
            [quantity.score(rows[runs == run]) for run in np.unique(runs)]
        )
    return scores.reshape(shape)


class ExampleMoments(NamedTuple):
    """Means over the examples of fixed tasks, their covariance, and how many examples there are."""

    mean: Floats
    covariance: Floats
    examples: int
    fewest: int  # groups of any task, or examples where there are no groups


def example_moments(cells: Cells, weights: Floats) -> ExampleMoments:
    """
    Return mean and covariance of all models over new examples of these very tasks.

    Runs are averaged first. Every model must have the same examples of a task. If examples come in
    groups, the sums over groups vary, not the single examples.
    """
    results = cells.of.results
    share = weights / weights.sum()
    mean = np.zeros(len(cells.names))
    covariance = np.zeros((len(cells.names), len(cells.names)))
    examples = 0
    fewest = np.iinfo(np.int64).max
    for place, task in enumerate(cells.tasks):
        values, groups = _values_of_task(cells, results, task)
        examples += len(values)
        fewest = min(fewest, int(groups.max()) + 1)
        if fewest < 2:
            refuse(
                None,
                f"Column 'group' must have two groups or more in every task, but task {task} has "
                "one.",
            )
        mean += share[place] * values.mean(axis=0)
        covariance += share[place] ** 2 * cluster_covariance(values, groups)
    return ExampleMoments(mean, covariance, examples, int(fewest))


def _values_of_task(cells: Cells, results: Results, task: str) -> tuple[Floats, NDArray[np.intp]]:
    """Return the values (examples, models) of one task, and the group of each example."""
    tasks = results.dataset
    examples = results.example
    if tasks is None or examples is None:
        refuse(
            "table",
            "The table must have a column 'example' where tasks are fixed, but it has none.",
            Advice("Pass ", {"tasks": "sample"}, "."),
        )
    rows = np.flatnonzero(np.array(list(map(str, tasks.labels)))[tasks.codes] == task)
    labels, places = np.unique(examples.codes[rows], return_inverse=True)
    shape = (len(labels), len(cells.names))
    cell = places * shape[1] + results.algorithm[rows]
    values = _means(cells.of.examples(rows), cell, shape)
    lacking = np.isnan(values).any(axis=1)
    if lacking.any():
        first = list_first_values(examples.labels[labels[lacking]])
        refuse(
            "table",
            f"Every model must have a value for every example of task {task}, but some have none "
            f"for {first}.",
        )
    if shape[0] < 2:
        refuse("table", f"Every task must have two examples or more, but task {task} has one.")
    groups = np.arange(shape[0])
    if results.group is not None:
        groups[places] = results.group.codes[rows]
    return values, np.unique(groups, return_inverse=True)[1]


def _means(values: Floats, cell: NDArray[np.int64], shape: tuple[int, int]) -> Floats:
    count = np.bincount(cell, minlength=shape[0] * shape[1])
    total = np.bincount(cell, weights=values, minlength=shape[0] * shape[1])
    return np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(shape)


_TASKS = ("sample", "fixed")
_MISSING = ("refuse", "drop", "keep")
_BOTH_BAD = ("tie", "drop")
_MOST_WINS = 60  # models whose square of wins can still be looked at
_NAMED = 5  # models that a sentence names
_CENTRE = 1000.0  # the mean of all ratings


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BoardRequest:
    """What was asked of a board, checked."""

    aggregate: str | Callable[[Floats], Any]
    tasks: str | None
    weights: Mapping[str, float] | None
    ties: str
    both_bad: str
    level: float
    on_missing: str
    random_state: int

    def __post_init__(self) -> None:
        if not callable(self.aggregate):
            one_of("aggregate", self.aggregate, AGGREGATES)
        if self.tasks is not None:
            one_of("tasks", self.tasks, _TASKS)
        one_of("ties", self.ties, TIES)
        one_of("both_bad", self.both_bad, _BOTH_BAD)
        one_of("on_missing", self.on_missing, _MISSING)
        fraction("level", self.level, high=0.5)
        integer("random_state", self.random_state, low=0)
        if self.weights is not None and not isinstance(self.weights, Mapping):
            refuse_value("weights", self.weights, "a mapping of tasks to weights")


@understands_synonyms
def board(
    table: Any,
    *,
    aggregate: str | Callable[[Floats], Any] = "mean",
    measure: OneMeasure | None = None,
    higher_is_better: bool | None = None,
    positive: Any = None,
    tasks: Literal["sample", "fixed"] | None = None,
    weights: Mapping[str, float] | None = None,
    ties: str = "davidson",
    both_bad: Literal["tie", "drop"] = "tie",
    level: float = 0.05,
    columns: Mapping[str, str] | None = None,
    on_missing: Literal["refuse", "drop", "keep"] = "refuse",
    random_state: int = 0,
) -> Board:
    """
    Rank models on tasks, or by battles, and say which ranks are certain.

    Parameters
    ----------
    table : frame, path or mapping
        Models × tasks: a file (csv, tsv, parquet, jsonl) or frame with the columns ``model``,
        ``task`` and ``value`` (or ``truth`` and ``prediction``), and ``example`` and ``run`` where
        there are several per task; or a row per model and a column per task; or a row per ``task``
        and a column per model; or a mapping of models to mappings of tasks to values. Or logs of
        evaluation programs that name their tasks, as :func:`judge` reads them: a folder, several
        files, or a mapping of models to them. Or battles: ``model_a``, ``model_b``, ``winner`` (a
        model's name, ``model_a``, ``model_b`` or ``tie``), with ``prompt`` and ``judge`` if known.
    aggregate : {"mean", "mean-rank", "borda", "win-rate", "z-score"} or callable
        What models are ranked by over tasks; or a function from values (tasks, models) to one
        number per model, which is also asked about resampled tasks.
    measure, higher_is_better, positive
        As in :func:`judge`: what the values are, or which direction they have.
    tasks : {"sample", "fixed"}, optional
        Whether the answer is about new tasks of this kind, or about new examples of these very
        tasks (needs a column ``example``). By default new tasks if there are six or more.
    weights : mapping of str to float, optional
        What each task counts, 1 where nothing is said.
    ties : {"davidson", "split"}
        Of battles: ties as an outcome of their own, or as half a win of each.
    both_bad : {"tie", "drop"}
        What a battle counts whose judge called both answers bad.
    level : float, default 0.05
        The chance that any rank set of the board misses the true rank.
    columns : mapping of str to str, optional
        The table's names of the roles: ``{"task": "benchmark"}``.
    on_missing : {"refuse", "drop", "keep"}
        What to do with tasks that not every model has: name them, leave them out, or keep them, so
        that each pair is compared on the tasks that both have. Of battles ``"drop"`` leaves models
        out whose strength cannot be had because they won, or lost, everything.
    random_state : int, default 0
        The seed of the draws behind the rank sets.

    Returns
    -------
    Board
        Prints as the board; ``ranking`` (name, value, low, high, first, last, among_best, ties,
        tier), ``resolved``, ``tiers``, ``plot()``, ``to_html()``, ``to_markdown()``.

    Notes
    -----
    *Validity.* Rank sets of tasks hold together with confidence 1 − level for new tasks of which
    these are a sample (:func:`evenfold.infer.rank_sets`, with its coverage on simulated and real
    boards); five tasks or fewer tell nothing apart. Mean ranks and win rates depend on which other
    models are there.

    Examples
    --------
    >>> import numpy as np, evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> skill = {"large": 0.80, "medium": 0.79, "small": 0.60}
    >>> table = {name: {f"task {t}": s + x for t, x in enumerate(rng.normal(0, 0.04, 20))}
    ...          for name, s in skill.items()}
    >>> b = ef.board(table, higher_is_better=True)
    >>> [(one.name, one.first, one.last) for one in b.ranking]
    [('large', 1, 2), ('medium', 1, 2), ('small', 3, 3)]
    >>> print(b.sentence)
    1 of 2 neighbouring pairs is resolved (simultaneous 95% rank sets over 20 tasks); 2 of 3 models
    may be the best: large and medium.
    """
    request = BoardRequest(
        aggregate=aggregate,
        tasks=tasks,
        weights=weights,
        ties=ties,
        both_bad=both_bad,
        level=level,
        on_missing=on_missing,
        random_state=random_state,
    )
    if higher_is_better is not None:
        flag("higher_is_better", higher_is_better)
    contents = read_board(
        table,
        columns=columns,
        measure=measure if isinstance(measure, str) else None,
        right_or_wrong=counts_answers(measure),
    )
    if isinstance(contents, Battles):
        return _board_of_battles(contents, request)
    if trials := as_trials(measure):
        contents = with_trials(contents, trials)
    cells = cells_of(
        contents, measure=measure, higher_is_better=higher_is_better, positive=positive
    )
    return _board_of_tasks(_complete(cells, on_missing), request)


# --- models on tasks


def _complete(cells: Cells, on_missing: str) -> Cells:
    """Leave out tasks that some model lacks, keep them, or refuse them."""
    lacking = np.asarray(np.isnan(cells.values).any(axis=1))
    if not lacking.any():
        return cells
    holes = int(np.isnan(cells.values).sum())
    if on_missing == "keep":
        missing = partial_note("board-with-holes", values=holes)
        return replace(cells, notes=(*cells.notes, missing))
    if on_missing == "refuse":
        t, k = np.argwhere(np.isnan(cells.values))[0]
        refuse(
            "table",
            f"Every model must have a value on every task, but {cells.names[k]!r} has none on "
            f"{cells.tasks[t]} ({count(holes, 'missing value')} in all).",
            Advice("Pass ", {"on_missing": ("drop", "keep")}, "."),
        )
    if lacking.all():
        refuse(
            "table",
            "There is no task that every model has.",
            Advice("Pass ", {"on_missing": "keep"}, "."),
        )
    return cells.take(~lacking, left_out(lacking, "tasks", who="model"))


def _board_of_tasks(cells: Cells, request: BoardRequest) -> Board:
    weight = _weights(cells, request.weights)
    kind = request.tasks
    if kind is None:  # a board of few tasks can say more about new examples, if it has examples
        has_examples = cells.of.results.example is not None
        kind = "fixed" if has_examples and len(cells.tasks) < FEWEST_TASKS else "sample"
    lower = cells.quantity.lower_is_better
    if kind == "fixed":
        sets, quantity, units = _over_examples(cells, weight, request)
        about = "new examples of this task"
        if len(cells.tasks) > 1:
            about = f"new examples of these {len(cells.tasks)} tasks"
        unit = "example"
    else:
        if len(cells.tasks) < 2:
            refuse(
                "table",
                f"A board needs two tasks or more but got only {cells.tasks[0]!r}.",
                Advice("Add tasks, or add a column 'example' and pass ", {"tasks": "fixed"}, "."),
            )
        sets, quantity = _over_tasks(cells, weight, request)
        about = "new tasks of this kind"
        unit = "task"
        units = len(cells.tasks)
    notes = [*cells.notes]
    if kind != "fixed" and len(cells.tasks) < FEWEST_TASKS:
        notes.append(note("few-tasks", fewest=FEWEST_TASKS))
    if request.tasks is None and kind == "fixed":
        notes.append(note("fixed-tasks"))
    further = None
    if not np.isnan(cells.values).any() and len(cells.tasks) > 1:
        further = further_ranks(cells.values, lower_is_better=lower, level=request.level)
    there = (~np.isnan(cells.values)).sum(axis=0)
    facts = _facts(
        sets,
        cells.names,
        quantity=quantity,
        of=measure_name(cells.quantity),
        small_is_good=lower,
        about=about,
        unit=unit,
        units=units,
        further=further,
        counts=there,
        tasks=cells.tasks,
        values=cells.values.T,
        wins=_task_wins(cells.values, lower=lower),
        notes=tuple(notes),
    )
    return Board(facts=facts)


def _weights(cells: Cells, weights: Mapping[str, float] | None) -> Floats:
    if weights is None:
        return np.ones(len(cells.tasks))
    known = {one_of("weights", str(name), cells.tasks): x for name, x in weights.items()}
    return np.array([float(known.get(task, 1.0)) for task in cells.tasks])


def _over_tasks(cells: Cells, weight: Floats, request: BoardRequest) -> tuple[RankSets, Quantity]:
    lower = cells.quantity.lower_is_better
    if callable(request.aggregate):
        if np.isnan(cells.values).any():
            raise NotApplicable(
                "A function as aggregate needs every model's value on every task. Pass "
                "on_missing='drop'."
            )
        if request.weights is not None:
            raise NotApplicable(
                "A function as aggregate knows no weights. Pass aggregate='mean' to use weights."
            )
        name = getattr(request.aggregate, "__name__", "aggregate").replace("<lambda>", "aggregate")
        each = pseudo_values(cells.values, request.aggregate)
        quantity = Quantity(
            name=name, lower_is_better=lower, words=f"{name} of {measure_name(cells.quantity)}"
        )
    else:
        way = AGGREGATES[request.aggregate]
        each = way.on_each(cells.values, lower)
        quantity = _quantity(way, cells)
    sets = rank_sets(
        each,
        lower_is_better=quantity.lower_is_better,
        weights=weight,
        level=request.level,
        random_state=request.random_state,
    )
    return _keep_in_range(sets, quantity), quantity


def _quantity(way: Aggregate, cells: Cells) -> Quantity:
    measured = cells.quantity
    if way.lower_is_better is None:
        return replace(measured, words=f"{way.words} {measure_name(measured)}")
    low, high = way.ends(len(cells.names))
    return Quantity(
        name=way.key, words=way.words, lower_is_better=way.lower_is_better, low=low, high=high
    )


def _keep_in_range(sets: RankSets, quantity: Quantity) -> RankSets:
    """Return the sets with intervals that are cut at the ends of the range of the quantity."""
    low = np.clip(sets.low, quantity.low, quantity.high)
    high = np.clip(sets.high, quantity.low, quantity.high)
    return replace(sets, low=low, high=high)


def _over_examples(
    cells: Cells, weight: Floats, request: BoardRequest
) -> tuple[RankSets, Quantity, int]:
    way = AGGREGATES.get(request.aggregate) if isinstance(request.aggregate, str) else None
    if way is None or way.lower_is_better is not None:
        name = request.aggregate if isinstance(request.aggregate, str) else "a function"
        raise NotApplicable(
            f"The aggregate {name!r} jumps where examples of fixed tasks change, so its error is "
            "not known. Pass aggregate='mean' or tasks='sample'."
        )
    moments = example_moments(cells, weight)
    sets = rank_sets_of(
        moments.mean,
        moments.covariance,
        lower_is_better=cells.quantity.lower_is_better,
        level=request.level,
        df=moments.fewest - 1,
        random_state=request.random_state,
    )
    quantity = _quantity(way, cells)
    return _keep_in_range(sets, quantity), quantity, moments.examples


def _task_wins(values: Floats, *, lower: bool) -> Floats | None:
    """Return the share of tasks on which the row beats the column; ties count half."""
    if values.shape[1] > _MOST_WINS:
        return None
    turned = -values if lower else values
    there = ~np.isnan(values)
    both = there.T.astype(float) @ there
    ahead = np.array([(column[:, None] > turned).sum(axis=0) for column in turned.T])
    level = np.array([(column[:, None] == turned).sum(axis=0) for column in turned.T])
    share = np.where(both > 0, (ahead + level / 2) / np.maximum(both, 1), np.nan)
    np.fill_diagonal(share, np.nan)
    return share


# --- models in battles


def _board_of_battles(battles: Battles, request: BoardRequest) -> Board:
    notes: list[Note] = []
    if request.both_bad == "drop" and battles.both_bad.any():
        dropped = int(battles.both_bad.sum())
        battles = battles.take(~battles.both_bad)
        notes.append(note("both-bad", battles=dropped))
    battles = _models_with_strength(battles, request, notes)
    judges = 0 if battles.judge is None else len(np.unique(battles.judge))
    if 0 < judges < FEW_JUDGES:
        notes.append(note("few-judges", judges=judges))
    strengths = bradley_terry(
        battles.first,
        battles.second,
        battles.outcome,
        prompts=battles.prompt,
        judges=battles.judge,
        ties=request.ties,
    )
    sets = rank_sets_of(
        _CENTRE + ELO * strengths.strength,
        ELO**2 * strengths.covariance,
        lower_is_better=False,
        level=request.level,
        df=strengths.clusters - 1,
        random_state=request.random_state,
    )
    counts = np.bincount(battles.first, minlength=len(battles.names))
    counts += np.bincount(battles.second, minlength=len(battles.names))
    facts = _facts(
        sets,
        battles.names,
        quantity=Quantity(name="rating", words="rating", lower_is_better=False),
        of="",
        small_is_good=False,
        about=_battles_estimand(battles, strengths, judges),
        unit="battle",
        units=len(battles),
        further=None,
        counts=counts,
        tasks=(),
        values=None,
        wins=_battle_wins(battles),
        notes=tuple(notes),
    )
    return Board(facts=facts)


def _models_with_strength(battles: Battles, request: BoardRequest, notes: list[Note]) -> Battles:
    """Leave out, or refuse, models whose strength cannot be had."""
    groups = connected_groups(battles.first, battles.second, battles.outcome)
    out = np.flatnonzero(groups > 0)
    if not len(out):
        return battles
    named = [battles.names[i] for i in out[:_NAMED]]
    if request.on_missing != "drop":
        refuse(
            "table",
            "Every model must have won and lost against the others, directly or by way of third "
            f"models, but {join_words(named)} did not ({count(len(out), 'model')} in all).",
            Advice("Pass ", {"on_missing": "drop"}, " to leave such models out."),
        )
    inside = (groups[battles.first] == 0) & (groups[battles.second] == 0)
    if not inside.any():
        refuse("table", "There are no models that won and lost against each other.")
    notes.append(partial_note("without-strength", names=named))
    return battles.take(inside)


def _battles_estimand(battles: Battles, strengths: BradleyTerry, judges: int) -> str:
    if battles.prompt is None:
        return "new battles of this kind"
    prompts = len(np.unique(battles.prompt))
    about = f"new prompts like these {prompts:,}"
    return f"{about} and further judges" if judges and strengths.clusters == judges else about


def _battle_wins(battles: Battles) -> Floats | None:
    models = len(battles.names)
    if models > _MOST_WINS:
        return None
    won = np.zeros((models, models))
    np.add.at(won, (battles.first, battles.second), battles.outcome)
    np.add.at(won, (battles.second, battles.first), 1 - battles.outcome)
    met = won + won.T
    return np.where(met > 0, won / np.where(met > 0, met, 1.0), np.nan)


# --- what a report says


def _facts(
    sets: RankSets,
    names: tuple[str, ...],
    *,
    further: tuple[Floats, Floats] | None,
    counts: NDArray[np.integer],
    values: Floats | None,
    wins: Floats | None,
    **known: Any,
) -> BoardFacts:
    order = sets.order
    letters = tie_groups(sets.value, sets.better, lower_is_better=sets.lower_is_better)
    tiers = sets.tiers
    turned = sets.value if sets.lower_is_better else -sets.value
    ranks = 1 + (turned[:, None] < turned).sum(axis=0)
    entries = tuple(
        BoardEntry(
            name=names[i],
            value=float(sets.value[i]),
            low=float(sets.low[i]),
            high=float(sets.high[i]),
            rank=int(ranks[i]),
            first=int(sets.first[i]),
            last=int(sets.last[i]),
            among_best=bool(sets.first[i] == 1),
            ties=letters[i],
            tier=int(tiers[i]),
            marginal_first=int(sets.marginal_first[i]),
            marginal_last=int(sets.marginal_last[i]),
            further_first=None if further is None else float(further[0][i]),
            further_last=None if further is None else float(further[1][i]),
            count=int(counts[i]),
        )
        for i in order
    )
    place = np.argsort(order)
    beats = tuple(tuple(sorted(place[np.flatnonzero(sets.better[i])].tolist())) for i in order)
    return BoardFacts(
        entries=entries,
        beats=beats,
        values=() if values is None else _rows(values[order]),
        wins=() if wins is None else _rows(wins[np.ix_(order, order)]),
        resolved=sets.resolved,
        sentence=_sentence(entries, sets, known["unit"], known["units"]),
        level=sets.level,
        call="ef.board(table)",
        versions=versions(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        **known,
    )


def _rows(table: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, table.tolist()))


def _sentence(entries: tuple[BoardEntry, ...], sets: RankSets, unit: str, units: int) -> str:
    """Say what is resolved, and which models may be the best."""
    pairs = len(entries) - 1
    if pairs == 1:
        resolved = f"the order of the two models is {'' if sets.resolved else 'not '}resolved"
    else:
        verb = "is" if sets.resolved == 1 else "are"
        resolved = f"{sets.resolved} of {pairs} neighbouring pairs {verb} resolved"
    how = f"simultaneous {format_confidence(sets.level)} rank sets over {count(units, unit)}"
    best = [entry.name for entry in entries if entry.among_best]
    if len(best) == 1:
        return f"{resolved} ({how}); {best[0]} is the best."
    few = f": {join_words(best)}" if len(best) <= _NAMED else ""
    return f"{resolved} ({how}); {len(best)} of {len(entries)} models may be the best{few}."

"""
Tables that no program defines: battles, long and wide frames of any library, and arrays.

A long frame has one row per value, with columns that name the algorithm and what varied. In a wide
frame, and in arrays, every algorithm has a column. The rows of a wide frame may have ids; otherwise
they are only numbered.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import ELLIPSIS, Advice, is_integer, plain_numbers, refuse, short_repr
from evenfold.core.inputs import IDS
from evenfold.core.words import reason
from evenfold.read.results import base
from evenfold.read.results.base import CodedColumn, LongTable, Reader, ReadingOptions
from evenfold.read.results.columns import parse_numbers

# Battles of two models each: who won against whom, and two models as a table of wins.


BATTLE: dict[str, tuple[str, ...]] = {
    "model_a": ("model_a",),
    "model_b": ("model_b",),
    "winner": ("winner", "preference"),
    "prompt": ("prompt", "prompt_id", "question_id", "question", "group"),
    "judge": ("judge", "judge_id", "annotator"),
}
_TIE = ("tie", "draw", "both")
_BAD = ("both bad", "both_bad", "bothbad", "tie (bothbad)", "tie (both bad)", "neither")
_FIRST = ("model_a", "a")
_SECOND = ("model_b", "b")

WIN_RATE = "win rate"  # what a table of battles of two models measures


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Battles:
    """
    Who won against whom.

    Attributes
    ----------
    names : tuple of str
        The models, sorted.
    first, second : arrays (battles,)
        The models of every battle, as positions in ``names``.
    outcome : array (battles,)
        1 where the first won, 0 where the second did, ½ for a tie.
    both_bad : bool array (battles,)
        Ties in which both answers were called bad.
    prompt, judge : arrays (battles,) or None
        Numbers of the prompts and of the judges.
    """

    names: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: NDArray[np.float64]
    both_bad: NDArray[np.bool_]
    prompt: NDArray[np.intp] | None
    judge: NDArray[np.intp] | None

    def __len__(self) -> int:
        return len(self.first)

    def take(self, rows: NDArray[np.bool_]) -> "Battles":
        """Return some of the battles, and only the models that fought in them."""
        there = np.unique(np.concatenate([self.first[rows], self.second[rows]]))
        return Battles(
            names=tuple(self.names[i] for i in there),
            first=np.searchsorted(there, self.first[rows]),
            second=np.searchsorted(there, self.second[rows]),
            outcome=self.outcome[rows],
            both_bad=self.both_bad[rows],
            prompt=None if self.prompt is None else self.prompt[rows],
            judge=None if self.judge is None else self.judge[rows],
        )


def columns_of(
    roles: Mapping[str, Sequence[str]], present: Sequence[str], columns: Mapping[str, str]
) -> dict[str, str]:
    """Return the column of each role that the table has."""
    taken = set(columns.values())
    names_of = {role: columns[role] for role in roles if role in columns}
    for role, names in roles.items():
        free = [name for name in names if name in present and name not in taken]
        if role not in names_of and free:
            names_of[role] = free[0]
            taken.add(free[0])
    return names_of


def battle_roles(present: Sequence[str], columns: Mapping[str, str]) -> dict[str, str] | None:
    """Return what a table calls the roles of battles; None where it holds none."""
    roles = columns_of(BATTLE, present, columns)
    return roles if {"model_a", "model_b", "winner"} <= roles.keys() else None


def battles_of(frame: Any, roles: Mapping[str, str]) -> Battles:
    """Read the battles of a frame, given what it calls their roles."""
    texts = {role: _texts(frame, roles[role]) for role in ("model_a", "model_b", "winner")}
    names = tuple(sorted({*texts["model_a"], *texts["model_b"]}))
    if "" in names:
        refuse(None, "Every battle must name two models, but a name is missing.")
    place = {name: i for i, name in enumerate(names)}
    first = np.array([place[name] for name in texts["model_a"]], dtype=np.intp)
    second = np.array([place[name] for name in texts["model_b"]], dtype=np.intp)
    if (first == second).any():
        row = int((first == second).argmax())
        name = names[first[row]]
        refuse(
            "table", f"A battle must be of two different models, but row {row} has {name!r} twice."
        )
    outcome, bad = _outcomes(texts["winner"], first, second, place)
    return Battles(
        names=names,
        first=first,
        second=second,
        outcome=outcome,
        both_bad=bad,
        prompt=base.number_labels([_texts(frame, roles["prompt"])]) if "prompt" in roles else None,
        judge=base.number_labels([_texts(frame, roles["judge"])]) if "judge" in roles else None,
    )


def _texts(frame: Any, name: str) -> list[str]:
    return [
        "" if entry is None or entry != entry else str(entry)
        for entry in base.decode(base.column(frame, name)).tolist()
    ]


def _outcomes(
    winner: Sequence[str],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    place: Mapping[str, int],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what every word of the column ``winner`` means. Each different word is read once."""
    answers = base.number_labels([winner])
    outcome = np.full(len(answers), np.nan)
    bad = np.zeros(len(answers), dtype=bool)
    for code, word in enumerate(dict.fromkeys(winner)):
        rows = answers == code
        lower = word.strip().lower()
        if word in place:
            outcome[rows & (first == place[word])] = 1.0
            outcome[rows & (second == place[word])] = 0.0
        elif lower in _FIRST:
            outcome[rows] = 1.0
        elif lower in _SECOND:
            outcome[rows] = 0.0
        elif lower in (*_TIE, *_BAD):
            outcome[rows] = 0.5
            bad |= rows & (lower in _BAD)
    if np.isnan(outcome).any():
        row = int(np.isnan(outcome).argmax())
        refuse(
            None,
            "The winner of a battle must be one of its two models, 'model_a', 'model_b' or 'tie', "
            f"but row {row} has {short_repr(winner[row])}.",
        )
    return outcome, bad


@base.register
class BattlesOfTwo(Reader):
    """
    A frame with the columns ``model_a``, ``model_b`` and ``winner``, of two models.

    A battle is an example and its prompt is a group. The winner has the value 1 and the loser 0.
    Both have 0 in a tie, so that the difference of the win rates is the one that split ties would
    give.
    """

    key = "battles"
    takes = "a frame of battles of two models with columns 'model_a', 'model_b' and 'winner'"

    def knows(self, table: Any, options: ReadingOptions) -> bool:
        frame = base.as_frame(table)
        return frame is not None and battle_roles(list(frame.columns), options.columns) is not None

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        frame = base.as_frame(table)
        battles = battles_of(frame, battle_roles(list(frame.columns), options.columns) or {})
        if len(battles.names) != 2:
            refuse(
                "table",
                f"table must hold battles of two models, but it has {len(battles.names)} models.",
                "Use ef.board to rank several models.",
            )
        # outcome of the second name
        second = np.where(battles.first == 1, battles.outcome, 1 - battles.outcome)
        n = len(battles)
        columns: dict[str, Any] = {
            "algorithm": CodedColumn.repeated(battles.names, n),
            "example": np.tile(np.arange(n), 2),
            "value": np.concatenate([second == 0, second == 1]).astype(float),
        }
        if battles.prompt is not None:
            columns["group"] = np.tile(battles.prompt, 2)
        return LongTable(columns=columns, measure=WIN_RATE, higher_is_better=True)


# Frames by the roles of their columns.


@base.register
class LongFrame(Reader):
    """A frame with a column ``algorithm``."""

    key = "long"
    takes = "a long frame with a column 'algorithm'"

    def knows(self, table: Any, options: ReadingOptions) -> bool:
        frame = base.as_frame(table)
        return frame is not None and base.is_long(frame, options)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        frame = base.as_frame(table)
        columns: dict[str, Any] = dict(base.by_role(frame, options))
        if not base.is_measured(columns):
            names = ", ".join(map(repr, frame.columns[:8]))
            refuse(
                "table",
                "The table must have a column 'value', or 'truth' and 'prediction', but it has "
                f"{names}.",
                Advice("Name the column of values by ", {"columns": {"value": ELLIPSIS}}, "."),
            )
        if not any(role in columns for role in IDS):
            refuse(
                "table",
                f"The table must have a column that says what varied: {', '.join(IDS)}.",
                _advise_ids(frame, options),
            )
        notes = base.unused_groups_notes([frame], [columns], options)
        return LongTable(columns=columns, notes=notes, **base.told_by_name(frame.columns, options))


def _advise_ids(frame: Any, options: ReadingOptions) -> str:
    """Say how a table with a column ``algorithm`` gets ids of its examples."""
    if options.rows in base.ROWS:
        return "rows= is for tables without a column 'algorithm'."
    unknown = base.columns_without_role(frame, options)
    name = unknown[0] if len(unknown) == 1 else ELLIPSIS
    return Advice("Add ids, or pass ", {"columns": {"example": name}}, ".")


_COUNTED = 10  # rows that are counted one by one in a column of numbers are no coincidence
_NAMES_OF_IDS = (*base.SYNONYMS["example"], *base.SYNONYMS["run"])
# what a counter of rows is called
_COUNTER = re.compile(r"id|idx|index|row|unnamed: \d+|", re.IGNORECASE)


@base.register
class WideFrame(Reader):
    """A frame without a column ``algorithm``: every column without a role is an algorithm."""

    key = "wide"
    takes = "a wide frame with one column per algorithm"
    general = True

    def knows(self, table: Any, options: ReadingOptions) -> bool:
        frame = base.as_frame(table)
        return frame is not None and not base.is_long(frame, options)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        frame = base.as_frame(table)
        names = base.columns_without_role(frame, options)
        if not names:
            refuse(
                "table",
                "The table has neither a column 'algorithm' nor one column per algorithm.",
                "Give the tables of two models by their names, as in {'A': first, 'B': second}.",
            )
        ids = base.by_role(frame, options)
        truth = ids.pop("truth", None)
        values = {name: base.array(frame, name) for name in names}
        for name in names:
            _require_algorithm(name, values, predicted=truth is not None)
        return stack_algorithms(values, ids, options, truth=truth)


def _require_algorithm(name: str, columns: Mapping[str, NDArray[Any]], *, predicted: bool) -> None:
    """
    Refuse a column of row numbers or of words: neither holds the values of an algorithm.

    Predictions may be words. They may also be numbers that count the rows, unless the name of the
    column says that it does nothing else.
    """
    column = columns[name]
    numbers = parse_numbers(column)
    word = next((text for text in column if isinstance(text, str) and text.strip()), None)
    if not predicted and np.isnan(numbers).all() and word is not None:
        measured = [
            other
            for other, values in columns.items()
            if np.isfinite(parse_numbers(values)).all() and other not in _NAMES_OF_IDS
        ]
        roles = {"value": measured[0] if len(measured) == 1 else ELLIPSIS}
        if not measured:
            roles = {"truth": ELLIPSIS, "prediction": ELLIPSIS}
        mapping = {"columns": {"algorithm": name, **roles}}
        refuse(
            "columns",
            f"evenfold does not know what column {name!r} contains: it has words such as "
            f"{short_repr(str(word))}.",
            Advice("Pass ", mapping, " if the table has a row for each algorithm."),
        )
    if predicted and not _COUNTER.fullmatch(name):
        return
    if len(column) >= _COUNTED and np.isfinite(numbers).all() and (np.diff(numbers) == 1).all():
        refuse(
            None,
            f"Column {name!r} only numbers the rows, so it cannot be the values of an algorithm.",
            Advice("Pass ", {"columns": {"example": name}}, ", or leave the column out."),
        )


def stack_algorithms(
    values: dict[str, Any],
    ids: dict[str, Any],
    options: ReadingOptions,
    *,
    truth: Any = None,
    runs_by: str = "row",
) -> LongTable:
    """
    Put the columns of algorithms below each other, and repeat the ids of the rows beside them.

    If there are no ids, ``rows`` says what a row is. ``runs_by`` says what numbers the runs then:
    the rows of one frame, or their positions.
    """
    count = len(next(iter(values.values())))
    numbers: dict[str, Any] = {}
    if not any(role in ids for role in IDS if role != "group"):  # a group tells no rows apart
        numbers = number_rows(count, options, truth=truth, groups=ids.get("group"))
    ids = {**ids, **numbers}
    rows = np.tile(np.arange(count), len(values))
    columns: dict[str, Any] = {role: column[rows] for role, column in ids.items()}
    columns["algorithm"] = CodedColumn.repeated([str(name) for name in values], count)
    columns["value" if truth is None else "prediction"] = np.concatenate(list(values.values()))
    if truth is not None:
        columns["truth"] = truth[rows]
    if runs_by == "row" and "run" not in numbers:
        runs_by = "id"
    return LongTable(columns=columns, names=[str(name) for name in values], runs_by=runs_by)


def number_rows(
    count: int, options: ReadingOptions, *, truth: Any = None, groups: Any = None
) -> dict[str, Any]:
    """Return the ids of a table whose rows are only numbered, as ``rows`` and ``cv`` imply them."""
    if options.rows is None and options.cv is None:
        kinds = ", ".join(map(repr, base.ROWS))
        refuse("rows", f"rows must be given, one of {kinds}, because the table has no ids.")
    if options.rows == "examples" and options.cv is not None:
        return {"example": np.arange(count), "fold": fold_of_each(count, options, truth, groups)}
    if options.rows in ("folds", "splits") or options.cv is not None:
        return add_sizes(count, options)
    return {base.ROWS[str(options.rows)]: np.arange(count)}


@base.register
class Arrays(Reader):
    """
    A mapping of names to arrays of one length.

    The two axes of a matrix are runs and examples.
    """

    key = "arrays"
    takes = "a mapping of algorithm to array"

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        return base.each_is(table, _is_numbers)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        values = {
            name: plain_numbers(base.mask_to_gaps(array))
            for name, array in base.name_columns(table).items()
        }
        shapes = {array.shape for array in values.values()}
        if len(shapes) > 1 and {len(shape) for shape in shapes} != {1}:
            listed = ", ".join(map(str, sorted(shapes)))
            refuse("arrays", f"All arrays must have the same shape, but the shapes are {listed}.")
        axes = len(next(iter(shapes)))
        if axes == 2:
            return _runs(values, options)
        if len(shapes) > 1:
            return _unequal(values, options)
        if axes != 1:
            refuse(
                "arrays",
                f"Arrays must have one axis, or two axes runs × examples, but these have {axes}.",
            )
        return stack_algorithms(values, {}, options, runs_by="position")


def _is_numbers(values: Any) -> bool:
    if isinstance(values, (str, Mapping)) or hasattr(values, "columns"):
        return False
    try:
        array = np.asarray(values)
    except ValueError:  # a ragged list
        return False
    return array.ndim > 0 and plain_numbers(array).dtype.kind in "biuf"


def _runs(values: dict[str, Any], options: ReadingOptions) -> LongTable:
    if options.rows not in (None, "runs"):
        refuse(
            "rows",
            "rows must be 'runs' where arrays have two axes, runs × examples, but got "
            f"{short_repr(options.rows)}.",
        )
    runs, n = next(iter(values.values())).shape
    ids = {"run": np.repeat(np.arange(runs), n), "example": np.tile(np.arange(n), runs)}
    flat = {name: array.ravel() for name, array in values.items()}
    return stack_algorithms(flat, ids, options, runs_by="position")


def _unequal(values: dict[str, Any], options: ReadingOptions) -> LongTable:
    """Only runs may be more for one algorithm than for another: then they are not the same runs."""
    if options.rows != "runs":
        lengths = ", ".join(f"{len(array):,} of {name!r}" for name, array in values.items())
        refuse(
            "arrays",
            "All arrays must have the same length unless rows='runs', but the lengths are "
            f"{lengths}.",
        )
    return LongTable(
        columns={
            "algorithm": CodedColumn.repeated(
                list(values), [len(array) for array in values.values()]
            ),
            "run": np.array(
                [f"{name} {i}" for name, array in values.items() for i in range(len(array))]
            ),
            "value": np.concatenate(list(values.values())),
        },
        names=list(values),
    )


# How large training and test sets behind scores of folds or splits were, by their splitter.


_MOST = 1_000_000_000  # examples in all training sets together that are listed
Pairs = list[tuple[NDArray[Any], NDArray[Any]]]
_REMEDY = Advice(
    "Pass ",
    {"cv": ELLIPSIS},
    ", the splitter or its (train, test) pairs, and ",
    {"n": ELLIPSIS},
    ".",
)


def add_sizes(count: int, options: ReadingOptions) -> dict[str, Any]:
    """
    Return fold or split of each of ``count`` scores, with the sizes of its training and test set.

    Examples
    --------
    >>> add_sizes(5, ReadingOptions(rows="folds", n=100))["n_train"].tolist()
    [80, 80, 80, 80, 80]
    """
    if count < 2:
        refuse("scores", f"There must be scores of two folds or more, but there is {count}.")
    if options.cv is None or is_integer(options.cv):
        return _equal(count, options)
    pairs = _pairs(options, count)
    if len(pairs) != count:
        splits = "more" if len(pairs) > count else len(pairs)
        refuse("cv", f"cv must have as many splits as there are scores, {count}, but has {splits}.")
    if are_windows(pairs):
        columns = {"split": np.arange(count), "horizon": np.full(count, _windows_ahead(pairs))}
    else:
        columns = places([test for _, test in pairs])
    columns["n_train"] = np.array([len(train) for train, _ in pairs])
    columns["n_test"] = np.array([len(test) for _, test in pairs])
    return columns


def are_windows(pairs: Pairs) -> bool:
    """
    Whether all training sets come before their test sets, and these follow each other in time.

    Examples
    --------
    >>> are_windows([(np.array([0, 1]), np.array([2])), (np.array([0, 1, 2]), np.array([3]))])
    True
    """
    if not all(train.max() < test.min() for train, test in pairs):
        return False
    return all(before[1].max() < after[1].min() for before, after in pairwise(pairs))


def _windows_ahead(pairs: Pairs) -> int:
    """How many windows ahead of its training set a test set ends; 1 where there is no gap."""
    trained = np.array([train.max() for train, _ in pairs])
    tested = np.array([test.max() for _, test in pairs])
    return -(-int((tested - trained).max()) // int(np.diff(tested).min()))


def _equal(count: int, options: ReadingOptions) -> dict[str, Any]:
    """K folds of n examples, which differ by one at most."""
    if options.rows == "splits":
        remedy = "Pass it, or give a table with columns n_train and n_test."
        refuse("cv", "cv must be the splitter of these splits but got None.", remedy)
    if options.cv is not None and options.cv != count:
        refuse("cv", f"cv must be the number of scores, {count}, but got {options.cv}.")
    if options.n is None:
        refuse(
            "n", "n must be the number of examples that were cut into folds but got None.", _REMEDY
        )
    if options.n < 2 * count:
        refuse("n", f"n must be at least {2 * count}, two examples per fold, but got {options.n}.")
    test = np.full(count, options.n // count) + (np.arange(count) < options.n % count)
    return {"fold": np.arange(count), "n_train": options.n - test, "n_test": test}


def _pairs(options: ReadingOptions, count: int) -> Pairs:
    """
    Return the pairs of a splitter, at most one more than there are scores.

    The sizes of training and test sets depend on groups, but not on labels.
    """
    if not hasattr(options.cv, "split"):
        return _splits(options.cv, np.zeros(0))
    if options.n is None:
        refuse("n", "n must be the number of examples that were split but got None.", _REMEDY)
    if count * options.n > _MOST:
        refuse(
            "cv",
            "cv must have splits that can be listed, but "
            f"{count:,} splits of {options.n:,} examples are too many.",
            "Give a table with columns n_train and n_test.",
        )
    return _splits(options.cv, np.zeros(options.n, dtype=int), most=count + 1)


def fold_of_each(count: int, options: ReadingOptions, truth: Any, groups: Any) -> NDArray[Any]:
    """
    Return the fold in which each example was tested, as ``cross_val_predict`` does with a splitter.

    Labels and groups decide when an example is tested, so they must be those of the table.
    """
    cv = options.cv
    if is_integer(cv):
        refuse(
            "cv",
            "cv must be a splitter or a list of (train, test) pairs where rows are examples but "
            f"got {short_repr(cv)}.",
        )
    if getattr(cv, "shuffle", False) and getattr(cv, "random_state", 0) is None:
        refuse(
            "cv",
            f"cv must be a splitter that makes the same splits again but got {short_repr(cv)}.",
            "Pass its (train, test) pairs.",
        )
    y = np.zeros(count, dtype=int) if truth is None else np.asarray(base.decode(truth))
    pairs = _splits(cv, y, None if groups is None else np.asarray(base.decode(groups)))
    tested = np.concatenate([np.arange(0), *(test for _, test in pairs)])
    if not np.array_equal(np.sort(tested), np.arange(count)):
        refuse("cv", f"cv must test every example once but got {short_repr(cv)}.")
    fold = np.empty(count, dtype=int)
    for j, (_, test) in enumerate(pairs):
        fold[test] = j
    return fold


def _splits(cv: Any, y: NDArray[Any], groups: Any = None, *, most: int | None = None) -> Pairs:
    """Return the pairs of a list, or the first ``most`` that a splitter makes of these rows."""
    try:
        if hasattr(cv, "split"):
            return list(islice(cv.split(np.zeros((len(y), 1)), y, groups), most))
        return [(np.asarray(train), np.asarray(test)) for train, test in cv]
    except (ValueError, TypeError) as error:
        if hasattr(cv, "split"):
            remedy = "Pass its (train, test) pairs."
            refuse("cv", f"cv cannot split these rows: {reason(error)}.", remedy)
        refuse(
            "cv",
            "cv must be a splitter, a number of folds or a list of (train, test) pairs but got "
            f"{short_repr(cv)}.",
        )


def places(tests: list[NDArray[Any]]) -> dict[str, Any]:
    """
    Return the repetition and the fold of each test set, if every repetition tests everything once.

    Otherwise the test sets are numbered as splits.
    """
    seen = np.zeros(1 + max(int(test.max()) for test in tests), dtype=bool)
    rounds: list[list[int]] = [[]]  # the folds of each
    for test in tests:
        if seen[test].any():
            return {"split": np.arange(len(tests))}
        seen[test] = True
        rounds[-1].append(len(rounds[-1]))
        if seen.all():
            seen[:] = False
            rounds.append([])
    if seen.any():
        return {"split": np.arange(len(tests))}
    fold = np.concatenate([np.array(folds, dtype=int) for folds in rounds])
    if len(rounds) == 2:  # the last is empty
        return {"fold": fold}
    return {"repetition": np.repeat(np.arange(len(rounds)), list(map(len, rounds))), "fold": fold}

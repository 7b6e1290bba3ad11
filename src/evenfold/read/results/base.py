"""
The base class of readers of result tables, and what readers share.

A reader says which tables it takes and turns them into long columns.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import Advice, one_of, refuse, short_repr
from evenfold.core.inputs import IDS, NUMBERS, PREDICTED, PROBABILITY, SLICE, TASK
from evenfold.core.note import Note, note
from evenfold.core.registry import Registry
from evenfold.core.words import reason
from evenfold.read.plain_tables import PlainTable

ROWS: dict[str, str] = {
    "examples": "example",
    "folds": "fold",
    "splits": "split",
    "runs": "run",
    "data sets": "dataset",
    "times": "time",
}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ReadingOptions:
    """The options of :func:`read_results`, which say how a table is to be read."""

    columns: Mapping[str, str] = field(default_factory=dict)
    rows: str | None = None
    cv: Any = None
    n: int | None = None
    measure: str | None = None
    drop: bool = False
    right_or_wrong: bool = False
    slices: tuple[str, ...] = ()

    def score(self, names: Sequence[str], several: str) -> str:
        """
        Return which of several scores was asked for, or the only one.

        ``several`` is the sentence for a table with more than one score.
        """
        if not names:
            refuse("table", "The table has no scores.")
        if self.measure is not None:
            return one_of("measure", self.measure, names)
        if len(names) > 1:
            listed = ", ".join(map(repr, names))
            refuse("measure", f"measure must be one of {listed} but got None.", several)
        return names[0]


@dataclass(frozen=True, eq=False, slots=True)
class CodedColumn:
    """
    A column of few labels in many rows: the labels, and for each row the position of its label.

    The position is −1 for a row without a label.

    Examples
    --------
    >>> len(
    ...     CodedColumn(np.array(["a", "b"], dtype=object), np.array([0, 0, 1]))[
    ...         np.array([True, False, True])
    ...     ]
    ... )
    2
    """

    labels: NDArray[Any]
    codes: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: NDArray[Any]) -> "CodedColumn":
        return CodedColumn(self.labels, self.codes[rows])

    @classmethod
    def repeated(cls, labels: Sequence[str], counts: int | Sequence[int]) -> "CodedColumn":
        """Return the labels, each repeated so many times."""
        codes = np.arange(len(labels), dtype=np.int32)
        return cls(np.array(labels, dtype=object), np.repeat(codes, counts))


def decode(column: Any) -> Any:
    """Return a column with the label of every row, None where it has none."""
    if not isinstance(column, CodedColumn):
        return column
    lacking = column.codes < 0
    if not lacking.any():
        return column.labels[column.codes]
    labels = np.full(len(column.codes), None, dtype=object)
    labels[~lacking] = column.labels[column.codes[~lacking]]
    return labels


def mask_to_gaps(values: Any) -> NDArray[Any]:
    """
    Return an array in which what a mask hides is missing, not taken for what lies below.

    Examples
    --------
    >>> mask_to_gaps(np.ma.array([1, 2], mask=[False, True])).tolist()
    [1, None]
    """
    array = np.asarray(values)
    if not np.ma.is_masked(values):
        return array
    shown = array.astype(object)
    shown[np.ma.getmaskarray(values)] = None
    return shown


def name_columns(table: Mapping[Any, Any]) -> dict[str, Any]:
    """
    Return a table by the texts of its names.

    Two names that are the same text, such as 1 and "1", are refused.
    """
    named: dict[str, Any] = {}
    for name, results in table.items():
        if str(name) in named:
            refuse(
                "algorithms", f"Two algorithms have the name {str(name)!r}.", "Rename one of them."
            )
        named[str(name)] = results
    return named


def each_is(table: Any, of_kind: Callable[[Any], bool]) -> bool:
    """Whether a table is a mapping of algorithms to things of a kind."""
    return isinstance(table, Mapping) and bool(table) and all(map(of_kind, table.values()))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class LongTable:
    """
    Long columns, not yet checked.

    Attributes
    ----------
    columns : mapping of role to column
        ``algorithm`` and whichever other roles the table has; any sequence of the same length.
    names : sequence of str or None
        The algorithms in the order that the table has them; None: sorted.
    measure, higher_is_better, right, runs_by, notes
        As in :class:`evenfold.core.inputs.Results`.
    """

    columns: Mapping[str, Any]
    names: Sequence[str] | None = None
    measure: str = ""
    higher_is_better: bool | None = None
    right: str = ""
    runs_by: str = "id"
    notes: tuple[Note, ...] = ()


class Reader(ABC):
    """
    One kind of table.

    A reader registers one instance of itself in :data:`READERS`. Other packages announce their
    readers by entry points of the group ``evenfold.readers``. The first reader that knows a table
    reads it.
    """

    key: ClassVar[str]
    takes: ClassVar[str]  # what it takes, in words for messages and the documentation
    general: ClassVar[bool] = False  # asked after all others, because it would take theirs too
    of_frames: ClassVar[bool] = False  # whether it takes frames, and so files that hold one

    @abstractmethod
    def knows(self, table: Any, options: ReadingOptions) -> bool:
        """Whether this is a table of its kind; looks, but does not read."""

    @abstractmethod
    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        """Return the long columns of the table."""

    def describe(self, path: Path) -> "FileDescription | None":  # noqa: ARG002  (for files only)
        """Return what a file or folder of its kind holds; None where it is of another kind."""
        return None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class FileDescription:
    """What a file or folder is, in words, and the names of the scores that it has."""

    kind: str
    scores: tuple[str, ...]


READERS: Registry[Reader] = Registry("reader", "evenfold.readers")


def register(reader: type[Reader]) -> type[Reader]:
    """Register a reader. This is a decorator of its class."""
    READERS.add(reader.key, reader())
    return reader


def names_of_roles(columns: Any) -> Mapping[str, str]:
    """Check what a table calls its roles."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping) or not all(
        isinstance(name, str) for name in columns.values()
    ):
        refuse(
            "columns",
            'columns must map roles to names of columns, such as {"algorithm": "model"}, but got '
            f"{short_repr(columns)}.",
        )
    return columns


# Frames of any library, by narwhals: their columns by role.


ROLES = ("algorithm", *IDS, TASK, *NUMBERS, *PREDICTED)


def as_frame(table: Any) -> Any:
    """
    Return a table as a narwhals frame or a plain table, and None if it is neither.

    Lazy frames are collected.
    """
    if isinstance(table, PlainTable):
        return table
    if isinstance(table, (dict, list, tuple, str, np.ndarray)):
        return None  # no library's frame is one of these, and to ask narwhals takes long
    import narwhals as nw

    try:
        frame = nw.from_native(table, pass_through=True)
    except Exception as error:  # narwhals' own errors: a frame, but a broken one
        kind = type(table).__name__
        refuse("table", f"The table, a {kind}, cannot be read: {reason(error)}.")
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()
    if isinstance(frame, nw.DataFrame):
        return frame
    return None


def column(frame: Any, name: str) -> Any:
    """Return a column as an array, or as codes where the library has them; gaps are None or NaN."""
    if isinstance(frame, PlainTable):
        return frame[name]
    series = frame[name]
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # pandas' categories
        return CodedColumn(native.cat.categories.to_numpy(), native.cat.codes.to_numpy())
    if series.dtype.is_float():
        return np.asarray(series.to_numpy(), dtype=float)
    if series.null_count():
        return np.array(series.to_list(), dtype=object)
    return np.asarray(series.to_numpy())


def array(frame: Any, name: str) -> NDArray[Any]:
    """Return a column as an array, whatever the library."""
    if isinstance(frame, PlainTable):
        return frame[name]
    return np.asarray(frame[name].to_numpy())


def by_role(frame: Any, options: ReadingOptions) -> dict[str, Any]:
    """Return the columns that have a role, named by it, and those of probabilities."""
    present = frame.columns
    for role, name in options.columns.items():
        if role not in ROLES and name in ROLES:
            refuse(
                "columns",
                "columns must map evenfold's names of columns to yours but got "
                f"{short_repr(role)} for {name!r}.",
                Advice("Pass ", {"columns": {name: role}}, "."),
            )
        one_of("columns", role, ROLES)
        if name not in present:
            one_of(f"The column of {role!r}", name, present)
    chosen = columns_by_role(present, options)
    if "score" not in options.columns and "score" in options.columns.values():
        del chosen["score"]  # somebody said what it is: {"value": "score"}
    chosen |= {name: name for name in present if name.startswith(PROBABILITY)}
    _require_one_role(chosen)
    chosen |= {f"{SLICE}{name}": one_of("slices", name, present) for name in options.slices}
    return {role: column(frame, name) for role, name in chosen.items()}


_SURELY_RIGHT = ("correct", "is_correct", "passed", "success", "acc")
_PROBABLY_RIGHT = ("pass", "resolved", "exact_match")  # unless something else is the value
RIGHT_OR_WRONG = (*_SURELY_RIGHT, *_PROBABLY_RIGHT)
"""Columns that say of every answer whether it is right, so that the direction is known."""

SYNONYMS: dict[str, tuple[str, ...]] = {
    "algorithm": ("model", "classifier", "system", "model_name", "model_id", "agent"),
    "example": (
        *("id", "example_id", "item", "query", "qid", "question_id", "item_id", "sample_id"),
        *("prompt_id", "instance_id", "problem_id", "doc_id", "task_id"),
    ),
    "truth": ("y_true",),
    "prediction": ("y_pred",),
    "run": ("seed", "run_id", "trial"),
    "value": RIGHT_OR_WRONG,
}
"""
What other programs call the columns, the most frequent word first.

A column ``task_id`` is the id of the examples only if no other word for it is a column.
"""


def columns_by_role(present: Sequence[str], options: ReadingOptions) -> dict[str, str]:
    """
    Return the column of each role that a table has.

    It is the column that the caller names, or the one that is called like the role, or else one
    that has a synonym of the role for its name.
    """
    named = options.columns.values()
    names = {role: options.columns.get(role, role) for role in ROLES}
    names = {role: name for role, name in names.items() if name in present}
    synonyms = {
        role: [word for word in words if word in present and word not in (*named, *options.slices)]
        for role, words in SYNONYMS.items()
        if role not in names and role not in options.columns
    }
    models = synonyms.pop("algorithm", [])
    if "value" in synonyms and options.measure in present and options.measure not in named:
        synonyms["value"] = [str(options.measure)]  # the column of the measure that was asked for
    elif "value" in synonyms:
        is_predicted = all(role in names or synonyms.get(role) for role in ("truth", "prediction"))
        if is_predicted or any(name in present for name in ("score", *_SURELY_RIGHT)):
            # a column "pass" is not the value where another column surely is
            synonyms["value"] = [word for word in synonyms["value"] if word in _SURELY_RIGHT]
        _require_one_value(synonyms["value"], present)
    names |= {role: words[0] for role, words in synonyms.items() if words}
    probabilities = [name for name in present if name.startswith(PROBABILITY)]
    # In a wide frame "model" may be an algorithm, whose column holds its values.
    if models and is_measured([*names, *probabilities]):
        names["algorithm"] = models[0]
    return {role: names[role] for role in ROLES if role in names}


def _require_one_value(free: Sequence[str], present: Sequence[str]) -> None:
    """Refuse to choose among columns that may all be the value."""
    candidates = [*free, *(["score"] if free and "score" in present else [])]
    if len(candidates) > 1:
        refuse(
            "table",
            f"Several columns can be the value: {', '.join(map(repr, candidates))}.",
            Advice("Pass ", {"columns": {"value": candidates[0]}}, ", or another of them."),
        )


def told_by_name(present: Sequence[str], options: ReadingOptions) -> dict[str, Any]:
    """
    Return the measure and the direction that follow from the name of the column of values.

    The result is empty if neither follows from the name. If the caller asks for another measure,
    the name only says that the values are right or wrong.
    """
    name = columns_by_role(present, options).get("value")
    if name not in RIGHT_OR_WRONG:
        return {}
    if options.measure not in (None, name):
        return {} if "value" in options.columns else {"right": name}
    return {"measure": "accuracy", "higher_is_better": True}


def is_long(frame: Any, options: ReadingOptions) -> bool:
    """Whether a table has a row for each algorithm."""
    return "algorithm" in columns_by_role(frame.columns, options)


def _require_one_role(chosen: Mapping[str, str]) -> None:
    """Refuse a column in two roles: a truth that is the prediction makes every answer right."""
    roles: dict[str, str] = {}
    for role, name in chosen.items():
        first = roles.setdefault(name, role)
        if first != role:
            refuse(
                "columns",
                f"Column {name!r} must have one role, but it is used as {first!r} and as {role!r}.",
            )


def columns_without_role(frame: Any, options: ReadingOptions) -> list[str]:
    """Return the names of columns without a role."""
    taken = {*columns_by_role(frame.columns, options).values(), *options.slices}
    return [
        name for name in frame.columns if name not in taken and not name.startswith(PROBABILITY)
    ]


_FEWEST_GROUPS = 8  # fewer values are kinds of examples, such as languages, more often than groups
_OF_GROUPS = re.compile(
    r"(?i)(.*[_ ])?id|(patient|subject|person|participant|user|speaker|author|customer|doc|document"
    r"|session|conversation|site|hospital|household|family|school)s?(_.*)?"
)


def unused_groups_notes(
    frames: Sequence[Any], columns: Sequence[Mapping[str, Any]], options: ReadingOptions
) -> tuple[Note, ...]:
    """
    Name an unused column that may say which examples belong together.

    Such a column has one value for each example, whatever the algorithm, and most of its values
    belong to several examples. Numbers may be anything that was measured, so a column of numbers
    counts only if its name says that they are ids.
    """
    if any("example" not in table or set(table) & _WITHOUT_NOTE for table in columns):
        return ()
    example: NDArray[np.intp] | None = None
    for name in columns_without_role(frames[0], options):
        if any(name not in frame.columns for frame in frames):
            continue
        values = [decode(column(frame, name)) for frame in frames]
        if not _may_be_ids(name, values):
            continue
        if example is None:
            example = number_labels([decode(table["example"]) for table in columns])
        groups = _groups_of_examples(example, number_labels(values))
        if groups:
            return (note("unused-column", column=name, values=groups),)
    return ()


# a table with such a column has groups already, or is asked about another way to depend
_WITHOUT_NOTE = {"group", "split", "repetition", "fold", "dataset", "time"}


def _may_be_ids(name: str, columns: Sequence[Any]) -> bool:
    """Whether all entries are texts, or integers under a name that says what they number."""
    arrays = [np.asarray(array) for array in columns]
    if _OF_GROUPS.fullmatch(name) and all(array.dtype.kind in "iu" for array in arrays):
        return True
    return all(set(map(type, array.tolist())) == {str} for array in arrays)


def number_labels(columns: Sequence[Any]) -> NDArray[np.intp]:
    """Number what stands in columns below each other, in the order of first appearance."""
    entries: list[Any] = []
    for column in columns:
        # An array of texts would take as much memory for each row as for the longest text.
        entries += column if isinstance(column, list) else np.asarray(column).tolist()
    places = {entry: place for place, entry in enumerate(dict.fromkeys(entries))}
    return np.fromiter(map(places.__getitem__, entries), np.intp, len(entries))


def _groups_of_examples(example: NDArray[np.intp], value: NDArray[np.intp]) -> int:
    """Return how many groups a column makes of the examples, 0 if it does not look like groups."""
    examples = int(example.max()) + 1
    groups = int(value.max()) + 1
    if groups < _FEWEST_GROUPS or 2 * groups > examples:
        return 0
    of_example = np.empty(examples, dtype=np.intp)
    of_example[example] = value
    return groups if np.array_equal(of_example[example], value) else 0


def is_measured(columns: Iterable[str]) -> bool:
    """
    Whether columns hold values, or a truth with predictions.

    Predictions are labels, scores or probabilities.
    """
    roles = set(columns)
    predicted = "prediction" in roles or any(role.startswith(PROBABILITY) for role in roles)
    return bool(roles & {"value", "score"}) or ("truth" in roles and predicted)

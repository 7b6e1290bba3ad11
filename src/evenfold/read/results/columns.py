"""
From columns of any origin to the normal form.

Ids, numbers and labels are each checked once, in this module.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Number
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from evenfold.core import checks
from evenfold.core.checks import Advice, one_of, refuse, short_repr
from evenfold.core.inputs import (
    IDS,
    NUMBERS,
    PREDICTED,
    PROBABILITY,
    SLICE,
    TASK,
    Floats,
    Ids,
    Results,
    as_number,
    is_number,
    label_text,
    large_integers,
    missing_marks,
)
from evenfold.core.note import partial_note
from evenfold.core.words import count, join_words, list_first_values
from evenfold.read.results import base
from evenfold.read.results.base import CodedColumn, LongTable, Reader, ReadingOptions

# Columns of numbers as files have them: gaps, texts that are numbers, and what is none.


def gaps(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which entries of a column are missing: None, NaN, NaT or an empty text."""
    missing: NDArray[np.bool_] = np.zeros(len(values), dtype=bool)
    if values.dtype.kind in "fc":
        missing = np.isnan(values)
    elif values.dtype.kind in "mM":
        missing = np.isnat(values)
    elif values.dtype.kind == "U":
        missing = np.char.str_len(np.char.strip(values)) == 0
    elif values.dtype.kind == "O":
        missing = np.fromiter(map(is_gap, values), bool, len(values))
    return missing


def is_gap(entry: object) -> bool:
    """
    Whether an entry is none: None, an empty text, or unequal to itself, as NaN and NaT are.

    Examples
    --------
    >>> [is_gap(one) for one in (None, " ", float("nan"), 0, "0", [])]
    [True, True, True, False, False, False]
    """
    if isinstance(entry, str):
        return not entry.strip()
    if entry is None:
        return True
    try:
        return bool(entry != entry)
    except Exception:  # pandas' NA, which is neither; an array in a cell, which is no gap
        return type(entry).__name__ == "NAType"


def numbers(role: str, values: NDArray[Any]) -> Floats:
    """
    Return a column of finite numbers; texts are read, right and wrong are 1 and 0.

    Examples
    --------
    >>> numbers("value", np.array(["0.5", "1e-3"])).tolist()
    [0.5, 0.001]
    >>> numbers("value", np.array(["True", "false"])).tolist()
    [1.0, 0.0]
    """
    parsed = parse_numbers(_number_answers(values) if role == "value" else values)
    _refuse_numbers(role, values, ~np.isfinite(parsed))
    return parsed


_ANSWERS = {
    **dict.fromkeys(("true", "yes", "pass", "passed", "correct", "right"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed", "incorrect", "wrong"), 0.0),
}
"""Words for right and wrong answers, as programs write them into files."""


def _number_answers(values: NDArray[Any]) -> NDArray[Any]:
    """Return 1 and 0 for a column of words that all say right or wrong; others as they are."""
    if values.dtype.kind not in "OU":
        return values
    entries = values.tolist()
    words = [text.strip().casefold() for text in entries if isinstance(text, str)]
    if len(words) < len(entries) or not set(words) <= _ANSWERS.keys():
        return values
    return np.array([_ANSWERS[word] for word in words])


def _refuse_numbers(role: str, values: NDArray[Any], invalid: NDArray[np.bool_]) -> None:
    """Refuse a column in which some entries are no finite numbers, and show the first of them."""
    if invalid.any():
        row = int(invalid.argmax())
        entry = short_repr(values[row])
        refuse(None, f"Column {role!r} must hold finite numbers, but row {row} has {entry}.")


def parse_numbers(values: NDArray[Any]) -> Floats:
    """Return numbers as they are, texts as the numbers they spell, and NaN for other entries."""
    if values.dtype.kind in "biuf":
        return values.astype(float, copy=False)
    if values.dtype.kind not in "OU":
        return np.full(len(values), np.nan)
    return np.fromiter(map(as_number, values), float, len(values))


def is_whole(values: Floats) -> bool:
    """
    Whether all values are integers that a float holds exactly.

    A conversion to int64 would change larger integers.
    """
    return bool((values == np.round(values)).all() and (np.abs(values) <= 2.0**53).all())


# Ids of rows: integers or texts, numbered by their labels.


_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # what an integer looks like that fits 64 bits
_LARGEST = 2**63 - 1
_SHOWN = 5
_LONGEST_ID = 1000  # characters that any number of ids may have


def ids(role: str, values: Any) -> Ids:
    """
    Return a column of ids, its labels sorted: as integers where all of them are, else as texts.

    Examples
    --------
    >>> ids("example", np.array(["10", "9", "10"])).labels.tolist()
    [9, 10]
    """
    if isinstance(values, CodedColumn):
        return _sort_labels(role, values)
    if values.dtype.kind == "u" and values.max() > _LARGEST:
        return _texts(role, values.astype(str))
    if values.dtype.kind in "iu":
        labels, codes = np.unique(values.astype(np.int64, copy=False), return_inverse=True)
        return Ids(labels=labels, codes=_smallest_codes(codes, len(labels)))
    if values.dtype.kind in "fc":
        if np.isnan(values).any():
            _refuse_no_id(role, np.isnan(values))
        refuse(
            None,
            f"Column {role!r} must hold integers or texts, but it has numbers such as {values[0]}.",
            "Write ids as integers.",
        )
    return _texts(role, values)


def _refuse_no_id(role: str, missing: NDArray[np.bool_]) -> NoReturn:
    where = np.flatnonzero(missing)
    rows = f"rows {list_first_values(where)} have"
    if len(where) == 1:
        rows = f"row {where[0]} has"
    refuse(None, f"Column {role!r} must have an id in every row, but {rows} none.")


def _smallest_codes(codes: NDArray[Any], count: int) -> NDArray[np.integer]:
    kind = np.int32 if count < 2**31 else np.int64
    return codes.astype(kind, copy=False)


def _texts(role: str, values: NDArray[Any]) -> Ids:
    entries = values.tolist()
    if values.dtype.kind in "bmM":
        entries = values.astype(str).tolist()
    try:
        labels = list(dict.fromkeys(entries))
    except TypeError:  # an object or a list of JSON cannot be told from others
        refuse(None, f"Column {role!r} must hold integers or texts, but it has objects or lists.")
    there = [label for label in labels if isinstance(label, str) or not is_gap(label)]
    places = dict.fromkeys(labels, -1) | {label: place for place, label in enumerate(there)}
    codes = np.fromiter(map(places.__getitem__, entries), np.intp, len(entries))
    return _sort_labels(role, CodedColumn(np.fromiter(there, object, len(there)), codes))


def _sort_labels(role: str, column: CodedColumn) -> Ids:
    """Sort the labels; they are few and rows many, so only the numbering looks at rows."""
    there = np.zeros(len(column.labels) + 1, dtype=bool)
    there[column.codes] = True  # the last place is that of −1
    empty = np.array(
        [*(isinstance(text, str) and not text.strip() for text in column.labels), True]
    )
    if (there & empty).any():
        _refuse_no_id(role, empty[column.codes])
    labels = _label_texts(role, column.labels[there[:-1]])
    order = np.argsort(labels)
    places = np.zeros(len(column.labels), dtype=np.int64)
    places[np.flatnonzero(there[:-1])[order]] = np.arange(len(labels))
    return Ids(labels=labels[order], codes=_smallest_codes(places, len(labels))[column.codes])


def _label_texts(role: str, uniques: NDArray[Any]) -> NDArray[Any]:
    """Return labels as integers if all of them are integers, else as texts; refuse a mixture."""
    kinds = {_kind(kind) for kind in set(map(type, uniques))}
    if len(kinds) > 1 or "numbers" in kinds:
        refuse(
            None,
            f"Column {role!r} must hold either integers or texts, but it has "
            f"{join_words(sorted(kinds))}.",
            "Write all ids as texts.",
        )
    texts = [str(label) for label in uniques]
    longest = max(map(len, texts), default=0)
    # numpy gives every text as much room as the longest takes
    if longest > _LONGEST_ID and longest * len(texts) > _LONGEST_ID * 2**16:
        refuse(
            None,
            f"Column {role!r} must hold short texts, but one has {longest:,} characters.",
            "Give the rows short ids.",
        )
    labels = np.array(texts)
    if all(map(_WHOLE.fullmatch, labels.tolist())):
        return labels.astype(np.int64)
    return labels


def _kind(kind: type) -> str:
    if issubclass(kind, str):
        return "texts"
    if issubclass(kind, (int, np.integer)) and not issubclass(kind, (bool, np.bool_)):
        return "integers"
    if issubclass(kind, (float, np.floating)):
        return "numbers"
    return "other values"


# Times as texts: those that sort as time goes, and those that only look so.


_DAY_FIRST = re.compile(r"\s*\d{1,2}\s*[/.\-]\s*\d{1,2}\s*[/.\-]\s*\d{2,4}(?!\d).*", re.DOTALL)
_MONTHS = re.compile(r"(?i)(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)")
_DIGITS = re.compile(r"(\d+)")


def require_order(role: str, labels: Sequence[str]) -> None:
    """
    Refuse texts of times whose alphabetical order is not that of time.

    Examples
    --------
    >>> require_order("time", ["2024-01-31", "2024-02-01"])
    >>> require_order("time", ["1/2/2024", "31/1/2024"])
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: Column 'time' must hold integers, or texts that sort as time
    goes, such as ISO dates (2024-01-31), but got '1/2/2024'. Write ISO dates, or number the times.
    """
    remedy = "Write ISO dates, or number the times."
    odd = next(
        (text for text in labels if _DAY_FIRST.fullmatch(text) or _MONTHS.search(text)), None
    )
    if odd is None:
        remedy = "Write all numbers in them with equally many digits, or number the times."
        pairs = zip(sorted(labels), sorted(labels, key=_natural_order), strict=True)
        odd = next((text for text, counted in pairs if text != counted), None)
    if odd is not None:
        refuse(
            None,
            f"Column {role!r} must hold integers, or texts that sort as time goes, such as ISO "
            f"dates (2024-01-31), but got {short_repr(odd)}.",
            remedy,
        )


def _natural_order(label: str) -> list[tuple[int, str]]:
    """Return the key by which texts sort as people count, so that 9 comes before 10."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(label) if part
    ]


_CODED = ("algorithm", TASK, SLICE, *IDS)  # columns of few labels, which may stay codes
_TWO_DECIMALS = 0.005  # what rounding to two decimals may take from each probability
_LABELS = (str, Number, np.generic)  # truth values are numbers, too


def results(long: LongTable, options: ReadingOptions) -> Results:
    """
    Check long columns and bring them into the normal form.

    Examples
    --------
    >>> columns = {"algorithm": ["b", "a"], "example": [7, 7], "value": [0.5, 1]}
    >>> results(LongTable(columns=columns), ReadingOptions())
    Results(a, b; 2 rows; varied: )
    """
    columns: dict[str, Any] = {role: _array(role, values) for role, values in long.columns.items()}
    columns = _with_value(columns)
    _require_rows(columns)
    notes = list(long.notes)
    missing = _has_no_value(columns)
    if missing.any():
        _refuse_gaps(columns, missing, options)
        notes.append(partial_note("no-value", rows=int(missing.sum())))
        columns = {role: values[~missing] for role, values in columns.items()}
        _require_rows(columns)
    algorithm = ids("algorithm", columns["algorithm"])
    names, codes = _names_and_codes(algorithm, long.names)
    columns = _with_prediction(columns)
    labels: dict[str, Any] = _labels({role: columns[role] for role in PREDICTED if role in columns})
    checked: dict[str, Any] = {role: ids(role, columns[role]) for role in IDS if role in columns}
    checked |= {role: numbers(role, columns[role]) for role in NUMBERS if role in columns}
    if "time" in checked and checked["time"].labels.dtype.kind == "U":
        require_order("time", checked["time"].labels.tolist())
    return Results(
        names=names,
        algorithm=codes,
        **checked,
        **labels,
        probabilities=_probabilities(columns, labels.get("truth")),
        parts=_parts(columns, options),
        measure=long.measure,
        higher_is_better=long.higher_is_better,
        right=long.right,
        sorted_names=long.names is None,
        runs_by=long.runs_by,
        notes=tuple(notes),
    )


def _parts(columns: Mapping[str, Any], options: ReadingOptions) -> Mapping[str, Ids]:
    """Return the columns whose labels get answers of their own: tasks and slices."""
    absent = [name for name in options.slices if f"{SLICE}{name}" not in columns]
    if absent:
        refuse(
            "slices",
            f"slices must be columns of the table but got {', '.join(map(repr, absent))}.",
            "Tables of this kind have no further columns.",
        )
    named = {TASK: TASK, **{name: f"{SLICE}{name}" for name in options.slices}}
    return MappingProxyType(
        {name: ids(name, columns[role]) for name, role in named.items() if role in columns}
    )


def _array(role: str, values: Any) -> Any:
    if isinstance(values, CodedColumn) and role.startswith(_CODED):
        _require_texts(role, values.labels)
        return values
    array = base.mask_to_gaps(base.decode(values))
    if array.ndim != 1:
        refuse(None, f"Column {role!r} must hold one value per row but got {short_repr(array)}.")
    _require_texts(role, array)
    return array


def _require_texts(role: str, values: NDArray[Any]) -> None:
    """
    Refuse texts that no file can hold.

    Some libraries drop what follows the character NUL, so that two names would become one.
    """
    if values.dtype.kind in "OU":
        checks.require_writable(f"The texts of column {role!r}", values)


def _require_rows(columns: Mapping[str, Any]) -> None:
    sizes = {role: len(values) for role, values in columns.items()}
    if len(set(sizes.values())) > 1:
        lengths = ", ".join(f"{size:,} of {role!r}" for role, size in sizes.items())
        refuse("columns", f"All columns must have the same length, but the lengths are {lengths}.")
    if not any(sizes.values()):
        refuse("table", "The table has no rows.")


def _has_no_value(columns: Mapping[str, Any]) -> NDArray[np.bool_]:
    missing = np.zeros(len(next(iter(columns.values()))), dtype=bool)
    for role in ("value", "score", *PREDICTED, *_classes(columns)):
        if role in columns:
            missing |= gaps(columns[role])
            if role in PREDICTED:
                missing |= missing_marks(columns[role])
    return missing


def _refuse_gaps(
    columns: Mapping[str, Any], missing: NDArray[np.bool_], options: ReadingOptions
) -> None:
    if options.drop:
        return
    role = "example" if "example" in columns else "algorithm"
    names = list_first_values(ids(role, columns[role][missing]).labels)
    holes = int(missing.sum())
    rows = f"{count(holes, 'row')} {'has' if holes == 1 else 'have'}"
    refuse(
        "table",
        f"The table must have a value in every row, but {rows} none: {role} {names}.",
        Advice("Pass ", {"on_missing": "drop"}, " to leave such rows out."),
    )


def _with_value(columns: dict[str, Any]) -> dict[str, Any]:
    """Call the column of scores "value", unless a truth says that scores are predictions."""
    if "score" not in columns or "value" in columns or "truth" in columns:
        return columns
    return {("value" if role == "score" else role): values for role, values in columns.items()}


def _truth_labels(truth: NDArray[Any]) -> set[str]:
    """Return the different labels of a column of truths; equal numbers have the same label."""
    entries = truth.tolist()
    try:
        return {label_text(entry) for entry in set(entries)}
    except TypeError:  # lists, which are refused elsewhere
        return {str(entry) for entry in entries}


_BOOLEANS = {"true": "1", "false": "0"}


def _with_prediction(columns: dict[str, Any]) -> dict[str, Any]:
    """Complete the probabilities, and add the class of the largest where there is no prediction."""
    if "truth" not in columns or not _classes(columns):
        return columns
    labels = _truth_labels(columns["truth"])
    columns = _with_both_classes(_number_boolean_classes(columns, labels), sorted(labels))
    if "prediction" in columns:
        return columns
    by_class = _classes(columns)
    largest = np.argmax(np.stack([numbers(role, columns[role]) for role in by_class]), axis=0)
    return {**columns, "prediction": np.array(list(by_class.values()), dtype=object)[largest]}


def _classes(columns: Iterable[str]) -> dict[str, str]:
    """Return the class of each column of probabilities, by the name of the column."""
    return {
        role: role.removeprefix(PROBABILITY) for role in columns if role.startswith(PROBABILITY)
    }


def _number_boolean_classes(columns: dict[str, Any], labels: set[str]) -> dict[str, Any]:
    """Rename ``p:True`` and ``p:False`` to ``p:1`` and ``p:0`` where the truth is 0 or 1."""
    classes = {role: label.lower() for role, label in _classes(columns).items()}
    if not set(classes.values()) <= _BOOLEANS.keys() or not labels <= {"0", "1"}:
        return columns
    renamed = {role: f"{PROBABILITY}{_BOOLEANS[label]}" for role, label in classes.items()}
    return {renamed.get(role, role): values for role, values in columns.items()}


def _with_both_classes(columns: dict[str, Any], labels: list[str]) -> dict[str, Any]:
    """Add the probability of the other of two classes where the table has that of one."""
    classes = _classes(columns)
    if len(classes) != 1 or len(labels) < 2:  # the other class of a single label is unknown
        return columns
    [(role, label)] = classes.items()
    other = [name for name in labels if not _is_same(name, label)]
    if len(labels) > 2 or len(other) != 1:
        refuse(
            "table",
            f"Column {role!r} alone gives the probabilities of two classes, but the truth has "
            f"{list_first_values(labels)}.",
            f"Write one column {PROBABILITY}CLASS per class.",
        )
    return {**columns, f"{PROBABILITY}{other[0]}": 1.0 - numbers(role, columns[role])}


def _is_same(label: str, other: str) -> bool:
    """Whether two texts are one label: "1" and "1.0" are."""
    value = as_number(label)
    return label == other or (np.isfinite(value) and value == as_number(other))


def _labels(columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Truth and prediction, as numbers where both are, else as texts: "1" and 1.0 are one label."""
    if not columns:
        return {}
    if exact := large_integers(columns):
        return exact
    read = {role: parse_numbers(values) for role, values in columns.items()}
    if not all(np.isfinite(values).all() for values in read.values()):
        _require_plain(columns)
        _require_finite(columns)
        _require_numbers_as(read.get("truth"), columns)
        return {role: _uniform_labels(values) for role, values in columns.items()}
    kind = np.int64 if all(map(is_whole, read.values())) else np.float64
    return {role: values.astype(kind, copy=False) for role, values in read.items()}


def _uniform_labels(values: NDArray[Any]) -> NDArray[Any]:
    """Return labels as texts, with the same text for equal numbers such as 1 and 1.0."""
    entries = values.tolist()
    texts = {entry: label_text(entry) for entry in set(entries)}
    return np.array([texts[entry] for entry in entries])


def _require_plain(columns: Mapping[str, NDArray[Any]]) -> None:
    """
    Refuse lists, mappings and other things that are not labels.

    The text that such an object prints is not what the user meant as a label.
    """
    for role, values in columns.items():
        if values.dtype.kind != "O":
            continue
        odd = next((kind for kind in set(map(type, values)) if not issubclass(kind, _LABELS)), None)
        if odd is not None:
            kind = odd.__name__
            refuse(None, f"Column {role!r} must hold texts or numbers, but it has a {kind}.")


def _require_finite(columns: Mapping[str, NDArray[Any]]) -> None:
    """
    Refuse an infinity among numbers.

    One infinity would turn all labels into texts, so that 1.0 and 1 would differ.
    """
    for role, values in columns.items():
        parsed = parse_numbers(values)
        if not np.isnan(parsed).any():
            _refuse_numbers(role, values, np.isinf(parsed))


def _require_numbers_as(truth: Floats | None, columns: Mapping[str, NDArray[Any]]) -> None:
    """
    Refuse words as predictions if the truth has decimals.

    A single word must not turn numbers into classes.
    """
    if truth is None or not np.isfinite(truth).all() or is_whole(truth):
        return
    word = next((entry for entry in columns["prediction"] if not is_number(entry)), None)
    if word is not None:
        refuse(
            None,
            "Column 'prediction' must hold numbers where the truth does, but it has "
            f"{short_repr(word)}.",
            "Leave such examples out.",
        )


def _probabilities(
    columns: Mapping[str, NDArray[Any]], truth: NDArray[Any] | None
) -> Mapping[Any, Floats]:
    """Return the probabilities by class; the classes have the same type as the truth."""
    by_class = {label: numbers(role, columns[role]) for role, label in _classes(columns).items()}
    if not by_class:
        return MappingProxyType({})
    _require_probabilities(by_class, truth)
    if truth is None or truth.dtype.kind not in "iuf":
        return MappingProxyType(by_class)
    texts = np.array(list(by_class), dtype=object)
    classes = large_integers({"truth": texts}).get("truth", parse_numbers(texts))
    if not np.isfinite(classes).all():
        refuse(
            None,
            f"The truth holds numbers, so the columns of probabilities must be called {PROBABILITY}"
            f"NUMBER, but they are called {_names_of_probabilities(by_class)}.",
        )
    labels = classes.astype(truth.dtype).tolist()
    return MappingProxyType(dict(zip(labels, by_class.values(), strict=True)))


def _require_probabilities(by_class: Mapping[str, Floats], truth: NDArray[Any] | None) -> None:
    """Refuse columns that hold none; numbers in files have often been rounded to two decimals."""
    whole = len(by_class) > 1 and (truth is None or len(by_class) >= len(np.unique(truth)))
    values = np.stack(list(by_class.values()), axis=1)
    fault, remedy = checks.probability_fault(values, off=_TWO_DECIMALS * len(by_class), whole=whole)
    if fault:
        names = _names_of_probabilities(by_class)
        refuse(
            None,
            f"The values of columns {names} must be {checks.PROBABILITIES} but got {fault}.",
            remedy,
        )


def _names_of_probabilities(labels: Iterable[str]) -> str:
    return list_first_values([f"{PROBABILITY}{label}" for label in labels])


def _names_and_codes(
    column: Ids, order: Sequence[str] | None
) -> tuple[tuple[str, ...], NDArray[np.integer]]:
    labels = [str(label) for label in column.labels]
    names = sorted(labels) if order is None else [name for name in order if name in labels]
    place = {name: number for number, name in enumerate(names)}
    return tuple(names), np.array([place[label] for label in labels], np.int32)[column.codes]


MISSING = ("refuse", "drop", "keep")


def read_results(
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    rows: str | None = None,
    cv: Any = None,
    n: int | None = None,
    measure: str | None = None,
    on_missing: str = "refuse",
    slices: Sequence[str] = (),
    right_or_wrong: bool = False,
) -> Results:
    """
    Read a table of results, whatever its form.

    Parameters
    ----------
    table : frame, path, mapping or object of another program
        See :func:`evenfold.judge`.
    columns : mapping of str to str, optional
        The table's names of the roles: ``{"algorithm": "model"}``.
    rows : {"examples", "folds", "splits", "runs", "data sets", "times"}, optional
        What a row is, needed where the table has no ids.
    cv, n : optional
        Who trained and who was tested, and of how many examples, where rows are scores of folds or
        splits.
    measure : str, optional
        Which of several scores is meant.
    on_missing : {"refuse", "drop", "keep"}
        What to do with rows that have no value.
    right_or_wrong : bool
        Whether ``measure`` counts right and wrong answers, by whatever name a log has for them.
    slices : sequence of str
        Columns whose values are parts of the examples that get answers of their own.

    Returns
    -------
    Results

    Notes
    -----
    *Validity.* Ids are matched, never the order of rows; a table without ids is not read unless
    ``rows`` says what a row is, because ten scores of folds must not be taken for ten examples.

    Examples
    --------
    >>> read_results({"tree": [0, 1, 1], "forest": [1, 1, 1]}, rows="examples")
    Results(tree, forest; 6 rows; varied: example)
    """
    options = ReadingOptions(
        columns=base.names_of_roles(columns),
        rows=None if rows is None else one_of("rows", rows, base.ROWS),
        cv=cv,
        n=None if n is None else checks.integer("n", n, low=2),
        measure=measure,
        drop=one_of("on_missing", on_missing, MISSING) == "drop",
        slices=tuple(slices),
        right_or_wrong=right_or_wrong,
    )
    return results(_reader(table, options).read(table, options), options)


def _reader(table: Any, options: ReadingOptions) -> Reader:
    for reader in sorted(base.READERS.values(), key=lambda reader: reader.general):
        if reader.knows(table, options):
            return reader
    if remedy := _likely_table(table):
        refuse(
            "table",
            f"table must map the name of each algorithm to its results but got {_form(table)}.",
            remedy,
        )
    kinds = "; ".join(reader.takes for reader in base.READERS.values())
    refuse(
        "table",
        f"evenfold does not know this form of a table: {_form(table)}.",
        f"Pass one of these: {kinds}.",
    )


_BY_NAME = "Write {'A': first, 'B': second} and say what a row is, such as rows='examples'."
_NO_SPREAD = (
    "One number for each algorithm does not say how uncertain it is. Give the values of single "
    "examples, folds or runs."
)
_NO_NUMBERS = (
    "Values are numbers, or True and False, and NaN where there is none. To compare answers with "
    "the truth, give a table with the columns algorithm, example, truth and prediction."
)


def _likely_table(table: Any) -> str:
    """Say what was probably meant by a table of unknown form, or an empty text."""
    if isinstance(table, Mapping) and table:
        if all(isinstance(results, Number) for results in table.values()):
            return _NO_SPREAD
        texts = [isinstance(results, (list, tuple, np.ndarray)) for results in table.values()]
        return _NO_NUMBERS if all(texts) else ""
    if isinstance(table, str):
        return "The path of a file of results ends in .csv, .tsv, .parquet or .jsonl."
    is_unnamed = isinstance(table, (list, tuple, np.ndarray)) or hasattr(table, "to_numpy")
    return _BY_NAME if is_unnamed else ""


def _form(table: Any) -> str:
    """Describe a table of an unknown form for a message."""
    if isinstance(table, (str, np.ndarray)):
        return short_repr(table)
    if isinstance(table, Mapping):
        if not table:
            return f"an empty {type(table).__name__}"
        for name, values in table.items():
            entries = values.flat if isinstance(values, np.ndarray) else values
            for value in entries if isinstance(values, (list, tuple, np.ndarray)) else ():
                if not isinstance(value, (int, float, np.number, np.bool_)):
                    return f"a {type(table).__name__} with {short_repr(value)} for {name!r}"
    return f"a {type(table).__name__} of another form"

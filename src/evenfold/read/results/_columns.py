"""From columns of any origin to the normal form: ids, numbers and labels, each checked once, here."""

import re
from collections.abc import Mapping, Sequence
from numbers import Number
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import PROBABILITIES, probability_fault, refuse
from evenfold.core.facts.comparison import PartialNote
from evenfold.core.inputs.results import (
    IDS,
    NUMBERS,
    PREDICTED,
    PROBABILITY,
    SLICE,
    TASK,
    Floats,
    Ids,
    Results,
)
from evenfold.core.inputs.task import is_number, label_text, large_integers, missing_marks
from evenfold.core.words import count
from evenfold.read.results._base import Coded, Given, Long, plain, with_gaps
from evenfold.read.results._ids import ids, listed
from evenfold.read.results._numbers import gaps, is_whole, number, numbers, numbers_or_none, parsed

# Times as texts: those that sort as time goes, and those that only look so.


_DAY_FIRST = re.compile(r"\s*\d{1,2}\s*[/.\-]\s*\d{1,2}\s*[/.\-]\s*\d{2,4}(?!\d).*", re.DOTALL)
_MONTHS = re.compile(r"(?i)(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)")
_DIGITS = re.compile(r"(\d+)")
_RULE = "integers or texts that sort as time goes, as ISO dates such as 2024-01-31 do,"


def require_order(role: str, labels: Sequence[str]) -> None:
    """
    Refuse texts of times whose alphabetical order is not that of time.

    Examples
    --------
    >>> require_order("time", ["2024-01-31", "2024-02-01"])
    >>> require_order("time", ["1/2/2024", "31/1/2024"])
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: column 'time' must be integers or texts that sort as time goes, as ISO
    dates such as 2024-01-31 do, but got '1/2/2024'; write ISO dates, or number the times
    """
    for label in labels:
        if _DAY_FIRST.fullmatch(label) or _MONTHS.search(label):
            refuse(f"column {role!r}", _RULE, label, "write ISO dates, or number the times")
    before = sorted(labels)
    counted = sorted(labels, key=_as_counted)
    odd = next((one for one, other in zip(before, counted, strict=True) if one != other), None)
    if odd is not None:
        refuse(
            f"column {role!r}", _RULE, odd, "write numbers in them with as many digits, or number the times"
        )


def _as_counted(label: str) -> list[tuple[int, str]]:
    """The order in which people count: 9 before 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(label) if part]


_CODED = ("algorithm", TASK, SLICE, *IDS)  # columns of few labels, which may stay codes
_SHOWN = 5
_TWO_DECIMALS = 0.005  # what rounding to two decimals may take from each probability
_LABELS = (str, Number, np.generic)  # truth values are numbers, too


def results(long: Long, given: Given) -> Results:
    """
    Check long columns and bring them into the normal form.

    Examples
    --------
    >>> columns = {"algorithm": ["b", "a"], "example": [7, 7], "value": [0.5, 1]}
    >>> results(Long(columns=columns), Given())
    Results(a, b; 2 rows; varied: )
    """
    columns: dict[str, Any] = {role: _array(role, values) for role, values in long.columns.items()}
    columns = _with_value(columns)
    _require_rows(columns)
    notes = list(long.notes)
    missing = _without_value(columns)
    if missing.any():
        _refuse_gaps(columns, missing, given)
        notes.append(PartialNote(f"left out for want of a value: {count(int(missing.sum()), 'row')}"))
        columns = {role: values[~missing] for role, values in columns.items()}
        _require_rows(columns)
    algorithm = ids("algorithm", columns["algorithm"])
    names, codes = _named(algorithm, long.names)
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
        parts=_parts(columns, given),
        measure=long.measure,
        higher_is_better=long.higher_is_better,
        sorted_names=long.names is None,
        runs_by=long.runs_by,
        notes=tuple(notes),
    )


def _parts(columns: Mapping[str, Any], given: Given) -> Mapping[str, Ids]:
    """The columns whose labels get rows of their own: tasks, and slices by the names that users gave."""
    absent = [name for name in given.slices if f"{SLICE}{name}" not in columns]
    if absent:
        refuse("slices", "columns of the table", ", ".join(absent), "this kind of table has no others")
    named = {TASK: TASK, **{name: f"{SLICE}{name}" for name in given.slices}}
    return MappingProxyType(
        {name: ids(name, columns[role]) for name, role in named.items() if role in columns}
    )


def _array(role: str, values: Any) -> Any:
    if isinstance(values, Coded) and role.startswith(_CODED):
        _require_no_nul(role, values.labels)
        return values
    array = with_gaps(plain(values))
    if array.ndim != 1:
        refuse(f"column {role!r}", "one value per row", array)
    _require_no_nul(role, array)
    return array


def _require_no_nul(role: str, values: NDArray[Any]) -> None:
    """Refuse the character NUL: what follows it is dropped on the way, and two names become one."""
    texts = (one for one in values if isinstance(one, str)) if values.dtype.kind == "O" else ()
    odd = next((one for one in texts if "\0" in one), None)
    if odd is not None:
        refuse(f"column {role!r}", "texts without the character NUL", odd, "write it otherwise")


def _require_rows(columns: Mapping[str, Any]) -> None:
    sizes = {role: len(values) for role, values in columns.items()}
    if len(set(sizes.values())) > 1:
        refuse("columns", "of one length", ", ".join(f"{role}: {size}" for role, size in sizes.items()))
    if not next(iter(sizes.values()), 0):
        refuse("table", "one with rows", "no rows")


def _without_value(columns: Mapping[str, Any]) -> NDArray[np.bool_]:
    named = ("value", "score", *PREDICTED)
    measured = [role for role in columns if role in named or role.startswith(PROBABILITY)]
    missing = np.zeros(len(next(iter(columns.values()))), dtype=bool)
    for role in measured:
        missing |= gaps(columns[role])
    for role in PREDICTED:
        if role in columns:
            missing |= missing_marks(columns[role])
    return missing


def _refuse_gaps(columns: Mapping[str, Any], missing: NDArray[np.bool_], given: Given) -> None:
    if given.drop:
        return
    role = "example" if "example" in columns else "algorithm"
    there = ids(role, columns[role][missing])
    first = f"{role} {listed(there.values())}; or say on_missing='drop'"
    refuse("table", "a value in every row", f"{count(int(missing.sum()), 'row')} without one", first)


def _with_value(columns: dict[str, Any]) -> dict[str, Any]:
    """A score is what was measured, unless there is a truth that it is a prediction of."""
    if "score" not in columns or "value" in columns or "truth" in columns:
        return columns
    return {("value" if role == "score" else role): values for role, values in columns.items()}


def _with_both_classes(columns: dict[str, Any]) -> dict[str, Any]:
    """Add the probability of the other of two classes where the table has that of one."""
    classes = [role for role in columns if role.startswith(PROBABILITY)]
    if "truth" not in columns or len(classes) != 1:
        return columns
    label = classes[0].removeprefix(PROBABILITY)
    labels = [str(one) for one in np.unique(np.asarray(columns["truth"]).astype(str))]
    other = [one for one in labels if not _is_same(one, label)]
    if len(labels) < 2:
        return columns  # which the other class is nobody knows
    if len(labels) > 2 or len(other) != 1:
        remedy = "one column p:CLASS per class"
        refuse("table", f"one of two classes where {classes[0]!r} stands alone", ", ".join(labels), remedy)
    return {**columns, f"{PROBABILITY}{other[0]}": 1.0 - numbers(classes[0], columns[classes[0]])}


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are one label: "1" and "1.0" are."""
    read = number(one)
    return one == other or (np.isfinite(read) and read == number(other))


def _with_prediction(columns: dict[str, Any]) -> dict[str, Any]:
    """Add the class of the largest probability where the table has probabilities and no prediction."""
    columns = _with_both_classes(columns)
    classes = [role for role in columns if role.startswith(PROBABILITY)]
    if "prediction" in columns or "truth" not in columns or not classes:
        return columns
    largest = np.argmax(np.stack([numbers(role, columns[role]) for role in classes]), axis=0)
    labels = np.array([role.removeprefix(PROBABILITY) for role in classes], dtype=object)
    return {**columns, "prediction": labels[largest]}


def _labels(columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Truth and prediction, as numbers where both are, else as texts: "1" and 1.0 are one label."""
    if not columns:
        return {}
    if exact := large_integers(columns):
        return exact
    read = {role: numbers_or_none(values) for role, values in columns.items()}
    if any(values is None for values in read.values()):
        _require_plain(columns)
        _require_finite(columns)
        _require_numbers_as(read.get("truth"), columns)
        return {role: _written_alike(values) for role, values in columns.items()}
    whole = all(is_whole(values) for values in read.values() if values is not None)
    return {role: _as(values, np.int64 if whole else np.float64) for role, values in read.items()}


def _written_alike(values: NDArray[Any]) -> NDArray[Any]:
    """Labels as texts, equal numbers alike; each of the few different ones is looked at once."""
    entries = values.tolist()
    texts = {one: label_text(one) for one in set(entries)}
    return np.array([texts[one] for one in entries])


def _require_plain(columns: Mapping[str, NDArray[Any]]) -> None:
    """Refuse lists, mappings and other things that are no labels: what they print as is nobody's answer."""
    for role, values in columns.items():
        if values.dtype.kind != "O":
            continue
        odd = next((one for one in set(map(type, values)) if not issubclass(one, _LABELS)), None)
        if odd is not None:
            refuse(f"column {role!r}", "texts or numbers", f"a {odd.__name__}")


def _require_finite(columns: Mapping[str, NDArray[Any]]) -> None:
    """Refuse an infinity among numbers: it would turn all labels into texts, and 1.0 into another than 1."""
    for role, values in columns.items():
        found = parsed(values)
        odd = np.isinf(found)
        if odd.any() and not np.isnan(found).any():
            refuse(f"column {role!r}", "finite numbers", f"{values[odd][0]!s} in row {int(odd.argmax())}")


def _require_numbers_as(truth: Floats | None, columns: Mapping[str, NDArray[Any]]) -> None:
    """Refuse words as predictions where the truth has decimals: a word must not make classes of numbers."""
    if truth is None or is_whole(truth):
        return
    prediction = columns["prediction"]
    word = next((one for one in prediction if not is_number(one)), None)
    if word is not None:
        refuse("column 'prediction'", "numbers where the truth is", str(word), "leave such examples out")


def _as(values: Floats | None, kind: Any) -> NDArray[Any]:
    return np.asarray(values).astype(kind, copy=False)


def _probabilities(columns: Mapping[str, NDArray[Any]], truth: NDArray[Any] | None) -> Mapping[Any, Floats]:
    """The probabilities by class, their labels of the kind that the truth has."""
    found = {
        role.removeprefix(PROBABILITY): numbers(role, values)
        for role, values in columns.items()
        if role.startswith(PROBABILITY)
    }
    if not found:
        return MappingProxyType({})
    _require_probabilities(found, truth)
    if truth is not None and truth.dtype.kind in "iuf":
        classes = np.array(list(found), dtype=object)
        exact = large_integers({"truth": classes}).get("truth")
        values = numbers_or_none(classes) if exact is None else exact
        if values is None:
            refuse("columns of probabilities", f"one {PROBABILITY}CLASS per class", ", ".join(found))
        return MappingProxyType(dict(zip(values.astype(truth.dtype).tolist(), found.values(), strict=True)))
    return MappingProxyType(found)


def _require_probabilities(found: Mapping[str, Floats], truth: NDArray[Any] | None) -> None:
    """Refuse columns that hold none; numbers in files have often been rounded to two decimals."""
    whole = len(found) > 1 and (truth is None or len(found) >= len(np.unique(truth)))
    values = np.stack(list(found.values()), axis=1)
    if fault := probability_fault(values, off=_TWO_DECIMALS * len(found), whole=whole):
        names = ", ".join(f"{PROBABILITY}{label}" for label in list(found)[:_SHOWN])
        refuse(f"columns {names}", PROBABILITIES, *fault.split("; "))


def _named(column: Ids, order: Sequence[str] | None) -> tuple[tuple[str, ...], NDArray[np.integer]]:
    names = [str(label) for label in column.labels]
    if order is None:
        places = np.argsort(np.array(names))
    else:
        there = [name for name in order if name in names]
        places = np.array([names.index(name) for name in there])
    codes = np.empty(len(names), dtype=np.int32)
    codes[places] = np.arange(len(names))
    return tuple(names[place] for place in places), codes[column.codes]

"""What algorithms answer, brought into the one form that measures read; or why it cannot be used."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evenfold.core.checks import PROBABILITIES, probability_fault
from evenfold.run.data import Target

UNABLE = "not given"  # the kind of fault of a function that gives something else in every cell
REMEDY = "return {'labels': … or None, 'probabilities': …}, columns are the sorted classes of y"
_LABELS, _PROBABILITIES, _SCORES = _PARTS = "labels", "probabilities", "scores"


class Unusable(Exception):
    """A prediction that no measure can use."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def answers_of_function(given: Any, asked: Sequence[str], target: Target, n: int) -> dict[str, Any]:
    """
    Return what was asked for, out of what a function gave: labels or numbers, or a mapping of several parts.

    ``"labels"`` may be None beside ``"probabilities"``, whose columns are the sorted classes of all of y;
    ``"scores"`` are of those columns too, or of the second of two classes.
    """
    parts = dict(given) if isinstance(given, Mapping) else {_LABELS: given}
    if not parts or any(name not in _PARTS for name in parts):
        message = f"a function gave {list(parts)}; use the keys {', '.join(map(repr, _PARTS))}"
        raise Unusable("wrong keys", message)
    known = {name: plain(part) for name, part in parts.items() if part is not None}
    if _PROBABILITIES in known:
        known[_PROBABILITIES] = _probabilities(known[_PROBABILITIES], target, n)
    if _SCORES in known:
        known[_SCORES] = _scores(known[_SCORES], target, n)
    return {response: _one(response, known, target, n) for response in asked}


def plain(part: Any) -> Any:
    """Return a tensor that remembers gradients, or lies on a device, as an array."""
    return part.detach().cpu().numpy() if hasattr(part, "detach") else part


def _one(response: str, known: Mapping[str, Any], target: Target, n: int) -> Any:
    if response == "predict":
        return usable(known[_LABELS] if _LABELS in known else _likeliest(known, target), target, n)
    wanted = [_PROBABILITIES] if response == "predict_proba" else [_SCORES, _PROBABILITIES]
    found = next((known[name] for name in wanted if name in known), None)
    if found is None:
        raise Unusable(UNABLE, f"a function gave {', '.join(known)} only; {REMEDY}")
    return found


def _likeliest(known: Mapping[str, Any], target: Target) -> Any:
    """Return the class of the largest probability or score, where no labels were given."""
    columns = known.get(_PROBABILITIES, known.get(_SCORES))
    if columns is None:
        raise Unusable("no labels", "a function gave nothing; return labels, or {'probabilities': …}")
    best = columns.argmax(axis=1) if columns.ndim == 2 else (columns > 0).astype(np.intp)
    return target.classes[best]


def _probabilities(given: Any, target: Target, n: int) -> Any:
    """Return probabilities with a column for every class; one column is that of the second of two."""
    values = _scores(given, target, n)
    if values.ndim == 1:
        values = np.stack([1 - values, values], axis=1)
    require_probabilities(values, "; give others as 'scores'")
    return values


def require_probabilities(values: Any, remedy: str = "") -> None:
    """Refuse rows that are none, whoever gave them: a loss of per cents would be a number like any other."""
    if fault := probability_fault(values):
        raise Unusable("no probabilities", f"probabilities must be {PROBABILITIES} but got {fault}{remedy}")


def _scores(given: Any, target: Target, n: int) -> Any:
    require_unmasked(given)
    values = np.array(given, dtype=float)
    require_length(values if values.ndim else [values], n)
    if target.kind == "sequence":
        raise Unusable("wrong shape", "tag sequences have no probabilities; return sequences of tags")
    K = len(target.classes)
    if values.ndim == 2 and values.shape[1] == 1 and K == 2:
        values = values[:, 0]
    if values.shape[1:] != ((K,) if values.ndim == 2 or K > 2 else ()):
        message = f"shape {values.shape} for {n} examples and {K} classes, a column each, sorted"
        raise Unusable("wrong shape", message)
    if not np.isfinite(values).all():
        raise Unusable("NaN predictions", "probabilities or scores are NaN or infinite")
    return values


def aligned(response: str, values: Any, known: Any, classes: list[Any]) -> Any:
    """Bring columns from the order of the estimator's ``classes_`` into that of the target."""
    labels = classes if known is None else np.asarray(known).tolist()
    if not isinstance(labels, list):
        raise Unusable("wrong shape", f"classes_ must be the labels of the columns, not {labels!r}")
    if missing := [label for label in classes if label not in labels]:
        raise Unusable("class missing in training", f"no probability for {missing}; stratify the design")
    if response == "predict_proba" and values.shape[1:] != (len(labels),):
        shape = f"shape {values.shape} for {len(labels)} classes"
        raise Unusable("wrong shape", f"probabilities of {shape}")
    if response == "predict_proba":
        require_probabilities(values)
    if labels == classes:
        return values
    if values.ndim == 1:
        return -values if labels == classes[::-1] else values  # the score of the second class
    order = [labels.index(label) for label in classes]
    return values[:, order] if values.shape[1] == len(labels) else values


def require_unmasked(answer: Any) -> None:
    """Refuse answers that a mask hides: what lies below it is nobody's prediction."""
    if np.ma.is_masked(answer):
        hidden = int(np.ma.getmaskarray(answer).sum())
        raise Unusable("masked predictions", f"{hidden} of {np.size(answer)} are masked")


def require_length(values: Any, n: int) -> None:
    """Refuse predictions that are not one for every test example."""
    if len(values) != n:
        raise Unusable("wrong length", f"{len(values)} predictions for {n} test examples")


def usable(predicted: Any, target: Target, n: int) -> Any:
    """Bring predicted labels or numbers into a form without objects, or say why none can be used."""
    if target.kind == "sequence":
        sequences = [[str(tag) for tag in tags] for tags in predicted]
        require_length(sequences, n)
        return sequences
    require_unmasked(predicted)
    values = np.array(predicted)  # a copy: the algorithm may use its own again
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    require_length(values if values.ndim else [values], n)
    if values.dtype.kind == "O":
        values = np.asarray(values.tolist())
    if values.ndim != 1 or values.dtype.kind not in "biufU":
        raise Unusable("label types", f"predictions of shape {values.shape} and type {values.dtype}")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise Unusable("NaN predictions", f"{int((~np.isfinite(values)).sum())} of {n} are NaN or infinite")
    if (values.dtype.kind == "U") != (target.kind == "label"):
        wanted = "strings" if target.kind == "label" else "numbers"
        raise Unusable("label types", f"y holds {wanted} but the predictions are {values.dtype}")
    return _exact(values, target)


def _exact(values: Any, target: Target) -> Any:
    """Return labels that floats cannot tell apart as the integers they stand for, if they are labels."""
    y = np.asarray(target.values)
    if (
        values.dtype.kind != "f"
        or y.dtype.kind not in "iu"
        or max(abs(int(y.min())), abs(int(y.max()))) <= 2**53
    ):
        return values
    whole = [int(value) for value in values]
    known = set(target.classes.tolist())
    return np.array(whole, dtype=y.dtype) if all(value in known for value in whole) else values

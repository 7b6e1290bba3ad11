"""
A fit: one algorithm on one split is cloned, fitted and asked for predictions.

A fit needs its :class:`Job`, which is sent to each worker once, and two numbers. It uses neither
stores nor engines.
"""

import threading
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from evenfold.core.checks import PROBABILITIES, probability_fault
from evenfold.core.partition import Cut, Indices
from evenfold.core.words import hide_secrets, one_line, shorten_paths
from evenfold.run.algorithms import FittableAlgorithm, chosen_answer
from evenfold.run.data import Data, Target, exceeds_floats, take

# The outputs of algorithms, in the form that measures read, or the reason why they cannot be used.


UNABLE = "not given"  # the kind of fault of a function that gives something else in every fit
REMEDY = (
    "Return {'labels': … or None, 'probabilities': …}, with a column for each of the sorted "
    "classes of y."
)
_LABELS, _PROBABILITIES, _SCORES = _PARTS = "labels", "probabilities", "scores"


class Unusable(Exception):
    """A prediction that no measure can use."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def answers_of_function(
    returned: Any, responses: Sequence[str], target: Target, n: int
) -> dict[str, Any]:
    """
    Return the responses that were asked for, from what a function returned.

    A function returns labels, numbers, or a mapping of several parts. ``"labels"`` may be None if
    there are ``"probabilities"``, whose columns are the sorted classes of all of y. ``"scores"``
    have the same columns, or belong to the second of two classes.
    """
    parts = returned if isinstance(returned, Mapping) else {_LABELS: returned}
    if not parts or any(name not in _PARTS for name in parts):
        message = (
            f"the function returned a mapping with the keys {list(parts)}; use the keys "
            f"{', '.join(map(repr, _PARTS))}"
        )
        raise Unusable("wrong keys", message)
    known = {name: as_array(part) for name, part in parts.items() if part is not None}
    if _PROBABILITIES in known:
        known[_PROBABILITIES] = _check_probabilities(known[_PROBABILITIES], target, n)
    if _SCORES in known:
        known[_SCORES] = _check_scores(known[_SCORES], target, n)
    return {response: _answer_from_known(response, known, target, n) for response in responses}


def as_array(part: Any) -> Any:
    """Return a tensor of PyTorch as an array, and other values as they are."""
    if hasattr(part, "detach"):
        return part.detach().cpu().numpy()
    return part


def _answer_from_known(response: str, known: Mapping[str, Any], target: Target, n: int) -> Any:
    if response == "predict":
        return clean_labels(
            known[_LABELS] if _LABELS in known else _likeliest_labels(known, target), target, n
        )
    if response == "decision_function" and _SCORES in known:
        return known[_SCORES]
    if _PROBABILITIES not in known:
        raise Unusable(UNABLE, f"the function returned only {', '.join(known)}")
    return known[_PROBABILITIES]


def _likeliest_labels(known: Mapping[str, Any], target: Target) -> Any:
    """Return the class of the largest probability or score, where no labels were given."""
    columns = known.get(_PROBABILITIES, known.get(_SCORES))
    if columns is None:
        raise Unusable(
            "no labels", "the function returned None; return labels, or {'probabilities': …}"
        )
    if columns.ndim == 2:
        return target.classes[columns.argmax(axis=1)]
    return target.classes[(columns > 0).astype(np.intp)]


def _check_probabilities(returned: Any, target: Target, n: int) -> Any:
    """
    Return probabilities with a column for every class.

    A single column is that of the second of two classes.
    """
    values = _check_scores(returned, target, n)
    if values.ndim == 1:
        values = np.stack([1 - values, values], axis=1)
    require_probabilities(values, "Give other numbers as 'scores'.")
    return values


def require_probabilities(values: Any, remedy: str = "") -> None:
    """
    Refuse rows that are not probabilities.

    A loss of percentages would look like any other number.
    """
    fault, advice = probability_fault(values)
    if fault:
        message = f"probabilities must be {PROBABILITIES} but got {fault}. {advice} {remedy}"
        raise Unusable("no probabilities", message.rstrip())


def _check_scores(returned: Any, target: Target, n: int) -> Any:
    require_unmasked(returned)
    values = np.array(returned, dtype=float)
    require_length(np.atleast_1d(values), n)
    if target.kind == "sequence":
        raise Unusable(
            "wrong shape", "tag sequences have no probabilities; return sequences of tags"
        )
    K = len(target.classes)
    if values.ndim == 2 and values.shape[1] == 1 and K == 2:
        values = values[:, 0]
    if values.shape[1:] != ((K,) if values.ndim == 2 or K > 2 else ()):
        message = (
            f"probabilities or scores have shape {values.shape} for {n} examples and {K} classes; "
            "return a column for each of the sorted classes"
        )
        raise Unusable("wrong shape", message)
    if not np.isfinite(values).all():
        raise Unusable("NaN predictions", "probabilities or scores are NaN or infinite")
    return values


def align_classes(response: str, values: Any, known: Any, classes: list[Any]) -> Any:
    """Bring columns from the order of the estimator's ``classes_`` into that of the target."""
    labels = classes if known is None else np.asarray(known).tolist()
    if not isinstance(labels, list):
        raise Unusable("wrong shape", f"classes_ must be the labels of the columns, not {labels!r}")
    if missing := [label for label in classes if label not in labels]:
        raise Unusable(
            "class missing in training",
            f"the training set has no example of {missing}, so there is no probability for it; "
            "stratify the design",
        )
    if response == "predict_proba":
        if values.shape[1:] != (len(labels),):
            raise Unusable(
                "wrong shape",
                f"probabilities have shape {values.shape} for {len(labels)} classes",
            )
        require_probabilities(values)
    if values.ndim == 1 and labels == classes[::-1] != classes:  # the score of the second class
        return -values
    if values.ndim == 2 and values.shape[1] == len(labels) and labels != classes:
        return values[:, [labels.index(label) for label in classes]]
    return values


def require_unmasked(answer: Any) -> None:
    """Refuse masked predictions, because the values under the mask were not predicted."""
    if np.ma.is_masked(answer):
        hidden = int(np.ma.getmaskarray(answer).sum())
        raise Unusable(
            "masked predictions", f"{hidden} of {np.size(answer)} predictions are masked"
        )


def require_length(values: Any, n: int) -> None:
    """Refuse predictions that are not one for every test example."""
    if len(values) != n:
        raise Unusable("wrong length", f"{len(values)} predictions for {n} test examples")


def clean_labels(predicted: Any, target: Target, n: int) -> Any:
    """Return predicted labels or numbers as an array without objects, or raise Unusable."""
    if target.kind == "sequence":
        sequences = [[str(tag) for tag in tags] for tags in predicted]
        require_length(sequences, n)
        return sequences
    require_unmasked(predicted)
    values = np.array(predicted)  # a copy: the algorithm may use its own again
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    require_length(np.atleast_1d(values), n)
    if values.dtype.kind == "O":
        values = np.asarray(values.tolist())
    if values.ndim != 1 or values.dtype.kind not in "biufU":
        raise Unusable(
            "label types",
            f"predictions must be one number or text per example but have shape {values.shape} "
            f"and type {values.dtype}",
        )
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise Unusable(
            "NaN predictions",
            f"{int((~np.isfinite(values)).sum())} of {n} predictions are NaN or infinite",
        )
    if (values.dtype.kind == "U") != (target.kind == "label"):
        wanted = "strings" if target.kind == "label" else "numbers"
        raise Unusable("label types", f"y holds {wanted} but the predictions are {values.dtype}")
    return _restore_integers(values, target)


def _restore_integers(values: Any, target: Target) -> Any:
    """Return whole numbers as integers if y has labels too large for floats."""
    y = np.asarray(target.y)
    if values.dtype.kind != "f" or not exceeds_floats(y):
        return values
    limits = np.iinfo(y.dtype)
    whole = [int(value) for value in values if value.is_integer()]
    if len(whole) == len(values) and limits.min <= min(whole) and max(whole) <= limits.max:
        return np.array(whole, dtype=y.dtype)
    return values


RESPONSES = ("predict", "predict_proba", "decision_function")
_SMALL_BYTES = 2**20  # what another answer may take in a store, of each fit
_QUICK_SECONDS = 0.1  # and how long the prediction may take, or which share of the fit
_SHARE = 0.5
LIVE = "scorer:"  # responses that begin so are numbers computed by a scorer inside the fit


class Cell(NamedTuple):
    """Positions of an algorithm and of a split."""

    algorithm: int
    split: int


class Fault(NamedTuple):
    """Why a fit has no result."""

    kind: str
    message: str
    traceback: str = ""


def fault_of(kind: str, error: BaseException, about: str = "") -> Fault:
    """
    Return the fault that an error makes.

    It has one line, whatever the message contains, and the traceback.
    """
    try:
        line = f"{about}{type(error).__name__}: {error}"
    except Exception:  # even the message may raise
        line = f"{about}{type(error).__name__}: (its message cannot be shown)"
    trace = "".join(traceback.format_exception(error))
    return Fault(kind, _publishable_text(one_line(line)), _publishable_text(trace))


def _publishable_text(text: str) -> str:
    """Return a text without secrets and folders of this machine, because others read reports."""
    return storable_text(hide_secrets(shorten_paths(text)))


def storable_text(text: str) -> str:
    """Return a text that every database can store: without NUL and lone surrogates."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, eq=False, slots=True)
class CellOutcome:
    """The predictions of one fit by response, or its fault, and its warnings."""

    cell: Cell
    answers: dict[str, Any] = field(default_factory=dict)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    fault: Fault | None = None
    warned: tuple[str, ...] = ()

    @property
    def seconds(self) -> tuple[float, float]:
        """The seconds of the fit and of the prediction."""
        return self.fit_seconds, self.predict_seconds


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """
    What all fits of a run share.

    ``responses[a]`` are the outputs that are needed of algorithm a. ``scorers``, by response, need
    the fitted estimator. ``keeps`` says whether cheap outputs that are not needed are kept, for
    other measures later. ``settings`` are taken over by workers, and are None in the caller's own
    process.
    """

    algorithms: list[FittableAlgorithm]
    responses: list[tuple[str, ...]]
    scorers: dict[str, Any]
    cut: Cut
    seed: int
    keeps: bool = False
    settings: Any = None


class TimedOut(BaseException):
    """Raised in a fit at its time limit; not an Exception, so that no estimator catches it."""


def run_cell(job: Job, data: Data, cell: Cell) -> CellOutcome:
    """Fit and predict. An error of the algorithm becomes a fault and does not end the run."""
    train = job.cut.train(cell.split)
    test = job.cut.test(cell.split)
    algorithm = job.algorithms[cell.algorithm]
    metadata = {
        key: take(data.metadata[name], train) for key, name in algorithm.fit_metadata.items()
    }
    run_fit = _run_function if algorithm.is_function else _run_estimator
    with note_warnings() as seen:
        try:
            outcome = run_fit(job, data, cell, train, test, metadata)
        except Unusable as error:
            outcome = CellOutcome(cell, fault=Fault(error.kind, str(error)))
        except TimedOut as error:
            trace = _publishable_text(traceback.format_exc())
            outcome = CellOutcome(cell, fault=Fault("timeout", str(error), trace))
        except (Exception, SystemExit) as error:
            # exit() in an algorithm must not end the caller's process
            outcome = CellOutcome(cell, fault=fault_of("raised", error))
    return replace(outcome, warned=tuple(seen)) if seen else outcome


def _run_function(
    job: Job, data: Data, cell: Cell, train: Indices, test: Indices, metadata: dict[str, Any]
) -> CellOutcome:
    algorithm = job.algorithms[cell.algorithm]
    arguments = metadata | algorithm.seeds(job.seed, cell.split)
    X_train = data.rows(train)
    y_train = data.truth(train)
    X_test = data.rows(test)
    function = algorithm.callable()
    start = perf_counter()
    predicted = function(X_train, y_train, X_test, **arguments)
    seconds = perf_counter() - start
    answers = answers_of_function(predicted, job.responses[cell.algorithm], data, len(test))
    for response in RESPONSES if job.keeps else ():  # what it gave beyond what was asked
        if response not in answers:
            with suppress(Unusable):
                answers |= answers_of_function(predicted, [response], data, len(test))
    return CellOutcome(cell, answers, seconds)


def _run_estimator(
    job: Job, data: Data, cell: Cell, train: Indices, test: Indices, metadata: dict[str, Any]
) -> CellOutcome:
    estimator = job.algorithms[cell.algorithm].fresh(job.seed, cell.split)
    X_train = data.rows(train)
    y_train = data.truth(train)
    start = perf_counter()
    estimator.fit(X_train, y_train, **metadata)
    fit_seconds = perf_counter() - start
    del X_train, y_train  # before the rows of the test, which may need as much memory
    X_test = data.rows(test)
    responses = job.responses[cell.algorithm]
    start = perf_counter()
    raw = {
        response: getattr(estimator, response)(X_test)
        for response in responses
        if not response.startswith(LIVE)
    }
    predict_seconds = perf_counter() - start
    answers = {
        response: _check_response(response, answer, estimator, data, len(test))
        for response, answer in raw.items()
    }
    for response in responses:
        if response.startswith(LIVE):  # one number, which is judged like any other measure
            answers[response] = _score(job.scorers[response], data, estimator, X_test, test)
    if job.keeps and predict_seconds <= max(_QUICK_SECONDS, _SHARE * fit_seconds):
        answers |= _further_responses(estimator, X_test, answers, data, len(test))
    return CellOutcome(
        cell, answers | chosen_answer(estimator, fit_seconds), fit_seconds, predict_seconds
    )


def _further_responses(
    estimator: Any, X_test: Any, known: Mapping[str, Any], target: Target, n: int
) -> dict[str, Any]:
    """
    Return the responses that were not asked for, if they are small.

    A response that the estimator cannot give is left out without an error.
    """
    answers: dict[str, Any] = {}
    if not _has_classes(target) or 8 * n * len(target.classes) > _SMALL_BYTES:
        return answers
    for response in RESPONSES:
        if response not in known:
            with suppress(Exception):
                answer = getattr(estimator, response)(X_test)
                answers[response] = _check_response(response, answer, estimator, target, n)
    return answers


def _has_classes(target: Target) -> bool:
    return target.kind != "sequence" and not target.is_continuous


def _score(scorer: Any, data: Data, estimator: Any, X_test: Any, test: Indices) -> Any:
    weights = {} if data.weights is None else {"sample_weight": data.weights[test]}
    return np.array([scorer(estimator, X_test, data.truth(test), **weights)], dtype=float)


def _check_response(response: str, answer: Any, estimator: Any, target: Target, n: int) -> Any:
    if response == "predict":
        return clean_labels(answer, target, n)
    require_unmasked(answer)
    values = np.asarray(answer, dtype=float)
    require_length(np.atleast_1d(values), n)
    if not np.isfinite(values).all():
        raise Unusable("NaN predictions", f"{response} returned NaN or infinity")
    if not _has_classes(target):
        return values
    known = getattr(estimator, "classes_", None)
    return align_classes(response, values, known, target.classes.tolist())


# Warnings of algorithms during a fit. They are collected for one line in the answer and not shown
# one by one. Filters apply: an ignored warning is not collected, and an error fails the fit.


_MOST = 20  # different warnings that are kept of a fit
_here = threading.local()  # holds the warnings of the fit in this thread
_lock = threading.Lock()
# how warnings outside of fits are shown, and how many fits run
_others = SimpleNamespace(show=warnings.showwarning, fits=0)


@contextmanager
def note_warnings() -> Iterator[list[str]]:
    """Collect the warnings of this thread, each once, instead of showing them."""
    seen: list[str] = []
    outer = getattr(_here, "seen", None)
    _begin_noting()
    _here.seen = seen
    try:
        yield seen
    finally:
        _here.seen = outer
        _end_noting()


def _begin_noting() -> None:
    with _lock:
        with warnings.catch_warnings():
            pass  # Python forgets what it has shown, so that every fit may warn
        _others.fits += 1
        if warnings.showwarning is not _on_warning:
            _others.show = warnings.showwarning
            warnings.showwarning = _on_warning


def _end_noting() -> None:
    with _lock:
        _others.fits -= 1
        # another thread may have put its own in place, and may put ours back after the last fit
        if not _others.fits and warnings.showwarning is _on_warning:
            warnings.showwarning = _others.show


def _on_warning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    seen = getattr(_here, "seen", None)
    if seen is None:
        _others.show(message, category, *where, **more)
        return
    text = f"{category.__name__}: {one_line(str(message))}"
    if text not in seen and len(seen) < _MOST:
        seen.append(text)

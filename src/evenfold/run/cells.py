"""
A cell: one algorithm on one split. It clones, fits, predicts, and says what happened.

Nothing here knows of stores or engines; a cell needs only its :class:`Job`, which travels once per worker,
and two numbers.
"""

import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from evenfold.core.errors import in_a_line
from evenfold.core.partition import Cut, Indices
from evenfold.core.words import hide_secrets, shorten_paths
from evenfold.run.algorithms import Algorithm
from evenfold.run.answers import (
    Unusable,
    aligned,
    answers_of_function,
    require_length,
    require_unmasked,
    usable,
)
from evenfold.run.chosen import chosen_answer
from evenfold.run.data import Data, Target, take

RESPONSES = ("predict", "predict_proba", "decision_function")
_SMALL_BYTES = 2**20  # what another answer may take in a store, of each cell
_QUICK_SECONDS = 0.1  # and how long the prediction may take, or which share of the fit
_SHARE = 0.5
LIVE = "scorer:"  # responses that begin so are numbers computed by a scorer inside the cell


class Cell(NamedTuple):
    """Positions of an algorithm and of a split."""

    algorithm: int
    split: int


class Fault(NamedTuple):
    """Why a cell has no result."""

    kind: str
    message: str
    traceback: str = ""


def fault_of(kind: str, error: BaseException, about: str = "") -> Fault:
    """Return the fault that an error makes: one line, whatever its message holds, and its traceback."""
    try:
        line = f"{about}{type(error).__name__}: {error}"
    except Exception:  # even the message may raise
        line = f"{about}{type(error).__name__}: (its message cannot be shown)"
    told = [_told(text) for text in (in_a_line(line), "".join(traceback.format_exception(error)))]
    return Fault(kind, *told)


def _told(text: str) -> str:
    """Return a text for reports, which others read: no secrets, no folders of this machine."""
    return written(hide_secrets(shorten_paths(text)))


def written(text: str) -> str:
    """Return a text that every database can keep: no NUL, no half characters."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, eq=False, slots=True)
class CellOutcome:
    """The predictions of one cell by response, or its fault."""

    cell: Cell
    answers: dict[str, Any] = field(default_factory=dict)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    fault: Fault | None = None

    @property
    def seconds(self) -> tuple[float, float]:
        """What fit and prediction took."""
        return self.fit_seconds, self.predict_seconds


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """
    What all cells of a run share.

    ``asked[a]`` are the responses wanted of algorithm a; ``scorers`` those that must see the fitted
    estimator, by response; ``keeps`` whether other answers are wanted too, for whoever asks for another
    measure later, where they cost little; ``world`` the settings that workers take over, None in the
    caller's own process.
    """

    algorithms: list[Algorithm]
    asked: list[tuple[str, ...]]
    scorers: dict[str, Any]
    cut: Cut
    seed: int
    keeps: bool = False
    world: Any = None


class TimedOut(BaseException):
    """Raised in a cell at its limit; not an Exception, so that no estimator swallows it."""


def run_cell(job: Job, data: Data, cell: Cell) -> CellOutcome:
    """Fit and predict; an error of the algorithm becomes a fault of the cell, never of the run."""
    train, test = job.cut.train(cell.split), job.cut.test(cell.split)
    try:
        if job.algorithms[cell.algorithm].is_function:
            return _call(job, data, cell, train, test)
        return _fit(job, data, cell, train, test)
    except Unusable as error:
        return CellOutcome(cell, fault=Fault(error.kind, str(error)))
    except TimedOut as error:
        return CellOutcome(cell, fault=Fault("timeout", str(error), _told(traceback.format_exc())))
    except (Exception, SystemExit) as error:  # exit() in an algorithm must not end the caller's process
        return CellOutcome(cell, fault=fault_of("raised", error))


def _call(job: Job, data: Data, cell: Cell, train: Indices, test: Indices) -> CellOutcome:
    algorithm = job.algorithms[cell.algorithm]
    arguments = {key: take(data.metadata[name], train) for key, name in algorithm.fit_metadata.items()}
    arguments |= algorithm.seeds(job.seed, cell.split)
    X_train, y_train, X_test = data.rows(train), data.target.take(train), data.rows(test)
    function = algorithm.callable()
    start = perf_counter()
    predicted = function(X_train, y_train, X_test, **arguments)
    seconds = perf_counter() - start
    asked = job.asked[cell.algorithm]
    answers = answers_of_function(predicted, asked, data.target, len(test))
    if job.keeps:
        answers |= _given_too(predicted, answers, data.target, len(test))
    return CellOutcome(cell, answers, seconds)


def _given_too(predicted: Any, known: Mapping[str, Any], target: Target, n: int) -> dict[str, Any]:
    """Return what a function gave beyond what was asked."""
    found: dict[str, Any] = {}
    for response in RESPONSES:
        if response not in known:
            with suppress(Unusable):
                found |= answers_of_function(predicted, [response], target, n)
    return found


def _fit(job: Job, data: Data, cell: Cell, train: Indices, test: Indices) -> CellOutcome:
    algorithm = job.algorithms[cell.algorithm]
    metadata = {key: take(data.metadata[name], train) for key, name in algorithm.fit_metadata.items()}
    estimator = algorithm.fresh(job.seed, cell.split)
    X_train, y_train = data.rows(train), data.target.take(train)
    start = perf_counter()
    estimator.fit(X_train, y_train, **metadata)
    fit_seconds = perf_counter() - start
    del X_train, y_train  # before the rows of the test, which may need as much memory
    X_test, asked = data.rows(test), job.asked[cell.algorithm]
    start = perf_counter()
    raw = {one: getattr(estimator, one)(X_test) for one in asked if not one.startswith(LIVE)}
    predict_seconds = perf_counter() - start
    raw |= {one: _score(job, data, estimator, one, X_test, test) for one in asked if one.startswith(LIVE)}
    answers = {
        response: _checked(response, answer, estimator, data.target, len(test))
        for response, answer in raw.items()
    }
    if job.keeps and predict_seconds <= max(_QUICK_SECONDS, _SHARE * fit_seconds):
        answers |= _known_too(estimator, X_test, answers, data.target, len(test))
    return CellOutcome(cell, answers | chosen_answer(estimator), fit_seconds, predict_seconds)


def _known_too(
    estimator: Any, X_test: Any, known: Mapping[str, Any], target: Target, n: int
) -> dict[str, Any]:
    """Return what nobody asked for yet and is small; what the estimator cannot give is nobody's fault."""
    found: dict[str, Any] = {}
    if target.kind == "sequence" or target.is_continuous or 8 * n * len(target.classes) > _SMALL_BYTES:
        return found
    for response in RESPONSES:
        if response not in known:
            with suppress(Exception):
                found[response] = _checked(
                    response, getattr(estimator, response)(X_test), estimator, target, n
                )
    return found


def _score(job: Job, data: Data, estimator: Any, response: str, X_test: Any, test: Indices) -> Any:
    weights = {} if data.weights is None else {"sample_weight": data.weights[test]}
    return np.array([job.scorers[response](estimator, X_test, data.target.take(test), **weights)])


def _checked(response: str, answer: Any, estimator: Any, target: Target, n: int) -> Any:
    if response == "predict":
        return usable(answer, target, n)
    require_unmasked(answer)
    values = np.asarray(answer, dtype=float)
    if response.startswith(LIVE):
        return values  # one number, which the driver judges like that of any other measure
    require_length(values if values.ndim else [values], n)
    if not np.isfinite(values).all():
        raise Unusable("NaN predictions", f"{response} gave NaN or infinity")
    if target.kind == "sequence" or target.is_continuous:
        return values
    return aligned(response, values, getattr(estimator, "classes_", None), target.classes.tolist())

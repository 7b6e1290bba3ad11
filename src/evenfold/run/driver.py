"""
The driver finds which fits are missing, has them run, and makes losses of their results.

It knows an engine and a shelf only by their interfaces. It claims a few fits at a time, so that
several processes share the work. A fit that another process has claimed is waited for, and is taken
over if that process dies.
"""

import gc
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from math import isfinite
from pathlib import Path
from time import sleep
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of, refuse
from evenfold.core.errors import CellFailed, NotApplicable, StoreError
from evenfold.core.losses import Failure, Floats, Losses, PerExample
from evenfold.core.partition import Cut, Indices, LazySequence, Partition
from evenfold.run.algorithms import (
    CHOSEN,
    FittableAlgorithm,
    Parameters,
    choices_of_all,
)
from evenfold.run.cells import LIVE, REMEDY, UNABLE, Cell, CellOutcome, Fault, Job, fault_of
from evenfold.run.data import Data, Target, exceeds_floats
from evenfold.run.engines import Engine
from evenfold.run.measures import Evaluated, Measure, Predictions
from evenfold.run.measures._base import weights_of
from evenfold.run.progress import watch
from evenfold.run.stores import Store

OnFailure = Literal["raise", "record"]


# The results of fits during a run, which are kept in memory or in a store.


class Result(NamedTuple):
    """The times of one fit, and for every measure a value or the reason why there is none."""

    fit_seconds: float
    predict_seconds: float
    measured: dict[str, Evaluated | Fault]

    @property
    def fault(self) -> Fault | None:
        """The first reason why a measure has no value."""
        return next((value for value in self.measured.values() if isinstance(value, Fault)), None)


class FitShelf(ABC):
    """Where finished fits are kept. By default nothing is known before, and no work is shared."""

    def extend(self, partition: Partition) -> None:  # noqa: B027  (fits may be known by position)
        """Go on with a partition that has more splits."""

    def find(self, cells: Sequence[Cell]) -> dict[Cell, Result]:  # noqa: ARG002
        """Return the results of those fits that are known already."""
        return {}

    def claim(self, cells: Sequence[Cell]) -> set[Cell]:
        """Return those of some fits that this process may run now."""
        return set(cells)

    @abstractmethod
    def put(self, outcome: CellOutcome, result: Result) -> None:
        """Keep a finished or failed fit, at the latest with :meth:`flush`."""

    def flush(self) -> None:  # noqa: B027
        """Write what waits to be written."""

    @abstractmethod
    def answer(self, cell: Cell, response: str) -> Any:
        """Read one prediction."""

    def record(self, losses: Mapping[str, Losses], about: dict[str, Any], y: Any) -> str | None:  # noqa: ARG002
        """Keep a whole run, and return its id if there is one."""
        return None

    def close(self) -> None:  # noqa: B027
        """Give back what is claimed."""


class MemoryShelf(FitShelf):
    """A shelf without a store, which keeps only the predictions."""

    def __init__(self) -> None:
        # each in a small type, with its original type
        self._answers: dict[tuple[Cell, str], tuple[Any, Any]] = {}

    def put(self, outcome: CellOutcome, result: Result) -> None:  # noqa: ARG002  (the driver's)
        for response, answer in outcome.answers.items():
            dtype = getattr(answer, "dtype", None)
            self._answers[outcome.cell, response] = _smallest_integers(answer), dtype

    def answer(self, cell: Cell, response: str) -> Any:
        if (cell, response) not in self._answers:
            raise NotApplicable(
                f"There is no {response} of algorithm {cell.algorithm} on split {cell.split}, "
                "because the fit failed."
            )
        small, dtype = self._answers[cell, response]
        if dtype is None:
            return small
        return small.astype(dtype)


def _smallest_integers(answer: Any) -> Any:
    """Return integers in the smallest type that holds them, because all predictions are kept."""
    if getattr(answer, "dtype", None) is None or answer.dtype.kind not in "iu" or not answer.size:
        return answer
    return answer.astype(
        np.result_type(np.min_scalar_type(answer.min()), np.min_scalar_type(answer.max()))
    )


# Values of single examples, computed from the predictions of fits on access.


def evaluate(
    measure: Measure, target: Target, test: Indices, answer: Predictions, weights: Floats | None
) -> Evaluated | Fault:
    """Return the value of a measure, or why it has none on this test set."""
    test_weights = weights_of(test, weights)
    if test_weights is not None and not test_weights.any():
        return Fault("measure", f"{measure.name}: all weights of the test set are 0")
    if measure.quantity.target == "labels" and _lost_digits(target, answer):
        return Fault(
            "label types",
            "y has labels beyond 2**53, which floats cannot tell apart, but floats were "
            "predicted; predict integers",
        )
    try:
        evaluated = measure.evaluate(target.truth(test), answer, test_weights)
    except (Exception, SystemExit) as error:
        return fault_of("measure", error, about=f"{measure.name}: ")
    if not isfinite(evaluated.value):  # NaN in the losses means a failure, so it must be one
        return Fault("measure", f"{measure.name}: its value is {evaluated.value}")
    return evaluated


def _lost_digits(target: Target, answer: Predictions) -> bool:
    """Whether labels were predicted as floats that cannot tell the labels apart."""
    if answer.response != "predict" or isinstance(target.y, list):
        return False
    return np.asarray(answer.values).dtype.kind == "f" and exceeds_floats(target.y)


def values_per_example(
    kind: PerExample,
    *,
    measure: Callable[[], Measure],
    responses: Sequence[str],
    answer: Callable[[int, int, str], Any],
    target: Target,
    cut: Cut,
    weights: Floats | None,
    keeps: bool = False,
) -> dict[str, Any]:
    """
    Return the fields of losses that hold values of single examples, each computed on access.

    Parameters
    ----------
    kind : {"values", "outcomes", "placements", "none"}
        What the measure gives per example.
    measure : function
        Returns the measure. It is called when a value is needed.
    responses : sequence of str
        The response of each algorithm that the measure needs.
    answer : function
        Returns a prediction, from the numbers of the algorithm and the split, and the response.
    target, cut, weights
        Truth, splits and weights of the examples.
    keeps : bool
        Whether values are kept for the next access.
    """
    if kind == "none":
        return {}

    def item(algorithm: int, split: int) -> Floats:
        test = cut.test(split)
        answered = answer(algorithm, split, responses[algorithm])
        if len(answered) != len(test):  # of a store that came from elsewhere
            raise StoreError(
                f"The store has {len(answered):,} answers for {len(test):,} test examples. Run "
                "the comparison again."
            )
        predictions = Predictions(responses[algorithm], answered)
        truth = target.truth(test)
        if kind == "values":
            return measure().examples(truth, predictions)
        if kind == "outcomes":
            return measure().outcomes(truth, predictions, weights_of(test, weights))
        try:
            return measure().placements(truth, predictions, weights_of(test, weights))
        except ValueError as error:  # too few examples of a class
            raise NotApplicable(
                f"Measure {measure().name!r} has no values per example in one split: {error}."
            ) from error

    kept = cache(item) if keeps else item
    rows = tuple(
        LazySequence(cut.n_splits, partial(kept, algorithm)) for algorithm in range(len(responses))
    )
    if kind == "outcomes":
        return {"outcomes": rows, "score": measure().score}
    if kind == "placements":
        classes, sizes = np.unique(np.asarray(target.y), return_counts=True)
        of_class = dict(zip(map(str, classes.tolist()), sizes.tolist(), strict=True))
        return {"examples": rows, "class_sizes": of_class}
    return {"examples": rows}


_POLL_SECONDS = 0.1


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """
    Pause garbage collection while many lasting objects are made, because its scans are slow.

    Afterwards the objects belong to the oldest generation: freezing and unfreezing moves them there
    without a scan.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():  # what the caller froze stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def cells_of(algorithms: int, splits: Iterable[int]) -> list[Cell]:
    """Return all fits of some splits, split by split, so that whole splits are finished early."""
    pairs = ((a, j) for j in splits for a in range(algorithms))
    with pause_garbage_collection():
        return list(map(partial(tuple.__new__, Cell), pairs))  # there may be a hundred thousand


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RunRequest:
    """
    A checked request to run algorithms on data.

    Attributes
    ----------
    algorithms, data, measures
        The algorithms, the data that they are fitted to, and the measures.
    responses : list of tuple of str
        The outputs that are needed of each algorithm.
    seed, n_jobs, store, version, on_failure, timeout, progress, note
        As in :func:`evenfold.run.run`; the seed is drawn where none was given.
    """

    algorithms: list[FittableAlgorithm]
    data: Data
    measures: list[Measure]
    responses: list[tuple[str, ...]]
    seed: int
    n_jobs: int | None
    store: str | Path | Store | None
    version: str | Mapping[str, str] | None
    on_failure: OnFailure
    timeout: float | None
    progress: bool | None
    note: Mapping[str, Any] | None


class Driver:
    """
    Runs fits until all that are wanted are known.

    ``fitted`` are the fits that were run here, and ``reused`` counts those found in the shelf.
    """

    def __init__(
        self, request: RunRequest, partition: Partition, make_engine: Callable[[], Engine]
    ) -> None:
        measures: Sequence[Any] = request.measures
        scorers = {m.responses[0]: m.scorer for m in measures if m.responses[0].startswith(LIVE)}
        self.data = request.data
        self.measures = request.measures
        self.note: dict[str, Any] = {}
        self.partition = partition
        self.job = Job(
            algorithms=request.algorithms,
            responses=request.responses,
            scorers=scorers,
            cut=partition.cut,
            seed=request.seed,
            keeps=request.store is not None,
        )
        self.shelf: FitShelf = MemoryShelf()
        self.known: dict[Cell, Result] = {}
        self.fitted: set[Cell] = set()
        self.warned: dict[str, Counter[str]] = {}
        self.reused = 0
        self._on_failure = request.on_failure
        self._shows_progress = request.progress
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self._queue: deque[Cell] = deque()
        self._claimed_elsewhere: list[Cell] = []
        self._under_way: set[Cell] = set()
        self._needed = 0  # splits before this one are waited for, others are run ahead
        self._expected: set[Cell] = set()  # everything that was ever wanted

    def extend(self, partition: Partition) -> None:
        """Go on with a partition that begins with the present one."""
        self.partition = partition
        self.job = replace(self.job, cut=partition.cut)
        self.shelf.extend(partition)
        if self._engine is not None:
            self._engine.load(self.job)

    @pause_garbage_collection()
    def want(self, cells: Sequence[Cell]) -> None:
        """Look up fits in the shelf and queue those that are missing."""
        new = [cell for cell in cells if cell not in self.known and cell not in self._expected]
        self._expected.update(new)
        self.progress.expect(len(new))
        self._reuse(self.shelf.find(new))
        self._queue.extend(cell for cell in new if cell not in self.known)

    def _reuse(self, results: dict[Cell, Result]) -> None:
        if results:
            self.known |= results
            self.reused += len(results)
            self.progress.step(reused=len(results))
            if self._on_failure == "raise":
                for cell, result in results.items():
                    self._require_success(cell, result)

    def finish(
        self, cells: Sequence[Cell], *, meanwhile: Callable[[], object] = lambda: None
    ) -> None:
        """
        Return when all ``cells`` are known.

        ``meanwhile`` may queue more when workers are idle.
        """
        missing = list(reversed(cells))
        self._needed = max(cell.split for cell in cells) + 1
        while missing:
            if missing[-1] in self.known:
                missing.pop()
                continue
            self._fill()
            if self.has_room:
                meanwhile()
                self._fill()
            self._advance()
        self.shelf.flush()

    def drain(self) -> None:
        """Wait for the fits that are running, and drop those that are only queued."""
        self._queue.clear()
        self._claimed_elsewhere.clear()
        while self._under_way:
            self._advance()
        self.shelf.flush()

    @property
    def has_room(self) -> bool:
        """Whether a worker is idle and nothing is queued for it."""
        engine = self._engine
        idle = engine is not None and engine.parallel and len(self._under_way) < engine.width // 2
        return idle and not self._queue

    def _fill(self) -> None:
        while self._queue and (room := self._claimable_fits) > 0:
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), room))]
            granted = self.shelf.claim(batch)
            self._reuse(self.shelf.find([cell for cell in batch if cell in granted]))
            mine = [cell for cell in batch if cell in granted and cell not in self.known]
            self._claimed_elsewhere += [cell for cell in batch if cell not in granted]
            self._under_way.update(mine)
            self.engine.submit(mine)

    @property
    def _claimable_fits(self) -> int:
        """How many fits to claim; 0 until half of the engine is free, so that claims are rare."""
        width = self.engine.width
        busy = len(self._under_way)
        if self._queue and self._queue[0].split >= self._needed:
            return width // 2 - busy  # ahead of need: one task per worker, nothing behind it
        if busy <= width // 2:
            return width - busy
        return 0

    @property
    def engine(self) -> Engine:
        """The engine, which is made when the first fit must be run."""
        if self._engine is None:
            self._engine = self._make_engine()
            self._engine.load(self.job)
        return self._engine

    def _advance(self) -> None:
        if self._under_way:
            for outcome in self.engine.collect():
                self._accept(outcome)
        elif self._claimed_elsewhere:
            self.shelf.flush()
            sleep(_POLL_SECONDS)
            self._reuse(self.shelf.find(self._claimed_elsewhere))
            self._queue.extend(cell for cell in self._claimed_elsewhere if cell not in self.known)
            self._claimed_elsewhere.clear()

    def _accept(self, outcome: CellOutcome) -> None:
        cell = outcome.cell
        if outcome.fault is None:
            measured = {
                measure.name: self.evaluate(
                    measure,
                    cell,
                    outcome.answers[self.response(measure, cell.algorithm)],
                    *outcome.seconds,
                )
                for measure in self.measures
            }
        else:
            self._require_ability(cell, outcome.fault)
            measured = {measure.name: outcome.fault for measure in self.measures}
        result = Result(outcome.fit_seconds, outcome.predict_seconds, measured)
        self._under_way.discard(cell)
        self.known[cell] = result
        self.fitted.add(cell)
        if outcome.warned:
            name = self.job.algorithms[cell.algorithm].name
            self.warned.setdefault(name, Counter()).update(outcome.warned)
        self.shelf.put(outcome, result)
        self.progress.step(failed=result.fault is not None)
        self._require_success(cell, result)

    def _require_success(self, cell: Cell, result: Result) -> None:
        """Raise an error for a fault of the fit or of a measure, if the caller asked for that."""
        if self._on_failure != "raise" or (fault := result.fault) is None:
            return
        name = self.job.algorithms[cell.algorithm].name
        error = CellFailed(
            f"Algorithm {name!r} failed on split {cell.split}: {fault.kind}: {fault.message}"
        )
        if fault.traceback:
            error.add_note(fault.traceback)
        raise error

    def _require_ability(self, cell: Cell, fault: Fault) -> None:
        """Refuse a function that does not return what a measure needs."""
        if fault.kind != UNABLE:
            return
        name = self.job.algorithms[cell.algorithm].name
        wanted = " or ".join(self.job.responses[cell.algorithm])
        lacking = ", ".join(
            measure.name for measure in self.measures if "predict" not in measure.responses
        )
        refuse(
            "algorithms",
            f"Algorithm {name!r} must give {wanted} for measure {lacking} but {fault.message}.",
            REMEDY,
        )

    def response(self, measure: Measure, algorithm: int) -> str:
        """Return the response of an algorithm that a measure uses."""
        return next(kind for kind in measure.responses if kind in self.job.responses[algorithm])

    def evaluate(
        self, measure: Measure, cell: Cell, answer: Any, *seconds: float
    ) -> Evaluated | Fault:
        """Return the value of a measure, or why it has none on this test set."""
        test = self.partition.cut.test(cell.split)
        answered = Predictions(self.response(measure, cell.algorithm), answer, *seconds)
        return evaluate(measure, self.data, test, answered, self.data.weights)

    def __enter__(self) -> Self:
        self.progress = watch(self._shows_progress)
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Keep what is finished, give back the claims, and after an error abandon the rest."""
        try:
            self.shelf.flush()
        finally:
            if self._engine is not None:
                self._engine.close(abandon=error is not None)
            self.progress.close()
            self.shelf.close()


# The result of a run: the losses by measure, and their cost.


_NO_COUNTS = (np.nan, np.nan, np.nan)
_FAILED = Evaluated(np.nan)
_KEPT = 2**25  # bytes of values of single examples that are kept


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Run(Mapping[str, Losses]):
    """
    Losses by measure, as a mapping, and their cost.

    Attributes
    ----------
    losses : dict of str to Losses
        One per measure, in the order they were asked for.
    fits : int
        Fits run now, those that failed and those run ahead included.
    reused : int
        Fits found in the store.
    speculative : int
        Of ``fits``, those that idle workers ran for a repetition that was then not needed.
    seed : int
        The seed of the algorithms' randomness, drawn where none was given.
    id : str or None
        The id of this run in the store; None without a store.
    chosen : mapping of str to tuple of mappings
        For each algorithm that searches, the parameters that it chose on each split.
    tuning_seconds : mapping of str to tuple of float
        For the same algorithms, the seconds that the choice took on each split; NaN if unknown.
    warned : mapping of str to mapping
        For each algorithm that warned, the warnings, and how many of the new fits gave each of
        them.
    note : mapping
        The values that the caller of :func:`run` kept with it.
    """

    losses: dict[str, Losses]
    fits: int
    reused: int
    speculative: int
    seed: int
    id: str | None = None
    chosen: Mapping[str, tuple[Parameters, ...]] = field(default_factory=dict)
    tuning_seconds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    warned: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    note: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, measure: str) -> Losses:
        return self.losses[one_of("measure", measure, self.losses)]

    def __contains__(self, measure: object) -> bool:
        return measure in self.losses  # Mapping's own waits for a KeyError

    def get(self, measure: str, default: Any = None) -> Any:
        """Return the losses of a measure, or ``default`` where it was not asked for."""
        return self.losses.get(measure, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.losses)

    def __len__(self) -> int:
        return len(self.losses)

    @property
    def partition(self) -> Partition:
        """The partition that all losses are on."""
        return next(iter(self.losses.values())).partition

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names, the baseline first."""
        return next(iter(self.losses.values())).algorithms

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Failed fits, each once even if it failed for several measures."""
        failed = [failure for losses in self.losses.values() for failure in losses.failures]
        return tuple(
            {
                (failure.algorithm, failure.split, failure.kind): failure for failure in failed
            }.values()
        )

    def __repr__(self) -> str:
        what = f"{len(self.algorithms)} algorithms, {len(self.partition)} splits, {', '.join(self)}"
        return f"Run({what}; {self.fits} fits, {self.reused} reused, {len(self.failures)} failed)"


@pause_garbage_collection()
def run_from(driver: Driver, partition: Partition) -> Run:
    """Return the result of a run on the splits of a partition."""
    names = [algorithm.name for algorithm in driver.job.algorithms]

    def choice(algorithm: int, split: int) -> Any:
        return driver.shelf.answer(Cell(algorithm, split), CHOSEN)

    return Run(
        losses={
            measure.name: _losses_from_driver(driver, measure, partition)
            for measure in driver.measures
        },
        fits=len(driver.fitted),
        reused=driver.reused,
        speculative=sum(cell.split >= len(partition) for cell in driver.fitted),
        seed=driver.job.seed,
        warned={name: dict(seen.most_common()) for name, seen in driver.warned.items()},
        **choices_of_all(names, len(partition), choice),
    )


def _losses_from_driver(driver: Driver, measure: Measure, partition: Partition) -> Losses:
    names = tuple(algorithm.name for algorithm in driver.job.algorithms)
    data = driver.data
    if data.groups is None or partition.kind.is_by_source:  # a source left out whole is a split
        clusters = None
    else:
        clusters = np.unique(data.groups, return_inverse=True)[1].astype(np.intp)
    return make_losses(
        measure,
        names,
        partition,
        [driver.known[cell] for cell in cells_of(len(names), range(len(partition)))],
        responses=[driver.response(measure, a) for a in range(len(names))],
        answer=lambda a, split, response: driver.shelf.answer(Cell(a, split), response),
        target=data,
        weights=data.weights,
        clusters=clusters,
        # each of several algorithms is in many pairs: what is small is kept for the next
        keeps=len(names) > 2 and 8 * len(names) * int(partition.test_sizes.sum()) <= _KEPT,
    )


def make_losses(
    measure: Measure,
    names: tuple[str, ...],
    partition: Partition,
    results: Sequence[Result],
    *,
    responses: Sequence[str],
    answer: Callable[[int, int, str], Any],
    target: Target,
    weights: Floats | None,
    clusters: NDArray[np.intp] | None,
    keeps: bool = False,
) -> Losses:
    """
    Return the losses of one measure from the results of all fits, listed split by split.

    ``clusters`` are the groups of the examples, numbered from 0; the others are those of
    :func:`values_per_example`.
    """
    # list by list: there may be a hundred thousand
    fit_seconds, predict_seconds, every = zip(*results, strict=True)
    measured = [values_of_fit[measure.name] for values_of_fit in every]
    known = [value if isinstance(value, Evaluated) else _FAILED for value in measured]
    values, counts, whole = zip(*known, strict=True)
    # per example unless a function gave one number
    per_example: PerExample = "none" if any(whole) else measure.quantity.per_example
    cells = zip(cells_of(len(names), range(len(partition))), measured, strict=True)
    return Losses(
        quantity=replace(measure.quantity, weighted=weights is not None, per_example=per_example),
        algorithms=names,
        partition=partition,
        values=_table(values, len(names))[..., 0],
        failures=tuple(
            Failure(algorithm=names[cell.algorithm], split=cell.split, **fault._asdict())
            for cell, fault in cells
            if isinstance(fault, Fault)
        ),
        fit_seconds=_table(fit_seconds, len(names))[..., 0],
        predict_seconds=_table(predict_seconds, len(names))[..., 0],
        counts=_table([triple or _NO_COUNTS for triple in counts], len(names))
        if any(counts)
        else None,
        weights=weights,
        clusters=clusters,
        **values_per_example(
            per_example,
            measure=lambda: measure,
            responses=responses,
            answer=answer,
            target=target,
            cut=partition.cut,
            weights=weights,
            keeps=keeps,
        ),
    )


def _table(values: Sequence[Any], algorithms: int) -> Floats:
    """Turn values that are listed split by split into an array (algorithms, splits, ...)."""
    array: Floats = np.array(values, dtype=float).reshape(len(values) // algorithms, algorithms, -1)
    return np.ascontiguousarray(array.swapaxes(0, 1))

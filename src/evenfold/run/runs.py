"""The result of a run: losses by measure, and what they cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of
from evenfold.core.losses import Failure, Floats, Losses, PerExample, Quantity
from evenfold.core.partition import Partition
from evenfold.run.algorithms import CHOSEN, Parameters, chosen_parameters_of_all
from evenfold.run.cells import Cell, Fault
from evenfold.run.driver import Driver, Single, cells_of, pause_garbage_collection
from evenfold.run.measures import Evaluated, Measure

_NO_COUNTS = (np.nan, np.nan, np.nan)
_FAILED = Evaluated(np.nan)
_KEPT = 2**25  # bytes of values of single examples that are kept


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Run(Mapping[str, Losses]):
    """
    Losses by measure, as a mapping, and what they cost.

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
        Under which the store knows this run; None without a store.
    chosen : mapping of str to tuple of mappings
        Of each algorithm that searches, the parameters it chose on each split.
    note : mapping
        What the caller of :func:`run` kept beside it.
    """

    losses: dict[str, Losses]
    fits: int
    reused: int
    speculative: int
    seed: int
    id: str | None = None
    chosen: Mapping[str, tuple[Parameters, ...]] = field(default_factory=dict)
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
        unique = {
            (f.algorithm, f.split, f.kind): f
            for losses in self.losses.values()
            for f in losses.failed
        }
        return tuple(unique.values())

    def __repr__(self) -> str:
        what = f"{len(self.algorithms)} algorithms, {len(self.partition)} splits, {', '.join(self)}"
        return f"Run({what}; {self.fits} fits, {self.reused} reused, {len(self.failures)} failed)"


def run_from(driver: Driver, partition: Partition) -> Run:
    """Make the result from what the driver knows of the splits of a partition."""
    beyond = sum(cell.split >= len(partition) or not driver.wants(cell) for cell in driver.fitted)
    with pause_garbage_collection():
        losses = {one.name: _losses(driver, one, partition) for one in driver.measures}
        names = [algorithm.name for algorithm in driver.job.algorithms]
        chosen = chosen_parameters_of_all(
            names, len(partition), lambda *cell: driver.shelf.answer(Cell(*cell), CHOSEN)
        )
    return Run(
        losses=losses,
        fits=len(driver.fitted),
        reused=driver.reused,
        speculative=beyond,
        seed=driver.job.seed,
        chosen=chosen,
    )


def _losses(driver: Driver, measure: Measure, partition: Partition) -> Losses:
    names = tuple(algorithm.name for algorithm in driver.job.algorithms)
    cells = cells_of(len(names), range(len(partition)))
    # list by list: there may be a hundred thousand
    results = [driver.result(cell) for cell in cells]
    fit_seconds, predict_seconds, every = zip(*results, strict=True)
    name = measure.name
    measured = [one[name] for one in every]
    known = [value if isinstance(value, Evaluated) else _FAILED for value in measured]
    values, counts, whole = zip(*known, strict=True)
    quantity = _quantity(driver, measure, whole=any(whole))
    return Losses(
        quantity=quantity,
        algorithms=names,
        partition=partition,
        values=_table(values, len(names))[..., 0],
        failures=tuple(
            _failure(names, cell, value)
            for cell, value in zip(cells, measured, strict=True)
            if isinstance(value, Fault)
        ),
        fit_seconds=_table(fit_seconds, len(names))[..., 0],
        predict_seconds=_table(predict_seconds, len(names))[..., 0],
        counts=_table([one or _NO_COUNTS for one in counts], len(names)) if any(counts) else None,
        weights=driver.data.weights,
        clusters=None if partition.kind.is_by_source else _clusters(driver),
        **_single(driver, measure, partition, quantity.per_example),
    )


def _clusters(driver: Driver) -> NDArray[np.intp] | None:
    """
    The group of every example, numbered from 0.

    a source that is left out as a whole is a split.
    """
    groups = driver.data.metadata.get("groups")
    if groups is None:
        return None
    return np.unique(groups, return_inverse=True)[1].astype(np.intp)


def _table(values: Sequence[Any], algorithms: int) -> Floats:
    """Bring what was listed split by split into an array (algorithms, splits, ...)."""
    array: Floats = np.array(values, dtype=float).reshape(len(values) // algorithms, algorithms, -1)
    return np.ascontiguousarray(array.swapaxes(0, 1))


def _failure(names: Sequence[str], cell: Cell, fault: Fault) -> Failure:
    return Failure(algorithm=names[cell.algorithm], split=cell.split, **fault._asdict())


def _quantity(driver: Driver, measure: Measure, *, whole: bool) -> Quantity:
    """What was measured: weighted or not, and per example unless a function gave one number."""
    given: PerExample = "none" if whole else measure.quantity.per_example
    return replace(measure.quantity, weighted=driver.data.weights is not None, per_example=given)


def _single(
    driver: Driver, measure: Measure, partition: Partition, given: PerExample
) -> dict[str, Any]:
    """
    What single examples are worth, where the measure says it.

    Each of several algorithms is in many pairs: what is small is then kept for the next.
    """
    if given == "none":
        return {}
    algorithms = len(driver.job.algorithms)
    single = Single(
        measure=lambda: measure,
        responses=[driver.response(measure, a) for a in range(algorithms)],
        answer=lambda algorithm, split, response: driver.shelf.answer(
            Cell(algorithm, split), response
        ),
        target=driver.data.target,
        cut=partition.cut,
        weights=driver.data.weights,
        keeps=algorithms > 2 and 8 * algorithms * int(partition.test_sizes.sum()) <= _KEPT,
    )
    return single.of(given)

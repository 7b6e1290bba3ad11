"""A run read back from a store by its id."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import NotApplicable, StoreError
from evenfold.core.losses import Failure, Losses, PerExample
from evenfold.run.algorithms import CHOSEN, chosen_parameters_of_all
from evenfold.run.cells import Fault
from evenfold.run.data import Target, as_target
from evenfold.run.driver import Run, evaluate, values_per_example, weights_of
from evenfold.run.measures import (
    Evaluated,
    Measure,
    Predictions,
    as_measure,
    require_weighable,
    resolve_measures,
)
from evenfold.run.records.encoding import Arrays
from evenfold.run.records.records import (
    Headline,
    Record,
    StoredAnswers,
    describe_runs,
    load_record,
    losses_from,
    partition_from,
    target_from,
)
from evenfold.run.stores import Store, open_stored, store_name

# Measures that nobody asked of a run when it was made, computed from the predictions in the store.


_USUAL_SCHEME = "IOB2"


def derive(record: Record, arrays: Arrays, answers: StoredAnswers, asked: str) -> Losses:
    """Return the losses of a measure by its name, or say which answers the store would need."""
    target = as_target(target_from(arrays["y"]))
    known = next((one for one in record.asked.values() if one is not None), None)
    positive, scheme = (known.positive, known.scheme) if known else (None, _USUAL_SCHEME)
    [measure] = resolve_measures(asked, target, positive=positive, scheme=scheme)
    if "weights" in arrays:
        require_weighable([measure], target)
    return _Derived(record, arrays, answers, target, measure).losses()


class _Derived:
    """One measure of all fits of a run."""

    def __init__(
        self,
        record: Record,
        arrays: Arrays,
        answers: StoredAnswers,
        target: Target,
        measure: Measure,
    ) -> None:
        self.record = record
        self.arrays = arrays
        self.answers = answers
        self.target = target
        self.measure = measure
        self.partition = partition_from(record.partition, arrays)
        self.weights = arrays.get("weights")
        self.failed = {(one.algorithm, one.split): one for one in record.measures[0].failures}

    def losses(self) -> Losses:
        names = self.record.algorithms
        responses = [self._response(a) for a in range(len(names))]
        values = np.full((len(names), len(self.partition)), np.nan)
        failures = []
        counts: list[Any] = []
        whole = False
        for a, name in enumerate(names):
            for j in range(len(self.partition)):
                found = self._value(a, j, responses[a])
                if isinstance(found, Evaluated):
                    values[a, j] = found.value
                    whole |= found.whole
                else:
                    failures.append(Failure(algorithm=name, split=j, **found._asdict()))
                counts.append(getattr(found, "counts", None))
        return self._as_losses(values, tuple(failures), counts, responses, whole=whole)

    def _response(self, algorithm: int) -> str:
        """Return an answer that the measure can use and the store has of all successful fits."""
        name = self.record.algorithms[algorithm]
        splits = [j for j in range(len(self.partition)) if not self._fault(algorithm, j)]
        for response in self.measure.responses if splits else ():
            if all(self._has(algorithm, j, response) for j in splits):
                return response
        if not splits:
            return self.measure.responses[0]
        wanted = " or ".join(self.measure.responses)
        raise NotApplicable(
            f"the store has no {wanted} of {name!r} for measure {self.measure.name!r}; "
            "compare again with this measure, which fits what is missing"
        )

    def _has(self, algorithm: int, split: int, response: str) -> bool:
        try:
            self.answers(algorithm, split, response)
        except NotApplicable:
            return False
        return True

    def _fault(self, algorithm: int, split: int) -> Fault | None:
        """Return why a fit has no answers; what only another measure could not do is none."""
        one = self.failed.get((self.record.algorithms[algorithm], split))
        if one is None or one.kind == "measure":
            return None
        return Fault(one.kind, one.message, one.traceback)

    def _value(self, algorithm: int, split: int, response: str) -> Evaluated | Fault:
        if fault := self._fault(algorithm, split):
            return fault
        test = self.partition.cut.test(split)
        seconds = [
            float(self.arrays[name][algorithm, split])
            for name in ("fit_seconds", "predict_seconds")
        ]
        answer = Predictions(response, self.answers(algorithm, split, response), *seconds)
        weights = weights_of(test, self.weights)
        return evaluate(self.measure, self.target.truth(test), answer, weights)

    def _as_losses(
        self,
        values: Any,
        failures: tuple[Failure, ...],
        counts: list[Any],
        responses: list[str],
        *,
        whole: bool,
    ) -> Losses:
        given: PerExample = "none" if whole else self.measure.quantity.per_example
        tables = [one or (np.nan, np.nan, np.nan) for one in counts]
        return Losses(
            quantity=self.measure.about(
                weighted=self.weights is not None, per_example=given
            ).quantity,
            algorithms=self.record.algorithms,
            partition=self.partition,
            values=values,
            failures=failures,
            fit_seconds=self.arrays["fit_seconds"],
            predict_seconds=self.arrays["predict_seconds"],
            counts=np.array(tables, dtype=float).reshape(*values.shape, 3) if any(counts) else None,
            weights=self.weights,
            clusters=self.arrays.get("clusters"),
            **values_per_example(
                given,
                measure=lambda: self.measure,
                responses=responses,
                answer=self.answers,
                target=self.target,
                cut=self.partition.cut,
                weights=self.weights,
            ),
        )


def load(store: str | Path | Store, run_id: str, *, measure: str | None = None) -> Run:
    """
    Read a run back from a store, without its data and without a fit.

    Parameters
    ----------
    store : path, URL or Store
        As in :func:`run`; one that is not there is refused, not made.
    run_id : str
        The ``id`` of a run.
    measure : str, optional
        A measure by its name that is to be among the losses; where nobody asked for it when the run
        was made it is computed from the stored predictions, if they are those that it needs.

    Returns
    -------
    Run
        With the same losses. Values per example are read from the stored predictions when asked
        for, for measures known by name.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from evenfold.core.partition import KFOLD
    >>> from evenfold.core.partition import FoldCut, Partition
    >>> from evenfold.run import run
    >>> X, folds = np.arange(30.0)[:, None], np.arange(30) % 3
    >>> thirds = Partition(kind=KFOLD, seed=0, cut=FoldCut(folds=folds, n_splits=3),
    ...                    repetition=np.zeros(3, dtype=int), fold=np.arange(3))
    >>> with TemporaryDirectory() as folder:
    ...     done = run([GaussianNB()], thirds, X, X[:, 0] > 14, seed=0, store=f"{folder}/runs.db")
    ...     again = load(f"{folder}/runs.db", done.id)
    >>> (again["zero-one"].values == done["zero-one"].values).all()
    np.True_
    """
    if measure is not None and not isinstance(measure, str):
        refuse("measure", "the name of a measure", measure)
    opened = open_stored(store)
    try:
        record, arrays = load_record(opened, store_name(store), run_id)
    finally:
        opened.close()
    losses = {
        one.name: losses_from(record, arrays, number, **_single(opened, record, arrays, number))
        for number, one in enumerate(record.measures)
    }
    if measure is not None and measure not in losses:
        losses[measure] = derive(record, arrays, _answers(opened, arrays), measure)
    return Run(
        losses=losses,
        fits=0,
        reused=arrays["values0"].size,
        speculative=0,
        seed=record.seed,
        id=run_id,
        chosen=_read_choices(opened, record.algorithms, arrays),
        note=record.note,
    )


def _read_choices(store: Store, names: Sequence[str], arrays: Arrays) -> dict[str, Any]:
    """Return what searches chose, read from the store."""
    answers = _answers(store, arrays)
    return chosen_parameters_of_all(
        names, arrays["values0"].shape[1], lambda a, j: answers(a, j, CHOSEN)
    )


def _answers(store: Store, arrays: Arrays) -> StoredAnswers:
    series, splits = ([row.tobytes() for row in arrays[name]] for name in ("series", "splits"))
    return StoredAnswers(store, series, splits, let_go=True)


def describe_stored_runs(store: str | Path | Store) -> dict[str, Headline | StoreError]:
    """
    Return what a store says of its runs by id, the oldest first, or why a run cannot be read.

    Parameters
    ----------
    store : path, URL or Store
        As in :func:`run`; a store that is not there is refused, not made.
    """
    opened = open_stored(store)
    try:
        return describe_runs(opened)
    finally:
        opened.close()


def _single(store: Store, record: Record, arrays: Arrays, number: int) -> dict[str, Any]:
    """What single examples are worth; nothing where the measure was not asked for by a name."""
    measure = record.measures[number]
    asked = record.asked[measure.name]
    if asked is None:
        return {}
    target = as_target(target_from(arrays["y"]))
    known = {"positive": asked.positive, "scheme": asked.scheme}
    return values_per_example(
        measure.quantity.per_example,
        measure=cache(lambda: as_measure(asked.measure).bind(target, **known)),
        responses=record.responses[measure.name],
        answer=_answers(store, arrays),
        target=target,
        cut=partition_from(record.partition, arrays).cut,
        weights=arrays.get("weights"),
    )

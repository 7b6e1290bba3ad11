"""A run read back from a store by its id."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.errors import StoreError
from evenfold.run.chosen import CHOSEN, all_chosen
from evenfold.run.data import as_target
from evenfold.run.measures import as_measure
from evenfold.run.records.answers import Answers
from evenfold.run.records.derive import derive
from evenfold.run.records.described import Headline, Record
from evenfold.run.records.encoding import Arrays
from evenfold.run.records.records import (
    describe_runs,
    load_record,
    losses_from,
    partition_from,
    target_from,
)
from evenfold.run.runs import Run
from evenfold.run.single import Single
from evenfold.run.stores import Store, open_stored, store_name


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
        A measure by its name that is to be among the losses; where nobody asked for it when the run was made
        it is computed from the stored predictions, if they are those that it needs.

    Returns
    -------
    Run
        With the same losses. Values per example are read from the stored predictions when asked for, for
        measures known by name.

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
        chosen=_chosen(opened, record.algorithms, arrays),
        note=record.note,
    )


def _chosen(store: Store, names: Sequence[str], arrays: Arrays) -> dict[str, Any]:
    """Return what searches chose, read from the store."""
    answers = _answers(store, arrays)
    return all_chosen(names, arrays["values0"].shape[1], lambda a, j: answers(a, j, CHOSEN))


def _answers(store: Store, arrays: Arrays) -> Answers:
    series, splits = ([row.tobytes() for row in arrays[name]] for name in ("series", "splits"))
    return Answers(store, series, splits, let_go=True)


def described(store: str | Path | Store) -> dict[str, Headline | StoreError]:
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
    asked, given = record.asked[measure.name], measure.quantity.per_example
    if asked is None or given == "none":
        return {}
    target = as_target(target_from(arrays["y"]))
    known = {"positive": asked.positive, "scheme": asked.scheme}
    single = Single(
        measure=cache(lambda: as_measure(asked.measure).bind(target, **known)),
        responses=record.responses[measure.name],
        answer=_answers(store, arrays),
        target=target,
        cut=partition_from(record.partition, arrays).cut,
        weights=arrays.get("weights"),
    )
    return single.of(given)

"""A run read back from a store by its id."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from evenfold.core.lazy import LazySequence
from evenfold.run.data import Target, as_target
from evenfold.run.measures import NAMED, Answer, Floats, Loss, ProbabilityLoss, Ranking
from evenfold.run.records import Arrays, load_record, losses_from, partition_from, target_from
from evenfold.run.runs import Run
from evenfold.run.store import read_answer


def load(store: str | Path, run_id: str) -> Run:
    """
    Read a run back from a store, without its data and without a fit.

    Parameters
    ----------
    store : path or URL
        As in :func:`run`.
    run_id : str
        The ``id`` of a run.

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
    >>> from evenfold.core.partition import FoldCut, Partition
    >>> from evenfold.run import run
    >>> X, folds = np.arange(30.0)[:, None], np.arange(30) % 3
    >>> thirds = Partition(kind="kfold", seed=0, cut=FoldCut(folds=folds, n_splits=3),
    ...                    repetition=np.zeros(3, dtype=int), fold=np.arange(3))
    >>> with TemporaryDirectory() as folder:
    ...     done = run([GaussianNB()], thirds, X, X[:, 0] > 14, seed=0, store=f"{folder}/runs.db")
    ...     again = load(f"{folder}/runs.db", done.id)
    >>> (again["zero-one"].values == done["zero-one"].values).all()
    np.True_
    """
    engine, description, arrays = load_record(store, run_id)
    losses = {}
    for number, measure in enumerate(description["measures"]):
        examples = _examples(engine, description, arrays, measure["name"])
        losses[measure["name"]] = losses_from(description, arrays, number, examples)
    cells = arrays["values0"].size
    return Run(losses=losses, fits=0, reused=cells, speculative=0, seed=description["seed"], id=run_id)


def _bound(key: str, target: Target) -> Loss | ProbabilityLoss | Ranking | None:
    """Return the measure with values per example that has this key."""
    if key.startswith("auc("):
        classes = target.classes
        rankings = (Ranking(name="auc", positive=label, classes=classes) for label in classes.tolist())
        return next((one for one in rankings if one.key == key), None)
    measure = {one.key: one for one in NAMED.values()}.get(key)
    if isinstance(measure, ProbabilityLoss):
        return replace(measure, classes=target.classes)
    return measure if isinstance(measure, Loss) else None


def _examples(
    engine: Engine, about: dict[str, Any], arrays: Arrays, name: str
) -> tuple[LazySequence[Floats], ...] | None:
    target: Target = as_target(target_from(arrays["y"]))
    bound = _bound(about["keys"][name], target)
    if bound is None:
        return None
    cut = partition_from(about["partition"], arrays).cut

    def row(algorithm: int) -> LazySequence[Floats]:
        response = about["responses"][name][algorithm]

        def item(split: int) -> Floats:
            key = arrays["series"][algorithm].tobytes(), arrays["splits"][split].tobytes()
            answer = Answer(response, read_answer(engine, key, response))
            engine.dispose()
            return bound.examples(target.take(cut.test(split)), answer)

        return LazySequence(cut.n_splits, item)

    return tuple(row(a) for a in range(len(about["algorithms"])))

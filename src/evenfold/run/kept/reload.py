"""A run read back from a store by its id."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenfold.core.checks import path, refuse
from evenfold.core.losses import Floats
from evenfold.core.partition import Indices
from evenfold.core.plumbing.lazy import LazySequence
from evenfold.core.scores import Score
from evenfold.run.chosen import CHOSEN, all_chosen
from evenfold.run.data import Target, as_target
from evenfold.run.kept.answers import Answers
from evenfold.run.kept.records import (
    Arrays,
    describe_runs,
    load_record,
    losses_from,
    partition_from,
    target_from,
)
from evenfold.run.measures import Answer, Measure, as_measure
from evenfold.run.runs import Rows, Run
from evenfold.run.stores import Store, open_store, store_name


def load(store: str | Path | Store, run_id: str) -> Run:
    """
    Read a run back from a store, without its data and without a fit.

    Parameters
    ----------
    store : path, URL or Store
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
    >>> from evenfold.core.kind import KFOLD
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
    opened = open_store(store)
    try:
        description, arrays = load_record(opened, store_name(store), run_id)
    finally:
        opened.close()
    losses = {}
    for number, measure in enumerate(description["measures"]):
        single = _Single(store=opened, about=description, arrays=arrays, name=measure["name"])
        losses[measure["name"]] = losses_from(
            description,
            arrays,
            number,
            examples=single.examples(),
            outcomes=single.outcomes(),
            score=single.score(),
        )
    values = arrays["values0"]
    return Run(
        losses=losses,
        fits=0,
        reused=values.size,
        speculative=0,
        seed=description["seed"],
        id=run_id,
        chosen=_chosen(opened, description["algorithms"], arrays),
    )


def _chosen(store: Store, names: list[str], arrays: Arrays) -> dict[str, Any]:
    """Return what searches chose, read from the store."""
    answers = _answers(store, arrays)
    return all_chosen(names, arrays["values0"].shape[1], lambda a, j: answers(a, j, CHOSEN))


def _answers(store: Store, arrays: Arrays) -> Answers:
    series, splits = ([row.tobytes() for row in arrays[name]] for name in ("series", "splits"))
    return Answers(store, series, splits, let_go=True)


def described(store: str | Path | Store) -> dict[str, dict[str, Any]]:
    """
    Return what a store says of its runs by id, the oldest first.

    Parameters
    ----------
    store : path, URL or Store
        As in :func:`run`; a file that is not there is refused, not made.
    """
    is_path = not isinstance(store, Store) and "://" not in str(store)
    if is_path and not path("store", store).expanduser().is_file():
        refuse("store", "a store that exists", str(store))
    opened = open_store(store)
    try:
        return describe_runs(opened)
    finally:
        opened.close()


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Single:
    """Values of single examples of one measure, read from the stored predictions when asked for."""

    store: Store
    about: dict[str, Any]
    arrays: Arrays
    name: str

    def examples(self) -> Rows | None:
        if self._gives == "values":
            return self._rows(lambda measure, truth, answer, _: measure.examples(truth, answer))
        if self._gives != "placements":
            return None
        return self._rows(
            lambda measure, truth, answer, test: measure.placements(truth, answer, self._weights(test))
        )

    def outcomes(self) -> Rows | None:
        if self._gives != "outcomes":
            return None
        return self._rows(
            lambda measure, truth, answer, test: measure.outcomes(truth, answer, self._weights(test))
        )

    def score(self) -> Score | None:
        return self._measure(self._target()).score if self._gives == "outcomes" else None

    def _weights(self, test: Indices) -> Floats | None:
        weights = self.arrays.get("weights")
        return None if weights is None else weights[test]

    @property
    def _gives(self) -> str:
        """What the measure gives per example; nothing where it was not asked for by a name."""
        if self.about["asked"][self.name] is None:
            return "none"
        quantities = {one["name"]: one["quantity"] for one in self.about["measures"]}
        return str(quantities[self.name]["per_example"])

    def _measure(self, target: Target) -> Measure:
        asked = self.about["asked"][self.name]
        return as_measure(asked["measure"]).bind(target, positive=asked["positive"], scheme=asked["scheme"])

    def _target(self) -> Target:
        return as_target(target_from(self.arrays["y"]))

    def _rows(self, values: Callable[[Measure, Any, Answer, Indices], Floats]) -> Rows:
        target, cut = self._target(), partition_from(self.about["partition"], self.arrays).cut
        answers = _answers(self.store, self.arrays)

        def row(algorithm: int) -> LazySequence[Floats]:
            response = self.about["responses"][self.name][algorithm]

            def item(split: int) -> Floats:
                answer, test = Answer(response, answers(algorithm, split, response)), cut.test(split)
                return values(self._measure(target), target.take(test), answer, test)

            return LazySequence(cut.n_splits, item)

        return tuple(row(a) for a in range(len(self.about["algorithms"])))

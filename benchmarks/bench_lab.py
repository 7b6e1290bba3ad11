"""
A type-I study of all methods on two Gaussians, n = 200, beside a plain scikit-learn loop.

The loop draws the same data sets, cuts them by the same designs, clones, fits and predicts, and
hands the differences to the same methods, one data set at a time. Both run in one process; times
are processor seconds per 1000 data sets.
"""

import warnings
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks._timing import seconds
from evenfold.core.errors import EvenfoldError, EvenfoldWarning
from evenfold.core.losses import Losses
from evenfold.infer import estimate
from evenfold.run.measures import MEASURES
from evenfold_lab import estimators
from evenfold_lab.studies._base import StudySetup, prepare
from evenfold_lab.studies.answers import design_of, judge

DATA_SETS = 50  # what the lab draws together


def setup(pair: list[Any] | None) -> StudySetup:
    return prepare(
        "two-gaussians",
        n=200,
        replications=DATA_SETS,
        random_state=0,
        algorithms=pair,
        progress=False,
    )


def methods(study: StudySetup) -> list[str]:
    """All that a plain loop can feed: the oracle is told what only a study knows."""
    return [key for key in study.methods_for() if key != "mx2-oracle-t"]


def by_lab(study: StudySetup, keys: list[str]) -> None:
    for key, draws in study.for_methods(keys).items():
        with suppress(EvenfoldError):  # a method may refuse all of them
            judge(draws, key, null=0.0)


def by_loop(study: StudySetup, keys: list[str]) -> None:
    world: Any = study.world
    sample = world.sample(0)
    designs = {key: design_of(key, world.n) for key in keys}
    for r in range(DATA_SETS):
        done: dict[str, Losses] = {}
        for key, design in designs.items():
            if repr(design) not in done:
                partition = world.partitions(design, sample, 0)[0]
                done[repr(design)] = _losses(world, partition, sample.X[r], sample.y[r])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EvenfoldWarning)
                with suppress(EvenfoldError):  # some methods refuse some data sets
                    _ = getattr(estimate(done[repr(design)], key), "pvalue", None)


def _losses(world: Any, partition: Any, X: Any, y: Any) -> Losses:
    rows: list[list[Any]] = [[], []]
    for train, test in partition:
        for side, algorithm in zip(rows, world.algorithms, strict=True):
            model = clone(algorithm.estimator()).fit(X[train], y[train])
            side.append((model.predict(X[test]) != y[test]).astype(float))
    values = np.array([[row.mean() for row in side] for side in rows])
    return Losses(
        quantity=MEASURES["zero-one"].quantity, algorithms=("a", "b"), partition=partition,
        values=values,
        fit_seconds=0 * values, predict_seconds=0 * values, examples=rows,
    )  # fmt: skip


def main() -> None:
    print(f"type-I study of all methods, two Gaussians, n = 200, {DATA_SETS} data sets of each\n")
    print(f"{'pair':<28}{'methods':>8}{'lab, s per 1000':>18}{'loop, s per 1000':>18}{'ratio':>8}")
    pairs: dict[str, list[Any] | None] = {
        "tree against OLS": None,
        "1-NN against naive Bayes": [estimators.nearest_neighbour(), estimators.naive_bayes()],
        "LDA against OLS": [estimators.lda(), estimators.ols_classifier()],
    }
    for name, pair in pairs.items():
        study = setup(pair)
        keys = methods(study)
        ours = seconds(partial(by_lab, study, keys), repeats=1)
        theirs = seconds(partial(by_loop, study, keys), repeats=1)
        scale = 1000 / DATA_SETS
        print(
            f"{name:<28}{len(keys):>8}{ours * scale:>18.1f}{theirs * scale:>18.1f}"
            f"{theirs / ours:>8.1f}"
        )


if __name__ == "__main__":
    main()

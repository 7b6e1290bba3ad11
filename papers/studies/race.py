"""
What ``compare(..., question="best")`` saves, and how often it loses the best.

``python -m papers.studies.race N SETS [equal]``. Seven learners on samples of one large population
of two classes. The best is the learner with the smallest mean error, trained on half of a sample,
over all data sets. ``equal`` in place of the learners has seven trees that differ in what they draw
alone: all are the best, and the share of them that is left out is the error of losing a given one.
Prints fits of all pairs and of the race, and that error with its standard error.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.comparison.answer import which_pairs
from evenfold.comparison.compare import Race, watch_of
from evenfold.comparison.request import Criteria
from evenfold.core.losses import LEFT_OUT, Failure, Losses, Quantity

MOST = 9
ERROR = Quantity(
    name="zero-one", words="error", lower_is_better=True, low=0.0, high=1.0, per_example="values"
)
LEARNERS: dict[str, Any] = {
    "ridge": RidgeClassifier(),
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(reg_param=0.01),
    "bayes": GaussianNB(),
    "7-nn": KNeighborsClassifier(7),
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    "tree": DecisionTreeClassifier(max_depth=6, random_state=0),
}
EQUAL: dict[str, Any] = {
    f"tree {k}": DecisionTreeClassifier(max_depth=4, max_features=2)
    for k in range(7)  # a new seed at every fit
}


def run_all(learners: dict[str, Any], X: np.ndarray, y: np.ndarray, seed: int) -> Losses:
    """Fit every learner on all repetitions."""
    partition = ef.Mx2BCV(MOST, balance="labels", random_state=seed).partition(len(y), y=y)
    examples = [
        [
            (learner.fit(X[train], y[train]).predict(X[test]) != y[test]).astype(float)
            for train, test in partition
        ]
        for learner in learners.values()
    ]
    values = np.array([[row.mean() for row in rows] for rows in examples])
    nothing = np.zeros(values.shape)
    return Losses(
        quantity=ERROR,
        algorithms=tuple(learners),
        partition=partition,
        values=values,
        fit_seconds=nothing,
        predict_seconds=nothing,
        examples=examples,
    )


def looked_at(losses: Losses, question: str) -> tuple[int, dict[str, int]]:
    """Return the fits until the looks stop, and who was left out after how many repetitions."""
    rule = Criteria(question=question, method="mx2-influence-sequential-t", most=MOST)
    watch = watch_of(rule, which_pairs(losses.algorithms, None))
    out: dict[str, int] = {}
    m = 0
    for m in rule.looks:
        lost = tuple(
            Failure(algorithm=name, split=j, kind=LEFT_OUT, message="")
            for name, after in out.items()
            for j in range(2 * after, 2 * m)
        )
        stops = watch.look(replace(losses.only(slice(2 * m)), failures=lost))
        out = watch.out if isinstance(watch, Race) else {}
        if stops:
            break
    return sum(2 * min(out.get(name, m), m) for name in losses.algorithms), dict(out)


def main(n: int, sets: int, which: str = "learners") -> None:
    learners = EQUAL if which == "equal" else LEARNERS
    X, y = make_classification(
        400_000,
        n_features=10,
        n_informative=6,
        n_redundant=0,
        class_sep=0.8,
        flip_y=0.1,
        random_state=3,
    )
    means = np.zeros(len(learners))
    fits = np.zeros((sets, 2))
    lost = np.zeros((sets, len(learners)))
    for k in range(sets):
        np.random.seed(k)  # noqa: NPY002  (of the trees)
        chosen = np.random.default_rng([k, n]).choice(len(y), n, replace=False)
        losses = run_all(learners, X[chosen], y[chosen], seed=k)
        means += losses.values.mean(axis=1) / sets
        fits[k, 0], _ = looked_at(losses, "pairs")
        fits[k, 1], out = looked_at(losses, "best")
        lost[k] = [name in out for name in learners]
    per_set = lost.mean(axis=1) if which == "equal" else lost[:, means.argmin()]
    error = np.sqrt(max(per_set.mean() * (1 - per_set.mean()), 0.05 * 0.95 / 10) / sets)
    if which == "equal":
        error = per_set.std(ddof=1) / np.sqrt(sets)
    print(
        f"n = {n}, {sets} data sets, {which}:",
        ", ".join(f"{name} {mean:.4f}" for name, mean in zip(learners, means, strict=True)),
    )
    saved = fits[:, 0] - fits[:, 1]
    print(
        f"  fits: all pairs {fits[:, 0].mean():.1f}, race {fits[:, 1].mean():.1f}, saved "
        f"{saved.mean():.1f} "
        f"(± {saved.std(ddof=1) / np.sqrt(sets):.1f}); in the best set "
        f"{(1 - lost).sum(axis=1).mean():.2f}"
    )
    print(f"  the best was lost in {per_set.mean():.4f} (± {error:.4f})")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])

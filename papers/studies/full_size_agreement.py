"""
How often a forecast of the same verdict comes true at the full size.

    python -m papers.studies.full_size_agreement [--sets 300] [--jobs 2]

Each data set is compared twice with ``at="full"``, by two independent partitions. The forecast is
the replicability of the first answer; it comes true where the second answer has the same verdict.
Differences between the learners are small, so that many verdicts are close. The first of the
tables that are printed stands on the page about the test at the full size.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import make_classification, make_friedman1
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

Draw = Callable[[int], tuple[Any, Any]]
Forecast = tuple[float, bool, float]

SEED = 7
EDGES = (0.5, 0.65, 0.75, 0.85, 0.95, 1.0)


def _classes(n: int, informative: int, apart: float) -> Draw:
    def draw(seed: int) -> tuple[Any, Any]:
        X, y = make_classification(
            n, n_features=10, n_informative=informative, class_sep=apart, random_state=seed
        )
        return X, y

    return draw


def _numbers(n: int) -> Draw:
    return lambda seed: make_friedman1(n, noise=1.0, random_state=seed)


SETUPS: dict[str, tuple[Draw, dict[str, Any]]] = {
    "tree, naive Bayes": (
        _classes(120, 5, 0.9),
        {"tree": DecisionTreeClassifier(max_depth=3, random_state=0), "bayes": GaussianNB()},
    ),
    "LDA, neighbours": (
        _classes(120, 6, 1.0),
        {"lda": LinearDiscriminantAnalysis(), "neighbours": KNeighborsClassifier(7)},
    ),
    "logistic, neighbours": (
        _classes(300, 4, 0.8),
        {"logistic": LogisticRegression(), "neighbours": KNeighborsClassifier(15)},
    ),
    "ridge, neighbours": (
        _numbers(120),
        {"ridge": Ridge(), "neighbours": KNeighborsRegressor(5)},
    ),
}


def forecast(name: str, number: int) -> Forecast | None:
    """Return the forecast for one data set, whether it came true, and the runs of folds."""
    draw, two = SETUPS[name]
    X, y = draw(1000 * SEED + number)
    first, second = (
        ef.compare(two, X, y, at="full", random_state=2 * number + k) for k in range(2)
    )
    if first.replicability is None:
        return None
    same = first.verdict.outcome == second.verdict.outcome
    return first.replicability, same, float(first.pairs[0].path[-1].m)


def rows(sets: int, jobs: int) -> Iterator[tuple[str, list[Forecast]]]:
    """Yield every setup with what was forecast and what came true."""
    for name in SETUPS:
        forecasts = Parallel(n_jobs=jobs)(delayed(forecast)(name, k) for k in range(sets))
        yield name, [item for item in forecasts if item is not None]


def table(of: list[Forecast]) -> Iterator[str]:
    """Yield a line for every range of forecasts: their mean, and how many came true."""
    chances, same, _ = (np.array(column) for column in zip(*of, strict=True))
    for low, high in pairwise(EDGES):
        here = (low <= chances) & (chances < high)
        if here.any():
            rate = same[here].mean()
            error = np.sqrt(rate * (1 - rate) / here.sum())
            yield f"| {chances[here].mean():.2f} | {rate:.2f} ± {error:.2f} | {here.sum()} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    everything: list[Forecast] = []
    for name, forecasts in rows(options.sets, options.jobs):
        everything += forecasts
        runs = np.mean([item[2] for item in forecasts])
        print(f"{name}: {len(forecasts)} data sets, {runs:.1f} runs of folds")
        print("\n".join(table(forecasts)), flush=True)
    print("all")
    print("\n".join(table(everything)))


if __name__ == "__main__":
    main()

"""The contract of a population."""

from functools import partial
from typing import Any

import numpy as np

from evenfold.run.measures import MEASURES
from evenfold.testing import contract, require, works
from evenfold_lab import Splits
from evenfold_lab.populations import LossPopulation, populations

_N = 40
_REPLICATIONS = 3


def check_population(population: Any, *, registered: bool = True) -> None:
    """
    Check that a population keeps the rules that the studies of the lab rely on.

    Parameters
    ----------
    population : Population or LossPopulation
        With its parameters set.
    registered : bool, default True
        Whether its class must be found by name.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.lab.check_population(ef.lab.population("mean-line"))
    """
    kind = type(population)
    with contract(kind.__name__):
        for word in ("name", "description", "source"):
            require(getattr(kind, word, ""), f"{word} says something")
        if registered:
            require(populations().get(kind.name) is kind, "it is registered under its name")
        for number in range(1, len(kind.settings) + 1):
            made = works(partial(kind.setting, number), f"setting {number} can be made")
            require(isinstance(made, kind), f"setting {number} is one of its kind")
    if not isinstance(population, LossPopulation):
        with contract(population.name):
            _check_draws(population)
            _check_algorithms(population)


def _check_draws(population: Any) -> None:
    require(population.measure in MEASURES, f"its measure {population.measure!r} is registered")
    sample, again, other = (_draw_population(population, seed) for seed in (1, 1, 2))
    require(
        sample.X.shape[:2] == (_REPLICATIONS, _N), "X has the shape (replications, n, features)"
    )
    require(sample.y.shape == (_REPLICATIONS, _N), "y has the shape (replications, n)")
    require(sample.X.dtype == sample.y.dtype == np.float64, "X and y are float64")
    require(np.isfinite(sample.X).all() and np.isfinite(sample.y).all(), "X and y are finite")
    require(_is_same(sample, again), "the same generator gives the same data")
    require(not _is_same(sample, other), "another generator gives other data")
    if MEASURES[population.measure].quantity.target == "labels":
        require((sample.y == np.abs(np.round(sample.y))).all(), "labels are 0, 1, 2, ...")


def _check_algorithms(population: Any) -> None:
    algorithms = population.algorithms()
    require(1 <= len(algorithms) <= 2, "it has one or two algorithms")
    names = [algorithm.name for algorithm in population.source_algorithms()]
    require(len(set(names)) == len(names), "the algorithms of its sources have different names")
    require(
        names[: len(algorithms)] == [algorithm.name for algorithm in algorithms],
        "its algorithms are the first of its sources",
    )
    sample = _draw_population(population, 1)
    trains = (np.arange(_N) < _N // 2)[None]
    splits = Splits(trains=trains, tests=~trains)
    for algorithm in algorithms:
        call = partial(algorithm.predict, sample.X, sample.y, splits)
        predicted = works(call, f"{algorithm.name} predicts")
        tested = predicted[:, 0, _N // 2 :]
        require(np.isfinite(tested).all(), f"{algorithm.name} predicts every test example")


def _draw_population(population: Any, seed: int) -> Any:
    return works(
        lambda: population.draw(_N, _REPLICATIONS, np.random.default_rng(seed)), "it draws"
    )


def _is_same(sample: Any, other: Any) -> bool:
    return np.array_equal(sample.X, other.X) and np.array_equal(sample.y, other.y)

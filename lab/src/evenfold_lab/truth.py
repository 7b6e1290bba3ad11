"""The true risk of an algorithm on a population, by a closed form or by simulation."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np

from evenfold.core.checks import integer, refuse, short_repr
from evenfold.core.environment import recall, remember, user_cache
from evenfold.core.rng import seed_from, stream
from evenfold.run.fingerprints import Unhashable, fingerprint
from evenfold.run.measures import MEASURES
from evenfold_lab.algorithm import Algorithm, Floats
from evenfold_lab.arrays import Array, Place
from evenfold_lab.masks import Splits
from evenfold_lab.populations._base import Population
from evenfold_lab.world import differences, require_studied, score

_N_TEST = 200  # fresh examples per training set, enough with thousands of training sets
_MANY = 5000  # training sets for fast algorithms
_FEW = 1000  # training sets for refitted algorithms
_CHUNK = 20  # training sets drawn together; a part of the address of every draw
_AT_ONCE = 50  # chunks on a GPU at a time
_VERSION = 3  # of the cached files; raise it when anything above changes


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Truth:
    """
    A true value and how well it is known.

    Attributes
    ----------
    value : float
        μ(n_train) in the measure's own units, or B − A.
    se : float
        Its Monte Carlo standard error; 0 for a closed form.
    """

    value: float
    se: float


class How(TypedDict, total=False):
    """How a truth is simulated if there is no closed form."""

    replications: int | None
    random_state: int | np.random.Generator | None
    device: str | None


def truth(
    population: Population,
    algorithm: Algorithm,
    n_train: int,
    measure: str | None = None,
    **how: Unpack[How],
) -> Truth:
    """
    Return μ(n_train), an algorithm's mean loss over training sets of that size and fresh examples.

    Losses are averaged over training sets; precision, recall and F1 are those of the mean TP, FP
    and FN. An answer that had to be simulated is kept in the user's cache folder.

    Parameters
    ----------
    population : Population
        Where the data come from; pass ``population.at(n)`` if it draws data sets of n examples.
    algorithm : Algorithm
        What is trained.
    n_train : int
        Size of the training sets: n/2 for m×2 designs, (k−1)n/k for k-fold.
    measure : str, optional
        By default the population's.
    replications : int, optional
        Training sets, each tested on 200 fresh examples (or all that remain of a data set that is
        drawn from without replacement). By default 5000 for algorithms with a fast path, 1000 for
        others.
    random_state : int, Generator or None
        Seed of the simulation.
    device : str, optional
        Where models are fitted, as in every study.

    Examples
    --------
    >>> from evenfold_lab.populations import MeanLine
    >>> line = MeanLine()
    >>> mean, ols = line.algorithms()
    >>> truth(line, mean, 100)
    Truth(value=98.98, se=0.0)
    """
    return _truth(population, (algorithm,), n_train, measure, **how)


def truth_of_difference(
    population: Population,
    baseline: Algorithm,
    challenger: Algorithm,
    n_train: int,
    measure: str | None = None,
    **how: Unpack[How],
) -> Truth:
    """
    Return μ_B(n_train) − μ_A(n_train), with both trained and tested on the same examples.

    What the two have in common cancels, so the error is smaller than that of two separate truths.
    The other parameters are those of :func:`truth`.
    """
    return _truth(population, (baseline, challenger), n_train, measure, **how)


def _truth(
    population: Population,
    algorithms: tuple[Algorithm, ...],
    n_train: int,
    measure: str | None,
    *,
    replications: int | None = None,
    random_state: int | np.random.Generator | None = 0,
    device: str | None = None,
) -> Truth:
    if not isinstance(population, Population):
        refuse(
            "population",
            f"population must be one of ef.lab.population but got {short_repr(population)}.",
        )
    for algorithm in algorithms:
        if not hasattr(algorithm, "fast"):
            refuse(
                "algorithm",
                "algorithm must be one of a population, or an Algorithm, but got "
                f"{short_repr(algorithm)}.",
            )
    n_train = integer("n_train", n_train, low=1)
    measure = require_studied(measure or population.measure)
    exact = _closed_form(population, algorithms, n_train, measure)
    if exact is not None:
        return exact
    if replications is None:
        replications = _MANY if all(algorithm.fast for algorithm in algorithms) else _FEW
    count = integer("replications", replications, low=2)
    seed = seed_from(random_state)
    place = _place(population, algorithms, n_train, measure, count, seed)
    known = _recall(place)
    if known is not None:
        return known
    there = Place.of(device)
    drawn = _draw_chunks(population, n_train, count, seed, at_once=1 if there.is_host else _AT_ONCE)
    parts = np.concatenate(
        [_mean_losses(algorithms, n_train, measure, *some, there) for some in drawn], axis=1
    )
    answer = _jackknife(parts, measure)
    if place is not None:
        remember(place, {"value": answer.value, "se": answer.se})
    return answer


def _closed_form(
    population: Population, algorithms: Sequence[Algorithm], n_train: int, measure: str
) -> Truth | None:
    """Return the closed form, which only the population's own measure can have."""
    if measure != population.measure:
        return None
    values = [population.expected_loss(algorithm, n_train) for algorithm in algorithms]
    known = [value for value in values if value is not None]
    if len(known) == len(values):
        return Truth(value=differences(known), se=0.0)
    return None


def _draw_chunks(
    population: Population, n_train: int, count: int, seed: int, *, at_once: int
) -> Iterator[tuple[Floats, Floats]]:
    """Draw training sets followed by their test examples, ``at_once`` chunks at a time."""
    chunks = [(c, min(_CHUNK, count - start)) for c, start in enumerate(range(0, count, _CHUNK))]
    for i in range(0, len(chunks), at_once):
        pairs = [
            population.draw_apart(n_train, _N_TEST, size, stream(seed, "truth", c))
            for c, size in chunks[i : i + at_once]
        ]
        X = np.concatenate([np.concatenate([train.X, test.X], axis=1) for train, test in pairs])
        y = np.concatenate([np.concatenate([train.y, test.y], axis=1) for train, test in pairs])
        yield X, y


def _mean_losses(
    algorithms: Sequence[Algorithm], n_train: int, measure: str, X: Floats, y: Floats, place: Place
) -> Floats:
    """Return mean losses, or TP, FP and FN: (algorithms, training sets, parts)."""
    trains = (np.arange(y.shape[1]) < n_train)[None]
    splits = Splits(trains=trains, tests=~trains).on(place)
    X = place.put(X)
    y = place.put(y)
    return np.stack(
        [_score_predictions(measure, y, a.predict(X, y, splits), splits) for a in algorithms]
    )


def _score_predictions(measure: str, y: Array, predicted: Array, splits: Splits) -> Floats:
    scores = score(measure, y, predicted, splits, examples=False)
    if "counts" in scores:
        return scores["counts"][:, 0]
    return scores["values"]


def _jackknife(parts: Floats, measure: str) -> Truth:
    """
    Return value and standard error from leaving out one training set at a time.

    For means, they are the usual mean and standard error.
    """
    count = parts.shape[1]
    total = parts.sum(axis=1, keepdims=True)
    value = differences(_values(total / count, measure))
    without = differences(_values((total - parts) / (count - 1), measure))
    spread = np.sum((without - without.mean()) ** 2)
    return Truth(value=float(value[0]), se=float(np.sqrt((count - 1) / count * spread)))


def _values(parts: Floats, measure: str) -> Floats:
    """Compute the measure from mean losses or mean counts, which are on the last axis."""
    entry = MEASURES[measure]
    if entry.each:
        return parts[..., 0]
    return entry.score(parts)


def _place(
    population: Population,
    algorithms: Sequence[Algorithm],
    n_train: int,
    measure: str,
    count: int,
    seed: int,
) -> Path | None:
    """Return a file named by a hash of what the answer depends on; None if it has no hash."""
    try:
        estimators = [(algorithm.fast, algorithm.estimator()) for algorithm in algorithms]
        key = fingerprint(
            population, estimators, n_train, measure, count, seed, _VERSION, cloned=True
        )
    except (Unhashable, ModuleNotFoundError):  # the latter on a machine without scikit-learn
        return None
    return user_cache() / "truth" / f"{key.hex()}.json"


def _recall(place: Path | None) -> Truth | None:
    """Return an answer that was kept; None if there is none or the file is damaged."""
    if place is None:
        return None
    with suppress(ValueError, TypeError, KeyError):
        kept = recall(place)
        value = float(kept["value"])
        se = float(kept["se"])
        if np.isfinite(value) and np.isfinite(se) and se >= 0:
            return Truth(value=value, se=se)
    return None

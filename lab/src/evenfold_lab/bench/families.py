"""
Families of splits: the training and test sets of every resampling that a benchmarked test uses.

A family is drawn anew for every few data sets, so that no test is judged on one lucky cut. Block
designs, whose overlaps are fixed, are the same for all. The definitions of paired
subsampling, nested cross-validation and random splits are those of mlr3inferr 0.2.2.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from evenfold.design import FoldsInHalves, Mx2BCV

Weights = np.ndarray[Any, np.dtype[np.float32]]
REPETITIONS = 9  # of the halvings that every test of halves sees
MOST_REPETITIONS = 31  # that the default may go on to
RATIO = 0.9  # trained on, in random splits
RANDOM = 100
FOLDS = 10
RUNS = 10  # of folds
NESTED_FOLDS = 5
NESTED_RUNS = 10
NESTED_MODELS = 15  # of a run: five outer ones, and one for each pair of folds
PAIRED_OUT = 10  # halvings of paired subsampling
PAIRED_IN = 5  # random splits in each half
BOOTSTRAPS = 50
HOLDOUT = 2 / 3
FAST_SAMPLES = 400
FAST_SPLITS = 20
HALVES_HALVINGS = 9  # of the test that rests on a theorem
HALVES_FOLDS = 5


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Family:
    """
    Splits of n examples.

    Attributes
    ----------
    key : str
        Its name.
    trains : array, shape (S, n)
        How often each example trains.
    tests : array, shape (S, n)
        How much each tested example counts in the mean of the test set. It is 1 unless test sets
        are bootstrapped.
    """

    key: str
    trains: Weights
    tests: Weights

    def first(self, count: int | None) -> "Family":
        """Return the family of the first ``count`` splits, or of all if ``count`` is None."""
        return replace(self, trains=self.trains[:count], tests=self.tests[:count])

    @property
    def n_train(self) -> int:
        """Training examples of the first split."""
        return int(self.trains[0].sum())

    @property
    def n_test(self) -> int:
        """Test examples of the first split."""
        return int(self.tests[0].sum())


def family(key: str, tests: Any, trains: Any = None) -> Family:
    """Make a family; by default, examples that are not tested are trained on."""
    tested = np.asarray(tests, dtype=np.float32)
    trained = tested == 0 if trains is None else trains
    return Family(key=key, trains=np.asarray(trained, dtype=np.float32), tests=tested)


@lru_cache(maxsize=8)
def all_sides(n: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which examples the first half of each halving tests: (31, n), fewer if n is small."""
    most = min(MOST_REPETITIONS, 4 * (n // 4) - 1)
    partition = Mx2BCV(most, random_state=n).partition(n)
    tested = np.zeros((most, n), dtype=bool)
    for side, test in zip(tested, partition.test[::2], strict=True):
        side[test] = True
    return tested


def sides(n: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return the first nine rows of ``all_sides``: (9, n)."""
    return all_sides(n)[:REPETITIONS]


def halvings(n: int, rng: np.random.Generator) -> Family:
    """Nine halvings of the block design behind the default."""
    del rng
    return family("halvings", _both_halves(sides(n)))


def later_halvings(n: int, rng: np.random.Generator) -> Family:
    """Return the halvings that the default adds if nine leave its verdict unstable."""
    del rng
    return family("later-halvings", _both_halves(all_sides(n)[REPETITIONS:]))


def _both_halves(first: np.ndarray[Any, np.dtype[np.bool_]]) -> Any:
    return np.stack([first, ~first], axis=1).reshape(-1, first.shape[1])


def folds_in_halves(n: int, rng: np.random.Generator) -> Family:
    """Nine halvings with five folds inside each half."""
    design = FoldsInHalves(HALVES_HALVINGS, HALVES_FOLDS, random_state=int(rng.integers(2**31)))
    partition = design.partition(n)
    tests = np.zeros((len(partition), n), dtype=bool)
    trains = np.zeros((len(partition), n), dtype=bool)
    for split in range(len(partition)):
        tests[split, partition.test[split]] = True
        trains[split, partition.train[split]] = True
    return family("folds-in-halves", tests, trains)


def two_folds(n: int, rng: np.random.Generator) -> Family:
    """Five random halvings (Dietterich)."""
    tests = np.zeros((10, n), dtype=bool)
    for r in range(5):
        order = rng.permutation(n)
        tests[2 * r, order[: n // 2]] = True
        tests[2 * r + 1] = ~tests[2 * r]
    return family("two-folds", tests)


def fold_numbers(n: int, k: int, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return a random fold for each example; sizes differ by one at most."""
    return rng.permutation(np.arange(n) % k)


def folds(n: int, rng: np.random.Generator) -> Family:
    """Ten runs of ten folds; the first run is what tests on one run see."""
    runs = [fold_numbers(n, FOLDS, rng) for _ in range(RUNS)]
    return family("folds", [run == k for run in runs for k in range(FOLDS)])


def random(n: int, rng: np.random.Generator) -> Family:
    """A hundred random splits, nine tenths to train; tests on fewer take the first."""
    size = n - round(RATIO * n)
    return family("random", _random_tests(n, size, RANDOM, rng))


def _random_tests(n: int, size: int, count: int, rng: np.random.Generator) -> Any:
    return rng.random((count, n)).argsort(axis=1) < size


def paired_halvings(n: int, rng: np.random.Generator) -> Family:
    """
    Ten random halvings with five random splits in each half (the variance part of conservative Z).

    Test sets are as large as those of the random splits of all examples; what trains is the rest of
    the half.
    """
    size = n - round(RATIO * n)
    half = n // 2
    tests, trains = [], []
    for _ in range(PAIRED_OUT):
        order = rng.permutation(n)
        for part in (order[:half], order[half : 2 * half]):
            for _ in range(PAIRED_IN):
                chosen = rng.permutation(part)
                tested = np.zeros(n, dtype=bool)
                trained = np.zeros(n, dtype=bool)
                tested[chosen[:size]] = True
                trained[chosen[size:]] = True
                tests.append(tested)
                trains.append(trained)
    return family("paired", tests, trains)


def nested_pairs() -> list[tuple[int, int]]:
    """Pairs of folds that inner models do without, in the order of their splits."""
    return [(k, j) for k in range(NESTED_FOLDS) for j in range(k + 1, NESTED_FOLDS)]


def nested(n: int, rng: np.random.Generator) -> Family:
    """
    Ten runs of nested cross-validation with five folds.

    A run has five outer models, followed by ten inner ones. An inner model leaves out two folds and
    tests both: the model of outer fold k and inner fold j is that of outer fold j and inner fold k.
    mlr3inferr fits it twice, so that its 25 fits per run are 15 here.
    """
    tests = []
    for _ in range(NESTED_RUNS):
        number = fold_numbers(n, NESTED_FOLDS, rng)
        tests += [number == k for k in range(NESTED_FOLDS)]
        tests += [(number == k) | (number == j) for k, j in nested_pairs()]
    return family("nested", tests)


def bootstraps(n: int, rng: np.random.Generator) -> Family:
    """Fifty bootstrap samples, each tested on the examples that it lacks."""
    counts = rng.multinomial(n, np.full(n, 1 / n), size=BOOTSTRAPS)
    return family("bootstraps", counts == 0, counts)


def holdout(n: int, rng: np.random.Generator) -> Family:
    """One split, two thirds to train."""
    return family("holdout", _random_tests(n, n - round(HOLDOUT * n), 1, rng))


def leave_one_out(n: int, rng: np.random.Generator) -> Family:
    """Test every example once, by a model of all others."""
    del rng
    return family("left-out", np.eye(n, dtype=bool))


def adjusted_size(n: int) -> int:
    """Return the fast bootstrap's training size, near .9n/.632 with a test set near n/10."""
    m = round(RATIO * n)
    sizes = np.arange(m, n - round(0.05 * n) + 1)
    cost = (m / (0.632 * sizes) - 1) ** 2 + 0.368 * ((n - m) / (n - sizes) - 1) ** 2
    return int(sizes[np.argmin(cost)])


def fast_bootstrap(n: int, rng: np.random.Generator) -> Family:
    """
    The fast bootstrap of cross-validation (Cai et al., arXiv 2307.00260), as in their package.

    First 400 random splits for the estimate; then 400 bootstrap samples, in each 20 random splits
    of the distinct places, where examples count as often as they were drawn on both sides. A test
    set of which no example was drawn is drawn again.
    """
    plain = _random_tests(n, n - round(RATIO * n), FAST_SAMPLES, rng)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=FAST_SAMPLES).repeat(FAST_SPLITS, axis=0)
    size = n - adjusted_size(n)
    tested = _random_tests(n, size, FAST_SAMPLES * FAST_SPLITS, rng)
    empty = np.flatnonzero((counts * tested).sum(axis=1) == 0)
    while len(empty):
        tested[empty] = _random_tests(n, size, len(empty), rng)
        empty = empty[(counts[empty] * tested[empty]).sum(axis=1) == 0]
    trains = np.concatenate([~plain, counts * ~tested])
    return family("fast-bootstrap", np.concatenate([plain, counts * tested]), trains)


Make = Callable[[int, np.random.Generator], Family]
FAMILIES: dict[str, Make] = {
    "halvings": halvings,
    "later-halvings": later_halvings,
    "folds-in-halves": folds_in_halves,
    "two-folds": two_folds,
    "folds": folds,
    "random": random,
    "paired": paired_halvings,
    "nested": nested,
    "bootstraps": bootstraps,
    "holdout": holdout,
    "left-out": leave_one_out,
    "fast-bootstrap": fast_bootstrap,
}

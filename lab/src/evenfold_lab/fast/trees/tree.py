"""Classification and regression trees, which are all grown together."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from evenfold.core.checks import integer, one_of, refuse
from evenfold.core.rng import stream
from evenfold_lab.arrays import Array, array_like, counting, namespace, room, to_numpy
from evenfold_lab.fast import programs
from evenfold_lab.fast._batched import Batched, n_labels
from evenfold_lab.fast._lacking import put, segments
from evenfold_lab.fast.compiled import usable
from evenfold_lab.fast.trees._grow import FeatureSampling, Level, SplitRule, grow
from evenfold_lab.masks import Splits

CRITERIA = ("gini", "entropy", "squared")
_DEEPEST = 10**6
# A tree of numbers has as many leaves as examples; beyond n = 256, levels of arrays are faster.
_MORE_NODES = 16
_SMALLER = 8  # a program needs at least so many times less memory than arrays


@dataclass(frozen=True, kw_only=True)
class Tree(Batched):
    """
    A CART tree with exact splits half-way between values, as in scikit-learn.

    Parameters
    ----------
    criterion : {"gini", "entropy", "squared"}
        The last is for numbers.
    max_depth : int, optional
        By default nodes are split until they are pure.
    min_samples_split, min_samples_leaf : int
        The least number of examples in a node that is split, and in each side.

    Notes
    -----
    Of equally good splits, the first place of the first feature is taken; scikit-learn takes a
    random feature. Without such ties, as with continuous targets, the trees are the same. With
    labels, ties are common in small nodes, and trees differ as those of two seeds do.
    """

    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1

    def __post_init__(self) -> None:
        one_of("criterion", self.criterion, CRITERIA)
        integer("max_depth", _DEEPEST if self.max_depth is None else self.max_depth, low=0)
        integer("min_samples_split", self.min_samples_split, low=2)
        integer("min_samples_leaf", self.min_samples_leaf, low=1)

    @property
    def name(self) -> str:
        if self.max_depth is None:
            return "tree"
        return f"tree({self.max_depth})"

    def estimator(self) -> Any:
        """A scikit-learn tree."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        sizes: Any = {
            "max_depth": self.max_depth,
            "min_samples_split": self.min_samples_split,
            "min_samples_leaf": self.min_samples_leaf,
            "random_state": 0,
        }
        if self.criterion == "squared":
            return DecisionTreeRegressor(**sizes)
        return DecisionTreeClassifier(criterion=self.criterion, **sizes)

    def _work(self, n: int, p: int) -> int:
        return 4 * n * p

    def _memory_room(self, X: Array, y: Array) -> int:
        return room(X) * (_SMALLER if usable(X) or self._is_program(X, y) else 1)

    def _is_program(self, X: Array, y: Array) -> bool:
        """Say whether each tree is a GPU program, which costs n places per node and feature."""
        if self.criterion == "squared":
            return programs.usable(X, X.shape[1] * _MORE_NODES)
        return programs.usable(X, X.shape[1]) and n_labels(y) <= programs.MOST_CLASSES

    def _fill(self, X: Array, y: Array, splits: Splits) -> Array:
        xp = namespace(X)
        return self._grower(X, y, splits)(xp.astype(splits.by_set().trains, xp.int64))

    def _grower(self, X: Array, y: Array, splits: Splits) -> Callable[..., Array]:
        """
        Return a function that grows the trees of all splits and predicts the tests, (R, J, n).

        Its arguments are how often examples train, (R or 1, J, n), and the
        :class:`FeatureSampling` of the trees, if any.
        """
        rule = self._rule_of(y)
        tests = splits.by_set().tests
        if usable(X):
            from evenfold_lab.fast.compiled.trees import Grower

            return Grower(X, y, tests, rule)
        if self._is_program(X, y):
            return partial(programs.grow_trees, programs.Presorted.of(X, y), rule)
        return partial(_grow_trees, X, y, tests, rule)

    def _rule_of(self, y: Array) -> SplitRule:
        return self._rule(0 if self.criterion == "squared" else n_labels(y))

    def _rule(self, n_classes: int) -> SplitRule:
        """Return the rule for ``n_classes`` labels, or for numbers if it is 0."""
        return SplitRule(
            criterion=self.criterion,
            n_classes=n_classes,
            max_depth=_DEEPEST if self.max_depth is None else self.max_depth,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            least_deviance=0.0,
        )


@dataclass(frozen=True, kw_only=True)
class SplusTree(Tree):
    """
    The function ``tree`` of S-plus 4.5 and R, with defaults and no pruning, as NB, W14, R19 use it.

    A node is split if it has at least 10 examples and at least .01 of the root's deviance; each
    side of a split keeps at least 5.

    Parameters
    ----------
    least_squares : bool
        A regression tree of labels 0 and 1, cut at ½ (NB 5, W14 6.1), which is a Gini tree;
        otherwise a classification tree grown by deviance (NB 5, W14 6.2, R19 5.8.2).
    """

    criterion: str = field(default="entropy", init=False)
    max_depth: int | None = field(default=None, init=False)
    min_samples_split: int = field(default=10, init=False)
    min_samples_leaf: int = field(default=5, init=False)
    least_squares: bool = False

    @property
    def name(self) -> str:
        if self.least_squares:
            return "regression-tree"
        return "classification-tree"

    def estimator(self) -> Any:
        """A :class:`~evenfold_lab.refits.RefittedSplusTree`."""
        from evenfold_lab.refits import RefittedSplusTree as Refit

        return Refit(least_squares=self.least_squares)

    def _rule(self, n_classes: int) -> SplitRule:
        # Squares of labels 0 and 1 about their mean are half of Gini's index.
        if self.least_squares and n_classes > 2:
            refuse(
                "y",
                "y must be labels 0 and 1 for a tree by least squares but got "
                f"{n_classes} classes.",
            )
        criterion = "gini" if self.least_squares else self.criterion
        return replace(super()._rule(n_classes), criterion=criterion, least_deviance=0.01)


@dataclass(frozen=True, kw_only=True)
class Forest(Tree):
    """
    The majority of trees on bootstrap samples, the smallest label of ties, or the mean of numbers.

    Parameters
    ----------
    n_trees : int
        Number of trees.
    max_features : int, optional
        How many features, drawn anew in every node, may split it. By default all may, which gives
        bagged trees.
    seed : int
        Seed of the bootstrap samples and of the features. As in scikit-learn, forests of one seed
        draw the same places of every training set.

    Notes
    -----
    The forests have the distribution of scikit-learn's. These average the shares of leaves, which
    is the majority if leaves are grown until they are pure.
    """

    n_trees: int = 100
    max_features: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("n_trees", self.n_trees, low=1)
        integer("max_features", 1 if self.max_features is None else self.max_features, low=1)

    @property
    def name(self) -> str:
        if self.max_features is None:
            return "bagged-trees"
        return "forest"

    def estimator(self) -> Any:
        """A scikit-learn random forest; all features may split if ``max_features`` is None."""
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        settings: Any = {
            "max_depth": self.max_depth,
            "min_samples_split": self.min_samples_split,
            "min_samples_leaf": self.min_samples_leaf,
            "max_features": self.max_features,
            "random_state": self.seed,
        }
        if self.criterion == "squared":
            return RandomForestRegressor(self.n_trees, **settings)
        return RandomForestClassifier(self.n_trees, criterion=self.criterion, **settings)

    def _fill(self, X: Array, y: Array, splits: Splits) -> Array:
        xp = namespace(X)
        grower = self._grower(X, y, splits)
        trains = splits.by_set().trains
        votes: Any = 0.0
        classes = xp.arange(max(1, self._rule_of(y).n_classes), dtype=xp.float64, device=X.device)
        classes = xp.reshape(classes, (-1, 1, 1, 1))
        for tree in range(self.n_trees):
            each = grower(self._bootstrap_counts(trains, tree), self._feature_sampling(tree))[
                None, ...
            ]
            votes = votes + (
                each if self.criterion == "squared" else xp.astype(each == classes, xp.float64)
            )
        if self.criterion == "squared":
            return votes[0, ...] / self.n_trees
        return xp.astype(xp.argmax(votes, axis=0), xp.float64)

    def _bootstrap_counts(self, trains: Array, tree: int) -> Array:
        """Return how often each training example is in a tree's bootstrap sample."""
        xp = namespace(trains)
        place = xp.cumulative_sum(xp.astype(trains, xp.int64), axis=-1) - 1
        sizes, row = np.unique(to_numpy(place[..., -1] + 1), return_inverse=True)
        times = np.zeros((len(sizes), sizes[-1]), dtype=np.int64)
        for size, often in zip(sizes, times, strict=True):
            drawn = stream(self.seed, "forest", tree, int(size)).integers(size, size=size)
            often[:size] = np.bincount(drawn, minlength=size)
        flat = place + array_like(trains, row.reshape(place.shape[:-1]))[..., None] * times.shape[1]
        flat = xp.where(trains, flat, xp.zeros_like(flat))
        counts = xp.reshape(
            xp.take(array_like(trains, times.reshape(-1)), xp.reshape(flat, (-1,))), flat.shape
        )
        return xp.where(trains, counts, xp.zeros_like(counts))

    def _feature_sampling(self, tree: int) -> FeatureSampling | None:
        if self.max_features is None:
            return None
        return FeatureSampling(
            count=self.max_features, start=int(stream(self.seed, "features", tree).integers(2**62))
        )


def _grow_trees(
    X: Array,
    y: Array,
    tests: Array,
    rule: SplitRule,
    times: Array,
    luck: FeatureSampling | None = None,
) -> Array:
    """Grow trees level by level, in any library."""
    xp = namespace(X)
    times, tests = (xp.broadcast_to(m, (X.shape[0], *m.shape[-2:])) for m in (times, tests))
    X = xp.astype(X, xp.float32)  # as scikit-learn's trees read it
    level = _roots(X, xp.astype(y, xp.int64 if rule.n_classes else xp.float64), times, tests)
    where, predictions = grow(level, xp.reshape(X, (-1,)), X.shape[-1], rule, luck)
    tested = xp.reshape(tests, (-1,))
    out = xp.zeros(tested.shape, dtype=xp.float64, device=X.device)
    out[tested] = put(predictions, where)
    return xp.reshape(out, tests.shape)


def _roots(X: Array, target: Array, times: Array, tests: Array) -> Level:
    """
    Make a root of every training set, in which examples train ``times`` (R, J, n).

    Each data set is sorted once, and its training sets keep that order.
    """
    xp = namespace(X)
    R, n, p = X.shape
    J = times.shape[1]
    by_feature = xp.permute_dims(X, (2, 0, 1))
    order = xp.argsort(by_feature, axis=2, stable=True)[:, :, None, :]  # (p, R, 1, n)
    sets = counting(X, R)[:, None, None]
    splits = counting(X, J)[:, None]
    often = xp.reshape(times, (-1,))
    cell = xp.reshape(order + n * (J * sets + splits), (-1,))  # (p, R, J, n): examples of splits
    row = order + n * (sets + R * xp.reshape(counting(X, p), (p, 1, 1, 1)))
    row = xp.reshape(xp.broadcast_to(row, (p, R, J, n)), (-1,))
    start, place = segments(xp.take(often, cell))  # a place for every time an example trains
    copy = counting(X, place.shape[0]) - xp.take(start, place)
    cell = xp.take(cell, place)
    row = xp.take(row, place)
    size = xp.reshape(xp.sum(times, axis=2), (-1,))
    first, node = segments(size)
    tested = xp.reshape(tests, (-1,))
    of_set = xp.reshape(xp.broadcast_to(n * sets + counting(X, n), (R, J, n)), (-1,))
    tree = xp.reshape(xp.broadcast_to(J * sets + splits, (R, J, n)), (-1,))[tested]
    return Level(
        order=xp.take(xp.cumulative_sum(often) - often, cell) + copy,
        x=xp.take(xp.reshape(by_feature, (-1,)), row),
        target=xp.take(xp.reshape(target, (-1,)), xp.repeat(of_set, often)),
        node=node,
        first=first,
        size=size,
        limit=xp.zeros(size.shape, dtype=xp.float64, device=X.device),
        tests=p * of_set[tested],
        at=tree,
        number=counting(X, tree.shape[0]),
        path=xp.zeros_like(size),
    )

"""Inputs that are values of single examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, ClassVar, cast

import numpy as np

from evenfold.core.checks import refuse, short_repr
from evenfold.core.estimate import Floats
from evenfold.core.losses import Quantity
from evenfold.core.partition import KFOLD, MX2_BCV, Partition
from evenfold.infer._arrays import block_arrays, finite, mask
from evenfold.infer.inputs._base import Batch, Counts, Input, Question, Row, check_each


@dataclass(frozen=True, slots=True)
class OneTestSet(Row):
    """
    Losses on one test set; of a score its influence values, unless only ``means`` will do.

    array of shape (..., n2)
        Loss of B less loss of A at each test point.
    """

    means: bool = False

    names = ("losses",)
    joint = "examples"

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The examples of the one split."""
        return ((asked.examples() if self.means else asked.rows())[0],)


@dataclass(frozen=True, slots=True)
class Blocks(Input):
    """
    Losses in blocks, folds or sources, of at least ``smallest`` examples each.

    sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.
    """

    smallest: int = 2

    names = ("blocks",)

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Two blocks or more."""
        return (block_arrays(names[0], given[0], smallest=self.smallest),)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The examples, block by block."""
        if asked.losses.weights is not None:
            asked.refuse("has no weighted form; leave sample_weight out")
        return (asked.examples(),)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Four blocks of unequal sizes."""
        return ([rng.normal(0.3, 1.0, size=(*batch, size)) for size in (7, 9, 8, 10)],)

    def values(self, data: tuple[Any, ...]) -> list[Floats]:
        """Return all blocks."""
        return list(data[0])

    def times(self, data: tuple[Any, ...], factor: float) -> tuple[Any, ...]:
        """Return the same blocks in other units."""
        return ([block * factor for block in data[0]],)


@dataclass(frozen=True, slots=True)
class BlockMeans(Blocks):
    """The same for methods that ask for the mean of each block only, which every measure has."""

    smallest: int = 1

    joint = "splits"

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The hold-out values, as blocks of one."""
        return (list(np.moveaxis(asked.differences(), -1, 0)[..., None]),)


class AllTested(Input):
    """
    Losses of every example in every repetition of an m×2 design, and who was tested first.

    array of shape (..., m, n)
        Loss of B less loss of A (or of one algorithm alone) at each example, repetition by
        repetition: every example is tested once in each. Of a score: its influence values.
    bool array of shape (m, n)
        Whether an example is tested by the first split of a repetition; the second tests the
        others.
    """

    least: ClassVar[int] = 3
    closely = True
    joint = "means"
    names = ("tested", "sides")

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Some repetitions of four examples or more, both halves of each used."""
        e = finite(names[0], given[0])
        if e.ndim < 2 or e.shape[-2] < self.least or e.shape[-1] < 4:
            rule = f"of shape (..., m, n) with m ≥ {self.least} and n ≥ 4"
            refuse(names[0], f"{names[0]} must be {rule} but got shape {e.shape}.")
        first = mask(names[1], given[1], shape=e.shape[-2:])
        both = first.any(axis=1) & ~first.all(axis=1)
        if not both.all():
            rule = "true for some examples and false for others in every repetition"
            refuse(names[1], f"{names[1]} must be {rule} but got row {int(np.argmin(both))}.")
        return e, first

    def suits(self, quantity: Quantity) -> bool:
        """Whatever gives something for every example."""
        return quantity.per_example != "none"

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Values in the order of the data, repetition by repetition."""
        if len(asked.partition) < 2 * self.least:
            m = len(asked.partition) // 2
            asked.refuse(
                f"needs at least {self.least} repetitions, not {m}: use ef.Mx2BCV(3) or more"
            )
        return self.values_of(asked), asked.sides()

    def values_of(self, asked: Question, *, runs: int | None = None) -> Floats:
        """Values in the order of the data, of so many runs through them."""
        return asked.in_order(asked.rows(), runs=runs)

    def optional_keywords(self, asked: Question) -> dict[str, Any]:
        """Groups, whether 0 means that an example makes no difference, and whether it is single."""
        plain = asked.losses.quantity.per_example == "values" and asked.losses.weights is None
        return {"clusters": asked.losses.clusters, "zeros": plain, "alone": asked.a is None}

    def jointly(self, asked: Question) -> Floats:
        """The mean value of every example over the repetitions."""
        return cast("Floats", self.values_of(asked).mean(axis=-2))

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Nine repetitions of 64 examples, in sixteen blocks."""
        signs = [[(r & block).bit_count() % 2 == 0 for block in range(16)] for r in range(1, 10)]
        own = rng.normal(0.3, 1.0, size=(*batch, 1, 64))
        return own + 0.3 * rng.normal(size=(*batch, 9, 64)), np.repeat(signs, 4, axis=1)


class Nested(Input):
    """
    Losses of nested folds, and the folds.

    array of shape (..., R, K, n)
        ``losses[r, k, i]`` is the loss of example i, or the difference B − A, in repetition r under
        the model that saw neither fold k nor the fold of i. Where i is in fold k that is the outer
        model, trained on K − 1 folds; elsewhere an inner one, trained on K − 2.
    int array of shape (R, n)
        Fold 0 … K − 1 of each example in each repetition, at least two examples in each.
    """

    names = ("nested",)

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Three folds or more, each of two examples or more."""
        L = finite(names[0], given[0])
        if L.ndim < 3 or L.shape[-2] < 3:
            refuse(
                names[0],
                f"{names[0]} must be of shape (..., R, K, n) with K ≥ 3 but got shape {L.shape}.",
            )
        R, K, n = L.shape[-3:]
        try:
            of = np.asarray(given[1])
        except ValueError:
            refuse(
                names[1],
                f"{names[1]} must be integers of shape {(R, n)} but got {short_repr(given[1])}.",
            )
        if of.shape != (R, n) or of.dtype.kind not in "iu":
            refuse(
                names[1],
                f"{names[1]} must be integers of shape {(R, n)} but got {of.dtype} of "
                f"shape {of.shape}.",
            )
        sizes = (of[:, None, :] == np.arange(K)[:, None]).sum(axis=-1)
        if R == 0 or sizes.sum() != R * n or sizes.min() < 2:
            rule = f"0 to {K - 1}, each at least twice in every repetition"
            refuse(names[1], f"{names[1]} must be {rule}, but got sizes {sizes.tolist()}.")
        return L, of

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The outer splits come first, then one split for each pair of folds left out."""
        partition = asked.partition
        d = asked.examples()
        R = int(partition.repetition.max()) + 1
        outer = int((partition.repetition < 0).sum())
        K = outer // R
        folds = np.empty((R, partition.n), dtype=np.intp)
        losses = np.empty((*d[0].shape[:-1], R, K, partition.n))
        for j in range(outer):
            r, k = divmod(j, K)
            folds[r, partition.test[j]] = k
            losses[..., r, k, partition.test[j]] = d[j]
        pairs = list(combinations(range(K), 2))
        for j in range(outer, len(partition)):
            r = int(partition.repetition[j])
            tested = partition.test[j]
            for left_out, tested_fold in permutations(pairs[int(partition.fold[j])]):
                own = folds[r, tested] == tested_fold
                losses[..., r, left_out, tested[own]] = d[j][..., own]
        return losses, folds

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Two repetitions of three folds of four examples."""
        folds = np.stack([rng.permutation(np.repeat(np.arange(3), 4)) for _ in range(2)])
        return rng.normal(0.3, 1.0, size=(*batch, 2, 3, 12)), folds


class Answers(Counts):
    """
    Right or wrong of k classifiers on one test set.

    array of shape (..., k, n2)
        1 where a classifier is right, 0 where it is wrong, or the other way round; k ≥ 2.
    """

    names = ("answers",)

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Two classifiers or more, zeros and ones."""
        x = finite(names[0], given[0])
        if x.ndim < 2 or x.shape[-2] < 2 or x.shape[-1] < 1:
            refuse(
                names[0],
                f"{names[0]} must be of shape (..., k, n2) with k ≥ 2 but got shape {x.shape}.",
            )
        if not np.isin(x, (0.0, 1.0)).all():
            refuse(
                names[0],
                f"{names[0]} must be 0 or 1 but got "
                f"{short_repr(float(x[~np.isin(x, (0.0, 1.0))][0]))}.",
            )
        return (x,)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Of all algorithms, whatever pair was asked for."""
        asked.require_wrong_or_right()
        asked.losses.require_complete()
        rows = asked.losses.examples
        assert rows is not None  # what counts wrong predictions has a value per example
        return (np.stack([np.asarray(row[0], dtype=float) for row in rows], axis=-2),)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Three classifiers on forty examples."""
        return (rng.integers(0, 2, size=(*batch, 3, 40)),)


class Scores(Counts):
    """
    Scores of both models on one test set, and the labels; a run gives the placements instead.

    arrays of shape (..., n2)
        Scores of both models, larger for examples that are more likely positive.
    array of shape (n2,)
        Labels of two classes, each at least twice.
    """

    names = ("scores",)

    @property
    def measures(self) -> tuple[str, ...]:
        """The area under the curve."""
        return ("auc",)

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """The method looks at the labels before it looks at the scores."""
        return tuple(given)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """B − A of the placements of each example, whose mean and variance stand for the area."""
        if asked.losses.quantity.per_example != "placements":
            asked.refuse(f"is about the area under the curve, not measure {asked.losses.measure!r}")
        return (asked.rows()[0],)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Forty examples, half of them positive."""
        y = np.repeat([0, 1], 20)
        a, b = rng.normal(size=(2, *batch, 40)) + y
        return a, b, y


class TwoTestSets(Counts):
    """
    Scores of two models, each on a test set of its own, and the labels of both.

    arrays of shape (..., n_A) and (..., n_B)
        Scores of either model on its test set, larger for examples that are more likely positive.
    array of shape (n_A,)
        Labels of two classes, each at least twice.
    array of shape (n_B,)
        The same of the other test set.
    """

    names = ("scores", "labels")
    algorithms = (2,)

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """The method looks at the labels before it looks at the scores."""
        return tuple(given)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Refuse: a design tests both algorithms on the same examples."""
        asked.refuse(
            "is about two test sets, and a run has one for both: call its function in ef.infer"
        )

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Forty and thirty examples."""
        of_a = np.repeat([0, 1], 20)
        of_b = np.repeat([0, 1], 15)
        return (*(rng.normal(size=(*batch, len(y))) + y for y in (of_a, of_b)), of_a, of_b)


# The input of tests on examples left out one by one: their losses, and what leaving out one more
# changes.


_FEWEST = 4  # examples: fewer say nothing of how examples vary


@dataclass(frozen=True, slots=True)
class LeftOutLosses(Input):
    """
    Losses of models that did not see the example, and what one more left out changes.

    array of shape (..., n)
        Loss of B less loss of A (or of one algorithm alone) at each example, by models that did not
        see it.
    array of shape (..., n), by two halves of the models (..., 2, n)
        For each example, by how much the mean loss of all others changes if it is left out, too;
        see ``ef.run.left_out``.
    """

    halves: bool = False

    names = ("left-out", "changes")

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Four examples or more, and a change for each."""
        losses, changes = check_each(finite, names, given)
        if losses.ndim < 1 or losses.shape[-1] < _FEWEST:
            refuse(
                names[0],
                f"{names[0]} must be of shape (..., n) with n ≥ {_FEWEST} but got shape "
                f"{losses.shape}.",
            )
        wanted: tuple[int, ...] = losses.shape
        if self.halves:
            wanted = (*losses.shape[:-1], 2, losses.shape[-1])
        if changes.shape != wanted:
            refuse(
                names[1],
                f"{names[1]} must be of shape {wanted}, like {names[0]} but got shape "
                f"{changes.shape}.",
            )
        return losses, changes

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Nothing that was run says what leaving out one more example would change."""
        asked.refuse("takes what ef.run.left_out gives: call its function in ef.infer with that")

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Twenty examples."""
        losses = rng.normal(0.3, 1.0, size=(*batch, 20))
        changes = rng.normal(0.0, 0.01, size=(*batch, 1, 20)) + rng.normal(
            0.0, 0.002, size=(*batch, 2, 20)
        )
        return losses, changes if self.halves else changes[..., 0, :]


# The input of tests at nearly the full training size: runs of folds, and halvings of the same
# data.


HALVINGS = AllTested()


class FoldsAndHalvings(Input):
    """
    Losses of every example in runs of folds, and in halvings of the same data.

    array of shape (..., r, n)
        Loss of B less loss of A (or of one algorithm alone) at each example, in each of r runs of
        folds.
    array of shape (..., m, n)
        The same in m halvings of the same data, repetition by repetition; m ≥ 3.
    """

    closely = True
    joint = "means"
    names = ("folded", "tested")

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Runs and repetitions of the same four examples or more."""
        folds, halves = check_each(finite, names, given)
        least = HALVINGS.least
        if halves.ndim < 2 or halves.shape[-2] < least or halves.shape[-1] < 4:
            rule = f"of shape (..., m, n) with m ≥ {least} and n ≥ 4"
            refuse(names[1], f"{names[1]} must be {rule} but got shape {halves.shape}.")
        batch = halves.shape[:-2]
        n = halves.shape[-1]
        if (
            folds.ndim < 2
            or (folds.shape[:-2], folds.shape[-1]) != (batch, n)
            or not folds.shape[-2]
        ):
            shape = ", ".join(map(str, (*batch, "r", n)))
            refuse(
                names[0],
                f"{names[0]} must be of shape ({shape}), like {names[1]} but got shape "
                f"{folds.shape}.",
            )
        return folds, halves

    def suits(self, quantity: Quantity) -> bool:
        """Whatever gives something for every example."""
        return HALVINGS.suits(quantity)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Values in the order of the data: of the folds, and of the halvings."""
        return self.at_folds(asked), HALVINGS.read(at_stage(asked, "half"))[0]

    def at_folds(self, asked: Question) -> Floats:
        """Values of the runs of folds in the order of the data, (..., r, n)."""
        folds = at_stage(asked, "full")
        runs = len(np.unique(folds.partition.repetition))
        return HALVINGS.values_of(folds, runs=runs)

    def jointly(self, asked: Question) -> Floats:
        """The value of every example in the folds, which the estimate is the mean of."""
        return cast("Floats", self.at_folds(asked).mean(axis=-2))

    def optional_keywords(self, asked: Question) -> dict[str, Any]:
        """Sides, training size, groups, and whether 0 means that an example makes no difference."""
        sides = at_stage(asked, "half").sides()
        known = {"sides": sides, "n_train": asked.partition.n_train}
        return known | HALVINGS.optional_keywords(asked)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """One run of folds and the halvings of the influence test, 64 examples."""
        halves, _ = HALVINGS.example(rng, batch)
        return halves.mean(axis=-2, keepdims=True) + 0.3 * rng.normal(size=(*batch, 1, 64)), halves


def at_stage(asked: Question, stage: str) -> Question:
    """The same question of the folds alone, or of halvings: of all examples or half of them."""
    kind = KFOLD if stage == "full" else MX2_BCV
    return asked.on(stages(asked.partition)[stage], kind=kind)


def stages(partition: Partition) -> dict[str, slice]:
    """
    The splits of each training size, the smallest first.

    Models of a quarter of the examples, if they were run, leave examples over.
    """
    before = ~partition.about
    whole = partition.train_sizes + partition.test_sizes == partition.n
    halves = int(np.count_nonzero(before & whole))
    first = int(np.count_nonzero(before))
    both = {"half": slice(halves), "full": slice(first, None)}
    return {"quarter": slice(halves, first), **both} if first > halves else both

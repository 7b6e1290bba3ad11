"""Inputs that are values of single examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, ClassVar, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, refuse_value
from evenfold.core.estimate import Floats
from evenfold.core.losses import Quantity
from evenfold.core.partition import KFOLD, MX2_BCV, Partition
from evenfold.infer._arrays import (
    block_arrays,
    finite,
    mask,
    require_blocks,
    require_shape,
    require_splits,
)
from evenfold.infer.inputs._base import (
    Batch,
    Counts,
    Input,
    Question,
    Row,
    Setting,
    check_each,
    sides_of,
)


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

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two examples or more with a value."""
        if self.means:
            setting.require_plain_examples()
        setting.require_examples()
        require_splits(names[0], (setting.partition.n_test,))

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the examples of the one split."""
        return (question.rows()[0],)


def require_test_set(setting: Setting, name: str) -> None:
    """Refuse a test set of fewer than two examples, and examples that do not count alike."""
    setting.require_plain_examples()
    require_splits(name, (setting.partition.n_test,))


@dataclass(frozen=True, slots=True)
class Blocks(Input):
    """
    Losses in blocks, folds or sources, of at least ``smallest`` examples each.

    sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.
    """

    smallest: int = 2

    names = ("blocks",)

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two blocks or more."""
        return (block_arrays(names[0], arguments[0], smallest=self.smallest),)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two blocks or more, none too small, of examples without weights."""
        if setting.weighted:
            setting.refuse("has no weighted form", "Leave sample_weight out.")
        setting.require_plain_examples()
        self._require_sizes(names[0], setting.partition.test_sizes.tolist())

    def _require_sizes(self, name: str, sizes: Sequence[int]) -> None:
        require_blocks(name, [(size,) for size in sizes], smallest=self.smallest)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the examples, block by block."""
        return (question.rows(),)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return four blocks of unequal sizes."""
        return ([rng.normal(0.3, 1.0, size=(*batch, size)) for size in (7, 9, 8, 10)],)

    def values(self, data: tuple[Any, ...]) -> list[Floats]:
        """Return all blocks."""
        return list(data[0])

    def times(self, data: tuple[Any, ...], factor: float) -> tuple[Any, ...]:
        """Return the same blocks in other units."""
        return ([block * factor for block in data[0]],)


@dataclass(frozen=True, slots=True)
class BlockMeans(Blocks):
    """Blocks for methods that need only the mean of each, which every measure has."""

    smallest: int = 1

    joint = "splits"

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two blocks or more."""
        self._require_sizes(names[0], [1] * len(setting.partition))

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the hold-out values as blocks of one."""
        return (list(np.moveaxis(question.differences(), -1, 0)[..., None]),)


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

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require enough repetitions of four examples or more, with both halves of each used."""
        e = finite(names[0], arguments[0])
        self.require_shape(names[0], e.shape)
        first = mask(names[1], arguments[1], shape=e.shape[-2:])
        both = first.any(axis=1) & ~first.all(axis=1)
        if not both.all():
            rule = "true for some examples and false for others in every repetition"
            refuse(names[1], f"{names[1]} must be {rule} but got row {int(np.argmin(both))}.")
        return e, first

    def suits(self, quantity: Quantity) -> bool:
        """Whether the measure gives a value for every example."""
        return quantity.per_example != "none"

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require enough repetitions of four examples or more, each with a value."""
        self.require_repetitions(setting, len(setting.partition) // 2)
        setting.require_examples()
        self.require_shape(names[0], (len(setting.partition) // 2, setting.partition.n))

    def require_repetitions(self, setting: Setting, m: int) -> None:
        """Refuse fewer repetitions than it needs."""
        if m < self.least:
            setting.refuse(
                f"needs at least {self.least} repetitions but got {m}",
                f"Use ef.Mx2BCV({self.least}) or more.",
            )

    def require_shape(self, name: str, shape: tuple[int, ...]) -> None:
        """Refuse another shape than (..., m, n) with enough repetitions and four examples."""
        fits = len(shape) >= 2 and shape[-2] >= self.least and shape[-1] >= 4
        require_shape(name, shape, f"(..., m, n) with m ≥ {self.least} and n ≥ 4", fits=fits)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the values in the order of the data, repetition by repetition, and the sides."""
        return self.values_of(question), sides_of(question.partition)

    def values_of(self, question: Question, *, runs: int | None = None) -> Floats:
        """Return the values in the order of the data, for so many runs through them."""
        return question.in_order(question.rows(), runs=runs)

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return the groups, whether 0 means no difference, and whether one algorithm is alone."""
        plain = question.quantity.per_example == "values" and not question.weighted
        return {"clusters": question.losses.clusters, "zeros": plain, "alone": question.a is None}

    def jointly(self, question: Question) -> Floats:
        """Return the mean value of every example over the repetitions."""
        return cast("Floats", self.values_of(question).mean(axis=-2))

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return nine repetitions of 64 examples in sixteen blocks."""
        signs = [[(r & block).bit_count() % 2 == 0 for block in range(16)] for r in range(1, 10)]
        means = rng.normal(0.3, 1.0, size=(*batch, 1, 64))
        tested = means + 0.3 * rng.normal(size=(*batch, 9, 64))
        return tested, np.repeat(signs, 4, axis=1)


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

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require three folds or more, each of two examples or more."""
        L = finite(names[0], arguments[0])
        self._require_shape(names[0], L.shape)
        R, K, n = L.shape[-3:]
        try:
            folds = np.asarray(arguments[1])
        except ValueError:
            refuse_value(names[1], arguments[1], f"integers of shape {(R, n)}")
        if folds.shape != (R, n) or folds.dtype.kind not in "iu":
            refuse(
                names[1],
                f"{names[1]} must be integers of shape {(R, n)} but got {folds.dtype} of "
                f"shape {folds.shape}.",
            )
        sizes = (folds[:, None, :] == np.arange(K)[:, None]).sum(axis=-1)
        self._require_sizes(names[1], sizes, n)
        return L, folds

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require three folds or more, each of two examples or more, and a value for each."""
        setting.require_plain_examples()
        R, K = _runs_and_folds(setting.partition)
        self._require_shape(names[0], (R, K, setting.partition.n))
        self._require_sizes(
            names[1], setting.partition.test_sizes[: R * K].reshape(R, K), setting.partition.n
        )

    def _require_shape(self, name: str, shape: tuple[int, ...]) -> None:
        fits = len(shape) >= 3 and shape[-2] >= 3
        require_shape(name, shape, "(..., R, K, n) with K ≥ 3", fits=fits)

    def _require_sizes(self, name: str, sizes: NDArray[np.int64], n: int) -> None:
        """Refuse sizes (R, K) of folds of n examples."""
        if len(sizes) == 0 or sizes.sum() != len(sizes) * n or sizes.min() < 2:
            rule = f"0 to {sizes.shape[1] - 1}, each at least twice in every repetition"
            refuse(name, f"{name} must be {rule}, but got sizes {sizes.tolist()}.")

    def read(self, question: Question) -> tuple[Any, ...]:
        """Sort the outer splits, which come first, and those that leave out a pair of folds."""
        partition = question.partition
        d = question.rows()
        R, K = _runs_and_folds(partition)
        outer = R * K
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
                in_fold = folds[r, tested] == tested_fold
                losses[..., r, left_out, tested[in_fold]] = d[j][..., in_fold]
        return losses, folds

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return two repetitions of three folds of four examples."""
        folds = np.stack([rng.permutation(np.repeat(np.arange(3), 4)) for _ in range(2)])
        return rng.normal(0.3, 1.0, size=(*batch, 2, 3, 12)), folds


def _runs_and_folds(partition: Partition) -> tuple[int, int]:
    """Return the number of repetitions of nested folds, and of the folds of each."""
    R = int(partition.repetition.max()) + 1
    return R, int((partition.repetition < 0).sum()) // R


class Answers(Counts):
    """
    Right and wrong answers of k classifiers on one test set.

    array of shape (..., k, n2)
        1 where a classifier is right, 0 where it is wrong, or the other way round; k ≥ 2.
    """

    names = ("answers",)

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two classifiers or more, and zeros and ones only."""
        x = finite(names[0], arguments[0])
        self._require_shape(names[0], x.shape)
        strange = x[~np.isin(x, (0.0, 1.0))]
        if strange.size:
            refuse_value(names[0], float(strange[0]), "0 or 1")
        return (x,)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two classifiers or more, whose predictions are right or wrong."""
        setting.require_wrong_or_right()
        self._require_shape(names[0], (1 if setting.alone else 2, setting.partition.n_test))

    def _require_shape(self, name: str, shape: tuple[int, ...]) -> None:
        fits = len(shape) >= 2 and shape[-2] >= 2 and shape[-1] >= 1
        require_shape(name, shape, "(..., k, n2) with k ≥ 2", fits=fits)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the answers of all algorithms, whatever pair the question is about."""
        question.losses.require_complete()
        rows = question.losses.examples
        assert rows is not None  # what counts wrong predictions has a value per example
        return (np.stack([np.asarray(row[0], dtype=float) for row in rows], axis=-2),)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return the answers of three classifiers on forty examples."""
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
        """Return the area under the curve."""
        return ("auc",)

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Check nothing here: the method looks at the labels before it looks at the scores."""
        return tuple(arguments)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require the area under the curve."""
        if setting.quantity.per_example != "placements":
            setting.refuse(
                "is about the area under the ROC curve, but the measure is "
                f"{setting.quantity.name!r}"
            )

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return B − A of the placements, whose mean and variance stand for the area."""
        return (question.rows()[0],)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return forty examples, half of them positive."""
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

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Check nothing here: the method looks at the labels before it looks at the scores."""
        return tuple(arguments)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Refuse every design, because it tests both algorithms on the same examples."""
        setting.refuse(
            "compares algorithms on two test sets, but a run tests both on the same examples",
            "Call its function in ef.infer.",
        )

    def read(self, question: Question) -> NoReturn:
        """Raise an error, as no design has two test sets."""
        raise NotImplementedError

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return forty examples of A and thirty of B."""
        labels_a = np.repeat([0, 1], 20)
        labels_b = np.repeat([0, 1], 15)
        scores_a = rng.normal(size=(*batch, 40)) + labels_a
        scores_b = rng.normal(size=(*batch, 30)) + labels_b
        return scores_a, scores_b, labels_a, labels_b


_FEWEST = 4  # fewer examples do not show how examples vary


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

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require four examples or more, and a change for each."""
        losses, changes = check_each(finite, names, arguments)
        fits = losses.ndim >= 1 and losses.shape[-1] >= _FEWEST
        require_shape(names[0], losses.shape, f"(..., n) with n ≥ {_FEWEST}", fits=fits)
        wanted: tuple[int, ...] = losses.shape
        if self.halves:
            wanted = (*losses.shape[:-1], 2, losses.shape[-1])
        rule = f"{wanted}, like {names[0]}"
        require_shape(names[1], changes.shape, rule, fits=changes.shape == wanted)
        return losses, changes

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Refuse every design, because no run leaves out one more example."""
        setting.refuse(
            "takes what ef.run.left_out returns", "Pass that to its function in ef.infer."
        )

    def read(self, question: Question) -> NoReturn:
        """Raise an error, as no run leaves out one more example."""
        raise NotImplementedError

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return twenty examples."""
        losses = rng.normal(0.3, 1.0, size=(*batch, 20))
        changes = rng.normal(0.0, 0.01, size=(*batch, 1, 20)) + rng.normal(
            0.0, 0.002, size=(*batch, 2, 20)
        )
        return losses, changes if self.halves else changes[..., 0, :]


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

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require runs and repetitions of the same four examples or more."""
        folds, halves = check_each(finite, names, arguments)
        HALVINGS.require_shape(names[1], halves.shape)
        batch = halves.shape[:-2]
        n = halves.shape[-1]
        fits = folds.ndim >= 2 and (folds.shape[:-2], folds.shape[-1]) == (batch, n)
        rule = f"({', '.join(map(str, (*batch, 'r', n)))}), like {names[1]}"
        require_shape(names[0], folds.shape, rule, fits=fits and folds.shape[-2] > 0)
        return folds, halves

    def suits(self, quantity: Quantity) -> bool:
        """Whether the measure gives a value for every example."""
        return HALVINGS.suits(quantity)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require enough halvings of four examples or more, each with a value."""
        setting.require_examples()
        m = stages(setting.partition)["half"].stop // 2
        HALVINGS.require_repetitions(setting, m)
        HALVINGS.require_shape(names[1], (m, setting.partition.n))

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the values of the folds and of the halvings, in the order of the data."""
        return self.at_folds(question), HALVINGS.read(at_stage(question, "half"))[0]

    def at_folds(self, question: Question) -> Floats:
        """Return the values of the runs of folds in the order of the data, (..., r, n)."""
        folds = at_stage(question, "full")
        runs = len(np.unique(folds.partition.repetition))
        return HALVINGS.values_of(folds, runs=runs)

    def jointly(self, question: Question) -> Floats:
        """Return the value of every example in the folds, whose mean is the estimate."""
        return cast("Floats", self.at_folds(question).mean(axis=-2))

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return the sides, the training size and what the halvings say."""
        sides = sides_of(at_stage(question, "half").partition)
        known = {"sides": sides, "n_train": question.partition.n_train}
        return known | HALVINGS.optional_keywords(question)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return one run of folds and the halvings of the influence test, on 64 examples."""
        halves, _ = HALVINGS.example(rng, batch)
        return halves.mean(axis=-2, keepdims=True) + 0.3 * rng.normal(size=(*batch, 1, 64)), halves


def at_stage(question: Question, stage: str) -> Question:
    """Ask the same question of the folds alone ("full"), or of the halvings alone ("half")."""
    kind = KFOLD if stage == "full" else MX2_BCV
    return question.on(stages(question.partition)[stage], kind=kind)


def stages(partition: Partition) -> dict[str, slice]:
    """
    Return the splits of each training size, the smallest first.

    Splits that train on a quarter of the examples, if there are any, do not use all examples.
    """
    before = ~partition.about
    whole = partition.train_sizes + partition.test_sizes == partition.n
    halves = int(np.count_nonzero(before & whole))
    first = int(np.count_nonzero(before))
    both = {"half": slice(halves), "full": slice(first, None)}
    return {"quarter": slice(halves, first), **both} if first > halves else both

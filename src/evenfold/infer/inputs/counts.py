"""Inputs that are counts: of right and wrong predictions, of TP, FP and FN."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import position, refuse, refuse_value, short_repr
from evenfold.core.estimate import Floats
from evenfold.core.losses import Quantity
from evenfold.infer._arrays import (
    broadcast_arrays,
    counts,
    finite,
    mask,
    refuse_shape,
    repetitions,
    require_shape,
)
from evenfold.infer.inputs._base import Batch, Counts, Question, Setting, check_each, sides_of


def _fitting_counts(names: Sequence[str], values: Sequence[Any]) -> tuple[Floats, ...]:
    """Return whole numbers, broadcast to one shape."""
    arrays = check_each(counts, names, values)
    return tuple(broadcast_arrays(**dict(zip(names, arrays, strict=True))))


def _discordant(question: Question) -> tuple[Floats, Floats]:
    """
    Count on every split the examples that only B gets wrong, and those that only A gets wrong.

    Both counts are of shape ``(..., J)``. The methods count whatever they get, so with errors in
    place of right predictions their estimate is B − A in the units of the measure.
    """
    d = question.rows()
    more = [(row > 0).sum(axis=-1) for row in d]
    fewer = [(row < 0).sum(axis=-1) for row in d]
    return np.stack(more, axis=-1), np.stack(fewer, axis=-1)


class Discordant(Counts):
    """
    Examples that count for B only, and for A only.

    int or array of shape (...)
        Number of test points that A gets wrong and B right, and that A gets right and B wrong.
    """

    names = ("discordant",)
    algorithms = (2,)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two algorithms, whose predictions are right or wrong."""
        super().require(setting, names)
        setting.require_wrong_or_right()
        setting.require_plain_examples()

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require whole numbers of shapes that fit."""
        return _fitting_counts(names, arguments)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the errors of B alone and those of A alone, over all splits."""
        only_b, only_a = _discordant(question)
        return only_b.sum(axis=-1), only_a.sum(axis=-1)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return between 10 and 29 of each."""
        return tuple(rng.integers(10, 30, size=(2, *batch)))


class FlipCounts(Counts):
    """
    Answers that one model gets right and the other wrong, and how many there are in all.

    int or array of shape (...)
        Number of examples that A gets wrong and B right.
    int or array of shape (...)
        Number of examples that A gets right and B wrong.
    int or array of shape (...)
        Number of all examples, those included on which A and B agree.
    """

    names = ("fixed", "broke", "n")
    joint = "means"
    closely = True

    def suits(self, quantity: Quantity) -> bool:
        """Whether every answer is right or wrong, and all count alike."""
        return (
            quantity.right_or_wrong and quantity.per_example == "values" and not quantity.weighted
        )

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require answers that are right or wrong, and not too many of them."""
        if not setting.alone:
            if not setting.quantity.right_or_wrong:
                setting.refuse("needs answers that are right or wrong")
            _require_few(names[2], setting.partition.n_test)
        setting.require_plain_examples()

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require whole numbers of shapes that fit, and no more flips than examples."""
        fixed, broke, n = _fitting_counts(names, arguments)
        if (n < 1).any():
            refuse_value(names[2], n.min(), "at least 1")
        flips = fixed + broke
        if (flips > n).any():
            refuse(
                None,
                f"{names[0]} + {names[1]} must be at most {names[2]} but got "
                f"{short_repr(int(flips[flips > n][0]))}.",
            )
        _require_few(names[2], n.max(initial=0.0))
        return fixed, broke, n

    def read(self, question: Question) -> tuple[Any, ...]:
        """
        Count the examples that raise the value, those that lower it, and all.

        For an error, the broken examples come first.
        """
        d = question.rows()[0]
        return (d > 0).sum(axis=-1), (d < 0).sum(axis=-1), np.full(d.shape[:-1], d.shape[-1])

    def jointly(self, question: Question) -> Floats:
        """Return the differences of single answers, whose mean is δ."""
        return question.rows()[0]

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return some of each among two hundred."""
        fixed, broke = rng.integers(2, 20, size=(2, *batch))
        return fixed, broke, np.full(batch, 200)


@dataclass(frozen=True, slots=True)
class Tables(Discordant):
    """
    Examples that count for B only, and for A only, on each half of ``m`` repetitions.

    arrays of shape (..., 5, 2)
        On each half of a 5×2 BCV: test points that A gets wrong and B right, and that A gets right
        and B wrong.
    """

    m: int = 5

    names = ("tables",)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require right or wrong predictions of two algorithms in m repetitions."""
        Discordant.require(self, setting, names)
        setting.require_repetitions(self.m)

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require whole numbers, repetition by repetition."""
        tables = check_each(counts, names, arguments)
        fitting = check_each(partial(repetitions, exactly=self.m), names, tables)
        return tuple(broadcast_arrays(**dict(zip(names, fitting, strict=True))))

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the errors of B alone and those of A alone, half by half."""
        return tuple(flips.reshape(*flips.shape[:-1], -1, 2) for flips in _discordant(question))

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return between 5 and 19 of each."""
        return tuple(rng.integers(5, 20, size=(2, *batch, self.m, 2)))


class Correct(Counts):
    """
    Right predictions of each algorithm in each fold.

    arrays of shape (..., K)
        Number of right predictions of each algorithm in each fold, on the same folds.
    """

    names = ("correct",)
    algorithms: ClassVar[tuple[int, ...]] = (2,)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require as many algorithms as it is about, whose predictions are right or wrong."""
        super().require(setting, names)
        setting.require_wrong_or_right()

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require whole numbers; the method compares them with the sizes of the folds."""
        return check_each(counts, names, arguments)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the number of wrong predictions on every split."""
        question.require_complete()
        values = question.losses.values
        return tuple(
            np.rint(values[side][..., _own_splits(question, side)] * _own_sizes(question, side))
            for side in question.algorithms
        )

    def required_keywords(self, setting: Setting) -> dict[str, Any]:
        """Return the size of each fold, and the number of tested examples in all."""
        sizes = setting.partition.test_sizes
        return {"n_test": sizes, "n": int(sizes.sum())}

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return the sizes of the folds of A and of B, where the two have different folds."""
        if question.losses.absent is None or question.a is None:
            return {}
        return {
            "n_test": _own_sizes(question, question.a),
            "n_test_b": _own_sizes(question, question.b),
        }

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return counts of five folds of forty examples."""
        return tuple(rng.integers(20, 34, size=(*self.algorithms, *batch, 5)))


def _own_splits(question: Question, algorithm: int) -> NDArray[np.bool_]:
    """Say which splits an algorithm was tested on: all, unless each has folds of its own."""
    if question.losses.absent is None:
        return np.ones(len(question.partition), dtype=bool)
    present: NDArray[np.bool_] = ~question.losses.absent[algorithm]
    return present


def _own_sizes(question: Question, algorithm: int) -> NDArray[np.int64]:
    return question.partition.test_sizes[_own_splits(question, algorithm)]


class CorrectAlone(Correct):
    """
    Right predictions of one algorithm in each fold.

    array of shape (..., K)
        Number of right predictions in each fold; K = 1 for leave-one-out, with all right
        predictions.
    """

    algorithms: ClassVar[tuple[int, ...]] = (1,)


class CorrectInAll(Correct):
    """
    Right predictions of each algorithm in all folds together.

    int or arrays
        Number of right predictions of each algorithm.
    """

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require whole numbers of shapes that fit."""
        return _fitting_counts(names, arguments)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the number of wrong predictions on all splits together."""
        return tuple(side.sum(axis=-1) for side in Correct.read(self, question))

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return counts among a hundred."""
        return tuple(rng.integers(50, 90, size=(2, *batch)))


@dataclass(frozen=True, slots=True)
class ConfusionCounts(Counts):
    """
    TP, FP and FN of each algorithm, summed over all splits, behind the measure ``score``.

    arrays of shape (..., 3)
        (TP, FP, FN) of each algorithm, summed over all 2m halves of an m×2 design or over all
        folds; for chunks (named entities, words) they count chunks.
    """

    score: str

    names = ("confusion",)

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the name of the score."""
        return (self.score,)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require this score."""
        setting.require_score(self.score)

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require three counts ≥ 0 each, which need not be whole numbers."""
        return check_each(three_counts, names, arguments)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the summed counts of A and B, or of B alone."""
        question.require_complete()
        counted = question.losses.counts
        assert counted is not None  # a score has counts
        return tuple(np.sum(counted[side], axis=-2) for side in question.algorithms)

    def required_keywords(self, setting: Setting) -> dict[str, Any]:
        """Return how often a halving tests every example; folds test it once."""
        if setting.partition.kind.is_halving:
            return {"m": len(setting.partition) // 2}
        return {"m": None}

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return counts of some hundred examples."""
        return tuple(rng.integers(20, 200, size=(2, *batch, 3)))


@dataclass(frozen=True, slots=True)
class Outcomes(Counts):
    """
    TP, FP and FN of every example of an m×2 design, of each algorithm, and who was tested first.

    arrays of shape (..., m, n, 3)
        TP, FP, FN of every example (or unit: a sentence has several) in each of m ≥ 2 repetitions,
        for each algorithm; every example is tested once in each repetition.
    bool array of shape (m, n)
        Whether an example is tested by the first split of a repetition; the second tests the
        others.
    """

    score: str
    least: int = 2

    independent = True
    names = ("outcomes", "sides")

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the name of the score."""
        return (self.score,)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require this score, and several repetitions."""
        setting.require_score(self.score)
        if len(setting.partition) < 2 * self.least:
            setting.refuse(
                f"needs at least {self.least} repetitions", f"Use ef.Mx2BCV({self.least}) or more."
            )

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require counts ≥ 0, of one shape for all algorithms, which fits the sides."""
        sides = mask(names[-1], arguments[-1])
        if sides.shape[0] < self.least:
            rule = f"a bool array of shape (m, n) with m ≥ {self.least}"
            refuse_shape(names[-1], sides.shape, rule)
        arrays = check_each(partial(_outcomes, shape=sides.shape), names[:-1], arguments[:-1])
        if arrays[0].shape != arrays[-1].shape:
            refuse_value(
                names[-2], arrays[-1].shape, f"of the shape of {names[0]} {arrays[0].shape}"
            )
        return *arrays, sides

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the outcomes in the order of the data, of A and B, or of B alone."""
        question.require_complete()
        rows = question.losses.outcomes
        if rows is None:
            question.refuse(
                "needs the predictions of single examples, which these losses do not have"
            )
        tables = (question.in_order(rows[side], parts=3) for side in question.algorithms)
        return *tables, sides_of(question.partition)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return seven repetitions of 64 examples in eight blocks."""
        columns = np.array([[bin(i & j).count("1") % 2 for i in range(8)] for j in range(1, 8)])
        y = rng.random(64) < 0.4
        guesses = rng.random((2, *batch, 7, 64)) < np.where(y, 0.8, 0.2)
        outcomes = np.stack([y & guesses, ~y & guesses, y & ~guesses], axis=-1).astype(float)
        return *outcomes, columns.astype(bool).repeat(8, axis=1)


_MOST = 1e15  # floats count exactly up to 9e15


def three_counts(name: str, values: Any) -> Floats:
    """Check TP, FP and FN of shape (..., 3)."""
    array = finite(name, values)
    fits = array.ndim >= 1 and array.shape[-1] == 3
    require_shape(name, array.shape, "(..., 3): TP, FP, FN", fits=fits)
    _not_negative(name, array)
    if array.max(initial=0.0) > _MOST:
        refuse(name, f"{name} must be counts of at most {_MOST:g} but got {array.max():g}.")
    return array


_MOST_ANSWERS = 2e7  # the factorials of so many fit into memory


def _require_few(name: str, n: float) -> None:
    """Refuse more answers than an exact test can handle."""
    if n > _MOST_ANSWERS:
        refuse(
            name,
            f"{name} must be at most {_MOST_ANSWERS:,.0f} but got {n:,.0f}.",
            "Use paired_t, which is right for so many answers.",
        )


def _outcomes(name: str, values: Any, shape: tuple[int, ...]) -> Floats:
    array = finite(name, values)
    if array.ndim < 3 or array.shape[-3:] != (*shape, 3):
        refuse_value(name, array.shape, f"of shape (..., {shape[0]}, {shape[1]}, 3) like sides")
    _not_negative(name, array)
    return array


def _not_negative(name: str, array: Floats) -> None:
    if array.min(initial=0.0) < 0:
        where = position(array < 0)
        refuse(name, f"{name} must be ≥ 0 but got {array[where]:g} at position {where}.")

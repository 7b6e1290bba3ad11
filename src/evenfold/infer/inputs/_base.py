"""
What every input of a method can do.

An input checks itself, reads itself off losses, describes itself and makes examples of itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Floats
from evenfold.core.losses import WEIGHTED_MEAN, Losses, Quantity, differences, weighted_parts
from evenfold.core.partition import Kind, Partition
from evenfold.infer._arrays import require_splits, splits

Batch = tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Setting:
    """
    What is known of a question before anything is fitted.

    Attributes
    ----------
    method : str
        The method that is asked.
    partition : Partition
        Who trains and who is tested.
    quantity : Quantity
        What is measured.
    weighted : bool
        Whether examples have sample weights.
    alone : bool
        Whether one algorithm is estimated alone, not two compared.
    has_examples : bool
        Whether single test examples have values.
    """

    method: str
    partition: Partition
    quantity: Quantity
    weighted: bool
    alone: bool
    has_examples: bool

    def refuse(self, why: str, remedy: str = "") -> NoReturn:
        """Raise that the method does not apply: why, as the end of a sentence, and what to do."""
        message = f"method {self.method!r} {why}."
        raise NotApplicable(f"{message} {remedy}" if remedy else message)

    def require_examples(self) -> None:
        """Refuse measures without values of single examples."""
        if not self.has_examples:
            self._refuse_without_examples()

    def _refuse_without_examples(self) -> NoReturn:
        self.refuse(f"needs values per example, which measure {self.quantity.name!r} does not have")

    def require_plain_examples(self) -> None:
        """Refuse measures that are no plain mean of values of single examples."""
        if self.weighted:
            self.refuse("gives all examples the same weight", "Leave sample_weight out.")
        if not self.has_examples or self.quantity.per_example in ("placements", "outcomes"):
            self._refuse_without_examples()

    def require_wrong_or_right(self) -> None:
        """Refuse measures that do not count wrong predictions."""
        if not self.quantity.counts_wrong or self.weighted:
            remedy = ""
            if self.quantity.right_or_wrong and not self.weighted:
                remedy = (
                    "Pass measure='zero-one'; values without predictions are then 1 where a "
                    "prediction is wrong."
                )
            self.refuse(
                "counts right predictions, so that it needs the measure 'zero-one' without sample "
                "weights",
                remedy,
            )

    def require_repetitions(self, exactly: int | None) -> None:
        """Refuse a design of another number of repetitions, where a method is for one number."""
        m = len(self.partition) // 2
        if exactly not in (None, m):
            self.refuse(f"needs {exactly} repetitions but got {m}", f"Use ef.Mx2BCV({exactly}).")

    def require_range(self) -> None:
        """Refuse measures whose values have no end."""
        if not np.isfinite(self.quantity.width):
            self.refuse_without_range()

    def refuse_without_range(self) -> NoReturn:
        """Say that the measure has no range."""
        self.refuse(f"needs a measure with a range, which {self.quantity.name!r} does not have")

    def require_score(self, score: str) -> None:
        """Refuse other measures than ``score``, made of TP, FP and FN."""
        if self.quantity.name != score or self.quantity.per_example != "outcomes":
            self.refuse(f"needs the measure {score!r} but got {self.quantity.name!r}")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Question(Setting):
    """
    Two algorithms, or one alone where ``a`` is None, on the losses of one measure.

    A method asks it to get its arguments.
    """

    losses: Losses
    b: int
    a: int | None

    @classmethod
    def of(
        cls, losses: Losses, challenger: str | int, baseline: str | int | None, method: str
    ) -> Self:
        """Ask about two algorithms by name or place, or about one alone."""
        return cls(
            method=method,
            partition=losses.partition,
            quantity=losses.quantity,
            weighted=losses.weights is not None,
            alone=baseline is None,
            has_examples=losses.examples is not None or losses.score is not None,
            losses=losses,
            b=losses.index(challenger),
            a=None if baseline is None else losses.index(baseline),
        )

    def differences(self) -> Floats:
        """B − A on every split, or the value of B alone."""
        self.require_complete()
        values_b: Floats = self.losses.values[self.b]
        if self.a is None:
            return values_b
        return differences([values_b], [self.losses.values[self.a]])[0]

    def rows(self) -> list[Floats]:
        """B − A (or B alone) of what every test example is worth to the measure, split by split."""
        self.require_complete()
        rows_b = self._worth(self.b)
        if self.a is None:
            return rows_b
        return differences(rows_b, self._worth(self.a))

    @property
    def algorithms(self) -> list[int]:
        """A and B, or B alone."""
        if self.a is None:
            return [self.b]
        return [self.a, self.b]

    def require_complete(self) -> None:
        """Refuse losses of which some are missing."""
        self.losses.require_complete(*self.algorithms)

    def _worth(self, algorithm: int) -> list[Floats]:
        """
        Values of single examples.

        The values of a score hold to first order, at the sums over all these splits.
        """
        losses = self.losses
        if losses.outcomes is not None and losses.score is not None:
            return losses.score.values(losses.outcomes[algorithm])
        self.require_examples()
        assert losses.examples is not None
        values = [np.asarray(row, dtype=float) for row in losses.examples[algorithm]]
        # placements know their weights
        if losses.weights is None or losses.quantity.per_example == "placements":
            return values
        weights = (losses.weights[test] for test in self.partition.test)
        return WEIGHTED_MEAN.values(
            [weighted_parts(*pair) for pair in zip(values, weights, strict=True)]
        )

    def on(self, splits: slice, *, kind: Kind) -> "Question":
        """The same question of some splits in a row, which are a design of this kind."""
        return Question.of(self.losses.only(splits, kind=kind), self.b, self.a, self.method)

    def in_order(
        self, rows: Sequence[Floats], *, parts: int = 0, runs: int | None = None
    ) -> Floats:
        """
        Values of single examples in the order of the data: (..., m, n), or with parts.

        Every example is tested once in each of the m runs, those of an m×2 design if not said.
        """
        tail = (parts,) if parts else ()
        if runs is None:
            runs = len(self.partition) // 2
        batch = rows[0].shape[: rows[0].ndim - 1 - len(tail)]
        per_run = len(self.partition) // runs
        table: Floats = np.empty((*batch, runs, self.partition.n, *tail))
        for j, (test, row) in enumerate(zip(self.partition.test, rows, strict=True)):
            r = j // per_run
            table[(..., r, test, slice(None)) if parts else (..., r, test)] = row
        return table


def sides_of(partition: Partition) -> NDArray[np.bool_]:
    """Which examples the first split of each repetition tests, (m, n)."""
    sides = np.zeros((len(partition) // 2, partition.n), dtype=bool)
    for side, test in zip(sides, partition.test[::2], strict=True):
        side[test] = True
    return sides


def check_each(
    check: Callable[[str, Any], Floats], names: Sequence[str], values: Sequence[Any]
) -> tuple[Floats, ...]:
    """Return every argument as a checked array, or refuse it by its name."""
    return tuple(check(name, value) for name, value in zip(names, values, strict=True))


class Input(ABC):
    """
    One input of methods.

    Attributes
    ----------
    names : tuple of str
        What it is called, a word per argument that it fills.
    algorithms : tuple of int
        Whether it can be read off the losses of one algorithm, of two, or of both.
    joint : str
        Whose mean a statistic on it may be: "splits", "examples", "means" of them, or nothing.
    independent : bool
        Whether it treats examples as independent, so that groups are none of its business.
    closely : bool
        Whether it looks at single examples, and so says more than what looks at splits.
    of_ratios : bool
        Whether it is about measures that are said as ratios, such as times.
    sizes : tuple of tuple of int
        The shapes of the arrays of an example, where these are plain numbers.
    """

    names: ClassVar[tuple[str, ...]]
    algorithms: ClassVar[tuple[int, ...]] = (1, 2)
    joint: ClassVar[str] = ""
    independent: ClassVar[bool] = False
    closely: ClassVar[bool] = False
    of_ratios: ClassVar[bool] = False
    sizes: ClassVar[tuple[tuple[int, ...], ...]] = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that it is about, none where it does not matter."""
        return ()

    def suits(self, quantity: Quantity) -> bool:
        """Whether it can be read off the losses of a measure."""
        if self.of_ratios:
            return quantity.ratio
        return not self.measures or quantity.name in self.measures

    @abstractmethod
    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Return the arguments as checked arrays, or refuse them by these names."""

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Invent arguments for a test of a method, as many data sets as ``batch`` says."""
        return tuple(rng.normal(0.3, 1.0, size=(*batch, *size)) for size in self.sizes)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """
        Refuse a design or a measure that gives no such arguments, before anything is fitted.

        The arguments have these names in the method.
        """
        if setting.alone and 1 not in self.algorithms:
            setting.refuse("compares two algorithms but got only one")
        if not setting.alone and 2 not in self.algorithms:
            setting.refuse("is about one algorithm alone but got two")

    @abstractmethod
    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the arguments that answer a question about losses, which :meth:`require` knows."""

    def required_keywords(self, setting: Setting) -> dict[str, Any]:
        """Return what a design says of keywords that methods cannot do without."""
        partition = setting.partition
        return {
            "n_train": partition.n_train,
            "n_test": partition.n_test,
            "n_splits": len(partition),
            "m": len(partition) // 2,
            "n": partition.n,
        }

    def jointly(self, question: Question) -> Floats:
        """Return the values whose mean a statistic on it is, for tests of several pairs."""
        if self.joint == "examples":
            return question.rows()[0]
        return question.differences()

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return what the losses say of keywords that methods on this input may be given."""
        return {}

    def values(self, data: tuple[Any, ...]) -> list[Floats]:
        """Return the arrays that are in the measure's units, the rest being counts or labels."""
        return [
            array for array in data if isinstance(array, np.ndarray) and array.dtype == np.float64
        ]

    def times(self, data: tuple[Any, ...], factor: float) -> tuple[Any, ...]:
        """Return the same in other units."""
        numbers = {id(array) for array in self.values(data)}
        return tuple(array * factor if id(array) in numbers else array for array in data)

    def differ(self, data: tuple[Any, ...], noise: float) -> NDArray[np.bool_] | bool:
        """Where values of a data set differ by more than the share ``noise`` of their size."""
        return False


class Counts(Input):
    """An input without a unit."""

    def values(self, data: tuple[Any, ...]) -> list[Floats]:
        """Return nothing: counts have no unit."""
        return []


class Row(Input):
    """
    One number after the other, an array (..., J) with J ≥ 2.

    The numbers belong to splits, to examples or to times.
    """

    axes: ClassVar[tuple[int, ...]] = (-1,)
    sizes: ClassVar[tuple[tuple[int, ...], ...]] = ((40,),)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two splits or more."""
        require_splits(names[0], (len(setting.partition),))

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two numbers or more."""
        return (splits(names[0], arguments[0]),)

    def differ(self, data: tuple[Any, ...], noise: float) -> NDArray[np.bool_]:
        """Whether any two numbers differ."""
        d: Floats = data[0]
        spread: NDArray[np.bool_] = np.ptp(d, axis=self.axes) > noise * np.abs(d).max(
            axis=self.axes
        )
        return spread

"""
Inputs that tables of existing results give.

They are examples in clusters, in several runs, or in their order.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats
from evenfold.core.losses import Losses, Quantity
from evenfold.infer._arrays import finite, splits
from evenfold.infer.inputs._base import Batch, Counts, Input, Plan, Question, Row, check_each
from evenfold.infer.inputs.examples import require_test_set
from evenfold.infer.inputs.values import SplitDifferences, require_times, values_in_order
from evenfold.infer.tables.kernels import cluster_codes


class Clustered(Row):
    """
    Values on one test set, and the cluster of each example.

    array of shape (..., n)
        Value of B less value of A at each example.
    array of shape (n,)
        The cluster of each example: a document, a patient. G ≥ 2 of them.
    """

    names = ("losses", "clusters")

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Two clusters or more, numbered."""
        d = splits(names[0], given[0])
        return d, cluster_codes(names[1], given[1], d.shape[-1])

    def require(self, plan: Plan, names: Sequence[str]) -> None:
        """Examples that count alike."""
        plan.require_plain_examples()

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The examples of the one split, and their clusters."""
        return asked.rows()[0], asked.losses.clusters

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Forty examples in eight clusters."""
        return rng.normal(0.3, 1.0, size=(*batch, 40)), np.arange(40) % 8


class Crossed(Input):
    """
    Values of A and of B in several runs on the same examples.

    array of shape (..., S, n)
        Values of A in S ≥ 2 runs (seeds, samplings) on n examples.
    array of shape (..., S, n)
        Those of B on the same examples.
    """

    names = ("runs", "runs")
    sizes = ((5, 40), (5, 40))

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Two runs and two examples or more, as many examples of both."""
        a, b = check_each(self._table, names, given)
        if a.shape[-1] != b.shape[-1]:
            refuse(
                names[0],
                f"{names[0]} must be with the {b.shape[-1]} examples of {names[1]} but "
                f"got shape {a.shape}.",
            )
        return a, b

    def _table(self, name: str, values: Any) -> Floats:
        array = finite(name, values)
        if array.ndim < 2 or min(array.shape[-2:]) < 2:
            rule = "of shape (..., S, n) with S ≥ 2 runs and n ≥ 2 examples"
            refuse(name, f"{name} must be {rule} but got shape {array.shape}.")
        return array

    def require(self, plan: Plan, names: Sequence[str]) -> None:
        """Values of single examples."""
        plan.require_examples()

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The runs that each has; zeros for A where B stands alone."""
        rows = asked.losses.examples
        absent = asked.losses.absent
        assert rows is not None

        def runs(a: int) -> Floats:
            own = [one for s, one in enumerate(rows[a]) if absent is None or not absent[a, s]]
            return np.stack([np.asarray(one, dtype=float) for one in own])

        return _losses_of_both(asked, runs)

    def optional_keywords(self, asked: Question) -> dict[str, Any]:
        """Whether runs are paired, and the clusters."""
        return {"paired": _are_paired(asked), "clusters": asked.losses.clusters}


def value_range(losses: Losses) -> tuple[float, float] | None:
    """
    Return the range of single values.

    It is that of the measure, else 0 to 1 if all values of a table lie there.

    Of values without a measure nobody said where they end; None where they are no shares of 1
    either.
    """
    quantity = losses.quantity
    rows = losses.examples
    if np.isfinite(quantity.width):
        return quantity.low, quantity.high
    if rows is None:
        return None
    values = np.concatenate([np.ravel(one) for runs in rows for one in runs])
    if np.nanmin(values, initial=0.0) >= 0 and np.nanmax(values, initial=1.0) <= 1:
        return 0.0, 1.0
    return None


def _difference_range(plan: Plan, low: float, high: float) -> dict[str, float]:
    """The range of differences of single values, or of the values of one algorithm alone."""
    if plan.alone:
        return {"low": low, "high": high}
    return {"low": low - high, "high": high - low}


class _Graded(Counts):
    """Values of single examples that count alike, with the range of their differences."""

    def suits(self, quantity: Quantity) -> bool:
        """Values of single examples that count alike."""
        return quantity.per_example == "values" and not quantity.weighted and not quantity.ratio

    def required_keywords(self, plan: Plan) -> dict[str, Any]:
        """The range of the measure, which may have none."""
        return {"low": plan.quantity.low, "high": plan.quantity.high}

    def optional_keywords(self, asked: Question) -> dict[str, Any]:
        """The range of the measure's differences, or of the table's."""
        known = super().optional_keywords(asked)
        return known | self.range_of(asked, *_known_range(asked))

    def range_of(self, plan: Plan, low: float, high: float) -> dict[str, float]:
        """The range of what it reads, where single values lie between these ends."""
        return _difference_range(plan, low, high)


def _known_range(asked: Question) -> tuple[float, float]:
    ends = value_range(asked.losses)
    if ends is None:
        asked.refuse_without_range()
    return ends


class ClusteredInRange(_Graded, Clustered):
    """The same with the range of single differences."""

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Sixty graded differences in twelve clusters."""
        return rng.uniform(-0.5, 0.8, size=(*batch, 60)), np.arange(60) % 12


class CrossedInRange(_Graded, Crossed):
    """The same with the range of single values."""

    def range_of(self, plan: Plan, low: float, high: float) -> dict[str, float]:
        """The range of single values."""
        return {"low": low, "high": high}

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Graded answers of five runs on forty examples."""
        a = rng.uniform(0.0, 0.8, size=(*batch, 5, 40))
        return a, a + rng.uniform(-0.1, 0.2, size=a.shape)


class Seeds(Input):
    """
    One score per run of A and of B.

    array of shape (..., S)
        Scores of the runs of A, S ≥ 2.
    array of shape (..., S)
        Those of B; as many where runs are paired.
    """

    names = ("seeds", "seeds")
    sizes = ((6,), (6,))

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Two runs or more of each."""
        return check_each(splits, names, given)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The scores of the runs that each has; zeros for A where B stands alone."""
        values = asked.losses.values
        absent = asked.losses.absent
        return _losses_of_both(
            asked, lambda a: values[a] if absent is None else values[a][~absent[a]]
        )

    def optional_keywords(self, asked: Question) -> dict[str, Any]:
        """Whether runs are paired."""
        return {"paired": _are_paired(asked)}


def _losses_of_both(asked: Question, of: Callable[[int], Floats]) -> tuple[Floats, Floats]:
    asked.require_complete()
    b = of(asked.b)
    return (np.zeros_like(b) if asked.a is None else of(asked.a)), b


def _are_paired(asked: Question) -> bool:
    return asked.losses.absent is None or asked.a is None


class Bounded(Counts, Row):
    """
    Values on one test set in the order in which they came, with the range of single ones.

    array of shape (..., n)
        Value of B less value of A at each example, in order.
    """

    names = ("bounded",)

    def require(self, plan: Plan, names: Sequence[str]) -> None:
        """A measure with a range, of one test set or of windows."""
        plan.require_range()
        if plan.partition.kind.is_ordered:
            require_times(plan)
        else:
            require_test_set(plan, names[0])

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The examples of the one split, or of all windows in the order of time."""
        return (values_in_order(asked) if asked.partition.kind.is_ordered else asked.rows()[0],)

    def required_keywords(self, plan: Plan) -> dict[str, Any]:
        """The range of the measure, or of its differences."""
        return _difference_range(plan, plan.quantity.low, plan.quantity.high)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Sixty wins, ties and losses."""
        return (rng.choice([-1.0, 0.0, 1.0], p=[0.2, 0.4, 0.4], size=(*batch, 60)),)


class InRange(_Graded, Bounded):
    """
    Values on one test set, in any order, with the range of single ones.

    array of shape (..., n)
        Value of B less value of A at each example.
    """

    def require(self, plan: Plan, names: Sequence[str]) -> None:
        """Two examples or more that count alike."""
        require_test_set(plan, names[0])

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The examples of the one split."""
        return (asked.rows()[0],)


class FoldsInRange(Counts, SplitDifferences):
    """The same with the size of a fold and the range of single differences."""

    def suits(self, quantity: Quantity) -> bool:
        """A mean of single values in a known range."""
        return bool(np.isfinite(quantity.width)) and not quantity.ratio

    def require(self, plan: Plan, names: Sequence[str]) -> None:
        """A measure with a range, on two folds or more."""
        if plan.quantity.ratio:
            plan.refuse_without_range()
        plan.require_range()
        super().require(plan, names)

    def required_keywords(self, plan: Plan) -> dict[str, Any]:
        """The size of a fold, and the range of the measure's differences."""
        ends = _difference_range(plan, plan.quantity.low, plan.quantity.high)
        return {"n_test": plan.partition.n_test, **ends}

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Ten folds."""
        return (rng.uniform(-0.1, 0.3, size=(*batch, 10)),)


class TwoSamples(Seeds):
    """
    Values of A and of B, each on examples of its own.

    array of shape (..., n_A)
        Values of A, n_A ≥ 2.
    array of shape (..., n_B)
        Values of B.
    """

    names = ("values", "values")
    sizes = ((40,), (30,))
    algorithms = (2,)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The examples that each has."""
        rows = asked.losses.examples
        absent = asked.losses.absent
        if rows is None or absent is None or asked.a is None:
            asked.refuse("needs values of two models, each on examples of its own")
        own = [(rows[one], int((~absent[one]).argmax())) for one in asked.algorithms]
        return tuple(np.asarray(runs[split], dtype=float) for runs, split in own)

    def optional_keywords(self, asked: Question) -> dict[str, Any]:
        """Nothing."""
        return {}


class RightOfTwo(Counts, TwoSamples):
    """
    Right and wrong answers of A and of B, each on examples of its own.

    array of shape (..., n_A)
        1 where A is right and 0 where it is wrong, n_A ≥ 2.
    array of shape (..., n_B)
        The same of B.
    """

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Forty and thirty examples."""
        return tuple(
            (rng.random((*batch, n)) < share).astype(float) for n, share in ((40, 0.5), (30, 0.8))
        )


class Labelled(Input):
    """
    Labels of some examples, and a judge's scores of all, those with labels first.

    array of shape (..., n)
        Labels of n ≥ 2 examples: of B less those of A, or of one model.
    array of shape (..., n + N)
        Scores of the same examples and of N ≥ 2 further ones.
    """

    names = ("labels", "scores")

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Two labels or more, and two scores beyond them."""
        labels = splits(names[0], given[0])
        scores = splits(names[1], given[1])
        if scores.shape[-1] < labels.shape[-1] + 2 or scores.shape[:-1] != labels.shape[:-1]:
            rule = f"of shape (..., n + N) with n = {labels.shape[-1]} as {names[0]} and N ≥ 2"
            refuse(names[1], f"{names[1]} must be {rule} but got shape {scores.shape}.")
        return labels, scores

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Labels and scores of B less those of A, as the table has them."""
        rows = asked.losses.outcomes
        if rows is None:
            asked.refuse("needs labels and scores")
        columns = np.asarray(rows[asked.b][0], dtype=float)
        if asked.a is not None:
            columns = columns - np.asarray(rows[asked.a][0], dtype=float)
        there = ~np.isnan(columns[:, 0])
        return columns[there, 0], columns[:, 1]

    def optional_keywords(self, asked: Question) -> dict[str, Any]:
        """The clusters."""
        return {"clusters": asked.losses.clusters}

    def differ(self, data: tuple[Any, ...], noise: float) -> Any:
        """Whether any two labels differ."""
        labels: Floats = data[0]
        return np.ptp(labels, axis=-1) > noise * np.abs(labels).max(axis=-1)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Thirty labels, and scores of a hundred examples that know something of them."""
        truth = rng.normal(0.3, 1.0, size=(*batch, 100))
        return truth[..., :30], truth + rng.normal(0.2, 0.7, size=(*batch, 100))

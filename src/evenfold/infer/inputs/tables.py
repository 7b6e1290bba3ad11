"""
Inputs that tables of existing results give.

They are examples in clusters, in several runs, or in their order.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats
from evenfold.core.losses import Losses, Quantity
from evenfold.infer._arrays import require_shape, sized, splits
from evenfold.infer.inputs._base import Batch, Counts, Input, Question, Row, Setting, check_each
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

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two clusters or more, and number them."""
        d = splits(names[0], arguments[0])
        return d, cluster_codes(names[1], arguments[1], d.shape[-1])

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require examples that count alike."""
        setting.require_plain_examples()

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the examples of the one split, and their clusters."""
        return question.rows()[0], question.losses.clusters

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return forty examples in eight clusters."""
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

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two runs and two examples or more, and the same number of examples of both."""
        rule = "(..., S, n) with S ≥ 2 runs and n ≥ 2 examples"
        a, b = check_each(partial(sized, rule=rule, axes=2, batch=True), names, arguments)
        if a.shape[-1] != b.shape[-1]:
            refuse(
                names[0],
                f"{names[0]} must have the {b.shape[-1]} examples of {names[1]} but "
                f"got shape {a.shape}.",
            )
        return a, b

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require values of single examples."""
        setting.require_examples()

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the runs that each has, with zeros for A where B stands alone."""
        rows = question.losses.examples
        absent = question.losses.absent
        assert rows is not None

        def runs(a: int) -> Floats:
            present = [row for s, row in enumerate(rows[a]) if absent is None or not absent[a, s]]
            return np.stack([np.asarray(row, dtype=float) for row in present])

        return _losses_of_both(question, runs)

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return whether runs are paired, and the clusters."""
        return {"paired": _are_paired(question), "clusters": question.losses.clusters}


def value_range(losses: Losses) -> tuple[float, float] | None:
    """
    Return the range of single values.

    This is the range of the measure if that has one. Otherwise it is 0 to 1 if all values lie
    there, and None if they do not.
    """
    quantity = losses.quantity
    rows = losses.examples
    if np.isfinite(quantity.width):
        return quantity.low, quantity.high
    if rows is None:
        return None
    values = np.concatenate([np.ravel(row) for runs in rows for row in runs])
    if np.nanmin(values, initial=0.0) >= 0 and np.nanmax(values, initial=1.0) <= 1:
        return 0.0, 1.0
    return None


def _difference_range(setting: Setting, low: float, high: float) -> dict[str, float]:
    """Return the range of single differences, or of the values of one algorithm alone."""
    if setting.alone:
        return {"low": low, "high": high}
    return {"low": low - high, "high": high - low}


class _Graded(Counts):
    """Values of single examples that count alike, with the range of their differences."""

    def suits(self, quantity: Quantity) -> bool:
        """Whether the measure gives values of single examples that count alike."""
        return quantity.per_example == "values" and not quantity.weighted and not quantity.ratio

    def required_keywords(self, setting: Setting) -> dict[str, Any]:
        """Return the range of the measure, which may be infinite."""
        return {"low": setting.quantity.low, "high": setting.quantity.high}

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return the range of the differences of the measure, or of the table."""
        known = super().optional_keywords(question)
        ends = value_range(question.losses)
        if ends is None:
            question.refuse_without_range()
        return known | self.range_of(question, *ends)

    def range_of(self, setting: Setting, low: float, high: float) -> dict[str, float]:
        """Return the range of what it reads, where single values lie between these ends."""
        return _difference_range(setting, low, high)


class ClusteredInRange(_Graded, Clustered):
    """Values on one test set in clusters, with the range of single differences."""

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return sixty graded differences in twelve clusters."""
        return rng.uniform(-0.5, 0.8, size=(*batch, 60)), np.arange(60) % 12


class CrossedInRange(_Graded, Crossed):
    """Values of A and of B in several runs, with the range of single values."""

    def range_of(self, setting: Setting, low: float, high: float) -> dict[str, float]:
        """Return the range of single values."""
        return {"low": low, "high": high}

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return graded answers of five runs on forty examples."""
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

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two runs or more of each."""
        return check_each(splits, names, arguments)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the scores of the runs that each has, with zeros for A where B stands alone."""
        values = question.losses.values
        absent = question.losses.absent
        return _losses_of_both(
            question, lambda a: values[a] if absent is None else values[a][~absent[a]]
        )

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return whether runs are paired."""
        return {"paired": _are_paired(question)}


def _losses_of_both(
    question: Question, values_of: Callable[[int], Floats]
) -> tuple[Floats, Floats]:
    question.require_complete()
    b = values_of(question.b)
    if question.a is None:
        return np.zeros_like(b), b
    return values_of(question.a), b


def _are_paired(question: Question) -> bool:
    return question.losses.absent is None or question.a is None


class Bounded(Counts, Row):
    """
    Values on one test set in the order in which they came, with the range of single ones.

    array of shape (..., n)
        Value of B less value of A at each example, in order.
    """

    names = ("bounded",)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require a measure with a range, on one test set or on windows of time."""
        setting.require_range()
        if setting.partition.kind.is_ordered:
            require_times(setting)
        else:
            require_test_set(setting, names[0])

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the examples of the one split, or of all windows in the order of time."""
        if question.partition.kind.is_ordered:
            return (values_in_order(question),)
        return (question.rows()[0],)

    def required_keywords(self, setting: Setting) -> dict[str, Any]:
        """Return the range of the measure, or of its differences."""
        return _difference_range(setting, setting.quantity.low, setting.quantity.high)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return sixty wins, ties and losses."""
        return (rng.choice([-1.0, 0.0, 1.0], p=[0.2, 0.4, 0.4], size=(*batch, 60)),)


class InRange(_Graded, Bounded):
    """
    Values on one test set, in any order, with the range of single ones.

    array of shape (..., n)
        Value of B less value of A at each example.
    """

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two examples or more that count alike."""
        require_test_set(setting, names[0])

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the examples of the one split."""
        return (question.rows()[0],)


class FoldsInRange(Counts, SplitDifferences):
    """Differences on folds, with the size of a fold and the range of single differences."""

    def suits(self, quantity: Quantity) -> bool:
        """Whether the measure is a mean of single values in a known range."""
        return bool(np.isfinite(quantity.width)) and not quantity.ratio

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require a measure with a range, on two folds or more."""
        if setting.quantity.ratio:
            setting.refuse_without_range()
        setting.require_range()
        super().require(setting, names)

    def required_keywords(self, setting: Setting) -> dict[str, Any]:
        """Return the size of a fold, and the range of the measure's differences."""
        ends = _difference_range(setting, setting.quantity.low, setting.quantity.high)
        return {"n_test": setting.partition.n_test, **ends}

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return the differences of ten folds."""
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

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the examples that each has."""
        rows = question.losses.examples
        absent = question.losses.absent
        if rows is None or absent is None or question.a is None:
            question.refuse("needs values of two models, each on examples of its own")
        values = []
        for algorithm in question.algorithms:
            split = int((~absent[algorithm]).argmax())
            values.append(np.asarray(rows[algorithm][split], dtype=float))
        return tuple(values)

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return nothing, as the two have no runs in common."""
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
        """Return forty examples of A and thirty of B."""
        a = rng.random((*batch, 40)) < 0.5
        b = rng.random((*batch, 30)) < 0.8
        return a.astype(float), b.astype(float)


class Labelled(Input):
    """
    Labels of some examples, and a judge's scores of all, those with labels first.

    array of shape (..., n)
        Labels of n ≥ 2 examples: of B less those of A, or of one model.
    array of shape (..., n + N)
        Scores of the same examples and of N ≥ 2 further ones.
    """

    names = ("labels", "scores")

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two labels or more, and two scores beyond them."""
        labels = splits(names[0], arguments[0])
        scores = splits(names[1], arguments[1])
        n = labels.shape[-1]
        fits = scores.shape[-1] >= n + 2 and scores.shape[:-1] == labels.shape[:-1]
        rule = f"(..., n + N) with n = {n} as {names[0]} and N ≥ 2"
        require_shape(names[1], scores.shape, rule, fits=fits)
        return labels, scores

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the labels and scores of B less those of A, as the table has them."""
        rows = question.losses.outcomes
        if rows is None:
            question.refuse("needs labels and scores")
        columns = np.asarray(rows[question.b][0], dtype=float)
        if question.a is not None:
            columns = columns - np.asarray(rows[question.a][0], dtype=float)
        labelled = ~np.isnan(columns[:, 0])
        return columns[labelled, 0], columns[:, 1]

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return the clusters."""
        return {"clusters": question.losses.clusters}

    def differ(self, data: tuple[Any, ...], noise: float) -> Any:
        """Whether any two labels differ."""
        labels: Floats = data[0]
        return np.ptp(labels, axis=-1) > noise * np.abs(labels).max(axis=-1)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return thirty labels, and a hundred scores that are correlated with them."""
        truth = rng.normal(0.3, 1.0, size=(*batch, 100))
        return truth[..., :30], truth + rng.normal(0.2, 0.7, size=(*batch, 100))

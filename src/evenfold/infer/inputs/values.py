"""Inputs that are hold-out values: one number per split."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats
from evenfold.core.partition import Partition
from evenfold.infer._arrays import (
    counts,
    finite,
    refuse_shape,
    repetitions,
    require_repetitions,
    require_shape,
    require_splits,
    splits,
)
from evenfold.infer.inputs._base import Batch, Input, Question, Row, Setting, check_each


class SplitDifferences(Row):
    """
    Differences on J splits, folds or whatever is left out at a time.

    array of shape (..., J)
        Differences B − A on the test part of each split or fold.
    """

    names = ("splits",)
    joint = "splits"
    sizes = ((6,),)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return one value per split."""
        return (question.differences(),)


class Costs(SplitDifferences):
    """
    Logarithms of ratios of times or sizes, one for each split that both were fitted on.

    array of shape (..., J)
        Logarithms of the ratio B / A, one for each of J fits.
    """

    of_ratios = True

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require a measure that is given as a ratio, on two splits or more."""
        if not setting.quantity.ratio:
            setting.refuse(f"is about times and sizes, not measure {setting.quantity.name!r}")
        require_splits(names[0], (int(setting.partition.about.sum()),))

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return one value per split that the answer is about."""
        return (question.differences()[..., question.partition.about],)


@dataclass(frozen=True, slots=True)
class Repetitions(Row):
    """
    Differences on the two halves of m repetitions, any number of them or ``exactly`` so many.

    array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    """

    exactly: int | None = None

    axes = (-2, -1)
    names = ("repetitions",)
    joint = "splits"

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two repetitions or more."""
        setting.require_repetitions(self.exactly)
        require_repetitions(
            names[0], (self.repetitions(setting.partition), 2), exactly=self.exactly
        )

    def repetitions(self, partition: Partition) -> int:
        """Return how many repetitions a design has."""
        return len(partition) // 2

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two repetitions or more."""
        return (repetitions(names[0], arguments[0], exactly=self.exactly),)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the values of an m×2 design."""
        d = question.differences()
        return (d.reshape(*d.shape[:-1], -1, 2),)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return five repetitions, or exactly as many as there must be."""
        return (rng.normal(0.3, 1.0, size=(*batch, self.exactly or 5, 2)),)


@dataclass(frozen=True, slots=True)
class FoldedHalves(Repetitions):
    """
    Differences of the two halves of m halvings, each by cross-validation inside the half.

    array of shape (..., m, 2)
        Differences B − A, halving by halving: the mean over the folds of the first half, and over
        those of the second.
    """

    names = ("halves",)
    joint = ""

    def repetitions(self, partition: Partition) -> int:
        """Return how many halvings a design has."""
        return int(partition.repetition.max()) + 1

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the mean over the folds of each half."""
        d = question.differences()
        m = self.repetitions(question.partition)
        return (d.reshape(*d.shape[:-1], m, 2, -1).mean(axis=-1),)


class WithReruns(Input):
    """
    Differences on J splits, and the means of R more runs of the whole procedure.

    array of shape (..., J)
        Differences B − A on the test part of each split.
    array of shape (..., R)
        Means over J other splits, from R more runs: (R+1)J fits of each algorithm in all.
    """

    names = ("splits", "reruns")
    sizes = ((6,), (7,))

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require one split or more and two reruns or more, of the same batch."""
        d = splits(names[0], arguments[0], low=1)
        reruns = splits(names[1], arguments[1])
        return d, _same_batch(names[1], reruns, 1, d)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require one split or more and two reruns or more."""
        J = int(setting.partition.about.sum())
        require_splits(names[0], (J,), low=1)
        require_splits(names[1], (len(setting.partition) // J - 1,))

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the J values of the run that the answer is about, and the mean of each rerun."""
        d = question.differences()
        about = question.partition.about
        again = d[..., ~about].reshape(*d.shape[:-1], -1, int(about.sum()))
        return d[..., about], again.mean(axis=-1)


class WithHalvings(Input):
    """
    Differences on J splits of the data, and means of J splits inside the halves of M halvings.

    array of shape (..., J)
        Differences B − A on the test part of each split of all data.
    array of shape (..., M, 2)
        Means of J splits inside the two halves of M random halvings.
    """

    names = ("splits", "halves")
    sizes = ((6,), (4, 2))

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require one split or more and one halving or more, of the same batch."""
        d = splits(names[0], arguments[0], low=1)
        halves = repetitions(names[1], arguments[1], low=1)
        return d, _same_batch(names[1], halves, 2, d)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require splits of all data and one halving or more."""
        repetition = setting.partition.repetition
        if (repetition >= 0).all():
            setting.refuse(
                "needs splits of the whole data beside the halvings",
                "Use ef.design.NestedRLT.",
            )
        require_repetitions(names[1], (int(repetition.max()) + 1, 2), low=1)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return J values on all data, and the mean over J splits in each half of M halvings."""
        repetition = question.partition.repetition
        d = question.differences()
        inside = repetition >= 0
        halvings = int(repetition.max()) + 1
        halves = d[..., inside].reshape(*d.shape[:-1], halvings, 2, -1)
        return d[..., ~inside], halves.mean(axis=-1)


def _same_batch(name: str, array: Floats, axes: int, d: Floats) -> Floats:
    batch = array.shape[: array.ndim - axes]
    if batch != d.shape[:-1]:
        refuse(
            None,
            f"batch shape of {name} must be {d.shape[:-1]}, that of the splits, but got {batch}.",
        )
    return array


class BootstrapRuns(Input):
    """
    Losses of B bootstrap models on all examples, of the models of all data, and who was drawn.

    array of shape (..., B, n)
        Differences B − A of the losses of the models of each bootstrap sample; those of examples in
        the sample are not looked at.
    array of shape (..., n)
        The same of the models of all examples, on these.
    int array of shape (B, n)
        How often each example is in each sample; every one is out of some.
    """

    names = ("out-of-bag", "apparent", "counts")

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require shapes that fit, and every example left out at least once."""
        drawn = counts(names[-1], arguments[-1])
        self._require_draws(names[-1], drawn)
        losses, apparent = check_each(finite, names[:2], arguments[:2])
        B, n = drawn.shape
        fits = losses.shape[-2:] == drawn.shape
        require_shape(names[0], losses.shape, f"(..., {B}, {n})", fits=fits)
        wanted = (*losses.shape[:-2], n)
        require_shape(names[1], apparent.shape, f"{wanted}", fits=apparent.shape == wanted)
        return losses, apparent, drawn.astype(np.int64)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require examples that count alike, each left out at least once."""
        setting.require_plain_examples()
        self._require_draws(names[-1], _draws_of(setting.partition))

    def _require_draws(self, name: str, drawn: NDArray[Any]) -> None:
        """Refuse counts that are not of several samples, and examples that are in all of them."""
        if drawn.ndim != 2 or min(drawn.shape) < 2 or drawn.max() > drawn.shape[1]:
            rule = "counts up to n of shape (B, n), both at least 2"
            refuse_shape(name, drawn.shape, rule)
        always_drawn = (drawn > 0).all(axis=0)
        if always_drawn.any():
            refuse(
                name,
                f"{name} must leave every example out of at least one sample, but the example at "
                f"position {int(always_drawn.argmax())} is in all of them.",
                "Draw more samples.",
            )

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the losses outside each sample, the losses of the last split, and the draws."""
        *outside, apparent = question.rows()
        n = question.partition.n
        losses = np.zeros((*apparent.shape[:-1], len(outside), n))
        for b, row in enumerate(outside):
            losses[..., b, question.partition.test[b]] = row
        return losses, apparent, _draws_of(question.partition)

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Return forty samples of twelve examples."""
        drawn = rng.multinomial(12, np.full(12, 1 / 12), size=40)
        losses = rng.normal(0.3, 1.0, size=(*batch, 40, 12))
        apparent = rng.normal(0.2, 1.0, size=(*batch, 12))
        return losses, apparent, drawn.astype(np.int64)


def _draws_of(partition: Partition) -> NDArray[np.int64]:
    """Count how often each example is in each sample, (B, n); the last split is no sample."""
    samples = partition.train[: len(partition) - 1]
    return np.stack([np.bincount(train, minlength=partition.n) for train in samples])


# Inputs that are values in the order of time: of a pair along a path, or of all forecasters.


class AlongPath(Row):
    """
    Differences in the order of time, one per time.

    array of shape (..., T)
        Loss of B less loss of A at each time, in order.
    """

    names = ("path",)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two times or more."""
        require_times(setting)

    def required_keywords(self, setting: Setting) -> dict[str, Any]:
        """Return the length of the path, and how far ahead the design tests."""
        partition = setting.partition
        return {"T": path_length(partition), "horizon": horizon_of(partition)}

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return one value per window, or per time of forecasts that exist already."""
        return (values_in_order(question),)

    def optional_keywords(self, question: Question) -> dict[str, Any]:
        """Return how far ahead the design tests."""
        return {"horizon": horizon_of(question.partition)}


class AllAlongPath(AlongPath):
    """
    Losses of k forecasters in the order of time.

    array of shape (..., k, T)
        Loss of each of k ≥ 2 forecasters at each time, lower is better.
    """

    names = ("paths",)
    sizes = ((3, 40),)

    def check(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Require two forecasters or more and two times or more."""
        x = finite(names[0], arguments[0])
        self._require_shape(names[0], x.shape)
        return (x,)

    def require(self, setting: Setting, names: Sequence[str]) -> None:
        """Require two forecasters or more and two times or more."""
        require_times(setting)
        self._require_shape(names[0], (1 if setting.alone else 2, path_length(setting.partition)))

    def _require_shape(self, name: str, shape: tuple[int, ...]) -> None:
        fits = len(shape) >= 2 and min(shape[-2:]) >= 2
        require_shape(name, shape, "(..., k, T) with k ≥ 2 and T ≥ 2", fits=fits)

    def read(self, question: Question) -> tuple[Any, ...]:
        """Return the losses of all algorithms; scores change their sign to become losses."""
        losses = question.losses
        losses.require_complete()
        paths = [
            values_in_order(Question.of(losses, b, None, question.method))
            for b in range(len(losses.algorithms))
        ]
        sign = 1.0 if losses.lower_is_better else -1.0
        return (np.stack(paths, axis=-2) * sign,)


def values_in_order(question: Question) -> Floats:
    """
    Return B − A, or B alone, in the order of time, (..., T).

    There is one value per window, or per time if the forecasts exist already. The times of one
    window share a model and the surprises since it was trained, and those of different windows do
    not. Windows without a gap are therefore uncorrelated if the forecasts are optimal.
    """
    if len(question.partition) == 1:
        return differences_by_time(question)
    return question.differences()


def path_length(partition: Partition) -> int:
    """Return the number of values along a path: one per window, or per time of a single window."""
    if len(partition) == 1:
        return tested_times(partition)
    return len(partition)


def require_times(setting: Setting) -> None:
    """Refuse a path of fewer than two values."""
    if len(setting.partition) == 1:
        setting.require_plain_examples()
    if path_length(setting.partition) < 2:
        setting.refuse("needs two windows or more", "Use shorter windows.")


def differences_by_time(question: Question) -> Floats:
    """Return B − A at each tested time in order: the mean over the examples of that time."""
    when = np.concatenate([times_of(question.partition)[test] for test in question.partition.test])
    values = np.concatenate(question.rows(), axis=-1)
    order = np.argsort(when, kind="stable")
    starts = np.flatnonzero(np.diff(when[order], prepend=-1))
    return np.add.reduceat(values[..., order], starts, axis=-1) / np.diff(starts, append=len(when))


def horizon_of(partition: Partition) -> int:
    """Return how many times ahead forecasts are, or how many windows if there are several."""
    cut = partition.cut
    if len(partition) == 1:
        return int(getattr(cut, "horizon", 1))
    ahead = getattr(cut, "windows_ahead", None)  # known of scores that exist already
    if ahead is not None:
        return int(ahead)
    when = times_of(partition)
    ends = np.array([(when[train].max(), when[test].max()) for train, test in partition])
    return -(-int((ends[:, 1] - ends[:, 0]).max()) // int(np.diff(ends[:, 1]).min()))


def times_of(partition: Partition) -> NDArray[np.intp]:
    """Return the number of the time of every example, or its place if there are no times."""
    return getattr(partition.cut, "times", np.arange(partition.n))


def tested_times(partition: Partition) -> int:
    """Count the times that are tested."""
    when = times_of(partition)
    return len(np.unique(np.concatenate([when[test] for test in partition.test])))

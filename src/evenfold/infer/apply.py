"""From the losses of a run to an estimate: feed a method what its registry entry asks for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import fraction, one_of, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Estimate, Floats
from evenfold.core.losses import Losses
from evenfold.core.partition import Partition
from evenfold.infer._inputs import of_losses
from evenfold.infer._registry import Method, select
from evenfold.infer.bayes import score_posterior
from evenfold.infer.delong import delong_from_values
from evenfold.infer.score_influence import influence_score
from evenfold.infer.sequential import SequentialTest, mx2_sequential_t

# The one table: which method a design gets when none is asked for.
_RECOMMENDED = {
    "mx2-bcv": "mx2-t",
    "mx2": "mx2-t",
    "rlt": "corrected-resampled-t",
    "brlt": "corrected-resampled-t",
    "kfold": "corrected-kfold-t",
    "loo": "corrected-kfold-t",
    "holdout": "holdout-t",
    "sources": "sources-new-t",
    "nested-rlt": "conservative-z",
    "nested-kfold": "nested-cv",
}
_SCORES = ("precision", "recall", "f1")


def recommended(design: str, *, measure: str = "zero-one") -> str:
    """
    Return the key of the method that a design gets when none is asked for.

    Parameters
    ----------
    design : str
        The ``kind`` of a partition.
    measure : str
        Name of the measure; precision, recall and F1 on an m×2 BCV have their own methods, and so has the
        area under the ROC curve on one split.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.recommended("kfold"), ef.infer.recommended("mx2-bcv", measure="f1")
    ('corrected-kfold-t', 'influence-f1')
    """
    one_of("design", design, _RECOMMENDED)
    if not isinstance(measure, str):
        refuse("measure", "the name of a measure", measure)
    if design == "holdout" and measure == "auc":
        return "delong"
    return f"influence-{measure}" if design == "mx2-bcv" and measure in _SCORES else _RECOMMENDED[design]


@dataclass(frozen=True, eq=False, slots=True)
class _Question:
    """Two algorithms, or one alone, on the losses of one measure."""

    losses: Losses
    method: Method
    b: int
    a: int | None

    def differences(self) -> Floats:
        """B − A on every split, or the value of B alone."""
        self.losses.require_complete(self.b, *(() if self.a is None else (self.a,)))
        own: Floats = self.losses.values[self.b]
        return own if self.a is None else own - self.losses.values[self.a]

    def repetitions(self) -> Floats:
        """The differences of an m×2 design, ``(..., m, 2)``."""
        d = self.differences()
        return d.reshape(*d.shape[:-1], -1, 2)

    def examples(self) -> list[Floats]:
        """B − A (or B alone) on every test example, split by split."""
        self.differences()
        rows = self.losses.examples
        if self.losses.weights is not None:
            self.refuse("weighs all examples alike: it needs losses without sample weights")
        if rows is None or (self.losses.measure == "auc") != (self.method.key == "delong"):
            self.refuse(f"needs values per example, which measure {self.losses.measure!r} does not have")
        own = [np.asarray(values, dtype=float) for values in rows[self.b]]
        if self.a is None:
            return own
        return [mine - np.asarray(theirs) for mine, theirs in zip(own, rows[self.a], strict=True)]

    def blocks(self) -> list[Floats]:
        """Values per example, block by block; a new source asks for means only, which every measure has."""
        if self.method.key.startswith("sources-new"):
            return list(np.moveaxis(self.differences(), -1, 0)[..., None])
        if self.losses.weights is not None:
            self.refuse("has no weighted form; leave sample_weight out")
        return self.examples()

    def discordant(self) -> tuple[Floats, Floats]:
        """
        On every split, ``(..., J)``, examples that only B gets wrong, and those that only A gets wrong.

        The methods count whatever they are given, and their estimand on losses speaks of errors: B − A in
        the measure's own units, like all estimates.
        """
        self.require_zero_one()
        if self.a is None:
            self.refuse("compares two algorithms")
        d = self.examples()
        more, fewer = ([(sign * one > 0).sum(axis=-1) for one in d] for sign in (1, -1))
        return np.stack(more, axis=-1), np.stack(fewer, axis=-1)

    def wrong(self, algorithm: int) -> Floats:
        """Number of wrong predictions on every split: their proportions are errors, as they should be."""
        self.require_zero_one()
        self.differences()
        wrong: Floats = np.rint(self.losses.values[algorithm] * self.losses.partition.test_sizes)
        return wrong

    def counts(self, algorithm: int) -> Floats:
        """Summed (TP, FP, FN)."""
        counts = self.losses.counts
        self.require_score()
        total: Floats = np.sum(counts[algorithm], axis=-2)  # type: ignore[index]  # a score has counts
        return total

    def outcomes(self, algorithm: int) -> Floats:
        """TP, FP, FN of every example in the order of the data, repetition by repetition."""
        self.require_score()
        rows, partition = self.losses.outcomes, self.losses.partition
        if rows is None:
            self.refuse("needs the predictions of single examples, which these losses do not have")
        if len(partition) < 4:
            self.refuse("needs at least 2 repetitions: use ef.Mx2BCV(3) or more")
        return _in_order(rows[algorithm], partition, parts=3)

    def require_score(self) -> None:
        score, measure = self.method.key.rpartition("-")[2], self.losses.measure
        if self.losses.counts is None or measure != score:
            self.refuse(f"needs the measure {score!r}, not {measure!r}")
        self.differences()

    def require_zero_one(self) -> None:
        if self.losses.measure != "zero-one" or self.losses.weights is not None:
            self.refuse("counts right predictions: it needs the measure 'zero-one' without sample weights")

    def refuse(self, why: str) -> NoReturn:
        raise NotApplicable(f"method {self.method.key!r} {why}")


def estimate(
    losses: Losses,
    method: str,
    *,
    challenger: str | int = 1,
    baseline: str | int | None = 0,
    null: float = 0.0,
    alternative: str = "two-sided",
    level: float = 0.05,
    most: int | None = None,
) -> Estimate:
    """
    Apply a method to the losses of a run.

    Parameters
    ----------
    losses : Losses
        One measure of every algorithm on every split; of many data sets at once where its arrays have a
        batch axis after that of the algorithms.
    method : str
        A key of :func:`methods`.
    challenger, baseline : str or int
        B and A; baseline None estimates one algorithm alone.
    null : float
        The difference that a test tests.
    alternative : {"two-sided", "greater", "less"}
        The side of a discovery, about B − A in the measure's own units.
    level : float
        Error level of the intervals, and of a sequential test.
    most : int, optional
        M of a sequential test, the number of repetitions of the losses if not given.

    Returns
    -------
    Estimate

    Raises
    ------
    NotApplicable
        If the method does not fit the design or the measure, needs what a run does not have, or cells failed.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> run = ef.run.run({"a": DummyClassifier(), "b": GaussianNB()},
    ...                  ef.Mx2BCV(3, random_state=0).partition(150), X, y, measures="zero-one")
    >>> e = ef.infer.estimate(run["zero-one"], "mx2-t")
    >>> e.estimand, bool(e.value < -0.5)
    ('expected difference B − A at training size 75', True)
    """
    entry = select(method, design=of_losses(losses).partition.kind)
    level = fraction("level", level)
    question = _Question(
        losses, entry, losses.index(challenger), None if baseline is None else losses.index(baseline)
    )
    found = _applied(question, null=null, alternative=alternative, level=level, most=most)
    if question.a is None and "B − A" in entry.estimand:  # of one algorithm the method itself speaks
        return found
    return replace(found, estimand=entry.about(entry.n_train(losses.partition)))


def _applied(
    question: _Question, *, null: float, alternative: str, level: float, most: int | None
) -> Estimate:
    entry = question.method
    if entry.key == "mx2-sequential-t":
        d = question.repetitions()
        options: Any = {"null": null, "alternative": alternative, "level": level}
        if most is None or most == d.shape[-2]:
            return mx2_sequential_t(d, **options)
        return SequentialTest(M=most, values=d, **options).estimate
    if entry.key == "delong":  # the measure has turned scores into values per example
        found = delong_from_values(question.examples()[0], null=null, alternative=alternative)
        return found.at(level)
    if entry.inputs not in _FEEDS:
        question.refuse("needs more runs than one design gives: run them and call its function in ef.infer")
    inputs = _FEEDS[entry.inputs](question)
    if isinstance(inputs, Estimate):
        return inputs.at(level)
    options = {} if entry.family != "test" else {"alternative": alternative, "null": null}
    return entry.function(*inputs, **_arguments(question), **options).at(level)


def _arguments(question: _Question) -> dict[str, Any]:
    partition = question.losses.partition
    per_fold = question.method.inputs == ("correct",)
    known = {
        "n_train": partition.n_train,
        "n_test": partition.test_sizes if per_fold else partition.n_test,
        "m": len(partition) // 2,
        "n": partition.n,
    }
    missing = [name for name in question.method.arguments if name not in known]
    if missing:
        question.refuse(f"needs {' and '.join(missing)}: call its function in ef.infer")
    return {name: known[name] for name in question.method.arguments}


def _confusion(question: _Question) -> Any:
    if question.a is None:
        measure: Any = question.losses.measure
        return score_posterior(measure, question.counts(question.b), m=len(question.losses.partition) // 2)
    return question.counts(question.a), question.counts(question.b)


def _outcomes(question: _Question) -> Any:
    sides = _sides(question.losses.partition)
    if question.a is None:
        return influence_score(question.losses.measure, question.outcomes(question.b), sides)
    return question.outcomes(question.a), question.outcomes(question.b), sides


def _correct(question: _Question) -> Any:
    alone = question.method.key == "wong-proportion"
    if alone != (question.a is None):
        question.refuse("is about one algorithm alone" if alone else "compares two algorithms")
    sides = [question.wrong(s) for s in (question.a, question.b) if s is not None]
    if question.method.key == "wong-loo-independent-z":
        return tuple(side.sum(axis=-1) for side in sides)
    return tuple(sides)


def _halvings(question: _Question) -> Any:
    """J values on the whole data, and the mean over J splits inside each half of M halvings."""
    repetition = question.losses.partition.repetition
    d, inside = question.differences(), repetition >= 0
    if inside.all():
        question.refuse("needs J splits of the whole data beside the halvings: ef.compare makes them")
    halvings = int(repetition.max()) + 1
    halves = d[..., inside].reshape(*d.shape[:-1], halvings, 2, -1)
    return d[..., ~inside], halves.mean(axis=-1)


def _nested(question: _Question) -> Any:
    """The losses (..., R, K, n) of nested folds, whose outer splits come first, and the folds (R, n)."""
    partition, d = question.losses.partition, question.examples()
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
        r, tested = int(partition.repetition[j]), partition.test[j]
        for left_out, tested_fold in permutations(pairs[int(partition.fold[j])]):
            own = folds[r, tested] == tested_fold
            losses[..., r, left_out, tested[own]] = d[j][..., own]
    return losses, folds


def _answers(question: _Question) -> Any:
    """Right or wrong of all algorithms, whatever pair was asked for."""
    question.require_zero_one()
    question.losses.require_complete()
    rows = question.losses.examples
    assert rows is not None  # the measure is zero-one
    return (np.stack([np.asarray(row[0], dtype=float) for row in rows], axis=-2),)


def _tested(question: _Question) -> Any:
    """Losses per example in the order of the data, repetition by repetition, and who was tested first."""
    rows, partition = question.examples(), question.losses.partition
    if question.losses.weights is not None:
        question.refuse("weighs all examples alike: it needs losses without sample weights")
    if len(partition) < 6:
        question.refuse(f"needs at least 3 repetitions, not {len(partition) // 2}: use ef.Mx2BCV(3) or more")
    return _in_order(rows, partition), _sides(partition)


def _in_order(rows: Sequence[Floats], partition: Partition, *, parts: int = 0) -> Floats:
    """
    Values of single examples of an m×2 design in the order of the data: (..., m, n), or (..., m, n, parts).

    Every example is tested once in each repetition.
    """
    tail = (parts,) if parts else ()
    batch = rows[0].shape[: rows[0].ndim - 1 - len(tail)]
    table: Floats = np.empty((*batch, len(partition) // 2, partition.n, *tail))
    for j, (test, row) in enumerate(zip(partition.test, rows, strict=True)):
        table[(..., j // 2, test, slice(None)) if parts else (..., j // 2, test)] = row
    return table


def _sides(partition: Partition) -> NDArray[np.bool_]:
    """Which examples the first split of each repetition tests, (m, n)."""
    sides = np.zeros((len(partition) // 2, partition.n), dtype=bool)
    for side, test in zip(sides, partition.test[::2], strict=True):
        side[test] = True
    return sides


_FEEDS: dict[tuple[str, ...], Callable[[_Question], Any]] = {
    ("splits",): lambda q: (q.differences(),),
    ("repetitions",): lambda q: (q.repetitions(),),
    ("losses",): lambda q: (q.examples()[0],),
    ("blocks",): lambda q: (q.blocks(),),
    ("splits", "halves"): _halvings,
    ("nested",): _nested,
    ("answers",): _answers,
    ("tables",): lambda q: tuple(counts.reshape(*counts.shape[:-1], -1, 2) for counts in q.discordant()),
    ("discordant",): lambda q: tuple(counts.sum(axis=-1) for counts in q.discordant()),
    ("confusion",): _confusion,
    ("correct",): _correct,
    ("outcomes", "sides"): _outcomes,
    ("tested", "sides"): _tested,
}

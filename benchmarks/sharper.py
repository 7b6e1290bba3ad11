"""
Error, coverage and power of the influence test beside the published ones, at equal numbers of fits.

``python -m benchmarks.sharper FOLDER`` writes ``benchmarks/sharper.csv`` (ten minutes on one core; FOLDER
holds ``letter.csv.gz``). Names of cases after FOLDER run only those and keep the other rows.

The null of a test is the truth at its own training size: the mean of its estimates over all replications.
Power is NB's surrogate: the null is moved by the differences at which ``mx2-t`` finds 20, 40 and 60 %, up and
down, averaged. ``oracle`` knows the true variance of the mean of the m×2 BCV: no method, but the limit. Rows
named by a formula are variances that were tried and not taken, with the degrees of freedom of their parts.
"""

import csv
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import evenfold as ef
from evenfold.core.errors import EvenfoldWarning
from evenfold.core.estimate import PivotEstimate, StudentT
from evenfold.core.partition import Partition
from evenfold.design import RLT, NestedRLT
from evenfold.infer.halves._parts import Halvings
from evenfold.lab import Algorithm, Population, estimators
from evenfold.lab.cuts import CHUNK
from evenfold.lab.populations import Imbalanced, MeanLine, SCla, SReg, TwoGaussians, W14Gaussians5d, letters
from evenfold.lab.world import World

SEED = 20
M = (3, 7, 15)
TRIED = 7  # repetitions at which other variances are tried
LEVEL = 0.05
TARGETS = (0.2, 0.4, 0.6)
MANY, FEW = 10_000, 1_000
OTHERS = 4  # where fits are fast, every fourth data set is also cut as the other designs ask
TABLE = Path(__file__).with_suffix(".csv")
# conservative-z: J splits and 2MJ inside halves make J(1 + 2M) = 14 and 30 fits; six are too few for it
HALVINGS = {7: 3, 15: 7}
Answers = dict[tuple[str, int, str], list[np.ndarray]]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A population with two algorithms; ``half`` says whether the formula was tuned on its like."""

    name: str
    half: str
    population: Population
    algorithms: tuple[Algorithm, ...]
    n: int = 200
    replications: int = MANY
    measure: str = "zero-one"

    def world(self) -> World:
        return World(
            population=self.population, algorithms=self.algorithms, measure=self.measure, n=self.n, seed=SEED
        )


def cases(folder: str) -> list[Case]:
    """The populations and pairs of the study; trees, SVM, lasso and triangular kNN have no fast path."""
    e = estimators
    plane, near = TwoGaussians(variance=1 / 2), TwoGaussians(variance=1 / 6)
    lines = [MeanLine.setting(k) for k in (1, 2, 3, 4)]
    line = (e.mean(), e.line())
    rare = Imbalanced(share=0.15)
    alphabet = letters(folder)
    return [
        Case(name="mean/line 1", half="tune", population=lines[0], algorithms=line, measure="squared"),
        Case(name="mean/line 2", half="verdict", population=lines[1], algorithms=line, measure="squared"),
        Case(name="mean/line 3", half="verdict", population=lines[2], algorithms=line, measure="squared"),
        Case(name="mean/line 4", half="verdict", population=lines[3], algorithms=line, measure="squared"),
        Case(name="OLS/ridge", half="verdict", population=SReg(p=20), algorithms=(e.ols(), e.ridge(5.0)),
             measure="squared"),
        Case(name="NB/OLS", half="tune", population=plane, algorithms=(e.naive_bayes(), e.ols_classifier())),
        Case(name="1-NN/NB", half="verdict", population=near,
             algorithms=(e.nearest_neighbour(), e.naive_bayes())),
        Case(name="LDA/NB", half="tune", population=SCla(p=20), algorithms=(e.lda(), e.naive_bayes())),
        Case(name="rare LDA/NB", half="tune", population=rare, algorithms=(e.lda(), e.naive_bayes())),
        Case(name="rare NB/1-NN", half="verdict", population=rare,
             algorithms=(e.naive_bayes(), e.nearest_neighbour())),
        Case(name="5d LDA/NB", half="verdict", population=W14Gaussians5d(),
             algorithms=(e.lda(), e.naive_bayes())),
        Case(name="tree/OLS", half="tune", population=near, replications=FEW,
             algorithms=(e.regression_tree(), e.ols_classifier())),
        Case(name="rare tree/LDA", half="tune", population=rare, replications=FEW,
             algorithms=(e.classification_tree(), e.lda())),
        Case(name="ridge/lasso", half="tune", population=SReg(p=20), replications=FEW, measure="squared",
             algorithms=(e.ridge(5.0), e.lasso())),
        Case(name="SVM/kNN", half="verdict", population=SCla(p=20), replications=FEW // 2,
             algorithms=(e.svm(), e.triangular_knn())),
        Case(name="letters tree/1-NN", half="verdict", population=alphabet, replications=FEW // 2, n=300,
             algorithms=alphabet.algorithms()),
    ]  # fmt: skip


def simulate(case: Case, replications: int | None = None) -> Answers:
    """Return value, low and high of every method by (subject, m, method)."""
    answers: Answers = {}
    chunks = (replications or case.replications) // CHUNK
    for chunk in range(chunks):
        others = chunk < chunks // OTHERS and case.replications == MANY
        for key, estimate in _answers(case.world(), chunk, others=others):
            found = np.stack([estimate.value, *estimate.confidence_interval(1 - LEVEL)])
            answers.setdefault(key, []).append(found)
    return answers


def _answers(world: World, chunk: int, *, others: bool) -> Iterator[tuple[tuple[str, int, str], Any]]:
    design = ef.Mx2BCV(max(M))
    partition = world.partition(design)
    arrays = world.holdouts(design, [chunk], examples=True)
    losses, sides = _tested(arrays["examples"], partition)
    halves = arrays["values"].reshape(*arrays["values"].shape[:2], max(M), 2)
    for subject, signs in (("B − A", (-1.0, 1.0)), ("A", (1.0, 0.0)), ("B", (0.0, 1.0))):
        for m in M:
            e, d = (signs[0] * x[0, :, :m] + signs[1] * x[1, :, :m] for x in (losses, halves))
            yield (subject, m, "mx2-influence-t"), ef.infer.mx2_influence_t(e, sides[:m])
            yield (subject, m, "mx2-t"), ef.infer.mx2_t(d)
            if m == TRIED:
                yield from (((subject, m, name), rival) for name, rival in _rivals(e, sides[:m]))
    if others:
        yield from _others(world, chunk)


def _rivals(e: np.ndarray, sides: np.ndarray) -> Iterator[tuple[str, PivotEstimate]]:
    """Other variances made of the same parts."""
    known, parts = ef.infer.mx2_influence_t(e, sides), Halvings(e, sides).parts(len(sides))
    mean = parts.mean
    T, R, U, m = parts.test, parts.repetition, parts.influence, parts.m

    def summed(weight: float) -> tuple[np.ndarray, np.ndarray]:
        second = (weight + 1 / m) * R
        return T + second, (T + second) ** 2 / (T**2 / parts.test_df + second**2 / (m - 1))

    found: dict[str, tuple[np.ndarray, Any]] = {
        "T": (T, parts.test_df),
        "T + R/2": summed(0.5),
        "T + R": summed(1.0),
        "max(T, U − R)": (np.maximum(T, U - R), m),
        "√(T·U)": (np.sqrt(T * U), 4 * m),
    }
    for name, (variance, df) in found.items():
        error = np.sqrt(variance)
        other = {"standard_error": error, "statistic": mean / error, "reference": StudentT(df)}
        yield name, replace(known, **other)


def _others(world: World, chunk: int) -> Iterator[tuple[tuple[str, int, str], Any]]:
    """The other methods at equal numbers of fits, for the difference."""
    values = world.holdouts(RLT(2 * max(M), 0.9), [chunk], examples=False)["values"]
    d = values[1] - values[0]
    n_test = round(0.1 * world.n)
    for m in M:
        corrected = ef.infer.corrected_resampled_t(d[:, : 2 * m], n_train=world.n - n_test, n_test=n_test)
        yield ("B − A", m, "corrected-resampled-t"), corrected
    values = world.holdouts(NestedRLT(max(HALVINGS.values()), 2, 0.1), [chunk], examples=False)["values"]
    d = values[1] - values[0]
    halves = d[:, 2:].reshape(len(d), -1, 2, 2).mean(axis=-1)
    for m, count in HALVINGS.items():
        yield ("B − A", m, "conservative-z"), ef.infer.conservative_z(d[:, :2], halves[:, :count])


def _tested(rows: np.ndarray, partition: Partition) -> tuple[np.ndarray, np.ndarray]:
    """Losses (algorithms, data sets, m, n) in the order of the data, and who was tested first."""
    m, n = len(partition) // 2, partition.n
    losses, sides = np.empty((*rows.shape[:2], m, n)), np.zeros((m, n), dtype=bool)
    ends = np.cumsum(partition.test_sizes)
    for j, test in enumerate(partition.test):
        losses[:, :, j // 2, test] = rows[:, :, ends[j] - len(test) : ends[j]]
        sides[j // 2, test] = j % 2 == 0
    return losses, sides


def summary(case: Case, answers: Answers) -> Iterator[dict[str, Any]]:
    """A row per subject, m and method."""
    joined = {key: np.concatenate(parts, axis=1) for key, parts in answers.items()}
    for subject, m in {key[:2]: None for key in joined}:
        values = joined[subject, m, "mx2-influence-t"][0]
        reach = stats.norm.isf(LEVEL / 2) * values.std()
        joined[subject, m, "oracle"] = np.stack([values, values - reach, values + reach])
    for (subject, m, method), (value, low, high) in joined.items():
        shifts = _shifts(joined[subject, m, "mx2-t"])
        truth, R = value.mean(), len(value)
        size = _rejected(low, high, truth)
        powers = [np.mean([_rejected(low, high, truth + s) for s in pair]) for pair in shifts]
        yield {
            "case": case.name, "half": case.half, "n": case.n, "subject": subject, "m": m, "method": method,
            "replications": R, "size": f"{size:.4f}", "se": f"{np.sqrt(size * (1 - size) / R):.4f}",
            "low_side": f"{np.mean(high < truth):.4f}", "high_side": f"{np.mean(low > truth):.4f}",
            "length": f"{np.median(high - low) / np.median(_lengths(joined, subject, m)):.3f}",
            **{f"power_{t:g}": f"{p:.4f}" for t, p in zip(TARGETS, powers, strict=True)},
        }  # fmt: skip


def _lengths(joined: dict[Any, np.ndarray], subject: str, m: int) -> np.ndarray:
    """Lengths of the intervals of mx2-t, by which all others are measured."""
    _, low, high = joined[subject, m, "mx2-t"]
    length: np.ndarray = high - low
    return length


def _rejected(low: np.ndarray, high: np.ndarray, null: float) -> float:
    return float(np.mean((null < low) | (null > high)))


def _shifts(answer: np.ndarray) -> list[tuple[float, float]]:
    """The differences, down and up, at which mx2-t finds the targets."""
    value, low, high = answer
    truth = value.mean()
    # A null above the truth is rejected once it exceeds ``high``, so the power is a distribution function.
    up, down = np.sort(high - truth), np.sort(truth - low)
    return [(-float(np.quantile(down, t)), float(np.quantile(up, t))) for t in TARGETS]


def main(folder: str, names: list[str]) -> None:
    rows = _kept(names)
    for case in cases(folder):
        if names and case.name not in names:
            continue
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EvenfoldWarning)
            rows += list(summary(case, simulate(case)))
        print(f"{case.name}: {case.replications} in {time.process_time() - start:.0f} s", flush=True)
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=rows[0])
            writer.writeheader()
            writer.writerows(rows)


def _kept(names: list[str]) -> list[dict[str, Any]]:
    if not names or not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["case"] not in names]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

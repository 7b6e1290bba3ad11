"""
Error and coverage of the default test for scores: macro F1, MCC, balanced accuracy, kappa, F1, AUC.

Run it alone, ``python -m papers.studies.scores [replications]``; 2000 replications take about five
minutes. The tables of docs/infer/influence-scores.md are its output.

Two Gaussians that differ by ``DISTANCE`` on two features each. Two algorithms see the first and the
second feature alone: they are equal by symmetry, so that every difference that is found is an
error. The class counts are random; the halves are balanced by labels, as those of ``compare`` are.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import evenfold as ef
from evenfold.core.errors import DegenerateData
from evenfold.core.estimate import Bounds
from evenfold.core.ranking import placements
from evenfold.core.rng import stream
from evenfold.infer import methods
from evenfold.infer.family import REPLICABILITY, is_stable
from evenfold.infer.halves.influence import DEFAULT_MOST
from evenfold.run.data import as_target
from evenfold.run.measures import Predictions, as_measure

Floats = NDArray[np.float64]
LOOKS = tuple(m for m in methods()["mx2-influence-t"].looks if m <= DEFAULT_MOST)
DISTANCE = 1.5
LEARNERS = ("LDA", "quadratic")
SCORES, AREA = ("macro-f1", "mcc", "balanced-accuracy", "kappa", "f1"), "auc"
# Truth and prediction of the four cells of the confusion matrix.
TRUE, SAID = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])


@dataclass(frozen=True)
class Setting:
    """So many examples, of which this share is positive."""

    n: int
    share: float

    def __str__(self) -> str:
        return f"n = {self.n}, {self.share:.0%} positive"


SETTINGS = [Setting(n, share) for n in (200, 1000) for share in (0.3, 0.1)] + [Setting(1000, 0.05)]


@dataclass(frozen=True)
class Batch:
    """
    Data sets with one number of positives, which come first.

    They have X (R, n, 2), and labels and halves in common.
    """

    X: Floats
    y: NDArray[np.bool_]
    sides: NDArray[np.bool_]


@cache
def halves(n: int, positives: int, seed: int) -> NDArray[np.bool_]:
    """Which examples the first split of each repetition tests, balanced by labels."""
    y = np.arange(n) < positives
    tests = (
        ef.Mx2BCV(LOOKS[-1], balance="labels", random_state=seed)
        .partition(n, y=y.astype(int))
        .test[::2]
    )
    return np.stack([np.isin(np.arange(n), test) for test in tests])


def draw(setting: Setting, replications: int, seed: int) -> Iterator[Batch]:
    """Draw data sets with random class counts, ≥ 10 positives, and yield equal counts together."""
    rng = stream(seed, "scores", setting.n, str(setting.share))
    drawn = np.maximum(rng.binomial(setting.n, setting.share, size=replications), 10)
    counts, often = np.unique(drawn, return_counts=True)
    for positives, times in zip(counts.tolist(), often.tolist(), strict=True):
        y = np.arange(setting.n) < positives
        sides = halves(setting.n, positives, seed + positives)
        for start in range(0, times, 100):
            X = rng.normal(size=(min(100, times - start), setting.n, 2)) + DISTANCE * y[:, None]
            yield Batch(X, y, sides)


def scores(batch: Batch, feature: int, learner: str) -> Floats:
    """Log odds (R, m, n) of every example by the model of the other half of each repetition."""
    x, odds = batch.X[..., feature], np.empty((len(batch.X), *batch.sides.shape))
    for r, first in enumerate(batch.sides):
        for train, test in ((~first, first), (first, ~first)):
            odds[:, r, test] = _LEARN[learner](x[:, train], batch.y[train], x[:, test])
    return odds


def _normal(x: Floats, y: NDArray[np.bool_], new: Floats, *, shared: bool) -> Floats:
    up, down = x[:, y], x[:, ~y]
    means = [part.mean(axis=1, keepdims=True) for part in (up, down)]
    spreads = [part.var(axis=1, keepdims=True) + 1e-9 for part in (up, down)]
    if shared:
        pooled = (spreads[0] * up.shape[1] + spreads[1] * down.shape[1]) / len(y)
        spreads = [pooled, pooled]
    logs = [
        -((new - mean) ** 2) / (2 * v) - np.log(v) / 2
        for mean, v in zip(means, spreads, strict=True)
    ]
    odds: Floats = logs[0] - logs[1] + np.log(up.shape[1] / down.shape[1])
    return odds


_LEARN: dict[str, Any] = {
    "LDA": lambda *arguments: _normal(*arguments, shared=True),
    "quadratic": lambda *arguments: _normal(*arguments, shared=False),
}


@cache
def _cells(name: str) -> tuple[Any, Floats]:
    """The score of a measure, and what each of the four cells counts."""
    measure = as_measure(name).bind(as_target(TRUE), positive=None, scheme="IOB2")
    return measure.score, measure.outcomes(TRUE, Predictions("predict", SAID), None)


def values(name: str, batch: Batch, odds: Floats) -> Floats:
    """Value of every example (R, m, n), at the sums over these m repetitions."""
    score, cells = _cells(name)
    code = 2 * batch.y + (odds > 0)
    sums = _counts(batch, odds) @ cells
    total = odds.shape[1] * odds.shape[2]
    table = score(sums)[:, None] + total * (score.slopes(sums) @ cells.T)
    each: Floats = np.take_along_axis(table[:, None, :], code, axis=-1)
    return each


def _counts(batch: Batch, odds: Floats) -> Floats:
    """The confusion matrix over these repetitions, (R, 4)."""
    code = 2 * batch.y + (odds > 0)
    return np.stack([(code == cell).sum(axis=(1, 2)) for cell in range(4)], axis=-1).astype(float)


def areas(batch: Batch, odds: Floats) -> Floats:
    """Placement values, moved as those of the measure are."""
    values = np.empty_like(odds)
    for r in range(odds.shape[1]):
        for test in (batch.sides[r], ~batch.sides[r]):
            mine, n = batch.y[test], int(test.sum())
            parts = placements(odds[:, r, test], mine)
            area = parts[0].mean(axis=-1, keepdims=True)
            moved = np.empty((len(odds), n))
            for part, who in zip(parts, (mine, ~mine), strict=True):
                m = part.shape[-1]
                moved[:, who] = area + np.sqrt(n * (n - 1) / (m * (m - 1))) * (part - area)
            values[:, r, test] = moved
    return values


def looked(sides: NDArray[np.bool_], of_look: Callable[[int], Floats]) -> Floats:
    """Whether the default rejects and the ends of its interval, where its verdict is stable."""
    answers, stable = [], []
    for m in LOOKS:
        now = ef.infer.mx2_influence_t(of_look(m), sides[:m], zeros=False)
        rejects = (now.pvalue <= now.level) & ~now.is_withheld
        same = np.where(now.is_withheld, 0.0, now.same_verdict([0.0]))
        answers.append([rejects, *now.confidence_interval()])
        stable.append(is_stable(same, rejects, m, goal=REPLICABILITY))
    stable[-1] = np.ones_like(stable[-1])
    stop = np.argmax(stable, axis=0)
    ends: Floats = np.take_along_axis(np.array(answers, dtype=float), stop[None, None], axis=0)[0]
    return ends


def study(setting: Setting, learner: str, replications: int, seed: int = 0) -> dict[str, Floats]:
    """
    Error of the test between equals, coverage of its interval and of one alone, by score.

    The truth for one alone is the score of the mean counts of all data sets, the mean area for AUC.
    """
    ends: dict[str, list[Floats]] = {name: [] for name in (*SCORES, AREA)}
    counts, area = np.zeros(4), 0.0
    for batch in draw(setting, replications, seed):
        a, b = (scores(batch, feature, learner) for feature in (0, 1))
        counts += _counts(batch, a).sum(axis=0)
        ranked = [areas(batch, odds) for odds in (a, b)]
        area += ranked[0].mean(axis=(1, 2)).sum() / replications
        for name in SCORES:
            of_look = partial(_difference, name, batch, a, b)
            ends[name].append(
                _ends(name, looked(batch.sides, of_look), values(name, batch, a), batch.sides)
            )
        pair = looked(batch.sides, partial(_first, ranked[1] - ranked[0]))
        ends[AREA].append(_ends(AREA, pair, ranked[0], batch.sides))
    truths = {
        name: float(score(counts @ cells)) for name in SCORES for score, cells in [_cells(name)]
    }
    return {
        name: _rates(np.concatenate(rows, axis=1), {**truths, AREA: area}[name])
        for name, rows in ends.items()
    }


def _first(each: Floats, m: int) -> Floats:
    return each[:, :m]


def _difference(name: str, batch: Batch, a: Floats, b: Floats, m: int) -> Floats:
    return values(name, batch, b[:, :m]) - values(name, batch, a[:, :m])


def _ends(name: str, pair: Floats, alone_values: Floats, sides: NDArray[np.bool_]) -> Floats:
    """Whether the test rejects, the ends of its interval, and those of one algorithm in the end."""
    about = as_measure(name).quantity
    bounds = Bounds(low=about.low, high=about.high, units=alone_values.shape[-1], alone=True)
    alone = replace(ef.infer.mx2_influence_t(alone_values, sides, zeros=False), bounds=bounds)
    return np.stack([*pair, *alone.confidence_interval(0.95)])


def _rates(ends: Floats, truth: float) -> Floats:
    rejected, low, high, first, last = ends
    inside = (low <= 0) & (high >= 0), (first <= truth) & (truth <= last)
    rates: Floats = np.stack([rejected.astype(bool), *inside]).mean(axis=1)
    return rates


def main(replications: int = 2000) -> None:
    """Print the table, with the standard error of a rate near .05."""
    warnings.simplefilter("ignore", DegenerateData)  # models that say no example is positive
    error = np.sqrt(0.05 * 0.95 / replications)
    print(f"{replications} data sets per line; standard error of a rate near .05: {error:.4f}\n")
    names = (*SCORES, AREA)
    print("| setting | learner | " + " | ".join(names) + " |")
    print("| --- | --- | " + " | ".join("---" for _ in names) + " |")
    for setting in SETTINGS:
        for learner in LEARNERS:
            rates = study(setting, learner, replications)
            cells = [
                f"{e:.3f}, {100 * both:.1f}, {100 * alone:.1f}" for e, both, alone in rates.values()
            ]
            print(f"| {setting} | {learner} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""
Error and coverage of the default test for scores: macro F1, MCC, balanced accuracy, kappa, F1, AUC.

Run it by itself, ``python -m benchmarks.scores [replications]``; 2000 replications take about five minutes.
The tables of docs/infer/influence-scores.md are its output.

Two Gaussians that differ by ``DISTANCE`` on two features each. Two algorithms see the first and the second
feature alone: they are equal by symmetry, so that every difference that is found is an error. The class
counts are random; the halves are balanced by labels, as those of ``compare`` are.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import evenfold as ef
from evenfold.core.errors import DegenerateData
from evenfold.core.intervals import Bounds
from evenfold.core.ranking import placements
from evenfold.core.rng import stream
from evenfold.run.data import as_target
from evenfold.run.measures import Answer, as_measure

Floats = NDArray[np.float64]
LOOKS = (3, 5, 7, 9)
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
    """Data sets with one number of positives, which come first: X (R, n, 2), labels and halves in common."""

    X: Floats
    y: NDArray[np.bool_]
    sides: NDArray[np.bool_]


@cache
def halves(n: int, positives: int, seed: int) -> NDArray[np.bool_]:
    """Which examples the first split of each repetition tests, balanced by labels."""
    y = np.arange(n) < positives
    tests = ef.Mx2BCV(LOOKS[-1], balance="labels", random_state=seed).partition(n, y=y.astype(int)).test[::2]
    return np.stack([np.isin(np.arange(n), test) for test in tests])


def draw(setting: Setting, replications: int, seed: int) -> Iterator[Batch]:
    """Draw data sets with random class counts, and yield those with equal counts together."""
    rng = stream(seed, "scores", setting.n, str(setting.share))
    counts, often = np.unique(rng.binomial(setting.n, setting.share, size=replications), return_counts=True)
    for positives, times in zip(counts.tolist(), often.tolist(), strict=True):
        y = np.arange(setting.n) < positives
        sides = halves(setting.n, max(positives, 4), seed + positives)
        for start in range(0, times, 100):
            X = rng.normal(size=(min(100, times - start), setting.n, 2)) + DISTANCE * y[:, None]
            yield Batch(X, y, sides)


def scores(batch: Batch, feature: int, learner: str) -> Floats:
    """Log odds (R, m, n) of every example by the model that the other half of each repetition trained."""
    x, found = batch.X[..., feature], np.empty((len(batch.X), *batch.sides.shape))
    for r, first in enumerate(batch.sides):
        for train, test in ((~first, first), (first, ~first)):
            found[:, r, test] = _LEARN[learner](x[:, train], batch.y[train], x[:, test])
    return found


def _normal(x: Floats, y: NDArray[np.bool_], new: Floats, *, shared: bool) -> Floats:
    up, down = x[:, y], x[:, ~y]
    means = [part.mean(axis=1, keepdims=True) for part in (up, down)]
    spreads = [part.var(axis=1, keepdims=True) + 1e-9 for part in (up, down)]
    if shared:
        pooled = (spreads[0] * up.shape[1] + spreads[1] * down.shape[1]) / len(y)
        spreads = [pooled, pooled]
    logs = [-((new - mean) ** 2) / (2 * v) - np.log(v) / 2 for mean, v in zip(means, spreads, strict=True)]
    odds: Floats = logs[0] - logs[1] + np.log(up.shape[1] / down.shape[1])
    return odds


_LEARN: dict[str, Any] = {
    "LDA": lambda *given: _normal(*given, shared=True),
    "quadratic": lambda *given: _normal(*given, shared=False),
}


@cache
def _cells(name: str) -> tuple[Any, Floats]:
    """The score of a measure, and what each of the four cells counts."""
    measure = as_measure(name).bind(as_target(TRUE), positive=None, scheme="IOB2")
    return measure.score, measure.outcomes(TRUE, Answer("predict", SAID), None)


def values(name: str, batch: Batch, odds: Floats) -> Floats:
    """Value of every example (R, m, n), at the sums over these m repetitions."""
    score, cells = _cells(name)
    code = 2 * batch.y + (odds > 0)
    counts = np.stack([(code == cell).sum(axis=(1, 2)) for cell in range(4)], axis=-1).astype(float)
    sums = counts @ cells
    total = odds.shape[1] * odds.shape[2]
    table = score(sums)[:, None] + total * (score.slopes(sums) @ cells.T)
    each: Floats = np.take_along_axis(table[:, None, :], code, axis=-1)
    return each


def areas(batch: Batch, odds: Floats) -> Floats:
    """Placement values, moved as those of the measure are."""
    found = np.empty_like(odds)
    for r in range(odds.shape[1]):
        for test in (batch.sides[r], ~batch.sides[r]):
            mine, n = batch.y[test], int(test.sum())
            parts = placements(odds[:, r, test], mine)
            area = parts[0].mean(axis=-1, keepdims=True)
            moved = np.empty((len(odds), n))
            for part, who in zip(parts, (mine, ~mine), strict=True):
                m = part.shape[-1]
                moved[:, who] = area + np.sqrt(n * (n - 1) / (m * (m - 1))) * (part - area)
            found[:, r, test] = moved
    return found


def looked(sides: NDArray[np.bool_], of_look: Callable[[int], Floats]) -> Any:
    """What the default says, look after look on the repetitions so far."""
    found: Any = None
    for m in LOOKS:
        since = 0 if found is None else m - 2
        now = ef.infer.mx2_influence_sequential_t(of_look(m), sides[:m], zeros=False, since=since)
        found = now if found is None else now.following(found)
    return found


def expected(setting: Setting, learner: str, seed: int) -> dict[str, float]:
    """The scores of the expected counts of models trained on n/2 examples: of 4000 models, 500 tests each."""
    rng, half = stream(seed, "truth", setting.n, str(setting.share), learner), setting.n // 2
    y = np.arange(half) < max(round(half * setting.share), 2)
    train, test = rng.normal(size=(4000, half)) + DISTANCE * y, rng.normal(size=(4000, 500))
    up, down = (_LEARN[learner](train, y, test + shift) for shift in (DISTANCE, 0.0))
    p, hit, false = setting.share, (up > 0).mean(), (down > 0).mean()
    counts = np.array([(1 - p) * (1 - false), (1 - p) * false, p * (1 - hit), p * hit])
    found = {name: float(score(counts @ cells)) for name in SCORES for score, cells in [_cells(name)]}
    ranked = placements(np.concatenate([up, down], axis=1), np.arange(1000) < 500)[0]
    return {**found, AREA: float(ranked.mean())}


def study(setting: Setting, learner: str, replications: int, seed: int = 0) -> dict[str, Floats]:
    """Error of the test between equals, coverage of its interval, and coverage for one alone, by score."""
    truths = expected(setting, learner, seed)
    rates: dict[str, list[Floats]] = {name: [] for name in truths}
    for batch in draw(setting, replications, seed):
        a, b = (scores(batch, feature, learner) for feature in (0, 1))
        ranked = [areas(batch, one) for one in (a, b)]
        for name, truth in truths.items():
            if name == AREA:
                pair = looked(batch.sides, lambda m: ranked[1][:, :m] - ranked[0][:, :m])  # noqa: B023
                own = ranked[0]
            else:
                pair = looked(
                    batch.sides,
                    lambda m: values(name, batch, b[:, :m]) - values(name, batch, a[:, :m]),  # noqa: B023
                )
                own = values(name, batch, a)
            low, high = pair.confidence_interval()
            inside = _covers(name, own, batch.sides, truth)
            rates[name].append(np.stack([pair.rejected, (low <= 0) & (high >= 0), inside]).astype(float))
    return {name: np.concatenate(parts, axis=1).mean(axis=1) for name, parts in rates.items()}


def _covers(name: str, own: Floats, sides: NDArray[np.bool_], truth: float) -> NDArray[np.bool_]:
    """Whether the interval of one algorithm, after all repetitions, holds its true score."""
    about = as_measure(name).quantity
    found = ef.infer.mx2_influence_t(own, sides, zeros=False)
    bounds = Bounds(low=about.low, high=about.high, units=own.shape[-1])
    low, high = replace(found, bounds=bounds).confidence_interval(0.95)
    return np.asarray((low <= truth) & (truth <= high))


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
            found = study(setting, learner, replications)
            cells = [f"{e:.3f}, {100 * both:.1f}, {100 * one:.1f}" for e, both, one in found.values()]
            print(f"| {setting} | {learner} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

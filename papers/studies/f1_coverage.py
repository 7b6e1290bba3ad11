"""
Coverage, error and power of the posteriors of precision, recall and F1, as tables and a picture.

Run it alone, ``python -m papers.studies.f1_coverage [replications] [picture]``: 1500 replications
take a few minutes. The tables of docs/infer/influence-scores.md are its output.
"""

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

import evenfold as ef
from evenfold.core.errors import HiddenVariance
from evenfold.core.rng import stream

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
N, M, BLOCKS, BATCH = 600, 7, 8, 250
MEASURES: tuple[Literal["precision", "recall", "f1"], ...] = ("precision", "recall", "f1")
# Name, features, shift of the threshold: "first" and "second" are equal algorithms by symmetry.
ALGORITHMS = {
    "both": ((0, 1), 0.0),
    "first": ((0,), 0.0),
    "second": ((1,), 0.0),
    "shifted": ((0, 1), -0.1),
}
PAIRS = {
    "equal": ("first", "second"),
    "feature": ("first", "both"),
    "threshold": ("shifted", "both"),
}


@dataclass(frozen=True)
class Setting:
    """
    A population of two Gaussians and how it is sampled and split.

    Positives make up ``share`` and lie ``distance`` apart on each of two axes; ``fixed`` class
    counts or random ones; splits ``balanced`` by labels or not.
    """

    name: str
    share: float
    distance: float
    fixed: bool
    balanced: bool


SETTINGS = [
    Setting("example 6.1, fixed, balanced", 0.5, 0.5, True, True),
    Setting("example 6.1, fixed, not balanced", 0.5, 0.5, True, False),
    Setting("example 6.1, random, not balanced", 0.5, 0.5, False, False),
    Setting("example 6.1, random, balanced", 0.5, 0.5, False, True),
    Setting("15 % positives, not balanced", 0.15, 1.0, False, False),
    Setting("15 % positives, balanced", 0.15, 1.0, False, True),
    Setting("5 % positives, not balanced", 0.05, 1.5, False, False),
    Setting("5 % positives, balanced", 0.05, 1.5, False, True),
]


def sides() -> Bools:
    """
    Return which of the N examples the first split of every repetition tests.

    Blocks alternate along the data.
    """
    partition = ef.Mx2BCV(M, random_state=0).partition(N)
    cut: Any = partition.cut
    first: Bools = ~cut.trains[:, ::2].T[:, np.arange(N) % BLOCKS]
    return first


def labels(setting: Setting, count: int, rng: np.random.Generator) -> Bools:
    """Return ``count`` data sets of labels; balanced ones are dealt to the blocks in turn."""
    y = rng.random((count, N)) < setting.share
    if setting.fixed:
        y = rng.permuted(np.broadcast_to(np.arange(N) < setting.share * N, y.shape), axis=1)
    if not setting.balanced:
        return y
    dealt = np.empty_like(y)
    for row, positives in zip(dealt, y.sum(axis=1), strict=True):
        rank = np.arange(N) // BLOCKS * BLOCKS + rng.permutation(BLOCKS)[np.arange(N) % BLOCKS]
        row[:] = rank < positives
    return dealt


def fit(X: Floats, y: Floats) -> Floats:
    """
    Fit logistic regression to many data sets at once, as scikit-learn does by default.

    This is Newton's method with C = 1.
    """
    w = np.zeros((len(X), X.shape[-1]))
    penalty = np.append(np.ones(X.shape[-1] - 1), 0.0)
    for _ in range(9):
        p = special.expit((X @ w[..., None])[..., 0])
        gradient = ((y - p)[:, None] @ X)[:, 0] - penalty * w
        hessian = np.swapaxes(X * (p * (1 - p))[..., None], 1, 2) @ X + np.diag(penalty)
        w = w + np.linalg.solve(hessian, gradient[..., None])[..., 0]
    return w


def rates(w: Floats, distance: float) -> Floats:
    """True and false positive rate of linear rules on the population, averaged over the rules."""
    size = np.linalg.norm(w[:, :-1], axis=1)
    hit = special.ndtr((w[:, -1] + distance * w[:, :-1].sum(axis=1)) / size)
    return np.array([hit.mean(), special.ndtr(w[:, -1] / size).mean()])


def batch(
    setting: Setting, count: int, rng: np.random.Generator
) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield, for each algorithm, the outcomes (count, M, N, 3) and the mean rates of its models."""
    first = sides()
    y = labels(setting, count, rng)
    X = rng.normal(size=(count, N, 2)) + setting.distance * y[..., None]
    for name, (features, shift) in ALGORITHMS.items():
        inputs = np.concatenate([X[..., list(features)], np.ones((count, N, 1))], axis=-1)
        predicted, true = np.empty((count, M, N), dtype=bool), []
        for q, r in np.ndindex(M, 2):
            test = first[q] if r == 0 else ~first[q]
            w = fit(inputs[:, ~test], y[:, ~test].astype(float))
            w[:, -1] += shift
            predicted[:, q, test] = (inputs[:, test] @ w[..., None])[..., 0] > 0
            true.append(rates(w, setting.distance))
        label = y[:, None]
        outcomes = np.stack(
            [label & predicted, ~label & predicted, label & ~predicted], axis=-1
        ).astype(float)
        yield name, outcomes, np.mean(true, axis=0)


def truth(setting: Setting, measure: str, rates: Floats) -> float:
    """Return the score of the expected counts."""
    tp, fp = setting.share * rates[0], (1 - setting.share) * rates[1]
    fn = setting.share - tp
    return float(
        {"precision": tp / (tp + fp), "recall": tp / (tp + fn), "f1": 2 * tp / (2 * tp + fp + fn)}[
            measure
        ]
    )


@dataclass(frozen=True)
class Study:
    """
    What the methods said on every data set of a setting.

    ``intervals[measure, m, method]`` is (2, R) for the algorithm "both"; ``pvalues[measure, m,
    method, pair]`` is twice the smaller posterior probability, (R,); ``rates`` are true, by
    algorithm.
    """

    setting: Setting
    rates: dict[str, Floats]
    intervals: dict[tuple[str, int, str], Floats]
    pvalues: dict[tuple[str, int, str, str], Floats]

    def coverage(self, measure: str, m: int, method: str) -> float:
        """Return how often the interval of "both" holds the truth."""
        low, high = self.intervals[measure, m, method]
        value = truth(self.setting, measure, self.rates["both"])
        return float(np.mean((low <= value) & (value <= high)))

    def rejections(
        self, measure: str, m: int, method: str, pair: str, level: float = 0.05
    ) -> float:
        """Return how often a pair was told apart at a level."""
        return float(np.mean(self.pvalues[measure, m, method, pair] < level))

    def power(self, measure: str, m: int, method: str, pair: str) -> float:
        """Return the power at the level at which equal algorithms are told apart 5 % of times."""
        level = float(np.quantile(self.pvalues[measure, m, method, "equal"], 0.05))
        return self.rejections(measure, m, method, pair, level)


def study(
    setting: Setting, replications: int, *, repetitions: tuple[int, ...] = (3, M), seed: int = 0
) -> Study:
    """Let the methods judge ``replications`` data sets; the first m repetitions serve m < M."""
    intervals: dict[Any, list[Floats]] = {}
    pvalues: dict[Any, list[Floats]] = {}
    true: dict[str, list[Floats]] = {}
    for start in range(0, replications, BATCH):
        rng = stream(seed, "f1", setting.name, start)
        tables = {}
        for name, outcomes, means in batch(setting, min(BATCH, replications - start), rng):
            tables[name] = outcomes
            true.setdefault(name, []).append(means)
        for m in repetitions:
            for key, values in _judge(setting, {k: t[:, :m] for k, t in tables.items()}, m):
                (pvalues if len(key) == 4 else intervals).setdefault(key, []).append(values)
    return Study(
        setting=setting,
        rates={name: np.mean(values, axis=0) for name, values in true.items()},
        intervals={key: np.concatenate(values, axis=-1) for key, values in intervals.items()},
        pvalues={key: np.concatenate(values) for key, values in pvalues.items()},
    )


def _judge(setting: Setting, tables: dict[str, Floats], m: int) -> Iterator[tuple[Any, Floats]]:
    first = sides()[:m]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HiddenVariance)
        for measure in MEASURES:
            counts = {name: table.sum(axis=(1, 2)) for name, table in tables.items()}
            published = ef.infer.score_posterior(measure, counts["both"], m=m)
            yield (measure, m, "published"), np.stack(published.interval())
            score = ef.infer.influence_score(measure, tables["both"], first)
            yield (measure, m, "influence"), np.stack(score.interval())
            if setting.fixed:
                score = ef.infer.influence_score(
                    measure, tables["both"], first, class_counts="fixed"
                )
                yield (measure, m, "influence, told"), np.stack(score.interval())
            for pair, (a, b) in PAIRS.items():
                old = getattr(ef.infer, f"bayes_{measure}")(counts[a], counts[b], m=m)
                new = getattr(ef.infer, f"influence_{measure}")(tables[a], tables[b], first)
                for method, d in (("published", old), ("influence", new)):
                    p = d.probability()
                    yield (measure, m, method, pair), 2 * np.minimum(p, 1 - p)


def coverage_table(studies: list[Study], m: int) -> str:
    """Return coverage of nominal 95 % intervals, published → influence (and for fixed counts)."""
    rows = ["| setting | precision | recall | F1 |", "| --- | --- | --- | --- |"]
    for result in studies:
        cells = []
        for measure in MEASURES:
            pair = [result.coverage(measure, m, method) for method in ("published", "influence")]
            cell = " → ".join(f"{100 * c:.1f}" for c in pair)
            if result.setting.fixed:
                cell += f" (told: {100 * result.coverage(measure, m, 'influence, told'):.1f})"
            cells.append(cell)
        rows.append(f"| {result.setting.name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def test_table(studies: list[Study], m: int) -> str:
    """Return real error at .05, and power at a real error of .05, published → influence."""
    rows = [
        "| setting | score | error, equal algorithms | power, one more feature | power, moved "
        "threshold |",
        "| --- | --- | --- | --- | --- |",
    ]
    for result in studies:
        for measure in MEASURES:
            methods = ("published", "influence")
            error = " → ".join(f"{result.rejections(measure, m, k, 'equal'):.3f}" for k in methods)
            gains = [
                " → ".join(f"{result.power(measure, m, k, pair):.2f}" for k in methods)
                for pair in ("feature", "threshold")
            ]
            rows.append(
                f"| {result.setting.name} | {measure} | {error} | {gains[0]} | {gains[1]} |"
            )
    return "\n".join(rows)


def draw(studies: list[Study], m: int, path: str) -> None:
    """Draw coverage of one score, and error and power of pairs, published beside influence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 8.2), layout="constrained")
    axes = figure.subplots(3, 3, sharey=True)
    names = [result.setting.name for result in studies]
    rows = np.arange(len(studies))[::-1]
    titles = (
        "coverage at 95 %",
        "error at .05",
        "power at a real error of .05\n(one more feature)",
    )
    for column, measure in enumerate(MEASURES):
        for row, title in enumerate(titles):
            ax = axes[row, column]
            for method, mark, colour in (
                ("published", "o", "#b0672a"),
                ("influence", "D", "#1f6f8b"),
            ):
                values = [_drawn(result, row, measure, m, method) for result in studies]
                replications = len(studies[0].pvalues[measure, m, method, "equal"])
                errors = 2 * np.sqrt(np.multiply(values, np.subtract(1, values)) / replications)
                ax.errorbar(
                    values, rows, xerr=errors, fmt=mark, color=colour, label=method, markersize=5
                )
            ax.set_xlim(*((0.62, 1.01), (0, 0.28), (0, 1))[row])
            ax.axvline((0.95, 0.05, np.nan)[row], color="0.6", linewidth=0.8)
            ax.set_yticks(rows, names, fontsize=8)
            ax.set_xlabel(title, fontsize=8)
            ax.tick_params(axis="x", labelsize=8)
            ax.grid(axis="y", color="0.92")
            if row == 0:
                ax.set_title(measure if measure != "f1" else "F1", fontsize=10)
    axes[0, 0].legend(fontsize=8, loc="lower left")
    figure.savefig(path, dpi=110)


def _drawn(result: Study, row: int, measure: str, m: int, method: str) -> float:
    if row == 0:
        knows = method == "influence" and result.setting.fixed
        return result.coverage(measure, m, "influence, told" if knows else method)
    return (
        result.rejections(measure, m, method, "equal")
        if row == 1
        else result.power(measure, m, method, "feature")
    )


def main() -> None:
    """Print all tables and, where a path is given, draw the picture."""
    replications = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    studies = []
    for setting in SETTINGS:
        studies.append(study(setting, replications))
        print(f"{setting.name}: done", file=sys.stderr)
    for m in (3, M):
        print(f"\nm = {m}, {replications} data sets per setting, coverage in percent\n")
        print(coverage_table(studies, m))
        print(f"\nm = {m}, tests\n\n{test_table(studies, m)}")
    if len(sys.argv) > 2:
        draw(studies, M, sys.argv[2])


if __name__ == "__main__":
    main()

"""
How often a comparison errs where settings were chosen on all the data before it.

A nearest-centroid classifier reads a few of ten columns, and a search by cross-validation chooses
which. It is compared with the classifier that reads all columns, in two ways: the search itself is
compared, so that it runs within every training set; or it runs once on all the data, and the
classifier with the columns that it found is compared. Labels are fair coins, so that no classifier
is better than another and every verdict of *better* is wrong; or the classes are two Gaussians that
differ in two columns, where what models trained on half of the examples truly differ by is measured
on fresh samples. Run it by itself, ``python -m papers.studies.tuned [data sets]``: 2000 take
about half an hour on one core. It keeps what it found in ``papers/studies/tuned.json``;
docs/tuned-models.md quotes it.
"""

import json
import sys
from itertools import combinations, product
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

import evenfold as ef
from evenfold.core.rng import stream

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
KEPT = Path(__file__).with_suffix(".json")
SEED = 45
COLUMNS = 10
APART = 0.3  # half the distance of the means of the two columns that tell something
FOLDS = 5  # of the search
FRESH = 2000  # training sets, with as many examples to test each, for what is true
DESIGN = ef.Mx2BCV(7)


class Centroids(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The class of the nearer mean, by some of the columns."""

    def __init__(self, columns: tuple[int, ...] = tuple(range(COLUMNS))) -> None:
        self.columns = columns

    def fit(self, X: Floats, y: Labels) -> Self:
        self.classes_ = np.unique(y)
        self.means_ = means(X, y)
        return self

    def predict(self, X: Floats) -> Labels:
        score = margins(X, self.means_)[:, list(self.columns)].sum(axis=1)
        return np.asarray(self.classes_[(score > 0).astype(int)])


class Search(Centroids):
    """The same by so many columns, which cross-validation within the training set chooses."""

    def __init__(self, size: int = 2) -> None:
        self.size = size

    def fit(self, X: Floats, y: Labels) -> Self:
        settings = [*combinations(range(COLUMNS), self.size)]
        wrong = np.zeros(len(settings))
        fold = np.arange(len(y)) % FOLDS
        for k in range(FOLDS):
            test = fold == k
            each = margins(X[test], means(X[~test], y[~test]))
            for s, columns in enumerate(settings):
                score = each[:, list(columns)].sum(axis=1)
                wrong[s] += np.sum((score > 0) != y[test])
        self.columns = settings[int(wrong.argmin())]
        self.best_params_ = {"columns": self.columns}
        return super().fit(X, y)


def means(X: Floats, y: Labels) -> Floats:
    """Return the mean of each class in each column."""
    return np.stack([X[y == label].mean(axis=0) for label in (0, 1)])


def margins(X: Floats, of: Floats) -> Floats:
    """Return by how much each column is nearer to the mean of the second class, as a square."""
    first = (X - of[0]) ** 2
    second = (X - of[1]) ** 2
    return np.asarray(first - second)


def draw(signal: bool, n: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """Draw as many examples of either class; with signal, two columns tell something."""
    y = rng.permutation(n) % 2
    X = rng.normal(size=(n, COLUMNS))
    if signal:
        X[:, :2] += APART * (2 * y[:, None] - 1)
    return X, y


def true_error(model: Any, n_train: int) -> float:
    """Measure the expected error of a model trained on so many examples with signal."""
    errors = []
    for k in range(FRESH):
        X, y = draw(True, n_train + FRESH, stream(SEED, "fresh", n_train, k))
        fitted = model.fit(X[:n_train], y[:n_train])
        errors.append(np.mean(fitted.predict(X[n_train:]) != y[n_train:]))
    return float(np.mean(errors))


class Truths(dict[tuple[str, int], float]):
    """True errors by model and size of the training set, each measured once."""

    def of(self, model: Any, n_train: int) -> float:
        """Return the true error; columns that tell nothing are interchangeable."""
        if type(model) is Centroids:
            useful = sorted(column for column in model.columns if column < 2)
            useless = range(2, 2 + len(model.columns) - len(useful))
            model = Centroids((*range(len(useful)), *useless))
        key = (repr(model), n_train)
        if key not in self:
            self[key] = true_error(model, n_train)
        return self[key]


def measure(
    *, way: str, signal: bool, n: int, size: int, data_sets: int, truths: Truths
) -> dict[str, Any]:
    """Compare on so many data sets, and count verdicts and intervals that promise too much."""
    excess = []
    better = worse = too_good = 0
    for k in range(data_sets):
        X, y = draw(signal, n, stream(SEED, str(signal), n, k))
        tuned: Centroids = Search(size)
        if way == "first":
            tuned = Centroids(tuned.fit(X, y).columns)
        models = {"plain": Centroids(), "tuned": tuned}
        c = ef.compare(models, X, y, design=DESIGN, random_state=k)
        truth = 0.0
        if signal:
            truth = truths.of(tuned, n // 2) - truths.of(models["plain"], n // 2)
        better += c.verdict.outcome is ef.Outcome.BETTER
        worse += c.verdict.outcome is ef.Outcome.WORSE
        too_good += c.interval[1] < truth
        excess.append(c.value - truth)
    return {
        "way": way,
        "signal": signal,
        "n": n,
        "settings": len([*combinations(range(COLUMNS), size)]),
        "data_sets": data_sets,
        "better": better / data_sets,
        "worse": worse / data_sets,
        "too_good": too_good / data_sets,
        "excess": float(np.mean(excess)),
        "excess_se": float(np.std(excess, ddof=1) / data_sets**0.5),
    }


def table(kept: dict[str, Any]) -> str:
    """Write the table of docs/tuned-models.md, made of what was found."""
    rows = kept["rows"]
    head = (
        "labels",
        "examples",
        "settings",
        "too good a verdict or interval, tuned first",
        "tuned within",
        "mean gain beyond the true one, tuned first",
        "tuned within",
    )
    lines = [head, (":---", *["---:"] * 6)]
    for first, within in zip(rows[::2], rows[1::2], strict=True):
        labels = "two columns tell" if first["signal"] else "coins"
        shares = [_share(row["too_good"], row["data_sets"]) for row in (first, within)]
        excess = [f"{-row['excess']:.3f}".replace("-", "−") for row in (first, within)]
        lines.append((labels, str(first["n"]), str(first["settings"]), *shares, *excess))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def sentence(kept: dict[str, Any]) -> str:
    """Say in a sentence what the rows with fair coins found."""
    coins = [row for row in kept["rows"] if not row["signal"]]
    first, within = ([row for row in coins if row["way"] == way] for way in ("first", "within"))
    least, most = (f"{100 * end([row['better'] for row in first]):.0f}" for end in (min, max))
    careful = f"{100 * max(row['better'] for row in within):.1f}"
    gain = f"{100 * max(-row['excess'] for row in first):.0f}"
    return (
        "If the settings are tuned on all the data first, a model that is no better is called "
        f"better in {least} to {most}% of the comparisons, and its error seems lower by up to "
        f"{gain} points on average. With the search within every training set it is called better "
        f"in at most {careful}%."
    )


def _share(share: float, of: int) -> str:
    """Write a share with its Monte Carlo error."""
    return f"{share:.3f} ± {(share * (1 - share) / of) ** 0.5:.3f}"


# Signal, examples, how many of the ten columns are chosen, and by what the data sets are divided.
CASES = (
    (False, 100, 1, 1),
    (False, 100, 2, 1),
    (False, 100, 3, 1),
    (False, 200, 2, 2),
    (True, 100, 2, 2),
)


def main(data_sets: int) -> None:
    rows = []
    truths = Truths()
    for (signal, n, size, less), way in product(CASES, ("first", "within")):
        count = data_sets // less
        rows.append(measure(way=way, signal=signal, n=n, size=size, data_sets=count, truths=truths))
        print(rows[-1], flush=True)
    KEPT.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)

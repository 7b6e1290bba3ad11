"""
Draw the pictures of the documentation, each for a light and for a dark page.

``python -m tools.draw_pictures [NAME …]`` writes them to ``docs/_static``, in about a minute. What
they show is computed here, from the package itself where it can be.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import evenfold as ef
from evenfold.core.partition import Partition
from evenfold.core.verdict import Outcome
from tools.photograph import FOLDER, photograph


@dataclass(frozen=True)
class Theme:
    """The colours of a page."""

    name: str
    paper: str
    ink: str
    faint: str
    first: str
    second: str
    third: str


LIGHT = Theme("light", "#ffffff", "#1c2128", "#c9d1d9", "#0b6e99", "#d9730d", "#6b7280")
DARK = Theme("dark", "#14181e", "#e6edf3", "#3d444d", "#4cb5e0", "#f5a25d", "#9aa4af")


def halving(theme: Theme) -> Figure:
    """Which blocks of examples train in each repetition, and how many examples two share."""
    partition = ef.Mx2BCV(3, random_state=0).partition(80)
    even = _training_sets(partition)
    random = _training_sets(ef.design.Mx2(3, random_state=4).partition(80))
    figure = Figure(figsize=(8.0, 2.9), layout="constrained")
    for axes, trains, title in zip(
        figure.subplots(1, 2), (even, random), ("Blocked halvings", "Random halvings"), strict=True
    ):
        order = np.lexsort(trains[::-1])[::-1]
        _draw_halves(axes, trains[:, order], theme)
        shared = [int((trains[i] & trains[j]).sum()) for i, j in ((0, 1), (0, 2), (1, 2))]
        numbers = f"{shared[0]}, {shared[1]} and {shared[2]}"
        axes.set_title(f"{title}\ntraining sets share {numbers} examples", loc="left")
    figure.supxlabel(
        "80 examples: first the blue ones train and the orange ones test, then the reverse"
    )
    return figure


def _training_sets(partition: Partition) -> Any:
    """Return which examples train in the first half of each repetition."""
    trains = np.zeros((3, partition.n), dtype=bool)
    for repetition, indices in enumerate(partition.train[::2]):
        trains[repetition, indices] = True
    return trains


def _draw_halves(axes: Axes, trains: Any, theme: Theme) -> None:
    for row, training in enumerate(trains):
        for column, is_training in enumerate(training):
            colour = theme.first if is_training else theme.second
            axes.add_patch(Rectangle((column, -row), 1, 0.72, color=colour, linewidth=0))
    axes.set_xlim(0, trains.shape[1])
    axes.set_ylim(-2.1, 0.9)
    axes.set_yticks([0.36, -0.64, -1.64], ["repetition 1", "repetition 2", "repetition 3"])
    axes.set_xticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(length=0)


def folds(theme: Theme) -> Figure:
    """What a t-test on repeated folds believes of its precision, and what is true."""
    repetitions = 20
    differences = _differences_of_folds(data_sets=400, repetitions=repetitions)
    runs = np.arange(1, repetitions + 1)
    truth, believed, errors = [], [], []
    for r in runs:
        values = differences[:, :r].reshape(len(differences), -1)
        mean, size = values.mean(axis=1), values.shape[1]
        se = values.std(axis=1, ddof=1) / np.sqrt(size)
        truth.append(mean.std(ddof=1))
        believed.append(np.sqrt(np.mean(se**2)))
        errors.append(np.mean(np.abs(mean) > stats.t.ppf(0.975, size - 1) * se))
    figure = Figure(figsize=(7.6, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(runs, truth, color=theme.first)
    left.plot(runs, believed, color=theme.second)
    left.text(20, truth[-1] * 1.06, "true", color=theme.first, ha="right")
    left.text(20, believed[-1] * 1.6, "what the t-test assumes", color=theme.second, ha="right")
    left.set_ylim(0, None)
    left.set_title("Standard error of the mean difference", loc="left")
    right.plot(runs, np.array(errors) * 100, color=theme.second)
    right.axhline(5, color=theme.first)
    right.text(20, 7, "promised: 5%", color=theme.first, ha="right")
    right.set_ylim(0, 100)
    right.set_title("Equal algorithms called different, %", loc="left")
    for axes in (left, right):
        axes.set_xlabel("runs of ten folds")
        axes.set_xticks([1, 5, 10, 15, 20])
    return figure


def _differences_of_folds(data_sets: int, repetitions: int) -> Any:
    """Return the differences of two equal algorithms, one value per data set, run and fold."""
    rng = np.random.default_rng(0)
    differences = np.empty((data_sets, repetitions, 10))
    for data_set in range(data_sets):
        y = np.repeat([-1.0, 1.0], 50)
        X = 0.5 * y[:, None] + rng.normal(size=(100, 2))  # one feature for each algorithm
        for run in range(repetitions):
            for fold, test in enumerate(np.array_split(rng.permutation(100), 10)):
                train = np.ones(100, dtype=bool)
                train[test] = False
                high, low = (X[train & (y == side)].mean(axis=0) for side in (1, -1))
                wrong = (X[test] > (high + low) / 2) != (y[test, None] > 0)
                errors = wrong.mean(axis=0)
                differences[data_set, run, fold] = errors[1] - errors[0]
    return differences


def interval(theme: Theme) -> Figure:
    """Intervals of forty data sets, most of which contain the true difference."""
    rng = np.random.default_rng(59)
    truth, n = -0.02, 30
    values = truth + 0.03 * rng.normal(size=(40, n))
    mean, se = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(n)
    reach = stats.t.ppf(0.975, n - 1) * se
    figure = Figure(figsize=(7.6, 2.7), layout="constrained")
    axes = figure.subplots()
    for k, (centre, half) in enumerate(zip(mean, reach, strict=True)):
        misses = abs(centre - truth) > half
        colour = theme.second if misses else theme.first
        axes.plot([k, k], [centre - half, centre + half], color=colour, linewidth=2.2)
        axes.plot(k, centre, "o", color=colour, markersize=3.5)
    missed = int((np.abs(mean - truth) > reach).sum())
    axes.axhline(truth, color=theme.ink, linewidth=1)
    axes.set_xticks([])
    axes.set_xlabel("forty data sets of the same kind")
    axes.set_ylabel("difference B − A")
    axes.set_title(
        f"95% intervals: {40 - missed} of 40 contain the true difference (the line)", loc="left"
    )
    return figure


def outcomes(theme: Theme) -> Figure:
    """How the place of an interval beside the margin decides the outcome."""
    rows = (
        ("better", -0.052, -0.026),
        ("equivalent", -0.013, 0.009),
        ("worse", 0.025, 0.056),
        ("inconclusive", -0.034, 0.012),
        ("inconclusive: better, perhaps\nby less than the margin", -0.033, -0.006),
    )
    figure = Figure(figsize=(7.6, 2.9), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(-0.02, 0.02, color=theme.faint, alpha=0.45, linewidth=0)
    axes.axvline(0, color=theme.ink, linewidth=1)
    for row, (_, low, high) in enumerate(rows):
        colour = (theme.first, theme.first, theme.first, theme.third, theme.third)[row]
        axes.plot([low, high], [-row, -row], color=colour, linewidth=5, solid_capstyle="butt")
        axes.plot((low + high) / 2, -row, "o", color=theme.ink, markersize=4)
    axes.set_yticks([-row for row in range(len(rows))], [row[0] for row in rows])
    axes.set_xlim(-0.065, 0.065)
    axes.set_ylim(-4.6, 0.6)
    axes.set_xlabel("← B has the lower error      difference B − A      A has the lower error →")
    axes.set_title("The interval and the margin of 0.02 (the band) give the outcome", loc="left")
    axes.tick_params(axis="y", length=0)
    return figure


def replicability(theme: Theme) -> Figure:
    """Twenty partitions of the same data: how many verdicts agree."""
    X, y = load_breast_cancer(return_X_y=True)
    models = {
        "lda": LinearDiscriminantAnalysis(),
        "svm": make_pipeline(StandardScaler(), SVC()),
    }
    answers = [ef.compare(models, X, y, random_state=seed).pairs[0] for seed in range(20)]
    better = sum(pair.outcome == str(Outcome.BETTER) for pair in answers)
    figure = Figure(figsize=(7.6, 2.7), layout="constrained")
    axes = figure.subplots()
    axes.axhline(0, color=theme.ink, linewidth=1)
    for seed, pair in enumerate(answers):
        colour = theme.first if pair.outcome == str(Outcome.BETTER) else theme.second
        axes.plot([seed, seed], [pair.low, pair.high], color=colour, linewidth=2.6)
        axes.plot(seed, pair.value, "o", color=colour, markersize=4)
    axes.set_xticks([0, 5, 10, 15, 19])
    axes.set_xlabel("random_state: the same data, another partition")
    axes.set_ylabel("svm − lda")
    axes.set_title(f"The verdict is “better” on {better} of 20 partitions", loc="left")
    return figure


PICTURES: dict[str, Callable[[Theme], Figure]] = {
    "blocked-halving": halving,
    "folds-mislead": folds,
    "interval": interval,
    "outcomes": outcomes,
    "replicability": replicability,
}


def draw(name: str) -> None:
    """Write a picture for both pages."""
    for theme in (LIGHT, DARK):
        style: Any = {
            "font.size": 9.5,
            "axes.titlesize": 10,
            "figure.facecolor": theme.paper,
            "axes.facecolor": theme.paper,
            "savefig.facecolor": theme.paper,
            "text.color": theme.ink,
            "axes.labelcolor": theme.ink,
            "axes.edgecolor": theme.third,
            "xtick.color": theme.ink,
            "ytick.color": theme.ink,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
        with rc_context(style):
            PICTURES[name](theme).savefig(FOLDER / f"{name}-{theme.name}.png", dpi=130)


def photograph_report() -> None:
    """Write the first screen of a report as a browser shows it; this needs Chromium."""
    X, y = load_breast_cancer(return_X_y=True)
    models = {
        "lda": LinearDiscriminantAnalysis(),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        ef.compare(models, X, y, random_state=0).to_html(page)
        photograph(page, "report", width=880, height=690)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or [*PICTURES, "report"]:
        if chosen == "report":
            photograph_report()
        else:
            draw(chosen)

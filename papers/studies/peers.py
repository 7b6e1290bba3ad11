"""
Other libraries beside evenfold, on the same data.

``python -m papers.studies.peers [replications]``.

One run measures everything that ``docs/how-evenfold-compares.md`` says in numbers: what each
answers to one real question, in which time; how often each calls two equal algorithms different
(type I error) and two different ones (power); the same of equal independent runs; and what becomes
of equal models, NaN, frames, word labels and a rare class. It writes ``papers/studies/peers.json``,
the tables of the page; a test holds them against the file. ``--page`` writes them anew from
the file. Peers come with ``pip install "evenfold[peers]"``; of those that are not installed the
rows of the file are kept, and file and page say on which day each library was measured.
"""

import json
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

RESULTS = Path(__file__).with_name("peers.json")
PAGE = Path(__file__).parents[2] / "docs" / "how-evenfold-compares.md"
PACKAGES = ("mlxtend", "scikit-learn", "baycomp", "autorank", "deepsig", "evenfold")
LEVEL = 0.05
# of a posterior probability, so that both sides together err as a test at the level
SURE = 1 - LEVEL / 2
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)
TENS = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
SPLITS = ShuffleSplit(30, test_size=0.3, random_state=0)
# the signal of each of the first ten columns, which A sees, and of the last ten, for B
EQUAL = (0.4, 0.4)
DIFFERENT = (0.3, 0.5)


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """What a peer says: whether it calls A and B different, and its own words for it."""

    differ: bool
    words: str


Peer = Callable[[Any, Any, Any, Any], Answer]


class Columns(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    Least squares on some columns, read as a classifier.

    It is fast, and equal to its mirror by symmetry.
    """

    def __init__(self, first: int = 0, last: int = 10) -> None:
        self.first, self.last = first, last

    def fit(self, X: Any, y: Any) -> "Columns":
        self.classes_ = np.unique(y)
        target = np.where(y == self.classes_[-1], 1.0, -1.0)
        self.coef_ = np.linalg.lstsq(X[:, self.first : self.last], target, rcond=None)[0]
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[(X[:, self.first : self.last] @ self.coef_ > 0).astype(int)]


class Nan(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Fails as networks do: predicts NaN."""

    def predict(self, X: Any) -> Any:
        return np.full(len(X), np.nan)


# of one data set: several peers share them
_KNOWN: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}


def scores(a: Any, b: Any, X: Any, y: Any, cv: Any) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(a, Columns):
        return cross_val_score(a, X, y, cv=cv), cross_val_score(b, X, y, cv=cv)
    # asked of many data sets: the same numbers without the checks
    if (id(X), id(cv)) not in _KNOWN:
        pairs = list(cv.split(X, y))
        first, second = (
            [np.mean(m.fit(X[i], y[i]).predict(X[j]) == y[j]) for i, j in pairs] for m in (a, b)
        )
        _KNOWN[id(X), id(cv)] = np.array(first), np.array(second)
    return _KNOWN[id(X), id(cv)]


def mlxtend(name: str, a: Any, b: Any, X: Any, y: Any) -> Answer:
    from mlxtend import evaluate

    statistic, p = getattr(evaluate, name)(a, b, X, y, random_seed=0)
    return Answer(
        differ=p < LEVEL, words=f"{'F' if 'ftest' in name else 't'} = {statistic:.2f}, p = {p:.3g}"
    )


def sklearn_example(a: Any, b: Any, X: Any, y: Any) -> Answer:
    """
    Return the frequentist half of scikit-learn's example.

    It has 10×10 folds and Nadeau and Bengio's factor, and is one-sided.
    """
    first, second = scores(a, b, X, y, TENS)
    d = second - first
    n_test = len(X) / 10
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / len(d) + n_test / (len(X) - n_test)))
    p = stats.t.sf(np.abs(t), len(d) - 1)
    return Answer(differ=bool(p < LEVEL / 2), words=f"t = {t:.2f}, p = {p:.3g} (one-sided)")


def baycomp(cv: Any, a: Any, b: Any, X: Any, y: Any) -> Answer:
    from baycomp import two_on_single

    left, right = two_on_single(*scores(a, b, X, y, cv))
    return Answer(
        differ=bool(max(left, right) > SURE),
        words=f"P(A better) {left:.3f}, P(B better) {right:.3f}",
    )


def autorank(cv: Any, a: Any, b: Any, X: Any, y: Any) -> Answer:
    from autorank import autorank as rank

    first, second = scores(a, b, X, y, cv)
    with redirect_stdout(StringIO()):  # it prints its table
        ranking = rank(pd.DataFrame({"a": first, "b": second}), alpha=LEVEL, verbose=False)
    return Answer(
        differ=bool(ranking.pvalue < LEVEL), words=f"{ranking.omnibus}: p = {ranking.pvalue:.3g}"
    )


@cache
def bounds(
    first: tuple[float, ...], second: tuple[float, ...], iterations: int
) -> tuple[float, float]:
    """ε_min of B over A and of A over B; asked once where two thresholds are held against it."""
    from deepsig import aso

    ask = partial(aso, show_progress=False, seed=0, num_bootstrap_iterations=iterations)
    return float(ask(second, first)), float(ask(first, second))


def deepsig(threshold: float, a: Any, b: Any, X: Any, y: Any, *, iterations: int = 1000) -> Answer:
    first, second = (tuple(side.tolist()) for side in scores(a, b, X, y, FOLDS))
    up, down = bounds(first, second, iterations)
    return Answer(
        differ=bool(min(up, down) < threshold),
        words=f"ε_min of B over A {up:.2f}, of A over B {down:.2f}",
    )


def evenfold(method: str | None, a: Any, b: Any, X: Any, y: Any, **options: Any) -> Answer:
    c = ef.compare({"A": a, "B": b}, X, y, method=method, random_state=0, **options)
    outcome, pair = str(c.verdict.outcome), c.facts.pairs[0]
    if outcome == "not applicable":
        return Answer(differ=False, words=" ".join(pair.sentence.split())[:90] + " …")
    sure = "" if pair.probability is None else f", P(B better) {pair.probability:.3f}"
    size = ef.infer.methods()[c.facts.method.key].n_train(c.partition)
    words = (
        f"{outcome}: {pair.value:+.3f}, {pair.low:+.3f} to {pair.high:+.3f}{sure}; trained on "
        f"{size}"
    )
    return Answer(differ=outcome in ("better", "worse"), words=words)


PEERS: dict[str, Peer] = {
    "mlxtend `paired_ttest_5x2cv`": partial(mlxtend, "paired_ttest_5x2cv"),
    "mlxtend `combined_ftest_5x2cv`": partial(mlxtend, "combined_ftest_5x2cv"),
    "mlxtend `paired_ttest_kfold_cv`": partial(mlxtend, "paired_ttest_kfold_cv"),
    "mlxtend `paired_ttest_resampled`": partial(mlxtend, "paired_ttest_resampled"),
    "scikit-learn's example, 10×10 folds": sklearn_example,
    "baycomp, 10 folds": partial(baycomp, FOLDS),
    "baycomp, 30 splits of 70/30": partial(baycomp, SPLITS),
    "autorank, 10 folds": partial(autorank, FOLDS),
    "autorank, 10×10 folds": partial(autorank, TENS),
    "deepsig `aso` below .5, 10 folds": partial(deepsig, 0.5),
    "deepsig `aso` below .2, 10 folds": partial(deepsig, 0.2),
    "evenfold, default": partial(evenfold, None),
    "evenfold, correlated Bayesian t-test, 30 splits of 70/30": partial(
        evenfold, "bayes-correlated-t", design=ef.design.RLT(30, 0.7)
    ),
    "evenfold, nested cross-validation": partial(evenfold, "nested-cv"),
}
THRESHOLDS = {"deepsig `aso` below .5, 10 folds": 0.5, "deepsig `aso` below .2, 10 folds": 0.2}
# else said twice
ANSWERING = {name: peer for name, peer in PEERS.items() if THRESHOLDS.get(name) != 0.2}
# asked of one data set in so many
SLOW = dict.fromkeys(THRESHOLDS, 5) | {"evenfold, nested cross-validation": 2}
QUICK: dict[str, Peer] = {
    name: partial(deepsig, threshold, iterations=100) for name, threshold in THRESHOLDS.items()
}


def asked(peer: Peer, a: Any, b: Any, X: Any, y: Any) -> tuple[Answer | Exception, float]:
    """The answer, or what was raised, and the processor seconds it took."""
    begin = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer: Answer | Exception = peer(a, b, X, y)
    except Exception as error:
        answer = error
    return answer, time.process_time() - begin


def package_of(row: str) -> str:
    """The library that a row is about: the first word of its name."""
    return row.split()[0].rstrip(",").removesuffix("'s")


def is_installed(package: str) -> bool:
    return find_spec({"scikit-learn": "sklearn"}.get(package, package)) is not None


def installed(peers: dict[str, Peer]) -> dict[str, Peer]:
    return {name: peer for name, peer in peers.items() if is_installed(package_of(name))}


def one_question() -> Iterator[list[Any]]:
    X, y = load_breast_cancer(return_X_y=True)
    for name, peer in installed(ANSWERING).items():
        answer, seconds = asked(peer, DecisionTreeClassifier(random_state=0), GaussianNB(), X, y)
        yield [
            name,
            answer.words if isinstance(answer, Answer) else short(answer),
            round(seconds, 2),
        ]


def called_different(replications: int, signals: tuple[float, float]) -> list[list[Any]]:
    """How often each peer calls A and B different, which see ten columns with these signals."""
    peers = installed(PEERS)
    calls: dict[str, list[bool]] = {name: [] for name in peers}
    weights = np.repeat(signals, 10)
    for r in range(replications):
        rng = np.random.default_rng(r)
        X = rng.normal(size=(200, 20))
        y = (X @ weights + rng.normal(size=200) > 0).astype(int)
        _KNOWN.clear()
        for name, peer in peers.items():
            if r % SLOW.get(name, 1) == 0:
                answer, _ = asked(QUICK.get(name, peer), Columns(0, 10), Columns(10, 20), X, y)
                calls[name].append(isinstance(answer, Answer) and answer.differ)
    return [[name, sum(called), len(called)] for name, called in calls.items()]


def true_difference(examples: int = 20_000, data_sets: int = 200) -> list[float]:
    """The true difference in error, A − B, of models trained on 100 and on 180 examples."""
    weights = np.repeat(DIFFERENT, 10)
    rng = np.random.default_rng(0)
    differences = []
    for size in (100, 180):
        gaps = []
        for _ in range(data_sets):
            X = rng.normal(size=(size + examples, 20))
            y = (X @ weights + rng.normal(size=len(X)) > 0).astype(int)
            wrong = [
                np.mean(model.fit(X[:size], y[:size]).predict(X[size:]) != y[size:])
                for model in (Columns(0, 10), Columns(10, 20))
            ]
            gaps.append(wrong[0] - wrong[1])
        differences.append(round(float(np.mean(gaps)), 3))
    return differences


def equal_runs(replications: int) -> list[list[Any]]:
    """Ten scores of each of two equal learning procedures, independent, as deepsig wants them."""
    runs = [np.random.default_rng(r).normal(size=(2, 10)) for r in range(replications)]
    rows: list[list[Any]] = []
    if is_installed("deepsig"):
        some = runs[:: SLOW[next(iter(THRESHOLDS))]]
        smaller = [min(bounds(tuple(a.tolist()), tuple(b.tolist()), 100)) for a, b in some]
        rows = [
            [name.removesuffix(", 10 folds"), sum(e < threshold for e in smaller), len(smaller)]
            for name, threshold in THRESHOLDS.items()
        ]
    t = [float(ef.infer.runs_t(*both).pvalue) for both in runs]
    return [*rows, ["evenfold, t-test of the runs", sum(p < LEVEL for p in t), len(t)]]


def troubles() -> dict[str, tuple[Any, Any, Any, Any]]:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:300], y[:300]
    rare = np.zeros(300, dtype=int)
    rare[[10, 200]] = 1
    tree, bayes = DecisionTreeClassifier(random_state=0), GaussianNB()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    return {
        "equal models": (bayes, GaussianNB(), X, y),
        "B predicts NaN": (bayes, Nan(), X, y),
        "frame and series": (tree, bayes, frame, pd.Series(y)),
        "word labels": (tree, bayes, X, np.where(y == 1, "yes", "no")),
        "two positives": (make_pipeline(StandardScaler(), LogisticRegression()), bayes, X, rare),
    }


def what_goes_wrong() -> Iterator[list[str]]:
    cases = troubles()
    for name, peer in installed(ANSWERING).items():
        cells = [asked(peer, *case)[0] for case in cases.values()]
        yield [name, *(c.words if isinstance(c, Answer) else short(c) for c in cells)]


def short(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"**{type(error).__name__}**: {lines[0][:60].replace('|', '/')}"


def measured(replications: int) -> dict[str, Any]:
    """Everything, of the libraries that are installed."""
    packages = [package for package in PACKAGES if is_installed(package)]
    for name in ("mlxtend.evaluate", "baycomp", "autorank", "deepsig"):  # loading is not answering
        if name.split(".")[0] in packages:
            import_module(name)
    ef.compare([GaussianNB(), GaussianNB()], np.eye(20), np.arange(20) % 2)
    began = time.process_time()
    today = datetime.now(UTC).date().isoformat()
    results: dict[str, Any] = {
        "versions": {package: version(package) for package in packages},
        "measured": dict.fromkeys(packages, today),
        "kept": [],  # libraries whose rows are those of an earlier run
        "data sets": f"{replications} data sets of seeds 0, 1, 2, …",
    }
    results["question"] = list(one_question())
    results["equal algorithms"] = called_different(replications, EQUAL)
    results["different algorithms"] = called_different(replications, DIFFERENT)
    results["true difference"] = true_difference()
    results["equal runs"] = equal_runs(replications)
    results["troubles"] = list(what_goes_wrong())
    return {**results, "CPU seconds": round(time.process_time() - began)}


def completed(results: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The new results, with the rows of ``before`` for the libraries that these do not have."""
    full = {
        **results,
        "kept": [package for package in PACKAGES if package not in results["versions"]],
    }
    for table in ("versions", "measured"):
        full[table] = {
            package: {**before[table], **results[table]}[package] for package in PACKAGES
        }
    for table in ("question", "equal algorithms", "different algorithms", "equal runs", "troubles"):
        new = {row[0]: row for row in results[table]}
        old = [row for row in before[table] if package_of(row[0]) not in results["versions"]]
        order = [row[0] for row in before[table]]
        rows = [*old, *new.values()]
        full[table] = sorted(
            rows, key=lambda row: order.index(row[0]) if row[0] in order else len(order)
        )
    return full


def tables(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the page, by the name that stands before them in it."""
    rates = '| library | says "different" | data sets |\n| --- | --- | --- |\n'
    cases = " | ".join(troubles())
    made = {
        "question": "| library | answer | CPU seconds |\n| --- | --- | --- |\n"
        + "\n".join(
            f"| {who} | {_marked(words)} | {seconds:.2f} |"
            for who, words, seconds in results["question"]
        ),
        "equal algorithms": _errors_and_power(results),
        "equal runs": rates + "\n".join(_rate(*row) for row in results["equal runs"]),
        "troubles": f"| library | {cases} |\n| --- |{' --- |' * len(troubles())}\n"
        + "\n".join(f"| {' | '.join(map(_marked, row))} |" for row in results["troubles"]),
    }
    half, nearly_full = results["true difference"]
    made["difference"] = (
        f"The true difference in error is {half:.3f} for models trained on 100 examples and "
        f"{nearly_full:.3f} for models trained on 180."
    )
    return {
        "run": (
            f"{_versions(results)}; {results['data sets']}; {results['CPU seconds']} CPU seconds."
        ),
        **made,
    }


def _versions(results: dict[str, Any]) -> str:
    """The version of every library, and the day for those that the last run did not have."""
    listed = []
    for package, number in results["versions"].items():
        kept = package in results["kept"]
        day = f" (rows of an earlier run, {results['measured'][package]})" if kept else ""
        listed.append(f"{package} {number}{day}")
    return f"{', '.join(listed)}; measured on {results['measured']['evenfold']}"


def _errors_and_power(results: dict[str, Any]) -> str:
    lines = [
        "| library | type I error (5% allowed) | power | data sets |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| {name} | {' | '.join(_error_and_power(results, name))} |" for name in PEERS]
    return "\n".join(lines)


def _error_and_power(results: dict[str, Any], name: str) -> tuple[str, str, str]:
    """Type I error (bold where above twice the level), power, and the number of data sets."""
    wrong, count = next(row[1:] for row in results["equal algorithms"] if row[0] == name)
    finds, _ = next(row[1:] for row in results["different algorithms"] if row[0] == name)
    error = _percentage(wrong, count)
    too_often = wrong > 2 * LEVEL * count
    return f"**{error}**" if too_often else error, _percentage(finds, count), str(count)


def _rate(who: str, wrong: int, count: int) -> str:
    text = _percentage(wrong, count)
    return f"| {who} | {f'**{text}**' if wrong > 2 * LEVEL * count else text} | {count} |"


def _percentage(counted: int, of: int) -> str:
    p = counted / of
    return f"{100 * p:.1f}\u00a0±\u00a0{100 * np.sqrt(p * (1 - p) / of):.1f}%"


def _marked(words: str) -> str:
    """An answer that is none stands out; a minus is a true one."""
    words = re.sub(r"(?<!\w)-(?=\d)", "−", words)
    return f"**{words}**" if re.search(r"\bnan\b", words) and "**" not in words else words


def written(page: str, results: dict[str, Any]) -> str:
    """The page with the tables of these results."""
    for name, table in tables(results).items():
        page = with_table(page, name, table)
    return page


def with_table(page: str, name: str, table: str) -> str:
    """The page with one table in its place."""
    begin, end = f"<!-- peers: {name} -->", "<!-- end -->"
    if page.count(begin) != 1:
        raise ValueError(f"the page must have one place {begin}")
    before, rest = page.split(begin)
    return f"{before}{begin}\n\n{table}\n\n{end}{rest.split(end, 1)[1]}"


def main(*arguments: str) -> None:
    if arguments != ("--page",):
        results = measured(int(arguments[0]) if arguments else 300)
        results = completed(results, json.loads(RESULTS.read_text("utf-8")))
        if results["kept"]:
            print(
                f"not installed: {', '.join(results['kept'])}; "
                "their rows are those of the run before"
            )
        RESULTS.write_text(
            json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    results = json.loads(RESULTS.read_text("utf-8"))
    PAGE.write_text(written(PAGE.read_text("utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

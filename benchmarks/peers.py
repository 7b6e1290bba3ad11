"""
Other libraries beside evenfold, on the same data: ``python -m benchmarks.peers [replications]``.

Three tables in Markdown: what each answers to one real question, in which time; how often each calls two
equal algorithms different; and what becomes of equal models, NaN, frames, word labels and a rare class. Peers
that are not installed are left out and named; ``pip install "evenfold[peers]"`` installs all of them.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

LEVEL = 0.05
SURE = 1 - LEVEL / 2  # of a posterior probability, so that both sides together err as a test at the level
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)
TENS = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
SPLITS = ShuffleSplit(30, test_size=0.3, random_state=0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """What a peer says: whether it calls A and B different, and its own words for it."""

    differ: bool
    words: str


Asked = Callable[[Any, Any, Any, Any], Answer]


class Columns(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Least squares on some columns, read as a classifier: fast, and equal to its mirror by symmetry."""

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


def scores(a: Any, b: Any, X: Any, y: Any, cv: Any) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(a, Columns):  # asked of many data sets: the same numbers without the checks
        pairs = list(cv.split(X, y))
        first, second = ([np.mean(m.fit(X[i], y[i]).predict(X[j]) == y[j]) for i, j in pairs] for m in (a, b))
        return np.array(first), np.array(second)
    return cross_val_score(a, X, y, cv=cv), cross_val_score(b, X, y, cv=cv)


def mlxtend(name: str, a: Any, b: Any, X: Any, y: Any) -> Answer:
    from mlxtend import evaluate

    statistic, p = getattr(evaluate, name)(a, b, X, y, random_seed=0)
    return Answer(differ=p < LEVEL, words=f"{'F' if 'ftest' in name else 't'} = {statistic:.2f}, p = {p:.3g}")


def sklearn_example(a: Any, b: Any, X: Any, y: Any) -> Answer:
    """The frequentist half of scikit-learn's example: 10×10 folds, Nadeau and Bengio's factor, one-sided."""
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
        differ=bool(max(left, right) > SURE), words=f"P(A better) {left:.3f}, P(B better) {right:.3f}"
    )


def autorank(cv: Any, a: Any, b: Any, X: Any, y: Any) -> Answer:
    from autorank import autorank as rank

    first, second = scores(a, b, X, y, cv)
    with redirect_stdout(StringIO()):  # it prints its table
        found = rank(pd.DataFrame({"a": first, "b": second}), alpha=LEVEL, verbose=False)
    return Answer(differ=bool(found.pvalue < LEVEL), words=f"{found.omnibus}: p = {found.pvalue:.3g}")


def deepsig(threshold: float, a: Any, b: Any, X: Any, y: Any, *, iterations: int = 1000) -> Answer:
    from deepsig import aso

    first, second = scores(a, b, X, y, FOLDS)
    ask = partial(aso, show_progress=False, seed=0, num_bootstrap_iterations=iterations)
    up, down = ask(second, first), ask(first, second)
    return Answer(
        differ=bool(min(up, down) < threshold), words=f"ε_min of B over A {up:.2f}, of A over B {down:.2f}"
    )


def evenfold(method: str | None, a: Any, b: Any, X: Any, y: Any, **options: Any) -> Answer:
    c = ef.compare({"A": a, "B": b}, X, y, method=method, random_state=0, **options)
    outcome, pair = str(c.verdict.outcome), c.facts.pairs[0]
    if outcome == "not applicable":
        return Answer(differ=False, words=" ".join(pair.sentence.split())[:90] + " …")
    sure = "" if pair.probability is None else f", P(B better) {pair.probability:.3f}"
    size = ef.infer.methods()[c.facts.method.key].n_train(c.partition)
    words = f"{outcome}: {pair.value:+.3f}, {pair.low:+.3f} to {pair.high:+.3f}{sure}; trained on {size}"
    return Answer(differ=outcome in ("better", "worse"), words=words)


PEERS: dict[str, Asked] = {
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
    "evenfold `bayes-correlated-t`, 30 splits of 70/30": partial(
        evenfold, "bayes-correlated-t", design=ef.design.RLT(30, 0.7)
    ),
    "evenfold `nested-cv`": partial(evenfold, "nested-cv"),
}
DEEPSIG = [name for name in PEERS if name.startswith("deepsig")]
SLOW = dict.fromkeys(DEEPSIG, 5) | {"evenfold `nested-cv`": 2}  # asked of one data set in so many
QUICK: dict[str, Asked] = {
    name: partial(deepsig, threshold, iterations=100)
    for name, threshold in zip(DEEPSIG, (0.5, 0.2), strict=True)
}


def asked(peer: Asked, a: Any, b: Any, X: Any, y: Any) -> tuple[Answer | Exception, float]:
    """The answer, or what was raised, and the processor seconds it took."""
    begin = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Answer | Exception = peer(a, b, X, y)
    except Exception as error:
        found = error
    return found, time.process_time() - begin


def installed() -> dict[str, Asked]:
    present = {}
    for name, peer in PEERS.items():
        package = name.split()[0].removesuffix(",")
        try:
            __import__("sklearn" if package.startswith("scikit") else package)
        except ImportError:
            print(f"{package} is not installed: {name} is left out\n")
            continue
        present[name] = peer
    ef.compare([GaussianNB(), GaussianNB()], np.eye(20), np.arange(20) % 2)  # loads what is loaded on use
    return present


def one_question(peers: dict[str, Asked]) -> Iterator[str]:
    X, y = load_breast_cancer(return_X_y=True)
    yield "| who | answer | CPU seconds |\n| --- | --- | --- |"
    for name, peer in peers.items():
        found, seconds = asked(peer, DecisionTreeClassifier(random_state=0), GaussianNB(), X, y)
        yield f"| {name} | {found.words if isinstance(found, Answer) else short(found)} | {seconds:.2f} |"


def equal_algorithms(peers: dict[str, Asked], replications: int) -> Iterator[str]:
    yield '| who | says "different" | data sets |\n| --- | --- | --- |'
    for name, peer in peers.items():
        count = max(replications // SLOW.get(name, 1), 1)
        wrong = []
        for r in range(count):
            rng = np.random.default_rng(r)
            X = rng.normal(size=(200, 20))
            y = (X.sum(axis=1) * 0.4 + rng.normal(size=200) > 0).astype(int)
            found, _ = asked(QUICK.get(name, peer), Columns(0, 10), Columns(10, 20), X, y)
            wrong.append(isinstance(found, Answer) and found.differ)
        p = float(np.mean(wrong))
        yield f"| {name} | {100 * p:.1f} ± {100 * np.sqrt(p * (1 - p) / count):.1f} % | {count} |"


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
        "two positives": (LogisticRegression(max_iter=5000), bayes, X, rare),
    }


def what_goes_wrong(peers: dict[str, Asked]) -> Iterator[str]:
    cases = troubles()
    yield f"| who | {' | '.join(cases)} |\n| --- |{' --- |' * len(cases)}"
    for name, peer in peers.items():
        cells = [asked(peer, *case)[0] for case in cases.values()]
        yield f"| {name} | {' | '.join(c.words if isinstance(c, Answer) else short(c) for c in cells)} |"


def short(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"**{type(error).__name__}**: {lines[0][:90].replace('|', '/')}"


def main(replications: int = 400) -> None:
    peers = installed()
    for title, lines in (
        ("One real question", one_question(peers)),
        ("Two equal algorithms", equal_algorithms(peers, replications)),
        ("What goes wrong", what_goes_wrong(peers)),
    ):
        print(f"## {title}\n")
        for line in lines:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

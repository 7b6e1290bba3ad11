"""
The default of ``compare`` beside the one before it, on six questions and on pairs that are equal.

``python -m papers.studies.default`` prints both tables (a few minutes on one core); the page
``docs/infer/influence.md`` has them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import evenfold as ef

BEFORE, AFTER = "mx2-sequential-t", "mx2-influence-t"
SETS, SIZE = 40, 200


def questions() -> Iterator[tuple[str, tuple[Any, Any], dict[str, Any]]]:
    """Yield the six questions of the comparison benchmark."""
    cancer, wine = load_breast_cancer(return_X_y=True), load_wine(return_X_y=True)
    X, y = load_digits(return_X_y=True)
    digits, diabetes = (X[:600], y[:600]), load_diabetes(return_X_y=True)
    svm, bayes = make_pipeline(StandardScaler(), SVC()), GaussianNB()
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    tree = DecisionTreeClassifier(random_state=0)
    yield "breast cancer", cancer, {"bayes": bayes, "svm": svm}
    yield "breast cancer", cancer, {"logistic": logistic, "svm": svm}
    yield "wine", wine, {"tree": tree, "logistic": logistic}
    yield "digits", digits, {"tree": tree, "svm": svm}
    yield "digits", digits, {"tree": tree, "bayes": bayes}
    yield "diabetes", diabetes, {"tree": DecisionTreeRegressor(random_state=0), "ridge": Ridge()}


def equal_pairs() -> Iterator[tuple[str, Any, Any, dict[str, Any]]]:
    """Yield pairs without a difference, on random parts of one data set."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    for _ in range(SETS):
        part = rng.choice(len(X), SIZE, replace=False)
        seeds = {
            "a": DecisionTreeClassifier(random_state=1),
            "b": DecisionTreeClassifier(random_state=2),
        }
        yield "two seeds of a tree", X[part], y[part], seeds
        noise = rng.normal(size=(SIZE, 2))
        columns = np.hstack([X[part][:, :4], noise])

        def first(A: Any, b: Any, C: Any) -> Any:
            return GaussianNB().fit(A[:, [0, 1, 2, 3, 4]], b).predict(C[:, [0, 1, 2, 3, 4]])

        def second(A: Any, b: Any, C: Any) -> Any:
            return GaussianNB().fit(A[:, [0, 1, 2, 3, 5]], b).predict(C[:, [0, 1, 2, 3, 5]])

        yield "two copies of a noise column", columns, y[part], {"a": first, "b": second}


def main() -> None:
    """Print both tables."""
    print("| data | pair | before | fits | after | fits |\n| --- | --- | --- | --- | --- | --- |")
    for name, (X, y), pair in questions():
        cells = []
        for method in (BEFORE, AFTER):
            c = ef.compare(pair, X, y, method=method, random_state=0)
            of_pair = c.facts.pairs[0]
            cells.append(
                f"{of_pair.outcome}, {of_pair.value:.3g} "
                f"({of_pair.low:.3g} to {of_pair.high:.3g}) | {c.fits}"
            )
        print(f"| {name} | {', '.join(pair)} | {' | '.join(cells)} |", flush=True)
    counts: dict[tuple[str, str], list[int]] = {}
    for name, X, y, both in equal_pairs():
        for method in (BEFORE, AFTER):
            c = ef.compare(both, X, y, method=method, random_state=0)
            counts.setdefault((name, method), []).append(int(c.verdict.outcome.decided))
    print("\n| equal pair | method | false verdicts | data sets |\n| --- | --- | --- | --- |")
    for (name, method), wrong in counts.items():
        print(f"| {name} | {method} | {sum(wrong)} | {len(wrong)} |")


if __name__ == "__main__":
    main()

"""
Fits and seconds until the verdict, on data that scikit-learn bundles, beside what people do today.

Every row is one question, asked in four ways in one run: ``ef.compare`` as it is, the 5×2 t-test of
mlxtend, 10×10-fold cross-validation with the corrected t-test, and 10 folds with the plain t-test.
All are two-sided at the level .05 and run in one thread. A decision is not the truth, which nobody
knows here: the last way says "better" more often than its level allows.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import evenfold as ef

LEVEL, ROUNDS = 0.05, 3


@dataclass(frozen=True, kw_only=True)
class Question:
    """One comparison: is B better than A on this data set."""

    name: str
    X: Any
    y: Any
    a: Any
    b: Any
    scoring: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a way of asking decided, from how many fits."""

    decision: str
    fits: int


def questions() -> list[Question]:
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    tree, bayes = DecisionTreeClassifier(random_state=0), GaussianNB()
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    svm = make_pipeline(StandardScaler(), SVC())
    regressors = DecisionTreeRegressor(min_samples_leaf=5, random_state=0), Ridge(0.1)
    cancer, wine = load_breast_cancer(return_X_y=True), load_wine(return_X_y=True)
    X, y = load_digits(return_X_y=True)
    digits, diabetes = (X[:600], y[:600]), load_diabetes(return_X_y=True)
    rows: list[tuple[str, Any, Any, Any, str]] = [
        ("breast cancer: bayes, svm", cancer, bayes, svm, "accuracy"),
        ("breast cancer: logistic, svm", cancer, logistic, svm, "accuracy"),
        ("wine: tree, logistic", wine, tree, logistic, "accuracy"),
        ("digits (600): tree, svm", digits, tree, svm, "accuracy"),
        ("digits (600): tree, bayes", digits, tree, bayes, "accuracy"),
        ("diabetes: tree, ridge", diabetes, *regressors, "neg_mean_squared_error"),
    ]
    return [
        Question(name=name, X=data[0], y=data[1], a=a, b=b, scoring=scoring)
        for name, data, a, b, scoring in rows
    ]


def evenfold(q: Question) -> Answer:
    comparison = ef.compare(
        {"A": q.a, "B": q.b}, q.X, q.y, level=LEVEL, random_state=0, progress=False
    )
    words = {"better": "B", "worse": "A", "inconclusive": "open"}
    return Answer(decision=words[comparison.verdict.outcome.value], fits=comparison.fits)


def five_by_two(q: Question) -> Answer:
    from mlxtend.evaluate import paired_ttest_5x2cv

    t, p = paired_ttest_5x2cv(q.a, q.b, q.X, q.y, scoring=q.scoring, random_seed=0)
    return Answer(decision=_word(-t, p), fits=20)


def ten_by_ten(q: Question) -> Answer:
    d = _fold_differences(q, repeats=10)
    n = len(q.y)
    estimate = ef.infer.corrected_resampled_t(d, n_train=n - n // 10, n_test=n // 10)
    return Answer(decision=_word(float(estimate.value), float(estimate.pvalue)), fits=200)


def ten_folds(q: Question) -> Answer:
    estimate = ef.infer.kfold_t(_fold_differences(q, repeats=1))
    return Answer(decision=_word(float(estimate.value), float(estimate.pvalue)), fits=20)


def _fold_differences(q: Question, *, repeats: int) -> Any:
    """Scores of B less scores of A, on the same folds."""
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, cross_val_score

    folds = RepeatedStratifiedKFold if q.scoring == "accuracy" else RepeatedKFold
    cv = folds(n_splits=10, n_repeats=repeats, random_state=0)
    a, b = (cross_val_score(model, q.X, q.y, scoring=q.scoring, cv=cv) for model in (q.a, q.b))
    return b - a


def _word(gain: float, pvalue: float) -> str:
    return "open" if pvalue >= LEVEL else "B" if gain > 0 else "A"


WAYS: dict[str, Callable[[Question], Answer]] = {
    "evenfold": evenfold,
    "5×2 t (mlxtend)": five_by_two,
    "10×10 corrected t": ten_by_ten,
    "10-fold t": ten_folds,
}


def timed(q: Question) -> list[tuple[Answer, float]]:
    """All ways one after the other, round after round; the median of each is what counts."""
    seconds: dict[str, list[float]] = {name: [] for name in WAYS}
    answers: dict[str, Answer] = {}
    for _ in range(ROUNDS):
        for name, way in WAYS.items():
            start = perf_counter()
            answers[name] = way(q)
            seconds[name].append(perf_counter() - start)
    return [(answers[name], median(seconds[name])) for name in WAYS]


def main() -> None:
    from threadpoolctl import threadpool_limits

    warnings.simplefilter("ignore")  # what other libraries deprecate is not measured here
    problems = questions()
    for way in WAYS.values():  # import what is imported lazily
        way(problems[0])
    print("\nUntil the verdict: who is better (A, B or open), fits, seconds. The answers are about")
    print("models trained on n/2 examples in the first two columns, on 9n/10 in the others.\n")
    print(f"{'A, B':30}" + "".join(f"{name:>22}" for name in WAYS))
    total = dict.fromkeys(WAYS, 0.0)
    for q in problems:
        with threadpool_limits(1):
            cells = timed(q)
        for name, (_, spent) in zip(WAYS, cells, strict=True):
            total[name] += spent
        row = "".join(
            f"{answer.decision:>7}{answer.fits:>6}{spent:>7.2f} s" for answer, spent in cells
        )
        print(f"{q.name:30}{row}", flush=True)
    ratios = "".join(f"{spent / total['evenfold']:>21.2f}×" for spent in total.values())
    print(f"{'seconds in all, ratio':30}{ratios}")


if __name__ == "__main__":
    main()

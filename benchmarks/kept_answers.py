"""
What it costs to keep probabilities and scores that nobody asked for beside predictions in a store.

The same run with a store, with and without them: seconds of the processor (the least of some runs
in turn) and bytes of the file, then what asking for another measure afterwards costs, log loss or
AUC. ``python -m benchmarks.kept_answers`` prints a table; two minutes on one core.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.run import cells

TIMES = 5
LEARNERS = {
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)),
    "nearest neighbours": KNeighborsClassifier(),
    "SVM": make_pipeline(StandardScaler(), SVC()),
    "forest of 50": RandomForestClassifier(50, random_state=0),
}
DATA = {
    "breast cancer (569, 2 classes)": load_breast_cancer,
    "digits (1797, 10 classes)": load_digits,
}


def seconds_and_bytes(learner: Any, X: Any, y: Any, *, kept: bool) -> tuple[float, int, float]:
    """Return how long five halvings take, how large their store is, and what log loss costs."""
    cells._SMALL_BYTES = 2**20 if kept else 0
    partition = ef.Mx2BCV(5, random_state=0).partition(len(y))
    with TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        begin = process_time()
        ef.run.run({"it": learner}, partition, X, y, seed=0, store=store)
        first = process_time() - begin
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        begin = process_time()
        measure = "log" if hasattr(learner, "predict_proba") else "auc"
        try:
            ef.run.run({"it": learner}, partition, X, y, seed=0, store=store, measures=measure)
        except ef.EvenfoldError:
            return first, size, float("nan")
        return first, size, process_time() - begin


def main() -> None:
    """Print the table."""
    print(
        "data, learner: seconds without and with; kB without and with; another measure afterwards"
    )
    for data, load in DATA.items():
        X, y = load(return_X_y=True)
        for name, learner in LEARNERS.items():
            runs = [
                [seconds_and_bytes(learner, X, y, kept=kept) for kept in (False, True)]
                for _ in range(TIMES)
            ]
            (t0, b0, m0), (t1, b1, m1) = (
                tuple(min(run[i][k] for run in runs) for k in range(3)) for i in range(2)
            )
            print(
                f"{data}, {name}: {t0:.3f} {t1:.3f} s ({t1 / t0 - 1:+.0%}); "
                f"{b0 / 1e3:.0f} {b1 / 1e3:.0f} kB; {m0:.3f} {m1:.3f} s"
            )


if __name__ == "__main__":
    main()

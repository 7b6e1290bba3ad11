"""
What ``ef.compare`` costs beside a bare loop of clone, fit and predict on the same splits.

Every fit takes a known time of the processor, 1 or 10 ms, which it burns, so that a ratio says what
is spent around the fits. The two sides take turns in one process, and a ratio is the median over
the rounds. Counted is the processor time of this process and of its workers, because the machine
may have other work. Peak memory and the first call are measured in processes of their own.

    python -m benchmarks.bench_loop [--keep]

With ``--keep`` the numbers go into ``papers/results/loop.json`` and into the page.
"""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time, thread_time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from threadpoolctl import threadpool_limits

import evenfold as ef

ROWS, COLUMNS, REPETITIONS, ROUNDS = 500, 20, 9, 3
LARGE = (
    ("NumPy", 100_000, 50),
    ("pandas", 100_000, 50),
    ("sparse", 20_000, 1000),
    ("sparse", 100_000, 50),
)
RESULTS = Path(__file__).parents[1] / "papers" / "results" / "loop.json"
PAGE = Path(__file__).parents[1] / "docs" / "lab" / "speed.md"
MARK = "<!-- loop -->"
KINDS = ("NumPy", "pandas", "sparse")
ALGORITHMS = (2, 5, 20)
MILLISECONDS = (1, 10)
MEGABYTE = 2**20


class Burner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Predicts by one feature, and takes as long to fit as it is told."""

    def __init__(self, milliseconds: float = 1.0, feature: int = 0) -> None:
        self.milliseconds = milliseconds
        self.feature = feature

    def fit(self, X: Any, y: Any) -> "Burner":  # noqa: ARG002  (one signature)
        end = thread_time() + self.milliseconds / 1000
        self.classes_ = np.array([0, 1])
        while thread_time() < end:
            pass
        return self

    def predict(self, X: Any) -> Any:
        column = X.iloc[:, self.feature] if hasattr(X, "iloc") else X[:, [self.feature]]
        dense = column.toarray() if hasattr(column, "toarray") else np.asarray(column)
        return (dense.ravel() > 0).astype(int)


def data(kind: str, rows: int = ROWS, columns: int = COLUMNS) -> tuple[Any, Any]:
    """Normal features, of which a tenth is not 0 where they are sparse; the first ones matter."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    y = (X[:, 0] + 0.5 * rng.standard_normal(rows) > 0).astype(int)
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(X, columns=[f"x{i}" for i in range(columns)]), y
    if kind == "sparse":
        from scipy.sparse import csr_array

        return csr_array(X * (rng.random(X.shape) < 0.1)), y
    return X, y


def burners(algorithms: int, milliseconds: float) -> dict[str, Burner]:
    return {f"m{i}": Burner(milliseconds, i % COLUMNS) for i in range(algorithms)}


def take(X: Any, rows: Any) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def error(model: Any, X: Any, y: Any, train: Any, test: Any) -> float:
    """Return the share of wrong predictions of one fit."""
    fitted = clone(model).fit(take(X, train), y[train])
    return float(np.mean(fitted.predict(take(X, test)) != y[test]))


def loop(models: dict[str, Any], X: Any, y: Any, jobs: int) -> Any:
    """The bare loop, over the splits that ``compare`` uses."""
    splits = list(design().partition(len(y)))
    cells = [(model, split) for split in splits for model in models.values()]
    if jobs == 1:
        return [error(model, X, y, *split) for model, split in cells]
    from joblib import Parallel, delayed

    return Parallel(jobs)(delayed(error)(model, X, y, *split) for model, split in cells)


def compare(models: dict[str, Any], X: Any, y: Any, jobs: int) -> Any:
    """The same fits, with the answer in words."""
    return str(ef.compare(models, X, y, design=design(), random_state=0, n_jobs=jobs))


def design() -> Any:
    return ef.Mx2BCV(REPETITIONS, random_state=0)


def processor_seconds() -> float:
    """Return what this process and its workers have used."""
    import psutil

    me = psutil.Process()
    workers = [child.cpu_times() for child in me.children(recursive=True)]
    return process_time() + float(sum(times.user + times.system for times in workers))


def spent(function: Callable[[], Any]) -> float:
    before = processor_seconds()
    function()
    return processor_seconds() - before


def ratio(kind: str, algorithms: int, milliseconds: float, jobs: int) -> tuple[float, float]:
    """Return the ratio to the loop, and what is spent above it, in microseconds per fit."""
    models = burners(algorithms, milliseconds)
    X, y = data(kind)
    for contestant in (loop, compare):  # start workers, import what is imported lazily
        contestant(burners(2, 1), X, y, jobs)
    ratios = []
    above = []
    for _ in range(ROUNDS):
        bare = spent(lambda: loop(models, X, y, jobs))
        whole = spent(lambda: compare(models, X, y, jobs))
        ratios.append(whole / bare)
        above.append(1e6 * (whole - bare) / (2 * REPETITIONS * algorithms))
    return median(ratios), median(above)


# In processes of their own.


def memory(kind: str, contestant: str, rows: int, columns: int) -> float:
    """Return the megabytes that are allocated at the peak, the data included."""
    import tracemalloc

    sides: dict[str, Callable[..., Any]] = {"loop": loop, "compare": compare}
    models = burners(2, 0)
    sides[contestant](models, *data(kind), 1)
    tracemalloc.start()
    X, y = data(kind, rows, columns)
    tracemalloc.reset_peak()
    sides[contestant](models, X, y, 1)
    return tracemalloc.get_traced_memory()[1] / MEGABYTE


FIRST = """
from time import process_time
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
for model in models.values():
    cross_validate(model, X, y, cv=2)
start = process_time()
import evenfold as ef
print(ef.compare(models, X, y, random_state=0).verdict)
print(process_time() - start)
"""


def first() -> float:
    """
    Return the processor seconds of the first ``compare``, its fits and our imports included.

    scikit-learn has been imported and used. The processes keep their bytecode, as an installed
    package does, and the first of them is not counted.
    """
    with TemporaryDirectory() as folder:
        took = [float(_apart(folder, "-c", FIRST).splitlines()[-1]) for _ in range(1 + ROUNDS)]
    return median(took[1:])


def _apart(bytecode: str, *words: str) -> str:
    """Return what another interpreter prints, which keeps its bytecode in a folder."""
    surroundings = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    finished = subprocess.run(
        [sys.executable, *words],
        check=True,
        capture_output=True,
        text=True,
        env=surroundings | {"PYTHONPYCACHEPREFIX": bytecode},
        cwd=RESULTS.parents[2],
    )
    return finished.stdout


def memory_ratio(kind: str, rows: int, columns: int) -> float:
    with TemporaryDirectory() as folder:
        size = str(rows), str(columns)
        peaks = [
            float(_apart(folder, "-m", "benchmarks.bench_loop", kind, side, *size))
            for side in ("compare", "loop")
        ]
    return peaks[0] / peaks[1]


def measured() -> dict[str, Any]:
    """Return all that the page says."""
    times = []
    for jobs, kinds in ((1, KINDS), (2, KINDS[:1])):
        for kind in kinds:
            for algorithms in ALGORITHMS:
                for milliseconds in MILLISECONDS:
                    to_loop, above = ratio(kind, algorithms, milliseconds, jobs)
                    row = {"data": kind, "jobs": jobs, "algorithms": algorithms}
                    row |= {"milliseconds": milliseconds, "ratio": round(to_loop, 3)}
                    times.append(row | {"microseconds": round(above)})
                    print(times[-1], flush=True)
    memory = [
        {"data": kind, "size": size, "ratio": round(memory_ratio(kind, *size), 2)}
        for kind, *size in LARGE
    ]
    return {"first": round(first(), 2), "times": times, "memory": memory}


def table(kept: dict[str, Any]) -> str:
    """Return the tables of the page."""
    times = {
        (row["data"], row["jobs"], row["algorithms"], row["milliseconds"]): row
        for row in kept["times"]
    }
    lines = ["| data | jobs | algorithms | at 1 ms | at 10 ms | µs above the loop, per fit |"]
    lines += ["| --- | --- | --- | --- | --- | --- |"]
    for data_kind, jobs, algorithms in dict.fromkeys(place[:3] for place in times):
        cheap, dear = (times[data_kind, jobs, algorithms, ms] for ms in MILLISECONDS)
        lines.append(
            f"| {data_kind} | {jobs} | {algorithms} | {cheap['ratio']:.2f} | {dear['ratio']:.2f} "
            f"| {cheap['microseconds']} |"
        )
    lines += ["", "| data | rows × columns | peak memory, times that of the loop |"]
    lines += ["| --- | --- | --- |"]
    for row in kept["memory"]:
        rows, columns = row["size"]
        lines.append(f"| {row['data']} | {rows} × {columns} | {row['ratio']:.2f} |")
    took = f"{kept['first']:.2f} s of the processor"
    lines += ["", f"The first call of `compare` takes {took}, its 36 fits included."]
    return "\n".join(lines)


def write_page(kept: dict[str, Any]) -> None:
    """Put the tables between their marks."""
    before, rest = PAGE.read_text(encoding="utf-8").split(MARK, 1)
    after = rest.split(MARK.replace("<!-- ", "<!-- /"), 1)[1]
    end = MARK.replace("<!-- ", "<!-- /")
    PAGE.write_text(f"{before}{MARK}\n{table(kept)}\n{end}{after}", encoding="utf-8")


def main() -> None:
    warnings.simplefilter("ignore")  # the notes of a comparison are not measured
    with threadpool_limits(1):
        kept = measured()
    print(table(kept))
    if "--keep" in sys.argv:
        rows = {name: ",\n  ".join(map(json.dumps, kept[name])) for name in ("times", "memory")}
        lists = ",\n ".join(f'"{name}": [\n  {text}\n ]' for name, text in rows.items())
        text = f'{{\n "first": {kept["first"]},\n {lists}\n}}\n'
        RESULTS.write_text(text, encoding="utf-8")
        write_page(kept)


if __name__ == "__main__":
    if len(sys.argv) == 5:
        print(memory(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        main()

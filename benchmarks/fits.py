"""
Fits per second of every learner of the lab, beside scikit-learn on one core.

``python -m benchmarks.fits``.

With ``--device cuda`` a GPU; both write into the same file, and ``--page`` writes the table of the
docs. What has become faster since is measured ``--again`` on another processor, scikit-learn too,
beside what is kept.

A fit is the loss of one split's model on its test set, from the data to the number, in the seven
repetitions of an m×2 BCV: training sets have n/2 examples. scikit-learn and the lab (NumPy and
Numba) have one thread and take turns; times are processor seconds, the best of three. A device is
given many data sets at once; its time is that of the clock, moving the data there and the losses
back included.
"""

import json
import sys
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import evenfold as ef
from evenfold_lab.algorithm import Algorithm
from evenfold_lab.arrays import Place
from evenfold_lab.fast import (
    KNN,
    LDA,
    MLP,
    OLS,
    SVM,
    Forest,
    GaussianNB,
    Lasso,
    Logistic,
    Perceptron,
    Ridge,
    Tree,
    TriangularKNN,
)
from evenfold_lab.masks import Splits
from evenfold_lab.world import score

N, P = (100, 200, 1000), (8, 20, 100)
REPETITIONS = 7
RESULTS = Path(__file__).parents[1] / "papers" / "results" / "fits.json"
PAGE = Path(__file__).parents[1] / "docs" / "lab" / "speed.md"
MARK = "<!-- fits -->"
NUMBERS: list[Algorithm] = [OLS(), Ridge(1.0), Lasso(0.1), Tree(criterion="squared")]
LABELS: list[Algorithm] = [
    Logistic(C=1.0),
    GaussianNB(),
    LDA(),
    KNN(5),
    TriangularKNN(),
    Tree(),
    Forest(n_trees=10),
    Forest(n_trees=10, max_features=3),
    SVM(kernel="linear"),
    SVM(),
    Perceptron(),
    MLP(hidden=5),
]


def named(algorithm: Algorithm) -> str:
    """The name in the table."""
    return "tree of squares" if algorithm == NUMBERS[-1] else algorithm.name


def data(n: int, p: int, sets: int, measure: str) -> tuple[np.ndarray, np.ndarray]:
    """Normal features, five of which matter, beside as much noise."""
    rng = np.random.default_rng([n, p])
    X = rng.standard_normal((sets, n, p))
    y = X[..., :5].sum(axis=-1) + np.sqrt(5) * rng.standard_normal((sets, n))
    return X, (y > 0).astype(float) if measure == "zero-one" else y


def refits(estimator: Any, X: np.ndarray, y: np.ndarray, splits: Splits) -> None:
    """The plain loop."""
    for r in range(len(X)):
        for train, test in zip(splits.trains, splits.tests, strict=True):
            np.mean((estimator.fit(X[r, train], y[r, train]).predict(X[r, test]) - y[r, test]) ** 2)


def by_lab(algorithm: Algorithm, X: Any, y: Any, splits: Splits, measure: str) -> None:
    """All models of all data sets together."""
    score(measure, y, algorithm.predict(X, y, splits), splits, examples=False)


def timed(function: Callable[[], Any], clock: Callable[[], float]) -> float:
    """Seconds of one call."""
    begin = clock()
    function()
    return clock() - begin


def enough(function: Callable[[int], Any], most: int, least: float) -> int:
    """So many data sets, doubled until they take long enough to be timed."""
    sets = 1
    while sets < most and timed(partial(function, sets), time.perf_counter) < least:
        sets *= 2
    return min(sets, most)


def on_host(algorithm: Algorithm, n: int, p: int, measure: str, least: float) -> dict[str, float]:
    """Fits per second of scikit-learn and of the lab on a core, which take turns."""
    from threadpoolctl import threadpool_limits

    splits = Splits.of([ef.Mx2BCV(REPETITIONS, random_state=0).partition(n)])
    X, y = data(n, p, max(1, min(512, 2**24 // (n * p))), measure)
    estimator = algorithm.estimator()
    sides: dict[str, Callable[[int], Any]] = {
        "scikit-learn": lambda sets: refits(estimator, X[:sets], y[:sets], splits),
        "numpy": lambda sets: by_lab(algorithm, X[:sets], y[:sets], splits, measure),
    }
    for function in sides.values():
        function(1)  # what is compiled on the way
    best = dict.fromkeys(sides, float("inf"))
    with threadpool_limits(1):  # of all libraries, now that they are loaded
        sets = {side: enough(function, len(X), least) for side, function in sides.items()}
        for _ in range(3):
            for side, function in sides.items():
                took = timed(partial(function, sets[side]), time.process_time)
                best[side] = min(best[side], took / (sets[side] * splits.count))
    return {side: float(f"{1 / seconds:.3g}") for side, seconds in best.items()}


def on_device(algorithm: Algorithm, n: int, p: int, measure: str, device: str, most: int) -> float:
    """Fits per second on a device."""
    place = Place.of(device)
    splits = Splits.of([ef.Mx2BCV(REPETITIONS, random_state=0).partition(n)])
    few = data(n, p, max(1, min(500, 2**25 // (n * p))), measure)
    copies = max(1, min(most // len(few[0]), 2**26 // few[0].size))
    X, y = (np.concatenate([a] * copies) for a in few)

    def fit(sets: int) -> None:
        by_lab(algorithm, place.put(X[:sets]), place.put(y[:sets]), splits.on(place), measure)

    fit(1)  # what is compiled on the way
    sets = max(1, len(X) // 64)
    while (took := timed(partial(fit, sets), time.perf_counter)) < 0.4 and sets < len(X):
        sets = min(4 * sets, len(X))
    took = took if took > 1 else min(took, timed(partial(fit, sets), time.perf_counter))
    return float(f"{sets * splits.count / took:.3g}")


def table(kept: dict[str, Any]) -> str:
    """The table of the docs: a row per learner and n, the features side by side."""
    rows = {(row["learner"], row["n"], row["p"]): row for row in kept["rows"]}
    lines = [
        "| learner | n | scikit-learn, fits per second | a core, times as many | a GPU, times as "
        "many |"
    ]
    lines += ["| --- | --- | --- | --- | --- |"]
    for learner, n in dict.fromkeys((learner, n) for learner, n, _ in rows):
        some = [rows[learner, n, p] for p in P]
        each = [_two_digits(row["scikit-learn"]) for row in some]
        core = [_times(row.get("again", row), "numpy") for row in some]
        mark = " †" if all("again" in row for row in some) else ""
        gpu = [_times(row, "device") for row in some]
        lines.append(
            f"| {learner} | {n} | {' · '.join(each)} | {' · '.join(core)}{mark} | "
            f"{' · '.join(gpu)} |"
        )
    return "\n".join(lines)


def _times(row: dict[str, Any], side: str) -> str:
    """A ratio; a dash where nothing was measured."""
    if side not in row:
        return "–"
    return _two_digits(row[side] / row["scikit-learn"])


def _two_digits(x: float) -> str:
    return f"{float(f'{x:.2g}'):,.0f}" if x >= 10 else f"{x:.1f}"


def write_page() -> None:
    """Put the table between its marks."""
    before, rest = PAGE.read_text(encoding="utf-8").split(MARK, 1)
    after = rest.split(MARK.replace("<!-- ", "<!-- /"), 1)[1]
    lines = table(json.loads(RESULTS.read_text(encoding="utf-8")))
    text = f"{before}{MARK}\n{lines}\n{MARK.replace('<!-- ', '<!-- /')}{after}"
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--device", default=None)
    parser.add_argument("--least", type=float, default=0.15)
    parser.add_argument("--most", type=int, default=20_000)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument(
        "--below", type=float, default=float("inf"), help="those again that were slower"
    )
    parser.add_argument("-n", type=int, nargs="*", default=N)
    parser.add_argument("-p", type=int, nargs="*", default=P)
    parser.add_argument("--again", help="the processor, in words", default=None)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.page:
        write_page()
        return
    warnings.simplefilter("ignore")  # networks that stop early, features that are many
    known = (
        json.loads(options.out.read_text(encoding="utf-8"))
        if options.out.exists()
        else {"rows": []}
    )
    rows = {(row["learner"], row["n"], row["p"]): row for row in known["rows"]}
    for measure, algorithms in (("squared", NUMBERS), ("zero-one", LABELS)):
        for algorithm in algorithms:
            for n, p in ((n, p) for n in options.n for p in options.p):
                row = rows.setdefault(
                    (named(algorithm), n, p), {"learner": named(algorithm), "n": n, "p": p}
                )
                again = row.get("device", 0.0) < options.below * row.get("scikit-learn", 1.0)
                if (options.only and named(algorithm) not in options.only) or not again:
                    continue
                about = _about(options.device)
                if options.device:
                    row["device"] = on_device(
                        algorithm, n, p, measure, options.device, options.most
                    )
                elif options.again:
                    row["again"] = on_host(algorithm, n, p, measure, options.least)
                    about = {"again": about | {"processor": options.again}}
                else:
                    row |= on_host(algorithm, n, p, measure, options.least)
                print(row, flush=True)
                _write(options.out, known | about | {"rows": list(rows.values())})


def _about(device: str | None) -> dict[str, Any]:
    """What was measured where; the seed of a setting is its n and p."""
    if device:
        return {"device": Place.of(device).words}
    return {
        "evenfold": ef.__version__,
        "numpy": np.__version__,
        "numba": version("numba") if find_spec("numba") else None,
        "scikit-learn": version("scikit-learn"),
        "python": sys.version.split()[0],
    }


def _write(file: Path, kept: dict[str, Any]) -> None:
    rows = ",\n".join(json.dumps(row) for row in kept["rows"])
    about = json.dumps({key: value for key, value in kept.items() if key != "rows"}, indent=1)
    file.write_text(f'{about[:-2]},\n "rows": [\n{rows}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()

"""
What users do, before and after: the same calls on an older commit and on this tree, turn by turn.

    python -m benchmarks.before_after [--before COMMIT] [--rounds 7]

Each round is a fresh process for either tree, which warms every operation up and then times it for
a moment. Numbers are medians of processor time over the rounds; the ratio is after / before, and
its range is that of the middle half of the rounds. Version two is the commit before the laboratory
and the papers moved out.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

VERSION_TWO = "2b91b7c6"
ROOT = Path(__file__).parents[1]
MOMENT = 0.1  # seconds that an operation is repeated for, in each round
ROWS = 20_000  # results that a test judges at once

Operations = Iterator[tuple[str, Callable[[], Any]]]


def designs() -> Operations:
    """Partitions, and all their index arrays."""
    from evenfold import design

    y, sources = np.arange(1000) % 3, np.arange(1000) % 8
    even = design.Mx2BCV(7, balance="labels", random_state=0)
    made: list[tuple[str, Any, int, dict[str, Any]]] = [
        ("`Mx2BCV(10)`, n = 1000", design.Mx2BCV(10, random_state=0), 1000, {}),
        ("`Mx2BCV(7)` of labels, n = 1000", even, 1000, {"y": y}),
        ("`BRLT(20, .9)`, n = 200", design.BRLT(20, 0.9, random_state=0), 200, {}),
        ("`RLT(100, .9)`, n = 1000", design.RLT(100, 0.9, random_state=0), 1000, {}),
        ("`KFold(10)`, n = 100 000", design.KFold(10, random_state=0), 100_000, {}),
        (
            "`NestedRLT(5, 15, .1)`, n = 1000",
            design.NestedRLT(5, 15, 0.1, random_state=0),
            1000,
            {},
        ),
        ("`LeaveOneSourceOut()`, n = 1000", design.LeaveOneSourceOut(), 1000, {"groups": sources}),
    ]
    for words, partitioner, n, options in made:
        yield words, partial(_cut, partitioner, n, options)


def _cut(design: Any, n: int, options: dict[str, Any]) -> Any:
    return list(design.partition(n, **options))


def runs(folder: Path) -> Operations:
    """Comparisons of models that cost next to nothing, so that what is left is ours."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    import evenfold as ef

    X, y = load_breast_cancer(return_X_y=True)
    models = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    fixed: dict[str, Any] = {
        "design": ef.Mx2BCV(7, random_state=0),
        "method": "mx2-t",
        "random_state": 0,
    }
    three = {**models, "prior": DummyClassifier(strategy="stratified", random_state=0)}
    fresh = iter(range(10**6))
    influence = {**fixed, "method": "mx2-influence-t"}
    yield "`compare`, m×2 t-test, m = 7", lambda: ef.compare(models, X, y, **fixed)
    yield "`compare`, influence test, m = 7", lambda: ef.compare(models, X, y, **influence)
    yield "`compare`, three algorithms, F1", lambda: ef.compare(three, X, y, measure="f1", **fixed)
    yield (
        "`compare`, store written",
        lambda: ef.compare(models, X, y, store=folder / f"{next(fresh)}.db", **fixed),
    )
    yield "`compare`, resumed", lambda: ef.compare(models, X, y, store=folder / "kept.db", **fixed)
    comparison = ef.compare(models, X, y, **fixed)
    yield "`to_html`", lambda: comparison.to_html(folder / "answer.html")
    yield "`str`", lambda: str(comparison)
    yield "`plan`", lambda: ef.plan(0.01, pilot=comparison)


def tables() -> Operations:
    """Results that exist already."""
    import evenfold as ef

    rng = np.random.default_rng(0)
    answers = {name: rng.integers(0, 2, 1000) for name in ("main", "branch")}
    noisy = {name: rng.normal(size=20) for name in ("main", "branch")}
    right: dict[str, Any] = {"rows": "examples", "measure": "accuracy"}
    runs: dict[str, Any] = {"rows": "runs", "higher_is_better": True, "paired": True}
    yield "`judge`, 1000 examples", lambda: ef.judge(answers, **right)
    yield (
        "`judge`, margin",
        lambda: ef.judge(answers, margin=0.02, alternative="not-worse", **right),
    )
    yield "`judge`, 20 runs", lambda: ef.judge(noisy, **runs)
    yield "`recommended`", lambda: ef.infer.recommended("mx2-bcv")


def inference() -> Operations:
    """Each family of tests, on many results at once: p-values and intervals."""
    from evenfold import design, infer

    rng = np.random.default_rng(0)
    halves, splits = rng.normal(size=(ROWS, 7, 2)), rng.normal(size=(ROWS, 10))
    counts = rng.integers(1, 40, size=(2, ROWS))
    losses, cut = (
        rng.normal(size=(ROWS // 20, 7, 100)),
        design.Mx2BCV(7, random_state=0).partition(100),
    )
    sides = np.stack([np.isin(np.arange(100), train) for train in cut.train[::2]])
    folds = list(rng.normal(size=(10, ROWS // 20, 20)))
    sums = rng.integers(20, 200, size=(2, 20, 3))
    sized: dict[str, Any] = {"n_train": 90, "n_test": 10}
    calls: dict[str, Callable[[], Any]] = {
        "mx2_t": lambda: infer.mx2_t(halves),
        "five_by_two_f": lambda: infer.five_by_two_f(halves[:, :5]),
        "mx2_sequential_t": lambda: infer.mx2_sequential_t(halves),
        "mx2_influence_t": lambda: infer.mx2_influence_t(losses, sides),
        "kfold_t": lambda: infer.kfold_t(splits),
        "corrected_resampled_t": lambda: infer.corrected_resampled_t(splits, **sized),
        "conservative_z": lambda: infer.conservative_z(splits, halves),
        "holdout_t": lambda: infer.holdout_t(splits),
        "mcnemar": lambda: infer.mcnemar(*counts),
        "sources_new_t": lambda: infer.sources_new_t(folds),
    }
    for name, call in calls.items():
        yield f"`{name}`", partial(_read, call)
    yield "`permutation`, 20 tests", lambda: infer.permutation(splits[:20]).pvalue
    yield "`cv_theta5`", lambda: infer.cv_theta5(folds)
    yield "`bayes_f1`, 20 posteriors", lambda: infer.bayes_f1(*sums, m=3).interval()


def _read(call: Callable[[], Any]) -> Any:
    """P-values and intervals are computed when asked for."""
    estimate = call()
    return estimate.pvalue, estimate.confidence_interval()


def studies() -> Operations:
    """Studies of the lab, whose learners are ours."""
    from evenfold import lab

    settings: dict[str, Any] = {"replications": 100, "random_state": 0, "progress": False}
    yield (
        "`lab.correlations`, normal mean",
        lambda: lab.correlations("normal-mean", n=40, m=3, **settings),
    )
    yield (
        "`lab.type1`, two Gaussians",
        lambda: lab.type1("two-gaussians", methods=["5x2-t"], n=200, **settings),
    )


def timed(operations: Operations) -> dict[str, float]:
    """Processor time of one call of each operation."""
    seconds = {}
    for name, call in operations:
        call()
        calls, start = 0, time.process_time()
        while (passed := time.process_time() - start) < MOMENT:
            call()
            calls += 1
        seconds[name] = passed / calls
    return seconds


def work() -> None:
    """What a fresh process does: all of it, and JSON with what it took."""
    started = time.process_time()
    import evenfold

    results = {"imports": {"`import evenfold`": time.process_time() - started}}
    from sklearn.datasets import load_breast_cancer
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X, y = load_breast_cancer(return_X_y=True)
    started = time.process_time()
    print(
        evenfold.compare([DummyClassifier(), GaussianNB()], X, y, random_state=0), file=sys.stderr
    )
    results["imports"]["first `compare` after scikit-learn"] = time.process_time() - started
    evenfold.infer, evenfold.design, evenfold.run, evenfold.lab  # noqa: B018  (loads them)
    results["imports"]["and all its rooms"] = time.process_time() - started
    with TemporaryDirectory() as folder:
        results |= {"designs": timed(designs()), "runs": timed(runs(Path(folder)))}
    results |= {"tables": timed(tables())}
    results |= {"inference": timed(inference()), "studies": timed(studies())}
    print(json.dumps(results))


def ask(tree: Path, cache: Path) -> dict[str, dict[str, float]]:
    """What a fresh process with that tree took."""
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "XDG_CACHE_HOME": str(cache)}
    words = [sys.executable, "-W", "ignore", __file__, "--work"]
    paths = [str(tree / "src"), str(tree / "lab" / "src")]
    environment = {**os.environ, **alone, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, check=True, cwd=cache
    )
    answer: dict[str, dict[str, float]] = json.loads(done.stdout)
    return answer


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """A tree of the commit, for a while."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(place), commit], check=True)
        try:
            yield place
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def main(commit: str, rounds: int) -> None:
    """Print the table."""
    with checkout(commit) as before, TemporaryDirectory() as cache:
        trees = {"before": before, "after": ROOT}
        results: dict[str, list[dict[str, dict[str, float]]]] = {name: [] for name in trees}
        for turn in range(rounds):
            for name in sorted(trees, reverse=turn % 2 == 0):  # who goes first changes
                place = Path(cache) / name
                place.mkdir(exist_ok=True)
                results[name].append(ask(trees[name], place))
    print(f"Processor time, {rounds} rounds in turn; before is {commit}.\n")
    print(
        "| | operation | before, ms | after, ms | ratio | middle half |\n|---|---|--:|--:|--:|--:|"
    )
    for family, operations in results["after"][0].items():
        for name in operations:
            old, new = (
                np.array([answer[family][name] for answer in results[tree]]) for tree in trees
            )
            low, high = np.quantile(new / old, (0.25, 0.75))
            times = f"{1e3 * np.median(old):.3g} | {1e3 * np.median(new):.3g}"
            ratio = np.median(new) / np.median(old)
            print(f"| {family} | {name} | {times} | {ratio:.2f} | {low:.2f}–{high:.2f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--before", default=VERSION_TWO, help="a commit (version two)")
    parser.add_argument("--rounds", type=int, default=7, help="fresh processes for each tree")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work()
    else:
        main(options.before, options.rounds)

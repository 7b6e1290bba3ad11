"""
Heavy loads: a million rows beside a plain loop, 100 000 cells in a store, a thousand calls.

Each figure comes from a process of its own. What counts are ratios and seconds of the processor:
other people's work disturbs the clock.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import numpy as np

import evenfold as ef
from benchmarks.bench_run import constant, halvings, spent

ROWS, COLUMNS, ROUNDS = 1_000_000, 10, 3
MEGABYTE = 2**20


def million(how: str) -> dict[str, float]:
    """Twelve fits on a million rows, by a plain loop or by a run on the same partition."""
    from sklearn.naive_bayes import GaussianNB
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = (X[:, 0] + rng.normal(size=ROWS) > 0).astype(int)
    pair: dict[str, Any] = {"bayes": GaussianNB(), "smooth": GaussianNB(var_smoothing=1e-3)}
    partition = ef.Mx2BCV(3, random_state=0).partition(ROWS)
    few = ef.Mx2BCV(3, random_state=0).partition(1000)
    run = {"loop": _loop, "run": _run}[how]
    run(pair, few, X[:1000], y[:1000])  # imports
    before = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    with threadpool_limits(1):
        took = [spent(lambda: run(pair, partition, X, y)).processor for _ in range(ROUNDS)]
    return {"seconds": min(took), "megabytes": getrusage(RUSAGE_SELF).ru_maxrss / 1024 - before}


def _loop(pair: dict[str, Any], partition: Any, X: Any, y: Any) -> Any:
    from sklearn.base import clone

    return [
        np.mean(clone(estimator).fit(X[train], y[train]).predict(X[test]) != y[test])
        for train, test in partition
        for estimator in pair.values()
    ]


def _run(pair: dict[str, Any], partition: Any, X: Any, y: Any) -> Any:
    return ef.run.run(pair, partition, X, y, seed=0)


def cells(folder: str) -> dict[str, float]:
    """A hundred thousand cells: written, found again, found again for another measure."""
    m, n = 25_000, 24
    partition = halvings(n, m)
    X, y = np.zeros((n, 1)), np.arange(n) % 2
    settings: dict[str, Any] = {"seed": 0, "store": Path(folder) / "runs.db", "version": "1"}

    def run(**more: Any) -> Callable[[], Any]:
        return lambda: ef.run.run(
            {"a": constant, "b": constant}, partition, X, y, **settings, **more
        )

    bare = spent(lambda: [constant(X[a], y[a], X[b]) for a, b in partition for _ in range(2)])
    return {
        "bare": bare.processor,
        "written": spent(run()).processor,
        "again": spent(run()).processor,
        "another": spent(run(measures="f1")).processor,
    }


def calls() -> dict[str, float]:
    """A thousand runs: the memory after the first two hundred and after all."""
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    partition = ef.Mx2BCV(3, random_state=0).partition(60)
    memory = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, 1001):
            ef.run.run([GaussianNB()], partition, X, y, seed=number, store=Path(folder) / "runs.db")
            if number in (200, 1000):
                memory[str(number)] = _resident()
    return memory


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / MEGABYTE


def _apart(*words: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.bench_load", *words]
    return dict(
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    )


def main() -> None:
    loop, run = _apart("million", "loop"), _apart("million", "run")
    print(
        f"\n{ROWS} × {COLUMNS}, 12 fits: plain loop {loop['seconds']:.2f} s, "
        f"+{loop['megabytes']:.0f} MB"
    )
    ratios = run["seconds"] / loop["seconds"], run["megabytes"] / loop["megabytes"]
    print(
        f"  run {run['seconds']:.2f} s, +{run['megabytes']:.0f} MB: {ratios[0]:.2f} ×, "
        f"{ratios[1]:.2f} ×"
    )
    with tempfile.TemporaryDirectory() as folder:
        seconds = _apart("cells", folder)
    print(f"100 000 cells in a store, seconds of processor (a bare loop {seconds['bare']:.2f}):")
    print(f"  written {seconds['written']:.2f} ({1e5 / seconds['written']:.0f} per second)")
    print(f"  found again {seconds['again']:.2f}, for another measure {seconds['another']:.2f}")
    grown = _apart("calls")
    print(f"1000 calls: {grown['200']:.1f} MB after 200, {grown['1000']:.1f} MB after all")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))

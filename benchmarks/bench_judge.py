"""
How long a verdict from a table takes, and how much memory, beside SciPy's bootstrap on that table.

Goals: 10 algorithms × 100 000 examples with a report in 5 s beyond reading; 10⁷ examples of two in
2 GB.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import evenfold as ef

LARGE = 10_000_000
LEVEL_PER_PAIR = 0.0035


def right(k: int, n: int) -> dict[str, Any]:
    """Right and wrong of k models that get better, on n examples."""
    rng = np.random.default_rng(0)
    hard = rng.normal(size=n)
    return {f"m{i}": i / 10 > hard + rng.normal(size=n) for i in range(k)}


def timed(what: str, function: Callable[[], Any]) -> Any:
    begin = time.perf_counter()
    answer = function()
    print(f"{what:65} {time.perf_counter() - begin:7.2f} s")
    return answer


def long(table: dict[str, Any]) -> pd.DataFrame:
    n = len(next(iter(table.values())))
    names = pd.Categorical.from_codes(np.repeat(np.arange(len(table)), n), list(table))
    values = np.concatenate(list(table.values()))
    return pd.DataFrame(
        {"algorithm": names, "example": np.tile(np.arange(n), len(table)), "value": values}
    )


def scipy_bootstrap(table: dict[str, Any], draws: int) -> Any:
    d = table["m1"].astype(float) - table["m0"]
    return stats.bootstrap((d,), np.mean, n_resamples=draws, batch=50, method="percentile", rng=0)


def exact_gate() -> None:
    """P-value and interval of the exact test on 1319 right/wrong answers; goal: .3 s."""
    for fixed, broke in ((0, 12), (26, 26), (150, 140), (330, 300)):
        what = f"tango-exact, 1319 answers, fixed {fixed}, broke {broke}"
        timed(what, partial(_answer, ef.infer.tango_exact(fixed, broke, 1319)))


def family_of_gates() -> None:
    """The 28 exact intervals of 8 models, at one level for each pair; goal: 2 s in all."""
    for n, noise in ((200, 1.0), (500, 0.3), (1319, 0.3), (1319, 1.0)):
        rng = np.random.default_rng(0)
        hard = rng.normal(size=n)
        models = [i / 20 > hard + noise * rng.normal(size=n) for i in range(8)]
        pairs = [(int((b & ~a).sum()), int((a & ~b).sum())) for a, b in combinations(models, 2)]
        differ = np.mean([sum(pair) for pair in pairs])
        what = f"tango-exact, 28 pairs of {n} answers, {differ:.0f} differ on average"
        timed(what, partial(_intervals, pairs, n))


def _intervals(pairs: list[tuple[int, int]], n: int) -> Any:
    return [
        ef.infer.tango_exact(*pair, n).confidence_interval(1 - LEVEL_PER_PAIR) for pair in pairs
    ]


def _answer(e: Any) -> Any:
    return e.pvalue, e.confidence_interval()


def large(form: str) -> None:
    """Judge 10⁷ examples of two models, and say the memory of this process."""
    table = right(2, LARGE)
    c = ef.judge(table, rows="examples", measure="accuracy") if form == "arrays" else _long(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"10⁷ examples, two models, {form}: {c.verdict.outcome}, peak {peak:.2f} GB")


def _long(table: dict[str, Any]) -> ef.Comparison:
    frame = long(table)
    table.clear()
    return ef.judge(frame, measure="accuracy")


def main() -> None:
    if sys.argv[1:2] == ["--large"]:
        large(sys.argv[2])
        return
    # what is loaded on first use
    ef.judge(right(3, 100), rows="examples", measure="accuracy").to_html()
    exact_gate()
    family_of_gates()
    table = right(10, 100_000)
    c = timed(
        "10 models × 100 000 examples, arrays: verdict",
        lambda: ef.judge(table, rows="examples", measure="accuracy"),
    )
    timed("the same: report", c.to_html)
    frame = long(table)
    timed("the same, a long frame: verdict", lambda: ef.judge(frame, measure="accuracy"))
    two = {name: table[name] for name in ("m0", "m1")}
    timed("2 models × 100 000 examples", lambda: ef.judge(two, rows="examples", measure="accuracy"))
    groups = long(two).assign(group=lambda f: f.example // 10)
    timed("the same in 10 000 clusters: clustered-t", lambda: ef.judge(groups, measure="accuracy"))
    options: Any = {"rows": "examples", "measure": "accuracy", "method": "paired-bootstrap"}
    timed("the same: paired-bootstrap, 9999 draws", lambda: ef.judge(two, **options))
    timed("SciPy's percentile bootstrap of the same, 999 draws", lambda: scipy_bootstrap(two, 999))
    for form in ("arrays", "a long frame"):
        timed(f"10⁷ examples of two models, {form}, a process of its own", partial(_process, form))


def _process(form: str) -> None:
    subprocess.run([sys.executable, "-m", "benchmarks.bench_judge", "--large", form], check=True)


if __name__ == "__main__":
    main()

"""
How often a gate of several checks stops a pull request without a change, and passes a bad one.

Three configurations of ``evenfold pr``, each with the level that its checks share. Answers are
right or wrong, and a share of them differs between two equally good models; times have log-normal
noise. A bad pull request is worse in the first check alone, of times in one benchmark, by the
margin or by twice the margin. Decisions are those of the functions that the command calls. Run it
by itself, ``python -m papers.studies.pull_requests [pull requests]``: 1000 take some minutes. It
keeps what it found in ``papers/studies/pull_requests.json``; the table of
docs/gate-a-pull-request.md shows it.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np

from evenfold.core.rng import stream
from evenfold.evals.changes import judge_measurements
from evenfold.evals.measurements import BenchmarkRuns, Measurements
from evenfold.infer import tango_exact

LEVEL, SEED = 0.05, 46
KEPT = Path(__file__).with_suffix(".json")
PASSED, FAILED, UNDECIDED = 0, 3, 4
ORDER = (FAILED, UNDECIDED, PASSED)
WORSE = {"no change": 0.0, "worse by the margin": 1.0, "worse by twice the margin": 2.0}


@dataclass(frozen=True, kw_only=True)
class Answers:
    """A check of right and wrong answers, of which a share differs between equally good models."""

    n: int
    differ: float
    margin: float
    share: float

    def code(self, rng: np.random.Generator, worse: float) -> int:
        """Return the exit code for a head that is worse by so many margins."""
        drop = worse * self.margin
        differ = max(self.differ, drop)
        fixes, breaks = (differ - drop) / 2, (differ + drop) / 2
        fixed, broke, _ = rng.multinomial(self.n, [fixes, breaks, 1 - differ])
        return decide(int(fixed), int(broke), self.n, self.margin, LEVEL * self.share)


@cache
def decide(fixed: int, broke: int, n: int, margin: float, level: float) -> int:
    """Return the code of a check "not worse by the margin", as the command gives it."""
    greater, less = (
        float(tango_exact(fixed, broke, n, null=-margin, alternative=side).pvalue)
        for side in ("greater", "less")
    )
    if greater <= level:
        return PASSED
    return FAILED if less <= level else UNDECIDED


@dataclass(frozen=True, kw_only=True)
class Times:
    """A check of measured times: so many benchmarks, runs a side, and a spread of their logs."""

    benchmarks: int
    runs: int
    spread: float
    margin: float
    share: float

    def code(self, rng: np.random.Generator, worse: float) -> int:
        """Return the exit code for a head whose first benchmark is slower by so many margins."""
        factors = np.ones(self.benchmarks)
        factors[0] = 1 + worse * self.margin
        changes = judge_measurements(
            self._measure(rng, np.ones(self.benchmarks)),
            self._measure(rng, factors),
            margin=self.margin,
            level=LEVEL * self.share,
        )
        return changes.exit_code()

    def _measure(self, rng: np.random.Generator, factors: np.ndarray) -> Measurements:
        logs = rng.normal(0, self.spread, (self.benchmarks, self.runs))
        return Measurements(
            benchmarks={
                f"b{k}": BenchmarkRuns(
                    values=tuple(times.tolist()), unit="s", blocks=tuple(range(self.runs))
                )
                for k, times in enumerate(factors[:, None] * np.exp(logs))
            }
        )


CONFIGURATIONS: Mapping[str, tuple[Answers | Times, ...]] = {
    "600 answers, 4% differ, margin 0.02": (Answers(n=600, differ=0.04, margin=0.02, share=1.0),),
    "12 benchmarks, 12 runs a side, noise 2%, margin 5%": (
        Times(benchmarks=12, runs=12, spread=0.02, margin=0.05, share=1.0),
    ),
    "1319 answers (5% differ, 0.02), 400 answers (2% differ, 0.03), "
    "3 benchmarks (10 runs, 2%, 5%)": (
        Answers(n=1319, differ=0.05, margin=0.02, share=0.5),
        Answers(n=400, differ=0.02, margin=0.03, share=0.25),
        Times(benchmarks=3, runs=10, spread=0.02, margin=0.05, share=0.25),
    ),
}


def study(pull_requests: int) -> list[dict[str, object]]:
    """Return how often each configuration passes, fails, and does not know."""
    rows: list[dict[str, object]] = []
    for name, checks in CONFIGURATIONS.items():
        for situation, worse in WORSE.items():
            rng = stream(SEED, name, situation)
            codes = [_code(checks, rng, worse) for _ in range(pull_requests)]
            shares = {code: codes.count(code) / pull_requests for code in ORDER}
            rows.append(
                {
                    "configuration": name,
                    "situation": situation,
                    "pull_requests": pull_requests,
                    "passes": shares[PASSED],
                    "undecided": shares[UNDECIDED],
                    "regression": shares[FAILED],
                    "errors": {
                        str(code): sqrt(share * (1 - share) / pull_requests)
                        for code, share in shares.items()
                    },
                }
            )
    return rows


def _code(checks: tuple[Answers | Times, ...], rng: np.random.Generator, worse: float) -> int:
    """Return the worst code of all checks; the first of them is worse."""
    codes = {check.code(rng, worse if k == 0 else 0.0) for k, check in enumerate(checks)}
    return next(code for code in ORDER if code in codes)


def table(rows: list[dict[str, object]]) -> str:
    """Write the table of the page."""
    lines = [
        "| configuration | pull request | passes (0) | undecided (4) | regression (3) |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for row in rows:
        shares = " | ".join(
            f"{100 * float(str(row[key])):.1f}%" for key in ("passes", "undecided", "regression")
        )
        lines.append(f"| {row['configuration']} | {row['situation']} | {shares} |")
    return "\n".join(lines)


if __name__ == "__main__":
    kept = study(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(table(kept))

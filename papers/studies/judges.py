"""
How often intervals hold: few labels and many scores of a judge, and differences of quantiles.

A judge is perfect (its score is the label), biased (shifted, shrunk, noisy), or useless (noise);
labels are normal, or right and wrong with a share of .7. Latencies are log-normal, or have the tail
of a t with 3 df, and hang together (correlation .7 of the logarithms); B is slower by a fifth. Run
it by itself, ``python -m papers.studies.judges [tables]``: 4000 tables take minutes. It keeps what
it found in ``papers/studies/judges.json``; docs/judge-is-a-model.md and the notes of the methods
quote it.
"""

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evenfold.core.rng import stream
from evenfold.infer import prediction_powered_t, quantile_difference

Floats = NDArray[np.float64]
KEPT = Path(__file__).with_suffix(".json")
SEED, SCORES = 36, 1000


def _labels(kind: str, rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, float]:
    if kind == "normal":
        return rng.normal(size=shape), 0.0
    return (rng.random(shape) < 0.7).astype(float), 0.7


def _judge(kind: str, labels: Floats, rng: np.random.Generator) -> Floats:
    if kind == "perfect":
        return labels
    if kind == "biased":
        return 0.5 + 0.7 * labels + rng.normal(0, 0.4, labels.shape)
    return rng.normal(size=labels.shape)


def powered(tables: int) -> list[dict[str, Any]]:
    """Coverage and width of prediction-powered intervals, beside those of the labels alone."""
    rows = []
    for n, kind, judge in product(
        (10, 20, 50, 200), ("normal", "right or wrong"), ("perfect", "biased", "useless")
    ):
        rng = stream(SEED, n, kind, judge)
        labels, truth = _labels(kind, rng, (tables, n + SCORES))
        scores = _judge(judge, labels, rng)
        row: dict[str, Any] = {
            "labels": n,
            "scores": SCORES,
            "of": kind,
            "judge": judge,
            "tables": tables,
        }
        for name, weight in (("covered", None), ("alone", 0.0)):
            # labels that are all alike have no spread, and no interval
            varied = np.ptp(labels[:, :n], axis=1) > 0
            estimate = prediction_powered_t(labels[varied, :n], scores[varied], weight=weight)
            low, high = estimate.confidence_interval(0.95)
            row[name] = round(float(((low <= truth) & (truth <= high)).sum() / tables), 4)
            row[f"{name}_width"] = round(float(np.mean(high - low)), 4)
        rows.append(row)
    return rows


def quantiles(tables: int) -> list[dict[str, Any]]:
    """Coverage of differences of quantiles."""
    rows = []
    for tail, (q, n) in product(
        ("log-normal", "t with 3 df"), ((0.5, 50), (0.5, 200), (0.95, 100), (0.95, 400))
    ):
        rng = stream(SEED, tail, n, str(q))
        law = stats.norm() if tail == "log-normal" else stats.t(3)
        truth = 0.2 * float(np.exp(0.4 * law.ppf(q)))
        held = 0
        for table in range(tables):
            z = rng.multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], size=n)
            logs = 0.4 * (z if tail == "log-normal" else law.ppf(stats.norm().cdf(z)))
            a, b = np.exp(logs).T
            estimate = quantile_difference(a, 1.2 * b, q, draws=400, random_state=table)
            held += estimate.low <= truth <= estimate.high
        rows.append(
            {"q": q, "items": n, "tail": tail, "tables": tables, "covered": round(held / tables, 4)}
        )
    return rows


def _span(values: list[float], digits: int = 2) -> str:
    low, high = (f"{value:.{digits}f}".removeprefix("0") for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def powered_sentence(kept: dict[str, Any]) -> str:
    """What docs/judge-is-a-model.md says of the coverage, made of what was found."""
    rows = kept["powered"]
    few = [row["covered"] for row in rows if row["labels"] in (10, 20)]
    more = [row["covered"] for row in rows if row["labels"] in (50, 200)]
    ratio = {
        judge: _span(
            [
                row["covered_width"] / row["alone_width"]
                for row in rows
                if row["judge"] == judge and row["labels"] >= 20
            ]
        )
        for judge in ("perfect", "biased", "useless")
    }
    return (
        f"We simulated a perfect, a biased and a useless judge with {rows[0]['scores']} examples "
        f"that have no label ({rows[0]['tables']} tables each, ± .004). [95% intervals]"
        "(vocabulary.md#measuring) [covered](vocabulary.md#measuring) the truth in "
        f"{_span(few)} of the tables with 10 or 20 labels, and in {_span(more)} with 50 and 200. "
        f"With 20 labels or more they were {ratio['perfect']} times as wide as those of the labels "
        f"alone if the judge was perfect, {ratio['biased']} if it was biased and noisy, and "
        f"{ratio['useless']} if it was useless."
    )


def quantile_sentence(kept: dict[str, Any]) -> str:
    """The same of differences of quantiles."""
    rows = kept["quantiles"]
    return (
        f"It covered {_span([row['covered'] for row in rows])} at a nominal 95% (P50 of 50 and "
        "200 items, P95 of 100 and 400, log-normal and heavier tails; "
        f"{rows[0]['tables']} tables each, ± .007)."
    )


def main(tables: int) -> None:
    kept = {"powered": powered(tables), "quantiles": quantiles(tables // 4)}
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)

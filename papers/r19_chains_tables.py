"""
What the CRFs of ``r19_chains`` say of R19's tables 4.1–4.7 and 6.1.

    python -m papers.r19_chains_tables JOB OUT

Reads how uneven each partition is from JOB, TP, FP and FN of each model from OUT; writes tables
into ``results/text`` and ``results/r19``. Signal to noise is mean over standard deviation, over
partitions.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold_lab.algorithm import Floats
from papers import pages, r19_ratios
from papers._curves import Curves
from papers._table import Cell, Claim, Table, keep
from papers.r19_chains import CUT, HALVED, PARTITIONS, TRAINED
from papers.r19_ratios import SHARES
from papers.r19_text import MEASURES, jackknife

TWENTIETH = 50  # of 1000 halvings, as in R19
TEN = 10  # partitions of table 4.7


def scores(counts: NDArray[Any]) -> Floats:
    """
    Return precision, recall and F1 (3, models) from TP, FP and FN (models, 3).

    A score is 0 if nothing was found.
    """
    tp, fp, fn = counts.T.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = np.stack([tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)])
    return np.where(np.isnan(rates), 0.0, rates)


def signal(x: Floats) -> float:
    """Mean over standard deviation."""
    return float(np.mean(x) / np.std(x, ddof=1))


def _holds(gap: float, error: float) -> bool | None:
    """Whether a positive gap is seen: three standard errors decide."""
    return True if gap > 3 * error else False if gap < -3 * error else None


def _larger(says: str, larger: tuple[float, float], smaller: tuple[float, float]) -> Claim:
    here = f"{larger[0]:.2f} ± {larger[1]:.2f} and {smaller[0]:.2f} ± {smaller[1]:.2f}"
    return Claim(
        says=says,
        holds=_holds(larger[0] - smaller[0], float(np.hypot(larger[1], smaller[1]))),
        here=here,
    )


def table_4_5(job: Path, out: Path) -> Table:
    """Single halvings of six corpora: the most even twentieth of 1000 against the least even."""
    claims = []
    for name, count in HALVED:
        lot = f"halves-{name}-{count}"
        uneven = np.load(job / f"chi-{lot}.npy").ravel()
        values = scores(np.load(out / f"{lot}.npy")).reshape(3, -1, 2).mean(axis=2)
        order = np.argsort(uneven)
        even, odd = order[:TWENTIETH], order[-TWENTIETH:]
        spread = f"χ²/L {uneven[even].mean():.2f} and {uneven[odd].mean():.2f}"
        for measure, row in zip(MEASURES, values, strict=True):
            says = (
                f"{name}, {count} sentences ({spread}), {measure}: signal/noise is larger in "
                "even halvings"
            )
            claims.append(
                _larger(says, *(jackknife(row[chosen], signal) for chosen in (even, odd)))
            )
    note = (
        "1000 random halvings of each corpus, a twentieth at either end (R19: the same); ± by "
        "the jackknife."
    )
    return Table(name="4.5", title="R19 table 4.5, other corpora", note=note, claims=claims)


Cut = dict[str, Floats]  # by design: precision, recall, F1 by partition, (3, partitions)


def cut(out: Path, name: str) -> Cut:
    """Means over the six halves of each partition."""
    lots = (np.load(out / f"cut-{name}-{i}.npy") for i in range(len(PARTITIONS)))
    return {
        d: scores(lot).reshape(3, -1, 6).mean(axis=2)
        for d, lot in zip(PARTITIONS, lots, strict=True)
    }


def table_4_6(out: Path) -> Iterator[Table]:
    """
    Yield the mean, standard deviation and signal to noise of three designs.

    The ratio of the variances to random 3×2 stands beside them.
    """
    cells, claims = [], []
    for name, _ in CUT:
        by_design = cut(out, name)
        for j, measure in enumerate(MEASURES):
            logs = {
                d: jackknife(v[j], lambda x: float(np.log(np.var(x, ddof=1))))
                for d, v in by_design.items()
            }
            base = logs["random 3×2"]
            for design, values in by_design.items():
                row = f"{name}, {design}"
                mean, sd = (
                    float(values[j].mean()),
                    jackknife(values[j], lambda x: float(np.std(x, ddof=1))),
                )
                values_of_row = [("mean", mean, sd[0] / len(values[j]) ** 0.5), ("sd", *sd)]
                values_of_row.append(("signal/noise", *jackknife(values[j], signal)))
                ratio = float(np.exp(logs[design][0] - base[0]))
                error = ratio * float(np.hypot(logs[design][1], base[1]))
                if design != "random 3×2":
                    values_of_row.append(("variance ratio", ratio, error))
                    says = f"{row}: {measure} varies less than with random 3×2"
                    here = f"{ratio:.3f} ± {error:.3f} of its variance"
                    claims.append(Claim(says=says, holds=_holds(1 - ratio, error), here=here))
                cells += [
                    Cell(row=row, column=f"{measure}: {what}", source=None, ours=x, se=se)
                    for what, x, se in values_of_row
                ]
    claims += [_pooled(out, j, measure) for j, measure in enumerate(MEASURES)]
    counts = ", ".join(f"{many} of {design}" for design, many in PARTITIONS.items())
    note = (
        f"Partitions: {counts} (R19: 500 of two designs); 800 tweets, 200 sentences; ± by the "
        "jackknife."
    )
    yield Table(name="4.6", title="R19 table 4.6, other corpora", note=note, cells=cells)
    yield Table(name="4.6-words", title="R19 table 4.6 in words", note=note, claims=claims)


def _pooled(out: Path, j: int, measure: str) -> Claim:
    """Both corpora together: the logarithms of the variance ratios, averaged."""
    logs = []
    for name, _ in CUT:
        by_design = cut(out, name)
        even, base = (
            jackknife(by_design[d][j], lambda x: float(np.log(np.var(x, ddof=1))))
            for d in ("3×2 BCV, balanced", "random 3×2")
        )
        logs.append((even[0] - base[0], float(np.hypot(even[1], base[1]))))
    ratio = float(np.exp(np.mean([log for log, _ in logs])))
    error = ratio * float(np.linalg.norm([se for _, se in logs])) / len(logs)
    here = f"{ratio:.3f} ± {error:.3f} of its variance"
    says = f"both corpora, 3×2 BCV, balanced: {measure} varies less than with random 3×2"
    return Claim(says=says, holds=_holds(1 - ratio, error), here=here)


def table_4_7(job: Path, out: Path) -> Table:
    """The ten least even random partitions against the ten most even balanced ones."""
    claims = []
    for name, _ in CUT:
        by_design = cut(out, name)
        uneven = [
            np.load(job / f"chi-cut-{name}-{i}.npy").max(axis=1) for i in range(len(PARTITIONS))
        ]
        odd, even = np.argsort(uneven[0])[-TEN:], np.argsort(uneven[2])[:TEN]
        spread = f"χ²/L ≤ {uneven[2][even].max():.2f} and ≥ {uneven[0][odd].min():.2f}"
        for j, measure in enumerate(MEASURES):
            even_ratio = jackknife(by_design["3×2 BCV, balanced"][j, even], signal)
            odd_ratio = jackknife(by_design["random 3×2"][j, odd], signal)
            says = f"{name} ({spread}), {measure}: signal/noise is larger in the even partitions"
            claims.append(_larger(says, even_ratio, odd_ratio))
    note = (
        "Ten partitions of each kind, as in R19 (500 and 500 to choose from there); ± by the "
        "jackknife."
    )
    return Table(name="4.7", title="R19 table 4.7, other corpora", note=note, claims=claims)


def ratios(out: Path, name: str, sentences: int) -> Iterator[Table | Curves]:
    """Tables 4.1–4.4: five ratios of training to test."""
    both = [
        scores(np.load(out / f"ratios-{name}-{which}.npy")).reshape(3, len(SHARES), -1)
        for which in "AB"
    ]
    by_ratio = {
        ratio: np.stack([values[:, i] for values in both]) for i, ratio in enumerate(SHARES)
    }
    return r19_ratios.tables(name, by_ratio, sentences)


def tag_sets(out: Path) -> Iterator[Table]:
    """
    Yield BB2B3MES against BMES after more and more steps.

    F1 is that over five 3×2 partitions of all sentences.
    """
    cells, claims = [], []
    for steps in TRAINED:
        both = [scores(np.load(out / f"tags-{tags}-{steps}.npy")) for tags in ("BMES", "BB2B3MES")]
        # by measure and partition
        means = [values.reshape(3, 5, 6).mean(axis=2) for values in both]
        for j, measure in enumerate(MEASURES):
            means_of_tags = {
                "BMES": means[0][j],
                "BB2B3MES": means[1][j],
                "gain": means[1][j] - means[0][j],
            }
            points = {name: _mean(100 * x) for name, x in means_of_tags.items()}
            cells += [
                Cell(
                    row=f"{steps} steps", column=f"{measure}: {name}", source=None, ours=x, se=error
                )
                for name, (x, error) in points.items()
            ]
            mean, se = points["gain"]
            says = f"{steps} steps: {measure} is higher with BB2B3MES"
            claims.append(
                Claim(says=says, holds=_holds(mean, se), here=f"{mean:+.3f} ± {se:.3f} points")
            )
    note = (
        "Five 3×2 BCVs of all 4997 sentences, per cent; ± over the five partitions of the same "
        "sentences."
    )
    yield Table(name="tag-sets", title="R19 table 6.1, words", note=note, cells=cells)
    yield Table(name="tag-sets-words", title="R19 table 6.1 in words", note=note, claims=claims)


def _mean(x: Floats) -> tuple[float, float]:
    return float(x.mean()), float(x.std(ddof=1) / np.sqrt(len(x)))


def main(job: Path, out: Path) -> None:
    """Make the tables of all lots that were fitted."""
    made: dict[str, Callable[[], Iterable[Table | Curves]]] = {
        "halves-*": lambda: [table_4_5(job, out)],
        "cut-*": lambda: [*table_4_6(out), table_4_7(job, out)],
        "tags-*": lambda: tag_sets(out),
        **{f"ratios-{name}-*": partial(ratios, out, name, count) for name, count in CUT},
    }
    for pattern, tables in made.items():
        if len(list(out.glob(f"{pattern}.npy"))) < len(list(job.glob(f"{pattern}.npz"))):
            print(f"{pattern}: not all were fitted")
            continue
        folder = pages.RESULTS / "r19"
        for table in tables():
            if isinstance(table, Curves):
                table.keep(folder)
            else:
                table.show()
                keep(table, folder, device="cuda")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

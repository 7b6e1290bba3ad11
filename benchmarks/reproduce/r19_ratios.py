"""
R19 tables 4.1–4.4 and figures 4.1, 4.2 on free corpora: ``python -m benchmarks.reproduce.r19_ratios FOLDER``.

100 random splits of one corpus at 5:5 to 9:1, a CRF with (A) and without (B) part of its features: borders of
entities in 400 tweets in place of roles in Chinese FrameNet, words of 150 Chinese sentences in place of one
frame. R19 asks at which ratio a score has the largest ratio of signal to noise, mean over standard deviation.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import evenfold as ef
from benchmarks.reproduce import pages, r19_text
from benchmarks.reproduce._curves import Curves
from benchmarks.reproduce._table import Cell, Claim, Table, keep
from evenfold.lab.algorithm import Floats

SHARES = {"5:5": 0.5, "6:4": 0.6, "7:3": 0.7, "8:2": 0.8, "9:1": 0.9}
SPLITS, STEPS, SEED = 100, 20, 4
# By task: sentences, how many of the features B has, tables of R19, its figure.
TASKS = {
    "entities": (400, slice(3, None), ("4.1", "4.2"), "4.1"),
    "words": (150, slice(0, 3), ("4.3", "4.4"), "4.2"),
}
Scores = dict[str, Floats]  # by ratio: (algorithms, measures, splits)


def scores(task: r19_text.Task, kept: slice) -> Scores:
    """Precision, recall and F1 of A and B on the same splits."""
    crf = ef.text.CRFTagger(c2=0.1, max_iterations=STEPS, features=None)
    full = [r19_text._few_features(sentence, task.features) for sentence in task.sentences]
    part = [[token[kept] for token in sentence] for sentence in full]
    found: Scores = {}
    for ratio, share in SHARES.items():
        partition = ef.design.RLT(SPLITS, share, random_state=SEED).partition(len(full))
        both = [
            ef.run.run(
                {"crf": crf}, partition, X, task.tags, measures=list(r19_text.MEASURES), scheme=task.scheme,
                seed=SEED, progress=False,
            )
            for X in (full, part)
        ]  # fmt: skip
        found[ratio] = np.array([[done[m].values[0] for m in r19_text.MEASURES] for done in both])
    return found


def tables(name: str, found: Scores, sentences: int) -> Iterator[Table | Curves]:
    """Means and spreads of both, of A − B, their ratios, and what R19 concludes."""
    _, _, (own, other), figure = TASKS[name]
    splits = found["5:5"].shape[-1]
    note = f"{splits} random splits of {sentences} sentences ({name}), seed {SEED}; ± by the jackknife."
    series: dict[str, dict[str, tuple[int | None, int]]] = {
        own: {f"{a} {m}": (k, j) for k, a in enumerate("AB") for j, m in enumerate(r19_text.MEASURES)},
        other: {f"A − B {m}": (None, j) for j, m in enumerate(r19_text.MEASURES)},
    }
    curves = Curves(
        name=f"r19-{figure}", title=f"R19 figure {figure}: signal to noise by the ratio of training to test",
        x="share that trains", y="mean over standard deviation", note=note,
        panels={"scores": {}, "A − B": {}},
    )  # fmt: skip
    for number, rows in series.items():
        cells, claims = [], []
        for row, (k, j) in rows.items():
            values = {r: v[0, j] - v[1, j] if k is None else v[k, j] for r, v in found.items()}
            signal = {r: r19_text.jackknife(v, _signal) for r, v in values.items()}
            for ratio, v in values.items():
                mean, spread = float(v.mean()), r19_text.jackknife(v, lambda x: float(np.std(x, ddof=1)))
                told = {"mean": (mean, spread[0] / splits**0.5), "sd": spread, "signal/noise": signal[ratio]}
                cells += [_cell(ratio, f"{row}: {what}", *x) for what, x in told.items()]
            panel = curves.panels["A − B" if k is None else "scores"]
            panel[row] = [(SHARES[r], *x) for r, x in signal.items()]
            claims.append(_largest(row, signal))
        yield Table(name=number, title=f"R19 table {number}", note=note, cells=cells)
        yield Table(name=f"{number}-words", title=f"R19 table {number} in words", note=note, claims=claims)
    yield curves


def _signal(x: Floats) -> float:
    return float(np.mean(x) / np.std(x, ddof=1))


def _cell(row: str, column: str, ours: float, se: float) -> Cell:
    return Cell(row=row, column=column, source=None, ours=ours, se=se)


def _largest(row: str, signal: dict[str, tuple[float, float]]) -> Claim:
    """Whether the ratio at 5:5 is above all others, within two standard errors."""
    first, se = signal["5:5"]
    gaps = [(first - value) / np.hypot(se, error) for r, (value, error) in signal.items() if r != "5:5"]
    holds = True if min(gaps) > 0 else None if min(gaps) > -2 else False
    shown = ", ".join(f"{value:.1f}" for value, _ in signal.values())
    return Claim(says=f"{row}: signal/noise is largest at 5:5", holds=holds, here=f"{shown} (5:5 ± {se:.1f})")


def main(folder: Path) -> None:
    for task in r19_text.tasks(folder):
        if task.name in TASKS:
            sentences, kept, *_ = TASKS[task.name]
            for made in tables(task.name, scores(task.part(sentences, 0), kept), sentences):
                if isinstance(made, Curves):
                    made.keep(pages.RESULTS / "r19")
                else:
                    keep(made, pages.RESULTS / "r19")
                    made.show()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

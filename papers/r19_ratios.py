"""
R19 tables 4.1–4.4 and figures 4.1, 4.2 on free corpora, from scores that ``r19_chains`` made.

Random splits of one corpus at 5:5 to 9:1, a CRF with (A) and without (B) part of its features:
borders of entities in tweets in place of roles in Chinese FrameNet, words of Chinese sentences in
place of one frame. R19 asks at which ratio a score has the largest ratio of signal to noise, the
size of its mean over its standard deviation. Split by split the training sets of the ratios are
nested, so that gaps between ratios have errors of their own.
"""

from collections.abc import Iterator

import numpy as np

from evenfold_lab.algorithm import Floats
from papers import r19_text
from papers._curves import Curves
from papers._table import Cell, Claim, Table

SEED = 4
SHARES = {"5:5": 0.5, "6:4": 0.6, "7:3": 0.7, "8:2": 0.8, "9:1": 0.9}
TABLES = {"entities": ("4.1", "4.2"), "words": ("4.3", "4.4")}  # by task: of the scores, of A − B
FIGURES = {"entities": "4.1", "words": "4.2"}
SEEN = 3.0  # errors, for and against, as everywhere
Scores = dict[str, Floats]  # by ratio: (algorithms, measures, splits)


def tables(name: str, scores: Scores, sentences: int) -> Iterator[Table | Curves]:
    """Means and spreads of both, of A − B, their ratios, and what R19 concludes."""
    name_a, other = TABLES[name]
    splits = scores["5:5"].shape[-1]
    note = (
        f"{splits} random splits of {sentences} sentences ({name}), seed {SEED}; ± by the "
        "jackknife."
    )
    series: dict[str, dict[str, tuple[int | None, int]]] = {
        name_a: {
            f"{a} {m}": (k, j) for k, a in enumerate("AB") for j, m in enumerate(r19_text.MEASURES)
        },
        other: {f"A − B {m}": (None, j) for j, m in enumerate(r19_text.MEASURES)},
    }
    curves = Curves(
        name=f"r19-{FIGURES[name]}", x="share that trains", y="size of the mean over standard "
                                                              "deviation",
        title=f"R19 figure {FIGURES[name]}: signal to noise by the ratio of training to test",
        note=note,
        panels={"scores": {}, "A − B": {}},
    )  # fmt: skip
    for number, rows in series.items():
        cells, claims = [], []
        for row, (k, j) in rows.items():
            values = {r: v[0, j] - v[1, j] if k is None else v[k, j] for r, v in scores.items()}
            signal = {r: r19_text.jackknife(v, _signal) for r, v in values.items()}
            for ratio, v in values.items():
                mean, spread = (
                    float(v.mean()),
                    r19_text.jackknife(v, lambda x: float(np.std(x, ddof=1))),
                )
                columns = {
                    "mean": (mean, spread[0] / splits**0.5),
                    "sd": spread,
                    "signal/noise": signal[ratio],
                }
                cells += [_cell(ratio, f"{row}: {what}", *x) for what, x in columns.items()]
            panel = curves.panels["A − B" if k is None else "scores"]
            panel[row] = [(SHARES[r], *x) for r, x in signal.items()]
            claims.append(_largest(row, values))
        yield Table(name=number, title=f"R19 table {number}", note=note, cells=cells)
        yield Table(
            name=f"{number}-words", title=f"R19 table {number} in words", note=note, claims=claims
        )
    yield curves


def _signal(x: Floats) -> float:
    return float(abs(np.mean(x)) / np.std(x, ddof=1))


def _cell(row: str, column: str, ours: float, se: float) -> Cell:
    return Cell(row=row, column=column, source=None, ours=ours, se=se)


def _largest(row: str, values: dict[str, Floats]) -> Claim:
    """Whether 5:5 is ahead of all other ratios, by its gaps to them."""
    both = {r: np.stack([values["5:5"], v], axis=1) for r, v in values.items() if r != "5:5"}
    gaps = {r: r19_text.jackknife(v, _gap) for r, v in both.items()}
    ahead = [gap / se for gap, se in gaps.values()]
    holds = True if min(ahead) > SEEN else False if min(ahead) < -SEEN else None
    nearest = min(gaps, key=lambda r: gaps[r][0] / gaps[r][1])
    shown = ", ".join(f"{_signal(v):.3g}" for v in values.values())
    gap, se = gaps[nearest]
    here = f"{shown}; 5:5 less {nearest}: {gap:+.2g} ± {se:.2g}"
    return Claim(says=f"{row}: signal/noise is largest at 5:5", holds=holds, here=here)


def _gap(x: Floats) -> float:
    """How far 5:5 (first column) is ahead of another ratio."""
    return _signal(x[:, 0]) - _signal(x[:, 1])

"""
R19 tables 6.1–6.4, 7.2 and 7.3 exactly, from its printed scores and one count each.

R19's posteriors need TP, FP and FN summed over the six halves of a 3×2 design. They follow from
precision P, recall R and the number n+ of positives, which every repetition tests once: TP = 3·n+·R
and TP + FP = TP/P. Tables 7.2 and 7.3 have P and R in print. For tables 6.1 to 6.4 only the limits
of P and R are printed, so P and R are chosen to have the printed middles; what is then compared is
the lengths of these intervals, the limits of F1 and P(H1). A value agrees up to its own rounding
and up to what the rounding of the printed scores lets it vary.
"""

from collections.abc import Callable, Iterator, Mapping
from math import sqrt
from typing import Any, Literal, NamedTuple

import evenfold as ef
from papers import r19_defects, r19_text
from papers._table import Cell, Claim, Printed, Table, printed

Score = Literal["precision", "recall", "f1"]
SCORES: tuple[Score, ...] = ("precision", "recall", "f1")
# n+: words of the PKU training corpus (Emerson, 2005), entities of all four types and
# organisations of the English training data of CoNLL 2003 (Tjong Kim Sang & De Meulder, 2003, table
# 2: 7140 + 3438 + 6321 + 6600), defective methods of KC1 (R19 7.4).
POSITIVES = {"words": 1_109_947, "entities": 23_499, "organisations": 6321, "defects": 325}
TABLES = {"words": "6.2", "entities": "6.3", "organisations": "6.4"}
HALF = 0.00005  # all scores are printed in per cent with two digits
DRAWS = 1_000_000  # by which R19 finds P(H1)
CERTAIN = 0.9985  # R19 prints .999 beside .001 for all that is above
_TESTS: dict[str, Callable[..., Any]] = {
    "precision": ef.infer.bayes_precision,
    "recall": ef.infer.bayes_recall,
    "f1": ef.infer.bayes_f1,
}


class Scores(NamedTuple):
    """Precision and recall of one algorithm, and the number of positives."""

    precision: float
    recall: float
    positives: int

    def moved(self, by: float) -> "Scores":
        """Both scores moved by as much."""
        return Scores(self.precision + by, self.recall + by, self.positives)

    def counts(self) -> tuple[float, float, float]:
        """TP, FP and FN, summed over the six halves."""
        right = 3 * self.positives * self.recall
        return right, right * (1 / self.precision - 1), 3 * self.positives - right

    def limits(self, score: Score) -> tuple[float, float]:
        """The 95 % interval of a score."""
        low, high = ef.infer.score_posterior(score, self.counts(), m=3).interval()
        return float(low), float(high)


def of_middles(precision: tuple[float, float], recall: tuple[float, float], n: int) -> Scores:
    """The scores whose intervals have the printed middles."""
    wanted = sum(precision) / 2, sum(recall) / 2
    scores = Scores(*wanted, n)
    for _ in range(20):
        middles = [sum(scores.limits(score)) / 2 for score in ("precision", "recall")]
        scores = Scores(
            scores.precision + wanted[0] - middles[0], scores.recall + wanted[1] - middles[1], n
        )
    return scores


def probability(score: Score, a: Scores, b: Scores) -> float:
    """P(H1): that B is better."""
    return float(_TESTS[score](a.counts(), b.counts(), m=3).probability())


def _within(text: str, value: float, low: float, high: float, se: float = 0.0) -> Printed:
    """A printed value that may also be off by what the rounding of other values lets ours vary."""
    source = printed(text, se)
    return Printed(
        text=text, value=source.value, se=se, half=source.half + max(high - value, value - low)
    )


def _cell(row: str, column: str, source: Printed, ours: float) -> Cell:
    return Cell(row=row, column=column, source=source, ours=ours, se=0.0)


def limit_cells(name: str, score: Score, texts: tuple[str, str], scores: Scores) -> Iterator[Cell]:
    """Both limits of a score, in per cent."""
    ends = [100 * end for end in scores.limits(score)]
    lows = [100 * end for end in scores.moved(-HALF).limits(score)]
    highs = [100 * end for end in scores.moved(HALF).limits(score)]
    for which, text, *values in zip(("low", "high"), texts, ends, lows, highs, strict=True):
        yield _cell(f"{name}, {score}", which, _within(text, *values), values[0])


def length_cell(name: str, score: Score, ends: tuple[float, float], scores: Scores) -> Cell:
    """The length of an interval in per cent; both of its printed ends are rounded."""
    low, high = scores.limits(score)
    length = 100 * (ends[1] - ends[0])
    source = Printed(text=f"{length:.2f}", value=length, half=0.01)
    return _cell(f"{name}, {score}", "length", source, 100 * (high - low))


def decisions(
    number: str, title: str, printed_: Mapping[Score, float], a: Scores, b: Scores
) -> Table:
    """P(H1) of three scores: values, and claims where R19 prints .999."""
    cells, claims = [], []
    for score, p in printed_.items():
        ours = probability(score, a, b)
        if p == 0.999:
            says = f"{score}: P(H1) is .999, which is what R19 prints for all that is above"
            claims.append(Claim(says=says, holds=ours >= CERTAIN, here=f"{ours:.6f}"))
            continue
        low, high = (probability(score, a.moved(by), b.moved(-by)) for by in (HALF, -HALF))
        source = _within(f"{p:.3f}", ours, low, high, sqrt(p * (1 - p) / DRAWS))
        cells.append(_cell(score, "P(H1)", source, ours))
    return Table(
        name=f"{number}-exact", title=f"R19 table {number}", note=title, cells=cells, claims=claims
    )


def _ends(per_cent: tuple[float, float]) -> tuple[float, float]:
    return per_cent[0] / 100, per_cent[1] / 100


def chapter_6() -> Iterator[Table]:
    """Tables 6.1 to 6.4."""
    cells: list[Cell] = []
    tests = []
    for task, source in r19_text.SOURCE.items():
        pair = []
        n = POSITIVES[task]
        for which, tags in enumerate(r19_text.TAG_SETS[task]):
            ends = {score: _ends(source[score][1:][which]) for score in SCORES}
            scores = of_middles(ends["precision"], ends["recall"], n)
            pair.append(scores)
            name = f"{task}, {tags}"
            cells += [length_cell(name, s, ends[s], scores) for s in ("precision", "recall")]
            texts = (f"{100 * ends['f1'][0]:.2f}", f"{100 * ends['f1'][1]:.2f}")
            cells += limit_cells(name, "f1", texts, scores)
        note = f"Exact, from the middles of the printed intervals and n+ = {n}."
        values = {score: source[score][0] for score in SCORES}
        tests.append(decisions(TABLES[task], note, values, pair[0], pair[1]))
    note = (
        "Exact, in per cent, from the middles of the printed intervals of precision and recall and "
        "n+ = " + ", ".join(f"{n} ({task})" for task, n in POSITIVES.items() if task in TABLES)
    )
    yield Table(name="6.1-exact", title="R19 table 6.1", note=f"{note}.", cells=cells)
    yield from tests


def chapter_7() -> Iterator[Table]:
    """Tables 7.2 and 7.3."""
    n = POSITIVES["defects"]
    cells: list[Cell] = []
    pair = []
    for name, (precision, recall, f1, *intervals) in r19_defects.TABLE_7_2.items():
        scores = Scores(precision, recall, n)
        pair.append(scores)
        ours, low, high = (
            200 * s.precision * s.recall / (s.precision + s.recall)
            for s in (scores, scores.moved(-HALF), scores.moved(HALF))
        )
        cells.append(_cell(name, "F1", _within(f"{100 * f1:.2f}", ours, low, high), ours))
        for score, ends in zip(SCORES, intervals, strict=True):
            texts = (f"{100 * ends[0]:.2f}", f"{100 * ends[1]:.2f}")
            cells += limit_cells(name, score, texts, scores)
    note = f"Exact, from the printed precision and recall and n+ = {n}"
    yield Table(name="7.2-exact", title="R19 table 7.2", note=f"{note}; in per cent.", cells=cells)
    values = dict(zip(SCORES, r19_defects.TABLE_7_3, strict=True))
    yield decisions("7.3", f"{note}.", values, pair[0], pair[1])


def tables() -> Iterator[Table]:
    """All of them."""
    yield from chapter_6()
    yield from chapter_7()

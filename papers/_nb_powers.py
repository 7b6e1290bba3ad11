"""What NB say of power, put to the kept curves: the strongest test (5.1), what more splits bring (5.2)."""

import json
from collections.abc import Mapping, Sequence
from math import hypot
from pathlib import Path

from papers._table import Claim, Table

KEPT = Path(__file__).parent / "results" / "nb"
Points = Sequence[Sequence[float]]
Panels = Mapping[str, Mapping[str, Points]]
_RIVALS = ("t", "5×2 t", "corrected, n/10", "conservative Z, n/10")


def panels_of(figure: int) -> Panels:
    """The curves of a figure."""
    panels: Panels = json.loads((KEPT / f"nb-{figure}.json").read_text(encoding="utf-8"))["panels"]
    return panels


def _power(points: Points) -> tuple[float, float]:
    """Mean power two to three standard deviations away; the error as if points were one draw."""
    far = [p for p in points if 2 <= abs(p[0]) <= 3]
    return sum(p[1] for p in far) / len(far), max(p[2] for p in far)


def _comparable(first: Points, second: Points) -> bool:
    """Whether two tests have one size, up to three errors."""
    a, b = first[len(first) // 2], second[len(second) // 2]
    return abs(a[1] - b[1]) <= 3 * hypot(a[2], b[2])


def _rank(figure: int, test: str, sign: int, says: str) -> Claim:
    """Whether a test is the most (+) or least (−) powerful of those with its size, in all panels."""
    ahead: list[float] = []
    against = 0
    for curves in panels_of(figure).values():
        mine, se = _power(curves[test])
        for rival in _RIVALS:
            if rival == test or not _comparable(curves[test], curves[rival]):
                continue
            theirs, error = _power(curves[rival])
            gap = sign * (mine - theirs)
            against += gap < -3 * hypot(se, error)
            ahead.append(gap / hypot(se, error))
    if not ahead:
        return Claim(says=f"figure {figure}: {says}", holds=None, here="no other test has its size")
    clear = sum(gap > 3 for gap in ahead)
    holds = False if against else clear > 0 or None
    here = f"of {len(ahead)} tests of its size {clear} differ so, {against} the other way"
    return Claim(says=f"figure {figure}: {says}", holds=holds, here=here)


def _share(figure: int, low: int, middle: int, high: int) -> Claim:
    """What part of the power gained by more splits the first step brings; "half" is ⅓ to ⅔, ± 3 errors."""
    parts = []
    near = []
    for curves in panels_of(figure).values():
        (a, se_a), (b, se_b), (c, se_c) = (_power(curves[f"corrected, J = {J}"]) for J in (low, middle, high))
        part = (b - a) / (c - a)
        error = 3 * hypot(se_a, se_b, se_c) / (c - a)
        parts.append(part)
        near.append(1 / 3 - error <= part <= 2 / 3 + error)
    holds = all(near)
    says = (
        f"figure {figure}: J from {low} to {middle} brings about half of the power that {low} to {high} does"
    )
    return Claim(says=says, holds=holds, here=f"{min(parts):.2f} to {max(parts):.2f} of it")


def _grows(figure: int) -> Claim:
    gains = []
    for curves in panels_of(figure).values():
        (low, se), (high, error) = (_power(curves[f"corrected, J = {J}"]) for J in (5, 25))
        gains.append((high - low, hypot(se, error)))
    holds = all(gain > 3 * se for gain, se in gains)
    here = f"from 5 to 25: +{min(g for g, _ in gains):.2f} to +{max(g for g, _ in gains):.2f}"
    return Claim(says=f"figure {figure}: the greater J, the greater the power", holds=holds, here=here)


def of_tests(number: int, figures: Sequence[int]) -> Table:
    """NB 5.1: the t-test is the most powerful, 5×2 the least, where sizes are comparable."""
    claims = []
    for figure in figures:
        claims.append(_rank(figure, "t", 1, "the t-test is the most powerful of those of one size"))
        claims.append(_rank(figure, "5×2 t", -1, "5×2 is the least powerful of those of one size"))
    note = "Power two to three standard deviations from the truth; sizes within three errors are one size."
    return Table(name=f"powers-{number}", title="NB on power", note=note, claims=claims)


def of_splits(number: int, figures: Sequence[int]) -> Table:
    """NB 5.2: what more splits bring to the corrected resampled t."""
    claims = []
    for figure in figures:
        claims += [_grows(figure), _share(figure, 5, 10, 25), _share(figure, 10, 15, 25)]
    note = "Corrected resampled t; power two to three standard deviations from the truth."
    return Table(name=f"splits-{number}", title="NB on the power of more splits", note=note, claims=claims)

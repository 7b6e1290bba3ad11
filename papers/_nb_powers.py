"""
What NB say of power, put to the kept curves.

Of tests (5.1), of the bootstrap, of more splits (5.2).

Powers are means over nulls two to three standard deviations away. "Fairly similar" and "equivalent"
are read as within .15, "markedly superior" as at least .05 more, "nearly" one curve as within .05;
by three errors.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import hypot

from papers import pages
from papers._table import Claim, Table

Points = Sequence[Sequence[float]]
Panels = Mapping[str, Mapping[str, Points]]
_RIVALS = ("t", "5×2 t", "corrected, n/10", "conservative Z, n/10")


def panels_of(figure: int) -> Panels:
    """The curves of a figure."""
    panels: Panels = pages.read(pages.RESULTS / "nb" / f"nb-{figure}.json")["panels"]
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
    """Whether a test is most (+) or least (−) powerful of those with its size, in all panels."""
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


SIMILAR, MARKED, ONE_CURVE = 0.15, 0.05, 0.05


def _similar(figure: int) -> Claim:
    """Whether the four tests of NB's comparison have powers alike where their sizes are."""
    gaps = []
    for curves in panels_of(figure).values():
        for first, second in combinations(_RIVALS, 2):
            if _comparable(curves[first], curves[second]):
                (a, se), (b, error) = _power(curves[first]), _power(curves[second])
                gaps.append((abs(a - b), hypot(se, error)))
    says = f"figure {figure}: powers of tests of one size are fairly similar"
    return Claim(says=says, holds=_within(gaps, SIMILAR), here=_largest(gaps))


def _within(gaps: Sequence[tuple[float, float]], bound: float) -> bool | None:
    """True if all gaps are below a bound, False if one is above by three errors, else None."""
    if any(gap - 3 * se > bound for gap, se in gaps):
        return False
    return True if gaps and all(gap <= bound for gap, _ in gaps) else None


def _largest(gaps: Sequence[tuple[float, float]]) -> str:
    if not gaps:
        return "nothing to compare"
    gap, se = max(gaps)
    return f"{len(gaps)} pairs, largest gap {gap:.2f} ± {se:.2f}"


def _markedly(figure: int) -> Claim:
    """Whether the corrected t on all data is ahead of the others that have its size."""
    mine = "corrected, n/2"
    gaps = []
    for curves in panels_of(figure).values():
        power, se = _power(curves[mine])
        for rival in _RIVALS:
            if _comparable(curves[mine], curves[rival]):
                theirs, error = _power(curves[rival])
                gaps.append((power - theirs, hypot(se, error)))
    holds = None
    if any(gap < MARKED - 3 * se for gap, se in gaps):
        holds = False
    elif gaps and all(gap >= MARKED for gap, _ in gaps):
        holds = True
    shown = (
        f"ahead by {min(gaps)[0]:.2f} to {max(gaps)[0]:.2f} of {len(gaps)}"
        if gaps
        else "none has its size"
    )
    says = (
        f"figure {figure}: the corrected t with the full data is markedly superior to tests of "
        "its size"
    )
    return Claim(says=says, holds=holds, here=shown)


def _equivalent(figure: int) -> Claim:
    """Whether the conservative Z and the corrected t have one power, J by J."""
    gaps = []
    for curves in panels_of(figure).values():
        for J in (5, 10, 15, 25):
            z, t = curves[f"conservative Z, J = {J}"], curves[f"corrected, J = {J}"]
            if _comparable(z, t):
                (a, se), (b, error) = _power(z), _power(t)
                gaps.append((abs(a - b), hypot(se, error)))
    says = (
        f"figure {figure}: conservative Z and corrected t have similar power where sizes are alike"
    )
    return Claim(says=says, holds=_within(gaps, SIMILAR), here=_largest(gaps))


def of_bootstrap() -> Table:
    """
    Hold NB 5.1 against figures 4 and 6.

    The bootstrap looks like the resampled t, the corrected bootstrap like the corrected t.
    """
    claims = []
    for figure in (4, 6):
        kept = pages.read(pages.RESULTS / "nb" / f"nb-{figure}-bootstrap.json")
        for boot, other in (("bootstrap", "resampled t"), ("corrected bootstrap", "corrected")):
            gaps, apart = [], []
            for curves in kept["panels"].values():
                for part in ("n/10", "n/2"):
                    mine, theirs = curves[f"{boot}, {part}"], curves[f"{other}, {part}"]
                    third = curves[
                        f"{'corrected' if boot == 'bootstrap' else 'resampled t'}, {part}"
                    ]
                    gaps += [
                        (abs(a[1] - b[1]), hypot(a[2], b[2]))
                        for a, b in zip(mine, theirs, strict=True)
                    ]
                    apart.append(max(abs(a[1] - b[1]) for a, b in zip(mine, third, strict=True)))
            holds = _within(gaps, ONE_CURVE) if min(apart) > 3 * ONE_CURVE else None
            here = (
                f"largest gap {max(gaps)[0]:.3f}; from the other pair at least "
                f"{min(apart):.2f} somewhere"
            )
            claims.append(
                Claim(
                    says=f"figure {figure}: the {boot} looks like the {other} test",
                    holds=holds,
                    here=here,
                )
            )
    note = f"{kept['note']} At all nulls drawn."
    return Table(name="bootstrap-3", title="NB on the bootstrap", note=note, claims=claims)


def _share(figure: int, low: int, middle: int, high: int) -> Claim:
    """
    Return what part of the power gained by more splits the first step brings.

    "Half" means ⅓ to ⅔, up to three errors.
    """
    parts = []
    near = []
    for curves in panels_of(figure).values():
        (a, se_a), (b, se_b), (c, se_c) = (
            _power(curves[f"corrected, J = {J}"]) for J in (low, middle, high)
        )
        part = (b - a) / (c - a)
        error = 3 * hypot(se_a, se_b, se_c) / (c - a)
        parts.append(part)
        near.append(1 / 3 - error <= part <= 2 / 3 + error)
    holds = all(near)
    says = (
        f"figure {figure}: J from {low} to {middle} brings about half of the power that {low} "
        f"to {high} does"
    )
    return Claim(says=says, holds=holds, here=f"{min(parts):.2f} to {max(parts):.2f} of it")


def _grows(figure: int) -> Claim:
    gains = []
    for curves in panels_of(figure).values():
        (low, se), (high, error) = (_power(curves[f"corrected, J = {J}"]) for J in (5, 25))
        gains.append((high - low, hypot(se, error)))
    holds = all(gain > 3 * se for gain, se in gains)
    here = f"from 5 to 25: +{min(g for g, _ in gains):.2f} to +{max(g for g, _ in gains):.2f}"
    return Claim(
        says=f"figure {figure}: the greater J, the greater the power", holds=holds, here=here
    )


def of_tests(number: int, figures: Sequence[int]) -> Table:
    """NB 5.1: the t-test is the most powerful, 5×2 the least, where sizes are comparable."""
    claims = []
    for figure in figures:
        claims.append(_rank(figure, "t", 1, "the t-test is the most powerful of those of one size"))
        claims.append(_rank(figure, "5×2 t", -1, "5×2 is the least powerful of those of one size"))
        claims.append(_similar(figure))
        if figure == 1:
            claims.append(_markedly(figure))
    note = (
        "Power two to three standard deviations from the truth; sizes within three errors are "
        "one size."
    )
    return Table(name=f"powers-{number}", title="NB on power", note=note, claims=claims)


def of_splits(number: int, figures: Sequence[int]) -> Table:
    """NB 5.2: what more splits bring to the corrected resampled t."""
    claims = []
    for figure in figures:
        claims += [_grows(figure), _share(figure, 5, 10, 25), _share(figure, 10, 15, 25)]
        if figure in (15, 17):  # where NB say that it can be seen
            claims.append(_equivalent(figure))
    note = "Corrected resampled t; power two to three standard deviations from the truth."
    return Table(
        name=f"splits-{number}", title="NB on the power of more splits", note=note, claims=claims
    )

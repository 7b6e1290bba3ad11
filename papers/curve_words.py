"""
What the sources say of their curves, put to the kept ones: ``python -m papers.curve_words``.

Figures have no numbers in the text, so the words are tested; a claim fails if a point contradicts
it by more than three standard errors. The claims are kept beside the curves and go into the pages
with them.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import hypot
from typing import Any

from papers import _nb_claims, _nb_powers, pages
from papers._table import Cell, Claim, Table, keep, kept, together

Points = Sequence[Sequence[float]]


def shapes(number: str) -> dict[str, dict[str, Cell]]:
    """How the curves of a figure bend, by panel, with errors over data sets."""
    by_panel: dict[str, dict[str, Cell]] = {}
    for cell in kept(pages.RESULTS / "r19" / f"shape-{number}.json").cells:
        by_panel.setdefault(cell.row, {})[cell.column] = cell
    return by_panel


def bent(number: str) -> Claim:
    """Whether f is convex in every panel: seen if its ends lie above its middle by three errors."""
    held: dict[str, bool | None] = {}
    for panel, cells in shapes(number).items():
        points = [cell for column, cell in cells.items() if column.startswith("bend at point")]
        wide = cells["bend of ends and middle"]
        down = any(cell.ours < -3 * cell.se for cell in points)
        held[panel] = _seen(against=down, clear=wide.ours > 3 * wide.se)
    return Claim(says="f is convex", holds=together(list(held.values())), here=_panels(held))


def risen(number: str, n1: str = "") -> Claim:
    """
    Say whether f rises everywhere, in all panels or in those of one training size.

    This is seen if the end of f is above its start and f falls nowhere.
    """
    held: dict[str, bool | None] = {}
    for panel, cells in shapes(number).items():
        if not panel.endswith(n1):
            continue
        rise, fall = cells["rise from end to end"], cells["fall to the least"]
        held[panel] = _seen(against=fall.ours > 3 * fall.se > 0, clear=rise.ours > 3 * rise.se)
    says = f"with {n1} f rises everywhere" if n1 else "f rises everywhere"
    return Claim(says=says, holds=together(list(held.values())), here=_panels(held))


def fallen(number: str, n1: str) -> Claim:
    """Whether f falls a little at first where training sets are small."""
    seen: list[bool | None] = []
    shown = []
    for panel, cells in shapes(number).items():
        if panel.endswith(n1):
            fall, at = cells["fall to the least"], cells["least at"]
            seen.append(True if fall.ours > 3 * fall.se > 0 else None)
            shown.append(
                f"{panel}: least at {at.ours:g}, lower by {fall.ours:.3f} ± {fall.se:.3f} of f(n1)"
            )
    says = f"with {n1} f falls a little at first and is least at about 200"
    return Claim(says=says, holds=together(seen), here="; ".join(shown))


def told(source: str, figure: str) -> Any:
    """A figure that was kept."""
    return pages.read(pages.RESULTS / source / f"{source}-{figure}.json")


def _table(source: str, figure: str, claims: Sequence[Claim], of: str | None = None) -> Table:
    name = f"figure-{figure}"
    return Table(
        name=name,
        title=f"{source.upper()} figure {figure}",
        note=told(source, of or figure)["note"],
        claims=claims,
    )


def _bends(points: Points) -> list[tuple[float, float]]:
    """Second differences on an even grid, with errors as if points were drawn apart."""
    return [
        (a[1] - 2 * b[1] + c[1], hypot(a[2], 2 * b[2], c[2]))
        for a, b, c in zip(points, points[1:], points[2:], strict=False)
    ]


def _seen(*, against: bool, clear: bool) -> bool | None:
    """False if something speaks against it, True if it is clear, else it cannot be told."""
    if against:
        return False
    return True if clear else None


def _panels(held: Mapping[str, bool | None]) -> str:
    missing = [panel for panel, seen in held.items() if not seen]
    here = f"seen in {len(held) - len(missing)} of {len(held)} panels"
    return here + (f"; not {', '.join(missing)}" if missing else "")


def convex(panels: dict[str, Any], kind: str) -> Claim:
    """Whether curves bend up: the ends lie above the middle by three errors, as no line does."""
    held: dict[str, bool | None] = {}
    for panel, curves in panels.items():
        if kind not in curves:
            continue
        points = curves[kind]
        ends = (points[0], points[len(points) // 2], points[-1])
        (wide,) = _bends(ends)
        down = any(v < -3 * se for v, se in _bends(points))
        held[panel] = _seen(against=down, clear=wide[0] > 3 * wide[1])
    return Claim(says=f"{kind} is convex", holds=together(list(held.values())), here=_panels(held))


def least(panels: dict[str, Any], kind: str, says: str, at: dict[str, float]) -> Claim:
    """
    Say where each curve is least.

    This is seen if no point is lower and both ends are higher by three errors.
    """
    held: dict[str, bool | None] = {}
    shown = []
    for panel, x in at.items():
        points = panels[panel][kind]
        best = min(points, key=lambda p: p[1])
        claimed = min(points, key=lambda p: abs(p[0] - x))
        ends = [
            end[1] - claimed[1] > 3 * hypot(end[2], claimed[2]) for end in (points[0], points[-1])
        ]
        lower = claimed[1] - best[1] > 3 * hypot(claimed[2], best[2])
        held[panel] = _seen(against=lower, clear=all(ends))
        shown.append(f"{panel}: {best[0]:g}")
    return Claim(says=says, holds=together(list(held.values())), here="; ".join(shown))


# Panels of figures 3.2 and 3.3, and the rows of table 3.6 that have their coefficients.
_ROWS_3_6 = {
    "SREG ols": "SREG+lm+1000+100",
    "SREG ridge(1)": "SREG+rid+1000+100",
    "SREG lasso": "SREG+lso+1000+100",
    "SCLA svm": "SCLA+svm+1000+20",
    "SCLA knn": "SCLA+knn+1000+20",
}


def approximated(panels: dict[str, Any], kind: str) -> Claim:
    """
    Whether the quadratic that R19 draws from the parameters at n/4 is near the curve there.

    f(x) = 4/n²·[(ω + γ − 2τ)x² + (σ² − ω − nγ + nτ)x] + γ, and g the mean of f(x) and f(n/2 − x).
    """
    n, middle = 1000, 250.0
    known = {
        (c.row, c.column): c
        for data in ("SREG", "SCLA")
        for c in kept(pages.RESULTS / "r19" / f"3.6-{data}.json").cells
    }
    near: list[float] = []
    away: list[float] = []
    for panel, row in _ROWS_3_6.items():
        square, line, level = (known[row, name] for name in ("ω+γ−2τ", "σ²−ω−nγ+nτ", "γ"))
        for x, y, se in panels[panel][kind]:
            squared = x**2 if kind == "f" else (x**2 + (n / 2 - x) ** 2) / 2
            linear = x if kind == "f" else n / 4
            drawn = 4 / n**2 * (square.ours * squared + line.ours * linear) + level.ours
            error = hypot(4 / n**2 * square.se * squared, 4 / n**2 * line.se * linear, level.se, se)
            part = near if 0 < abs(x - middle) < n / 10 else away
            part.append(abs(y - drawn) / error)
    return Claim(
        says=f"near n/4 the quadratic of table 3.6 is close to {kind}",
        holds=max(near) <= 3,
        here=f"off by at most {max(near):.1f} errors there, by up to {max(away):.0f} elsewhere",
    )


def w14() -> Iterator[Table]:
    """W14's figures 1–3."""
    curves = told("w14", "1")["panels"]["ten dimensions"]
    pairs = list(zip(curves["variance"], curves["estimate"], strict=True))
    below = [a[1] - b[1] > 3 * hypot(a[2], b[2]) for a, b in pairs]
    shown = "; ".join(f"{b[1] / a[1]:.3f} of it at n = {a[0]:g}" for a, b in pairs)
    yield _table(
        "w14",
        "1",
        [Claim(says="5×2's estimate is below the variance", holds=all(below), here=shown)],
    )
    panels = told("w14", "2")["panels"]
    at = dict.fromkeys(panels, 128.0)
    words = "the covariance of two two-fold estimates falls, then rises; least at n/4"
    yield _table("w14", "2", [convex(panels, "g"), least(panels, "g", words, at)])
    yield _table("w14", "3", [_narrower(*item) for item in told("w14", "3")["panels"].items()])


def _narrower(panel: str, curves: dict[str, Points]) -> Claim:
    """
    From the 5% to the 95% quantile.

    The error of that is about a thirtieth of it per 100² data sets.
    """
    blocked, random = ({p[0]: p[1] for p in points} for points in curves.values())
    ranges = [q[0.95] - q[0.05] for q in (blocked, random)]
    count = int(panel.split(",")[1].split()[0])
    error = 2.1 / 3.29 * ranges[1] / count**0.5  # a normal quantile at 5% has an error of 2.1 sd/√R
    gain = ranges[1] - ranges[0]
    holds = True if gain > 3 * error else None if gain > -3 * error else False
    here = f"{ranges[0]:.4f} and {ranges[1]:.4f}, ± {error:.4f}"
    return Claim(
        says=f"{panel}: blocked 3×2 spreads less than random (5% to 95%)", holds=holds, here=here
    )


def r19() -> Iterator[Table]:
    """R19's figures 2.3, 2.4, 3.2 and 3.3."""
    yield _table("r19", "2.3", [bent("2.3"), risen("2.3")])
    yield _table("r19", "2.4", [bent("2.4"), fallen("2.4", "n1 = 500"), risen("2.4", "n1 = 900")])
    panels = told("r19", "3.2")["panels"]
    yield _table("r19", "3.2", [convex(panels, "f"), approximated(panels, "f")])
    middle = dict.fromkeys(panels, 250.0)
    claims = [convex(panels, "g"), least(panels, "g", "g is least at n/4", middle)]
    claims.append(approximated(panels, "g"))
    yield _table("r19", "3.3", claims, of="3.2")


def nb() -> Iterator[Table]:
    """NB on J and M in the curves of all three problems, and its figures 9 and 18."""
    yield _nb_claims.of_curves(2, (10, 11, 12, 19, 20, 21))
    yield _nb_claims.of_curves(3, (13, 14, 15, 22, 23, 24))
    yield _nb_claims.of_curves(4, (16, 17, 25, 26))
    for number, tests, splits in (
        (2, (1, 2, 3), (10, 11, 12)),
        (3, (4, 5, 6), (13, 14, 15)),
        (4, (7, 8), (16, 17)),
    ):
        yield _nb_powers.of_tests(number, tests)
        yield _nb_powers.of_splits(number, splits)
    yield _nb_powers.of_bootstrap()
    yield _nb_claims.of_halvings()
    for figure in ("9", "18"):
        claims = [_alike(panel, **curves) for panel, curves in told("nb", figure)["panels"].items()]
        yield _table("nb", figure, claims)


def _alike(panel: str, real: Points, surrogate: Points) -> Claim:
    """Whether two curves agree "relatively well", read as within .15 at the six truths."""
    gaps = [abs(a[1] - b[1]) for a, b in zip(real, surrogate, strict=True)]
    error = max(hypot(a[2], b[2]) for a, b in zip(real, surrogate, strict=True))
    here = f"largest gap {max(gaps):.3f} (± {error:.3f})"
    return Claim(
        says=f"{panel}: real and surrogate curves agree relatively well",
        holds=max(gaps) < 0.15,
        here=here,
    )


def main() -> None:
    for source, tables in (("w14", w14), ("r19", r19), ("nb", nb)):
        for table in tables():
            keep(table, pages.RESULTS / source)
            table.show()


if __name__ == "__main__":
    main()

"""What NB say in words of the sizes in figures 1–8, put to the sizes measured here."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot

from papers import pages
from papers._table import Cell, Claim, Table

LEVEL = 0.1
FAR = 0.2  # "far away from the nominal size": NB's own example of far is .2


Verdict = bool | None


def _above(bound: float) -> Callable[[Cell], Verdict]:
    """Significantly above a bound, by three standard errors; False if significantly below."""

    def verdict(cell: Cell) -> Verdict:
        return (
            True
            if cell.ours > bound + 3 * cell.se
            else False
            if cell.ours < bound - 3 * cell.se
            else None
        )

    return verdict


def _below(bound: float) -> Callable[[Cell], Verdict]:
    def verdict(cell: Cell) -> Verdict:
        opposite = _above(bound)(cell)
        return None if opposite is None else not opposite

    return verdict


def _at_most(bound: float) -> Callable[[Cell], Verdict]:
    """Not significantly above a bound."""
    return lambda cell: _above(bound)(cell) is not True


def _near(cell: Cell) -> Verdict:
    """Not significantly away from the level, by three standard errors as elsewhere."""
    return abs(cell.ours - LEVEL) <= 3 * cell.se


def claims(
    cells: Sequence[Cell], boot: Mapping[str, Mapping[str, tuple[float, float]]]
) -> list[Claim]:
    """The claims that the sizes of one problem can speak about, each of a single figure."""
    figures = sorted({int(cell.row.split(",")[0].split()[1]) for cell in cells})
    made: list[Claim | None] = []
    for number in figures:
        mine = [c for c in cells if c.row.startswith(f"figure {number},")]
        made += _of_every(number, mine)
        made += _of_figure(number, mine)
    for column, sizes in boot.items():
        made += _bootstrap_is_alike(column, sizes, 4 in figures)
    return [claim for claim in made if claim is not None]


def _of_every(number: int, cells: Sequence[Cell]) -> list[Claim | None]:
    """What NB say of all figures of sizes."""
    here = f"figure {number}: "
    far = f"{here}conservative Z, n2 = n/10: never far from .1 (like .2)"
    z = [(c.ours, c.se) for c in _of(cells, "conservative Z, n/10")]
    return [
        _all(cells, "resampled t", f"{here}the resampled t is far above .1", _above(0.15)),
        _all(cells, "conservative Z, n/10", far, _at_most(FAR)),
        _liberal_at_times(f"{here}conservative Z, n2 = n/10: at times liberal", z) if z else None,
        _all(
            cells,
            "conservative Z, n/2",
            f"{here}conservative Z, n2 = n/2: too conservative",
            _below(LEVEL),
        ),
        _more_liberal_with_larger_tests(number, cells),
    ]


def _of_figure(number: int, cells: Sequence[Cell]) -> list[Claim | None]:
    """What NB say of a single figure."""
    made: list[Claim | None] = []
    if number == 1:
        made.append(_all(cells, "corrected", "figure 1: the corrected t is close to .1", _near))
    if number == 3:
        some = [c for c in cells if c.column in ("simulation 2", "simulation 4")]
        words = (
            "figure 3: corrected t, n2 = n/10, liberal in simulations 2 and 4 (skewed differences)"
        )
        made.append(_all(some, "corrected, n/10", words, _above(LEVEL)))
    if number in (4, 7):
        words = f"figure {number}: the corrected t is significantly liberal at n2 = n/10"
        made.append(_all(cells, "corrected, n/10", words, _above(LEVEL)))
        words = f"figure {number}: and conservative at n2 = n/2"
        made.append(_all(cells, "corrected, n/2", words, _below(LEVEL)))
    if number in (3, 4, 6):
        made.append(_some_are_liberal(cells, number))
    return made


def _liberal_at_times(says: str, sizes: Sequence[tuple[float, float]]) -> Claim:
    """Seen if a size is above the level by three errors; it fails if none is above it at all."""
    values = [size for size, _ in sizes]
    holds = None
    if any(size > LEVEL + 3 * se for size, se in sizes):
        holds = True
    elif max(values) <= LEVEL:
        holds = False
    return Claim(says=says, holds=holds, here=f"{min(values):.3f} to {max(values):.3f}")


def _of(cells: Iterable[Cell], test: str) -> list[Cell]:
    return [cell for cell in cells if cell.row.partition(": ")[2].startswith(test)]


def _range(cells: Sequence[Cell]) -> str:
    low, high = min(cells, key=lambda c: c.ours), max(cells, key=lambda c: c.ours)
    return f"{low.text} to {high.text}"


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    """True if all are, False if any is, else None."""
    return True if all(verdicts) else False if False in verdicts else None


def _all(
    cells: Iterable[Cell], test: str, says: str, holds: Callable[[Cell], Verdict]
) -> Claim | None:
    """A claim about every size of a test; None where there are none to speak about it."""
    chosen = _of(cells, test)
    if not chosen:
        return None
    verdicts = [holds(cell) for cell in chosen]
    here = f"{verdicts.count(True)} of {len(verdicts)}; {_range(chosen)}"
    return Claim(says=says, holds=_together(verdicts), here=here)


def _more_liberal_with_larger_tests(number: int, cells: Sequence[Cell]) -> Claim:
    small, large = _of(cells, "resampled t, n/10"), _of(cells, "resampled t, n/2")
    more = [_larger((b.ours, b.se), (a.ours, a.se)) for a, b in zip(small, large, strict=True)]
    return Claim(
        says=f"figure {number}: the resampled t is more liberal at n2 = n/2 than at n/10",
        holds=_together(more),
        here=f"{more.count(True)} of {len(more)}; {_range(small)} at n/10, {_range(large)} at n/2",
    )


def _some_are_liberal(cells: Sequence[Cell], number: int) -> Claim:
    chosen = [cell for cell in cells if cell.row.endswith((": t", ": 5×2 t"))]
    verdicts = [_above(LEVEL)(cell) for cell in chosen]
    says = f"figure {number}: t and 5×2 t are fairly liberal in some panels"
    here = f"{verdicts.count(True)} of {len(verdicts)}; {_range(chosen)}"
    return Claim(says=says, holds=True in verdicts or None, here=here)


def _larger(first: Sequence[float], second: Sequence[float]) -> Verdict:
    """Whether the first share is larger by three errors; None where they could be equal."""
    gap, error = first[0] - second[0], 3 * hypot(first[1], second[1])
    return None if abs(gap) <= error else gap > 0


def _bootstrap_is_alike(
    column: str, sizes: Mapping[str, tuple[float, float]], drawn: bool
) -> list[Claim | None]:
    """
    Check that figures 4 (A) and 6 (A − B) show the bootstrap to be alike.

    NB say so of other problems without showing it.
    """
    made: list[Claim | None] = []
    for name, figure in (("A", 4), ("A−B", 6)):
        b, t = sizes[f"bootstrap, {name}"], sizes[f"resampled-t, {name}"]
        where = f"figure {figure}: {column}" if drawn else f"elsewhere, {column}, {name}"
        says = f"{where}: bootstrap and resampled t nearly overlap (n2 = n/2)"
        here = f"{b[0]:.2f} and {t[0]:.2f} ± {t[1]:.2f}"
        made.append(Claim(says=says, holds=abs(b[0] - t[0]) <= 3 * max(b[1], t[1]), here=here))
    return made


Sizes = Mapping[str, Mapping[str, Sequence[float]]]


def of_curves(number: int, figures: Sequence[int]) -> Table:
    """What NB say of the choice of J and M, put to sizes in the kept curves, figure by figure."""
    made: list[Claim] = []
    t, z = "resampled t", "conservative Z"
    for figure in figures:
        kept = pages.read(pages.RESULTS / "nb" / f"nb-{figure}.json")
        sizes = {
            panel: {name: points[len(points) // 2][1:] for name, points in tests.items()}
            for panel, tests in kept["panels"].items()
        }
        here = f"figure {figure}: "
        if figure < 19:
            more = f"{here}the resampled t is more liberal with larger J"
            made += [
                _ordered(sizes, f"{t}, J = 25", f"{t}, J = 5", more),
                _bounded(sizes, t, 0.15, f"{here}the resampled t is very liberal", above=True),
                _bounded(
                    sizes,
                    z,
                    LEVEL,
                    f"{here}the conservative Z lives up to its name (M = 10)",
                    above=False,
                ),
            ]
            if figure == 13:
                worse = f"{here}where the corrected t is liberal it grows worse with J"
                made.append(_tends(sizes, "corrected, J = 25", "corrected, J = 5", worse))
        else:
            five = f"{here}with M = 5 it is "
            at_five = [(p[f"{z}, M = 5"][0], p[f"{z}, M = 5"][1]) for p in sizes.values()]
            made += [
                _liberal_at_times(f"{five}liberal at times", at_five),
                _ordered(
                    sizes,
                    f"{z}, M = 5",
                    f"{z}, M = 20",
                    f"{here}Z is more conservative with larger M",
                ),
                _bounded(sizes, f"{z}, M = 5", 0.15, f"{five}barely liberal", above=False),
            ]
    note = f"Sizes at level .1 in figures {', '.join(map(str, figures))}; {kept['note']}"
    return Table(name=f"curves-{number}", title="NB on J and M", note=note, claims=made)


def _ordered(sizes: Sizes, larger: str, smaller: str, says: str) -> Claim:
    """True where it can be seen in nine of ten panels and the opposite in none."""
    pairs = [(panel[larger], panel[smaller]) for panel in sizes.values()]
    seen = [_larger(a, b) for a, b in pairs]
    holds = False if False in seen else seen.count(True) >= 0.9 * len(seen) or None
    shown = "; ".join(f"{a[0]:.3f} and {b[0]:.3f}" for a, b in pairs[:3])
    return Claim(says=says, holds=holds, here=f"{seen.count(True)} of {len(seen)}; {shown}, …")


def _tends(sizes: Sizes, larger: str, smaller: str, says: str) -> Claim:
    """Whether a test's mean size over panels is larger, by three errors as if drawn apart."""
    pairs = [(panel[larger], panel[smaller]) for panel in sizes.values()]
    gap = sum(a[0] - b[0] for a, b in pairs) / len(pairs)
    error = hypot(*(se for pair in pairs for _, se in pair)) / len(pairs)
    holds = None if abs(gap) <= 3 * error else gap > 0
    alone = sum(_larger(a, b) is True for a, b in pairs)
    here = (
        f"{gap:+.3f} ± {error:.3f} on the mean of {len(pairs)} panels, of which {alone} tell "
        "it alone"
    )
    return Claim(says=says, holds=holds, here=here)


def of_halvings() -> Table:
    """NB 5.3, figure by figure: M = 5 differs from 10 more than 10 from 20."""
    claims = []
    for figure in range(19, 27):
        gap, error = _beyond_ten(figure)
        claims.append(
            Claim(
                says=f"figure {figure}: the size differs more between M = 5 and 10 than between 10 "
                "and 20",
                holds=None if abs(gap) <= 3 * error else gap > 0,
                here=f"by {gap:.3f} ± {error:.3f}",
            )
        )
    note = (
        "The second difference of sizes at level .1, mean of all panels; errors as if tests "
        "were drawn apart."
    )
    return Table(name="halvings", title="NB on M", note=note, claims=claims)


def _beyond_ten(figure: int) -> tuple[float, float]:
    """By how much sizes move more from M = 10 to 5 than from 20 to 10, mean over panels."""
    kept = pages.read(pages.RESULTS / "nb" / f"nb-{figure}.json")
    gaps, errors = [], []
    for tests in kept["panels"].values():
        (five, e5), (ten, e10), (twenty, e20) = (
            tests[f"conservative Z, M = {M}"][len(tests[f"conservative Z, M = {M}"]) // 2][1:]
            for M in (5, 10, 20)
        )
        gaps.append(five - 2 * ten + twenty)
        errors.append(hypot(e5, 2 * e10, e20))
    return sum(gaps) / len(gaps), hypot(*errors) / len(gaps)


def _bounded(sizes: Sizes, test: str, bound: float, says: str, *, above: bool) -> Claim:
    """False if one panel of the figure is on the other side by three errors."""
    of_test = [v for panel in sizes.values() for name, v in panel.items() if name.startswith(test)]
    holds = [(v - bound) * (1 if above else -1) > -3 * se for v, se in of_test]
    values = [v for v, _ in of_test]
    shown = f"{min(values):.3f} to {max(values):.3f}"
    return Claim(says=says, holds=all(holds), here=f"{sum(holds)} of {len(holds)}; {shown}")

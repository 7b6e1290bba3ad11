"""What NB say in words of the sizes in figures 1–8, put to the sizes measured here."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot
from pathlib import Path

from benchmarks.reproduce._table import Cell, Claim, Table

LEVEL = 0.1
KEPT = Path(__file__).parent / "results" / "nb"
FAR = 0.2  # "far away from the nominal size": NB's own example of far is .2


Verdict = bool | None


def _above(bound: float) -> Callable[[Cell], Verdict]:
    """Significantly above a bound, by two standard errors; False if significantly below."""

    def verdict(cell: Cell) -> Verdict:
        return True if cell.ours > bound + 2 * cell.se else False if cell.ours < bound - 2 * cell.se else None

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


def claims(cells: Sequence[Cell], boot: Mapping[str, Mapping[str, tuple[float, float]]]) -> list[Claim]:
    """The claims that the sizes of one problem can speak about."""
    said = [
        _all(cells, "resampled t", "the resampled t is far above .1 in every figure", _above(0.15)),
        _all(
            cells,
            "conservative Z, n/10",
            "conservative Z, n2 = n/10: at times liberal, never far from .1 (like .2)",
            _at_most(FAR),
        ),
        _all(cells, "conservative Z, n/2", "conservative Z, n2 = n/2: too conservative", _below(LEVEL)),
        _more_liberal_with_larger_tests(cells),
    ]
    figures = {int(cell.row.split(",")[0].split()[1]) for cell in cells}
    for number in sorted(figures):
        said += _of_figure(number, [c for c in cells if c.row.startswith(f"figure {number},")])
    shown = "figures 4 and 6" if 4 in figures else "all problems as in figures 4 and 6"
    said += [_bootstrap_is_alike(f"{shown}, {column}", sizes) for column, sizes in boot.items()]
    return [claim for claim in said if claim is not None]


def _of_figure(number: int, cells: Sequence[Cell]) -> list[Claim | None]:
    """What NB say of a single figure."""
    said: list[Claim | None] = []
    if number == 1:
        said.append(_all(cells, "corrected", "figure 1: the corrected t is close to .1", _near))
    if number == 3:
        some = [c for c in cells if c.column in ("simulation 2", "simulation 4")]
        words = "figure 3: corrected t, n2 = n/10, liberal in simulations 2 and 4 (skewed differences)"
        said.append(_all(some, "corrected, n/10", words, _above(LEVEL)))
    if number in (4, 7):
        words = f"figure {number}: the corrected t is significantly liberal at n2 = n/10"
        said.append(_all(cells, "corrected, n/10", words, _above(LEVEL)))
        words = f"figure {number}: and conservative at n2 = n/2"
        said.append(_all(cells, "corrected, n/2", words, _below(LEVEL)))
    if number in (3, 4, 6):
        said.append(_some_are_liberal(cells, number))
    return said


def _of(cells: Iterable[Cell], test: str) -> list[Cell]:
    return [cell for cell in cells if cell.row.partition(": ")[2].startswith(test)]


def _range(cells: Sequence[Cell]) -> str:
    low, high = min(cells, key=lambda c: c.ours), max(cells, key=lambda c: c.ours)
    return f"{low.text} to {high.text}"


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    """True if all are, False if any is, else None."""
    return True if all(verdicts) else False if False in verdicts else None


def _all(cells: Iterable[Cell], test: str, says: str, holds: Callable[[Cell], Verdict]) -> Claim | None:
    """A claim about every size of a test; None where there are none to speak about it."""
    asked = _of(cells, test)
    if not asked:
        return None
    verdicts = [holds(cell) for cell in asked]
    here = f"{verdicts.count(True)} of {len(verdicts)}; {_range(asked)}"
    return Claim(says=says, holds=_together(verdicts), here=here)


def _more_liberal_with_larger_tests(cells: Sequence[Cell]) -> Claim:
    small, large = _of(cells, "resampled t, n/10"), _of(cells, "resampled t, n/2")
    more: list[Verdict] = [
        b.ours > a.ours or (None if a.ours - b.ours <= 2 * hypot(a.se, b.se) else False)
        for a, b in zip(small, large, strict=True)
    ]
    return Claim(
        says="the resampled t is more liberal at n2 = n/2 than at n/10",
        holds=_together(more),
        here=f"{more.count(True)} of {len(more)}; {_range(small)} at n/10, {_range(large)} at n/2",
    )


def _some_are_liberal(cells: Sequence[Cell], number: int) -> Claim:
    asked = [cell for cell in cells if cell.row.endswith((": t", ": 5×2 t"))]
    verdicts = [_above(LEVEL)(cell) for cell in asked]
    says = f"figure {number}: t and 5×2 t are fairly liberal in some panels"
    here = f"{verdicts.count(True)} of {len(verdicts)}; {_range(asked)}"
    return Claim(says=says, holds=True in verdicts or None, here=here)


def _bootstrap_is_alike(where: str, sizes: Mapping[str, tuple[float, float]]) -> Claim:
    pairs = [(sizes[f"bootstrap, {name}"], sizes[f"resampled-t, {name}"]) for name in ("A", "A−B")]
    alike = [abs(b[0] - t[0]) <= 3 * max(b[1], t[1]) for b, t in pairs]
    words = "; ".join(f"{b[0]:.2f} and {t[0]:.2f} ± {t[1]:.2f}" for b, t in pairs)
    says = f"{where}: bootstrap and resampled t nearly overlap (n2 = n/2)"
    return Claim(says=says, holds=all(alike), here=f"A and A − B: {words}")


Sizes = Mapping[tuple[int, str], Mapping[str, Sequence[float]]]


def of_curves(number: int, figures: Sequence[int]) -> Table:
    """What NB say of the choice of J and M, put to the sizes in the kept curves of some figures."""
    by_j: dict[tuple[int, str], Mapping[str, Sequence[float]]] = {}
    by_m: dict[tuple[int, str], Mapping[str, Sequence[float]]] = {}
    for figure in figures:
        told = json.loads((KEPT / f"nb-{figure}.json").read_text(encoding="utf-8"))
        for panel, tests in told["panels"].items():
            sizes = {name: points[len(points) // 2][1:] for name, points in tests.items()}
            (by_j if figure < 19 else by_m)[figure, panel] = sizes
    t, z = "resampled t", "conservative Z"
    made = [
        _ordered(by_j, f"{t}, J = 25", f"{t}, J = 5", "the resampled t is more liberal with larger J"),
        _bounded(by_j, t, 0.15, "the resampled t is very liberal", above=True),
        _bounded(by_j, z, LEVEL, "the conservative Z lives up to its name", above=False),
        _ordered(by_m, f"{z}, M = 5", f"{z}, M = 20", "Z is more conservative with larger M"),
        _bounded(by_m, f"{z}, M = 5", 0.15, "with M = 5 it is liberal at times, but barely so", above=False),
    ]
    note = f"Sizes at level .1 in figures {', '.join(map(str, figures))}; {told['note']}"
    return Table(name=f"curves-{number}", title="NB on J and M", note=note, claims=made)


def _ordered(sizes: Sizes, larger: str, smaller: str, says: str) -> Claim:
    pairs = [(panel[larger], panel[smaller]) for panel in sizes.values()]
    holds = [a[0] >= b[0] - 2 * hypot(a[1], b[1]) for a, b in pairs]
    shown = "; ".join(f"{a[0]:.3f} and {b[0]:.3f}" for a, b in pairs[:3])
    return Claim(says=says, holds=all(holds), here=f"{sum(holds)} of {len(holds)}; {shown}, …")


def _bounded(sizes: Sizes, test: str, bound: float, says: str, *, above: bool) -> Claim:
    found = [v for panel in sizes.values() for name, v in panel.items() if name.startswith(test)]
    holds = [(v - bound) * (1 if above else -1) > -2 * se for v, se in found]
    values = [v for v, _ in found]
    shown = f"{min(values):.3f} to {max(values):.3f}"
    return Claim(says=says, holds=all(holds), here=f"{sum(holds)} of {len(holds)}; {shown}")

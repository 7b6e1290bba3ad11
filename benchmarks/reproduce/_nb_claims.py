"""What NB say in words of the sizes in figures 1–8, put to the sizes measured here."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.reproduce._table import Cell, Claim

LEVEL = 0.1
FAR = 0.2  # "far away from the nominal size": NB's own example of far is .2


def _liberal(cell: Cell) -> bool:
    """Significantly above the level."""
    return cell.ours > LEVEL + 2 * cell.se


def _conservative(cell: Cell) -> bool:
    return cell.ours < LEVEL - 2 * cell.se


def _near(cell: Cell) -> bool:
    """Not significantly away from the level, by three standard errors as elsewhere."""
    return abs(cell.ours - LEVEL) <= 3 * cell.se


def claims(cells: Sequence[Cell], boot: Mapping[str, Mapping[str, tuple[float, float]]]) -> list[Claim]:
    """The claims that the sizes of one problem can speak about."""
    figures = {int(cell.row.split(",")[0].split()[1]) for cell in cells}
    said: list[Claim | None] = [
        _all(
            cells, "resampled t", "the resampled t is far above .1 in every figure", lambda c: c.ours > 0.15
        ),
        _all(
            cells,
            "conservative Z, n/10",
            "conservative Z, n2 = n/10: at times liberal, never far from .1 (like .2)",
            lambda c: c.ours <= FAR + 2 * c.se,
        ),
        _all(
            cells,
            "conservative Z, n/2",
            "conservative Z, n2 = n/2: too conservative",
            lambda c: c.ours <= LEVEL,
        ),
        _more_liberal_with_larger_tests(cells),
    ]
    in_figure = {
        number: [c for c in cells if c.row.startswith(f"figure {number},")] for number in sorted(figures)
    }
    if 1 in figures:
        said.append(_all(in_figure[1], "corrected", "figure 1: the corrected t is close to .1", _near))
    if 3 in figures:
        some = [c for c in in_figure[3] if c.column in ("simulation 2", "simulation 4")]
        words = "figure 3: corrected t, n2 = n/10, liberal in simulations 2 and 4 (skewed differences)"
        said.append(_all(some, "corrected, n/10", words, _liberal))
    for number in sorted(figures & {4, 7}):
        words = f"figure {number}: the corrected t is significantly liberal at n2 = n/10"
        said.append(_all(in_figure[number], "corrected, n/10", words, _liberal))
        words = f"figure {number}: and conservative at n2 = n/2"
        said.append(_all(in_figure[number], "corrected, n/2", words, _conservative))
    said += [_some_are_liberal(in_figure[number], number) for number in sorted(figures & {3, 4, 6})]
    said += [_bootstrap_is_alike(column, sizes) for column, sizes in boot.items()]
    return [claim for claim in said if claim is not None]


def _of(cells: Iterable[Cell], test: str) -> list[Cell]:
    return [cell for cell in cells if cell.row.partition(": ")[2].startswith(test)]


def _range(cells: Sequence[Cell]) -> str:
    low, high = min(cells, key=lambda c: c.ours), max(cells, key=lambda c: c.ours)
    return f"{low.text} to {high.text}"


def _all(cells: Iterable[Cell], test: str, says: str, holds: Callable[[Cell], bool]) -> Claim | None:
    """A claim about every size of a test; None where there are none to speak about it."""
    asked = _of(cells, test)
    if not asked:
        return None
    good = [holds(cell) for cell in asked]
    return Claim(says=says, holds=all(good), here=f"{sum(good)} of {len(good)}; {_range(asked)}")


def _more_liberal_with_larger_tests(cells: Sequence[Cell]) -> Claim:
    small, large = _of(cells, "resampled t, n/10"), _of(cells, "resampled t, n/2")
    more = [b.ours > a.ours for a, b in zip(small, large, strict=True)]
    return Claim(
        says="the resampled t is more liberal at n2 = n/2 than at n/10",
        holds=all(more),
        here=f"{sum(more)} of {len(more)}; {_range(small)} at n/10, {_range(large)} at n/2",
    )


def _some_are_liberal(cells: Sequence[Cell], number: int) -> Claim:
    asked = [cell for cell in cells if cell.row.endswith((": t", ": 5×2 t"))]
    good = [_liberal(cell) for cell in asked]
    says = f"figure {number}: t and 5×2 t are fairly liberal in some panels"
    return Claim(says=says, holds=any(good), here=f"{sum(good)} of {len(good)}; {_range(asked)}")


def _bootstrap_is_alike(column: str, sizes: Mapping[str, tuple[float, float]]) -> Claim:
    pairs = [(sizes[f"bootstrap, {name}"], sizes[f"resampled-t, {name}"]) for name in ("A", "A−B")]
    alike = [abs(b[0] - t[0]) <= 3 * max(b[1], t[1]) for b, t in pairs]
    words = "; ".join(f"{b[0]:.2f} and {t[0]:.2f} ± {t[1]:.2f}" for b, t in pairs)
    says = f"figures 4 and 6, {column}: bootstrap and resampled t nearly overlap (n2 = n/2)"
    return Claim(says=says, holds=all(alike), here=f"A and A − B: {words}")

"""
What R19 and W14 conclude from tables, put to the kept ones: ``python -m papers.conclusions``.

A statement holds if it is seen by three errors, fails if its opposite is, and cannot be told
otherwise; one about many configurations fails with the first, unless it says "most" (then more than
half must show it) or is about a level (then nine in ten must have it, as with values).
"""

from collections.abc import Iterator, Sequence
from math import hypot

from papers import exact_designs, exact_formulas, g13_spread, pages, transcribed
from papers._table import Cell, Claim, Table, keep, kept, together

Verdict = bool | None
Cells = dict[tuple[str, str], Cell]


def cells_of(source: str, *names: str) -> Cells:
    """The kept values of some tables."""
    return {
        (c.row, c.column): c
        for name in names
        for c in kept(pages.RESULTS / source / f"{name}.json").cells
    }


def larger(first: Cell, second: Cell) -> Verdict:
    """Whether the first is the larger by three errors."""
    return above(first.ours - second.ours, hypot(first.se, second.se))


def above(value: float, se: float, bound: float = 0.0) -> Verdict:
    """Whether a value is above a bound by three errors; below by as many is False."""
    gap = value - bound
    return None if abs(gap) <= 3 * se else gap > 0


def every(says: str, seen: Sequence[Verdict]) -> Claim:
    """It holds everywhere."""
    return Claim(says=says, holds=together(seen), here=_counts(seen))


def most(says: str, seen: Sequence[Verdict]) -> Claim:
    """It holds in more than half; it fails if the opposite does."""
    half = len(seen) / 2
    holds = None
    if seen.count(True) > half:
        holds = True
    elif seen.count(False) >= half:
        holds = False
    return Claim(says=says, holds=holds, here=_counts(seen))


def never(says: str, seen: Sequence[bool]) -> Claim:
    """The opposite is seen nowhere."""
    return Claim(
        says=says, holds=True not in seen, here=f"the opposite in {seen.count(True)} of {len(seen)}"
    )


def level(says: str, seen: Sequence[bool]) -> Claim:
    """Nine in ten have the level that is claimed."""
    return Claim(says=says, holds=sum(seen) >= 0.9 * len(seen), here=f"{sum(seen)} of {len(seen)}")


def _liberal(cell: Cell) -> bool:
    return above(cell.ours, cell.se, 0.05) is True


def _counts(seen: Sequence[Verdict]) -> str:
    return f"seen in {seen.count(True)} of {len(seen)}, the opposite in {seen.count(False)}"


def _table(name: str, title: str, *claims: Claim) -> Table:
    return Table(
        name=name, title=title, note="From the kept values, by three errors.", claims=claims
    )


def _names(prefix: str) -> list[str]:
    found = sorted((pages.RESULTS / "r19").glob(f"{prefix}-*.json"))
    return [file.stem for file in found if not file.stem.endswith(("words", "total", "gain"))]


def r19_designs() -> Iterator[Table]:
    """R19 2.4 and 3.5 on tables 2.9, 2.10, 2.11, 3.6 and 3.7."""
    nine = cells_of("r19", *_names("2.9"))
    folds = [nine[row, column] for row, column in nine if column in ("% J=5", "% J=10")]
    halves = [above(c.ours, c.se) for (_, column), c in nine.items() if column == "% J=2"]
    yield _table(
        "2.9-words", "R19 table 2.9 in words",
        every("5 and 10 folds vary less than random splits", [above(c.ours, c.se) for c in folds]),
        most("two folds vary less than two random halves, in most rows", halves),
    )  # fmt: skip
    ten = cells_of("r19", *_names("2.10"))
    pairs = [
        larger(ten[row, f"{a} J={J}"], ten[row, f"{b} J={J}"])
        for row in dict.fromkeys(row for row, _ in ten)
        for J in (6, 10, 14)
        for a, b in (("RHS", "BRHS"), ("m×2", "BRHS"), ("BCV", "BRHS"))
    ]
    yield _table(
        "2.10-words", "R19 table 2.10 in words", every("BRHS has the least variance of four", pairs)
    )
    six = cells_of("r19", "3.6-SREG", "3.6-SCLA")
    rho2 = [c for (_, column), c in six.items() if column == "ρ2"]
    inside = [above(c.ours, c.se) and above(0.5 - c.ours, c.se) for c in rho2]
    yield _table("3.6-words", "R19 table 3.6 in words", every("0 < ρ2 < ½", inside))
    for name in ("3.8", "3.10"):
        files = sorted((pages.RESULTS / "r19").glob(f"{name}-*-gain.json"))
        gains = list(cells_of("r19", *(file.stem for file in files)).values())
        says = "even halves vary less than random ones in every configuration"
        yield _table(
            f"{name}-words",
            f"R19 table {name} in words",
            every(says, [above(c.ours, c.se) for c in gains]),
        )


def r19_tests() -> Iterator[Table]:
    """R19 5.7 and 5.8 on tables 5.6, 5.7, 5.8 and 5.10."""
    for name in ("5.6", "5.7"):
        found = cells_of("r19", name)
        columns = list(dict.fromkeys(column for _, column in found))

        def bias(
            which: str, m: int, found: Cells = found, columns: Sequence[str] = columns
        ) -> list[Verdict]:
            return [larger(found[f"m={m} {which}", n], found[f"m={m} Var μ̂", n]) for n in columns]

        under = [None if v is None else not v for m in (3, 5, 7) for v in bias("V1", m)]
        yield _table(
            f"{name}-words", f"R19 table {name} in words",
            most("V1 is too small in most configurations", under),
            every("V3 is too large", [v for m in (3, 5, 7) for v in bias("V3", m)]),
            every("V2 is too large at m = 7", bias("V2", 7)),
        )  # fmt: skip
    toy = cells_of("r19", "5.8")
    rows = dict.fromkeys(row for row, _ in toy)
    at_zero = [c for (row, _), c in toy.items() if row == "98paired ρ1=0.0"]
    liberal = [
        c for (row, _), c in toy.items() if row.startswith("98paired") and not row.endswith("0.0")
    ]
    ours = [c for (row, _), c in toy.items() if row.startswith("bmx2")]
    ideal = [c for (row, _), c in toy.items() if row.startswith("ideal")]
    grows = [
        larger(toy[row, "ρ2=0.5"], toy[row, "ρ2=0.0"]) for row in rows if row.startswith("bmx2")
    ]
    yield _table(
        "5.8-words", "R19 table 5.8 in words",
        level("the ideal test errs .05", [above(c.ours, c.se, 0.05) is None for c in ideal]),
        never("98paired is acceptable at ρ1 = 0", [_liberal(c) for c in at_zero]),
        every("and liberal at ρ1 > 0", [above(c.ours, c.se, 0.05) for c in liberal]),
        never("bmx2 is nowhere above .05", [_liberal(c) for c in ours]),
        every("and errs more with larger ρ2", grows),
    )  # fmt: skip
    letters = cells_of("r19", "5.10")
    paired = [above(c.ours, c.se, 0.05) for (row, _), c in letters.items() if row == "98paired"]
    small = [above(0.05 - c.ours, c.se) for (row, _), c in letters.items() if row == "bmx2"]
    yield _table(
        "5.10-words", "R19 table 5.10 in words",
        every("98paired errs above .05 on all", paired), every("bmx2 below .05 on all", small),
    )  # fmt: skip


def w14() -> Iterator[Table]:
    """W14 4.2, 6.3 and 6.6 on tables 2, 6, 7 and 10."""
    for number, columns in ((6, ("simulation 1", "simulation 2")), (7, ("letters",))):
        found = cells_of("w14", f"table-{number}")
        good = [found[t, c] for t in ("t_5×2", "F_5×2", "t_B3×2") for c in columns]
        high = [found[t, c] for t in ("t_CV", "t_CCV") for c in columns]
        yield _table(
            f"table-{number}-words", f"W14 table {number} in words",
            never("t_5×2, F_5×2 and t_B3×2 have acceptable errors", [_liberal(c) for c in good]),
            every("t_CV and t_CCV err somewhat above .05",
                  [above(c.ours, c.se, 0.05) for c in high]),
        )  # fmt: skip
    found = cells_of("w14", "table-10-r")
    good = [c for (_, test), c in found.items() if test in ("F_5×2", "t_B3×2")]
    says = "replicability is above .9 for F_5×2 and t_B3×2"
    yield _table(
        "table-10-words",
        "W14 table 10 in words",
        every(says, [above(c.ours, c.se, 0.9) for c in good]),
    )


def tables() -> Iterator[tuple[str, Table]]:
    """All of them, and what is exact, with the folder of results that each belongs to."""
    for made in (r19_designs(), r19_tests(), exact_designs.chapter_2(), exact_designs.chapter_3()):
        for table in made:
            yield "r19", table
    for formula in exact_formulas.R19:
        yield "r19", formula()
    for table in w14():
        yield "w14", table
    yield "w14", exact_designs.w14_design()
    yield "w14", exact_formulas.w14_table_5()
    yield "nb", exact_formulas.nb_table_1()
    for table in (
        *exact_formulas.g13_tables(),
        exact_formulas.g13_figure_1(),
        *transcribed.g13_figures(),
    ):
        yield "g13", table
    yield "g13", g13_spread.concluded()
    for table in transcribed.chapter_7():
        yield "r19", table


def main() -> None:
    """Keep them."""
    for folder, table in tables():
        keep(table, pages.RESULTS / folder)
        table.show()


if __name__ == "__main__":
    main()

"""
What the sources conclude from tables, put to the kept ones: ``python -m papers.conclusions``.

A statement holds if it is seen by three errors, fails if its opposite is, and cannot be told
otherwise; one about many configurations fails with the first, unless it says "most" (then more than
half must show it) or is about a level (then nine in ten must have it, as with values).
"""

from collections.abc import Iterator, Sequence
from math import hypot

import numpy as np
from numpy.typing import NDArray

from evenfold_lab.algorithm import Floats
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
    files = sorted((pages.RESULTS / "r19").glob(f"{prefix}-*.json"))
    return [file.stem for file in files if not file.stem.endswith(("words", "total", "gain"))]


def _gains(table: str) -> Cells:
    """What even designs save, from covariances within data sets: far sharper than variances."""
    files = sorted((pages.RESULTS / "r19").glob(f"{table}-*-gain.json"))
    return cells_of("r19", *(file.stem for file in files))


def r19_folds() -> Iterator[Table]:
    """R19 2.4.1 and 2.4.2 on tables 2.8 and 2.9."""
    eight = cells_of("r19", "2.8")
    splits = (2, 5, 10, 50, 100)
    rows = list(dict.fromkeys(row for row, _ in eight))
    ideal = {row: [eight[row, f"φ* J={J}"].ours for J in splits] for row in rows}
    off = {row: [eight[row, f"E abs(φ−φ*) J={J}"].ours for J in splits] for row in rows}
    yield _table(
        "2.8-words", "R19 table 2.8 in words",
        every("φ* is below the mean of random overlaps",
              [max(ideal[row]) < eight[row, "E φ"].ours for row in rows]),
        every("it grows with J", [ideal[row] == sorted(ideal[row]) for row in rows]),
        every("random overlaps are nearer to it with larger J",
              [off[row] == sorted(off[row], reverse=True) for row in rows]),
    )  # fmt: skip
    nine = cells_of("r19", *_names("2.9"))
    folds = {key: cell for key, cell in nine.items() if key[1] in ("% J=5", "% J=10")}
    halves = {row: cell for (row, column), cell in nine.items() if column == "% J=2"}
    excepted = [c for row, c in halves.items() if row.startswith(("SREG+lm", "SCLA+knn"))]
    classes = [c for (row, _), c in folds.items() if not row.startswith("SREG")]
    most_saved = [
        max((c for (row, _), c in folds.items() if row.startswith(name)), key=lambda c: c.ours)
        for name in ("wdbc", "optdigits", "pageblock")
    ]
    yield _table(
        "2.9-words", "R19 table 2.9 in words",
        every("5 and 10 folds vary less than random splits",
              [above(c.ours, c.se) for c in folds.values()]),
        most("two folds vary less than two random halves, in most rows",
             [above(c.ours, c.se) for c in halves.values()]),
        every("but more for least squares on SREG and kNN on SCLA",
              [above(-c.ours, c.se) for c in excepted]),
        every("5 and 10 folds save more than 10% for classes",
              [above(c.ours, c.se, 10) for c in classes]),
        every("at best more than 40% on wdbc, optdigits and pageblock",
              [above(c.ours, c.se, 40) for c in most_saved]),
    )  # fmt: skip


def r19_halves() -> Iterator[Table]:
    """R19 2.4.3 on tables 2.10, 2.11 and 2.12."""
    saved = _gains("2.11")
    seen = [above(c.ours, c.se) for c in saved.values()]
    yield _table(
        "2.10-words", "R19 table 2.10 in words", every("BRHS has the least variance of four", seen)
    )
    rows = dict.fromkeys(row for row, _ in saved)
    random = [c for (_, column), c in saved.items() if column.startswith("% RHS")]
    others = [c for (_, column), c in saved.items() if not column.startswith("% RHS")]
    fewer = [
        larger(saved[row, f"% {design} J=6"], saved[row, f"% {design} J=14"])
        for row in rows
        for design in ("RHS", "m×2", "BCV")
    ]
    outside = [above(c.ours, c.se, 24) is True or above(c.ours, c.se, 1) is False for c in random]
    yield _table(
        "2.11-words", "R19 table 2.11 in words",
        never("BRHS saves 1 to 24% beside RHS", outside),
        never("and less than 10% beside m×2, random or even",
              [above(c.ours, c.se, 10) is True for c in others]),
        every("it saves less with more splits", fewer),
    )  # fmt: skip
    three = [row for row in rows if row.startswith(("krvskp", "optdigits+knn"))]
    places = [(row, J) for row in three for J in (6, 10, 14)]
    steps = [
        larger(saved[row, f"% {a} J={J}"], saved[row, f"% {b} J={J}"])
        for row, J in places
        for a, b in (("RHS", "m×2"), ("m×2", "BCV"))
    ]
    least = [above(c.ours, c.se) for (row, _), c in saved.items() if row in three]
    yield _table(
        "2.12-words", "R19 table 2.12 in words",
        every("BRHS varies less than the other three", least),
        never("which do not differ", [step is not None for step in steps]),
        every("but fall from RHS over m×2 to BCV", steps),
    )  # fmt: skip


def r19_repetitions() -> Iterator[Table]:
    """R19 3.4, 3.5 and 3.6 on tables 3.5 to 3.10."""
    drop = {int(row.removeprefix("m = ")): c.ours for (row, _), c in cells_of("r19", "3.5").items()}
    shown = ", ".join(f"{drop[m]:.4f} at m = {m}" for m in (3, 5, 6, 15, 16))
    yield _table(
        "3.5-words", "R19 table 3.5 in words",
        Claim(says="one repetition more than three lowers the variance by less than 10%",
              holds=drop[3] < 0.1, here=shown),
        Claim(says="less than 5% takes more than five", holds=drop[5] > 0.05 > drop[6], here=shown),
        Claim(says="less than 1% at least 16", holds=drop[15] > 0.01 > drop[16], here=shown),
    )  # fmt: skip
    six = cells_of("r19", "3.6-SREG", "3.6-SCLA")
    rho2 = [c for (_, column), c in six.items() if column == "ρ2"]
    inside = [above(c.ours, c.se) and above(0.5 - c.ours, c.se) for c in rho2]
    convex = [above(c.ours, c.se) for (_, column), c in six.items() if column == "ω+γ−2τ"]
    yield _table(
        "3.6-words", "R19 table 3.6 in words",
        every("ω + γ − 2τ > 0", convex), every("0 < ρ2 < ½", inside),
    )  # fmt: skip
    for name, grow in (("3.8", every), ("3.10", most)):
        gains = _gains(name)
        rows = dict.fromkeys(row for row, _ in gains)
        steps = [
            larger(gains[row, f"% m={m + 2}"], gains[row, f"% m={m}"])
            for row in rows
            for m in (3, 5, 7)
        ]
        yield _table(
            f"{name}-words", f"R19 table {name} in words",
            every("even halves vary less than random ones in every configuration",
                  [above(c.ours, c.se) for c in gains.values()]),
            grow("the more so the larger m" + (", mostly" if grow is most else ""), steps),
        )  # fmt: skip
    totals = sorted((pages.RESULTS / "r19").glob("3.9-*-total.json"))
    nine = cells_of("r19", *(file.stem for file in totals))
    ends = [
        larger(nine[row, f"{design} m=3"], nine[row, f"{design} m=9"])
        for row in dict.fromkeys(row for row, _ in nine)
        for design in ("BCV", "m×2")
    ]
    yield _table(
        "3.9-words", "R19 table 3.9 in words", every("variances fall from m = 3 to 9", ends)
    )


def r19_constants() -> Iterator[Table]:
    """R19 5.2.5.1 on tables 5.2 and 5.3."""
    cells = cells_of("r19", "5.2", "5.3")

    def grid(which: str) -> Floats:
        """By m, ρ1 and ρ2."""
        return np.array([
            [[cells[f"m={m} ρ1={i / 10}", f"{which} ρ2={j / 10}"].ours for j in range(6)]
             for i in range(6)]
            for m in range(3, 12)
        ])  # fmt: skip

    def steps(says: str, up: NDArray[np.bool_]) -> Claim:
        return Claim(says=says, holds=bool(up.all()), here=f"in {up.sum()} of {up.size} steps")

    C, f = grid("C"), grid("f")
    m = np.arange(3, 12)[:, None, None]
    nothing = 1e-9
    yield _table(
        "5.2-words", "R19 tables 5.2 and 5.3 in words",
        steps("C_m falls with m", np.diff(C, axis=0) <= nothing),
        steps("and is not above Ĉ_m", np.sqrt((2 * m + 1) / (2 * m - 1)) + nothing >= C),
        steps("f_m falls with ρ2", np.diff(f, axis=2) <= nothing),
        steps("f_m grows with ρ1", np.diff(f, axis=1) >= -nothing),
        steps("f_m grows with m", np.diff(f, axis=0) > 0),
    )  # fmt: skip


def r19_tests() -> Iterator[Table]:
    """R19 5.4, 5.7 and 5.8 on tables 5.4, 5.6, 5.7, 5.8 and 5.10."""
    four = cells_of("r19", "5.4")
    levels = list(dict.fromkeys(column for _, column in four))
    enough = {
        level: next(m for m in range(3, 21) if four[f"m={m}", level].ours < 0.05)
        for level in levels
    }
    shown = ", ".join(f"{m} at {level}" for level, m in enough.items())
    yield _table(
        "5.4-words", "R19 table 5.4 in words",
        Claim(says="smaller levels take more repetitions",
              holds=list(enough.values()) == sorted(enough.values()), here=f"below 5%: {shown}"),
        Claim(says="at α = .05 less than 5% takes at least five",
              holds=enough["α=0.05"] >= 5, here=shown),
    )  # fmt: skip
    for name in ("5.6", "5.7"):
        cells = cells_of("r19", name)
        columns = list(dict.fromkeys(column for _, column in cells))

        def bias(
            which: str, m: int, cells: Cells = cells, columns: Sequence[str] = columns
        ) -> list[Verdict]:
            return [larger(cells[f"m={m} {which}", n], cells[f"m={m} Var μ̂", n]) for n in columns]

        under = [None if v is None else not v for m in (3, 5, 7) for v in bias("V1", m)]
        yield _table(
            f"{name}-words", f"R19 table {name} in words",
            most("V1 is too small in most configurations", under),
            every("V3 is too large", [v for m in (3, 5, 7) for v in bias("V3", m)]),
            most("V2 is too large in most configurations",
                 [v for m in (3, 5, 7) for v in bias("V2", m)]),
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
    rho2 = dict.fromkeys(column for _, column in toy)
    worse = [larger(toy["98paired ρ1=0.5", c], toy["98paired ρ1=0.0", c]) for c in rho2]
    at_half = [c for (row, column), c in toy.items() if row[:4] == "bmx2" and column == "ρ2=0.5"]
    yield _table(
        "5.8-words", "R19 table 5.8 in words",
        level("the ideal test errs .05", [above(c.ours, c.se, 0.05) is None for c in ideal]),
        never("98paired is acceptable at ρ1 = 0", [_liberal(c) for c in at_zero]),
        every("and liberal at ρ1 > 0", [above(c.ours, c.se, 0.05) for c in liberal]),
        every("and errs more with larger ρ1", worse),
        never("bmx2 is nowhere above .05", [_liberal(c) for c in ours]),
        every("and errs more with larger ρ2", grows),
        level("and reaches .05 at ρ2 = ½", [above(c.ours, c.se, 0.05) is None for c in at_half]),
    )  # fmt: skip
    letters = cells_of("r19", "5.10")
    paired = [above(c.ours, c.se, 0.05) for (row, _), c in letters.items() if row == "98paired"]
    small = [above(0.05 - c.ours, c.se) for (row, _), c in letters.items() if row == "bmx2"]
    yield _table(
        "5.10-words", "R19 table 5.10 in words",
        every("98paired errs above .05 on all", paired), every("bmx2 below .05 on all", small),
    )  # fmt: skip


def w14() -> Iterator[Table]:
    """W14 4, 6.3, 6.5 and 6.6 on tables 2, 3, 4 and 6 to 10."""
    yield from _w14_estimators()
    for number, columns in ((6, ("simulation 1", "simulation 2")), (7, ("letters",))):
        cells = cells_of("w14", f"table-{number}")
        good = [cells[t, c] for t in ("t_5×2", "F_5×2", "t_B3×2") for c in columns]
        high = [cells[t, c] for t in ("t_CV", "t_CCV") for c in columns]
        yield _table(
            f"table-{number}-words", f"W14 table {number} in words",
            never("t_5×2, F_5×2 and t_B3×2 have acceptable errors", [_liberal(c) for c in good]),
            every("t_CV and t_CCV err somewhat above .05",
                  [above(c.ours, c.se, 0.05) for c in high]),
        )  # fmt: skip
    for number, kind in ((8, "I"), (9, "II")):
        cells = cells_of("w14", f"table-{number}")
        pairs = [
            (cells[row, test], cells[row, "t_B3×2"])
            for row in dict.fromkeys(row for row, _ in cells)
            for test in ("t_CV", "t_CCV", "t_5×2", "F_5×2")
        ]
        # What table 9 holds are rejections of a false null, of which fewer are more errors.
        lower = [larger(a, b) if kind == "I" else larger(b, a) for a, b in pairs]
        yield _table(
            f"table-{number}-words", f"W14 table {number} in words",
            most(f"t_B3×2 has the lower type {kind} errors in most cases", lower),
        )  # fmt: skip
    cells = cells_of("w14", "table-10-r")
    good = [c for (_, test), c in cells.items() if test in ("F_5×2", "t_B3×2")]
    says = "replicability is above .9 for F_5×2 and t_B3×2"
    yield _table(
        "table-10-words",
        "W14 table 10 in words",
        every(says, [above(c.ours, c.se, 0.9) for c in good]),
    )


def _w14_estimators() -> Iterator[Table]:
    """W14 4.1 and 4.2: which estimates of the variance are too small, and how ρ1 and ρ2 go."""
    for number in (2, 3):
        cells = cells_of("w14", f"table-{number}")
        pairs = [
            (cells[row, "1 − 2ρ1"], cells[row, "2ρ2"]) for row in dict.fromkeys(r for r, _ in cells)
        ]
        # AL is too large where 2 − ρ1 − 2ρ2 > 2ρ2, which is 1.5 + (1 − 2ρ1)/2 − 2·2ρ2 > 0.
        large = [above(1.5 + a.ours / 2 - 2 * b.ours, hypot(a.se / 2, 2 * b.se)) for a, b in pairs]
        yield _table(
            f"table-{number}-words", f"W14 table {number} in words",
            every("the L estimator underestimates", [larger(b, a) for a, b in pairs]),
            every("the AL estimator is conservative", large),
        )  # fmt: skip
    cells = cells_of("w14", *(f"table-4-{name}" for name in ("nb", "cr", "svm", "network")))
    rows = list(dict.fromkeys(row for row, _ in cells))
    less = [larger(cells[row, "ρ2"], cells[row, "ρ1"]) for row in rows if row != "SVM, n = 40"]
    names = dict.fromkeys(row.split(",")[0] for row in rows)
    ends = [[row for row in rows if row.startswith(name)] for name in names]
    yield _table(
        "table-4-words", "W14 table 4 in words",
        every("ρ1 and ρ2 are positive", [above(c.ours, c.se) for c in cells.values()]),
        every("ρ1 < ρ2, but for the SVM at n = 40", less),
        every("ρ1 falls from the smallest n to the largest",
              [larger(cells[of[0], "ρ1"], cells[of[-1], "ρ1"]) for of in ends]),
    )  # fmt: skip


def nb() -> Iterator[Table]:
    """NB 5 on tables 2, 3 and 4."""
    naive = {"(n/2;n/10)": 1 / 6, "(9n/10;n/10)": 0.1}  # ρ0 where test sets are small
    by_table = {number: cells_of("nb", f"table-{number}") for number in (2, 3, 4)}

    def gaps(number: int, of: str) -> list[tuple[float, float]]:
        return [
            (c.ours - rho0, c.se)
            for sizes, rho0 in naive.items()
            for (row, _), c in by_table[number].items()
            if row.startswith(f"ρ_{of}") and row.endswith(sizes)
        ]

    # Two errors, as these are the ends of NB's 95 % intervals; said of all three tables together,
    # and so counted once.
    near = [abs(gap) <= 2 * se for number in by_table for gap, se in gaps(number, "")]
    often = Claim(
        says="tables 2, 3 and 4: intervals of ρ often contain ρ0",
        holds=sum(near) > len(near) / 3,
        here=f"{sum(near)} of {len(near)}, at two errors",
    )
    for number, cells in by_table.items():
        # regression, where NB except the difference
        small = ("r_A", "r_B") if number == 2 else ("r_A", "r_B", "r_A−B")
        claims = [
            never("ρ0 is not below ρ_A−B",
                  [above(gap, se) is True for gap, se in gaps(number, "A−B")]),
            never("r is fairly small (below .06)" + (" but for A − B" if number == 2 else ""),
                  [above(c.ours, c.se, 0.06) is True
                   for (row, _), c in cells.items() if row in small]),
        ]  # fmt: skip
        if number == 2:
            claims.append(often)
        if number == 4:
            errors = [
                larger(c, cells[row.replace("(n/2)", "(9n/10)"), column])
                for (row, column), c in cells.items()
                if row in ("μ_A(n/2)", "μ_B(n/2)")
            ]
            claims.append(every("μ differs noticeably between n/2 and 9n/10", errors))
        yield _table(f"table-{number}-words", f"NB table {number} in words", *claims)


def tables() -> Iterator[tuple[str, Table]]:
    """All of them, and what is exact, with the folder of results that each belongs to."""
    for made in (
        r19_folds(), r19_halves(), r19_repetitions(), r19_constants(), r19_tests(),
        exact_designs.chapter_2(), exact_designs.chapter_3(),
    ):  # fmt: skip
        for table in made:
            yield "r19", table
    for table in nb():
        yield "nb", table
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

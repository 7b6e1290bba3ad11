"""
The tables of R19 beside ours: ``python -m papers.r19 FOLDER [--scale 0.1] [--parts ...]``.

The whole of it at scale 1 takes days; docs/papers/r19.md says what was run at which scale.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from scipy import special

from evenfold.design import ideal_overlap, random_overlap
from evenfold.infer import theory
from papers import r19_designs, r19_exact, r19_tests
from papers import r19_printed as tables
from papers._table import Cell, Claim, Table, arguments, printed, publish
from papers.r19_draws import Run, rows_of

SPLITS_2_8 = (2, 5, 10, 50, 100)
LEVELS_5_4 = (0.1, 0.05, 0.01, 0.005, 0.001)
_SIMULATED_2_8 = 10_000  # overlaps that R19 drew for the last columns


def overlaps(_: Run) -> Iterator[Table]:
    """Table 2.8, exactly; the last columns of the source are simulated."""
    cells = []
    for first, _unit, (second, *numbers) in rows_of(tables.TABLE_2_8):
        n, n1 = int(first), int(second)
        row, phi = f"n={n} n1={n1}", random_overlap(n, n1)
        ideal = {J: ideal_overlap(n, n1, J) for J in SPLITS_2_8}
        known = [*ideal.values(), float(phi.mean()), float(phi.var())]
        columns = [*[f"φ* J={J}" for J in SPLITS_2_8], "E φ", "Var φ"]
        cells += [
            _exact(row, c, text, v) for c, text, v in zip(columns, numbers[:7], known, strict=True)
        ]
        x = np.arange(phi.support()[0], phi.support()[1] + 1)
        for J, text in zip(SPLITS_2_8, numbers[7:], strict=True):
            away = np.abs(x - ideal[J])
            mean = float(phi.pmf(x) @ away)
            se = np.sqrt(max(float(phi.pmf(x) @ away**2) - mean**2, 0.0) / _SIMULATED_2_8)
            cells.append(_exact(row, f"E abs(φ−φ*) J={J}", text, mean, float(se)))
    yield Table(name="2.8", title="R19 table 2.8", note="Exact.", cells=cells)


def _exact(row: str, column: str, text: str, value: float, source_se: float = 0.0) -> Cell:
    return Cell(row=row, column=column, source=printed(text, source_se), ours=float(value), se=0.0)


def constants(_: Run) -> Iterator[Table]:
    """Tables 5.2, 5.3 and 5.4, and 5.4 with the error that its source made."""
    parts: dict[str, list[Cell]] = {"5.2": [], "5.3": []}  # 5.3 goes on from m = 8
    for first, _unit, (second, *numbers) in rows_of(tables.TABLE_5_2):
        m, rho1, rho2 = int(first), float(second), np.arange(6) / 10
        values = [*theory.c_m(m, rho1, rho2), *theory.f_m(m, rho1, rho2)]
        columns = [f"{name} ρ2={r:.1f}" for name in ("C", "f") for r in rho2]
        row = f"m={m} ρ1={rho1}"
        parts["5.2" if m < 8 else "5.3"] += [
            _exact(row, c, text, v) for c, text, v in zip(columns, numbers, values, strict=True)
        ]
    for name, cells in parts.items():
        yield Table(name=name, title=f"R19 table {name}", note="Exact.", cells=cells)
    for name, rate in (("5.4", _right_shrinkage), ("5.4-as-printed", _printed_shrinkage)):
        made = [
            _exact(f"m={m}", f"α={level:g}", text, rate(int(m), level))
            for m, _unit, numbers in rows_of(tables.TABLE_5_4)
            for level, text in zip(LEVELS_5_4, numbers, strict=True)
        ]
        yield Table(name=name, title=f"R19 table {name}", note="Exact.", cells=made)


def _right_shrinkage(m: int, level: float) -> float:
    return theory.interval_shrinkage(m, level=level)


def _printed_shrinkage(m: int, level: float) -> float:
    """Table 5.4 as R19 computed it: its eq. 5.23 has C_m where v_m belongs."""
    x, w = np.polynomial.legendre.leggauss(32)
    rho1, rho2 = (x[:, None] + 1) / 4, (x[None, :] + 1) / 4

    def length(m: int) -> np.ndarray:
        quantile = -special.stdtrit(2 * m - 1, level / 2)
        gamma = special.poch(theory.f_m(m, rho1, rho2) / 2, 0.5)
        reach: np.ndarray = (
            theory.c_hat(m) * quantile * np.sqrt(theory.c_m(m, rho1, rho2) / m) * gamma
        )
        return reach

    return float(np.einsum("i,j,ij->", w, w, 1 - length(m + 1) / length(m)) / 4)


def consistency(_: Run) -> Iterator[Table]:
    """What the printed tables say of each other, without any draw."""
    note = "From the printed numbers alone."
    claims = [_rates(*what) for what in _RATES]
    yield Table(
        name="consistency", title="R19's tables against each other", note=note, claims=claims
    )
    cells = [
        _from_totals(name, m, text)
        for name, _unit, texts in rows_of(tables.TABLE_3_7)
        if name.startswith("SCLA")
        for m, text in zip((3, 5, 7), texts, strict=False)
    ]
    yield Table(
        name="3.7-from-2.10", title="R19 table 3.7 out of table 2.10", note=note, cells=cells
    )


# Where the reductions stand and the columns of variances (before, after, reduction) that they come
# from.
_RATES = (
    ("2.9", tables.TABLE_2_9, tables.TABLE_2_9, [(i, 3 + i, 6 + i) for i in range(3)]),
    ("2.11", tables.TABLE_2_10, tables.TABLE_2_11, [(i, 9 + i % 3, i) for i in range(9)]),
    ("3.8", tables.TABLE_3_7, tables.TABLE_3_8, [(4 + i, i, i) for i in range(4)]),
    ("3.10", tables.TABLE_3_9, tables.TABLE_3_10, [(4 + i, i, i) for i in range(4)]),
)
_ROUNDING = 0.1  # of a reduction in %, from variances with four digits


def _rates(number: str, variances: str, rates: str, columns: list[tuple[int, int, int]]) -> Claim:
    """Whether printed reductions follow from printed variances."""
    known = {name: [float(x) for x in texts] for name, _, texts in rows_of(variances)}
    wrong: dict[str, list[str]] = {}
    for name, _, texts in rows_of(rates):
        for before, after, column in columns:
            implied = 100 * (1 - known[name][after] / known[name][before])
            if abs(implied - float(texts[column])) > _ROUNDING:
                wrong.setdefault(name, []).append(f"{texts[column]} for {implied:.2f}")
    count = sum(map(len, wrong.values()))
    listed = "; ".join(f"{name}: {', '.join(each)}" for name, each in wrong.items())
    total = len(known) * len(columns)
    here = f"{total - count} of {total}" + (f"; not {listed}" if listed else "")
    return Claim(
        says=f"the reductions of table {number} follow from its variances",
        holds=not wrong,
        here=here,
    )


def _from_totals(name: str, m: int, text: str) -> Cell:
    """
    Var(μ̂ | data set) of m×2 BCV out of the total variances of table 2.10.

    The total is b + (a − b)/m with the variance b over data sets, which no repetition removes, so
    that (a − b)/m = (V_3 − V_7)/(1/3 − 1/7)/m. The error is the rounding of the two and their Monte
    Carlo error.
    """
    totals = next(texts for row, _, texts in rows_of(tables.TABLE_2_10) if row == name)
    three, seven = float(totals[6]), float(totals[8])
    factor = 10 / (1 / 3 - 1 / 7) / m  # 10: the unit is 1e-4 there, 1e-5 here
    rounding = 0.0005 / np.sqrt(3)
    error = factor * np.hypot(
        np.hypot(rounding, _RELATIVE * three), np.hypot(rounding, _RELATIVE * seven)
    )
    ours = factor * (three - seven)
    return Cell(row=name, column=f"m={m}", source=printed(text), ours=ours, se=float(error))


# Monte Carlo error of R19's variances, about the middle of those in its table 2.12
_RELATIVE = 0.002

# Rows that were run alone, with fewer data sets than the others.
ALONE = (
    "SREG+lm", "SREG+ridge", "SREG+lasso", "SCLA+knn", "SCLA+svm", "letter+knn", "letter+svm",
    "yeast+knn", "yeast+svm",
)  # fmt: skip

PARTS: Mapping[str, Callable[[Run], Iterator[Table]]] = {
    "overlaps": overlaps,
    "constants": constants,
    "consistency": consistency,
    "drops": r19_exact.drops,
    "q": r19_exact.q_tables,
    "evenness": r19_exact.evenness,
    "regions": r19_exact.regions,
    "toy-words": r19_exact.toy_words,
    "variance-estimates": r19_tests.variance_estimates,
    "toy": r19_tests.toy,
    "letters": r19_tests.letters,
    "example-6.1": r19_tests.example,
    **{
        f"coefficients-{data}": partial(r19_designs.coefficients, data=data)
        for data in ("SREG", "SCLA")
    },
    **{
        f"partitions-{data}": partial(r19_designs.partitions, data=data)
        for table in (tables.TABLE_3_7, tables.TABLE_3_9)
        for data in r19_designs.data_sets(table)
    },
    **{
        f"designs-{data}": partial(r19_designs.designs, data=data)
        for data in (*r19_designs.data_sets(tables.TABLE_2_9), *ALONE)
    },
}
WITHOUT_DATA = (
    "overlaps", "constants", "consistency", "drops", "q", "evenness", "regions", "toy-words",
    "variance-estimates", "toy",
    "example-6.1",
)  # fmt: skip


def _simulated(part: str) -> bool:
    return part in WITHOUT_DATA or "SREG" in part or "SCLA" in part


def main() -> None:
    """Run the parts that were asked for, those without data if there is no folder."""
    options = arguments(__doc__ or "", list(PARTS))
    run = Run(folder=options.folder, scale=options.scale, store=options.store)
    for part in options.parts:
        if run.folder is None and not _simulated(part):
            print(f"\n{part}: left out, it needs the folder of data")
            continue
        publish(list(PARTS[part](run)))


if __name__ == "__main__":
    main()

"""R19's tables 3.5, 5.11 and 5.12 and its figures 2.2, 5.1 and 5.2: exact."""

from collections.abc import Iterator

import numpy as np
from scipy import special

from evenfold.design import BRLT, RLT, Mx2, Mx2BCV, variance_drop
from evenfold.infer.theory import gaussian as theory
from evenfold.infer.theory.regions import is_conservative, is_overly_conservative
from papers import r19_printed as tables
from papers import r19_sequences
from papers._r19_q import TABLE_5_11
from papers._table import Cell, Claim, Table, printed
from papers.r19_draws import SEED, Run, rows_of

_RHO2 = np.arange(6) / 10
SIZES, LEVELS = (3, 5, 7, 9), (0.1, 0.05, 0.01)  # m and α of figures 5.1 and 5.2
# least and largest overlap, spread of occurrences
_FIGURE_2_2: dict[str, tuple[str | None, ...]] = {
    "RHS": (None, None, None),
    "m×2": ("0", None, "0"),
    "m×2 BCV": ("0", "5", "0"),
    "BRHS": ("4", "4", "0"),
}


def drops(_: Run) -> Iterator[Table]:
    """Table 3.5: by what share one repetition more lowers the variance, on average."""
    cells = [
        Cell(
            row=f"m = {m}",
            column="ARR",
            source=printed(text),
            ours=float(variance_drop(int(m))),
            se=0.0,
        )
        for m, _, (text,) in rows_of(tables.TABLE_3_5)
    ]
    note = "Exact; R19 integrates by simulation, which its last digit shows."
    yield Table(name="3.5", title="R19 table 3.5", note=note, cells=cells)


def q(m: float, f: np.ndarray) -> np.ndarray:
    """q(m) = √((2m+1)/((2m−1)m))·Γ((f+1)/2)/Γ(f/2), f the degrees of freedom f_m."""
    value: np.ndarray = np.sqrt((2 * m + 1) / ((2 * m - 1) * m)) * special.poch(f / 2, 0.5)
    return value


def q_tables(_: Run) -> Iterator[Table]:
    """Tables 5.11 and 5.12, and what R19 says of them."""
    cells, rising = [], []
    for first, _unit, (second, *numbers) in rows_of(TABLE_5_11):
        rho1, m = float(first), int(second)
        f = theory.f_m(m, rho1, _RHO2)
        values = [*((f"f ρ2={r:.1f}", v) for r, v in zip(_RHO2, f, strict=True)),
                *((f"q ρ2={r:.1f}", v) for r, v in zip(_RHO2, q(m, f), strict=True))]  # fmt: skip
        cells += [
            Cell(
                row=f"ρ1={rho1} m={m}", column=name, source=printed(text), ours=float(value), se=0.0
            )
            # two last cells are lost in the scan
            for (name, value), text in zip(values, numbers, strict=False)
        ]
        if m > 2:
            before = q(m - 1, theory.f_m(m - 1, rho1, _RHO2))
            rising += [
                (rho1, float(r), m) for r, up in zip(_RHO2, q(m, f) > before, strict=True) if up
            ]
    for name, firsts in (("5.11", ("0.0", "0.1", "0.2")), ("5.12", ("0.3", "0.4", "0.5"))):
        mine = [c for c in cells if c.row.split()[0].removeprefix("ρ1=") in firsts]
        yield Table(name=name, title=f"R19 table {name}", note="Exact.", cells=mine)
    grid = [(rho1, rho2) for rho1 in (0.1, 0.3, 0.5) for rho2 in (0.0, 0.05, 0.2)]
    up = [g for g in grid if theory.v_m(4, *g) > theory.v_m(3, *g)]
    claims = [
        Claim(
            says="5.9.7: q(m) decreases for m ≥ 2, by tables 5.11 and 5.12",
            holds=not rising,
            here=f"it increases in {len(rising)} of 360 steps, all at ρ1 ≥ "
            f"{min(r[0] for r in rising)}",
        ),
        Claim(
            says="5.9.7, eq. 5.103: v_m decreases",
            holds=not up,
            here=f"from m = 3 to 4 it increases at {len(up)} of {len(grid)} points, as at (.1, "
            ".05)",
        ),
    ]
    yield Table(name="5.11-words", title="R19 section 5.9.7 in words", note="Exact.", claims=claims)


def evenness(_: Run) -> Iterator[Table]:
    """Figure 2.2: overlaps Φ and occurrences Ψ of four designs, n = 20, J = 6."""
    cells = []
    for name, design in (
        ("RHS", RLT(6, 10, random_state=SEED)), ("m×2", Mx2(3, random_state=SEED)),
        ("m×2 BCV", Mx2BCV(3, random_state=SEED)), ("BRHS", BRLT(6, 10, random_state=SEED)),
    ):  # fmt: skip
        partition = design.partition(20)
        phi, psi = partition.overlaps(), partition.occurrences()
        off = phi[~np.eye(6, dtype=bool)]
        columns = ("least φ", "largest φ", "spread of ψ")
        values = (off.min(), off.max(), np.ptp(psi))
        for column, value, text in zip(columns, values, _FIGURE_2_2[name], strict=True):
            source = None if text is None else printed(text)
            cells.append(Cell(row=name, column=column, source=source, ours=float(value), se=0.0))
    note = f"n = 20, J = 6, seed {SEED}; the figure shows one random set of splits for RHS and m×2."
    yield Table(name="figure-2.2", title="R19 figure 2.2", note=note, cells=cells)


def regions(_: Run) -> Iterator[Table]:
    """Figures 5.1, 5.2: where variance estimates and tests are conservative, share of [0, ½]²."""
    grid = (np.arange(400) + 0.5) / 800
    rho1, rho2 = np.meshgrid(grid, grid)
    cells = []
    for m in SIZES:
        areas = {
            "V1": (rho2 + (m + 1) / (2 * (m - 1)) * rho1 < 0.5).mean(),
            "V2": (rho2 + rho1 / (2 * (m - 1)) < 0.5).mean(),
            "V3": (rho2 < 0.5).mean(),
        }
        # Areas of table 5.1: V1 as R19 prints it is (3m − 5)/(4(m − 1)), V2 (4m − 5)/(4(m − 1)).
        exact = {"V1": (3 * m - 5) / (4 * (m - 1)), "V2": (4 * m - 5) / (4 * (m - 1)), "V3": 1.0}
        cells += [
            Cell(
                row=f"m = {m}",
                column=name,
                source=printed(f"{exact[name]:.2f}"),
                ours=float(v),
                se=0.0,
            )
            for name, v in areas.items()
        ]
    note = "Share of [0, ½]² where each is conservative."
    yield Table(name="figure-5.1", title="R19 figure 5.1", note=note, cells=cells)
    covers = {name: [c.ours for c in cells if c.column == name] for name in ("V1", "V2", "V3")}
    shown = {name: ", ".join(f"{x:.2f}" for x in each) for name, each in covers.items()}
    claims = [
        Claim(says="V1 is not conservative in most of [0, ½]²", holds=max(covers["V1"]) < 0.5,
              here=f"it is in {shown['V1']} of it (m = 3, 5, 7, 9)"),
        Claim(says="its region grows with m, to at most ¾",
              holds=covers["V1"] == sorted(covers["V1"]) and covers["V1"][-1] < 0.75,
              here=shown["V1"]),
        Claim(says="that of V2 is most of it, and nearly all for larger m",
              holds=min(covers["V2"]) > 0.8 and covers["V2"][-1] > 0.95, here=shown["V2"]),
        Claim(says="that of V3 all of it", holds=set(covers["V3"]) == {1.0}, here=shown["V3"]),
    ]  # fmt: skip
    yield Table(
        name="figure-5.1-words", title="R19 figure 5.1 in words", note="Exact.", claims=claims
    )
    shares_ = []
    for m in SIZES:
        for level in LEVELS:
            kept = is_conservative(m, rho1, rho2, level=level)
            over = is_overly_conservative(m, rho1, rho2, level=level)
            shares_ += [
                Cell(
                    row=f"m = {m}, α = {level:g}",
                    column=column,
                    source=None,
                    ours=float(v.mean()),
                    se=0.0,
                )
                for column, v in (("Θ", kept), ("Θ^R", kept & ~over), ("Θ^O", over))
            ]
    note = "Shares of [0, ½]²; R19 says that Θ nearly covers it, which all of them do."
    yield Table(name="figure-5.2", title="R19 figure 5.2", note=note, cells=shares_)
    shares_of_cells = {(c.row, c.column): c.ours for c in shares_}

    def shares(column: str) -> np.ndarray:
        """By m (rows) and α."""
        return np.array(
            [
                [shares_of_cells[f"m = {m}, α = {level:g}", column] for level in LEVELS]
                for m in SIZES
            ]
        )

    whole, narrow = shares("Θ"), shares("Θ^R")
    least = f"{whole.min():.3f} of it or more"
    claims = [
        Claim(says="Θ nearly covers [0, ½]²", holds=bool(whole.min() > 0.95), here=least),
        Claim(says="Θ grows with m", holds=bool((np.diff(whole, axis=0) >= 0).all()),
              here="at all three levels"),
        Claim(says="Θ shrinks with α", holds=bool((np.diff(whole, axis=1) <= 0).all()),
              here="at all four m"),
        Claim(says="Θ^R narrows with larger m", holds=bool((np.diff(narrow, axis=0) <= 0).all()),
              here=f"{narrow[0, 1]:.2f} at m = 3, {narrow[-1, 1]:.2f} at 9 (α = .05)"),
        Claim(says="and with smaller α", holds=bool((np.diff(narrow, axis=1) <= 0).all()),
              here=f"{narrow[-1, 0]:.2f} at .1, {narrow[-1, -1]:.2f} at .01 (m = 9)"),
    ]  # fmt: skip
    yield Table(
        name="figure-5.2-words", title="R19 figure 5.2 in words", note="Exact.", claims=claims
    )


def toy_words(_: Run) -> Iterator[Table]:
    """What R19 says of figures 5.3–5.6, put to the kept curves."""
    yield from r19_sequences.words()

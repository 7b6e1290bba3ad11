"""
W14's figures 4–11 in words, other trees in its tables: ``python -m papers.w14_figures FOLDER``.

The figures are read off tables and curves that were kept; the trees are fitted.
"""

from evenfold_lab import estimators
from evenfold_lab.algorithm import Algorithm
from evenfold_lab.fast import Tree
from evenfold_lab.populations import W14Gaussians5d, letters
from papers import pages
from papers._table import Cell, Claim, Table, arguments, kept, machine, printed, publish, scaled
from papers.w14 import SIZES_4, TABLE_3, TABLE_4, correlations, there


def contributions(number: int) -> Table:
    """
    Hold figures 4 and 5 against the kept table.

    They show the parts σ1² : σ2² : σ3² of Var μ̂, which are 1 : ρ1 : 4ρ2.
    """
    source = kept(pages.RESULTS / "w14" / f"table-{number}.json")
    rho1 = [(1 - c.ours) / 2 for c in source.cells if c.column == "1 − 2ρ1"]
    four = [2 * c.ours for c in source.cells if c.column == "2ρ2"]
    claims = [
        Claim(
            says="σ2² has little effect",
            holds=max(rho1) < 0.3,
            here=f"at most {max(rho1):.2f} of σ1²",
        ),
        Claim(
            says="σ3² is of the order of σ1²" + (", and even greater" if number == 2 else ""),
            holds=max(four) > 1 if number == 2 else min(four) > 0.3,
            here=f"{min(four):.2f} to {max(four):.2f} of σ1²",
        ),
    ]
    if number == 3:
        shares = [1 / (1 + rho + other) for rho, other in zip(rho1, four, strict=True)]
        claims.append(
            Claim(
                says="σ1² is 30 to 60% of the variance",
                holds=min(shares) > 0.295 and max(shares) < 0.605,
                here=f"{100 * min(shares):.0f} to {100 * max(shares):.0f}%",
            )
        )
    note = f"From the draws of the table. {source.note}"
    return Table(
        name=f"figure-{number + 2}", title=f"W14 figure {number + 2}", note=note, claims=claims
    )


def powers() -> Table:
    """What W14 6.4 says of figures 6–11, put to the kept curves at two standard errors."""
    claims = []
    for number in (6, 7, 8):
        kept = pages.read(pages.RESULTS / "w14" / f"w14-{number}.json")
        (panel,) = kept["panels"].values()
        power = {test: points[-5][1] for test, points in panel.items()}
        shown = ", ".join(f"{test} {p:.3f}" for test, p in power.items())
        order = sorted(power, key=lambda test: power[test])
        figures = f"figures {number} and {number + 3}"
        claims += [
            Claim(
                says=f"{figures}: t_B3×2 is the most powerful",
                holds=order[-1] == "t_B3×2",
                here=shown,
            ),
            Claim(
                says=f"{figures}: t_CCV is the least powerful",
                holds=order[0] == "t_CCV",
                here=shown,
            ),
        ]
        halves, folds = ("t_B3×2", "t_5×2", "F_5×2"), ("t_CV", "t_CCV")
        ahead = min(power[test] for test in halves) - max(power[test] for test in folds)
        claims.append(
            Claim(
                says=f"{figures}: t_B3×2, t_5×2 and F_5×2 are more powerful than t_CV and t_CCV",
                holds=ahead > 0,
                here=f"{ahead:+.3f} at the least",
            )
        )
        if number == 8:
            apart = max(abs(power["t_B3×2"] - power[test]) for test in ("t_5×2", "F_5×2"))
            says = "figures 8 and 11: t_B3×2, t_5×2 and F_5×2 nearly overlap"
            claims.append(Claim(says=says, holds=apart <= 0.05, here=f"{apart:.3f} apart"))
    note = "Power at two standard deviations of the mean, level .05; 10 000 data sets, seed 2026."
    return Table(name="powers", title="W14 figures 6–11 in words", note=note, claims=claims)


TREES: dict[str, Algorithm] = {  # what W14's tree may have been
    "S-plus, defaults": estimators.classification_tree(),
    "grown until pure": Tree(),
    "grown until pure, deviance": Tree(criterion="entropy"),
    "leaves of 5, nodes of 10": Tree(criterion="entropy", min_samples_split=10, min_samples_leaf=5),
    "rpart's limits": Tree(min_samples_split=20, min_samples_leaf=7),
    "depth 3": Tree(max_depth=3),
}


def other_trees(folder: str | None, scale: float) -> Table:
    """ρ1 and ρ2 of several trees where tables 3 (letters) and 4 (five dimensions) have theirs."""
    cells = []
    two = letters(folder, classes=2, replacement=True)
    R = scaled(20_000 if machine().full else 100, scale)
    for title, algorithm in TREES.items():
        for population, sizes, rows in (
            (
                two,
                (20, 80, 400),
                {n: ((1 - float(r[0])) / 2, float(r[1]) / 2) for n, r in TABLE_3.items()},
            ),
            (W14Gaussians5d(), (40, 200, 400), {n: _of_table_4(n) for n in SIZES_4}),
        ):
            name = "letters" if population is two else "five dimensions"
            for n in sizes:
                estimates = correlations(population, algorithm, n, R, None)
                for which, source, (rho, se) in zip(("ρ1", "ρ2"), rows[n], estimates, strict=True):
                    from_source = printed(f"{source:.3f}", there(se, R))
                    cells.append(
                        Cell(
                            row=f"{name}, n = {n}, {which}",
                            column=title,
                            source=from_source,
                            ours=rho,
                            se=se,
                        )
                    )
    note = f"{R} data sets of each size; W14 has 100 000."
    return Table(
        name="other-trees", title="W14 tables 3 and 4 with other trees", note=note, cells=cells
    )


def _of_table_4(n: int) -> tuple[float, float]:
    first, second = TABLE_4["cr"]
    return float(first[SIZES_4.index(n)]), float(second[SIZES_4.index(n)])


def main() -> None:
    options = arguments(str(__doc__), ["figures", "trees"])
    if "figures" in options.parts:
        publish([contributions(2), contributions(3), powers()])
    if "trees" in options.parts and options.folder is not None:
        publish([other_trees(options.folder, options.scale)])


if __name__ == "__main__":
    main()

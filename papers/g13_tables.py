"""
G13 figures 2 and 3 and its linear SVM, from what ``g13_full`` made.

    python -m papers.g13_tables OUT

Its figures carry no numbers, so its sentences are checked; two standard errors decide.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from papers import _draws as d
from papers import g13, pages
from papers._table import Cell, Claim, Table, keep, together
from papers.g13_full import SETTINGS

Shares = dict[tuple[int, str], dict[str, tuple[float, float]]]


def figures_2_and_3(out: Path) -> Iterator[Table]:
    """μ̂ against the error on a further domain, and its standard deviation."""
    files = {(K, M): out / f"biases-{K}-{M}.npz" for K, M in SETTINGS}
    by_setting = {at: _biases(file) for at, file in files.items() if file.exists()}
    cells = []
    for (K, M), biases in by_setting.items():
        truth = biases.truth.mean(axis=1)
        columns = {
            "true error": (float(truth.mean()), float(truth.std(ddof=1) / np.sqrt(len(truth))))
        }
        columns |= {f"{design} − true": biases.gap(design) for design in d.DESIGNS}
        columns |= {f"sd {design}": _spread(biases, design) for design in d.DESIGNS}
        cells += [
            Cell(row=f"K = {K}, M = {M}", column=column, source=None, ours=value, se=se)
            for column, (value, se) in columns.items()
        ]
    draws, repeats = by_setting[9, 100].truth.shape
    note = (
        f"{draws} draws of domains, {repeats} data sets each, drawn with replacement, as G13; "
        f"seed {d.SEED}."
    )
    yield Table(name="figures-2-3", title="G13 figures 2 and 3", note=note, cells=cells)
    yield Table(
        name="figures-2-3-words",
        title="G13 figures 2 and 3 in words",
        note=note,
        claims=words_of(cells),
    )


def _biases(file: Path) -> d.Biases:
    with np.load(file) as kept:
        sources, folds, truth = kept["biases"].astype(float)
    return d.Biases(sources=sources, folds=folds, truth=truth)


def _spread(biases: d.Biases, design: str) -> tuple[float, float]:
    """
    Return the standard deviation within a draw of domains, the root of the mean variance.

    Its error is that over the draws.
    """
    variances = getattr(biases, design).var(axis=1, ddof=1)
    sd = float(np.sqrt(variances.mean()))
    return sd, float(variances.std(ddof=1) / np.sqrt(len(variances)) / (2 * sd))


Settings = dict[tuple[int, int], tuple[float, float]]  # by K and M: a value and its error


def words_of(cells: Sequence[Cell]) -> list[Claim]:
    """What G13 say of figures 2 and 3, put to the values of the table."""
    by_column: dict[str, Settings] = {}
    for cell in cells:
        K, M = (int(part.partition("= ")[2]) for part in cell.row.split(","))
        by_column.setdefault(cell.column, {})[K, M] = (cell.ours, cell.se)
    folds, sources = by_column["folds − true"], by_column["sources − true"]
    last = max(folds)  # K = 9, the largest M
    (gap, se), (near, near_se) = folds[last], sources[last]
    at = f"at K = 9, M = {last[1]}"
    kind = [k for k, (g, e) in folds.items() if g > -3 * e]
    worse = [k for k in folds if abs(sources[k][0]) > abs(folds[k][0])]
    spreads = [(by_column["sd sources"][k], by_column["sd folds"][k]) for k in folds]
    below = [a[0] - b[0] < -3 * np.hypot(a[1], b[1]) for a, b in spreads]
    ratio = [a[0] / b[0] for a, b in spreads]
    small, large = (by_column["sd sources"][k][0] for k in ((9, 25), last))
    return [
        Claim(
            says="2: random folds are optimistic about a new source",
            holds=not kind,
            here=f"{gap:+.4f} ± {se:.4f} {at}{_but(kind)}",
        ),
        Claim(
            says="2: leaving a source out is pessimistic",
            holds=all(g > -3 * e for g, e in sources.values()),
            here=f"{min(g for g, _ in sources.values()):+.4f} to "
            f"{max(g for g, _ in sources.values()):+.4f}",
        ),
        Claim(
            says="2: and the better estimate",
            holds=not worse,
            here=f"in {len(folds) - len(worse)} of {len(folds)} settings{_but(worse)}",
        ),
        Claim(
            says="2: it converges to the truth, folds to another value",
            holds=abs(near) <= 3 * near_se and abs(gap) > 3 * se,
            here=f"{near:+.4f} ± {near_se:.4f} and {gap:+.4f} ± {se:.4f} {at}",
        ),
        Claim(
            says="3: its standard deviation is larger, of the same order",
            holds=not any(below) and max(ratio) < 3,
            here=f"{min(ratio):.2f} to {max(ratio):.2f} times that of folds",
        ),
        Claim(
            says="3: both tend to 0 with M",
            holds=large < small / 3,
            here=f"{small:.4f} to {large:.4f}",
        ),
    ]


def _but(settings: list[tuple[int, int]]) -> str:
    return "; not at " + ", ".join(f"K = {K}, M = {M}" for K, M in settings) if settings else ""


def linear_machine(out: Path) -> Iterator[Table]:
    """
    Yield estimators of Var μ̂ for the linear SVM, as shares of the truth.

    The claims say whether the picture stays that of naive Bayes.
    """
    cells: list[Cell] = []
    counts: list[str] = []
    shares: Shares = {}
    for file in sorted(out.glob("machines-*.npz"), key=lambda f: int(f.stem.split("-")[1])):
        M = int(file.stem.split("-")[1])
        with np.load(file) as kept:
            blocks = {
                design: list(kept[design].astype(float).transpose(1, 0, 2)) for design in d.DESIGNS
            }
        counts.append(f"{len(blocks['folds'][0])} of M = {M}")
        for design, keys in g13.VARIANCES.items():
            mean = np.mean([block.mean(axis=1) for block in blocks[design]], axis=0)
            columns = {"error": (float(mean.mean()), float(mean.std(ddof=1) / np.sqrt(len(mean))))}
            values, errors = d.with_error(partial(g13._ratios, keys), blocks[design])
            columns |= {
                _NAMES[k]: (float(v), float(e))
                for k, v, e in zip(keys, values, errors, strict=True)
            }
            shares[M, design] = columns
            cells += [
                Cell(row=f"M = {M}, {design}", column=column, source=None, ours=value, se=se)
                for column, (value, se) in columns.items()
                if column != "θ1"
            ]
    note = (
        f"Data sets: {', '.join(counts)} (G13: 1000 of each). Estimates as shares of Var μ̂; "
        f"seed {d.SEED}."
    )
    yield Table(name="linear-svm", title="G13, linear SVM", note=note, cells=cells)
    yield Table(
        name="linear-svm-words", title="G13, linear SVM in words", note=note, claims=_same(shares)
    )


_NAMES = {
    "cv_theta1": "θ1", "cv_theta2": "θ2", "cv_theta3": "θ3", "cv_theta4": "θ4", "cv_theta5": "θ5",
    "sources_theta_gamma": "θ^γ", "sources_theta_a": "θA", "sources_theta_b": "θB",
}  # fmt: skip


def machine_words_of(cells: Sequence[Cell]) -> list[Claim]:
    """What G13 say of the machine, put to the values of the table (θ1, far off, is not in it)."""
    shares: Shares = {}
    for cell in cells:
        size, design = cell.row.removeprefix("M = ").split(", ")
        shares.setdefault((int(size), design), {})[cell.column] = (cell.ours, cell.se)
    return _same(shares)


def _same(shares: Shares) -> list[Claim]:
    """Say of what holds for naive Bayes whether it holds for the machine."""
    sizes = sorted({M for M, _ in shares})
    error = {M: [shares[M, design]["error"] for design in d.DESIGNS] for M in sizes}
    gaps = [(a[0] - b[0], float(np.hypot(a[1], b[1]))) for a, b in error.values()]
    optimistic = [shares[M, "sources"]["θA"] for M in sizes]
    theta_b = [shares[M, "sources"]["θB"] for M in sizes]
    folds = [
        {name: abs(x - 1) for name, (x, _) in shares[M, "folds"].items() if name != "error"}
        for M in sizes
    ]
    nearest = [min(off, key=lambda name: off[name]) for off in folds]

    def shown(values: list[tuple[float, float]]) -> str:
        return ", ".join(f"{value:.2f} ± {se:.2f}" for value, se in values)

    return [
        Claim(
            says="the error is higher with a source left out",
            holds=all(gap > 3 * se for gap, se in gaps),
            here=", ".join(f"{gap:+.4f} ± {se:.4f}" for gap, se in gaps),
        ),
        Claim(
            says="θA is optimistic",
            holds=together([_is_below_1(v, e) for v, e in optimistic]),
            here=shown(optimistic),
        ),
        Claim(says="θB is not", holds=all(v > 1 - 3 * e for v, e in theta_b), here=shown(theta_b)),
        Claim(
            says="θ5 has the smallest bias of θ1 to θ5",
            holds=all(name == "θ5" for name in nearest),
            here=", ".join(nearest) + "; θ5: " + shown([shares[M, "folds"]["θ5"] for M in sizes]),
        ),
    ]


def _is_below_1(value: float, error: float) -> bool | None:
    """Whether a share is below 1 or above it by three errors; None where neither is so."""
    if abs(value - 1) <= 3 * error:
        return None
    return value < 1


def main(out: Path) -> None:
    """Make the tables of what was run."""
    made = {"biases-*.npz": figures_2_and_3, "machines-*.npz": linear_machine}
    for table in (
        t for pattern, tables in made.items() if list(out.glob(pattern)) for t in tables(out)
    ):
        table.show()
        keep(table, pages.RESULTS / "g13", device="cuda; machines of M = 400: cpu")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

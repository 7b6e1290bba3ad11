"""
G13 figure 5 without the noise of its own estimates.

``python -m papers.g13_spread FOLDER OUT [M …]``.

ω_k and γ_kl are estimated from data sets, and estimates differ even where the parameters do not. So
data sets are dealt into batches, and the variance of the parameters is the covariance, over sources
or pairs of them, of the estimates of two batches: their noises are independent. A spread of 0 has
the expectation 0 here. What was measured for an M is kept in OUT; when all are there, the tables
are made.
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np

from evenfold.core.rng import stream
from evenfold.infer.theory.blocks import variance_parts
from papers import _draws as d
from papers import pages
from papers._reviews import Floats, Reviews, fold_errors, load
from papers._table import Cell, Claim, Table, keep, kept
from papers.g13 import TEN

DATA_SETS = {25: 40_000, 50: 20_000, 100: 8000, 200: 4000, 400: 2500}
BATCHES = 20
UNIT = 1e-12  # variances of covariances, (10⁻⁶)²


def losses(ten: Reviews, M: int, R: int) -> d.Blocks:
    """Losses of naive Bayes with sources left out, R data sets of M reviews of each source."""
    draw = partial(ten.sample, [M] * ten.K, again=True)
    rows = []
    for r in range(R):
        data = draw(stream(d.SEED, "spread", M, r))
        errors = fold_errors(data, data.source, data.K)
        rows.append([errors[data.source == k] for k in range(data.K)])
    return [np.stack(block) for block in zip(*rows, strict=True)]


def estimates(blocks: d.Blocks) -> tuple[Floats, Floats]:
    """ω_k (batches, K) and γ_kl (batches, pairs) of each batch of data sets."""
    R = len(blocks[0])
    omega, gamma = [], []
    for batch in range(BATCHES):
        part = variance_parts([block[np.arange(R) % BATCHES == batch] for block in blocks])
        omega.append(part.omega)
        gamma.append(part.gamma[np.triu_indices(len(blocks), 1)])
    return np.array(omega), np.array(gamma)


def spread(each: Floats) -> tuple[float, float]:
    """The variance of parameters (batches, parameters) without noise, and its jackknife error."""
    whole = _between(each)
    without = np.array([_between(np.delete(each, batch, axis=0)) for batch in range(len(each))])
    error = np.sqrt((len(each) - 1) / len(each) * ((without - without.mean()) ** 2).sum())
    return whole, float(error)


def _between(each: Floats) -> float:
    """Mean over all pairs of batches of the covariance over parameters."""
    centred = each - each.mean(axis=1, keepdims=True)
    products = centred @ centred.T / (each.shape[1] - 1)
    B = len(each)
    return float((products.sum() - np.trace(products)) / (B * (B - 1)))


def table(by_size: dict[int, tuple[Floats, Floats]], counts: dict[int, int]) -> tuple[Table, Table]:
    """Variances of ω_k and γ_kl by M, and what G13 say of them."""
    cells = []
    measured: dict[str, dict[int, tuple[float, float]]] = {"ω_k": {}, "γ_kl": {}}
    for M, both in by_size.items():
        for name, each in zip(measured, both, strict=True):
            value, se = spread(each)
            measured[name][M] = (value, se)
            cells.append(
                Cell(
                    row=f"M = {M}", column=f"variance of {name}, (10⁻⁶)²", source=None,
                    ours=value / UNIT, se=se / UNIT,
                )
            )  # fmt: skip
    drawn = ", ".join(f"{counts[M]} (M = {M})" for M in by_size)
    note = f"Data sets: {drawn}; drawn with replacement; seed {d.SEED}; {BATCHES} batches."
    return (
        Table(name="figure-5-spread", title="G13 figure 5, without noise", note=note, cells=cells),
        Table(name="figure-5", title="G13 figure 5", note=note, claims=words(measured)),
    )


def concluded() -> Table:
    """What G13 say of figure 5, from the kept variances."""
    table_ = kept(pages.RESULTS / "g13" / "figure-5-spread.json")
    measured: dict[str, dict[int, tuple[float, float]]] = {"ω_k": {}, "γ_kl": {}}
    for cell in table_.cells:
        name = "ω_k" if "ω_k" in cell.column else "γ_kl"
        measured[name][int(cell.row.removeprefix("M = "))] = (cell.ours * UNIT, cell.se * UNIT)
    return Table(name="figure-5", title="G13 figure 5", note=table_.note, claims=words(measured))


def words(measured: dict[str, dict[int, tuple[float, float]]]) -> list[Claim]:
    """The two sentences of G13; three errors decide."""
    small, large = min(measured["ω_k"]), max(measured["ω_k"])

    def shown(name: str) -> str:
        (a, se_a), (b, se_b) = measured[name][small], measured[name][large]
        a, se_a, b, se_b = (x / UNIT for x in (a, se_a, b, se_b))
        return (
            f"variance {a:.0f} ± {se_a:.0f} at M = {small}, {b:.0f} ± {se_b:.0f} at {large}, "
            "(10⁻⁶)²"
        )

    (a, se_a), (b, se_b) = measured["γ_kl"][small], measured["γ_kl"][large]
    error = float(np.hypot(se_a, se_b))
    falls = None if abs(a - b) <= 3 * error else a > b
    (p, se_p), (q, se_q) = measured["ω_k"][small], measured["ω_k"][large]
    alike = _alike(p / q, 3 * float(np.hypot(se_p / p, se_q / q)) * p / q)
    return [
        Claim(says="5: the spread of γ_kl shrinks as M grows", holds=falls, here=shown("γ_kl")),
        Claim(says="5: that of ω_k does not change much", holds=alike, here=shown("ω_k")),
    ]


def _alike(ratio: float, off: float) -> bool | None:
    """
    Say whether two variances differ little: by a factor below 4, the spreads by one below 2.

    The result is None if the errors are too large to tell.
    """
    if ratio - off > 0.25 and ratio + off < 4:
        return True
    return False if ratio + off < 0.25 or ratio - off > 4 else None


def measure(folder: str, out: Path, M: int) -> None:
    """Draw the data sets of one M, and keep the estimates of all batches."""
    reviews = load(Path(folder) / "fdumtl_amazon14.jsonl.gz")
    ten = reviews.only([reviews.names.index(name) for name in TEN])
    omega, gamma = estimates(losses(ten, M, DATA_SETS[M]))
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / f"spread-{M}.npz", omega=omega, gamma=gamma)


def read(file: Path) -> tuple[Floats, Floats]:
    """What was kept of one M."""
    with np.load(file) as kept:
        return kept["omega"], kept["gamma"]


def main(folder: str, out: Path, *sizes: int) -> None:
    """Measure some or all, and keep the tables if all are there."""
    for M in sizes or DATA_SETS:
        measure(folder, out, M)
    files = {M: out / f"spread-{M}.npz" for M in DATA_SETS}
    if all(file.exists() for file in files.values()):
        for made in table({M: read(file) for M, file in files.items()}, DATA_SETS):
            made.show()
            keep(made, pages.RESULTS / "g13")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *(int(size) for size in sys.argv[3:]))

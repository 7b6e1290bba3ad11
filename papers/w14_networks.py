"""
W14 tables 4 (network), 8 and 9: ``python -m papers.w14_networks FOLDER OUT [--parts 4 8]``.

W14 say no more than that two networks with equal numbers of hidden units are compared (table 8),
and one with a single-layer perceptron (table 9), after Alpaydin. Assumed here: each data set is
taken whole and cut anew for each of the 1000 runs; logistic hidden units and a softmax; 200 steps
of Adam of rate .05 on the whole training set, scaled by its own moments; starting weights uniform
on [−.7, .7], new for every network. In table 4 it has five hidden units.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from evenfold.core.rng import stream
from evenfold.design import Blocked3x2
from evenfold.infer.theory.covariance import mx2_correlations
from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, Place, namespace, room, to_numpy
from evenfold_lab.masks import Splits
from evenfold_lab.populations import W14Gaussians5d
from evenfold_lab.studies._base import share
from papers import w14
from papers._blocks import balanced_order, shared_splits
from papers._table import Cell, Machine, Table, printed, printed_share, publish, use

RUNS, STEPS, RATE, START = 1000, 200, 0.05, 0.7
TABLE_8 = """
iris 3 0.145 0.130 0.030 0.010 0.001
iris 10 0.205 0.205 0.049 0.006 0.003
iris 20 0.244 0.244 0.051 0.005 0.004
vowel10 5 0.034 0.015 0.029 0.013 0.001
vowel10 10 0.050 0.026 0.037 0.010 0.002
vowel10 20 0.042 0.018 0.029 0.005 0.000
new-thyroid 10 0.044 0.027 0.019 0.002 0.000
seeds 10 0.077 0.076 0.038 0.007 0.002
seeds 20 0.081 0.081 0.029 0.008 0.001
heart-statlog 5 0.100 0.083 0.026 0.012 0.002
heart-statlog 10 0.050 0.032 0.021 0.001 0.001
heart-statlog 20 0.033 0.013 0.035 0.009 0.001
balance-scale 5 0.051 0.031 0.036 0.005 0.001
balance-scale 10 0.056 0.039 0.030 0.007 0.001
balance-scale 20 0.053 0.043 0.032 0.009 0.000
"""
TABLE_9 = """
iris 3 0.142 0.127 0.076 0.029 0.000
iris 10 0.187 0.186 0.034 0.003 0.002
iris 20 0.148 0.148 0.032 0.003 0.006
vowel10 5 0.129 0.057 0.181 0.131 0.066
vowel10 10 0.063 0.028 0.104 0.043 0.014
vowel10 20 0.042 0.016 0.052 0.012 0.006
new-thyroid 10 0.075 0.053 0.085 0.037 0.011
seeds 10 0.092 0.086 0.081 0.022 0.012
seeds 20 0.089 0.083 0.054 0.021 0.015
heart-statlog 5 0.082 0.063 0.034 0.011 0.003
heart-statlog 10 0.074 0.046 0.022 0.009 0.004
heart-statlog 20 0.067 0.032 0.033 0.011 0.021
balance-scale 5 0.054 0.038 0.050 0.016 0.011
balance-scale 10 0.119 0.043 0.143 0.089 0.133
balance-scale 20 0.147 0.049 0.259 0.198 0.312
"""
Rows = dict[tuple[str, int], list[str]]


def rows_of(table: str) -> Rows:
    """The printed shares by data set and hidden units, in the order of W14's tests."""
    lines = (line.split() for line in table.strip().splitlines())
    return {(name, int(hidden)): shares for name, hidden, *shares in lines}


def network(X: Array, hot: Array, trains: Array, weights: list[Array]) -> Array:
    """
    Fit one network per training set; return its class of every example.

    Parameters
    ----------
    X, hot : arrays, shapes (n, p) and (n, C), or one for each network
        Features, and labels as indicators.
    trains : array, shape (B, n)
        1 for who trains.
    weights : list of arrays, shapes (B, inputs + 1, outputs)
        Starting weights by layer, intercepts last; one layer is a single-layer perceptron.
    """
    xp = namespace(X)
    rows, used = _scaled(X, trains), trains[..., None] / xp.sum(trains, axis=-1)[:, None, None]
    first, second = [xp.zeros_like(w) for w in weights], [xp.zeros_like(w) for w in weights]
    for t in range(1, STEPS + 1):
        layers = _forward(rows, weights)
        back = used * (layers[-1] - hot)
        for i in range(len(weights) - 1, -1, -1):
            slope = xp.matmul(xp.matrix_transpose(_with_one(layers[i])), back)
            if i > 0:  # through the logistic units of the layer before
                back = (
                    xp.matmul(back, xp.matrix_transpose(weights[i][:, :-1, :]))
                    * layers[i]
                    * (1 - layers[i])
                )
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.999 * second[i] + 0.001 * slope * slope
            rate = RATE * (1 - 0.999**t) ** 0.5 / (1 - 0.9**t)
            weights[i] = weights[i] - rate * first[i] / (xp.sqrt(second[i]) + 1e-8)
    return xp.argmax(_forward(rows, weights)[-1], axis=-1)


def _scaled(X: Array, trains: Array) -> Array:
    """Features (B, n, p), scaled by the moments of each training set."""
    xp = namespace(X)
    share = (trains / xp.sum(trains, axis=-1)[:, None])[:, None, :]
    mean = xp.matmul(share, X)
    variance = xp.matmul(share, X * X) - mean * mean
    spread = xp.sqrt(xp.where(variance > 1e-9, variance, xp.ones_like(variance)))
    return (X - mean) / spread


def _forward(rows: Array, weights: list[Array]) -> list[Array]:
    """What goes into each layer, and the softmax of the last."""
    xp = namespace(rows)
    layers = [rows]
    for w in weights[:-1]:
        layers.append(1 / (1 + xp.exp(-(xp.matmul(layers[-1], w[:, :-1, :]) + w[:, -1:, :]))))
    score = xp.matmul(layers[-1], weights[-1][:, :-1, :]) + weights[-1][:, -1:, :]
    power = xp.exp(score - xp.max(score, axis=-1, keepdims=True))
    return [*layers, power / xp.sum(power, axis=-1, keepdims=True)]


def _with_one(layer: Array) -> Array:
    xp = namespace(layer)
    return xp.concat([layer, xp.ones_like(layer[..., :1])], axis=-1)


def errors(
    place: Place, X: Floats, y: Floats, trains: Array, hidden: int, address: tuple[int | str, ...]
) -> Floats:
    """
    Return the errors of new networks on the examples outside their training sets.

    With 0 hidden units the network is a perceptron.
    """
    features, labels = place.put(X.astype(np.float32)), place.put(y.astype(np.int64))
    hot = place.put(np.eye(int(y.max()) + 1, dtype=np.float32)[y.astype(int)])
    sizes = [X.shape[1], *([hidden] if hidden else []), hot.shape[1]]
    piece = max(1, room(features) // (len(y) * sum(sizes)))
    lost = []
    for at in range(0, len(trains), piece):
        masks = place.put(trains[at : at + piece].astype(np.float32))
        weights = _start(place, sizes, len(masks), (*address, hidden, at))
        lost.append(_lost(network(features, hot, masks, weights), labels[None], masks))
    return np.concatenate(lost)


def _start(
    place: Place, sizes: list[int], count: int, address: tuple[int | str, ...]
) -> list[Array]:
    rng = stream(w14.SEED, "networks", *address)
    return [
        place.put(rng.uniform(-START, START, (count, a + 1, b)).astype(np.float32))
        for a, b in pairwise(sizes)
    ]


def _lost(predicted: Array, labels: Array, masks: Array) -> Floats:
    """Share of the examples outside each training set that are misjudged."""
    xp = namespace(masks)
    wrong = xp.astype(predicted != labels, masks.dtype) * (1 - masks)
    return to_numpy(xp.sum(wrong, axis=-1) / xp.sum(1 - masks, axis=-1)).astype(float)


def table_4(place: Place, scale: float, *, balanced: bool = False) -> Table:
    """ρ1 and ρ2 of the network, with classes at random in the blocks or balanced."""
    cells, R = [], max(20, round(HALF * scale))
    for i, n in enumerate(w14.SIZES_4):
        values = np.concatenate(
            [_six(place, n, min(LOT, R - at), at, balanced=balanced) for at in range(0, R, LOT)]
        )
        for which, row, rho in zip(
            ("ρ1", "ρ2"), w14.TABLE_4["nn"], mx2_correlations(values), strict=True
        ):
            ours, se = float(rho.value), float(rho.standard_error)
            source = printed(row[i], w14.there(se, R))
            cells.append(
                Cell(row=f"network, n = {n}", column=which, source=source, ours=ours, se=se)
            )
    blocks = "balanced by class" if balanced else "with classes at random"
    note = f"Blocks {blocks}. {R} data sets for each n (W14: 100 000); seed {w14.SEED}."
    return Table(name="table-4-network", title="W14 table 4, network", note=note, cells=cells)


HALF, LOT = 50_000, 1000  # data sets of table 4; as many at once


def _six(place: Place, n: int, R: int, at: int, *, balanced: bool = False) -> Floats:
    """
    Return the errors (R, 3, 2) of blocked 3×2 cross-validation.

    Examples are exchangeable (within their class), so that one partition serves all data sets.
    """
    rng = stream(w14.SEED, "networks", n, at)
    X, y = W14Gaussians5d().draw(n, R, rng)[:2]
    trains = Splits.of([Blocked3x2(random_state=0).partition(n)]).trains.astype(np.float32)
    if balanced:
        order = balanced_order(y, rng)
        X, y = np.take_along_axis(X, order[..., None], axis=1), np.take_along_axis(y, order, axis=1)
        trains = shared_splits(n).trains.astype(np.float32)
    X = np.repeat(X.astype(np.float32), len(trains), axis=0)
    y = np.repeat(y.astype(int), len(trains), axis=0)
    hot, masks = np.eye(2, dtype=np.float32)[y], place.put(np.tile(trains, (R, 1)))
    weights = _start(place, [X.shape[2], 5, 2], len(X), (n, at, "start"))
    predicted = network(place.put(X), place.put(hot), masks, weights)
    return _lost(predicted, place.put(y), masks).reshape(R, 3, 2)


def cuts(n: int, runs: int) -> list[Array]:
    """Training masks (runs, splits, n) of W14's three designs."""
    return [
        Splits.of(
            [
                replace(design,
                        random_state=int(stream(w14.SEED, "run", repr(design), n,
                                                r).integers(2**63)))
                .partition(n)
                for r in range(runs)
            ]
        ).trains
        for design in w14.DESIGNS
    ]  # fmt: skip


def rejections(
    place: Place, X: Floats, y: Floats, hidden: list[int], runs: int
) -> Iterator[tuple[int, int, dict[str, NDArray[np.bool_]]]]:
    """By number of a table and of hidden units: whether each test rejects in each run."""
    masks = cuts(len(y), runs)
    flat = np.concatenate([m.reshape(-1, len(y)) for m in masks])

    def values(units: int, which: str) -> list[Floats]:
        lost = errors(place, X, y, flat, units, (which,))
        parts = np.split(lost, np.cumsum([m.shape[0] * m.shape[1] for m in masks])[:-1])
        return [part.reshape(m.shape[:2]) for part, m in zip(parts, masks, strict=True)]

    perceptron = values(0, "perceptron")
    for units in hidden:
        first, second = values(units, "one"), values(units, "other")
        for table, rival in ((8, second), (9, perceptron)):
            differences = [b - a for a, b in zip(rival, first, strict=True)]
            yield table, units, {t: p < w14.LEVEL for t, p in w14.pvalues(*differences).items()}


def tables(folder: str, place: Place, runs: int, names: list[str]) -> list[Table]:
    """Both tables; 9 is read as shares of rejections."""
    printed = {8: rows_of(TABLE_8), 9: rows_of(TABLE_9)}
    cells: dict[int, list[Cell]] = {8: [], 9: []}
    for name in names:
        hidden = [units for data, units in printed[8] if data == name]
        for table, units, rejected in rejections(place, *w14._read(folder, name), hidden, runs):
            for test, text in zip(w14.TESTS, printed[table][name, units], strict=True):
                ours, se = share(rejected[test])
                row = f"{name}, {units} units"
                source = printed_share(text, RUNS)
                cells[table].append(Cell(row=row, column=test, source=source, ours=ours, se=se))
    note = (
        f"Rejections of no difference at level .05 in {runs} runs (W14: {RUNS}); seed {w14.SEED}."
    )
    return [
        Table(name=f"table-{n}", title=f"W14 table {n}", note=note, cells=cells[n]) for n in (8, 9)
    ]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--parts", nargs="*", default=["8"], choices=("4", "8"), help="8 brings 9")
    parser.add_argument("--scale", type=float, default=1.0, help="of the data sets of table 4")
    parser.add_argument("--balanced", action="store_true", help="classes in the blocks of table 4")
    parser.add_argument(
        "--only", nargs="*", default=list(dict.fromkeys(name for name, _ in rows_of(TABLE_8)))
    )
    options = parser.parse_args()
    start = perf_counter()
    use(Machine(device=options.device, results=options.out))
    place = Place.of(options.device)
    if "4" in options.parts:
        publish([table_4(place, options.scale, balanced=options.balanced)])
    if "8" in options.parts:
        publish(tables(options.folder, place, options.runs, options.only))
    log = {
        "device": options.device,
        "seconds": round(perf_counter() - start, 1),
        "runs": options.runs,
    }
    (options.out / "networks-log.json").write_text(json.dumps(log) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""
Real error and power of ``out-of-bag-t``.

``python -m papers.studies.forests FOLDER [SETS SECONDS]``; CPU.

*Classes*: two Gaussians in eight dimensions; bagged trees on all features, on the first four, and
on the last four, the last two equal by symmetry. *Numbers*: Friedman's function; deep trees, trees
of depth 2, deep ones on half the features. n = 80, 200 trees of the lab (of equally good splits the
first). The null is the mean over all data sets, power at 2.8 standard deviations. Draws are kept in
FOLDER; prints the table of the page "At no extra fits", writes the card. The 4000 data sets of each
in it took 2.3 minutes.
"""

import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import evenfold as ef
from evenfold.run.engines import one_thread
from evenfold_lab.fast import Tree
from evenfold_lab.masks import Splits
from papers.studies.own_cards import row, write

N, TREES, SEED = 80, 200, 1879
Floats = Any


def classes(rng: np.random.Generator) -> tuple[Floats, Floats, dict[str, Any]]:
    y = rng.integers(0, 2, size=N)
    X = rng.normal(size=(N, 8)) + 0.5 * y[:, None]
    return X, y, {"all": (slice(8), None), "first": (slice(4), None), "last": (slice(4, 8), None)}


def numbers(rng: np.random.Generator) -> tuple[Floats, Floats, dict[str, Any]]:
    X = rng.random((N, 7))
    y = (
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4]
    )
    y = y / 5 + rng.normal(size=N)
    return X, y, {"deep": (slice(7), None), "depth 2": (slice(7), 2), "half": (slice(4), None)}


def left_out(
    X: Floats, y: Floats, depth: int | None, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """
    Return what ``ef.run.left_out`` gives for bagged trees, for all pairs of examples at once.

    The trees vote by majority.
    """
    labels = y.dtype.kind == "i"
    tree = Tree(criterion="gini" if labels else "squared", max_depth=depth)
    counts = rng.multinomial(N, np.full(N, 1 / N), size=TREES)
    outside = counts == 0
    grow = tree._grower(X[None], y[None] * 1.0, Splits(trains=~outside, tests=outside))
    out = outside.astype(float)
    predicted = grow(counts[None])[0] * out

    def loss(total: Floats, count: Floats) -> Floats:
        mean = total / np.maximum(count, 1)
        return (((mean > 0.5) != y) if labels else np.square(y - mean)) * 1.0

    changes = []
    for part in (slice(TREES // 2), slice(TREES // 2, None)):
        v, o = predicted[part], out[part]
        usual, both = loss(v.sum(axis=0), o.sum(axis=0)), loss(o.T @ v, o.T @ o)  # [j, i]
        change = np.where(o.T @ o > 0, both - usual, 0.0)
        np.fill_diagonal(change, 0.0)
        changes.append(change.sum(axis=1) / (N - 1))
    return loss(predicted.sum(axis=0), out.sum(axis=0)), np.array(changes)


def draw(kind: str, folder: Path, sets: int, seconds: float) -> None:
    begun, rows = time.time(), []
    with one_thread():
        for k in range(sets):
            if time.time() - begun > seconds:
                break
            rng = np.random.default_rng([SEED, len(kind), k])
            X, y, forests = {"classes": classes, "numbers": numbers}[kind](rng)
            left = [left_out(X[:, columns], y, depth, rng) for columns, depth in forests.values()]
            rows.append([np.vstack([losses, changes]) for losses, changes in left])
    np.savez_compressed(folder / f"forests-{kind}.npz", each=np.array(rows), names=list(forests))


def judge(folder: Path) -> None:
    card = []
    for kind in ("classes", "numbers"):
        with np.load(folder / f"forests-{kind}.npz") as file:
            each, names = file["each"], [str(name) for name in file["names"]]
        for a, b in [*((None, k) for k in range(3)), *combinations(range(3), 2)]:
            d = each[:, b] if a is None else each[:, b] - each[:, a]
            e = ef.infer.out_of_bag_t(d[:, 0], d[:, 1:])
            naive = ef.infer.leave_one_out_t(d[:, 0], np.zeros_like(d[:, 0]))
            title = names[b] if a is None else f"{names[a]} against {names[b]}"
            mine, plain = (row(title, estimate, N, fits=2) for estimate in (e, naive))
            ratio = float(np.mean(e.standard_error**2) / e.value.var())
            numbers_of = (
                f"{mine['size']:.3f} | {plain['size']:.3f} | {mine['power']:.2f} | {ratio:.1f}"
            )
            print(f"| {kind}, {title} | {numbers_of} | {mine['replications']} |")
            if a is not None:
                card.append(mine | {"population": f"bagged trees, {kind}, {title}"})
    write("out-of-bag-t", SEED, card)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    if len(sys.argv) > 2:
        for which in sys.argv[4:] or ("classes", "numbers"):
            draw(which, place, int(sys.argv[2]), float(sys.argv[3]))
    else:
        judge(place)

"""
G13 figures 2 and 3 and its linear SVM with all draws: two steps, then ``g13_tables``.

    python -m papers.g13_full prepare FOLDER JOB      # here: counts of words
    python -m papers.g13_full fit JOB OUT             # on a GPU: numpy, scipy and torch alone
    python -m papers.g13_full fit JOB OUT --device cpu --only machines-400

A data set drawn with replacement is a vector of weights on the reviews of the pool, so that all
training sets and all scores of a hundred data sets are a few products of matrices. Machines of 4000
reviews are cheaper by LIBLINEAR on a core (1.6 s for the twenty of a data set) than by dense
matrices on a GPU.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from evenfold.core.rng import stream
from evenfold_lab.arrays import Array, Place, namespace, to_numpy
from evenfold_lab.fast._lacking import forward
from papers import _draws as d
from papers import g13
from papers._reviews import Floats, Reviews, load

Scores = Callable[[Any, Floats, Any], Floats]  # of rows, by labels −1 and 1, for each training set
DRAWS, REPEATS = 200, 100  # G13's own
SETTINGS = [(K, 100) for K in range(2, 10)] + [(9, M) for M in (25, 50, 200, 400, 800)]
COST = 0.1  # C of the machine
MACHINES = {25: 1000, 50: 1000, 100: 1000, 200: 300, 400: 100}  # data sets by M; G13 have 1000


def prepare(folder: Path, job: Path) -> None:
    """Write the ten domains."""
    reviews = load(folder / "fdumtl_amazon14.jsonl.gz")
    ten = reviews.only([reviews.names.index(name) for name in g13.TEN])
    job.mkdir(parents=True, exist_ok=True)
    X = ten.X
    np.savez_compressed(
        job / "reviews.npz", data=X.data.astype(np.float32), indices=X.indices, indptr=X.indptr,
        shape=X.shape, y=ten.y, source=ten.source,
    )  # fmt: skip


def read(job: Path) -> Reviews:
    """The ten domains again."""
    with np.load(job / "reviews.npz") as file:
        parts = (file["data"], file["indices"], file["indptr"])
        X = sparse.csr_matrix(parts, shape=tuple(file["shape"]))
        return Reviews(X=X, y=file["y"], source=file["source"], names=tuple(g13.TEN))


class Pool:
    """Reviews of some domains in a place, one after the other."""

    def __init__(self, place: Place, reviews: Reviews, X: Array | None = None) -> None:
        self.place, self.K = place, reviews.K
        self.X = place.put(np.asarray(reviews.X.todense(), dtype=np.float32)) if X is None else X
        self.y = place.put(reviews.y.astype(np.float32))
        sizes = np.bincount(reviews.source, minlength=reviews.K)
        self.reviews, self.sizes, self.first = reviews, sizes, np.cumsum(sizes) - sizes

    def only(self, sources: list[int]) -> "Pool":
        """Some of the domains, in the order given; what is in the place stays there."""
        rows = np.concatenate([self.reviews.of(k) for k in sources])
        return Pool(self.place, self.reviews.only(sources), self.X[self.place.put(rows), :])

    def weights(self, rows: Any, folds: Any) -> Array:
        """How often each review is in each fold of each data set, (B, K, n), from (B, K·M) each."""
        xp, n = namespace(self.X), self.X.shape[0]
        B = len(rows)
        at = (np.arange(B)[:, None] * self.K + folds) * n + rows
        counts = xp.bincount(self.place.put(at.ravel()), minlength=B * self.K * n)
        return xp.reshape(xp.astype(counts, self.X.dtype), (B, self.K, n))

    def rules(self, weights: Array) -> tuple[Array, Array]:
        """Weights of words and offsets of naive Bayes, from training counts of reviews (..., n)."""
        xp = namespace(weights)
        sums, seen = [], []
        for label in (1.0, 0.0):
            mine = weights * xp.astype(self.y == label, weights.dtype)
            counts = xp.matmul(mine, self.X) + 1
            sums.append(xp.log(counts) - xp.log(xp.sum(counts, axis=-1, keepdims=True)))
            seen.append(xp.log(xp.sum(mine, axis=-1)))
        return sums[0] - sums[1], seen[0] - seen[1]

    def wrong(self, words: Array, offset: Array) -> Array:
        """Whether each review would be misjudged by each rule, (..., n)."""
        xp = namespace(words)
        score = xp.matmul(words, xp.matrix_transpose(self.X)) + offset[..., None]
        return xp.astype((score > 0) != (self.y > 0.5), words.dtype)

    def fold_errors(self, weights: Array) -> Array:
        """The mean fold error of each data set, each fold judged by the others' rule, (B,)."""
        xp = namespace(weights)
        others = xp.sum(weights, axis=1, keepdims=True) - weights
        inside = xp.sum(weights * self.wrong(*self.rules(others)), axis=-1) / xp.sum(
            weights, axis=-1
        )
        return xp.mean(inside, axis=-1)


def biases(ten: Pool, K: int, M: int, draws: int, repeats: int) -> Floats:
    """μ̂ by source, by random folds, and the error on a further domain: (3, draws, repeats)."""
    means = np.empty((3, draws, repeats))
    for i in range(draws):
        rng = stream(d.SEED, "full", K, M, i)
        order = rng.permutation(ten.K)[: K + 1].tolist()
        pool, new = ten.only(order[:K]), ten.only(order[K:])
        source = np.repeat(np.arange(K), M)
        rows = pool.first[source] + (rng.random((repeats, K * M)) * pool.sizes[source]).astype(
            np.int64
        )
        by_source = pool.weights(rows, np.broadcast_to(source, rows.shape))
        mixed = pool.weights(rows, rng.permuted(np.tile(source, (repeats, 1)), axis=1))
        xp = namespace(by_source)
        truth = xp.mean(new.wrong(*pool.rules(xp.sum(by_source, axis=1))), axis=-1)
        for j, part in enumerate((pool.fold_errors(by_source), pool.fold_errors(mixed), truth)):
            means[j, i] = to_numpy(part)
    return means


def machines(
    ten: Reviews, M: int, data_sets: int, score: Scores
) -> Iterator[tuple[Floats, Floats]]:
    """0-1 losses of the linear SVM, (10, M) by source and by random folds, data set by data set."""
    source = np.repeat(np.arange(ten.K), M)
    for r in range(data_sets):
        rng = stream(d.SEED, "machines", M, r)
        rows = np.concatenate([rng.choice(ten.of(k), M) for k in range(ten.K)])
        mixed = rng.permutation(source)
        y = 2.0 * ten.y[rows] - 1
        trains = np.stack([f != k for f in (source, mixed) for k in range(ten.K)])
        lost = ((score(rows, y, trains) > 0) != (y > 0)).astype(float)
        yield (
            np.stack([lost[k][source == k] for k in range(ten.K)]),
            np.stack([lost[ten.K + k][mixed == k] for k in range(ten.K)]),
        )


def solver(place: Place, ten: Reviews) -> Scores:
    """
    Return Newton's method if there is a GPU, else LIBLINEAR.

    Both fit the same machine, with the same C and a penalised intercept.
    """
    if place.is_host:
        return partial(_liblinear, ten.X.astype(np.float64))
    return partial(_newton, place, place.put(np.asarray(ten.X.todense(), dtype=np.float64)))


def _newton(place: Place, X: Array, rows: Any, y: Floats, trains: Any) -> Floats:
    xp = namespace(X)
    chosen = X[place.put(rows), :]
    # + 1: the intercept is penalised, as LIBLINEAR's
    gram = xp.matmul(chosen, xp.matrix_transpose(chosen)) + 1
    return to_numpy(squared_hinge(gram, place.put(y), place.put(trains.astype(float))))


def _liblinear(X: Any, rows: Any, y: Floats, trains: Any) -> Floats:
    """At this tolerance 0 of 8000 losses differ from those at a hundredth of it."""
    from sklearn.svm import LinearSVC

    chosen = X[rows]
    machine = LinearSVC(C=COST, dual=True, tol=0.1, random_state=0)
    return np.stack(
        [machine.fit(chosen[train], y[train]).decision_function(chosen) for train in trains]
    )


def squared_hinge(gram: Array, y: Array, trains: Array, steps: int = 30) -> Array:
    """
    Scores of all examples by linear machines with squared hinge loss, to their optimum.

    Newton's method (Chapelle 2007): with the support vectors known the weights solve a linear
    system; those inside the margin are the next support vectors, until they stay the same.

    Parameters
    ----------
    gram : array, shape (n, n)
        Products of examples.
    y : array, shape (n,)
        Labels −1 and 1.
    trains : array, shape (J, n)
        1 for who trains.
    """
    xp = namespace(gram)
    active, score = trains, xp.zeros_like(trains)
    unit = xp.eye(gram.shape[0], dtype=gram.dtype, device=gram.device) / (2 * COST)
    for _ in range(steps):
        matrix = active[:, :, None] * gram * active[:, None, :] + unit
        L = xp.linalg.cholesky(matrix)
        weights = forward(L, forward(L, (active * y)[..., None]), transposed=True)
        score = xp.matmul(gram, weights)[..., 0]
        inside = trains * xp.astype(y * score < 1, trains.dtype)
        if bool(xp.all(inside == active)):
            break
        active = inside
    return score


def fit(job: Path, out: Path, device: str, only: list[str], seconds: float, scale: float) -> None:
    """Run what there is time for; a file per setting."""
    out.mkdir(parents=True, exist_ok=True)
    place, ten, began = Place.of(device), read(job), perf_counter()
    pool = Pool(place, ten)
    work = [(f"biases-{K}-{M}", (K, M)) for K, M in SETTINGS]
    work += [(f"machines-{M}", (0, M)) for M in MACHINES]
    for name, (K, M) in work:
        if not name.startswith(tuple(only)) or perf_counter() - began > seconds:
            continue
        start = perf_counter()
        if K:
            means = biases(pool, K, M, max(2, round(DRAWS * scale)), REPEATS)
            np.savez_compressed(out / f"{name}.npz", biases=means.astype(np.float32))
        else:
            lost = list(machines(ten, M, max(2, round(MACHINES[M] * scale)), solver(place, ten)))
            sources, folds = (
                np.stack([losses[i] for losses in lost]).astype(np.uint8) for i in (0, 1)
            )
            np.savez_compressed(out / f"{name}.npz", sources=sources, folds=folds)
        print(f"{name}: {perf_counter() - start:.1f} s", flush=True)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("prepare", "fit"))
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--seconds", type=float, default=200.0, help="no setting begins later")
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    if options.step == "prepare":
        prepare(options.source, options.target)
    else:
        fit(
            options.source,
            options.target,
            options.device,
            options.only,
            options.seconds,
            options.scale,
        )


if __name__ == "__main__":
    main()

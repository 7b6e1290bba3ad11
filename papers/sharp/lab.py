"""
Draw data sets, fit every learner on every split, keep what tests are made of.

    python -m papers.sharp.lab JOB OUT [--seconds 540] [--scale 1.0] [--only NAME ...] [--skip NAME
    ...]

JOB is a folder with ``designs.npz`` (sides of m×2 BCVs by n) and ``data.npz`` (tables), both
written by ``prepare.py``; OUT receives files ``part-k.npz`` and ``log.json``. For each population,
pair and data set a row of compact statistics is kept, never losses, so that formulas can be tuned
afterwards on the same draws. Meant for a GPU; runs on a CPU with a small ``--scale``.

Statistics of halvings, at each look m: mean, T, f (df of T), R, W, U, Q, nd (examples whose mean is
not 0). Q is the mean square of f_kk − ḡ_k: what the two models of a repetition shift against each
other.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from papers.sharp.populations import Case, cases

Tensor = Any
SEED = 1512
LOOKS = (3, 5, 7, 9)
FOLDS = (10, 5)
REPEATS = 3
RANDOM = 15  # random splits at .9, for the corrected resampled t
_FILE = 20_000_000


def losses(case: Case, X: Tensor, y: Tensor, fit: Any, train: Tensor, test: Tensor) -> Tensor:
    """Losses (B, S, c)."""
    predicted = fit(X, y, train, test)
    if case.loss == "own":
        return predicted.float()
    if case.loss == "squared":
        return ((predicted - y[:, test]) ** 2).float()
    return (predicted != y[:, test]).float()


def in_order(e: Tensor, test: Tensor, n: int) -> Tensor:
    """Losses (B, S, c) of splits that make up r runs through the data, as (B, r, n)."""
    B, S, c = e.shape
    runs = S * c // n
    flat = torch.empty((B, runs, n), device=e.device)
    flat.scatter_(2, test.reshape(1, runs, n).expand(B, -1, -1), e.reshape(B, runs, n))
    return flat


def halving_statistics(e: Tensor, sides: Tensor, looks: tuple[int, ...] = LOOKS) -> Tensor:
    """Statistics (B, looks, fields mean, T, f, R, W, U, Q, nd) of losses (B, m, n) and sides."""
    e = e.double()
    n = e.shape[-1]
    signs = (sides.double() * 2 - 1) / n  # halves are equal: half the difference of their means
    rows = []
    for m in looks:
        part = e[:, :m]
        of_repetition = part.mean(dim=2)
        bar = part.mean(dim=1)
        mean = bar.mean(dim=1)
        s2 = bar.var(dim=1)
        scaled = (bar - mean[:, None]) / s2.clamp(min=1e-300).sqrt()[:, None]
        kurtosis = (scaled**4).mean(dim=1)
        f = 1 / torch.clamp((kurtosis - 1) / (2 * n), min=1 / (n - 1))
        W = part.var(dim=1).mean(dim=1) / n
        contrast = part @ signs[:m].T
        of_side = contrast.diagonal(dim1=1, dim2=2)
        others = (contrast.sum(dim=1) - of_side) / (m - 1)
        U, Q = ((2 * others - of_side) ** 2).mean(dim=1), ((of_side - others) ** 2).mean(dim=1)
        nd = (bar.abs() > 1e-12).sum(dim=1).double()
        rows.append(torch.stack([mean, s2 / n, f, of_repetition.var(dim=1), W, U, Q, nd], dim=1))
    return torch.stack(rows, dim=1)


def block_statistics(e: Tensor, sides: Tensor) -> Tensor:
    """(B, M, 3): μ̂, V2 and mean of S_i² over the first m repetitions, m = 1..M."""
    e = e.double()
    n = e.shape[-1]
    first = (e * sides).sum(dim=2) * 2 / n
    second = (e * ~sides).sum(dim=2) * 2 / n
    d = torch.stack([first, second], dim=2)
    rows = []
    for m in range(1, len(sides) + 1):
        part = d[:, :m].reshape(len(d), -1)
        within = ((d[:, :m, 0] - d[:, :m, 1]) ** 2 / 2).mean(dim=1)
        rows.append(torch.stack([part.mean(dim=1), part.var(dim=1, correction=0), within], dim=1))
    return torch.stack(rows, dim=1)


def full_statistics(e: Tensor) -> Tensor:
    """
    Return statistics (B, repeats, fields) of the first r runs of folds, from e (B, r, n).

    R_F follows from the means.
    """
    e = e.double()
    n = e.shape[-1]
    rows = []
    for r in range(1, e.shape[1] + 1):
        bar = e[:, :r].mean(dim=1)
        mean, s2 = bar.mean(dim=1), bar.var(dim=1)
        scaled = (bar - mean[:, None]) / s2.clamp(min=1e-300).sqrt()[:, None]
        f = 1 / torch.clamp(((scaled**4).mean(dim=1) - 1) / (2 * n), min=1 / (n - 1))
        W = e[:, :r].var(dim=1).mean(dim=1) / n if r > 1 else torch.zeros_like(mean)
        rows.append(torch.stack([mean, s2 / n, f, W], dim=1))
    return torch.stack(rows, dim=1)


def nested_statistics(outer: Tensor, inner: Tensor, fold: Tensor) -> Tensor:
    """
    Return estimate and variance of nested cross-validation, (B, 2).

    ``outer`` is (B, R, n) and ``inner`` is (B, R, K, n).
    """
    R, n = outer.shape[1:]
    K = inner.shape[2]
    mse, total_in, square_in, total_out = 0.0, 0.0, 0.0, 0.0
    for r in range(R):
        for k in range(K):
            in_fold = fold[r] == k
            size = int(in_fold.sum())
            out, rest = outer[:, r, in_fold].double(), inner[:, r, k][:, ~in_fold].double()
            mse = mse + (rest.mean(dim=1) - out.mean(dim=1)) ** 2 - out.var(dim=1) / size
            total_in, total_out = total_in + rest.sum(dim=1), total_out + out.sum(dim=1)
            square_in = square_in + (rest**2).sum(dim=1)
    count = R * n * (K - 1)
    err_in, err_out = total_in / count, total_out / (R * n)
    floor = (square_in - count * err_in**2) / (count - 1) / n
    variance = torch.minimum(torch.maximum((K - 1) / K * mse / (R * K), floor), K * floor)
    return torch.stack([err_in - (1 + (K - 2) / K) * (err_in - err_out), variance], dim=1)


class Splits:
    """All splits of one size, the same for every data set."""

    def __init__(self, case: Case, designs: Any, device: Any, repetitions: int) -> None:
        n, units = case.n, case.n // case.group
        rng = np.random.default_rng(SEED + n)
        sides = np.repeat(designs[f"sides-{units}"][:repetitions], case.group, axis=1)
        self.sides = torch.as_tensor(sides, device=device)
        self.unit_sides = self.sides[:, :: case.group]
        on, off = [np.flatnonzero(s) for s in sides], [np.flatnonzero(~s) for s in sides]
        tests = [part for pair in zip(on, off, strict=True) for part in pair]
        trains = [part for pair in zip(off, on, strict=True) for part in pair]
        self.halves = self._tensors(trains, tests, device)
        # where examples are dealt round the blocks: blocks are examples with the same column of
        # sides
        self.slots = torch.as_tensor(self._round_robin(sides), device=device)
        self.folds = {}
        for K in FOLDS:
            tests = [part for _ in range(REPEATS) for part in np.split(rng.permutation(n), K)]
            self.folds[K] = self._tensors([_rest(t, n) for t in tests], tests, device)
        tests = [rng.permutation(n)[: n // 10] for _ in range(RANDOM)]
        self.random = self._tensors([_rest(t, n) for t in tests], tests, device)
        self.fold_of = np.stack([rng.permutation(n) % 5 for _ in range(10)])

    @staticmethod
    def _tensors(train: list[Any], test: list[Any], device: Any) -> tuple[Tensor, Tensor]:
        return torch.as_tensor(np.stack(train), device=device), torch.as_tensor(
            np.stack(test), device=device
        )

    @staticmethod
    def _round_robin(sides: np.ndarray) -> np.ndarray:
        _, block = np.unique(sides, axis=1, return_inverse=True)
        seen: dict[int, int] = {}
        rank = np.empty(len(block))
        for i, b in enumerate(block.ravel().tolist()):
            rank[i] = seen[b] = seen.get(b, -1) + 1
        return np.lexsort((block.ravel(), rank))


def _rest(part: np.ndarray, n: int) -> np.ndarray:
    return np.setdiff1d(np.arange(n), part)


def stratify(X: Tensor, y: Tensor, slots: Tensor, generator: Any) -> tuple[Tensor, Tensor]:
    """Put the examples, sorted by class, into slots: every block has its share of each class."""
    key = y + torch.rand(y.shape, generator=generator, device=y.device)
    rank = key.argsort(dim=1)
    place = torch.empty_like(rank)
    place[:, slots] = rank
    return X.gather(1, place[..., None].expand_as(X)), y.gather(1, place)


def drawn(
    case: Case, designs: Any, device: Any, sets: int, m: int
) -> tuple[Tensor, Tensor, Splits]:
    """The data sets of a case, always the same, in the slots of its splits."""
    index = sum(ord(letter) * (i + 1) for i, letter in enumerate(case.name))
    generator = torch.Generator(device=device).manual_seed(SEED * 1000 + index)
    X, y = case.draw(generator, sets, case.n)
    splits = Splits(case, designs, device, m)
    if case.stratified:
        X, y = stratify(X, y, splits.slots, generator)
    return X, y, splits


def run(
    case: Case, designs: Any, device: Any, scale: float, looks: tuple[int, ...] = LOOKS
) -> dict[str, np.ndarray]:
    """All statistics of a case by name."""
    X, y, splits = drawn(case, designs, device, max(4, int(case.sets * scale)), max(looks))
    fits = case.fits()
    subjects = [
        *((name,) for name in fits if name not in ("bag2", "fails", "logit2", "lsq")),
        *case.pairs(),
    ]
    e = {
        name: in_order(losses(case, X, y, fit, *splits.halves), splits.halves[1], case.n)
        for name, fit in fits.items()
    }
    if case.group > 1:
        plain = _stack([halving_statistics(_of(e, s), splits.sides, looks) for s in subjects])
        e = {name: v.unflatten(2, (-1, case.group)).mean(dim=3) for name, v in e.items()}
    statistics = {"subjects": np.array(["/".join(s) for s in subjects])}
    statistics["halves"] = _stack(
        [halving_statistics(_of(e, s), splits.unit_sides, looks) for s in subjects]
    )
    if looks == LOOKS:
        of_blocks = [block_statistics(_of(e, s), splits.unit_sides) for s in case.pairs()]
        statistics["blocks"] = _stack(of_blocks)[:, :1000]
    if case.group > 1:
        statistics["ungrouped"] = plain
    if looks != LOOKS:
        return statistics
    if case.full:
        statistics |= _full(case, X, y, splits, fits, subjects)
    if case.nested:
        keep = max(4, int(case.nested * scale))
        statistics["nested"] = _nested(case, X[:keep], y[:keep], splits, fits)
    return statistics


def _of(e: dict[str, Tensor], subject: tuple[str, ...]) -> Tensor:
    return e[subject[0]] if len(subject) == 1 else e[subject[1]] - e[subject[0]]


def _stack(parts: list[Tensor]) -> np.ndarray:
    stacked: np.ndarray = torch.stack(parts).float().cpu().numpy()
    return stacked


def _full(
    case: Case, X: Tensor, y: Tensor, splits: Splits, fits: Any, subjects: Any
) -> dict[str, np.ndarray]:
    statistics = {}
    X, y = X[:1000], y[:1000]
    for K, (train, test) in splits.folds.items():
        e = {
            k: in_order(losses(case, X, y, fit, train, test), test, case.n)
            for k, fit in fits.items()
        }
        statistics[f"folds{K}"] = _stack([full_statistics(_of(e, s)) for s in subjects])
    train, test = splits.random
    e = {k: losses(case, X, y, fit, train, test).mean(dim=2).double() for k, fit in fits.items()}
    d = [_of(e, s) for s in case.pairs()]
    statistics["random"] = _stack([torch.stack([v.mean(dim=1), v.var(dim=1)], dim=1) for v in d])
    return statistics


def _nested(case: Case, X: Tensor, y: Tensor, splits: Splits, fits: Any) -> np.ndarray:
    K, fold, n = 5, splits.fold_of, case.n
    rows = np.arange(n)
    outer_test = [rows[f == k] for f in fold for k in range(K)]
    both = [(r, k, j) for r in range(len(fold)) for k in range(K) for j in range(k + 1, K)]
    inner_test = [np.concatenate([rows[fold[r] == k], rows[fold[r] == j]]) for r, k, j in both]
    device = X.device
    of_fold = torch.as_tensor(fold, device=device)
    e: dict[str, tuple[Tensor, Tensor]] = {}
    for name, fit in fits.items():
        train, test = splits._tensors([_rest(t, n) for t in outer_test], outer_test, device)
        outer = in_order(losses(case, X, y, fit, train, test), test, n)
        train, test = splits._tensors([_rest(t, n) for t in inner_test], inner_test, device)
        predicted = losses(case, X, y, fit, train, test)
        inner = torch.zeros((len(X), len(fold), K, n), device=device)
        size = n // K
        for s, (r, k, j) in enumerate(both):
            inner[:, r, j, test[s, :size]] = predicted[:, s, :size]
            inner[:, r, k, test[s, size:]] = predicted[:, s, size:]
        e[name] = outer, inner
    pairs = [
        nested_statistics(e[b][0] - e[a][0], e[b][1] - e[a][1], of_fold) for a, b in case.pairs()
    ]
    return _stack(pairs)


def small(statistics: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Means in single precision, all else in half precision (variances as logarithms)."""
    packed = {}
    for key, value in statistics.items():
        if key in ("halves", "ungrouped"):
            packed[f"{key}.mean"] = value[..., 0]
            packed[f"{key}.log"] = _log(value[..., [1, 3, 4, 5, 6]])
            packed[f"{key}.rest"] = value[..., [2, 7]].astype(np.float16)
        elif key.startswith("folds"):
            packed[f"{key}.mean"] = value[..., 0]
            packed[f"{key}.log"] = _log(value[..., [1, 3]])
            packed[f"{key}.rest"] = value[..., 2].astype(np.float16)
        elif key == "blocks":
            packed["blocks.mean"] = value[
                :, :, [3, 5, 7], 0
            ]  # of m = 4, 6, 8; the others are among the halves
            packed["blocks.log"] = _log(value[:, :, 2:, 1])
            packed["blocks.within"] = _log(value[:, :, 4, 2])
        else:
            packed[key] = value
    return packed


def _log(v: np.ndarray) -> np.ndarray:
    logs: np.ndarray = np.log(np.maximum(v, 1e-25)).astype(np.float16)
    return logs


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("job", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--skip", nargs="*", default=[])
    parser.add_argument(
        "--looks", nargs="*", type=int, default=list(LOOKS), help="else no folds are run"
    )
    options = parser.parse_args()
    looks = tuple(options.looks)
    options.out.mkdir(parents=True, exist_ok=True)
    begun = time.time()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cpu":
        torch.set_num_threads(1)
    designs, data = np.load(options.job / "designs.npz"), dict(np.load(options.job / "data.npz"))
    log: list[dict[str, Any]] = [
        {
            "torch": torch.__version__, "numpy": np.__version__, "python": sys.version.split()[0],
            "seed": SEED,
            "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
            "scale": options.scale,
        }
    ]  # fmt: skip
    waiting: dict[str, np.ndarray] = {}
    part, longest = 0, 0.0
    for case in cases(data):
        if (options.only and case.name not in options.only) or case.name in options.skip:
            continue
        if time.time() - begun + longest > options.seconds:
            log.append({"case": case.name, "left out": "no time"})
            continue
        start = time.time()
        try:
            statistics = small(run(case, designs, device, options.scale, looks))
        except Exception as error:  # the other populations are still worth their time
            log.append({"case": case.name, "error": repr(error)[:500]})
            print(log[-1], flush=True)
            continue
        took = time.time() - start
        longest = max(longest, took)
        log.append(
            {
                "case": case.name,
                "half": case.half,
                "n": case.n,
                "sets": case.sets,
                "seconds": round(took, 2),
            }
        )
        print(log[-1], sum(v.nbytes for v in statistics.values()), flush=True)
        more = {f"{case.name}|{key}": v for key, v in statistics.items()}
        if sum(v.nbytes for v in waiting.values()) + sum(v.nbytes for v in more.values()) > _FILE:
            np.savez_compressed(options.out / f"part-{part}.npz", allow_pickle=False, **waiting)
            part, waiting = part + 1, {}
        waiting |= more
        (options.out / "log.json").write_text(json.dumps(log, indent=1))
    np.savez_compressed(options.out / f"part-{part}.npz", allow_pickle=False, **waiting)
    (options.out / "log.json").write_text(json.dumps(log, indent=1))


if __name__ == "__main__":
    main()

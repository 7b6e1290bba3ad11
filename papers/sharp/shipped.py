"""
What else is said at the size people ship: families of pairs, a quarter of the data, forests.

    python -m papers.sharp.shipped JOB OUT [equal quarters …]  # GPU: torch, numpy; minutes
    python -m papers.sharp.shipped_judged OUT                  # CPU: results/shipped.csv

*Equal*: five algorithms that are equal by symmetry, as in ``losses.py``, in nine halvings and ten
folds; for the error of any of ten pairs at the full size. *Quarters*: models of a quarter of the
examples, those that train in two halvings in a row; for the difference at n/4 and its changes.
*Forests*: trees on bootstrap samples, errors outside the bag, and what leaving out one more example
changes; for ``out-of-bag-t``. *Two folds*: each pair of folds left out once, for the jackknife over
folds. *Rivals*: Cai et al.'s fast bootstrap and the conservative Z, LDA against naive Bayes.
"""

import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

SETS, M, K, TREES, SEED = 1000, 9, 10, 300, 1871
QUARTERS = (
    "gauss8-200", "wine-200", "sparse-200", "heavy-100", "correlated-300", "rare12-100",
    "rare12-200", "pima-200", "cubic-100", "gauss8-100", "defects-200", "sparse-50",
    "rings-200", "laplace-500", "spam-200", "vehicle-200", "adult-200", "friedman-150",
)  # fmt: skip
# of quarters and halves mean T f R W U Q nd, of folds, h − q, f − q, f − h mean T f W
MEANS, REST = (0, 8, 16, 20, 24, 28), (2, 7, 10, 15, 18, 22, 26, 30)
VARIANCES = (1, 3, 4, 5, 6, 9, 11, 12, 13, 14, 17, 21, 25, 29)
FORESTS = ("gauss8-200", "rare12-100", "rare12-200", "pima-200", "rings-200", "spam-200", "xor-200")
RIVALS = ("gauss8-200", "xor-200", "rare12-200", "heavy-200", "gauss8-100", "pima-200", "rings-200")
PAIRED = (
    "gauss8-200", "xor-200", "wine-200", "sparse-200", "heavy-100",
    "rare12-200", "pages-200", "defects-200", "pima-200", "cubic-100", "outliers-100", "gauss8-100",
    "rings-200", "rings-100", "gauss20-60", "quadratic-30", "spam-200", "vehicle-200", "yeast-300",
    "adult-200", "pc1-200", "digits-100", "friedman-150",
)  # fmt: skip
Tensor = Any
Arrays = dict[str, Any]


def draw(job: Path, out: Path, wanted: list[str]) -> None:
    """Fit, and keep what each question needs, a file each."""
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    out.mkdir(parents=True, exist_ok=True)
    for name in wanted or list(_QUESTIONS):
        begun = time.time()
        arrays = _QUESTIONS[name](job, device)
        np.savez_compressed(out / f"{name}.npz", allow_pickle=False, **arrays)
        print(name, round(time.time() - begun, 1), flush=True)


# Five equal algorithms --------------------------------------------------------------------------


def _equal(job: Path, device: Any) -> Arrays:
    """Bits (data sets, 9 halvings + a run of folds, examples) of all algorithms and questions."""
    import torch

    from papers.sharp import losses
    from papers.sharp.lab import in_order

    designs, data = np.load(job / "designs.npz"), dict(np.load(job / "data.npz"))
    empty: Any = {
        f"{k}.{part}": np.zeros((M, 1), bool) for k in losses.GROUPS for part in ("groups", "sides")
    }
    arrays: Arrays = {}
    for name, (draws, sides, fits) in losses.questions(designs, empty, data).items():
        if not name.startswith("equal"):
            continue
        n = sides.shape[1]
        generator = torch.Generator(device=device).manual_seed(SEED + sum(map(ord, name)))
        X, y = draws(generator, SETS, n)
        folds = np.random.default_rng(SEED).permutation(n).reshape(K, -1)
        halves = [np.flatnonzero(half) for side in sides for half in (side, ~side)]
        runs = [_stacked(tests, n, device) for tests in (halves, list(folds))]
        for key, fit in fits.items():
            wrong = [fit(X, y, train, test) != y[:, test] for train, test in runs]
            ordered = [
                in_order(lost.float(), run[1], n) for lost, run in zip(wrong, runs, strict=True)
            ]
            bits = torch.cat(ordered, dim=1).bool().cpu().numpy()
            arrays[f"{name}|{key}"] = np.packbits(bits, axis=-1)
        arrays[f"{name}|sides"], arrays[f"{name}|folds"] = sides, folds
    return arrays


def _stacked(tests: list[np.ndarray], n: int, device: Any) -> tuple[Tensor, Tensor]:
    import torch

    trains = [np.setdiff1d(np.arange(n), test) for test in tests]
    return torch.as_tensor(np.stack(trains), device=device), torch.as_tensor(
        np.stack(tests), device=device
    )


# A quarter of the examples ----------------------------------------------------------------------


def _quarters(job: Path, device: Any) -> Arrays:
    """(subjects, data sets, fields) for each population."""
    import torch

    from papers.sharp import lab

    arrays: Arrays = {}
    for case, X, y, splits in _drawn(job, device, QUARTERS):
        train, test = (split[:K] for split in splits.folds[K])
        names = [
            *((name,) for name in case.names),
            *case.pairs()[: len(case.names) * (len(case.names) - 1) // 2],
        ]
        e: dict[str, tuple[Tensor, Tensor, Tensor]] = {}
        for name in case.names:
            fit = case.fits()[name]
            runs = [splits.halves, _quarter_splits(splits), (train, test)]
            e[name] = tuple(
                lab.in_order(lab.losses(case, X, y, fit, *run), run[1], case.n) for run in runs
            )
        rows = []
        for s in names:
            halves, quarters, folds = (
                lab._of({k: v[i] for k, v in e.items()}, s).double() for i in range(3)
            )
            at = [
                lab.halving_statistics(lost, splits.unit_sides, (M,))[:, 0]
                for lost in (quarters, halves)
            ]
            h, q, f = halves.mean(dim=1), quarters.mean(dim=1), folds[:, 0]
            rows.append(
                torch.cat(
                    [
                        *at,
                        *(lab.full_statistics(c[:, None])[:, 0] for c in (f, h - q, f - q, f - h)),
                    ],
                    dim=1,
                )
            )
        arrays[f"{case.name}|subjects"] = np.array(["/".join(s) for s in names])
        arrays[f"{case.name}|half"] = np.array(case.half)
        packed = torch.stack(rows).cpu().numpy()
        arrays[f"{case.name}|mean"] = packed[..., MEANS].astype(np.float32)
        arrays[f"{case.name}|log"] = lab._log(packed[..., VARIANCES])
        arrays[f"{case.name}|rest"] = np.minimum(packed[..., REST], 6e4).astype(np.float16)
        print(case.name, flush=True)
    return arrays


def _drawn(job: Path, device: Any, names: tuple[str, ...]) -> Any:
    """The data sets of ``lab.py``."""
    from papers.sharp import lab
    from papers.sharp.populations import cases

    designs, data = np.load(job / "designs.npz"), dict(np.load(job / "data.npz"))
    for case in cases(data):
        if case.name not in names:
            continue
        X, y, splits = lab.drawn(case, designs, device, case.sets, M)
        yield case, X[:SETS], y[:SETS], splits


def _quarter_splits(splits: Any) -> tuple[Tensor, Tensor]:
    """Of each half those that train in the next halving, too, for the test set of the half."""
    import torch

    sides = splits.sides
    trains = [
        torch.nonzero(a & b)[:, 0]
        for first, after in zip(sides, sides.roll(-1, 0), strict=True)
        for a, b in ((~first, ~after), (first, after))
    ]
    least = min(map(len, trains))
    return torch.stack([train[:least] for train in trains]), splits.halves[1]


# Two folds left out -----------------------------------------------------------------------------


def _two_folds(job: Path, device: Any) -> Arrays:
    """
    Of K folds, each pair left out once: the jackknife over folds.

    (subjects, data sets, fields).
    """
    import torch

    from papers.sharp import lab

    arrays: Arrays = {}
    for case, X, y, _ in _drawn(job, device, PAIRED):
        names = [name for name in case.names if name != "bag"]
        subjects = [*((name,) for name in names), *combinations(names, 2)]
        for folds in (7, 10):
            size = case.n // folds
            order = (
                np.random.default_rng(SEED).permutation(case.n)[: size * folds].reshape(folds, size)
            )
            pairs = list(combinations(range(folds), 2))
            e: dict[str, Tensor] = {}
            for name in names:
                fit = case.fits()[name]
                left_one = lab.losses(
                    case, X, y, fit, *_without(order, [(k,) for k in range(folds)], case.n, device)
                )
                left_two = lab.losses(case, X, y, fit, *_without(order, pairs, case.n, device))
                table = torch.zeros((len(X), folds, folds), device=device, dtype=torch.float64)
                for s, (k, j) in enumerate(pairs):  # [k, j]: fold j without k
                    table[:, j, k] = left_two[:, s, :size].double().mean(1)
                    table[:, k, j] = left_two[:, s, size:].double().mean(1)
                e[name] = torch.cat([left_one.double().flatten(1), table.flatten(1)], dim=1)
            rows = [_over_folds(lab._of(e, s), folds, size) for s in subjects]
            arrays[f"{case.name}|{folds}"] = torch.stack(rows).float().cpu().numpy()
        arrays[f"{case.name}|subjects"] = np.array(["/".join(s) for s in subjects])
        arrays[f"{case.name}|half"] = np.array(case.half)
        print(case.name, flush=True)
    return arrays


def _without(order: np.ndarray, left: Any, n: int, device: Any) -> tuple[Tensor, Tensor]:
    return _stacked([np.concatenate([order[k] for k in out]) for out in left], n, device)


def _over_folds(e: Tensor, folds: int, size: int) -> Tensor:
    """
    Mean, T and its df over examples.

    Over folds s²(d), s(d, a), s²(a), divided by their number.
    """
    import torch

    from papers.sharp import lab

    each, table = e[:, : folds * size], e[:, folds * size :].reshape(-1, folds, folds)
    d = each.reshape(-1, folds, size).mean(2)
    apart = 1 - torch.eye(folds, device=e.device)
    a = (folds - 1) * (((table - d[:, None]) * apart).sum(2) / (folds - 1))
    d, a = d - d.mean(1, keepdim=True), a - a.mean(1, keepdim=True)
    scale = folds * (folds - 1)
    parts = [(x * z).sum(1) / scale for x, z in ((d, d), (d, a), (a, a))]
    return torch.cat([lab.full_statistics(each[:, None])[:, 0, :3], torch.stack(parts, 1)], dim=1)


# Forests ----------------------------------------------------------------------------------------


def _forests(job: Path, device: Any) -> Arrays:
    """(pairs and forests, data sets, fields) for each population and loss."""
    import torch

    arrays: Arrays = {}
    for case, X, y, _ in _drawn(job, device, FORESTS):
        generator = torch.Generator(device=device).manual_seed(SEED)
        p = X.shape[2]
        makers = {
            "full": (X, 64),
            "seed": (X, 64),
            "depth3": (X, 3),
            "half": (X[..., : max(1, p // 2)], 64),
        }
        forests = {k: _left_out(x, y, depth, generator) for k, (x, depth) in makers.items()}
        pairs = [
            ("full",),
            ("depth3",),
            ("full", "seed"),
            ("full", "depth3"),
            ("full", "half"),
            ("depth3", "half"),
        ]
        for kind in ("zero-one", "brier"):
            rows = []
            for s in pairs:
                d, a = (
                    (forests[s[-1]][kind][i] - (forests[s[0]][kind][i] if len(s) > 1 else 0))
                    for i in (0, 1)
                )
                rows.append(_jackknife(d.double(), a.double()))
            arrays[f"{case.name}|{kind}"] = torch.stack(rows).float().cpu().numpy()
        arrays[f"{case.name}|subjects"] = np.array(["/".join(s) for s in pairs])
        arrays[f"{case.name}|half"] = np.array(case.half)
        print(case.name, flush=True)
    return arrays


def _left_out(X: Tensor, y: Tensor, depth: int, generator: Any) -> dict[str, tuple[Tensor, Tensor]]:
    """Losses outside the bag (B, n), and mean changes of others' without j (B, 2, n), by loss."""
    import torch

    from papers.sharp.learners import _grow

    B, n, p = X.shape
    step = max(1, 60_000_000 // (TREES * n * p))
    parts: list[dict[str, tuple[Tensor, Tensor]]] = []
    for i in range(0, B, step):
        x, t = X[i : i + step], y[i : i + step]
        b = len(x)
        drawn = torch.randint(n, (b * TREES, n), generator=generator, device=X.device)
        of = torch.arange(b, device=X.device).repeat_interleave(TREES)
        predicted = torch.empty((b * TREES, n), dtype=torch.int8, device=X.device)
        for j in range(0, b * TREES, 20_000):
            rows, pick = of[j : j + 20_000], drawn[j : j + 20_000]
            sample, label = (
                x[rows].gather(1, pick[..., None].expand(-1, -1, p)),
                t[rows].gather(1, pick),
            )
            predicted[j : j + 20_000] = _grow(
                sample.transpose(1, 2).contiguous(), label, x[rows], 2, depth
            ).to(torch.int8)
        out = torch.ones((b * TREES, n), device=X.device).scatter_(1, drawn, 0.0).view(b, TREES, n)
        parts.append(_changes(predicted.view(b, TREES, n).float() * out, out, t))
    return {k: tuple(torch.cat([part[k][i] for part in parts]) for i in (0, 1)) for k in parts[0]}


def _changes(predicted: Tensor, out: Tensor, y: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
    import torch

    def losses(votes: Tensor, count: Tensor, target: Tensor) -> dict[str, Tensor]:
        share = votes / count.clamp(min=1)
        return {"zero-one": ((share > 0.5) != (target > 0)).float(), "brier": (share - target) ** 2}

    n, half = y.shape[1], TREES // 2
    whole = losses(predicted.sum(1), out.sum(1), y.float())
    groups: dict[str, list[Tensor]] = {k: [] for k in whole}
    others = 1 - torch.eye(n, device=y.device)
    for g in (slice(half), slice(half, None)):
        v, o = predicted[:, g], out[:, g]
        usual = losses(v.sum(1), o.sum(1), y.float())
        both = losses(o.transpose(1, 2) @ v, o.transpose(1, 2) @ o, y.float()[:, None])  # [j, i]
        for k in whole:
            groups[k].append(((both[k] - usual[k][:, None]) * others).sum(2) / (n - 1))
    return {k: (whole[k], torch.stack(groups[k], 1)) for k in whole}


def _jackknife(d: Tensor, a: Tensor) -> Tensor:
    """
    Mean, T, df of T; covariance of d with a, Σa² across halves of the trees and plain.

    Df of u.
    """
    import torch

    n = d.shape[1]
    away, a = d - d.mean(1, keepdim=True), (n - 1) * (a - a.mean(2, keepdim=True))
    mean = a.mean(1)
    scale = n * (n - 1)

    def df(u: Tensor) -> Tensor:
        s = u / u.var(1).clamp(min=1e-300).sqrt()[:, None]
        return 1 / torch.clamp(((s**4).mean(1) - 1) / (2 * n), min=1 / (n - 1))

    fields = [
        d.mean(1), (away**2).sum(1) / scale, df(away), (away * mean).sum(1) / scale,
        (a[:, 0] * a[:, 1]).sum(1) / scale, (mean**2).sum(1) / scale, df(away - mean),
    ]  # fmt: skip
    return torch.stack(fields, 1)


# Rivals that take thousands of fits -------------------------------------------------------------


def _rivals(job: Path, device: Any) -> Arrays:
    """Estimate and standard error of fast bootstrap and conservative Z, LDA and naive Bayes."""
    import torch

    arrays: Arrays = {}
    for case, X, y, _ in _drawn(job, device, RIVALS):
        generator = torch.Generator(device=device).manual_seed(SEED)
        rows = [_both_rivals(x.double(), t, generator) for x, t in zip(X, y, strict=True)]
        arrays[case.name] = torch.tensor(rows).numpy()
        print(case.name, flush=True)
    return arrays


def _both_rivals(X: Tensor, y: Tensor, generator: Any) -> list[float]:
    """
    As ``bootcv.py`` has the first.

    15 splits at .9n, and in the halves of ten halvings, the second.
    """
    import torch

    from papers.sharp.bootcv import ESTIMATE, SAMPLES, SPLITS, adjusted

    n, m, dev = len(y), round(0.9 * len(y)), X.device

    def trains(K: int, size: int, of: int = n) -> Tensor:
        return torch.rand((K, of), generator=generator, device=dev).argsort(1) < size

    plain = trains(ESTIMATE, m).double()
    value = _difference(X, y, plain, 1 - plain).mean()
    size = adjusted(n, m)
    drawn = torch.randint(n, (SAMPLES, n), generator=generator, device=dev)
    weights = torch.zeros((SAMPLES, n), device=dev, dtype=torch.float64).scatter_add_(
        1, drawn, torch.ones((SAMPLES, n), device=dev, dtype=torch.float64)
    )
    weights, inside = weights.repeat_interleave(SPLITS, 0), trains(SAMPLES * SPLITS, size).double()
    d = _difference(X, y, weights * inside, weights * (1 - inside)).reshape(SAMPLES, SPLITS)
    between = (d.mean(1).var() - d.var(1).mean() / SPLITS).clamp(min=0)
    boot = (between * (n - size + 0.632 * size) / n).sqrt()
    J, M, half, test = 15, 10, n // 2, n - m
    whole = trains(J, m).double()
    mean = _difference(X, y, whole, 1 - whole).mean()
    train, tested = torch.zeros((2, M, 2, J, n), device=dev, dtype=torch.float64)
    for k in range(M):
        order = torch.randperm(n, generator=generator, device=dev)
        for side in (0, 1):
            members, part = (
                order[side * half : (side + 1) * half],
                trains(J, half - test, half).double(),
            )
            train[k, side, :, members], tested[k, side, :, members] = part, 1 - part
    of_halves = (
        _difference(X, y, train.reshape(-1, n), tested.reshape(-1, n)).reshape(M, 2, J).mean(2)
    )
    z = ((of_halves[:, 0] - of_halves[:, 1]) ** 2 / 2).mean().sqrt()
    return [float(v) for v in (value, boot, mean, z)]


def _difference(X: Tensor, y: Tensor, train: Tensor, test: Tensor) -> Tensor:
    """``bootcv.differences`` in torch."""
    import torch

    p = X.shape[1]
    products = (X[:, :, None] * X[:, None]).reshape(len(X), -1)
    bayes, linear, pooled = [], [], torch.zeros(1, device=X.device, dtype=X.dtype)
    for c in (0, 1):
        w = train * (y == c)
        N = w.sum(1, keepdim=True).clamp(min=1e-9)
        mean = w @ X / N
        spread = (w @ products / N).reshape(-1, p, p) - mean[:, :, None] * mean[:, None]
        var = spread.diagonal(dim1=1, dim2=2).clamp(min=1e-9)
        away = (
            (1 / var) @ (X**2).T
            - 2 * (mean / var) @ X.T
            + (mean**2 / var + var.log()).sum(1, keepdim=True)
        )
        bayes.append(N.log() - away / 2)
        pooled = pooled + spread * N[:, :, None]
        linear.append((N, mean))
    pooled = pooled / train.sum(1)[:, None, None] + 1e-9 * torch.eye(
        p, device=X.device, dtype=X.dtype
    )
    scores = []
    for N, mean in linear:
        w = torch.linalg.solve(pooled, mean[..., None])[..., 0]
        scores.append(N.log() + w @ X.T - (w * mean).sum(1, keepdim=True) / 2)
    wrong = [((b > a).long() != y).double() for a, b in (bayes, scores)]
    return ((wrong[0] - wrong[1]) * test).sum(1) / test.sum(1)


_QUESTIONS = {
    "equal": _equal,
    "forests": _forests,
    "quarters": _quarters,
    "rivals": _rivals,
    "two-folds": _two_folds,
}


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])

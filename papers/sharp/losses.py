"""
The losses themselves, as bits, of questions that need more than statistics of single pairs.

    python -m papers.sharp.losses prepare JOB      # evenfold: cuts of groups, and of halves into
    quarters python -m papers.sharp.losses draw JOB OUT     # GPU: torch, numpy; two minutes

*Equal*: five algorithms that are equal by symmetry, for the error of any of ten pairs. *Groups*:
20, 50 and 190 groups of unequal sizes, never cut. *Margins*: pairs whose true difference becomes
the margin. Zero-one losses, 2000 data sets each.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SETS, M, SEED = 2000, 9, 1815
GROUPS = {"groups-20": (20, 400), "groups-50": (50, 400), "groups-190": (190, 600)}
Tensor = Any


def sizes(count: int, n: int) -> np.ndarray:
    """
    Return sizes of groups with a long tail.

    Their logarithms have a unit normal spread, and each group has at least one example.
    """
    raw = np.exp(np.random.default_rng(SEED + count).normal(size=count))
    counts: np.ndarray = np.maximum(1, np.floor(raw / raw.sum() * n)).astype(int)
    counts[np.argmax(counts)] += n - counts.sum()
    return counts


def prepare(job: Path) -> None:
    """Write who is tested first, by question."""
    import evenfold as ef

    arrays: dict[str, np.ndarray] = {}
    for name, (count, n) in GROUPS.items():
        groups = np.repeat(np.arange(count), sizes(count, n))
        design = ef.Mx2BCV(M, balance="groups", random_state=SEED)
        arrays[f"{name}.groups"] = groups
        arrays[f"{name}.sides"] = _sides(design.partition(n, groups=groups))
    np.savez_compressed(job / "further.npz", allow_pickle=False, **arrays)


def _sides(partition: Any) -> np.ndarray:
    sides = np.zeros((len(partition) // 2, partition.n), dtype=bool)
    for row, test in zip(sides, partition.test[::2], strict=True):
        row[test] = True
    return sides


def draw(job: Path, out: Path) -> None:
    """Fit, and keep bits (data sets, repetitions, examples) of every algorithm."""
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    designs, further = np.load(job / "designs.npz"), np.load(job / "further.npz")
    data = dict(np.load(job / "data.npz"))
    out.mkdir(parents=True, exist_ok=True)
    log: dict[str, Any] = {"torch": torch.__version__, "device": str(device), "seed": SEED}
    for name, (draws, sides, fits) in questions(designs, further, data).items():
        begun = time.time()
        generator = torch.Generator(device=device).manual_seed(SEED + sum(map(ord, name)))
        X, y = draws(generator, SETS, sides.shape[1])
        bits = {
            key: _bits(X, y, fit, torch.as_tensor(sides, device=device))
            for key, fit in fits.items()
        }
        np.savez(out / f"{name}.npz", allow_pickle=False, sides=sides, **bits)
        log[name] = round(time.time() - begun, 1)
        print(name, log[name], flush=True)
    (out / "log.json").write_text(json.dumps(log))


def _bits(X: Tensor, y: Tensor, fit: Any, sides: Tensor) -> np.ndarray:
    """One split at a time: halves of groups are not of one size."""
    import torch

    wrong = torch.zeros((len(X), *sides.shape), dtype=torch.bool, device=X.device)
    for r, first in enumerate(sides):
        for side in (first, ~first):
            test, train = torch.nonzero(side)[:, 0], torch.nonzero(~side)[:, 0]
            wrong[:, r, test] = fit(X, y, train[None], test[None])[:, 0] != y[:, test]
    return np.packbits(wrong.cpu().numpy(), axis=-1)


def questions(
    designs: Any, further: Any, data: Any
) -> dict[str, tuple[Any, np.ndarray, dict[str, Any]]]:
    """How data are drawn, the sides, and the algorithms, by name."""
    from functools import partial

    from papers.sharp import learners, populations

    known = populations.classifiers(2)
    two_hundred = designs["sides-200"][:M]
    four = {name: known[name] for name in ("tree3", "bayes", "lda", "nn7")}
    cases: dict[str, Any] = {}
    for name in ("lda", "tree3", "nn7"):
        five = {f"{name}{k}": _on(known[name], slice(3 * k, 3 * k + 3)) for k in range(5)}
        cases[f"equal-{name}"] = (
            partial(populations.gaussians, p=15, shift=0.6),
            two_hundred,
            five,
        )
    cases["equal-seeds"] = (
        populations.gaussians,
        two_hundred,
        {f"bag{k}": partial(learners.bagged, seed=20 + k) for k in range(5)},
    )
    cases["equal-noise"] = (
        _noise_columns,
        two_hundred,
        {f"tree{k}": _on(known["tree"], [0, 1, 2, 3, 4 + k]) for k in range(5)},
    )
    table = partial(populations.table, X=data["letters.X"], y=data["letters.y"])
    rare = partial(populations.gaussians, p=6, shift=0.9, share=0.12)
    for name, draws in (("gauss8", populations.gaussians), ("rare12", rare), ("letters", table)):
        cases[f"margins-{name}"] = draws, two_hundred, four
    for name in GROUPS:
        of = further[f"{name}.groups"]
        for kind in (_tendencies, _classes):
            cases[f"{name}-{kind.__name__.strip('_')}"] = (
                partial(kind, of=of),
                further[f"{name}.sides"],
                four,
            )
    return cases


def _on(fit: Any, columns: Any) -> Any:
    def fitted(X: Tensor, y: Tensor, train: Tensor, test: Tensor) -> Tensor:
        return fit(X[..., columns], y, train, test)

    return fitted


def _noise_columns(g: Any, B: int, n: int) -> tuple[Tensor, Tensor]:
    """Four features that tell, five that do not."""
    import torch

    from papers.sharp import populations

    X, y = populations.gaussians(g, B, n, p=4, shift=0.8)
    return torch.cat([X, torch.randn((B, n, 5), generator=g, device=g.device)], dim=2), y


def _tendencies(g: Any, B: int, n: int, *, of: np.ndarray) -> tuple[Tensor, Tensor]:
    """Groups share a place, and how often they are of class 1."""
    import torch

    group = torch.as_tensor(of, device=g.device)
    count = int(of[-1]) + 1
    tends = torch.sigmoid(torch.randn((B, count), generator=g, device=g.device))
    y = (torch.rand((B, n), generator=g, device=g.device) < tends[:, group]).long()
    place = 0.8 * torch.randn((B, count, 6), generator=g, device=g.device)[:, group]
    return place + torch.randn((B, n, 6), generator=g, device=g.device) + 0.7 * y[..., None], y


def _classes(g: Any, B: int, n: int, *, of: np.ndarray) -> tuple[Tensor, Tensor]:
    """Groups share their class and their place, and so much of their fate."""
    import torch

    group = torch.as_tensor(of, device=g.device)
    count = int(of[-1]) + 1
    y = (torch.rand((B, count), generator=g, device=g.device) < 0.5).long()
    centre = torch.randn((B, count, 6), generator=g, device=g.device) + 0.7 * y[..., None]
    return centre[:, group] + 0.5 * torch.randn((B, n, 6), generator=g, device=g.device), y[
        :, group
    ]


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        prepare(Path(sys.argv[2]))
    else:
        draw(Path(sys.argv[2]), Path(sys.argv[3]))

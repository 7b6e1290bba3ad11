"""
Does a difference change with the training size? What an interval for the change can be made of.

    python -m papers.sharp.change draw JOB OUT          # GPU, the data sets of ``lab.py``; 3
    minutes python -m papers.sharp.change judge OUT             # CPU: error of each variance,
    results/change.csv

The change is the mean over examples of c_i = e_i(folds) − ē_i(halvings). For each population, pair
and data set its mean, s²(c)/n with its df, and the variance of its fold means are kept beside the
parts of the halvings.
"""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, Any]
SETS, M, K = 1000, 9, 10
RESULTS = Path(__file__).parent / "results"


def draw(job: Path, out: Path, seconds: float = 270.0) -> None:
    """Fit, and keep (subjects, data sets, fields) for each population."""
    import torch

    from papers.sharp.populations import cases

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    designs, data = np.load(job / "designs.npz"), dict(np.load(job / "data.npz"))
    out.mkdir(parents=True, exist_ok=True)
    begun, part = time.time(), 0
    waiting: Arrays = {}
    for case in cases(data):
        if not case.full or case.group > 1 or time.time() - begun > seconds:
            print("left out", case.name, flush=True)
            continue
        waiting |= {f"{case.name}|{k}": v for k, v in _case(case, designs, device).items()}
        print(case.name, round(time.time() - begun, 1), flush=True)
        if sum(v.nbytes for v in waiting.values()) > 12_000_000:
            np.savez_compressed(out / f"change-{part}.npz", allow_pickle=False, **waiting)
            part, waiting = part + 1, {}
    np.savez_compressed(out / f"change-{part}.npz", allow_pickle=False, **waiting)


def _case(case: Any, designs: Any, device: Any) -> dict[str, np.ndarray]:
    import torch

    from papers.sharp import lab

    X, y, splits = lab.drawn(case, designs, device, case.sets, M)
    X, y = X[:SETS], y[:SETS]
    train, test = (split[:K] for split in splits.folds[K])
    fits = case.fits()
    halves = {
        k: lab.in_order(lab.losses(case, X, y, fit, *splits.halves), splits.halves[1], case.n)
        for k, fit in fits.items()
    }
    folds = {k: lab.losses(case, X, y, fit, train, test) for k, fit in fits.items()}
    names = [*((name,) for name in case.names), *case.pairs()]
    rows = [_statistics(lab._of(halves, s), lab._of(folds, s), test, splits) for s in names]
    packed = torch.stack(rows).cpu().numpy()
    means, variances, rest = packed[..., :2], packed[..., 2:-3], packed[..., -3:]
    return {
        "subjects": np.array(["/".join(s) for s in names]),
        "half": np.array(case.half),
        "mean": means.astype(np.float32),
        "log": lab._log(variances),
        "rest": rest.astype(np.float16),
    }


def _statistics(e: Any, f: Any, test: Any, splits: Any) -> Any:
    """
    Means at both sizes; T, R, W, U, Q of the halvings; T of folds and change, fold spread.

    Df, count.
    """
    import torch

    from papers.sharp import lab

    n = e.shape[-1]
    halving = lab.halving_statistics(e, splits.unit_sides, (M,))[:, 0]
    bar = e.double().mean(dim=1)
    c = f.double() - bar[:, test]  # fold by fold
    flat, of_fold = c.flatten(1), c.mean(dim=2)
    mean, s2 = flat.mean(dim=1), flat.var(dim=1)
    scaled = (flat - mean[:, None]) / s2.clamp(min=1e-300).sqrt()[:, None]
    df = 1 / torch.clamp(((scaled**4).mean(dim=1) - 1) / (2 * n), min=1 / (n - 1))
    at_folds = f.double().flatten(1)
    fields = [
        halving[:, 0], mean, halving[:, 1], *halving[:, 3:7].unbind(dim=1), at_folds.var(dim=1) / n,
        s2 / n,
        of_fold.var(dim=1) / K, halving[:, 2], df, halving[:, 7],
    ]  # fmt: skip
    return torch.stack(fields, dim=1)


def judge(folder: Path) -> None:
    """Error at the true change, and power at 2.8 of its standard deviations, of each variance."""
    from papers.sharp.analyse import write

    rows = [
        row for path in sorted(folder.glob("change-*.npz")) for row in _rows(dict(np.load(path)))
    ]
    write(RESULTS / "change.csv", rows)
    for half in ("tune", "judge", "exam"):
        for who in ("pairs", "enemies", "one"):
            chosen = [row for row in rows if (row["half"], row["who"]) == (half, who)]
            print(f"\n{half}, {who}: {len(chosen)}")
            for form in FORMS:
                error, power = (
                    np.array([row[f"{form} {k}"] for row in chosen]) for k in ("error", "power")
                )
                spread = f"{error.mean():.3f} / {np.quantile(error, 0.95):.3f} / {error.max():.3f}"
                print(f"{form}: {spread} | {power.mean():.3f}")
            keys = (
                "half error",
                "half power",
                "full error",
                "full power",
                "sd ratio",
                "sign changes",
            )
            print({key: round(float(np.mean([row[key] for row in chosen])), 3) for key in keys})


FORMS = ("T_c", "T_c + C/m", "T_c + C", "root(2.5C) + C/m", "taken")


def _rows(raw: Arrays) -> Any:
    from papers.sharp.analyse import enemy

    for case in dict.fromkeys(key.split("|")[0] for key in raw):
        for i, name in enumerate(map(str, raw[f"{case}|subjects"])):
            statistics = {
                key: raw[f"{case}|{key}"][i].astype(float) for key in ("mean", "log", "rest")
            }
            foe = enemy(case, name) if "/" in name else ""
            who = "one" if "/" not in name else "enemies" if foe else "pairs"
            about = {
                "population": case,
                "half": str(raw[f"{case}|half"]),
                "subject": name,
                "who": who,
                "enemy": foe,
            }
            both = _at_both_sizes(
                statistics["mean"].T, np.exp(statistics["log"]).T, statistics["rest"].T
            )
            yield (
                about
                | both
                | _rates(
                    statistics["mean"][:, 1],
                    np.exp(statistics["log"]).T,
                    statistics["rest"].T,
                    alone=who == "one",
                )
            )


def _at_both_sizes(means: np.ndarray, variances: np.ndarray, rest: np.ndarray) -> Arrays:
    """
    Return the error of the tests at half and full size, and their power at one difference.

    The difference is 2.8 sd of the estimate at half the size. The df of T_F were not kept;
    those of T stand for them.
    """
    from papers.sharp.reference import Parts, full_size_variance

    T, R, W, U, Q, T_F, _, _ = np.where(variances < 2e-25, 0, variances)
    f, _, differ = rest
    parts = Parts(m=M, mean=means[0], T=T, f=np.maximum(f, 1), R=R, W=W, U=U, Q=Q, differ=differ)
    full = full_size_variance(T_F, np.maximum(f, 1), 0.0, parts)
    at = {"half": (means[0], *parts.variance()), "full": (means.sum(axis=0), *full)}
    rates: Arrays = {"sd ratio": float(at["full"][0].std() / max(means[0].std(), 1e-12))}
    for size, (value, V, df) in at.items():
        error, power = _rejected(value, V, df, ~parts.few & (V > 0), 2.8 * means[0].std())
        rates |= {f"{size} error": error, f"{size} power": power}
    return rates | {"sign changes": bool(means[0].mean() * at["full"][0].mean() < 0)}


def _rejected(
    x: np.ndarray, V: np.ndarray, df: np.ndarray, may: Any, away: float
) -> tuple[float, float]:
    """Error at the mean of all data sets, and power so far away from it on either side."""
    from scipy import special

    reach, x = special.stdtrit(df, 0.975) * np.sqrt(V), x - x.mean()
    error, left, right = (float((may & (np.abs(x + d) > reach)).mean()) for d in (0.0, -away, away))
    return error, (left + right) / 2


def _rates(change: np.ndarray, variances: np.ndarray, rest: np.ndarray, *, alone: bool) -> Arrays:
    T, R, W, U, Q, _, t, _ = np.where(variances < 2e-25, 0, variances)
    f, f_c, differ = rest
    C = np.maximum((M - 1) * (R + Q) / (2 * M - 1) - W, 0)
    E, D = 2.5 * C + 0.25 * W + np.maximum(U - Q - T, 0), np.maximum(C - W, 0)
    may = alone | ((differ >= 10) & (f >= 0.2 * differ))
    rates: Arrays = {}
    # the last is that of full_size
    root = [np.sqrt(t**2 + x) - t for x in (5 * t * C, 2 * t * E + 4 * D**2)]
    for form, more in zip(FORMS, (0 * t, C / M, C, root[0] + C / M, root[1]), strict=True):
        V = t + more
        spread = t**2 / np.maximum(f_c, 1) + more**2 / (2 * M - 1)
        df = np.maximum(np.where(spread > 0, V**2 / np.where(spread > 0, spread, 1), 1), 1)
        error, power = _rejected(change, V, df, may & (V > 0), 2.8 * change.std())
        rates |= {f"{form} error": error, f"{form} power": power}
    return rates


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        judge(Path(sys.argv[2]))

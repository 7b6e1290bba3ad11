"""
What came of the draws of ``shipped.py``: ``python -m papers.sharp.shipped_judged OUT``.

Of the questions that were drawn, each in one file or in one for each population. Prints error mean
/ 95 % / worst, power and V over the true variance by set and form; renews their rows in
``results/shipped.csv``.
"""

import csv
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from papers.sharp.shipped import Arrays, M


def judge(folder: Path) -> None:
    """Error at the mean of all data sets, power at 2.8 of their standard deviations."""
    from papers.sharp.analyse import RESULTS, write

    judges = {
        "equal": _any_pair,
        "quarters": _by_size,
        "forests": _by_forest,
        "rivals": _by_rival,
        "two-folds": _by_folds,
    }
    rows: list[Arrays] = []
    for name, of in judges.items():
        raw = {
            k: v for file in sorted(folder.glob(f"{name}*.npz")) for k, v in np.load(file).items()
        }
        judged = [{"question": name} | row for row in of(raw)]
        _show(judged)
        rows += judged
    write(RESULTS / "shipped.csv", rows + _others(RESULTS / "shipped.csv", rows))


def _others(file: Path, drawn: list[Arrays]) -> list[Arrays]:
    """Kept rows of questions that were not drawn this time."""
    with file.open(encoding="utf-8", newline="") as lines:
        kept = list(csv.DictReader(lines))
    return [row for row in kept if row["question"] not in {new["question"] for new in drawn}]


def _show(rows: list[Arrays]) -> None:
    for key in dict.fromkeys((row["set"], row["form"]) for row in rows):
        chosen = [row for row in rows if (row["set"], row["form"]) == key]
        error, power, ratio = (
            np.array([row[k] for row in chosen]) for k in ("error", "power", "ratio")
        )
        spread = f"{error.mean():.3f} / {np.quantile(error, 0.95):.3f} / {error.max():.3f}"
        print(
            *key,
            len(chosen),
            spread,
            f"{np.nanmean(power):.3f}",
            f"V {np.nanmin(ratio):.2f} to {np.nanmax(ratio):.2f}",
        )


def _rates(x: np.ndarray, V: np.ndarray, df: Any, may: Any = True) -> Arrays:
    from scipy import special

    x, sd = x - x.mean(), x.std()
    reach = special.stdtrit(df, 0.975) * np.sqrt(V)
    error, left, right = (
        float((may & (np.abs(x + d) > reach)).mean()) for d in (0.0, -2.8 * sd, 2.8 * sd)
    )
    return {
        "error": error,
        "power": (left + right) / 2,
        "ratio": float(V.mean() / max(sd**2, 1e-30)),
        "sets": len(x),
    }


def _any_pair(raw: Arrays) -> Any:
    """How often any pair of three and of five equal algorithms is decided at the full size."""
    import evenfold as ef

    for name in dict.fromkeys(key.split("|")[0] for key in raw):
        arrays = {
            key.split("|")[1]: bits for key, bits in raw.items() if key.startswith(f"{name}|")
        }
        sides = arrays.pop("sides")
        arrays.pop("folds")
        wrong = {
            key: np.unpackbits(bits, axis=-1, count=sides.shape[1]).astype(float)
            for key, bits in arrays.items()
        }
        for count in (3, 5):
            pairs = list(combinations(list(wrong)[:count], 2))
            e = np.stack([wrong[b] - wrong[a] for a, b in pairs], axis=1)  # (sets, pairs, M + 1, n)
            p = ef.infer.full_size_t(e[:, :, M:], e[:, :, :M], sides=sides).pvalue
            least = p.min(axis=1)
            family = [ef.infer.MaxT(values=values[:, M], df=np.inf).overall(q) if q < 0.05 else 1.0
                      for values, q in zip(e, least, strict=True)]  # fmt: skip
            for form, decided in (
                ("max-t", np.array(family) < 0.05),
                ("Bonferroni", least * len(pairs) < 0.05),
            ):
                yield {
                    "set": f"{name}, {count} algorithms", "form": form,
                    "error": float(decided.mean()),
                    "power": np.nan, "ratio": np.nan, "sets": len(least),
                }  # fmt: skip


def _by_size(raw: Arrays) -> Any:
    """
    The difference at n/4 as at n/2, and changes.

    T of c, what training adds from the smaller size.
    """
    from papers.sharp.analyse import enemy
    from papers.sharp.reference import Parts, full_size_variance

    for case in dict.fromkeys(key.split("|")[0] for key in raw):
        half = str(raw[f"{case}|half"])
        for k, subject in enumerate(map(str, raw[f"{case}|subjects"])):
            mean = raw[f"{case}|mean"][k].astype(float).T
            logs, rest = (
                raw[f"{case}|log"][k].astype(float).T,
                np.maximum(raw[f"{case}|rest"][k].astype(float).T, 1),
            )
            v = np.where(logs < np.log(2e-25), 0, np.exp(logs))
            differ = raw[f"{case}|rest"][k].astype(float).T
            quarter, halves = (
                Parts(m=M, mean=mean[j], f=rest[2 * j], differ=differ[2 * j + 1],
                      **dict(zip("TRWUQ", v[5 * j : 5 * j + 5], strict=True)))
                for j in (0, 1)
            )  # fmt: skip
            alone = "/" not in subject
            group = "one" if alone else "enemies" if enemy(case, subject) else "pairs"
            about = {"set": f"{half}, {group}", "population": case, "subject": subject}
            at = {
                "at n/4": (mean[0], *quarter.variance(), quarter),
                "at n/2": (mean[1], *halves.variance(), halves),
                "n/4 to n/2": (mean[3], *full_size_variance(v[11], rest[5], 0.0, quarter), quarter),
                "n/4 to .9n": (mean[4], *full_size_variance(v[12], rest[6], 0.0, quarter), quarter),
                "n/2 to .9n": (mean[5], *full_size_variance(v[13], rest[7], 0.0, halves), halves),
            }
            for form, (x, V, df, parts) in at.items():
                yield about | {"form": form} | _rates(x, V, df, (alone | ~parts.few) & (V > 0))


def _by_forest(raw: Arrays) -> Any:
    """The variance of ``out-of-bag-t``, of test points alone, and the jackknife's with chance."""
    for case in dict.fromkeys(key.split("|")[0] for key in raw):
        for kind in ("zero-one", "brier"):
            for subject, fields in zip(
                map(str, raw[f"{case}|subjects"]), raw[f"{case}|{kind}"], strict=True
            ):
                mean, T, f, cross, halves, plain, df = fields.astype(float).T
                group = "one" if "/" not in subject else "seeds" if "seed" in subject else "pairs"
                about = {"set": f"{kind}, {group}", "population": case, "subject": subject}
                honest = T - 2 * cross + halves
                forms = {
                    "out-of-bag-t": (np.maximum(honest, T), df),
                    "not below 0": (np.maximum(honest, 0), df),
                    "no halves": (T - 2 * cross + plain, df),
                    "s²(d)/n": (T, f),
                }
                for form, (V, reference) in forms.items():
                    yield about | {"form": form} | _rates(mean, V, np.maximum(reference, 1), V > 0)


def _by_rival(raw: Arrays) -> Any:
    for case, rows in raw.items():
        value, boot, mean, z = rows.astype(float).T
        for form, x, error in (("fast bootstrap", value, boot), ("conservative-z", mean, z)):
            yield {"set": case, "population": case, "subject": "bayes/lda", "form": form} | _rates(
                x, error**2, np.inf
            )


def _by_folds(raw: Arrays) -> Any:
    """The jackknife over folds, and T of the examples with the rest from folds."""
    from papers.sharp.analyse import enemy

    for case in dict.fromkeys(key.split("|")[0] for key in raw):
        for folds in (7, 10):
            for subject, fields in zip(
                map(str, raw[f"{case}|subjects"]), raw[f"{case}|{folds}"], strict=True
            ):
                mean, T, f, dd, da, aa = fields.astype(float).T
                group = (
                    "one" if "/" not in subject else "enemies" if enemy(case, subject) else "pairs"
                )
                about = {
                    "set": f"{raw[f'{case}|half']}, {group}",
                    "population": case,
                    "subject": subject,
                }
                more = np.maximum(aa - 2 * da, 0)
                V = T + more
                df = V**2 / np.maximum(T**2 / np.maximum(f, 1) + more**2 / (folds - 1), 1e-300)
                forms = {
                    f"jackknife, {folds} folds": (dd - 2 * da + aa, folds - 1),
                    f"T and the rest, {folds} folds": (V, np.maximum(df, 1)),
                    f"T + s²(a), {folds} folds": (T + aa, (T + aa) ** 2 / np.maximum(
                        T**2 / np.maximum(f, 1) + aa**2 / (folds - 1), 1e-300)),
                }  # fmt: skip
                for form, (variance, reference) in forms.items():
                    yield about | {"form": form} | _rates(mean, variance, reference, variance > 0)


if __name__ == "__main__":
    judge(Path(sys.argv[1]))

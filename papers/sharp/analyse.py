"""
Errors, power, fits and coverage from the statistics of the lab.

``python -m papers.sharp.analyse RAW``.

RAW holds the files of ``lab.py`` (any folders below it). Writes ``results/pairs.csv`` (every pair
and test) and ``results/one.csv`` (intervals for one algorithm), and prints the tables of the
README. The null is the mean of the estimates over all data sets; power is at ± 2.8 true standard
deviations of the estimate (of μ̂_9 for all tests on halvings). "Enemies" are the pairs that the
question named before anything was drawn.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special, stats

from papers.sharp.reference import FEWEST, Parts, shares

LOOKS = (3, 5, 7, 9)
LEVEL, SHIFT = 0.05, 2.8
# no futile stop while the interval is wider than so many times what T alone would make it
BLURRED = 2.0
# of mx2-sequential-t, per side, start 3, M = 9 (evenfold's calibrated boundary)
PER_LOOK = 0.014843
RESULTS = Path(__file__).parent / "results"
HALVES = {
    "tune": "gauss8-200 letters-200 xor-200 soft-200 sparse-200 gauss8-50 wine-200 rare3-400 "
    "heavy-100 "
    "outliers-200 rare12-100 correlated-300 gauss8-1000 groups-200",
    "judge": "rare12-200 pages-200 defects-200 xor-400 pima-200 waves-200 soft-400 lasso-100 "
    "cubic-100 "
    "outliers-100 correlated-30 gauss8-100 rare3-200 heavy-200 wine-100 letters-400 sparse-50 "
    "groups-400 "
    "xor-1000 correlated-1000 gauss8-5000",
    "exam": "rings-200 laplace-500 gauss20-60 rare5-300 quadratic-30 rings-100 xor2-150 xor6-500 "
    "spam-200 "
    "vehicle-200 yeast-300 adult-200 pc1-200 digits-100 friedman-150 sparse-60 mild-200 "
    "soft-100 rings-2000 groups-300",
}
HALF = {name: half for half, names in HALVES.items() for name in names.split()}
REAL_VALUED = (
    "soft",
    "sparse",
    "outliers",
    "lasso",
    "cubic",
    "friedman",
    "mild",
)  # losses other than zero-one
Arrays = dict[str, Any]


def t_quantile(df: Any, tail: float) -> Any:
    """Upper quantile of Student's t by interpolation in 1/df, good to three digits."""
    grid = np.linspace(0, 1, 2001)
    known = special.stdtrit(1 / np.maximum(grid, 1e-9), 1 - tail)
    return np.interp(1 / np.maximum(df, 1), grid, known)


def load(folder: Path) -> dict[str, Arrays]:
    """Statistics by population."""
    by_case: dict[str, Arrays] = {}
    for path in sorted(folder.rglob("part*.npz")):
        with np.load(path) as file:
            for key in file.files:
                case, name = key.split("|")
                by_case.setdefault(case, {})[name] = file[key]
    return by_case


def _variances(log: np.ndarray) -> np.ndarray:
    log = log.astype(float)
    return np.where(log < -50, 0.0, np.exp(log))


def parts_of(
    raw: Arrays, row: int, look: int, tag: str = "halves", m: int | None = None, halves: Any = 0.0
) -> Parts:
    """
    What ``reference.parts`` would have found.

    ``halves`` is V2, kept for the first data sets of pairs.
    """
    T, R, W, U, Q = np.moveaxis(_variances(raw[f"{tag}.log"][row, :, look]), -1, 0)
    f, differ = np.moveaxis(raw[f"{tag}.rest"][row, :, look].astype(float), -1, 0)
    mean = raw[f"{tag}.mean"][row, :, look].astype(float)
    return Parts(
        m=m or LOOKS[look],
        mean=mean,
        T=T,
        f=np.maximum(f, 1),
        R=R,
        W=W,
        U=U,
        Q=Q,
        differ=differ,
        halves=halves,
    )


def enemy(case: str, pair: str) -> str:
    """Which of the enemies that were named beforehand a pair is, if any."""
    names = pair.split("/")
    if case.startswith("xor") and {"tree", "tree3", "bag", "bag2"} & set(names):
        return "trees on xor"
    if "fails" in names:
        return "fails as a whole"
    if case.startswith("soft"):
        return "soft threshold"
    return "lasso" if {"lasso", "lasso2"} & set(names) else ""


def _plain(parts: Parts) -> tuple[Any, Any, Any]:
    """
    V and df of single algorithms and groups, of which V2 was not kept.

    Few that differ decide nothing.
    """
    V, df = parts.variance()
    return V, df, ~parts.few & (V > 0)


class Run:
    """The looks of all data sets of a pair, shifted by any null."""

    def __init__(
        self,
        raw: Arrays,
        row: int,
        looks: tuple[int, ...] = LOOKS,
        tag: str = "halves",
        unit: float = 0.0,
        halves: Any = None,
    ) -> None:
        """
        ``unit``: V of intervals where nothing differs, 4/n² for zero-one.

        ``halves``: V2 at each look.
        """
        self.looks, self.M = looks, max(looks)
        V2 = np.zeros(len(looks)) if halves is None else halves
        self.parts = [parts_of(raw, row, i, tag, m, V2[i]) for i, m in enumerate(looks)]
        self.mean = np.stack([p.mean for p in self.parts])
        self.truth, self.sd = self.mean[-1].mean(), self.mean[-1].std()
        tested = zip(
            *(p.tested() if halves is not None else _plain(p) for p in self.parts), strict=True
        )
        self.V, self.df, self.decidable = map(np.stack, tested)
        whole = np.stack([p.shifts > p.W for p in self.parts])
        last = np.arange(len(looks))[:, None] == len(looks) - 1
        self.able = self.decidable & (last | ~whole)
        self.few = np.stack([p.few & (V == 0) for p, V in zip(self.parts, self.V, strict=True)])
        self.share, self.unit = shares(looks), unit

    def quantile(self, level: float, tails: int) -> Any:
        rows = [
            t_quantile(df, s * level / tails) for df, s in zip(self.df, self.share, strict=True)
        ]
        return np.stack(rows)

    def test(
        self,
        null: float,
        level: float = LEVEL,
        side: int = 0,
        futility: float | None = 2.0,
        waits: bool = True,
    ) -> Arrays:
        """
        Rejected, look at the stop, interval at the stop.

        ``waits``: where whole models shift only the last look decides.
        """
        tails = 2 if side == 0 else 1
        away = self.mean - null
        towards = np.abs(away) if side == 0 else side * away
        reach = self.quantile(level, tails) * np.sqrt(self.V)
        rejected = (self.able if waits else self.decidable) & (towards > reach)
        stop_now = rejected.copy()
        if futility is not None:
            stop_now |= self._futile(towards, level / tails, futility)
        stop_now[-1] = True
        stop = stop_now.argmax(axis=0)
        at = np.arange(self.mean.shape[1])
        error = np.sqrt(self.V + np.where(self.few, self.unit, 0))
        decided = rejected[stop, at]
        # a look that decides nothing has the whole level, and holds the null that it did not reject
        at_share = (self.quantile(level, tails) * error)[stop, at]
        whole = (t_quantile(self.df, level / tails) * error)[stop, at]
        mean = self.mean[stop, at]
        half = np.where(decided, at_share, whole)
        low = np.where(decided, mean - half, np.minimum(mean - half, null))
        high = np.where(decided, mean + half, np.maximum(mean + half, null))
        last = t_quantile(self.df[-1], level / tails) * error[-1]
        return {
            "rejected": decided, "m": np.asarray(self.looks)[stop],
            "covered": (low <= self.truth) & (self.truth <= high),
            "able": self.able[stop, at],
            "width": np.where(decided | (last == 0), np.nan,
                              (high - low) / np.where(last > 0, 2 * last, 1)),
        }  # fmt: skip

    def _futile(self, towards: Any, tail: float, z: float) -> Any:
        m = np.asarray(self.looks, dtype=float)[:, None]
        left = 1 / m - 1 / self.M
        P, T, W = (np.stack([getattr(p, k) for p in self.parts]) for k in ("pooled", "T", "W"))
        least = np.sqrt(np.maximum(T - W * left, 0))
        quantile = special.ndtri(1 - tail)
        clear = t_quantile(self.df, tail) * np.sqrt(self.V) <= BLURRED * quantile * np.sqrt(T)
        return (m < self.M) & (towards + z * np.sqrt(P * left) < quantile * least) & clear


def sharp(run: Run) -> Arrays:
    """What the sequential test does on a pair."""
    at_null = run.test(run.truth)
    away = [run.test(run.truth + s * SHIFT * run.sd) for s in (1, -1)]
    half = [run.test(run.truth + s * SHIFT / 2 * run.sd) for s in (1, -1)]
    on = [run.test(run.truth + s * SHIFT * run.sd, futility=None) for s in (1, -1)]
    early = [run.test(run.truth + s * SHIFT * run.sd, waits=False) for s in (1, -1)]
    open_widths = at_null["width"][np.isfinite(at_null["width"])]
    return {
        "error_not_waiting": run.test(run.truth, waits=False)["rejected"].mean(),
        "power_not_waiting": np.mean([x["rejected"].mean() for x in early]),
        "fits_not_waiting": np.mean([4 * x["m"].mean() for x in early]),
        "width_median": np.median(open_widths) if len(open_widths) else np.nan,
        "width_95": np.quantile(open_widths, 0.95) if len(open_widths) else np.nan,
        "error": at_null["rejected"].mean(),
        "power": np.mean([x["rejected"].mean() for x in away]),
        "power_no_futility": np.mean([x["rejected"].mean() for x in on]),
        "fits": np.mean([4 * x["m"].mean() for x in away]),
        "fits_no_futility": np.mean([4 * x["m"].mean() for x in on]),
        "fits_null": 4 * at_null["m"].mean(),
        "cover_null": at_null["covered"].mean(),
        "cover_half": np.mean([x["covered"].mean() for x in half]),
        "cover_shift": np.mean([x["covered"].mean() for x in away]),
        "undecidable": 1 - run.decidable[-1].mean(),
        "error_01": run.test(run.truth, level=0.01)["rejected"].mean(),
        "error_10": run.test(run.truth, level=0.1)["rejected"].mean(),
        "error_greater": run.test(run.truth, side=1)["rejected"].mean(),
        "error_less": run.test(run.truth, side=-1)["rejected"].mean(),
    }


def _rates(
    value: Any, critical: Any, truth: float, sd: float, ok: Any = True
) -> tuple[float, float]:
    """Error and power of a test that rejects where |value − null| > critical."""
    error = ((np.abs(value - truth) > critical) & ok).mean()
    power = np.mean(
        [((np.abs(value - truth - s * SHIFT * sd) > critical) & ok).mean() for s in (1, -1)]
    )
    return float(error), float(power)


def comparators(raw: Arrays, row: int, pair: int, run: Run) -> Arrays:
    """Error and power of the other tests; ``pair`` counts pairs, ``row`` all subjects."""
    rates_of_tests: Arrays = {}

    def put(name: str, rates: tuple[float, float], fits: float) -> None:
        rates_of_tests[f"{name}_error"], rates_of_tests[f"{name}_power"] = rates
        rates_of_tests[f"{name}_fits"] = fits

    keep = raw["blocks.log"].shape[1]
    V2 = _variances(raw["blocks.log"][pair])
    means = np.empty((keep, 7))
    means[:, ::2] = run.mean[:, :keep].T
    means[:, 1::2] = raw["blocks.mean"][pair]
    m = np.arange(3, 10)
    error = np.sqrt(V2 * (2 * m + 1) / (2 * m - 1))
    put(
        "mx2_t",
        _rates(means[:, 6], stats.t.isf(0.025, 17) * error[:, 6], run.truth, run.sd, V2[:, 6] > 0),
        36,
    )
    put("mx2_sequential_t", *_mx2_sequential(means, error, run))
    within = _variances(raw["blocks.within"][pair])
    for name, df in (("f_5x2", 10), ("f_5x2_calibrated", 7)):
        reach = np.sqrt(np.maximum(stats.f.isf(0.05, df, 5) * within - V2[:, 2], 0))
        put(name, _rates(means[:, 2], reach, run.truth, run.sd, within > 0), 20)
    put("shipped", *_shipped(run))
    if "folds10.mean" in raw:
        value = raw["folds10.mean"][row, :, 0].astype(float)
        n = int(raw["n"])
        T = _variances(raw["folds10.log"][row, :, 0, 0]) * (n - 1) / n
        put("cv_clt", _rates(value, 1.96 * np.sqrt(T), value.mean(), value.std(), T > 0), 20)
        value, S2 = np.moveaxis(raw["random"][pair].astype(float), -1, 0)
        reach = stats.t.isf(0.025, 14) * np.sqrt((1 / 15 + 1 / 9) * S2)
        put(
            "corrected_resampled_t", _rates(value, reach, value.mean(), value.std(), S2 > 1e-20), 30
        )
    if "nested" in raw:
        value, variance = np.moveaxis(raw["nested"][pair].astype(float), -1, 0)
        put(
            "nested_cv",
            _rates(value, 1.96 * np.sqrt(variance), value.mean(), value.std(), variance > 0),
            300,
        )
    return rates_of_tests


def _mx2_sequential(means: Any, error: Any, run: Run) -> tuple[tuple[float, float], float]:
    m = np.arange(3, 10)
    reach = stats.t.isf(PER_LOOK, m) * error
    rates, fits = [], []
    for null in (run.truth, run.truth + SHIFT * run.sd, run.truth - SHIFT * run.sd):
        crossed = (np.abs(means - null) > reach) & (error > 0)
        rates.append(crossed.any(axis=1).mean())
        fits.append(4 * np.where(crossed.any(axis=1), m[crossed.argmax(axis=1)], 9).mean())
    return (rates[0], (rates[1] + rates[2]) / 2), (fits[1] + fits[2]) / 2


def _shipped(run: Run) -> tuple[tuple[float, float], float]:
    """√(T(T + 2R)) + R/m with the guard, looks at .2, .4, .6, .8 of the level, the rule of ten."""
    reach = []
    for p, share in zip(run.parts, (0.2, 0.4, 0.6, 0.8), strict=True):
        T, R, m = p.T, p.R, p.m
        x = np.where(T > 0, R / np.where(T > 0, T, 1), 0)
        root = np.sqrt(1 + 2 * x)
        df = (root + x / m) ** 2 / (
            ((1 + x) / root) ** 2 / p.f + (x * (1 / root + 1 / m)) ** 2 / (m - 1)
        )
        V, df = p._guard_variance(np.sqrt(T * (T + 2 * R)) + R / m, df)
        reach.append(
            np.where(p.differ >= 10, t_quantile(df, share * LEVEL / 2) * np.sqrt(V), np.inf)
        )
    rates, fits = [], []
    for null in (run.truth, run.truth + SHIFT * run.sd, run.truth - SHIFT * run.sd):
        crossed = np.abs(run.mean - null) > np.stack(reach)
        rates.append(crossed.any(axis=0).mean())
        fits.append(
            4 * np.where(crossed.any(axis=0), np.asarray(LOOKS)[crossed.argmax(axis=0)], 9).mean()
        )
    return (rates[0], (rates[1] + rates[2]) / 2), (fits[1] + fits[2]) / 2


def _run_of(raw: Arrays, row: int, pair: int, unit: float) -> Run:
    """All data sets, or where few examples differ in some of them those whose V2 was kept."""
    if (raw["halves.rest"][row, ..., 1] >= FEWEST).all():
        return Run(raw, row, unit=unit, halves=np.zeros(len(LOOKS)))
    V2 = _variances(raw["blocks.log"][pair])[:, ::2].T  # at m = 3, 5, 7, 9
    kept = {name: v[:, : V2.shape[1]] for name, v in raw.items() if name.startswith("halves.")}
    return Run(kept, row, unit=unit, halves=V2)


def pair_rows(data: dict[str, Arrays]) -> Iterator[Arrays]:
    for case, half in HALF.items():
        if case not in data or case.startswith("groups"):
            continue
        raw = data[case]
        raw["n"] = int(case.rsplit("-", 1)[1])
        rows = [i for i, s in enumerate(raw["subjects"]) if "/" in str(s)]
        for pair, row in enumerate(rows):
            name = str(raw["subjects"][row])
            real_valued = case.startswith(REAL_VALUED)
            run = _run_of(raw, row, pair, 0.0 if real_valued else 4 / raw["n"] ** 2)
            p = run.parts[-1]
            T = p.T.mean()
            yield {
                "population": case, "half": half, "n": raw["n"], "pair": name,
                "enemy": enemy(case, name),
                "sets": run.mean.shape[1], "V/T": run.sd**2 / T if T else np.nan,
                "R/T": p.R.mean() / T if T else np.nan, "W/R": p.W.mean() / p.R.mean(),
                "differ": np.median(p.differ), "f": np.median(p.f),
                **sharp(run), **comparators(raw, row, pair, run),
            }  # fmt: skip


def one_rows(data: dict[str, Arrays]) -> Iterator[Arrays]:
    """Coverage of the 95 % interval of one algorithm, all repetitions, no looks."""
    for case, half in HALF.items():
        if case not in data:
            continue
        for row, name in enumerate(data[case]["subjects"]):
            if "/" in str(name):
                continue
            run = Run(data[case], row)
            reach = t_quantile(run.df, LEVEL / 2) * np.sqrt(run.V)
            covers = (np.abs(run.mean - run.truth) <= reach).mean(axis=1)
            yield {
                "population": case, "half": half, "n": int(case.rsplit("-", 1)[1]),
                "learner": str(name),
                **{f"m={m}": c for m, c in zip(LOOKS, covers, strict=True)},
            }  # fmt: skip


def write(path: Path, rows: list[Arrays]) -> None:
    """Numbers with four significant digits."""
    path.parent.mkdir(exist_ok=True)
    fields = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=fields, restval="")
        writer.writeheader()
        for row in rows:
            shown = {
                k: f"{v:.4g}" if isinstance(v, (float, np.floating)) else v for k, v in row.items()
            }
            writer.writerow(shown)


TESTS = {
    "sharp": "", "mx2-influence-t with looks": "shipped_", "mx2-t, m = 9": "mx2_t_",
    "mx2-sequential-t": "mx2_sequential_t_", "5x2-f": "f_5x2_",
    "5x2-f-calibrated": "f_5x2_calibrated_",
    "cv-clt, 10 folds": "cv_clt_", "corrected-resampled-t, 15 × .9": "corrected_resampled_t_",
    "nested-cv, 10 × 5 folds": "nested_cv_",
}  # fmt: skip


def table(rows: list[Arrays], title: str) -> None:
    print(f"\n{title}: {len(rows)} pairs\n")
    print(
        "| test | pairs | fits for two | error mean / 95 % / max | power |\n| --- | --- | --- | "
        "--- | --- |"
    )
    for name, prefix in TESTS.items():
        with_it = [r for r in rows if f"{prefix}error" in r]
        if not with_it:
            continue
        e = np.array([r[f"{prefix}error"] for r in with_it])
        power, fits = (np.mean([r[f"{prefix}{k}"] for r in with_it]) for k in ("power", "fits"))
        errors = f"{e.mean():.3f} / {np.quantile(e, 0.95):.3f} / {e.max():.3f}"
        print(f"| {name} | {len(e)} | {fits:.1f} | {errors} | {power:.3f} |")


def main(folder: str) -> None:
    data = load(Path(folder))
    rows = list(pair_rows(data))
    write(RESULTS / "pairs.csv", rows)
    alone = list(one_rows(data))
    write(RESULTS / "one.csv", alone)
    for half in HALVES:
        of_half = [r for r in rows if r["half"] == half]
        table([r for r in of_half if not r["enemy"]], f"{half}, without the named enemies")
        table([r for r in of_half if r["enemy"]], f"{half}, named enemies")
        covers = np.array([[r[f"m={m}"] for m in LOOKS] for r in alone if r["half"] == half])
        within = ((covers >= 0.93) & (covers <= 0.98)).mean(axis=0)
        print(
            f"one algorithm ({len(covers)}): mean {covers.mean(axis=0)}, least "
            f"{covers.min(axis=0)}, {within}"
        )


if __name__ == "__main__":
    main(sys.argv[1])

"""
When may a run of halvings stop, and how large must its standard error be? What came of it.

    python -m papers.studies.stopping_judged FOLDER [FOLDER ...] [--processes 16]

Each FOLDER holds what ``papers.studies.stopping`` drew. Writes ``stopping.csv``, one row a set of
populations and rule, ``stopping_populations.csv`` and ``stopping_calibration.csv``, of which
``papers.studies.stopping_page`` makes a page.

The null is the mean of all estimates of a pair, or 0 where two learners are equal by symmetry;
differences are 1.4 and 2.8 standard deviations of the mean of nine halvings, in both directions.
Two cuts of one data set *agree* where both have the same verdict: better, worse or inconclusive.
"""

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise, product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from evenfold_lab.bench.populations import POPULATIONS
from papers.sharp.reference import shares
from papers.studies.stopping import EARLY, FINE, LAST_OF_SHARES, LEVEL, NOTHING, SEED

RESULTS = Path(__file__).with_name("stopping.csv")
BY_POPULATION = Path(__file__).with_name("stopping_populations.csv")
CALIBRATION = Path(__file__).with_name("stopping_calibration.csv")
DRAWN_AGAIN = 200
TINY = 1e-9  # a Monte Carlo error of 0 is not believed
AWAY = (0.0, 1.4, 2.8)
REPLICABILITY = 0.8
VARIES = 0.85  # share of the critical value that V itself varies by from cut to cut
LEAST_WITHOUT = 9  # repetitions before a test that does not reject may end the run
FIRST = 5
EQUAL_ON_TABLES = ("plus", "minus")
# from how many repetitions on the standard error is multiplied by what
Factor = tuple[tuple[int, float], ...]
FROM = (9, 15, 23, 31)
# at 9, 15, 23 and 31 repetitions; all were fixed before any rate was seen
TRIED: tuple[tuple[float, ...], ...] = (
    *((c, c, c, c) for c in (1.0, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.90, 0.85, 0.80)),
    (0.98, 0.97, 0.96, 0.95), (0.98, 0.95, 0.92, 0.90), (0.97, 0.96, 0.95, 0.95),
    (0.97, 0.95, 0.93, 0.92), (0.96, 0.94, 0.92, 0.91), (0.95, 0.93, 0.91, 0.90),
    (0.93, 0.91, 0.89, 0.88), (0.92, 0.90, 0.88, 0.87), (0.90, 0.88, 0.86, 0.85),
    (1.0, 0.98, 0.97, 0.96), (1.0, 0.97, 0.94, 0.92), (1.0, 0.95, 0.92, 0.90),
    (1.0, 0.93, 0.88, 0.85), (1.0, 1.0, 0.97, 0.95), (1.0, 1.0, 0.95, 0.90),
    (1.0, 1.0, 1.0, 0.95), (1.0, 1.0, 1.0, 0.90),
)  # fmt: skip


def name_of(tried: tuple[float, ...]) -> str:
    """One number where all are the same."""
    distinct = tried if len(set(tried)) > 1 else tried[:1]
    return " ".join(f"{value:g}" for value in distinct)


FACTORS: Mapping[str, Factor] = {name_of(x): tuple(zip(FROM, x, strict=True)) for x in TRIED}
KEPT = ("shares", "stable × 1", "stable × 0.98", "stable × 0.95", "stable × 0.95 0.93 0.91 0.9")
CALIBRATED = ("1", "0.95")
RATED = (
    *(f"power_{away:g}" for away in AWAY[1:]),
    *(f"{what}_{away:g}" for what in ("agreement", "fits") for away in AWAY),
)
LEFT_OUT = "chen-10-null"  # every test that does not know of its noise fails there
BINS = (0.5, 0.55, 0.65, 0.75, 0.85, 0.95, 1.0001)  # of forecasts: those near .6, .7, .8, .9

Floats = np.ndarray[Any, np.dtype[np.float64]]
Booleans = np.ndarray[Any, np.dtype[np.bool_]]
Verdicts = np.ndarray[Any, np.dtype[np.int8]]
Row = dict[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """Two learners on the data sets of one population: arrays (2 cuts, looks, data sets)."""

    group: str
    population: str
    n: int
    name: str
    measure: str
    looks: tuple[int, ...]
    mean: Floats
    variance: Floats
    df: Floats
    before: Floats  # degrees of freedom of the test with shares
    R: Floats
    W: Floats
    beyond: Floats
    few: Booleans
    whole: Booleans
    futile: Floats

    @property
    def data_sets(self) -> int:
        """How many there are."""
        return int(self.mean.shape[-1])

    @cached_property
    def centre(self) -> float:
        """The true difference: 0 where learners are equal by symmetry, else the mean of all."""
        names = tuple(self.name.split("/"))
        if names == EQUAL_ON_TABLES:
            return 0.0
        population = POPULATIONS.get(self.population)
        if self.group == "bench" and population and population.is_equal(names, self.measure):
            return 0.0
        return float(self.mean[:, -1].mean())

    @cached_property
    def sd(self) -> float:
        """Standard deviation of the mean of nine halvings."""
        at_nine = self.mean[:, self.looks.index(LAST_OF_SHARES)]
        return float(np.sqrt(at_nine.var(axis=-1, ddof=1).mean()))

    @cached_property
    def critical(self) -> Floats:
        """Critical values of the looks at the whole level."""
        critical: Floats = np.asarray(special.stdtrit(self.df, 1 - LEVEL / 2), dtype=float)
        return critical

    def factors(self, factor: Factor) -> Floats:
        """What the standard error is multiplied by at each look, (looks, 1)."""
        by_look = np.ones(len(self.looks))
        for place, m in enumerate(self.looks):
            for since, value in factor:
                if m >= since:
                    by_look[place] = value
        return by_look[:, None]

    def is_outweighed(self, null: float) -> Booleans:
        """Whether without the ten largest examples the mean is on the other side of the null."""
        error = np.sqrt(self.variance)
        with np.errstate(invalid="ignore"):
            outweighed: Booleans = (self.mean - null) * (self.mean + self.beyond * error - null) < 0
        return outweighed


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What a rule says of both cuts of every data set, (2, data sets)."""

    verdict: Verdicts
    repetitions: Floats
    forecast: Floats  # nan where there is none


def fixed_test(pair: Pair, null: float, factor: Factor = ()) -> tuple[Booleans, Floats, Floats]:
    """Whether each look rejects at the whole level, its |Z|, and P(same) at that look."""
    error = np.sqrt(pair.variance) * pair.factors(factor)
    seen = error > 0
    safe = np.where(seen, error, 1.0)
    Z = np.where(seen, np.abs(pair.mean - null) / safe, 0.0)
    # What does not vary at all is rejected where it is not the null, unless few examples differ.
    flat = ~seen & ~pair.few & (np.abs(pair.mean - null) > 0)
    rejects = (pair.critical < Z) & seen | flat
    m = np.array(pair.looks, dtype=float)[:, None]
    moves = np.maximum(pair.R, pair.W) / (m * pair.factors(factor) ** 2)
    s2 = moves + (VARIES * pair.critical) ** 2 / (2 * m - 1)
    same = special.ndtr(np.abs(Z - pair.critical) / np.sqrt(2 * s2))
    return rejects, Z, np.where(seen, same, np.where(m >= LEAST_WITHOUT, 1.0, 0.5))


def until_stable(
    pair: Pair,
    null: float,
    *,
    factor: Factor = (),
    goal: float = REPLICABILITY,
    first: int = FIRST,
    least: int = LEAST_WITHOUT,
) -> Outcome:
    """The fixed test on repetitions that are added until its verdict is likely to last."""
    rejects, _, same = fixed_test(pair, null, factor)
    withheld = rejects & pair.is_outweighed(null)
    m = np.array(pair.looks)[:, None]
    stops = (same >= goal) & (rejects | (m >= least)) & ~withheld & (m >= first)
    stops[:, -1] = True
    at = stops.argmax(axis=1)
    forecast = np.where(withheld, np.nan, same)
    return _at(pair, null, rejects & ~withheld, forecast, at)


def _at(pair: Pair, null: float, rejects: Booleans, forecast: Floats, at: Any) -> Outcome:
    def chosen(values: Any) -> Any:
        return np.take_along_axis(values, at[:, None, :], axis=1)[:, 0]

    sign = np.sign(chosen(pair.mean) - null)
    return Outcome(
        verdict=np.where(chosen(rejects), sign, 0).astype(np.int8),
        repetitions=np.array(pair.looks, dtype=float)[at],
        forecast=chosen(forecast),
    )


def fixed(pair: Pair, null: float, *, m: int, factor: Factor = ()) -> Outcome:
    """The fixed test at one number of repetitions, or at the most that there are."""
    rejects, _, same = fixed_test(pair, null, factor)
    withheld = rejects & pair.is_outweighed(null)
    place = pair.looks.index(min(m, pair.looks[-1]))
    at = np.full((2, pair.data_sets), place)
    return _at(pair, null, rejects & ~withheld, np.where(withheld, np.nan, same), at)


def with_shares(pair: Pair, null: float) -> Outcome:
    """The default before: looks at 3, 5, 7, 9 at shares of the level, futile or not."""
    places = [pair.looks.index(m) for m in (3, 5, 7, LAST_OF_SHARES)]
    of_level = shares((3, 5, 7, LAST_OF_SHARES))[:, None] * LEVEL
    quantile = special.stdtrit(pair.before, 1 - of_level / 2)
    error = np.sqrt(pair.variance[:, places])
    away = np.abs(pair.mean[:, places] - null)
    whole = np.zeros(error.shape, dtype=bool)
    whole[:, :EARLY] = pair.whole
    able = (error > 0) & ~whole & ~pair.is_outweighed(null)[:, places]
    rejects = able & (away > quantile * error)
    futile = np.zeros_like(rejects)
    futile[:, :EARLY] = away[:, :EARLY] < pair.futile * error[:, :EARLY]
    stops = rejects | futile
    stops[:, -1] = True
    at = stops.argmax(axis=1)
    everywhere = np.zeros(pair.mean.shape, dtype=bool)
    everywhere[:, places] = rejects
    forecast = np.full(pair.mean.shape, np.nan)
    return _at(pair, null, everywhere, forecast, np.array(places)[at])


# Rates -------------------------------------------------------------------------------------------

Rule = Callable[[Pair, float], Outcome]


def rules() -> dict[str, Rule]:
    """Every rule that is judged, by name."""
    by_name: dict[str, Rule] = {"shares": with_shares}
    for m in (5, 9, 31):
        by_name[f"fixed {m}"] = partial(fixed, m=m)
    for name, factor in FACTORS.items():
        by_name[f"stable × {name}"] = partial(until_stable, factor=factor)
    return by_name


def rates(pair: Pair, rule: Rule) -> Row:
    """Error, power, agreement and fits of a rule on one pair, with their Monte Carlo errors."""
    row: Row = {}
    for away in AWAY:
        nulls = [pair.centre + side * away * pair.sd for side in ((0,) if away == 0 else (-1, 1))]
        seen = [rule(pair, null) for null in nulls]
        rejected = np.mean([outcome.verdict != 0 for outcome in seen], axis=(0, 1))
        agree = np.mean([outcome.verdict[0] == outcome.verdict[1] for outcome in seen], axis=0)
        name = "error" if away == 0 else f"power_{away:g}"
        row[name], row[f"{name}_se"] = _mean(rejected)
        if away == 0:
            row["rejected"] = rejected
        row[f"agreement_{away:g}"], row[f"agreement_{away:g}_se"] = _mean(agree)
        row[f"fits_{away:g}"] = float(np.mean([2 * outcome.repetitions.mean() for outcome in seen]))
    return row


def _mean(values: Floats) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def calibration(pairs: Sequence[Pair], factor: Factor) -> list[Row]:
    """How often the other cut said the same, by forecast: at the stop, and at every look alone."""
    rows = []
    seen: dict[str, list[tuple[Floats, Floats]]] = {}
    for pair, away in product(pairs, AWAY):
        for side in (0,) if away == 0 else (-1, 1):
            null = pair.centre + side * away * pair.sd
            at_stop = until_stable(pair, null, factor=factor)
            alone = {f"m = {m}": fixed(pair, null, m=m, factor=factor) for m in (5, 9, 15, 31)}
            for where, outcome in {"at the stop": at_stop, **alone}.items():
                same = (outcome.verdict[0] == outcome.verdict[1]).astype(float)
                both = outcome.forecast.ravel(), np.concatenate([same, same])
                seen.setdefault(where, []).append(both)
    for where, forecasts in seen.items():
        forecast, same = (np.concatenate(some) for some in zip(*forecasts, strict=True))
        for low, high in pairwise(BINS):
            here = (forecast >= low) & (forecast < high)
            if here.sum() > 1:
                rows.append(
                    {
                        "where": where, "low": low, "high": min(high, 1.0),
                        "count": int(here.sum()), "forecast": float(forecast[here].mean()),
                        "seen": float(same[here].mean()),
                    }
                )  # fmt: skip
    return rows


# Files -------------------------------------------------------------------------------------------


def read(folders: Sequence[Path]) -> Iterator[Pair]:
    """All pairs, the blocks of each put together."""
    blocks: dict[tuple[str, str, int], list[tuple[Path, str]]] = {}
    for folder in folders:
        for path in sorted(folder.glob("part-*.npz")):
            with np.load(path) as file:
                for name in file.files:
                    if name.endswith("|rows"):
                        group, population, n, _ = name.removesuffix("|rows").split("/")
                        where = (path, name.removesuffix("|rows"))
                        blocks.setdefault((group, population, int(n)), []).append(where)
    for (group, population, n), places in blocks.items():
        yield from _pairs(group, population, n, places)


def _pairs(group: str, population: str, n: int, places: list[tuple[Path, str]]) -> Iterator[Pair]:
    by_pair: dict[str, list[dict[str, Any]]] = {}
    looks: tuple[int, ...] = ()
    for path, unit in places:
        with np.load(path) as file:
            prefix = f"{unit}|"
            arrays = {k.removeprefix(prefix): file[k] for k in file.files if k.startswith(prefix)}
        looks = tuple(int(m) for m in arrays.pop("looks"))
        for place, name in enumerate(arrays.pop("rows")):
            by_pair.setdefault(str(name), []).append({k: v[place] for k, v in arrays.items()})
    for name, parts in by_pair.items():
        if len(parts) < len(places):
            continue  # a loss was no number in some block
        joined = {k: np.concatenate([part[k] for part in parts], axis=-1) for k in parts[0]}
        first, second, measure = name.split("/")
        yield Pair(
            group=group, population=population, n=n, name=f"{first}/{second}", measure=measure,
            looks=looks, **unpacked(joined),
        )  # fmt: skip


def unpacked(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers that ``stopping.packed`` wrote, (2 cuts, looks, data sets)."""
    steps = kept["variance"].astype(float)
    variance = np.where(kept["variance"] == NOTHING, 0.0, np.exp(steps / FINE))
    last = np.sqrt(variance[:, -1:])
    shift = kept["shift"].astype(float) * np.where(last > 0, last, 1.0)
    mean = kept["mean"].astype(float)[:, None]
    df = kept["df"].astype(float)
    before = kept["before"].astype(float)
    return {
        "df": df,
        "before": np.where(np.isnan(before), df[:, : before.shape[1]], before),
        "mean": np.concatenate([mean + shift, mean], axis=1),
        "variance": variance,
        "few": kept["few"],
        "whole": kept["whole"],
        **{name: kept[name].astype(float) for name in ("R", "W", "beyond", "futile")},
    }


_PAIRS: list[Pair] = []  # of the processes that judge


def judge(folders: Sequence[Path], processes: int = 1) -> tuple[list[Row], list[Row]]:
    """Rows of every pair and rule, and of calibration."""
    _PAIRS[:] = [pair for pair in read(folders) if pair.sd > 0]
    groups = dict.fromkeys(pair.group for pair in _PAIRS)
    with get_context("fork").Pool(processes) as pool:
        calibrated = pool.starmap_async(_calibrated, product(groups, CALIBRATED), chunksize=1)
        rows = pool.map(_rows, range(len(_PAIRS)), chunksize=8)
        return list(chain(*rows)), list(chain(*calibrated.get()))


def _rows(place: int) -> list[Row]:
    pair = _PAIRS[place]
    about = {
        "group": pair.group, "population": pair.population, "n": pair.n, "pair": pair.name,
        "measure": pair.measure, "data_sets": pair.data_sets,
    }  # fmt: skip
    return [{**about, "rule": name, **rates(pair, rule)} for name, rule in rules().items()]


def _calibrated(group: str, factor: str) -> list[Row]:
    pairs = [pair for pair in _PAIRS if pair.group == group and pair.population != LEFT_OUT]
    return [
        {"group": group, "factor": factor, **row} for row in calibration(pairs, FACTORS[factor])
    ]


def write(path: Path, rows: Sequence[Row]) -> None:
    """Numbers with four digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow([f"{v:.4g}" if isinstance(v, float) else v for v in row.values()])


def highest_error(data_sets: int) -> float:
    """The level and two Monte Carlo standard errors."""
    return float(LEVEL + 2 * np.sqrt(LEVEL * (1 - LEVEL) / data_sets))


def is_above(row: Row) -> bool:
    """Whether a row errs by more than the level and two Monte Carlo standard errors."""
    return bool(row["error"] > highest_error(row["data_sets"]))


def by_population(rows: Sequence[Row]) -> list[Row]:
    """
    One row a population, size and rule: means over its pairs, and how much more the rule errs.

    The pairs of a population share their data sets, so Monte Carlo errors are those of the means
    over pairs, data set by data set. ``more`` is the error less that of the test with shares.
    """
    cells: dict[tuple[str, str, int], dict[str, list[Row]]] = {}
    for row in rows:
        cell = cells.setdefault((row["group"], row["population"], row["n"]), {})
        cell.setdefault(row["rule"], []).append(row)
    summaries = []
    for (group, population, n), cell in cells.items():
        before = np.mean([row["rejected"] for row in cell["shares"]], axis=0)
        for rule, of_rule in cell.items():
            now = np.mean([row["rejected"] for row in of_rule], axis=0)
            error, se = _mean(now)
            more, more_se = _mean(now - before)
            summaries.append(
                {
                    "group": group, "population": population, "n": n, "rule": rule,
                    "pairs": len(of_rule), "error": error, "se": se,
                    "more": more, "more_se": more_se,
                    **_means(of_rule, ("power_2.8", "agreement_2.8", "fits_2.8")),
                }
            )  # fmt: skip
    return summaries


def _means(rows: Sequence[Row], keys: Iterable[str]) -> dict[str, float]:
    return {key: float(np.mean([row[key] for row in rows])) for key in keys}


def keep_error(rows: Sequence[Row]) -> float:
    """Monte Carlo error of the share of rows that keep the level: data sets drawn again."""
    cells: dict[tuple[str, int], list[Floats]] = {}
    for row in rows:
        cells.setdefault((row["population"], row["n"]), []).append(row["rejected"])
    rng = np.random.default_rng(SEED)
    above = np.zeros(DRAWN_AGAIN)
    for rejections in cells.values():
        rejected = np.array(rejections)
        count = rejected.shape[1]
        weights = rng.multinomial(count, np.full(count, 1 / count), size=DRAWN_AGAIN) / count
        above += (rejected @ weights.T > highest_error(count)).sum(axis=0)
    return float(above.std(ddof=1) / len(rows))


def summary(rows: Sequence[Row], populations: Sequence[Row]) -> list[Row]:
    """One row a group and rule, without the population that is left out."""
    kept = [row for row in rows if row["population"] != LEFT_OUT]
    summaries = []
    for group, rule in dict.fromkeys((row["group"], row["rule"]) for row in kept):
        of_rule = [row for row in kept if (row["group"], row["rule"]) == (group, rule)]
        before = [row for row in kept if (row["group"], row["rule"]) == (group, "shares")]
        more = np.array(
            [(a["error"] - b["error"], a["error_se"]) for a, b in zip(of_rule, before, strict=True)]
        )
        cells = [
            cell
            for cell in populations
            if (cell["group"], cell["rule"]) == (group, rule) and cell["population"] != LEFT_OUT
        ]
        errors = np.array([row["error"] for row in of_rule])
        above = sum(map(is_above, of_rule))
        summaries.append(
            {
                "group": group, "rule": rule, "rows": len(of_rule), "above": above,
                "keep": 1 - above / len(of_rule), "keep_se": keep_error(of_rule),
                "error": float(errors.mean()),
                "error_95": float(np.quantile(errors, 0.95)), "worst": float(errors.max()),
                **_means(of_rule, RATED),
                "populations_worse": sum(c["more"] > 2 * c["se"] for c in cells),
                "pairs_worse": int((more[:, 0] > 2 * np.maximum(more[:, 1], TINY)).sum()),
                "pairs_better": int((-more[:, 0] > 2 * np.maximum(more[:, 1], TINY)).sum()),
            }
        )  # fmt: skip
    return summaries


def save(rows: Sequence[Row], calibrated: Sequence[Row]) -> None:
    """Write the three tables."""
    populations = by_population(rows)
    write(RESULTS, summary(rows, populations))
    write(BY_POPULATION, [row for row in populations if row["rule"] in KEPT])
    write(CALIBRATION, calibrated)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    save(*judge(options.folders, options.processes))


if __name__ == "__main__":
    main()

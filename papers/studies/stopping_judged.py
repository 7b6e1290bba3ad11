"""
When may a run of halvings stop, and how large must its standard error be? What came of it.

    python -m papers.studies.stopping_judged FOLDER [FOLDER ...]

Each FOLDER holds what ``papers.studies.stopping`` drew. Writes ``stopping.csv``, one row a pair and
rule, and ``stopping_calibration.csv``, and prints the tables that the factor was chosen by.

The null is the mean of all estimates of a pair, or 0 where two learners are equal by symmetry;
differences are 1.4 and 2.8 standard deviations of the mean of nine halvings, in both directions.
Two cuts of one data set *agree* where both have the same verdict: better, worse or inconclusive.
"""

import csv
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from evenfold_lab.bench.populations import POPULATIONS
from papers.sharp.reference import shares
from papers.studies.stopping import EARLY, FINE, LAST_OF_SHARES, LEVEL, NOTHING

RESULTS = Path(__file__).with_name("stopping.csv")
CALIBRATION = Path(__file__).with_name("stopping_calibration.csv")
AWAY = (0.0, 1.4, 2.8)
REPLICABILITY = 0.8
VARIES = 0.85  # share of the critical value that V itself varies by from cut to cut
LEAST_WITHOUT = 9  # repetitions before a test that does not reject may end the run
FIRST = 5
EQUAL_ON_TABLES = ("plus", "minus")
# from how many repetitions on the standard error is multiplied by what
Factor = tuple[tuple[int, float], ...]
FACTORS: Mapping[str, Factor] = {
    "1": (),
    "0.95": ((9, 0.95),),
    "0.95 0.93 0.91 0.90": ((9, 0.95), (15, 0.93), (23, 0.91), (31, 0.90)),
    "0.97 0.96 0.95 0.95": ((9, 0.97), (15, 0.96), (23, 0.95), (31, 0.95)),
    "0.92 0.90 0.88 0.87": ((9, 0.92), (15, 0.90), (23, 0.88), (31, 0.87)),
    "0.90": ((9, 0.90),),
    "0.85": ((9, 0.85),),
    "0.80": ((9, 0.80),),
}
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
        found: Floats = np.asarray(special.stdtrit(self.df, 1 - LEVEL / 2), dtype=float)
        return found

    def factors(self, factor: Factor) -> Floats:
        """What the standard error is multiplied by at each look, (looks, 1)."""
        found = np.ones(len(self.looks))
        for place, m in enumerate(self.looks):
            for since, value in factor:
                if m >= since:
                    found[place] = value
        return found[:, None]

    def is_outweighed(self, null: float) -> Booleans:
        """Whether without the ten largest examples the mean is on the other side of the null."""
        error = np.sqrt(self.variance)
        with np.errstate(invalid="ignore"):
            found: Booleans = (self.mean - null) * (self.mean + self.beyond * error - null) < 0
        return found


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
    return rejects, Z, np.where(seen, same, 1.0)


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
    quantile = special.stdtrit(pair.df[:, places], 1 - of_level / 2)
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
    found: dict[str, Rule] = {"shares": with_shares}
    for m in (5, 9, 31):
        found[f"fixed {m}"] = partial(fixed, m=m)
    for name, factor in FACTORS.items():
        found[f"stable × {name}"] = partial(until_stable, factor=factor)
    return found


def rates(pair: Pair, rule: Rule) -> Row:
    """Error, power, agreement and fits of a rule on one pair, with their Monte Carlo errors."""
    row: Row = {}
    for away in AWAY:
        nulls = [pair.centre + side * away * pair.sd for side in ((0,) if away == 0 else (-1, 1))]
        seen = [rule(pair, null) for null in nulls]
        rejected = np.mean([one.verdict != 0 for one in seen], axis=(0, 1))
        agree = np.mean([one.verdict[0] == one.verdict[1] for one in seen], axis=0)
        name = "error" if away == 0 else f"power_{away:g}"
        row[name], row[f"{name}_se"] = _mean(rejected)
        row[f"agreement_{away:g}"], row[f"agreement_{away:g}_se"] = _mean(agree)
        row[f"fits_{away:g}"] = float(np.mean([2 * one.repetitions.mean() for one in seen]))
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
            for where, one in {"at the stop": at_stop, **alone}.items():
                same = (one.verdict[0] == one.verdict[1]).astype(float)
                both = one.forecast.ravel(), np.concatenate([same, same])
                seen.setdefault(where, []).append(both)
    for where, found in seen.items():
        forecast, same = (np.concatenate(some) for some in zip(*found, strict=True))
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
    found: dict[str, list[dict[str, Any]]] = {}
    looks: tuple[int, ...] = ()
    for path, unit in places:
        with np.load(path) as file:
            prefix = f"{unit}|"
            arrays = {k.removeprefix(prefix): file[k] for k in file.files if k.startswith(prefix)}
        looks = tuple(int(m) for m in arrays.pop("looks"))
        for place, name in enumerate(arrays.pop("rows")):
            found.setdefault(str(name), []).append({k: v[place] for k, v in arrays.items()})
    for name, parts in found.items():
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
    return {
        "mean": np.concatenate([mean + shift, mean], axis=1),
        "variance": variance,
        "few": kept["few"],
        "whole": kept["whole"],
        **{name: kept[name].astype(float) for name in ("df", "R", "W", "beyond", "futile")},
    }


def judge(folders: Sequence[Path]) -> tuple[list[Row], list[Row]]:
    """Rows of every pair and rule, and of calibration."""
    rows, pairs = [], list(read(folders))
    known = rules()
    for pair in pairs:
        if pair.sd == 0:
            continue
        about = {
            "group": pair.group, "population": pair.population, "n": pair.n, "pair": pair.name,
            "measure": pair.measure, "data_sets": pair.data_sets,
        }  # fmt: skip
        rows += [{**about, "rule": name, **rates(pair, rule)} for name, rule in known.items()]
    calibrated = []
    for group in dict.fromkeys(pair.group for pair in pairs):
        own = [pair for pair in pairs if pair.group == group and pair.sd > 0]
        for name, factor in FACTORS.items():
            calibrated += [
                {"group": group, "factor": name, **row} for row in calibration(own, factor)
            ]
    return rows, calibrated


def write(path: Path, rows: Sequence[Row]) -> None:
    """Numbers with four digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow([f"{v:.4g}" if isinstance(v, float) else v for v in row.values()])


def is_above(row: Row) -> bool:
    """Whether a row errs by more than the level and two Monte Carlo standard errors."""
    allowed = 2 * np.sqrt(LEVEL * (1 - LEVEL) / int(row["data_sets"]))
    return bool(float(row["error"]) > LEVEL + allowed)


def summary(rows: Sequence[Row]) -> list[Row]:
    """One row a group and rule."""
    found = []
    for group, rule in dict.fromkeys((row["group"], row["rule"]) for row in rows):
        own = [row for row in rows if (row["group"], row["rule"]) == (group, rule)]
        own = [row for row in own if row["population"] != "chen-10-null"]
        errors = np.array([float(row["error"]) for row in own])
        means = {
            key: float(np.mean([float(row[key]) for row in own]))
            for key in own[0]
            if key.startswith(("power", "agreement", "fits")) and not key.endswith("_se")
        }
        found.append(
            {
                "group": group, "rule": rule, "rows": len(own),
                "keep": 1 - sum(map(is_above, own)) / len(own), "error": float(errors.mean()),
                "error_95": float(np.quantile(errors, 0.95)), "worst": float(errors.max()), **means,
            }
        )  # fmt: skip
    return found


def worse(rows: Sequence[Row], rule: str, than: str = "shares") -> list[Row]:
    """
    Populations in which a rule errs more than another one by two Monte Carlo errors or more.

    The mean over the pairs of a population at one size; its Monte Carlo error is that of one pair,
    because the pairs share their data sets.
    """
    found = []
    for cell in dict.fromkeys((row["group"], row["population"], row["n"]) for row in rows):
        here = [row for row in rows if (row["group"], row["population"], row["n"]) == cell]
        new, old = ([float(r["error"]) for r in here if r["rule"] == x] for x in (rule, than))
        errors = [float(r["error_se"]) for r in here if r["rule"] == rule]
        more = float(np.mean(new) - np.mean(old))
        if more > np.mean(errors):
            found.append(
                {
                    "group": cell[0], "population": cell[1], "n": cell[2], "before": np.mean(old),
                    "now": np.mean(new), "se": np.mean(errors),
                }
            )  # fmt: skip
    return found


def show(rows: Sequence[Row]) -> None:
    """Print rows as a table."""
    print(*rows[0], sep="\t")
    for row in rows:
        print(*(f"{v:.3f}" if isinstance(v, float) else v for v in row.values()), sep="\t")


def main(folders: Sequence[Path]) -> None:
    rows, calibrated = judge(folders)
    write(RESULTS, rows)
    write(CALIBRATION, calibrated)
    show(summary(rows))
    show(calibrated)
    for rule in dict.fromkeys(row["rule"] for row in rows):
        print(rule, json.dumps(worse(rows, rule), default=float))


if __name__ == "__main__":
    main([Path(folder) for folder in sys.argv[1:]])

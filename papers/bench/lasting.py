"""
Does a verdict last? Agreement of two partitions beside error and power: tables and one figure.

``agreement.csv`` and ``real.csv`` have the columns of ``results.csv``. The first has the peers on a
part of the benchmark's rows, the second every test on real tables; each of their data sets was
partitioned twice. ``python -m papers.bench.lasting MINE.csv`` prints the table with the tests of
another file beside these, on the rows that all of them have.
"""

import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from statistics import mean
from typing import Any

from evenfold.core.words import count

HERE = Path(__file__).parent
RESULTS = HERE / "results.csv"
AGREEMENT = HERE / "agreement.csv"
REAL = HERE / "real.csv"
STATIC = HERE.parents[1] / "docs" / "_static"
FIGURES = {
    "light": STATIC / "benchmark-agreement-light.png",
    "dark": STATIC / "benchmark-agreement-dark.png",
}
INK = {"light": ("white", "#1f2328", "#d0d7de"), "dark": ("#0d1117", "#e6edf3", "#30363d")}
LEVEL = 0.05
AWAY = ("0", "1.4", "2.8")
APART = "chen-10-null"  # no test keeps its level there
Row = dict[str, str]
# what is asked of the default: rows that keep the level, power, agreement at 2.8 sd
GOALS = {"keeps": 0.95, "power": 0.53, "agreement": 0.82}
NAMES = {
    "default": "evenfold, default",
    "mx2-influence-t": "evenfold, 9 repetitions",
    "full-size-t": 'evenfold, at="full"',
    "split-halves-t": "evenfold, split halves",
    "mx2-t": "m×2 t",
    "corrected-folds": "corrected t, 10×10 folds",
    "corrected-t-25": "corrected t, 25 splits",
    "nested-cv-3x5": "nested CV",
    "5x2-f": "5×2 F",
    "5x2-t": "5×2 t",
    "kfold-t": "t on 10 folds",
    "holdout": "one split",
}

SHIFTED = {"split-halves-t": 10, "kfold-t": -14}  # names in the figure that would cover another


def read(path: Path) -> list[Row]:
    """Rows of a file of results; none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def where(row: Row) -> tuple[str, str, str, str]:
    """What a row is about, whatever the test."""
    return row["population"], row["pair"], row["n"], row["measure"]


def keeps_level(row: Row) -> bool:
    """Whether an error exceeds .05 by at most two Monte Carlo standard errors."""
    highest = LEVEL + 2 * sqrt(LEVEL * (1 - LEVEL) / int(row["data_sets"]))
    return float(row["error"]) <= highest


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What one test did on the rows that all tests have."""

    test: str
    rows: int
    error: float
    keeps: float
    power: float
    agreement: tuple[float, ...]
    agreement_se: tuple[float, ...]
    fits: float
    fits_away: float


def mean_error(rows: Sequence[Row], column: str) -> float:
    """
    Monte Carlo error of the mean of a rate over rows.

    The pairs of one population and size share their data sets: their errors are added as if they
    were one and the same, so that the result is never too small.
    """
    cells: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        cells.setdefault((row["population"], row["n"]), []).append(float(row[f"{column}_se"]))
    return sqrt(sum(sum(errors) ** 2 for errors in cells.values())) / len(rows)


def standing(test: str, judged: Sequence[Row], agreed: Sequence[Row]) -> Standing:
    """Error and power of some rows, agreement of others on the same pairs."""
    columns = [f"agreement_{away}" for away in AWAY]
    return Standing(
        test=test,
        rows=len(judged),
        error=mean(float(row["error"]) for row in judged),
        keeps=mean(keeps_level(row) for row in judged),
        power=mean(float(row["power"]) for row in judged),
        agreement=tuple(mean(float(row[column]) for row in agreed) for column in columns),
        agreement_se=tuple(mean_error(agreed, column) for column in columns),
        fits=mean(float(row["fits"]) for row in judged),
        fits_away=mean(float(row["fits_2.8"] or row["fits"]) for row in judged),
    )


def of_tests(rows: Iterable[Row]) -> dict[str, dict[tuple[str, str, str, str], Row]]:
    """Rows with error and power by test and by what they are about, without the one left out."""
    found: dict[str, dict[tuple[str, str, str, str], Row]] = {}
    for row in rows:
        if row["error"] and row["power"] and row["population"] != APART:
            found.setdefault(row["test"], {})[where(row)] = row
    return found


def common(tests: dict[str, dict[tuple[str, str, str, str], Row]]) -> list[Any]:
    """What every test has a row about, with an agreement."""
    shared = set.intersection(*(set(rows) for rows in tests.values()))
    return sorted(
        key for key in shared if all(rows[key]["agreement_2.8"] for rows in tests.values())
    )


def standings(results: Iterable[Row], partitioned: Iterable[Row]) -> list[Standing]:
    """
    Every test on the rows that all have, the most stable verdicts first.

    Error and power are those of the results where a test is in them, because these have more data
    sets; agreement is that of rows whose data sets were partitioned twice.
    """
    whole = of_tests(results)
    twice = of_tests(partitioned)
    lasting = dict(twice)
    for test, rows in whole.items():
        known = {key: row for key, row in rows.items() if row["agreement_2.8"]}
        if known:
            lasting[test] = known
    if not lasting:
        return []
    keys = common(lasting)
    if not keys:
        return []
    found = []
    for test, rows in lasting.items():
        judged = [whole.get(test, {}).get(key, rows[key]) for key in keys]
        found.append(standing(test, judged, [rows[key] for key in keys]))
    return sorted(found, key=lambda one: -one.agreement[-1])


# Tables ------------------------------------------------------------------------------------------


def digits(value: float, count: int = 3) -> str:
    """Without the zero in front."""
    return f"{value:.{count}f}".removeprefix("0")


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


HEAD = (
    "test", "error, mean", "rows that keep .05 + 2 s.e.", "power",
    "agreement where nothing differs", "at 1.4 sd", "at 2.8 sd", "fits",
)  # fmt: skip


def lines(found: Iterable[Standing]) -> list[list[str]]:
    """One line a test."""
    return [
        [
            f"`{one.test}`",
            digits(one.error),
            f"{100 * one.keeps:.1f}%",
            digits(one.power, 2),
            *(
                f"{digits(value)} ± {digits(se)}"
                for value, se in zip(one.agreement, one.agreement_se, strict=True)
            ),
            fits(one),
        ]
        for one in found
    ]


def fits(one: Standing) -> str:
    """Fits where nothing differs, and at 2.8 standard deviations where these are others."""
    shown = [f"{value:.1f}".removesuffix(".0") for value in (one.fits, one.fits_away)]
    return " to ".join(dict.fromkeys(shown))


def agreement(results: list[Row]) -> str:
    """Error, power and agreement of every test on the benchmark's populations."""
    partitioned = read(AGREEMENT)
    found = standings(results, partitioned)
    return f"{described(found, partitioned)}\n\n{table(HEAD, lines(found))}"


def beside(path: Path) -> str:
    """The same with the tests of another file, on the rows that these have, too."""
    mine = read(path)
    found = standings(read(RESULTS), [*read(AGREEMENT), *mine])
    if not found:
        raise SystemExit(
            f"{path} shares no row with {AGREEMENT.name}. Run the second tier of "
            "docs/lab/add-a-test.md."
        )
    return f"{count(found[0].rows, 'row')} that all tests have.\n\n{table(HEAD, lines(found))}"


def real(results: list[Row]) -> str:
    """The same on real tables."""
    del results
    partitioned = read(REAL)
    found = standings([], partitioned)
    return f"{described(found, partitioned)}\n\n{table(HEAD, lines(found))}"


def described(found: Sequence[Standing], rows: Iterable[Row]) -> str:
    """How many rows there are, of which populations, pairs, sizes and measures."""
    judged = [row for row in rows if row["power"] and row["population"] != APART]
    kinds = {
        name: sorted({row[name] for row in judged}, key=lambda text: (len(text), text))
        for name in ("population", "pair", "n", "measure", "data_sets")
    }
    return (
        f"The table is about the {found[0].rows} rows that all tests have, for "
        f"n = {' and '.join(kinds['n'])}. They have {' and '.join(kinds['data_sets'])} data sets, "
        "each partitioned twice.  \n"
        f"The {len(kinds['population'])} populations are {', '.join(sorted(kinds['population']))}."
        "  \n"
        f"The pairs are {', '.join(sorted(kinds['pair']))}.  \n"
        f"The measures are {', '.join(kinds['measure'])}."
    )


def real_failures(results: list[Row]) -> str:
    """Where the default errs too often on real tables, the worst first."""
    del results
    bad = [row for row in of_tests(read(REAL))["default"].values() if not keeps_level(row)]
    body = [
        [row["population"], row["pair"], row["n"], row["measure"], digits(float(row["error"])),
         digits(float(row["error_se"]))]
        for row in sorted(bad, key=lambda row: -float(row["error"]))
    ]  # fmt: skip
    if not body:
        return "In no row of the real tables does the default err by more than .05 + 2 s.e."
    return table(("table", "pair", "n", "measure", "error", "its Monte Carlo error"), body)


def goals(results: list[Row], partitioned: list[Row] | None = None) -> str:
    """What was asked of the default, and what was measured."""
    peers = read(AGREEMENT) if partitioned is None else partitioned
    own = list(of_tests(results)["default"].values())
    kept = mean(map(keeps_level, own))
    power = mean(float(row["power"]) for row in own)
    lasting = mean(float(row["agreement_2.8"]) for row in own)
    se = mean_error(own, "agreement_2.8")
    better = beaten_by(standings(results, peers))
    body = [
        ["rows that keep .05 + 2 s.e.", "at least 95%", f"{100 * kept:.1f}%",
         reached(kept >= GOALS["keeps"])],
        ["power at 2.8 standard deviations", "at least .53", digits(power),
         reached(power >= GOALS["power"])],
        ["agreement at 2.8 standard deviations", "at least .82",
         f"{digits(lasting)} ± {digits(se)}", reached(lasting >= GOALS["agreement"])],
        ["tests that keep their level in as many rows, with as few fits, and have more power and "
         "more agreement", "none", ", ".join(f"`{test}`" for test in better) or "none",
         reached(not better)],
    ]  # fmt: skip
    return table(("goal for the default", "asked", "measured", "result"), body)


def reached(is_reached: bool) -> str:
    """In a word."""
    return "reached" if is_reached else "missed"


def beaten_by(found: Sequence[Standing], test: str = "default") -> list[str]:
    """Tests that are at least as safe and as cheap, and both stronger and more stable."""
    own = next(one for one in found if one.test == test)
    return [
        one.test
        for one in found
        if one.keeps >= own.keeps
        and one.fits_away <= own.fits_away
        and one.power > own.power
        and one.agreement[-1] > own.agreement[-1]
    ]


TABLES: dict[str, Callable[[list[Row]], str]] = {
    "agreement": agreement,
    "real": real,
    "real-failures": real_failures,
}


# Figure ------------------------------------------------------------------------------------------


def _area(one: Standing) -> float:
    """Of a dot, in square points."""
    return float(30 + 14 * one.fits_away**0.75)


def draw(found: Sequence[Standing], path: Path, theme: str) -> None:
    """Power against error; the larger a dot the more fits, its colour is the agreement."""
    from matplotlib.figure import Figure

    paper, ink, grid = INK[theme]
    figure = Figure(figsize=(7.6, 4.6), layout="constrained", facecolor=paper)
    axis = figure.subplots()
    axis.set_facecolor(paper)
    shown = [one for one in found if one.test in NAMES]
    dots = axis.scatter(
        [one.error for one in shown],
        [one.power for one in shown],
        s=[_area(one) for one in shown],
        c=[one.agreement[-1] for one in shown],
        cmap="viridis",
        vmin=0.6,
        vmax=0.95,
        edgecolor=ink,
        linewidth=0.6,
        zorder=4,  # above the names, whose boxes would cut the dots
    )
    for one in shown:
        beside = sqrt(_area(one)) / 2 + 2
        above = SHIFTED.get(one.test, 3)
        axis.annotate(
            NAMES[one.test], (one.error, one.power), xytext=(beside, above),
            textcoords="offset points", fontsize=8, color=ink,
            fontweight="bold" if one.test == "default" else "normal",
            # So that the line at the level strikes no name out.
            bbox={"facecolor": paper, "edgecolor": "none", "alpha": 0.85, "pad": 0.5},
        )  # fmt: skip
    axis.axvline(LEVEL, color=ink, linewidth=0.8, linestyle=":")
    axis.set_xlim(0, max(one.error for one in shown) * 1.3)
    axis.set_xlabel("mean type I error at a level of 0.05", color=ink)
    axis.set_ylabel("power at a difference of 2.8 standard deviations", color=ink)
    axis.tick_params(colors=ink)
    axis.grid(color=grid, linewidth=0.5)
    axis.set_axisbelow(True)
    for spine in axis.spines.values():
        spine.set_color(grid)
    bar = figure.colorbar(dots, ax=axis)
    bar.set_label("same verdict on two partitions, at this difference", color=ink)
    bar.ax.tick_params(colors=ink)
    figure.savefig(path, dpi=110)


def on_all_rows(found: Iterable[Standing], results: Iterable[Row]) -> list[Standing]:
    """The same tests with error, power and fits of all rows of the results, AUC left out."""
    whole = of_tests(row for row in results if row["measure"] != "auc")
    shown = []
    for one in found:
        rows = list(whole.get(one.test, {}).values())
        if not rows:
            shown.append(one)
            continue
        judged: dict[str, Any] = {
            "error": mean(float(row["error"]) for row in rows),
            "power": mean(float(row["power"]) for row in rows),
            "fits": mean(float(row["fits"]) for row in rows),
            "fits_away": mean(float(row["fits_2.8"] or row["fits"]) for row in rows),
        }
        shown.append(replace(one, **judged))
    return shown


def draw_both(results: list[Row]) -> None:
    """The figure for light and for dark pages."""
    found = on_all_rows(standings(results, read(AGREEMENT)), results)
    for theme, path in FIGURES.items():
        draw(found, path, theme)


if __name__ == "__main__":
    print(beside(Path(sys.argv[1])))

"""
Does a verdict last? Agreement of two partitions beside error and power: tables and one figure.

``agreement.csv`` and ``real.csv`` have the columns of ``results.csv``. The first has the peers on a
part of the benchmark's rows, the second every test on real tables; each of their data sets was
partitioned twice. ``python -m papers.bench.lasting MINE.csv`` checks another file against the
schema and prints the table with its tests beside these, on the rows that all of them have.
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
from evenfold.testing import BrokenContract
from evenfold_lab.bench import check_results

HERE = Path(__file__).parent
RESULTS = HERE / "results.csv"
AGREEMENT = HERE / "agreement.csv"
REAL = HERE / "real.csv"
STUDY = HERE.parent / "studies" / "stopping.csv"  # what was tried before the default was chosen
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
# The goals for the default: rows that keep the level, power, and agreement at 2.8 sd.
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

# The names of close dots are moved up by these numbers of points.
UP = {"split-halves-t": 8, "full-size-t": -6, "corrected-folds": 6, "kfold-t": -9}


def read(path: Path) -> list[Row]:
    """Read the rows of a file of results; there are none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def where(row: Row) -> tuple[str, str, str, str]:
    """Return what a row is about, without its test."""
    return row["population"], row["pair"], row["n"], row["measure"]


def keeps_level(row: Row) -> bool:
    """Say whether an error exceeds .05 by at most two Monte Carlo standard errors."""
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
    Return the Monte Carlo error of the mean of a rate over rows.

    The pairs of one population and size share their data sets: their errors are added as if they
    were one and the same, so that the result is never too small.
    """
    cells: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        cells.setdefault((row["population"], row["n"]), []).append(float(row[f"{column}_se"]))
    return sqrt(sum(sum(errors) ** 2 for errors in cells.values())) / len(rows)


def standing(test: str, judged: Sequence[Row], agreed: Sequence[Row]) -> Standing:
    """Return the error and power of some rows with the agreement of others on the same pairs."""
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
    """Sort rows with error and power by test and by what they are about, without ``APART``."""
    by_test: dict[str, dict[tuple[str, str, str, str], Row]] = {}
    for row in rows:
        if row["error"] and row["power"] and row["population"] != APART:
            by_test.setdefault(row["test"], {})[where(row)] = row
    return by_test


def common(tests: dict[str, dict[tuple[str, str, str, str], Row]]) -> list[Any]:
    """Return what every test has a row about, with an agreement."""
    shared = set.intersection(*(set(rows) for rows in tests.values()))
    return sorted(
        key for key in shared if all(rows[key]["agreement_2.8"] for rows in tests.values())
    )


def standings(results: Iterable[Row], partitioned: Iterable[Row]) -> list[Standing]:
    """
    Compare all tests on the rows that all have, the most stable verdicts first.

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
    unsorted = []
    for test, rows in lasting.items():
        judged = [whole.get(test, {}).get(key, rows[key]) for key in keys]
        unsorted.append(standing(test, judged, [rows[key] for key in keys]))
    return sorted(unsorted, key=lambda test: -test.agreement[-1])


# Tables ------------------------------------------------------------------------------------------


def digits(value: float, count: int = 3) -> str:
    """Return a number without the zero in front."""
    return f"{value:.{count}f}".removeprefix("0")


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


HEAD = (
    "test", "error, mean", "rows that keep .05 + 2 s.e.", "power",
    "agreement where nothing differs", "at 1.4 sd", "at 2.8 sd", "fits",
)  # fmt: skip


def lines(tests: Iterable[Standing]) -> list[list[str]]:
    """Return a line of the table for each test."""
    body = []
    for test in tests:
        agreements = [
            f"{digits(value)} ± {digits(se)}"
            for value, se in zip(test.agreement, test.agreement_se, strict=True)
        ]
        body.append(
            [
                f"`{test.test}`",
                digits(test.error),
                f"{100 * test.keeps:.1f}%",
                digits(test.power, 2),
                *agreements,
                fits(test),
            ]
        )
    return body


def fits(test: Standing) -> str:
    """Return the fits where nothing differs, and those at 2.8 sd if they are different."""
    shown = [f"{value:.1f}".removesuffix(".0") for value in (test.fits, test.fits_away)]
    return " to ".join(dict.fromkeys(shown))


def agreement(results: list[Row]) -> str:
    """Return the table of error, power and agreement on the benchmark's populations."""
    partitioned = read(AGREEMENT)
    tests = standings(results, partitioned)
    return f"{described(tests, partitioned)}\n\n{table(HEAD, lines(tests))}"


def beside(path: Path) -> str:
    """Return this table with the tests of another file, on the rows that all of them have."""
    try:
        check_results(path)
    except BrokenContract as broken:
        raise SystemExit(str(broken)) from broken
    mine = read(path)
    tests = standings(read(RESULTS), [*read(AGREEMENT), *mine])
    if not tests:
        raise SystemExit(
            f"{path} shares no row with {AGREEMENT.name}. Run the second tier of "
            "docs/lab/add-a-test.md."
        )
    return f"{count(tests[0].rows, 'row')} that all tests have.\n\n{table(HEAD, lines(tests))}"


def real(results: list[Row]) -> str:
    """Return the table of error, power and agreement on real tables."""
    del results
    partitioned = read(REAL)
    tests = standings([], partitioned)
    return f"{described(tests, partitioned)}\n\n{table(HEAD, lines(tests))}"


def described(tests: Sequence[Standing], rows: Iterable[Row]) -> str:
    """Say how many rows there are, of which populations, pairs, sizes and measures."""
    judged = [row for row in rows if row["power"] and row["population"] != APART]
    kinds = {
        name: sorted({row[name] for row in judged}, key=lambda text: (len(text), text))
        for name in ("population", "pair", "n", "measure", "data_sets")
    }
    return (
        f"The table is about the {tests[0].rows} rows that all tests have, for "
        f"n = {' and '.join(kinds['n'])}. They have {' and '.join(kinds['data_sets'])} data sets, "
        "each partitioned twice.  \n"
        f"The {len(kinds['population'])} populations are {', '.join(sorted(kinds['population']))}."
        "  \n"
        f"The pairs are {', '.join(sorted(kinds['pair']))}.  \n"
        f"The measures are {', '.join(kinds['measure'])}."
    )


def real_failures(results: list[Row]) -> str:
    """Return a table of where the default errs too often on real tables, the worst first."""
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
    """Return the goals for the default, and what was measured, with its Monte Carlo error."""
    peers = read(AGREEMENT) if partitioned is None else partitioned
    rows = list(of_tests(results)["default"].values())
    keeps = mean(map(keeps_level, rows))
    keeps_se = float(studied()["stable × 1"]["keep_se"])
    power = mean(float(row["power"]) for row in rows)
    power_se = mean_error(rows, "power")
    agree = mean(float(row["agreement_2.8"]) for row in rows)
    agree_se = mean_error(rows, "agreement_2.8")
    better = beaten_by(standings(results, peers))
    body = [
        ["rows that keep .05 + 2 s.e.", "at least 95%",
         f"{100 * keeps:.1f}% ± {100 * keeps_se:.1f}%", reached(keeps >= GOALS["keeps"])],
        ["power at 2.8 standard deviations", "at least .53",
         f"{digits(power)} ± {digits(power_se)}", reached(power >= GOALS["power"])],
        ["agreement at 2.8 standard deviations", "at least .82",
         f"{digits(agree)} ± {digits(agree_se)}", reached(agree >= GOALS["agreement"])],
        ["tests that keep their level in as many rows, with as few fits, and have more power and "
         "more agreement", "none", ", ".join(f"`{test}`" for test in better) or "none",
         reached(not better)],
    ]  # fmt: skip
    return table(("goal for the default", "asked", "measured", "result"), body)


def reached(is_reached: bool) -> str:
    """Return the word for a goal that was reached, or for one that was not."""
    return "reached" if is_reached else "missed"


def beaten_by(tests: Sequence[Standing], key: str = "default") -> list[str]:
    """Return the tests that are as safe and as cheap, and both stronger and more stable."""
    judged = next(test for test in tests if test.test == key)
    return [
        rival.test
        for rival in tests
        if rival.keeps >= judged.keeps
        and rival.fits_away <= judged.fits_away
        and rival.power > judged.power
        and rival.agreement[-1] > judged.agreement[-1]
    ]


# Rules of the study of when a run may stop, by what they try; the default is first.
TRIED = {
    "nothing: the default": "stable × 1",
    "stop sooner: looks after 3, 5, 7 and 9 repetitions share the level (version 0.2)": "shares",
    "more fits: 31 repetitions on every data set": "fixed 31",
    "a smaller standard error: × .98": "stable × 0.98",
    "× .95": "stable × 0.95",
    "× .90": "stable × 0.9",
    "only from 15 repetitions on: × .98, .97 and .96": "stable × 1 0.98 0.97 0.96",
    "only after 31 repetitions: × .95": "stable × 1 1 1 0.95",
}


def studied() -> dict[str, Row]:
    """Read the rules of the study of when a run may stop, on the rows of the benchmark."""
    return {row["rule"]: row for row in read(STUDY) if row["group"] == "bench"}


def tried(results: list[Row]) -> str:
    """Return a table of what was tried for more power, and its effect on the other goals."""
    del results
    study = studied()
    head = ("what was tried", "rows that keep .05 + 2 s.e.", "power", "agreement", "fits")
    body = []
    for words, rule in TRIED.items():
        row = study[rule]
        keeps, keeps_se = 100 * float(row["keep"]), 100 * float(row["keep_se"])
        body.append(
            [
                words,
                f"{keeps:.1f}% ± {keeps_se:.1f}%",
                digits(float(row["power_2.8"])),
                digits(float(row["agreement_2.8"])),
                f"{float(row['fits_2.8']):.1f}",
            ]
        )
    return table(head, body)


TABLES: dict[str, Callable[[list[Row]], str]] = {
    "agreement": agreement,
    "real": real,
    "real-failures": real_failures,
}


# Figure ------------------------------------------------------------------------------------------

SHOWN_FITS = (1, 10, 30, 100)  # sizes of dots in the legend


def _area(fits: float) -> float:
    """Return the area of a dot in square points."""
    return float(30 + 14 * fits**0.75)


def draw(tests: Sequence[Standing], path: Path, theme: str) -> None:
    """Draw power against error; larger dots need more fits, and the colour is the agreement."""
    from matplotlib.figure import Figure

    paper, ink, grid = INK[theme]
    figure = Figure(figsize=(7.6, 4.6), layout="constrained", facecolor=paper)
    axis = figure.subplots()
    axis.set_facecolor(paper)
    shown = [test for test in tests if test.test in NAMES]
    axis.axvline(LEVEL, color=ink, linewidth=0.8, linestyle=":", zorder=1)
    dots = axis.scatter(
        [test.error for test in shown],
        [test.power for test in shown],
        s=[_area(test.fits_away) for test in shown],
        c=[test.agreement[-1] for test in shown],
        cmap="viridis",
        vmin=0.6,
        vmax=0.95,
        edgecolor=ink,
        linewidth=0.6,
        zorder=2,
    )
    _write_names(axis, shown, ink=ink, paper=paper)
    axis.set_xlim(0, max(test.error for test in shown) * 1.3)
    axis.margins(y=0.1)
    axis.set_xlabel("mean type I error at a level of 0.05", color=ink)
    axis.set_ylabel("power at a difference of 2.8 standard deviations", color=ink)
    axis.tick_params(colors=ink)
    axis.grid(color=grid, linewidth=0.5)
    axis.set_axisbelow(True)
    for spine in axis.spines.values():
        spine.set_color(grid)
    _explain_sizes(axis, ink=ink, paper=paper, grid=grid)
    bar = figure.colorbar(dots, ax=axis)
    bar.set_label("same verdict on two partitions, at this difference", color=ink)
    bar.ax.tick_params(colors=ink)
    figure.savefig(path, dpi=110)


def _write_names(axis: Any, shown: Iterable[Standing], *, ink: str, paper: str) -> None:
    """Write the name of each test beside its dot, on a halo that hides the lines below it."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=3, foreground=paper)]
    for test in shown:
        right = sqrt(_area(test.fits_away)) / 2 + 2
        axis.annotate(
            NAMES[test.test], (test.error, test.power), xytext=(right, UP.get(test.test, -3)),
            textcoords="offset points", fontsize=8, color=ink, path_effects=halo,
            zorder=1.5, fontweight="bold" if test.test == "default" else "normal",
        )  # fmt: skip


def _explain_sizes(axis: Any, *, ink: str, paper: str, grid: str) -> None:
    """Add a legend of how many fits per algorithm a dot of some size stands for."""
    examples = [
        axis.scatter([], [], s=_area(fits), color="none", edgecolor=ink, linewidth=0.6)
        for fits in SHOWN_FITS
    ]
    axis.legend(
        examples, [str(fits) for fits in SHOWN_FITS], title="fits per algorithm", ncols=4,
        loc="lower right", fontsize=8, title_fontsize=8, labelcolor=ink, facecolor=paper,
        edgecolor=grid, handletextpad=0.6, columnspacing=1.2, borderpad=0.8,
    ).get_title().set_color(ink)  # fmt: skip


def on_all_rows(tests: Iterable[Standing], results: Iterable[Row]) -> list[Standing]:
    """Return the same tests with error, power and fits of all rows of the results without AUC."""
    whole = of_tests(row for row in results if row["measure"] != "auc")
    shown = []
    for test in tests:
        rows = list(whole.get(test.test, {}).values())
        if not rows:
            shown.append(test)
            continue
        judged: dict[str, Any] = {
            "error": mean(float(row["error"]) for row in rows),
            "power": mean(float(row["power"]) for row in rows),
            "fits": mean(float(row["fits"]) for row in rows),
            "fits_away": mean(float(row["fits_2.8"] or row["fits"]) for row in rows),
        }
        shown.append(replace(test, **judged))
    return shown


def draw_both(results: list[Row]) -> None:
    """Draw the figure for light and for dark pages."""
    shown = on_all_rows(standings(results, read(AGREEMENT)), results)
    for theme, path in FIGURES.items():
        draw(shown, path, theme)


if __name__ == "__main__":
    print(beside(Path(sys.argv[1])))

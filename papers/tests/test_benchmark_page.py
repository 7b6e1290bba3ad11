"""The page of the benchmark says what its results say, and nothing else."""

from functools import partial
from pathlib import Path

import pytest
from papers.bench import lasting
from papers.bench.page import (
    AGREEMENT,
    APART,
    APPENDIX,
    BY_MEASURE,
    CERTIFY,
    CHECKS,
    COMPARES,
    FAILURES,
    FAILURES_OF_OTHERS,
    FIGURE,
    FIRST,
    LONG_TABLES,
    PAGE,
    Row,
    anchor,
    counted,
    draw,
    everybody,
    failures,
    frontier,
    goals,
    is_above,
    of_pairs,
    plain,
    read,
    short,
    summaries,
    usable,
    written,
)

from evenfold_lab.bench import COLUMNS, TESTS

ROWS = read()


def _row(test: str, error: float, power: float, fits: float, **more: str) -> Row:
    made = dict.fromkeys(COLUMNS, "")
    made |= {"population": "a", "pair": "x/y", "n": "100", "measure": "zero-one", "test": test}
    made |= {"error": str(error), "error_se": ".01", "power": str(power), "power_own": str(power)}
    return made | {"fits": str(fits), "data_sets": "300"} | more


def test_the_page_is_that_of_the_results() -> None:
    page = PAGE.read_text("utf-8")
    assert written(page, ROWS) == page, "python -m papers.bench.page"
    lasts = AGREEMENT.read_text("utf-8")
    assert written(lasts, ROWS, lasting.TABLES) == lasts, "python -m papers.bench.page"
    for measure, path in BY_MEASURE.items():
        tables = path.read_text("utf-8")
        every = {"everybody": partial(everybody, measure=measure)}
        assert written(tables, ROWS, every) == tables, "python -m papers.bench.page"
    checks = CERTIFY.read_text("utf-8")
    assert written(checks, ROWS, CHECKS) == checks, "python -m papers.bench.page"
    tables = APPENDIX.read_text("utf-8")
    assert written(tables, ROWS, LONG_TABLES) == tables, "python -m papers.bench.page"
    fails = FAILURES.read_text("utf-8")
    assert written(fails, ROWS, FAILURES_OF_OTHERS) == fails, "python -m papers.bench.page"
    other = COMPARES.read_text("utf-8")
    assert written(other, ROWS, {"short": short}) == other, "python -m papers.bench.page"
    first = FIRST.read_text("utf-8")
    assert written(first, ROWS, {"plain": plain}) == first, "python -m papers.bench.page"


def test_results_are_whole() -> None:
    assert list(ROWS[0]) == list(COLUMNS)
    keys = [tuple(row[c] for c in COLUMNS[:5]) for row in ROWS]
    assert len(set(keys)) == len(keys)
    assert {row["test"] for row in ROWS} <= set(TESTS)
    # the study behind the rows of the default drew 200 data sets where n is above 1000
    assert all(int(row["data_sets"]) >= 200 for row in ROWS if row["error"] or row["coverage"])
    assert all(row["error_se"] for row in ROWS if row["error"])


def test_a_row_is_above_by_two_standard_errors() -> None:
    assert not is_above(_row("t", 0.075, 0.5, 1))
    assert is_above(_row("t", 0.0767, 0.5, 1))


def test_the_frontier_has_whom_nobody_beats() -> None:
    rows = [
        _row("cheap", 0.04, 0.3, 10),
        _row("strong", 0.04, 0.6, 30),
        _row("beaten", 0.04, 0.5, 40),
        _row("liberal", 0.2, 0.9, 10),
    ]
    found = summaries(rows)
    assert [s.test for s in frontier(found)] == ["cheap", "strong"]
    assert found[-1].test == "liberal"
    assert not found[-1].keeps


def test_a_test_of_few_pairs_is_on_no_frontier() -> None:
    many = [_row("usual", 0.04, 0.3, 10, pair=f"x/{i}") for i in range(10)]
    found = summaries([*many, _row("lucky", 0.01, 0.9, 5)])
    assert [s.test for s in frontier(found)] == ["usual"]


def test_our_own_failures_come_first() -> None:
    rows = [_row("default", 0.2, 0.5, 14), _row("kfold-t", 0.3, 0.5, 10)]
    assert (
        "| `default` | a | not known | 1 of 1 | x/y | x/y, n = 100, zero-one | .200 ± .010 |"
        in failures(rows)
    )
    assert "kfold" not in failures(rows)
    assert "errs by more than .05 + 2 s.e. in 1 of 1 rows" in counted(rows)
    page = PAGE.read_text("utf-8")
    assert page.index("## Where ours fail") < page.index("## Every test")


def test_widths_are_relative_to_ten_splits_of_the_corrected_t() -> None:
    one = {"pair": "x", "coverage": "0.9"}
    rows = [
        _row("corrected-t-10", 0, 0, 10, width="2", **one),
        _row("holdout", 0, 0, 1, width="3", **one),
    ]
    assert "| `holdout` | .900 | 1.50 | 1 | .885 | 1.11 | 1 |" in anchor(rows)


def test_a_population_without_a_usable_variance_is_left_out_as_in_the_study() -> None:
    one = {"pair": "x", "coverage": "0.9", "width": "2"}
    hopeless = {**one, "coverage": "0.0", "population": "chen-10-null"}
    rows = [_row("corrected-t-10", 0, 0, 10, **one), _row("corrected-t-10", 0, 0, 10, **hopeless)]
    assert "| `corrected-t-10` | .900 | 1.00 | 10 | .936 | 1.00 | 1 |" in anchor(rows)


def test_a_goal_needs_level_and_power() -> None:
    tests = [
        _row("full-size-t", 0.04, 0.3, 28),
        _row("default", 0.2, 0.5, 14),
        _row("mx2-t", 0.01, 0.1, 18),
        _row("nested-cv-10x5", 0.04, 0.9, 250),
    ]
    lines = goals(tests).splitlines()
    cells = {line.split("`")[1]: line.split(" | ") for line in lines if line.startswith("| `")}
    assert cells["full-size-t"][1:4] == ["1", "100%", "100%"]
    assert cells["full-size-t"][-5:] == [".30", "28", "none", "reached", "reached |"]
    assert cells["default"][-5:] == ["(.50)", "14", "none", "missed", "missed |"]
    assert cells["mx2-t"][-5:] == [".10", "18", "`full-size-t`", "missed", "missed |"]
    assert lines[-1] == (
        "| 100 | 1 | `full-size-t` .30 (0 above), `mx2-t` .10 (0 above) | "
        "`nested-cv-10x5` .90 (0 above) |"
    )
    assert list(cells) == ["default", "full-size-t", "mx2-t"]


def test_a_population_that_no_test_keeps_is_counted_and_left_out() -> None:
    tests = [_row("default", 0.04, 0.5, 14), _row("mx2-t", 0.01, 0.1, 18)]
    hopeless = [row | {"population": "chen-10-null", "error": "0.9"} for row in tests]
    line = next(one for one in goals([*tests, *hopeless]).splitlines() if "`default`" in one)
    assert line.startswith("| `default` | 1 | 50% | 100% |")
    assert line.endswith("| none | reached | missed |")


def test_the_words_about_the_goals_are_those_of_the_results() -> None:
    every = [row for row in of_pairs(ROWS) if row["test"] == "default"]
    own = usable(every)
    page = " ".join(PAGE.read_text("utf-8").split())
    assert f"it makes up {len(every) - len(own)} of the {len(every)} rows of the default" in page
    for words, rows in (
        ("the default reaches the goal: {} of its rows keep the level", own),
        ("With it {} do", every),
        ("weak side is n = 100 ({})", [row for row in own if row["n"] == "100"]),
    ):
        kept = 1 - sum(map(is_above, rows)) / len(rows)
        assert words.format(f"{100 * kept:.0f}%") in page


def test_no_test_keeps_its_level_on_the_population_that_is_left_out() -> None:
    apart = [row for row in of_pairs(ROWS) if row["population"] in APART]
    assert apart
    assert not any(summary.keeps for summary in summaries(apart))


def test_the_figure_is_drawn(tmp_path: Path) -> None:
    assert FIGURE.exists()
    draw(ROWS, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_an_empty_place_is_filled_without_what_follows() -> None:
    empty = "<!-- bench: {} -->\n<!-- end -->\n"
    filled = "<!-- bench: {} -->\n\n{}\n\n<!-- end -->\n"
    page = f"{empty.format('a')}text\n{empty.format('b')}"
    tables = {"a": lambda _: "first", "b": lambda _: "second"}
    expected = f"{filled.format('a', 'first')}text\n{filled.format('b', 'second')}"
    assert written(page, [], tables) == expected


def test_a_page_without_places_is_refused() -> None:
    with pytest.raises(ValueError, match="must have one place"):
        written("nothing", ROWS)

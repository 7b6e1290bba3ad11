"""Agreement of two partitions: what the tables and the figure make of the rows."""

from math import sqrt
from pathlib import Path

import pytest
from papers.bench import lasting
from papers.bench.lasting import (
    AGREEMENT,
    FIGURES,
    REAL,
    Row,
    Standing,
    beaten_by,
    draw,
    goals,
    mean_error,
    read,
    standings,
)
from papers.bench.page import RESULTS

from evenfold_lab.bench import COLUMNS
from evenfold_lab.bench.runner import write_rows

RATES = {"error": "0.04", "error_se": "0.01", "power": "0.5", "fits": "10", "data_sets": "300"}


def _row(test: str, pair: str = "x/y", **more: str) -> Row:
    made = dict.fromkeys(COLUMNS, "") | RATES
    made |= {"population": "a", "pair": pair, "n": "100", "measure": "zero-one", "test": test}
    return made | more


def _twice(test: str, pair: str = "x/y", at: str = "0.8", **more: str) -> Row:
    more = {"power_se": "0.01"} | more
    agreed = {f"agreement_{away}": at for away in lasting.AWAY}
    errors = {f"agreement_{away}_se": "0.02" for away in lasting.AWAY}
    return _row(test, pair, **agreed, **errors, **more)


def test_tests_are_held_together_on_rows_that_all_have() -> None:
    results = [_row("peer", error="0.2", data_sets="300"), _twice("default"), _row("other")]
    partitioned = [_twice("peer", error="0.9"), _twice("peer", pair="x/z")]
    peer, default = sorted(standings(results, partitioned), key=lambda one: one.test, reverse=True)
    assert (peer.test, peer.rows, default.test, default.rows) == ("peer", 1, "default", 1)
    assert peer.error == pytest.approx(0.2)  # of the rows with more data sets
    assert peer.keeps == 0
    assert default.keeps == 1


def test_a_population_that_no_test_keeps_is_left_out() -> None:
    rows = [_twice("default"), _twice("default", population="chen-10-null", error="1")]
    (only,) = standings(rows, [])
    assert only.rows == 1


def test_pairs_of_one_population_share_their_data_sets() -> None:
    same = [_twice("t"), _twice("t", pair="x/z")]
    assert mean_error(same, "agreement_0") == pytest.approx(0.02)
    apart = [_twice("t"), _twice("t", population="b")]
    assert mean_error(apart, "agreement_0") == pytest.approx(0.02 / sqrt(2))


def _standing(test: str, keeps: float, power: float, agreement: float, fits: float) -> Standing:
    return Standing(
        test=test,
        rows=1,
        error=0.02,
        keeps=keeps,
        power=power,
        agreement=(1.0, 0.9, agreement),
        agreement_se=(0.0, 0.0, 0.0),
        fits=fits,
        fits_away=fits,
    )


def test_who_is_as_safe_and_cheap_must_be_stronger_and_more_stable_to_beat_the_default() -> None:
    own = _standing("default", 0.95, 0.5, 0.8, 30)
    rivals = [
        _standing("better", 0.95, 0.6, 0.9, 30),
        _standing("dear", 0.95, 0.6, 0.9, 31),
        _standing("liberal", 0.94, 0.6, 0.9, 10),
        _standing("weak", 0.95, 0.5, 0.9, 10),
        _standing("shaky", 0.95, 0.6, 0.8, 10),
    ]
    assert beaten_by([own, *rivals]) == ["better"]


def test_a_goal_is_said_to_be_missed() -> None:
    rows = [_twice("default", power="0.6", error="0.3")]
    lines = goals(rows, [_twice("peer", at="0.9", power="0.7")]).splitlines()
    assert lines[2].endswith("| at least 95% | 0.0% ± 0.3% | missed |")
    assert lines[3].endswith("| at least .53 | .600 ± .010 | reached |")
    assert lines[4].endswith("| at least .82 | .800 ± .020 | missed |")
    assert lines[5].endswith("| none | `peer` | missed |")


def test_kept_files_have_the_columns_of_the_results() -> None:
    for path in (AGREEMENT, REAL, RESULTS):
        rows = read(path)
        assert list(rows[0]) == list(COLUMNS)
    for path in (AGREEMENT, REAL):
        judged = [row for row in read(path) if row["power"]]
        assert all(row["agreement_2.8_se"] for row in judged)


def test_the_same_test_agrees_as_often_in_both_draws() -> None:
    """The fixed test is in the study of stopping and in the part that was drawn for agreement."""
    study, drawn = (
        lasting.of_tests(read(path))["mx2-influence-t"] for path in (RESULTS, AGREEMENT)
    )
    keys = sorted(set(study) & set(drawn))
    assert len(keys) > 90
    for column in ("agreement_0", "agreement_1.4", "agreement_2.8"):
        apart = [float(drawn[key][column]) - float(study[key][column]) for key in keys]
        error = mean_error([drawn[key] for key in keys], column)
        assert abs(sum(apart) / len(apart)) < 2 * error


def test_a_test_of_another_file_stands_beside_the_rest(tmp_path: Path) -> None:
    row = next(row for row in read(AGREEMENT) if row["test"] == "mx2-influence-t" and row["power"])
    write_rows(tmp_path / "mine.csv", [row | {"test": "mine", "error": "0.5"}])
    said = lasting.beside(tmp_path / "mine.csv")
    assert said.startswith("1 row that all tests have.")
    assert "| `mine` | .500 | 0.0% |" in said
    assert "| `default` |" in said
    write_rows(tmp_path / "mine.csv", [row | {"test": "mine", "n": "300"}])
    with pytest.raises(SystemExit, match=r"shares no row with agreement\.csv"):
        lasting.beside(tmp_path / "mine.csv")


def test_the_figure_has_error_and_power_of_all_rows() -> None:
    results = [_row("peer", n="500", error="0.2"), _row("peer", error="0.1"), _twice("default")]
    found = standings(results, [_twice("peer")])
    shown = {one.test: one for one in lasting.on_all_rows(found, results)}
    assert shown["peer"].error == pytest.approx(0.15)
    assert shown["default"].error == pytest.approx(0.04)


def test_the_figure_is_drawn_for_light_and_dark_pages(tmp_path: Path) -> None:
    found = [_standing("default", 0.95, 0.5, 0.8, 30), _standing("kfold-t", 0.5, 0.6, 0.7, 10)]
    for theme, path in FIGURES.items():
        assert path.exists()
        draw(found, tmp_path / f"{theme}.png", theme)
        assert (tmp_path / f"{theme}.png").stat().st_size > 10_000

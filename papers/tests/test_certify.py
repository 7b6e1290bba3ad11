"""Certify or abstain: the page says what was measured, and the checks look at what they say."""

import numpy as np
import pytest
from papers.bench.certify import (
    BENCH,
    CANDIDATES,
    CHOSEN,
    EVERYWHERE,
    EXAM,
    PAGE,
    SHARP,
    SILENT,
    TUNE,
    _equal_quarters,
    alarms,
    candidates,
    of_cell,
    of_pair,
    quarters,
    read,
    spent,
    table,
    written,
)
from papers.sharp.reference import parts

from evenfold_lab.bench import TESTS, BenchPopulation, BenchTest
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.runner import BenchCell

ROWS = read()


def test_the_page_is_that_of_the_results() -> None:
    page = PAGE.read_text("utf-8")
    assert written(page, ROWS) == page, "python -m papers.bench.certify judge OUT"
    with pytest.raises(ValueError, match="must have a place"):
        written("nothing", ROWS)


def test_populations_are_tuned_on_or_judged_never_both() -> None:
    assert not set(TUNE) & set(EXAM)
    assert {row["population"] for row in ROWS} == {*TUNE, *EXAM}
    assert {row["half"] for row in ROWS if row["population"] in EXAM} == {"exam"}
    assert CHOSEN in {(row["rule"], float(row["k"])) for row in ROWS}


def test_a_table_counts_pairs_above() -> None:
    one = {
        "rule": "default",
        "k": "0",
        "data_sets": "300",
        "power": ".5",
        "abstained": "0",
        "fits": "14",
    }
    rows = [
        {**one, "half": half, "error": error}
        for half in ("tune", "exam")
        for error in (".02", ".1")
    ]
    assert "| default |  | .060 / .100, 1 of 2, .500, .000 |" in table(rows)


def test_quarters_stay_inside_their_half() -> None:
    n = 40
    family = quarters(n, np.random.default_rng(0))
    assert len(family.trains) == 12
    both = family.trains + family.tests
    assert both.max() == 1
    for at, row in enumerate(both):
        side = kinds.sides(n)[at // 4]
        half = side if (at // 2) % 2 == 0 else ~side
        np.testing.assert_array_equal(row > 0, half)


def test_whole_models_that_shift_raise_every_alarm() -> None:
    rng = np.random.default_rng(1)
    n = 200
    sides = kinds.sides(n)
    calm = rng.normal(size=(20, 1, n)) + 0.1 * rng.normal(size=(20, 9, n))
    wild = calm + 0.5 * rng.normal(size=(20, 9, 1))
    strengths = []
    for losses, jump in ((calm, 0.05), (wild, 0.5)):
        alone = parts(losses, sides)
        apart = jump * rng.normal(size=(20, 3, 2))
        found = alarms({"parts": alone, "apart": apart, "alone": (alone, alone)})
        strengths.append({key: float(np.median(value)) for key, value in found.items()})
    assert strengths[1]["parts"] > 5 * strengths[0]["parts"]
    assert strengths[1]["learners"] > 5 * strengths[0]["learners"]


def test_every_candidate_was_run_on_judge_and_exam() -> None:
    rows = read(SHARP)
    assert {row["half"] for row in rows} == {"judge", "exam"}
    assert {(row["rule"], float(row["k"])) for row in rows} == set(CANDIDATES)
    assert all(int(row["data_sets"]) >= 300 for row in rows)
    on_bench = {(row["rule"], float(row["k"])) for row in read(BENCH)}
    assert set(CANDIDATES) - on_bench == {(SILENT, 8.0)}


def test_quarters_of_one_size_stay_inside_their_half() -> None:
    sides = np.zeros((3, 30), dtype=bool)
    sides[:, ::2] = True
    trains, tests = _equal_quarters(sides, np.random.default_rng(0))
    assert {len(one) for one in (*trains, *tests)} == {7}
    for train, test in zip(trains, tests, strict=True):
        assert not set(train) & set(test)
        assert len({int(i) % 2 for i in (*train, *test)}) == 1


def _pair(sets: int, n: int) -> dict[str, object]:
    rng = np.random.default_rng(2)
    sides = kinds.sides(n)
    losses = rng.normal(size=(sets, 1, n)) + 0.3 * rng.normal(size=(sets, 9, n))
    alone = parts(losses, sides)
    apart = 0.3 * rng.normal(size=(sets, 3, 2))
    return {
        "losses": losses,
        "sides": sides,
        "parts": alone,
        "apart": apart,
        "alone": (alone, alone),
    }


def test_who_abstains_in_silence_never_errs_more() -> None:
    rows = list(of_pair(_pair(60, 60), {"population": "a", "pair": "x/y"}))
    (default,) = [row for row in rows if row["rule"] == "default"]
    silent = {row["k"]: row for row in rows if row["rule"] == SILENT}
    assert all(row["error"] <= default["error"] for row in silent.values())
    assert all(row["power"] <= default["power"] for row in silent.values())
    assert silent[1.0]["abstained"] >= silent[12.0]["abstained"]
    shrunk = [row for row in rows if row["rule"] == EVERYWHERE]
    assert [row["k"] for row in shrunk] == [1.0, 0.95, 0.9, 0.85, 0.8]
    assert np.all(np.diff([row["power"] for row in shrunk]) >= 0)


def test_pairs_of_the_benchmark_are_judged_by_every_rule() -> None:
    def draw(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray]:
        return rng.normal(size=(m, 2)), (rng.random(m) < 0.5).astype(float)

    population = BenchPopulation(key="tiny", draw=draw, pairs=(("majority", "bayes"),))
    test = BenchTest(
        key="quarters",
        families=("quarters",),
        makes={"quarters": quarters},
        answer=TESTS["mx2-t"].answer,
    )
    cell = BenchCell(population=population, n=60, tests=(test,), data_sets=6, partitions=1)
    (kept,) = cell.fit()
    rows = list(of_cell(cell, kept))
    assert {row["measure"] for row in rows} == {"zero-one", "log", "brier", "auc"}
    assert {row["rule"] for row in rows} >= {rule for rule, _ in CANDIDATES}
    assert all(0 <= row[key] <= 1 for row in rows for key in ("error", "power", "abstained"))


def test_a_goal_is_reached_only_on_all_sets() -> None:
    one = {"population": "a", "pair": "x/y", "data_sets": "300", "abstained": "0.05", "fits": "14"}
    good = [
        {**one, "rule": rule, "k": str(k), "error": ".02", "power": ".5"}
        for rule, k in CANDIDATES
        if rule != EVERYWHERE
    ]
    bad = [{**row, "error": ".2"} if row["rule"] == "parts" else row for row in good]
    found = candidates({"first": good, "second": bad}).splitlines()
    assert found[2].startswith("| default |  | .020 / .020, 0 of 1, .500, .050 |")
    assert found[2].endswith("| reached |")
    (line,) = [line for line in found if line.startswith("| parts |")]
    assert line.endswith("| 14.0 | missed |")
    shrunk = [{**one, "rule": EVERYWHERE, "k": "0.9", "error": ".1", "power": ".5"}]
    assert "| 0.9 | .100 / .100 / .100, 1 of 1, .500 |" in spent({"first": shrunk})

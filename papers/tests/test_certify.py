"""Certify or abstain: what the page says is what was measured, and the checks look at what they say."""

import numpy as np
import pytest
from papers.bench.certify import CHOSEN, EXAM, PAGE, TUNE, alarms, quarters, read, table, written
from papers.sharp.reference import parts

from evenfold_lab.bench import families as kinds

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
    one = {"rule": "default", "k": "0", "data_sets": "300", "power": ".5", "abstained": "0", "fits": "14"}
    rows = [{**one, "half": half, "error": error} for half in ("tune", "exam") for error in (".02", ".1")]
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

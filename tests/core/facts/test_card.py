"""Calibration cards in words and as a table."""

from evenfold.core.facts.card import summary, table

ROW = {"population": "toy", "n": 200, "replications": 2000, "size": 0.06, "size_se": 0.005,
       "power": 0.4,
       "power_se": 0.01, "coverage": 0.94, "coverage_se": 0.005, "fits": 36.0}  # fmt: skip


def test_no_card() -> None:
    assert summary(None) == "not measured yet"


def test_the_worst_population_is_named() -> None:
    other = {**ROW, "population": "letters", "size": 0.2, "size_se": 0.009, "coverage": None}
    said = summary({"level": 0.05, "measured": [ROW, other]})
    assert said == (
        "real error .060 to .200 at .05 on 2 populations, most on letters (± .009); power .40; "
        "coverage .940"
    )


def test_the_table_has_errors_and_dashes() -> None:
    headings, cells = table({"level": 0.05, "measured": [{**ROW, "coverage": None}]})
    assert dict(zip(headings, cells[0], strict=True)) == {
        "population": "toy", "n": "200", "data sets": "2000", "real error": ".060 ± .005",
        "power": ".400 ± .010", "coverage": "–", "fits": "36",
    }  # fmt: skip

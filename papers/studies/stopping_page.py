"""
The page of the study of when a run of halvings may stop, made of its kept tables.

    python -m papers.studies.stopping_page
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from papers.studies.stopping_judged import CALIBRATED, CALIBRATION, RESULTS, TRIED

PAGE = Path(__file__).with_name("stopping.md")
SETS = {"judge": "validation", "exam": "test", "bench": "benchmark"}


def page() -> str:
    """Return the page of the study, every number of it from the kept tables."""
    kept = {(row["group"], row["rule"]): row for row in read(RESULTS)}
    tables = [_table(kept, group) for group in SETS]
    calibrated = read(CALIBRATION)
    lines = [_forecasts(calibrated, factor) for factor in CALIBRATED]
    return WORDS.format(
        rates="\n\n".join(tables),
        calibration="\n\n".join(lines),
        tried=len(TRIED) - 1,
        without=kept["bench", "stable × 1"],
        near=kept["bench", "stable × 0.98"],
        further=kept["bench", "stable × 0.95"],
        before=kept["bench", "shares"],
    )


def read(path: Path) -> list[dict[str, str]]:
    """Rows of a kept table."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _digits(value: str) -> str:
    return f"{float(value):.3f}"


def _table(kept: Mapping[tuple[str, str], Mapping[str, str]], group: str) -> str:
    lines = [
        f"**{SETS[group].capitalize()}** ({kept[group, 'shares']['rows']} rows)\n",
        "| rule | keeps its level | error: mean, 95%, worst | power 2.8 sd | agreement 0, 1.4, 2.8 "
        "sd | fits 0, 2.8 sd | populations worse | pairs worse, better |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (row_group, rule), row in kept.items():
        if row_group == group:
            cells = (
                rule,
                _digits(row["keep"]),
                _several(row, "error", "error_95", "worst"),
                _digits(row["power_2.8"]),
                _several(row, "agreement_0", "agreement_1.4", "agreement_2.8"),
                f"{float(row['fits_0']):.1f}, {float(row['fits_2.8']):.1f}",
                row["populations_worse"],
                f"{row['pairs_worse']}, {row['pairs_better']}",
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _several(row: Mapping[str, str], *keys: str) -> str:
    return ", ".join(_digits(row[key]) for key in keys)


def _forecasts(rows: Sequence[Mapping[str, str]], factor: str) -> str:
    lines = [
        f"Standard error × {factor}, at the stop:\n",
        "| populations | forecast → seen (number of forecasts) |",
        "| --- | --- |",
    ]
    for group, title in SETS.items():
        forecasts = [
            f"{_digits(row['forecast'])} → {_digits(row['seen'])} ({int(row['count']):,})"
            for row in rows
            if (row["group"], row["factor"], row["where"]) == (group, factor, "at the stop")
        ]
        lines.append(f"| {title} | {'; '.join(forecasts)} |")
    return "\n".join(lines)


WORDS = """\
# When a run of halvings may stop, and a factor of its standard error

`papers.studies.stopping` drew the data sets, `papers.studies.stopping_judged` rated the rules, and
`papers.studies.stopping_page` wrote this page.
Every data set was cut twice, by two independent designs of up to 31 halvings. A row is a pair of
learners, a measure with a value per example, a population and a size. It has 400 data sets, or 200
where n is above 1000.

The rule *shares* is the default of version 0.2. The rule *fixed m* is the influence test after m
halvings. The rule *stable × f* adds halvings until P(same) is at least .8, and multiplies the
standard error by f. Four factors belong to 9, 15, 23 and 31 halvings. A row *keeps its level* if
its error is at most .05 plus two Monte Carlo standard errors. A population is *worse* if its mean
error exceeds that of *shares* by more than two of its Monte Carlo standard errors. The population
chen-10-null is left out.

## No factor

A factor had to leave at least 95% of the benchmark's rows at their level, keep the mean error at or
below .03, and make no population worse. None of the {tried} factors below 1 does all of that.

| on the benchmark | share of rows that keep their level | its Monte Carlo error | power at 2.8 sd |
| --- | --- | --- | --- |
| without a factor | {without[keep]} | {without[keep_se]} | {without[power_2.8]} |
| × .98 | {near[keep]} | {near[keep_se]} | {near[power_2.8]} |
| × .95 | {further[keep]} | {further[keep_se]} | {further[power_2.8]} |
| *shares* | {before[keep]} | {before[keep_se]} | {before[power_2.8]} |

Without a factor and with × .98 the share is within two Monte Carlo errors of 95%, so another draw
could put either on the other side. All rules saw the same data sets, and every factor below 1 loses
rows there.

{rates}

## Does P(same) come true?

Forecasts are grouped at .55, .65, .75, .85 and .95. What was seen is how often the other cut of the
same data set gave the same verdict, at the null and at 1.4 and 2.8 standard deviations from it.

{calibration}
"""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")

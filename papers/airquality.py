"""
A year of air in a street: what shuffling says of two calibrations, and what the order of time says.

``python -m papers.airquality FOLDER [--page docs/applied/air.md]``; FOLDER holds airquality.csv.gz
(UCI Air Quality: hourly readings of five sensors and a reference analyser, March 2004 to April
2005). It takes about two minutes.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import evenfold as ef

_GONE = -200.0  # how the table writes a missing value
_DAY = 24
_SENSORS = ["PT08_S1_CO", "PT08_S3_NOx", "PT08_S4_NO2", "PT08_S5_O3", "T", "RH", "AH"]


def read(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Sensor readings by day, and the carbon monoxide that the analyser measured."""
    table = pd.read_csv(path)
    table.index = pd.to_datetime(table["Date"], format="%d/%m/%Y")
    wanted = table[[*_SENSORS, "CO_GT"]].replace(_GONE, np.nan).dropna()
    return wanted[_SENSORS], wanted["CO_GT"]


def algorithms() -> dict[str, Any]:
    return {
        "line": make_pipeline(StandardScaler(), Ridge()),
        "25 nearest": make_pipeline(StandardScaler(), KNeighborsRegressor(25)),
    }


def questions() -> list[tuple[str, dict[str, Any]]]:
    """What is asked, and how."""
    rolling = ef.design.RollingWindow(56, 7)
    return [
        ("shuffled hours", {}),
        (
            "these forecasts, week by week, all days before",
            {"design": ef.design.GrowingWindow(56, 7)},
        ),
        ("the same, the latest 8 weeks", {"design": rolling}),
        ("the methods at 8 weeks", {"design": rolling, "method": "giacomini-white"}),
        ("a month ahead", {"design": ef.design.GrowingWindow(56, 7, gap=28)}),
    ]


def lines(X: pd.DataFrame, y: pd.Series) -> list[str]:
    """The table of the page."""
    table = [
        "| question | method | difference | 95% interval | verdict |",
        "| --- | --- | --- | --- | --- |",
    ]
    for title, how in questions():
        options = {"order": X.index, **how} if how else {}
        rows = X if how else X.reset_index(drop=True)
        target = y if how else y.reset_index(drop=True)
        c = ef.compare(algorithms(), rows, target, measure="absolute", random_state=0, **options)
        low, high = c.estimate.confidence_interval()
        table.append(
            f"| {title} | `{c.facts.method.key}` | {c.estimate.value:.3f} | {low:.3f} to "
            f"{high:.3f} | "
            f"{c.verdict.outcome.value} |".replace("-0.", "−0.")
        )
    return table


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("--page", type=Path)
    options = words.parse_args()
    X, y = read(options.folder / "airquality.csv.gz")
    text = "\n".join(lines(X, y))
    print(f"{len(X)} hours on {len(X.index.unique())} days\n{text}")
    if options.page is not None:
        page = options.page.read_text(encoding="utf-8")
        head, rest = page.split("| question |")
        tail = rest[rest.index("\n\n") :]
        options.page.write_text(head + text + tail, encoding="utf-8")


if __name__ == "__main__":
    main()

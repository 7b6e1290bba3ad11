"""Small files made for the tests, and a way to call the command line."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from evenfold.cli import app

Run = Callable[..., Any]


@pytest.fixture
def evenfold() -> Run:
    """Call ``evenfold`` in this process; the result has exit_code, stdout and stderr."""
    runner = CliRunner()

    def call(*words: object) -> Any:
        return runner.invoke(app, [str(word) for word in words])

    return call


def write_csv(path: Path, columns: dict[str, Any]) -> Path:
    """Write columns as CSV; None is an empty cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def mixed(n: int = 80, seed: int = 0) -> dict[str, list[Any]]:
    """Numbers with gaps, a category with gaps, a truth value, a label that depends on both."""
    rng = np.random.default_rng(seed)
    x, city = rng.normal(size=n), rng.choice(["Bern", "Basel", "Genf"], size=n)
    label = np.where(x + (city == "Bern") + 0.3 * rng.normal(size=n) > 0.3, "yes", "no")
    size = [None if u < 0.1 else float(u) for u in rng.random(n)]
    place = [None if u < 0.1 else str(c) for u, c in zip(rng.random(n), city, strict=True)]
    member = [bool(u) for u in rng.random(n) < 0.5]
    return {"x": x.tolist(), "size": size, "city": place, "member": member, "label": label.tolist()}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A CSV file with columns of mixed types and gaps."""
    return write_csv(tmp_path / "table.csv", mixed())


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    """
    A CSV file with numeric columns only: x decides y, noise does not.

    g is a group, price a number.
    """
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=64), rng.normal(size=64)
    columns = {
        "x": x,
        "noise": noise,
        "g": np.arange(64) % 6,
        "price": 2 * x + noise,
        "y": (x > 0).astype(int),
    }
    return write_csv(
        tmp_path / "numbers.csv", {name: column.tolist() for name, column in columns.items()}
    )

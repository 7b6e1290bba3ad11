"""
What figures of the sources are made of.

Curves by panel, kept as files, and power around the truth.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import evenfold as ef
from evenfold_lab.algorithm import Floats
from evenfold_lab.studies._base import share
from papers._table import degenerate_too, machine

SEED = 2026
STEPS = np.linspace(-4, 4, 17)  # nulls, in standard deviations of the mean
Points = list[tuple[float, float, float]]  # x, y and its standard error


@dataclass(frozen=True, eq=False, kw_only=True)
class Curves:
    """
    One figure of a source.

    Attributes
    ----------
    name : str
        ``source-figure``.
    title, x, y, note : str
        What it shows, its axes, how it was made.
    panels : mapping of str to mapping of str to points
        Curves by panel.
    """

    name: str
    title: str
    x: str
    y: str
    note: str
    panels: dict[str, dict[str, Points]] = field(default_factory=dict)

    def keep(self, folder: Path) -> None:
        """Write it as a file."""
        folder.mkdir(parents=True, exist_ok=True)
        record = {
            "name": self.name, "title": self.title, "x": self.x, "y": self.y, "note": self.note,
            "device": machine().device or "cpu", "evenfold": ef.__version__,
            "numpy": np.__version__,
            "panels": {
                panel: {name: [[_short(v) for v in p] for p in points] for name,
                        points in curves.items()}
                for panel, curves in self.panels.items()
            },
        }  # fmt: skip
        text = (
            json.dumps(record, ensure_ascii=False)
            .replace('}, "', '},\n"')
            .replace(']], "', ']],\n"')
        )
        (folder / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")


def _short(value: float) -> float:
    return float(f"{value:.4g}")


Test = Callable[[float], Floats]  # the p-values of all data sets at a null


def power(
    tests: Mapping[str, Test], truth: float, spread: float, level: float
) -> dict[str, Points]:
    """How often each test rejects, at nulls around the truth."""
    curves: dict[str, Points] = {}
    with degenerate_too():
        for name, test in tests.items():
            curves[name] = [
                (float(step), *share(np.asarray(test(truth - step * spread) < level)))
                for step in STEPS
            ]
    return curves

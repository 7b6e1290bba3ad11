"""Cards of methods that no design feeds, from the estimates of a study of their own."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import evenfold as ef
from evenfold_lab.arrays import Place

CARDS = Path(ef.__file__).parent / "infer" / "cards"
LEVEL, SHIFT = 0.05, 2.8


def row(population: str, e: Any, n: int, *, fits: float) -> dict[str, Any]:
    """
    Error and coverage at the mean of all data sets, power at 2.8 of their standard deviations.

    ``e`` holds an estimate for each data set.
    """
    low, high = e.confidence_interval(1 - LEVEL)
    away, sets = e.value - e.value.mean(), len(e.value)
    shift = SHIFT * float(e.value.std())
    size = float((np.abs(away) > high - e.value).mean())
    power = float(np.mean([np.abs(away + side * shift) > high - e.value for side in (1, -1)]))
    return {
        "population": population,
        "n": n,
        "n_train": n - 1,
        "replications": sets,
        "size": size,
        "size_se": _error(size, sets),
        "power": power,
        "power_se": _error(power, sets),
        "difference": float(f"{shift:.4g}"),
        "fits": float(fits),
        "applicable": 1.0,
        "coverage": 1 - size,
        "coverage_se": _error(size, sets),
        "length": float(f"{np.mean(high - low):.4g}"),
    }


def _error(share: float, sets: int) -> float:
    kept = (share * sets + 1) / (sets + 2)  # none of them is not never
    return float(f"{np.sqrt(kept * (1 - kept) / sets):.4g}")


def write(key: str, seed: int, rows: list[dict[str, Any]]) -> None:
    """Write the card of a method."""
    about = {
        "level": LEVEL,
        "seed": seed,
        "device": Place.of(None).words,
        "evenfold": ef.__version__,
    }
    card = about | {"measured": rows}
    (CARDS / f"{key}.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")

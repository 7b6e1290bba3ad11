"""
How soon a gate that looks after every item stops, and how often it errs.

1319 items, margin .03, level .05.

Run it alone, ``python -m papers.studies.item_gate [streams]``; 4000 streams take some minutes. The
table of docs/infer/tables.md is its output, which it keeps in ``papers/studies/item_gate.json``.
"""

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenfold.core.rng import stream
from evenfold.infer.anytime import log_capital

ITEMS, MARGIN, LEVEL, BATCH, SEED = 1319, 0.03, 0.05, 100, 28
KEPT = Path(__file__).with_suffix(".json")
VALUES = np.array([-1.0, 0.0, 1.0])

# shares of items that B breaks and fixes
WORLDS = [
    (0.02, 0.02), (0.03, 0.0), (0.05, 0.02), (0.265, 0.235), (0.07, 0.01), (0.005, 0.005),
    (0.05, 0.05),
]  # fmt: skip


def looks(rng: np.random.Generator, broke: float, fixed: float) -> NDArray[np.float64]:
    """Counts of broken, equal and fixed answers after every item, (streams, items, 3)."""
    u = rng.random((BATCH, ITEMS))
    answers = np.stack([u < broke, u >= broke + fixed, (u >= broke) & (u < broke + fixed)], axis=-1)
    return np.cumsum(answers, axis=1, dtype=float)


def first(counts: NDArray[np.float64], *, above: bool) -> NDArray[np.int64]:
    """The item at which one side is settled; one more than there are where it never is."""
    mean = np.asarray(-MARGIN)
    capital = log_capital(VALUES, counts, mean, low=-1.0, high=1.0, above=above)
    won = capital >= -np.log(LEVEL)
    return np.where(won.any(axis=1), won.argmax(axis=1) + 1, ITEMS + 1)


def measure(broke: float, fixed: float, streams: int) -> dict[str, float]:
    """Return the share of items looked at, and how often either answer was given."""
    used, passed, failed = [], [], []
    for batch in range(-(-streams // BATCH)):
        counts = looks(stream(SEED, "items", str(broke), str(fixed), batch), broke, fixed)
        up, down = first(counts, above=True), first(counts, above=False)
        used.append(np.minimum(np.minimum(up, down), ITEMS) / ITEMS)
        passed.append((up <= ITEMS) & (up < down))
        failed.append((down <= ITEMS) & (down < up))
    items = np.concatenate(used)
    return {
        "broke": broke,
        "fixed": fixed,
        "items": round(float(items.mean()), 4),
        "items_se": round(float(items.std() / np.sqrt(len(items))), 4),
        "not worse": round(float(np.concatenate(passed).mean()), 4),
        "worse": round(float(np.concatenate(failed).mean()), 4),
    }


def main() -> None:
    streams = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rows = []
    for broke, fixed in WORLDS:
        rows.append(measure(broke, fixed, streams))
        print(json.dumps(rows[-1]), flush=True)
    KEPT.write_text(
        json.dumps({"streams": streams, "measured": rows}, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()

"""
Write what the lab needs beside its code: ``python -m papers.sharp.prepare DATA JOB``.

DATA holds the tables (``letter.csv.gz`` …); JOB receives ``designs.npz``, sides of ``Mx2BCV`` for
every size, and ``data.npz``, tables as standardised numbers. Needs evenfold and pandas, no PyTorch.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import evenfold as ef

SIZES = (30, 40, 50, 60, 100, 150, 200, 300, 400, 500, 1000, 2000, 5000)
REPETITIONS = 15
ADULT = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]


def sides(n: int) -> np.ndarray:
    partition = ef.Mx2BCV(REPETITIONS, random_state=n).partition(n)
    tested = np.zeros((REPETITIONS, n), dtype=bool)
    for r in range(REPETITIONS):
        tested[r, partition.test[2 * r]] = True
    return tested


def _table(
    folder: Path,
    name: str,
    classes: Any,
    columns: slice = slice(None),
    names: list[str] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.read_csv(folder / f"{name}.csv.gz")
    X = frame[names or [c for c in frame if c != "target"]].to_numpy(dtype=float)[:, columns]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X.astype(np.float32), classes(frame["target"]).to_numpy(dtype=np.int64)


def main(data: Path, job: Path) -> None:
    job.mkdir(exist_ok=True, parents=True)
    np.savez_compressed(
        job / "designs.npz", allow_pickle=False, **{f"sides-{n}": sides(n) for n in SIZES}
    )
    tables = {
        "letters": _table(data, "letter", lambda t: t > "M"),
        "wine": _table(data, "winequality-white", lambda t: t >= 6),
        "pages": _table(data, "page-blocks", lambda t: t > 1),
        "defects": _table(data, "kc1", lambda t: t.astype(str).str.lower() == "true"),
        "pima": _table(data, "pima-diabetes", lambda t: t == 1),
        "spam": _table(data, "spambase", lambda t: t == 1, slice(42, 57)),
        "vehicle": _table(data, "vehicle", lambda t: t.isin(["saab", "van"])),
        "yeast": _table(data, "yeast", lambda t: t == "CYT"),
        "adult": _table(data, "adult", lambda t: t == ">50K", slice(0, 6), ADULT),
        "pc1": _table(data, "pc1", lambda t: t.astype(str).str.lower() == "true"),
        "digits": _table(data, "optdigits", lambda t: t % 2 == 1, slice(18, 46, 2)),
        "waves": _table(data, "waveform-5000", lambda t: t, slice(0, 21)),
    }
    arrays = {
        f"{name}.{part}": v
        for name, pair in tables.items()
        for part, v in zip("Xy", pair, strict=True)
    }
    np.savez_compressed(job / "data.npz", allow_pickle=False, **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

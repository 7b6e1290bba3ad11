"""
Turn real tables into populations of the benchmark: ``python -m papers.bench.prepare DATA FOLDER``.

DATA holds ``adult.csv.gz``, ``kc1.csv.gz`` and ``blitzer4.jsonl.gz``; FOLDER receives
``adult.npz``, ``defects.npz`` and ``text.npz``, each with features X and classes y, for ``evenfold
lab bench --tables``.
"""

import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ADULT = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
MARITAL = "Married-civ-spouse"
WORDS = 30  # those whose shares of reviews lie nearest to 5 %, so that none is a function word
_WORD = re.compile(r"[a-z]{4,}")


def adult(data: Path) -> tuple[np.ndarray, np.ndarray]:
    """Five numbers and two yes-or-no columns; class 1 is an income above 50 000."""
    frame = pd.read_csv(data / "adult.csv.gz")
    columns = [frame[name].to_numpy(dtype=float) for name in ADULT]
    columns.append((frame["marital-status"] == MARITAL).to_numpy(dtype=float))
    columns.append((frame["sex"].str.strip() == "Male").to_numpy(dtype=float))
    return np.stack(columns, axis=1), (frame["target"] == ">50K").to_numpy(dtype=float)


def defects(data: Path) -> tuple[np.ndarray, np.ndarray]:
    """
    21 measures of source code, without the two rows that are no modules.

    Class 1 is defective.
    """
    frame = pd.read_csv(data / "kc1.csv.gz").iloc[2:]
    X = frame.drop(columns="target").to_numpy(dtype=float)
    return X, (frame["target"].astype(str).str.lower() == "true").to_numpy(dtype=float)


def text(data: Path) -> tuple[np.ndarray, np.ndarray]:
    """Which of thirty words a review has; class 1 is a good review."""
    with gzip.open(data / "blitzer4.jsonl.gz", "rt", encoding="utf-8") as file:
        reviews: list[dict[str, Any]] = [json.loads(line) for line in file]
    words = [set(_WORD.findall(review["text"].lower())) for review in reviews]
    shares = Counter(word for some in words for word in some)
    nearest = sorted(shares, key=lambda word: (abs(shares[word] / len(reviews) - 0.05), word))[
        :WORDS
    ]
    X = np.array([[word in some for word in nearest] for some in words], dtype=float)
    return X, np.array([float(review["target"]) > 0 for review in reviews], dtype=float)


def main(data: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for make in (adult, defects, text):
        X, y = make(data)
        np.savez_compressed(
            folder / f"{make.__name__}.npz", allow_pickle=False, X=X.astype(np.float32), y=y
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

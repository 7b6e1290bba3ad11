"""
Turn real tables into populations of the benchmark: ``python -m papers.bench.prepare DATA FOLDER``.

DATA holds ``adult.csv.gz``, ``kc1.csv.gz``, ``blitzer4.jsonl.gz`` and the files of ``LARGE``.
FOLDER receives ``adult.npz``, ``defects.npz``, ``text.npz`` and a file for each of ``LARGE``, each
with features X and classes y, for ``evenfold lab bench --tables``.
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
# Real tables of 2,000 rows or more: each has its file and the classes that become class 1.
LARGE = {
    "spambase": ("spambase", ("1",)),
    "letter": ("letter", tuple("ABCDEFGHIJKLM")),
    "waveform": ("waveform-5000", ("0",)),
    "optdigits": ("optdigits", ("1", "3", "5", "7", "9")),
    "page-blocks": ("page-blocks", ("2", "3", "4", "5")),
    "winequality": ("winequality-white", ("6", "7", "8", "9")),
    "connect-4": ("connect-4", ("win",)),
}
STONES = {"b": 0.0, "x": 1.0, "o": -1.0}  # of a field in connect-4: empty, first and second player
WORDS = 30  # those whose shares of reviews lie nearest to 5 %, so that none is a function word
_WORD = re.compile(r"[a-z]{4,}")


def adult(data: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return five numbers and two yes-or-no columns; class 1 is an income above 50 000."""
    frame = pd.read_csv(data / "adult.csv.gz")
    columns = [frame[name].to_numpy(dtype=float) for name in ADULT]
    columns.append((frame["marital-status"] == MARITAL).to_numpy(dtype=float))
    columns.append((frame["sex"].str.strip() == "Male").to_numpy(dtype=float))
    return np.stack(columns, axis=1), (frame["target"] == ">50K").to_numpy(dtype=float)


def defects(data: Path) -> tuple[np.ndarray, np.ndarray]:
    """
    Return 21 measures of source code, without the two rows that are no modules.

    Class 1 are the defective modules.
    """
    frame = pd.read_csv(data / "kc1.csv.gz").iloc[2:]
    X = frame.drop(columns="target").to_numpy(dtype=float)
    return X, (frame["target"].astype(str).str.lower() == "true").to_numpy(dtype=float)


def text(data: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return which of thirty words each review has; class 1 are the good reviews."""
    with gzip.open(data / "blitzer4.jsonl.gz", "rt", encoding="utf-8") as file:
        reviews: list[dict[str, Any]] = [json.loads(line) for line in file]
    words = [set(_WORD.findall(review["text"].lower())) for review in reviews]
    shares = Counter(word for some in words for word in some)
    nearest = sorted(shares, key=lambda word: (abs(shares[word] / len(reviews) - 0.05), word))[
        :WORDS
    ]
    X = np.array([[word in some for word in nearest] for some in words], dtype=float)
    return X, np.array([float(review["target"]) > 0 for review in reviews], dtype=float)


def large(data: Path, file: str, positive: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return all columns of a table as numbers; class 1 is any of some classes."""
    frame = pd.read_csv(data / f"{file}.csv.gz", dtype={"target": str})
    columns = frame.drop(columns="target")
    if file == "connect-4":
        columns = columns.replace(STONES).astype(float)
    y = frame["target"].isin(positive).to_numpy(dtype=float)
    return columns.to_numpy(dtype=float), y


def main(data: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (file, positive) in LARGE.items():
        X, y = large(data, file, positive)
        np.savez_compressed(folder / f"{name}.npz", allow_pickle=False, X=X.astype(np.float32), y=y)
    for make in (adult, defects, text):
        X, y = make(data)
        np.savez_compressed(
            folder / f"{make.__name__}.npz", allow_pickle=False, X=X.astype(np.float32), y=y
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""
Files with changed bytes: read, or refused in one line of our own.

Nothing else, whatever the bytes say.
"""

import gzip
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.read import read_conll, read_table
from evenfold.read import tables as unpack

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400")) // 5


def table(path: Path) -> Any:
    return read_table(path, target="y")


def text(path: Path) -> Any:
    return read_conll(path)


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    size, city = rng.normal(size=40), rng.choice(["Bern", "Basel"], 40)
    return pd.DataFrame({"x": size, "city": city, "whole": rng.integers(0, 9, 40), "y": size > 0})


def written(folder: Path) -> dict[str, tuple[bytes, Callable[[Path], Any]]]:
    """Return sound files of every form by name, and how each is read."""
    comma = frame().to_csv(index=False).encode()
    frame().to_parquet(folder / "sound")
    tags = b"Ada B-PER\nslept O\n\n-DOCSTART- O\n\nall O\nsang O\n\n" * 9
    return {
        "t.csv": (comma, table),
        "t.csv.gz": (gzip.compress(comma), table),
        "t.parquet": ((folder / "sound").read_bytes(), table),
        "t.conll": (tags, text),
        "t.conll.gz": (gzip.compress(tags), text),
    }


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.conll", "t.conll.gz"])
def test_changed_bytes(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(len(name))
    sound, read = written(tmp_path)[name]
    read((tmp_path / name).parent / write(tmp_path / name, sound).name)
    for _ in range(CALLS):
        raw = bytearray(sound)
        for place in rng.integers(0, len(raw), rng.integers(1, 9)):
            raw[place] = rng.choice([0, 10, 34, 44, 45, 57, 255, int(rng.integers(256))])
        if rng.random() < 0.3:
            raw = raw[: rng.integers(len(raw))]
        write(tmp_path / name, bytes(raw))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                read(tmp_path / name)
            except EvenfoldError as error:
                message = str(error)
            else:
                continue
        assert len(message.splitlines()) == 1, message


def write(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path


def test_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "_PLENTY", 2**20)
    bomb = gzip.compress(b"x,y\n" + b"0,1\n" * 2**21)
    for name, read in (("t.csv.gz", table), ("t.conll.gz", text)):
        with pytest.raises(
            InvalidInput, match=r"unpacks to \d+ MB or more, over 100 times its size\. Unpack it"
        ):
            read(write(tmp_path / name, bomb))


def test_a_column_of_one_value_is_no_way_to_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "_PLENTY", 2**20)
    path = tmp_path / "t.parquet"
    pd.DataFrame({"x": np.zeros(2**20), "y": np.arange(2**20) % 2}).to_parquet(path)
    with pytest.raises(InvalidInput, match="unpacks to 16 MB or more"):
        table(path)

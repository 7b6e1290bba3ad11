"""
Tables and logs from strangers.

a limit or a rule said in one line, before memory or time are gone.
"""

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.evals.keep.ledger import _seal, read_sealed
from evenfold.evals.logs._base import load_document
from evenfold.read import read_table

ROW = b'{"algorithm": "%s", "example": %s, "value": %s}'
LINES: dict[str, tuple[bytes, bytes, str]] = {
    "400 digits": (b"%d", b"9" * 400, "an integer of 400 digits"),
    "10000 digits": (b"%d", b"9" * 10_000, "an integer of 10000 digits"),
    "deep": (b"[" * 100_000 + b"%d", b"1", "nested more than 60 deep"),
    "deep and closed": (b"[" * 500 + b"%d" + b"]" * 500, b"1", "nested more than 60 deep"),
    "not UTF-8": (b'"\xff%d"', b"1", "must be a file in UTF-8, but line 1 of t.jsonl is not"),
    "ids that are objects": (
        b'{"id": %d}',
        b"1",
        "Column 'example' must hold integers or texts, but it has objects",
    ),
    "ids that are lists": (
        b"[%d]",
        b"1",
        "Column 'example' must hold integers or texts, but it has objects",
    ),
    "a key twice": (b"%d", b'0, "value": 1', "the key 'value' stands twice"),
    "a key twice inside": (b"%d", b'{"a": 0, "a": 1}', "the key 'a' stands twice"),
    "no number": (b"%d", b"[1]", "Column 'value' must hold finite numbers"),
}


def refused(table: Any, match: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match=match) as refusal:
            ef.judge(table, higher_is_better=True)
        assert tracemalloc.get_traced_memory()[1] < 2**27
    finally:
        tracemalloc.stop()
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize("name", LINES)
def test_lines_of_json(name: str, tmp_path: Path) -> None:
    example, value, match = LINES[name]
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        b"\n".join(ROW % (a, example % i, value) for i in range(9) for a in (b"a", b"b"))
    )
    refused(path, match)


def test_a_row_for_every_column_is_no_way_to_fill_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(json.dumps({f"c{i}": 1}) for i in range(9_900)), encoding="utf-8")
    refused(path, "unpacks to 748 MB or more")  # 9900² cells of 150 kB


def test_a_long_id_is_no_way_to_fill_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    ids = [f'"{i}{"x" * 100_000 * (i == 0)}"'.encode() for i in range(2_000)]
    path.write_bytes(b"\n".join(ROW % (a, one, b"1") for one in ids for a in (b"a", b"b")))
    refused(path, "Column 'example' must hold short texts, but one has 100,001 characters")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_without_end(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(separator.join(["c"] * 20_000) + "\n" + separator.join(["1"] * 20_000) + "\n")
    refused(path, "have at most 10,000 columns")
    path.write_text(separator.join(["c"] * 300_000) + "\n" + separator.join(["1"] * 300_000) + "\n")
    with pytest.raises(InvalidInput, match="have at most 50,000 columns"):
        read_table(path, target="c")


def test_columns_of_parquet_without_end(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({f"c{i}": [0, 1] for i in range(10_001)}).to_parquet(path)
    refused(path, "have at most 10,000 columns, but t.parquet has 10,001")


def test_a_text_that_stands_in_every_row_is_no_way_to_fill_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    rows = 2_000
    frame = pd.DataFrame(
        {"algorithm": "a", "example": range(rows), "value": 1.0, "note": "x" * 60_000}
    )
    frame.to_parquet(path, compression="zstd")
    assert path.stat().st_size < 2**18
    refused(path, r"unpacks to \d+ MB or more, over 100 times its size")


def archive(path: Path, samples: bytes) -> Path:
    header = {"eval": {"model": "m", "task": "t"}, "status": "success"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(header))
        file.writestr("summaries.json", samples)
    return path


@pytest.mark.parametrize(
    ("samples", "match"),
    [
        (b"[" + b" " * 2**27 + b"]", "unpacks to 128 MB or more"),
        (b"[" * 10_000, "nested more than 60 deep"),
        (b'[{"id": 1, "id": 2}]', "the key 'id' stands twice"),
        (b"\xff", "is not JSON"),
    ],
)
def test_archives_of_logs(samples: bytes, match: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", samples)
    tracemalloc.start()
    with pytest.raises(InvalidInput, match=match) as refusal:
        load_document(path)
    assert tracemalloc.get_traced_memory()[1] < 2**25
    tracemalloc.stop()
    assert "\n" not in str(refusal.value)


def test_damaged_archives_of_logs(tmp_path: Path) -> None:
    sound = bytearray(
        archive(tmp_path / "log.eval", b'[{"id": 1, "epoch": 1, "scores": {}}]').read_bytes()
    )
    for place in range(len(sound)):
        for bits in (1, 0x80, 0xFF):
            raw = bytearray(sound)
            raw[place] ^= bits
            path = tmp_path / f"{place}-{bits}.eval"
            path.write_bytes(raw)
            said = ""
            try:
                load_document(path)
            except InvalidInput as error:
                said = str(error)
            assert "\n" not in said


def test_files_of_loops(tmp_path: Path) -> None:
    path = tmp_path / "loop.json"
    whole = {"evenfold": "keep", "version": 1}
    good = json.dumps({**whole, "seal": _seal(whole)})
    for text, match in (
        ("[" * 10**5, "nested more than 60 deep"),
        (
            good.replace('"version": 1', '"version": 1, "version": 1'),
            "the key 'version' stands twice",
        ),
        (good.replace('"version": 1', f'"version": {"1" * 400}'), "an integer of 400 digits"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InvalidInput, match=match):
            read_sealed(path, "keep", 1)

"""
Files of loops and nights whose content was changed and sealed again.

Read, or refused in one line.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.evals.keep.ledger import _seal
from evenfold.evals.keep.nights import read_nights, record_night

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400")) // 20
NONSENSE: list[Any] = [None, True, -1, 0, 7, 1e300, 10**30, "x", "NaN", "", [], {}, [[]], {"a": 1}]
GOOD, BETTER = [1, 0, 1, 0] * 20, [1, 1, 1, 0] * 20


def seal(content: dict[str, Any], path: Path) -> None:
    """Write a file with a checksum that is right, whatever it says."""
    whole = {name: value for name, value in content.items() if name != "seal"}
    path.write_text(json.dumps({**whole, "seal": _seal(whole)}), encoding="utf-8")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in inner:
        yield from places(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = changed(value[path[0]], path[1:], new)
    return copied


def edits(content: dict[str, Any], seed: int) -> Iterator[dict[str, Any]]:
    """Yield the content with one value changed each, most often one that is no row of a table."""
    rng = np.random.default_rng(seed)
    everywhere = [path for path in places(content) if path]
    few = [path for path in everywhere if path[0] not in ("tables", "reserve") or len(path) < 4]
    for _ in range(CALLS):
        among = few if rng.random() < 0.8 else everywhere
        path = among[rng.integers(len(among))]
        yield changed(content, path, NONSENSE[rng.integers(len(NONSENSE))])


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    file = tmp_path / "loop.json"
    options: dict[str, Any] = {"rows": "examples", "measure": "accuracy"}
    ef.keep(file, baseline=GOOD, shown="decisions", hold_back=0.2, **options)
    ef.keep(file, BETTER, name="longer")
    return file


def test_loops_say_anything(loop: Path) -> None:
    content = json.loads(loop.read_text(encoding="utf-8"))
    for one in edits(content, 1):
        seal(one, loop)
        for candidate in (None, GOOD):
            said = ""
            try:
                str(ef.keep(loop, candidate, name="other"))
            except EvenfoldError as error:
                said = str(error)
            assert "\n" not in said


def test_nights_say_anything(tmp_path: Path) -> None:
    file = tmp_path / "nights.json"
    c = ef.judge({"a": GOOD, "b": BETTER}, rows="examples", measure="accuracy", paired=True)
    for _ in range(5):
        record_night(file, c)
    content = json.loads(file.read_text(encoding="utf-8"))
    for one in edits(content, 2):
        seal(one, file)
        said = ""
        try:
            str(read_nights(file))
            str(record_night(file, c))
        except EvenfoldError as error:
            said = str(error)
        assert "\n" not in said


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("level", 7.0, "level must be"),
        ("best", "nobody", "those of the first and of the best"),
        ("items_since", 99, "items_since must be an integer from 0 to 1"),
        ("control", "none", "control must be one of"),
        ("asked", {}, "asked must have the key 'measure'"),
        ("proposals", [{"name": "x"}], r"proposals\[0\].against is missing"),
    ],
)
def test_a_sealed_loop_that_cannot_be_is_refused(
    loop: Path, name: str, value: Any, match: str
) -> None:
    seal({**json.loads(loop.read_text(encoding="utf-8")), name: value}, loop)
    with pytest.raises(InvalidInput, match=match):
        ef.keep(loop)

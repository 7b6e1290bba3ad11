"""
Files of results that somebody edited: read, or refused in one line, in bounded memory and time.

What is read must not raise anything but our own errors when it is shown.
"""

import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldError, InvalidInput

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400")) // 20
FILES = ("examples", "folds", "data sets")
NONSENSE: list[Any] = [
    *(
        None,
        True,
        -1,
        0,
        7,
        1e300,
        -1e-300,
        10**30,
        "x",
        "NaN",
        "Infinity",
        "",
        [],
        {},
        [[]],
        {"a": 1},
    ),
    {"!": "tuple", "items": []},
    {"!": "array", "dtype": "float64", "shape": [0], "items": []},
    {"!": "scalar", "dtype": "float64", "is": 7.0},
]
SECONDS = 20.0  # for one file; all of them take milliseconds


@cache
def written(name: str) -> str:
    """A sound file: two models on examples, four in folds, two over data sets."""
    rng = np.random.default_rng(0)
    if name == "examples":
        two = {"a": rng.integers(0, 2, 40), "b": np.ones(40, dtype=int)}
        return ef.judge(two, rows="examples", measure="accuracy", paired=True).to_json()
    if name == "folds":
        four = {name: rng.normal(i, 1.0, 10) for i, name in enumerate("abcd")}
        return ef.judge(four, rows="folds", n=200, higher_is_better=True).to_json()
    sets = {"a": rng.random(8), "b": rng.random(8) + 0.5}
    return ef.judge(sets, rows="data sets", higher_is_better=True).to_json()


def look(text: str | bytes, path: Path, *pages: str) -> str:
    """Load and show a file: what it says, or one line of ours; nothing else, and soon."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    start = monotonic()
    try:
        c: Any = ef.load(path)
        said = str(c)
        for show in ("to_markdown", "to_latex", "to_frame", "to_json", "__repr__", *pages):
            getattr(c, show)()
    except EvenfoldError as error:
        said = str(error)
        assert "\n" not in said, said
        assert len(said) < 1000
    assert monotonic() - start < SECONDS
    return said


@pytest.mark.parametrize("name", FILES)
def test_a_sound_file_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(written(name), encoding="utf-8")
    assert ef.load(path).to("json") == written(name)


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


@pytest.mark.parametrize("name", FILES)
def test_any_value_is_anything(name: str, tmp_path: Path) -> None:
    told = json.loads(written(name))
    everywhere = list(places(told))
    rng = np.random.default_rng(1)
    for i in range(CALLS):
        path, new = everywhere[rng.integers(len(everywhere))], NONSENSE[rng.integers(len(NONSENSE))]
        # which takes a hundred times longer than the rest
        pages = ["to_html"] if i % 10 == 0 else []
        look(json.dumps(changed(told, path, new)), tmp_path / "c.json", *pages)


@pytest.mark.parametrize("name", FILES)
def test_bytes_are_anything(name: str, tmp_path: Path) -> None:
    sound = written(name).encode()
    rng = np.random.default_rng(2)
    for _ in range(CALLS):
        raw = bytearray(sound)
        for place in rng.integers(0, len(raw), rng.integers(1, 4)):
            raw[place] = rng.choice(
                [34, 44, 45, 46, 48, 57, 91, 93, 101, 125, int(rng.integers(256))]
            )
        look(bytes(raw), tmp_path / "c.json")


def with_value(where: tuple[Any, ...], new: Any) -> str:
    return json.dumps(changed(json.loads(written("examples")), where, new))


def behind(*where: Any) -> tuple[Any, ...]:
    """The place of something in the pair that stands behind the facts."""
    return ("behind", "items", 2, 1, "items", 0, "items", 0, 1, "items", 0, *where)


PAIR = ("pairs", 0)
LIES: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "another verdict": (
        (*PAIR, "outcome"),
        "worse",
        r"pairs\[0\].outcome must be that of the verdict \('better'\) but got 'worse'",
    ),
    "another sentence": (
        (*PAIR, "sentence"),
        "a is better",
        r"pairs\[0\].sentence must agree with the estimates and losses",
    ),
    "another value": (
        (*PAIR, "value"),
        0.9,
        r"pairs\[0\].value must agree with .* give 0\.425, but it is 0\.9",
    ),
    "a verdict behind": (
        behind("verdict", "outcome", "is"),
        "worse",
        r"pairs\[0\].outcome must be",
    ),
    "p = 7": ((*PAIR, "pvalue"), 7.0, r"pairs\[0\].pvalue must be a number from 0 to 1 but got 7"),
    "p = 7 behind": (behind("pvalue"), 7.0, r"pairs\[0\].pvalue must agree with"),
    "upside down": ((*PAIR, "low"), 0.99, r"pairs\[0\].low must be at most high"),
    "a level of 3": (("level",), 3.0, "facts.level must be a number from 0 to 1"),
    "a margin beyond the range": (("margin",), 5.0, "facts.margin must be below 1"),
    "a margin below 0": (("margin",), -1.0, "facts.margin must be a finite number ≥ 0 but got"),
    "no alternative": (("alternative",), "x", "facts.alternative must be one of two-sided"),
    "another direction": (
        ("lower_is_better",),
        "no",
        r"facts.lower_is_better must be that of its quantity \(False\) but got",
    ),
    "a baseline that is not there": (("baseline",), "z", "facts.baseline must be one of its"),
    "a count below 0": (("fits",), -4, "facts.fits must be a count"),
    "a wrong type": (
        behind("estimate", "value"),
        "much",
        "The field value of a FlipsEstimate must have the type",
    ),
    "no cut": (
        (*behind()[:7], 1, 1, "partition", "cut"),
        7,
        "The field cut of a Partition must have the type that to_json wrote but got 7",
    ),
    "another algorithm": (
        ("algorithms",),
        ["a", "c"],
        "facts.algorithms must agree with the estimates and losses",
    ),
    "rows that are missing": (("values",), [[0.5]], "facts.values must have 2 rows of 1 values"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_file_that_contradicts_itself_is_refused(lie: str, tmp_path: Path) -> None:
    where, new, match = LIES[lie]
    path = tmp_path / "c.json"
    path.write_text(with_value(where, new), encoding="utf-8")
    with pytest.raises(InvalidInput, match=match) as refusal:
        ef.load(path)
    assert "\n" not in str(refusal.value)


def test_a_verdict_that_its_own_interval_does_not_show_is_refused() -> None:
    told = json.loads(written("examples"))
    for where, new in (
        ((*PAIR, "low"), -0.5),
        (behind("low"), -0.5),
    ):
        told = changed(told, where, new)
    with pytest.raises(
        InvalidInput, match="outcome must be 'inconclusive', which its interval shows"
    ):
        ef.Comparison.from_json(json.dumps(told))


def test_a_key_that_stands_twice_is_refused() -> None:
    twice = written("examples").replace(
        '"outcome": "better"', '"outcome": "worse", "outcome": "better"', 1
    )
    with pytest.raises(InvalidInput, match="the key 'outcome' stands twice"):
        ef.Comparison.from_json(twice)


BOMBS: dict[str, Callable[[], str]] = {
    "deep lists": lambda: "[" * 10**6,
    "deep objects": lambda: '{"a":' * 10**6,
    "deep and closed": lambda: with_value(("versions",), json.loads("[" * 500 + "]" * 500)),
    "deep behind": lambda: with_value(behind("estimate"), deep()),
    "an integer of 400 digits": lambda: with_value(("fits",), "@").replace('"@"', "9" * 400),
    "an integer of 10000 digits": lambda: with_value(("fits",), "@").replace('"@"', "9" * 10000),
    "one long text among empty ones": lambda: with_value(
        behind("estimate", "card"),
        {"!": "array", "dtype": "<U1", "shape": [400_000], "items": ["x" * 1000, *[""] * 399_999]},
    ),
    "rows of nothing": lambda: with_value(
        behind("estimate", "value"),
        {"!": "array", "dtype": "float64", "shape": [10**12, 0], "items": []},
    ),
    "a void": lambda: with_value(
        behind("estimate", "value"), {"!": "scalar", "dtype": "V", "is": 3 * 10**9}
    ),
    "a wide type": lambda: with_value(
        behind("estimate", "value"),
        {"!": "array", "dtype": "(1000000000,)f8", "shape": [1], "items": [0]},
    ),
    "splits without end": lambda: with_value(
        (*behind()[:7], 1, 1, "partition", "cut", "n_splits"), 10**12
    ),
    "examples without end": lambda: with_value(
        (*behind()[:7], 1, 1, "partition", "cut", "n"), 10**12
    ),
}


def deep() -> Any:
    value: Any = 1
    for _ in range(200):
        value = {"!": "tuple", "items": [value]}
    return value


@pytest.mark.parametrize("bomb", BOMBS)
def test_little_does_not_become_much(bomb: str, tmp_path: Path) -> None:
    text = BOMBS[bomb]()
    written("examples")
    tracemalloc.start()
    try:
        look(text, tmp_path / "c.json")
        assert tracemalloc.get_traced_memory()[1] < 2**27
    finally:
        tracemalloc.stop()

"""The kit for formats: every format of ours passes, and every broken rule is named."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

import evenfold as ef
from evenfold.core.facts.comparison import Facts
from evenfold.report.formats._base import FORMATS
from evenfold.testing import BrokenContract, check_format

OURS = tuple(ef.report.formats())


@pytest.mark.parametrize("key", OURS)
def test_every_format_keeps_the_contract(key: str) -> None:
    check_format(key)


@pytest.fixture
def shelf() -> Iterator[Callable[..., str]]:
    """Register a format for one test."""
    added: list[str] = []

    def add(write: Any, suffix: str = ".x") -> str:
        key = f"of a test {len(added)}"
        ef.report.format(key, suffix=suffix)(write)
        added.append(key)
        return key

    yield add
    for key in added:
        del FORMATS._things[key]


def _numbered() -> Callable[[Facts], str]:
    numbers = count()
    return lambda facts: f"{facts.pairs[0].sentence} {next(numbers)}"


def _of_two(facts: Any) -> str:
    return f"forest, {facts.pairs[0].baseline.lower()}, {facts.pairs[0].value}"


@pytest.mark.parametrize(
    ("write", "suffix", "rule"),
    [
        (lambda facts: facts.pairs[0].sentence, "x", "its suffix begins with a dot"),
        (lambda _: 1 / 0, ".x", "it writes two algorithms"),
        (lambda _: 3, ".x", "gives text"),
        (lambda _: " ", ".x", "gives text"),
        (_numbered(), ".x", "the same facts give the same text"),
        (lambda _: "tree", ".x", "it names both algorithms"),
        (lambda _: "tree forest", ".x", "it says what the facts say"),
        (_of_two, ".x", "it writes one algorithm"),
        (lambda _: None, "", "it gives something"),
    ],
)  # fmt: skip
def test_every_broken_rule_is_named(shelf: Any, write: Any, suffix: str, rule: str) -> None:
    key = shelf(write, suffix)
    with pytest.raises(BrokenContract, match=rule):
        check_format(key)


def test_what_is_not_registered() -> None:
    with pytest.raises(BrokenContract, match="registered under its key"):
        check_format("nothing")


def test_a_format_is_one_function(shelf: Any, tmp_path: Any) -> None:
    key = shelf(
        lambda facts: "\n".join(f"* {pair.sentence} {pair.value}" for pair in facts.pairs), ".org"
    )
    check_format(key)
    from sklearn.datasets import load_iris
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    c = ef.compare([DummyClassifier(), GaussianNB()], *load_iris(return_X_y=True), random_state=0)
    assert c.to(key).startswith("* GaussianNB is better")
    c.to(key, tmp_path / "c.org")
    assert (tmp_path / "c.org").read_text() == c.to(key)
    with pytest.raises(ef.EvenfoldError, match="format must be one of"):
        c.to("nothing")
    assert c.to("json") == c.to_json()
    assert c.to("markdown") == c.to_markdown()


def test_a_key_is_given_once(shelf: Any) -> None:
    key = shelf(lambda facts: facts.pairs[0].sentence)
    with pytest.raises(ef.EvenfoldError, match="name that is not taken"):
        ef.report.format(key)(lambda _: "")
    over = object.__new__(ef.report.AcrossFacts)
    with pytest.raises(ef.NotApplicable, match="cannot write an answer over data sets"):
        ef.report.formats()[key].write(over)

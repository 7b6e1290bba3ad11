"""The methods paragraph names tests and citations; answers about answers speak of no training."""

import re
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.report.methods_text import methods_text

RNG = np.random.default_rng(0)
RIGHT = {name: (RNG.random(60) < 0.7).astype(int) for name in ("gpt-a", "gpt-b")}
GRADED = {name: RNG.random(60) for name in ("gpt-a", "gpt-b")}
RUNS = {name: RNG.random((4, 60)) for name in ("gpt-a", "gpt-b")}
TABLES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "right or wrong": (
        RIGHT,
        {"rows": "examples", "measure": "accuracy"},
        "Tango's score test in its exact form (Tango, 1998; Berger et al., 1994)",
    ),
    "graded": (GRADED, {"rows": "examples", "higher_is_better": True}, "t-test"),
    "runs": (RUNS, {"higher_is_better": True}, "the t-test for runs crossed with examples (Searle"),
}


@pytest.mark.parametrize("form", TABLES)
def test_a_paragraph_names_the_test_and_its_sources(form: str) -> None:
    table, asked, named = TABLES[form]
    c = ef.judge(table, **asked)
    said = methods_text(c.facts).partition("\n\nReferences")[0]
    assert named in said
    assert not re.search(rf"\b{c.facts.method.key}\b", said)


@pytest.mark.parametrize("form", TABLES)
def test_answers_of_language_models_say_nothing_of_fits_and_training(form: str) -> None:
    table, asked, _ = TABLES[form]
    c = ef.judge(table, **asked)
    for words in (str(c), c.details, c.pairs[0].sentence, methods_text(c.facts)):
        assert "fitted model" not in words
        assert "trained on" not in words
        assert "learning procedure" not in words

"""The call that gives a result again: pasted it does, or it says what it cannot write."""

import keyword
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from evenfold.comparison.criteria import Criteria
from evenfold.comparison.request import IOB2, Request
from evenfold.core.words import hide_secrets, join_words, one_line
from evenfold.design import Design

_FULL = 100_000  # characters of an estimator; scikit-learn leaves out the middle of long ones


class CallWriter:
    """Texts of values, and the names that stand for what cannot be written."""

    def __init__(self) -> None:
        self.own: dict[str, None] = {}

    def __call__(self, value: Any, name: str) -> str:
        """Write a value, or a name for it that the reader must fill."""
        if isinstance(value, Mapping):
            items = (f"{key!r}: {self(item, str(key))}" for key, item in value.items())
            return f"{{{', '.join(items)}}}"
        if isinstance(value, (list, tuple)):
            texts = [self(item, f"{name}{i}") for i, item in enumerate(value, start=1)]
            return f"[{', '.join(texts)}]"
        if isinstance(value, np.generic):
            value = value.item()
        text = _text(value)
        if text is None:
            text = _identifier(getattr(value, "__name__", ""), name)
            self.own[text] = None
        return text


def _text(value: Any) -> str | None:
    """The expression that makes a value again, or None."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return repr(value)
    if hasattr(value, "get_params"):
        try:
            text = value.__repr__(N_CHAR_MAX=_FULL)
        except TypeError:  # an estimator with a representation of its own
            text = repr(value)
    else:
        text = repr(value)
    if "<" in text or "..." in text:
        return None
    return one_line(text)


def _identifier(own: str, given: str) -> str:
    """A name for something: its own, else the one it was given, as Python can read it."""
    for name in (own, given):
        plain = "".join(c if c.isalnum() else "_" for c in name)
        if plain.isidentifier() and not keyword.iskeyword(plain) and not name.startswith("<"):
            return plain
    return "own"


def call_of(request: Request) -> str:
    """Return the call that gives this result again, on the same data."""
    written = CallWriter()
    task = request.task
    words = [written(dict(request.algorithms), "algorithms"), "X", "y"]
    words += [f"{name}={text}" for name, text in _keywords(request, written)]
    given = [name for name in ("groups", "order", "features") if getattr(task, name) is not None]
    given += [] if task.weights is None else ["sample_weight"]
    words += [f"{name}={name}" for name in given]
    call = f"ef.compare({', '.join(words)}, random_state={request.seed})"
    return call_text(call, [*given, *written.own])


def _keywords(request: Request, written: CallWriter) -> Iterator[tuple[str, str]]:
    criteria = request.criteria
    first = request.rules[0]
    usual = Criteria()
    yield "measure", written(request.measures, "measure")
    if not request.looks:
        yield "design", design_text(request.chosen_design, written)
    if request.method is not None or len(request.rules) == 1:
        yield "method", repr(first.method)  # else each measure gets its own, as it did
    yield from (
        (name, repr(getattr(criteria, name)))
        for name in ("margin", "level", "alternative", "adjust")
    )
    optional = {
        "baseline": (criteria.baseline, usual.baseline),
        "replicability": (criteria.replicability if request.is_stability_asked else None, None),
        "max_repetitions": (request.max_repetitions, None),
        "method_options": (criteria.method_options or None, None),
        "positive": (request.positive, None),
        "scheme": (request.scheme, IOB2),
        "version": (request.run.version, None),
        "timeout": (request.run.timeout, None),
    }
    for name, (value, default) in optional.items():
        if value is not None and not (isinstance(value, str) and value == default):
            yield name, written(value, name)


def design_text(design: Design, written: CallWriter) -> str:
    """Return what a design is written as; a name for one that cannot be written."""
    if not design.code:
        written.own["design"] = None
    return design.code or "design"


def call_text(call: str, filled: list[str]) -> str:
    """Return a call without secrets, with what the reader must fill in."""
    shown = hide_secrets(call)
    if filled:
        return f"{shown}  # with your own {join_words(filled)}"
    return shown

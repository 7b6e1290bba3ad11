"""The call that gives a result again: pasted it does, or it says what it cannot write."""

import keyword
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from evenfold.comparison.across.pairs import AcrossAsked
from evenfold.comparison.request import Asked, Question, Setup, Wish
from evenfold.core.errors import in_a_line
from evenfold.core.words import hide_secrets, listed
from evenfold.design import Design

_FULL = 100_000  # characters of an estimator; scikit-learn leaves out the middle of long ones


class _Written:
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
    return in_a_line(text)


def _identifier(own: str, given: str) -> str:
    """A name for something: its own, else the one it was given, as Python can read it."""
    for name in (own, given):
        plain = "".join(c if c.isalnum() else "_" for c in name)
        if plain.isidentifier() and not keyword.iskeyword(plain) and not name.startswith("<"):
            return plain
    return "own"


def call_of(question: Question, setup: Setup) -> str:
    """Return the call that gives this result again, on the same data."""
    written = _Written()
    task = question.task
    words = [written(dict(question.algorithms), "algorithms"), "X", "y"]
    words += [f"{name}={text}" for name, text in _keywords(question, setup, written)]
    given = [name for name in ("groups", "order", "features") if getattr(task, name) is not None]
    given += [] if task.weights is None else ["sample_weight"]
    words += [f"{name}={name}" for name in given]
    call = f"ef.compare({', '.join(words)}, random_state={question.seed})"
    return _with_own(call, [*given, *written.own])


def _keywords(question: Question, setup: Setup, written: _Written) -> Iterator[tuple[str, str]]:
    asked = question.asked
    wish = question.wish
    options = question.options
    yield "measure", written(question.measures, "measure")
    yield "design", _design(setup.design, written)
    if question.method is not None or setup.most is not None or len(setup.methods) == 1:
        yield "method", repr(setup.method)  # else each measure gets its own, as it did
    yield from ((name, repr(getattr(asked, name))) for name in ("margin", "level", "alternative", "adjust"))
    optional = {
        "baseline": (asked.baseline, Asked().baseline),
        "question": (asked.question, Asked().question),
        "method_options": (asked.method_options or None, None),
        "positive": (wish.positive, Wish().positive),
        "scheme": (wish.scheme, Wish().scheme),
        "version": (options.version, None),
        "timeout": (options.timeout, None),
    }
    for name, (value, usual) in optional.items():
        if value is not None and not (isinstance(value, str) and value == usual):
            yield name, written(value, name)


def across_call(question: Question, asked: AcrossAsked) -> str:
    """Return the call that gives an answer over data sets again."""
    written = _Written()
    wish = question.wish
    words = [written(dict(question.algorithms), "algorithms"), "data_sets"]
    words.append(f"measure={written(question.measures, 'measure')}")
    if question.design is not None:
        words.append(f"design={_design(question.design, written)}")
    known = {"method": wish.method, "test": str(asked.decides), "margin": asked.margin, "level": asked.level}
    known |= {"baseline": asked.baseline, "positive": wish.positive}
    words += [f"{name}={written(value, name)}" for name, value in known.items() if value is not None]
    return _with_own(f"ef.across({', '.join(words)}, random_state={question.seed})", list(written.own))


def _design(design: Design, written: _Written) -> str:
    if not design.code:
        written.own["design"] = None
    return design.code or "design"


def _with_own(call: str, filled: list[str]) -> str:
    shown = hide_secrets(call)
    if filled:
        return f"{shown}  # with your own {listed(filled)}"
    return shown

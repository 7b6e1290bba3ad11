"""
How a note finds its words: a template, or a function of its values.

A template is a text with the names of values in braces. After a colon it says how a value is
written: ``{n:count}`` groups digits, ``{n:of row}`` writes "1 row" or "3 rows", ``{names:join}``
joins names, and ``{name:line}`` keeps a name that a stranger chose in one line.
"""

from collections.abc import Callable
from string import Formatter
from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.note import Note
from evenfold.core.words import count, format_confidence, format_count, join_words, one_line

Words = str | Callable[..., str]
WORDS: dict[str, Words] = {}
"""The words of every code: a template, or a function whose keywords are the values of the note."""

_OF = "of "
_WRITERS: dict[str, Callable[[Any], str]] = {
    "count": format_count,
    "join": join_words,
    "line": one_line,
    "confidence": format_confidence,
}


class _Template(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        if spec in _WRITERS:
            return _WRITERS[spec](value)
        if spec.startswith(_OF):
            return count(value, spec.removeprefix(_OF))
        return str(super().format_field(value, spec))


_TEMPLATE = _Template()


def says(code: str) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """Return a decorator that registers the words of a code."""

    def register(words: Callable[..., str]) -> Callable[..., str]:
        WORDS[code] = words
        return words

    return register


def render(note: Note) -> str:
    """Return the words of a note; one of an unknown code is said as its file says it."""
    values = dict(note.values)
    if note.code not in WORDS:
        return note.said or str(values.get("text", note.code))
    words = WORDS[note.code]
    try:
        if isinstance(words, str):
            return _TEMPLATE.vformat(words, (), values)
        return words(**values)
    except (TypeError, ValueError, LookupError, AttributeError) as reason:
        refuse(
            None,
            f"The values of the note {note.code!r} are not what to_json wrote: "
            f"{one_line(reason)[:80]}.",
        )

"""
Notes: sentences as data, with a code that names the sentence and the values that appear in it.

The words are in the package ``report``, which adds them to :data:`WORDS`: for each code a template,
or a function of the values. No other code builds a sentence about an answer, and no code parses
one.

A template is a text with the names of values in braces. After a colon it says how a value is
written: ``{n:count}`` groups digits, ``{n:of row}`` writes "1 row" or "3 rows", ``{names:join}``
joins names, and ``{name:line}`` keeps a name that a stranger chose in one line.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from string import Formatter
from typing import Any, ClassVar, Self

from evenfold.core.checks import refuse, refuse_value
from evenfold.core.json import BEHIND
from evenfold.core.words import count, format_confidence, format_count, join_words, one_line

WRITTEN = "written"
INTERRUPTED = "interrupted"

Words = str | Callable[..., str]
WORDS: dict[str, Words] = {}
"""The words of every code: a template, or a function whose keywords are the values of the note."""

_HOME = "evenfold.report.words"  # adds the words; loaded when the first note is rendered
_OF = "of "
_WRITERS: dict[str, Callable[[Any], str]] = {
    "count": format_count,
    "join": join_words,
    "line": one_line,
    "confidence": format_confidence,
}


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """
    A sentence as data; ``str`` gives its words.

    Attributes
    ----------
    code : str
        The key of the sentence, which stays the same when the words change. ``"written"`` is a
        text that something else wrote: a warning, a design, an estimate, an extension, or version
        0.2 in a file.
    values : mapping
        The names and numbers in the sentence.
    partial : bool
        Whether the note says that the answer is about a part of the data only, because some fits
        failed or were not run. A gate must not treat such an answer as one about all data.
    said : str
        The words in the file that the note was read from. They are used if this version does not
        know the code.

    Examples
    --------
    >>> print(Note("weight-zero", {"examples": 12}))
    Examples of weight 0 were left out: 12.
    """

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    partial: bool = False
    said: str = field(default="", metadata={BEHIND: True})

    derived: ClassVar[tuple[str, ...]] = ("text",)

    @property
    def text(self) -> str:
        """The words."""
        return render(self)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        """Whether both notes have the same code and the same words."""
        if not isinstance(other, Note):
            return NotImplemented
        return (self.code, self.partial, self.text) == (other.code, other.partial, other.text)

    def __hash__(self) -> int:
        return hash((self.code, self.partial))

    @classmethod
    def from_plain(cls, value: Any, where: str) -> Self:
        """Make a note from a value in a file: a text in version 0.2, else a mapping."""
        if isinstance(value, str):
            return cls(WRITTEN, {"text": value})
        if not isinstance(value, dict):
            refuse_value(where, value, "a note")
        code = value.get("code")
        values = value.get("values")
        partial = value.get("partial", False)
        if (
            not isinstance(code, str)
            or not isinstance(values, dict)
            or not isinstance(partial, bool)
        ):
            refuse_value(where, value, "a note with a code and values")
        return cls(code, values, partial, said=str(value.get("text", "")))


# How a note finds its words.


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
    """Return the words of a note, which for an unknown code are those that its file holds."""
    import_module(_HOME)
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


# How notes are made and collected.


def note(code: str, /, **values: Any) -> Note:
    """Return a note; the keywords are its values."""
    return Note(code, values)


def partial_note(code: str, /, **values: Any) -> Note:
    """Return a note that the answer is about a part of the data only."""
    return Note(code, values, partial=True)


def as_notes(notes: Iterable["Note | str"]) -> tuple[Note, ...]:
    """Return notes without repetitions; a text of an extension becomes a note."""
    by_text: dict[str, Note] = {}
    for item in notes:
        by_text.setdefault(str(item), item if isinstance(item, Note) else note(WRITTEN, text=item))
    return tuple(by_text.values())


def why_partial(notes: Iterable[Note]) -> str:
    """
    Return the first note that says that an answer is partial, or an empty text.

    Examples
    --------
    >>> why_partial([note("written", text="a remark"), partial_note("no-value", rows=2)])
    'Rows without a value were left out: 2.'
    """
    return next((str(remark) for remark in notes if remark.partial), "")

"""
Notes: sentences as data, with a code that names the sentence and the values that appear in it.

The words are in the package ``report``, which registers the function that renders a note. No other
code builds a sentence about an answer, and no code parses one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from evenfold.core.checks import refuse_value
from evenfold.core.json import BEHIND
from evenfold.core.registry import Registry

RENDERERS: Registry[Callable[["Note"], str]] = Registry(
    "renderer", "evenfold.renderers", home="evenfold.report.words"
)
WRITTEN = "written"
INTERRUPTED = "interrupted"


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
        return RENDERERS["note"](self)

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

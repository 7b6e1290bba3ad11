"""
What is to be said, as data: a code that names a sentence, and the values that it is about.

The words are in the package ``report``, which registers the function that finds them. Nothing else
builds a sentence about an answer, and nothing reads one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from evenfold.core.checks import refuse, short_repr
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
        Which sentence; it stays the same when the words change. ``"written"`` is a text that was
        written elsewhere: by a warning, by an extension, or in a file of version 0.2.
    values : mapping
        The names and numbers in it.
    partial : bool
        Whether it says that the answer is about a part of what was given, chosen by who failed or
        was not run. A gate must not take such an answer for one about all of it.
    said : str
        What the file that it comes from says; it stands for a code that only a later version knows.

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
        """Whether both say the same."""
        if not isinstance(other, Note):
            return NotImplemented
        return (self.code, self.partial, self.text) == (other.code, other.partial, other.text)

    def __hash__(self) -> int:
        return hash((self.code, self.partial))

    @classmethod
    def from_plain(cls, found: Any, where: str) -> Self:
        """Read what a file says: a text in version 0.2, else code, values and text."""
        if isinstance(found, str):
            return cls(WRITTEN, {"text": found})
        if not isinstance(found, dict):
            refuse(where, f"{where} must be a note but got {short_repr(found)}.")
        code = found.get("code")
        values = found.get("values")
        partial = found.get("partial", False)
        if (
            not isinstance(code, str)
            or not isinstance(values, dict)
            or not isinstance(partial, bool)
        ):
            refuse(
                where, f"{where} must be a note with a code and values but got {short_repr(found)}."
            )
        return cls(code, values, partial, said=str(found.get("text", "")))


def note(code: str, /, **values: Any) -> Note:
    """Return a note; the keywords are its values."""
    return Note(code, values)


def partial_note(code: str, /, **values: Any) -> Note:
    """Return a note that the answer is about a part of what was given."""
    return Note(code, values, partial=True)


def as_notes(notes: Iterable["Note | str"]) -> tuple[Note, ...]:
    """Return notes, each once; what an extension says as a text is a note, too."""
    found: dict[str, Note] = {}
    for one in notes:
        found.setdefault(str(one), one if isinstance(one, Note) else note(WRITTEN, text=one))
    return tuple(found.values())


def why_partial(notes: Iterable[Note]) -> str:
    """
    Return what says that an answer is partial; nothing where it is not.

    Examples
    --------
    >>> why_partial([note("written", text="a remark"), partial_note("no-value", rows=2)])
    'Rows without a value were left out: 2.'
    """
    return next((str(one) for one in notes if one.partial), "")

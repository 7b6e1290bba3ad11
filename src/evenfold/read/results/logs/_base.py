"""What a format of logs is: it knows its documents and gives one item per answer."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

from evenfold.core.checks import refuse
from evenfold.core.registry import Registry

Document = Any  # what a file holds: JSON, rows of JSON lines, or a frame


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Item:
    """
    One answer of one algorithm.

    Attributes
    ----------
    example : str
        The id of what was asked: the same in every log about the same question.
    scores : mapping of str to value
        What it was given, by the name of the score; None where the program could not score it.
    algorithm : str
        Who answered, as far as the log says it.
    run : int
        Which of several answers to the same question.
    task : str
        Which benchmark the question is from, as far as the log says it.
    """

    example: str
    scores: Mapping[str, Any]
    algorithm: str = ""
    run: int = 0
    task: str = ""


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Log:
    """
    The items of one document.

    ``higher`` are the scores of which the program says that more is better.
    """

    items: list[Item]
    higher: frozenset[str] = field(default_factory=frozenset)


class LogFormat(ABC):
    """
    One format of logs; a file registers one instance of its own in :data:`FORMATS`.

    Attributes
    ----------
    key, program : str
        The name of the format, and of who writes it, for people.
    provisional : bool
        Whether it was read off a program's source or documentation only, and may change with it.
    files : tuple of str
        Patterns of the file names in a folder of such logs.
    """

    key: ClassVar[str]
    program: ClassVar[str]
    files: ClassVar[tuple[str, ...]]
    provisional: ClassVar[bool] = True

    @abstractmethod
    def knows(self, document: Document, path: Path) -> bool:
        """Whether this is a document of the format; looks, but does not read."""

    @abstractmethod
    def read(self, document: Document, path: Path) -> Log:
        """Return its items; what is not of this format raises KeyError, TypeError, ValueError."""


FORMATS: Registry[LogFormat] = Registry("log format", "evenfold.log_formats")


def register(form: type[LogFormat]) -> type[LogFormat]:
    """Put a format on the shelf: a decorator of its class."""
    FORMATS.add(form.key, form())
    return form


def text_id(*parts: Any) -> str:
    """
    A short id of a question that a log knows by its text only: equal texts have equal ids.

    Examples
    --------
    >>> text_id("What is 2 + 2?") == text_id("What is 2 + 2?") != text_id("What is 2 + 3?")
    True
    """
    text = "\0".join(str(part) for part in parts)
    start = " ".join(text.split())[:24]
    return f"{start} #{blake2b(text.encode(), digest_size=5).hexdigest()}"


def number_runs(items: Iterator[Item]) -> list[Item]:
    """Number the answers to one question by one algorithm as its runs, in the order of the log."""
    seen: dict[tuple[str, str, str], int] = {}
    found = []
    for item in items:
        key = item.algorithm, item.task, item.example
        seen[key] = seen.get(key, 0) + 1
        found.append(
            Item(
                example=item.example,
                scores=item.scores,
                algorithm=item.algorithm,
                run=seen[key],
                task=item.task,
            )
        )
    return found


def require_finished(finished: bool, path: Path, status: str) -> None:
    """Refuse the log of a run that did not come to its end: half of the answers are no answer."""
    if not finished:
        refuse(
            "log",
            "of a run that was finished",
            f"{path.name} with status {status!r}",
            "run it to its end",
        )

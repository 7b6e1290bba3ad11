"""Results that are no tables of losses, and who answers about them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from evenfold.core.registry import Registry


class ResultKind(ABC):
    """
    One kind of results that is no table of losses, such as measured times.

    Other packages announce theirs by entry points of the group ``evenfold.result_kinds``.
    """

    key: ClassVar[str]

    @abstractmethod
    def knows(self, table: Any) -> bool:
        """Whether these are results of its kind; looks, but does not read."""

    @abstractmethod
    def judge(self, table: Any, **keywords: Any) -> Any:
        """Answer about them, given the keywords of ``judge`` that differ from their defaults."""


RESULT_KINDS: Registry[ResultKind] = Registry("kind of results", "evenfold.result_kinds")


def kind_of(table: Any) -> ResultKind | None:
    """Return the kind of results, None where they are a table; arrays and frames always are."""
    if not isinstance(table, Mapping) or not table:
        return None
    if not all(_may_be_files(value) for value in table.values()):
        return None
    return next((kind for kind in RESULT_KINDS.values() if kind.knows(table)), None)


def _may_be_files(value: Any) -> bool:
    """Whether these may be files, or what was read from them."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return isinstance(first, (str, Path)) or hasattr(first, "benchmarks")

"""Results that are no tables of losses, and who answers about them."""

from abc import ABC, abstractmethod
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

"""Sequences whose items are made when asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

from evenfold.core.errors import EvenfoldError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, eq=False, slots=True)
class LazySequence(Sequence[T_co], Generic[T_co]):
    """
    A sequence of ``length`` items, each computed by ``item`` whenever it is asked for.

    Examples
    --------
    >>> squares = LazySequence(4, lambda j: j * j)
    >>> squares[-1], squares[1:3], list(squares)
    (9, [1, 4], [0, 1, 4, 9])
    """

    length: int
    item: Callable[[int], T_co]

    def __len__(self) -> int:
        return self.length

    def __reduce__(
        self,
    ) -> "tuple[Callable[..., LazySequence[T_co]], tuple[tuple[T_co | EvenfoldError, ...]]]":
        """Pickle and copy the items themselves: how they are made may hold files and workers."""
        return _kept, (tuple(map(_item_or_reason, [self] * self.length, range(self.length))),)

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> list[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | list[T_co]:
        if isinstance(index, slice):
            return [self.item(j) for j in range(self.length)[index]]
        return self.item(range(self.length)[index])


def _item_or_reason(items: "LazySequence[T_co]", index: int) -> "T_co | EvenfoldError":
    """Return an item, or why there is none, as where a cell failed."""
    try:
        return items[index]
    except EvenfoldError as reason:
        return reason


@dataclass(frozen=True, eq=False, slots=True)
class _Kept(Generic[T_co]):
    items: "tuple[T_co | EvenfoldError, ...]"

    def __call__(self, index: int) -> T_co:
        item = self.items[index]
        if isinstance(item, EvenfoldError):
            raise item
        return item


def _kept(items: "tuple[T_co | EvenfoldError, ...]") -> "LazySequence[T_co]":
    return LazySequence(len(items), _Kept(items))

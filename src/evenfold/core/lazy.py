"""Sequences whose items are made when asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

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

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> list[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | list[T_co]:
        if isinstance(index, slice):
            return [self.item(j) for j in range(self.length)[index]]
        return self.item(range(self.length)[index])

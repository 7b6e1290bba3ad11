"""A shelf of named things that fills itself: our own by import, those of other packages by entry point."""

import warnings
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from evenfold.core.checks import one_of, refuse
from evenfold.core.errors import EvenfoldWarning, InvalidInput, UnknownName

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """
    Things by key, for one word such as "method" and one group of entry points such as "evenfold.methods".

    An entry point names an object, which is added under the entry's name, or a module, which adds its things
    itself. They are loaded when a key is asked for that is not ours, or when all keys are listed.

    Parameters
    ----------
    word : str
        What a thing is called in messages.
    group : str
        The group of entry points in which other packages announce theirs.

    Examples
    --------
    >>> shelf: Registry[int] = Registry("number", "evenfold.numbers")
    >>> shelf.add("one", 1)
    >>> shelf["one"], list(shelf)
    (1, ['one'])
    >>> shelf["on"]
    Traceback (most recent call last):
        ...
    evenfold.core.errors.UnknownName: number must be one of 'one' but got 'on'; did you mean 'one'?
    """

    def __init__(self, word: str, group: str) -> None:
        self.word = word
        self.group = group
        self._things: dict[str, T] = {}
        self._complete = False

    def add(self, key: str, thing: T) -> None:
        """Put a thing on the shelf; a key is given once."""
        if not key:
            refuse(self.word, "named by a text that is not empty", key)
        if key in self._things:
            refuse(self.word, "of a name that is not taken", key, "choose another key")
        self._things[key] = thing

    def present(self, key: str) -> T | None:
        """Return what is under a key already, without a look at other packages: for use while ours load."""
        return self._things.get(key)

    def __getitem__(self, key: str) -> T:
        if key not in self:
            try:
                one_of(self.word, key, self)
            except InvalidInput as unknown:
                raise UnknownName(str(unknown)) from None
        return self._things[key]

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        if key not in self._things:
            self._load()
        return key in self._things

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(dict(self._things))

    def __len__(self) -> int:
        self._load()
        return len(self._things)

    def __repr__(self) -> str:
        return f"<{len(self)} {self.word}s: {', '.join(self)}>"

    def _load(self) -> None:
        """Load what other packages offer, once; a broken one is named and left out."""
        if self._complete:
            return
        self._complete = True
        for point in entry_points(group=self.group):
            try:
                self._take(point)
            except Exception as reason:  # whatever a stranger's module raises must not close the shelf
                warnings.warn(
                    f"{self.word} {point.name!r} of {point.value!r} cannot be loaded: {reason}",
                    EvenfoldWarning,
                    stacklevel=4,
                )

    def _take(self, point: EntryPoint) -> None:
        thing = point.load()
        if point.attr and point.name not in self._things:
            self.add(point.name, thing)

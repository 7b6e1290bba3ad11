"""Types of parameters that carry their rules, such as ``p: Count``, and registries by key."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, Generic, TypeVar, get_args, get_type_hints

from evenfold.core.checks import fraction, integer, number, refuse, refuse_unknown, refuse_value
from evenfold.core.errors import EvenfoldWarning, InvalidInput, UnknownName


class ParameterRule:
    """
    The rule of a parameter: one of the checks of ``core``, with its bounds.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Bag:
    ...     marbles: Count
    ...     __post_init__ = check_parameters
    >>> Bag(0)
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: marbles must be an integer ≥ 1 but got 0.
    """

    def __init__(self, check: Callable[..., object], **bounds: Any) -> None:
        self.check = partial(check, **bounds)


def _above_0(name: str, value: object) -> None:
    if number(name, value, low=0.0) == 0:
        refuse_value(name, value, "a number above 0")


Count = Annotated[int, ParameterRule(integer, low=1)]
Real = Annotated[float, ParameterRule(number)]
NotNegative = Annotated[float, ParameterRule(number, low=0.0)]
Positive = Annotated[float, ParameterRule(_above_0)]
Share = Annotated[float, ParameterRule(fraction)]


def check_parameters(value: object) -> None:
    """Refuse a dataclass whose fields break the rules of their types."""
    kind: Any = type(value)
    for name, rule in _rules(kind).items():
        rule.check(name, getattr(value, name))


@cache
def _rules(kind: type[Any]) -> dict[str, ParameterRule]:
    rules = {}
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        for extra in get_args(hints[field.name])[1:]:
            if isinstance(extra, ParameterRule):
                rules[field.name] = extra
    return rules


# What the package of evaluations adds to the registries, announced as another package would.
_OURS = (
    EntryPoint("board", "evenfold.evals.board:Board", "evenfold.answers"),
    EntryPoint("board", "evenfold.evals.commands.board:board", "evenfold.commands"),
    EntryPoint("keep", "evenfold.evals.commands.keep:keep", "evenfold.commands"),
    EntryPoint("floor", "evenfold.evals.commands.floor:floor", "evenfold.commands"),
    EntryPoint("measured-changes", "evenfold.evals.changes:MeasuredChanges", "evenfold.answers"),
    EntryPoint("measurements", "evenfold.evals.changes", "evenfold.result_kinds"),
    EntryPoint("pr", "evenfold.evals.commands.pr:pr", "evenfold.commands"),
    EntryPoint("board", "evenfold.evals.formats", "evenfold.formats"),
    EntryPoint("pull-request", "evenfold.evals.pr.plan:plan_gate", "evenfold.gate_plans"),
    EntryPoint("nights", "evenfold.evals.keep.nights:record_night", "evenfold.histories"),
    EntryPoint("lm-eval", "evenfold.evals.lm_eval", "evenfold.readers"),
    EntryPoint("logs", "evenfold.evals.logs", "evenfold.readers"),
)


def announced(group: str) -> list[EntryPoint]:
    """Return what evenfold itself, then other packages, announce for a group."""
    return [*(point for point in _OURS if point.group == group), *entry_points(group=group)]


T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """
    Things by key, for a word such as "method" and a group of entry points ("evenfold.methods").

    An entry point names an object, which is added under the name of the entry, or a module, which
    adds its things itself. Entry points are loaded when a key is unknown, or when all keys are
    listed.

    Parameters
    ----------
    word : str
        What a thing is called in messages.
    group : str
        The group of entry points in which other packages announce their things.
    replaced : mapping of str to str, optional
        Keys of earlier versions, and the message about each of them.
    listed : str, optional
        A sentence that says where all keys are listed, for keys that are like none of them.
    home : str, optional
        The module that adds evenfold's own things. It is loaded on the first use of a key.

    Examples
    --------
    >>> shelf: Registry[int] = Registry("number", "evenfold.numbers")
    >>> shelf.add("one", 1)
    >>> shelf["one"], list(shelf)
    (1, ['one'])
    >>> shelf["on"]
    Traceback (most recent call last):
        ...
    evenfold.core.errors.UnknownName: number must be one of 'one' but got 'on'. Did you mean 'one'?
    """

    def __init__(
        self,
        word: str,
        group: str,
        *,
        replaced: Mapping[str, str] | None = None,
        listed: str = "",
        home: str | None = None,
    ) -> None:
        self.word = word
        self.group = group
        self.listed = listed
        self.home = home
        self.replaced = replaced or {}
        self._things: dict[str, T] = {}
        self._complete = False

    def add(self, key: str, thing: T) -> None:
        """Add a thing under a key that is not taken."""
        if not key:
            refuse(self.word, f"The name of a {self.word} must not be empty.")
        if key in self._things:
            refuse(
                self.word,
                f"There is a {self.word} {key!r} already.",
                "Choose another name.",
            )
        self._things[key] = thing

    def present(self, key: str) -> T | None:
        """Return what is under a key so far, while evenfold's own things are being added."""
        return self._things.get(key)

    def loaded(self) -> tuple[T, ...]:
        """Return all things so far, without loading other packages."""
        return tuple(self._things.values())

    def __getitem__(self, key: str) -> T:
        if key not in self:
            if str(key) in self.replaced:  # what is no text may have no hash
                raise UnknownName(self.replaced[str(key)], parameter=self.word)
            try:
                refuse_unknown(self.word, key, list(self), remedy=self.listed)
            except InvalidInput as unknown:
                raise UnknownName(
                    unknown.message, parameter=unknown.parameter, remedy=unknown.remedy
                ) from None
        return self._things[key]

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        if key not in self._things and self.home is not None:
            import_module(self.home)
        if key not in self._things:
            self.load()
        return key in self._things

    def __iter__(self) -> Iterator[str]:
        self.load()
        return iter(dict(self._things))

    def __len__(self) -> int:
        self.load()
        return len(self._things)

    def __repr__(self) -> str:
        return f"<{len(self)} {self.word}s: {', '.join(self)}>"

    def load(self) -> None:
        """Load what is announced for the group, once; warn of what cannot be loaded."""
        if self._complete:
            return
        self._complete = True
        for point in announced(self.group):
            try:
                thing = point.load()
                if point.attr and point.name not in self._things:
                    self.add(point.name, thing)
            except Exception as reason:
                # an error in another package must not hide everything else
                warnings.warn(
                    f"The {self.word} {point.name!r} of {point.value!r} cannot be loaded: {reason}",
                    EvenfoldWarning,
                    stacklevel=4,
                )

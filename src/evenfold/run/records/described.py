"""What a store says of a run, read by the types of its fields: a file from elsewhere may say anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldError, StoreError, in_a_line
from evenfold.core.json.plain import build, parse
from evenfold.core.losses import Failure, Quantity
from evenfold.core.partition import Kind, Shape

_LONGEST = 2**28  # characters of a description; ours have some thousands, more only where many fits failed


@dataclass(frozen=True, kw_only=True, slots=True)
class Cutting:
    """How examples were cut: the kind of the design, its seed, how many examples there are."""

    kind: str
    shape: Shape
    about: str = ""
    seed: int | None
    n: int

    def as_kind(self) -> Kind:
        """Return the kind of the design."""
        return Kind(self.kind, shape=self.shape, about=self.about)


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """A measure, by its name."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Headline:
    """What is known of every run, also of one that was begun and not finished."""

    algorithms: tuple[str, ...]
    measures: tuple[Named, ...]
    partition: Cutting
    created: str
    unfinished: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A measure of a finished run."""

    name: str
    quantity: Quantity
    failures: tuple[Failure, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The name and the options by which a measure can be had again."""

    measure: str
    positive: Any = None
    scheme: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """What is known of a finished run beside its arrays; ``note`` is the caller's."""

    algorithms: tuple[str, ...]
    measures: tuple[Measured, ...]
    partition: Cutting
    seed: int
    asked: Mapping[str, Asked | None]
    responses: Mapping[str, tuple[str, ...]]
    note: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [one.name for one in self.measures]
        for what, given in (("algorithms", list(self.algorithms)), ("measures", names)):
            if not given or len(set(given)) < len(given):
                refuse(what, "named, each by a name of its own", ", ".join(given))
        for name in names:
            if name not in self.asked or len(self.responses.get(name, ())) != len(self.algorithms):
                refuse("measures", "with a response of each algorithm", name)


def headline_of(run_id: str, content: bytes) -> Headline | StoreError:
    """Return what a store says of a run, or why that cannot be read."""
    try:
        return build(Headline, _parsed(content))
    except Exception as error:
        return unreadable(run_id, error)


def record_of(run_id: str, content: bytes) -> Record:
    """Return what a store says of a finished run, or raise :class:`StoreError`."""
    try:
        return build(Record, _parsed(content))
    except Exception as error:
        raise unreadable(run_id, error) from error


def _parsed(content: bytes) -> Any:
    if len(content) > _LONGEST:
        refuse("a description", f"at most {_LONGEST} characters long", len(content))
    return parse(content.decode(), parse_constant=str)


def unreadable(run_id: str, error: Exception) -> StoreError:
    """Return the error of a run that a store has but that nobody can read."""
    if isinstance(error, StoreError):
        return error
    reason = str(error) if isinstance(error, EvenfoldError) else f"{type(error).__name__}: {error}"
    return StoreError(f"run {run_id!r} cannot be read ({in_a_line(reason)[:120]}); run it again")

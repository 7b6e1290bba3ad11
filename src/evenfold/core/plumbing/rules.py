"""Parameters that say their rules by their types: ``p: Count``."""

from collections.abc import Callable
from dataclasses import fields
from functools import cache, partial
from typing import Annotated, Any, get_args, get_type_hints

from evenfold.core.checks import fraction, integer, number, refuse


class Rule:
    """
    What a parameter must keep: one of the checks of ``core``, with its bounds.

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
    evenfold.core.errors.InvalidInput: marbles must be an integer ≥ 1 but got 0
    """

    def __init__(self, check: Callable[..., object], **bounds: Any) -> None:
        self.check = partial(check, **bounds)


def _above_0(name: str, value: object) -> None:
    if number(name, value, low=0.0) == 0:
        refuse(name, "a number above 0", value)


Count = Annotated[int, Rule(integer, low=1)]
Real = Annotated[float, Rule(number)]
NotNegative = Annotated[float, Rule(number, low=0.0)]
Positive = Annotated[float, Rule(_above_0)]
Share = Annotated[float, Rule(fraction)]


def check_parameters(value: object) -> None:
    """Refuse a dataclass whose fields break the rules of their types."""
    kind: Any = type(value)
    for name, rule in _rules(kind).items():
        rule.check(name, getattr(value, name))


@cache
def _rules(kind: type[Any]) -> dict[str, Rule]:
    hints = get_type_hints(kind, include_extras=True)
    told = ((one.name, rule) for one in fields(kind) for rule in get_args(hints[one.name])[1:])
    return {name: rule for name, rule in told if isinstance(rule, Rule)}

"""The base of all facts, and checks that the facts in a file are possible and consistent."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Self, get_args

from evenfold.core.checks import refuse, short_repr
from evenfold.core.inputs import Side
from evenfold.core.json import build, parse_schema_object, to_plain, write_json
from evenfold.core.losses import HasQuantity, measure_name
from evenfold.core.words import precision


class PlainFacts(HasQuantity):
    """Facts about one quantity; each subclass has its own schema."""

    __slots__ = ()

    schema: ClassVar[int | str]
    earlier: ClassVar[tuple[int | str, ...]] = ()
    """Schemas of earlier versions whose files are still read."""
    derived: ClassVar[tuple[str, ...]] = ()

    @property
    def measure_words(self) -> str:
        """The name of the measure in words, with its class and whether it is weighted."""
        return measure_name(self.quantity)

    def to_plain(self) -> dict[str, Any]:
        """Return all facts as values of JSON; NaN and infinities are strings."""
        return {
            "evenfold": self.schema,
            "measure": self.measure,
            "measure_words": self.measure_words,
            "lower_is_better": self.lower_is_better,
            **to_plain(self),
        }

    def to_json(self) -> str:
        """Return all facts as JSON."""
        return write_json(self.to_plain())

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> Self:
        """Read facts that :meth:`to_json` wrote; anything else is refused in one line."""
        document = parse_schema_object(text, cls.schema, cls.earlier)
        facts = build(cls, document)
        # a file has these names twice: at the top for readers, and in the quantity
        for name in ("measure", "lower_is_better"):
            if document.get(name, getattr(facts, name)) != getattr(facts, name):
                refuse(
                    f"facts.{name}",
                    f"facts.{name} must be that of its quantity ({getattr(facts, name)!r}) but got "
                    f"{short_repr(document[name])}.",
                )
        return facts

    def require_question(self, where: str) -> None:
        """Refuse an impossible question, if facts of this kind hold a question."""


def shared_digits(estimates: Iterable[Any]) -> int:
    """Return the number of decimals in a table, which the shortest interval decides."""
    return max((precision(each.value, each.low, each.high) for each in estimates), default=3)


# Checks that facts in a file are possible: probabilities lie between 0 and 1, and the lower end of
# an interval is not above the upper end.
#
# A name has one meaning in all facts, so every value is checked by the name of its field.


_CHANCES = frozenset(
    {
        "pvalue",
        "adjusted_pvalue",
        "probability",
        "null_probability",
        "level",
        "better",
        "same",
        "worse",
        "caught",
        "passed",
        "differ",
        "replicability",
        "a12",
    }
)
_COUNTS = frozenset(
    {"fits", "reused", "speculative", "n", "n_train", "n_test", "wins", "ties", "losses", "rank"}
)
_ENDS = (("low", "high"), ("predicted_low", "predicted_high"), ("a12_low", "a12_high"))
_SIDES = get_args(Side)
_LARGEST = 2**53  # floats represent every count up to here
AS_WRITTEN = "Was the file edited?"


def require_sense(facts: Any, where: str = "facts") -> None:
    """Refuse facts that cannot be the result of a comparison."""
    for field in fields(facts):
        value = getattr(facts, field.name)
        place = f"{where}.{field.name}"
        rule = _broken_rule(field.name, value)
        if rule is not None:
            refuse(place, f"{place} must be {rule} but got {short_repr(value)}.", AS_WRITTEN)
        for suffix, nested in _nested_facts(value):
            require_sense(nested, f"{place}{suffix}")
    _require_order(facts, where)
    if isinstance(facts, PlainFacts):
        facts.require_question(where)


def _broken_rule(name: str, value: Any) -> str | None:
    """Return the rule that the value of a field breaks, or None."""
    if name in _CHANCES and isinstance(value, float) and (value < 0 or value > 1):
        return "a number from 0 to 1"
    if name == "level" and not (isinstance(value, float) and 0 < value < 1):
        return "a number between 0 and 1"
    if name == "margin" and isinstance(value, float) and not 0 <= value < math.inf:
        return "a finite number ≥ 0"
    if name == "alternative" and value not in _SIDES:
        return f"one of {', '.join(_SIDES)}"
    if name in _COUNTS and isinstance(value, int) and not 0 <= value <= _LARGEST:
        return "a count"
    return None


def _nested_facts(value: Any) -> Iterable[tuple[str, Any]]:
    """Return the facts in a value, each with the suffix of its place in the file."""
    if is_dataclass(value):
        return [("", value)]
    if isinstance(value, tuple):
        return [(f"[{i}]", item) for i, item in enumerate(value) if is_dataclass(item)]
    return []


def _require_order(facts: Any, where: str) -> None:
    for low, high in _ENDS:
        bottom = getattr(facts, low, None)
        top = getattr(facts, high, None)
        if bottom is not None and top is not None and bottom > top:
            refuse(
                f"{where}.{low}",
                f"{where}.{low} must be at most {high} ({top:g}) but got {short_repr(bottom)}.",
                AS_WRITTEN,
            )


def require_same(names: Iterable[str], facts: Any, computed: Any, where: str) -> None:
    """Refuse facts in a file if these attributes differ from those computed from its estimates."""
    for name in names:
        value = getattr(facts, name)
        expected = getattr(computed, name)
        if not _is_same(value, expected):
            refuse(
                f"{where}.{name}",
                f"{where}.{name} must agree with the estimates and losses in the same file, which "
                f"give {short_repr(expected)}, but it is {short_repr(value)}.",
                AS_WRITTEN,
            )


def _is_same(value: Any, expected: Any) -> bool:
    """Whether two values are equal; NaN equals NaN."""
    if isinstance(value, float) and isinstance(expected, float) and math.isnan(value):
        return math.isnan(expected)
    return bool(value == expected)


def require_table(name: str, rows: tuple[tuple[Any, ...], ...], shape: tuple[int, int]) -> None:
    """Refuse a table whose shape is not that of algorithms by splits."""
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        refuse(
            name,
            f"{name} must have {shape[0]} rows of {shape[1]} values but has another shape.",
        )

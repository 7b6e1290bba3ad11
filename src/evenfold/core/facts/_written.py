"""What facts of every kind can do: say what they are about, be written as JSON and be read again."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from evenfold.core.json.plain import build, of_schema, to_plain, written
from evenfold.core.measure import Measured
from evenfold.core.words import called


class Written(Measured):
    """Facts about one quantity, under a schema of their own."""

    __slots__ = ()

    schema: ClassVar[int | str]

    @property
    def measure_words(self) -> str:
        """What people call the measure, with its class and whether it is weighted."""
        return called(self.quantity)

    def to_plain(self) -> dict[str, Any]:
        """Return all facts as JSON has them; NaN and infinities are strings."""
        return {
            "evenfold": self.schema,
            "measure": self.measure,
            "measure_words": self.measure_words,
            "lower_is_better": self.lower_is_better,
            **to_plain(self),
        }

    def to_json(self) -> str:
        """Return all facts as JSON."""
        return written(self.to_plain())

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_json` wrote; anything else is refused in one line."""
        return build(cls, of_schema(text, cls.schema))

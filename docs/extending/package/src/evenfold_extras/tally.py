"""A reader of your own: a line for each algorithm, its name and a digit for each answer."""

import re
from typing import Any

from evenfold.extend import LongTable, Reader, ReadingOptions, register_reader


@register_reader
class Tally(Reader):
    """Lines such as ``main 1101``: 1 is right, 0 is wrong, and every place is an example."""

    key = "tally"
    takes = "a text of lines, each a name and a row of 0 and 1"

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        """Look at the text only."""
        return isinstance(table, str) and re.fullmatch(r"(\w+ [01]+(\n|$))+", table) is not None

    def read(self, table: Any, options: ReadingOptions) -> LongTable:  # noqa: ARG002  (one signature)
        """Return a row for each digit."""
        lines = dict(line.split() for line in table.splitlines())
        return LongTable(
            columns={
                "algorithm": [name for name, digits in lines.items() for _ in digits],
                "example": [place for digits in lines.values() for place in range(len(digits))],
                "value": [int(digit) for digits in lines.values() for digit in digits],
            },
            names=list(lines),
            higher_is_better=True,
        )

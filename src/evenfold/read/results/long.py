"""Long frames of any library: one row per value, with columns that say of which algorithm and what varied."""

from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.inputs.results import IDS
from evenfold.read.results._base import ROWS, Given, Long, Reader, register
from evenfold.read.results._frames import as_frame, by_role, is_measured


@register
class LongFrame(Reader):
    """A frame with a column ``algorithm``."""

    key = "long"
    takes = "a long frame with a column 'algorithm'"

    def knows(self, table: Any, given: Given) -> bool:
        frame = as_frame(table)
        return frame is not None and given.name("algorithm") in frame.columns

    def read(self, table: Any, given: Given) -> Long:
        frame = as_frame(table)
        columns: dict[str, Any] = dict(by_role(frame, given))
        if not is_measured(columns):
            names = ", ".join(map(repr, frame.columns[:8]))
            refuse("table", "one with a column 'value' or with 'truth' and 'prediction'", names, _REMEDY)
        if not any(role in columns for role in IDS):
            refuse("table", f"one that says what varied ({', '.join(IDS)})", "no such column", _ids(given))
        return Long(columns=columns)


_REMEDY = "map other names by columns={'value': 'score'}"


def _ids(given: Given) -> str:
    return "rows= is for tables without a column 'algorithm'" if given.rows in ROWS else "add ids"

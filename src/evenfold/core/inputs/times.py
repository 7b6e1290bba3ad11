"""Times as texts: those that sort as time goes, and those that only look so."""

import re
from collections.abc import Sequence

from evenfold.core.checks import refuse

_DAY_FIRST = re.compile(r"\s*\d{1,2}\s*[/.\-]\s*\d{1,2}\s*[/.\-]\s*\d{2,4}(?!\d).*", re.DOTALL)
_MONTHS = re.compile(r"(?i)(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)")
_DIGITS = re.compile(r"(\d+)")
_RULE = "integers or texts that sort as time goes, as ISO dates such as 2024-01-31 do,"


def require_order(role: str, labels: Sequence[str]) -> None:
    """
    Refuse texts of times whose alphabetical order is not that of time.

    Examples
    --------
    >>> require_order("time", ["2024-01-31", "2024-02-01"])
    >>> require_order("time", ["1/2/2024", "31/1/2024"])
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: column 'time' must be integers or texts that sort as time goes, as ISO
    dates such as 2024-01-31 do, but got '1/2/2024'; write ISO dates, or number the times
    """
    for label in labels:
        if _DAY_FIRST.fullmatch(label) or _MONTHS.search(label):
            refuse(f"column {role!r}", _RULE, label, "write ISO dates, or number the times")
    before = sorted(labels)
    counted = sorted(labels, key=_as_counted)
    odd = next((one for one, other in zip(before, counted, strict=True) if one != other), None)
    if odd is not None:
        refuse(
            f"column {role!r}", _RULE, odd, "write numbers in them with as many digits, or number the times"
        )


def _as_counted(label: str) -> list[tuple[int, str]]:
    """The order in which people count: 9 before 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(label) if part]

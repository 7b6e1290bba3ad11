"""The calibration card of a method, which holds the lab's measurements, in words and as a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.words import one_line

Row = Mapping[str, Any]


def summary(card: Mapping[str, Any] | None) -> str:
    """
    Return a sentence about the error rate and power of a method on the populations of its card.

    Examples
    --------
    >>> row = {"population": "toy", "size": 0.06, "size_se": 0.005, "power": 0.4, "coverage": 0.94}
    >>> summary({"level": 0.05, "measured": [row]})
    'real error .060 at .05 on one population; power .40; coverage .940'
    """
    if card is None:
        return "not measured yet"
    rows: Sequence[Row] = card["measured"]
    worst = max(rows, key=lambda row: row["size"])
    where = "on one population"
    if len(rows) > 1:
        where = (
            f"on {len(rows)} populations, most on {worst['population']} (± "
            f"{_decimals(worst['size_se'], 3)})"
        )
    parts = [f"real error {_range(rows, 'size', 3)} at {_decimals(card['level'], 2)} {where}"]
    parts += [
        f"{name} {_range(rows, name, digits)}"
        for name, digits in (("power", 2), ("coverage", 3))
        if any(row.get(name) is not None for row in rows)
    ]
    if worst_class := max(classes(card), key=lambda row: row["size"], default=None):
        error = f"{_decimals(worst_class['size'], 3)} (± {_decimals(worst_class['size_se'], 3)})"
        parts.insert(1, f"up to {error} for {worst_class['name']}")
    return "; ".join(parts)


def classes(card: Mapping[str, Any] | None) -> Sequence[Row]:
    """Return the classes of questions where a method is known to fail, each with its worst pair."""
    rows: Sequence[Row] = () if card is None else card.get("classes", ())
    return rows


def table(card: Mapping[str, Any]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """
    Return the headings and the rows of the table.

    There is a row for each population, and a row for the worst pair of each class of questions in
    which the method is known to fail. Every share has its Monte Carlo standard error.
    """
    headings = ("population", "n", "data sets", "real error", "power", "coverage", "fits")
    worst = [
        (
            f"worst of {row['name']}",
            str(row["n"]),
            str(row["replications"]),
            _format_with_error(row, "size"),
            *["–"] * 3,
        )
        for row in classes(card)
    ]
    populations = [
        (
            row["population"],
            str(row["n"]),
            str(row["replications"]),
            _format_with_error(row, "size"),
            _format_with_error(row, "power"),
            _format_with_error(row, "coverage"),
            f"{row['fits']:.0f}",
        )
        for row in card["measured"]
    ]
    return headings, [*populations, *worst]


def _format_with_error(row: Row, name: str) -> str:
    if row.get(name) is None:
        return "–"
    return f"{_decimals(row[name], 3)} ± {_decimals(row[f'{name}_se'], 3)}"


def _range(rows: Sequence[Row], name: str, digits: int) -> str:
    values = [row[name] for row in rows if row.get(name) is not None]
    low = _decimals(min(values), digits)
    high = _decimals(max(values), digits)
    if low == high:
        return low
    return f"{low} to {high}"


def _decimals(value: float, digits: int) -> str:
    """Return a share without its leading zero, as is usual in tables."""
    text = f"{value:.{digits}f}"
    if value < 1:
        return text.removeprefix("0")
    return text


def require_card(card: Mapping[str, Any] | None) -> None:
    """Refuse a card from a file if no report could show it."""
    if card is None:
        return
    try:
        summary(card)
        table(card)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError) as reason:
        refuse(
            None,
            "facts.method.card must be a calibration table as the lab writes it but reading it "
            f"failed with {type(reason).__name__}: {one_line(reason)[:60]}.",
        )

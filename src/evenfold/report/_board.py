"""The tables of a leaderboard as plain strings, which every format then writes in its own way."""

from evenfold.core.facts.board import BoardEntry, BoardFacts
from evenfold.core.words import count, format_confidence, format_number, interval, one_line
from evenfold.report._content import Column, Grid, number, table, text


def board_grid(facts: BoardFacts, *, whole: bool = False) -> Grid:
    """
    Return the ranked list: value with interval, rank set, tier.

    All that is known where ``whole``.
    """
    digits = facts.digits
    columns = [
        number("rank", lambda one: str(one.rank)),
        text("model", lambda one: one_line(one.name)),
        number(one_line(facts.measure_words), lambda one: format_number(one.value, digits=digits)),
        number(
            f"{format_confidence(facts.level)} CI",
            lambda one: interval(one.low, one.high, digits=digits),
        ),
        number("true rank", lambda one: _span(one.first, one.last)),
        number("tier", lambda one: str(one.tier)),
        text("ties", lambda one: one.ties),
        text("may be best", lambda one: "yes" if one.among_best else "no"),
    ]
    if whole:
        columns += _more_columns(facts)
    return table(board_caption(facts), columns, facts.entries)


def _more_columns(facts: BoardFacts) -> list[Column]:
    further = [number("rank on a further task", _further_ranks)] if facts.tasks else []
    return [
        number("true rank alone", lambda one: _span(one.marginal_first, one.marginal_last)),
        *further,
        number("battles" if not facts.tasks else "tasks", lambda one: str(one.count)),
    ]


def _further_ranks(one: BoardEntry) -> str:
    if one.further_first is None or one.further_last is None:
        return _span(None, None)
    return f"{one.further_first:g} to {one.further_last:g}"


def _span(first: int | None, last: int | None) -> str:
    return "–" if first is None else f"{first} to {last}"


def board_caption(facts: BoardFacts) -> str:
    """Say how the table is to be read."""
    return (
        f"True ranks and intervals are simultaneous {format_confidence(facts.level)} confidence "
        "sets, "
        f"for {facts.about}. "
        "Models that share a letter are tied, and so are all models of a tier."
    )


def pairs_resolved(facts: BoardFacts) -> str:
    """Say how many of all pairs were decided."""
    models = len(facts.entries)
    pairs = models * (models - 1) // 2
    return f"{sum(map(len, facts.beats))} of {count(pairs, 'pair')}"

"""What a leaderboard hands back: ranks with their certainty, and every form to show them in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenfold.comparison.result import Shown, write_if_path
from evenfold.core.checks import one_of
from evenfold.core.facts.board import BoardEntry, BoardFacts, require_board
from evenfold.core.json import read


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class Board(Shown):
    """
    A leaderboard that says what is resolved.

    Attributes
    ----------
    facts : BoardFacts
        Everything a report says, as one plain value.

    Examples
    --------
    Print it, ask ``ranking``, ``tiers`` and ``resolved``, draw it with ``plot``, write it with
    ``to_html``.
    """

    facts: BoardFacts

    @property
    def ranking(self) -> tuple[BoardEntry, ...]:
        """The models, the best first: value with interval, rank set, tier, letters of ties."""
        return self.facts.entries

    @property
    def best_set(self) -> tuple[str, ...]:
        """The models that may be the best."""
        return tuple(one.name for one in self.facts.entries if one.among_best)

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The models by tier: models of one tier are tied."""
        last = max(one.tier for one in self.facts.entries)
        return tuple(
            tuple(one.name for one in self.facts.entries if one.tier == tier)
            for tier in range(1, last + 1)
        )

    @property
    def resolved(self) -> int:
        """How many neighbours were shown to differ."""
        return self.facts.resolved

    @property
    def sentence(self) -> str:
        """What is resolved, in words."""
        return self.facts.sentence

    def plot(self, kind: str | None = None, *, a: str | None = None, b: str | None = None) -> Any:
        """
        Return a matplotlib figure.

        Parameters
        ----------
        kind : {"ranks", "tiers", "wins", "scatter"}, optional
            Rank intervals, tiers, who won how often against whom, or model a against model b on
            every task; ranks and tiers if not said.
        a, b : str, optional
            The models of a scatter; the first and the second of the board if not said.
        """
        from evenfold.report.figures.board import board_figure

        names = self.facts.algorithms
        one = one_of("a", a or names[0], names)
        other = one_of("b", b or names[1], names)
        return board_figure(self.facts, kind, (one, other))

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all facts as JSON, and write it to ``path`` if given."""
        return str(write_if_path(self.facts.to_json(), path))

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> "Board":
        """Read back what :meth:`to_json` wrote; anything else is refused in one line."""
        facts = BoardFacts.from_json(text if isinstance(text, Mapping) else read(text))
        require_board(facts)
        return cls(facts=facts)

    def __repr__(self) -> str:
        facts = self.facts
        return f"<Board: {len(facts.entries)} models, {facts.resolved} neighbouring pairs resolved>"

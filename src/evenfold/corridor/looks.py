"""Looking at a run while it grows: at every look every pair is judged on all repetitions so far."""

from collections.abc import Sequence
from typing import Any

from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Estimate
from evenfold.core.facts.comparison import Look
from evenfold.core.losses import Losses
from evenfold.corridor.answer import Found, Names, Rule, estimated, limits, settled
from evenfold.corridor.said.notes import noted
from evenfold.run import Run


class Watch:
    """
    The tests of all pairs while a run grows; calling it says whether no pair is open any more.

    Each pair has its share of the level. ``found`` is the last estimate of every pair, ``said`` what was to
    be said of it; ``seen`` are all estimates. A pair that an earlier look decided is judged again at every
    look: what the last one does not confirm is not said.
    """

    def __init__(self, rule: Rule, pairs: Sequence[Names]) -> None:
        self.rule, self.pairs = rule, list(pairs)
        self.found: dict[Names, Found] = {}
        self.seen: dict[Names, list[tuple[int, Any]]] = {pair: [] for pair in pairs}
        self.said: dict[Names, dict[str, None]] = {}

    def __call__(self, so_far: Run) -> bool:
        return self.look(next(iter(so_far.values())))

    def look(self, losses: Losses) -> bool:
        """Judge all pairs on all repetitions, and say whether each is decided or out of reach."""
        level = self.rule.asked.share(len(self.pairs))
        m = len(losses.partition) // 2
        for pair in self.pairs:
            self.said[pair] = {}
            with noted(self.said[pair]):
                found = estimated(losses, pair, self.rule, level, self.found.get(pair))
            self.found[pair] = found
            if not isinstance(found, NotApplicable):
                self.seen[pair].append((m, found))
        return not any(self._open(found, losses) for found in self.found.values())

    def _open(self, found: Any, losses: Losses) -> bool:
        return not isinstance(found, NotApplicable) and not settled(found, self.rule, losses.quantity)

    @property
    def notes(self) -> list[str]:
        """What must be said of the last estimates."""
        return [note for said in self.said.values() for note in said]

    def path(self, pair: Names, level: float, last: Estimate) -> tuple[Look, ...]:
        """The interval at every look, at the level that the pair was left; at the last that of the answer."""
        own = self.rule.asked.of_method(level)
        *earlier, (end, _) = self.seen[pair]
        looks = []
        for m, found in [*((m, found.at(own)) for m, found in earlier), (end, last)]:
            value, low, high = limits(found)
            looks.append(Look(m=m, value=value, low=low, high=high))
        return tuple(looks)


def replayed(losses: Losses, rule: Rule, pairs: Sequence[Names]) -> Watch:
    """Look at a finished run as if it grew, up to its last repetition."""
    watch = Watch(rule, pairs)
    for m in (look for look in rule.looks if 2 * look <= len(losses.partition)):
        watch.look(losses.only(slice(2 * m)))
    return watch

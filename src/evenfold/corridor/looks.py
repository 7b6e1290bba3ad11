"""Looking at a run while it grows: every pair is judged once at every look, until its test has stopped."""

from collections.abc import Sequence
from typing import Any

from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.comparison import Look
from evenfold.core.losses import Losses
from evenfold.corridor.answer import Found, Names, Rule, estimated, limits, settled
from evenfold.corridor.said.notes import noted
from evenfold.run import Run


class Watch:
    """
    The tests of all pairs while a run grows; calling it says whether all have stopped.

    Each pair has its share of the level. ``found`` is the last estimate of every pair, ``said`` what was to
    be said of it; ``seen`` are all estimates.
    """

    def __init__(self, rule: Rule, pairs: Sequence[Names]) -> None:
        self.rule, self.pairs = rule, list(pairs)
        self.found: dict[Names, Found] = {}
        self.seen: dict[Names, list[tuple[int, Any]]] = {pair: [] for pair in pairs}
        self.said: dict[Names, dict[str, None]] = {}
        self._stopped: set[Names] = set()

    def __call__(self, so_far: Run) -> bool:
        return self.look(next(iter(so_far.values())))

    def look(self, losses: Losses) -> bool:
        """Judge the pairs that are still open, and say whether any is open yet."""
        level = self.rule.asked.share(len(self.pairs))
        for pair in (one for one in self.pairs if one not in self._stopped):
            self.said[pair] = {}
            with noted(self.said[pair]):
                found = estimated(losses, pair, self.rule, level, self.found.get(pair))
            self._take(pair, found, losses)
        return len(self._stopped) == len(self.pairs)

    def _take(self, pair: Names, found: Any, losses: Losses) -> None:
        self.found[pair] = found
        if isinstance(found, NotApplicable):
            self._stopped.add(pair)
            return
        self.seen[pair].append((len(losses.partition) // 2, found))
        if settled(found, self.rule, losses.quantity):
            self._stopped.add(pair)

    @property
    def notes(self) -> list[str]:
        """What must be said of the last estimates."""
        return [note for said in self.said.values() for note in said]

    def path(self, pair: Names, level: float) -> tuple[Look, ...]:
        """The interval at every look, at the level that the pair was left."""
        looks = []
        for m, found in self.seen.get(pair, ()):
            value, low, high = limits(found.at(self.rule.asked.of_method(level)))
            looks.append(Look(m=m, value=value, low=low, high=high))
        return tuple(looks)


class Race(Watch):
    """
    The tests of all pairs while a run grows in which only the best is asked for.

    An algorithm that some other was shown to beat is out: ``out`` says after how many repetitions. It gets no
    more of them, and its pairs stay as they were then. Calling it says whether one is left, or nothing open.
    """

    def __init__(self, rule: Rule, pairs: Sequence[Names]) -> None:
        super().__init__(rule, pairs)
        self.out: dict[str, int] = {}

    def look(self, losses: Losses) -> bool:
        """Judge the pairs of those that are left, and leave out who is beaten."""
        before = {pair: (self.found[pair], self.said[pair]) for pair in self.pairs if self._is_over(pair)}
        over = super().look(losses)
        for pair, (found, said) in before.items():
            self.found[pair] = found
            self.said[pair] = said
        m = len(losses.partition) // 2
        for name in self._beaten(losses):
            self.out.setdefault(name, m)
        return over or len(self.out) == len(losses.algorithms) - 1

    def _is_over(self, pair: Names) -> bool:
        return any(name in self.out for name in pair)

    def _beaten(self, losses: Losses) -> list[str]:
        """The loser of every pair whose test rejects at its share of the level."""
        level = self.rule.asked.share(len(self.pairs))
        losers = []
        for a, b in self.pairs:
            found = self.found[a, b]
            if a is None or self._is_over((a, b)) or not isinstance(found, TestEstimate):
                continue
            if float(found.pvalue) <= level and not found.undecided:
                losers.append(a if losses.quantity.improvement(float(found.value)) > 0 else b)
        return losers

    def leave_out(self, _: Run) -> tuple[str, ...]:
        """Name who gets no more repetitions."""
        return tuple(self.out)


def watch_of(rule: Rule, pairs: Sequence[Names]) -> Watch:
    """Return what looks at a growing run: a race where only the best is asked for."""
    return Race(rule, pairs) if rule.asked.races else Watch(rule, pairs)


def replayed(losses: Losses, rule: Rule, pairs: Sequence[Names]) -> Watch:
    """Look at a finished run as if it grew."""
    watch = watch_of(rule, pairs)
    for m in (look for look in rule.looks if 2 * look <= len(losses.partition)):
        if watch.look(losses.only(slice(2 * m))):
            break
    return watch

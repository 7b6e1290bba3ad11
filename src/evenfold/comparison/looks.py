"""Looking at a run while it grows: at every look every pair is judged on all repetitions so far."""

from collections.abc import Sequence
from typing import Any

from evenfold.comparison.answer import DecisionRule, Found, Names, estimate_pair, is_settled, limits
from evenfold.comparison.wording.notes import collect_notes
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.comparison import Look
from evenfold.core.losses import Losses
from evenfold.run import Run


class Watch:
    """
    The tests of all pairs while a run grows; calling it says whether no pair is open any more.

    Each pair has its share of the level. ``found`` is the last estimate of every pair, ``said``
    what was to be said of it; ``seen`` are all estimates. A pair that an earlier look decided is
    judged again at every look: what the last one does not confirm is not said.
    """

    def __init__(self, rule: DecisionRule, pairs: Sequence[Names]) -> None:
        self.rule = rule
        self.pairs = list(pairs)
        self.found: dict[Names, Found] = {}
        self.seen: dict[Names, list[tuple[int, Any]]] = {pair: [] for pair in pairs}
        self.said: dict[Names, dict[str, None]] = {}

    def __call__(self, so_far: Run) -> bool:
        return self.look(next(iter(so_far.values())))

    def look(self, losses: Losses) -> bool:
        """Judge all pairs on all repetitions, and say whether each is decided or out of reach."""
        level = self.rule.criteria.share(len(self.pairs))
        m = len(losses.partition) // 2
        for pair in self.pairs:
            self.said[pair] = {}
            with collect_notes(self.said[pair]):
                found = estimate_pair(losses, pair, self.rule, level, self.found.get(pair))
            self.found[pair] = found
            if not isinstance(found, NotApplicable):
                self.seen[pair].append((m, found))
        return not any(self._is_open(found, losses) for found in self.found.values())

    def _is_open(self, found: Any, losses: Losses) -> bool:
        return not isinstance(found, NotApplicable) and not is_settled(
            found, self.rule, losses.quantity
        )

    @property
    def notes(self) -> list[str]:
        """What must be said of the last estimates."""
        return [note for said in self.said.values() for note in said]

    def path(self, pair: Names, level: float, last: tuple[float, float, float]) -> tuple[Look, ...]:
        """
        The interval at every look, at the level that the pair was left.

        At the last that of the answer.
        """
        own = self.rule.criteria.of_method(level)
        *earlier, (end, _) = self.seen[pair]
        numbers = [(m, limits(found.at(own))) for m, found in earlier]
        return tuple(
            Look(m=m, value=v, low=low, high=high) for m, (v, low, high) in [*numbers, (end, last)]
        )


class Race(Watch):
    """
    The tests of all pairs while a run grows in which only the best is asked for.

    An algorithm that some other was shown to beat is out: ``out`` says after how many repetitions.
    It gets no more of them, and its pairs stay as they were then. Calling it says whether one is
    left, or nothing open.
    """

    def __init__(self, rule: DecisionRule, pairs: Sequence[Names]) -> None:
        super().__init__(rule, pairs)
        self.out: dict[str, int] = {}

    def look(self, losses: Losses) -> bool:
        """Judge the pairs of those that are left, and leave out who is beaten."""
        before = {
            pair: (self.found[pair], self.said[pair]) for pair in self.pairs if self._is_over(pair)
        }
        over = super().look(losses)
        for pair, (found, said) in before.items():
            self.found[pair] = found
            self.said[pair] = said
        m = len(losses.partition) // 2
        for name in self._beaten_algorithms(losses):
            self.out.setdefault(name, m)
        return over or len(self.out) == len(losses.algorithms) - 1

    def _is_over(self, pair: Names) -> bool:
        return any(name in self.out for name in pair)

    def _beaten_algorithms(self, losses: Losses) -> list[str]:
        """The loser of every pair whose test rejects at its share of the level."""
        level = self.rule.criteria.share(len(self.pairs))
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


def watch_of(rule: DecisionRule, pairs: Sequence[Names]) -> Watch:
    """Return what looks at a growing run: a race where only the best is asked for."""
    if rule.criteria.races:
        return Race(rule, pairs)
    return Watch(rule, pairs)


def replay_looks(losses: Losses, rule: DecisionRule, pairs: Sequence[Names]) -> Watch:
    """Look at a finished run as if it grew, up to its last repetition."""
    watch = watch_of(rule, pairs)
    for m in (look for look in rule.looks if 2 * look <= len(losses.partition)):
        watch.look(losses.only(slice(2 * m)))
    return watch

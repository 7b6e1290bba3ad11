"""Which of several algorithms may be the best, and how good is the one that looks best."""

import math

from evenfold._compare.pairs import Asked, limits, within, without_warnings
from evenfold.core.errors import EvenfoldError
from evenfold.core.estimate import Estimate, TestEstimate
from evenfold.core.facts import Candidate
from evenfold.core.losses import Losses
from evenfold.infer import SequentialTest, estimate, jointly, methods


def candidates(losses: Losses, asked: Asked) -> tuple[Candidate, ...]:
    """
    Return every algorithm without a failure, the best value first; none for fewer than three.

    An algorithm is left out of the set of the best if a one-sided test says that some other is better. The
    tests against one algorithm share the level, those against different ones need not: the best is one, and
    only its own tests can wrongly leave it out. The intervals of the single algorithms hold together, so
    that of whichever looks best holds too.
    """
    failed = {failure.algorithm for failure in losses.failures}
    names = [name for name in losses.algorithms if name not in failed]
    if len(names) < 3:
        return ()
    with without_warnings():
        level = _single_level(losses, names, asked)
        found = [
            _candidate(losses, name, [other for other in names if other != name], asked, level)
            for name in names
        ]
    return tuple(sorted(found, key=lambda one: one.value if losses.lower_is_better else -one.value))


def _candidate(losses: Losses, name: str, others: list[str], asked: Asked, level: float) -> Candidate:
    value, low, high = _alone(losses, name, asked, level)
    pvalue = _pvalue(losses, name, others, asked)
    return Candidate(
        name=name,
        value=value,
        low=low,
        high=high,
        level=level,
        pvalue=pvalue,
        among_best=None if pvalue is None else pvalue > asked.level,
    )


def _pvalue(losses: Losses, name: str, others: list[str], asked: Asked) -> float | None:
    """P-value of "this one is the best": small if some other is better beyond chance."""
    side = "less" if losses.lower_is_better else "greater"
    try:
        tests = [
            estimate(
                losses,
                asked.method,
                challenger=other,
                baseline=name,
                alternative=side,
                level=asked.level / len(others),
                most=asked.most,
            )
            for other in others
        ]
    except EvenfoldError:  # two-sided tests only, or a level that a sequential test was not calibrated for
        return None
    smallest = min((float(test.pvalue) for test in tests if isinstance(test, TestEstimate)), default=None)
    if smallest is None:
        return None
    if not methods()[asked.method].joint:
        return min(1.0, len(others) * smallest)
    joint = jointly(losses, asked.method, [(name, other) for other in others], alternative=side)
    return joint.overall(smallest)


def _single_level(losses: Losses, names: list[str], asked: Asked) -> float:
    """Return the level of each interval at which all hold together."""
    if not methods()[asked.method].joint:
        return asked.level / len(names)
    return jointly(losses, asked.method, [(None, name) for name in names]).per_test(asked.level)


def _alone(losses: Losses, name: str, asked: Asked, level: float) -> tuple[float, float, float]:
    values = losses.values[losses.index(name)]
    try:
        if asked.most is not None:
            # The intervals of all looks hold together, so the last one does whenever the run has stopped.
            # About its own mean a test goes on to the last look.
            test = SequentialTest(
                M=asked.most, null=float(values.mean()), level=level, values=values.reshape(-1, 2)
            )
            own: Estimate = test.estimate
        else:
            own = estimate(losses, asked.method, challenger=name, baseline=None, level=level)
        return limits(within(own, losses, alone=True))
    except EvenfoldError:  # a method that only compares
        return float(values.mean()), -math.inf, math.inf

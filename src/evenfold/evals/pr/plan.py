"""Plans of the checks of a pull request: margins, chances to pass, and numbers of items."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evenfold.core.checks import number, refuse
from evenfold.core.note import Note, note
from evenfold.evals.pr import api
from evenfold.evals.pr.config import Check, Configuration, read_configuration
from evenfold.infer.planning import enough_limit, passes_within, power_of_gate


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class CheckPlan:
    """
    The plan of one check, or of one of its benchmarks, with the items or runs that it has.

    Attributes
    ----------
    name : str
        The check, and the benchmark.
    items : int or None
        The number of items. It is None for measured times, which have runs instead.
    margin, wished : float
        The margin of the check, and the margin that the user wishes for.
    passes : float
        How often a candidate whose true difference is 0 passes with the check's margin.
    enough_margin : float
        About the smallest margin with which 80% of such candidates pass.
    times : float
        How many times as many items the wished margin needs for the same.
    """

    name: str
    items: int | None
    margin: float
    wished: float
    passes: float
    enough_margin: float
    times: float

    @property
    def said(self) -> Note:
        """The plan as a sentence."""
        names = ("name", "items", "margin", "wished", "passes", "enough_margin", "times")
        return note("check-plan", **{name: getattr(self, name) for name in names})

    def __str__(self) -> str:
        return str(self.said)


def plan_gate(path: Path, *, margin: float = 0.0) -> tuple[CheckPlan, ...]:
    """
    Plan every check of a configuration from the files that it names.

    ``margin`` is the margin that the user wishes for; by default it is that of each check.
    """
    wished = number("margin", margin, low=0)
    configuration = read_configuration(path)
    return tuple(
        plan for check in configuration.checks for plan in _plans(check, configuration, wished)
    )


def _plans(check: Check, configuration: Configuration, wished: float) -> Iterator[CheckPlan]:
    level = configuration.level_of(check)
    sides = api.files_of(check, configuration.folder)
    if not all(sides.values()):
        missing = check.base if not sides[api.BASE] else check.head
        refuse(
            None,
            "A plan needs the results of a base and of any head, but there is no file "
            f"{missing} of check {check.name!r}.",
        )
    changes = api.changes_of_times(check, configuration.folder, level, sides)
    if changes is None:
        yield _plan_of_table(check, level, sides, wished)
        return
    for finding in api.findings_of_times(changes):
        if not finding.low > 0:
            continue
        half_width = (math.log(finding.high) - math.log(finding.low)) / 2
        error = finding.level
        limit = math.log1p(finding.margin)
        target = math.log1p(wished) if wished else limit
        enough = enough_limit(half_width, error)
        yield CheckPlan(
            name=f"{check.name}, {finding.name}",
            items=None,
            margin=finding.margin,
            wished=wished or finding.margin,
            passes=passes_within(half_width, limit, error),
            enough_margin=math.expm1(enough),
            times=max(1.0, (enough / target) ** 2) if target else math.inf,
        )


def _plan_of_table(
    check: Check, level: float, sides: dict[str, list[Path]], wished: float
) -> CheckPlan:
    answer = api.answer_of_table(check, sides, level)
    pair = answer.pairs[0]
    limits = (pair.value, pair.low, pair.high)
    power = power_of_gate(pair.estimate, limits, check.margin, pair.level)
    if power is None:
        refuse(
            None,
            f"Check {check.name!r} cannot be planned, because the power of its method, "
            f"{answer.facts.method.key}, is not known.",
        )
    target = replace(power, margin=wished or check.margin)
    return CheckPlan(
        name=check.name,
        items=answer.facts.design.n,
        margin=check.margin,
        wished=target.margin,
        passes=power.passes(),
        enough_margin=power.enough_margin(),
        times=target.enough_examples(),
    )

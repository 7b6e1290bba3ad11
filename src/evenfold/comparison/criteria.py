"""What is asked of every pair, checked, and how a run that is kept was judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from evenfold.core.checks import Advice, fraction, number, one_of, refuse, short_repr
from evenfold.core.estimate import ALTERNATIVES
from evenfold.core.json import BEHIND
from evenfold.core.losses import Quantity
from evenfold.infer.adjust import ADJUSTMENTS
from evenfold.infer.family import NOT_WORSE, Family, Names, which_pairs
from evenfold.infer.halves.stable import REPLICABILITY, check_replicability

SIDES = (*ALTERNATIVES, NOT_WORSE)
MOST_LEVEL = 0.5


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Criteria(Family):
    """
    The checked arguments of :func:`evenfold.compare` that say what is asked of every pair.

    The method is empty until one is chosen, and there are no pairs until the algorithms are known:
    set both before the family is asked anything.
    """

    method: str = field(default="", metadata={BEHIND: True})
    pairs: tuple[Names, ...] = field(default=(), metadata={BEHIND: True})
    most: int | None = field(default=None, metadata={BEHIND: True})
    baseline: str | None = None
    replicability: float = REPLICABILITY
    power_at: float | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.method_options, Mapping | None):
            refuse(
                "method_options",
                "method_options must be a mapping of names to values but got "
                f"{short_repr(self.method_options)}.",
            )
        if self.power_at is not None and number("power_at", self.power_at, low=0) == 0:
            refuse("power_at", f"power_at must be above 0 but got {short_repr(self.power_at)}.")
        one_of("adjust", self.adjust, ADJUSTMENTS)
        if str(self.alternative).lower().replace("-", "").startswith("noninferior"):
            refuse(
                "alternative",
                f"alternative must be one of {', '.join(map(repr, SIDES))} but got "
                f"{short_repr(self.alternative)}.",
                Advice("Pass ", {"alternative": NOT_WORSE}, ", the test of non-inferiority."),
            )
        one_of("alternative", self.alternative, SIDES)
        number("margin", self.margin, low=0)
        if str(self.level) in ("0.8", "0.9", "0.95", "0.99"):
            level = float(f"{1 - self.level:.2g}")
            refuse(
                "level",
                f"level must be a number between 0 and {MOST_LEVEL:g} but got "
                f"{short_repr(self.level)}.",
                Advice("Pass ", {"level": level}, f" for a confidence of {self.level:g}."),
            )
        fraction("level", self.level, high=MOST_LEVEL)
        if self.not_worse and self.level > MOST_LEVEL / 2:
            refuse(
                "level",
                f"level must be at most {MOST_LEVEL / 2} with alternative='{NOT_WORSE}' "
                f"but got {short_repr(self.level)}.",
            )
        check_replicability(self.replicability)

    @property
    def is_gate(self) -> bool:
        """Whether a gate is asked for: by a margin, by the question "not worse?" or by a drop."""
        return self.power_at is not None or bool(self.margin) or self.not_worse

    def level_of_method(self, level: float) -> float:
        """The level that a method is asked for where a pair has this one."""
        if self.not_worse:
            return 2 * level
        return level

    def with_pairs_of(self, algorithms: Sequence[str]) -> Self:
        """Return the criteria with the pairs of these algorithms."""
        return replace(self, pairs=tuple(which_pairs(algorithms, self.baseline)))

    def check_margin(self, quantity: Quantity) -> None:
        """
        Refuse a margin as wide as the range of the measure.

        Nothing is further apart than that.
        """
        if self.margin and self.margin >= quantity.width:
            refuse(
                "margin",
                f"margin must be below {quantity.width:g}, the range of measure "
                f"{quantity.name!r}, but got {short_repr(self.margin)}.",
                "Divide percentages by 100." if quantity.width == 1 else "",
            )

    def check_adjustment(self, algorithms: int) -> None:
        """Refuse an adjustment that cannot do so many algorithms, or needs other pairs."""
        ADJUSTMENTS[self.adjust].check("adjust", algorithms, baseline=self.baseline)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Judgement:
    """
    How a comparison judged its run, kept with it in a store.

    ``most`` is M where it might stop early.
    """

    methods: Mapping[str, str] = field(default_factory=dict)
    most: int | None = None
    asked: Criteria = field(default_factory=Criteria)

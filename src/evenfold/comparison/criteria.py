"""What is asked of every pair, checked, and how a run that is kept was judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evenfold.core.checks import Advice, fraction, number, one_of, refuse, short_repr
from evenfold.core.estimate import ALTERNATIVES
from evenfold.core.json import BEHIND
from evenfold.core.losses import Quantity
from evenfold.infer import Method, methods
from evenfold.infer.adjust import ADJUSTMENTS
from evenfold.infer.family import NOT_WORSE, Family, Names
from evenfold.infer.halves.stable import REPLICABILITY, check_replicability

SIDES = (*ALTERNATIVES, NOT_WORSE)
MOST_LEVEL = 0.5


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Criteria:
    """
    What is asked of every pair, as :func:`evenfold.compare` says it, checked.

    ``method`` is the test that answers, empty until one is chosen, and ``most`` its repetitions
    where it may stop early.
    """

    margin: float = 0.0
    level: float = 0.05
    alternative: str = "two-sided"
    adjust: str = "max-t"
    baseline: str | None = None
    replicability: float = REPLICABILITY
    power_at: float | None = None
    method_options: Mapping[str, Any] | None = None
    group: str | None = None
    method: str = field(default="", metadata={BEHIND: True})
    most: int | None = field(default=None, metadata={BEHIND: True})

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
    def not_worse(self) -> bool:
        """Whether both ends of an interval are bounds by themselves, each at the level."""
        return self.alternative == NOT_WORSE

    @property
    def is_gate(self) -> bool:
        """Whether a gate is asked for: by a margin, by the question "not worse?" or by a drop."""
        return self.power_at is not None or bool(self.margin) or self.not_worse

    @property
    def side(self) -> str:
        """The alternative that a method is asked for."""
        if self.not_worse:
            return "two-sided"
        return self.alternative

    def of_method(self, level: float) -> float:
        """The level that a method is asked for where a pair has this one."""
        if self.not_worse:
            return 2 * level
        return level

    def family(self, pairs: Sequence[Names]) -> Family:
        """Return the questions about these pairs, as inference takes them."""
        return Family(
            method=self.method,
            pairs=tuple(pairs),
            margin=self.margin,
            level=self.level,
            alternative=self.alternative,
            adjust=self.adjust,
            most=self.most,
            method_options=self.method_options,
        )

    @property
    def entry(self) -> Method:
        """What the registry says of the method."""
        return methods()[self.method]

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

    def criteria_with(self, **changed: Any) -> Criteria:
        """Return what was asked of every pair, or what is asked now where that is not None."""
        return replace(
            self.asked, **{name: value for name, value in changed.items() if value is not None}
        )

"""What a measure is about: the facts that words, intervals and methods ask it for."""

import math
from dataclasses import dataclass
from typing import Literal

PerExample = Literal["values", "outcomes", "placements", "none"]
Target = Literal["labels", "numbers", "any"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """
    What a measure measures, said by the measure itself.

    Attributes
    ----------
    name : str
        Its name in code, in stores and on the command line.
    lower_is_better : bool
        True for losses, False for scores.
    words : str
        What people call it: "error"; the name where nothing is given.
    low, high : float
        The range of its values, infinite where it has no end.
    target : {"labels", "numbers", "any"}
        What it can be asked of.
    per_example : {"values", "outcomes", "placements", "none"}
        What it gives per test example: values whose mean it is (a loss), counts of whose sums it is a smooth
        function (a score such as F1), values whose mean and variance stand for it (placements of a ranking),
        or nothing.
    counts_wrong : bool
        Whether its values are 1 where a prediction is wrong and 0 where it is right.
    right_or_wrong : bool
        Whether every value is 0 or 1: an answer is right or wrong, whichever of the two counts.
    of_the_mix : bool
        Whether it changes with the share of the positive class, as precision and F1 do and recall does not.
    positive : str
        The class it is about, in words; empty where all classes are alike.
    weighted : bool
        Whether examples were weighted.
    ratio : bool
        Whether its values are natural logarithms, as those of times are, and differences are said as ratios.
    unit : str
        What its values, or what their logarithms are of, are counted in.

    Examples
    --------
    >>> error = Quantity(name="zero-one", words="error", lower_is_better=True, low=0.0, high=1.0)
    >>> error.width, error.improvement(-0.02)
    (1.0, 0.02)
    """

    name: str
    lower_is_better: bool
    words: str = ""
    low: float = -math.inf
    high: float = math.inf
    target: Target = "any"
    per_example: PerExample = "none"
    counts_wrong: bool = False
    right_or_wrong: bool = False
    of_the_mix: bool = False
    positive: str = ""
    weighted: bool = False
    ratio: bool = False
    unit: str = ""

    def __post_init__(self) -> None:
        if not self.words:
            object.__setattr__(self, "words", self.name)

    @property
    def width(self) -> float:
        """The largest difference that two values can have."""
        return self.high - self.low

    @property
    def against(self) -> str:
        """How B is set against A."""
        return "B / A" if self.ratio else "B − A"

    @property
    def contrast(self) -> str:
        """The same in words, before those of the measure."""
        return "ratio of" if self.ratio else "difference in"

    @property
    def neutral(self) -> float:
        """What a report shows where A and B are alike."""
        return 1.0 if self.ratio else 0.0

    def improvement(self, difference: float) -> float:
        """How much better B is than A where its value differs by B − A."""
        return -difference if self.lower_is_better else difference

    def improvements(self, low: float, high: float) -> tuple[float, float]:
        """The least and the largest improvement where B − A lies between two ends."""
        return (-high, -low) if self.lower_is_better else (low, high)


class Measured:
    """Whatever is about one quantity."""

    __slots__ = ()

    quantity: Quantity

    @property
    def measure(self) -> str:
        """Name of the measure."""
        return self.quantity.name

    @property
    def lower_is_better(self) -> bool:
        """True for losses, False for scores."""
        return self.quantity.lower_is_better

"""Which examples the challenger fixed and which it broke."""

from dataclasses import dataclass
from typing import Any

from evenfold.core.note import note


@dataclass(frozen=True, kw_only=True, slots=True)
class Flips:
    """
    Right and wrong of B against A.

    Attributes
    ----------
    baseline, challenger : str
        A and B.
    fixed, broke : tuple
        The ids of examples that A gets wrong and B right, and of those that A gets right and B
        wrong.

    Examples
    --------
    >>> print(Flips(baseline="a", challenger="b", fixed=(3, 5), broke=(9,)))
    fixed 2, broke 1
    """

    baseline: str
    challenger: str
    fixed: tuple[Any, ...]
    broke: tuple[Any, ...]

    def __str__(self) -> str:
        return str(note("flips", fixed=len(self.fixed), broke=len(self.broke)))

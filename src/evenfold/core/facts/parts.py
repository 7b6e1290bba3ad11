"""What was found on parts of the examples: on the tasks of a benchmark, on slices of it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """
    One question on one part of the examples.

    Attributes
    ----------
    column, label : str
        The column that makes the parts, and which of its values this part has.
    baseline, challenger : str
        A and B.
    n : int
        Examples of the part.
    fixed, broke : int or None
        Answers that B got right and A wrong, and the other way round, where answers are right or wrong.
    value, low, high : float
        B − A in the measure's own units, and its interval at 1 − ``level``; NaN where it has none.
    level : float
        Error level of the interval, after adjustment for the number of parts.
    pvalue, adjusted_pvalue : float or None
        Of no difference.
    outcome : str
        What the interval decides.
    """

    column: str
    label: str
    baseline: str
    challenger: str
    n: int
    fixed: int | None
    broke: int | None
    value: float
    low: float
    high: float
    level: float
    pvalue: float | None
    adjusted_pvalue: float | None
    outcome: str

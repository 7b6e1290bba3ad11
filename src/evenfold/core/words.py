"""The one way numbers look in sentences, tables and figures."""

import math
from collections.abc import Iterable

_MOST_DIGITS = 6  # beyond, decimals are written as powers of ten
_MINUS = "−"


def decimals(width: float) -> int:
    """
    How many decimals tell values apart that an interval of this width holds: two digits of the width.

    Examples
    --------
    >>> decimals(0.072), decimals(0.0008), decimals(35.0), decimals(0.0)
    (3, 5, 0, 3)
    """
    if not (width > 0 and math.isfinite(width)):
        return 3
    return max(0, 1 - math.floor(math.log10(width)))


def shown(x: float, *, digits: int = 3) -> str:
    """
    Return a number with so many decimals, with a true minus sign; very small and large ones as powers of ten.

    Examples
    --------
    >>> shown(-0.0372), shown(0.00064, digits=5), shown(369.31, digits=0), shown(2.5e-9, digits=10)
    ('−0.037', '0.00064', '369', '2.5e−09')
    """
    if not math.isfinite(x):
        return str(x).replace("inf", "∞").replace("-", _MINUS)
    plain = digits <= _MOST_DIGITS and abs(x) < 1e7
    text = f"{x:.{digits}f}" if plain else f"{x:.2g}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", _MINUS)


def shown_together(values: Iterable[float], *, width: float) -> tuple[str, ...]:
    """
    Return numbers of one sentence in one precision, chosen by the width of their interval.

    Examples
    --------
    >>> shown_together([0.00102, 0.00064, 0.0014], width=0.00076)
    ('0.00102', '0.00064', '0.00140')
    """
    digits = decimals(width)
    return tuple(shown(value, digits=digits) for value in values)

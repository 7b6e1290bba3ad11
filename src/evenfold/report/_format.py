"""How numbers and names look, in one place."""

import math
import unicodedata
from collections.abc import Iterable

NONE = "–"


def places(*values: float) -> int:
    """
    Return how many decimals show the smallest of the values with two digits: 3 to 8, fewer if all are large.

    Examples
    --------
    >>> places(-0.0213, 0.034), places(0.00042), places(12.0), places(931.0, 2879.7)
    (3, 5, 2, 1)
    """
    sizes = [abs(x) for x in values if math.isfinite(x) and x != 0]
    if not sizes:
        return 3
    magnitude = math.floor(math.log10(min(sizes)))
    return min(max(1 - magnitude, 3 - max(magnitude, 0), 1), 8)


def number(x: float | None, decimals: int = 3) -> str:
    """
    Write a number with a real minus sign; a dash where there is none.

    Examples
    --------
    >>> number(-0.02134), number(float("nan")), number(float("-inf")), number(123456.7), number(1e-12)
    ('−0.021', '–', '−∞', '123457', '1e−12')
    """
    if x is None or math.isnan(x):
        return NONE
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x != 0 and (abs(x) >= 1e7 or abs(x) < 10.0**-decimals / 2):
        text = f"{x:.3g}"
    else:
        text = f"{x:.{_shorter(x, decimals)}f}"
    return text.replace("-", "−")


def _shorter(x: float, decimals: int) -> int:
    """Spend at most six digits: large numbers need no decimals."""
    before = len(str(int(abs(x))))
    return max(0, min(decimals, 6 - before)) if before > 2 else decimals


def interval(low: float, high: float, decimals: int = 3) -> str:
    """
    Write an interval, or its only finite limit.

    Examples
    --------
    >>> interval(-0.034, -0.008), interval(float("-inf"), 0.012), interval(0.5, float("inf"))
    ('−0.034 to −0.008', 'at most 0.012', 'at least 0.500')
    """
    if math.isnan(low) or math.isnan(high):
        return NONE
    if math.isinf(low):
        return "unbounded" if math.isinf(high) else f"at most {number(high, decimals)}"
    if math.isinf(high):
        return f"at least {number(low, decimals)}"
    return f"{number(low, decimals)} to {number(high, decimals)}"


def pvalue(p: float | None) -> str:
    """
    Write a probability that is small when it matters.

    Examples
    --------
    >>> pvalue(0.01342), pvalue(2e-9), pvalue(None)
    ('0.013', '< 0.001', '–')
    """
    if p is None or math.isnan(p):
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def probability(p: float | None) -> str:
    """
    Write a posterior probability, never rounded to certainty.

    Examples
    --------
    >>> probability(0.9871), probability(1 - 1e-9), probability(1e-9)
    ('0.987', '> 0.999', '< 0.001')
    """
    return "> 0.999" if p is not None and p > 0.999 else pvalue(p)


def percent(level: float) -> str:
    """
    Write the confidence that an error level leaves.

    Examples
    --------
    >>> percent(0.05), percent(0.05 / 3)
    ('95 %', '98.33 %')
    """
    return f"{100 * (1 - level):.4g} %"


def seconds(time: float) -> str:
    """
    Write a duration.

    Examples
    --------
    >>> seconds(0.0042), seconds(3.21), seconds(200), seconds(9000)
    ('4.2 ms', '3.2 s', '3 min 20 s', '2 h 30 min')
    """
    if math.isnan(time):
        return NONE
    if time < 1:
        return f"{1000 * time:.2g} ms" if time < 0.0995 else f"{1000 * time:.0f} ms"
    if time < 60:
        return f"{time:.1f} s"
    minutes, rest = divmod(round(time), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def count(n: int, one: str) -> str:
    """
    Write a number of things.

    Examples
    --------
    >>> count(1, "fit"), count(16, "fit"), count(12000, "fit")
    ('1 fit', '16 fits', '12 000 fits')
    """
    return f"{n:,} ".replace(",", " ") + (one if n == 1 else f"{one}s")


def listed(words: Iterable[str]) -> str:
    """
    Join words as a sentence does.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def one_line(name: str) -> str:
    r"""
    Make a name fit on a line: white space collapsed, control characters shown as a mark.

    Examples
    --------
    >>> one_line("a\n  b\x00")
    'a b�'
    """
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(name.split()))


def short(name: str, most: int = 22) -> str:
    """
    Cut a name that is too long for a figure, in the middle, where names differ least.

    Examples
    --------
    >>> short("GradientBoostingClassifier(max_depth=3)", 20)
    'GradientBo…x_depth=3)'
    """
    line = one_line(name)
    return line if len(line) <= most + 1 else f"{line[: most // 2]}…{line[len(line) - most // 2 :]}"


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(_columns(c) for c in text)


def _columns(c: str) -> int:
    if unicodedata.combining(c):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1

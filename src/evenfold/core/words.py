"""How numbers, shares, times and names are written in sentences, tables and figures."""

import math
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

NONE = "–"
_MINUS = "−"
_MOST_DECIMALS = 6  # beyond, small numbers are written as powers of ten
_LARGE = 1e7
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decimals(width: float) -> int:
    """
    Return how many decimals show two significant digits of the width of an interval.

    A negative number means that the last digits before the point are rounded. Without a width there
    are three decimals.

    Examples
    --------
    >>> decimals(0.072), decimals(0.0008), decimals(35.0), decimals(2e9), decimals(0.0)
    (3, 5, 0, -8, 3)
    """
    if not (width > 0 and math.isfinite(width)):
        return 3
    return 1 - _magnitude(width)


def precision(value: float, low: float, high: float, *, neutral: float = 0.0) -> int:
    """
    Return the decimals of a value and its interval in a sentence.

    They follow the width of the interval, or twice the distance to its only limit. Without a width
    they show two digits of the distance to ``neutral``, which is 1 for a ratio. Up to two more
    decimals are added so that no number other than ``neutral`` is rounded to it.

    Examples
    --------
    >>> (
    ...     precision(0.006, 0.0003, 0.0113),
    ...     precision(0.006, -1e-9, 0.012),
    ...     precision(0.002, -0.07, 0.07),
    ... )
    (4, 3, 3)
    >>> (
    ...     precision(0.021, 0.008, 0.034),
    ...     precision(0.5, 0.46, math.inf),
    ...     precision(0.00042, 0.00042, 0.00042),
    ... )
    (3, 3, 5)
    >>> precision(1.04, 1.04, 1.04, neutral=1.0)
    3
    """
    width = high - low
    if not math.isfinite(width):
        width = 2 * max(
            (abs(value - end) for end in (low, high) if math.isfinite(end)), default=0.0
        )
    digits = decimals(width or abs(value - neutral))
    distances = [2 * abs(number - neutral) for number in (value, low, high)]
    visible = [d for d in distances if 10.0 ** -(digits + 2) < d < math.inf]
    smallest = min(visible, default=math.inf)
    return next(more for more in range(digits, digits + 3) if 10.0**-more < smallest)


def format_number(x: float | None, *, digits: int = 3) -> str:
    """
    Write a number with so many decimals and a true minus sign, or a dash for no number.

    Very small and very large numbers are written as powers of ten, down to the same last digit.

    Examples
    --------
    >>> (
    ...     format_number(-0.0372),
    ...     format_number(0.00064, digits=5),
    ...     format_number(369.31, digits=-1),
    ...     format_number(float("nan")),
    ... )
    ('−0.037', '0.00064', '369', '–')
    >>> (
    ...     format_number(2.5e-9, digits=10),
    ...     format_number(1.02e-8, digits=10),
    ...     format_number(3.14e9, digits=-8),
    ...     format_number(-math.inf),
    ... )
    ('2.5 × 10⁻⁹', '1.02 × 10⁻⁸', '3.1 × 10⁹', '−∞')
    """
    if x is None or math.isnan(x):
        return NONE
    if math.isinf(x):
        if x > 0:
            return "∞"
        return f"{_MINUS}∞"
    if abs(x) < _LARGE and (digits <= _MOST_DECIMALS or abs(x) >= 10.0**-_MOST_DECIMALS):
        text = f"{x:.{max(digits, 0)}f}"
    elif x:
        text = f"{x:.{max(0, digits + _magnitude(x))}e}"
    else:
        text = "0"
    if float(text) == 0:
        text = text.lstrip("-")
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa.replace("-", _MINUS)
    if exponent:
        return f"{mantissa} × 10{str(int(exponent)).translate(_RAISED)}"
    return mantissa


def _magnitude(x: float) -> int:
    return math.floor(math.log10(abs(x)))


def interval(low: float, high: float, *, digits: int = 3, neutral: float = 0.0) -> str:
    """
    Write an interval, or its only finite limit.

    If the interval excludes ``neutral``, which is 1 for a ratio, a limit gets as many digits as it
    needs not to be rounded to ``neutral``.

    Examples
    --------
    >>> interval(-0.034, -0.008), interval(float("-inf"), 0.012), interval(0.5, float("inf"))
    ('−0.034 to −0.008', 'at most 0.012', 'at least 0.500')
    >>> interval(0.00004, 0.092), interval(-0.00004, 0.092)
    ('0.00004 to 0.092', '0.000 to 0.092')
    """
    if math.isnan(low) or math.isnan(high):
        return NONE
    low_digits = high_digits = digits
    if low > neutral:
        low_digits = _digits_apart(low, neutral, digits)
    if high < neutral:
        high_digits = _digits_apart(high, neutral, digits)
    lower = format_number(low, digits=low_digits)
    upper = format_number(high, digits=high_digits)
    if math.isinf(low):
        if math.isinf(high):
            return "unbounded"
        return f"at most {upper}"
    if math.isinf(high):
        return f"at least {lower}"
    return f"{lower} to {upper}"


def _digits_apart(end: float, neutral: float, digits: int) -> int:
    """Return the decimals with which a limit differs from the neutral value."""
    if math.isinf(end) or float(f"{end:.{max(digits, 0)}f}") != neutral:
        return digits
    return -_magnitude(end - neutral)


def unused_name(name: str, taken: Iterable[str]) -> str:
    """
    Return a name with a number behind it if the name is taken.

    Examples
    --------
    >>> unused_name("tree", ["tree", "tree 2", "forest"]), unused_name("knn", ["tree"])
    ('tree 3', 'knn')
    """
    alike = sum(re.fullmatch(rf"{re.escape(name)}( \d+)?", other) is not None for other in taken)
    if alike:
        return f"{name} {alike + 1}"
    return name


def p_is(p: float) -> str:
    """
    Write a p-value in a sentence.

    Examples
    --------
    >>> p_is(0.01342), p_is(2e-9)
    ('p = 0.013', 'p < 0.001')
    """
    return f"p {'' if p < 0.001 else '= '}{pvalue(p)}"


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
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}"


def probability(p: float | None) -> str:
    """
    Write a posterior probability, never rounded to certainty.

    Examples
    --------
    >>> probability(0.9871), probability(1 - 1e-9), probability(1e-9)
    ('0.987', '> 0.999', '< 0.001')
    """
    if p is not None and p > 0.999:
        return "> 0.999"
    return pvalue(p)


_MOST_CERTAIN = 0.98  # no verdict is certain to last


def format_replicability(chance: float | None) -> str:
    """
    Write the probability that another partition gives the same verdict, 98% at most.

    Examples
    --------
    >>> format_replicability(0.953), format_replicability(1.0), format_replicability(None)
    ('95%', '98%', '–')
    """
    if chance is None or math.isnan(chance):
        return NONE
    return f"{100 * min(chance, _MOST_CERTAIN):.0f}%"


def format_confidence(level: float) -> str:
    """
    Write the confidence that an error level leaves.

    Examples
    --------
    >>> format_confidence(0.05), format_confidence(0.05 / 3), format_confidence(1e-6)
    ('95%', '98.33%', '99.9999%')
    """
    if level >= 1e-4:
        digits = 4
    else:
        digits = 3 - _magnitude(level)
    return f"{100 * (1 - level):.{digits}g}%"


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
        if time < 0.0995:
            return f"{1000 * time:.2g} ms"
        return f"{1000 * time:.0f} ms"
    if time < 60:
        return f"{time:.1f} s"
    minutes, rest = divmod(round(time), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def count(n: int, noun: str) -> str:
    """
    Write a number of things.

    Examples
    --------
    >>> count(1, "fit"), count(16, "fit"), count(12000, "fit")
    ('1 fit', '16 fits', '12,000 fits')
    """
    return f"{n:,} {noun if n == 1 else f'{noun}s'}"


def format_count(n: int) -> str:
    """
    Write a whole number with commas between thousands.

    Examples
    --------
    >>> format_count(2740), format_count(87)
    ('2,740', '87')
    """
    return f"{n:,}"


def round_up(n: float) -> int:
    """
    Round a number of examples up to three digits.

    Examples
    --------
    >>> round_up(1234.2), round_up(87), round_up(1e6)
    (1240, 87, 1000000)
    """
    whole = math.ceil(n)
    unit: int = 10 ** max(len(str(whole)) - 3, 0)
    return -(-whole // unit) * unit


def join_words(words: Iterable[str]) -> str:
    """
    Join words as a sentence does; no words are an empty text.

    Examples
    --------
    >>> join_words(["a", "b", "c"]), join_words([])
    ('a, b and c', '')
    """
    *most, last = [*words] or [""]
    if most:
        return f"{', '.join(most)} and {last}"
    return last


_LISTED = 5


def list_first_values(values: Any) -> str:
    """
    Write the first five of some values, and how many more there are.

    Examples
    --------
    >>> list_first_values([3, 1, 4, 1, 5, 9, 2])
    '3, 1, 4, 1, 5 and 2 more'
    """
    shown = ", ".join(map(str, values[:_LISTED]))
    if len(values) <= _LISTED:
        return shown
    return f"{shown} and {len(values) - _LISTED} more"


def group_words(name: object) -> tuple[str, str]:
    """
    Return what a group and groups are called, by the name that the user gave.

    Examples
    --------
    >>> group_words("patient_id"), group_words("hospitals"), group_words("city"), group_words(None)
    (('patient', 'patients'), ('hospital', 'hospitals'), ('city', 'cities'), ('group', 'groups'))
    """
    words = one_line(name).replace("_", " ").lower() if isinstance(name, str) else ""
    noun = re.sub(r"\s*\bids?$", "", words).strip()
    if not re.fullmatch(r"[^\W\d][\w -]*", noun):
        noun = "group"
    if noun.endswith("ies"):
        noun = f"{noun[:-3]}y"
    elif noun.endswith("s") and not noun.endswith("ss"):
        noun = noun[:-1]
    plural = f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"
    return noun, plural


def one_line(text: object) -> str:
    r"""
    Return the text of something, such as a name or an error, in one line that is safe to print.

    White space is collapsed. Control characters, which may move a cursor or reverse text, are
    replaced.

    Examples
    --------
    >>> one_line("a\n  b\x1b[2J")
    'a b\ufffd[2J'
    """
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(str(text).split()))


def reason(error: object, most: int = 200) -> str:
    """
    Return what an error says in one line of at most so many letters, as the end of a sentence.

    Examples
    --------
    >>> reason(ValueError("The file is empty.")), reason(ValueError("a long text"), most=6)
    ('The file is empty', 'a long')
    """
    return one_line(error)[:most].rstrip(". ")


_RUNNER_COMMAND = re.compile(r"^([^\S\n]*)(:(?=:)|#(?=#\w*\[))", re.MULTILINE)


def escape_runner_commands(text: str) -> str:
    """
    Return a text in which no line begins as a runner's commands do (``::error``, ``##[group]``).

    Examples
    --------
    >>> escape_runner_commands("::error::all is lost")
    ': :error::all is lost'
    """
    return _RUNNER_COMMAND.sub(r"\1\2 ", text)


def escape_control_text(text: str) -> str:
    r"""
    Return lines that neither a terminal nor a pipeline's runner takes for commands.

    Examples
    --------
    >>> escape_control_text("tree\x1b[31m wins\n  ::set-output name=a::b")
    'tree\ufffd[31m wins\n  : :set-output name=a::b'
    """
    if text.isprintable():  # nearly all texts are, and there are many
        return escape_runner_commands(text)
    shown = "".join(c if c.isprintable() or c in "\n\t\u00a0" else "\ufffd" for c in text)
    return escape_runner_commands(shown)


_FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")  # with which spreadsheets begin a formula


def csv_cell(value: object) -> object:
    """
    Return the value of a cell of a CSV; a text that a spreadsheet would run gets a quote first.

    Examples
    --------
    >>> csv_cell("=1+1"), csv_cell("tree"), csv_cell("-0.5"), csv_cell(-0.5)
    ("'=1+1", 'tree', '-0.5', -0.5)
    """
    if not isinstance(value, str):
        return value
    if not (value.startswith(_FORMULA) or value.lstrip().startswith(_FORMULA)):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def shorten_name(name: str, most: int = 22) -> str:
    """
    Shorten a name that is too long for a figure in its middle, where names differ least.

    Examples
    --------
    >>> shorten_name("GradientBoostingClassifier(max_depth=3)", 20)
    'GradientBo…x_depth=3)'
    """
    line = one_line(name)
    if len(line) <= most + 1:
        return line
    return f"{line[: most // 2]}…{line[len(line) - most // 2 :]}"


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def align_columns(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> list[list[str]]:
    """
    Pad the cells of all lines to the widths of their columns; ``right`` says which align right.

    Examples
    --------
    >>> align_columns([["name", "n"], ["ab", "100"]], [False, True])
    [['name', '  n'], ['ab  ', '100']]
    """
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    return [
        [
            _pad_cell(cell, w, on_the_right)
            for cell, w, on_the_right in zip(line, widths, right, strict=True)
        ]
        for line in lines
    ]


def _pad_cell(cell: str, most: int, on_the_right: bool) -> str:
    blanks = " " * (most - width(cell))
    if on_the_right:
        return blanks + cell
    return cell + blanks


# What other people must not see: passwords in URLs, values of parameters whose names say that they
# are secret, and folders of this machine.


HIDDEN = "***"
_SECRET = re.compile(
    r"passw|passphrase|secret|credential|authorization|(^|[_-])(pwd|token)$"
    r"|(^|[_-])(api|access|private|auth|client)[_-]?(key|token)",
    re.IGNORECASE,
)


def is_secret(name: object) -> bool:
    """
    Whether what goes by a name should not be shown.

    Examples
    --------
    >>> (
    ...     is_secret("api_key"),
    ...     is_secret("sslpassword"),
    ...     is_secret("key_size"),
    ...     is_secret("token_pattern"),
    ... )
    (True, True, False, False)
    """
    return bool(_SECRET.search(str(name)))


def is_url(text: str) -> bool:
    """Whether a text is meant as a URL, well formed or not."""
    return "://" in text


def hide_password(text: str) -> str:
    """
    Return a path or URL without any part that may be a password.

    The user may have mistyped the URL, so whatever stands in the place of a password is hidden.

    Examples
    --------
    >>> hide_password("postgresql://me:se@cr/et@host:5432/runs?sslmode=require&PASSWORD=a&b")
    'postgresql://me:***@host:5432/runs?sslmode=require&PASSWORD=***'
    >>> hide_password("postgresql://me@host:secret/runs")
    'postgresql://me@host:***/runs'
    >>> hide_password("host=here password=a b"), hide_password("postgresql:me:secret@host")
    ('host=here password=***', 'postgresql:me:***@host')
    """
    if not is_url(text):
        return _hide_in_other_forms(text)
    scheme, _, rest = text.partition("://")
    address, question, query = rest.partition("?")
    return f"{scheme}://{_hide_in_address(f'{address}{question}{_hide_in_query(query)}')}"


_NO_SLASHES = re.compile(r"(?P<scheme>[a-z][a-z+]+:)(?P<address>.*@.*)", re.IGNORECASE | re.DOTALL)


def _hide_in_other_forms(text: str) -> str:
    """Hide what follows a secret's name, as in libpq's settings, and in a URL without slashes."""
    if url := _NO_SLASHES.fullmatch(text):
        return f"{url['scheme']}{_hide_in_address(url['address'])}"
    for setting in re.finditer(r"([\w-]+)\s*=", text):
        if is_secret(setting[1]):
            return f"{text[: setting.end()]}{HIDDEN}"
    return text


def _hide_in_address(address: str) -> str:
    """Hide what follows the user's name, and a port that is no number."""
    before, at, after = address.rpartition("@")
    user, colon, _ = before.partition(":")
    if colon:
        user = f"{user}:{HIDDEN}"
    host = re.split("[/?]", after, maxsplit=1)[0]
    name, colon, port = host.rpartition(":")
    # an address of version 6 ends with a bracket
    if colon and not port.isdigit() and not port.endswith("]"):
        after = f"{name}:{HIDDEN}{after[len(host) :]}"
    return f"{user}{at}{after}"


def _hide_in_query(query: str) -> str:
    """Hide all that follows the first name of a secret: a password may hold signs that separate."""
    shown: list[str] = []
    for part in query.split("&"):
        name, equals, _ = part.partition("=")
        if equals and is_secret(unquote_plus(name)):
            return "&".join([*shown, f"{name}={HIDDEN}"])
        shown.append(part)
    return "&".join(shown)


_PARAMETER = re.compile(
    r"""(?P<name>[\w-]+)(?P<between>['"]?\s*[=:]\s*)"""
    r"""(?P<value>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[\w.+/=-]+(?![\w(.]))"""
)


def hide_secrets(text: str) -> str:
    """
    Hide the values of parameters whose names say they are secret, in code, messages, tracebacks.

    Examples
    --------
    >>> hide_secrets("Client(api_key='sk-1', model='small', tokens=3)")
    "Client(api_key=***, model='small', tokens=3)"
    >>> hide_secrets('{"password": "x y", "n": 1}')
    '{"password": ***, "n": 1}'
    """

    def hide(parameter: re.Match[str]) -> str:
        if is_secret(parameter["name"]):
            return f"{parameter['name']}{parameter['between']}{HIDDEN}"
        return parameter[0]

    return _PARAMETER.sub(hide, text)


def shorten_paths(text: str) -> str:
    """
    Write paths relative to the current folder, to Python's folders or to the user's home.

    Examples
    --------
    >>> shorten_paths(f"no file {Path.cwd() / 'data' / 'x.csv'}")
    'no file data/x.csv'
    """
    text = _LIBRARIES.sub("", text)
    for folder, instead in _folders():
        if len(folder) > 1:
            text = text.replace(f"{folder}{os.sep}", instead)
    return text


_LIBRARIES = re.compile(r"""(?:[A-Za-z]:)?[\\/][^"'\s]*(?:site|dist)-packages[\\/]""")


def _folders() -> list[tuple[str, str]]:
    """Return the folders that paths may begin with, longest first, and their replacements."""
    known = {sys.prefix: "", sys.base_prefix: ""}
    try:
        known[str(Path.home())] = f"~{os.sep}"
        known[str(Path.cwd())] = ""
    except (OSError, RuntimeError):  # a folder that is gone, a user without a home
        pass
    return sorted(known.items(), key=lambda pair: -len(pair[0]))

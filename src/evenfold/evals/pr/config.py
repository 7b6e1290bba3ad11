"""What a repository asks of every pull request: ``[tool.evenfold.pr]``, or ``evenfold.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from evenfold.cli.gate import UNDECIDED_AS
from evenfold.core.checks import fraction, number, one_of, refuse, refuse_value
from evenfold.core.words import count, one_line, reason

PYPROJECT = "pyproject.toml"
OWN_FILE = "evenfold.toml"
FILES = (PYPROJECT, OWN_FILE)
_LARGEST = 1_000_000  # bytes of a configuration
_NAME = 60  # letters of the name of a check
DIRECTIONS = {"higher": True, "lower": False}
WORST_LEVEL = 0.5


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Check:
    """
    One question that every pull request is asked.

    Attributes
    ----------
    name : str
        What the comment calls it.
    base, head : str
        The files of both sides, relative to the folder of the configuration; a pattern such as
        ``runs/*.json`` names several files of measurements.
    measure : str or None
        What is measured, as for ``judge``.
    margin : float
        Differences up to this size do not matter; of times it is a relative change, so that 0.05
        stands for 5%.
    direction : {"higher", "lower"} or None
        Which values are better, where the measure does not say so.
    share : float
        The part of the error budget that this check may spend.
    floor : str or None
        The file with the noise floor of each benchmark, as ``evenfold floor`` writes it.
    undecided, unknown : {"pass", "fail"} or None
        Whether such an answer passes or fails. With None the command exits with 4.
    positive, columns, tasks
        As for ``judge``.
    """

    name: str
    base: str
    head: str
    measure: str | None = None
    margin: float = 0.0
    direction: str | None = None
    share: float
    floor: str | None = None
    undecided: str | None = None
    unknown: str | None = None
    positive: Any = None
    columns: Mapping[str, str] = field(default_factory=dict)
    tasks: Literal["pooled", "each"] = "pooled"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Configuration:
    """
    All checks of a repository, and the level that they share.

    Attributes
    ----------
    path : Path
        The file of the configuration. The files of the checks are relative to its folder.
    level : float
        The error budget. The levels of all checks add up to this at most.
    checks : tuple of Check
        In the order of the file.
    """

    path: Path
    level: float
    checks: tuple[Check, ...]

    @property
    def folder(self) -> Path:
        """The folder that the files of the checks are relative to."""
        return self.path.parent

    def level_of(self, check: Check) -> float:
        """Return the level at which a check is judged."""
        return self.level * check.share


def find_configuration(folder: Path) -> Path:
    """Return the configuration of a folder. It has one of two names; both at once are refused."""
    paths = [path for name in FILES if (path := folder / name).is_file()]
    chosen = choose_configuration({path: path.read_bytes() for path in paths})
    if chosen is None:
        refuse(
            None,
            f"There is no configuration in {folder.resolve()}.",
            f"Write [tool.evenfold.pr] into {PYPROJECT}, or [pr] into {OWN_FILE}.",
        )
    return chosen


def choose_configuration(texts: Mapping[Path, bytes]) -> Path | None:
    """Return the file that configures a gate, or None if no file does; two are refused."""
    configured = [
        path
        for path, text in texts.items()
        if path.name != PYPROJECT or _table(path.name, _parse(path.name, text))
    ]
    if len(configured) > 1:
        refuse(
            None,
            f"The configuration must be in one file, but {PYPROJECT} and {OWN_FILE} have one.",
            "Keep one of them.",
        )
    return configured[0] if configured else None


def read_configuration(path: Path, text: bytes | None = None) -> Configuration:
    r"""
    Read the checks of a repository, or refuse them in one sentence.

    ``text`` is the content of the file, if it comes from elsewhere.

    Examples
    --------
    >>> text = b'[[pr.checks]]\nname = "answers"\nbase = "main.csv"\nhead = "pr.csv"\n'
    >>> read_configuration(Path("evenfold.toml"), text).checks[0].share
    1.0
    >>> read_configuration(Path("evenfold.toml"), text + b"marign = 0.1")
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: A key of check 'answers' must be one of 'name', ...
    """
    if text is None:
        text = path.read_bytes()
    table = dict(_table(path.name, _parse(path.name, text)))
    for key in table:
        one_of(f"A key of {path.name}", key, ("level", "undecided", "unknown", "checks"))
    level = fraction("level", table.get("level", 0.05), high=WORST_LEVEL)
    defaults = {name: table[name] for name in ("undecided", "unknown") if name in table}
    rows = table.get("checks")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        remedy = f"Write [[tool.evenfold.pr.checks]], or [[pr.checks]] in {OWN_FILE}."
        refuse_value("checks", rows, "a list of one check or more", remedy)
    checks = [defaults | row for row in rows]
    named = [_require_name(row, position) for position, row in enumerate(checks, start=1)]
    doubled = [name for name in named if named.count(name) > 1]
    if doubled:
        refuse("name", f"Every check must have its own name, but two are called {doubled[0]!r}.")
    shares = _shares(checks)
    return Configuration(
        path=path,
        level=level,
        checks=tuple(_check(row, share) for row, share in zip(checks, shares, strict=True)),
    )


def _parse(name: str, text: bytes) -> dict[str, Any]:
    if len(text) > _LARGEST:
        refuse(name, f"{name} must have at most {_LARGEST:,} bytes but has {len(text):,}.")
    try:
        return tomllib.loads(text.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        refuse(name, f"{name} is not valid TOML: {reason(error)}.")


def _table(name: str, plain: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table of the gate. ``evenfold.toml`` may hold nothing else."""
    if name == PYPROJECT:
        tool = plain.get("tool", {})
        plain = tool.get("evenfold", {}) if isinstance(tool, dict) else {}
    if not isinstance(plain, dict):
        refuse_value("evenfold", plain, "a table")
    for key in plain:
        one_of(f"A key of {name}", key, ("pr",))
    table = plain.get("pr", {})
    if not isinstance(table, dict):
        refuse_value("pr", table, "a table")
    return table


def _require_name(row: Mapping[str, Any], position: int) -> str:
    name = row.get("name")
    where = f"The name of check {position}"
    if not isinstance(name, str) or not name.strip() or len(name) > _NAME:
        refuse_value(where, name, f"a text of 1 to {_NAME} letters")
    if one_line(name) != name:
        refuse_value(where, name, "a text of one line")
    return name


_REQUIRED = ("name", "base", "head")
_CHOICES = {
    "direction": tuple(DIRECTIONS),
    "undecided": tuple(UNDECIDED_AS),
    "unknown": tuple(UNDECIDED_AS),
    "tasks": ("pooled", "each"),
}
_TEXTS = ("base", "head", "measure", "floor")


def _check(row: Mapping[str, Any], share: float) -> Check:
    name = row["name"]
    keys = [field.name for field in fields(Check)]
    for key in row:
        one_of(f"A key of check {name!r}", key, keys)
    for key in _REQUIRED:
        if key not in row:
            refuse(key, f"{key} of check {name!r} must be given.")
    for key in _TEXTS:
        if key in row and (not isinstance(row[key], str) or not row[key].strip()):
            refuse_value(f"{key} of check {name!r}", row[key], "a text")
    for key, choices in _CHOICES.items():
        if key in row:
            one_of(f"{key} of check {name!r}", row[key], choices)
    margin = number(f"margin of check {name!r}", row.get("margin", 0.0), low=0)
    columns = row.get("columns", {})
    if not isinstance(columns, dict) or not all(
        isinstance(column, str) for column in columns.values()
    ):
        refuse_value(f"columns of check {name!r}", columns, "a mapping of roles to names")
    return Check(**{**row, "margin": margin, "share": share, "columns": columns})


_ROUNDING = 1e-9


def _shares(rows: list[dict[str, Any]]) -> list[float]:
    """Return every check's share of the budget. Checks that state none share the rest equally."""
    stated = [_share(row) for row in rows if "share" in row]
    total = sum(stated)
    if total > 1 + _ROUNDING:
        refuse(
            None, f"The shares of all checks must add up to at most 1, but they are {total:.6g}."
        )
    silent = len(rows) - len(stated)
    if not silent:
        return stated
    rest = (1 - total) / silent
    if rest <= _ROUNDING:
        refuse(
            None,
            f"The stated shares must leave a part of the budget to {count(silent, 'other check')}, "
            f"but they add up to {total:.6g}.",
            "Lower them, or state a share for every check.",
        )
    return [row.get("share", rest) for row in rows]


def _share(row: Mapping[str, Any]) -> float:
    share = number(f"share of check {row['name']!r}", row["share"], low=0, high=1)
    if share == 0:
        refuse(
            None, f"share of check {row['name']!r} must be above 0.", "Leave the check out instead."
        )
    return share

"""What Python calls keywords, the command line spells as options: messages that name one, name the other."""

import re
from collections.abc import Mapping
from shlex import quote
from typing import Any

_ALSO = {"columns": "column", "random_state": "seed", "n_jobs": "jobs", "higher_is_better": "higher"}
_ANOTHER = "balance"  # of a design, where --balance takes columns of a file
_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""  # as Python writes it, in quotes of either kind
_VALUE = rf"{_TEXT}|\d[\w.]*|…"


def options_of(command: Any) -> dict[str, str]:
    """
    Return how a command, or any below it, spells what Python calls by a name.

    Examples
    --------
    >>> from typer.main import get_command
    >>> from evenfold.cli.app import app
    >>> known = options_of(get_command(app))
    >>> known["margin"], known["random_state"], known["higher_is_better"]
    ('--margin', '--seed', '--higher-is-better')
    """
    found = {one.name: one.opts[0] for one in command.params if one.opts[0].startswith("--")}
    found.pop(_ANOTHER, None)
    for below in getattr(command, "commands", {}).values():
        found |= options_of(below)
    return found | {name: found[of] for name, of in _ALSO.items() if of in found}


def spelled(text: str, options: Mapping[str, str]) -> str:
    """
    Return a message with options in the place of keywords.

    Examples
    --------
    >>> known = {"n": "--n", "columns": "--column", "margin": "--margin"}
    >>> spelled("margin must be ≥ 0 but got -1", known), spelled("or say n=, the number of examples", known)
    ('--margin must be ≥ 0 but got -1', 'or say --n, the number of examples')
    >>> spelled("say columns={'example': 'id', 'value': …}, or n=20", known)
    'say --column example=id --column value=…, or --n 20'
    >>> spelled("say columns={'example': 'my id', 'value': …}", known)
    "say --column 'example=my id' --column value=…"
    >>> spelled("use KFold(10, n=20)", known)
    'use KFold(10, n=20)'
    """
    text = text.replace("higher_is_better=True or False", "--higher-is-better or --lower-is-better")
    text = re.sub(r"columns=\{([^{}]*)\}", _columns, text)
    names = "|".join(map(re.escape, options))
    text = re.sub(rf"^({names})(?= must be )", lambda found: options[found[1]], text)
    advice = rf"\b(say|give|as|or|and) ({names})=({_VALUE})?(?![\w(\[])"  # not the arguments of a call
    return re.sub(advice, lambda found: _option(found, options), text)


def _option(found: re.Match[str], options: Mapping[str, str]) -> str:
    word, name, value = found.groups()
    return " ".join(filter(None, (word, options[name], _typed(value or ""))))


def _columns(found: re.Match[str]) -> str:
    pairs = re.findall(rf"'(\w+)': ({_TEXT}|…)", found[1])
    return " ".join(f"--column {_typed(name, before=f'{role}=')}" for role, name in pairs)


def _typed(value: str, before: str = "") -> str:
    """Return a value as a shell takes it, be it written as Python does or not."""
    if not re.match(_TEXT, value):
        return before + value
    return quote(before + re.sub(r"\\(.)", r"\1", value[1:-1]))

"""The command line that gives a result again, for the report."""

import shlex
from typing import Any

import typer

from evenfold.core.words import hide_password, hide_secrets

# What decides nothing about the answer.
_FILES = {
    "write",
    "html",
    "json",
    "latex",
    "markdown",
    "jobs",
    "fail_unless",
    "undecided",
    "summary",
    "flips",
}


def command(ctx: typer.Context, **given: Any) -> str:
    """Write the present command as it would be typed, with ``given`` for what was not said."""
    words = ["evenfold", str(ctx.info_name)]
    for parameter in ctx.command.params:
        name = str(parameter.name)
        value = given.get(name, ctx.params.get(name))
        if name in _FILES or value is None or (value == parameter.default and name not in given):
            continue
        words += _words(parameter, value)
    return shlex.join(words)


def _words(parameter: Any, value: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        return [_escape_argument(value)]
    option = max(parameter.opts, key=len)
    if isinstance(value, bool):
        if value:
            return [option]
        return list(parameter.secondary_opts[:1])
    if isinstance(value, (list, tuple)):
        values = value
    else:
        values = [value]
    return [word for one in values for word in (option, _escape_argument(one))]


def _escape_argument(value: Any) -> str:
    """Return what was typed as it may stand in a report, in letters that any text can hold."""
    text = str(value)
    try:
        # A name that is no text in the locale's encoding comes as bytes in disguise; most are
        # UTF-8.
        letters = text.encode("utf-8", errors="surrogateescape")
    except UnicodeEncodeError:  # half a letter of Windows
        letters = text.encode("utf-8", errors="replace")
    return hide_secrets(hide_password(letters.decode("utf-8", errors="replace")))

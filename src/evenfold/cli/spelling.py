"""An error that is about a parameter of Python names the option of the command line."""

from collections.abc import Mapping
from shlex import quote
from typing import Any

from evenfold.core.checks import ELLIPSIS, Advice, python_spelling
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.words import one_line

_ALSO = {
    "columns": "column",
    "random_state": "seed",
    "n_jobs": "jobs",
    "higher_is_better": "higher",
}
_HOMONYM = "balance"  # --balance takes columns of a file, but errors mean that of a design


def options_of(command: Any) -> dict[str, Any]:
    """
    Return the options of a command, and of any below it, by the names that Python calls them.

    Examples
    --------
    >>> from typer.main import get_command
    >>> from evenfold.cli.app import app
    >>> known = options_of(get_command(app))
    >>> [known[name].opts[0] for name in ("margin", "random_state", "higher_is_better")]
    ['--margin', '--seed', '--higher-is-better']
    """
    options = {
        parameter.name: parameter
        for parameter in command.params
        if parameter.opts[0].startswith("--")
    }
    options.pop(_HOMONYM, None)
    for below in getattr(command, "commands", {}).values():
        options |= options_of(below)
    return options | {name: options[of] for name, of in _ALSO.items() if of in options}


def spell_error(error: EvenfoldError, options: Mapping[str, Any]) -> str:
    """
    Return the text of an error, with the option in the place of the parameter.

    A message that does not begin with its parameter names the option at its end.

    Examples
    --------
    >>> from typer.main import get_command
    >>> from evenfold.cli.app import app
    >>> options = options_of(get_command(app))
    >>> spell_error(InvalidInput("margin must be ≥ 0 but got -1.", parameter="margin"), options)
    '--margin must be ≥ 0 but got -1.'
    >>> spell_error(InvalidInput("There is no store 'a.db'.", parameter="store"), options)
    "There is no store 'a.db' (--store)."
    """
    if not isinstance(error, InvalidInput):
        return one_line(error)
    remedy = error.remedy
    if isinstance(remedy, Advice):
        remedy = spell_advice(remedy, options)
    return one_line(f"{_spell_message(error, options)} {remedy}")


def _spell_message(error: InvalidInput, options: Mapping[str, Any]) -> str:
    parameter = error.parameter or ""
    if parameter not in options:
        return error.message
    option = str(options[parameter].opts[0])
    if error.message.startswith(f"{parameter} "):
        return option + error.message.removeprefix(parameter)
    if option in error.message:
        return error.message
    return f"{error.message.removesuffix('.')} ({option})."


def spell_advice(advice: Advice, options: Mapping[str, Any]) -> str:
    """
    Return advice with options in the place of parameters; what is no option stays as it is.

    Examples
    --------
    >>> from typer.main import get_command
    >>> from evenfold.cli.app import app
    >>> options = options_of(get_command(app))
    >>> spell_advice(Advice("pass ", {"columns": {"example": "my id", "value": ELLIPSIS}}), options)
    "pass --column 'example=my id' --column value=…"
    >>> spell_advice(Advice("pass ", {"higher_is_better": (True, False)}), options)
    'pass --higher-is-better or --lower-is-better'
    """

    def spell(name: str, value: object) -> str:
        if name in options:
            return _spell_option(options[name], value)
        return python_spelling(name, value)

    return advice.spelled(spell)


def _spell_option(option: Any, value: Any) -> str:
    name = option.opts[0]
    if value == ELLIPSIS:
        return str(name)
    if isinstance(value, Mapping):
        return " ".join(f"{name} {_quote_entry(key, choice)}" for key, choice in value.items())
    choices = value if isinstance(value, tuple) else (value,)
    if isinstance(choices[0], bool):
        return " or ".join(
            (option.opts if choice else option.secondary_opts)[0] for choice in choices
        )
    return f"{name} {' or '.join(quote(str(choice)) for choice in choices)}"


def _quote_entry(key: str, value: str) -> str:
    entry = f"{key}={value}"
    return entry if value == ELLIPSIS else quote(entry)

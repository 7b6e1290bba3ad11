"""Docstrings taken apart and put together, so that what many say alike is written once."""

import re
from collections.abc import Callable, Mapping
from inspect import cleandoc
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_HEADING = re.compile(r"^(\w+)\n-{3,}\n", flags=re.MULTILINE)
_ORDER = ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")


def taken_apart(text: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into what stands before the first heading, and its sections."""
    preamble, *rest = _HEADING.split(cleandoc(text))
    return preamble.strip(), {head: body.strip() for head, body in zip(rest[::2], rest[1::2], strict=True)}


def put_together(preamble: str, sections: Mapping[str, str]) -> str:
    r"""
    Write a docstring again, its sections in the usual order and without the empty ones.

    Examples
    --------
    >>> put_together("Count.", {"Notes": "Slow.", "Raises": ""})
    'Count.\n\nNotes\n-----\nSlow.\n'
    """
    told = [f"{head}\n{'-' * len(head)}\n{sections[head]}" for head in _ORDER if sections.get(head)]
    return "\n\n".join([preamble, *told]) + "\n"


def with_section(heading: str, text: str) -> Callable[[F], F]:
    """Give a function's docstring a section that it shares with others, unless it has one of its own."""

    def complete(function: F) -> F:
        preamble, sections = taken_apart(function.__doc__ or "")
        function.__doc__ = put_together(preamble, {heading: text, **sections})
        return function

    return complete

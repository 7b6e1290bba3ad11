"""Docstrings taken apart and put together, so that what many say alike is written once."""

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import cleandoc, signature
from textwrap import fill, indent
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_WIDTH = 100
_HEADING = re.compile(r"^(\w+)\n-{3,}\n", flags=re.MULTILINE)
_ORDER = ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")


def split_sections(text: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into what stands before the first heading, and its sections."""
    preamble, *rest = _HEADING.split(cleandoc(text))
    return preamble.strip(), {
        head: body.strip() for head, body in zip(rest[::2], rest[1::2], strict=True)
    }


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
    """Give a function's docstring a section that it shares with others, unless it has its own."""

    def complete(function: F) -> F:
        preamble, sections = split_sections(function.__doc__ or "")
        function.__doc__ = put_together(preamble, {heading: text, **sections})
        return function

    return complete


def entry(names: str, kind: str, words: str) -> str:
    """Write one parameter as numpydoc has it: names, type, and in the next lines what it means."""
    return f"{names} : {kind}\n{indent(fill(words, _WIDTH, break_on_hyphens=False), '    ')}"


def entries(text: str) -> list[str]:
    """
    Split a section into its entries.

    Each begins at the margin, and what it means is indented.
    """
    if text:
        return re.split(r"\n(?=\S)", text)
    return []


def order_parameters(names: Iterable[str], shared: Mapping[str, str], own: str = "") -> str:
    r"""
    Put the entries of parameters in an order.

    Those of the author first of all, else those that many share.

    Examples
    --------
    >>> print(
    ...     order_parameters(
    ...         "xyz", {"x": entry("x", "int", "A number."), "y": "?"}, "y, z : int\n    Others."
    ...     )
    ... )
    x : int
        A number.
    y, z : int
        Others.
    """
    known = {**shared}
    for told in entries(own):
        known |= dict.fromkeys((name.strip() for name in told.partition(":")[0].split(",")), told)
    return "\n".join(dict.fromkeys(known[name] for name in names if name in known))


def with_parameters(**shared: tuple[str, str]) -> Callable[[F], F]:
    r"""
    Give a docstring the parameters it shares with others, by type and meaning, and returns.

    Examples
    --------
    >>> @with_parameters(n=("int", "How many."))
    ... def count(n: int) -> int:
    ...     '''Count.'''
    >>> count.__doc__
    'Count.\n\nParameters\n----------\nn : int\n    How many.\n\nReturns\n-------\nint\n'
    """
    entries = {name: entry(name, *said) for name, said in shared.items()}

    def complete(function: F) -> F:
        preamble, sections = split_sections(function.__doc__ or "")
        shape = signature(function)
        sections["Parameters"] = order_parameters(
            shape.parameters, entries, sections.get("Parameters", "")
        )
        function.__doc__ = put_together(
            preamble, {"Returns": shape.return_annotation.__name__, **sections}
        )
        return function

    return complete

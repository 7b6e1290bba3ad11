"""Designs as text: a key and its arguments, ``mx2-bcv:7``, ``rlt:15:0.9``, ``kfold:10:labels``."""

from collections.abc import Mapping
from typing import Any

from evenfold.core.checks import one_of, refuse
from evenfold.design._base import DESIGNS, Design
from evenfold.design._units import balance_names


def designs() -> Mapping[str, type[Design]]:
    """
    Return all designs by key, those of other packages (entry points ``evenfold.designs``) included.

    Examples
    --------
    >>> designs()["kfold"].example, designs()["kfold"].form()
    ('kfold:10', 'kfold:n_splits[:balance]')
    """
    return DESIGNS


def design_from(text: str, *, balance: Any = None, features: Any = None, random_state: Any = None) -> Design:
    """
    Make a design from how it is written.

    Parameters
    ----------
    text : str
        ``key[:argument ...][:name=number ...][:balance]``; a size may be a count, a fraction or a quotient
        (``2/3``), a balance is ``labels``, ``counts``, ``features``, ``groups`` or several of them joined by
        ``+``.
    balance : None, str or tuple of str
        What is to be balanced where the text does not say; what the design cannot balance is left out.
    features : array, optional
        Level counts for a design that balances them.
    random_state
        See :class:`~evenfold.design.Design`; left out where nothing is random.

    Examples
    --------
    >>> design_from("mx2-bcv:7"), design_from("brlt:15:0.9:labels", random_state=1)
    (Mx2BCV(m=7), BRLT(n_splits=15, train_size=0.9, random_state=1, balance='labels'))
    >>> design_from("kfold:10", balance="labels").spelling
    'kfold:10:labels'
    """
    if not isinstance(text, str):
        refuse("design", "a text such as 'kfold:10'", text)
    key, *words = (word.strip() for word in text.split(":"))
    kind = DESIGNS[key]
    options: dict[str, Any] = {"random_state": random_state} if kind.shuffle else {}
    options |= {name: _number(name, word) for name, word in _named(words, kind).items()}
    words = [word for word in words if "=" not in word]
    if kind.balances:
        asked = _names(words.pop()) if len(words) == len(kind.arguments()) + 1 else None
        options["balance"] = _feasible(balance, kind) if asked is None else asked
    if features is not None and "features" in balance_names(options.get("balance")):
        options["features"] = features
    if len(words) != len(kind.arguments()):
        refuse("design", f"written as {kind.form()}", text, f"for example {kind.example}")
    return kind(*map(_number, kind.arguments(), words), **options)


def _named(words: list[str], kind: type[Design]) -> dict[str, str]:
    """Return what is written with a name, each name once."""
    found: dict[str, str] = {}
    for name, equals, word in (word.partition("=") for word in words):
        if equals and one_of("design", name, kind.named) in found:
            refuse("design", "written with every name once", ":".join(words))
        found |= {name: word} if equals else {}
    return found


def _feasible(balance: Any, kind: type[Design]) -> str | tuple[str, ...] | None:
    return _one_or_all(tuple(name for name in balance_names(balance) if name in kind.balances))


def _names(word: str) -> str | tuple[str, ...] | None:
    return _one_or_all(tuple(word.split("+")))


def _one_or_all(names: tuple[str, ...]) -> str | tuple[str, ...] | None:
    return names if len(names) > 1 else names[0] if names else None


def _number(name: str, word: str) -> float:
    """Read an int where it is written as one: ``1`` is one example, ``1.0`` would be all of them."""
    over, slash, under = word.partition("/")
    try:
        if slash:
            return int(over) / int(under)
        return int(word) if word.lstrip("+-").isdigit() else float(word)
    except (ValueError, ZeroDivisionError, OverflowError):
        refuse(name, "a number", word)

"""Designs as text: a key and its arguments, ``mx2-bcv:7``, ``rlt:15:0.9``, ``kfold:10:labels``."""

from dataclasses import dataclass
from typing import Any

from evenfold import design as rooms
from evenfold.cli.names import known
from evenfold.core.checks import refuse


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Form:
    """How one design is written: its class, the names of its arguments, an example."""

    make: Any
    arguments: tuple[str, ...]
    example: str

    @property
    def is_balanced(self) -> bool:
        """Whether a balance may follow the arguments."""
        return bool(self.make.balances)

    def written(self, key: str) -> str:
        """Return the form, for example ``rlt:n_splits:train_size``."""
        return ":".join((key, *self.arguments)) + ("[:balance]" if self.is_balanced else "")


FORMS = {
    "mx2-bcv": Form(make=rooms.Mx2BCV, arguments=("m",), example="mx2-bcv:7"),
    "blocked-3x2": Form(make=rooms.Blocked3x2, arguments=(), example="blocked-3x2"),
    "mx2": Form(make=rooms.Mx2, arguments=("m",), example="mx2:5"),
    "brlt": Form(make=rooms.BRLT, arguments=("n_splits", "train_size"), example="brlt:15:0.9"),
    "rlt": Form(make=rooms.RLT, arguments=("n_splits", "train_size"), example="rlt:15:0.9"),
    "nested-rlt": Form(
        make=rooms.NestedRLT,
        arguments=("n_halvings", "n_splits", "test_size"),
        example="nested-rlt:5:15:0.1",
    ),
    "nested-kfold": Form(
        make=rooms.NestedKFold, arguments=("n_splits", "n_repeats"), example="nested-kfold:5:10"
    ),
    "kfold": Form(make=rooms.KFold, arguments=("n_splits",), example="kfold:10"),
    "loo": Form(make=rooms.LeaveOneOut, arguments=(), example="loo"),
    "holdout": Form(make=rooms.Holdout, arguments=("train_size",), example="holdout:0.7"),
    "sources": Form(make=rooms.LeaveOneSourceOut, arguments=(), example="sources"),
    "kfold-as-sources": Form(make=rooms.SourceSizedKFold, arguments=(), example="kfold-as-sources"),
}


def parse(text: str, *, seed: int | None = None) -> rooms.Design:
    """
    Read a design.

    Parameters
    ----------
    text : str
        ``key[:argument ...][:balance]``; a balance is ``labels``, ``counts``, ``features``, ``groups`` or
        several of them joined by ``+``.
    seed : int, optional
        Seed of the design.

    Examples
    --------
    >>> parse("mx2-bcv:7"), parse("brlt:15:0.9:labels", seed=1)
    (Mx2BCV(m=7), BRLT(n_splits=15, train_size=0.9, random_state=1, balance='labels'))
    """
    key, *words = (word.strip() for word in text.split(":"))
    form = FORMS[known("design", key, FORMS, "evenfold design --help")]
    options: dict[str, Any] = {}
    if form.is_balanced and len(words) == len(form.arguments) + 1:
        options["balance"] = _balance(words.pop())
    if len(words) != len(form.arguments):
        refuse("design", f"written as {form.written(key)}", text, f"for example {form.example}")
    values = [_number(name, word) for name, word in zip(form.arguments, words, strict=True)]
    made: rooms.Design = form.make(*values, random_state=seed, **options)
    return made


def _number(name: str, word: str) -> float:
    """Read an int where it is written as one: ``1`` is one example, ``1.0`` would be all of them."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    refuse(name, "a number", word)


def _balance(word: str) -> str | tuple[str, ...]:
    chosen = tuple(word.split("+"))
    return chosen[0] if len(chosen) == 1 else chosen

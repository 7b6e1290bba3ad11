"""
The registry: what each method is for, beside which designs it is valid, and what its critics say.

A method is registered where its formula is written::

    @method("kfold-t", designs=FOLDS, inputs=("splits",), ...)
    def kfold_t(d, *, null=0.0, alternative="two-sided"): ...
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from evenfold.core.checks import one_of, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Estimate
from evenfold.core.partition import Partition

Family = Literal["test", "variance", "posterior", "omnibus"]
Leaning = Literal["liberal", "conservative", "exact", "depends"]
Input = Literal[
    "splits",  # hold-out values (..., J)
    "repetitions",  # hold-out values of an m×2 design (..., m, 2)
    "reruns",  # means of R more runs of the whole procedure (..., R)
    "halves",  # estimates on the two halves of M halvings (..., M, 2)
    "losses",  # per-example losses of one test set (..., n2)
    "blocks",  # per-example losses, one array per fold or source
    "nested",  # per-example losses of nested folds (..., R, K, n), and the folds (R, n)
    "scores",  # scores of both models on one test set (..., n2), and the labels (n2,)
    "answers",  # right or wrong of k classifiers on one test set (..., k, n2)
    "tables",  # both discordant counts of every half of an m×2 design (..., m, 2)
    "discordant",  # two counts: A wrong and B right, A right and B wrong
    "confusion",  # summed (TP, FP, FN) of each algorithm
    "correct",  # numbers of right predictions, per fold or in all
    "outcomes",  # TP, FP, FN of every example of an m×2 design (..., m, n, 3), of each algorithm
    "tested",  # per-example losses of an m×2 design (..., m, n): every example once per repetition
    "sides",  # which examples the first split of each repetition tests (m, n)
]

# Designs by Partition.kind
MX2 = ("mx2", "blocked-3x2", "mx2-bcv")
MX2_ANY_M = ("mx2", "mx2-bcv")
RANDOM_SPLITS = ("rlt", "brlt")
FOLDS = ("kfold", "loo")

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Method:
    """
    What is known of one method before it sees data.

    Attributes
    ----------
    key : str
        Its name in reports and on the command line.
    function : callable
        The method itself.
    family : {"test", "variance", "posterior", "omnibus"}
        Which kind of estimate it returns; an omnibus test is about all algorithms at once.
    designs : tuple of str
        The kinds of partition it is valid for.
    inputs : tuple of str
        What it takes, in order: ``"splits"`` for hold-out values ``(..., J)``, ``"repetitions"`` for
        ``(..., m, 2)``, ``"losses"``, ``"blocks"``, ``"counts"`` of several kinds.
    arguments : tuple of str
        Keywords it cannot do without, for example ``("n_train", "n_test")``.
    estimand, training_size : str
        What it estimates, and for training sets of which size.
    leaning : {"liberal", "conservative", "exact", "depends"}
        Whether its error is above, below or at the nominal level.
    why : str
        Why it leans so, in a sentence.
    source : str
        Where it comes from, with the equation.
    recommended : bool
        False: for comparison only.
    """

    key: str
    function: Callable[..., Estimate]
    family: Family
    designs: tuple[str, ...]
    inputs: tuple[Input, ...]
    arguments: tuple[str, ...]
    estimand: str
    training_size: str
    leaning: Leaning
    why: str
    source: str
    recommended: bool

    @property
    def card(self) -> Mapping[str, Any] | None:
        """The measured calibration of the method, if it was measured."""
        return _card(self.key)

    def n_train(self, partition: Partition) -> int:
        """The training size that the answer is about: n if the method carries it there, else the design's."""
        return partition.n if self.training_size == "n" else partition.n_train

    def about(self, n_train: int | None = None) -> str:
        """The estimand in words, with the training size it speaks of."""
        return f"{self.estimand} at training size {self.training_size if n_train is None else n_train}"

    def __repr__(self) -> str:
        use = "recommended" if self.recommended else "for comparison only"
        return f"Method({self.key!r}, {self.leaning}, {use}, designs: {', '.join(self.designs)})"


_METHODS: dict[str, Method] = {}

DIFFERENCE = "expected difference B − A"


def method(
    key: str,
    *,
    designs: tuple[str, ...],
    inputs: tuple[Input, ...],
    training_size: str,
    leaning: Leaning,
    why: str,
    source: str,
    recommended: bool,
    arguments: tuple[str, ...] = (),
    estimand: str = DIFFERENCE,
    family: Family = "test",
) -> Callable[[_F], _F]:
    """Register the decorated function under ``key``; the attributes are those of :class:`Method`."""

    def register(function: _F) -> _F:
        _METHODS[key] = Method(
            key=key,
            function=function,
            family=family,
            designs=designs,
            inputs=inputs,
            arguments=arguments,
            estimand=estimand,
            training_size=training_size,
            leaning=leaning,
            why=why,
            source=source,
            recommended=recommended,
        )
        return function

    return register


def methods() -> Mapping[str, Method]:
    """
    All methods by key.

    Returns
    -------
    mapping of str to Method
        Designs, inputs, estimand, leaning, source and card of each method.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.methods()["corrected-resampled-t"].designs
    ('rlt', 'brlt')
    """
    return MappingProxyType(_METHODS)


def select(key: str, *, design: str) -> Method:
    """
    Return the method ``key`` if it is valid on a design, else say which one is.

    Parameters
    ----------
    key : str
        A key of :func:`methods`.
    design : str
        The ``kind`` of a partition.

    Returns
    -------
    Method

    Raises
    ------
    NotApplicable
        If the method does not fit the design; the message names both and suggests a method that fits.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.select("resampled-t", design="mx2-bcv")
    Traceback (most recent call last):
    ...
    evenfold.core.errors.NotApplicable: method 'resampled-t' does not fit design 'mx2-bcv' ...
    """
    entry = _METHODS[one_of("method", key, _METHODS)]
    if not isinstance(design, str):
        refuse("design", "the kind of a partition", design)
    if design not in entry.designs:
        fitting = [m for m in _METHODS.values() if design in m.designs and m.family == entry.family]
        fitting.sort(key=lambda m: not m.recommended)
        remedy = f"use {fitting[0].key!r}" if fitting else "no method of this family fits that design"
        raise NotApplicable(
            f"method {key!r} does not fit design {design!r} (it needs {' or '.join(entry.designs)}); {remedy}"
        )
    return entry


@cache
def _card(key: str) -> Mapping[str, Any] | None:
    path = files("evenfold.infer") / "cards" / f"{key}.json"
    return MappingProxyType(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None

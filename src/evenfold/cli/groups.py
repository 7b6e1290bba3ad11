"""
Options that belong together, as one value.

a command takes the group, the user types its options.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property, wraps
from inspect import Parameter, Signature, signature
from typing import Any

from evenfold.cli import options as o
from evenfold.cli.gate import check_gate, side
from evenfold.cli.names import check_method
from evenfold.core.rng import seed_from


def take_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """
    Let a command take its options in groups.

    Examples
    --------
    >>> @take_option_groups
    ... def lift(what: str, effort: FitOptions) -> None:
    ...     print(what, effort.keywords)
    >>> list(signature(lift).parameters)
    ['what', 'seed', 'jobs', 'store']
    >>> lift(what="stone", seed=1, jobs=2, store=None)
    stone {'random_state': 1, 'n_jobs': 2, 'store': None}
    """
    own = signature(command).parameters.values()
    groups: dict[str, Any] = {
        one.name: one.annotation for one in own if is_dataclass(one.annotation)
    }

    @wraps(command)
    def run_command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    return with_parameters(run_command, (part for one in own for part in _parts(one)))


def with_parameters(
    function: Callable[..., None], parameters: Iterable[Parameter]
) -> Callable[..., None]:
    """Say which parameters a function takes, for typer to make options of."""
    said: Any = function
    said.__signature__ = Signature(list(parameters))
    said.__annotations__ = {
        one.name: one.annotation for one in said.__signature__.parameters.values()
    }
    return function


def option(name: str, kind: Any, default: Any = Parameter.empty) -> Parameter:
    """Return a parameter, by keyword, so that those with and without defaults mix in any order."""
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _parts(one: Parameter) -> list[Parameter]:
    if not is_dataclass(one.annotation):
        return [one.replace(kind=Parameter.KEYWORD_ONLY)]
    return [option(field.name, field.type, field.default) for field in fields(one.annotation)]


@dataclass(frozen=True, eq=False, kw_only=True)
class RowOptions:
    """How the rows of a file are read."""

    target: o.TargetOrTag = None
    groups: o.Groups = None
    order: o.Order = None
    weights: o.Weights = None
    features: o.Features = None
    drop: o.Drop = None
    sep: o.Sep = None
    decimal: o.Decimal = None
    encoding: o.Encoding = None
    scale: o.Scale = False
    balance: o.Balance = None

    @property
    def keywords(self) -> dict[str, Any]:
        """What was said, by option; a reader has defaults of its own."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in given.items() if value not in (None, False, [])}


@dataclass(frozen=True, eq=False, kw_only=True)
class Models:
    """Which algorithms are compared."""

    a: o.A = None
    b: o.B = None
    algorithm: o.Algorithm = None
    trust: o.Trust = None

    @property
    def specifications(self) -> list[tuple[str, str]]:
        """The algorithms as they were written, each with its option, in the order A, B, others."""
        found = (
            ("--a", [self.a] if self.a else []),
            ("--b", self.b),
            ("--algorithm", self.algorithm),
        )
        return [(text, option) for option, texts in found for text in texts or ()]


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionOptions:
    """What is asked of losses, and what a pipeline wishes for."""

    measure: o.Measure = None
    method: o.Method = None
    margin: o.Margin = 0.0
    level: o.Level = 0.05
    alternative: o.Alternative = "two-sided"
    baseline: o.Baseline = None
    adjust: o.Adjust = "holm"
    fail_unless: o.FailUnless = None
    undecided: o.Undecided = None

    def check(self, algorithms: int = 2) -> None:
        """Refuse what no verdict can meet and what no registry has, before data are read."""
        check_gate(self.fail_unless, self.undecided, algorithms, self.baseline)
        check_method(self.method)

    @property
    def measures(self) -> Any:
        """One measure, several, or None."""
        if len(self.measure or ()) > 1:
            return self.measure
        return next(iter(self.measure or ()), None)

    @property
    def keywords(self) -> dict[str, Any]:
        """The keywords of whatever answers."""
        plain = ("method", "margin", "level", "baseline", "adjust")
        return {name: getattr(self, name) for name in plain} | {
            "measure": self.measures,
            "alternative": side(self.alternative, self.fail_unless),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class FitOptions:
    """How fits are made and kept."""

    seed: o.Seed = None
    jobs: o.Jobs = None
    store: o.Store = None

    @cached_property
    def drawn(self) -> int:
        """The seed, drawn where none was given, and short enough to be typed again."""
        if self.seed is None:
            return seed_from(None) % 10**6
        return self.seed

    @property
    def keywords(self) -> dict[str, Any]:
        """The keywords of whatever fits."""
        return {"random_state": self.drawn, "n_jobs": self.jobs, "store": self.store}

"""The populations of the sources, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from evenfold.core.checks import one_of, refuse
from evenfold.lab.populations._base import Population
from evenfold.lab.populations.gaussians import (
    R1961,
    Imbalanced,
    SCla,
    TwoGaussians,
    W14Gaussians5d,
    W14Gaussians10d,
    W14Logistic,
    W14Shifted,
)
from evenfold.lab.populations.losses import BlockExchangeable, GaussianHoldouts, LossPopulation
from evenfold.lab.populations.regression import MeanLine, NormalMean, SReg
from evenfold.lab.populations.resampled import DISTORTIONS, Digits, Letters, Resampled, letters
from evenfold.lab.populations.sources import HierarchicalSources

__all__ = [
    "DISTORTIONS",
    "R1961",
    "BlockExchangeable",
    "Digits",
    "Entry",
    "GaussianHoldouts",
    "HierarchicalSources",
    "Imbalanced",
    "Letters",
    "LossPopulation",
    "MeanLine",
    "NormalMean",
    "Resampled",
    "SCla",
    "SReg",
    "TwoGaussians",
    "W14Gaussians5d",
    "W14Gaussians10d",
    "W14Logistic",
    "W14Shifted",
    "letters",
    "population",
    "populations",
]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Entry:
    """
    A population in the register.

    Attributes
    ----------
    kind : type
        Its class; the docstring holds the exact set-up of its source.
    description, source : str
        One line about it, and where it comes from.
    make : callable
        Makes it from its parameters.
    """

    kind: type[Population] | type[LossPopulation]
    description: str
    source: str
    make: Callable[..., Population | LossPopulation]


def _entry(
    kind: type[Population] | type[LossPopulation],
    description: str,
    source: str,
    make: Callable[..., Population | LossPopulation] | None = None,
) -> tuple[str, Entry]:
    return kind.name, Entry(kind=kind, description=description, source=source, make=make or kind)


_REGISTER = MappingProxyType(
    dict(
        [
            _entry(NormalMean, "normal targets, the sample mean; every moment known", "R19 2.2"),
            _entry(MeanLine, "simple normal regression, mean against line", "NB table 2"),
            _entry(TwoGaussians, "two Gaussians in the plane, tree against OLS", "NB table 3, W14 table 6"),
            _entry(SReg, "linear regression on p normal features", "R19 3.5.1"),
            _entry(SCla, "two classes that differ in a tenth of p features", "R19 3.5.1"),
            _entry(W14Gaussians10d, "two Gaussians in ten dimensions, a tree", "W14 example 1"),
            _entry(W14Gaussians5d, "two Gaussians in five dimensions", "W14 experiments 2 and 3"),
            _entry(W14Logistic, "labels by a logistic law of five features, SVM", "W14 example 2"),
            _entry(W14Shifted, "weakly shifted Gaussians, balanced, a tree", "W14 experiment 1"),
            _entry(Imbalanced, "rare positives, LDA against naive Bayes", "evenfold"),
            _entry(R1961, "two near Gaussians, logistic regression, F1", "R19 example 6.1"),
            _entry(Resampled, "any data set X, y as a population", "NB 5, R19 2.3, W14 3"),
            _entry(Letters, "the letters from your folder, tree against 1-NN", "NB table 4", letters),
            _entry(Digits, "scikit-learn's digits, tree against 1-NN", "evenfold"),
            _entry(HierarchicalSources, "data from sources that differ, naive Bayes", "G13 3"),
            _entry(GaussianHoldouts, "normal hold-out values with given ρ1, ρ2", "R19 table 5.8"),
            _entry(BlockExchangeable, "losses of blocks with given σ², ω, γ", "G13 2"),
        ]
    )
)


def populations() -> Mapping[str, Entry]:
    """
    All populations by name.

    Examples
    --------
    >>> populations()["mean-line"].description
    'simple normal regression, mean against line'
    """
    return _REGISTER


def population(name: str, **parameters: Any) -> Population | LossPopulation:
    """
    Make a population by name.

    Parameters
    ----------
    name : str
        One of :func:`populations`.
    **parameters
        Its parameters, or ``setting=1, 2, ...`` for a numbered setting of its source.

    Examples
    --------
    >>> population("mean-line", setting=2)
    MeanLine(slope=2.0, x_variance=2.0, noise_variance=64.0, x_mean=10.0, intercept=100.0)
    """
    entry = _REGISTER[one_of("population", name, _REGISTER)]
    if "setting" in parameters:
        return _numbered(entry, **parameters)
    try:
        return entry.make(**parameters)
    except TypeError as error:
        refuse(f"parameters of {name!r}", "those of its class", parameters, str(error))


def _numbered(entry: Entry, *, setting: int, **parameters: Any) -> Population:
    """A numbered setting of a source, changed where other parameters are given."""
    settings = getattr(entry.kind, "settings", ())
    if not settings or not issubclass(entry.kind, Population):
        refuse("setting", "left out for a population without numbered settings", setting)
    return entry.kind.setting(setting, **parameters)

"""The populations of the sources, by name."""

from collections.abc import Mapping
from typing import Any

from evenfold.core.checks import refuse, short_repr
from evenfold_lab.populations._base import POPULATIONS, Drawable
from evenfold_lab.populations.gaussians import (
    R1961,
    Imbalanced,
    SCla,
    TwoGaussians,
    W14Gaussians5d,
    W14Gaussians10d,
    W14Logistic,
    W14Shifted,
)
from evenfold_lab.populations.losses import BlockExchangeable, GaussianHoldouts, LossPopulation
from evenfold_lab.populations.regression import MeanLine, NormalMean, SReg
from evenfold_lab.populations.resampled import DISTORTIONS, Digits, Letters, Resampled, letters
from evenfold_lab.populations.series import Forecasters
from evenfold_lab.populations.sources import HierarchicalSources

__all__ = [
    "DISTORTIONS",
    "R1961",
    "BlockExchangeable",
    "Digits",
    "Drawable",
    "Forecasters",
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


def populations() -> Mapping[str, type[Drawable]]:
    """
    Return the classes of all populations by name.

    Examples
    --------
    >>> populations()["mean-line"].description
    'simple normal regression, mean against line'
    """
    return POPULATIONS


def population(name: str, **parameters: Any) -> Any:
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
    kind = POPULATIONS[name]
    if "setting" in parameters:
        return kind.setting(parameters.pop("setting"), **parameters)
    try:
        return kind.make(**parameters)
    except TypeError as error:
        refuse(
            None,
            f"The parameters of {name!r} must be those of its class but got "
            f"{short_repr(parameters)}: {error}.",
        )

"""
The one import for authors of methods, measures, designs, stores, formats and readers.

All that an extension needs is here, and what is here is stable: it changes only with a deprecation
that warns for one minor version. ``docs/extending`` has a complete package that imports nothing
else; :mod:`evenfold.testing` checks what you wrote.
"""

import warnings
from typing import Any

from evenfold.core.checks import fraction, integer, number, one_of, refuse
from evenfold.core.errors import EvenfoldDeprecation
from evenfold.core.estimate import (
    Alternative,
    Estimand,
    Estimate,
    Floats,
    Normal,
    PivotEstimate,
    PosteriorEstimate,
    StudentT,
    TestEstimate,
    VarianceEstimate,
)
from evenfold.core.facts.comparison import Facts
from evenfold.core.losses import Losses, Quantity
from evenfold.core.partition import BlockCut, FoldCut, IndexCut, Kind, Partition
from evenfold.design import BalancedDesign, Design, StratifiedDesign
from evenfold.design import register as register_design
from evenfold.infer import Answer, Pivot, Valid, Variance, method
from evenfold.read.results import LongTable, Reader, ReadingOptions
from evenfold.read.results import register as register_reader
from evenfold.report import format  # noqa: A004  (a format of reports; its name is part of the contract)
from evenfold.run import Measure, Store, measure

__all__ = [
    "Alternative",
    "Answer",
    "BalancedDesign",
    "BlockCut",
    "Design",
    "Estimand",
    "Estimate",
    "Facts",
    "Floats",
    "FoldCut",
    "IndexCut",
    "Kind",
    "LongTable",
    "Losses",
    "Measure",
    "Normal",
    "Partition",
    "Pivot",
    "PivotEstimate",
    "PosteriorEstimate",
    "Quantity",
    "Reader",
    "ReadingOptions",
    "Store",
    "StratifiedDesign",
    "StudentT",
    "TestEstimate",
    "Valid",
    "Variance",
    "VarianceEstimate",
    "format",
    "fraction",
    "integer",
    "measure",
    "method",
    "number",
    "one_of",
    "refuse",
    "register_design",
    "register_reader",
]

_RENAMED = {"Given": ReadingOptions, "Long": LongTable}  # as version 0.2 called them


def __getattr__(name: str) -> Any:
    """Return what a former name stands for; former names go in version 0.4."""
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    renamed = _RENAMED[name]
    message = (
        f"evenfold.extend.{name} is called {renamed.__name__} since evenfold 0.3. The old name "
        "goes in 0.4."
    )
    warnings.warn(message, EvenfoldDeprecation, stacklevel=2)
    return renamed

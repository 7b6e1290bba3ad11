"""Partition × algorithms → losses: fits that are never done twice and never lost."""

from typing import Any

from evenfold.core.measure import Quantity
from evenfold.run.api import grow, run
from evenfold.run.measures import Answer, Evaluated, Measure, chunk_counts, fpa, measure, measures, pinball
from evenfold.run.runs import Run
from evenfold.run.stores import Store, stores
from evenfold.run.tags import convert_tags

__all__ = [
    "Answer",
    "CRFTagger",
    "Evaluated",
    "Measure",
    "Quantity",
    "Run",
    "Store",
    "TagScheme",
    "TokenTagger",
    "UnderSampled",
    "chunk_counts",
    "convert_tags",
    "fpa",
    "grow",
    "load",
    "measure",
    "measures",
    "pinball",
    "run",
    "stores",
]


def __getattr__(name: str) -> Any:
    """Load what needs a database library, or scikit-learn, only when it is asked for."""
    if name == "load":
        from evenfold.run.reload import load

        return load
    if name == "UnderSampled":
        from evenfold.run.undersampled import UnderSampled

        return UnderSampled
    if name in ("CRFTagger", "TagScheme", "TokenTagger"):
        from evenfold.run import taggers

        return getattr(taggers, name)
    raise AttributeError(f"module 'evenfold.run' has no attribute {name!r}")

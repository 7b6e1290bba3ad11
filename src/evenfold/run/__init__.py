"""Partition × algorithms → losses: fits that are never done twice and never lost."""

from typing import TYPE_CHECKING, Any

from evenfold.core.losses import Quantity, Ratio, Score, Smooth
from evenfold.run.api import grow, run
from evenfold.run.driver import Run
from evenfold.run.leaving_out import LeftOut, left_out
from evenfold.run.measures import (
    Evaluated,
    Measure,
    Predictions,
    calibration_error,
    chunk_counts,
    cost,
    f_beta,
    fpa,
    kappa,
    measure,
    measures,
    ndcg,
    partial_auc,
    pinball,
)
from evenfold.run.records import load
from evenfold.run.stores import Store, stores

if TYPE_CHECKING:
    from evenfold.run.undersampled import UnderSampled

__all__ = [
    "Evaluated",
    "LeftOut",
    "Measure",
    "Predictions",
    "Quantity",
    "Ratio",
    "Run",
    "Score",
    "Smooth",
    "Store",
    "UnderSampled",
    "calibration_error",
    "chunk_counts",
    "cost",
    "f_beta",
    "fpa",
    "grow",
    "kappa",
    "left_out",
    "load",
    "measure",
    "measures",
    "ndcg",
    "partial_auc",
    "pinball",
    "run",
    "stores",
]


if not TYPE_CHECKING:  # a type checker knows the names and refuses others

    def __getattr__(name: str) -> Any:
        """Load what needs scikit-learn only when it is asked for."""
        if name == "UnderSampled":
            from evenfold.run.undersampled import UnderSampled

            return UnderSampled
        raise AttributeError(f"module 'evenfold.run' has no attribute {name!r}")

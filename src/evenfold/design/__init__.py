"""
Who trains and who tests; never sees an estimator.

Every design is a scikit-learn cross-validator by its methods (``split``, ``get_n_splits``) and
makes a :class:`~evenfold.core.partition.Partition`, which certifies how even it is.
"""

from evenfold.core.partition import Certificate, Partition
from evenfold.design._base import (
    BalancedDesign,
    Design,
    StratifiedDesign,
    design_from,
    designs,
    register,
)
from evenfold.design.evenness import (
    chi_square,
    chi_square_ratio,
    ideal_overlap,
    random_overlap,
    random_overlap_error,
    regular_repetitions,
    repetitions_needed,
    screened,
    variance_drop,
)
from evenfold.design.folds import FoldsAndHalves, FoldsInHalves, KFold, LeaveOneOut
from evenfold.design.given import as_design
from evenfold.design.halves import Blocked3x2, Mx2, Mx2BCV, text_features
from evenfold.design.repeated import RepeatedKFold, Reruns
from evenfold.design.search.halvings import hadamard
from evenfold.design.sources import LeaveOneSourceOut, SourceSizedKFold
from evenfold.design.splits import BRLT, RLT, Holdout, NestedKFold, NestedRLT, OutOfBag
from evenfold.design.windows import GrowingWindow, RollingWindow

__all__ = [
    "BRLT",
    "RLT",
    "BalancedDesign",
    "Blocked3x2",
    "Certificate",
    "Design",
    "FoldsAndHalves",
    "FoldsInHalves",
    "GrowingWindow",
    "Holdout",
    "KFold",
    "LeaveOneOut",
    "LeaveOneSourceOut",
    "Mx2",
    "Mx2BCV",
    "NestedKFold",
    "NestedRLT",
    "OutOfBag",
    "Partition",
    "RepeatedKFold",
    "Reruns",
    "RollingWindow",
    "SourceSizedKFold",
    "StratifiedDesign",
    "as_design",
    "chi_square",
    "chi_square_ratio",
    "design_from",
    "designs",
    "hadamard",
    "ideal_overlap",
    "random_overlap",
    "random_overlap_error",
    "register",
    "regular_repetitions",
    "repetitions_needed",
    "screened",
    "text_features",
    "variance_drop",
]

"""
Who trains and who tests; never sees an estimator.

Every design is a scikit-learn cross-validator by its methods (``split``, ``get_n_splits``) and makes a
:class:`~evenfold.core.partition.Partition`, which certifies how even it is.
"""

from evenfold.core.partition import Certificate, Partition
from evenfold.design._base import BalancedDesign, Design, StratifiedDesign
from evenfold.design.brlt import BRLT
from evenfold.design.folds import KFold, LeaveOneOut, LeaveOneSourceOut, SourceSizedKFold
from evenfold.design.hadamard import hadamard
from evenfold.design.measures import (
    chi_square,
    ideal_overlap,
    random_overlap,
    random_overlap_error,
    repetitions_needed,
    variance_drop,
)
from evenfold.design.mx2 import Blocked3x2, Mx2, Mx2BCV
from evenfold.design.nested import NestedKFold
from evenfold.design.splits import RLT, Holdout, NestedRLT
from evenfold.design.text import text_features

__all__ = [
    "BRLT",
    "RLT",
    "BalancedDesign",
    "Blocked3x2",
    "Certificate",
    "Design",
    "Holdout",
    "KFold",
    "LeaveOneOut",
    "LeaveOneSourceOut",
    "Mx2",
    "Mx2BCV",
    "NestedKFold",
    "NestedRLT",
    "Partition",
    "SourceSizedKFold",
    "StratifiedDesign",
    "chi_square",
    "hadamard",
    "ideal_overlap",
    "random_overlap",
    "random_overlap_error",
    "repetitions_needed",
    "text_features",
    "variance_drop",
]

"""
From losses to an estimate: one file per family of methods, and a registry of what each is good for.

Every function takes arrays with leading batch axes and returns an estimate; :func:`methods` lists them.
"""

from evenfold.infer._registry import Method, methods, select
from evenfold.infer.resampled import corrected_resampled_t, resampled_t

__all__ = [
    "Method",
    "corrected_resampled_t",
    "methods",
    "resampled_t",
    "select",
]

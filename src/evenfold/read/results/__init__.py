"""
Readers of results that exist already, from any table to one normal form.

:func:`read_results` asks every reader whether it knows the table; the first that does reads it.
Each reader is one file that registers itself, and other packages add theirs by entry points
(``evenfold.readers``).
"""

from evenfold.core.inputs import Results
from evenfold.read.results import (  # noqa: F401  (each registers its reader)
    cross_validate,
    files,
    frames,
    mlflow_runs,
    skore_reports,
    tabarena,
)
from evenfold.read.results.base import READERS, LongTable, Reader, ReadingOptions, register
from evenfold.read.results.columns import read_results

__all__ = [
    "READERS",
    "LongTable",
    "Reader",
    "ReadingOptions",
    "Results",
    "read_results",
    "register",
]

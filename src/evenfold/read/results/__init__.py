"""
Readers of existing results, which bring any table into one normal form.

:func:`read_results` asks every reader whether it knows the table, and the first reader that does
reads it. Each reader is one file that registers itself. Other packages add readers by entry points
of the group ``evenfold.readers``.
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

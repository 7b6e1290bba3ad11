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
)
from evenfold.read.results._base import (
    READERS,
    SYNONYMS,
    CodedColumn,
    FileDescription,
    Given,
    Long,
    Reader,
    as_frame,
    by_role,
    column,
    decode,
    each_is,
    is_measured,
    name_columns,
    names_of_roles,
    register,
)
from evenfold.read.results._columns import parse_numbers, read_results, results

__all__ = [
    "READERS",
    "SYNONYMS",
    "CodedColumn",
    "FileDescription",
    "Given",
    "Long",
    "Reader",
    "Results",
    "as_frame",
    "by_role",
    "column",
    "decode",
    "each_is",
    "is_measured",
    "name_columns",
    "names_of_roles",
    "parse_numbers",
    "read_results",
    "register",
    "results",
]

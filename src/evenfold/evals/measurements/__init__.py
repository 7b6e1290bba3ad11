"""
Measurements of benchmarking tools, each format in its own file.

Each format recognises its documents and returns one
:class:`~evenfold.evals.measurements._base.Measurements` per document. Other packages announce
formats by entry points of the group ``evenfold.measurement_formats``.
"""

from evenfold.evals.measurements import (  # noqa: F401  (each registers its format)
    asv,
    google_benchmark,
    hyperfine,
    pytest_benchmark,
)
from evenfold.evals.measurements._base import (
    FORMATS,
    BenchmarkRuns,
    MeasurementFormat,
    Measurements,
    are_measurements,
    read_files,
    read_measurements,
)

__all__ = [
    "FORMATS",
    "BenchmarkRuns",
    "MeasurementFormat",
    "Measurements",
    "are_measurements",
    "read_files",
    "read_measurements",
]

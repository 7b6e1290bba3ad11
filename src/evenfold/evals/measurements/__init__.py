"""
Measurements of benchmarking tools, each format in its own file.

A format says whether a document is its own and returns one
:class:`~evenfold.evals.measurements._base.Measurements`. Other packages announce formats by entry
points of the group ``evenfold.measurement_formats``.
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

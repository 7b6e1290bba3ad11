"""
A benchmark of tests of differences, by population, pair, size, measure and test.

``bench(path)`` runs what a file of results does not have yet. ``add_test`` and ``add_population``
add a test or a population. ``check_test`` checks a test, and ``check_results`` a file of results.
"""

from evenfold_lab.bench.families import FAMILIES, Family, family
from evenfold_lab.bench.material import Material
from evenfold_lab.bench.named import find_population, find_test
from evenfold_lab.bench.populations import (
    BenchPopulation,
    add_population,
    known_populations,
    table,
    tables,
)
from evenfold_lab.bench.rivals import TESTS, Answer, BenchTest, add_test, by_estimate, by_interval
from evenfold_lab.bench.runner import COLUMNS, bench, cells, read_rows, write_rows
from evenfold_lab.bench.schema import check_results, results_schema
from evenfold_lab.bench.testing import check_test

__all__ = [
    "COLUMNS",
    "FAMILIES",
    "TESTS",
    "Answer",
    "BenchPopulation",
    "BenchTest",
    "Family",
    "Material",
    "add_population",
    "add_test",
    "bench",
    "by_estimate",
    "by_interval",
    "cells",
    "check_results",
    "check_test",
    "family",
    "find_population",
    "find_test",
    "known_populations",
    "read_rows",
    "results_schema",
    "table",
    "tables",
    "write_rows",
]

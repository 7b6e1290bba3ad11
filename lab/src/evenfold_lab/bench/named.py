"""Find populations and tests by the names that the command line takes, and register new ones."""

from importlib import import_module
from typing import Any

from evenfold.core.checks import integer, one_of, refuse, short_repr
from evenfold.core.words import one_line
from evenfold.infer import methods
from evenfold_lab.bench.families import FAMILIES
from evenfold_lab.bench.populations import POPULATIONS, BenchPopulation, add_population
from evenfold_lab.bench.rivals import TESTS, BenchTest, add_test


def _load_object(name: str, text: str, kind: type) -> Any:
    """Import the object ``MODULE:NAME``, which must be an instance of ``kind``."""
    module, _, attribute = text.partition(":")
    rule = f"{name} must be MODULE:NAME of something that can be imported but got"
    try:
        value = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        remedy = one_line(str(error))
        if isinstance(error, ModuleNotFoundError):
            remedy = f"{remedy}. Install the module, or put its folder into PYTHONPATH."
        refuse(name, f"{rule} {short_repr(text)}.", remedy)
    if not isinstance(value, kind):
        refuse(name, f"{name} must be a {kind.__name__} but got {short_repr(value)}.")
    return value


def find_population(text: str) -> str:
    """
    Return the name of a population, registering ``MODULE:NAME`` first.

    Examples
    --------
    >>> find_population("friedman1")
    'friedman1'
    """
    if ":" in text:
        population: BenchPopulation = _load_object("population", text, BenchPopulation)
        add_population(population)
        return population.key
    return str(one_of("population", text, POPULATIONS))


def find_test(text: str) -> str:
    """
    Return a test's key, registering ``KEY@FAMILY``, ``KEY@FAMILY:COUNT`` or ``MODULE:NAME`` first.

    Examples
    --------
    >>> find_test("resampled-t@random:15")
    'resampled-t'
    """
    if "@" in text:
        key, _, where = text.partition("@")
        family, _, count = where.partition(":")
        one_of("test", key, methods())
        one_of("family", family, FAMILIES)
        if count and not count.isdigit():
            refuse("count", f"count must be a number of splits but got {short_repr(count)}.")
        return add_test(
            key, family=family, count=integer("count", int(count), low=2) if count else None
        ).key
    if ":" in text:
        return add_test(_load_object("test", text, BenchTest)).key
    return str(one_of("test", text, TESTS))


find_test.__test__ = False  # type: ignore[attr-defined]  # pytest must not collect it

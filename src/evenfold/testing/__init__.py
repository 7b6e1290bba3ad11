"""
Contract kits: what every design, method, measure, store, format and reader must keep.

Call one from a test of your own package; it raises :class:`BrokenContract`, which says who broke
which rule.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evenfold.testing._base import BrokenContract

if TYPE_CHECKING:
    from evenfold.testing.designs import check_design
    from evenfold.testing.formats import check_format
    from evenfold.testing.measures import check_measure
    from evenfold.testing.methods import check_method
    from evenfold.testing.readers import check_reader
    from evenfold.testing.stores import check_store

__all__ = [
    "BrokenContract",
    "check_design",
    "check_format",
    "check_measure",
    "check_method",
    "check_reader",
    "check_store",
]


if not TYPE_CHECKING:  # a type checker knows the names and refuses others

    def __getattr__(name: str) -> Any:
        """Load a kit on first use."""
        if name in __all__:
            return getattr(import_module(f"evenfold.testing.{name.removeprefix('check_')}s"), name)
        raise AttributeError(f"module 'evenfold.testing' has no attribute {name!r}")

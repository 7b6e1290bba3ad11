"""
The front door of evenfold; nothing heavy is loaded until it is used.

Is algorithm B really better than algorithm A on this kind of data, by how much, and how sure can I be?
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenfold import design, infer, lab, run
    from evenfold._compare import Comparison, compare
    from evenfold.core.errors import EvenfoldError, NotApplicable
    from evenfold.design import BRLT, KFold, LeaveOneSourceOut, Mx2BCV

__version__ = "0.1.0"

_HOMES = {
    "BRLT": "evenfold.design",
    "Comparison": "evenfold._compare",
    "compare": "evenfold._compare",
    "EvenfoldError": "evenfold.core.errors",
    "KFold": "evenfold.design",
    "LeaveOneSourceOut": "evenfold.design",
    "Mx2BCV": "evenfold.design",
    "NotApplicable": "evenfold.core.errors",
}
_ROOMS = ("design", "infer", "lab", "run")

__all__ = [
    "BRLT",
    "Comparison",
    "EvenfoldError",
    "KFold",
    "LeaveOneSourceOut",
    "Mx2BCV",
    "NotApplicable",
    "compare",
    "design",
    "infer",
    "lab",
    "run",
]


def __getattr__(name: str) -> Any:
    """Load a public name or a room on first use."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"evenfold.{name}")
    raise AttributeError(f"module 'evenfold' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

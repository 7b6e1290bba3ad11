"""
The front door of evenfold; nothing heavy is loaded until it is used.

Is algorithm B really better than algorithm A on this kind of data, by how much, and how sure can I be?
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenfold import design, infer, lab, read, report, run, testing, text
    from evenfold.core.errors import EvenfoldError, NotApplicable
    from evenfold.corridor import Comparison, compare, reopen
    from evenfold.corridor.across.api import AcrossDataSets, across
    from evenfold.corridor.judge.api import judge
    from evenfold.corridor.keep.api import keep
    from evenfold.corridor.keep.result import KeepResult
    from evenfold.corridor.load import load
    from evenfold.corridor.plan.api import Plan, plan
    from evenfold.corridor.runs import runs
    from evenfold.design import BRLT, KFold, LeaveOneSourceOut, Mx2BCV

__version__ = "0.1.0"

_HOMES = {
    "AcrossDataSets": "evenfold.corridor.across.api",
    "across": "evenfold.corridor.across.api",
    "BRLT": "evenfold.design",
    "Comparison": "evenfold.corridor",
    "compare": "evenfold.corridor",
    "judge": "evenfold.corridor.judge.api",
    "keep": "evenfold.corridor.keep.api",
    "KeepResult": "evenfold.corridor.keep.result",
    "EvenfoldError": "evenfold.core.errors",
    "KFold": "evenfold.design",
    "load": "evenfold.corridor.load",
    "reopen": "evenfold.corridor",
    "LeaveOneSourceOut": "evenfold.design",
    "Mx2BCV": "evenfold.design",
    "NotApplicable": "evenfold.core.errors",
    "Plan": "evenfold.corridor.plan.api",
    "plan": "evenfold.corridor.plan.api",
    "runs": "evenfold.corridor.runs",
}
_ROOMS = ("design", "infer", "lab", "read", "report", "run", "testing", "text")

__all__ = [
    "BRLT",
    "AcrossDataSets",
    "Comparison",
    "EvenfoldError",
    "KFold",
    "KeepResult",
    "LeaveOneSourceOut",
    "Mx2BCV",
    "NotApplicable",
    "Plan",
    "across",
    "compare",
    "design",
    "infer",
    "judge",
    "keep",
    "lab",
    "load",
    "plan",
    "read",
    "reopen",
    "report",
    "run",
    "runs",
    "testing",
    "text",
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

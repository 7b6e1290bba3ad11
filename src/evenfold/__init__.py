"""
The front door of evenfold; nothing heavy is loaded until it is used.

Is algorithm B really better than algorithm A on this kind of data, by how much, and how sure can I
be?
"""

from importlib import import_module

# What typing has under this name. To load typing takes longer than all the rest of this file, and
# until the command listens to Ctrl-C an interruption shows Python's own traceback.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from evenfold import design, extend, infer, read, report, run, testing, text
    from evenfold.comparison.across import AcrossDataSets, across
    from evenfold.comparison.compare import compare
    from evenfold.comparison.displays import ComparisonDisplay, RankingDisplay
    from evenfold.comparison.judge.api import judge
    from evenfold.comparison.plan.api import Plan, plan
    from evenfold.comparison.reopen import load, reopen, runs
    from evenfold.comparison.result import Comparison
    from evenfold.core.errors import EvenfoldError, EvenfoldWarning, InvalidInput, NotApplicable
    from evenfold.core.note import Note
    from evenfold.core.verdict import Outcome, PairResult, Verdict
    from evenfold.core.versions import show_versions
    from evenfold.design import BRLT, KFold, LeaveOneSourceOut, Mx2BCV
    from evenfold.evals.board import Board, board
    from evenfold.evals.keep.api import KeepResult, keep

    lab: Any  # another distribution, which may not be installed

__version__ = "0.3.0"

_NAMES = {
    "comparison.across": ("AcrossDataSets", "across"),
    "comparison.compare": ("compare",),
    "comparison.displays": ("ComparisonDisplay", "RankingDisplay"),
    "comparison.judge.api": ("judge",),
    "comparison.plan.api": ("Plan", "plan"),
    "comparison.reopen": ("load", "reopen", "runs"),
    "comparison.result": ("Comparison",),
    "core.errors": ("EvenfoldError", "EvenfoldWarning", "InvalidInput", "NotApplicable"),
    "core.note": ("Note",),
    "core.verdict": ("Outcome", "PairResult", "Verdict"),
    "core.versions": ("show_versions",),
    "design": ("BRLT", "KFold", "LeaveOneSourceOut", "Mx2BCV"),
    "evals.board": ("Board", "board"),
    "evals.keep.api": ("KeepResult", "keep"),
}
_HOMES = {name: f"evenfold.{home}" for home, names in _NAMES.items() for name in names}
_ROOMS = ("design", "extend", "infer", "read", "report", "run", "testing", "text")

__all__ = [
    "BRLT",
    "AcrossDataSets",
    "Board",
    "Comparison",
    "ComparisonDisplay",
    "EvenfoldError",
    "EvenfoldWarning",
    "InvalidInput",
    "KFold",
    "KeepResult",
    "LeaveOneSourceOut",
    "Mx2BCV",
    "NotApplicable",
    "Note",
    "Outcome",
    "PairResult",
    "Plan",
    "RankingDisplay",
    "Verdict",
    "across",
    "board",
    "compare",
    "design",
    "extend",
    "infer",
    "judge",
    "keep",
    "load",
    "plan",
    "read",
    "reopen",
    "report",
    "run",
    "runs",
    "show_versions",
    "testing",
    "text",
]


if not TYPE_CHECKING:  # a type checker knows the names and refuses others

    def __getattr__(name: str) -> "Any":
        """Load a public name or a package on first use."""
        if name in _HOMES:
            value = getattr(import_module(_HOMES[name]), name)
            globals()[name] = value  # the next use finds it at once
            return value
        if name in _ROOMS:
            return import_module(f"evenfold.{name}")
        if name == "lab":
            return _laboratory()
        raise AttributeError(f"module 'evenfold' has no attribute {name!r}")


def _laboratory() -> "Any":
    """Load the package evenfold-lab, which announces itself; evenfold never imports it by name."""
    from importlib.metadata import entry_points  # 17 ms, which the front door need not cost

    for point in entry_points(group="evenfold.laboratory"):
        return point.load()
    raise AttributeError(
        "ef.lab needs the package evenfold-lab, which is not installed: pip install evenfold-lab"
    )


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

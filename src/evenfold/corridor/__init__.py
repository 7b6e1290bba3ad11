"""The corridor: wires the rooms, design → run → infer → verdict → facts."""

from evenfold.corridor.answer import PairResult
from evenfold.corridor.comparing import compare, reopen
from evenfold.corridor.result import Comparison

__all__ = ["Comparison", "PairResult", "compare", "reopen"]

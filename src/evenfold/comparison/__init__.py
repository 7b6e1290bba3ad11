"""What a question becomes: wires the rooms, design → run → infer → verdict → report."""

from evenfold.comparison.answer import PairResult
from evenfold.comparison.comparing import compare, reopen
from evenfold.comparison.result import Comparison

__all__ = ["Comparison", "PairResult", "compare", "reopen"]

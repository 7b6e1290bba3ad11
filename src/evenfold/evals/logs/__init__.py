"""
Logs of evaluation programs: promptfoo, Inspect, HELM and others, each format in its own file.

Each format recognises its documents and returns one :class:`~evenfold.evals.logs._base.Item` per
answer. The reader turns the items of every format into the same columns.
"""

from evenfold.evals.logs import (  # noqa: F401  (each registers its format)
    deepeval,
    helm,
    inspect_logs,
    lighteval,
    openai_evals,
    promptfoo,
    ragas,
)
from evenfold.evals.logs._base import FORMATS, Item, LogFormat, Logs

__all__ = ["FORMATS", "Item", "LogFormat", "Logs"]

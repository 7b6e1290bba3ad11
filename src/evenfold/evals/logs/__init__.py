"""
Logs of evaluation programs: promptfoo, Inspect, HELM and others, each format in a file of its own.

A format says whether a document is its own and gives one
:class:`~evenfold.evals.logs._base.Item` per answer; the reader below makes columns of them,
whichever program wrote them.
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

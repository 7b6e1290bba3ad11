"""The words of every answer; nothing else turns a verdict or a note into a sentence."""

from evenfold.core.note import WORDS
from evenfold.report.words import (  # noqa: F401  (they register)
    across,
    changes,
    notes,
    plan,
    pull_requests,
    sizes,
    verdict,
)

__all__ = ["WORDS"]

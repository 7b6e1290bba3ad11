"""
Text: tag schemes, taggers and quick features of tokens, all callable from Python.

How a sequence of tags marks chunks is in :mod:`evenfold.core.tags`; counting them is a
measure, :func:`evenfold.run.chunk_counts`.
"""

from typing import TYPE_CHECKING, Any

from evenfold.core.tags import convert_tags
from evenfold.text.features import character_features, word_features

if TYPE_CHECKING:
    from evenfold.text.taggers import CRFTagger, TagScheme, TokenTagger

__all__ = [
    "CRFTagger",
    "TagScheme",
    "TokenTagger",
    "character_features",
    "convert_tags",
    "word_features",
]


if not TYPE_CHECKING:  # a type checker knows the names and refuses others

    def __getattr__(name: str) -> Any:
        """Load what needs scikit-learn only when it is asked for."""
        if name in ("CRFTagger", "TagScheme", "TokenTagger"):
            from evenfold.text import taggers

            return getattr(taggers, name)
        raise AttributeError(f"module 'evenfold.text' has no attribute {name!r}")

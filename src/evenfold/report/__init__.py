"""
Facts in words, tables, figures and HTML; this package computes nothing.

A form of your own is a function of :class:`evenfold.core.facts.comparison.Facts` with the decorator
:func:`format`.
pandas, matplotlib and Jinja2 are loaded by the functions that need them.
"""

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.board import BoardFacts
from evenfold.core.facts.comparison import Facts
from evenfold.report.figures.infos import plot
from evenfold.report.formats import Format, format, formats  # noqa: A004  (as users say it)
from evenfold.report.formats.html import to_fragment

__all__ = [
    "AcrossFacts",
    "BoardFacts",
    "Facts",
    "Format",
    "format",
    "formats",
    "plot",
    "to_fragment",
]

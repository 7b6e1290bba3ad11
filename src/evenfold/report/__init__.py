"""
Facts in words, tables, figures and HTML; this room computes nothing new.

Each function takes one :class:`evenfold.core.facts.Facts`. pandas, matplotlib and Jinja2 are loaded by the
functions that need them.
"""

from evenfold.report.figures import plot
from evenfold.report.html import to_fragment, to_html
from evenfold.report.tables import to_frame, to_latex, to_markdown
from evenfold.report.words import to_text

__all__ = ["plot", "to_fragment", "to_frame", "to_html", "to_latex", "to_markdown", "to_text"]

"""Every form that facts can be written in; each file registers its own."""

from evenfold.report.formats import across_page, board, frame, html, json, latex, markdown, text
from evenfold.report.formats import text as summary
from evenfold.report.formats._base import Format, format, formats  # noqa: A004  (as users say it)

__all__ = [
    "Format",
    "across_page",
    "board",
    "format",
    "formats",
    "frame",
    "html",
    "json",
    "latex",
    "markdown",
    "summary",
    "text",
]

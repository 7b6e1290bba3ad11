"""Every form that facts can be written in; each file registers its own."""

from evenfold.report.formats import data, html, latex, markdown, text
from evenfold.report.formats._base import Format, format, formats  # noqa: A004  (as users say it)

__all__ = ["Format", "data", "format", "formats", "html", "latex", "markdown", "text"]

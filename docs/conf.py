"""Sphinx settings; the build needs no network."""

import logging
import re
from typing import Any

import evenfold

# Pages of rooms that are not built yet are globbed, and picked up when they arrive. Sphinx gives the warning
# about an empty glob no type, so suppress_warnings cannot name it.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: getattr(record, "subtype", "") != "empty_glob"
)

project = "evenfold"
author = "the evenfold developers"
copyright = "2026, the evenfold developers"
version = release = evenfold.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser"]
templates_path = ["_templates"]
exclude_patterns = ["_build"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
suppress_warnings = ["toc.multiple_toc_parents"]

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's Parameters say it better
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = "evenfold"
html_static_path = ["_static"]
html_css_files = ["evenfold.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
pygments_style = "tango"


def escape_absolute_values(*event: Any) -> None:
    """Let docstrings write |φ − n/4|, which reStructuredText would take for a substitution."""
    lines: list[str] = event[-1]
    lines[:] = [re.sub(r"\|([^|]*φ[^|]*)\|", r"\|\1\|", line) for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", escape_absolute_values)

"""Sphinx settings; the build needs no network."""

import re
import sys
from pathlib import Path
from typing import Any

import evenfold

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "evenfold"
author = "the evenfold developers"
copyright = "2026, the evenfold developers"
version = release = evenfold.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "evenfold_docs",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "gallery/**/*.ipynb", "sg_execution_times.rst"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
suppress_warnings = ["toc.multiple_toc_parents"]

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's Parameters say it better
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "evenfold_docs.order",
    "image_scrapers": ("evenfold_docs.figures",),
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "evenfold"
html_static_path = ["_static"]
html_css_files = ["evenfold.css"]
html_math_renderer = "mathml"
html_sidebars = {"index": []}  # all others show the pages of their layer
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
    """Let docstrings write |φ − n/4| and |k|, which reStructuredText takes for a substitution."""
    lines: list[str] = event[-1]
    lines[:] = [re.sub(r"\|(k|[^|]*φ[^|]*)\|", r"\|\1\|", line) for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", escape_absolute_values)

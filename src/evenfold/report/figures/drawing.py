"""
Figures for notebooks, and as SVG for pages. The module loads matplotlib.

Figures are made without ``pyplot``, so that they touch no global state and need no display.

In SVG, text stays text. It is in the font of the page, it can be searched, and any script is shown
by the reader's fonts. Names are escaped by matplotlib and by the XML writer. Colours follow the
theme of the page.
"""

import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from io import BytesIO, StringIO
from xml.etree import ElementTree

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from evenfold.report.figures import base


class NotebookFigure(Figure):
    """
    A figure made without ``pyplot``.

    Notebooks show figures that pyplot has registered, and objects with a method ``_repr_png_``,
    such as this one. If the display of pyplot is active, it is used instead, so that the picture
    appears once.
    """

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png", bbox_inches="tight")
        return file.getvalue()


def draw_figure(
    shown: Sequence[base.Info], *, titles: bool, make: Callable[..., Figure] = NotebookFigure
) -> Figure:
    """Draw info values below each other, on a figure that ``make`` makes."""
    with style.context("default"):  # a figure must not depend on the user's style
        heights = [info.height for info in shown] or [1.0]
        layout = ConstrainedLayoutEngine(h_pad=0.1)
        figure = make(figsize=(base.WIDTH, sum(heights)), layout=layout)
        figure.set_facecolor(base.GROUND)
        if not shown:
            nothing = "nothing to draw: no usable values"
            figure.text(0.5, 0.5, nothing, ha="center", va="center", color=base.MUTED)
            return figure
        parts = figure.subfigures(len(shown), 1, height_ratios=heights, squeeze=False)[:, 0]
        for part, info in zip(parts, shown, strict=True):
            info.draw(part.subplots())
            if titles:
                part.suptitle(base.verbatim(textwrap.fill(info.title, 50)), **base.TITLE)
        return figure


def draw_on(ax: Axes, shown: Sequence[base.Info]) -> list[Axes]:
    """Draw the most telling of several infos on axes, and return all axes that it took."""
    there = list(ax.figure.axes)
    with style.context("default"):
        shown[0].draw(ax)
    return [ax, *(added for added in ax.figure.axes if added not in there)]


# the variables of a page are named as our colours
_COLOURS = ("ink", "muted", "rule", "band", "ground", "blue", "orange", "green")
_THEME = {getattr(base, name.upper()): f"var(--{name})" for name in _COLOURS}
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_COLOUR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")
_FONT = re.compile(r"font-family: [^;]*;?|font: [^;]*;?")
_DECIMALS = re.compile(r"(\.\d\d)\d+")


def to_svg(figure: Figure, *, name: str, alt: str) -> str:
    """
    Write a figure as an ``<svg>`` element to stand inside a page.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    name : str
        Keeps the ids of several figures on one page apart.
    alt : str
        The figure in words.

    Returns
    -------
    str
    """
    root = ElementTree.fromstring(_write_svg(figure, name))
    for unwanted in root.findall(f"{_SVG}metadata") + root.findall(f"{_SVG}defs"):
        root.remove(unwanted)
    for element in root.iter():
        _adapt(element)
    ground = root.find("g/g")  # the background of the figure, because the page has its own
    if ground is not None:
        ground.clear()
        ground.tag = "g"
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-label": alt,
        "class": "figure",
    }
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)


def _write_svg(figure: Figure, name: str) -> str:
    out = StringIO()
    settings = {"svg.fonttype": "none", "svg.hashsalt": name}
    with style.context(["default", settings]), warnings.catch_warnings():
        # matplotlib measures text with a font that may lack a script; the reader's browser has
        # others.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _adapt(element: ElementTree.Element) -> None:
    """
    Remove the namespaces of XML and the ids of matplotlib from an element.

    The colours and fonts are then those of the page.
    """
    element.tag = element.tag.removeprefix(_SVG)
    if element.tag == "g":
        element.attrib.pop("id", None)
    if _LINK in element.attrib:
        element.set("href", element.attrib.pop(_LINK))
    if "style" in element.attrib:
        element.set("style", _theme_style(element.attrib["style"], text=element.tag == "text"))
    if "d" in element.attrib:
        element.set("d", _DECIMALS.sub(r"\1", " ".join(element.attrib["d"].split())))
    if element.tag != "text":
        element.text = None
    element.tail = None


def _theme_style(style: str, *, text: bool) -> str:
    style = _COLOUR.sub(lambda match: f"{match[1]}: {_THEME.get(match[2], match[2])}", style)
    if text:
        return _FONT.sub("", style).strip()
    return style

"""
Figures for a page: SVG with real text in the page's own font, and colours that follow its theme.

Text stays text: any script is shown by the reader's fonts, it can be searched, and a name cannot be
anything but a name, since matplotlib and the XML writer both escape it.
"""

import io
import re
import warnings
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from evenfold.report.figures import _base as ink

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_THEME = {
    ink.INK: "--ink",
    ink.MUTED: "--muted",
    ink.RULE: "--rule",
    ink.BAND: "--band",
    ink.GROUND: "--ground",
    ink.BLUE: "--blue",
    ink.ORANGE: "--orange",
    ink.GREEN: "--green",
}
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_COLOUR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")
_FONT = re.compile(r"font-family: [^;]*;?|font: [^;]*;?")
_DECIMALS = re.compile(r"(\.\d\d)\d+")


def to_svg(figure: "Figure", *, name: str, alt: str) -> str:
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
    ground = root.find("g/g")  # the paper of the figure: the page has its own
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


def _write_svg(figure: "Figure", name: str) -> str:
    from matplotlib import style

    out = io.StringIO()
    settings = {"svg.fonttype": "none", "svg.hashsalt": name}
    with style.context(["default", settings]), warnings.catch_warnings():
        # matplotlib measures text with a font that may lack a script; the reader's browser has
        # others.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _adapt(element: ElementTree.Element) -> None:
    """
    Drop names of the XML world and of matplotlib's parts.

    Let colours and fonts follow the page.
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
    style = _COLOUR.sub(lambda found: f"{found[1]}: {_variable(found[2])}", style)
    if text:
        return _FONT.sub("", style).strip()
    return style


def _variable(colour: str) -> str:
    if colour in _THEME:
        return f"var({_THEME[colour]})"
    return colour

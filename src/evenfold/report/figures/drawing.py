"""
The pictures of an answer, below each other; matplotlib is loaded when the first one is drawn.

Figures are made without ``pyplot``, so no global state is touched and no display is needed.
"""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenfold.core.environment import require
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Facts, require_facts
from evenfold.report.figures import _base as ink
from evenfold.report.figures._base import Info
from evenfold.report.figures.critical import across_infos
from evenfold.report.figures.infos import infos

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(facts: Facts | AcrossFacts) -> "Figure":
    """
    Draw the answer.

    Parameters
    ----------
    facts : Facts or AcrossFacts
        What a comparison found, or one over data sets.

    Returns
    -------
    matplotlib.figure.Figure
        The pictures that suit it, below each other: for two algorithms the path of a sequential
        test, the posteriors of both scores and the hold-out differences, as far as there are any;
        for more, a forest plot of all pairs and the groups that are tied; over data sets the
        critical-difference diagram, or for two algorithms every data set.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> figure = plot(sample())
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['error: forest − tree', 'error: forest − tree']
    """
    return draw(
        *(across_infos(facts) if isinstance(facts, AcrossFacts) else infos(require_facts(facts)))
    )


def draw(*shown: Info, titles: bool = True) -> "Figure":
    """
    Draw info values below each other.

    Parameters
    ----------
    *shown : info values
        Any of those of :mod:`evenfold.report.figures.infos`; none gives a figure that says so.
    titles : bool, default True
        Whether to write the title of each above it; a page that has captions needs none.

    Returns
    -------
    matplotlib.figure.Figure
    """
    require("matplotlib", "plot()")
    from matplotlib import style

    with style.context("default"):  # not the user's: a figure must not depend on what else is drawn
        return _draw_figure(shown, titles=titles)


def _draw_figure(shown: Sequence[Info], *, titles: bool) -> "Figure":
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from evenfold.report.figures.notebook import NotebookFigure

    heights = [info.height for info in shown] or [1.0]
    figure = NotebookFigure(
        figsize=(ink.WIDTH, sum(heights)), layout=ConstrainedLayoutEngine(h_pad=0.1)
    )
    figure.set_facecolor(ink.GROUND)
    if not shown:
        figure.text(
            0.5, 0.5, "nothing to draw: no usable values", ha="center", va="center", color=ink.MUTED
        )
        return figure
    parts = figure.subfigures(len(shown), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, info in zip(parts, shown, strict=True):
        ax = part.subplots()
        info.draw(ax)
        if titles:
            part.suptitle(
                _wrap_title(info.title),
                x=0.02,
                ha="left",
                fontsize=ink.TEXT,
                color=ink.INK,
                weight="bold",
            )
    return figure


def _wrap_title(title: str) -> str:
    return ink.verbatim(textwrap.fill(title, 50))

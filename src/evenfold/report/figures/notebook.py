"""
A figure that shows itself in a notebook.

Loaded with matplotlib, when the first picture is drawn.
"""

from io import BytesIO

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """
    A figure made without ``pyplot``.

    Notebooks show only what pyplot has registered, or what shows itself: this does. Where pyplot's
    own display is active it is asked first, so that the picture comes once.
    """

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png", bbox_inches="tight")
        return file.getvalue()

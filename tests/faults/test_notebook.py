"""Progress in a real notebook."""

from typing import Any

import nbclient
import nbformat
import pytest

pytestmark = pytest.mark.faults


def test_a_bar_in_a_real_notebook() -> None:
    """A kernel of its own: the cell keeps one line, shows a bar, and nothing goes to stderr."""
    code = """
import evenfold.run.progress as progress
progress._DRAW_SECONDS = -1.0
pictures = []
draw = progress.NotebookBar._picture
progress.NotebookBar._picture = lambda self: pictures.append(draw(self)) or pictures[-1]
import evenfold as ef
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.dummy import DummyClassifier
X, y = load_iris(return_X_y=True)
c = ef.compare({"dummy": DummyClassifier(), "bayes": GaussianNB()}, X, y, random_state=0)
print(c.fits, pictures[8]["text/html"])
"""
    make: Any = nbformat.v4  # has no types
    notebook = make.new_notebook(cells=[make.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    kept = [
        output["data"]["text/plain"] for output in outputs if output.output_type == "display_data"
    ]
    printed = [output["text"] for output in outputs if output.output_type == "stream"]
    assert kept == ["20 of at most 124 fits"]
    assert len(printed) == 1
    assert printed[0].startswith(
        '20 <progress value="6" max="124"></progress> 6 of at most 124 fits, next look'
    )


def test_a_plot_shows_its_picture_in_a_real_notebook() -> None:
    """
    Once, as a picture and not as ``<Figure size …>``.

    With pyplot's own display as well as without.
    """
    compare = """
import evenfold as ef
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.dummy import DummyClassifier
X, y = load_iris(return_X_y=True)
two = {"dummy": DummyClassifier(), "logistic": LogisticRegression()}
c = ef.compare(two, X, y, random_state=0, progress=False)
"""
    cells = [
        compare,
        "c.plot()",
        "ef.plan(0.02, pilot=c).plot()",
        "import matplotlib.pyplot",
        "c.plot()",
        "c",
    ]
    make: Any = nbformat.v4  # has no types
    notebook = make.new_notebook(cells=[make.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    pictures = [
        [one for one in cell.outputs if "image/png" in one.get("data", {})]
        for cell in notebook.cells
    ]
    assert [len(found) for found in pictures] == [0, 1, 1, 0, 1, 0]
    (answer,) = notebook.cells[5].outputs
    assert answer["data"]["text/plain"].startswith(
        "logistic is better than dummy: its error is lower by"
    )

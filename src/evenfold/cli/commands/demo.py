"""``evenfold demo``: one real comparison, from data to report."""

from pathlib import Path
from typing import Annotated

import typer

from evenfold.cli.output import Outputs, finish, note
from evenfold.core.environment import install_command, is_installed

Html = Annotated[Path, typer.Option(metavar="PATH", help="Path of the report.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Random seed.", min=0)]


def demo(html: Html = Path("report.html"), seed: Seed = 0) -> None:
    """Compare linear discriminants and logistic regression on scikit-learn's breast cancer data."""
    drawn = all(map(is_installed, ("jinja2", "matplotlib")))
    outputs = Outputs(html=html if drawn else None)
    note("Is logistic regression really better than LDA at telling benign from malignant tumours?")
    from sklearn.datasets import load_breast_cancer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from evenfold.comparison.compare import compare

    X, y = load_breast_cancer(return_X_y=True)
    note(
        f"{len(y)} cases are halved again and again, evenly; fitting goes on until the answer is "
        "clear.\n"
    )
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    both = {"LDA": LinearDiscriminantAnalysis(), "logistic regression": logistic}
    done = compare(both, X, y, random_state=seed)
    outputs.deliver(done)
    if not drawn:
        note(f"for the report as a page: {install_command('jinja2')}")
    finish(done)

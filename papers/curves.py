"""
The figures of NB, R19 and W14 as curves: ``python -m papers.curves FOLDER --results OUT``.

Curves are kept as files; ``papers.pages`` draws them. In full every point has the source's
number of data sets.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from papers._curves import Curves
from papers._table import Table, arguments, keep
from papers.curves_nb import nb_bootstrap, nb_figures
from papers.curves_r19 import r19_covariances, r19_regions
from papers.curves_w14 import w14_first_figures, w14_powers
from papers.r19_sequences import letter_figures, toy_figures

PARTS: dict[str, Callable[[str | None, float], Iterator[Curves | Table]]] = {
    "nb-regression": lambda f, s: nb_figures("regression", f, s),
    "nb-gaussians": lambda f, s: nb_figures("gaussians", f, s),
    "nb-regression-200": lambda f, s: nb_figures("regression", f, s, most=200),
    "nb-gaussians-200": lambda f, s: nb_figures("gaussians", f, s, most=200),
    "nb-bootstrap": lambda _, s: nb_bootstrap(s),
    "nb-letters": lambda f, s: nb_figures("letters", f, s),
    "w14-powers": w14_powers,
    "w14-first": lambda _, s: w14_first_figures(s),
    "r19-2.3": lambda _, s: r19_covariances("2.3", s),
    "r19-2.4": lambda _, s: r19_covariances("2.4", s),
    "r19-3.2": lambda _, s: r19_covariances("3.2", s),
    "r19-regions": lambda _, s: r19_regions(),  # noqa: ARG005 - exact at any scale
    "r19-toy": lambda _, s: toy_figures(s),
    "r19-letters": letter_figures,
}
NEED_DATA = ("nb-letters", "r19-letters")


def run(parts: Sequence[str], folder: str | None, scale: float, out: Path) -> None:
    """Make the figures of some parts."""
    for part in parts:
        if folder is None and part in NEED_DATA:
            print(f"{part} left out: give the folder of the data")
            continue
        for made in PARTS[part](folder, scale):
            if isinstance(made, Table):
                keep(made, out)
            else:
                made.keep(out)
            print(made.title, flush=True)


def main() -> None:
    options = arguments(str(__doc__), list(PARTS))
    run(options.parts, options.folder, options.scale, options.results or Path("papers/results"))


if __name__ == "__main__":
    main()

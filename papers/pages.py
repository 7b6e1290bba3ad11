"""
Draw the curves that were kept: ``python -m papers.pages``.

They stand beside the pages, as ``docs/papers/figures/NAME.svg``; ``papers.ledger`` writes these.
"""

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PAGES = Path(__file__).parents[1] / "docs" / "papers"


def read(file: Path) -> Any:
    """What was kept in a file."""
    return json.loads(file.read_text(encoding="utf-8"))


def draw(file: Path, out: Path) -> None:
    """Draw the curves of one figure, a panel each."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    record = read(file)
    panels = record["panels"]
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(3.1 * columns + 1.6, 2.5 * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=record["y"].startswith("share"))
    for ax, (panel, curves) in zip(axes.flat, panels.items(), strict=False):
        for name, points in curves.items():
            x, y, se = zip(*points, strict=True)
            ax.errorbar(x, y, yerr=[2 * e for e in se], label=name, linewidth=1, elinewidth=0.6)
        ax.set_title(panel, fontsize=8)
        ax.tick_params(labelsize=7)
        ax.spines[["top", "right"]].set_visible(False)
    for ax in list(axes.flat)[len(panels) :]:
        ax.set_visible(False)
    figure.supxlabel(record["x"], fontsize=8)
    figure.supylabel(record["y"], fontsize=8)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    for ax in list(axes.flat)[1 : len(panels)]:
        if not set(ax.get_legend_handles_labels()[1]) <= set(labels):  # curves of its own
            ax.legend(fontsize=6, frameon=False)
    figure.legend(handles, labels, loc="outside right upper", fontsize=7, frameon=False)
    with mpl.rc_context({"svg.hashsalt": "evenfold", "svg.fonttype": "none"}):
        figure.savefig(out, metadata={"Date": None})


def main() -> None:
    (PAGES / "figures").mkdir(exist_ok=True)
    for source in sorted(path for path in RESULTS.iterdir() if path.is_dir()):
        for file in sorted(source.glob("*.json")):
            if "panels" in read(file):
                draw(file, PAGES / "figures" / f"{file.stem}.svg")


if __name__ == "__main__":
    main()

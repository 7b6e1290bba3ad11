"""The figures of the lab: dots with their Monte Carlo errors, or curves."""

from typing import TYPE_CHECKING, Any

from evenfold.core.environment import require
from evenfold.report.figures import base as ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenfold_lab.studies._base import Row, Study

_DOTS = {  # study: label column, value, standard error, words below the axis
    "type1": ("method", "size", "se", "real error"),
    "coverage": ("method", "coverage", "se", "coverage of the truth"),
    "fits": ("method", "fits", "se", "models fitted"),
    "replicability": (
        "method",
        "replicability",
        "se",
        "agreement of two partitions of the same data",
    ),
    "variance": (
        "design",
        "reduction",
        "reduction_se",
        "variance below that of the first design, share",
    ),
    "correlations": ("quantity", "value", "se", "correlation"),
    "calibrate": ("method", "size", "se", "real error on data like yours"),
}
_SHARES = ("type1", "coverage", "replicability", "calibrate")  # their bars end at 0 and at 1
_COLOURS = (ink.BLUE, ink.ORANGE, ink.GREEN, ink.INK, ink.MUTED)
_STYLES = ("-", "--", ":", "-.")


def draw_study(study: "Study") -> "Figure":
    """Draw the table of a study."""
    require("matplotlib", "plot()")
    from matplotlib.figure import Figure

    rows = list(study.rows)
    if study.kind in ("power", "covariance"):
        curves = len({row.get("method") for row in rows})  # the legend has a line for each
        figure = Figure(
            figsize=(ink.WIDTH * 1.4, max(3.6, 0.9 + 0.2 * curves)), layout="constrained"
        )
        ax = figure.subplots()
        _power(ax, rows) if study.kind == "power" else _covariance(ax, rows)
    else:
        if study.kind == "correlations":
            rows = [row for row in rows if row["quantity"].startswith("rho")]
        figure = Figure(figsize=(ink.WIDTH * 1.4, 0.9 + 0.27 * len(rows)), layout="constrained")
        ax = figure.subplots()
        _dots(ax, rows, study)
    if study.reference is not None:
        line = ax.axhline if study.kind == "power" else ax.axvline
        line(study.reference, color=ink.MUTED, linewidth=1, linestyle="--")
    return figure


def _dots(ax: "Axes", rows: "list[Row]", study: "Study") -> None:
    label, value, se, words = _DOTS[study.kind]
    names = [
        f"{row[label]}, {row['algorithm']}" if "algorithm" in row else row[label] for row in rows
    ]
    places = list(range(len(rows), 0, -1))
    values = [row[value] for row in rows]
    bars = [2 * row[se] for row in rows]
    below = bars
    above = bars
    if study.kind in _SHARES:
        below = [min(bar, share) for bar, share in zip(bars, values, strict=True)]
        above = [min(bar, 1 - share) for bar, share in zip(bars, values, strict=True)]
    ax.errorbar(
        values,
        places,
        xerr=[below, above],
        fmt="o",
        color=ink.BLUE,
        markersize=5,
        elinewidth=1.4,
    )
    ax.set_yticks(places, [ink.verbatim(str(name)) for name in names])
    ax.set_ylim(0.4, len(rows) + 0.6)
    ax.set_xlabel(f"{words} (bars: two Monte Carlo standard errors)", fontsize=ink.SMALL)
    ink.clean(ax, grid="x")


def _power(ax: "Axes", rows: "list[Row]") -> None:
    for i, name in enumerate(dict.fromkeys(row["method"] for row in rows)):
        mine = sorted(
            (row for row in rows if row["method"] == name), key=lambda row: row["difference"]
        )
        _curve(
            ax, i, str(name), [r["difference"] for r in mine], [(r["power"], r["se"]) for r in mine]
        )
    ax.set_ylim(0, 1.02)
    _label(ax, "true difference", "power (bars: two Monte Carlo standard errors)")


def _covariance(ax: "Axes", rows: "list[Row]") -> None:
    x = [row["overlap"] for row in rows]
    _curve(ax, 0, "f: two hold-out values", x, [(row["f"], row["f_se"]) for row in rows])
    if "g" in rows[0]:
        _curve(ax, 1, "g: two repetitions", x, [(row["g"], row["g_se"]) for row in rows])
    _label(ax, "overlap of the two training sets", "covariance")


def _curve(
    ax: "Axes", i: int, name: str, x: list[float], points: list[tuple[float, float]]
) -> None:
    y = [p[0] for p in points]
    errors = [2 * p[1] for p in points]
    style: dict[str, Any] = {
        "color": _COLOURS[i % len(_COLOURS)],
        "linestyle": _STYLES[i // len(_COLOURS) % 4],
    }
    ax.errorbar(x, y, yerr=errors, label=name, linewidth=1.6, elinewidth=1, **style)


def _label(ax: "Axes", x: str, y: str) -> None:
    ax.set_xlabel(x, fontsize=ink.SMALL)
    ax.set_ylabel(y, fontsize=ink.SMALL)
    ax.legend(fontsize=ink.SMALL - 1, frameon=False)
    ink.clean(ax, grid="y")

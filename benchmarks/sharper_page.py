"""
Write the measured tables and the figure of docs/infer/influence.md from ``benchmarks/sharper.csv``.

``python -m benchmarks.sharper_page`` replaces what stands between the markers of the page.
"""

import csv
import re
from pathlib import Path

from benchmarks.sharper import LEVEL, TABLE, TARGETS, TRIED, M

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "infer" / "influence.md"
FIGURE = ROOT / "docs" / "_static" / "influence.svg"
PUBLISHED = ("mx2-t", "corrected-resampled-t", "conservative-z")
OURS = "mx2-influence-t"
RIVALS = ("T", "T + R/2", "T + R", "max(T, U − R)", "√(T·U)")
COLOURS = {
    OURS: "#0b6e4f",
    "mx2-t": "#8a8f98",
    "corrected-resampled-t": "#c8553d",
    "conservative-z": "#e0a030",
}
Row = dict[str, str]
Rows = dict[tuple[str, str, int, str], Row]


def read() -> Rows:
    """All rows by case, subject, m and method."""
    with TABLE.open(encoding="utf-8") as file:
        return {(r["case"], r["subject"], int(r["m"]), r["method"]): r for r in csv.DictReader(file)}


def names(rows: Rows) -> list[str]:
    """The cases, those of the verdict last."""
    first = {key[0]: row["half"] for key, row in rows.items()}
    return sorted(first, key=lambda name: first[name] == "verdict")


def rate(row: Row | None) -> str:
    """A rate with its standard error in units of the last digit."""
    if row is None:
        return "–"
    return f"{float(row['size']):.3f} ± {float(row['se']):.3f}".replace("0.", ".")


def gain(rows: Rows, name: str, m: int, method: str = OURS) -> list[float]:
    """Power over that of mx2-t at its powers .2, .4, .6."""
    ours, theirs = rows[name, "B − A", m, method], rows[name, "B − A", m, "mx2-t"]
    return [float(ours[f"power_{t:g}"]) / float(theirs[f"power_{t:g}"]) for t in TARGETS]


def differences(rows: Rows) -> list[str]:
    """Error of every method at 14 fits, and the gain in power."""
    head = ["population, A/B", "half", OURS, *PUBLISHED, "power × at .2", "at .4", "at .6", "oracle at .6"]
    lines = _head(head)
    for name in names(rows):
        sizes = [rate(rows.get((name, "B − A", 7, method))) for method in (OURS, *PUBLISHED)]
        gains = [f"{g:.2f}" for g in gain(rows, name, 7)]
        half = rows[name, "B − A", 7, OURS]["half"]
        lines.append(_line([name, half, *sizes, *gains, f"{gain(rows, name, 7, 'oracle')[-1]:.2f}"]))
    return lines


def repetitions(rows: Rows) -> list[str]:
    """Error, and gain at mx2-t's power .4, for every m."""
    head = ["population, A/B", *(f"error, m = {m}" for m in M), *(f"power × at .4, m = {m}" for m in M)]
    lines = _head(head)
    for name in names(rows):
        sizes = [rate(rows[name, "B − A", m, OURS]) for m in M]
        lines.append(_line([name, *sizes, *(f"{gain(rows, name, m)[1]:.2f}" for m in M)]))
    return lines


def coverage(rows: Rows) -> list[str]:
    """Coverage of the intervals for one algorithm."""
    head = ["population, A/B", *(f"{s}, m = {m}" for s in "AB" for m in M), "mx2-t: A, m = 7", "B, m = 7"]
    lines = _head(head)
    for name in names(rows):
        ours = [_cover(rows[name, s, m, OURS]) for s in "AB" for m in M]
        lines.append(_line([name, *ours, *(_cover(rows[name, s, 7, "mx2-t"]) for s in "AB")]))
    return lines


def tried(rows: Rows) -> list[str]:
    """Worst error of every variance that was tried, and its mean gain."""
    head = ["variance", "worst error, difference", "worst error, one algorithm", "mean power × at .6"]
    lines = _head(head)
    for method in (OURS, *RIVALS):
        worst = [
            max(
                (float(r["size"]), k[0])
                for k, r in rows.items()
                if k[2:] == (TRIED, method) and k[1] in subjects
            )
            for subjects in (("B − A",), ("A", "B"))
        ]
        mean = sum(gain(rows, name, 7, method)[-1] for name in names(rows)) / len(names(rows))
        cells = [f"{size:.3f} ({case})".replace("0.", ".") for size, case in worst]
        label = "√(T(T + 2R)) + R/m, guarded: taken" if method == OURS else method
        lines.append(_line([label, *cells, f"{mean:.2f}"]))
    return lines


def _cover(row: Row) -> str:
    return f"{100 * (1 - float(row['size'])):.1f} ± {100 * float(row['se']):.1f}"


def _head(cells: list[str]) -> list[str]:
    return [_line(cells), "|" + " --- |" * len(cells)]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def figure(rows: Rows) -> None:
    """Errors on the left, power where mx2-t has .4 on the right; 14 fits."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "influence", "font.size": 9})
    cases = names(rows)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 0.3 * len(cases) + 1.2), sharey=True)
    for method, colour in COLOURS.items():
        found = [(y, rows.get((name, "B − A", 7, method))) for y, name in enumerate(reversed(cases))]
        kept = [(y, row) for y, row in found if row is not None]
        ys = [y for y, _ in kept]
        bars = [2 * float(row["se"]) for _, row in kept]
        left.errorbar(
            [float(r["size"]) for _, r in kept],
            ys,
            xerr=bars,
            fmt="o",
            ms=4,
            lw=1,
            color=colour,
            label=method,
        )
        right.plot([float(row["power_0.4"]) for _, row in kept], ys, "o", ms=4, color=colour)
    left.axvline(LEVEL, color="black", lw=0.6, ls=":")
    left.set_yticks(range(len(cases)), list(reversed(cases)))
    left.set_xlabel("real error at the level .05 (± 2 standard errors)")
    right.set_xlabel("power where mx2-t has .4")
    figure.legend(loc="upper center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    figure.savefig(FIGURE, metadata={"Date": None})


def main() -> None:
    rows = read()
    text = PAGE.read_text(encoding="utf-8")
    for make in (differences, repetitions, coverage, tried):
        marker = re.escape(f"<!-- {make.__name__} -->")
        body = f"<!-- {make.__name__} -->\n" + "\n".join(make(rows)) + f"\n<!-- {make.__name__} -->"
        before, _, after = re.split(f"({marker}.*?{marker})", text, maxsplit=1, flags=re.DOTALL)
        text = before + body + after
    PAGE.write_text(text, encoding="utf-8")
    figure(rows)


if __name__ == "__main__":
    main()

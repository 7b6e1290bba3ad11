"""
R19's figures 6.2, 6.3 and 7.1: densities of posteriors, ``python -m papers.posteriors FOLDER``.

One partition each, as in R19: names of free tweets in place of CoNLL 2003 (see ``r19_text``), and
the defects of KC1. Beside R19's posterior stands the older one, which takes all hold-outs for one
(ρ1 = ρ2 = 1).
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

import evenfold as ef
from papers import pages, r19_defects, r19_text
from papers._curves import Curves, Points
from papers._defects import propensity, propensity_models
from papers._table import Claim, Table, keep

Score = Literal["precision", "recall", "f1"]
SCORES: tuple[Score, ...] = ("precision", "recall", "f1")
SENTENCES, STEPS = 1000, 50
_GRID = 41


def density(posterior: Any) -> Points:
    """The density on a grid that holds all but .0002 of it, by differences of probabilities."""
    low, high = (float(end) for end in posterior.interval(0.9998))
    edges = np.linspace(low, high, _GRID + 1)
    above = np.array([float(posterior.probability(edge)) for edge in edges])
    heights = (above[:-1] - above[1:]) / np.diff(edges)
    return [
        (float(x), float(y), 0.0)
        for x, y in zip((edges[1:] + edges[:-1]) / 2, heights, strict=True)
    ]


def figure(number: str, title: str, counts: Mapping[str, Any], note: str) -> Curves:
    """Posteriors of two algorithms, from TP, FP, FN summed over the six halves."""
    panels: dict[str, dict[str, Points]] = {}
    for score in SCORES:
        panels[score] = {}
        for name, total in counts.items():
            panels[score][name] = density(ef.infer.score_posterior(score, total, m=3))
            older = ef.infer.score_posterior(score, total, m=3, rho=(1.0, 1.0))
            panels[score][f"{name}, ρ1 = ρ2 = 1"] = density(older)
    return Curves(
        name=f"r19-{number}",
        title=f"R19 figure {number}: {title}",
        x="score",
        y="density",
        note=note,
        panels=panels,
    )


def names(folder: Path) -> Iterator[Curves]:
    """Figures 6.2 and 6.3 on other sentences."""
    wanted = {"entities": "6.2", "organisations": "6.3"}
    for task in r19_text.tasks(folder):
        if task.name not in wanted:
            continue
        few = task.part(SENTENCES, 0)
        tagger = ef.text.CRFTagger(c2=0.1, max_iterations=STEPS, features=few.features)
        algorithms = {t: ef.text.TagScheme(tagger, t, scored=few.scheme) for t in few.tag_sets}
        c = ef.compare(
            algorithms, few.sentences, few.tags, measure="f1", scheme=few.scheme,
            features=few.levels(),
            design=ef.Mx2BCV(3, balance="features", random_state=0), method="bayes-f1",
            random_state=0,
        )  # fmt: skip
        note = f"{SENTENCES} tweets in place of CoNLL 2003, {STEPS} steps, one partition, seed 0."
        yield figure(wanted[task.name], f"posteriors, {task.name}", _totals(c.losses), note)


def defects(folder: Path) -> Curves:
    """Figure 7.1."""
    X, y = propensity(folder, "kc1-mdp")
    done = r19_defects._scores(propensity_models(), X, y, 0)
    return figure(
        "7.1", "posteriors, defects of KC1", _totals(done["f1"]), "One partition, seed 0."
    )


def _totals(losses: Any) -> dict[str, Any]:
    return dict(zip(losses.algorithms, losses.counts.sum(axis=1), strict=True))


def words(curves: Curves) -> Table:
    """R19: its density is higher and narrower than the older one."""
    pairs = [
        (max(p[1] for p in panel[name]), max(p[1] for p in panel[f"{name}, ρ1 = ρ2 = 1"]))
        for panel in curves.panels.values()
        for name in panel
        if "," not in name
    ]
    higher, times = sum(a > b for a, b in pairs), [a / b for a, b in pairs]
    number = curves.name.removeprefix("r19-")
    claim = Claim(
        says="the density is higher and narrower than with ρ1 = ρ2 = 1", holds=higher == len(pairs),
        here=f"{higher} of {len(pairs)}; {min(times):.2f} to {max(times):.2f} times",
    )  # fmt: skip
    return Table(
        name=f"figure-{number}", title=f"R19 figure {number}", note=curves.note, claims=[claim]
    )


def main(folder: Path) -> None:
    for curves in (defects(folder), *names(folder)):
        curves.keep(pages.RESULTS / "r19")
        table = words(curves)
        keep(table, pages.RESULTS / "r19")
        table.show()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

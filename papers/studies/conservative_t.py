"""
How often NB's conservative Z errs with few halvings: ``python -m papers.studies.conservative_t``.

The statistic is that of ``conservative-z`` with M = 5, J = 15 and n2 = n/10, for A, B and B − A;
the law that it is compared with is normal, or Student's with 2M or M degrees of freedom. With a
folder of data letters are among the populations, a tree against one nearest neighbour, w = 10.
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from evenfold.design import NestedRLT
from evenfold.infer import estimate
from evenfold_lab import estimators
from evenfold_lab.draws import DesignRequest
from evenfold_lab.populations import MeanLine, letters
from evenfold_lab.populations.resampled import distorted_weights
from evenfold_lab.studies._base import prepare, share

M, SEED, LEVELS = 5, 11, (0.1, 0.05)
REFERENCES: dict[str, Any] = {"normal": stats.norm, "t, 2M": stats.t(2 * M), "t, M": stats.t(M)}
SIDES: dict[str, dict[str, Any]] = {
    "B − A": {"challenger": 1, "baseline": 0},
    "A": {"challenger": 0, "baseline": None},
    "B": {"challenger": 1, "baseline": None},
}


def sizes(
    population: Any, *, n: int, replications: int
) -> Iterator[tuple[str, str, float, float, float]]:
    """
    Yield what is tested, the reference, the level, the size and its standard error.

    The truth is the mean over the data sets.
    """
    setup = prepare(population, n=n, replications=replications, random_state=SEED)
    (draws,) = setup.draw([DesignRequest(design=NestedRLT(M, 15, 0.1))])
    for what, sides in SIDES.items():
        answer: Any = estimate(draws.losses, "conservative-z", **sides)
        z = np.abs(answer.value - answer.value.mean()) / answer.standard_error
        for name, law in REFERENCES.items():
            for level in LEVELS:
                yield what, name, level, *share(z > law.ppf(1 - level / 2))


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", help="with letter.csv.gz")
    folder = parser.parse_args().folder
    settings: list[tuple[Any, int, int]] = [(MeanLine.setting(s), 200, 2000) for s in (1, 2)]
    if folder:
        pair = (
            estimators.classification_tree(),
            estimators.nearest_neighbour(distorted_weights(10.0)),
        )
        settings.append((letters(folder, pair=pair, replacement=True), 300, 800))
    for population, n, replications in settings:
        for what, name, level, size, se in sizes(population, n=n, replications=replications):
            print(
                f"{population!r:.40}  {what:6} {name:7} {level:g}  {size:.3f} ± {se:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

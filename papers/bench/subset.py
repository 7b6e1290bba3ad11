"""
The part of the benchmark that is partitioned twice on two cores: agreement, and real tables.

    python -m papers.bench.subset agreement TABLES [RESULTS.csv]
    python -m papers.bench.subset real TABLES [RESULTS.csv]

TABLES is the folder that ``papers.bench.prepare`` made. The files are ``agreement.csv`` and
``real.csv`` unless another is named; what a file has already is not run again. Each part takes
one to two hours of one core where Numba is installed.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from evenfold_lab import bench
from evenfold_lab.bench.populations import POPULATIONS
from papers.bench.lasting import AGREEMENT, REAL

PEERS = (
    "mx2-influence-t", "full-size-t", "mx2-t", "split-halves-t", "5x2-t", "5x2-f",
    "corrected-t-10", "corrected-t-15", "corrected-t-25", "corrected-folds", "kfold-t", "cv-wald",
    "nested-cv-3x5", "holdout", "wilcoxon-folds", "paired-bootstrap",
)  # fmt: skip
TABLES = ("adult", "defects", "text")  # of the benchmark itself
APART = ("chen-10-null",)  # no test keeps its level there
ON_REAL_TABLES = (
    "default", "mx2-influence-t", "full-size-t", "mx2-t", "5x2-t", "5x2-f", "corrected-t-15",
    "corrected-folds", "kfold-t", "cv-wald", "holdout",
)  # fmt: skip
PAIRS_ON_REAL_TABLES = (
    "logistic/ridge", "bayes/logistic", "lda/bayes", "plus/minus", "logistic/tree", "tree/knn",
    "knn/bayes", "svm/logistic", "tree/forest", "forest/boosting", "ridge/forest",
)  # fmt: skip
REAL_TABLES = (
    "page-blocks", "winequality", "letter", "adult", "waveform", "connect-4", "spambase",
    "optdigits",
)  # fmt: skip
SEED = 48


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Tests and measures, populations, some of their pairs, and the data sets of each size n."""

    results: Path
    populations: Sequence[str]
    pairs: Sequence[str] | None  # None means all
    tests: Sequence[str]
    measures: Sequence[str]
    data_sets: Mapping[int, int]


def parts() -> dict[str, Part]:
    """Return both parts by name."""
    formulas = [key for key in POPULATIONS if key not in (*TABLES, *REAL_TABLES, *APART)]
    return {
        "agreement": Part(
            results=AGREEMENT,
            populations=(*formulas, *TABLES),
            pairs=None,
            tests=PEERS,
            measures=("zero-one", "brier", "log", "squared", "absolute"),
            data_sets={100: 50, 500: 50},
        ),
        "real": Part(
            results=REAL,
            populations=REAL_TABLES,
            pairs=PAIRS_ON_REAL_TABLES,
            tests=ON_REAL_TABLES,
            measures=("zero-one", "brier"),
            data_sets={200: 100, 500: 50},
        ),
    }


def run(part: Part, results: Path) -> None:
    """Run what a file lacks, population by population."""
    for n, key in product(part.data_sets, part.populations):
        bench.bench(
            results,
            populations=[key],
            sizes=[n],
            tests=part.tests,
            pairs=_pairs(key, part),
            measures=part.measures,
            data_sets=part.data_sets[n],
            seed=SEED,
            say=print,
        )


def _pairs(population: str, part: Part) -> list[str]:
    known = ["/".join(pair) for pair in POPULATIONS[population].pairs]
    return [pair for pair in known if part.pairs is None or pair in part.pairs]


def main(name: str, tables: Path, results: Path | None = None) -> None:
    """Run one part."""
    part = parts()[name]
    for population in bench.tables(tables):
        bench.add_population(population)
    run(part, part.results if results is None else results)


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))

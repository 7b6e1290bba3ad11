"""
Conservatism to spend: ``full-size-t`` with a share of its standard error, on the benchmark's rows.

    python -m papers.bench.factors RESULTS.csv [TABLES]      # adds what the file does not have

One run of ten folds and nine halvings, 28 fits an algorithm. Factors were fixed before anything was
run; none of them is a method of the library.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evenfold_lab import bench
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.material import Material
from evenfold_lab.bench.rivals import TESTS

FACTORS = (1.0, 0.95, 0.9, 0.85, 0.8)
RESULTS = Path(__file__).with_name("factors.csv")
FIRST = (
    "bates-linear-20",
    "bates-logistic-20",
    "friedman1",
    "chen-10",
    "gaussians",
    "rare",
    "sparse",
)
THEN = ("xor", "rings", "coin", "outliers", "adult", "defects", "text", "bates-linear-100")
HEAVY = ("forest", "boosting", "svm", "knn", "lasso", "plus")  # learners that are left out


def one_run(n: int, rng: np.random.Generator) -> kinds.Family:
    """Make one run of ten folds, in the place of the ten runs of the benchmark."""
    number = kinds.fold_numbers(n, kinds.FOLDS, rng)
    return kinds.family("folds", [number == k for k in range(kinds.FOLDS)])


def _answer(factor: float, material: Material) -> bench.Answer:
    answer = TESTS["full-size-t"].answer(material)
    centre = answer.estimate
    limits = (
        centre,
        centre - factor * (centre - answer.low),
        centre + factor * (answer.high - centre),
    )
    return bench.by_interval(limits, answer.fits)


def name(factor: float) -> str:
    """Return the key of a test in the file."""
    return f"full-size-t-{factor}"


def shrunk_tests() -> list[bench.BenchTest]:
    """Return a test for each factor."""
    usual = TESTS["full-size-t"]
    shared: Any = {"families": usual.families, "parts": usual.parts, "makes": {"folds": one_run}}
    return [bench.BenchTest(key=name(f), answer=partial(_answer, f), **shared) for f in FACTORS]


def main(results: Path, tables: Path | None = None, sizes: tuple[int, ...] = (100, 500)) -> None:
    """Run every population's light pairs and learners."""
    if tables is not None:
        for population in bench.tables(tables):
            bench.add_population(population)
    for test in shrunk_tests():
        bench.add_test(test)
    known = bench.known_populations()
    for n in sizes:
        for key in (*FIRST, *THEN):
            if key not in known:
                continue
            subjects = [*((learner,) for learner in known[key].singles), *known[key].pairs]
            light = ["/".join(subject) for subject in subjects if not set(HEAVY) & set(subject)]
            bench.bench(
                results,
                populations=[key],
                sizes=[n],
                tests=[name(f) for f in FACTORS],
                pairs=light,
                say=partial(print, flush=True),
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)

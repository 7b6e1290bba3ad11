"""
Run the benchmark: every test judges every cell, which is a population at a size.

Rows are written as they come. A row is about one population, pair (or single learner), size,
measure and test. Its columns are:

- ``error``: how often the true difference at the test's own training size is rejected at .05. The
  truth is 0 where the pair is equal by symmetry, else the mean of the test's estimates over all
  data sets;
- ``power``: how often a difference of 2.8 standard deviations is found, the same for all tests of a
  row's pair: the standard deviation is that of the mean of nine halvings (an oracle that knows it
  has .80); ``power_own`` has the standard deviation of the test's own estimate;
- ``coverage``: how often the 95% interval holds the true risk (or difference of risks) of models
  that are trained on all n examples, whatever training size the test itself speaks of;
- ``width``: median width of that interval;
- ``agreement``: on how many data sets two random partitions give the same verdict (better, worse or
  undecided), where the true difference is the null value (``agreement_0``) and where it is 1.4 and
  2.8 standard deviations away (``agreement_1.4``, ``agreement_2.8``);
- ``fits``: models per algorithm, at the null value and (``fits_2.8``) 2.8 standard deviations away.

A column that ends in ``_se`` is the Monte Carlo error of the rate before it. All columns but those
of agreement use one partition of each data set.
"""

import csv
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import wait
from pathlib import Path
from time import time
from typing import Any

import numpy as np

from evenfold.core.checks import integer, one_of, refuse_unknown
from evenfold.core.errors import CellFailed, EvenfoldWarning
from evenfold.core.words import count
from evenfold_lab.arrays import Place
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.learners import CLASSIFIERS, REGRESSORS
from evenfold_lab.bench.material import (
    CHUNK,
    HALVINGS,
    LIGHT_FAMILIES,
    MEASURES_OF_CLASSES,
    MEASURES_OF_NUMBERS,
    Chunk,
    Kept,
    Material,
    measures_of,
)
from evenfold_lab.bench.populations import POPULATIONS, BenchPopulation
from evenfold_lab.bench.rivals import TESTS, Answer, BenchTest

EDITION = 1  # of draws, learners and definitions: rows of another one are measured again
LEAST_EXAMPLES = 20  # two in each of ten folds
MOST_EXAMPLES = 100_000  # rows of more would take days
FULL_UP_TO = 1000  # n above which only some populations, pairs and measures are run
LARGE_POPULATIONS = ("bates-logistic-20", "gaussians", "friedman1")
LARGE_PAIRS = (
    ("logistic", "ridge"),
    ("logistic", "tree"),
    ("lda", "bayes"),
    ("linear", "ridge"),
    ("linear", "tree"),
)
LARGE_MEASURES = ("zero-one", "brier", "squared")
AWAY = 2.8  # standard deviations at which power is measured
AGREEMENT_AT = (0.0, 1.4, AWAY)  # standard deviations at which two partitions are held together
COLUMNS = (
    "population",
    "pair",
    "n",
    "measure",
    "test",
    "error",
    "error_se",
    "power",
    "power_se",
    "power_own",
    "coverage",
    "coverage_se",
    "width",
    "width_se",
    "fits",
    "data_sets",
    "edition",
    "fits_2.8",
    *(f"agreement_{away:g}{se}" for away in AGREEMENT_AT for se in ("", "_se")),
)
KEY = COLUMNS[:5]
Row = dict[str, Any]


def share(hits: Any) -> tuple[float, float]:
    """A proportion and its Monte Carlo standard error, that of one hit and one miss more."""
    sets = len(hits)
    near = (np.sum(hits) + 1) / (sets + 2)
    return float(np.mean(hits)), float(np.sqrt(near * (1 - near) / sets))


def judge_test(
    test: BenchTest,
    material: Material,
    *,
    truth: float | None,
    yardstick: float,
    again: Material | None = None,
) -> Row:
    """Return the numbers of one row, with agreement if ``again`` is another partition."""
    with warnings.catch_warnings():
        # Data sets on which two learners agree throughout are part of the game.
        warnings.simplefilter("ignore", EvenfoldWarning)
        answer = test.answer(material)
        row: Row = {"data_sets": len(answer.estimate), "fits": round(answer.fits, 2)}
        if not material.single:
            row |= _decisions(answer, truth, yardstick)
            if again is not None:
                row |= agreements(answer, test.answer(again), truth, yardstick)
    return row | _intervals(answer, material.whole)


def _decisions(answer: Answer, truth: float | None, yardstick: float) -> Row:
    centre = float(answer.estimate.mean()) if truth is None else truth
    if answer.null_only and centre != 0:
        return {}
    row: Row = {}
    row["error"], row["error_se"] = share(answer.rejects(centre))
    if answer.null_only:
        return row
    for name, sd in (("power", yardstick), ("power_own", float(answer.estimate.std(ddof=1)))):
        if not sd > 0:
            continue
        # Another null is the same as another truth: the data are shifted against it both ways.
        rejections = [answer.rejects(centre + side * AWAY * sd) for side in (-1, 1)]
        row[name] = float(np.mean(rejections))
        if name == "power":
            detected = np.mean(rejections, axis=0)
            row["power_se"] = float(np.std(detected, ddof=1) / np.sqrt(len(detected)))
            row["fits_2.8"] = round(_fits_away(answer, centre, AWAY * sd), 2)
    return row


def _fits_away(answer: Answer, centre: float, difference: float) -> float:
    if answer.fits_at is None:
        return answer.fits
    return float(np.mean([answer.fits_at(centre + side * difference) for side in (-1, 1)]))


def agreements(first: Answer, second: Answer, truth: float | None, yardstick: float) -> Row:
    """Return the share of data sets on which two partitions agree, at each difference."""
    centre = truth
    if centre is None:
        centre = float((first.estimate.mean() + second.estimate.mean()) / 2)
    if (first.null_only and centre != 0) or not yardstick > 0:
        return {}
    row: Row = {}
    for away in AGREEMENT_AT:
        if first.null_only and away > 0:
            break
        nulls = sorted({centre - away * yardstick, centre + away * yardstick})
        same = np.mean([first.verdicts(null) == second.verdicts(null) for null in nulls], axis=0)
        row[f"agreement_{away:g}"] = float(same.mean())
        # One more data set, on which the two agree on one side only, keeps the error above 0.
        known = np.append(same, 0.5)
        row[f"agreement_{away:g}_se"] = float(known.std(ddof=1) / np.sqrt(len(same)))
    return row


def _intervals(answer: Answer, whole: Any) -> Row:
    known = np.isfinite(answer.low) & np.isfinite(answer.high)
    if known.sum() < 2:
        return {}
    low, high = answer.low[known], answer.high[known]
    at_n = float(np.mean(whole))
    row: Row = {}
    row["coverage"], row["coverage_se"] = share((low <= at_n) & (at_n <= high))
    width = high - low
    row["width"] = float(np.median(width))
    # The standard error of a median is 1.2533 times that of the mean if widths are nearly normal.
    row["width_se"] = float(1.2533 * width.std(ddof=1) / np.sqrt(known.sum()))
    return row


def can_answer(
    test: BenchTest,
    subject: Sequence[str],
    population: BenchPopulation,
    measures: Sequence[str] | None = None,
) -> bool:
    """Whether a test has rows for a learner or pair at all, in some of these measures."""
    known = CLASSIFIERS if population.classes else REGRESSORS
    learners = [known[key] for key in subject]
    if len(subject) == 1 and not test.for_one:
        return False
    if any(learner.heavy for learner in learners) and set(test.families) & set(LIGHT_FAMILIES):
        return False
    shared = set.intersection(
        *(set(measures_of(learner, population.classes)) for learner in learners)
    )
    if measures is not None:
        shared &= set(measures)
    if not set(test.parts) <= set(HALVINGS):
        shared -= {"auc"}
    return bool(shared & set(test.measures) if test.measures else shared)


def _first_splits(
    make: kinds.Make, count: int | None, n: int, rng: np.random.Generator
) -> kinds.Family:
    return make(n, rng).first(count)


@dataclass(frozen=True, eq=False, kw_only=True)
class BenchCell:
    """One population at one size, and the tests that are to be judged there."""

    population: BenchPopulation
    n: int
    tests: tuple[BenchTest, ...]
    data_sets: int
    seed: int = 0
    only: tuple[tuple[str, ...], ...] | None = None
    measures: tuple[str, ...] | None = None
    partitions: int = 2

    def families(self) -> list[str]:
        """Return the families that the tests need, and the halvings, the yardstick of power."""
        needed = ["halvings", *(key for test in self.tests for key in test.families)]
        return list(dict.fromkeys(needed))

    def makers(self) -> dict[str, kinds.Make]:
        """Return how each family is made, with only as many splits as some test reads."""
        known = dict(kinds.FAMILIES)
        for test in self.tests:
            known |= test.makes
        return {key: partial(_first_splits, known[key], self._read(key)) for key in self.families()}

    def _read(self, family: str) -> int | None:
        """Return the most splits of a family that a test reads, or None if one reads all."""
        counts = [test.reads.get(family) for test in self.tests if family in test.families]
        known = [count for count in counts if count is not None]
        return max(known) if known and len(known) == len(counts) else None

    def subjects(self) -> list[tuple[str, ...]]:
        """Return the single learners and pairs that are run."""
        if self.only is not None:
            return list(self.only)
        return _subjects(self.population)

    def measured(self) -> tuple[str, ...]:
        """Return the measures in which some test answers; no other measure is computed."""
        every = MEASURES_OF_CLASSES if self.population.classes else MEASURES_OF_NUMBERS
        return tuple(
            measure
            for measure in every
            if (self.measures is None or measure in self.measures)
            and any(
                can_answer(test, subject, self.population, (measure,))
                for test in self.tests
                for subject in self.subjects()
            )
        )

    def left(self, seen: set[tuple[str, str, int, str]]) -> list["BenchCell"]:
        """Return cells for the rows that are not in ``seen``, and only for those."""
        unfinished: list[BenchCell] = []
        for subject in self.subjects():
            lacking = [t for t in self.tests if self._answers(t, subject, seen) is False]
            if not lacking:
                continue
            for place, cell in enumerate(unfinished):
                # learners that are fitted together are fitted once
                tests = [t for t in self.tests if t in lacking or t in cell.tests]
                every = (*cell.subjects(), subject)
                if not any(self._answers(t, other, seen) for t in tests for other in every):
                    unfinished[place] = replace(cell, only=every, tests=tuple(tests))
                    break
            else:
                unfinished.append(replace(self, only=(subject,), tests=tuple(lacking)))
        return unfinished

    def _answers(
        self, test: BenchTest, subject: tuple[str, ...], seen: set[tuple[str, str, int, str]]
    ) -> bool | None:
        """Say whether the rows of a test are in ``seen``; None if the subject has no such rows."""
        if not can_answer(test, subject, self.population, self.measures):
            return None
        return (self.population.key, "/".join(subject), self.n, test.key) in seen

    def fit(
        self, place: Place | None = None, say: Callable[[str], None] | None = None
    ) -> tuple[Kept, ...]:
        """Draw, split and fit a few data sets at a time, once for each partition."""
        makers = self.makers()
        parts: list[list[Kept]] = [[] for _ in range(self.partitions)]
        done = 0
        while done < self.data_sets:
            sets = min(CHUNK, self.data_sets - done)
            for partition in range(self.partitions):
                chunk = Chunk(
                    self.population,
                    self.n,
                    done // CHUNK,
                    wanted=self.families(),
                    subjects=self.subjects(),
                    measures=self.measured(),
                    sets=sets,
                    seed=self.seed,
                    place=place,
                    makers=makers,
                    partition=partition,
                )
                parts[partition].append(chunk.kept())
            done += sets
            if say is not None:
                say(f"{self.population.key} n={self.n}: {done} data sets")
        return tuple(Kept.of(part) for part in parts)

    def rows(self, kept: Sequence[Kept]) -> Iterator[Row]:
        """Judge every test on every subject and measure."""
        rng = np.random.default_rng(0)
        made = {key: make(self.n, rng) for key, make in self.makers().items()}
        sizes = {key: (family.n_train, family.n_test) for key, family in made.items()}
        for subject in self.subjects():
            for measure in self.measured():
                by_partition = [
                    partition.material(
                        subject, measure, n=self.n, classes=self.population.classes, sizes=sizes
                    )
                    for partition in kept
                ]
                materials = [material for material in by_partition if material is not None]
                if materials:
                    yield from self._rows_of_material(subject, measure, materials)

    def _rows_of_material(
        self, subject: tuple[str, ...], measure: str, materials: Sequence[Material]
    ) -> Iterator[Row]:
        material, *others = materials
        equal = self.population.is_equal(subject, measure)
        yardstick = float(np.nanstd(material.values["halvings"].mean(axis=-1), ddof=1))
        for test in self.tests:
            if not test.is_for(material):
                continue
            judged: Row = {"data_sets": 0}
            needed = [kept.values[key] for kept in materials for key in test.families]
            needed += [kept.parts[key] for kept in materials for key in test.parts]
            if all(np.isfinite(values).all() for values in needed):
                judged = judge_test(
                    test,
                    material,
                    truth=0.0 if equal else None,
                    yardstick=yardstick,
                    again=others[0] if others else None,
                )
            yield {
                "population": self.population.key,
                "pair": "/".join(subject),
                "n": self.n,
                "measure": measure,
                "test": test.key,
                "edition": EDITION,
                **judged,
            }


# Results ----------------------------------------------------------------------------------------


def read_rows(path: Path) -> list[Row]:
    """Read this edition's rows of a file of results; there are none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["edition"] == str(EDITION)]


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the last row of every key, in a fixed order."""
    unique = {tuple(str(row[c]) for c in KEY): row for row in rows}
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for key in sorted(unique, key=lambda k: (k[0], k[1], int(k[2]), k[3], k[4])):
            writer.writerow([_text(unique[key].get(column, "")) for column in COLUMNS])
    part.replace(path)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4g}"
    return str(value)


def cells(
    *,
    populations: Sequence[str] | None = None,
    sizes: Sequence[int] = (100, 500, 1000),
    tests: Sequence[str] | None = None,
    pairs: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    data_sets: int = 300,
    done: Iterable[Row] = (),
    seed: int = 0,
    partitions: int = 2,
) -> Iterator[BenchCell]:
    """Yield a cell for every population and size that lacks the rows of some test."""
    integer("data_sets", data_sets, low=2)
    integer("seed", seed, low=0)
    integer("partitions", partitions, low=1, high=2)
    for n in sizes:
        integer("n", n, low=LEAST_EXAMPLES, high=MOST_EXAMPLES)
    names = list(POPULATIONS) if populations is None else list(populations)
    keys = list(TESTS) if tests is None else list(tests)
    known = {subject for key in names for subject in _subjects(_population(key))}
    for pair in pairs or ():
        if tuple(pair.split("/")) not in known:
            refuse_unknown("pair", pair, sorted("/".join(subject) for subject in known))
    for measure in measures or ():
        one_of("measure", measure, (*MEASURES_OF_CLASSES, *MEASURES_OF_NUMBERS))
    seen = {
        (row["population"], row["pair"], int(row["n"]), row["test"])
        for row in done
        if measures is None or row["measure"] in measures
    }
    wanted = None if pairs is None else {tuple(pair.split("/")) for pair in pairs}
    for n in sizes:
        for name in names:
            population = _population(name)
            chosen = [TESTS[one_of("test", key, TESTS)] for key in keys]
            if n > FULL_UP_TO and name not in LARGE_POPULATIONS:
                continue
            cell = BenchCell(
                population=population,
                n=n,
                tests=tuple(test for test in chosen if n <= test.most),
                data_sets=data_sets,
                seed=seed,
                only=_subjects_at_size(population, n, wanted),
                measures=_measures_at_size(n, measures),
                partitions=partitions,
            )
            yield from cell.left(seen)


def _population(name: str) -> BenchPopulation:
    return POPULATIONS[one_of("population", name, POPULATIONS)]


def _subjects(population: BenchPopulation) -> list[tuple[str, ...]]:
    """Return the single learners and pairs of a population."""
    return [*((key,) for key in population.singles), *population.pairs]


def _measures_at_size(n: int, wanted: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the measures that are run at a size; None stands for all."""
    if wanted is not None:
        return tuple(wanted)
    return LARGE_MEASURES if n > FULL_UP_TO else None


def _subjects_at_size(
    population: BenchPopulation, n: int, wanted: Any
) -> tuple[tuple[str, ...], ...]:
    """Return the single learners and pairs that are run at a size."""
    subjects = _subjects(population)
    if n > FULL_UP_TO:
        subjects = [subject for subject in subjects if subject in LARGE_PAIRS]
    return tuple(subject for subject in subjects if wanted is None or subject in wanted)


def bench(
    path: str | Path,
    *,
    populations: Sequence[str] | None = None,
    sizes: Sequence[int] = (100, 500, 1000),
    tests: Sequence[str] | None = None,
    pairs: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    data_sets: int = 300,
    device: str | None = None,
    n_jobs: int = 1,
    seed: int = 0,
    partitions: int = 2,
    until: float | None = None,
    say: Callable[[str], None] | None = None,
) -> list[Row]:
    """
    Run what a file of results does not have yet, and add it.

    There is one row for each population, pair, n, measure and test.

    Parameters
    ----------
    path : path
        A csv file; it need not exist. After every population and size it is written anew, so that a
        run that was stopped goes on where it was.
    populations, tests : sequences of str, optional
        All that are known by default; see ``add_population`` and ``add_test``.
    pairs : sequence of str, optional
        Pairs such as ``"logistic/tree"``, or single learners; by default all of a population.
    measures : sequence of str, optional
        The measures to run. By default all are run up to n = 1000, and the zero-one, Brier and
        squared losses above it.
    sizes : sequence of int
        Examples of a data set.
    data_sets : int
        Data sets behind each row.
    device : str, optional
        Where models are fitted: ``"cuda"`` is a GPU.
    n_jobs : int
        Processes that judge while the next models are fitted. Where processes cannot be forked,
        there is one.
    seed : int
        Seed of everything random.
    partitions : int
        Random partitions of every data set: 2, or 1 for half of the fits and no agreement.
    until : float, optional
        A time, as ``time.time`` returns it, after which no further cell is begun.
    say : callable, optional
        A function that is called with a line of text after each cell.

    Returns
    -------
    list of dict
        All rows of the file.
    """
    file = Path(path)
    rows = read_rows(file)
    place = Place.of(device)
    todo = cells(
        populations=populations,
        sizes=sizes,
        tests=tests,
        pairs=pairs,
        measures=measures,
        data_sets=data_sets,
        done=rows,
        seed=seed,
        partitions=partitions,
    )

    def add(cell: BenchCell, judged: list[Row]) -> None:
        rows.extend(judged)
        write_rows(file, rows)
        if say is not None:
            done_now = f"{count(len(cell.tests), 'test')}, {count(len(judged), 'row')}"
            say(f"{cell.population.key}, n = {cell.n}: {done_now}")

    judges = Judges(n_jobs, add)
    for cell in todo:
        if until is not None and time() > until:
            break
        judges.judge(cell, cell.fit(place))
    judges.wait()
    return rows


class Judges:
    """
    Processes that judge what was fitted, while the next cell is being fitted.

    They are forked, so that losses need not be copied; with one job, or where nothing can be
    forked, judging happens in this process.
    """

    def __init__(self, n_jobs: int, add: Callable[[BenchCell, list[Row]], None]) -> None:
        self.n_jobs = integer("n_jobs", n_jobs, low=1)
        self.add = add
        self.working: list[tuple[BenchCell, Any, Any]] = []

    def judge(self, cell: BenchCell, kept: Sequence[Kept]) -> None:
        """Judge a cell, now or in a process of its own."""
        if self.n_jobs == 1 or "fork" not in get_all_start_methods():
            self.add(cell, list(cell.rows(kept)))
            return
        self._collect(self.n_jobs - 1)
        context = get_context("fork")
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_send_rows, args=(cell, kept, there))
        process.start()
        there.close()
        self.working.append((cell, process, here))

    def wait(self) -> None:
        """Wait until all cells are judged."""
        self._collect(0)

    def _collect(self, most: int) -> None:
        """Take the rows of finished processes, until at most ``most`` are at work."""
        while self.working:
            ready = wait(
                [pipe for _, _, pipe in self.working],
                timeout=0 if len(self.working) <= most else None,
            )
            if not ready:
                return
            for entry in [job for job in self.working if job[2] in ready]:
                cell, process, pipe = entry
                self.working.remove(entry)
                try:
                    self.add(cell, pipe.recv())
                except EOFError as error:  # its own traceback is on the terminal
                    raise CellFailed(
                        f"judging {cell.population.key!r} at n = {cell.n} failed"
                    ) from error
                process.join()


def _send_rows(cell: BenchCell, kept: Sequence[Kept], pipe: Any) -> None:
    pipe.send(list(cell.rows(kept)))
    pipe.close()

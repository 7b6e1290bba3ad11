"""
Certify or abstain: checks that a run can make itself, and what they buy.

    python -m papers.bench.certify draw FOLDER OUT      # FOLDER has adult.npz, defects.npz,
    text.npz python -m papers.bench.certify judge OUT            # writes certify.csv and the table
    of the page python -m papers.bench.certify sharp JOB            # PyTorch; JOB as
    papers.sharp.prepare writes it

Every data set has the nine halvings of the default and, for the guard by disjoint halves, two-fold
runs inside both halves of three of them (twelve more fits of a quarter of the data). Populations
were divided before anything was looked at: constants are chosen on TUNE, EXAM is judged once.

A check that fails sends the question to a safe test; one that passes leaves the default as it is:

- ``parts``: whole models shift (C > k·W) or the influence part U exceeds k times what chance allows
  it;
- ``halves``: the spread between disjoint halves exceeds k times what V says it should be;
- ``learners``: the error of one algorithm alone jumps between halvings (C > k·W of that algorithm).

The safe test is ``mx2-t`` on the same nine halvings, or, for ``halves``, V of the disjoint halves
with their three degrees of freedom, whichever variance is larger. ``parts, 15 halvings`` has the
alarm of ``parts`` and adds six halvings where it fails; V is then the larger of V2 and U of all
fifteen. ``halves, silent`` has no safe test: where the check fails nothing is decided.

What was chosen on TUNE is also run on the populations *judge* and *exam* of ``papers/sharp``
(``certify_sharp.csv``) and on the pairs of the benchmark (``certify_bench.csv``).
"""

import csv
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

import evenfold as ef
from evenfold.core.errors import EvenfoldWarning
from evenfold_lab import bench
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.material import CHUNK, MEASURES_OF_CLASSES, MEASURES_OF_NUMBERS, Chunk, Kept
from evenfold_lab.bench.populations import POPULATIONS
from evenfold_lab.bench.runner import BenchCell
from papers.sharp.reference import Parts, parts

N = 200
SETS = 300
TUNE = ("gaussians", "xor", "adult", "sparse")
EXAM = ("rings", "rare", "defects", "text", "outliers", "friedman1", "coin")
CLASS_LEARNERS = ("logistic", "ridge", "lda", "bayes", "knn", "tree")
NUMBER_LEARNERS = ("mean", "linear", "ridge", "lasso", "tree")
MORE = 6  # halvings that are added where a check fails
MORE_PARTS = "parts, 15 halvings"
INSIDE = 3  # halvings whose halves are halved again
LEVEL, AWAY = 0.05, 2.8
STRENGTHS = (1.0, 2.0, 3.0, 5.0, 8.0, 12.0)  # k of a check
CHOSEN = ("halves", 8.0)  # on TUNE alone: the strongest that abstains in less than a tenth
SHRUNK = (1.0, 0.95, 0.9, 0.85, 0.8)  # factors of the standard error where a check passes
EVERYWHERE = "shrunk everywhere"
SILENT = "halves, silent"
# The strongest form of each rule that abstains in about a tenth of the questions of TUNE, and the
# rules that it is compared with.
CANDIDATES = (
    ("default", 0.0),
    ("mx2-t", 0.0),
    ("parts", 12.0),
    ("learners", 8.0),
    CHOSEN,
    (SILENT, 8.0),
    *((EVERYWHERE, factor) for factor in SHRUNK),
)
SHARP_SETS = 300
# Larger data sets of papers/sharp were not run, for want of time.
SHARP_MOST = 200
LIGHT_FROM = 200  # examples from which bagged trees were left out, likewise
BAGGED = ("bag", "bag2")
SHARP = Path(__file__).with_name("certify_sharp.csv")
BENCH = Path(__file__).with_name("certify_bench.csv")
RESULTS = Path(__file__).with_name("certify.csv")
PAGE = Path(__file__).parents[2] / "docs" / "appendix" / "certify.md"
Floats = np.ndarray


def quarters(n: int, rng: np.random.Generator) -> kinds.Family:
    """
    Make two folds inside both halves of the first three halvings.

    Each halving gets four splits, in which a quarter of the data trains.
    """
    tests, trains = [], []
    for side in kinds.sides(n)[:INSIDE]:
        for half in (np.flatnonzero(side), np.flatnonzero(~side)):
            order = rng.permutation(half)
            parts_of_half = (order[: len(order) // 2], order[len(order) // 2 :])
            for test, train in (parts_of_half, parts_of_half[::-1]):
                tests.append(np.isin(np.arange(n), test))
                trains.append(np.isin(np.arange(n), train))
    return kinds.family("quarters", tests, trains)


def further(n: int, rng: np.random.Generator) -> kinds.Family:
    """Make six more halvings, which continue the nine of the default."""
    del rng
    partition = ef.Mx2BCV(kinds.REPETITIONS + MORE, random_state=n).partition(n)
    first = partition.test[2 * kinds.REPETITIONS :: 2]
    tests = [np.isin(np.arange(n), half) == side for half in first for side in (True, False)]
    return kinds.family("halvings", tests)


def all_sides(n: int) -> Floats:
    """Return the sides of all fifteen halvings."""
    later = further(n, np.random.default_rng(0)).tests[::2] > 0
    return np.concatenate([kinds.sides(n), later])


def draw(folder: Path, out: Path) -> None:
    """Keep losses of halvings and values of quarters, two files a population."""
    for population in bench.tables(folder):
        bench.add_population(population)
    out.mkdir(parents=True, exist_ok=True)
    usual = {**kinds.FAMILIES, "quarters": quarters}
    for name in (*TUNE, *EXAM):
        _draw(name, out / f"{name}.npz", ["halvings", "quarters"], usual)
        _draw(name, out / f"{name}-more.npz", ["halvings"], {"halvings": further})


def _draw(name: str, path: Path, wanted: list[str], makers: Mapping[str, kinds.Make]) -> None:
    """Draw the data sets of a population, the same whatever families are wanted."""
    if path.exists():
        return
    population = POPULATIONS[name]
    learners = CLASS_LEARNERS if population.classes else NUMBER_LEARNERS
    measure = "zero-one" if population.classes else "squared"
    kept: dict[str, list[Floats]] = {}
    for number in range(SETS // CHUNK):
        chunk = Chunk(
            population,
            N,
            number,
            wanted=wanted,
            subjects=[(key,) for key in learners],
            seed=36,
            fresh=2,
            makers=makers,
        )
        for (key, of), losses in chunk.kept().singles.items():
            if of == measure:
                kept.setdefault(f"{key}.halvings", []).append(losses["part halvings"])
                if "quarters" in losses:
                    kept.setdefault(f"{key}.quarters", []).append(losses["quarters"])
    arrays = {key: np.concatenate(some).astype(np.float32) for key, some in kept.items()}
    np.savez_compressed(path, allow_pickle=False, **arrays)
    print(path.stem, flush=True)


def pairs(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the losses of every pair, the parts of the variance and what the checks look at."""
    with np.load(path) as file:
        arrays = {key: file[key].astype(float) for key in file.files}
    with np.load(path.with_name(f"{path.stem}-more.npz")) as file:
        later = {key: file[key].astype(float) for key in file.files}
    learners = list(dict.fromkeys(key.split(".")[0] for key in arrays))
    sides = kinds.sides(N)
    alone = {key: parts(arrays[f"{key}.halvings"], sides) for key in learners}
    for i, a in enumerate(learners):
        for b in learners[i + 1 :]:
            d = arrays[f"{b}.halvings"] - arrays[f"{a}.halvings"]
            all_of = np.concatenate([d, later[f"{b}.halvings"] - later[f"{a}.halvings"]], axis=1)
            inside = (arrays[f"{b}.quarters"] - arrays[f"{a}.quarters"]).reshape(
                len(d), INSIDE, 2, 2
            )
            yield (
                f"{a}/{b}",
                {
                    "losses": d,
                    "sides": sides,
                    "parts": parts(d, sides),
                    "more": parts(all_of, all_sides(N)),
                    "apart": inside.mean(axis=-1),
                    "alone": (alone[a], alone[b]),
                },
            )


def _ratio(top: Any, bottom: Any) -> Any:
    return top / np.where(bottom > 0, bottom, 1e-300)


def alarms(pair: dict[str, Any]) -> dict[str, Floats]:
    """Return how strong the alarm of each check is; a check fails where this exceeds its k."""
    of: Parts = pair["parts"]
    V, _ = of.variance()
    chance = special.chdtri(of.m, 0.1) / of.m * of.T
    apart = ((pair["apart"][..., 0] - pair["apart"][..., 1]) ** 2).mean(axis=-1) / 2
    jumps = [_ratio(learner.shifts, learner.W) for learner in pair["alone"]]
    return {
        "parts": np.maximum(_ratio(of.shifts, of.W), _ratio(of.U, chance)),
        # The mean of half the data has twice the variance, and models that a quarter of the data
        # trains vary even more.
        "halves": _ratio(apart, 2 * V),
        "learners": np.maximum(*jumps),
    }


def _stable(losses: Floats, sides: Floats, null: float) -> tuple[Floats, Floats]:
    with warnings.catch_warnings():
        # Data sets on which two learners agree throughout are part of the game.
        warnings.simplefilter("ignore", EvenfoldWarning)
        estimate = ef.infer.until_stable(losses, sides, null=null)
    return np.asarray(estimate.rejected), 2.0 * np.asarray(estimate.stopped_at)


def _safe(pair: dict[str, Any], check: str, null: float) -> Floats:
    of: Parts = pair["more" if check == MORE_PARTS else "parts"]
    m = of.m
    V = (2 * m + 1) / (2 * m - 1) * of.halves
    df: Any = 2 * m - 1
    if check == MORE_PARTS:
        df = np.where(of.U > V, m, df)
        V = np.maximum(V, of.U)
    if check == "halves":
        apart = ((pair["apart"][..., 0] - pair["apart"][..., 1]) ** 2).mean(axis=-1) / 4
        df = np.where(apart > V, INSIDE, df)
        V = np.maximum(V, apart)
    rejects: Floats = np.abs(of.mean - null) > special.stdtrit(df, 1 - LEVEL / 2) * np.sqrt(V)
    return rejects


def _shrunk(pair: dict[str, Any], factor: float, null: float) -> Floats:
    """Test at the last look with a share of the usual standard error."""
    of: Parts = pair["parts"]
    V, df, may = of.tested(null)
    rejects: Floats = may & (
        np.abs(of.mean - null) > factor * special.stdtrit(df, 1 - LEVEL / 2) * np.sqrt(V)
    )
    return rejects


def measured(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of one population: the default, all checks, and shrunk standard errors."""
    half = "tune" if path.stem in TUNE else "exam"
    for name, pair in pairs(path):
        common = {"half": half, "population": path.stem, "pair": name}
        yield from of_pair(pair, common, truth=0.0 if path.stem == "coin" else None)


def of_pair(
    pair: dict[str, Any], common: Mapping[str, Any], truth: float | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one pair, one for every rule that it has the material for."""
    of: Parts = pair["parts"]
    centre = float(of.mean.mean()) if truth is None else truth
    sd = float(of.mean.std(ddof=1))
    nulls = (centre, centre - AWAY * sd, centre + AWAY * sd)
    by_default = [_stable(pair["losses"], pair["sides"], null) for null in nulls]
    alarm = alarms(pair)
    row = partial(_row, {**common, "data_sets": len(of.mean)})
    fits = float(by_default[0][1].mean())
    yield row("default", 0.0, [decided for decided, _ in by_default], fits, 0.0)
    yield row("mx2-t", 0.0, [_safe(pair, "parts", null) for null in nulls], 18.0, 1.0)
    checks = list(alarm.items())
    if "more" in pair:
        checks.append((MORE_PARTS, alarm["parts"]))
    for check, strength in checks:
        for k in STRENGTHS:
            fails = strength > k
            decided = [
                np.where(fails, _safe(pair, check, null), usual)
                for (usual, _), null in zip(by_default, nulls, strict=True)
            ]
            extra = {"halves": 12.0, MORE_PARTS: 2.0 * MORE * fails.mean()}.get(check, 0.0)
            yield row(
                check,
                k,
                decided,
                18.0 * fails.mean() + fits * (~fails).mean() + extra,
                fails.mean(),
            )
    for k in STRENGTHS:
        fails = alarm["halves"] > k
        decided = [usual & ~fails for usual, _ in by_default]
        yield row(SILENT, k, decided, fits + 12.0, fails.mean())
    calm = alarm["learners"] <= 1.0
    for factor in SHRUNK:
        shrunk = [_shrunk(pair, factor, null) for null in nulls]
        guarded = [
            np.where(calm, usual, _safe(pair, "parts", null))
            for usual, null in zip(shrunk, nulls, strict=True)
        ]
        yield row(EVERYWHERE, factor, shrunk, 18.0, 0.0)
        yield row("shrunk where learners pass", factor, guarded, 18.0, (~calm).mean())


def of_cell(cell: BenchCell, kept: Kept) -> Iterator[dict[str, Any]]:
    """
    Yield the rows of the pairs of one population and size of the benchmark.

    The quarters must have been fitted.
    """
    sides = kinds.sides(cell.n)
    sizes = {"halvings": (0, 0), "quarters": (0, 0)}
    every = MEASURES_OF_CLASSES if cell.population.classes else MEASURES_OF_NUMBERS
    for subject in cell.subjects():
        for measure in every:
            read = partial(
                kept.material,
                measure=measure,
                n=cell.n,
                classes=cell.population.classes,
                sizes=sizes,
            )
            both = read(subject)
            if len(subject) == 1 or both is None or "halvings" not in both.parts:
                continue
            losses = both.parts["halvings"].astype(float)
            singles = [read((key,)) for key in subject]
            pair = {
                "losses": losses,
                "sides": sides,
                "parts": parts(losses, sides),
                "apart": both.values["quarters"].reshape(len(losses), INSIDE, 2, 2).mean(axis=-1),
                "alone": [
                    parts(single.parts["halvings"].astype(float), sides)
                    for single in singles
                    if single
                ],
            }
            common = {
                "population": cell.population.key,
                "pair": "/".join(subject),
                "n": cell.n,
                "measure": measure,
            }
            equal = cell.population.is_equal(subject, measure)
            yield from of_pair(pair, common, truth=0.0 if equal else None)


def _row(
    common: dict[str, Any], rule: str, k: float, decided: list[Floats], fits: float, failed: Any
) -> dict[str, Any]:
    error, down, up = (float(some.mean()) for some in decided)
    rates = {"rule": rule, "k": k, "error": error, "power": (down + up) / 2}
    return {**common, **rates, "abstained": float(failed), "fits": float(fits)}


def of_sharp(job: Path, sets: int = SHARP_SETS) -> Iterator[dict[str, Any]]:
    """
    Yield rows of every pair of *judge* and *exam* of ``papers/sharp`` without groups.

    The cases are drawn one after another.
    """
    import torch

    from papers.sharp import lab
    from papers.sharp.analyse import enemy
    from papers.sharp.populations import cases

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    designs = np.load(job / "designs.npz")
    every = cases(dict(np.load(job / "data.npz")))
    wanted = [
        case for case in every if case.half != "tune" and case.group == 1 and case.n <= SHARP_MOST
    ]
    for case in sorted(wanted, key=lambda case: case.n):
        heavy = BAGGED if case.n >= LIGHT_FROM else ()
        X, y, splits = lab.drawn(case, designs, device, sets, kinds.REPETITIONS)
        sides = splits.sides.cpu().numpy()
        inside = _equal_quarters(sides[:INSIDE], np.random.default_rng(case.n))
        quartered = splits._tensors(*inside, device)
        halves, apart = {}, {}
        for key, fit in case.fits().items():
            if key in heavy:
                continue
            by_split = lab.losses(case, X, y, fit, *splits.halves)
            halves[key] = lab.in_order(by_split, splits.halves[1], case.n).double().cpu().numpy()
            by_quarter = lab.losses(case, X, y, fit, *quartered).double().mean(dim=2)
            apart[key] = by_quarter.cpu().numpy().reshape(sets, INSIDE, 2, 2).mean(axis=-1)
        alone = {key: parts(of_learner, sides) for key, of_learner in halves.items()}
        for a, b in case.pairs():
            if {a, b} & set(heavy):
                continue
            losses = halves[b] - halves[a]
            pair = {
                "losses": losses,
                "sides": sides,
                "parts": parts(losses, sides),
                "apart": apart[b] - apart[a],
                "alone": (alone[a], alone[b]),
            }
            name = f"{a}/{b}"
            common = {"half": case.half, "population": case.name, "pair": name}
            yield from chosen(of_pair(pair, {**common, "enemy": enemy(case.name, name)}))


def _equal_quarters(sides: Floats, rng: np.random.Generator) -> tuple[list[Floats], list[Floats]]:
    """Return training and test sets of two folds inside both halves, all of one size."""
    trains, tests = [], []
    for side in sides:
        for half in (np.flatnonzero(side), np.flatnonzero(~side)):
            order = rng.permutation(half)
            size = len(order) // 2
            first, second = order[:size], order[size : 2 * size]
            trains += [second, first]
            tests += [first, second]
    return trains, tests


def chosen(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the candidates."""
    return (row for row in rows if (row["rule"], float(row["k"])) in CANDIDATES)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as they come, numbers with four digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {key: f"{v:.4g}" if isinstance(v, float) else v for key, v in row.items()}
            )


def sharp(job: Path) -> None:
    """Judge all cases of ``papers/sharp``, and write the rows so far after each of them."""
    rows: list[dict[str, Any]] = []
    case = ""
    for row in of_sharp(job):
        if row["population"] != case:
            case = row["population"]
            print(case, len(rows), flush=True)
            if rows:
                write_rows(SHARP, rows)
        rows.append(row)
    write_rows(SHARP, rows)


def judge(out: Path) -> None:
    """Write every row."""
    rows = [
        row
        for name in (*TUNE, *EXAM)
        if (out / f"{name}.npz").exists()
        for row in measured(out / f"{name}.npz")
    ]
    write_rows(RESULTS, rows)


# The page ---------------------------------------------------------------------------------------


def read(path: Path = RESULTS) -> list[dict[str, str]]:
    """Read all rows of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(rows: list[dict[str, str]]) -> str:
    """
    Return a table with one line for each rule and strength.

    It has errors, power and abstentions on both halves of the populations.
    """
    lines = [
        "| rule | k | development populations: error mean / worst, above, power, abstained "
        "| test populations | fits |",
        "| --- | --- | --- | --- | --- |",
    ]
    for rule, k in dict.fromkeys((row["rule"], row["k"]) for row in rows):
        of = [row for row in rows if (row["rule"], row["k"]) == (rule, k)]
        cells = [_cell([row for row in of if row["half"] == half]) for half in ("tune", "exam")]
        fits = np.mean([float(row["fits"]) for row in of])
        lines.append(f"| {rule} | {k if float(k) else ''} | {cells[0]} | {cells[1]} | {fits:.1f} |")
    return "\n".join(lines)


def _cell(rows: list[dict[str, str]]) -> str:
    error, power, abstained = (
        np.array([float(row[key]) for row in rows]) for key in ("error", "power", "abstained")
    )
    bound = 0.06 + 2 * np.sqrt(0.06 * 0.94 / int(rows[0]["data_sets"]))
    above = int((error > bound).sum())
    numbers = (error.mean(), error.max(), power.mean(), abstained.mean())
    mean, worst, strength, left = (f"{x:.3f}".lstrip("0") for x in numbers)
    return f"{mean} / {worst}, {above} of {len(rows)}, {strength}, {left}"


Rows = list[dict[str, str]]
# The goals, besides that no pair is above. Fits are those of two algorithms.
MOST_ABSTAINED, LEAST_POWER, MOST_FITS = 0.1, 0.45, 36


def _of(rows: Rows, rule: tuple[str, float]) -> Rows:
    return [row for row in rows if (row["rule"], float(row["k"])) == rule]


def is_above(row: Mapping[str, str]) -> bool:
    """Say whether a pair errs by more than .06 and two Monte Carlo standard errors."""
    return float(row["error"]) > 0.06 + 2 * sqrt(0.06 * 0.94 / int(row["data_sets"]))


def _where(row: Mapping[str, str]) -> tuple[str, ...]:
    return row["population"], row["pair"], row.get("n", ""), row.get("measure", "")


def candidates(sets: Mapping[str, Rows]) -> str:
    """
    Return a line for each candidate: errors, power and abstentions by set of pairs, and the goal.

    The abstentions are those on pairs that the default gets right.
    """
    head = ["rule", "k", *sets, "fits", "goal"]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for rule in CANDIDATES:
        if rule[0] == EVERYWHERE:
            continue
        cells, fits, reached = [], [], []
        for rows in sets.values():
            judged = _of(rows, rule)
            easy = {_where(row) for row in _of(rows, ("default", 0.0)) if not is_above(row)}
            cells.append(_short(judged, easy) if judged else "")
            fits += [float(row["fits"]) for row in judged]
            reached.append(bool(judged) and _reaches(judged, easy))
        word = "reached" if all(reached) else "missed"
        k = f"{rule[1]:g}" if rule[1] else ""
        lines.append(f"| {rule[0]} | {k} | {' | '.join(cells)} | {np.mean(fits):.1f} | {word} |")
    return "\n".join(lines)


def _share(x: float) -> str:
    return f"{x:.3f}".lstrip("0") if x < 1 else f"{x:.3f}"


def _mean_of(rows: Rows, column: str) -> float:
    return float(np.mean([float(row[column]) for row in rows]))


def _short(rows: Rows, easy: set[tuple[str, ...]]) -> str:
    worst = max(float(row["error"]) for row in rows)
    left = _mean_of([row for row in rows if _where(row) in easy], "abstained")
    numbers = [_share(x) for x in (_mean_of(rows, "error"), worst, _mean_of(rows, "power"), left)]
    above = sum(map(is_above, rows))
    return f"{numbers[0]} / {numbers[1]}, {above} of {len(rows)}, {numbers[2]}, {numbers[3]}"


def _reaches(rows: Rows, easy: set[tuple[str, ...]]) -> bool:
    left = _mean_of([row for row in rows if _where(row) in easy], "abstained")
    few = 2 * _mean_of(rows, "fits") <= MOST_FITS
    strong = _mean_of(rows, "power") >= LEAST_POWER
    return not any(map(is_above, rows)) and left <= MOST_ABSTAINED and strong and few


def spent(sets: Mapping[str, Rows]) -> str:
    """
    Return a table with one line for each factor of the last look's standard error.

    It has errors and power on each set of pairs.
    """
    head = ["standard error ×", *sets]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for factor in SHRUNK:
        cells = []
        for rows in sets.values():
            judged = _of(rows, (EVERYWHERE, factor))
            if not judged:
                cells.append("")
                continue
            error = np.array([float(row["error"]) for row in judged])
            numbers = (error.mean(), np.quantile(error, 0.95), error.max())
            spread = " / ".join(_share(float(x)) for x in numbers)
            above = sum(map(is_above, judged))
            cells.append(f"{spread}, {above} of {len(judged)}, {_share(_mean_of(judged, 'power'))}")
        lines.append(f"| {factor:g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def written(page: str, rows: list[dict[str, str]]) -> str:
    """Return the page with its table made anew."""
    before, _, rest = page.partition("<!-- certify -->")
    _, end, after = rest.partition("<!-- end -->")
    if not end:
        raise ValueError("the page must have a place for the table")
    return f"{before}<!-- certify -->\n\n{table(rows)}\n\n{end}{after}"


def write_page() -> None:
    """Write the table into the page."""
    PAGE.write_text(written(PAGE.read_text("utf-8"), read()), "utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(Path(sys.argv[2]), Path(sys.argv[3]))
    elif sys.argv[1] == "sharp":
        sharp(Path(sys.argv[2]))
    else:
        judge(Path(sys.argv[2]))
        write_page()

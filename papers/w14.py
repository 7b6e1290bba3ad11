"""
W14's tables 2, 3, 4, 6, 7 and 10: ``python -m papers.w14 FOLDER``.

FOLDER holds the UCI data sets; without it tables 3, 7 and 10 are left out. Part 10 has naive Bayes
and LDA, 10-trees all three pairs. W14 has 100 000 data sets in tables 2–4, 1000 in 6 and 7, 50 cuts
in table 10; the numbers here are those of ``SIZES``, times ``--scale``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

import evenfold as ef
from evenfold.core.rng import stream
from evenfold.design import Blocked3x2, Design, KFold, Mx2
from evenfold.infer.theory.covariance import mx2_correlations
from evenfold_lab import estimators
from evenfold_lab.algorithm import Algorithm, Floats
from evenfold_lab.masks import Splits
from evenfold_lab.populations import TwoGaussians, W14Gaussians5d, letters
from evenfold_lab.populations._base import Population
from evenfold_lab.populations.resampled import read_table
from evenfold_lab.studies._base import share
from evenfold_lab.world import score
from papers._blocks import holdout_values
from papers._table import (
    Cell,
    Claim,
    Table,
    arguments,
    degenerate_too,
    machine,
    printed,
    printed_share,
    publish,
    scaled,
)

SEED = 2014
LEVEL = 0.05
THERE = 100_000  # data sets of tables 2, 3 and 4 in W14
CUTS = 50
DESIGNS: tuple[Design, ...] = (KFold(2), Mx2(5), Blocked3x2())

SIZES: dict[str, Callable[[int], int]] = {  # data sets for a given n
    "logistic": lambda n: 300,  # noqa: ARG005 - one signature
    "letters": lambda n: 500 if n <= 400 else 100,
    "nn": lambda n: 50 if n == 40 else 0,
    "nb": lambda n: 5000 if n <= 400 else 2000,
    "cr": lambda n: 500 if n <= 200 else 100,
    "svm": lambda n: 100 if n <= 800 else 0,
    "gaussians": lambda n: 1000 if n == 200 else 300,
    "table-7": lambda n: 500,  # noqa: ARG005 - one signature
}
FULL: dict[str, Callable[[int], int]] = {  # in full, where it is not W14's 100 000
    "gaussians": lambda n: 1000,  # noqa: ARG005 - one signature
    "table-7": lambda n: 1000,  # noqa: ARG005 - one signature
    "cr": lambda n: THERE if n <= 400 else THERE // 2,
    "svm": lambda n: THERE if n <= 400 else THERE // 2,
}
TABLE_2 = {  # n: 1 − 2ρ1, 2ρ2, 2 − ρ1 − 2ρ2, 3 − 4ρ2
    150: ("0.752", "0.832", "1.044", "1.336"),
    300: ("0.790", "0.858", "1.037", "1.284"),
    400: ("0.834", "0.870", "1.047", "1.260"),
    500: ("0.872", "0.888", "1.048", "1.224"),
    1000: ("0.900", "0.908", "1.042", "1.184"),
}
TABLE_3 = {
    20: ("0.414", "0.562", "1.145", "1.876"),
    40: ("0.448", "0.522", "1.202", "1.956"),
    80: ("0.604", "0.390", "1.412", "2.220"),
    160: ("0.676", "0.378", "1.460", "2.244"),
    400: ("0.810", "0.330", "1.575", "2.340"),
    800: ("0.880", "0.310", "1.630", "2.380"),
    2000: ("0.946", "0.288", "1.685", "2.424"),
}
SIZES_4 = (40, 80, 160, 200, 400, 800, 1200, 1600, 2000)
TABLE_4 = {  # classifier: ρ1 and ρ2 at these n
    "nb": (
        ("0.305", "0.203", "0.113", "0.092", "0.050", "0.029", "0.013", "0.013", "0.009"),
        ("0.334", "0.371", "0.400", "0.408", "0.434", "0.453", "0.457", "0.465", "0.468"),
    ),
    "cr": (
        ("0.233", "0.153", "0.121", "0.113", "0.099", "0.112", "0.108", "0.107", "0.092"),
        ("0.267", "0.198", "0.205", "0.206", "0.218", "0.245", "0.251", "0.250", "0.242"),
    ),
    "svm": (
        ("0.433", "0.366", "0.298", "0.284", "0.233", "0.182", "0.154", "0.138", "0.127"),
        ("0.425", "0.435", "0.436", "0.441", "0.445", "0.449", "0.450", "0.453", "0.454"),
    ),
    "nn": (
        ("0.328", "0.288", "0.248", "0.237", "0.199", "0.158", "0.135", "0.120", "0.103"),
        ("0.332", "0.310", "0.283", "0.276", "0.254", "0.251", "0.261", "0.271", "0.276"),
    ),
}
CLASSIFIERS = {
    "nn": ("network", estimators.mlp),
    "nb": ("naive Bayes", estimators.naive_bayes),
    "cr": ("tree", estimators.classification_tree),
    "svm": ("SVM", estimators.svm),
}
TESTS = ("t_CV", "t_CCV", "t_5×2", "F_5×2", "t_B3×2")
TABLES_6_7 = {  # type I errors in the order of TESTS
    "simulation 1": ("0.08", "0.07", "0.05", "0.04", "0.05"),
    "simulation 2": ("0.07", "0.05", "0.04", "0.05", "0.05"),
    "letters": ("0.08", "0.06", "0.05", "0.04", "0.02"),
}
TABLE_10 = {  # rejections of 50, naive Bayes against LDA, in the order of TESTS
    "balance-scale": (3, 3, 2, 0, 0),
    "pima-diabetes": (4, 3, 6, 1, 0),
    "glass": (7, 3, 12, 11, 17),
    "heart-statlog": (1, 1, 1, 0, 0),
    "ionosphere": (2, 0, 1, 0, 2),
    "iris": (4, 4, 1, 0, 0),
    "vehicle": (28, 12, 50, 50, 50),
    "wine": (5, 5, 2, 0, 1),
    "yeast": (1, 0, 0, 0, 0),
    "seeds": (10, 2, 28, 31, 44),
}
REPLICABILITY = {
    ("naive Bayes", "LDA"): ("0.817", "0.883", "0.863", "0.913", "0.921"),
    ("naive Bayes", "tree"): ("0.784", "0.855", "0.857", "0.925", "0.910"),
    ("tree", "LDA"): ("0.767", "0.860", "0.798", "0.925", "0.921"),
}


def correlations(
    population: Population, algorithm: Algorithm, n: int, replications: int, store: str | None
) -> list[tuple[float, float]]:
    """
    ρ1 and ρ2 of one algorithm under blocked 3×2 cross-validation, with their errors.

    The four blocks are balanced by class, which is how W14's "balanced blocks" are read.
    """
    values = holdout_values(
        population, algorithm, n, replications, seed=SEED, store=store, device=machine().device
    )
    rhos = mx2_correlations(values)
    return [(float(rho.value), float(rho.standard_error)) for rho in rhos]


def _count(key: str, n: int, scale: float) -> int:
    """Data sets for a given n; in full the source's, but for networks, which would take days."""
    if machine().full and not key.startswith("nn"):
        return scaled(FULL[key](n) if key in FULL else THERE, scale)
    return scaled(SIZES[key](n), scale)


def there(se: float, replications: int) -> float:
    """The error that a correlation has after W14's 100 000 data sets, from ours after fewer."""
    return float(se * np.sqrt(replications / THERE))


def table_2_or_3(
    number: int,
    folder: str | None,
    scale: float,
    store: str | None,
    sizes: Sequence[int] | None = None,
) -> Table:
    """1 − 2ρ1 and 2ρ2 of logistic regression (table 2) or a tree on two letters (table 3)."""
    rows = TABLE_2 if number == 2 else TABLE_3
    key = "logistic" if number == 2 else "letters"
    population: Population = (
        W14Gaussians5d() if number == 2 else letters(folder, classes=2, replacement=True)
    )
    algorithm = estimators.logistic() if number == 2 else estimators.classification_tree()
    cells, counts = [], []
    for n in rows if sizes is None else sizes:
        R = _count(key, n, scale)
        if R == 0:
            continue
        counts.append(f"{R} at n = {n}")
        (rho1, se1), (rho2, se2) = correlations(population, algorithm, n, R, store)
        for name, text, ours, se in (
            ("1 − 2ρ1", rows[n][0], 1 - 2 * rho1, 2 * se1),
            ("2ρ2", rows[n][1], 2 * rho2, 2 * se2),
        ):
            source = printed(text, there(se, R))
            cells.append(Cell(row=f"n = {n}", column=name, source=source, ours=ours, se=se))
    note = f"Blocks balanced by class. Data sets: {', '.join(counts)}; W14 has 100 000."
    return Table(name=f"table-{number}", title=f"W14 table {number}", note=note, cells=cells)


def arithmetic() -> Table:
    """Rows 3 and 4 of tables 2 and 3 follow from rows 1 and 2."""
    claims = []
    for number, table in ((2, TABLE_2), (3, TABLE_3)):
        off = [_follow(*map(float, row)) for row in table.values()]
        says = (
            f"table {number}: 2 − ρ1 − 2ρ2 and 3 − 4ρ2 are those of the ρ1 and ρ2 of its first "
            "two rows"
        )
        claims.append(
            Claim(says=says, holds=max(off) <= 0.0015, here=f"off by at most {max(off):.4f}")
        )
    return Table(
        name="arithmetic", title="W14 tables 2 and 3, rows 3 and 4", note="", claims=claims
    )


def _follow(first: float, second: float, third: float, fourth: float) -> float:
    rho1 = (1 - first) / 2
    return max(abs(2 - rho1 - second - third), abs(3 - 2 * second - fourth))


def table_4(key: str, scale: float, store: str | None, sizes: Sequence[int] = SIZES_4) -> Table:
    """ρ1 and ρ2 of one of the four classifiers."""
    name, algorithm = CLASSIFIERS[key]
    cells, counts = [], []
    for n in sizes:
        R = _count(key, n, scale)
        if R == 0:
            continue
        counts.append(f"{R} at n = {n}")
        estimates = correlations(W14Gaussians5d(), algorithm(), n, R, store)
        for which, row, (rho, se) in zip(("ρ1", "ρ2"), TABLE_4[key], estimates, strict=True):
            source = printed(row[SIZES_4.index(n)], there(se, R))
            cells.append(Cell(row=f"{name}, n = {n}", column=which, source=source, ours=rho, se=se))
    note = f"Blocks balanced by class. Data sets: {', '.join(counts)}; W14 has 100 000."
    file = "network" if key == "nn" else key
    return Table(name=f"table-4-{file}", title=f"W14 table 4, {name}", note=note, cells=cells)


def pvalues(two_fold: Floats, five: Floats, blocked: Floats) -> dict[str, Floats]:
    """
    p-values of the five tests of no difference, from (data sets, splits).

    t_CCV is that of W14's formula, S²/(1/3); with the variance that its political ratio implies,
    1.5·S², it is ``corrected-kfold-t``.
    """
    m = len(five)
    with degenerate_too():
        return _pvalues(two_fold, five.reshape(m, 5, 2), blocked.reshape(m, 3, 2))


def _pvalues(two_fold: Floats, five: Floats, blocked: Floats) -> dict[str, Floats]:
    corrected = ef.infer.corrected_kfold_t(two_fold)
    return {
        "t_CV": ef.infer.kfold_t(two_fold).pvalue,
        "t_CCV": 2 * stats.t.sf(np.abs(corrected.statistic) / np.sqrt(2), 1),
        "t_CCV, 1.5·S²": corrected.pvalue,
        "t_5×2": ef.infer.five_by_two_t(five).pvalue,
        "F_5×2": ef.infer.five_by_two_f(five).pvalue,
        "t_B3×2": ef.infer.blocked_3x2_t(blocked).pvalue,
    }


def type1(population: Population, n: int, replications: int, store: str | None) -> dict[str, Any]:
    """
    Return the share of data sets in which each test rejects, and its error.

    Besides, it is counted how often two folds are alike.
    """
    study = ef.lab.variance(
        population, designs=list(DESIGNS), n=n, replications=replications, random_state=SEED,
        store=store,
        **machine().effort(),
    )  # fmt: skip
    values = [study.draws[repr(design)].values for design in DESIGNS]
    differences = [v[1] - v[0] for v in values]
    sizes = {test: share(p < LEVEL) for test, p in pvalues(*differences).items()}
    first, second = differences[0].T
    alike = np.isclose(first, second, rtol=0, atol=1e-12) & ~np.isclose(
        first, 0, rtol=0, atol=1e-12
    )
    return {**sizes, "two folds alike, not 0": share(alike)}


def table_6_or_7(number: int, folder: str | None, scale: float, store: str | None) -> Table:
    """Type I errors on two Gaussians (table 6), on letters (table 7)."""
    worlds: dict[str, tuple[Population, int, str]] = (
        {
            "simulation 1": (TwoGaussians.setting(2), 200, "gaussians"),
            "simulation 2": (TwoGaussians.setting(4), 2000, "gaussians"),
        }
        if number == 6
        else {"letters": (letters(folder, w=25.0, replacement=True), 300, "table-7")}
    )
    cells, counts = [], []
    for column, (population, n, key) in worlds.items():
        R = _count(key, n, scale)
        if R == 0:
            continue
        counts.append(f"{R} at n = {n}")
        sources = dict(zip(TESTS, TABLES_6_7[column], strict=True))
        for test, (ours, se) in type1(population, n, R, store).items():
            text = sources.get(test.partition(",")[0])
            source = None if text is None else printed_share(text, 1000)
            cells.append(Cell(row=test, column=column, source=source, ours=ours, se=se))
    note = (
        f"Rejections of no difference at level .05. Data sets: {', '.join(counts)}; W14 has 1000."
    )
    return Table(name=f"table-{number}", title=f"W14 table {number}", note=note, cells=cells)


def rejections(
    X: Floats, y: Floats, algorithms: Mapping[str, Algorithm], cuts: int
) -> dict[Any, Any]:
    """Cut one data set again and again; for each pair and test whether each cut rejects."""
    losses: list[dict[str, Floats]] = []
    many = np.broadcast_to(X, (cuts, *X.shape)), np.broadcast_to(y, (cuts, len(y)))
    for design in DESIGNS:
        partitions = [
            replace(
                design, random_state=int(stream(SEED, "cut", repr(design), i).integers(2**63))
            ).partition(len(y))
            for i in range(cuts)
        ]
        splits = Splits.of(partitions)
        losses.append(
            {
                name: score("zero-one", many[1], a.predict(*many, splits), splits, examples=False)[
                    "values"
                ]
                for name, a in algorithms.items()
            }
        )
    return {
        (a, b): {
            test: p < LEVEL
            for test, p in pvalues(
                *(by_algorithm[b] - by_algorithm[a] for by_algorithm in losses)
            ).items()
        }
        for a, b in combinations(algorithms, 2)
    }


def agreement(k: Floats, cuts: int) -> tuple[float, float]:
    """
    Replicability over data sets with k rejections each, and its error over the cuts.

    R = mean of [C(k,2) + C(c−k,2)]/C(c,2) (W14 6.6). The error is that of binomial k's, by
    simulation.
    """
    near = (k + 0.5) / (cuts + 1)
    drawn = stream(SEED, "agreement").binomial(cuts, near, size=(2000, len(k)))
    return float(_alike(k, cuts).mean()), float(
        _alike(drawn.astype(float), cuts).mean(axis=1).std()
    )


def _alike(k: Floats, cuts: int) -> Floats:
    alike: Floats = (k * (k - 1) + (cuts - k) * (cuts - k - 1)) / (cuts * (cuts - 1))
    return alike


def table_10(
    folder: str | None, *, trees: bool, cuts: int = CUTS, names: Sequence[str] = tuple(TABLE_10)
) -> list[Table]:
    """
    Return rejections on ten data sets, each cut 50 times, and the replicability of the tests.

    Trees are slow.
    """
    chosen = {"naive Bayes": estimators.naive_bayes()}
    chosen |= {"tree": estimators.classification_tree()} if trees else {}
    chosen |= {"LDA": estimators.lda()}
    rejected = {name: rejections(*_read(folder, name), chosen, cuts) for name in names}
    cells = [
        _rejected(name, test, str(source), rejected[name]["naive Bayes", "LDA"][test])
        for name in names
        for test, source in zip(TESTS, TABLE_10[name], strict=True)
    ]
    rows = []
    for pair in (pair for pair in REPLICABILITY if set(pair) <= set(chosen)):
        for test, text in zip(TESTS, REPLICABILITY[pair], strict=True):
            k = np.array([rejected[name][pair][test].sum() for name in names], dtype=float)
            ours, se = agreement(k, cuts)
            source = printed(text, se)
            rows.append(Cell(row=", ".join(pair), column=test, source=source, ours=ours, se=se))
    note = f"Rejections of naive Bayes = LDA in {cuts} cuts of the whole data set, level .05."
    note_r = "Error: over the cuts of these data sets; the same is taken for the source."
    return [
        Table(name="table-10", title="W14 table 10, rejections", note=note, cells=cells),
        Table(name="table-10-r", title="W14 table 10, replicability", note=note_r, cells=rows),
    ]


def _rejected(name: str, test: str, source: str, rejected: Floats) -> Cell:
    """Rejections of 50, ours scaled to as many; both have the error of a share of cuts."""
    share_, se = share(rejected)
    theirs = printed_share(f"{int(source) / CUTS:.2f}", CUTS)
    source_ = replace(theirs, text=source, value=CUTS * theirs.value, se=CUTS * theirs.se, half=0.0)
    return Cell(row=name, column=test, source=source_, ours=CUTS * share_, se=CUTS * se)


def _read(folder: str | None, name: str) -> tuple[Floats, Floats]:
    rows = read_table(folder, f"{name}.csv.gz")
    labels = np.unique([row[-1] for row in rows], return_inverse=True)[1]
    return np.array([row[:-1] for row in rows], dtype=float), labels.astype(float)


def _of_classifier(key: str, options: Any) -> list[Table]:
    return [table_4(key, options.scale, options.store)]


def main() -> None:
    parts: dict[str, Callable[[Any], list[Table]]] = {
        "2": lambda t: [table_2_or_3(2, t.folder, t.scale, t.store), arithmetic()],
        "3": lambda t: [table_2_or_3(3, t.folder, t.scale, t.store)],
        **{f"4-{key}": partial(_of_classifier, key) for key in TABLE_4},
        "6": lambda t: [table_6_or_7(6, t.folder, t.scale, t.store)],
        "7": lambda t: [table_6_or_7(7, t.folder, t.scale, t.store)],
        "10": lambda t: table_10(t.folder, trees=False),
        "10-trees": lambda t: table_10(t.folder, trees=True),
    }
    options = arguments(str(__doc__), list(parts))
    for part in options.parts:
        if options.folder is None and part in ("3", "7", "10", "10-trees"):
            print(f"table {part} left out: give the folder of the data")
            continue
        publish(parts[part](options))


if __name__ == "__main__":
    main()

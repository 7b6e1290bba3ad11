"""
R19 chapter 7 on the defect data: ``python -m papers.r19_defects FOLDER``.

FOLDER holds the files named in ``_defects.py``. R19 drew one partition; here every table is
repeated over many seeds, so a value of R19 agrees if it lies within two standard deviations of
*one* partition's value (its own draw is as random as ours). About ten minutes on one core.
"""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor

import evenfold as ef
from papers._defects import (
    SETS,
    Floats,
    count_model,
    defect_counts,
    propensity,
    propensity_models,
    random_effects,
    rank_correlations,
)
from papers._markdown import head, row

SEEDS = 20
SCORES = ("precision", "recall", "f1")
TABLE_7_1 = {False: (0.796, 0.561, 3.038), True: (0.789, 0.668, 3.041)}
TABLE_7_2 = {
    "logistic": (0.3252, 0.6944, 0.4429, (0.2930, 0.3591), (0.6448, 0.7397), (0.4067, 0.4789)),
    "forest": (0.3159, 0.7918, 0.4516, (0.2864, 0.3470), (0.7468, 0.8305), (0.4174, 0.4856)),
}
TABLE_7_3 = (0.343, 0.999, 0.635)


def main(folder: str) -> None:
    start = time.perf_counter()
    data = Path(folder)
    table_7_1(data)
    forests(data)
    balance(data)
    tables_7_2_and_7_3(data)
    pitfalls(data)
    many(data)
    print(f"\n{time.perf_counter() - start:.0f} s in all")


def _shown(values: Any, digits: int = 3) -> str:
    """Mean over seeds with its standard error, and the spread of one partition's value."""
    v = np.asarray(values, dtype=float)
    sd = v.std(ddof=1)
    return f"{v.mean():.{digits}f} ± {sd / np.sqrt(len(v)):.{digits}f} (sd {sd:.{digits}f})"


def _agree(source: Any, values: Any) -> str:
    v = np.asarray(values, dtype=float)
    return "yes" if abs(source - v.mean()) <= 2 * v.std(ddof=1) * np.sqrt(1 + 1 / len(v)) else "no"


def table_7_1(folder: Path) -> None:
    """Does the first component matter? FPA of negative binomial regression with and without it."""
    X, y = defect_counts(folder)
    head(f"Table 7.1, {SEEDS} partitions", "metrics", "what", "R19", "ours", "agrees")
    for power, (whole, rest, statistic) in TABLE_7_1.items():
        models = {f"{first}": count_model(power=power, first=first) for first in (True, False)}
        name = "power-transformed, 2 components" if power else "as they are, 9 components"
        values, tests = [], []
        for seed in range(SEEDS):
            design = ef.Mx2BCV(3, balance="counts", random_state=seed)
            c = ef.compare(
                models, X, y, measure="fpa", design=design, alternative="less", random_state=seed
            )
            values.append(c.losses.values.mean(axis=1))
            tests.append((-c.estimate.statistic, c.estimate.pvalue))
        both, answers = np.array(values), np.array(tests)
        row(name, "FPA", whole, _shown(both[:, 0]), _agree(whole, both[:, 0]))
        row(name, "FPA without the first", rest, _shown(both[:, 1]), _agree(rest, both[:, 1]))
        row(
            name, "t on 5 df", statistic, _shown(answers[:, 0], 2), _agree(statistic, answers[:, 0])
        )
        share = np.mean(answers[:, 1] < 0.05)
        row(name, "p < .05, one-sided", "yes", f"in {share:.0%} of the partitions", "")


def forests(folder: Path) -> None:
    """Negative binomial regression against a forest, by the default test."""
    X, y = defect_counts(folder)
    models = {
        "negative binomial": count_model(power=True, first=True, scorer=rank_correlations),
        "forest": RandomForestRegressor(200),
    }
    print("\n### Negative binomial regression against a forest, KC1 classes, FPA\n")
    for seed in range(3):
        print(f"- {ef.compare(models, X, y, measure='fpa', random_state=seed).verdict}", flush=True)


def balance(folder: Path, seeds: int = 100) -> None:
    """What dealing classes by their counts is worth: how much the FPA of one partition varies."""
    X, y = defect_counts(folder)
    model = {"model": count_model(power=True, first=True, scorer=rank_correlations)}
    designs: dict[str, Any] = {
        "random halvings": lambda s: ef.design.Mx2(3, random_state=s),
        "even overlaps": lambda s: ef.Mx2BCV(3, random_state=s),
        "even overlaps and counts": lambda s: ef.Mx2BCV(3, balance="counts", random_state=s),
    }
    head(
        f"Variance of the 3×2 estimate of FPA over {seeds} partitions",
        "design",
        "FPA",
        "sd",
        "defects apart, worst half",
    )
    for name, make in designs.items():
        means, uneven = [], []
        for seed in range(seeds):
            partition = make(seed).partition(len(y), y=y if "counts" in name else None)
            losses = ef.run.run(model, partition, X, y, measures="fpa", seed=seed)["fpa"]
            means.append(losses.values.mean())
            uneven.append(max(abs(y[a].sum() - y[b].sum()) for a, b in partition))
        sd = np.std(means, ddof=1)
        row(
            name,
            f"{np.mean(means):.4f}",
            f"{sd:.4f} ± {sd / np.sqrt(2 * seeds - 2):.4f}",
            f"{np.mean(uneven):.0f}",
        )


def _scores(
    models: dict[str, Any], X: Any, y: Any, seed: int, design: Any = None, **arrangement: Any
) -> Any:
    """Run one 3×2 design and return the losses of precision, recall and F1."""
    design = design or ef.Mx2BCV(3, balance="labels", random_state=seed)
    partition = design.partition(len(y), y=y, **arrangement)
    return ef.run.run(models, partition, X, y, measures=SCORES, positive=1, seed=seed)


def tables_7_2_and_7_3(folder: Path) -> None:
    X, y = propensity(folder, "kc1-mdp")
    models = propensity_models()
    runs = [_scores(models, X, y, seed) for seed in range(SEEDS)]
    head(
        f"Table 7.2, {SEEDS} partitions",
        "algorithm",
        "score",
        "R19",
        "ours",
        "agrees",
        "R19 interval",
        "ours",
    )
    for name, source in TABLE_7_2.items():
        for i, score in enumerate(SCORES):
            posteriors = [_posterior(done, score, name) for done in runs]
            means = [float(p.mean) for p in posteriors]
            low, high = np.mean([p.interval() for p in posteriors], axis=0)
            theirs: Any = source[3 + i]
            shown = f"{theirs[0]:.4f} to {theirs[1]:.4f}", f"{low:.4f} to {high:.4f}"
            row(name, score, source[i], _shown(means, 4), _agree(source[i], means), *shown)
    head(f"Table 7.3, {SEEDS} partitions", "score", "P(H1) of R19", "ours: median", "10% to 90%")
    for score, source_p in zip(SCORES, TABLE_7_3, strict=True):
        tests: list[Any] = [ef.infer.estimate(done[score], f"bayes-{score}") for done in runs]
        p = [float(test.probability()) for test in tests]
        low, middle, high = np.quantile(p, [0.1, 0.5, 0.9])
        row(score, source_p, f"{middle:.3f}", f"{low:.3f} to {high:.3f}")


def _posterior(done: Any, score: str, name: str) -> Any:
    return ef.infer.estimate(done[score], f"bayes-{score}", challenger=name, baseline=None)


def pitfalls(folder: Path, seeds: int = 6) -> None:
    """
    Print F1 if the sample is drawn inside the folds, before the split, or not at all.

    The same is done with repeated rows.
    """
    X, y = propensity(folder, "kc1-mdp")
    same = np.unique(X, axis=0, return_inverse=True)[1]
    head(
        f"Pitfalls on KC1, {seeds} partitions: mean over partitions",
        "procedure",
        "algorithm",
        *SCORES,
    )
    by_model: dict[str, list[Floats]] = {}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        rows = np.sort(
            np.concatenate(
                [np.flatnonzero(y == 1), rng.choice(np.flatnonzero(y == 0), y.sum(), False)]
            )
        )
        plain, drawn = propensity_models(undersampled=False), propensity_models()
        grouped = ef.Mx2BCV(3, balance=("labels", "groups"), random_state=seed)
        runs = {
            "drawn inside the folds": _scores(drawn, X, y, seed),
            "drawn before the split (wrong)": _scores(plain, X[rows], y[rows], seed),
            "not drawn": _scores(plain, X, y, seed),
            "drawn inside, equal rows kept together": _scores(
                drawn, X, y, seed, grouped, groups=same
            ),
        }
        for name, done in runs.items():
            by_model.setdefault(name, []).append(
                np.array([done[s].values.mean(axis=1) for s in SCORES])
            )
    for name, values in by_model.items():
        for a, algorithm in enumerate(("logistic", "forest")):
            v = np.array(values)[:, :, a]
            error = v.std(axis=0, ddof=1) / np.sqrt(seeds)
            row(
                name,
                algorithm,
                *(f"{m:.3f} ± {e:.3f}" for m, e in zip(v.mean(axis=0), error, strict=True)),
            )


def many(folder: Path) -> None:
    """Logistic regression against the forest on every defect set, then over all of them."""
    head(
        "All defect sets: F1 of the forest less that of logistic regression, 9×2",
        "set", "rows", "defective", "logistic", "forest", "difference", "verdict",
    )  # fmt: skip
    values, errors = [], []
    for name in SETS:
        X, y = propensity(folder, name)
        design = ef.Mx2BCV(9, balance="labels", random_state=0)
        c = ef.compare(
            propensity_models(),
            X,
            y,
            measure="f1",
            positive=1,
            design=design,
            method="mx2-t",
            random_state=0,
        )
        e: Any = c.estimate
        values.append(float(e.value))
        errors.append(float(e.standard_error))
        means = [f"{m:.3f}" for m in c.losses.values.mean(axis=1)]
        limits = "{:+.3f} to {:+.3f}".format(*e.confidence_interval())
        row(
            name, len(y), f"{y.mean():.1%}", *means, f"{e.value:+.3f} ({limits})", c.verdict.outcome
        )
    s = random_effects(np.array(values), np.array(errors))
    print(
        f"\nover {len(values)} sets: {s.mean:+.3f} ({s.low:+.3f} to {s.high:+.3f}), spread "
        "between sets "
        f"τ = {s.tau:.3f}; Wilcoxon p = {s.wilcoxon:.3f}"
    )


if __name__ == "__main__":
    main(sys.argv[1])

"""
G13 on the multi-domain reviews: ``python -m papers.g13 FOLDER``.

FOLDER holds ``fdumtl_amazon14.jsonl.gz`` and ``blitzer4.jsonl.gz``. Prints Markdown tables of what
G13 draw (its figures give no numbers), each with its Monte Carlo error, and G13's claims, agree or
not. Naive Bayes runs through word counts per fold, which equals refitting. About 15 minutes on one
core.
"""

import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import evenfold as ef
from evenfold.core.rng import stream
from papers import _draws as d
from papers._markdown import head, row
from papers._reviews import WORDS, Floats, Reviews, fold_errors, load, made_reviews, texts

TEN = [
    "apparel", "books", "camera_photo", "dvd", "electronics", "health_personal_care",
    "kitchen_housewares",
    "music", "sports_outdoors", "toys_games",
]  # fmt: skip
PER_SOURCE = (25, 50, 100, 200, 400)
DATA_SETS = 1000
DRAWS, REPEATS = 200, 2
VARIANCES = {
    "folds": ("cv_theta1", "cv_theta2", "cv_theta3", "cv_theta4", "cv_theta5"),
    "sources": ("sources_theta_gamma", "sources_theta_a", "sources_theta_b"),
}


def main(folder: str) -> None:
    start = time.perf_counter()
    reviews = load(Path(folder) / "fdumtl_amazon14.jsonl.gz")
    ten = reviews.only([reviews.names.index(name) for name in TEN])
    check(ten)
    figure = figure_2(ten)
    by_size = {M: _ten(ten, M) for M in PER_SOURCE}
    figures_4_and_5(by_size)
    figure_6(by_size)
    claims(figure, by_size)
    cover_these(by_size)
    cover_new(reviews)
    unequal(reviews, ten)
    whole(Path(folder))
    print(f"\n{time.perf_counter() - start:.0f} s in all")


def check(ten: Reviews) -> None:
    """The fast path is scikit-learn's classifier."""
    from sklearn.naive_bayes import MultinomialNB

    data = ten.sample([80] * ten.K, stream(d.SEED, "check"), again=True)
    fast, slow = fold_errors(data, data.source, data.K), np.empty(len(data.y))
    for k in range(data.K):
        test = data.source == k
        model = MultinomialNB().fit(data.X[~test], data.y[~test])
        slow[test] = model.predict(data.X[test]) != data.y[test]
    print(
        f"fast path against MultinomialNB: {int((fast != slow).sum())} of {len(slow)} losses differ"
    )


def figure_2(ten: Reviews) -> dict[tuple[int, int], d.Biases]:
    """Means of μ̂ against the true out-of-source error, and their standard deviations (figure 3)."""
    head(
        f"Figures 2 and 3: {DRAWS} draws of domains, {REPEATS} data sets each",
        "K", "M", "true", "sources − true", "folds − true", "sd sources", "sd folds",
    )  # fmt: skip
    settings = [(K, 100) for K in (2, 3, 5, 7, 9)] + [(9, M) for M in (25, 50, 200, 400, 800)]
    biases = {}
    for K, M in settings:
        biases[K, M] = d.out_of_source_errors(ten, K, M, DRAWS, REPEATS)
        _figure_2_row(f"{K}", M, biases[K, M])
    for M in (100, 400, 800):
        again = d.out_of_source_errors(ten, 9, M, DRAWS // 2, REPEATS, again=True)
        _figure_2_row("9, drawn with replacement", M, again)
    return biases


def _figure_2_row(K: str, M: int, biases: d.Biases) -> None:
    gaps = [f"{gap:+.4f} ± {error:.4f}" for gap, error in map(biases.gap, d.DESIGNS)]
    row(
        K,
        M,
        f"{biases.truth.mean():.4f}",
        *gaps,
        *(f"{biases.spread(design):.4f}" for design in d.DESIGNS),
    )


def _ten(ten: Reviews, M: int) -> d.Errors:
    draw = partial(ten.sample, [M] * ten.K, again=True)
    return d.errors(draw, DATA_SETS, f"ten {M}", folds=True, pair=True)


def _e(values: tuple[np.ndarray, np.ndarray], unit: float = 1e-6) -> list[str]:
    return [
        f"{value / unit:.2f} ± {error / unit:.2f}" for value, error in zip(*values, strict=True)
    ]


def figures_4_and_5(by_size: dict[int, d.Errors]) -> None:
    head(
        f"Figures 4 and 5: parts of Var μ̂ (×10⁻⁶), ten domains, {DATA_SETS} data sets",
        "M", "design", "σ² part", "ω part", "γ part", "sd of ω_k", "sd of γ_kl",
    )  # fmt: skip
    for M, errors in by_size.items():
        for name, blocks in (("sources", errors.sources), ("folds", errors.folds)):
            row(M, name, *_e(d.with_error(_parts, blocks)))


def _parts(blocks: d.Blocks) -> Floats:
    c = d.components(blocks)
    return np.array([c.sigma, c.omega, c.gamma, c.omega_spread, c.gamma_spread])


def figure_6(by_size: dict[int, d.Errors]) -> None:
    for design, keys in VARIANCES.items():
        head(
            f"Figure 6, {design}: mean of each estimate over the true variance, {DATA_SETS} data "
            "sets",
            "M", "true (×10⁻⁶)", *keys,
        )  # fmt: skip
        for M, errors in by_size.items():
            blocks = getattr(errors, design)
            truth, ratios = (
                d.with_error(_true, blocks),
                d.with_error(partial(_ratios, keys), blocks),
            )
            row(M, *_e(truth), *_e(ratios, 1.0))


def _true(blocks: d.Blocks) -> Floats:
    return np.array([np.mean([block.mean(axis=1) for block in blocks], axis=0).var(ddof=1)])


def _ratios(keys: tuple[str, ...], blocks: d.Blocks) -> Floats:
    means = [np.mean(getattr(ef.infer, key)(blocks).value) for key in keys]
    ratios: Floats = np.array(means) / _true(blocks)
    return ratios


def _covered(label: str, M: object, blocks: d.Blocks) -> None:
    mu = np.mean([block.mean(axis=1) for block in blocks], axis=0)
    intervals, R = d.coverage(blocks, float(mu.mean())), len(mu)
    cells = [f"{p:.3f} ± {np.sqrt(p * (1 - p) / R):.3f} ({w:.4f})" for p, w in intervals]
    row(label, M, f"{mu.mean():+.4f}", *cells)


def _cover_head(title: str) -> None:
    head(title, "what", "M", "truth", *d.INTERVALS)


def claims(figure: dict[tuple[int, int], d.Biases], by_size: dict[int, d.Errors]) -> None:
    """
    Print what G13 say in words about figures 2 to 6, and whether it is so here.

    A difference counts from two standard errors on.
    """
    head("G13's claims", "claim", "found", "agrees")
    _claims_on_means(figure)
    parts = {M: (d.components(e.sources), d.components(e.folds)) for M, e in by_size.items()}
    first, last = parts[PER_SOURCE[0]], parts[PER_SOURCE[-1]]
    row(
        "4: the ω part of folds is much larger than that of sources",
        f"{1e6 * last[1].omega:.1f} against {1e6 * last[0].omega:.1f} (×10⁻⁶) at M = "
        f"{PER_SOURCE[-1]}",
        _so(all(folds.omega > sources.omega for sources, folds in parts.values())),
    )
    fall = (
        first[0].gamma_spread / last[0].gamma_spread,
        first[0].omega_spread / last[0].omega_spread,
    )
    row(
        "5: the spread of γ_kl shrinks as M grows, that of ω_k does not change much",
        f"divided by {fall[0]:.1f} and {fall[1]:.1f} from M = {PER_SOURCE[0]} to {PER_SOURCE[-1]}",
        _so(fall[0] > 2 * fall[1]),
    )
    _claims_on_estimators(by_size)


def _so(holds: bool) -> str:
    return "yes" if holds else "no"


def _claims_on_means(figure: dict[tuple[int, int], d.Biases]) -> None:
    largest = figure[9, 800]
    gap, error = largest.gap("folds")
    row("2: folds are optimistic about a new source", f"{gap:+.4f} ± {error:.4f} at K = 9, M = 800",
        _so(gap < -2 * error))  # fmt: skip
    gaps = [biases.gap("sources") for biases in figure.values()]
    row("2: leaving a source out is pessimistic", f"from {min(gaps)[0]:+.4f} to "
                                                  f"{max(gaps)[0]:+.4f}",
        _so(all(gap > -2 * error for gap, error in gaps)))  # fmt: skip
    gap, error = largest.gap("sources")
    row("2: and converges to the truth", f"{gap:+.4f} ± {error:.4f} at K = 9, M = 800",
        _so(abs(gap) <= 2 * error))  # fmt: skip
    ratio = [biases.spread("sources") / biases.spread("folds") for biases in figure.values()]
    row("3: its standard deviation is larger, of the same order",
        f"{min(ratio):.2f} to {max(ratio):.2f} times that of folds",
        _so(sum(ratio) > len(ratio)))  # fmt: skip


def _claims_on_estimators(by_size: dict[int, d.Errors]) -> None:
    sources, folds = (
        {
            M: d.with_error(partial(_ratios, VARIANCES[design]), getattr(e, design))
            for M, e in by_size.items()
        }
        for design in ("sources", "folds")
    )
    small, large = PER_SOURCE[0], PER_SOURCE[-1]

    def shown(of: dict[int, tuple[Floats, Floats]], i: int, M: int) -> str:
        return f"{of[M][0][i]:.2f} ± {of[M][1][i]:.2f} at M = {M}"

    row("6: θ^γ overestimates for large M", shown(sources, 0, large),
        _so(sources[large][0][0] > 1 + 2 * sources[large][1][0]))  # fmt: skip
    row("6: θA is always optimistic", f"{shown(sources, 1, small)}, {shown(sources, 1, large)}",
        _so(all(value[1] < 1 for value, _ in sources.values())))  # fmt: skip
    row("6: θB is not more optimistic than θ^γ for small M", shown(sources, 2, small),
        _so(sources[small][0][2] >= sources[small][0][0]))  # fmt: skip
    row("6: θB has a negligible bias for large M", shown(sources, 2, large),
        _so(abs(sources[large][0][2] - 1) <= 2 * sources[large][1][2]))  # fmt: skip
    row("6: θ5 has the smallest bias of θ1 to θ5", f"{shown(folds, 4, small)}, "
                                                   f"{shown(folds, 4, large)}",
        _so(all(np.abs(value - 1).argmin() == 4 for value, _ in folds.values())))  # fmt: skip


def cover_these(by_size: dict[int, d.Errors]) -> None:
    _cover_head(f"Coverage for *these* ten sources (mean width), {DATA_SETS} data sets")
    for M, errors in by_size.items():
        _covered("error", M, errors.sources)
        _covered("difference", M, errors.difference)


def cover_new(reviews: Reviews) -> None:
    _cover_head(
        f"Coverage for a *new* source: five of the fourteen domains at random, {DATA_SETS} data "
        "sets"
    )
    for M in PER_SOURCE:
        errors = d.errors(partial(_five, reviews, [M] * 5), DATA_SETS, f"five {M}", pair=True)
        _covered("error", M, errors.sources)
        _covered("difference", M, errors.difference)
    _cover_head(
        "Coverage for a *new* source: ten sources of a made world without end, 500 data sets"
    )
    for M in (25, 100, 400):
        errors = d.errors(partial(made_reviews, 10, M), 500, f"made {M}", pair=True)
        _covered("error", M, errors.sources)
        _covered("difference", M, errors.difference)


def _five(reviews: Reviews, sizes: list[int], rng: np.random.Generator) -> Reviews:
    return reviews.only(rng.permutation(reviews.K)[:5].tolist()).sample(sizes, rng, again=True)


def unequal(reviews: Reviews, ten: Reviews) -> None:
    _cover_head("Sources of 25 to 400 reviews (mean 155), 1000 data sets")
    sizes = [25, 50, 100, 200, 400]
    these = d.errors(
        partial(ten.sample, sizes * 2, again=True), DATA_SETS, "unequal these", pair=True
    )
    _covered("these ten: error", "25–400", these.sources)
    _covered("these ten: difference", "25–400", these.difference)
    new = d.errors(partial(_five, reviews, sizes), DATA_SETS, "unequal new", pair=True)
    _covered("a new one: error", "25–400", new.sources)
    _covered("a new one: difference", "25–400", new.difference)


def whole(folder: Path) -> None:
    """``compare`` itself: naive Bayes against the SVM for a new source and for these sources."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.svm import LinearSVC

    for name, most in (("blitzer4", 2000), ("fdumtl_amazon14", 500)):
        words, y, domains = texts(folder / f"{name}.jsonl.gz", most)
        X = CountVectorizer(max_features=WORDS).fit_transform(words)
        print(f"\n### {name}: {X.shape[0]} reviews, {len(set(domains))} domains\n")
        algorithms = {"naive Bayes": MultinomialNB(), "svm": LinearSVC(C=0.1)}
        settings: Any = {"groups": np.array(domains), "random_state": 0}
        with TemporaryDirectory() as place:  # two questions, one set of fits
            for method in ("sources-new-t", "sources-these-t"):
                c = ef.compare(
                    algorithms, X, y, method=method, store=f"{place}/runs.db", **settings
                )
                print(f"- {method}: {c.verdict}", flush=True)
        _errors("a domain left out", c)
        c = ef.compare(
            algorithms, X, y, design=ef.design.SourceSizedKFold(random_state=0), **settings
        )
        print(f"- random folds: {c.verdict}")
        _errors("random folds", c)


def _errors(design: str, c: ef.Comparison) -> None:
    means = zip(c.losses.algorithms, c.losses.values.mean(axis=1), strict=True)
    print(f"- {design}: " + ", ".join(f"{name} {mean:.4f}" for name, mean in means), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])

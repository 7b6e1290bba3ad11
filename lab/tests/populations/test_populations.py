"""Every population: shapes, moments, settings, and the register of names."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from evenfold.core.errors import InvalidInput
from evenfold_lab import check_population
from evenfold_lab.algorithm import Algorithm, Floats
from evenfold_lab.populations import (
    R1961,
    BlockExchangeable,
    Digits,
    GaussianHoldouts,
    HierarchicalSources,
    Imbalanced,
    Letters,
    MeanLine,
    NormalMean,
    Resampled,
    SCla,
    SReg,
    TwoGaussians,
    W14Gaussians5d,
    W14Gaussians10d,
    W14Logistic,
    W14Shifted,
    population,
    populations,
)
from evenfold_lab.populations._base import Population, Sample

pytestmark = pytest.mark.quick

DATA = [name for name, entry in populations().items() if issubclass(entry, Population)]
OWN_DATA = ("resampled", "letters")  # need data of the user's


def _rng() -> np.random.Generator:
    return np.random.default_rng(20)


def _make(name: str) -> Population:
    made = population(name)
    assert isinstance(made, Population)
    return made


def _big(made: Population) -> Sample:
    return made.draw(500, 200, _rng())


@pytest.mark.parametrize("name", [name for name in populations() if name not in OWN_DATA])
def test_every_population_keeps_the_contract(name: str) -> None:
    check_population(population(name))


def test_data_of_the_users_keep_the_contract() -> None:
    X = np.random.default_rng(0).normal(size=(200, 16))
    y = np.arange(200) % 26
    check_population(Resampled(X=X, y=(X[:, 0] > 0).astype(float), pair=Digits().algorithms()))
    check_population(Letters(X=X, y=y.astype(float)))


def test_normal_mean() -> None:
    y = NormalMean(mean=3.0, sd=2.0).draw(500, 200, _rng()).y
    assert y.mean() == pytest.approx(3.0, abs=4 * 2 / np.sqrt(y.size))
    assert y.var() == pytest.approx(4.0, rel=4 * np.sqrt(2 / y.size))


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_mean_line(number: int) -> None:
    made = MeanLine.setting(number)
    X, y, _ = _big(made)
    x = X[..., 0]
    N = y.size
    assert x.mean() == pytest.approx(10, abs=4 * np.sqrt(made.x_variance / N))
    assert x.var() == pytest.approx(made.x_variance, rel=4 * np.sqrt(2 / N))
    residual = y - 100 - made.slope * x
    assert residual.mean() == pytest.approx(0, abs=4 * np.sqrt(made.noise_variance / N))
    assert residual.var() == pytest.approx(made.noise_variance, rel=4 * np.sqrt(2 / N))


@pytest.mark.parametrize(
    ("number", "n_train", "mean", "line"),
    [  # NB table 2, as printed
        (1, 100, 98.98, 98.98),
        (2, 100, 72.72, 65.31),
        (3, 1000, 9.99, 9.99),
        (4, 1000, 9.06, 9.02),
        (1, 180, 98.54, 98.09),
        (2, 180, 72.40, 64.72),
        (3, 1800, 9.99, 9.98),
        (4, 1800, 9.06, 9.01),
    ],
)
def test_the_true_errors_of_table_2(number: int, n_train: int, mean: float, line: float) -> None:
    made = MeanLine.setting(number)
    a, b = made.algorithms()
    assert made.expected_loss(a, n_train) == pytest.approx(mean, abs=0.00501)
    assert made.expected_loss(b, n_train) == pytest.approx(line, abs=0.00501)


def test_sreg_has_three_quarters_of_signal() -> None:
    X, y, _ = SReg(p=7).draw(500, 200, _rng())
    assert y.var() == pytest.approx(4, rel=4 * np.sqrt(2 / y.size))
    noise = y - np.sqrt(3 / 7) * X.sum(axis=-1)
    assert noise.var() == pytest.approx(1, rel=4 * np.sqrt(2 / y.size))


def _classes(sample: Sample, code: int) -> Floats:
    features: Floats = sample.X[sample.y == code]
    return features


@pytest.mark.parametrize(
    ("made", "means", "variances"),
    [
        (TwoGaussians.setting(1), ([0, 0], [1, 1]), (1, 1 / 2)),
        (TwoGaussians.setting(2), ([0, 0], [1, 1]), (1, 1 / 6)),
        (TwoGaussians.setting(4), ([0, 0], [1, 1]), (1, 0.173)),
        (SCla(p=20), ([0] * 20, [0.5] * 2 + [0] * 18), (1, 1)),
        (W14Gaussians10d(), ([0] * 10, [1] * 10), (1, 2)),
        (W14Gaussians5d(), ([0] * 5, [1] * 5), (1, 2)),
        (W14Shifted(), ([0.4, 0.3, 0], [0, 0, 0]), (1, 1)),
        (R1961(), ([0, 0], [0.5, 0.5]), (1, 1)),
        (Imbalanced(p=4, distance=2.0), ([0] * 4, [1] * 4), (1, 1)),
    ],
    ids=lambda value: value.name if isinstance(value, Population) else "",
)
def test_moments_of_the_classes(made: Population, means: Any, variances: Any) -> None:
    sample = _big(made)
    for code in (0, 1):
        X = _classes(sample, code)
        error = 4.5 * np.sqrt(variances[code] / len(X))
        np.testing.assert_allclose(X.mean(axis=0), means[code], atol=error)
        np.testing.assert_allclose(X.var(axis=0), variances[code], rtol=4.5 * np.sqrt(2 / len(X)))


def test_the_300_features_of_w14() -> None:
    made = W14Shifted.setting(2)
    assert [int((made.means()[0] == shift).sum()) for shift in (0.4, 0.3, 0.0)] == [100, 100, 100]


@pytest.mark.parametrize(("made", "share"), [(TwoGaussians(), 0.5), (Imbalanced.setting(1), 0.05)])
def test_random_labels(made: Population, share: float) -> None:
    y = _big(made).y
    assert y.mean() == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / y.size))
    assert y.sum(axis=1).var() > 0


@pytest.mark.parametrize(
    ("made", "n", "positives"),
    [
        (W14Shifted(), 40, 20),
        (R1961(labels_are="fixed"), 600, 300),
        (Imbalanced(labels_are="fixed", share=0.05), 200, 10),
        (Imbalanced(labels_are="fixed", share=0.15), 33, 5),
    ],
)
def test_fixed_labels(made: Population, n: int, positives: int) -> None:
    assert (made.draw(n, 5, _rng()).y.sum(axis=1) == positives).all()


def test_w14_logistic_follows_its_law() -> None:
    X, y, _ = _big(W14Logistic())
    score = 1 + 1.5 * X.sum(axis=-1)
    for low, high in [(-3, -1), (-1, 1), (1, 3)]:
        inside = (score > low) & (score < high)
        chance = 1 / (1 + np.exp(-score[inside]))
        assert y[inside].mean() == pytest.approx(chance.mean(), abs=4 * 0.5 / np.sqrt(inside.sum()))


def test_sources_differ_by_as_much_as_they_say() -> None:
    made = HierarchicalSources(sources=5, p=1, distance=2.0, spread=0.5, offset=0.7)
    X, y, groups = made.draw(2000, 400, _rng())
    assert groups is not None
    assert (np.bincount(groups[0]) == 400).all()
    sums = np.stack(
        [
            [np.where(y == c, X[..., 0], 0)[:, groups[0] == k].sum(1) for k in range(5)]
            for c in (0, 1)
        ]
    )
    counts = np.stack([[(y == c)[:, groups[0] == k].sum(1) for k in range(5)] for c in (0, 1)])
    low, high = sums / counts
    assert (high - low).mean() == pytest.approx(2.0, abs=4 * 0.5 / np.sqrt(2000))
    # A mean of about 200 examples adds 1/200 to each variance.
    assert (high - low).var() == pytest.approx(0.25 + 2 / 200, rel=4 * np.sqrt(2 / 2000))
    assert ((high + low) / 2).var() == pytest.approx(0.49 + 1 / 400, rel=4 * np.sqrt(2 / 2000))
    assert made.without_one_source().sources == 4
    with pytest.raises(InvalidInput, match="There are 5 sources"):
        made.draw(4, 1, _rng())


@pytest.mark.parametrize(("rho1", "rho2"), [(0.0, 0.0), (0.5, 0.1), (0.0, 0.5), (-0.2, 0.3)])
def test_gaussian_holdouts_have_the_moments_asked_for(rho1: float, rho2: float) -> None:
    made = GaussianHoldouts(mean=1.0, sd=2.0, rho1=rho1, rho2=rho2)
    values = made.draw_values(3, 40_000, _rng())
    assert values.shape == (40_000, 3, 2)
    correlation = np.corrcoef(values.reshape(-1, 6), rowvar=False)
    expected = np.full((6, 6), rho2)
    for i in range(3):
        expected[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = rho1
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(correlation, expected, atol=5 / np.sqrt(40_000))
    assert values.mean() == pytest.approx(1.0, abs=4 * np.sqrt(made.variance_of_mean(3) / 40_000))
    means = values.mean(axis=(1, 2))
    assert means.var() == pytest.approx(made.variance_of_mean(3), rel=4 * np.sqrt(2 / 40_000))


def test_gaussian_holdouts_refuse_what_is_no_covariance() -> None:
    with pytest.raises(InvalidInput, match=r"rho2 must be a finite number ≥ 0 ≤ 0\.5 but got 0\.6"):
        GaussianHoldouts(rho1=0.0, rho2=0.6)


def test_block_exchangeable_losses_have_the_moments_asked_for() -> None:
    made = BlockExchangeable(mean=0.5, variance=1.0, within=0.3, between=0.1)
    e = made.draw_blocks(4, 3, 40_000, _rng())
    assert e.shape == (40_000, 4, 3)
    covariance = np.cov(e.reshape(-1, 12), rowvar=False)
    blocks = np.arange(12) // 3
    expected = np.where(blocks[:, None] == blocks, 0.3, 0.1)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(covariance, expected, atol=5 * np.sqrt(2 / 40_000))
    means = e.mean(axis=(1, 2))
    assert means.var() == pytest.approx(made.variance_of_mean(4, 3), rel=4 * np.sqrt(2 / 40_000))
    with pytest.raises(
        InvalidInput, match=r"within must be from between \(0.1\) to variance \(1\) but got 2"
    ):
        BlockExchangeable(between=0.1, within=2.0)


def _rows() -> Resampled:
    return Resampled(X=np.arange(100.0)[:, None], y=np.array(["a", "b"] * 50))


def test_resampling_draws_rows_with_their_labels() -> None:
    sample = _rows().draw(10, 50, _rng())
    np.testing.assert_array_equal(sample.X[..., 0] % 2, sample.y)
    assert all(len(set(rows)) == 10 for rows in sample.X[..., 0])  # a tenth: without replacement
    assert any(len(set(rows)) < 60 for rows in _rows().draw(60, 5, _rng()).X[..., 0])
    assert all(
        len(set(rows)) == 60
        for rows in replace(_rows(), replacement=False).draw(60, 5, _rng()).X[..., 0]
    )


def test_the_choice_of_replacement_is_made_for_one_size() -> None:
    assert _rows().at(10).replacement is False
    assert _rows().at(11).replacement is True
    assert replace(_rows(), replacement=False).at(50).replacement is False


def test_test_rows_were_not_trained_on() -> None:
    train, test = _rows().draw_apart(10, 500, 20, _rng())
    assert test.X.shape == (20, 90, 1)
    for r in range(20):
        assert not set(train.X[r, :, 0]) & set(test.X[r, :, 0])
    train, test = _rows().at(50).draw_apart(10, 500, 2, _rng())
    assert test.X.shape == (2, 500, 1)


def test_digits_are_scikit_learns() -> None:
    made = Digits()
    assert repr(made) == "Digits(rows=1797, measure_name='zero-one', replacement=None)"
    assert made.X.shape == (1797, 64)
    assert set(made.y) == set(range(10))


@pytest.fixture
def letters_folder(tmp_path: Path) -> Path:
    import gzip

    lines = ["," * 15 + ",target"]
    lines += [
        ",".join(str((i * j) % 16) for j in range(1, 17)) + "," + chr(65 + i % 26)
        for i in range(260)
    ]
    with gzip.open(tmp_path / "letter.csv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return tmp_path


def test_letters_come_from_the_users_folder(letters_folder: Path) -> None:
    many: Any = population("letters", folder=letters_folder, w=5.0)
    assert many.X.shape == (260, 16)
    assert set(many.y) == set(range(26))
    two: Any = population("letters", folder=letters_folder, classes=2)
    np.testing.assert_array_equal(two.y, many.y >= 13)
    assert [a.name for a in many.algorithms()] == ["classification-tree", "weighted 1-nn"]
    assert [a.name for a in two.source_algorithms()] == ["svm", "knn", "classification-tree"]


def test_the_distorted_metric_is_that_of_nadeau_and_bengio(letters_folder: Path) -> None:
    made: Any = population("letters", folder=letters_folder, w=17.25)
    rng = _rng()
    X = rng.normal(size=(60, 16))
    new = rng.normal(size=(40, 16))
    groups = [
        ([1, 3, 9, 16], 17.25),
        ([2, 4, 6, 7, 8, 10, 12, 14, 15], 1.0),
        ([5, 11, 13], 1 / 17.25),
    ]
    squares = (new[:, None] - X) ** 2
    distance = sum(weight * squares[..., np.array(c) - 1].sum(axis=-1) for c, weight in groups)
    neighbour: Algorithm = made.algorithms()[1]
    labels = rng.integers(0, 5, size=60).astype(float)
    np.testing.assert_array_equal(
        neighbour.estimator().fit(X, labels).predict(new), labels[np.argmin(distance, axis=1)]
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"name": "leters"}, "Did you mean 'letters'"),
        ({"name": "letters"}, "folder must be a folder that holds letter.csv.gz but got None"),
        ({"name": "letters", "folder": "/nowhere"}, "holds letter.csv.gz but got '/nowhere'"),
        (
            {"name": "sreg", "q": 3},
            "parameters of 'sreg' must be those of its class but got {'q': 3}",
        ),
        ({"name": "sreg", "p": 0}, "p must be an integer ≥ 1 but got 0"),
        ({"name": "sreg", "setting": 1}, "setting must be left out"),
        ({"name": "mean-line", "setting": 5}, "setting must be an integer from 1 to 4 but got 5"),
        (
            {"name": "imbalanced", "labels_are": "odd"},
            "labels_are must be one of 'random', 'fixed'",
        ),
        (
            {"name": "resampled", "X": np.zeros((3, 1)), "y": np.zeros(4)},
            "y must have one value per row",
        ),
    ],
)
def test_errors_say_what_to_do(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        population(**parameters)


def test_a_setting_can_be_changed() -> None:
    assert population("mean-line", setting=2, x_mean=0.0) == replace(
        MeanLine.setting(2), x_mean=0.0
    )


def test_every_entry_says_where_it_comes_from() -> None:
    for name, entry in populations().items():
        assert entry.name == name
        assert entry.source
        assert len(entry.description) < 80
        assert entry.__doc__


def test_two_gaussians_can_be_told_apart_as_well_as_theory_says() -> None:
    """Equal variances: the best rule errs Φ(−√2/2)."""
    X, y, _ = _big(TwoGaussians(variance=1.0))
    best = (X.sum(axis=-1) > 1) != y
    expected = ndtr(-np.sqrt(2) / 2)
    assert best.mean() == pytest.approx(
        expected, abs=4 * np.sqrt(expected * (1 - expected) / y.size)
    )

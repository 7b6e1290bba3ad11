"""What even designs save, and how far parameters spread, against cases that are known."""

from dataclasses import replace

import numpy as np
import pytest
from papers import g13_spread, r19_between, r19_gains
from papers._table import Cell, printed
from papers.r19_gains import DISTANCES, EightBlocks

from evenfold.design import ideal_overlap, random_overlap
from evenfold_lab.algorithm import Floats


def _signs(n: int) -> Floats:
    """±1 for training and test of all 70 splits."""
    return np.array(
        [
            np.where(np.isin(np.arange(n), train), 1.0, -1.0)
            for train in EightBlocks().partition(n).train
        ]
    )


def test_all_halvings_of_eight_blocks_are_there() -> None:
    signs = _signs(16)
    assert (signs.sum(axis=1) == 0).all()
    assert (signs[0::2] == -signs[1::2]).all()
    assert len(np.unique(signs, axis=0)) == 70
    found, counts = np.unique(r19_gains.alike(), return_counts=True)
    assert found.tolist() == [0.0, 0.5, 1.0]
    assert counts.tolist() == [35 * 18, 35 * 16, 35]


@pytest.mark.parametrize("m", [3, 5, 7])
def test_a_quadratic_gains_m_less_1_over_n_less_2(m: int) -> None:
    """μ̂ = (s·z)² has the covariance 2(s·s')², whatever the data set."""
    n = 200
    z = np.random.default_rng(0).normal(size=(30, n))
    value, se = r19_gains.gain((z @ _signs(n).T) ** 2, n, m)
    assert value == pytest.approx(100 * (m - 1) / (n - 2), rel=1e-9)
    assert se < 1e-9


def test_fourth_powers_gain_next_to_nothing() -> None:
    """
    A sum of products of four examples is of the fourth degree.

    Even halvings leave it nearly alone.
    """
    n = 200
    rng = np.random.default_rng(1)
    signs = _signs(n)
    fours = rng.integers(0, n, size=(40, 500, 4))
    values = np.stack([signs[:, four].prod(axis=2) @ rng.normal(size=500) for four in fours])
    value, se = r19_gains.gain(values, n, 3)
    assert abs(value) < 0.2 * 100 * 2 / (n - 2) + 3 * se


@pytest.mark.parametrize("J", [6, 10, 14])
def test_contrasts_are_the_variances_of_the_designs(J: int) -> None:
    """For a quartic f, against means over the overlaps of each design, written out."""
    n = 400
    f = np.polynomial.Polynomial([0.2, 0.5, 0.3, 0.1, 0.05])
    overlaps = np.arange(n // 2 + 1)
    random = float(random_overlap(n, n // 2).pmf(overlaps) @ f(4 * overlaps / n - 1))
    one = f(1.0)
    variances = {
        "RHS": (one + (J - 1) * random) / J,
        "m×2": (one + f(-1.0) + (J - 2) * random) / J,
        "BCV": (one + f(-1.0) + (J - 2) * f(0.0)) / J,
    }
    brhs = (one + (J - 1) * f(4 * ideal_overlap(n, n // 2, J) / n - 1)) / J
    for design, weights in r19_gains.contrasts(n, J).items():
        assert weights @ f(DISTANCES) == pytest.approx(variances[design] - brhs, rel=1e-9)
        assert weights.sum() == pytest.approx(0, abs=1e-12)  # what data sets have in common cancels


def test_f_is_measured_at_the_overlap_of_six_balanced_halves() -> None:
    """A quadratic: (s·z)² has the covariance 2(n·d)², and d² is .04 there, 1/(n − 1) at random."""
    n, R = 40, 4000
    trains = r19_between.TwentyBlocks().partition(n).train
    signs = np.array([np.where(np.isin(np.arange(n), train), 1.0, -1.0) for train in trains])
    assert 4 * ideal_overlap(n, n // 2, 6) / n - 1 == pytest.approx(-0.2)
    z = np.random.default_rng(3).normal(size=(R, n))
    found = r19_between.saved((z @ signs.T) ** 2, n)
    expected = 5 / 6 * 2 * n**2 * (1 / (n - 1) - 0.04)
    assert abs(found.mean() - expected) < 4 * found.std() / np.sqrt(R)


def test_the_error_of_a_printed_row_is_what_its_columns_differ_by() -> None:
    def cell(design: str, J: int, text: str, ours: float) -> Cell:
        return Cell(row="a", column=f"% {design} J={J}", source=printed(text), ours=ours, se=0.0)

    row = [
        cell(d, J, text, 1.0) for d, text in (("m×2", "3.0"), ("BCV", "1.0")) for J in (6, 10, 14)
    ]
    errors = [one.source.se for one in r19_gains.with_scatter(row) if one.source is not None]
    assert errors == pytest.approx([np.sqrt(2)] * 6)
    alike = [replace(one, source=printed("1.0")) for one in row]
    assert {one.source.se for one in r19_gains.with_scatter(alike) if one.source} == {
        r19_gains.LEAST_SE
    }


@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_the_spread_of_parameters_is_found_beneath_their_noise(spread: float) -> None:
    rng = np.random.default_rng(2)
    found = []
    for _ in range(200):
        parameters = spread * rng.normal(size=10)
        found.append(g13_spread.spread(parameters + 5 * rng.normal(size=(20, 10))))
    values, errors = np.transpose(found)
    assert abs(values.mean() - spread**2) < 4 * values.std() / np.sqrt(200)
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(values.std(), rel=1.0)  # of the right order


def test_words_on_figure_5_can_fail() -> None:
    def claims(gamma: float, omega: float) -> list[bool | None]:
        measured = {
            "ω_k": {25: (omega, 0.1), 400: (1.0, 0.05)},
            "γ_kl": {25: (gamma, 0.1), 400: (1.0, 0.1)},
        }
        return [claim.holds for claim in g13_spread.words(measured)]

    assert claims(5.0, 1.2) == [True, True]
    assert claims(0.2, 9.0) == [False, False]
    assert claims(1.1, 3.5) == [None, None]

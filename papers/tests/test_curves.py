"""The scripts of the figures, on tiny sizes: curves with their errors, kept and drawn."""

from pathlib import Path

import numpy as np
import pytest
from papers import (
    _table,
    curve_words,
    curves_nb,
    curves_r19,
    curves_w14,
    gpu,
    nb,
    pages,
    posteriors,
    r19_ratios,
    r19_sequences,
)
from papers._curves import Curves

from evenfold.infer import mx2_sequential_t
from evenfold.infer.theory.sequences import paired_sequence
from evenfold_lab.populations import GaussianHoldouts, MeanLine


def _whole(figure: Curves) -> None:
    assert figure.panels
    for curves in figure.panels.values():
        for points in curves.values():
            assert [p[0] for p in points] == sorted(p[0] for p in points)
            assert all(se >= 0 for _, _, se in points)


def test_curves_are_kept_and_drawn(tmp_path: Path) -> None:
    power, stops = r19_sequences.toy_figures(0.5)
    for figure in (power, stops):
        _whole(figure)
        figure.keep(tmp_path)
        pages.draw(tmp_path / f"{figure.name}.json", tmp_path / "figure.svg")
        assert (tmp_path / "figure.svg").stat().st_size > 10_000


def test_sequential_tests_have_one_size_before_their_powers_are_compared() -> None:
    """And unadjusted they are the library's own, look by look."""
    d = GaussianHoldouts(rho1=0.2, rho2=0.1).draw_values(12, 400, np.random.default_rng(0))
    nulls = {0.0: 0.0, -1.0: -1.0}
    power, stops = r19_sequences.sequences(d, 0.0, nulls, (0.2, 0.1))
    for test in (r19_sequences.SEQUENTIAL, r19_sequences.PAIRED):
        assert power[test][0][1] == pytest.approx(0.05, abs=1e-9)
    first = mx2_sequential_t(d, null=-1.0, alternative="greater", boundary="thesis")
    paired = paired_sequence(d, null=-1.0)
    stopping = {r19_sequences.SEQUENTIAL: first.stopped_at, r19_sequences.PAIRED: paired.stopped_at}
    for test, stopped in stopping.items():
        assert stops[test][1][1] == pytest.approx(float(np.mean(stopped)), abs=1e-12)


def test_steeper_is_told_from_flatter_and_from_alike() -> None:
    def curves(first: float, second: float) -> dict[str, list[tuple[float, float, float]]]:
        return {
            "a": [(-1.0, first, 0.01), (0.0, 0.05, 0.01)],
            "b": [(-1.0, second, 0.01), (0.0, 0.05, 0.01)],
        }

    assert r19_sequences.is_steeper(curves(0.9, 0.3), "a", "b") is True
    assert r19_sequences.is_steeper(curves(0.3, 0.9), "a", "b") is False
    assert r19_sequences.is_steeper(curves(0.30, 0.31), "a", "b") is None


def test_regions_end_where_r19_says() -> None:
    estimates, tests = curves_r19.r19_regions()
    _whole(estimates)
    _whole(tests)
    # V1's bias is 0 where ρ2 = ½ − (m + 1)/(2(m − 1))·ρ1, V3's at ½ (R19 table 5.1)
    for m in (3, 9):
        lines = estimates.panels[f"m = {m}"]
        slope = (m + 1) / (2 * (m - 1))
        assert all(abs(y - (0.5 - slope * x)) < 0.0011 for x, y, _ in lines["V1"])
        assert all(abs(y - 0.5) < 0.0011 for _, y, _ in lines["V3"])
    for curves in tests.panels.values():  # at (½, ½) the test has its very level
        assert abs({round(x, 2): y for x, y, _ in curves["Θ"]}[0.5] - 0.5) < 0.0011


def test_nb_figures_run_small(monkeypatch: pytest.MonkeyPatch) -> None:
    small = nb.Simulation(population=MeanLine.setting(1), n=40, columns={"simulation 1": 1})
    monkeypatch.setattr(nb, "simulations", lambda problem, folder=None: [small])  # noqa: ARG005 - one signature
    monkeypatch.setattr(curves_nb, "_M", (2, 3))
    found = {figure.name: figure for figure in curves_nb.nb_figures("regression", None, 0.1)}
    assert set(found) == {f"nb-{n}" for n in (1, 2, 3, 10, 11, 12, 19, 20, 21)}
    for figure in found.values():
        _whole(figure)
    assert len(found["nb-10"].panels["simulation 1"]) == 12  # three tests, four numbers of splits


def test_covariances_run_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves_r19, "SReg", lambda p: MeanLine())  # noqa: ARG005 - a quick stand-in
    figure, shape = curves_r19.r19_covariances("2.3", 0.1)
    assert isinstance(figure, Curves)
    assert isinstance(shape, _table.Table)
    _whole(figure)
    assert {cell.row for cell in shape.cells} == set(figure.panels)
    assert "f" in figure.panels["ridge(1), n1 = 300"]
    assert "g" in figure.panels["ridge(1), n1 = 250"]
    assert "g" not in figure.panels["ridge(1), n1 = 300"]


def test_powers_run_small() -> None:
    figures = list(curves_w14.w14_powers(None, 0.1))
    assert [figure.name for figure in figures] == ["w14-6", "w14-7"]
    for figure in figures:
        _whole(figure)


def test_the_parts_of_a_gpu_run_are_named_by_their_source(tmp_path: Path) -> None:
    names = gpu.jobs("folder", 1.0, tmp_path)
    assert {name.partition("-")[0] for name in names} == {"w14", "nb", "r19"}
    assert _table.machine().device is None


def test_words_about_curves_tell_convex_from_bent_and_where_it_is_least() -> None:
    bowl = {"n": {"f": [(0, 2.0, 0.01), (1, 1.0, 0.01), (2, 2.0, 0.01)]}}
    hill = {"n": {"f": [(0, 1.0, 0.01), (1, 2.0, 0.01), (2, 1.0, 0.01)]}}
    assert curve_words.convex(bowl, "f").holds
    assert not curve_words.convex(hill, "f").holds
    assert curve_words.least(bowl, "f", "", {"n": 1.0}).holds
    assert not curve_words.least(bowl, "f", "", {"n": 0.0}).holds


def test_densities_of_posteriors_add_up_to_one() -> None:
    figure = posteriors.figure("0", "", {"a": (900, 200, 100), "b": (880, 180, 120)}, "")
    for panel in figure.panels.values():
        assert len(panel) == 4
        for points in panel.values():
            assert sum(p[1] for p in points) * (points[1][0] - points[0][0]) == pytest.approx(
                1, abs=1e-3
            )
    assert posteriors.words(figure).claims[0].holds


def test_ratios_say_where_the_signal_is_largest() -> None:
    rng = np.random.default_rng(0)
    found = {
        r: rng.normal([[[0.7]], [[0.6]]], 0.01 * (1 + k), (2, 3, 400))
        for k, r in enumerate(r19_ratios.SHARES)
    }
    made = list(r19_ratios.tables("entities", found, 400))
    assert [table.name for table in made] == ["4.1", "4.1-words", "4.2", "4.2-words", "r19-4.1"]
    words = made[1]
    assert isinstance(words, _table.Table)
    assert all(claim.holds for claim in words.claims)
    turned = dict(zip(r19_ratios.SHARES, reversed(found.values()), strict=True))
    words = list(r19_ratios.tables("words", turned, 400))[3]
    assert isinstance(words, _table.Table)
    assert [claim.holds for claim in words.claims] == [False] * 3

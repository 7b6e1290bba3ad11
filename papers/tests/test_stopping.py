"""The study of when a run may stop: what it keeps, and the rules it judges."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from papers.sharp.reference import sequential
from papers.studies import stopping, stopping_judged, stopping_page
from papers.studies.stopping import Unit, looks_of, packed, sides_of, statistics
from papers.studies.stopping_judged import Pair, unpacked, until_stable, with_shares
from scipy import special

from evenfold.infer.halves.influence import Halvings
from evenfold_lab.arrays import Place
from evenfold_lab.bench.populations import POPULATIONS

N = 60


def _losses(seed: int, *, kind: str, sets: int = 24) -> Any:
    """Differences of losses (sets, 31, n): zero-one, few of them other than 0, or heavy tails."""
    rng = np.random.default_rng(seed)
    lasting = rng.normal(size=(sets, 1, N)) + rng.normal(scale=0.3, size=(sets, 1, 1))
    latent = lasting + rng.normal(size=(sets, 31, N))
    if kind == "zero-one":
        return np.where(np.abs(latent) > 1.5, np.sign(latent), 0.0)
    if kind == "few":
        flips = rng.random(size=(sets, 31, N)) < 0.5
        return np.where(np.arange(N) < rng.integers(2, 16, size=(sets, 1, 1)), flips, 0.0)
    return latent**3 + 0.5


def _pair(kind: str) -> tuple[Pair, list[Any], list[Any]]:
    losses = [_losses(seed, kind=kind) for seed in (1, 2)]
    sides = [sides_of(N, seed) for seed in (1, 2)]
    looks = looks_of(N)
    cuts = [packed(statistics(e, s, looks)) for e, s in zip(losses, sides, strict=True)]
    kept = {name: np.stack([cut[name] for cut in cuts]) for name in cuts[0]}
    about: Any = {"group": "bench", "population": "", "n": N, "name": "a/b", "measure": "zero-one"}
    return Pair(looks=looks, **about, **unpacked(kept)), losses, sides


@pytest.mark.parametrize("kind", ["zero-one", "few", "heavy"])
def test_what_is_kept_is_what_the_test_of_the_library_computes(kind: str) -> None:
    pair, losses, sides = _pair(kind)
    for cut in (0, 1):
        halvings = Halvings(losses[cut], sides[cut])
        for place, m in enumerate(pair.looks):
            parts = halvings.parts(m)
            V, df = parts.variance()
            error = np.sqrt(V)
            np.testing.assert_allclose(pair.variance[cut, place], V, rtol=2e-3)
            if m >= stopping_judged.FIRST:  # three repetitions are looked at with shares only
                np.testing.assert_allclose(pair.df[cut, place], df, rtol=2e-3)
            np.testing.assert_allclose(
                pair.R[cut, place], parts.repetition / V, rtol=2e-3, atol=1e-6
            )
            np.testing.assert_allclose(pair.W[cut, place], parts.flips / V, rtol=2e-3, atol=1e-6)
            assert (np.abs(pair.mean[cut, place] - parts.mean) < 2e-3 * error).all()
            np.testing.assert_array_equal(pair.few[cut, place], parts.few)
            for null in (0.0, 0.4):
                same = pair.is_outweighed(null)[cut, place] == parts.is_outweighed(null)
                near = np.minimum(np.abs(parts.mean - null), np.abs(parts.trimmed - null))
                assert (same | (near < 2e-3 * error)).all()


@pytest.mark.parametrize("kind", ["zero-one", "few", "heavy"])
@pytest.mark.parametrize("null", [0.0, 0.12])
def test_the_test_with_shares_can_be_made_again_from_what_is_kept(kind: str, null: float) -> None:
    pair, losses, sides = _pair(kind)
    outcome = with_shares(pair, null)
    for cut in (0, 1):
        found = sequential(losses[cut][:, :9], sides[cut][:9], null=null)
        expected = np.where(found["rejected"], np.sign(found["mean"] - null), 0)
        assert (outcome.verdict[cut] == expected).mean() > 0.95  # ties of rounded numbers apart
        assert (outcome.repetitions[cut] == found["stopped_at"]).mean() > 0.95
    assert len(np.unique(outcome.repetitions)) > 2


def _stable(losses: Any, sides: Any, null: float) -> tuple[int, int, float]:
    """One data set by the words of the method: look after look, nothing vectorised."""
    halvings = Halvings(losses, sides)
    for m in (5, 7, 9, 15, 23, 31):
        parts = halvings.parts(m)
        V, df = (float(x) for x in parts.variance())
        t = float(special.stdtrit(df, 0.975))
        Z = abs(float(parts.mean) - null) / np.sqrt(V)
        s = np.sqrt(max(parts.repetition, parts.flips) / (m * V) + (0.85 * t) ** 2 / (2 * m - 1))
        same = float(special.ndtr(abs(Z - t) / (np.sqrt(2) * s)))
        verdict = int(np.sign(parts.mean - null)) if t < Z else 0
        withheld = verdict != 0 and bool(parts.is_outweighed(null))
        if m == 31 or (same >= 0.8 and (verdict != 0 or m >= 9) and not withheld):
            break
    if withheld:
        return m, 0, np.nan
    return m, verdict, same


@pytest.mark.parametrize("kind", ["zero-one", "few", "heavy"])
def test_the_rule_stops_where_a_second_derivation_stops(kind: str) -> None:
    pair, losses, sides = _pair(kind)
    for null in (0.0, 0.12):
        outcome = until_stable(pair, null)
        for cut in (0, 1):
            found = [_stable(e, sides[cut], null) for e in losses[cut]]
            m, verdict, same = (np.array(column) for column in zip(*found, strict=True))
            alike = outcome.repetitions[cut] == m
            assert alike.mean() > 0.95  # ties of rounded numbers apart
            np.testing.assert_array_equal(outcome.verdict[cut][alike], verdict[alike])
            np.testing.assert_allclose(outcome.forecast[cut][alike], same[alike], atol=5e-3)


def test_a_smaller_standard_error_rejects_more_and_is_used_from_nine_repetitions_on() -> None:
    pair, _, _ = _pair("zero-one")
    whole = stopping_judged.fixed_test(pair, 0.12)[0]
    smaller = stopping_judged.fixed_test(pair, 0.12, ((9, 0.8),))[0]
    early = [place for place, m in enumerate(pair.looks) if m < 9]
    np.testing.assert_array_equal(whole[:, early], smaller[:, early])
    assert (smaller >= whole).all()
    assert smaller.sum() > whole.sum()


def test_small_data_sets_have_as_many_looks_as_their_design_allows() -> None:
    assert looks_of(30) == (3, 5, 7, 9, 15, 23, 27)
    assert looks_of(20) == (3, 5, 7, 9, 15, 19)
    assert sides_of(30, 0).shape == (27, 30)


def test_units_are_ordered_by_block_and_each_has_its_own_name() -> None:
    every = stopping.units(2)
    assert len({one.key for one in every}) == len(every)
    assert [one.block for one in every] == sorted(one.block for one in every)
    assert {one.group for one in every} == {"bench", "judge", "exam"}


def test_a_population_is_drawn_kept_and_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    light = replace(POPULATIONS["coin"], pairs=(("majority", "ridge"), ("knn", "bayes")))
    monkeypatch.setitem(POPULATIONS, "coin", light)
    unit = Unit(group="bench", name="coin", n=60, block=0, sets=6)
    pairs = list(stopping.of_bench(unit, Place.of(None)))
    shelf = stopping.Shelf(tmp_path)
    rows = dict(pairs)
    arrays = {
        name: np.stack([[cut[name] for cut in cuts] for cuts in rows.values()])
        for name in pairs[0][1][0]
    }
    arrays |= {"rows": np.array(list(rows)), "looks": np.array(looks_of(60))}
    shelf.put({f"{unit.key}|{name}": value for name, value in arrays.items()}, {"unit": unit.key})
    shelf.save()
    found = list(stopping_judged.read([tmp_path]))
    assert {one.measure for one in found} == {"zero-one", "log", "brier"}
    assert all(one.data_sets == 6 for one in found)
    equal = [one for one in found if one.measure == "zero-one"]
    assert [one.centre for one in equal] == [0.0] * len(equal)
    row = stopping_judged.rates(equal[-1], stopping_judged.rules()["stable × 1"])
    assert 10 <= row["fits_0"] <= 62
    assert 0 <= row["agreement_2.8"] <= 1
    judged, calibrated = stopping_judged.judge([tmp_path])
    populations = stopping_judged.by_population(judged)
    table = stopping_judged.summary(judged, populations)
    assert [one["rule"] for one in table] == list(stopping_judged.rules())
    assert {one["rows"] for one in table} == {len(found)}
    assert {one["factor"] for one in calibrated} == set(stopping_judged.CALIBRATED)
    own = [one for one in judged if one["rule"] == "fixed 9"]
    cell = next(one for one in populations if one["rule"] == "fixed 9")
    assert cell["error"] == pytest.approx(np.mean([one["error"] for one in own]))
    before = next(one for one in populations if one["rule"] == "shares")
    assert cell["more"] == pytest.approx(cell["error"] - before["error"])


def _is_possible(rule: str, kept: dict[tuple[str, str], dict[str, str]]) -> bool:
    """Whether a rule keeps 95% of the benchmark's rows, a mean of .03 and every population."""
    own = [kept[group, rule] for group in ("judge", "exam", "bench")]
    return (
        float(own[-1]["keep"]) >= 0.95
        and all(float(one["error"]) <= 0.03 for one in own)
        and all(int(one["populations_worse"]) == 0 for one in own)
    )


def test_no_factor_of_the_standard_error_meets_what_was_asked() -> None:
    kept = {(one["group"], one["rule"]): one for one in stopping_page.read(stopping_judged.RESULTS)}
    stable = [f"stable × {name}" for name in stopping_judged.FACTORS]
    assert [rule for rule in stable if _is_possible(rule, kept)] == ["stable × 1"]
    above = {rule: int(kept["bench", rule]["above"]) for rule in stable}
    assert all(above[rule] > above["stable × 1"] for rule in stable[1:])
    for rule in ("stable × 1", "stable × 0.98"):
        one = kept["bench", rule]
        assert abs(float(one["keep"]) - 0.95) < 2 * float(one["keep_se"])


def test_forecasts_come_true_within_three_hundredths() -> None:
    rows = stopping_page.read(stopping_judged.CALIBRATION)
    at_stop = [one for one in rows if one["where"] == "at the stop"]
    assert len(at_stop) == 3 * 6 * len(stopping_judged.CALIBRATED)
    assert all(abs(float(one["forecast"]) - float(one["seen"])) <= 0.03 for one in at_stop)


def test_the_page_has_the_numbers_of_the_kept_tables() -> None:
    assert stopping_page.PAGE.read_text("utf-8") == stopping_page.page()

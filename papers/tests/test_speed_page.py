"""The page about the lab's speed says what was measured, for every learner and size."""

import json
import sys
from importlib.metadata import version

import pytest
from benchmarks import bench_loop, fits
from papers import battery

from evenfold_lab.studies.battery import BATTERY

KEPT = json.loads(fits.RESULTS.read_text("utf-8"))


def test_the_page_is_that_of_the_results() -> None:
    assert fits.table(KEPT) in fits.PAGE.read_text("utf-8"), "python -m benchmarks.fits --page"


def test_every_learner_was_measured_at_every_size() -> None:
    learners = [fits.named(a) for a in [*fits.NUMBERS, *fits.LABELS]]
    found = {(row["learner"], row["n"], row["p"]) for row in KEPT["rows"]}
    assert found == {(learner, n, p) for learner in learners for n in fits.N for p in fits.P}


def test_the_log_of_the_battery_names_its_lines() -> None:
    log = json.loads((fits.RESULTS.parent / "battery.json").read_text("utf-8"))
    titles = {item.title for item in BATTERY}
    assert set(log["populations"]) == titles
    assert set(battery.SLOW) <= titles
    rest = sorted(log["populations"].values())[:17]
    assert len(titles) == len(rest) + 10  # which the table of the page names
    assert f"| each of the other seventeen | {rest[0]} to {rest[-1]} |" in fits.PAGE.read_text(
        "utf-8"
    )


def test_fits_are_measured_without_numba_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fits._about(None)["numba"] == version("numba")
    monkeypatch.setitem(sys.modules, "numba", None)
    assert fits._about(None)["numba"] is None


def test_the_page_has_the_ratios_to_a_bare_loop() -> None:
    kept = json.loads(bench_loop.RESULTS.read_text("utf-8"))
    assert bench_loop.table(kept) in bench_loop.PAGE.read_text("utf-8")
    settings = {(row["data"], row["jobs"]) for row in kept["times"]}
    assert settings == {*((kind, 1) for kind in bench_loop.KINDS), ("NumPy", 2)}
    assert len(kept["times"]) == len(settings) * len(bench_loop.ALGORITHMS) * 2

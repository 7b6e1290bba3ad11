"""The battery behind the cards, as one long run: what it cuts ahead, and that it ends."""

from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from pathlib import Path

import pytest
from papers import battery

import evenfold as ef
from evenfold_lab.cuts import CHUNK


def test_only_what_looks_at_no_data_is_cut_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking = ef.design.RLT(2, 0.5, balance="labels")
    monkeypatch.setattr(battery, "design_of", lambda *_: looking)
    battery.cut_ahead([3], CHUNK, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_battery_for_which_nothing_is_cut_ends_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(battery, "ProcessPoolExecutor", lambda *_, **__: ThreadPoolExecutor(1))
    told = ["--device", "array_api_strict", "--replications", "50", "--only", "horizon 1, T = 30"]
    monkeypatch.setattr("sys.argv", ["battery", str(tmp_path), *told])
    before = set(active_children())
    battery.main()
    assert set(active_children()) <= before  # a process of the pool would wait for them
    assert sorted(path.name for path in tmp_path.iterdir()) == ["battery.json", "cards", "lines"]

"""
A card is written with what it takes to measure it again.

a study on a device goes on where it was.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold_lab import world
from evenfold_lab.arrays import Place
from evenfold_lab.studies._base import prepare
from evenfold_lab.studies.answers import _WAYS, _select_data_sets, judge
from evenfold_lab.studies.battery import BATTERY, SEED, run_battery
from evenfold_lab.world import World


def test_a_card_says_what_it_was_measured_on(tmp_path: Path) -> None:
    said: list[str] = []
    items = (replace(BATTERY[0], replications=50), replace(BATTERY[3], replications=50))
    rows = run_battery(tmp_path, say=said.append, methods=["mx2-t"], items=items, progress=False)
    card = json.loads((tmp_path / "mx2-t.json").read_text("utf-8"))
    assert card["measured"] == rows["mx2-t"]
    assert [row["replications"] for row in card["measured"]] == [50, 50]
    assert (card["seed"], card["device"]) == (SEED, f"numpy {np.__version__}")
    assert len(said) == 2
    assert Place.of("array_api_strict").words.startswith("array_api_strict ")


def test_the_cards_that_ship_are_of_ten_thousand_data_sets() -> None:
    titles = {item.title for item in BATTERY}
    for key, entry in ef.infer.methods().items():
        for row in (entry.card or {"measured": []})["measured"]:
            if row["population"] in titles:
                assert row["replications"] == 10_000, key


def test_data_sets_that_a_method_refuses_leave_the_answers_of_the_others() -> None:
    pair = [ef.lab.estimators.nearest_neighbour(), ef.lab.estimators.naive_bayes()]
    setup = prepare("two-gaussians", algorithms=pair, n=200, replications=_WAYS * 5, random_state=0)
    draws = setup.for_methods(["wong-kfold-independent-z"])["wong-kfold-independent-z"]
    together = judge(draws, "wong-kfold-independent-z", null=0.0)
    answered = np.isfinite(together.fits)
    assert 0 < answered.sum() < len(answered)
    for r in np.flatnonzero(answered):
        alone = replace(draws, losses=_select_data_sets(draws.losses, slice(r, r + 1)))
        assert judge(alone, "wong-kfold-independent-z", null=0.0).low[0] == together.low[r]


def test_a_study_on_a_device_goes_on_where_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Any = {"methods": ["mx2-t"], "n": 40, "replications": 200, "random_state": 0}
    asked |= {"device": "array_api_strict", "progress": False}
    monkeypatch.setattr(world, "_ON_DEVICE", 1)  # a chunk at a time
    whole = ef.lab.type1("mean-line", **asked)
    done: list[int] = []
    real = World.holdouts

    def dies(self: World, design: Any, chunks: Sequence[int], **told: Any) -> Any:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.extend(chunks)
        return real(self, design, chunks, **told)

    monkeypatch.setattr(World, "holdouts", dies)
    with pytest.raises(KeyboardInterrupt):
        ef.lab.type1("mean-line", store=tmp_path / "study.db", **asked)
    assert done == [0, 1, 2]
    done.clear()
    again = ef.lab.type1("mean-line", store=tmp_path / "study.db", **asked)
    assert done == [3]
    assert again.rows == whole.rows
    assert ef.lab.type1("mean-line", store=tmp_path / "study.db", **asked).rows == whole.rows
    assert done == [3]

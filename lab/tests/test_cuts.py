"""Cuts that look at no data are made once for all populations, and are those of the designs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.design import Design
from evenfold_lab import cuts
from evenfold_lab.cuts import CHUNK, Cuts, can_share, cut_sharing, shared_folder
from evenfold_lab.populations import MeanLine, TwoGaussians
from evenfold_lab.world import World

RANDOM = [
    ef.design.Mx2(3),
    ef.design.NestedRLT(2, 3, 0.1),
    ef.design.OutOfBag(4),
    ef.design.Reruns(2, 3, 0.8),
]


def _world(population: MeanLine | TwoGaussians) -> World:
    return World(
        population=population,
        algorithms=population.algorithms(),
        measure=population.measure,
        n=40,
        seed=3,
    )


@pytest.mark.parametrize("design", RANDOM, ids=repr)
def test_cuts_are_those_of_the_design_one_by_one(design: Design) -> None:
    world = _world(MeanLine())
    masks = world.splits(design, [0, 2])
    assert masks.trains.shape[0] == 2 * CHUNK
    for at, chunk, r in ((0, 0, 0), (7, 0, 7), (CHUNK + 9, 2, 9)):
        partition = world.partitions(design, world.sample(chunk), chunk)[r]
        for j in range(len(partition)):
            assert (
                np.flatnonzero(masks.trains[at, j]).tolist()
                == np.unique(partition.train[j]).tolist()
            )
            assert np.flatnonzero(masks.tests[at, j]).tolist() == partition.test[j].tolist()
    first = world.partition(design)
    assert np.array_equal(first.train[0], world.partitions(design, world.sample(0), 0)[0].train[0])


def test_populations_share_what_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with cut_sharing(tmp_path):
        made = _world(MeanLine()).splits(RANDOM[0], [0, 1], jobs=2)
        monkeypatch.setattr(cuts, "cut", None)  # nothing is cut again
        found = _world(TwoGaussians()).splits(RANDOM[0], [1, 0])
    assert np.array_equal(np.roll(found.trains, CHUNK, axis=0), made.trains)
    assert np.array_equal(np.roll(found.tests, CHUNK, axis=0), made.tests)
    assert len(list(tmp_path.iterdir())) == 2
    assert len({Cuts(design=d, n=40, seed=3)._name(0) for d in RANDOM}) == len(RANDOM)


def test_the_processes_of_a_study_share_what_they_cut(tmp_path: Path) -> None:
    with cut_sharing(tmp_path):
        study: Any = {
            "methods": ["conservative-z"],
            "n": 40,
            "replications": 100,
            "random_state": 0,
        }
        ef.lab.type1("normal-mean", **study, n_jobs=2)
    assert len(list(tmp_path.iterdir())) == 2


def test_the_former_folder_is_used_again(tmp_path: Path) -> None:
    with cut_sharing(tmp_path):
        with cut_sharing(None):
            assert shared_folder() is None
        assert shared_folder() == tmp_path
    assert shared_folder() is None


def test_what_looks_at_data_cannot_be_shared() -> None:
    assert all(can_share(design) for design in RANDOM)
    assert not can_share(ef.design.RLT(2, 0.5, balance="labels"))
    assert not can_share(ef.Mx2BCV(3))


@pytest.mark.parametrize(
    "design",
    [ef.design.Holdout(0.5, balance="labels"), ef.design.RLT(2, 0.5, balance="labels")],
    ids=repr,
)
def test_a_design_that_looks_at_labels_cuts_every_data_set_by_its_own(design: Design) -> None:
    world = _world(TwoGaussians())
    masks = world.splits(design, [0, 1], jobs=2)
    y = world.data([0, 1]).y
    shares = (y[:, None] * masks.trains).sum(axis=-1) - (y[:, None] * masks.tests).sum(axis=-1)
    assert np.abs(shares).max() <= 1

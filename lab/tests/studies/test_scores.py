"""Scores in the lab: outcomes of single examples add up to counts and reach their methods."""

from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput, NotApplicable
from evenfold_lab import estimators
from evenfold_lab.populations import Imbalanced
from evenfold_lab.world import World

pytestmark = pytest.mark.quick

PAIR = estimators.lda(), estimators.naive_bayes()


def test_outcomes_add_up_to_the_counts() -> None:
    world = World(population=Imbalanced(share=0.3), algorithms=PAIR, measure="f1", n=60, seed=0)
    design = ef.Mx2BCV(3, random_state=0)
    found = world.holdouts(design, [0], examples=True)
    ends = np.cumsum(world.partition(design).test_sizes)[:-1]
    sums = [part.sum(axis=2) for part in np.split(found["outcomes"], ends, axis=2)]
    np.testing.assert_array_equal(np.stack(sums, axis=2), found["counts"])
    assert "outcomes" not in world.holdouts(design, [0], examples=False)


def test_a_study_of_scores_feeds_both_kinds_of_posterior() -> None:
    study = ef.lab.type1(
        Imbalanced(share=0.3), algorithms=PAIR, n=80, replications=50, measure="f1", random_state=0
    )
    frame = study.to_frame()
    assert {"bayes-f1", "influence-f1"} <= set(frame["method"])
    assert frame["size"].between(0, 0.3).all()


def test_data_sets_that_are_cut_one_by_one_have_no_outcomes() -> None:
    designs = {"influence-f1": ef.Mx2BCV(3, balance="labels")}
    with pytest.raises(
        NotApplicable, match="'influence-f1' needs the predictions of single examples"
    ):
        ef.lab.type1(
            Imbalanced(share=0.3),
            methods=designs,
            algorithms=PAIR,
            n=80,
            replications=50,
            random_state=0,
        )


def test_measures_say_themselves_whether_they_can_be_studied() -> None:
    """A loss by elements can, and a ratio of counts; ranks and functions of all classes cannot."""
    given: dict[str, Any] = {"population": Imbalanced(), "algorithms": PAIR, "n": 80, "seed": 0}
    right, wrong = (World(measure=one, **given) for one in ("accuracy", "zero-one"))
    seen, missed = (
        one.holdouts(ef.Mx2BCV(3), [0], examples=False)["values"] for one in (right, wrong)
    )
    np.testing.assert_allclose(seen, 1 - missed)
    f1, jaccard = (ef.lab.truth(Imbalanced(), PAIR[0], 50, one).value for one in ("f1", "jaccard"))
    assert jaccard == pytest.approx(f1 / (2 - f1))
    with pytest.raises(
        InvalidInput, match=r"measure must be one of .*'jaccard', 'zero-one'.* but got 'mcc'"
    ):
        World(measure="mcc", **given)

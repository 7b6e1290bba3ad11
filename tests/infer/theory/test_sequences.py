"""R19's comparator as a sequence of looks."""

import numpy as np
import pytest

import evenfold as ef
from evenfold.infer.theory.sequences import paired_sequence


def test_it_stops_at_the_first_look_that_rejects() -> None:
    d = np.random.default_rng(0).normal(0.8, 1.0, size=(200, 12, 2))
    found = paired_sequence(d)
    for values, rejected, stop in zip(d, found.rejected, found.stopped_at, strict=True):
        pvalues = [
            ef.infer.mx2_paired_t(values[:m], alternative="greater").pvalue for m in range(3, 13)
        ]
        hits = [bool(p < 0.025) for p in pvalues]
        assert rejected == any(hits)
        assert stop == (3 + hits.index(True) if any(hits) else 12)


def test_a_start_after_the_end_is_refused() -> None:
    with pytest.raises(ef.EvenfoldError, match="start"):
        paired_sequence(np.zeros((4, 2)), start=5)


def test_it_errs_twice_as_often_as_promised_where_halves_go_together() -> None:
    """R19 table 5.8, M = 12: .099 to .120 at ρ1 = ½, .037 to .052 at ρ1 = 0."""
    rng = np.random.default_rng(0)
    shared, own = rng.normal(size=(8000, 12, 1)), rng.normal(size=(8000, 12, 2))
    assert abs(paired_sequence((shared + own) / np.sqrt(2)).rejected.mean() - 0.11) < 0.011
    assert abs(paired_sequence(own).rejected.mean() - 0.04) < 0.008

"""R19's comparator as a sequence of looks."""

import numpy as np
import pytest

import evenfold as ef
from evenfold.infer.theory.sequences import paired_sequence


def test_it_stops_at_the_first_look_that_rejects() -> None:
    d = np.random.default_rng(0).normal(0.8, 1.0, size=(200, 12, 2))
    found = paired_sequence(d)
    for values, rejected, stop in zip(d, found.rejected, found.stopped_at, strict=True):
        pvalues = [ef.infer.mx2_paired_t(values[:m], alternative="greater").pvalue for m in range(3, 13)]
        hits = [bool(p < 0.025) for p in pvalues]
        assert rejected == any(hits)
        assert stop == (3 + hits.index(True) if any(hits) else 12)


def test_a_start_after_the_end_is_refused() -> None:
    with pytest.raises(ef.EvenfoldError, match="start"):
        paired_sequence(np.zeros((4, 2)), start=5)

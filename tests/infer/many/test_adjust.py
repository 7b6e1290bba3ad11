"""Adjusted p-values against statsmodels, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests

import evenfold as ef
from evenfold.core.errors import InvalidInput


@pytest.mark.parametrize("how", ["holm", "bonferroni"])
@pytest.mark.parametrize("k", [1, 2, 7, 40])
def test_agrees_with_statsmodels(how: str, k: int) -> None:
    p = np.random.default_rng(k).uniform(size=k) ** 3
    assert_allclose(ef.infer.adjustment(p, how), multipletests(p, method=how)[1], rtol=1e-12)


def test_none_changes_nothing() -> None:
    assert ef.infer.adjustment([0.2, 0.01], "none").tolist() == [0.2, 0.01]


@pytest.mark.parametrize("bad", [[], [1.2], [-0.1], [np.nan], [[0.1]], "p", None])
def test_what_is_no_list_of_pvalues_is_refused(bad: object) -> None:
    with pytest.raises(InvalidInput, match="pvalues"):
        ef.infer.adjustment(bad)


def test_max_t_needs_more_than_pvalues() -> None:
    with pytest.raises(InvalidInput, match="how must be one of 'holm', 'bonferroni', 'none'"):
        ef.infer.adjustment([0.1], "max-t")

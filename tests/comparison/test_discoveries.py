"""Answers of many pairs whose false discovery rate is bounded."""

import re

import numpy as np
import pytest

import evenfold as ef


def table(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    chance = {"a": 0.5, "b": 0.52, "c": 0.7, "d": 0.75, "e": 0.9}
    return {name: (rng.random(150) < p).astype(float) for name, p in chance.items()}


@pytest.mark.parametrize("adjust", ["benjamini-hochberg", "benjamini-yekutieli"])
def test_pairs_are_decided_by_their_adjusted_p_values(adjust: str) -> None:
    c = ef.judge(table(), rows="examples", measure="accuracy", adjust=adjust)
    plain = ef.judge(table(), rows="examples", measure="accuracy", adjust="none")
    expected = ef.infer.adjustment([pair.pvalue for pair in plain.pairs], adjust)
    assert [pair.adjusted_pvalue for pair in c.pairs] == pytest.approx(expected.tolist())
    for pair in c.pairs:
        decided = pair.verdict is not None and str(pair.verdict.outcome) in ("better", "worse")
        assert decided == (pair.adjusted_pvalue is not None and pair.adjusted_pvalue <= 0.05)
        assert decided == (pair.low > 0 or pair.high < 0)
    assert "simultaneous" not in str(c)
    assert f"p ({adjust})" in str(c)
    assert any("expected share of false ones" in note for note in c.facts.notes)
    assert not c.facts.candidates


@pytest.mark.parametrize("adjust", ["benjamini-hochberg", "benjamini-yekutieli"])
@pytest.mark.parametrize("baseline", [None, "a"])
def test_the_sentence_and_the_table_say_one_level(adjust: str, baseline: str | None) -> None:
    c = ef.judge(table(), rows="examples", measure="accuracy", adjust=adjust, baseline=baseline)
    said = set(re.findall(r"([\d.]+)% CI", c.details))
    assert len(said) == 1
    assert float(said.pop()) == pytest.approx(100 * (1 - c.pairs[0].level), abs=0.01)


def test_more_is_decided_than_by_holm() -> None:
    holm = ef.judge(table(2), rows="examples", measure="accuracy")
    rate = ef.judge(table(2), rows="examples", measure="accuracy", adjust="benjamini-hochberg")
    p = [
        (one.adjusted_pvalue or 1, two.adjusted_pvalue or 1)
        for one, two in zip(rate.pairs, holm.pairs, strict=True)
    ]
    assert all(one <= two for one, two in p)


def test_no_ranking_follows() -> None:
    c = ef.judge(table(), rows="examples", measure="accuracy", adjust="benjamini-hochberg")
    with pytest.raises(ef.EvenfoldError, match=r"ranking must be used where .* use adjust='holm'"):
        _ = c.ranking
    rng = np.random.default_rng(0)
    values = {name: rng.normal(k, 1, 20) for k, name in enumerate("abc")}
    over = ef.judge(values, rows="data sets", higher_is_better=True, adjust="benjamini-hochberg")
    with pytest.raises(ef.EvenfoldError, match=r"ranking must be used where .* use adjust='holm'"):
        _ = over.ranking

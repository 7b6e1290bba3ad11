"""Posteriors of any smooth score of the confusion table."""

from typing import Any

import numpy as np
import pytest

import evenfold as ef

M, N = 7, 240


def _tables(seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    halves = ef.Mx2BCV(M, random_state=0).partition(N).test[::2]
    sides = np.stack([np.isin(np.arange(N), half) for half in halves])
    y, doubt = rng.random(N) < 0.4, rng.random((M, N))
    said = [np.where(y, doubt < hit, doubt < 0.3) for hit in (0.7, 0.8)]
    a, b = (np.stack([y & one, ~y & one, y & ~one], axis=-1) for one in said)
    return a, b, sides


def f1(c: Any) -> Any:
    return 2 * c[..., 0] / (2 * c[..., 0] + c[..., 1] + c[..., 2])


def mcc(c: Any) -> Any:
    tp, fp, fn, tn = np.moveaxis(c, -1, 0)
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def test_f1_is_what_its_own_method_says() -> None:
    a, b, sides = _tables(1)
    found, known = (
        ef.infer.smooth_score_posterior(ef.run.Smooth(f1), a, b, sides),
        ef.infer.influence_f1(a, b, sides),
    )
    assert found.value == pytest.approx(known.value, rel=1e-12)
    assert found.standard_error == pytest.approx(known.standard_error, rel=1e-12)
    assert found.interval() == pytest.approx(known.interval())
    assert found.b.interval() == pytest.approx(known.b.interval())
    assert found.probability() == pytest.approx(known.probability())


def test_a_score_is_one_from_0_to_1_and_mcc_is_shifted() -> None:
    a, b, sides = _tables(2)
    with pytest.raises(ef.EvenfoldError, match="score must be from 0 to 1"):
        ef.infer.smooth_score_posterior(ef.run.Smooth(lambda c: 2 + f1(c)), a, b, sides)
    with pytest.raises(ef.EvenfoldError, match=r"Wrap a function by ef\.run\.Smooth"):
        ef.infer.smooth_score_posterior(f1, a, b, sides)  # type: ignore[arg-type]  # what is refused
    shifted = ef.infer.smooth_score_posterior(
        ef.run.Smooth(lambda c: (1 + mcc(c)) / 2), a, b, sides
    )
    counts = [t.sum(axis=(0, 1)) + 1.0 for t in (a, b)]
    rest = [M * N - t.sum() + 1.0 for t in (a, b)]
    exact = [mcc(np.append(c, r)) for c, r in zip(counts, rest, strict=True)]
    assert 2 * shifted.value == pytest.approx(exact[1] - exact[0])

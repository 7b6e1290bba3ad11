"""One contract for every test on hold-out values that the registry knows."""

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput, NotApplicable
from evenfold.core.estimate import PivotEstimate, TestEstimate
from evenfold.infer import _registry
from evenfold.infer.inputs import AllTested, Blocks, Counts, Nested

ARGUMENTS: dict[str, float] = {"n_train": 90, "n_test": 10, "rho1": 0.1, "rho2": 0.3}
LEVELS = (0.01, 0.05, 0.2)

# Tests on numbers in the measure's units: their inputs invent themselves.
METHODS = {
    key: entry
    for key, entry in ef.infer.methods().items()
    if entry.family == "test" and not isinstance(entry.takes, Counts)
}
COUNTING = {key for key in METHODS if "draws" in signature(METHODS[key].function).parameters}
PIVOTS = [
    key
    for key, entry in METHODS.items()
    if entry.function.__annotations__["return"] is PivotEstimate and entry.estimand.size != "n"
]
LINEAR = [key for key in PIVOTS if not isinstance(METHODS[key].takes, (AllTested, Blocks, Nested))]


def _data(key: str, batch: tuple[int, ...] = (), seed: int = 0) -> list[Any]:
    return list(METHODS[key].takes.example(np.random.default_rng(seed), batch))


# Methods that are given the values of A and those of B, not their differences.
BOTH = {key for key, entry in METHODS.items() if len(set(entry.inputs)) < len(entry.inputs)}


def _of_b(key: str, data: list[Any], change: Callable[[Any], Any]) -> list[Any]:
    """Change what is of B."""
    return [*data[:-1], change(data[-1])] if key in BOTH else _changed(data, change)


def _changed(data: list[Any], change: Callable[[Any], Any]) -> list[Any]:
    """Change the numbers, and neither who is tested nor in which fold."""
    return [
        [change(block) for block in x]
        if isinstance(x, list)
        else change(x)
        if x.dtype.kind == "f"
        else x
        for x in data
    ]


def _rows(data: list[Any], rows: Any) -> list[Any]:
    return _changed(data, lambda x: x[rows])


def _run(key: str, data: list[Any], **keywords: Any) -> TestEstimate:
    entry = METHODS[key]
    needed = {name: ARGUMENTS[name] for name in entry.arguments}
    if key in COUNTING:
        keywords.setdefault("draws", 1000)  # 1001 steps: none is .05 exactly
    return cast("TestEstimate", entry.function(*data, **needed, **keywords))


def _alternatives(key: str) -> tuple[str, ...]:
    return ("two-sided", "greater", "less") if METHODS[key].sides else ("two-sided",)


def test_the_contract_sees_all_methods_of_sections_3_and_4() -> None:
    # METHODS.md sections 3 and 4, without mcnemar, which takes counts
    assert set(METHODS) >= {
        "holdout-t",
        "resampled-t",
        "corrected-resampled-t",
        "bootstrap",
        "corrected-bootstrap",
        "conservative-z",
        "kfold-t",
        "corrected-kfold-t",
        "5x2-t",
        "5x2-t-independent",
        "5x2-t-mean",
        "5x2-t-others",
        "5x2-f",
        "5x2-combined-t",
        "mx2-paired-t",
        "mx2-combined-t",
        "blocked-3x2-t",
        "mx2-t",
        "mx2-block-t",
        "mx2-oracle-t",
        "mx2-sequential-t",
    }


@pytest.mark.parametrize("key", sorted(METHODS))
def test_result_says_what_it_is(key: str) -> None:
    e = _run(key, _data(key))
    assert e.method == key
    size = METHODS[key].training_size  # none where models were trained elsewhere
    assert ("at training size" in e.estimand) == bool(size)
    assert e.value.shape == e.statistic.shape == e.pvalue.shape == ()
    assert 0 <= e.pvalue <= 1


@pytest.mark.parametrize("key", PIVOTS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", LEVELS)
def test_pvalue_is_the_level_at_each_limit_of_the_interval(
    key: str, alternative: str, level: float
) -> None:
    data = _data(key)
    low, high = _run(key, data, alternative=alternative).confidence_interval(1 - level)
    assert low < high
    assert (low == -np.inf) == (alternative == "less")
    assert (high == np.inf) == (alternative == "greater")
    for limit in (low, high):
        if np.isfinite(limit):
            assert_allclose(
                _run(key, data, alternative=alternative, null=float(limit)).pvalue, level, rtol=1e-9
            )


@pytest.mark.parametrize("key", sorted(METHODS))
def test_interval_holds_the_null_where_the_test_does_not_reject(key: str) -> None:
    for alternative in _alternatives(key):
        e = _run(key, _data(key, (200,)), alternative=alternative)
        low, high = e.confidence_interval(0.95)
        outside = ~((low <= 0) & (high >= 0))
        assert_array_equal(outside, e.pvalue < 0.05)


@pytest.mark.parametrize("key", sorted(METHODS))
def test_swapping_the_algorithms_flips_signs(key: str) -> None:
    data, mirror = (
        _data(key, (20,)),
        {"two-sided": "two-sided", "greater": "less", "less": "greater"},
    )
    for alternative in _alternatives(key):
        e = _run(key, data, alternative=alternative)
        f = _run(key, _changed(data, np.negative), alternative=mirror[alternative])
        assert_allclose(f.value, -e.value, rtol=1e-12)
        assert_allclose(
            f.statistic, -e.statistic if METHODS[key].sides else e.statistic, rtol=1e-12
        )
        assert_allclose(f.pvalue, e.pvalue, rtol=1e-12)
        assert_allclose(f.confidence_interval(0.95)[0], -e.confidence_interval(0.95)[1], rtol=1e-12)


@pytest.mark.parametrize("key", sorted(METHODS))
def test_adding_a_constant_moves_the_estimate_only(key: str) -> None:
    data = _data(key, (20,))
    e, f = _run(key, data), _run(key, _of_b(key, data, lambda x: x + 2.0), null=2.0)
    assert_allclose(f.value, e.value + 2.0, rtol=1e-12)
    assert_allclose(f.standard_error, e.standard_error, rtol=1e-12)
    assert_allclose(f.pvalue, e.pvalue, rtol=1e-9)
    for limit, moved in zip(e.confidence_interval(0.95), f.confidence_interval(0.95), strict=True):
        assert_allclose(moved, limit + 2.0, rtol=1e-9)


@pytest.mark.parametrize("key", sorted(METHODS))
@pytest.mark.parametrize("factor", [1e-6, 100.0, 1e-180, 1e120])
def test_scaling_scales(key: str, factor: float) -> None:
    data = _data(key, (20,))
    e, f = (
        _run(key, data, null=0.1),
        _run(key, _changed(data, lambda x: x * factor), null=0.1 * factor),
    )
    assert_allclose(f.value, e.value * factor, rtol=1e-12)
    assert_allclose(f.standard_error, e.standard_error * factor, rtol=1e-12)
    assert_allclose(f.statistic, e.statistic, rtol=1e-9)
    assert_allclose(f.pvalue, e.pvalue, rtol=1e-9)
    for limit, scaled in zip(e.confidence_interval(0.95), f.confidence_interval(0.95), strict=True):
        assert_allclose(scaled, limit * factor, rtol=1e-9)


@pytest.mark.parametrize("key", sorted(METHODS))
def test_batch_equals_loop(key: str) -> None:
    data = _data(key, (3, 4))
    e = _run(key, data)
    low, high = e.confidence_interval(0.95)
    for i in np.ndindex(3, 4):
        one = _run(key, _rows(data, i))
        assert_allclose(
            [e.value[i], e.standard_error[i], e.statistic[i], e.pvalue[i], low[i], high[i]],
            [
                one.value,
                one.standard_error,
                one.statistic,
                one.pvalue,
                *one.confidence_interval(0.95),
            ],
            rtol=1e-12,
        )


@pytest.mark.parametrize(
    "key",
    [key for key in METHODS if METHODS[key].inputs in {("splits",), ("losses",), ("blocks",)}],
)
def test_the_order_of_values_does_not_matter(key: str) -> None:
    data = _data(key)
    e, f = _run(key, data), _run(key, _changed(data, lambda x: x[..., ::-1]))
    assert_allclose([f.value, f.standard_error], [e.value, e.standard_error], rtol=1e-12)
    if key not in COUNTING:  # whose draws are addressed by place
        assert_allclose(
            [f.pvalue, *f.confidence_interval()], [e.pvalue, *e.confidence_interval()], rtol=1e-9
        )


@pytest.mark.parametrize("key", PIVOTS)
def test_alternatives_add_up(key: str) -> None:
    data = _data(key, (50,))
    two, up, down = (
        _run(key, data, alternative=a).pvalue for a in ("two-sided", "greater", "less")
    )
    assert_allclose(up + down, 1, rtol=1e-12)
    assert_allclose(two, 2 * np.minimum(up, down), rtol=1e-12)


@pytest.mark.parametrize("key", sorted(METHODS))
@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3, -1e9])
def test_no_spread_at_the_null_is_p_1_and_a_zero_width_interval(key: str, constant: float) -> None:
    data = _of_b(
        key, _changed(_data(key, (2,)), np.zeros_like), lambda x: np.full_like(x, constant)
    )
    for alternative in _alternatives(key):
        with pytest.warns(DegenerateData, match="no spread"):
            e = _run(key, data, null=constant, alternative=alternative)
        assert_array_equal(e.pvalue, 1)
        low, high = e.confidence_interval(0.95)
        limits = {"two-sided": (low, high), "greater": (low,), "less": (high,)}[alternative]
        for limit in limits:
            assert_allclose(limit, constant, rtol=1e-12)


@pytest.mark.parametrize("key", sorted(set(METHODS) - COUNTING))
def test_no_spread_elsewhere_is_p_0(key: str) -> None:
    data = _of_b(key, _changed(_data(key), np.zeros_like), lambda x: np.full_like(x, 0.1))
    with pytest.warns(DegenerateData):
        assert _run(key, data).pvalue == 0
    if METHODS[key].sides:
        with pytest.warns(DegenerateData):
            assert _run(key, data, alternative="greater").pvalue == 0
        with pytest.warns(DegenerateData):
            assert _run(key, data, alternative="less").pvalue == 1


@pytest.mark.parametrize("key", sorted(COUNTING))
def test_no_spread_elsewhere_is_the_smallest_pvalue_of_a_count(key: str) -> None:
    data = _changed(_data(key), lambda x: np.full_like(x, 0.1))
    with pytest.warns(DegenerateData):
        p = _run(key, data, draws=99, alternative="greater").pvalue
    assert 0.01 <= p <= 0.02  # a draw that swaps nothing is as extreme as the data
    with pytest.warns(DegenerateData):
        assert _run(key, data, draws=99, alternative="less").pvalue == 1


@pytest.mark.parametrize("key", sorted(METHODS))
def test_only_the_degenerate_rows_of_a_batch_are_special(key: str) -> None:
    data = _data(key, (3,))
    expected = _run(key, data).pvalue
    _changed(data, lambda x: x.__setitem__(1, 0.0))
    with pytest.warns(DegenerateData, match="1 of 3"):
        p = _run(key, data).pvalue
    assert_allclose(p[[0, 2]], expected[[0, 2]], rtol=1e-12)
    assert p[1] == 1


@pytest.mark.parametrize("key", sorted(METHODS))
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_refused_by_position(key: str, bad: float) -> None:
    data = _data(key, (3,))
    (data[0][0] if isinstance(data[0], list) else data[0])[2, ..., 1] = bad
    with pytest.raises(InvalidInput, match=rf"must be finite but got {bad} at position \(2, "):
        _run(key, data)


@pytest.mark.parametrize("key", sorted(METHODS))
def test_too_few_values_are_refused(key: str) -> None:
    data = _data(key)
    with pytest.raises(InvalidInput, match=r"must (be|have)"):
        _run(key, [data[0][:0], *data[1:]])


@pytest.mark.parametrize("key", sorted(METHODS))
def test_huge_values_are_refused_not_overflowed(key: str) -> None:
    with pytest.raises(InvalidInput, match="Rescale"):
        _run(key, _changed(_data(key), lambda x: x * 1e200))
    assert 0 < _run(key, _changed(_data(key), lambda x: x * 1e149)).pvalue < 1


@pytest.mark.parametrize("key", sorted(METHODS))
def test_unknown_alternative_and_null_are_refused(key: str) -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'greater'"):
        _run(key, _data(key), alternative="greatr")
    with pytest.raises(InvalidInput, match="null must be a finite number"):
        _run(key, _data(key), null=np.nan)


@pytest.mark.parametrize("key", sorted(ef.infer.methods()))
def test_registry_entry_is_complete_and_its_function_documented(key: str) -> None:
    entry = ef.infer.methods()[key]
    name = key.replace("5x2", "five_by_two").replace("-", "_")
    assert entry.function.__name__ == name
    assert getattr(ef.infer, name) is entry.function
    assert entry.designs
    assert entry.inputs
    assert all((entry.estimand, entry.why, entry.source))
    assert entry.training_size or entry.designs[0].about, "at which training size?"
    assert entry.leaning in ("liberal", "conservative", "exact", "depends")
    assert "comparison" in repr(entry) or entry.recommended
    doc = entry.function.__doc__ or ""
    for part in ("*Validity.*", "Parameters\n", "References\n", "Examples\n", ">>> "):
        assert part in doc, f"{name} lacks {part!r}"


def test_every_method_that_decides_has_a_name_of_its_own() -> None:
    names = {
        key: entry.name for key, entry in ef.infer.methods().items() if entry.family != "variance"
    }
    assert not {key for key, name in names.items() if name == f"the method {key}"}
    assert len({*names.values()}) == len(names)


@pytest.mark.parametrize("key", sorted(ef.infer.methods()))
def test_method_on_a_design_it_does_not_fit(key: str) -> None:
    kinds = {kind for entry in ef.infer.methods().values() for kind in entry.designs}
    entry = ef.infer.methods()[key]
    assert ef.infer.select(key, design=entry.designs[0]) is entry
    for kind in (kind for kind in kinds if not entry.fits(kind)):
        with pytest.raises(NotApplicable, match=f"'{key}' does not fit design '{kind}'") as error:
            ef.infer.select(key, design=kind)
        fitting = [
            m for m in ef.infer.methods().values() if kind in m.designs and m.family == entry.family
        ]
        assert any(f"Use the method '{m.key}'" in str(error.value) for m in fitting) or not fitting


def test_every_design_has_a_recommended_test() -> None:
    for kind in (
        "holdout",
        "rlt",
        "brlt",
        "kfold",
        "mx2",
        "mx2-bcv",
        "nested-rlt",
        "nested-kfold",
        "folds-and-halves",
    ):
        assert any(m.recommended and kind in m.designs for m in ef.infer.methods().values()), kind


def test_unknown_method_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'mx2-t'"):
        ef.infer.select("mx2t", design="mx2")
    with pytest.raises(InvalidInput, match=r"one of \d+ names but got 'zzz'. ef.infer.methods"):
        ef.infer.select("zzz", design="mx2")


def test_the_statistic_costs_no_pvalue() -> None:
    e = _run("mx2-t", _data("mx2-t"))
    assert isinstance(e, PivotEstimate)
    assert isinstance(type(e).pvalue, property)


@pytest.mark.parametrize("key", ["mx2-v1", "mx2-v2", "mx2-v3"])
def test_variances_ignore_sign_and_shift_and_square_the_scale(key: str) -> None:
    function = ef.infer.methods()[key].function
    d = np.random.default_rng(0).normal(size=(4, 5, 2))
    value = function(d).value
    assert_allclose(function(-d).value, value, rtol=1e-12)
    assert_allclose(function(d + 3.0).value, value, rtol=1e-12)
    assert_allclose(function(3.0 * d).value, 9 * value, rtol=1e-12)
    assert_allclose([float(function(row).value) for row in d], value, rtol=1e-12)
    assert "ρ" in function(d).bias


def test_a_card_is_read_from_package_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "mx2-t.json").write_text('{"size": 0.01}')
    monkeypatch.setattr(_registry, "files", lambda _: tmp_path)
    _registry._card.cache_clear()
    card = ef.infer.mx2_t(_data("mx2-t")[0]).card
    assert card is not None
    assert dict(card) == {"size": 0.01}
    assert ef.infer.methods()["kfold-t"].card is None
    _registry._card.cache_clear()

"""Claims of the methods, each checked against what the method does."""

import doctest
import pickle
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.core import registry as shelves
from evenfold.core.errors import InvalidInput, NotApplicable
from evenfold.core.estimate import Estimand, PivotEstimate, TestEstimate
from evenfold.core.losses import Losses, Quantity
from evenfold.core.partition import KFOLD, MX2_BCV, Kind
from evenfold.infer.inputs import BlockMeans, Question

METHODS = dict(ef.infer.methods())
ARGUMENTS: dict[str, Any] = {
    "n_train": 90, "n_test": 40, "rho1": 0.1, "rho2": 0.3, "m": 3, "n": 100, "source": 0,
    "pair": (0, 1),
    "low": -10.0, "high": 10.0,
}  # fmt: skip


def _call(key: str, *, seed: int = 0, batch: tuple[int, ...] = (), **keywords: Any) -> Any:
    entry = METHODS[key]
    data = entry.takes.example(np.random.default_rng(seed), batch)
    return entry.function(*data, **{name: ARGUMENTS[name] for name in entry.arguments}, **keywords)


@pytest.mark.parametrize("key", METHODS)
def test_every_input_invents_data_that_its_methods_take(key: str) -> None:
    e = _call(key)
    assert (e.method, e.card) == (key, METHODS[key].card)
    assert e.estimand.at("any") == METHODS[key].about_counts.at("any")
    batch = _call(key, batch=(2, 3))
    number = batch.mean if hasattr(batch, "mean") else getattr(batch, "value", batch)
    assert getattr(number, "shape", (2, 3)) == (2, 3)


@pytest.mark.parametrize("key", METHODS)
def test_the_examples_of_the_documentation_are_right(key: str) -> None:
    found = doctest.DocTestFinder().find(METHODS[key].function, key, globs={"np": np})
    assert found[0].examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(found[0], out=said.append)
    assert "".join(said) == ""


@pytest.mark.parametrize("key", [key for key, entry in METHODS.items() if entry.family == "test"])
def test_the_joint_law_is_claimed_by_means_over_the_spread_of_all_their_values_and_no_others(
    key: str,
) -> None:
    entry = METHODS[key]
    if not entry.takes.joint:
        assert not entry.joint
        return
    # of single examples: so far as the test points make the variance
    if entry.takes.joint == "means":
        assert entry.joint == "normal"
        return
    ratios, dfs, count = [], set(), 0
    for seed in (1, 2, 3):
        (data,) = entry.takes.example(np.random.default_rng(seed))
        values = np.array([np.mean(x) for x in data]) if isinstance(data, list) else np.ravel(data)
        e = _call(key, seed=seed)
        ratios.append(float(e.statistic) / (values.mean() / values.std()))
        dfs.add(float(np.asarray(e.df).ravel()[0]))
        count = len(values)
    proportional = bool(np.ptp(ratios) < 1e-9 * abs(ratios[0]))
    reference = {np.inf: "normal", count - 1.0: "t"}.get(dfs.pop(), "") if len(dfs) == 1 else ""
    exact = reference if isinstance(_call(key), PivotEstimate) and proportional else ""
    assert entry.joint == exact or key == "blocked-3x2-t"  # whose λ may be another


@pytest.mark.parametrize("key", [key for key, entry in METHODS.items() if entry.family == "test"])
def test_sides_and_nulls_are_known_where_it_is_claimed(key: str) -> None:
    entry = METHODS[key]
    for keywords, claimed in (
        ({"alternative": "greater"}, entry.sides),
        ({"null": 0.1}, entry.nulls),
    ):
        if claimed:
            assert isinstance(_call(key, **keywords), TestEstimate)
        else:
            with pytest.raises(ef.EvenfoldError, match=f"Use the method '{entry.instead}'"):
                _call(key, **keywords)


SPOILED: dict[str, Any] = {
    "masked": lambda x: np.ma.array(x, mask=np.arange(x.size).reshape(x.shape) == 0),
    "complex": lambda x: x * (1 + 0j),
    "text": lambda x: x.astype(str),
    "dates": lambda x: x.astype("M8[D]"),
}


@pytest.mark.parametrize("key", METHODS)
@pytest.mark.parametrize("how", ["masked", "complex", "text", "dates"])
def test_what_would_be_read_as_something_else_is_refused(key: str, how: str) -> None:
    entry, spoil = METHODS[key], SPOILED[how]
    first, *others = entry.takes.example(np.random.default_rng(0))
    data = (
        [spoil(np.asarray(x)) for x in first]
        if isinstance(first, list)
        else spoil(np.asarray(first))
    )
    with pytest.raises(InvalidInput, match="masked" if how == "masked" else "array of numbers"):
        entry.function(data, *others, **{name: ARGUMENTS[name] for name in entry.arguments})


def test_every_kind_of_design_has_exactly_one_default_for_each_measure() -> None:
    kinds = {kind for entry in METHODS.values() for kind in entry.designs}
    for kind in kinds:
        owners = [
            entry
            for entry in METHODS.values()
            if kind in entry.default_for and not entry.sequential
        ]
        claimed = [
            (entry.takes.measures, entry.takes.closely, entry.takes.of_ratios) for entry in owners
        ]
        assert any(not measures and not ratios for measures, _, ratios in claimed), kind
        assert len(set(claimed)) == len(claimed)
        better = [
            entry for entry in METHODS.values() if kind in entry.designs and entry.recommended
        ]
        assert METHODS[ef.infer.recommended(kind)].recommended or not better
    assert METHODS[ef.infer.recommended(MX2_BCV, sequential=True)].sequential


def test_designs_of_other_packages_are_fitted_by_their_shape() -> None:
    mine = Kind("my-halvings", shape="halves")
    assert ef.infer.select("mx2-t", design=mine).key == "mx2-t"
    assert ef.infer.recommended(mine) == "mx2-t"
    with pytest.raises(NotApplicable, match="does not fit design 'my-halvings'"):
        ef.infer.select("5x2-mcnemar", design=mine)  # needs balanced halves
    with pytest.raises(NotApplicable, match="does not fit"):
        ef.infer.select("mx2-t", design=Kind("my-folds", shape="folds"))


def test_a_method_of_another_package_is_one_file(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = (
        Path(__file__).parents[2] / "docs" / "extending" / "package" / "src" / "evenfold_extras"
    )
    (tmp_path / "cautious.py").write_text(
        (package / "cautious.py").read_text("utf-8"), encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint(name="cautious-kfold-t", value="cautious", group="evenfold.methods")
    monkeypatch.setattr(
        shelves, "entry_points", lambda group: [point] if group == point.group else []
    )
    shelf: Any = ef.infer.methods()
    monkeypatch.setattr(shelf, "_complete", False)
    monkeypatch.setattr(shelf, "_things", dict(shelf._things))
    entry = ef.infer.select("cautious-kfold-t", design=KFOLD)
    e = entry.function([0.1, 0.3, 0.2], null=0.1)
    assert_allclose(e.value, 0.2)
    assert "null : float" in str(entry.function.__doc__)
    losses = _losses(np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.5, 0.3, 0.6, 0.9]]))
    found = ef.infer.estimate(losses, "cautious-kfold-t", level=0.1)
    assert isinstance(found, TestEstimate)
    assert (found.level, found.estimand) == (0.1, "expected difference B − A at training size 16")


def _losses(values: np.ndarray) -> Losses:
    nothing = np.zeros_like(values)
    return Losses(
        quantity=Quantity(name="mine", lower_is_better=True),
        algorithms=("a", "b"),
        partition=ef.KFold(values.shape[-1], random_state=0).partition(20),
        values=values,
        fit_seconds=nothing,
        predict_seconds=nothing,
    )


def test_a_new_source_asks_for_means_and_these_sources_for_examples() -> None:
    for key, entry in METHODS.items():
        if "sources" in entry.designs and entry.family == "test":
            wanted = entry.estimand.varied == "sources"
            assert isinstance(entry.takes, BlockMeans) == wanted, key
    asked = Question.of(_losses(np.array([[0.1, 0.2], [0.4, 0.3]])), 1, 0, "sources-new-t")
    (blocks,) = BlockMeans().read(asked)
    assert_allclose(np.concatenate(blocks), [0.3, 0.1])
    with pytest.raises(NotApplicable, match="values per example"):
        METHODS["sources-these-t"].takes.read(asked)


def test_estimands_are_values() -> None:
    about = ef.infer.methods()["sources-new-t"].about(75)
    again = pickle.loads(pickle.dumps(about))
    assert again == about
    assert (again.size, again.varied, again.form) == ("75", "sources", "difference")
    assert about.alone() == "expected value on a new source at training size 75"
    assert Estimand(words="variance of μ̂").at(3).alone() == "variance of μ̂ at training size 3"


def test_entries_are_pickled_by_their_key() -> None:
    entries = ef.infer.methods()
    again = pickle.loads(pickle.dumps(dict(entries)))
    assert all(again[key] is entry for key, entry in entries.items())


def test_methods_for_comparison_are_listed_apart() -> None:
    fit, others = (ef.infer.methods(recommended=one) for one in (True, False))
    assert not set(fit) & set(others)
    assert {*fit, *others} == set(ef.infer.methods())
    assert all(entry.recommended for entry in fit.values())
    assert "resampled-t" in others
    wrong: Any = "yes"
    with pytest.raises(InvalidInput, match="recommended must be True or False"):
        ef.infer.methods(recommended=wrong)


def test_every_method_has_a_card_or_says_why_not() -> None:
    for key, entry in METHODS.items():
        assert not (entry.card and entry.why_no_card), key
        ours = entry.formula.__module__.startswith("evenfold.")
        assert entry.card or entry.why_no_card or not ours, key
        assert entry.card is None or entry.card["measured"], key


@pytest.mark.parametrize("key", [key for key, entry in METHODS.items() if entry.card])
def test_the_word_for_how_a_method_errs_is_that_of_its_card(key: str) -> None:
    """One rule for all: over three Monte Carlo errors off the level, where it mostly answered."""
    entry = METHODS[key]
    assert entry.card is not None
    rows = [row for row in entry.card["measured"] if row["applicable"] > 0.5]
    off = [(row["size"] - entry.card["level"]) / row["size_se"] for row in rows]
    above, below = max(off) > 3, min(off) < -3
    allowed = {
        "liberal": above,
        "conservative": below and not above,
        "exact": not above and not below,
        "depends": True,
    }
    assert allowed[entry.leaning], (entry.leaning, off)

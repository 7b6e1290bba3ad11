"""The benchmark itself: rows, what is run again, tests and populations that are added."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

import evenfold as ef
from evenfold.testing import BrokenContract
from evenfold_lab import bench as benchmark
from evenfold_lab.bench import rivals, runner
from evenfold_lab.bench.material import HALVINGS, Chunk, Material, auc, ranked_examples
from evenfold_lab.bench.populations import POPULATIONS
from evenfold_lab.bench.runner import BenchCell, cells, judge_test
from evenfold_lab.cli import lab

FEW: Any = {
    "sizes": (40,),
    "data_sets": 6,
    "pairs": ["majority/ridge", "knn/bayes"],
    "populations": ["coin"],
}


@pytest.fixture(autouse=True)
def _lists_as_they_were() -> Iterator[None]:
    tests, populations = dict(rivals.TESTS), dict(POPULATIONS)
    yield
    rivals.TESTS.clear()
    rivals.TESTS.update(tests)
    POPULATIONS.clear()
    POPULATIONS.update(populations)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_row_for_every_pair_measure_and_test(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    benchmark.bench(path, tests=["default", "mx2-t", "corrected-t-15"], **FEW)
    rows = _read(path)
    assert list(rows[0]) == list(benchmark.COLUMNS)
    assert {row["pair"] for row in rows} == {"majority/ridge", "knn/bayes"}
    assert {row["measure"] for row in rows if row["test"] == "mx2-t"} == {
        "zero-one",
        "log",
        "brier",
        "auc",
    }
    assert "auc" in {row["measure"] for row in rows if row["test"] == "default"}
    measured = [row for row in rows if row["data_sets"] == "6"]
    assert all(0 <= float(row["error"]) <= 1 and float(row["error_se"]) > 0 for row in measured)
    assert all(float(row["fits"]) == 15 for row in measured if row["test"] == "corrected-t-15")


def test_what_is_there_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.csv"
    benchmark.bench(path, tests=["mx2-t"], **FEW)
    before = path.read_text(encoding="utf-8")
    fitted: list[list[str]] = []
    fit = BenchCell.fit

    def noted(self: BenchCell, *given: Any) -> Any:
        fitted.append([test.key for test in self.tests])
        return fit(self, *given)

    monkeypatch.setattr(BenchCell, "fit", noted)
    benchmark.bench(path, tests=["mx2-t"], **FEW)
    assert fitted == []
    assert path.read_text(encoding="utf-8") == before
    benchmark.bench(path, tests=["mx2-t", "5x2-f"], **FEW)
    assert fitted == [["5x2-f"]]
    assert before.splitlines()[1] in path.read_text(encoding="utf-8")


def test_only_what_is_lacking_is_fitted(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    tests = ["mx2-t", "holdout-mcnemar", "leave-one-out"]
    given: Any = {"sizes": (40,), "data_sets": 2}
    pairs: Any = {"populations": ["coin"], "pairs": ["tree/forest", "knn/bayes"]}
    benchmark.bench(path, tests=["mx2-t"], populations=["coin"], pairs=["knn/bayes"], **given)
    done = benchmark.read_rows(path)
    left = [
        ([test.key for test in cell.tests], cell.subjects())
        for cell in cells(tests=tests, done=done, **pairs, **given)
    ]
    # a forest is never left one out
    assert left == [
        (["mx2-t", "holdout-mcnemar"], [("tree", "forest")]),
        (["holdout-mcnemar", "leave-one-out"], [("knn", "bayes")]),
    ]
    benchmark.bench(path, tests=tests, **pairs, **given)
    assert not list(cells(tests=tests, done=benchmark.read_rows(path), **pairs, **given))


def test_what_has_no_rows_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    tests = ["mx2-t", "holdout-mcnemar", "wilcoxon-folds"]
    given: Any = {
        "populations": ["friedman1"],
        "pairs": ["linear", "linear/ridge"],
        "tests": tests,
        "sizes": (40,),
        "data_sets": 2,
    }
    (cell,) = cells(**given)  # learners that are fitted together are fitted once
    assert [test.key for test in cell.tests] == ["mx2-t", "wilcoxon-folds"]
    benchmark.bench(path, **given)
    assert not list(cells(done=benchmark.read_rows(path), **given))


def test_judges_in_other_processes_say_the_same(tmp_path: Path) -> None:
    alone, together = tmp_path / "alone.csv", tmp_path / "together.csv"
    benchmark.bench(alone, tests=["mx2-t", "default"], **FEW)
    benchmark.bench(together, tests=["mx2-t", "default"], n_jobs=2, **FEW)
    assert alone.read_text(encoding="utf-8") == together.read_text(encoding="utf-8")


def test_without_fork_judging_happens_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "get_all_start_methods", lambda: ["spawn"])
    monkeypatch.setattr(runner, "get_context", None)
    cell: Any = SimpleNamespace(rows=lambda kept: [{"test": kept}])
    kept: Any = "mx2-t"
    rows: list[Any] = []
    judges = runner.Judges(2, lambda _, found: rows.extend(found))
    judges.judge(cell, kept)
    judges.wait()
    assert rows == [{"test": "mx2-t"}]


def test_a_judge_that_fails_is_named(tmp_path: Path) -> None:
    def fails(material: Material) -> benchmark.Answer:
        raise ValueError(material.measure)

    benchmark.add_test(benchmark.BenchTest(key="fails", families=("halvings",), answer=fails))
    with pytest.raises(ef.EvenfoldError, match="judging 'coin' at n = 40 failed"):
        benchmark.bench(tmp_path / "results.csv", tests=["fails"], n_jobs=2, **FEW)


def test_a_method_of_the_registry_is_added_by_one_command(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    given = ["bench", str(path), "--population", "coin", "--n", "40", "--data-sets", "4"]
    asked = [*given, "--pair", "majority/ridge", "--test", "resampled-t@random:15"]
    assert CliRunner().invoke(lab, asked).exit_code == 0
    assert {row["test"] for row in _read(path)} == {"resampled-t"}
    assert {row["fits"] for row in _read(path)} - {""} == {"15"}


OWN_TEST = benchmark.BenchTest(
    key="thirds",
    families=("thirds",),
    makes={
        "thirds": lambda n, rng: benchmark.family(
            "thirds", [rng.permutation(n) % 3 == k for k in range(3)]
        )
    },
    answer=lambda m: benchmark.by_interval(
        (
            m.values["thirds"].mean(axis=1),
            m.values["thirds"].min(axis=1),
            m.values["thirds"].max(axis=1),
        ),
        3,
    ),
)
OWN_POPULATION = benchmark.BenchPopulation(
    key="own", draw=lambda rng, m: (rng.normal(size=(m, 2)), rng.normal(size=m)), classes=False,
    pairs=(("mean", "linear"),),
)  # fmt: skip


def test_a_test_with_fits_of_its_own_and_a_population_are_added(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    here = f"{__name__}:OWN_"
    asked = ["bench", str(path), "--n", "30", "--data-sets", "4"]
    found = CliRunner().invoke(
        lab, [*asked, "--population", f"{here}POPULATION", "--test", f"{here}TEST"]
    )
    assert found.exit_code == 0, found.output
    assert {(row["population"], row["test"], row["fits"]) for row in _read(path)} == {
        ("own", "thirds", "3")
    }


@pytest.mark.parametrize(
    "given",
    [
        ["--test", "nothing"],
        ["--test", "mx2-t@nowhere"],
        ["--population", "os:path"],
        ["--pair", "logistic/nothing"],
        ["--n", "-1"],
        ["--n", "9" * 20],
        ["--seed", "-1"],
    ],
)
def test_what_is_unknown_is_refused(tmp_path: Path, given: list[str]) -> None:
    with pytest.raises(ef.EvenfoldError):
        CliRunner().invoke(lab, ["bench", str(tmp_path / "r.csv"), *given], catch_exceptions=False)


def test_a_module_that_cannot_be_found_is_told_where_to_put_it() -> None:
    with pytest.raises(ef.EvenfoldError) as refusal:
        benchmark.find_test("no_such_module:MINE")
    assert str(refusal.value) == (
        "test must be MODULE:NAME of something that can be imported but got "
        "'no_such_module:MINE'. No module named 'no_such_module'. Install the module, or put its "
        "folder into PYTHONPATH."
    )


def test_a_table_is_a_population_on_which_plus_and_minus_are_equal(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    np.savez(tmp_path / "mine.npz", X=X, y=X[:, 0] > 0)
    (mine,) = benchmark.tables(tmp_path)
    assert mine.key == "mine"
    assert mine.is_equal(("plus", "minus"), "log")
    assert not mine.is_equal(("logistic", "tree"), "zero-one")
    drawn, labels = mine.sample(50, 10, 3, rng)
    assert drawn.shape == (3, 60, 3)
    assert set(np.unique(labels)) == {0.0, 1.0}


def test_equal_by_coin_in_errors_and_ranks_only() -> None:
    coin = POPULATIONS["coin"]
    assert coin.is_equal(("majority", "tree"), "zero-one")
    assert not coin.is_equal(("majority", "tree"), "log")


def test_auc_counts_ties_half() -> None:
    rng = np.random.default_rng(1)
    score = np.round(rng.random((2, 3, 50)), 1)
    y = (rng.random((2, 50)) < 0.4).astype(float)
    tests = (rng.random((3, 50)) < 0.5).astype(np.float32)
    found = auc(score, y, tests)
    for r in range(2):
        for s in range(3):
            here = tests[s] > 0
            assert 1 - found[r, s] == pytest.approx(roc_auc_score(y[r, here], score[r, s, here]))
    assert np.isnan(auc(score, np.ones((2, 50)), tests)).all()


def test_signed_ranks_are_inverted_as_scipy_tests_them() -> None:
    d = np.random.default_rng(2).normal(size=(40, 10))
    material = Material(
        n=100, classes=False, single=False, measure="squared", values={"folds": d}, parts={},
        whole=np.zeros(40), sizes={"folds": (90, 10)},
    )  # fmt: skip
    rejects = rivals.TESTS["wilcoxon-folds"].answer(material).rejects
    for null in (0.0, 0.5, 1.0):
        known = [stats.wilcoxon(row - null, method="exact").pvalue <= 0.05 for row in d]
        assert rejects(null).tolist() == known


def test_the_f_test_rejects_what_evenfold_rejects() -> None:
    d = np.random.default_rng(3).normal(size=(60, 10)) + 0.7
    material = Material(
        n=100, classes=False, single=False, measure="squared", values={"two-folds": d}, parts={},
        whole=np.zeros(60), sizes={"two-folds": (50, 50)},
    )  # fmt: skip
    rejects = rivals.TESTS["5x2-f"].answer(material).rejects
    for null in (0.0, 0.7, 2.0):
        known = ef.infer.five_by_two_f(d.reshape(60, 5, 2), null=null).pvalue <= 0.05
        np.testing.assert_array_equal(rejects(null), known)


def test_error_power_coverage_and_width_of_a_test_that_is_known() -> None:
    rng = np.random.default_rng(4)
    sets = 4000
    d = rng.normal(0.3, 1.0, size=(sets, 18))
    material = Material(
        n=40, classes=False, single=False, measure="squared", values={"halvings": d}, parts={},
        whole=np.full(sets, 0.3), sizes={"halvings": (20, 20)},
    )  # fmt: skip
    sd = 1 / np.sqrt(18)
    z_test = benchmark.BenchTest(
        key="z",
        families=("halvings",),
        answer=lambda m: benchmark.by_interval(
            (
                m.values["halvings"].mean(axis=1),
                *(m.values["halvings"].mean(axis=1) + s * 1.96 * sd for s in (-1, 1)),
            ),
            18,
        ),
    )
    row = judge_test(z_test, material, truth=None, yardstick=sd)
    assert row["error"] == pytest.approx(0.05, abs=0.015)
    # what an oracle has at 2.8 standard deviations
    assert row["power"] == pytest.approx(0.80, abs=0.02)
    assert row["coverage"] == pytest.approx(0.95, abs=0.015)
    assert row["width"] == pytest.approx(2 * 1.96 * sd)


def test_the_default_is_the_shipped_one() -> None:
    chunk = Chunk(
        POPULATIONS["gaussians"],
        40,
        0,
        wanted=list(HALVINGS),
        subjects=[("lda", "bayes")],
        sets=12,
    )
    kept = chunk.kept()
    sizes = dict.fromkeys(HALVINGS, (20, 20))
    material = kept.material(("lda", "bayes"), "zero-one", n=40, classes=True, sizes=sizes)
    assert material is not None
    answer = rivals.TESTS["default"].answer(material)
    losses = np.concatenate([material.parts[key] for key in HALVINGS], axis=1)
    assert losses.shape == (12, 31, 40)
    known = ef.infer.until_stable(losses, material.all_sides, null=0.1)
    np.testing.assert_array_equal(answer.rejects(0.1), known.rejected)
    at_zero = ef.infer.until_stable(losses, material.all_sides)
    np.testing.assert_allclose(answer.estimate, at_zero.value)
    equal = ef.infer.until_stable(losses, material.all_sides, null=float(losses.mean()))
    assert answer.fits == pytest.approx(2 * equal.stopped_at.mean())


def test_the_default_of_one_learner_repeats_until_its_estimate_is_steady() -> None:
    chunk = Chunk(
        POPULATIONS["gaussians"], 40, 0, wanted=list(HALVINGS), subjects=[("lda",)], sets=12
    )
    sizes = dict.fromkeys(HALVINGS, (20, 20))
    material = chunk.kept().material(("lda",), "zero-one", n=40, classes=True, sizes=sizes)
    assert material is not None
    answer = rivals.TESTS["default"].answer(material)
    losses = np.concatenate([material.parts[key] for key in HALVINGS], axis=1)
    nine = ef.infer.mx2_influence_t(losses[:, :9], material.all_sides[:9], alone=True)
    assert nine.is_steady.any()
    low, high = nine.confidence_interval(0.95)
    np.testing.assert_allclose(answer.low[nine.is_steady], low[nine.is_steady])
    np.testing.assert_allclose(answer.high[nine.is_steady], high[nine.is_steady])
    assert 18 <= answer.fits <= 62


def test_the_default_looks_at_ranked_examples_as_compare_does() -> None:
    rng = np.random.default_rng(5)
    y = (rng.random((1, 40)) < 0.5).astype(float)
    score = rng.random((1, 18, 40))
    sides = benchmark.FAMILIES["halvings"](40, rng).tests
    found = ranked_examples(score, y, sides)
    assert found.shape == (1, 9, 40)
    for s in range(18):
        here = sides[s] > 0
        area = roc_auc_score(y[0, here], score[0, s, here])
        nothing = np.zeros(int(here.sum()))
        delong = ef.infer.delong(nothing, score[0, s, here], y[0, here] > 0.5)
        values = found[0, s // 2, here]
        assert values.mean() == pytest.approx(1 - area)
        assert values.std(ddof=1) / np.sqrt(here.sum()) == pytest.approx(delong.standard_error)
    assert np.isnan(ranked_examples(score, np.ones((1, 40)), sides)).all()


def test_one_measure_is_added_to_rows_of_others(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    given: Any = {**FEW, "tests": ["default", "cv-wald"], "pairs": ["majority/ridge"]}
    benchmark.bench(path, **given)
    rows = [row for row in _read(path) if row["measure"] != "auc"]
    benchmark.write_rows(path, rows)
    assert not list(cells(done=benchmark.read_rows(path), **given))
    found = benchmark.bench(path, measures=["auc"], **given)
    assert len(found) == len(rows) + 1
    assert not list(cells(done=benchmark.read_rows(path), measures=["auc"], **given))


def test_results_of_another_edition_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    row = dict.fromkeys(benchmark.COLUMNS, "1") | {"population": "a", "edition": "0"}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, benchmark.COLUMNS)
        writer.writeheader()
        writer.writerow(row)
    assert benchmark.read_rows(path) == []


def test_only_measures_that_some_test_answers_are_computed() -> None:
    def cell(**wanted: Any) -> BenchCell:
        (found,) = cells(
            populations=["gaussians"], sizes=[40], pairs=["lda/bayes"], data_sets=4, **wanted
        )
        return found

    assert cell().measured() == ("zero-one", "log", "brier", "auc")
    assert cell(tests=["leave-one-out"]).measured() == ("zero-one", "log", "brier")
    ranked = cell(tests=["default"], measures=["auc"])
    assert ranked.measured() == ("auc",)
    assert {measure for _, measure in ranked.fit()[0].singles} == {"auc"}


# Agreement ---------------------------------------------------------------------------------------


def _cell(tests: list[str], **more: Any) -> BenchCell:
    (found,) = cells(
        populations=["sparse"], sizes=[40], pairs=["linear/ridge"], tests=tests, data_sets=6, **more
    )
    return found


def test_another_partition_has_the_same_examples_in_another_order() -> None:
    given: Any = {"wanted": ["halvings"], "subjects": [("linear", "ridge")], "sets": 3, "fresh": 5}
    first, second = (
        Chunk(POPULATIONS["sparse"], 40, 0, partition=partition, **given) for partition in (0, 1)
    )
    assert not np.array_equal(first.y[:, :40], second.y[:, :40])
    assert np.array_equal(np.sort(first.y[:, :40]), np.sort(second.y[:, :40]))
    assert np.array_equal(first.y[:, 40:], second.y[:, 40:])
    for r in range(3):
        order = [np.flatnonzero(first.y[r, :40] == value)[0] for value in second.y[r, :40]]
        assert np.array_equal(first.X[r, order], second.X[r, :40])


def test_what_no_partition_changes_always_agrees() -> None:
    cell = _cell(["leave-one-out"])
    for row in cell.rows(cell.fit()):
        assert [row[f"agreement_{away}"] for away in ("0", "1.4", "2.8")] == [1, 1, 1]
        assert 0 < row["agreement_2.8_se"] < 0.2


def test_verdicts_that_differ_do_not_agree() -> None:
    estimates = np.array([0.0, 3.0, 3.0, -3.0])
    others = np.array([0.0, 3.0, -3.0, 0.0])
    first, second = (
        rivals.by_interval((one, one - 1, one + 1), fits=1) for one in (estimates, others)
    )
    row = runner.agreements(first, second, 0.0, 1.0)
    # alike: undecided twice, above twice; not alike: above and below, below and undecided
    assert row["agreement_0"] == 0.5
    assert row["agreement_0_se"] == pytest.approx(np.std([1, 1, 0, 0, 0.5], ddof=1) / 2)
    assert row["agreement_2.8"] == pytest.approx(np.mean([1, 1, 0, 0.5]))


def test_one_partition_has_no_agreement_and_the_same_rates() -> None:
    twice = _cell(["kfold-t"])
    once = _cell(["kfold-t"], partitions=1)
    for one, two in zip(once.rows(once.fit()), twice.rows(twice.fit()), strict=True):
        assert "agreement_0" not in one
        assert {key: two[key] for key in one} == one


def test_only_splits_that_a_test_reads_are_fitted() -> None:
    def splits(tests: list[str]) -> dict[str, int]:
        made = _cell(tests).makers()
        rng = np.random.default_rng(0)
        return {key: len(make(40, rng).tests) for key, make in made.items()}

    assert splits(["corrected-t-10"]) == {"halvings": 18, "random": 10}
    assert splits(["corrected-t-10", "corrected-t-25", "nested-cv-3x5"]) == {
        "halvings": 18,
        "random": 25,
        "nested": 45,
    }
    assert splits(["kfold-t", "corrected-folds"])["folds"] == 100


def test_fewer_splits_are_the_first_of_all() -> None:
    few = _cell(["corrected-t-15", "nested-cv-3x5"], partitions=1)
    many = _cell(
        ["corrected-t-15", "corrected-t-100", "nested-cv-3x5", "nested-cv-10x5"], partitions=1
    )
    every = list(many.rows(many.fit()))
    for row in few.rows(few.fit()):
        (same,) = (
            one for one in every if (one["measure"], one["test"]) == (row["measure"], row["test"])
        )
        assert same == row


def test_folds_inside_halves_are_those_of_the_method() -> None:
    cell = _cell(["split-halves-t"], partitions=1)
    family = cell.makers()["folds-in-halves"](40, np.random.default_rng(3))
    assert family.tests.shape == (90, 40)
    assert (family.n_train, family.n_test) == (16, 4)
    halves = (family.trains + family.tests).reshape(9, 2, 5, 40)
    assert (halves == halves[:, :, :1]).all()
    assert (halves[:, 0, 0] + halves[:, 1, 0] == 1).all()
    (row, _) = cell.rows(cell.fit())
    assert row["fits"] == 90


# The kit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["default", "kfold-t", "split-halves-t", "holdout-mcnemar"])
def test_the_kit_passes_tests_of_the_benchmark(key: str) -> None:
    benchmark.check_test(rivals.TESTS[key])


def _answer_with(**changed: Any) -> Any:
    def answer(material: Material) -> rivals.Answer:
        d = material.values["folds"].astype(float)
        usual = rivals.by_interval((d.mean(axis=1), d.min(axis=1), d.max(axis=1)), fits=10)
        return replace(usual, **changed)

    return answer


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"fits": 0}, "fits is above 0"),
        ({"estimate": np.zeros(3)}, "estimate has one value for each data set"),
        ({"low": np.full(6, 9.0)}, "low ≤ estimate ≤ high"),
        ({"rejects": lambda _: np.zeros(6, dtype=bool)}, "it rejects what is absurd"),
        ({"rejects": lambda _: np.ones(6, dtype=bool)}, "it does not reject its own estimate"),
    ],
)
def test_the_kit_names_the_rule_that_a_test_breaks(changed: dict[str, Any], rule: str) -> None:
    broken = rivals.BenchTest(key="broken", families=("folds",), answer=_answer_with(**changed))
    with pytest.raises(BrokenContract, match=rule):
        benchmark.check_test(broken)


def test_the_kit_refuses_families_that_nobody_makes() -> None:
    lost = rivals.BenchTest(key="lost", families=("thirds",), answer=_answer_with())
    with pytest.raises(BrokenContract, match="its families are known"):
        benchmark.check_test(lost)


def test_a_method_of_the_registry_is_told_the_sizes_of_its_splits() -> None:
    key = benchmark.find_test("corrected-resampled-t@random:15")
    cell = _cell([key, "corrected-t-15"], partitions=1)
    rows = list(cell.rows(cell.fit()))
    assert {row["fits"] for row in rows} == {15}
    ours, theirs = (
        [row["width"] for row in rows if row["test"] == test] for test in (key, "corrected-t-15")
    )
    assert ours == pytest.approx(theirs)

"""``evenfold compare`` and ``report`` from file to exit code."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Run, mixed, write_csv

import evenfold as ef
from evenfold.core.facts.comparison import Facts

DUMMY = "sklearn.dummy:DummyClassifier"
BAYES = "sklearn.naive_bayes:GaussianNB"
TREE = "sklearn.tree:DecisionTreeClassifier"
TWO = ("--a", DUMMY, "--b", f"bayes={BAYES}")


def one_line(result: Any, *parts: str) -> None:
    """Check that a mistake was answered by exit code 2 and one line on standard error."""
    assert result.exit_code == 2, result.stderr
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("evenfold: ")
    for part in parts:
        assert part in lines[0]


def test_a_comparison_on_mixed_columns(evenfold: Run, table: Path, tmp_path: Path) -> None:
    files = {form: tmp_path / f"out.{form}" for form in ("html", "json", "latex", "markdown")}
    words = [word for form, path in files.items() for word in (f"--{form}", path)]
    done = evenfold("compare", table, "--target", "label", *TWO, "--seed", 1, *words)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("bayes is better than DummyClassifier: its error is lower by 0.")
    assert "for models trained on 40 examples" in done.stdout
    facts = Facts.from_json(files["json"].read_text(encoding="utf-8"))
    assert facts.pairs[0].outcome == "better"
    assert (
        facts.call
        == f"evenfold compare {table} --target label --a {DUMMY} --b bayes={BAYES} --seed 1"
    )
    assert files["html"].read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert "\\toprule" in files["latex"].read_text(encoding="utf-8")
    assert "| bayes" in files["markdown"].read_text(encoding="utf-8")
    assert all(f"{path} written" in done.stderr for path in files.values())


def test_any_registered_format_is_written(evenfold: Run, numbers: Path, tmp_path: Path) -> None:
    call = ("compare", numbers, "--target", "y", *TWO, "--seed", 0)
    done = evenfold(*call, "--write", f"markdown={tmp_path / 'r.md'}", "--write", "json=-")
    assert done.exit_code == 0, done.stderr
    assert "| bayes" in (tmp_path / "r.md").read_text(encoding="utf-8")
    assert Facts.from_json(done.stdout).pairs[0].outcome == "better"
    assert "--write" not in Facts.from_json(done.stdout).call
    one_line(
        evenfold(*call, "--write", "markdwon=-"), "no format 'markdwon'", "Did you mean 'markdown'"
    )
    one_line(evenfold(*call, "--write", "frame=-"), "no format 'frame'")
    one_line(evenfold(*call, "--write", "html"), "--write must be FORMAT=PATH")


def test_the_same_seed_gives_the_same_answer(evenfold: Run, numbers: Path) -> None:
    call = ("compare", numbers, "--target", "y", "--a", DUMMY, "--b", TREE, "--json", "-")
    drawn = evenfold(*call)
    seed = drawn.stderr.split("--seed ")[1].split()[0]
    first, again, other = (
        json.loads(evenfold(*call, "--seed", s).stdout) for s in (seed, seed, int(seed) + 1)
    )
    assert json.loads(drawn.stdout)["values"] == first["values"] == again["values"]
    assert first["values"] != other["values"]
    assert f"--seed {seed}" in first["call"]


def test_json_is_read_again_with_what_is_behind_the_facts(
    evenfold: Run, numbers: Path, tmp_path: Path
) -> None:
    path = tmp_path / "c.json"
    done = evenfold("compare", numbers, "--target", "y", *TWO, "--seed", 0, "--json", path)
    again = ef.load(path)
    assert str(again) == done.stdout.rstrip("\n")
    assert isinstance(again, ef.Comparison)
    assert again.estimate.value == again.facts.pairs[0].value


def test_a_store_resumes_and_reports(evenfold: Run, numbers: Path, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    call = (
        "compare",
        numbers,
        "--target",
        "y",
        "--a",
        DUMMY,
        "--b",
        BAYES,
        "--seed",
        3,
        "--store",
        store,
    )
    assert " 0 fits" not in evenfold(*call).stdout
    again = evenfold(*call)
    assert " 0 fits and" in again.stdout
    run = again.stderr.split("evenfold report ")[1].split()[0]
    report = evenfold("report", run, "--store", store, "--json", "-")
    assert report.exit_code == 0, report.stderr
    facts = Facts.from_json(report.stdout)
    assert facts.fits == 0
    assert facts.run_id == run
    assert facts.pairs[0].outcome == "better"
    one_line(evenfold("report", "nonsense", "--store", store), "the id of a run", run)
    one_line(evenfold("report", run, "--store", tmp_path / "none.db"), "There is no store")
    one_line(
        evenfold("report", run, "--store", store, "--method", "kfold-t"), "does not fit design"
    )
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(("wish", "code"), [("better", 0), ("worse", 3), ("inconclusive", 3)])
def test_fail_unless(evenfold: Run, numbers: Path, wish: str, code: int) -> None:
    done = evenfold("compare", numbers, "--target", "y", *TWO, "--seed", 0, "--fail-unless", wish)
    assert done.exit_code == code
    assert "bayes is better" in done.stdout
    assert ("asks for" in done.stderr) == bool(code)


def test_who_wishes_that_it_is_not_worse_asks_just_that(evenfold: Run, numbers: Path) -> None:
    wish = ("--fail-unless", "not-worse", "--margin", 0.05, "--seed", 0, "--json", "-")
    done = evenfold("compare", numbers, "--target", "y", *TWO, *wish)
    assert (done.exit_code, Facts.from_json(done.stdout).alternative) == (0, "not-worse")


def test_equivalence_within_a_margin(evenfold: Run, numbers: Path) -> None:
    words = (
        "--a",
        f"one={DUMMY}",
        "--b",
        f"two={DUMMY}",
        "--margin",
        0.1,
        "--fail-unless",
        "equivalent",
    )
    assert evenfold("compare", numbers, "--target", "y", *words, "--seed", 0).exit_code == 0


def test_failed_fits_exit_with_one(evenfold: Run, numbers: Path) -> None:
    words = ("--a", DUMMY, "--b", f"{TREE}(max_depth=-1)", "--fail-unless", "better")
    done = evenfold("compare", numbers, "--target", "y", *words)
    assert done.exit_code == 1
    assert (
        "'DecisionTreeClassifier' on split 0: InvalidParameterError" in done.stderr.splitlines()[-1]
    )
    assert "Traceback" not in done.stderr


def test_more_than_two_algorithms(evenfold: Run, numbers: Path) -> None:
    words = [
        word
        for text in (DUMMY, BAYES, f"stump={TREE}(max_depth=1)")
        for word in ("--algorithm", text)
    ]
    call = ("compare", numbers, "--target", "y", *words, "--seed", 0, "--json", "-")
    assert len(json.loads(evenfold(*call).stdout)["pairs"]) == 3
    against = json.loads(
        evenfold(*call, "--baseline", "DummyClassifier", "--adjust", "bonferroni").stdout
    )
    assert [(p["baseline"], p["challenger"]) for p in against["pairs"]] == [
        ("DummyClassifier", "GaussianNB"),
        ("DummyClassifier", "stump"),
    ]


def test_repeated_options_are_answered_or_refused(evenfold: Run, numbers: Path) -> None:
    call = ("compare", numbers, "--target", "y", "--a", DUMMY, "--b", BAYES)
    facts = json.loads(
        evenfold(*call, "--b", f"{TREE}(max_depth=1)", "--seed", 0, "--json", "-").stdout
    )
    assert facts["algorithms"] == ["DummyClassifier", "GaussianNB", "DecisionTreeClassifier"]
    assert len(facts["pairs"]) == 3
    assert facts["call"].count("--b") == 2
    twice = (*call, "--measure", "zero-one", "--measure", "log", "--seed", 0)
    done = evenfold(*twice)
    assert done.exit_code == 0, done.stderr
    assert "its error is lower by" in done.stdout
    assert "log loss" in done.stdout
    one_line(evenfold(*twice, "--json", "-"), "--measure can be given only once with files")


def test_one_algorithm_alone(evenfold: Run, numbers: Path) -> None:
    done = evenfold("compare", numbers, "--target", "y", "--a", BAYES, "--seed", 0)
    assert done.exit_code == 0
    assert done.stdout.startswith("the error of GaussianNB is 0.")
    alone = evenfold("compare", numbers, "--target", "y", "--a", BAYES, "--fail-unless", "better")
    one_line(alone, "two algorithms or more")


def test_regression_groups_weights_and_designs(evenfold: Run, tmp_path: Path) -> None:
    columns = mixed()
    columns["source"] = [f"s{i % 5}" for i in range(80)]
    columns["weight"] = [1 + i % 3 for i in range(80)]
    path = write_csv(tmp_path / "t.csv", columns)
    regression = (
        "--a",
        "sklearn.dummy:DummyRegressor",
        "--b",
        "sklearn.linear_model:Ridge",
        "--scale",
    )
    call = ("compare", path, "--target", "x", *regression, "--seed", 0)
    for words, shown in (
        (("--groups", "source"), "(sources-new-t) on LeaveOneSourceOut()"),
        (("--weights", "weight", "--drop", "source"), "in weighted squared error"),
        (
            ("--design", "brlt:9:0.8", "--measure", "absolute"),
            "(corrected-resampled-t) on BRLT(n_splits=9",
        ),
        (
            ("--design", "kfold:5:counts", "--method", "kfold-t"),
            "(kfold-t) on KFold(n_splits=5, random_state=0",
        ),
    ):
        done = evenfold(*call, *words, "--details")
        assert done.exit_code == 0, done.stderr
        assert shown in done.stdout
    f1 = evenfold(
        "compare",
        path,
        "--target",
        "label",
        *TWO,
        "--measure",
        "f1",
        "--positive",
        "yes",
        "--details",
    )
    assert (f1.exit_code, "(mx2-influence-t) on Mx2BCV(m=31" in f1.stdout) == (0, True)


def test_names_are_text_everywhere(evenfold: Run, numbers: Path, tmp_path: Path) -> None:
    name = "<script>alert(1)</script> [red]b[/red]"
    report = tmp_path / "r.html"
    words = ("--a", DUMMY, "--b", f"{name}={BAYES}", "--seed", 0, "--html", report)
    done = evenfold("compare", numbers, "--target", "y", *words)
    assert done.stdout.startswith(f"{name} is better than DummyClassifier")
    html = report.read_text(encoding="utf-8")
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; [red]b[/red]" in html


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("--target", "z", *TWO), ("no column 'z'", "'x', 'noise', 'g', 'price', 'y'")),
        (("--target", "", *TWO), ("no column ''", "'x', 'noise', 'g', 'price', 'y'")),
        (("--target", "y", *TWO, "--method", "mx2-tt"), ("no method 'mx2-tt'", "Did you mean "
                                                                               "'mx2-t'")),
        (("--target", "y", *TWO, "--design", "kfolds:3"), ("no design 'kfolds'", "Did you mean "
                                                                                 "'kfold'")),
        (("--target", "y", *TWO, "--method", "mcnemar", "--design", "kfold:3"), ("does not fit",)),
        (("--target", "y", *TWO, "--measure", "zero-on"), ("Did you mean 'zero-one'",)),
        (("--target", "y", *TWO, "--margin", "-1"), ("margin must be a finite number ≥ 0",)),
        (("--target", "y", *TWO, "--margin", "x"), ("--margin", "see evenfold compare --help")),
        (("--target", "y", *TWO, "--fail-unless", "good"), ("'better', 'worse', 'not-worse', "
                                                            "'equivalent'",)),
        (("--target", "y", *TWO, "--html", "no/such/r.html"), ("an existing folder",)),
        (("--target", "y", *TWO, "--json", "-", "--latex", "-"), ("Only one option can write",)),
        (("--target", "y", *TWO, "--measure", "f1", "--positive", "2"), ("--positive must",)),
        (("--target", "y"), ("Give the algorithms by --a and --b",)),
        (("--target", "y", "--a", "tree"), ("--a must be module:Class",)),
        (("--target", "y", "--a", f"{TREE}(x=1)", "--b", BAYES), ("no argument 'x'",)),
        (("--target", "y", "--a", "sklearn.svm:SVR", "--measure", "zero-one"), ("regressor",)),
        (tuple(TWO), ("A table needs --target",)),
        (("--targt", "y", *TWO), ("No such option: --targt",)),
    ],
)  # fmt: skip
def test_wrong_use_is_answered_in_one_line(
    evenfold: Run, numbers: Path, words: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    one_line(evenfold("compare", numbers, *words), *parts)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "there is no file"),
        ("", "t.csv is empty"),
        ("x,y\n1,a\n2,b\n3,a\n4,b\n5,a\n", "at least 8 examples but got 5"),
        ("x,y\n" + "1,a\n" * 30, "at least two classes"),
    ],
)
def test_wrong_files_are_answered_in_one_line(
    evenfold: Run, tmp_path: Path, content: str | None, part: str
) -> None:
    path = tmp_path / "t.csv"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    one_line(evenfold("compare", path, "--target", "y", *TWO), part)


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (PermissionError(13, "denied"), 2)]
)
def test_interruptions_and_the_system_s_refusals(
    evenfold: Run, numbers: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("evenfold.comparison.compare.compare", stopped)
    done = evenfold("compare", numbers, "--target", "y", *TWO)
    assert done.exit_code == code
    assert len(done.stderr.splitlines()) == 1


def test_a_fault_of_evenfold_itself_is_not_hidden(
    evenfold: Run, numbers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenfold.comparison.compare.compare", None)
    done = evenfold("compare", numbers, "--target", "y", *TWO)
    assert isinstance(done.exception, TypeError)


def defects(path: Path, *, counted: bool) -> Path:
    """Write modules with two metrics and their defects, counted or as yes and no."""
    rng = np.random.default_rng(4)
    size, noise = rng.lognormal(3, 1, 240), rng.normal(size=240)
    found = rng.poisson(size / 60)
    target = found if counted else np.where(found > 1, "yes", "no")
    return write_csv(
        path, {"loc": size.tolist(), "noise": noise.tolist(), "defects": target.tolist()}
    )


def test_defect_counts_are_ranked_by_fpa(evenfold: Run, tmp_path: Path) -> None:
    file = defects(tmp_path / "modules.csv", counted=True)
    two = (
        "--a",
        "sklearn.dummy:DummyRegressor",
        "--b",
        "poisson=sklearn.linear_model:PoissonRegressor",
    )
    done = evenfold(
        "compare",
        file,
        "--target",
        "defects",
        "--measure",
        "fpa",
        "--scale",
        *two,
        "--seed",
        0,
        "--details",
    )
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("poisson is better than DummyRegressor: its FPA is")
    assert "balance='counts'" in done.stdout


def test_equal_classes_are_drawn_inside_the_folds(evenfold: Run, tmp_path: Path) -> None:
    file, report = defects(tmp_path / "modules.csv", counted=False), tmp_path / "r.json"
    words = (
        "compare",
        file,
        "--target",
        "defects",
        "--measure",
        "recall",
        "--positive",
        "yes",
        "--seed",
        0,
    )
    two = ("--a", BAYES, "--b", "logistic=sklearn.linear_model:LogisticRegression", "--scale")
    plain = evenfold(*words, *two, "--json", report)
    assert plain.exit_code == 0, plain.stderr
    before = Facts.from_json(report.read_text(encoding="utf-8"))
    drawn = evenfold(*words, *two, "--undersample", "--json", report)
    assert drawn.exit_code == 0, drawn.stderr
    after = Facts.from_json(report.read_text(encoding="utf-8"))
    # of equal classes more are called defective
    assert sum(after.values[1]) > sum(before.values[1])
    assert after.design.n == before.design.n == 240  # and all rows are tested
    assert "--undersample" in after.call


def test_regressors_have_no_classes_to_draw_from(evenfold: Run, tmp_path: Path) -> None:
    file = defects(tmp_path / "modules.csv", counted=True)
    words = ("--target", "defects", "--undersample", "--a", "sklearn.dummy:DummyRegressor")
    one_line(
        evenfold("compare", file, *words), "--undersample draws from classes", "DummyRegressor"
    )


def test_an_answer_at_the_full_training_size(evenfold: Run, numbers: Path, tmp_path: Path) -> None:
    call = ("compare", numbers, "--target", "y", *TWO, "--seed", 0, "--store", tmp_path / "runs.db")
    first = evenfold(*call)
    done = evenfold(*call, "--at", "full", "--json", "-")
    assert done.exit_code == 0, done.stderr
    facts = Facts.from_json(done.stdout)
    assert facts.design.n_train == round(0.9 * facts.design.n)
    assert f"{facts.reused} fits" in first.stdout
    assert "--at full" in facts.call
    grown = evenfold(*call, "--at", "curve", "--json", "-")
    assert "--at curve" in Facts.from_json(grown.stdout).call
    curve = json.loads(grown.stdout)["pairs"][0]["sizes"]
    assert len(curve["at"]) == 3
    assert [one["sizes"] for one in curve["steps"]] == [
        [before["n_train"], after["n_train"]] for before, after in pairwise(curve["at"])
    ]
    one_line(evenfold(*call, "--at", "most"), "at must be one of 'half', 'full', 'curve'")
    one_line(
        evenfold(*call, "--at", "full", "--design", "kfold:5"),
        "at must be 'half' where a design is given",
    )


def test_a_file_from_a_spreadsheet_with_semicolons_and_decimal_commas(
    evenfold: Run, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(2, 40))
    rows = [
        f"{a:.3f};{b:.3f};{'größer' if a > 0 else 'kleiner'}" for a, b in zip(x, u, strict=True)
    ]
    path = tmp_path / "t.csv"
    path.write_bytes("\n".join(["x;rauschen;art", *rows]).replace(".", ",").encode("latin-1"))
    two = [
        "--a",
        "sklearn.dummy:DummyClassifier",
        "--b",
        "sklearn.naive_bayes:GaussianNB",
        "--seed",
        0,
    ]
    found = evenfold("compare", path, "--target", "art", "--features", "x", *two)
    assert found.exit_code == 0
    said = evenfold("compare", path, "--target", "art", "--features", "x", *two, "--sep",
                    "semicolon",
                    "--decimal", ",", "--encoding", "latin-1")  # fmt: skip
    assert said.stdout.partition("cost")[0] == found.stdout.partition("cost")[0]
    wrong = evenfold("compare", path, "--target", "art", *two, "--sep", "colon")
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)


def test_rows_in_the_order_of_time(evenfold: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    days = np.datetime64("2024-01-01") + np.arange(80)
    data = write_csv(tmp_path / "days.csv", {"day": days, "x": x, "y": x + rng.normal(size=80)})
    words = ("compare", data, "--target", "y", "--a", "sklearn.dummy:DummyRegressor", "--seed", 1)
    pair = (*words, "--b", "sklearn.linear_model:Ridge", "--order")
    done = evenfold(*pair, "day", "--design", "rolling:40:1", "--details")
    assert done.exit_code == 0, done.stderr
    assert "(diebold-mariano) on RollingWindow(train_size=40, horizon=1)" in done.stdout
    assert "for these forecasts along this path" in " ".join(done.stdout.split())
    data.write_text(data.read_text().replace("2024-01-02", "tomorrow"))
    assert "Column 'day' must be numbers or ISO dates" in evenfold(*pair, "day").stderr

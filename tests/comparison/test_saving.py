"""Files, stores and names: an answer is saved, listed and looked up."""

import pickle
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput

X, y = load_wine(return_X_y=True)
THREE: dict[str, Any] = {
    "dummy": DummyClassifier(),
    "bayes": GaussianNB(),
    "knn": KNeighborsClassifier(),
}


def compare(*names: str, **options: Any) -> ef.Comparison:
    return ef.compare({name: THREE[name] for name in names}, X, y, random_state=0, **options)


@pytest.fixture(scope="module")
def three() -> ef.Comparison:
    return compare("dummy", "bayes", "knn")


@pytest.mark.parametrize("ending", ["json", "HTML", "md", "tex", "txt", "csv", "svg", "png"])
def test_a_file_has_the_form_of_its_ending(
    three: ef.Comparison, tmp_path: Path, ending: str
) -> None:
    file = three.save(tmp_path / f"c.{ending}")
    assert file.stat().st_size > 100
    if ending == "json":
        assert str(ef.load(file)) == str(three)
    if ending == "md":
        assert file.read_text(encoding="utf-8") == three.to_markdown()


@pytest.mark.parametrize("name", ["c.docx", "c", "nowhere/c.json", "nowhere/c.png"])
def test_what_cannot_be_written_is_refused_in_one_line(
    three: ef.Comparison, tmp_path: Path, name: str
) -> None:
    with pytest.raises(
        InvalidInput, match=r"path must (be a file that can be written|end with)"
    ) as refusal:
        three.save(tmp_path / name)
    assert "\n" not in str(refusal.value)


def _pair(c: ef.Comparison, baseline: str, challenger: str) -> Any:
    """A pair that has an estimate and a verdict."""
    return c[baseline, challenger]


def test_a_pair_is_found_by_its_names(three: ef.Comparison) -> None:
    assert three["dummy", "bayes"] is three.pairs[0]
    there, back = _pair(three, "bayes", "knn"), _pair(three, "knn", "bayes")
    assert (back.baseline, back.challenger) == ("knn", "bayes")
    assert (str(there.verdict.outcome), str(back.verdict.outcome)) == ("worse", "better")
    one, other = there.estimate, back.estimate
    assert (other.value, other.pvalue, other.df) == (-one.value, one.pvalue, one.df)
    low, high = one.confidence_interval(0.9)
    assert other.confidence_interval(0.9) == (-high, -low)
    assert back.sentence == there.sentence
    again = pickle.loads(pickle.dumps(back))
    assert again.estimate.value == other.value


def test_a_turned_pair_is_what_the_other_question_gives() -> None:
    there = compare("bayes", "knn", design=ef.KFold(5), alternative="greater")
    other = compare("knn", "bayes", design=ef.KFold(5), alternative="less")
    back, own = _pair(there, "knn", "bayes"), _pair(other, "knn", "bayes")
    assert back.estimate.alternative == own.estimate.alternative == "less"
    for value in ("value", "statistic", "pvalue"):
        assert getattr(back.estimate, value) == pytest.approx(getattr(own.estimate, value))
    assert back.estimate.confidence_interval() == pytest.approx(own.estimate.confidence_interval())
    assert back.verdict.outcome is own.verdict.outcome


def test_a_turned_posterior_is_turned() -> None:
    c = compare("bayes", "knn", design=ef.KFold(5), method="bayes-correlated-t")
    there, back = _pair(c, "bayes", "knn").estimate, _pair(c, "knn", "bayes").estimate
    assert back.mean == -there.mean
    assert back.probability(0.1) == pytest.approx(1 - there.probability(-0.1))
    assert back.at(0.1).interval() == tuple(-x for x in reversed(there.interval(0.9)))


def test_not_worse_is_another_question_the_other_way_round() -> None:
    c = compare("bayes", "knn", design=ef.KFold(5), alternative="not-worse", margin=0.01)
    assert str(_pair(c, "bayes", "knn").verdict.outcome) == "worse"
    back = _pair(c, "knn", "bayes")
    assert str(back.verdict.outcome) == "better"
    assert back.sentence.startswith("knn is worse than bayes")
    assert back.sentence.endswith("With the two algorithms exchanged, the answer is 'better'.")


def test_names_that_are_none_are_refused_with_the_nearest(three: ef.Comparison) -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'bayes'"):
        three["bayez", "knn"]
    with pytest.raises(InvalidInput, match="pair must be two names"):
        three["dummy", "bayes", "knn"]  # type: ignore[index]  # what is refused
    against = compare("dummy", "bayes", "knn", baseline="dummy")
    with pytest.raises(
        InvalidInput, match=r"compared but got 'bayes' and 'knn'\. Leave baseline out"
    ):
        against["bayes", "knn"]


def test_a_store_lists_its_runs(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    c = compare("dummy", "bayes", measure=["zero-one", "log"], store=store)
    compare("dummy", "bayes", "knn", store=store)
    compare("bayes", store=store)
    runs = ef.runs(store)
    verdicts = {run.algorithms: run.verdict for run in runs}
    assert verdicts["dummy", "bayes"] == "bayes better than dummy"
    assert verdicts["dummy", "bayes", "knn"] == "may be best: bayes"
    assert verdicts["bayes",].startswith("bayes: 0.0")
    mine = next(run for run in runs if len(run.measures) == 2)
    assert (mine.data, mine.design) == ("178 examples", "mx2-bcv")
    assert str(ef.reopen(store, mine.id).verdict.outcome) == str(c.verdict.outcome)
    lines = str(runs).splitlines()
    assert (len(lines), lines[0].split()[0]) == (4, "id")
    assert len(runs[1:]) == 2
    assert list(runs.to_frame().columns) == lines[0].split()
    assert "<table>" in runs._repr_html_()
    assert str(pickle.loads(pickle.dumps(runs))) == str(runs)


def test_a_run_that_was_stopped_is_listed_as_unfinished_until_the_same_call_has_finished_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "runs.db"
    with monkeypatch.context() as patch:
        # at the first look
        patch.setattr("evenfold.run.api.run_from", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            compare("dummy", "bayes", store=store)
    (stopped,) = ef.runs(store)
    assert (stopped.algorithms, stopped.measures) == (("dummy", "bayes"), ("zero-one",))
    assert (stopped.data, stopped.design, stopped.verdict) == (
        "178 examples",
        "mx2-bcv",
        "unfinished",
    )
    with pytest.raises(InvalidInput, match=r"is not finished\. Repeat the call that began it"):
        ef.reopen(store, stopped.id)
    done = compare("dummy", "bayes", store=store)
    assert (done.fits, done.reused) == (0, 20)
    assert [run.verdict for run in ef.runs(store)] == ["bayes better than dummy"]


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="There is no store"):
        ef.runs(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_file_of_version_0_1_is_read_although_its_types_have_moved() -> None:
    path = Path(__file__).parent / "written" / "judge-0.1.json"
    assert "evenfold.corridor." in path.read_text(encoding="utf-8")
    found = ef.load(path)
    assert isinstance(found, ef.Comparison)
    assert str(found.verdict.outcome) == "better"
    assert found.estimate.value == pytest.approx(7 / 300)

"""``judge`` with few labels and many scores of a judge."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef


def table(n: int = 400, labelled: int = 60, *, seed: int = 0, bias: float = 0.3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    rows = []
    for name, gain in (("old", 0.0), ("new", 0.25)):
        human = quality + gain + rng.normal(0, 0.5, n)
        judge = 0.6 * human + bias * (name == "new") + rng.normal(0, 0.3, n)
        rows += [
            (name, i, human[i] if i % (n // labelled) == 0 else np.nan, judge[i]) for i in range(n)
        ]
    frame = pd.DataFrame(rows, columns=["algorithm", "example", "human", "judge"])
    return frame.sample(frac=1, random_state=1)


def arrays(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    wide = frame.pivot_table(
        index="example", columns="algorithm", values=["human", "judge"], dropna=False
    )
    d = pd.DataFrame({key: wide[key]["new"] - wide[key]["old"] for key in ("human", "judge")})
    d = d.sort_values("human", key=lambda x: x.isna(), kind="stable")
    return d.human.dropna().to_numpy(), d.judge.to_numpy()


def test_the_answer_is_that_of_the_method_on_paired_differences(tmp_path: Path) -> None:
    frame = table()
    labels, scores = arrays(frame)
    plain = ef.infer.prediction_powered_t(labels, scores)
    c = ef.judge(frame, labels="human", scores="judge", higher_is_better=True, baseline="old")
    assert c.estimate.value == pytest.approx(float(plain.value))
    assert c.estimate.confidence_interval() == pytest.approx(plain.confidence_interval(0.95))
    assert c.facts.method.key == "prediction-powered-t"
    assert "labels are worth as much as" in str(c)
    frame.to_csv(tmp_path / "t.csv", index=False)
    again = ef.judge(
        tmp_path / "t.csv", labels="human", scores="judge", higher_is_better=True, baseline="old"
    )
    assert again.estimate.value == pytest.approx(c.estimate.value)
    assert c.to_html()
    assert str(ef.Comparison.from_json(c.to_json())) == str(c)


def test_without_a_weight_it_is_the_plain_test_of_the_labels() -> None:
    labels, scores = arrays(table())
    plain = ef.infer.paired_t(labels)
    ours = ef.infer.prediction_powered_t(labels, scores, weight=0.0)
    assert ours.pvalue == pytest.approx(float(plain.pvalue))
    assert ours.confidence_interval() == pytest.approx(plain.confidence_interval())


def test_a_judge_that_favours_one_model_does_not_move_the_answer() -> None:
    fair = ef.judge(
        table(bias=0.0), labels="human", scores="judge", higher_is_better=True, baseline="old"
    )
    biased = ef.judge(
        table(bias=9.0), labels="human", scores="judge", higher_is_better=True, baseline="old"
    )
    assert biased.estimate.value == pytest.approx(fair.estimate.value)
    fooled = ef.judge(
        table(bias=9.0).drop(columns="human"),
        columns={"value": "judge"},
        higher_is_better=True,
        baseline="old",
    )
    assert fooled.estimate.value > 5


def test_single_models_and_clusters() -> None:
    frame = table()
    alone = frame[frame.algorithm == "new"]
    c = ef.judge(alone, labels="human", scores="judge", higher_is_better=True)
    ordered = alone.sort_values("human", key=lambda x: x.isna(), kind="stable")
    plain = ef.infer.prediction_powered_t(
        ordered.human.dropna().to_numpy(), ordered.judge.to_numpy()
    )
    assert c.estimate.value == pytest.approx(float(plain.value))
    grouped = frame.assign(group=frame.example // 5)
    clustered = ef.judge(
        grouped, labels="human", scores="judge", higher_is_better=True, baseline="old"
    )
    assert clustered.losses.partition.kind == "labelled-clusters"
    assert "new groups of examples" in str(clustered)


def test_three_models_are_ranked() -> None:
    third = table(seed=0)
    third = third[third.algorithm == "new"].assign(algorithm="newest")
    third[["human", "judge"]] += 0.5
    c = ef.judge(pd.concat([table(), third]), labels="human", scores="judge", higher_is_better=True)
    assert c.ranking[0].name == "newest"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labels": "human"}, "scores must be the name of a column because labels is given"),
        ({"labels": "human", "scores": "nobody"}, "must be one of"),
        (
            {"labels": "human", "scores": "judge", "measure": ["a", "b"]},
            "measure must be a single one",
        ),
    ],
)
def test_odd_questions_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=said):
        ef.judge(table(), higher_is_better=True, **options)


def test_labels_of_too_few_or_of_all_are_refused() -> None:
    frame = table()
    none = frame.assign(human=np.where(frame.example < 2, frame.human.fillna(0.0), np.nan))
    with pytest.raises(ef.EvenfoldError, match="labels must be given for at least 3 examples"):
        ef.judge(none, labels="human", scores="judge", higher_is_better=True)
    every = frame.assign(human=0.5)
    with pytest.raises(ef.EvenfoldError, match="missing for at least two"):
        ef.judge(every, labels="human", scores="judge", higher_is_better=True)

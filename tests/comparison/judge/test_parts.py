"""Tasks of a benchmark become one decision; slices have answers of their own and decide nothing."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import evenfold as ef
from evenfold.core.verdict import Outcome
from evenfold.infer.one_test_set.tango_exact import pvalues

TASKS = {"gsm8k": (400, 6, 5), "mmlu": (300, 3, 2), "arc": (200, 0, 20)}


def table(tasks: dict[str, tuple[int, int, int]] = TASKS) -> pd.DataFrame:
    parts = []
    for task, (n, fixed, broke) in tasks.items():
        right = np.arange(n) >= n // 5
        other = right.copy()
        other[:fixed] = True
        other[n - broke :] = False
        for name, answers in (("main", right), ("branch", other)):
            columns = {
                "algorithm": name,
                "task": task,
                "example": np.arange(n),
                "value": answers.astype(int),
            }
            parts.append(
                pd.DataFrame({**columns, "language": np.where(np.arange(n) % 3, "en", "de")})
            )
    return pd.concat(parts)


def judged(frame: Any = None, **keywords: Any) -> Any:
    frame = table() if frame is None else frame
    return ef.judge(frame, measure="accuracy", baseline="main", **keywords)


def test_tasks_are_pooled_by_example_and_have_a_row_each() -> None:
    c = judged()
    e = ef.infer.tango_exact(9, 27, 900)
    assert float(c.estimate.value) == pytest.approx(float(e.value))
    assert c.pairs[0].pvalue == pytest.approx(float(e.pvalue))
    rows = {part.label: part for part in c.facts.parts}
    assert [(rows[task].n, rows[task].fixed, rows[task].broke) for task in TASKS] == list(
        TASKS.values()
    )
    assert rows["arc"].outcome == "worse"
    assert rows["arc"].pvalue == pytest.approx(float(ef.infer.tango_exact(0, 20, 200).pvalue))
    assert rows["arc"].adjusted_pvalue == pytest.approx(3 * rows["arc"].pvalue)
    assert "task gsm8k" in str(c)
    assert "task gsm8k" in c.to_markdown()
    assert ef.Comparison.from_json(c.to_json()).facts.parts == c.facts.parts


def test_each_task_is_asked_at_the_whole_level() -> None:
    asked: Any = {"tasks": "each", "margin": 0.03, "alternative": "not-worse"}
    c = judged(table({task: TASKS[task] for task in ("gsm8k", "mmlu")}), **asked)
    assert c.verdict.outcome in (Outcome.EQUIVALENT, Outcome.NOT_WORSE)
    assert "on each of 2 tasks" in c.verdict.sentence
    assert {part.level for part in c.facts.parts} == {0.05}
    assert c.facts.pairs[0].outcome == str(c.verdict.outcome)
    assert len(c.facts.power) == 1
    found = judged(**asked)
    assert found.verdict.outcome is Outcome.WORSE
    assert found.verdict.sentence.startswith("branch is worse than main by more than 0.03 on arc")
    pooled = judged(margin=0.03, alternative="not-worse")
    assert pooled.verdict.outcome is not Outcome.WORSE  # nine hundred answers hide it


def test_a_task_that_decides_by_itself_shows_its_own_p_value() -> None:
    c = judged(tasks="each", slices=["language"])
    tasks = [part for part in c.facts.parts if part.column == "task"]
    slices = [part for part in c.facts.parts if part.column == "language"]
    assert {part.adjust for part in tasks} == {"none"}
    assert all((part.pvalue <= part.level) == (part.outcome != "inconclusive") for part in tasks)
    assert all(part.adjusted_pvalue is not None for part in slices)
    header = next(line for line in c.to_markdown().splitlines() if line.startswith("| part"))
    assert [cell.strip() for cell in header.split("|")][-4:-1] == ["p", "p (bonferroni)", "verdict"]


def test_one_open_task_leaves_the_question_open() -> None:
    c = judged(tasks="each", margin=0.09, alternative="not-worse")
    assert c.verdict.outcome is Outcome.INCONCLUSIVE
    assert "inconclusive for branch against main on arc, of 3 tasks" in c.verdict.sentence


@pytest.mark.parametrize("tasks", [("gsm8k", "mmlu"), ("gsm8k", "mmlu", "arc")])
def test_an_answer_on_each_task_is_read_back_and_an_edited_one_refused(
    tasks: tuple[str, ...],
) -> None:
    frame = table({task: TASKS[task] for task in tasks})
    c = judged(frame, tasks="each", margin=0.03, alternative="not-worse")
    text = c.to_json()
    assert str(ef.Comparison.from_json(text)) == str(c)
    if c.verdict.outcome is Outcome.WORSE:
        other = "better"
    else:
        other = "worse"
    before = str(c.verdict.outcome)
    edited = text.replace(f'"outcome": "{before}"', f'"outcome": "{other}"')
    edited = edited.replace(f'"{before.upper().replace(" ", "_")}"', f'"{other.upper()}"')
    with pytest.raises(ef.EvenfoldError):
        ef.Comparison.from_json(edited)


@pytest.mark.parametrize("how", ["pooled", "each"])
@pytest.mark.parametrize("tasks", [("arc",), ("arc", "gsm8k")])
def test_answers_on_tasks_of_several_models_are_read_back(how: Any, tasks: tuple[str, ...]) -> None:
    """One level per test is below the share of a task, so the level of a row decides nothing."""
    rng = np.random.default_rng(0)
    easy = rng.random(120)
    chances = {"base": 0.6, "b": 0.7, "c": 0.65, "d": 0.75}
    frame = pd.DataFrame({"example": np.arange(120), "task": np.resize(tasks, 120)})
    models = [
        frame.assign(algorithm=name, correct=rng.random(120) < chance + 0.2 * (easy - 0.5))
        for name, chance in chances.items()
    ]
    c = ef.judge(pd.concat(models), tasks=how)
    if how == "each":  # all pairs share the error, so a pair has less than the whole level
        assert {part.level for part in c.facts.parts} == {pair.level for pair in c.pairs}
        assert max(pair.level for pair in c.pairs) < c.facts.level
    else:
        assert any(pair.verdict is not None and pair.verdict.outcome.decided for pair in c.pairs)
    text = c.to_json()
    assert ef.Comparison.from_json(text).to_json() == text


def test_slices_share_the_level_and_decide_nothing() -> None:
    c = judged(slices=["language"])
    assert c.verdict.outcome is judged().verdict.outcome
    rows = [part for part in c.facts.parts if part.column == "language"]
    assert [part.label for part in rows] == ["de", "en"]
    assert sum(part.n for part in rows) == 900
    assert min(part.level for part in rows) == 0.025  # Holm: the next step has the rest
    assert all((part.low <= 0 <= part.high) == (part.adjusted_pvalue > 0.05) for part in rows)


def test_parts_share_the_level_whatever_is_asked_of_pairs() -> None:
    frame = table({"arc": (300, 1, 10), "gsm8k": (300, 1, 9), "mmlu": (300, 2, 10)})
    for how in ("max-t", "holm", "benjamini-hochberg", "none"):
        parts = judged(frame, adjust=how).facts.parts
        expected = ef.infer.adjustment([part.pvalue for part in parts], "bonferroni").tolist()
        assert [part.adjusted_pvalue for part in parts] == pytest.approx(expected)
        assert {part.adjust for part in parts} == {"bonferroni"}


def test_graded_values_have_parts_too() -> None:
    frame = table().assign(value=np.random.default_rng(0).random(1800))
    c = ef.judge(frame, higher_is_better=True, slices="language")
    assert {part.column for part in c.facts.parts} == {"task", "language"}
    assert all(part.fixed is None for part in c.facts.parts)


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ef.EvenfoldError, match="tasks must be one of"):
        judged(tasks="best")
    with pytest.raises(ef.EvenfoldError, match="slices must be one of"):
        judged(slices=["langauge"])
    arrays = {"a": [0, 1, 1], "b": [1, 1, 1]}
    with pytest.raises(
        ef.EvenfoldError, match=r"slices must be columns of the table but got '?language"
    ):
        ef.judge(arrays, rows="examples", measure="accuracy", slices=["language"])


def test_files_of_two_models_have_tasks_and_slices(tmp_path: Path) -> None:
    frame = table()
    paths = {}
    for name in ("main", "branch"):
        paths[name] = tmp_path / f"{name}.csv"
        frame[frame.algorithm == name].drop(columns="algorithm").to_csv(paths[name], index=False)
    c = ef.judge(paths, measure="accuracy", slices=["language"])
    assert c.facts.parts == judged(slices=["language"]).facts.parts


def test_pooled_tasks_that_differ_do_not_raise_the_error() -> None:
    """The counts of three tasks with chances of their own, by convolution; the level is kept."""
    sizes = (30, 30, 40)
    # (P(fixed), P(broke)) of each: a drop of .03 in all
    drops = ((0.0, 0.05), (0.04, 0.04), (0.0, 0.0375))
    n, margin = sum(sizes), 0.03
    assert sum(k * (b - a) for k, (a, b) in zip(sizes, drops, strict=True)) / n == pytest.approx(
        margin
    )
    most = 16
    total = np.zeros((1, 1))
    total[0, 0] = 1.0
    for size, (p_fix, p_break) in zip(sizes, drops, strict=True):
        counts = np.indices((most, most))
        rest = np.maximum(size - counts.sum(axis=0), 0)
        one = stats.multinomial.pmf(
            np.stack([*counts, rest], axis=-1), size, [p_fix, p_break, 1 - p_fix - p_break]
        )
        wider = np.zeros((total.shape[0] + most - 1, total.shape[1] + most - 1))
        for i, j in np.argwhere(total > 1e-15):
            wider[i : i + most, j : j + most] += total[i, j] * one
        total = wider
    assert total.sum() == pytest.approx(1.0, abs=1e-6)
    fixed, broke = (axis.ravel().astype(float) for axis in np.indices(total.shape))
    possible = (fixed + broke <= n) & (total.ravel() > 1e-9)
    p = pvalues(fixed[possible], broke[possible], n, np.full(int(possible.sum()), -margin))
    for level in (0.01, 0.025, 0.05, 0.1):
        assert total.ravel()[possible][p <= level].sum() <= level


def test_bounds_of_parts_are_called_what_they_are() -> None:
    gate = judged(margin=0.02, alternative="not-worse")
    assert "one-sided bounds  confidence" in str(gate).split("\n\n")[1]
    assert "CI  confidence" in str(judged()).split("\n\n")[1]


def test_every_pair_of_a_part_has_its_own_flips() -> None:
    rng = np.random.default_rng(1)
    rows = pd.MultiIndex.from_product(
        [("a", "b", "c"), TASKS, range(40)], names=["algorithm", "task", "example"]
    ).to_frame(index=False)
    c = ef.judge(rows.assign(value=rng.integers(0, 2, len(rows))), measure="accuracy")
    for flip in c.facts.flips:
        pair = (flip.baseline, flip.challenger)
        parts = [part for part in c.facts.parts if (part.baseline, part.challenger) == pair]
        counts = np.array([(part.fixed, part.broke) for part in parts], dtype=float)
        assert counts.sum(axis=0).tolist() == [len(flip.fixed), len(flip.broke)]
        values = [part.value * part.n for part in parts]
        assert values == pytest.approx(counts[:, 0] - counts[:, 1])

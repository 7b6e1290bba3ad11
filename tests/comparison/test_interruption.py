"""Ctrl-C in a run that has an answer so far gives this answer, marked as partial."""

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.cli.gate import GATE_FAILED, UNDECIDED, answer_gate
from evenfold.core.note import why_partial

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=120)
X = RNG.normal(size=(120, 3)) + 0.7 * Y[:, None]
RULE: dict[str, Any] = {"replicability": 0.999, "max_repetitions": 7, "version": "1"}
SAID = "The run was interrupted after 5 of at most 7 repetitions, and this is the answer so far."


def interrupting(after: int) -> Any:
    """Return a function that guesses, and is interrupted after so many calls."""
    calls: list[int] = []

    def guess(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (one signature)
        calls.append(len(y_train))
        if len(calls) > after:
            raise KeyboardInterrupt
        return np.arange(len(X_test)) % 2

    return guess


def compare(after: int, **options: Any) -> ef.Comparison:
    algorithms = {"coin": interrupting(after), "bayes": GaussianNB()}
    return ef.compare(algorithms, X, Y, random_state=7, **RULE, **options)


@pytest.mark.parametrize("after", [10, 13])
def test_after_the_first_look_the_answer_so_far_is_given(after: int, capsys: Any) -> None:
    whole = ef.compare(
        {"coin": interrupting(99), "bayes": GaussianNB()},
        X,
        Y,
        random_state=7,
        max_repetitions=5,
        version="1",
    )
    c = compare(after)
    assert (c.value, c.interval, c.pvalue) == (whole.value, whole.interval, whole.pvalue)
    assert len(c.losses.partition) == 10
    assert why_partial(c.facts.notes) == SAID
    assert f"  note      {SAID}\n" in f"{c}\n"
    assert "after 5 of at most 7 repetitions" in c.verdict.sentence
    assert SAID in c.to_html()
    assert capsys.readouterr().err == ""


def test_before_the_first_look_there_is_no_answer() -> None:
    with pytest.raises(KeyboardInterrupt):
        compare(9)


def test_a_store_goes_on_from_there(tmp_path: Any) -> None:
    store = tmp_path / "runs.db"
    c = compare(13, store=store)
    assert "Finished fits are in the store: call again with random_state=7 to continue." in str(c)
    again = compare(99, store=store)
    assert again.reused >= c.fits
    assert not why_partial(again.facts.notes)


@pytest.mark.parametrize("wish", ["better", "worse", "not-worse"])
def test_a_gate_is_undecided(wish: str) -> None:
    c = compare(13)
    code, said = answer_gate(c.facts, wish, None)
    assert code == UNDECIDED != GATE_FAILED
    assert SAID in said


def test_an_interrupted_look_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is that of the look before, whole."""
    from evenfold.infer.family import Family

    answers = Family.answers
    calls = []

    def interrupted(self: Family, losses: Any) -> Any:
        if len(losses.partition) == 14:
            calls.append(self)
            raise KeyboardInterrupt
        return answers(self, losses)

    monkeypatch.setattr(Family, "answers", interrupted)
    c = compare(99)
    assert calls
    assert len(c.losses.partition) == 10
    assert len(c.pairs[0].path) == 1

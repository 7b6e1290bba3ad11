"""Looking at a run while it grows."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.corridor.answer import Rule, estimated
from evenfold.corridor.ask import Asked
from evenfold.corridor.looks import Watch
from evenfold.infer.halves._parts import Halvings

RNG = np.random.default_rng(3)
N = 200
X = RNG.normal(size=(N, 4))
y = (X @ [1, 1, 0, 0] + RNG.normal(size=N) > 0).astype(int)
THREE = {"bayes": GaussianNB(), "logit": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=2)}
PAIRS = [("bayes", "logit"), ("bayes", "tree"), ("logit", "tree")]


@pytest.fixture(scope="module")
def losses() -> Any:
    partition = ef.Mx2BCV(9, random_state=0).partition(N)
    return ef.run.run(THREE, partition, X, y, seed=0)["zero-one"]


def _watched(losses: Any, rule: Rule) -> Watch:
    watch = Watch(rule, PAIRS)
    for m in rule.looks:
        if watch.look(losses.only(slice(2 * m))):
            break
    return watch


@pytest.mark.parametrize("method", ["mx2-influence-sequential-t", "mx2-sequential-t"])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_the_last_estimate_is_that_of_the_whole_run(losses: Any, method: str, margin: float) -> None:
    rule = Rule(asked=Asked(margin=margin, adjust="holm"), method=method, most=9)
    looked: dict[Any, Any] = dict(_watched(losses, rule).found)
    for pair, found in looked.items():
        at = int(found.stopped_at)
        whole: Any = estimated(losses.only(slice(2 * at)), pair, rule, rule.asked.share(3))
        ends = found.confidence_interval()
        assert whole.confidence_interval() == pytest.approx(ends, rel=1e-12)
        assert float(whole.pvalue) == pytest.approx(float(found.pvalue), rel=1e-12)


def test_every_look_of_a_pair_is_computed_once(losses: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    parts = Halvings.parts

    def counted(self: Halvings, m: int) -> Any:
        asked.append(m)
        return parts(self, m)

    monkeypatch.setattr(Halvings, "parts", counted)
    rule = Rule(asked=Asked(adjust="holm"), method="mx2-influence-sequential-t", most=9)
    watch = _watched(losses, rule)
    looks = [m for pair in PAIRS for m, _ in watch.seen[pair]]
    assert sorted(asked) == sorted(looks)
    assert max(map(len, watch.seen.values())) > 1

"""Tables as losses: matched by ids, whatever the order of rows; and every refusal."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score

import evenfold as ef
from evenfold.comparison.gather import notes_of_splits
from evenfold.comparison.judge.arrange import (
    ArrangedTable,
    TableOptions,
    Varied,
    arrange,
    what_varied,
)
from evenfold.comparison.judge.values import measure_of_table
from evenfold.core.errors import EvenfoldError, InvalidInput, NotApplicable
from evenfold.read.results import read_results

RNG = np.random.default_rng(3)


def arranged(
    frame: Any,
    *,
    measure: Any = None,
    positive: Any = None,
    higher: bool | None = True,
    drop: bool = False,
    **said: Any,
) -> ArrangedTable:
    options = TableOptions(
        on_missing="drop" if drop else "refuse",
        higher_is_better=None if measure else higher,
        positive=positive,
        **said,
    )
    results = read_results(frame, on_missing=options.on_missing)
    return arrange(results, what_varied(results), measure, options)


def crossed(**sizes: int) -> pd.DataFrame:
    """A frame with every combination of ids, two algorithms, and random values, rows shuffled."""
    names = ["algorithm", *sizes]
    index = pd.MultiIndex.from_product(
        [["b", "a"], *(range(size) for size in sizes.values())], names=names
    )
    frame = index.to_frame(index=False)
    frame["value"] = RNG.normal(size=len(frame))
    return frame.sample(frac=1, random_state=0)


def of(frame: pd.DataFrame, **where: Any) -> Any:
    for name, value in where.items():
        frame = frame[frame[name] == value]
    return frame.sort_values(
        [c for c in frame.columns if c not in ("algorithm", "value")]
    ).value.to_numpy()


def test_examples_are_matched_by_id() -> None:
    frame = crossed(example=6)
    found = arranged(frame)
    assert found.losses.partition.kind == "test-set"
    assert found.losses.algorithms == ("a", "b")
    assert found.losses.examples is not None
    assert found.losses.examples[0][0].tolist() == of(frame, algorithm="a").tolist()
    assert found.losses.values[1, 0] == of(frame, algorithm="b").mean()


def test_the_order_of_rows_changes_no_bit() -> None:
    frame = crossed(run=3, example=50).assign(group=lambda f: f.example % 7)
    first = arranged(frame).losses
    other = arranged(frame.sample(frac=1, random_state=5)).losses
    assert first.values.tobytes() == other.values.tobytes()
    assert first.examples is not None
    assert other.examples is not None
    assert all(
        x.tobytes() == y.tobytes()
        for a, b in zip(first.examples, other.examples, strict=True)
        for x, y in zip(a, b, strict=True)
    )
    assert first.clusters is not None
    assert other.clusters is not None
    assert first.clusters.tolist() == other.clusters.tolist()


def test_clusters_come_from_groups() -> None:
    frame = crossed(example=6).assign(group=lambda f: "g" + (f.example // 2).astype(str))
    found = arranged(frame).losses
    assert found.partition.kind == "clusters"
    assert found.clusters is not None
    assert found.clusters.tolist() == [0, 0, 1, 1, 2, 2]
    single = arranged(frame.assign(group=frame.example)).losses
    assert single.partition.kind == "test-set"  # every example its own cluster
    with pytest.raises(
        InvalidInput, match="Column 'group' must have at least two groups but it has one"
    ):
        arranged(frame.assign(group="x"))
    mixed = frame.assign(group=np.arange(12) % 5)
    with pytest.raises(InvalidInput, match=r"one group for every example but 4 have several: 1, 2"):
        arranged(mixed)


def test_doubled_and_missing_ids_are_named() -> None:
    frame = crossed(example=9)
    doubled = r"several for 1 of them\. Look at 'a' at example 3\.$"
    with pytest.raises(InvalidInput, match=doubled):
        arranged(pd.concat([frame, frame[(frame.example == 3) & (frame.algorithm == "a")]]))
    holes = frame[~((frame.algorithm == "b") & frame.example.isin([1, 2, 4, 5, 6, 7]))]
    with pytest.raises(
        InvalidInput,
        match=r"lacks 6, such as 'b' at example 1, 2, 4, 5, 6 and 1 more\. Add them\. If none",
    ):
        arranged(holes)
    found = arranged(holes, drop=True)
    assert found.ids is not None
    assert found.ids.tolist() == [0, 3, 8]
    (dropped,) = found.notes
    assert str(dropped) == "6 of 9 examples were left out because not every algorithm has them."
    apart = arranged(frame[(frame.algorithm == "a") == (frame.example < 4)], drop=True)
    assert apart.losses.partition.kind.shape == "two test sets"


def test_runs_with_equal_ids_are_paired() -> None:
    frame = crossed(run=3, example=5)
    found = arranged(frame).losses
    assert found.partition.kind == "runs"
    assert found.absent is None
    assert found.examples is not None
    assert found.examples[1][2].tolist() == of(frame, algorithm="b", run=2).tolist()
    assert found.means() == pytest.approx([of(frame, algorithm=name).mean() for name in "ab"])


def test_runs_of_one_each_are_not() -> None:
    frame = crossed(run=3, example=5)
    other = frame.assign(run=frame.run + 10 * (frame.algorithm == "b"))
    found = arranged(other).losses
    assert found.absent is not None
    assert found.absent.tolist() == [[False] * 3 + [True] * 3, [True] * 3 + [False] * 3]
    assert found.means() == pytest.approx([of(frame, algorithm=name).mean() for name in "ab"])
    said = arranged(frame, paired=False).losses.absent
    assert said is not None
    assert not said.any()
    with pytest.raises(
        InvalidInput, match=r"only have run 0, 1, 2, 10, 11 and 1 more\. Pass paired=False"
    ):
        arranged(other, paired=True)
    half = frame.assign(run=frame.run + (frame.algorithm == "b"))
    with pytest.raises(InvalidInput, match=r"run 0, 3\. Pass paired=False"):
        arranged(half)
    assert arranged(half, paired=False).losses.absent is not None


def test_runs_need_two_and_no_holes() -> None:
    frame = crossed(run=2, example=5)
    assert "With two runs of each algorithm" in str(arranged(frame).notes[0])
    with pytest.raises(
        InvalidInput, match="at least two runs of every algorithm but it has 1 of 'a'"
    ):
        arranged(frame[(frame.run == 0) | (frame.algorithm == "b")])
    hole = frame[~((frame.run == 1) & (frame.example == 2) & (frame.algorithm == "a"))]
    with pytest.raises(
        InvalidInput, match="every example but lacks 1, such as 'a' at run 1 example 2"
    ):
        arranged(hole)
    assert arranged(hole, drop=True).losses.partition.n == 4


def test_scores_of_runs_alone() -> None:
    frame = crossed(run=4)
    found = arranged(frame).losses
    assert found.partition.kind == "seeds"
    assert found.values[0].tolist() == of(frame, algorithm="a").tolist()
    unequal = frame.assign(run=frame.algorithm + frame.run.astype(str))[lambda f: f.run != "a3"]
    assert arranged(unequal).losses.means() == pytest.approx(
        [of(frame[frame.run < 3], algorithm="a").mean(), of(frame, algorithm="b").mean()]
    )


def test_folds_by_their_sizes() -> None:
    frame = crossed(fold=5)
    found = arranged(frame, n=102).losses
    assert found.partition.kind == "kfold"
    assert found.partition.test_sizes.tolist() == [21, 21, 20, 20, 20]
    sized = frame.assign(n_test=20, n_train=80)
    assert arranged(sized).losses.partition.n_train == 80
    with pytest.raises(InvalidInput, match=r"folds has no column 'n_test'\. Add it, or pass n="):
        arranged(frame)
    with pytest.raises(
        InvalidInput, match="n_train must be n − n_test where folds are cut of n = 100"
    ):
        arranged(sized.assign(n_train=90))
    with pytest.raises(
        InvalidInput,
        match="Column 'n_test' must have one whole number of at least 1 for every split",
    ):
        arranged(sized.assign(n_test=np.arange(10)))
    with pytest.raises(InvalidInput, match=r"every fold but lacks 1, such as 'b' at fold 2"):
        arranged(sized[~((sized.fold == 2) & (sized.algorithm == "b"))])


def test_folds_by_their_examples() -> None:
    frame = crossed(example=20).assign(fold=lambda f: f.example % 4)
    found = arranged(frame).losses
    assert found.partition.kind == "kfold"
    assert found.partition.test[1].tolist() == [1, 5, 9, 13, 17]
    assert found.examples is not None
    assert found.examples[0][1].tolist() == of(frame, algorithm="a", fold=1).tolist()
    assert found.values[1, 3] == pytest.approx(of(frame, algorithm="b", fold=3).mean())
    with pytest.raises(InvalidInput, match=r"one fold for every example but .* have several: 0, 1"):
        arranged(frame.assign(fold=np.arange(40) % 4))


def test_halvings_by_half_and_by_example() -> None:
    halves = arranged(crossed(repetition=3, fold=2), n=41).losses.partition
    assert halves.kind == "mx2"
    assert halves.test_sizes.tolist() == [21, 20] * 3
    frame = crossed(repetition=3, example=8).assign(
        fold=lambda f: (f.example // 2**f.repetition) % 2
    )
    found = arranged(frame).losses
    assert len(found.partition) == 6
    assert found.partition.test[2].tolist() == [0, 1, 4, 5]
    assert found.partition.train[2].tolist() == [2, 3, 6, 7]
    assert found.values[0, 2] == pytest.approx(
        of(frame, algorithm="a", repetition=1, fold=0).mean()
    )


def test_repeated_folds_are_splits() -> None:
    found = arranged(crossed(repetition=2, fold=5), n=50)
    assert found.losses.partition.kind == "repeated-kfold"
    assert "liberal" in str(next(notes_of_splits(found.losses)))
    assert found.losses.partition.n_train == 40


def test_splits_need_both_sizes() -> None:
    frame = crossed(split=4)
    with pytest.raises(InvalidInput, match="splits has no column 'n_test'"):
        arranged(frame)
    with pytest.raises(InvalidInput, match="random splits has no column 'n_train'"):
        arranged(frame.assign(n_test=10))
    found = arranged(frame.assign(n_test=10, n_train=90)).losses.partition
    assert (found.kind, found.n_train, found.n_test) == ("rlt", 90, 10)
    assert found.overlaps().size == 0
    assert found.occurrences().size == 0
    with pytest.raises(NotApplicable, match="does not say which examples trained in split 0"):
        list(found)
    with pytest.raises(NotApplicable, match="does not say which examples were tested in split 1"):
        found.test[1]


def test_splits_by_their_examples() -> None:
    frame = crossed(split=3, example=10)[lambda f: (f.example + f.split) % 3 > 0].assign(n_train=7)
    found = arranged(frame).losses
    assert found.values[0, 1] == pytest.approx(of(frame, algorithm="a", split=1).mean())
    with pytest.raises(
        InvalidInput,
        match=r"same test examples for every algorithm but not all have example 4 in",
    ):
        arranged(frame[~((frame.split == 1) & (frame.example == 4) & (frame.algorithm == "a"))])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (crossed(split=2, fold=3), "either splits or folds but it has the columns fold, split"),
        (crossed(repetition=3), "a fold beside every repetition"),
        (crossed(example=1), "several values of each algorithm but it has one of each"),
    ],
)
def test_what_cannot_be_told_is_refused(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        arranged(frame)


def test_data_sets_are_found() -> None:
    assert what_varied(read_results(crossed(dataset=3, fold=2))) is Varied.DATA_SETS


def predictions(n: int = 120) -> pd.DataFrame:
    truth = RNG.random(n) < 0.4
    parts = []
    for name in "ab":
        score = np.clip(0.5 * truth + 0.6 * RNG.random(n), 0, 1)
        part = pd.DataFrame(
            {"algorithm": name, "example": np.arange(n), "truth": truth.astype(int)}
        )
        parts.append(
            part.assign(prediction=(score > 0.5).astype(int), **{"p:0": 1 - score, "p:1": score})
        )
    return pd.concat(parts)


@pytest.mark.parametrize(
    "measure",
    [
        "zero-one",
        "accuracy",
        "f1",
        "precision",
        "recall",
        "auc",
        "log",
        "brier",
        "matthews_corrcoef",
        "balanced_accuracy",
    ],
)
def test_every_measure_has_values_whose_mean_it_is(measure: str) -> None:
    frame = predictions()
    found = arranged(frame, measure=measure).losses
    assert found.examples is not None
    for a, name in enumerate("ab"):
        own = frame[frame.algorithm == name]
        expected = {
            "accuracy": lambda o: (o.truth == o.prediction).mean(),
            "zero-one": lambda o: (o.truth != o.prediction).mean(),
            "f1": lambda o: f1_score(o.truth, o.prediction),
            "auc": lambda o: roc_auc_score(o.truth, o["p:1"]),
            "matthews_corrcoef": lambda o: matthews_corrcoef(o.truth, o.prediction),
        }.get(measure)
        values = found.examples[a][0]
        assert found.values[a, 0] == pytest.approx(values.mean())
        if expected is not None:
            assert values.mean() == pytest.approx(expected(own), rel=1e-9)


def test_scores_with_clusters_leave_clusters_out() -> None:
    frame = predictions().assign(group=lambda f: f.example // 10)
    found = arranged(frame, measure="matthews_corrcoef").losses
    assert found.examples is not None
    assert len(np.unique(found.examples[0][0])) <= 12


def test_the_default_measure_and_the_positive_class() -> None:
    frame = predictions()
    assert arranged(frame).losses.quantity.name == "zero-one"
    numbers = frame[frame.algorithm == "a"].assign(truth=RNG.normal(size=120))
    assert arranged(numbers).losses.quantity.name == "squared"
    texts = frame.replace({"truth": {0: "no", 1: "yes"}, "prediction": {0: "no", 1: "yes"}})
    found = arranged(texts.drop(columns=["p:0", "p:1"]), measure="f1", positive="yes").losses
    assert found.quantity.positive == "yes"
    assert found.values == pytest.approx(arranged(frame, measure="f1", positive="1").losses.values)


@pytest.mark.parametrize("label", [True, False])
def test_a_bool_class_may_be_named_as_files_write_it(label: bool) -> None:
    truth = np.arange(40) % 3 == 0
    frame = pd.DataFrame({"algorithm": np.repeat(["a", "b"], 40), "example": [*range(40)] * 2})
    frame = frame.assign(truth=np.tile(truth, 2), prediction=np.arange(80) % 5 < 2)
    by_name = arranged(frame, measure="f1", positive=str(label)).losses
    np.testing.assert_array_equal(
        by_name.values, arranged(frame, measure="f1", positive=label).losses.values
    )


def test_right_and_wrong_are_known() -> None:
    frame = predictions()
    found = arranged(frame, measure="f1")
    assert found.right is not None
    assert found.right[0].tolist() == (frame.truth == frame.prediction)[:120].tolist()
    values = crossed(example=4).assign(value=[0, 1, 1, 0, 1, 1, 0, 0])
    higher, lower = arranged(values).right, arranged(values, higher=False).right
    assert higher is not None
    assert lower is not None
    assert (higher == ~lower).all()
    assert arranged(crossed(example=4)).right is None


def test_weights_make_weighted_means() -> None:
    frame = crossed(example=30).assign(weight=lambda f: 1 + f.example % 3)
    found = arranged(frame).losses
    own = frame[frame.algorithm == "a"]
    assert found.values[0, 0] == pytest.approx(np.average(own.value, weights=own.weight))
    assert found.quantity.weighted
    weighted = predictions().assign(weight=lambda f: 1 + f.example % 2)
    part = weighted[weighted.algorithm == "a"]
    got = arranged(weighted, measure="f1").losses.values[0, 0]
    assert got == pytest.approx(f1_score(part.truth, part.prediction, sample_weight=part.weight))
    got = arranged(weighted, measure="auc").losses.values[0, 0]
    assert got == pytest.approx(roc_auc_score(part.truth, part["p:1"], sample_weight=part.weight))
    with pytest.raises(NotApplicable, match=r"has no weighted form\. Leave 'weight' out"):
        arranged(weighted, measure="rand_score")
    with pytest.raises(InvalidInput, match="Column 'weight' must not be negative and not all 0"):
        arranged(frame.assign(weight=-1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: arranged(crossed(example=4), higher=None), "higher_is_better must be given "
                                                            "because the direction"),
        (lambda: arranged(predictions().assign(truth=odd)), "120 have several: 0, 1, 2, 3, 4 "
                                                            "and"),
        (lambda: arranged(predictions().drop(columns=["p:0", "p:1"]), measure="log"), "no column "
                                                                                      "'p:0'"),
        (lambda: arranged(predictions().assign(prediction=0), measure="precision"), "The score is "
                                                                                    "0/0"),
    ],
)  # fmt: skip
def test_refusals_of_measures(make: Any, message: str) -> None:
    with pytest.raises(EvenfoldError, match=message):
        make()


def odd(frame: pd.DataFrame) -> Any:
    return (frame.example + (frame.algorithm == "b")) % 2


def test_a_known_measure_has_its_direction() -> None:
    results = read_results(crossed(example=4).assign(value=0.5))
    one = measure_of_table(
        results, "zero-one", higher_is_better=None, positive=None, per_example=True
    )
    assert one.quantity.lower_is_better
    own = measure_of_table(
        results, "reward", higher_is_better=True, positive=None, per_example=True
    )
    assert own.quantity.name == "reward"
    with pytest.raises(InvalidInput, match="given because evenfold does not know measure 'reward'"):
        measure_of_table(results, "reward", higher_is_better=None, positive=None, per_example=True)


def answers(**columns: tuple[list[int], list[int]]) -> pd.DataFrame:
    """Return a table of two models on ten items: the columns of a, then those of b."""
    parts = [
        pd.DataFrame({"id": range(10), "model": name, **{k: v[i] for k, v in columns.items()}})
        for i, name in enumerate("ab")
    ]
    return pd.concat(parts)


BAD = [1] * 2 + [0] * 8
GOOD = [1] * 8 + [0] * 2


@pytest.mark.parametrize("name", ["correct", "resolved", "pass", "exact_match"])
@pytest.mark.parametrize("measure", ["zero-one", "brier"])
def test_what_is_right_is_never_read_as_a_loss(name: str, measure: str) -> None:
    table = answers(**{name: (BAD, GOOD)})
    assert ef.judge(table).value == pytest.approx(0.6)
    with pytest.raises(InvalidInput, match=f"column '{name}' says which answers are right"):
        ef.judge(table, measure=measure)
    assert ef.judge(table, measure=measure, columns={"value": name}).value == pytest.approx(0.6)


def test_a_column_that_may_say_what_is_right_gives_way_to_a_value() -> None:
    truth = [1, 0] * 5
    other = [1 - label for label in truth]
    predicted = {"y_true": (truth, truth), "y_pred": (other, truth)}
    assert ef.judge(answers(**predicted, **{"pass": (GOOD, BAD)})).value == pytest.approx(-1.0)
    both = answers(correct=(BAD, GOOD), exact_match=(GOOD, BAD))
    assert ef.judge(both).value == pytest.approx(0.6)
    scored = answers(score=(BAD, GOOD), resolved=(GOOD, BAD))
    assert ef.judge(scored, higher_is_better=True).value == pytest.approx(0.6)

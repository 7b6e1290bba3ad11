"""The lab feeds methods for one data set by the thousand, each at the training size it is about."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.core.losses import Losses, Quantity
from evenfold_lab.studies.answers import methods_for

SMALL: dict[str, Any] = {"n": 40, "replications": 12, "random_state": 0}


def test_nested_cv_is_judged_at_the_full_training_size() -> None:
    study = ef.lab.coverage(
        "mean-line", methods=["nested-cv", "cv-clt", "corrected-resampled-t"], **SMALL
    )
    rows = {row["method"]: row for row in study.rows}
    assert rows["nested-cv"]["n_train"] == 40
    assert rows["cv-clt"]["n_train"] == rows["corrected-resampled-t"]["n_train"] == 36
    assert rows["nested-cv"]["truth"] != rows["cv-clt"]["truth"]
    assert all(0 <= row["coverage"] <= 1 for row in rows.values())


@pytest.mark.parametrize(
    "key", ["permutation", "paired-bootstrap", "5x2-mcnemar", "bayes-correlated-t", "cv-clt-within"]
)
def test_the_others_are_judged_too(key: str) -> None:
    (row,) = ef.lab.type1("two-gaussians", methods=[key], **SMALL).rows
    assert 0 <= row["size"] <= 1
    assert row["applicable"] == 1


def test_only_methods_of_pairs_are_asked() -> None:
    known = methods_for(measure="zero-one", algorithms=2, grouped=False)
    assert {"nested-cv", "permutation", "5x2-mcnemar"} <= set(known)
    assert not {"cochran-q", "delong"} & set(known)


def test_a_batch_of_data_sets_is_a_loop() -> None:
    rng = np.random.default_rng(0)
    partition = ef.design.NestedKFold(3, 2, random_state=0).partition(11)
    sizes = partition.test_sizes
    batches = [[rng.normal(size=(4, size)) for size in sizes] for _ in range(2)]

    def losses(rows: list[list[np.ndarray]]) -> Losses:
        values = np.stack([np.stack([r.mean(axis=-1) for r in row], axis=-1) for row in rows])
        return Losses(
            quantity=Quantity(name="squared", lower_is_better=True),
            algorithms=("a", "b"),
            partition=partition,
            values=values,
            fit_seconds=values,
            predict_seconds=values,
            examples=rows,
        )

    together: Any = ef.infer.estimate(losses(batches), "nested-cv")
    for r in range(4):
        one: Any = ef.infer.estimate(
            losses([[split[r] for split in row] for row in batches]), "nested-cv"
        )
        assert_allclose(one.value, together.value[r], rtol=1e-12)
        assert_allclose(one.standard_error, together.standard_error[r], rtol=1e-12)

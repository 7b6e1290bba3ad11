"""What a method itself can be told reaches its formula, and what it does not know is refused."""

from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldError
from evenfold.run.sample import sample


def test_the_boundary_of_the_thesis_is_that_of_the_function() -> None:
    losses = sample(ef.Mx2BCV(5, random_state=0).partition(150))
    d = losses.differences().reshape(5, 2)
    told: Any = ef.infer.estimate(losses, "mx2-sequential-t", method_options={"boundary": "thesis"})
    plain: Any = ef.infer.estimate(losses, "mx2-sequential-t")
    direct: Any = ef.infer.mx2_sequential_t(d, boundary="thesis")
    np.testing.assert_allclose(told.confidence_interval(), direct.confidence_interval())
    assert np.ptp(told.confidence_interval()) != pytest.approx(np.ptp(plain.confidence_interval()))


def test_the_weight_of_the_blocked_test_and_the_correlations_of_the_oracle() -> None:
    losses = sample(ef.design.Blocked3x2(random_state=0).partition(150))
    d = losses.differences().reshape(3, 2)
    told: Any = ef.infer.estimate(losses, "blocked-3x2-t", method_options={"lam": 0.3})
    assert float(told.pvalue) == pytest.approx(float(ef.infer.blocked_3x2_t(d, lam=0.3).pvalue))
    oracle: Any = ef.infer.estimate(
        losses, "mx2-oracle-t", method_options={"rho1": 0.1, "rho2": 0.2}
    )
    assert float(oracle.pvalue) == pytest.approx(
        float(ef.infer.mx2_oracle_t(d, rho1=0.1, rho2=0.2).pvalue)
    )


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        (
            "mx2-sequential-t",
            {"bondary": "thesis"},
            "method 'mx2-sequential-t' has no option 'bondary'. Did you mean 'boundary'",
        ),
        (
            "mx2-t",
            {"prior": 1},
            "method 'mx2-t' has no option 'prior'. It takes no options: leave 'prior' out.",
        ),
        ("mx2-sequential-t", {"boundary": "none"}, "boundary must be"),
        ("mx2-oracle-t", {}, "needs rho1 and rho2. Pass them in method_options."),
    ],
)
def test_what_a_method_does_not_know_is_refused(
    method: str, options: dict[str, object], message: str
) -> None:
    losses = sample(ef.Mx2BCV(5, random_state=0).partition(150))
    with pytest.raises(EvenfoldError, match=message):
        ef.infer.estimate(losses, method, method_options=options)

"""Thousands of random runs: pairs, ranks, letters and the set of the best never disagree."""

import pytest
from tests.comparison.test_one_answer import check_answers

from evenfold.core.verdict import Outcome
from evenfold.infer.adjust import ADJUSTMENTS

pytestmark = pytest.mark.guarantee


@pytest.mark.filterwarnings("ignore::evenfold.core.errors.DegenerateData")
@pytest.mark.parametrize("adjust", sorted(ADJUSTMENTS))
def test_every_number_and_word_of_thousands_of_answers_agrees(adjust: str) -> None:
    seen = check_answers(adjust, runs=500, seed=1)
    assert seen == set(Outcome) - {Outcome.NOT_APPLICABLE}

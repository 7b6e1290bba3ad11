"""The exact test of paired right/wrong answers, ordered by Tango's score (docs/infer/holdout)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats, TestEstimate, open_interval_side
from evenfold.core.partition import HOLDOUT, TEST_SET
from evenfold.infer._base import Answer, Pivot, mean_t, method
from evenfold.infer._registry import MODELS
from evenfold.infer.inputs import FlipCounts, Question
from evenfold.infer.one_test_set.flips import (
    MOST_EXACT,
    exact_pvalue,
    lower_limit,
    score,
    upper_pvalue,
)

_FEW = 40  # answers that differ, up to which McNemar's exact p-value is said beside

_MOST_ANSWERS = 2e7  # whose factorials fit into memory


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class FlipsEstimate(TestEstimate):
    """
    The outcome of the exact test of paired right/wrong answers.

    Attributes
    ----------
    up, down : array
        Examples that raise the value and that lower it: fixed and broken ones where the value is an
        accuracy, broken and fixed ones where it is an error.
    n : array
        All examples.
    """

    up: Floats
    down: Floats
    n: Floats

    @property
    def exact(self) -> NDArray[np.bool_]:
        """
        Whether probabilities are exact.

        Tango's normal law elsewhere, where hundreds of answers differ.
        """
        return np.asarray(self.up + self.down <= MOST_EXACT)[()]

    @property
    def mcnemar(self) -> Floats:
        """
        McNemar's exact two-sided p-value of no difference.

        Given how many answers differ, and blunter.
        """
        return exact_pvalue(self.up, self.down)

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        if self.alternative == "greater":
            return self._pvalue_above()
        if self.alternative == "less":
            return self._pvalue_below()
        return cast(
            "Floats",
            np.minimum(2 * np.minimum(self._pvalue_above(), self._pvalue_below()), 1.0)[()],
        )

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit, each where a one-sided test begins to reject."""
        error = self.error_per_side(confidence_level)
        low = self._ask_each_table(lambda up, down, n: lower_limit(up, down, n, error, self.null))
        high = self._ask_each_table(
            lambda up, down, n: -lower_limit(down, up, n, error, -self.null)
        )
        return open_interval_side(low, high, self.alternative)

    @property
    def note(self) -> str:
        """
        Which law was used, where it is not the exact one.

        McNemar's p-value where few answers differ.
        """
        if np.ndim(self.up):
            return ""
        differ = int(self.up + self.down)
        if not self.exact:
            return (
                f"{differ} answers differ: Tango's normal law is used, not the exact one (to "
                f"{MOST_EXACT})"
            )
        if not 0 < differ <= _FEW:
            return ""
        plain = float(replace(self, null=0.0, alternative="two-sided").pvalue)
        return (
            f"the test of no difference at all has p = {plain:.2g}; McNemar's exact test, which "
            "looks at "
            f"nothing but the {differ} answers that differ, p = {float(self.mcnemar):.2g}"
        )

    def _pvalue_above(self) -> Floats:
        return self._ask_each_table(lambda up, down, n: upper_pvalue(up, down, n, self.null))

    def _pvalue_below(self) -> Floats:
        return self._ask_each_table(lambda up, down, n: upper_pvalue(down, up, n, -self.null))

    def _ask_each_table(self, of: Callable[[int, int, int], float]) -> Floats:
        """Ask about each table once."""
        tables = np.stack(np.broadcast_arrays(self.up, self.down, self.n), axis=-1).astype(np.int64)
        single, place = np.unique(tables.reshape(-1, 3), axis=0, return_inverse=True)
        answers = np.array([of(*table) for table in single.tolist()])
        return cast("Floats", answers[place.ravel()].reshape(tables.shape[:-1])[()])


def _single_answer(asked: Question) -> Pivot | None:
    """
    One algorithm alone has no answers that differ from another's.

    Then it is a share as any other.
    """
    if asked.a is not None:
        return None
    return mean_t(asked.examples()[0])


@method(
    valid=MODELS,
    takes=FlipCounts(),
    conservative="never above its level for these two models, whatever share of the answers "
    "differs; it says "
    "nothing of other training sets",
    source="Tango 1998; Berger 1994",
    default_for=(TEST_SET, HOLDOUT),
    counted="accuracy",
    run=_single_answer,
    no_card="for the two models at hand its error is at most its level by proof and by "
    "enumeration, which "
    "tests do; for the algorithms it is that of holdout-t",
)
def tango_exact(fixed: Floats, broke: Floats, n: Floats, *, null: float) -> Answer[FlipsEstimate]:
    """
    Test the difference of two models from the answers that one gets right and the other wrong.

    Most answers of two models are alike, so that a mean difference rests on a few: there the paired
    t-test passes a model that *is* worse by a margin far too often, in up to .195 of the cases at a
    level of .05.

    *Formula.* δ = P(fixed) − P(broke), estimated by (b − c)/n. Tango's score at δ0 = −Δ is z = (b −
    c + nΔ)/√(n(2q − Δ − Δ²)), q the maximum-likelihood estimate of P(broke) under δ = δ0. One-sided
    p = sup over P(broke) of P(z(X) ≥ z) with X trinomial, the largest over all Δ' ≥ Δ; two-sided
    twice the smaller. Either limit of the interval inverts its one-sided test. Where more than 1000
    answers differ, z is taken for normal.

    *Validity.* About these two models on new examples of this kind, which must be independent. The
    error is at most the level for every n, margin and share of answers that differ; power is within
    .05 of that of Tango's normal law, which errs up to .059. On zero-one losses the value is the
    error of B less that of A: (c − b)/n.

    >>> e = ef.infer.tango_exact(1, 1, 100, null=-0.03, alternative="greater")
    >>> round(float(e.statistic), 4), round(float(e.pvalue), 4)
    (1.4919, 0.0752)
    >>> e = ef.infer.tango_exact(0, 4, 1000)
    >>> round(float(e.pvalue), 3), round(float(e.mcnemar), 3)
    (0.047, 0.125)
    >>> [round(float(x), 4) for x in e.confidence_interval()]
    [-0.0102, -0.0001]
    """
    if not -1 < null < 1:
        refuse("null", "a difference of two shares, above −1 and below 1", null)
    if np.max(n, initial=0.0) > _MOST_ANSWERS:
        refuse(
            "n",
            f"at most {_MOST_ANSWERS:g} answers",
            f"{np.max(n):g}",
            "of so many the paired t is right",
        )
    value = (fixed - broke) / n
    variance = (fixed + broke - (fixed - broke) ** 2 / n) / n**2
    return Answer(
        FlipsEstimate,
        value=value[()],
        standard_error=np.sqrt(np.maximum(variance, 0.0))[()],
        statistic=score(fixed, broke, n, null),
        up=fixed[()],
        down=broke[()],
        n=n[()],
    )

"""The influence test on the repetitions of an m×2 BCV, and how long to repeat (ours)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import flag
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import (
    Alternative,
    Floats,
    PivotEstimate,
    StudentT,
    TestEstimate,
    interval_around,
    t_quantile,
)
from evenfold.core.losses import Losses, safe_ratio
from evenfold.core.partition import MX2_BCV
from evenfold.infer._arrays import (
    ArrayLike,
    fields_of_test,
    floats,
    hypothesis,
    mean_and_variance,
    mean_last,
    safe_variance,
    variance_of_mean,
    warn_degenerate,
)
from evenfold.infer._base import method
from evenfold.infer._designs import BALANCED_HALVES
from evenfold.infer.effects import NO_SPREAD, needed_noncentrality, t_power, threshold_of
from evenfold.infer.inputs import HALVINGS, Question
from evenfold.infer.tables.kernels import cluster_codes, cluster_sums

Booleans = NDArray[np.bool_]


# The losses of single examples in an m×2 BCV tell about the variance of their mean (ours).
#
# The orthogonal array makes the run a factorial experiment: what an example is worth as a test
# point, what it is worth as training data, and how the two interact leave different traces in the
# losses. The page "The influence test" of the documentation derives what each trace estimates, in
# the symbols used here.


FEWEST = 10  # examples that must differ before the losses of single examples are trusted
# weights of C, W and X in E
_SHIFTS = 2.5
_FLIPS = 0.25
_INFLUENCE = 1.0
# the least df, as Satterthwaite's approximation fails below it; V is large there, so that tests of
# pairs that differ by single flips still err less than .03 at .05
_LEAST = 4.0
_EFFECTIVE = 20  # df of T that ten examples alike would give it
# the sign must stay without so many examples, where fewer than that carry the difference
LARGEST = FEWEST
_TRUST = 0.9  # quantile that the influence part must exceed before it overrules the others
_ROUNDING = 1e-14  # share of the largest loss that may be rounding
_ZERO = 1e-12  # share of a number that may be rounding


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Parts:
    """
    What the losses of m halvings tell about Var μ̂.

    Attributes
    ----------
    m : int
        Number of repetitions.
    mean : array
        μ̂.
    test, test_df : array
        T = s²(ē)/n over the mean losses of the examples, and its degrees of freedom f by their
        kurtosis.
    repetition : array
        R: sample variance of the m repetition means.
    flips : array
        W: mean over examples of their variance over repetitions, over n; what R would be if
        examples flipped one by one.
    influence : array
        U: mean square of the m influence contrasts.
    halves : array
        V2: variance of the 2m hold-out values, as ``mx2-t`` has it.
    training : array
        Q: mean square of what the halves of a repetition differ by because they trained each
        other's models.
    differ : array
        Examples (or groups) whose mean loss is not 0.
    largest : array
        The largest loss of one example.
    held : array
        Share of Σ|ē − μ̂| that one example (or group) holds; 0 where fewer than ten differ.
    trimmed : array
        The mean without the ten examples (or groups) that are farthest from it.
    n : int
        Examples.
    contrasts : int, optional
        How many contrasts U and Q are the mean squares of, where these are parts that another
        number of repetitions would have; m elsewhere.

    Notes
    -----
    A plan takes the parts of a pilot for those of a pair: every part falls as 1/n, and T loses W/m
    with more repetitions. The standard error is taken for the true one, although it is 1.2 to 1.5
    times as large for most differences: sizes are on the safe side. The power is that of the last
    look, at which the whole level is left.
    """

    name: ClassVar[str] = "as in the pilot"  # how figures call what a plan is made with
    fewest: ClassVar[int] = 3

    m: int
    mean: Floats
    test: Floats
    test_df: Floats
    repetition: Floats
    flips: Floats
    influence: Floats
    halves: Floats
    training: Floats
    differ: Floats
    largest: Floats
    held: Floats
    trimmed: Floats
    n: int
    contrasts: int | None = None

    @property
    def pooled(self) -> Floats:
        """Return P, the variance of a repetition's mean, pooled over sums and differences."""
        # parts that another number of repetitions would have keep the contrasts of the pilot
        k = self.contrasts or self.m
        return (k - 1) * (self.repetition + self.training) / (2 * k - 1)

    @property
    def shifts(self) -> Floats:
        """Return C, how much models vary between training sets beyond single flipped examples."""
        return np.maximum(self.pooled - self.flips, 0.0)

    @property
    def whole_models(self) -> Booleans:
        """Whether models vary more between training sets than single examples do."""
        return self.shifts > self.flips + (_ROUNDING * self.largest) ** 2

    @property
    def between(self) -> Floats:
        """Return the variance of the mean over random partitions of the same data."""
        return np.maximum(self.repetition, self.flips) / self.m

    @property
    def step(self) -> Floats:
        """Return what two examples more or less could change: 2/n times the largest loss of one."""
        return 2 / self.n * self.largest

    @property
    def few(self) -> Booleans:
        """Whether fewer than ten examples differ."""
        return self.differ < FEWEST

    def is_outweighed(self, null: float) -> Booleans:
        """
        Whether a few examples outweigh all others.

        They do if the mean without the ten largest is beyond the null. This matters only where the
        tails leave T the degrees of freedom of fewer than ten examples, which happens less and less
        as examples are added.
        """
        turns = (self.mean - null) * (self.trimmed - null) < 0
        return ~self.few & (self.test_df < _EFFECTIVE) & turns

    def variance(self) -> tuple[Floats, Floats]:
        """
        Return V and its degrees of freedom.

        If few examples differ, V is at least the variance of the conservative test ``mx2-t``, which
        is (2m + 1)/(2m − 1)·V2 with 2m − 1 df. If k examples differ alike, the statistic of that
        test is nearly √k, close to the sign test.
        """
        m = self.m
        V, df = self._of_examples()
        safe = np.maximum(V, safe_variance(self.halves, m))
        V = np.where(self.few, safe, V)
        # k examples that all differ alike have the statistic √k: with k + 1 df the test then
        # rejects about as the sign test does
        df = np.where(self.few, np.minimum(self.differ + 1, 2 * m - 1), df)
        # the mean of equal losses may differ from them by rounding
        varies = np.sqrt(V) > _ROUNDING * self.largest
        df = np.where(varies, df, np.where(self.few, 1.0, np.inf))
        return np.where(varies, V, 0.0)[()], df[()]

    def _of_examples(self) -> tuple[Floats, Floats]:
        """
        Return V = T + C/m + √(t² + 2tE + D²) − t and Satterthwaite's degrees of freedom.

        The term t = T − W/m is what remains of T as repetitions are added, and E = 2.5·C + W/4 + X
        is what training adds to it, with X = U − Q − T and D = C − W, each at least 0. T has f
        degrees of freedom, and P = C + W has 2m − 1.
        """
        lasting = np.maximum(self.test - self.flips / self.m, 0.0)
        return self._guard_variance(
            *self.add_components(self.test, self.test_df, lasting, again=1 / self.m)
        )

    def add_components(
        self,
        T: Floats,
        f: Floats,
        t: Floats,
        *,
        again: float = 0.0,
        whole: float = 1.0,
        models: int | None = None,
    ) -> tuple[Floats, Floats]:
        """
        Return T + again·C + √(t² + 2tE + whole·D²) − t and its df.

        The root is what training adds to the test points.

        T, with f df and t of it lasting, may be that of another run on the same data; P has
        ``models`` df, 2m − 1 if not said.
        """
        W = self.flips
        P = self.pooled
        C = self.shifts
        X = np.maximum(self.influence - self.training - self.test, 0.0)
        E = _SHIFTS * C + _FLIPS * W + _INFLUENCE * X
        D = np.maximum(C - W, 0.0)
        root = np.sqrt(t**2 + 2 * t * E + whole * D**2)
        V = T + again * C + root - t
        safe = np.where(root > 0, root, 1.0)
        by_test = np.where((t > 0) & (root > 0), (t + E) / safe, 1.0) * T  # T·∂V/∂T
        shifting = P > (1 - _ZERO) * W  # a tie, as discrete losses have, must not hang on rounding
        by_pooled = np.where(root > 0, (_SHIFTS * t + whole * D) / safe, 0.0) + again
        spread = by_test**2 / f + np.where(shifting, by_pooled * P, 0.0) ** 2 / (
            models or 2 * self.m - 1
        )
        # where t is nearly 0 the root is so steep that the approximation breaks down
        df = np.maximum(np.where(spread > 0, V**2 / np.where(spread > 0, spread, 1.0), 1.0), _LEAST)
        return V, df

    def _guard_variance(self, V: Floats, df: Floats) -> tuple[Floats, Floats]:
        """
        Replace V by U, less what interactions add to it, where it exceeds what chance allows.

        If single training examples do not matter, U is T with m df, T itself is nearly known,
        and what interactions add has R's m − 1. V itself holds X, and with it U: it cannot say
        whether U is too large.
        """
        k = self.contrasts or self.m
        test = self.test + self.flips * (1 / k - 1 / self.m)  # T after k repetitions
        noise = 2 * (k + 1) / (k - 1) * self.repetition
        allowed = special.chdtri(k, 1 - _TRUST) / k * test + special.fdtri(k, k - 1, _TRUST) * noise
        over = self.influence > allowed
        larger = np.maximum(V, self.influence - noise)
        return np.where(over, larger, V)[()], np.where(over, np.minimum(df, self.m), df)[()]

    def after(self, m: int, examples: float = 1.0) -> "Parts":
        """
        Return what these parts would be after m repetitions, with so many times as many examples.

        Of T only W/m changes with the number of repetitions; every part falls as 1/n. U is known no
        better than it was: what chance allowed is not taken for more with more repetitions.
        """
        test = np.maximum(self.test + self.flips * (1 / m - 1 / self.m), 0.0)
        falling = ("repetition", "flips", "influence", "halves", "training", "held")
        return replace(
            self,
            m=m,
            test=test / examples,
            test_df=self.test_df * examples,
            differ=self.differ * examples,
            n=round(self.n * examples),
            contrasts=self.contrasts or self.m,
            **{name: getattr(self, name) / examples for name in falling},
        )

    def power(self, difference: float, *, n: int, m: int, level: float, alternative: str) -> float:
        """Return the chance that the test, or the last look of it, finds a difference."""
        two_sided = hypothesis(0.0, alternative)[1] == "two-sided"
        variance, df = (float(x) for x in self.after(m, n / self.n).variance())
        if variance == 0:  # flips that average out hide no difference
            return 1.0 if difference else level
        threshold = threshold_of(level, df, two_sided=two_sided)
        return t_power(abs(difference) / math.sqrt(variance), threshold, df, two_sided=two_sided)

    def detectable(self, *, m: int, level: float, alternative: str, power: float = 0.8) -> float:
        """Return the difference that m repetitions on these examples find with this power."""
        two_sided = hypothesis(0.0, alternative)[1] == "two-sided"
        variance, df = (float(x) for x in self.after(m).variance())
        threshold = threshold_of(level, df, two_sided=two_sided)
        return needed_noncentrality(power, threshold, df, two_sided=two_sided) * math.sqrt(variance)


class Halvings:
    """
    The losses (..., M, n) of all repetitions, with their parts after any number of them.

    Parameters
    ----------
    e, first : arrays (..., M, n) and (M, n)
        Losses, and whether an example is tested by the first split of a repetition.
    clusters : array (n,), optional
        The group of every example; groups are then the units that are drawn, in T and W too.
    zeros : bool
        Whether a mean loss of 0 means that nothing differs, as it does not for the influence values
        of a score; then as many examples are taken to differ as would give T its degrees of
        freedom.
    alone : bool
        Whether the losses are of one algorithm; then enough examples are taken to differ from 0.
    """

    def __init__(
        self,
        e: Floats,
        first: Booleans,
        *,
        clusters: Any = None,
        zeros: bool = True,
        alone: bool = False,
    ) -> None:
        # [r, k]: means in repetition r of the test points of both halves of k. Sums come first, so
        # that equal losses have equal means.
        halves = np.concatenate([first, ~first])
        means = e @ halves.T.astype(float)
        means /= halves.sum(axis=1)
        up, down = np.split(means, 2, axis=-1)
        self.zeros = flag("zeros", zeros)
        self.alone = flag("alone", alone)
        self.of_repetition: Floats = (_own_halves(up) + _own_halves(down)) / 2
        self.contrasts: Floats = (up - down) / 2
        if clusters is None:
            self.units = e
        else:
            self.units = sum_groups(e, clusters)
        self.largest: Floats = np.maximum(e.max(axis=(-2, -1)), -e.min(axis=(-2, -1)))
        self.n = e.shape[-1]

    def parts(self, m: int) -> Parts:
        """Return the parts after the first m repetitions."""
        mean, repetition = mean_and_variance(self.of_repetition[..., :m])
        f = self.contrasts[..., :m, :m]
        influence = influence_contrasts(f)
        within = _own_halves(f)
        training = (within - influence) / 2  # within − others, as influence is 2·others − within
        units = self.units[..., :m, :]
        count = units.shape[-1]
        e_bar = units.mean(axis=-2)
        test, test_df = variance_of_mean(e_bar)
        held, trimmed = _largest(e_bar)
        return Parts(
            m=m,
            mean=mean,
            test=test,
            test_df=test_df,
            repetition=repetition,
            flips=_squares(units, e_bar) / ((m - 1) * count**2),
            influence=_mean_square(influence),
            halves=(m - 1) / m * repetition + _mean_square(within),
            training=_mean_square(training),
            differ=self._differ(e_bar, test_df),
            largest=self.largest,
            held=np.where(self._nonzero(e_bar) < FEWEST, 0.0, held)[()],
            trimmed=trimmed,
            n=self.n,
        )

    def _differ(self, e_bar: Floats, test_df: Floats) -> Floats:
        if self.alone:
            return np.full_like(test_df, FEWEST)
        if self.zeros:
            return self._nonzero(e_bar)
        return test_df / 2

    def _nonzero(self, e_bar: Floats) -> Floats:
        count: Floats = (
            np.count_nonzero(np.abs(e_bar) > _ZERO * self.largest[..., None], axis=-1) * 1.0
        )
        return count


def influence_contrasts(f: Floats) -> Floats:
    """
    Return 2ḡ_k − f_kk for each repetition k, from contrasts ``f`` of shape (..., m, m).

    Here f[r, k] is half the difference, in repetition r, between the test points of the two halves
    of repetition k, and ḡ_k is its mean over r ≠ k. As test points the halves count alike in all
    repetitions. In repetition k they have also trained the models of each other, with the opposite
    sign. So twice the former less the latter is the contrast of the influence in both roles.
    """
    within = _own_halves(f)
    others = (np.einsum("...rk->...k", f) - within) / (f.shape[-1] - 1)
    return cast("Floats", 2 * others - within)


def _own_halves(of: Floats) -> Floats:
    """Return the contrast of each repetition's own halves, a view of the diagonal."""
    return cast("Floats", np.einsum("...kk->...k", of))


def _mean_square(x: Floats) -> Floats:
    return cast("Floats", np.einsum("...k,...k->...", x, x) / x.shape[-1])


def _squares(units: Floats, e_bar: Floats) -> Floats:
    """
    Return Σ (e − ē)² over repetitions and examples, in the memory of one repetition.

    The loop is three times as fast as one expression.
    """
    away = np.empty_like(e_bar)
    total = np.zeros(e_bar.shape[:-1])
    for losses in np.moveaxis(units, -2, 0):
        np.subtract(losses, e_bar, out=away)
        total += np.vecdot(away, away)
    return total[()]


def _largest(e_bar: Floats) -> tuple[Floats, Floats]:
    """Return the largest share of Σ|ē − μ̂| of one example, and the mean without the farthest."""
    away = e_bar - mean_last(e_bar)[..., None]
    np.abs(away, out=away)
    total = away.sum(axis=-1)
    held: Floats = safe_ratio(away.max(axis=-1), total)
    left = away.shape[-1] - LARGEST
    if left <= 0:
        return held, mean_last(e_bar)
    near = np.argpartition(away, left - 1, axis=-1)[..., :left]
    return held, mean_last(np.take_along_axis(e_bar, near, axis=-1))


def sum_groups(e: Floats, clusters: Any) -> Floats:
    """Return sums over groups times G/n, which are means if all groups have the same size."""
    n = e.shape[-1]
    codes = cluster_codes("clusters", clusters, n)
    sums = cluster_sums(e, codes)
    return cast("Floats", sums * (sums.shape[-1] / n))


# "In effect": nearly all ranks of an AUC differ, but a few positives may outweigh all others.
TOO_FEW = f"too few examples make the difference: fewer than {FEWEST} in effect"
OUTWEIGHED = (
    f"a few examples outweigh all others: without the {LARGEST} largest the difference has the "
    "other sign, so that none is claimed"
)
SAFE = (
    f"the difference rests on fewer than {FEWEST} examples in effect, so the conservative test was "
    "used"
)
_MUCH = 1 / 3  # of the spread; if one example holds more, a remark says so
LOOKS = (5, 7, 9, 15, 23, 31, 47, 63, 95, 127)  # repetitions after which a run may stop
DEFAULT_MOST = 31  # repetitions, by default
NOT_BEFORE = 9  # repetitions before a verdict that rejects nothing is believed
_VARIANCE_MOVES = 0.85  # chosen on ten tables at n = 200, confirmed on others
_LEAST_SAME = 0.5
_STEADY = 0.1  # share of V by which partitions may still move the estimate of one algorithm


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class InfluenceEstimate(PivotEstimate):
    """
    The outcome of the influence test.

    Attributes
    ----------
    decidable : array of bool
        Whether a difference may be claimed: enough examples carry it. The p-value and the interval
        are those of the test either way.
    few : array of bool
        Whether fewer than ten examples differ, so that the variance is the conservative one.
    step : array
        What two examples more or less could change.
    held : array
        Share of the spread that one example holds.
    m : int or array, optional
        Number of repetitions, where they are halvings and nothing else.
    between : array, optional
        Variance of the estimate over random partitions of the same data, max(R, W)/m.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "step": 1, "between": 2})

    decidable: Booleans
    few: Booleans
    step: Floats
    held: Floats
    m: int | NDArray[np.int64] | None = None
    between: Floats | None = None

    @property
    def pvalue(self) -> Floats:
        """Return the p-value, which is 1 where fewer than ten examples differ without spread."""
        # not super(): a dataclass with slots is made anew
        p = PivotEstimate.pvalue.fget(self)  # type: ignore[attr-defined]
        return np.where(self._unknown, 1.0, p)[()]

    @property
    def _unknown(self) -> Booleans:
        return cast("Booleans", self.few & (self.standard_error == 0))

    @property
    def undecided(self) -> str:
        """Say why no difference may be claimed although the test rejects."""
        withheld = self.is_withheld
        if not np.any(withheld):
            return ""
        if np.any(withheld & self.few):
            return TOO_FEW
        return OUTWEIGHED

    @property
    def is_withheld(self) -> Booleans:
        """Where the test rejects but too few examples carry the difference."""
        return np.asarray(~self.decidable & (self.pvalue <= self.error(None)))

    @property
    def remark(self) -> str:
        """Return the remark that an answer that decides nothing needs."""
        if np.any(self._unknown):
            return TOO_FEW
        if np.any(self.few):
            return SAFE
        return ""

    @property
    def note(self) -> str:
        """Return the remark that every answer needs if one example holds much of the spread."""
        return dominance_remark(self.held)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return lower and upper limit, which hold the null where too few examples differ."""
        return wide_interval(self, self.error_per_side(confidence_level), self.few, self.step)

    def replicability_at(self, limits: Sequence[float]) -> float | None:
        """
        Return the probability that another random partition gives the same verdict.

        It is unknown after a few repetitions without any variance, which more may show.
        """
        if self.between is None or self.undecided:
            return None
        if self.standard_error == 0 and np.all(np.asarray(self.m) < NOT_BEFORE):
            return None
        return float(self.same_verdict(limits))

    def same_verdict(self, limits: Sequence[float]) -> Floats:
        """
        Return P(same): the chance that another partition leaves every limit on its side.

        With Z = (μ̂ − l)/√V and its critical value t it is Φ(abs(Z − t)/(√2·s)) for a limit l,
        where s² = max(R, W)/(mV) + (.85·t)²/(2m − 1): the first part is what μ̂ varies with the
        partition, the second what V does. The chances of a change at several limits are added.
        """
        t = t_quantile(self.df, self.error_per_side(None))
        m = np.asarray(self.m, dtype=float)
        between = np.asarray(self.between, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            moves = between / self.standard_error**2
            spread = np.sqrt(moves + (_VARIANCE_MOVES * t) ** 2 / (2 * m - 1))
            changes = sum(
                special.ndtr(-np.abs(self._towards(limit) - t) / (math.sqrt(2) * spread))
                for limit in limits
            )
        same = np.maximum(1 - changes, _LEAST_SAME)
        # an estimate without any variance stays the same, once there are enough repetitions
        flat = np.where(m >= NOT_BEFORE, 1.0, _LEAST_SAME)
        return np.where(self.standard_error == 0, flat, same)[()]

    def _towards(self, limit: float) -> Floats:
        """Return Z for a limit: its size, or signed towards a one-sided alternative."""
        z = (self.value - limit) / self.standard_error
        return {"two-sided": np.abs(z), "greater": z, "less": -z}[self.alternative]

    @property
    def is_steady(self) -> Booleans:
        """Whether other partitions would hardly move the estimate of one algorithm."""
        return np.asarray(np.asarray(self.between) <= _STEADY * self.standard_error**2)


def dominance_remark(held: Floats) -> str:
    """Say how much of the spread one example holds, if that is much."""
    most = float(np.max(held))
    if most <= _MUCH:
        return ""
    return f"one example holds {most:.0%} of the spread, so that the answer hangs on it"


def wide_interval(
    test: TestEstimate, tail: Any, few: Booleans, step: Floats
) -> tuple[Floats, Floats]:
    """
    Return the interval with this chance beyond each end.

    If few examples differ and they show no spread, a step replaces the standard error, and the
    interval holds the null. Wilson's interval of one algorithm needs no such step, as it has a
    width even if there is no mistake; nor does that of a difference where nothing differs at all.
    """
    alone = test.bounds is not None and test.bounds.alone
    nothing = few & (test.standard_error == 0) & (not alone)
    error = np.where(nothing, step, test.standard_error)
    df = np.where(error == 0, np.inf, test.df)
    quantile = t_quantile(df, tail)
    low, high = interval_around(
        test.value, quantile * error, test.alternative, test.bounds, quantile=quantile
    )
    with_null = np.minimum(low, test.null), np.maximum(high, test.null)
    return np.where(nothing, with_null[0], low)[()], np.where(nothing, with_null[1], high)[()]


influence = partial(
    method,
    valid=BALANCED_HALVES,
    conservative="Its error was below the level for most differences that were studied, and near "
    "the level for one algorithm. The exceptions are naive Bayes on tables, squared losses with "
    "outliers, and lasso paths.",
    source="ours: docs/infer/influence",
    default_for=(MX2_BCV,),
    joint="normal",
    looks=LOOKS,
)


@influence(name="the influence test on m×2 cross-validation")
def mx2_influence_t(
    losses: ArrayLike,
    sides: ArrayLike,
    *,
    clusters: Any = None,
    zeros: bool = True,
    alone: bool = False,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> InfluenceEstimate:
    """
    Test the mean of an m×2 BCV with a variance read off the losses of the single examples.

    Parameters
    ----------
    losses : array of shape (..., m, n)
        Loss of B less loss of A (or of one algorithm alone) at each example, repetition by
        repetition: every example is tested once in each. Of a score: its influence values.
    sides : bool array of shape (m, n)
        Whether an example is tested by the first split of a repetition; the second tests the
        others.
    clusters : array of shape (n,), optional
        The group of every example, where examples come in groups that are never on both sides.
    zeros : bool, default True
        Whether a mean loss of 0 says that the example makes no difference, as it does not where
        values stand for a score.
    alone : bool, default False
        Whether the losses are of one algorithm, whose interval is asked for: no rule about few
        examples then.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    InfluenceEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    T knows how test points vary. Over repetitions of the same data examples flip one by one (W),
    and models vary between training sets (C): what flips go away with more repetitions, what shifts
    is a sign of what another sample of training data would change. U, the mean square of the m
    influence contrasts, also sees what single training examples do; it is noisy, so that it
    overrules the others, with at most m df, only where it exceeds what they allow with probability
    .9.

    Where fewer than ten examples differ the variance is not below that of ``mx2-t``, which is
    conservative.
    Where a few examples outweigh all others (T has the degrees of freedom of fewer than ten, and
    without the ten largest the difference has the other sign) none is claimed, which ``undecided``
    says; the p-value and the interval are those of the test.

    *Formula.* μ̂, the mean of the 2m hold-out values; variance T + C/m + √(t² + 2tE + D²) − t with
    T = s²(ē)/n over the mean losses ē of the examples, W what examples flip one by one, C what
    models vary between training sets beyond it, t = T − W/m, E = 2.5·C + W/4 + X for what training
    examples add, D = max(C − W, 0); reference t with Satterthwaite's df.

    *Validity.* It is measured, not proved. It needs independent examples or whole groups of them,
    and losses with a finite fourth moment. One algorithm's interval covers .95 to .96 on average,
    .93 to .98 for three quarters of learners. :func:`until_stable` repeats until the verdict lasts.

    *How it errs.* It is conservative. Its error was below the level for most differences that were
    studied, and near the level for one algorithm. The exceptions are naive Bayes on tables, squared
    losses with outliers, and lasso paths. It estimates the expected difference B − A at training
    size n/2.

    References
    ----------
    ours: docs/infer/influence.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> sides = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool).repeat(25, axis=1)
    >>> losses = 0.3 + rng.normal(size=100) + 0.5 * rng.normal(size=(3, 100))
    >>> e = ef.infer.mx2_influence_t(losses, sides)
    >>> round(float(e.value), 3), round(float(e.standard_error), 3), round(float(e.pvalue), 4)
    (0.343, 0.104, 0.0012)
    """
    losses = floats(losses)
    halvings = Halvings(
        losses, np.asarray(sides, dtype=np.bool_), clusters=clusters, zeros=zeros, alone=alone
    )
    parts = halvings.parts(losses.shape[-2])
    V, df = parts.variance()
    estimate = make_answer(
        parts.mean,
        V,
        df,
        null=null,
        alternative=alternative,
        parts=parts,
        # not if few examples outweigh all others, nor if few differ and show no spread
        decidable=~parts.is_outweighed(null) & ~(parts.few & (V == 0)),
        m=parts.m,
        between=parts.between,
    )
    warn_degenerate(estimate.standard_error == 0)
    return estimate


def make_answer(
    mean: Floats,
    variance: Floats,
    df: Floats,
    *,
    null: float,
    alternative: Alternative,
    parts: Parts,
    decidable: Booleans,
    **more: Any,
) -> InfluenceEstimate:
    """Return a mean with its variance, and what the parts say of whether it may decide."""
    return InfluenceEstimate(
        reference=StudentT(df),
        decidable=decidable,
        few=parts.few,
        step=parts.step,
        held=parts.held,
        **fields_of_test(mean, variance, null, alternative),
        **more,
    )


# The power of the influence test with looks, from the losses of a run or from assumptions.


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class InfluenceCase:
    """
    Two algorithms of which only the spread of a hold-out difference is known, or assumed.

    Attributes
    ----------
    sigma : float
        Standard deviation of one hold-out difference where half of n examples train.
    n : int
        Those examples.
    rho2 : float
        Correlation of hold-out differences of two repetitions, at most ½: 2·ρ2 of the variance of
        an example's difference stays whatever the training set, the rest flips from one to the
        next.

    Notes
    -----
    The model is d_ir = τ_i + w_ir, so that σ² = (τ² + w²)/(n/2). Then Var μ̂ = T = τ²/n + w²/(nm)
    and the parts of the test have the expectations t = τ²/n, W = R = w²/n, Q = W·m/(m − 1), U = t +
    W·(1 + 4/(m − 1)). The test's V is larger than Var μ̂ where examples flip; the threshold rises
    with it. Whole models that shift, as small neural networks do, are not in it: there a pilot is
    needed.
    """

    sigma: float
    n: int
    rho2: float
    fewest = 3

    @property
    def name(self) -> str:
        """Return the name that figures give it."""
        return f"ρ2 = {self.rho2:g}"

    def power(self, difference: float, *, n: int, m: int, level: float, alternative: str) -> float:
        """Return the chance that the last look of the test finds a difference."""
        two_sided = hypothesis(0.0, alternative)[1] == "two-sided"
        parts = self._parts(n, m)
        V, df = (float(x) for x in parts.variance())
        true = float(parts.test)
        threshold = threshold_of(level, df, two_sided=two_sided) * math.sqrt(V / true)
        return t_power(abs(difference) / math.sqrt(true), threshold, df, two_sided=two_sided)

    def _parts(self, n: int, m: int) -> Parts:
        """Return the parts of the test on average, with so many examples and repetitions."""
        of_half = self.sigma**2 * self.n / n  # Var of one hold-out difference, (τ² + w²)/(n/2)
        t = self.rho2 * of_half
        W = (0.5 - self.rho2) * of_half
        T = t + W / m
        Q = W * m / (m - 1)
        U = t + W * (1 + 4 / (m - 1))
        # X = U − Q − T counts where it is positive, and U varies as χ² with m df does
        X = _positive_part(U - Q - T, U * math.sqrt(2 / m))
        unit = np.ones(())
        return Parts(
            m=m,
            mean=0 * unit,
            test=T * unit,
            test_df=(n - 1) * unit,
            repetition=W * unit,
            flips=W * unit,
            influence=(X + Q + T) * unit,
            halves=(t + W + (m - 1) / m * W) * unit,
            training=Q * unit,
            differ=n * unit,
            largest=0 * unit,
            held=0 * unit,
            trimmed=0 * unit,
            n=n,
        )


def _positive_part(mean: float, deviation: float) -> float:
    """Return E max(X, 0) of a normal X."""
    z = mean / deviation
    return float(
        mean * special.ndtr(z) + deviation * math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    )


def influence_pilot(losses: Losses, method: str, *, challenger: int, baseline: int) -> Parts:
    """Read the parts of a pair off a run, or refuse a pair without spread."""
    question = Question.of(losses, challenger, baseline, method)
    HALVINGS.require(question, ("losses", "sides"))
    e, sides = HALVINGS.check(("losses", "sides"), HALVINGS.read(question))
    parts = Halvings(e, sides, **HALVINGS.optional_keywords(question)).parts(len(sides))
    if parts.variance()[0] == 0:
        raise NotApplicable(NO_SPREAD)
    return parts

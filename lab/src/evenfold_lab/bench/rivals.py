"""
Every test of the benchmark: what it needs of a run, and how it answers for many data sets at once.

A test answers with an estimate, an interval and, for any null value, whether it rejects. Call
:func:`add_test` to add one: a key of ``ef.infer.methods()`` on a family of splits, or your own
function.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from inspect import signature
from typing import Any

import numpy as np
from scipy import special, stats

import evenfold as ef
from evenfold.core.checks import refuse, short_repr
from evenfold.infer.halves.influence import LOOKS, NOT_BEFORE
from evenfold.infer.halves.stable import StableEstimate
from evenfold_lab.bench import definitions as mlr
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.material import HALVINGS, Material

Floats = np.ndarray[Any, np.dtype[np.float64]]
Booleans = np.ndarray[Any, np.dtype[np.bool_]]
Verdicts = np.ndarray[Any, np.dtype[np.float64]]
LEVEL = 0.05
SURE = 1 - LEVEL / 2  # posterior probability of one side at which a Bayesian test decides
RESAMPLES = 999


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Answer:
    """
    What a test says of R data sets.

    Attributes
    ----------
    estimate, low, high : arrays (R,)
        Estimate and 95% interval; NaN where it has none.
    rejects : callable
        From a null value to whether each data set rejects it.
    fits : float
        Models per algorithm that it took, on average.
    null_only : bool
        Whether 0 is the only null value that it can test.
    fits_at : callable, optional
        From a null value to the models per algorithm that testing it took, on average; by default
        ``fits`` at every null value.
    """

    estimate: Floats
    low: Floats
    high: Floats
    rejects: Callable[[float], Booleans]
    fits: float
    null_only: bool = False
    fits_at: Callable[[float], float] | None = None

    def verdicts(self, null: float) -> Verdicts:
        """Return 1 where the difference is judged above ``null``, −1 below, and 0 if undecided."""
        verdicts: Verdicts = np.where(self.rejects(null), np.sign(self.estimate - null), 0)
        return verdicts


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BenchTest:
    """
    A test of the benchmark.

    Attributes
    ----------
    key : str
        Its name in the results.
    families : tuple of str
        Splits that it needs.
    answer : callable
        From :class:`~evenfold_lab.bench.material.Material` to an :class:`Answer`.
    parts : tuple of str
        Losses of single examples that it needs. It has no answer in a measure without them (AUC).
    measures : tuple of str
        Measures that it is for; all if it is empty.
    most : int
        Largest n that it is run for, because some tests cost too many fits.
    makes : mapping of str to callable
        Its own families, as functions of n and a generator.
    for_one : bool
        Whether it also gives an interval for one learner.
    reads : mapping of str to int
        How many of a family's first splits it reads; all by default.
    """

    key: str
    families: tuple[str, ...]
    answer: Callable[[Material], Answer]
    parts: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    most: int = 10_000
    makes: Mapping[str, kinds.Make] = field(default_factory=dict)
    for_one: bool = True
    reads: Mapping[str, int] = field(default_factory=dict)

    def is_for(self, material: Material) -> bool:
        """Say whether it can answer from what was kept."""
        here = all(key in material.values for key in self.families)
        known = all(key in material.parts for key in self.parts)
        measured = not self.measures or material.measure in self.measures
        return here and known and measured and (self.for_one or not material.single)


def by_interval(limits: tuple[Any, Any, Any], fits: float) -> Answer:
    """Make the answer of a test that rejects every null value outside its interval."""
    estimate, low, high = (np.asarray(x, dtype=float) for x in limits)

    def rejects(null: float) -> Booleans:
        outside: Booleans = (null < low) | (null > high)
        return outside

    return Answer(estimate=estimate, low=low, high=high, rejects=rejects, fits=fits)


def by_estimate(ask: Callable[[float], Any], fits: float) -> Answer:
    """Make the answer of a registered method, which tests each null value by itself."""
    at_zero = ask(0.0)
    low, high = at_zero.confidence_interval(1 - LEVEL)
    return Answer(
        estimate=np.asarray(at_zero.value, dtype=float),
        low=np.asarray(low, dtype=float),
        high=np.asarray(high, dtype=float),
        rejects=lambda null: np.asarray(ask(null).pvalue <= LEVEL),
        fits=fits,
    )


# Ours -------------------------------------------------------------------------------------------


def _default(material: Material) -> Answer:
    tested = np.concatenate([material.parts[key] for key in HALVINGS], axis=1).astype(float)
    if material.single:
        return _default_of_one(tested, material.all_sides)

    def ask(null: float) -> StableEstimate:
        return ef.infer.until_stable(tested, material.all_sides, null=null, level=LEVEL)

    at_zero = ask(0.0)
    low, high = at_zero.confidence_interval()

    def fits_at(null: float) -> float:
        return 2 * float(np.mean(ask(null).stopped_at))

    return Answer(
        estimate=at_zero.value,
        low=low,
        high=high,
        rejects=lambda null: np.asarray(ask(null).rejected),
        fits=fits_at(float(tested.mean())),
        fits_at=fits_at,
    )


def _default_of_one(tested: Floats, sides: Booleans) -> Answer:
    """The default repeats one learner until other partitions would hardly move its estimate."""
    looks = [m for m in LOOKS if NOT_BEFORE <= m < len(sides)] + [len(sides)]
    estimates = [ef.infer.mx2_influence_t(tested[:, :m], sides[:m], alone=True) for m in looks]
    steady = np.array([estimate.is_steady for estimate in estimates])
    steady[-1] = True
    stop = steady.argmax(axis=0)
    ends = [(estimate.value, *estimate.confidence_interval(1 - LEVEL)) for estimate in estimates]
    limits = np.take_along_axis(np.array(ends), stop[None, None], axis=0)[0]
    return by_interval(tuple(limits), 2 * float(np.mean(np.array(looks)[stop])))


def _last_look(material: Material) -> Answer:
    tested = material.parts["halvings"].astype(float)
    estimate = ef.infer.mx2_influence_t(tested, material.sides, alone=material.single)
    return _by_its_interval(estimate, 2 * kinds.REPETITIONS)


def _full_size(material: Material) -> Answer:
    folds = material.parts["folds"].astype(float)[..., None, :]
    halves = material.parts["halvings"].astype(float)
    n_train, _ = material.sizes["folds"]

    estimate = ef.infer.full_size_t(
        folds, halves, sides=material.sides, n_train=n_train, alone=material.single
    )
    return _by_its_interval(estimate, kinds.FOLDS + 2 * kinds.REPETITIONS)


def _by_its_interval(estimate: Any, fits: int) -> Answer:
    """
    Reject what the interval excludes, as evenfold's verdicts do.

    The interval exists even where no losses differ and the p-value is undefined.
    """
    low, high = estimate.confidence_interval(1 - LEVEL)
    return by_interval((estimate.value, low, high), fits)


# By key -----------------------------------------------------------------------------------------


def _repetitions(material: Material, family: str) -> Floats:
    values = material.values[family].astype(float)
    return values.reshape(*values.shape[:-1], -1, 2)


def method_test(key: str, family: str, count: int | None = None) -> Callable[[Material], Answer]:
    """
    Return a registered method applied to the hold-out values of a family.

    Its inputs decide what it gets: with ``repetitions`` the values in pairs, with ``splits`` the
    single values (and the sizes of training and test set if its function takes them), with
    ``losses`` the losses of a test set.
    """
    entry = ef.infer.methods()[key]
    inputs = tuple(entry.inputs)
    if inputs not in (("repetitions",), ("splits",), ("losses",)):
        refuse(
            "method",
            f"method must be one of hold-out values or of one test set but got {short_repr(key)}.",
            "Pass a BenchTest with your own function of the material instead.",
        )
    function = getattr(ef.infer, entry.function.__name__)

    def answer(material: Material) -> Answer:
        sizes: dict[str, Any] = {}
        if inputs == ("repetitions",):
            fed = _repetitions(material, family)
        elif inputs == ("losses",):
            fed = material.parts[family].astype(float)
        else:
            fed = material.values[family].astype(float)[..., :count]
            n_train, n_test = material.sizes[family]
            if "n_train" in signature(function).parameters:
                sizes = {"n_train": n_train, "n_test": n_test}
        fits = 1 if inputs == ("losses",) else int(np.prod(fed.shape[1:]))
        return by_estimate(lambda null: function(fed, null=null, **sizes), fits)

    return answer


def _split_halves(material: Material) -> Answer:
    values = material.values["folds-in-halves"].astype(float)
    # The folds of a half differ in size by one at most, and are weighted equally.
    halves = values.reshape(len(values), kinds.HALVES_HALVINGS, 2, kinds.HALVES_FOLDS).mean(axis=-1)
    return by_estimate(lambda null: ef.infer.split_halves_t(halves, null=null), values.shape[-1])


def _mx2_t(material: Material) -> Answer:
    d = _repetitions(material, "halvings")
    return by_estimate(lambda null: ef.infer.mx2_t(d, null=null), d.shape[-2] * 2)


def _five_f(material: Material) -> Answer:
    d = _repetitions(material, "two-folds")
    spread = ((d - d.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(-2, -1))
    mean = d.mean(axis=(-2, -1))
    # F is a parabola in the null value. The interval is what it does not reject, if there is any.
    room = stats.f.ppf(1 - LEVEL, 10, 5) * 2 * spread / 10 - ((d - mean[:, None, None]) ** 2).mean(
        axis=(-2, -1)
    )
    return by_interval(
        mlr.interval_around(mean, np.where(room >= 0, np.sqrt(np.maximum(room, 0)), np.nan)), 10
    )


def _f_rejects(answer: Answer) -> Answer:
    """Make a test with an empty interval reject every null value."""

    def rejects(null: float) -> Booleans:
        inside: Booleans = (answer.low <= null) & (null <= answer.high)
        return ~inside

    return Answer(
        estimate=answer.estimate,
        low=answer.low,
        high=answer.high,
        rejects=rejects,
        fits=answer.fits,
    )


def _five_t(material: Material) -> Answer:
    d = _repetitions(material, "two-folds")
    spread = ((d - d.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(-2, -1)) / 5
    reach = special.stdtrit(5, 1 - LEVEL / 2) * np.sqrt(spread)
    return by_interval(mlr.interval_around(d[:, 0, 0], reach), 10)


def _corrected_resampled(count: int, material: Material) -> Answer:
    values = material.values["random"].astype(float)[:, :count]
    return by_interval(mlr.corrected_t(values, *material.sizes["random"]), count)


def _corrected_folds(material: Material) -> Answer:
    values = material.values["folds"].astype(float)
    return by_interval(mlr.corrected_t(values, *material.sizes["folds"]), values.shape[-1])


def _one_run(material: Material) -> Floats:
    return material.values["folds"].astype(float)[:, : kinds.FOLDS]


def _kfold(material: Material) -> Answer:
    d = _one_run(material)
    return by_estimate(lambda null: ef.infer.kfold_t(d, null=null), kinds.FOLDS)


def _wald(part: str, material: Material) -> Answer:
    losses = material.parts[part].astype(float)
    return by_interval(mlr.wald_cv(losses), kinds.FOLDS if part == "folds" else material.n)


def _nested(runs: int, material: Material) -> Answer:
    # mlr3inferr fits K² models per run, because it fits every inner one twice.
    return by_interval(mlr.nested(material.parts[f"nested-{runs}"]), runs * kinds.NESTED_FOLDS**2)


def _paired_halves(material: Material) -> tuple[Floats, Floats]:
    values = material.values["random"].astype(float)[:, : kinds.PAIRED_IN]
    inside = material.values["paired"].astype(float)
    halves = inside.reshape(len(inside), kinds.PAIRED_OUT, 2, kinds.PAIRED_IN).mean(axis=-1)
    return values, halves


def _conservative_z(material: Material) -> Answer:
    return by_interval(mlr.conservative_z(*_paired_halves(material)), _PAIRED_FITS)


def _conservative_t(material: Material) -> Answer:
    values, halves = _paired_halves(material)
    return by_estimate(
        lambda null: ef.infer.conservative_t(values, halves, null=null), _PAIRED_FITS
    )


_PAIRED_FITS = (2 * kinds.PAIRED_OUT + 1) * kinds.PAIRED_IN


def _bayes(material: Material) -> Answer:
    """
    The correlated posterior on ten runs of folds, with ρ = 1/10.

    It decides if 97.5% of the posterior lie on one side.
    """
    values = material.values["folds"].astype(float)
    J = values.shape[-1]
    rho = 1 / kinds.FOLDS
    scale = values.std(axis=-1, ddof=1) * np.sqrt(1 / J + rho / (1 - rho))
    return by_interval(
        mlr.interval_around(values.mean(axis=-1), special.stdtrit(J - 1, SURE) * scale), J
    )


def _outside_bag(material: Material) -> Answer:
    error = np.sqrt((material.parts["outside"].astype(float) ** 2).sum(axis=-1))
    return by_interval(
        mlr.interval_around(material.parts["outside-mean"], mlr.Z * error), kinds.BOOTSTRAPS
    )


def _holdout(material: Material) -> Answer:
    return by_interval(mlr.holdout(material.parts["holdout"].astype(float)), 1)


def _flips(material: Material) -> tuple[Any, Any, int]:
    """Count the test examples that only B gets right, those that only A does, and all."""
    d = material.parts["holdout"]
    return (d < -0.5).sum(axis=-1), (d > 0.5).sum(axis=-1), d.shape[-1]


def _mcnemar(material: Material) -> Answer:
    fixed, broke, n = _flips(material)
    p = ef.infer.mcnemar(fixed, broke, variant="exact").pvalue
    nothing = np.full(len(fixed), np.nan)
    return Answer(
        estimate=(broke - fixed) / n,
        low=nothing,
        high=nothing,
        rejects=lambda null: np.asarray(p <= LEVEL) if null == 0 else np.full(len(fixed), False),
        fits=1,
        null_only=True,
    )


def _tango(material: Material) -> Answer:
    """Tango's interval for the loss, whose sign is opposite to that of accuracy."""
    fixed, broke, n = _flips(material)
    limits = np.array([_tango_limits(int(b), int(c), n) for b, c in zip(fixed, broke, strict=True)])
    return by_interval(((broke - fixed) / n, -limits[:, 1], -limits[:, 0]), 1)


@cache
def _tango_limits(fixed: int, broke: int, n: int) -> tuple[float, float]:
    """
    Return the exact interval for the counts of discordant examples.

    One takes a tenth of a second, so that intervals are cached.
    """
    low, high = ef.infer.tango_exact(fixed, broke, n).confidence_interval(1 - LEVEL)
    return float(low), float(high)


def _paired_bootstrap(material: Material) -> Answer:
    """Percentile interval of the resampled mean of the losses of one run of folds."""
    losses = material.parts["folds"].astype(float)
    n = losses.shape[-1]
    drawn = np.random.default_rng(n).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    means = losses @ drawn.T / n
    low, high = np.quantile(means, [LEVEL / 2, 1 - LEVEL / 2], axis=-1)
    return by_interval((losses.mean(axis=-1), low, high), kinds.FOLDS)


def _wilcoxon(material: Material) -> Answer:
    """Invert the signed-rank test on ten folds: the limits are means of pairs of folds."""
    d = _one_run(material)
    i, j = np.triu_indices(kinds.FOLDS)
    walsh = np.sort((d[:, i] + d[:, j]) / 2, axis=-1)
    k = _critical_rank_sum(kinds.FOLDS)
    return by_interval((np.median(walsh, axis=-1), walsh[:, k], walsh[:, -k - 1]), kinds.FOLDS)


def _critical_rank_sum(count: int) -> int:
    """
    Return the largest k with P(W ≤ k) ≤ 2.5%, which is 8 for ten folds.

    That many means of pairs lie below the interval.
    """
    ways = np.zeros(count * (count + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, count + 1):
        ways[rank:] = ways[rank:] + ways[:-rank]
    below = ways.cumsum() / 2**count
    return int(np.flatnonzero(below <= LEVEL / 2)[-1])


def _fast_bootstrap(material: Material) -> Answer:
    values = material.values["fast-bootstrap"].astype(float)
    n = material.n
    size = kinds.adjusted_size(n)
    inside = values[:, kinds.FAST_SAMPLES :].reshape(
        len(values), kinds.FAST_SAMPLES, kinds.FAST_SPLITS
    )
    within = inside.var(axis=-1, ddof=1).mean(axis=-1)
    between = np.maximum(inside.mean(axis=-1).var(axis=-1, ddof=1) - within / kinds.FAST_SPLITS, 0)
    error = np.sqrt(between * (n - size + 0.632 * size) / n)
    centre = values[:, : kinds.FAST_SAMPLES].mean(axis=-1)
    return by_interval(mlr.interval_around(centre, mlr.Z * error), values.shape[-1])


_NESTED_MOST = 1000
_LOO_MOST = 500
_FAST_MOST = 100
_TANGO_MOST = 1000  # half a minute a row
_DECOMPOSED = ("zero-one", "log", "brier", "squared", "absolute")
_BOTH = {"families": ("halvings",), "parts": ("halvings",)}
_ONE_RUN = {"folds": kinds.FOLDS}
_ON_TEST_SET: Any = {"families": ("holdout",), "parts": ("holdout",), "for_one": False}

_ALL = (
    BenchTest(key="default", families=HALVINGS, parts=HALVINGS, answer=_default),
    BenchTest(key="mx2-influence-t", answer=_last_look, **_BOTH),  # type: ignore[arg-type]
    BenchTest(
        key="full-size-t",
        families=("halvings", "folds"),
        parts=("halvings", "folds"),
        answer=_full_size,
        reads=_ONE_RUN,
    ),
    BenchTest(key="mx2-t", families=("halvings",), answer=_mx2_t),
    BenchTest(key="split-halves-t", families=("folds-in-halves",), answer=_split_halves),
    BenchTest(key="5x2-f", families=("two-folds",), answer=lambda m: _f_rejects(_five_f(m))),
    BenchTest(key="5x2-t", families=("two-folds",), answer=_five_t),
    *(
        BenchTest(
            key=f"corrected-t-{count}",
            families=("random",),
            answer=partial(_corrected_resampled, count),
            reads={"random": count},
        )
        for count in (10, 15, 25, 50, 100)
    ),
    BenchTest(key="corrected-folds", families=("folds",), answer=_corrected_folds),
    BenchTest(key="kfold-t", families=("folds",), answer=_kfold, reads=_ONE_RUN),
    BenchTest(
        key="cv-wald",
        families=("folds",),
        parts=("folds",),
        answer=partial(_wald, "folds"),
        reads=_ONE_RUN,
    ),
    *(
        BenchTest(
            key=f"nested-cv-{runs}x5",
            families=("nested",),
            parts=(f"nested-{runs}",),
            answer=partial(_nested, runs),
            most=_NESTED_MOST,
            reads={"nested": runs * kinds.NESTED_MODELS},
        )
        for runs in (3, 10)
    ),
    BenchTest(
        key="conservative-z",
        families=("random", "paired"),
        answer=_conservative_z,
        reads={"random": kinds.PAIRED_IN},
    ),
    BenchTest(
        key="conservative-t",
        families=("random", "paired"),
        answer=_conservative_t,
        reads={"random": kinds.PAIRED_IN},
    ),
    BenchTest(key="bayes-correlated-t", families=("folds",), answer=_bayes),
    BenchTest(
        key="leave-one-out",
        families=("left-out",),
        parts=("left-out",),
        answer=partial(_wald, "left-out"),
        most=_LOO_MOST,
    ),
    BenchTest(key="out-of-bag", families=("bootstraps",), parts=("outside",), answer=_outside_bag),
    BenchTest(key="holdout", families=("holdout",), parts=("holdout",), answer=_holdout),
    BenchTest(key="holdout-mcnemar", answer=_mcnemar, measures=("zero-one",), **_ON_TEST_SET),
    BenchTest(
        key="holdout-tango-exact",
        answer=_tango,
        measures=("zero-one",),
        most=_TANGO_MOST,
        **_ON_TEST_SET,
    ),
    BenchTest(
        key="fast-bootstrap",
        families=("fast-bootstrap",),
        answer=_fast_bootstrap,
        measures=_DECOMPOSED,
        most=_FAST_MOST,
    ),
    BenchTest(
        key="paired-bootstrap",
        families=("folds",),
        parts=("folds",),
        answer=_paired_bootstrap,
        reads=_ONE_RUN,
    ),
    BenchTest(
        key="wilcoxon-folds",
        families=("folds",),
        answer=_wilcoxon,
        for_one=False,
        reads=_ONE_RUN,
    ),
)
TESTS: dict[str, BenchTest] = {test.key: test for test in _ALL}


def add_test(
    test: BenchTest | str, *, family: str = "random", count: int | None = None
) -> BenchTest:
    """
    Register a test: your own, or a key of ``ef.infer.methods()`` on a family of splits.

    Parameters
    ----------
    test : BenchTest or str
        A test, or the key of a method; plug-ins are methods, too.
    family : str
        Splits whose hold-out values, or whose test set's losses, a method gets.
    count : int, optional
        How many of the first splits are used; all by default.

    Returns
    -------
    BenchTest
        The registered test; one of the same name is replaced.

    Examples
    --------
    >>> add_test("resampled-t", family="random", count=15).key
    'resampled-t'
    """
    if isinstance(test, str):
        answer = method_test(test, family, count)
        parts = (family,) if tuple(ef.infer.methods()[test].inputs) == ("losses",) else ()
        reads = {} if count is None else {family: count}
        test = BenchTest(key=test, families=(family,), parts=parts, answer=answer, reads=reads)
    TESTS[test.key] = test
    return test

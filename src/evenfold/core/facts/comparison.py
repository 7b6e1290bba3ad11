"""
Everything a report says, as one plain value: numbers, names and sentences, nothing to compute.

:class:`Facts` is what a comparison hands to the package ``report``. It holds only plain Python
values, so it can be written as JSON and read back.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import compress
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.inputs import Side
from evenfold.core.json import build, parse_schema_object, to_plain, write_json
from evenfold.core.losses import Failure, HasQuantity, Quantity, measure_name
from evenfold.core.note import Note, note
from evenfold.core.words import decimals, precision

# What facts of every kind can do: say what they are about, be written as JSON and be read again.


class PlainFacts(HasQuantity):
    """Facts about one quantity, under a schema of their own."""

    __slots__ = ()

    schema: ClassVar[int | str]
    earlier: ClassVar[tuple[int | str, ...]] = ()
    """Schemas of earlier versions whose files are still read."""
    derived: ClassVar[tuple[str, ...]] = ()

    @property
    def measure_words(self) -> str:
        """What people call the measure, with its class and whether it is weighted."""
        return measure_name(self.quantity)

    def to_plain(self) -> dict[str, Any]:
        """Return all facts as JSON has them; NaN and infinities are strings."""
        return {
            "evenfold": self.schema,
            "measure": self.measure,
            "measure_words": self.measure_words,
            "lower_is_better": self.lower_is_better,
            **to_plain(self),
        }

    def to_json(self) -> str:
        """Return all facts as JSON."""
        return write_json(self.to_plain())

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_json` wrote; anything else is refused in one line."""
        found = parse_schema_object(text, cls.schema, cls.earlier)
        facts = build(cls, found)
        for name in ("measure", "lower_is_better"):  # said twice: for readers, and in the quantity
            if found.get(name, getattr(facts, name)) != getattr(facts, name):
                rule = f"what its quantity has ({getattr(facts, name)})"
                refuse(f"facts.{name}", rule, _shorten_value(found[name]))
        return facts


# One of more than two algorithms in a ranking, as one plain value.


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """
    One of more than two algorithms, by itself.

    Attributes
    ----------
    name : str
        The algorithm.
    value, low, high : float
        Its own value, and its own interval at 1 − ``level``; infinite limits where the method only
        compares.
    level : float
        Error level of this interval.
    pvalue : float or None
        Of the hypothesis that no other is better: the smallest adjusted one of the pairs in which
        it is behind; None where the method has none.
    among_best : bool or None
        Whether it is in the confidence set of the best: whether the ranks it may truly have hold 1.
    rank : int
        Its rank by value, 1 for the best.
    first, last : int or None
        The ranks that it may truly have; these intervals of all algorithms hold together. None
        where the method has no test.
    ties : str
        Letters: two algorithms share one exactly if they are tied: neither was shown to be better.
    """

    name: str
    value: float
    low: float
    high: float
    level: float
    pvalue: float | None
    among_best: bool | None
    rank: int = 0
    first: int | None = None
    last: int | None = None
    ties: str = ""

    @property
    def letters(self) -> frozenset[str]:
        """The letters of ``ties``, one by one."""
        return frozenset(re.findall(r"[a-z]|\(\d+\)", self.ties))


# Which examples the challenger fixed and which it broke.


@dataclass(frozen=True, kw_only=True, slots=True)
class Flips:
    """
    Right and wrong of B against A.

    Attributes
    ----------
    baseline, challenger : str
        A and B.
    fixed, broke : tuple
        The ids of examples that A gets wrong and B right, and of those that A gets right and B
        wrong.

    Examples
    --------
    >>> print(Flips(baseline="a", challenger="b", fixed=(3, 5), broke=(9,)))
    fixed 2, broke 1
    """

    baseline: str
    challenger: str
    fixed: tuple[Any, ...]
    broke: tuple[Any, ...]

    def __str__(self) -> str:
        return str(note("flips", fixed=len(self.fixed), broke=len(self.broke)))


def flips(
    a: str, b: str, *, ids: NDArray[Any], right_a: NDArray[np.bool_], right_b: NDArray[np.bool_]
) -> Flips:
    """Return the flips from A to B, their ids in order."""
    return Flips(
        baseline=a,
        challenger=b,
        fixed=tuple(ids[~right_a & right_b].tolist()),
        broke=tuple(ids[right_a & ~right_b].tolist()),
    )


# What was found on parts of the examples: on the tasks of a benchmark, on slices of it.


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """
    One question on one part of the examples.

    Attributes
    ----------
    column, label : str
        The column that makes the parts, and which of its values this part has.
    baseline, challenger : str
        A and B.
    n : int
        Examples of the part.
    fixed, broke : int or None
        Answers that B got right and A wrong, and the other way round, where answers are right or
        wrong.
    value, low, high : float
        B − A in the measure's own units, and its interval at 1 − ``level``; NaN where it has none.
    level : float
        Error level of the interval, after adjustment for the number of parts.
    pvalue, adjusted_pvalue : float or None
        Of no difference.
    outcome : str
        What the interval decides.
    adjust : str
        How the parts share the level.
    """

    column: str
    label: str
    baseline: str
    challenger: str
    n: int
    fixed: int | None
    broke: int | None
    value: float
    low: float
    high: float
    level: float
    pvalue: float | None
    adjusted_pvalue: float | None
    outcome: str
    adjust: str = "holm"


# How surely a gate would have caught a drop, and passed a model that did not change.


@dataclass(frozen=True, kw_only=True, slots=True)
class GatePower:
    """
    The power of a gate, for the examples that there were.

    Attributes
    ----------
    baseline, challenger : str
        A and B.
    drop : float
        How much worse B would be, in the measure's own units.
    caught : float
        The chance that B would then be called worse, by more than the margin where there is one.
    passed : float or None
        The chance that a B whose true difference is 0 would be called not worse; None where that
        was not asked.
    differ : float or None
        The share of answers that differ, where they are right or wrong: what was seen, and at least
        the drop.
    enough_margin, enough_examples : float or None
        Where less than half of the candidates without a difference would pass: the margin with
        which 80% of them pass, and how many times as many examples would do the same; None where no
        number in sight does.

    Examples
    --------
    >>> print(
    ...     GatePower(
    ...         baseline="a", challenger="b", drop=0.04, caught=0.83, passed=0.97, differ=0.04
    ...     )
    ... )
    a drop of 0.04 would have been caught with probability 83% (if 4% of the answers differ), and a
    candidate whose true difference is 0 would have passed with probability 97%
    """

    baseline: str
    challenger: str
    drop: float
    caught: float
    passed: float | None = None
    differ: float | None = None
    enough_margin: float | None = None
    enough_examples: float | None = None

    def __str__(self) -> str:
        shown = ("drop", "caught", "passed", "differ")
        return str(note("gate-power", **{name: getattr(self, name) for name in shown}))

    @property
    def warning(self) -> Note | None:
        """What is said first of a gate that stops most candidates whose true difference is 0."""
        if self.passed is None or self.passed >= _MOST:
            return None
        return note(
            "gate-stops",
            passed=self.passed,
            enough_margin=self.enough_margin,
            enough_examples=self.enough_examples,
        )


_MOST = 0.5  # of the candidates whose true difference is 0


# Whether facts that were read from a file can be: chances are chances, and no interval is upside
# down.
#
# A name has one meaning in all facts, so that every value is checked by the name of its field,
# wherever it stands.


_CHANCES = frozenset(
    {
        "pvalue",
        "adjusted_pvalue",
        "probability",
        "null_probability",
        "level",
        "better",
        "same",
        "worse",
        "caught",
        "passed",
        "differ",
        "replicability",
        "a12",
    }
)
_COUNTS = frozenset(
    {"fits", "reused", "speculative", "n", "n_train", "n_test", "wins", "ties", "losses", "rank"}
)
_ENDS = (("low", "high"), ("predicted_low", "predicted_high"), ("a12_low", "a12_high"))
_SIDES = get_args(Side)
_LARGEST = 2**53  # up to which every count is a float
_FILE = "as to_json wrote it"


def require_sense(facts: Any, where: str = "facts") -> None:
    """Refuse in one line facts that no comparison can have found."""
    for field in fields(facts):
        value = getattr(facts, field.name)
        place = f"{where}.{field.name}"
        if field.name in _CHANCES and isinstance(value, float) and (value < 0 or value > 1):
            refuse(place, "a number from 0 to 1", value, f"is the file {_FILE}?")
        if field.name == "level" and not (isinstance(value, float) and 0 < value < 1):
            refuse(place, "a number between 0 and 1", value, f"is the file {_FILE}?")
        if field.name == "margin" and isinstance(value, float) and not 0 <= value < math.inf:
            refuse(place, "a number from 0", value, f"is the file {_FILE}?")
        if field.name == "alternative" and value not in _SIDES:
            refuse(place, f"one of {', '.join(_SIDES)}", value, f"is the file {_FILE}?")
        if field.name in _COUNTS and isinstance(value, int) and not 0 <= value <= _LARGEST:
            refuse(place, "a count", value, f"is the file {_FILE}?")
        for inner, one in _nested_facts(value):
            require_sense(one, f"{place}{inner}")
    _require_order(facts, where)
    if isinstance(facts, Facts):
        _require_question(facts, where)


def _require_question(facts: "Facts", where: str) -> None:
    """Refuse a question that cannot have been asked of this quantity and these algorithms."""
    if facts.margin and facts.margin >= facts.quantity.width:
        rule = f"below {facts.quantity.width:g}, the range of its measure"
        refuse(f"{where}.margin", rule, facts.margin, f"is the file {_FILE}?")
    if facts.baseline is not None and facts.baseline not in facts.algorithms:
        refuse(f"{where}.baseline", "one of its algorithms", facts.baseline)


def _nested_facts(value: Any) -> Iterable[tuple[str, Any]]:
    """The facts in a fact, one by one or in a row, each with its place."""
    if is_dataclass(value):
        return [("", value)]
    if isinstance(value, tuple):
        return [(f"[{i}]", one) for i, one in enumerate(value) if is_dataclass(one)]
    return []


def _require_order(facts: Any, where: str) -> None:
    for low, high in _ENDS:
        bottom = getattr(facts, low, None)
        top = getattr(facts, high, None)
        if bottom is not None and top is not None and bottom > top:
            refuse(f"{where}.{low}", f"at most {high} ({top:g})", bottom, f"is the file {_FILE}?")


def require_same(names: Iterable[str], one: Any, other: Any, where: str) -> None:
    """Refuse two values in one file that say different things under these names."""
    for name in names:
        said = getattr(one, name)
        behind = getattr(other, name)
        if not _is_same(said, behind):
            rule = f"what stands behind it ({_shorten_value(behind)})"
            refuse(f"{where}.{name}", rule, _shorten_value(said))


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


def _shorten_value(value: Any) -> str:
    text = str(value)
    if len(text) <= 60:
        return text
    return f"{text[:57]}..."


def require_table(name: str, rows: tuple[tuple[Any, ...], ...], shape: tuple[int, int]) -> None:
    """Refuse a table of another shape than algorithms by splits."""
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        refuse(name, f"{shape[0]} rows of {shape[1]} values", f"{len(rows)} rows of other lengths")


# The works that methods cite by a short tag, in full; `docs/sources.md` lists the tags too.


WORKS = {
    "R19": "Wang, R. (2019). Regularized cross-validation methods for comparing the predictive "
    "performance "
    "of supervised learning algorithms (in Chinese). Doctoral thesis, Shanxi University.",
    "W14": "Wang, Y., Wang, R., Jia, H., Li, J. (2014). Blocked 3×2 cross-validated t-test for "
    "comparing supervised classification learning algorithms. Neural Computation 26.",
    "G13": "Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.",
    "NB": "Nadeau, C., Bengio, Y. (1999). Inference for the generalization error. CIRANO "
    "Scientific Series 99s-25.",
    "T15": "Wong, T.-T. (2015). Performance evaluation of classification algorithms by k-fold and "
    "leave-one-out cross validation. Pattern Recognition.",
    "Dietterich 1998": "Dietterich, T. G. (1998). Approximate statistical tests for comparing "
    "supervised classification learning algorithms. Neural Computation 10.",
    "Alpaydin 1999": "Alpaydin, E. (1999). Combined 5×2 cv F test for comparing supervised "
    "classification learning algorithms. Neural Computation 11.",
    "McNemar 1947": "McNemar, Q. (1947). Note on the sampling error of the difference between "
    "correlated proportions or percentages. Psychometrika 12.",
    "Corani 2015": "Corani, G., Benavoli, A. (2015). A Bayesian approach for comparing "
    "cross-validated algorithms on multiple data sets. Machine Learning 100.",
    "Bates 2023": "Bates, S., Hastie, T., Tibshirani, R. (2023). Cross-validation: what does it "
    "estimate and how well does it do it? Journal of the American Statistical Association 119.",
    "Bayle 2020": "Bayle, P., Bayle, A., Janson, L., Mackey, L. (2020). Cross-validation "
    "confidence intervals for test error. NeurIPS 33.",
    "Wang 2014": "Wang, Q., Lindsay, B. (2014). Variance estimation of a general U-statistic with "
    "application to cross-validation. Statistica Sinica 24.",
    "Yang 2023": "Yang, J., Wang, R., Song, Y., Li, J. (2023). Block-regularized 5×2 "
    "cross-validated McNemar's test for comparing two classification algorithms. arXiv 2304.03990.",
    "DeLong 1988": "DeLong, E. R., DeLong, D. M., Clarke-Pearson, D. L. (1988). Comparing the "
    "areas under two or more correlated receiver operating characteristic curves. Biometrics 44.",
    "Sun 2014": "Sun, X., Xu, W. (2014). Fast implementation of DeLong's algorithm. IEEE Signal "
    "Processing Letters 21.",
    "Cochran 1950": "Cochran, W. G. (1950). The comparison of percentages in matched samples. "
    "Biometrika 37.",
    "Efron 1983": "Efron, B. (1983). Estimating the error rate of a prediction rule: improvement "
    "on cross-validation. Journal of the American Statistical Association 78.",
    "Efron 1997": "Efron, B., Tibshirani, R. (1997). Improvements on cross-validation: the .632+ "
    "bootstrap method. Journal of the American Statistical Association 92.",
    "Efron 1987": "Efron, B. (1987). Better bootstrap confidence intervals. Journal of the "
    "American Statistical Association 82.",
    "Hartigan 1969": "Hartigan, J. A. (1969). Using subsample values as typical values. Journal of "
    "the American Statistical Association 64.",
    "Phipson 2010": "Phipson, B., Smyth, G. K. (2010). Permutation p-values should never be zero. "
    "Statistical Applications in Genetics and Molecular Biology 9.",
    "Student 1908": "Student (1908). The probable error of a mean. Biometrika 6.",
    "Welch 1947": "Welch, B. L. (1947). The generalization of Student's problem when several "
    "different population variances are involved. Biometrika 34.",
    "Tango 1998": "Tango, T. (1998). Equivalence test and confidence interval for the difference "
    "in proportions for the paired-sample design. Statistics in Medicine 17.",
    "Berger 1994": "Berger, R. L., Boos, D. D. (1994). P values maximized over a confidence set "
    "for the nuisance parameter. Journal of the American Statistical Association 89.",
    "Liang 1986": "Liang, K.-Y., Zeger, S. L. (1986). Longitudinal data analysis using generalized "
    "linear models. Biometrika 73.",
    "Bell 2002": "Bell, R. M., McCaffrey, D. F. (2002). Bias reduction in standard errors for "
    "linear regression with multi-stage samples. Survey Methodology 28.",
    "Pustejovsky 2018": "Pustejovsky, J. E., Tipton, E. (2018). Small-sample methods for "
    "cluster-robust variance estimation and hypothesis testing in fixed effects models. Journal of "
    "Business and Economic Statistics 36.",
    "Angelopoulos 2023": "Angelopoulos, A. N., Duchi, J. C., Zrnic, T. (2023). PPI++: efficient "
    "prediction-powered inference. arXiv 2311.01453.",
    "Searle 1992": "Searle, S. R., Casella, G., McCulloch, C. E. (1992). Variance Components. "
    "Wiley.",
    "Howard 2021": "Howard, S. R., Ramdas, A., McAuliffe, J., Sekhon, J. (2021). Time-uniform, "
    "nonparametric, nonasymptotic confidence sequences. Annals of Statistics 49.",
    "Diebold 1995": "Diebold, F. X., Mariano, R. S. (1995). Comparing predictive accuracy. Journal "
    "of Business and Economic Statistics 13.",
    "Coroneo 2020": "Coroneo, L., Iacone, F. (2020). Comparing predictive accuracy in small "
    "samples using fixed-smoothing asymptotics. Journal of Applied Econometrics 35.",
    "Lazarus 2018": "Lazarus, E., Lewis, D. J., Stock, J. H., Watson, M. W. (2018). HAR inference: "
    "recommendations for practice. Journal of Business and Economic Statistics 36.",
    "Harvey 1997": "Harvey, D., Leybourne, S., Newbold, P. (1997). Testing the equality of "
    "prediction mean squared errors. International Journal of Forecasting 13.",
    "Giacomini 2006": "Giacomini, R., White, H. (2006). Tests of conditional predictive ability. "
    "Econometrica 74.",
    "Hansen 2011": "Hansen, P. R., Lunde, A., Nason, J. M. (2011). The model confidence set. "
    "Econometrica 79.",
    "Choe 2024": "Choe, Y. J., Ramdas, A. (2024). Comparing sequential forecasters. Operations "
    "Research 72.",
    "Waudby-Smith 2024": "Waudby-Smith, I., Ramdas, A. (2024). Estimating means of bounded random "
    "variables by betting. Journal of the Royal Statistical Society B 86.",
}


def cited_works(source: str) -> tuple[tuple[str, str], ...]:
    """
    Return tag and full reference of every work that a source names.

    Examples
    --------
    >>> [tag for tag, _ in cited_works("Dietterich 1998; W14 section 5.2")]
    ['W14', 'Dietterich 1998']
    """
    return tuple((tag, work) for tag, work in WORKS.items() if re.search(rf"\b{tag}\b", source))


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """
    One look at a run that grows: the estimate after m repetitions and its interval.

    ``replicability`` is that of the verdict it would have given, if it is known.
    """

    m: int
    value: float
    low: float
    high: float
    replicability: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """The posterior density of one algorithm's score on a grid, with mean and credible interval."""

    name: str
    x: tuple[float, ...]
    density: tuple[float, ...]
    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AtSize:
    """
    One question at one training size: B − A, or one algorithm's value, with interval and outcome.

    ``means`` are the values of A and of B, or of the one algorithm: points of their learning
    curves.
    """

    n_train: int
    value: float
    low: float
    high: float
    outcome: str | None
    means: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """
    The change of B − A, or of one algorithm's value, from one training size to a larger one.

    Attributes
    ----------
    sizes : tuple of int
        Both.
    value, low, high : float
        The change, with an interval of its own: it is paired on the same examples.
    decided : bool
        Whether it changes beyond chance.
    """

    sizes: tuple[int, int]
    value: float
    low: float
    high: float
    decided: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """
    One question at two training sizes or more, and what changes between them.

    Attributes
    ----------
    at : tuple of AtSize
        The smallest size first.
    value, low, high : float
        The change of B − A (or of the value) from the smallest to the largest, with an interval of
        its own.
    decided : bool
        Whether it changes beyond chance.
    differs : bool
        Whether sign or verdict differ between the sizes.
    sentence : str
        The same in words.
    steps : tuple of Step
        The changes from each size to the next, where there are more than two sizes.
    """

    at: tuple[AtSize, ...]
    value: float
    low: float
    high: float
    decided: bool
    differs: bool
    sentence: str
    steps: tuple[Step, ...] = ()

    @property
    def digits(self) -> int:
        """Decimals that the interval of the change gives its numbers."""
        return precision(self.value, self.low, self.high)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """
    One question: a challenger against a baseline, or one algorithm alone.

    Attributes
    ----------
    baseline : str or None
        A; None where one algorithm is estimated alone.
    challenger : str
        B, or the single algorithm.
    outcome, sentence : str or None, str
        The verdict; no outcome where one algorithm is estimated alone.
    value, low, high : float
        B − A in the measure's own units (or the algorithm's own value) and its interval; NaN where
        the method was not applicable, infinite limits where the alternative is one-sided.
    level : float
        Error level of the interval, after adjustment for several pairs.
    standard_error, statistic, df, pvalue, adjusted_pvalue : float or None
        Of the test, where the method is one.
    probability : float or None
        Posterior probability that B is better by more than the margin, where the method has a
        posterior: P(H1).
    null_probability : float or None
        Posterior probability that B is not: P(H0) = 1 − P(H1).
    accepted : {"H0", "H1"} or None
        The more probable of the two hypotheses, H0 where they are equally probable (R19 algorithm
        6.1). It says nothing of how sure that is.
    replicability : float or None
        The probability that the same data, partitioned anew at random, give the same verdict; None
        if it cannot be known.
    differences : tuple of float
        B − A (or the value) on every split.
    path : tuple of Look
        The looks of a sequential test, else empty.
    curves : tuple of Curve
        Posterior densities of both scores, else empty.
    sizes : Sizes or None
        What changes with the training size, where the run had several.
    along : tuple of (float, float)
        Of ordered data: how many times were tested, and the sum of B − A up to there; else empty.
    cohen_d, cohen_d_low, cohen_d_high : float or None
        Difference and interval over the standard deviation of the differences on single examples,
        where the measure has values per example.
    a12, a12_low, a12_high : float or None
        Chance that the value of B is above that of A on an example, ties counted half, as
        :func:`evenfold.infer.a12` says it; its interval reaches as many standard errors over
        examples as that of the difference.
    direction : {"better", "worse"} or None
        On which side of 0 the interval lies; None if it holds 0.
    """

    baseline: str | None
    challenger: str
    outcome: str | None = None
    sentence: str = ""
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    level: float
    standard_error: float | None = None
    statistic: float | None = None
    df: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    probability: float | None = None
    null_probability: float | None = None
    accepted: str | None = None
    replicability: float | None = None
    differences: tuple[float, ...] = ()
    path: tuple[Look, ...] = ()
    curves: tuple[Curve, ...] = ()
    sizes: Sizes | None = None
    along: tuple[tuple[float, ...], ...] = ()
    cohen_d: float | None = None
    cohen_d_low: float | None = None
    cohen_d_high: float | None = None
    a12: float | None = None
    a12_low: float | None = None
    a12_high: float | None = None
    direction: str | None = None

    @property
    def digits(self) -> int:
        """Decimals that the interval of this pair gives its numbers."""
        return precision(self.value, self.low, self.high)


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """
    One algorithm over the splits that the estimate is about.

    Mean hold-out value (NaN where a fit failed), the smallest and largest of those that did not
    fail, and the mean time of a fit over all splits; NaN where there is none.
    """

    name: str
    mean: float
    low: float
    high: float
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class MethodFacts:
    """What the registry says of the method that was used."""

    key: str
    estimand: str
    leaning: str
    why: str
    source: str
    recommended: bool
    card: Mapping[str, Any] | None = None
    name: str = ""

    @property
    def called(self) -> str:
        """What the method is called in a text; files of earlier versions know only its key."""
        return self.name or f"the method {self.key}"


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignFacts:
    """
    Who trained and who was tested.

    ``certificate`` maps the certificate's attributes, if there is one.
    """

    name: str
    kind: str
    seed: int | None
    n: int
    n_train: int
    n_test: int
    repetition: tuple[int, ...]
    fold: tuple[int, ...]
    train_sizes: tuple[int, ...]
    test_sizes: tuple[int, ...]
    overlaps: tuple[tuple[int, ...], ...]
    certificate: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """What one algorithm that searches chose on each split; nothing where the fit failed."""

    algorithm: str
    parameters: tuple[Mapping[str, Any], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The parameters on each split as they are written in Python."""
        return tuple(
            ", ".join(f"{name}={value!r}" for name, value in one.items()) for one in self.parameters
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts(PlainFacts):
    """
    Everything a report says.

    Attributes
    ----------
    quantity : Quantity
        What was measured: name, words, direction, range, class and weights.
    estimand : str
        What the numbers are about, with the training size, in the names of this comparison.
    algorithms : tuple of str
        Names, the baseline first.
    values, fit_seconds : tuple of tuples
        Hold-out value and cost of each algorithm (outer) on each split (inner); NaN where the fit
        failed.
    seconds : float
        All fitting together.
    level, margin, alternative, adjust, baseline
        As asked for.
    most_repetitions : int or None
        M of a sequential test.
    fits, reused, speculative : int
        Fits run now, found in the store, and run ahead without need.
    notes : tuple of Note
        Warnings that belong beside the verdict, for example what is wrong with a method.
    call : str
        The call that gives this result again.
    versions : mapping
        Version of each library that mattered.
    run_id : str or None
        Under which the store knows the run.
    created : str
        When, in ISO form.
    candidates : tuple of Candidate
        More than two algorithms one by one, the best value first; else empty.
    others : tuple of Facts
        The same about each further measure that was asked for.
    flips : tuple of Flips
        What each challenger got right that its baseline got wrong, and the other way round, where
        single examples were judged; else empty.
    power : tuple of GatePower
        What each gate would have caught and passed, where one was asked for; else empty.
    parts : tuple of Part
        What was found on every task and slice of the examples; else empty.
    chosen : tuple of Chosen
        The parameters that each algorithm that searches chose, fit by fit; else empty.
    goal : float or None
        The replicability that a run which stops by itself was to reach; None for other runs.
    """

    schema = 3
    earlier = (2,)
    derived = ("summaries",)

    quantity: Quantity
    estimand: str
    algorithms: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    fit_seconds: tuple[tuple[float, ...], ...]
    seconds: float
    level: float
    margin: float
    alternative: str
    adjust: str
    method: MethodFacts
    design: DesignFacts
    pairs: tuple[Pair, ...]
    most_repetitions: int | None
    fits: int
    reused: int
    speculative: int
    failures: tuple[Failure, ...]
    notes: tuple[Note, ...]
    call: str
    versions: Mapping[str, str]
    run_id: str | None
    created: str
    candidates: tuple[Candidate, ...] = ()
    others: "tuple[Facts, ...]" = ()
    flips: tuple[Flips, ...] = ()
    power: tuple[GatePower, ...] = ()
    parts: tuple[Part, ...] = ()
    chosen: tuple[Chosen, ...] = ()
    baseline: str | None = None
    goal: float | None = None

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """Every algorithm over the splits that the estimate is about."""
        each = zip(self.algorithms, self.values, self.fit_seconds, strict=False)
        return tuple(self._summary(*one) for one in each)

    def _summary(self, name: str, values: Sequence[float], seconds: Sequence[float]) -> Summary:
        marked = [repetition < 0 for repetition in self.design.repetition]
        about = marked if any(marked) else [True] * len(marked)
        own = [*compress(values, about)]
        finite = [*filter(math.isfinite, own)]
        spent = [*filter(math.isfinite, seconds)]
        mean = np.exp(np.mean(np.log(own))) if self.quantity.ratio else np.mean(own)
        return Summary(
            name=name,
            mean=float(mean),
            low=min(finite, default=math.nan),
            high=max(finite, default=math.nan),
            seconds=float(np.mean(spent)) if spent else math.nan,
        )

    @property
    def shared(self) -> bool:
        """Whether the pairs share the level, so that the interval of each has less of it."""
        return any(pair.level != self.level for pair in self.pairs)

    @property
    def digits(self) -> int:
        """Decimals of a table of all pairs: those of the shortest interval."""
        return max((pair.digits for pair in self.pairs if math.isfinite(pair.value)), default=3)

    @property
    def value_digits(self) -> int:
        """
        Decimals of hold-out values.

        Those that their spread over splits and algorithms gives them.
        """
        ends = [end for one in self.summaries for end in (one.low, one.high) if math.isfinite(end)]
        if ends:
            return decimals(max(ends) - min(ends))
        return 3


def require_facts(facts: object) -> Facts:
    """Return what is known of a comparison, or refuse what is something else."""
    if not isinstance(facts, Facts):
        refuse("facts", "the facts of a comparison, such as c.facts", facts)
    return facts

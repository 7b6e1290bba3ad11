"""
A method is a plain function; the decorator :class:`method` registers it with what it claims.

The function takes data and returns an estimate. It has the signature and the docstring that users
see, and is called with arrays that are checked::

    @method(
        name="the t-test on folds",
        valid=FOLDS,
        liberal="It treats folds as independent although their training sets overlap.",
        source="W14 section 5.1; T15",
    )
    def kfold_t(
        d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
    ) -> PivotEstimate:
        return mean_t(floats(d)).test(null, alternative)

The decorator returns the same function with what all methods share around it: it checks the data,
the null value and the side, changes units where squares would overflow, and gives the estimate its
name, its estimand and its card.
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from inspect import Signature, signature
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, get_args, overload

import numpy as np

from evenfold.core.checks import refuse, short_repr
from evenfold.core.errors import EvenfoldDeprecation
from evenfold.core.estimate import (
    Alternative,
    Estimand,
    Estimate,
    Floats,
    Normal,
    PivotEstimate,
    PosteriorEstimate,
    Reference,
    StudentT,
    TestEstimate,
    VarianceEstimate,
    open_interval_side,
)
from evenfold.infer._arrays import fields_of_test, mean_and_variance, warn_degenerate, welch_df
from evenfold.infer._registry import METHODS, OF_A_RUN, Claims, Family, Method

E = TypeVar("E", bound=Estimate)
P = ParamSpec("P")

_QUESTION = ("null", "alternative", "side")  # set by the question; "side" is of old formulas


class Pivot(NamedTuple):
    """The pivot of most methods: (value − null)/√variance has the reference distribution."""

    value: Floats
    variance: Floats
    reference: Reference
    n_train: int | None = None

    def test(self, null: float, alternative: Alternative) -> PivotEstimate:
        """Return the estimate with its test of ``null``."""
        return PivotEstimate(
            reference=self.reference,
            estimand=at_size(self.n_train),
            **fields_of_test(self.value, self.variance, null, alternative),
        )


def at_size(n_train: int | None) -> Estimand:
    """Return the part of an estimand that a method knows by itself: the size of training sets."""
    if n_train is None:
        return Estimand()
    return Estimand().at(n_train)


def mean_t(d: Floats, factor: float | None = None, *, n_train: int | None = None) -> Pivot:
    """Return the mean of J values with variance factor·S² (1/J by default) and t with J − 1 df."""
    J = d.shape[-1]
    mean, s2 = mean_and_variance(d)
    return Pivot(mean, s2 * (1 / J if factor is None else factor), StudentT(J - 1), n_train)


def mean_z(d: Floats, factor: float | None = None) -> Pivot:
    """Return the mean of n values with variance factor·S² (1/n by default), normal reference."""
    return mean_t(d, factor)._replace(reference=Normal())


def welch(a: Floats, b: Floats) -> Pivot:
    """Return Welch's t of the difference of the means of two samples (..., n_A) and (..., n_B)."""
    mean_a, s2_a = mean_and_variance(a)
    mean_b, s2_b = mean_and_variance(b)
    v_a = s2_a / a.shape[-1]
    v_b = s2_b / b.shape[-1]
    df = welch_df(v_a, a.shape[-1] - 1, v_b, b.shape[-1] - 1)
    return Pivot(mean_b - mean_a, v_a + v_b, StudentT(df))


class OneSidedTests(TestEstimate):
    """Two one-sided tests, of which a two-sided p-value is twice the smaller one."""

    __slots__ = ()

    @abstractmethod
    def _pvalue_against(self, *, larger: bool) -> Floats:
        """Return the p-value against values larger than the null, or against smaller ones."""

    @abstractmethod
    def _limits(self, error: float) -> tuple[Floats, Floats]:
        """Return the limits beyond which the tests reject, each at this error."""

    def _smaller_pvalue(self) -> Floats:
        return np.minimum(self._pvalue_against(larger=True), self._pvalue_against(larger=False))

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        if self.alternative != "two-sided":
            return self._pvalue_against(larger=self.alternative == "greater")
        return np.minimum(2 * self._smaller_pvalue(), 1.0)[()]

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return the limits of all values that neither test rejects."""
        low, high = self._limits(self.error_per_side(confidence_level))
        return open_interval_side(low, high, self.alternative)


class Variance(NamedTuple):
    """The variance that a method estimates, and its bias in words."""

    value: Floats
    bias: str

    def test(self, *_: object) -> VarianceEstimate:
        """Return the estimate, which tests nothing."""
        return VarianceEstimate(value=self.value, bias=self.bias)


class Answer(Generic[E]):
    """The kind of an estimate and its fields, for methods that return no pivot and no variance."""

    def __init__(self, kind: type[E], **fields: Any) -> None:
        self.kind = kind
        self.fields = fields

    def test(self, null: float, alternative: Alternative) -> E:
        """Return the estimate, with its test of ``null`` if it is a test."""
        fields = {**self.fields}
        flat = fields.pop("flat", None)
        if flat is not None:
            warn_degenerate(flat, stacklevel=6)
        if issubclass(self.kind, TestEstimate):
            fields |= {"null": null, "alternative": alternative}
        return self.kind(estimand=at_size(fields.pop("n_train", None)), **fields)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class method(Claims):  # noqa: N801  (a decorator)
    """
    Register a function as a method, with what it claims.

    The function takes data as positional arguments and returns an estimate; a test also takes the
    keywords ``null`` and ``alternative``. Exactly one of ``liberal``, ``conservative``, ``exact``
    and ``depends`` must be given.

    Parameters
    ----------
    key : str
        The name of the method in reports and on the command line. Defaults to the function's name
        with ``-`` in place of ``_``, and ``5x2`` in place of ``five_by_two``.
    name : str
        What the method is called in a sentence, with its article: "the t-test on folds". Defaults
        to "the method" and the key.
    valid : Valid
        The designs that the method is valid on, and which of them it gets by default.
    takes : Input, optional
        What the function is given, and how that is read off losses; see
        :mod:`evenfold.infer.inputs`. Defaults to what its designs give.
    source : str
        Where the method comes from, with the equation.
    liberal, conservative, exact, depends : str
        Why its error is above, below or at the nominal level, or what that depends on, as one or
        more sentences.
    estimand : Estimand, optional
        What the method estimates, at which training size. Parts that are not given are those of
        its designs.
    recommended : bool, optional
        False if the method is for comparison only. Defaults to whether it is the default method of
        a design.
    default_for : tuple of Kind
        Designs that get this method when none is asked for.
    gate_for : tuple of Kind
        Designs that get this method when a margin is asked about and answers are graded.
    joint : {"t", "normal"}, optional
        The reference distribution of a statistic that is a mean over the spread of all its values,
        so that tests of several pairs have a known joint distribution.
    sides, nulls : bool
        Whether the method knows one-sided alternatives, and null values other than 0.
    sequential : bool
        Whether the method looks while repetitions are added and may stop.
    looks : tuple of int
        The repetitions after which it then looks. Shorter runs stop in between.
    instead : str
        The method to use for what this one does not know.
    counted : str
        The quantity of the estimand where the function is called with counts of right predictions.
    ratio : callable, optional
        Var μ̂ / E σ̂² in the Gaussian model, a function of its correlations. The test is liberal
        where it is above 1.
    arguments : tuple of str
        Keywords that the method needs although they have a default.
    check : callable, optional
        A function that refuses options, or a size of the design, before anything is fitted. It
        takes some of the method's options, and of what a design knows: ``n``, ``n_train``,
        ``n_test``, ``n_splits``, ``m``, ``alone``. What the method itself refuses of its data is
        refused after the last fit.
    no_card : str, optional
        Why the error of the method cannot be measured, where it cannot.
    run : callable, optional
        A function that answers a question about losses in place of the method. It returns an
        estimate, or None to let the method answer.

    Examples
    --------
    >>> import evenfold as ef
    >>> entry = ef.infer.methods()["kfold-t"]
    >>> entry.takes, entry.estimand.size, entry.joint
    (SplitDifferences(), '(K−1)n/K', 't')
    >>> entry.leaning, entry.why
    ('liberal', 'It treats folds as independent although their training sets overlap.')
    """

    @overload
    def __call__(self, function: Callable[P, E], /) -> Callable[P, E]: ...
    @overload
    def __call__(self, function: Callable[..., Pivot], /) -> Callable[..., PivotEstimate]: ...
    @overload
    def __call__(self, function: Callable[..., Variance], /) -> Callable[..., VarianceEstimate]: ...
    @overload
    def __call__(self, function: Callable[..., Answer[E]], /) -> Callable[..., E]: ...
    def __call__(self, function: Callable[..., Any], /) -> Callable[..., Any]:
        """Register the function and return it, with the checks that all methods share."""
        stated = signature(function, eval_str=True).return_annotation
        kind = _kind_of_estimate(stated, function.__name__)
        formula = function if kind is stated else _plain_function(function, kind)
        parameters = signature(function).parameters.values()
        data = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in _QUESTION]
        needed = [p.name for p in keywords if p.default is p.empty]
        entry = Method(
            formula=formula,
            function=formula,
            family=_family(kind),
            data=tuple(data),
            options=tuple(p.name for p in keywords if p.name not in OF_A_RUN),
            **self._completed(function.__name__, needed),
        )
        checked = _checked(formula, entry)
        METHODS.add(entry.key, replace(entry, function=checked))
        return checked


def _checked(function: Callable[P, E], entry: Method) -> Callable[P, E]:
    """Return a function that checks what it is given, calls the method and stamps the estimate."""
    about = entry.about_counts
    names = entry.data

    @wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> E:
        data: Any = args
        options: Any = keywords
        if len(args) != len(names):
            data, options = _data_by_keyword(function, names, args, keywords)
        if entry.family == "test":
            null, side = entry.check_hypothesis(
                options.get("null", 0.0), options.get("alternative", "two-sided")
            )
            options |= {"null": null, "alternative": side}
        estimate: E = entry.stamp(entry.compute(data, options), about)
        return estimate

    return checked


def _data_by_keyword(
    function: Callable[..., Any],
    names: Sequence[str],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return data that were passed by name in their places, and the other keywords."""
    options = {**keywords}
    data = args + tuple(options.pop(name) for name in names[len(args) :] if name in options)
    if len(data) != len(names):
        signature(function).bind(*args, **keywords)  # says which argument is missing, or too many
    return data, options


def _family(estimate: type[Estimate]) -> Family:
    """Return the family of an estimate: test, variance, posterior, or else omnibus."""
    families: dict[type[Estimate], Family] = {
        TestEstimate: "test",
        VarianceEstimate: "variance",
        PosteriorEstimate: "posterior",
    }
    return next(
        (family for kind, family in families.items() if issubclass(estimate, kind)), "omnibus"
    )


# Formulas as version 0.2 had them: they return a Pivot, a Variance or an Answer instead of an
# estimate, and the keywords null and alternative are added to theirs. They go in version 0.4.


def _kind_of_estimate(stated: Any, function_name: str) -> type[Estimate]:
    """Return the kind of estimate that a return annotation stands for, or refuse it."""
    known: dict[Any, Any] = {Pivot: PivotEstimate, Variance: VarianceEstimate}
    kind = known.get(stated) or next(iter(get_args(stated)), stated)
    if not (isinstance(kind, type) and issubclass(kind, Estimate)):
        if stated is Signature.empty:
            stated = "nothing"
        refuse(
            None,
            f"return annotation of {function_name} must be a kind of Estimate but got "
            f"{short_repr(stated)}.",
        )
    return kind


def _plain_function(formula: Callable[..., Any], kind: type[Estimate]) -> Callable[..., Estimate]:
    """Return the function that a formula stands for."""
    warnings.warn(
        f"method {formula.__name__} returns no estimate: this is deprecated since evenfold 0.3 "
        f"and goes in 0.4; let it return a {kind.__name__}, such as Pivot(…).test(null, "
        "alternative)",
        EvenfoldDeprecation,
        stacklevel=3,
    )
    wanted = {"null", "side"} & signature(formula).parameters.keys()

    def function(
        *data: Any, null: float = 0.0, alternative: Alternative = "two-sided", **options: Any
    ) -> Estimate:
        known = {"null": null, "side": alternative}
        stated = formula(*data, **{name: known[name] for name in wanted}, **options)
        estimate: Estimate = stated.test(null, alternative)
        return estimate

    function.__name__ = function.__qualname__ = formula.__name__
    function.__module__ = formula.__module__
    function.__doc__ = formula.__doc__
    function.__annotations__["return"] = kind
    return function

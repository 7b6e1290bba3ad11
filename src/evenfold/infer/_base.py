"""
What a method is: a formula with its claims. All that methods share is done here.

A method is one file: a function from checked arrays to value, variance and reference
distribution, and a decorator that says which designs it is valid for and what its critics say::

    @method(
        valid=FOLDS,
        liberal="treats folds whose training sets overlap as independent",
        source="W14 section 5.1; T15",
    )
    def kfold_t(d: Floats) -> Pivot: ...

Null, side, level, units, data without spread, the card and the rest of the docstring come from
here.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter, Signature, signature
from textwrap import fill, indent
from typing import Any, Generic, NamedTuple, TypeVar, cast, get_args, overload

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.errors import DegenerateData
from evenfold.core.estimate import (
    Alternative,
    Estimand,
    Estimate,
    Floats,
    PivotEstimate,
    PosteriorEstimate,
    Reference,
    StudentT,
    TestEstimate,
    VarianceEstimate,
)
from evenfold.core.facts.comparison import cited_works
from evenfold.core.numpydoc import entry as parameter
from evenfold.core.numpydoc import order_parameters, put_together, split_sections
from evenfold.infer._arrays import hypothesis, mean_and_variance, welch_df
from evenfold.infer._registry import METHODS, Claims, Family, Method

E = TypeVar("E", bound=Estimate)

# A mean of J equal numbers, and their deviations from it, are off by a few units in the last place.
ROUNDING = 16 * float(np.finfo(np.float64).eps)
_ORDINARY = (1e-70, 1e70)  # sizes whose squares, and the squares of those, are numbers
_LEAST = -1000  # exponent of the smallest unit: its inverse is a number
_FAR = 1e150


class Pivot(NamedTuple):
    """What most methods state: (value − null)/√variance has the reference distribution."""

    value: Floats
    variance: Floats
    reference: Reference
    n_train: int | None = None


def mean_t(d: Floats, factor: float | None = None, *, n_train: int | None = None) -> Pivot:
    """Mean of J values, variance S² times a factor (1/J if not said), reference t with J − 1 df."""
    J = d.shape[-1]
    mean, s2 = mean_and_variance(d)
    return Pivot(mean, s2 * (1 / J if factor is None else factor), StudentT(J - 1), n_train)


class Variance(NamedTuple):
    """What an estimate of a variance states: the variance, and its bias in words."""

    value: Floats
    bias: str


class Answer(Generic[E]):
    """What other methods state: which estimate it is, and the fields that are its own."""

    def __init__(self, kind: type[E], **fields: Any) -> None:
        self.kind = kind
        self.fields = fields


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class method(Claims):  # noqa: N801  (a decorator)
    """
    Register a formula as a method.

    Decorated with its claims, it becomes the function that users call.

    One of its four leanings must be said.

    Parameters
    ----------
    key : str
        Its name in reports and on the command line; that of its function, ``-`` in the place of
        ``_`` and 5x2 in that of five_by_two, if not said.
    valid : Valid
        The designs it is valid on, and which of them it usually gets.
    takes : Input, optional
        What it is given, and how that is read off losses; see :mod:`evenfold.infer.inputs`. What
        its designs give if not said.
    source : str
        Where it comes from, with the equation.
    liberal, conservative, exact, depends : str
        Why its error is above, below or at the nominal level, or on what that depends.
    estimand : Estimand, optional
        What it estimates on losses, at which training size; what is not said is as its designs have
        it.
    recommended : bool, optional
        False: for comparison only. What designs get by default is recommended if not said
        otherwise.
    default_for : tuple of Kind
        Designs that get this method when none is asked for.
    gate_for : tuple of Kind
        Designs that get this method when a margin is asked about and answers are graded.
    joint : {"t", "normal"}, optional
        The reference of a statistic that is a mean over the spread of all its values, so that tests
        of several pairs have a joint law; nothing where it is none.
    sides, nulls : bool
        Whether it knows one-sided alternatives, and null values other than 0.
    sequential : bool
        Whether it looks while repetitions are added and may stop.
    looks : tuple of int
        The repetitions after which it then looks; a longer or shorter run goes on as they began.
    instead : str
        The method to use for what this one does not know.
    counted : str
        The quantity of the estimand where its function is called with counts of right predictions.
    ratio : callable, optional
        Var μ̂ / E σ̂² in the Gaussian model, a function of its correlations: above 1 the test is
        liberal.
    arguments : tuple of str
        Keywords it cannot do without beside those that have no default.
    no_card : str, optional
        Why the lab cannot measure its error, where it cannot.
    run : callable, optional
        What to do with a question about losses instead of the formula: returns what a formula
        returns, or None to go on.

    Examples
    --------
    >>> import evenfold as ef
    >>> entry = ef.infer.methods()["kfold-t"]
    >>> entry.takes, entry.estimand.size, entry.joint
    (SplitDifferences(), '(K−1)n/K', 't')
    >>> entry.leaning, entry.why
    ('liberal', 'treats folds whose training sets overlap as independent')
    """

    run: Callable[..., Any] | None = None

    @overload
    def __call__(self, formula: Callable[..., Pivot], /) -> Callable[..., PivotEstimate]: ...
    @overload
    def __call__(self, formula: Callable[..., Variance], /) -> Callable[..., VarianceEstimate]: ...
    @overload
    def __call__(self, formula: Callable[..., Answer[E]], /) -> Callable[..., E]: ...
    def __call__(self, formula: Callable[..., Any], /) -> Callable[..., Any]:
        """Return the function that users call; its estimate follows from the formula."""
        own = signature(formula).parameters.values()
        needed = [p.name for p in own if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
        said = self._of(formula.__name__, (name for name in needed if name not in _GIVEN))
        entry = Method(family=_family(_stated_estimate(formula)), **said)
        public = _Function(entry, formula, self.run)
        METHODS.add(entry.key, replace(entry, function=public.call, on_losses=public.on_losses))
        return public.call


_GIVEN = ("null", "side")  # what a formula may ask the base for


class _Function:
    """The function that users call, made of a formula and its claims."""

    def __init__(
        self, entry: Method, formula: Callable[..., Any], run: Callable[..., Any] | None
    ) -> None:
        self.entry = entry
        self.formula = formula
        self.run = run
        parameters = list(signature(formula).parameters.values())
        self.data = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.wants = [p.name for p in parameters if p.name in _GIVEN]
        self.signature = _signature(parameters, formula, entry)
        self.about = entry.about_counts
        self.call = self._public()

    def _public(self) -> Callable[..., Any]:
        def call(*data: Any, **options: Any) -> Any:
            data, null, side, options = self._arguments(data, options)
            checked = self.entry.takes.check(self.data, data)
            found = self._answer(checked, null, side, options)
            return self._finish_estimate(found, self.about, null, side, 4)

        call.__name__ = call.__qualname__ = self.formula.__name__
        call.__module__ = self.formula.__module__
        call.__doc__ = document_function(self.formula, self.entry, self.signature)
        call.__signature__ = self.signature  # type: ignore[attr-defined]  # what inspect looks for
        call.__annotations__ = {
            p.name: p.annotation for p in self.signature.parameters.values()
        } | {"return": self.signature.return_annotation}
        return call

    def on_losses(self, asked: Any, *, null: float, alternative: str, **options: Any) -> Estimate:
        """
        Answer a question about losses.

        The estimand is that of the measure, at the design's size.
        """
        entry = self.entry
        null, side = self._hypothesis(null, alternative)
        about = entry.estimand
        # of models that were trained elsewhere nobody knows the size
        if not asked.partition.kind.about:
            about = about.at(entry.n_train(asked.partition))
        if asked.a is None:
            about = about.alone()
        if self.run is None:
            found = None
        else:
            found = self.run(asked, **_accepted_options(self.run, options))
        if isinstance(found, Pivot):
            found = self._pivot(found, (), null)
        if found is None:
            data = entry.takes.check(self.data, entry.takes.read(asked))
            found = self._answer(
                data, null, side, {**self._known_arguments(asked, options), **options}
            )
        return self._finish_estimate(found, about, null, side, 5)

    def _known_arguments(self, asked: Any, options: Mapping[str, Any]) -> dict[str, Any]:
        known = {**self.entry.takes.required_keywords(asked), **options}
        missing = [name for name in self.entry.arguments if name not in known]
        if missing:
            asked.refuse(f"needs {' and '.join(missing)}: pass them in method_options")
        return {
            name: known[name] for name in self.entry.arguments
        } | self.entry.takes.optional_keywords(asked)

    def _arguments(
        self, data: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], float, Alternative, dict[str, Any]]:
        if len(data) != len(self.data) or not options.keys() >= {*self.entry.arguments}:
            bound = self.signature.bind(*data, **options)
            options = {
                name: bound.arguments[name] for name in bound.arguments if name not in self.data
            }
            data = tuple(bound.arguments[name] for name in self.data)
        if self.entry.family != "test":
            return data, 0.0, "two-sided", options
        null, side = self._hypothesis(
            options.pop("null", 0.0), options.pop("alternative", "two-sided")
        )
        return data, null, side, options

    def _hypothesis(self, null: object, alternative: object) -> tuple[float, Alternative]:
        entry = self.entry
        (value, side) = hypothesis(null, alternative)
        if not entry.sides and side != "two-sided":
            remedy = f"use {entry.instead!r} for one-sided questions"
            refuse("alternative", f"'two-sided' for {entry.key!r}", side, remedy)
        if not entry.nulls and value != 0:
            remedy = f"use {entry.instead!r} to test another difference"
            refuse("null", f"0 for {entry.key!r}", value, remedy)
        return value, side

    def _answer(self, data: tuple[Any, ...], null: float, side: Alternative, options: Any) -> Any:
        """Apply the formula in units in which no square is too small or too large for a float."""
        takes = self.entry.takes
        unit = ordinary_unit(*takes.values(data))
        if unit != 1:
            data = takes.times(data, 1 / unit)
            null = min(max(null / unit, -_FAR), _FAR)
        known = {"null": null, "side": side}
        given = {name: known[name] for name in self.wants}
        found = self.formula(*data, **given, **options)
        if isinstance(found, Pivot):
            found = self._pivot(found, data, null)
        if unit == 1:
            return found
        return _restore_units(found, unit)

    def _pivot(self, found: Pivot, data: tuple[Any, ...], null: float) -> Answer[PivotEstimate]:
        statistic, error, flat = standardise(found.value, found.variance, null)
        some: Any = None
        if is_any_true(flat):
            # a variance of 0 although the data differ comes from a method that looks at part of
            # them only
            blind = flat & self.entry.takes.differ(data, ROUNDING)
            some = flat
            statistic = np.where(blind, 0.0, statistic)[()]
            error = np.where(blind, np.inf, error)[()]
        return Answer(
            PivotEstimate,
            value=found.value,
            standard_error=error,
            statistic=statistic,
            reference=found.reference,
            flat=some,
            n_train=found.n_train,
        )

    def _finish_estimate(
        self, found: Any, about: Estimand, null: float, side: Alternative, depth: int
    ) -> Estimate:
        """Give the answer its name, estimand and card, and say where the data have no spread."""
        if isinstance(found, Variance):
            found = Answer(VarianceEstimate, value=found.value, bias=found.bias)
        fields = found.fields
        flat = fields.pop("flat", None)
        n_train = fields.pop("n_train", None)
        if flat is not None and is_any_true(flat):
            warn_degenerate(flat, stacklevel=depth)
        if n_train is not None:
            about = about.at(n_train)
        if issubclass(found.kind, TestEstimate):
            fields |= {"null": null, "alternative": side}
        estimate: Estimate = found.kind(
            method=self.entry.key, estimand=about, card=self.entry.card, **fields
        )
        return estimate


def ordinary_unit(*values: Floats) -> float:
    """
    A power of 2 in which the largest value is ordinary.

    Mostly 1, as the sum of squares tells at once.
    """
    small, large = _ORDINARY
    squares = sum(float(np.vdot(v, v)) for v in values)
    count = sum(v.size for v in values)
    if count * small**2 <= squares <= large**2:
        return 1.0
    size = max(float(np.abs(v).max(initial=0.0)) for v in values)
    if size == 0 or small <= size <= large:
        return 1.0
    return 2.0 ** max(int(np.frexp(size)[1]), _LEAST)


def _restore_units(found: Any, unit: float) -> Any:
    """Return an answer in the units of the data again."""
    if isinstance(found, Variance):
        return found._replace(value=found.value * unit**2)
    powers: Mapping[str, int] = found.kind.units
    return Answer(
        found.kind,
        **{
            name: of * unit ** powers[name] if name in powers else of
            for name, of in found.fields.items()
        },
    )


def _signature(
    parameters: list[Parameter], formula: Callable[..., Any], entry: Method
) -> Signature:
    """The formula's own parameters, then those that all tests share."""
    own = [
        p.replace(annotation=Any) if p.kind is p.POSITIONAL_OR_KEYWORD else p
        for p in parameters
        if p.name not in _GIVEN
    ]
    shared = [
        Parameter("null", Parameter.KEYWORD_ONLY, default=0.0, annotation=float),
        Parameter(
            "alternative", Parameter.KEYWORD_ONLY, default="two-sided", annotation=Alternative
        ),
    ]
    return Signature(
        [*own, *shared] if entry.family == "test" else own,
        return_annotation=_stated_estimate(formula),
    )


def _accepted_options(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a function takes."""
    own = signature(function).parameters
    return {name: value for name, value in options.items() if name in own}


def _stated_estimate(formula: Callable[..., Any]) -> type[Estimate]:
    """The estimate that follows from what a formula says that it returns."""
    stated = signature(formula, eval_str=True).return_annotation
    known: dict[Any, type[Estimate]] = {Pivot: PivotEstimate, Variance: VarianceEstimate}
    kind = known.get(stated) or next(iter(get_args(stated)), None)
    if not (isinstance(kind, type) and issubclass(kind, Estimate)):
        if stated is Signature.empty:
            said = "nothing"
        else:
            said = stated
        rule = "Pivot, Variance or Answer[an estimate]"
        refuse(f"return annotation of {formula.__name__}", rule, said)
    return kind


def _family(estimate: type[Estimate]) -> Family:
    """What an estimate is: a test, a variance, a posterior, or an answer about all at once."""
    families: dict[type[Estimate], Family] = {
        TestEstimate: "test",
        VarianceEstimate: "variance",
        PosteriorEstimate: "posterior",
    }
    return next(
        (family for kind, family in families.items() if issubclass(estimate, kind)), "omnibus"
    )


def standardise(
    value: Floats, variance: Floats, null: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """
    Return statistic, standard error, and where the data have no spread.

    There the standard error is 0 and the statistic 0 at the null, else infinite.
    """
    error = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (value - null) / error
    flat = error <= ROUNDING * np.abs(value)
    if is_any_true(flat):
        at_null = np.abs(value - null) <= ROUNDING * np.maximum(np.abs(value), abs(null))
        limit = np.where(at_null, 0.0, np.copysign(np.inf, value - null))
        statistic = np.where(flat, limit, statistic)[()]
        error = np.where(flat, 0.0, error)[()]
    return statistic, error, flat


def pvalue_of_tails(
    above: Callable[[], Floats], below: Callable[[], Floats], side: Alternative
) -> Floats:
    """The chance of one tail, or twice the smaller of both; what is not needed is not computed."""
    if side == "greater":
        return above()
    if side == "less":
        return below()
    return cast("Floats", np.minimum(2 * np.minimum(above(), below()), 1.0)[()])


def welch(a: Floats, b: Floats) -> Pivot:
    """Welch's t of the difference of the means of two samples (..., n_A) and (..., n_B)."""
    mean_a, s2_a = mean_and_variance(a)
    mean_b, s2_b = mean_and_variance(b)
    of_a = s2_a / a.shape[-1]
    of_b = s2_b / b.shape[-1]
    df = welch_df(of_a, a.shape[-1] - 1, of_b, b.shape[-1] - 1)
    return Pivot(mean_b - mean_a, of_a + of_b, StudentT(df))


def is_any_true(mask: NDArray[np.bool_]) -> bool:
    """Whether any is true; a single one is asked directly, which takes a tenth of the time."""
    return bool(mask if mask.ndim == 0 else mask.any())


def warn_degenerate(flat: NDArray[np.bool_], *, stacklevel: int = 3) -> None:
    """Say that some data sets have no spread."""
    warnings.warn(
        f"{np.count_nonzero(flat)} of {np.size(flat)} data sets have no spread where the method "
        "looks: by convention p is 1 where the estimate equals the null, else 0 (1 on the wrong "
        "side), and the statistic 0 where other values differ",
        DegenerateData,
        stacklevel=stacklevel,
    )


# The documentation of a method: what its author wrote, completed from its claims into numpydoc.


_WIDTH = 100
_SHARED = {
    "n_train": ("int", "Size n1 of the training part."),
    "n_test": ("int", "Size n2 of the test part."),
    "draws": ("int, default 9999", "Resamples."),
    "random_state": (
        "int, default 0",
        "Seed of the draws. It is fixed, so that the same data give the same p-value.",
    ),
    "null": ("float, default 0", "The difference Δ that is tested, in the units of the data."),
    "alternative": (
        '{"two-sided", "greater", "less"}',
        "The side of the null on which the truth would be a discovery, about B − A in the "
        "measure's units.",
    ),
}
_RETURNS = {
    "test": "The estimate, with a test of ``null`` and the interval that agrees with it.",
    "variance": "The estimated variance, and its bias in words.",
    "posterior": "``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` "
    "gives the three probabilities of a region of practical equivalence.",
    "omnibus": "The statistic and its p-value.",
}


def document_function(formula: Callable[..., Any], entry: Method, signature: Signature) -> str:
    """
    Return the docstring of the function that users call.

    The author writes a summary, notes and examples as plain paragraphs, and sections with headings
    after them where there is more to say: parameters of the method's own, further references.
    """
    if not formula.__doc__:
        return ""  # python -OO
    summary, notes, examples, sections = _parts(formula.__doc__)
    sections["Parameters"] = order_parameters(
        signature.parameters, _entries(entry, signature), sections.get("Parameters", "")
    )
    told = _wrap_text(_RETURNS[entry.family])
    sections["Returns"] = f"{signature.return_annotation.__name__}\n{indent(told, '    ')}"
    leans = f"*How it errs.* {entry.leaning.capitalize()}: {entry.why}. About: {entry.about()}."
    sections["Notes"] = "\n\n".join([*notes, _wrap_text(leans)])
    works = " ".join(work for _, work in cited_works(entry.source))
    more = sections.get("References", "")
    cites = _wrap_text(f"{entry.source}. {works}".strip())
    sections["References"] = "\n\n".join(filter(None, [cites, more]))
    sections["Examples"] = "\n\n".join([*examples, sections.get("Examples", "")]).strip()
    return put_together(summary, sections)


def _parts(text: str) -> tuple[str, list[str], list[str], dict[str, str]]:
    """Split what the author wrote: summary, notes, examples, and sections with headings."""
    preamble, sections = split_sections(text)
    summary, *paragraphs = [part for part in preamble.split("\n\n") if part]
    examples = [part for part in paragraphs if part.startswith(">>>")]
    if examples:
        examples[0] = f">>> import evenfold as ef\n{examples[0]}"
    return summary, [part for part in paragraphs if not part.startswith(">>>")], examples, sections


def _entries(entry: Method, signature: Signature) -> dict[str, str]:
    """What the input says of its arguments, and what all methods say of keywords, by name."""
    data = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    first = len(data) - len(entry.takes.described) + 1  # several arguments may be of the first kind
    groups = [data[:first], *([name] for name in data[first:])]
    told = {
        name: f"{', '.join(names)} : {said}"
        for names, said in zip(groups, entry.takes.described, strict=True)
        for name in names
    }
    shared = {**_SHARED, **entry.takes.keywords}
    return told | {name: parameter(name, *said) for name, said in shared.items()}


def _wrap_text(text: str) -> str:
    return fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)

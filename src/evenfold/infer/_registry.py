"""The registry: what each method is for, where it is valid, what its critics say; and its use."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from inspect import signature
from typing import Any, Literal, get_args

import numpy as np

from evenfold.core.checks import did_you_mean, flag, fraction, integer, refuse, refuse_value
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Alternative, Estimand, Estimate, PivotEstimate, TestEstimate
from evenfold.core.losses import Losses, Quantity
from evenfold.core.partition import Kind, Partition
from evenfold.core.registry import Registry
from evenfold.core.words import join_words
from evenfold.infer._arrays import (
    ROUNDING,
    hypothesis,
    is_any_true,
    of_losses,
    ordinary_unit,
    warn_degenerate,
)
from evenfold.infer._designs import Valid
from evenfold.infer.inputs import Input, Question, Setting

Family = Literal["test", "variance", "posterior", "omnibus"]
Joint = Literal["", "t", "normal"]
Leaning = Literal["liberal", "conservative", "exact", "depends"]

_FAR = 1e150

_WITHOUT_CARD = {
    "variance": "it estimates a variance and decides nothing, so that it has no error to measure",
    "omnibus": "it gives no interval for the difference of two algorithms, which cards are about",
}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ErrorBehaviour:
    """
    What is known of the error of a test; exactly one of the four is given.

    Parameters
    ----------
    liberal, conservative, exact, depends : str
        Why its error is above, below or at the nominal level, or what that depends on.
    """

    liberal: str = ""
    conservative: str = ""
    exact: str = ""
    depends: str = ""

    @property
    def leanings(self) -> dict[Leaning, str]:
        """The reasons that are given, by word."""
        return {word: getattr(self, word) for word in get_args(Leaning) if getattr(self, word)}

    @property
    def leaning(self) -> Leaning:
        """The word for its error: "depends" where nothing is given."""
        return next(iter(self.leanings), "depends")

    @property
    def why(self) -> str:
        """The reason for that word."""
        return self.leanings.get(self.leaning, "")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Claims(ErrorBehaviour):
    """
    What a method says of itself before it sees data.

    :class:`method` has the meaning of each claim.
    """

    key: str = field(default="", kw_only=False)
    name: str = ""
    valid: Valid
    takes: Input | None = None
    source: str
    estimand: Estimand | None = None
    recommended: bool | None = None
    default_for: tuple[Kind, ...] = ()
    gate_for: tuple[Kind, ...] = ()
    joint: Joint = ""
    sides: bool = True
    nulls: bool = True
    sequential: bool = False
    looks: tuple[int, ...] = ()
    instead: str = ""
    counted: str = ""
    ratio: Callable[..., Any] | None = None
    arguments: tuple[str, ...] = ()
    check: Callable[..., Any] | None = None
    no_card: str = ""
    run: Callable[..., Any] | None = None

    def _completed(self, function_name: str, needed: Iterable[str]) -> dict[str, Any]:
        """Return all claims by name, completed from the designs and from the function."""
        claims = {claim.name: getattr(self, claim.name) for claim in fields(Claims)}
        key = self.key or function_name.replace("five_by_two", "5x2").replace("_", "-")
        claims["key"] = key
        claims["name"] = self.name or f"the method {key}"
        claims["takes"] = self.takes or self.valid.takes
        claims["arguments"] = (*self.arguments, *needed)
        claims["estimand"] = self.valid.estimand
        if self.estimand:
            claims["estimand"] = self.estimand.within(self.valid.estimand)
        if self.recommended is None:
            claims["recommended"] = bool(self.default_for)
        return claims


OF_A_RUN = frozenset(
    {
        "null", "alternative", "level", "most", "start", "looks", "futility",
        "clusters", "zeros", "alone", "sides", "paired", "positive", "horizon",
        "n", "m", "n_train", "n_test", "n_test_b", "low", "high",
    }
)  # fmt: skip
"""Keywords of methods that a run, a design or the question knows."""


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Method(Claims):
    """
    What is known of one method: its claims, as in :class:`method`, and what follows from them.

    Attributes
    ----------
    family : {"test", "variance", "posterior", "omnibus"}
        Which kind of estimate it returns.
    formula : callable
        The function as it is written, which takes data that are checked.
    function : callable
        The method itself: the same function with the checks that all methods share.
    data : tuple of str
        The names of the data that the function takes.
    options : tuple of str
        The keywords of the function that are the user's choice. A run, a design or the question
        knows all others.
    """

    family: Family
    takes: Input
    estimand: Estimand
    recommended: bool = False
    formula: Callable[..., Any]
    function: Callable[..., Any]
    data: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def __reduce__(self) -> "tuple[Callable[[str], Method], tuple[str]]":
        """Pickle the key, because a formula cannot be found under the name of its function."""
        return _registered, (self.key,)

    @property
    def designs(self) -> tuple[Kind, ...]:
        """The kinds of design it is valid on."""
        return self.valid.kinds

    @property
    def default_design(self) -> Kind:
        """The kind of design that the method gets when none is asked for."""
        return self.valid.default_design or self.valid.kinds[0]

    def check_options(self, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return options of the method itself, or refuse names that it does not have."""
        if options is not None and not isinstance(options, Mapping):
            refuse_value("method_options", options, "a mapping of names to values")
        chosen = dict(options or {})
        for name in chosen:
            if name not in self.options:
                remedy = f"It takes no options: leave {name!r} out."
                if self.options:
                    known = f"It has {join_words(self.options)}."
                    remedy = did_you_mean(name, self.options) or known
                refuse("method_options", f"method {self.key!r} has no option {name!r}.", remedy)
        return chosen

    def check_hypothesis(self, null: object, alternative: object) -> tuple[float, Alternative]:
        """Return a null value and a side that the method knows, or refuse them."""
        value, side = hypothesis(null, alternative)
        if not self.sides and side != "two-sided":
            remedy = f"Use the method {self.instead!r} for one-sided questions."
            refuse_value("alternative", side, f"'two-sided' for method {self.key!r}", remedy)
        if not self.nulls and value != 0:
            remedy = f"Use the method {self.instead!r} to test another difference."
            refuse_value("null", value, f"0 for method {self.key!r}", remedy)
        return value, side

    def known_arguments(self, question: Question, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keywords that a run knows."""
        known = {**self.takes.required_keywords(question), **options}
        required = {name: known[name] for name in self.arguments}
        return required | self.takes.optional_keywords(question)

    def compute(self, data: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Check the data, and call the formula in units in which squares are numbers."""
        checked = self.takes.check(self.data, data)
        unit = ordinary_unit(*self.takes.values(checked))
        null = options.get("null", 0.0)
        keywords = dict(options)
        if unit != 1:
            checked = self.takes.times(checked, 1 / unit)
            if "null" in keywords:
                keywords["null"] = min(max(null / unit, -_FAR), _FAR)
        estimate = self.formula(*checked, **keywords)
        if type(estimate) is PivotEstimate:
            estimate = self._without_spread(estimate, checked)
        if unit != 1:
            estimate = _in_units_of_data(estimate, unit, null)
        return estimate

    def _without_spread(self, estimate: PivotEstimate, data: tuple[Any, ...]) -> PivotEstimate:
        """Warn where the standard error is 0, and make it infinite where the data differ."""
        flat = np.asarray(estimate.standard_error == 0)
        if not is_any_true(flat):
            return estimate
        warn_degenerate(flat, stacklevel=5)
        # a variance of 0 although the data differ is of a method that looks at part of them only
        blind = flat & self.takes.differ(data, ROUNDING)
        return replace(
            estimate,
            statistic=np.where(blind, 0.0, estimate.statistic)[()],
            standard_error=np.where(blind, np.inf, estimate.standard_error)[()],
        )

    def stamp(self, estimate: Any, about: Estimand) -> Any:
        """Give an estimate the name, the estimand and the card of the method."""
        if estimate.estimand.names_size:
            about = about.at(estimate.estimand.size)
        return replace(estimate, method=self.key, estimand=about, card=self.card)

    def answer(self, question: Question, options: Mapping[str, Any]) -> Estimate:
        """
        Answer a question about losses, with options that are checked.

        The estimand is that of the measure, at the design's size.
        """
        about = self.estimand
        # the training sizes of models that were trained elsewhere are not known
        if not question.partition.kind.about:
            about = about.at(self.n_train(question.partition))
        if question.a is None:
            about = about.alone()
        estimate: Any = None
        if self.run is not None:
            estimate = self.run(question, **select_keywords(self.run, options))
        if estimate is not None and not isinstance(estimate, Estimate):  # as version 0.2 had it
            estimate = estimate.test(
                options.get("null", 0.0), options.get("alternative", "two-sided")
            )
        if type(estimate) is PivotEstimate:
            estimate = self._without_spread(estimate, ())
        if estimate is None:
            known = self.known_arguments(question, options)
            estimate = self.compute(self.takes.read(question), {**known, **options})
        stamped: Estimate = self.stamp(estimate, about)
        return stamped

    @property
    def repetitions(self) -> int | None:
        """How many repetitions that design has, where it matters."""
        return self.valid.repetitions

    @property
    def inputs(self) -> tuple[str, ...]:
        """What it takes, a word per input."""
        return self.takes.names

    @property
    def alone(self) -> bool:
        """Whether it can speak of one algorithm alone."""
        return 1 in self.takes.algorithms

    @property
    def pairs(self) -> bool:
        """Whether it can compare two algorithms."""
        return 2 in self.takes.algorithms

    @property
    def training_size(self) -> str:
        """The size of the training sets that it speaks of, in symbols."""
        return self.estimand.size

    @property
    def card(self) -> Mapping[str, Any] | None:
        """The measured calibration of the method, if it was measured."""
        return _card(self.key)

    @property
    def why_no_card(self) -> str:
        """Why it cannot be measured; empty where it can."""
        return self.no_card or _WITHOUT_CARD.get(self.family, "")

    @property
    def about_counts(self) -> Estimand:
        """The estimand where its function is called with counts of right predictions."""
        if not self.counted:
            return self.about()
        if self.estimand.form == "other":
            other = Estimand(
                words=self.counted, size=self.training_size, varied=self.estimand.varied
            )
            return other.at(self.training_size)
        return self.about().counting(self.counted)

    def looks_to(self, most: int) -> tuple[int, ...]:
        """
        Return the repetitions after which it looks, the last of them ``most``.

        Examples
        --------
        >>> import evenfold as ef
        >>> ef.infer.methods()["mx2-influence-t"].looks_to(19)
        (5, 7, 9, 15, 19)
        """
        return (*(m for m in self.looks if m < most), most)

    @property
    def about_one(self) -> Estimand:
        """The estimand of one algorithm alone."""
        return self.about().alone()

    def fits(self, kind: str) -> bool:
        """Whether it is valid on a kind of design, ours or another package's."""
        return kind in self.valid.kinds or (
            isinstance(kind, Kind) and kind.shape in self.valid.shapes
        )

    def n_train(self, partition: Partition) -> int:
        """
        Return the training size that the answer is about.

        It is n if the method extrapolates to all examples, else the training size of the design.
        """
        if self.training_size == "n":
            return partition.n
        return partition.n_train

    def about(self, n_train: int | None = None) -> Estimand:
        """Return the estimand with its training size, in symbols where that is not known."""
        return self.estimand.at(self.training_size if n_train is None else n_train)

    def __repr__(self) -> str:
        if self.recommended:
            use = "recommended"
        else:
            use = "for comparison only"
        return f"Method({self.key!r}, {self.leaning}, {use}, designs: {', '.join(self.designs)})"


def _in_units_of_data(estimate: Any, unit: float, null: float) -> Any:
    """Return an estimate in the units of the data again."""
    changed = {
        name: getattr(estimate, name) * unit**power for name, power in estimate.units.items()
    }
    if isinstance(estimate, TestEstimate):
        changed["null"] = null
    return replace(estimate, **changed)


def select_keywords(function: Callable[..., Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the known keywords that a function takes."""
    return {name: known[name] for name in _parameter_names(function) if name in known}


@cache
def _parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(signature(function).parameters)


# The default method of version 0.2, as its stores name it.
_REPLACED = "mx2-influence-sequential-t"

METHODS: Registry[Method] = Registry(
    "method",
    "evenfold.methods",
    listed="ef.infer.methods() and `evenfold methods` list all methods.",
    replaced={_REPLACED: f"method {_REPLACED!r} is replaced by 'mx2-influence-t', the default."},
)


def _registered(key: str) -> Method:
    return METHODS[key]


def methods(*, recommended: bool | None = None) -> Mapping[str, Method]:
    """
    All methods by key, those of other packages included.

    Parameters
    ----------
    recommended : bool, optional
        Only methods that are fit to base a decision on, or, if False, only those that are kept for
        comparison with papers and other libraries.

    Returns
    -------
    mapping of str to Method
        Designs, inputs, estimand, leaning, source and card of each method.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.methods()["corrected-resampled-t"].designs
    ('rlt', 'brlt', 'repeated-kfold')
    >>> "resampled-t" in ef.infer.methods(recommended=False)
    True
    """
    if recommended is None:
        return METHODS
    wanted = flag("recommended", recommended)
    return {key: entry for key, entry in METHODS.items() if entry.recommended == wanted}


def select(key: str, *, design: str) -> Method:
    """
    Return the method ``key`` if it is valid on a design, else say which one is.

    Parameters
    ----------
    key : str
        A key of :func:`methods`.
    design : str
        The ``kind`` of a partition.

    Returns
    -------
    Method

    Raises
    ------
    NotApplicable
        If the method does not fit the design; the message names both and suggests a method that
        fits.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.select("resampled-t", design="mx2-bcv")
    Traceback (most recent call last):
    ...
    evenfold.core.errors.NotApplicable: method 'resampled-t' does not fit design 'mx2-bcv'. It ...
    """
    entry = METHODS[key]
    if not isinstance(design, str):
        refuse_value("design", design, "the kind of a partition")
    if not entry.fits(design):
        fitting = [m for m in METHODS.values() if m.fits(design) and m.family == entry.family]
        fitting.sort(
            key=lambda m: (design not in m.default_for, m.takes.of_ratios, not m.recommended)
        )
        if fitting:
            remedy = f"Use the method {fitting[0].key!r}."
        else:
            remedy = f"No method of the family {entry.family!r} fits that design."
        needed = " or ".join(repr(str(kind)) for kind in entry.designs)
        raise NotApplicable(
            f"method {key!r} does not fit design {str(design)!r}. It needs the design {needed}. "
            f"{remedy}"
        )
    return entry


def recommended(
    design: str,
    *,
    measure: Quantity | None = None,
    sequential: bool = False,
    gate: bool = False,
) -> str:
    """
    Return the key of the method that a design gets when none is asked for.

    Parameters
    ----------
    design : str
        The ``kind`` of a partition.
    measure : Quantity, optional
        What is measured: a method must be able to read it, and what looks at single examples goes
        first. A loss without weights if nothing is given.
    sequential : bool, default False
        Whether the test may stop before all repetitions are run.
    gate : bool, default False
        Whether a margin is asked about, or few examples differ: then a method goes first that holds
        its level where losses are rare and large.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.recommended("kfold"), ef.infer.recommended("mx2-bcv")
    ('corrected-kfold-t', 'mx2-influence-t')
    """
    if not isinstance(design, str):
        refuse_value("design", design, "the kind of a partition")
    if measure is not None and not isinstance(measure, Quantity):
        refuse_value("measure", measure, "what a measure is about, such as the quantity of losses,")
    about = measure or _LOSS
    wanted_so = flag("sequential", sequential)
    if flag("gate", gate):
        holding = [m.key for m in METHODS.values() if design in m.gate_for and m.takes.suits(about)]
        if holding:
            return holding[0]
    possible = [m for m in METHODS.values() if m.sequential == wanted_so]
    candidates = [m for m in possible if design in m.default_for]
    candidates = candidates or [m for m in possible if _has_shape_of_kind(m, design)]
    if not candidates:
        known = sorted({str(kind) for m in possible for kind in m.default_for})
        refuse_value("design", design, f"one of {', '.join(map(repr, known))}")
    fitting = [m for m in candidates if m.takes.suits(about)]
    if not fitting:
        raise NotApplicable(
            f"method {candidates[0].key!r} needs values per example, which measure {about.name!r} "
            f"does not give on design {str(design)!r}. Use another design."
        )
    return min(
        fitting, key=lambda m: (not m.takes.measures, not m.takes.of_ratios, not m.takes.closely)
    ).key


_LOSS = Quantity(name="loss", lower_is_better=True, per_example="values")


def _has_shape_of_kind(entry: Method, design: str) -> bool:
    """Whether a design of another package has the shape of one that gets this method."""
    if not isinstance(design, Kind):
        return False
    shapes = {kind.shape for kind in entry.default_for}
    if design.shape not in shapes & {*entry.valid.shapes}:
        return False
    return not any(design in m.designs for m in METHODS.values())


@cache
def _card(key: str) -> Mapping[str, Any] | None:
    folder = files("evenfold.infer") / "cards"
    path = folder / f"{key}.json"
    if not path.is_file():
        return None
    card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))  # a dict: it pickles
    # classes of questions in which it is known to fail: from studies of their own, not from the
    # battery
    classes = folder / "classes" / f"{key}.json"
    return card | json.loads(classes.read_text(encoding="utf-8")) if classes.is_file() else card


def estimate(
    losses: Losses,
    method: str,
    *,
    challenger: str | int = 1,
    baseline: str | int | None = 0,
    null: float = 0.0,
    alternative: str = "two-sided",
    level: float = 0.05,
    most: int | None = None,
    method_options: Mapping[str, Any] | None = None,
) -> Estimate:
    """
    Apply a method to the losses of a run.

    Parameters
    ----------
    losses : Losses
        One measure of every algorithm on every split; of many data sets at once where its arrays
        have a batch axis after that of the algorithms.
    method : str
        A key of :func:`methods`.
    challenger, baseline : str or int
        B and A; baseline None estimates one algorithm alone.
    null : float
        The difference that a test tests.
    alternative : {"two-sided", "greater", "less"}
        The side of a discovery, about B − A in the measure's own units.
    level : float
        Error level of the intervals, and of a sequential test.
    most : int, optional
        M of a sequential test, the number of repetitions of the losses if not given.
    method_options : mapping, optional
        What the method itself can be told, by the names of its function in ``ef.infer``:
        ``{"boundary": "thesis"}`` of ``mx2-sequential-t``, ``{"lam": 0.5}`` of ``blocked-3x2-t``,
        ``{"prior": 0.5}`` of ``bayes-f1``.

    Returns
    -------
    Estimate

    Raises
    ------
    NotApplicable
        If the method does not fit the design or the measure, needs what a run does not have, or
        fits failed.

    Examples
    --------
    >>> import evenfold as ef
    >>> from evenfold.run.sample import sample
    >>> losses = sample(ef.Mx2BCV(3, random_state=0).partition(150))
    >>> e = ef.infer.estimate(losses, "mx2-t")
    >>> e.estimand, bool(e.value < -0.5)
    ('expected difference B − A at training size 75', True)
    """
    question = Question.of(of_losses(losses), challenger, baseline, method)
    level = fraction("level", level)
    entry, options = require(
        question,
        null=null,
        alternative=alternative,
        level=level,
        most=most,
        method_options=method_options,
    )
    return entry.answer(question, options).at(level)


def require(
    setting: Setting,
    *,
    null: float = 0.0,
    alternative: str,
    level: float,
    most: int | None,
    method_options: Mapping[str, Any] | None,
) -> tuple[Method, dict[str, Any]]:
    """
    Return a method and its keywords, or refuse what it would refuse of all losses of this kind.

    Whatever can be refused before anything is fitted is refused here: the hypothesis, the design,
    the measure, weights and options.

    Parameters
    ----------
    setting : Setting
        What is known before anything is fitted.
    null, alternative, level, most, method_options
        As in :func:`estimate`.
    """
    entry = select(setting.method, design=setting.partition.kind)
    options: dict[str, Any] = entry.check_options(method_options)
    if entry.sequential:
        so_far = len(setting.partition) // 2
        options |= {
            "level": level,
            "most": so_far if most is None else integer("most", most, low=2),
        }
    if entry.family == "test":
        value, side = entry.check_hypothesis(null, alternative)
        options |= {"null": value, "alternative": side}
    entry.takes.require(setting, entry.data)
    known = entry.takes.required_keywords(setting) | {"alone": setting.alone} | options
    missing = [name for name in entry.arguments if name not in known]
    if missing:
        setting.refuse(f"needs {' and '.join(missing)}", "Pass them in method_options.")
    if entry.check is not None:
        entry.check(**select_keywords(entry.check, known))
    return entry, options

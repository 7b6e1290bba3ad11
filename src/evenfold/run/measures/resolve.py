"""From what the caller writes in ``measures=`` to measures that know their target."""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NoReturn

import numpy as np

from evenfold.core.checks import (
    count_required,
    did_you_mean,
    flag,
    number,
    one_of,
    refuse,
    refuse_unknown,
    refuse_value,
    short_repr,
)
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Quantity
from evenfold.core.tags import SCHEMES
from evenfold.run.data import Target
from evenfold.run.measures._base import (
    MEASURES,
    Evaluated,
    Floats,
    Measure,
    Predictions,
    one_per_example,
    weighted_mean,
)
from evenfold.run.measures.labels.probabilities import BRIER_LOSS

# Other names of measures, which are used in papers, in other libraries and in everyday speech.


_SYNONYMS: dict[str, tuple[str, ...]] = {
    "accuracy": ("acc",),
    "zero-one": ("error", "error-rate", "misclassification"),
    "squared": ("mse",),
    "absolute": ("mae",),
    "pinball": ("quantile",),
    "r2": ("r-squared",),
    "rmse": ("root-mean-squared-error",),
    "percentage": ("mape", "percentage-error"),
    "symmetric-percentage": ("smape",),
    "neg_mean_squared_log_error": ("msle",),
    "neg_root_mean_squared_log_error": ("rmsle",),
    "neg_median_absolute_error": ("medae",),
    "neg_max_error": ("max-error",),
    "auc": ("auroc", "roc-auc", "rocauc", "c-statistic"),
    "average_precision": ("pr-auc", "prauc", "auprc", "auc-pr", "average-precision", "ap"),
    "log": ("logloss", "log-loss", "cross-entropy", "crossentropy", "nll"),
    "g-mean": ("gmean",),
    "recall": ("sensitivity", "tpr", "true-positive-rate"),
    "precision": ("ppv",),
    "f-beta:2": ("f2",),
    "f-beta:0.5": ("f0.5",),
    "kappa:quadratic": ("qwk",),
    "kappa": ("cohen-kappa",),
    "mcc": ("matthews", "phi"),
    "f1_micro": ("micro-f1",),
    "class-weighted-f1": ("weighted-f1",),
    "ece": ("expected-calibration-error",),
    "top_k_accuracy": ("top-k-accuracy",),
    "jaccard": ("iou",),
    "f1": ("dice", "f1-score"),
    "neg_mean_poisson_deviance": ("poisson",),
    "neg_mean_gamma_deviance": ("gamma",),
}
"""Measures, here or in scikit-learn, and their other names in lower case with hyphens."""

_ALIASES = {alias: name for name, aliases in _SYNONYMS.items() for alias in aliases}

_PER_EXAMPLE = (
    "Compute it for every example and pass the table to ef.judge with rows='examples' and "
    "higher_is_better="
)
_HIGHER = f"{_PER_EXAMPLE}True."
_LOWER = f"{_PER_EXAMPLE}False."
_PER_QUERY = (
    "Compute it for every query and pass the table to ef.judge (docs: tasks, ranking: one value "
    "for every query)."
)
_OTHER_CLASS = (
    "It is the recall of the other class: use measure='recall' with positive=THE_NEGATIVE_CLASS."
)
_HOW_TO_MAKE = {
    "gini": "It is 2·AUC − 1: use measure='auc' and double the difference.",
    "youden": "It is 2·(balanced accuracy) − 1: use measure='balanced-accuracy' and double the "
    "difference.",
    "hinge": "Write measure=ef.run.measure(sklearn.metrics.hinge_loss, higher_is_better=False, "
    "response='decision_function').",
    "top-5-accuracy": "Write measure=sklearn.metrics.make_scorer(top_k_accuracy_score, "
    "response_method='predict_proba', k=5).",
    **dict.fromkeys(("bleu", "rouge", "meteor", "chrf", "exact-match"), _HIGHER),
    **dict.fromkeys(("wer", "cer", "crps"), _LOWER),
    **dict.fromkeys(("precision@k", "recall@k", "map", "mrr"), _PER_QUERY),
    **dict.fromkeys(("specificity", "tnr"), _OTHER_CLASS),
    "spearman": "Write measure=ef.run.measure(lambda y, p: scipy.stats.spearmanr(y, p)[0], "
    "higher_is_better=True, name='spearman').",
    "pearson": "Write measure=ef.run.measure(lambda y, p: np.corrcoef(y, p)[0, 1], "
    "higher_is_better=True, name='pearson').",
    "wape": "Write measure=ef.run.measure(lambda y, p: abs(y - p).sum() / abs(y).sum(), "
    "higher_is_better=False, name='wape').",
    "mase": "Divide the target by the error of the naive forecast and use measure='absolute'.",
    "huber": "Write measure=ef.run.measure(lambda y, p: scipy.special.huber(1.0, y - p), "
    "higher_is_better=False, name='huber').",
    "perplexity": "Use measure='log': the perplexity is its exponential, so the order is the same.",
    "c-index": "Compute the concordance of each model's risks on resampled or held-out data and "
    "pass the table to ef.judge (docs: tasks, survival times).",
    "brier-score": "There are two: 'brier' sums over the classes (0 to 2), and "
    "'brier_score_loss' is scikit-learn's (0 to 1 for two classes).",
}
"""Names that are no measures of ours, and how to make those measures."""


def plain_name(name: str) -> str:
    """
    Return a name in lower case with hyphens; the part after a colon is not changed.

    Examples
    --------
    >>> plain_name("PR_AUC"), plain_name("Log Loss"), plain_name("F-Beta:2")
    ('pr-auc', 'log-loss', 'f-beta:2')
    """
    family, colon, rest = name.strip().partition(":")
    return family.strip().lower().replace("_", "-").replace(" ", "-") + colon + rest


def resolve_alias(name: str) -> str:
    """
    Return the name of a measure in evenfold, if it is given by another name.

    Examples
    --------
    >>> resolve_alias("AUROC"), resolve_alias("quantile:0.9"), resolve_alias("PR-AUC")
    ('auc', 'pinball:0.9', 'average_precision')
    """
    plain = plain_name(name)
    family, colon, rest = plain.partition(":")
    return _ALIASES.get(plain) or _ALIASES.get(family, family) + colon + rest


def refuse_with_recipe(name: str) -> None:
    """Refuse a known name that is no measure of ours, and say how to make that measure."""
    plain = re.sub(r"@\d+$", "@k", plain_name(name))
    if remedy := _HOW_TO_MAKE.get(plain):
        refuse("measure", f"There is no measure with the name {name!r}.", remedy)


Function = Callable[..., Any]


# Metrics of scikit-learn that equal measures of evenfold, which know values of single examples.


_ALL = ("micro", "weighted")  # averages that are the accuracy, where every example has one class


def _averaged_measure(name: str, *, share_of_right: tuple[str, ...]) -> Callable[..., str]:
    """Precision, recall, F1 or Jaccard's index; averaged in some ways it is the accuracy."""

    def ours(average: str = "binary", pos_label: Any = None) -> str:
        if average in share_of_right:
            return "accuracy"
        names = {"binary": name, "macro": f"macro-{name}", "weighted": f"class-weighted-{name}"}
        return names[average if pos_label is None else ""]  # a class that only the scorer knows

    return ours


def _area(multi_class: str = "raise", average: str = "macro") -> str:
    end = {"macro": "", "weighted": "-weighted"}[average]
    if multi_class == "raise":
        return "auc"
    return f"auc-{multi_class}{end}"


def _f_beta(beta: float, average: str = "binary") -> str:
    return {"binary": f"f-beta:{beta}"}[average]


_EQUIVALENTS: dict[str, Callable[..., str | Measure]] = {
    "accuracy_score": lambda: "accuracy",
    "zero_one_loss": lambda: "zero-one",
    "balanced_accuracy_score": lambda: "balanced-accuracy",
    "matthews_corrcoef": lambda: "mcc",
    "cohen_kappa_score": lambda weights=None: f"kappa:{weights}" if weights else "kappa",
    "precision_score": _averaged_measure("precision", share_of_right=("micro",)),
    "recall_score": _averaged_measure("recall", share_of_right=_ALL),
    "f1_score": _averaged_measure("f1", share_of_right=("micro",)),
    "fbeta_score": _f_beta,
    "jaccard_score": _averaged_measure("jaccard", share_of_right=()),
    "roc_auc_score": _area,
    "ndcg_score": lambda k=None: "ndcg" if k is None else f"ndcg:{k}",
    "log_loss": lambda: "log",
    "brier_score_loss": lambda: BRIER_LOSS,
    "mean_squared_error": lambda: "squared",
    "mean_absolute_error": lambda: "absolute",
    "mean_pinball_loss": lambda alpha=0.5: f"pinball:{alpha}",
    "root_mean_squared_error": lambda: "rmse",
    "r2_score": lambda: "r2",
    "explained_variance_score": lambda: "explained-variance",
}


def equivalent_of(metric: str, options: Mapping[str, Any]) -> Measure | None:
    """
    Return our measure that equals a metric of scikit-learn with some options, or None.

    Examples
    --------
    >>> equivalent_of("f1_score", {"average": "macro"}).name
    'macro-f1'
    >>> equivalent_of("median_absolute_error", {}) is None
    True
    """
    try:
        return as_measure(_EQUIVALENTS[metric](**options))
    except (KeyError, TypeError):  # a metric, or an option of it, that we do not have
        return None


# Measures made of a function of truth and prediction.


@dataclass(frozen=True, kw_only=True)
class FunctionMeasure(Measure):
    """
    A function that returns one value per example, or one value per test set.

    If the caller did not say which, the function is tried.
    """

    quantity: Quantity
    function: Function
    responses: tuple[str, ...]
    per_example: bool | None
    takes_sequences = True

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "Measure":
        """Find out before the first fit whether it returns one number per test set."""
        if self.weighable(target):
            return self
        return self.about(per_example="none")

    def weighable(self, target: Target) -> bool:
        """Whether it returns values per example, tried on typical good predictions."""
        if self.per_example is not None:
            return self.per_example
        try:
            return np.ndim(self.function(target.y, self._good_predictions(target))) > 0
        except Exception:  # the fits will show the error
            return True

    def _good_predictions(self, target: Target) -> Any:
        """Return the truth itself, or probabilities or scores of its classes."""
        [response] = self.responses
        if response == "predict":
            return target.y
        from evenfold.run.measures.scorers import example_response

        return example_response(np.asarray(target.y), response, target.classes)

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        values = np.asarray(self.function(truth, answer.values), dtype=float)
        if self.per_example is True or (self.per_example is None and values.ndim):
            return Evaluated(weighted_mean(one_per_example(values, truth), weights))
        if weights is not None:
            raise ValueError("a function of the whole test set has no weighted form")
        return Evaluated(float(values), whole=True)

    def examples(self, truth: Any, answer: Predictions) -> Floats:
        return one_per_example(self.function(truth, answer.values), truth)


def measure(
    function: Function,
    *,
    higher_is_better: bool | None = None,
    name: str | None = None,
    per_example: bool | None = None,
    response: str = "predict",
    low: float = -np.inf,
    high: float = np.inf,
) -> Measure:
    """
    Make a measure of a function of truth and prediction, or of a scorer.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred)``, with arrays (or lists of tag sequences) of one test set; or a
        scorer ``function(estimator, X, y)``, which gives one number per test set and is computed
        where the model is.
    higher_is_better : bool
        False for losses, True for scores. Known of functions of ``sklearn.metrics`` and of what
        ``make_scorer`` makes, to be said of others.
    name : str, optional
        How reports call it; the name of the function where none is given.
    per_example : bool, optional
        Whether it returns an array with one value per example, or one number per test set; None
        waits to see.
    response : {"predict", "predict_proba", "decision_function"}
        What is passed as ``y_pred``.
    low, high : float
        The range of its values, which intervals then do not leave.

    Returns
    -------
    Measure
        To be given in ``measures=``.

    Examples
    --------
    >>> far = measure(
    ...     lambda truth, predicted: abs(truth - predicted) > 1,
    ...     name="miss by more than 1",
    ...     higher_is_better=False,
    ... )
    >>> far.name, far.quantity.lower_is_better
    ('miss by more than 1', True)
    """
    if not callable(function):
        refuse_value("function", function, "callable")
    one_of("response", response, ("predict", "predict_proba", "decision_function"))
    _check_claims(name, higher_is_better, per_example, (low, high))
    called = name or name_of(function)
    if is_scorer(function):
        _require_one_number(per_example, response)
        return _measure_of_scorer(function, called if name else None, higher_is_better, low, high)
    if higher_is_better is None:
        known = None
        if response == "predict" and "sklearn.metrics" in sys.modules:
            from evenfold.run.measures.scorers import metric_measure

            known = metric_measure(function)
        if known is None:
            refuse_undirected(called)
        return known.about(name=name, words=name) if name else known
    return FunctionMeasure(
        quantity=Quantity(
            name=called,
            lower_is_better=not higher_is_better,
            low=low,
            high=high,
            per_example="none" if per_example is False else "values",
        ),
        function=function,
        responses=(response,),
        per_example=per_example,
    )


def name_of(function: Any) -> str:
    """Return the name of a function, or of the class of a callable object."""
    return str(getattr(function, "__name__", type(function).__name__))


def _check_claims(
    name: Any, higher_is_better: Any, per_example: Any, ends: tuple[Any, Any]
) -> None:
    """Refuse invalid properties of a measure."""
    if name is not None and (not isinstance(name, str) or not name):
        refuse_value("name", name, "None or a text")
    for what, claim in (("higher_is_better", higher_is_better), ("per_example", per_example)):
        if claim is not None:
            flag(what, claim)
    for what, end in zip(("low", "high"), ends, strict=True):
        if not isinstance(end, float) or isnan(end):
            number(what, end)
    if ends[0] >= ends[1]:
        refuse("low", f"low must be less than high ({ends[1]:g}) but got {ends[0]:g}.")


def refuse_undirected(called: str, what: str = "function") -> NoReturn:
    """Refuse a function or scorer of unknown direction: a wrong guess would reverse the verdict."""
    remedy = f"Write ef.run.measure({called}, higher_is_better=True) or False."
    if what == "function":
        remedy += " If the function takes probabilities, pass response='predict_proba', too."
    refuse("measure", f"The {what} {called!r} does not say whether higher is better.", remedy)


def is_scorer(function: Any) -> bool:
    """
    Whether a function scores a fitted estimator.

    It was made by ``make_scorer``, or takes ``(estimator, X, y)``.
    """
    return hasattr(function, "_score_func") or count_required(function) == 3


def _require_one_number(per_example: bool | None, response: str) -> None:
    """Refuse arguments that apply to functions of predictions and not to scorers."""
    if per_example:
        refuse_value("per_example", per_example, "None or False for a scorer (estimator, X, y)")
    if response != "predict":
        refuse(
            "response",
            "response must be left out for a scorer (estimator, X, y), which calls the methods of "
            f"the estimator itself, but got {short_repr(response)}.",
        )


def _measure_of_scorer(
    scorer: Any, name: str | None, higher_is_better: bool | None, low: float, high: float
) -> Measure:
    from evenfold.run.measures.scorers import scorer_measure

    facts: dict[str, Any] = {}
    if low > -np.inf or high < np.inf:
        facts |= {"low": low, "high": high}
    if name:
        facts |= {"name": name, "words": name}
    return scorer_measure(scorer, higher_is_better=higher_is_better).about(**facts)


def default_measure(*, numbers: bool) -> str:
    """Return the default measure for numbers, or for labels and sequences of tags."""
    if numbers:
        return "squared"
    return "zero-one"


def resolve_measures(measures: Any, target: Target, *, positive: Any, scheme: str) -> list[Measure]:
    """
    Return the measures of one or several names, functions or scorers.

    Unknown names are refused.
    """
    one_of("scheme", scheme, SCHEMES)
    if isinstance(measures, Mapping):
        pairs = [(str(name), item) for name, item in measures.items()]
    else:
        items = measures if isinstance(measures, (list, tuple)) else [measures]
        pairs = [("", item) for item in items]
    resolved = []
    for name, item in pairs:
        unbound = as_measure(item)
        unbound.check(target)
        bound = unbound.bind(target, positive=positive, scheme=scheme)
        if isinstance(item, str):
            label = positive.item() if isinstance(positive, np.generic) else positive
            bound = bound.having(asked={"measure": item, "positive": label, "scheme": scheme})
        resolved.append(bound.about(name=name, words=name) if name else bound)
    names = [measure.name for measure in resolved]
    if not resolved or len(set(names)) < len(names):
        refuse(
            "measures",
            "measures must be one or more measures with different names but got "
            f"{', '.join(names) or measures}.",
        )
    return resolved


def as_measure(item: Any) -> Measure:
    """
    Return the measure that a name, a function or a scorer stands for.

    Examples
    --------
    >>> as_measure("neg_mean_absolute_error").quantity.lower_is_better
    True
    """
    if isinstance(item, Measure):
        return item
    if isinstance(item, str):
        return _measure_by_name(item)
    if isinstance(item, type) or not callable(item):
        refuse_value("measure", item, "a name, a function (y_true, y_pred) or a scorer")
    return measure(item)


_COMMON = (
    "Common ones are accuracy, f1, auc, log, brier, squared and absolute; ef.run.measures() lists "
    "all, and ef.run.measure(function, higher_is_better=True) makes one."
)


def _measure_by_name(name: str) -> Measure:
    """Look among our own and other packages' measures, then among scikit-learn's scorers."""
    known = _find_measure(name)
    if known is None:
        refuse_with_recipe(name)
        known = _find_measure(resolve_alias(name))
    if known is None:
        from evenfold.run.measures.scorers import scorer_names

        names = [*MEASURES, *scorer_names()]
        if not did_you_mean(name, names):
            refuse("measure", f"measure {name!r} is not known.", _COMMON)
        also = " or a scorer of scikit-learn"
        refuse_unknown("measure", name, list(MEASURES), more=scorer_names(), also=also)
    return known


def _find_measure(name: str) -> Measure | None:
    family, colon, text = name.partition(":")
    if name in MEASURES:
        return MEASURES[name]
    if colon and family in MEASURES:
        spell = MEASURES[family].spell
        if spell is None:
            refuse(
                "measure",
                f"measure {family!r} has nothing to set after a colon but got {short_repr(name)}.",
            )
        return spell(_parse_setting(text, MEASURES[family].setting_type))
    from evenfold.run.measures.scorers import named_scorer, scorer_names

    if trials := by_trials(name):
        return trials
    if name in scorer_names():
        return named_scorer(name)
    return equivalent_of(name, {})


def _parse_setting(text: str, kind: type[Any]) -> str | float:
    """Return what follows the colon of a measure's name: a text, a number or an integer."""
    if kind is str:
        return text
    try:
        number = float(text)
    except ValueError:
        refuse(
            "measure",
            f"The name of the measure must have a number after its colon but has {text!r}.",
        )
    return int(number) if kind is int and number.is_integer() else number


def require_weighable(measures: Sequence[Measure], target: Target) -> None:
    """Refuse sample weights where a measure has no weighted form."""
    for measure in measures:
        if not measure.weighable(target):
            refuse(
                "sample_weight",
                f"sample_weight must be left out, because measure {measure.name!r} has no weighted "
                "form.",
            )


# Measures of repeated trials of an item, not of one prediction: pass@k and pass^k.


_SPELLED = re.compile(r"pass([@^])([1-9][0-9]{0,5})")


@dataclass(frozen=True, kw_only=True)
class RepeatedTrials(Measure):
    """The chance that one of k trials of an item succeeds, or that all k do."""

    quantity: Quantity
    k: int
    all_succeed: bool

    def check(self, target: Target) -> None:
        """Refuse any target: one prediction per example is no trial."""
        raise NotApplicable(
            f"Measure {self.name!r} is about repeated trials of each example. Pass a table with a "
            "column 'run' to ef.judge."
        )


def by_trials(name: str) -> RepeatedTrials | None:
    """
    Return the measure of a name such as "pass@3" or "pass^3", or None for other names.

    Examples
    --------
    >>> by_trials("pass^3").k, by_trials("pass^3").all_succeed, by_trials("passed")
    (3, True, None)
    """
    spelled = _SPELLED.fullmatch(name)
    if spelled is None:
        return None
    sign, k = spelled.groups()
    quantity = Quantity(
        name=name, words=name, lower_is_better=False, low=0.0, high=1.0, per_example="values"
    )
    return RepeatedTrials(quantity=quantity, k=int(k), all_succeed=sign == "^")


def as_trials(measure: Any) -> RepeatedTrials | None:
    """Return a measure of repeated trials, given itself or by name; None for other measures."""
    if isinstance(measure, str):
        return by_trials(measure)
    return measure if isinstance(measure, RepeatedTrials) else None

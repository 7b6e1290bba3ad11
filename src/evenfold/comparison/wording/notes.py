"""
What must be said beside a verdict.

Warnings on the way, each once, and signs of known mistakes.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.answer import PairResult, with_verdict
from evenfold.comparison.request import Criteria
from evenfold.core.errors import DegenerateData, EvenfoldWarning
from evenfold.core.estimate import PosteriorEstimate, TestEstimate
from evenfold.core.facts.comparison import AtSize, GatePower, Sizes, Step
from evenfold.core.losses import PRECISION, RECALL, Losses, Quantity, measure_name
from evenfold.core.words import count, format_confidence, format_number, interval, join_words
from evenfold.design import Design, SourceSizedKFold
from evenfold.infer import Method, SizeChange, size_change
from evenfold.infer.adjust import ADJUSTMENTS
from evenfold.infer.inputs.examples import stages
from evenfold.infer.planning import PowerOfGate, power_of_gate
from evenfold.infer.ranges import limit_to_range, limits
from evenfold.run.data import Data

_SCARCE = 60  # examples of a class: below, see "Scores that cover" in docs/infer/influence-scores
_NOTES: dict[type[Warning], str] = {
    DegenerateData: "all differences are equal: p-value and interval depend on the number of "
    "examples alone, and, of runs or where the measure has no range, on that of equal signs"
}


@contextmanager
def collect_notes(notes: dict[str, None]) -> Iterator[None]:
    """Collect warnings of evenfold as notes, each once; those of others are shown as ever."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def collect(
            message: Warning | str, category: type[Warning], *where: Any, **more: Any
        ) -> None:
            if issubclass(category, EvenfoldWarning):
                notes[_NOTES.get(category, str(message))] = None
            else:
                show(message, category, *where, **more)

        warnings.simplefilter("always", EvenfoldWarning)
        warnings.showwarning = collect
        yield


def caveats(rule: Criteria) -> list[str]:
    """Return what must be said of a method that is for comparison only."""
    entry = rule.entry
    if entry.recommended:
        return []
    return [f"{rule.method} is for comparison only ({entry.leaning}): {entry.why}"]


def unadjusted_notes(results: Sequence[PairResult]) -> list[str]:
    """Say of the posteriors of several pairs what no share of the level changes."""
    if len(results) < 2 or not any(isinstance(one.estimate, PosteriorEstimate) for one in results):
        return []
    return ["posterior probabilities are not adjusted for the number of pairs"]


def adjustment_notes(results: Sequence[PairResult], rule: Criteria) -> list[str]:
    """Name the pairs on which an adjustment in steps and the intervals decide differently."""
    apart = [
        f"{one.challenger} against {one.baseline}"
        for one in results
        if one.pvalue is not None
        and one.adjusted_pvalue is not None
        and (one.adjusted_pvalue <= rule.level) != (one.pvalue <= one.level)
    ]
    if not apart or ADJUSTMENTS[rule.adjust].single_step:
        return []
    return [
        f"The adjusted p-values are those of {ADJUSTMENTS[rule.adjust].words}, the intervals and "
        f"outcomes those of Bonferroni's; they decide differently about {join_words(apart)}."
    ]


def notes_of_estimates(results: Sequence[PairResult]) -> list[str]:
    """Return what the estimates say beside their answers; with several pairs, of whom."""
    said = [(one, one.estimate.note) for one in results if one.estimate is not None]
    if len(results) == 1:
        return [note for _, note in said if note]
    return [f"{one.challenger} against {one.baseline}: {note}" for one, note in said if note]


def never_predicted_notes(losses: Losses) -> list[str]:
    """
    Say which algorithms never predicted what a score is about.

    Precision then is 0/0, taken for 0.
    """
    if losses.counts is None or losses.score == RECALL:  # of which predicting nothing is no riddle
        return []
    quantity = losses.quantity
    tests = losses.counts.shape[1]
    never = (losses.counts[..., :2].sum(axis=-1) == 0).sum(axis=-1)
    what = "anything"
    if quantity.positive:
        what = f"class {quantity.positive}"
    result = ", so its score is 0 there"
    if losses.score == PRECISION:
        result = ": its precision counts as 0 there"
    return [
        f"{name} never predicts {what} on {count} of {tests} test sets{result}"
        for name, count in zip(losses.algorithms, never.tolist(), strict=True)
        if count
    ]


def words_notes(losses: Losses) -> list[str]:
    """Say how a model gets numbers where it failed because X has words."""
    if not any("could not convert string to float" in one.message for one in losses.failures):
        return []
    return [
        "X has words, and a model that failed takes numbers only: encode them inside the model, as "
        "in make_pipeline(TfidfVectorizer(), model) for texts; table.prepared(model) does it for "
        "the columns of a table = ef.read.read_table(path, target=…)"
    ]


def pitfalls(task: Data, quantity: Quantity, design: Design) -> list[str]:
    """Return a note for each sign of a known mistake that no inference can mend."""
    notes = design.cautions(task.y)
    # labels that all occur equally often were drawn so: they rarely do in nature
    if quantity.of_the_mix and len(np.unique(task.class_sizes)) == 1:
        notes.append(
            "all classes are equally frequent: if they were made so before the split, precision "
            "and F1 are those of data that do not exist; pass all rows and undersample inside the "
            "folds (ef.run.UnderSampled, --undersample)"
        )
    scored = quantity.per_example == "outcomes" and quantity.target == "labels"
    if scored and task.predicts != "sequences" and task.rarest < _SCARCE:  # texts have no classes
        notes.append(
            f"the rarest class has {count(task.rarest, 'example')}: with 20 to 50 of them tests of "
            "such scores had a type I error of up to 0.11 at 0.05, and 95% intervals for one "
            "algorithm covered 84 to 96%"
        )
    if column := _identifier(task.X):
        notes.append(
            f"{column} of X has a different whole number in every row, like an identifier: "
            "leave it out, or pass it as order= if it counts time"
        )
    if isinstance(design, SourceSizedKFold):
        notes.append(
            "these folds ignore the groups, so every model was tested on groups it had been "
            "trained on: this does not tell how it does on a new group; LeaveOneSourceOut does"
        )
    return notes


_MANY = 20  # rows: fewer whole numbers differ by chance


def _identifier(X: Any) -> str:
    """Name the first column of different whole numbers, as those of an identifier are."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        columns = ((f"column {name!r}", X[name]) for name in X.columns)
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        columns = ((f"column {j}", X[:, j]) for j in range(X.shape[1]))
    else:
        return ""
    return next((name for name, values in columns if _all_different(values)), "")


def _all_different(values: Any) -> bool:
    kind = values.dtype.kind
    if kind not in "iuf" or len(values) < _MANY:
        return False
    numbers = np.asarray(values)
    # the first rows tell most columns apart from an identifier, without sorting them all
    return all(_whole_and_different(part) for part in (numbers[:_MANY], numbers))


def _whole_and_different(numbers: Any) -> bool:
    return bool((numbers == np.rint(numbers)).all()) and len(np.unique(numbers)) == len(numbers)


# Classes of questions in which a method is known to err by more than its level, told where one is
# asked.


_ROWS = 2000  # that are looked at
_COLUMNS = 500
_NEARLY = 0.9  # share of one value within a class, from which a column counts as near-constant
_MANY_CLASSES = 6
_TELLS = 0.01  # level at which a column tells y by itself, shared among columns
_LASSO = {
    "Lasso",
    "LassoCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "ElasticNet",
    "ElasticNetCV",
}
_TREES = {
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
}
_SPARSE = ("l1", "elasticnet")


def known_failures(algorithms: Mapping[str, Any], task: Data, entry: Method) -> list[str]:
    """Return a note for each class of the method's card that these algorithms and data are in."""
    card = entry.card or {}
    return [note for one in card.get("classes", ()) for note in _note(one, algorithms, task, entry)]


def _note(
    one: Mapping[str, Any], algorithms: Mapping[str, Any], task: Data, entry: Method
) -> Iterator[str]:
    applies = _CLASSES.get(one["kind"])
    if applies is None:
        return
    which, of_data = applies
    names = [name for name, subject in algorithms.items() if any(map(which, parts_of(subject)))]
    if not names or not of_data(task):
        return
    instead = ""
    if one["instead"]:
        instead = f"; {one['instead']} errs less there"
    yield (
        f"known hard case, {one['name']} ({join_words(names)}): the type I error of {entry.key} "
        f"was up to {one['size']:.2f} at 0.05 there, because {one['why']}{instead}"
    )


def parts_of(subject: Any) -> Iterator[Any]:
    """What predicts in an algorithm: itself, the last step of a pipeline, what a search tunes."""
    yield subject
    steps = getattr(subject, "steps", None)
    if isinstance(steps, list) and steps:
        inner = steps[-1][1]
    else:
        inner = getattr(subject, "estimator", None)
    if inner is not None and not isinstance(inner, (str, type)):
        yield from parts_of(inner)


def _is_lasso(subject: Any) -> bool:
    if type(subject).__name__ in _LASSO:
        return True
    ratio = getattr(subject, "l1_ratio", None)
    mixed = isinstance(ratio, float) and ratio > 0 and type(subject).__name__.startswith("Logistic")
    return mixed or getattr(subject, "penalty", None) in _SPARSE


def _numbers(task: Data) -> NDArray[np.float64] | None:
    """The first rows and columns of X as numbers; None where they are none."""
    table = hasattr(task.X, "iloc") or isinstance(task.X, np.ndarray)
    if not table or task.X.ndim != 2:  # a series of texts is no table
        return None
    X = getattr(task.X, "iloc", task.X)
    try:
        return np.asarray(X[:_ROWS, :_COLUMNS], dtype=float)
    except (TypeError, ValueError):
        return None


def _near_constant(task: Data) -> bool:
    """
    Whether some column hardly varies within a class.

    Its variance there is 0 in some training sets.
    """
    X = _numbers(task)
    if X is None or task.predicts != "labels":
        return False
    y = np.asarray(task.y)[: len(X)]
    each = [X[y == label] for label in np.unique(y)]
    same = [(rows == np.median(rows, axis=0)).mean(axis=0) for rows in each]
    return bool((np.array(same) >= _NEARLY).any())


def _many_classes(task: Data) -> bool:
    return task.predicts == "labels" and len(task.classes) >= _MANY_CLASSES


def _only_interactions(task: Data) -> bool:
    """Whether no column tells y by itself, so that what is learned lies in interactions."""
    X = _numbers(task)
    if (
        X is None
        or task.predicts not in ("labels", "numbers")
        or not np.isfinite(X).all()
        or not X.shape[1]
    ):
        return False
    from sklearn.feature_selection import f_classif, f_regression

    y = np.asarray(task.y)[: len(X)]
    varies = X.std(axis=0) > 0
    if not varies.any() or len(np.unique(y)) < 2:
        return False
    tells = f_classif if task.predicts == "labels" else f_regression
    with np.errstate(all="ignore"):
        _, p = tells(X[:, varies], y)
    return bool(np.nanmin(p) * varies.sum() > _TELLS)


_CLASSES: dict[str, tuple[Callable[[Any], bool], Callable[[Data], bool]]] = {
    "naive Bayes": (lambda one: type(one).__name__ == "GaussianNB", _near_constant),
    "lasso": (_is_lasso, lambda _: True),
    "LDA": (lambda one: type(one).__name__ == "LinearDiscriminantAnalysis", _near_constant),
    "trees": (lambda one: type(one).__name__ in _TREES, _only_interactions),
    "trees on many classes": (lambda one: type(one).__name__ in _TREES, _many_classes),
}
"""Of each class that can be seen: which algorithms, and which data."""


# The power of a gate: what it would have caught, and passed, with the examples that there were.


def gate_power(
    results: Sequence[PairResult], rule: Criteria, quantity: Quantity
) -> tuple[GatePower, ...]:
    """
    Return the power of each pair's verdict where a gate was asked for.

    It is asked for by a margin, by the question "not worse?" or by a drop. Tests that stop by
    themselves, and posteriors, have none here.
    """
    if rule.power_at is None and not (rule.margin or rule.not_worse):
        return ()
    if rule.side != "two-sided" or quantity.ratio:
        return ()
    return tuple(_powers(results, rule))


def _powers(results: Sequence[PairResult], rule: Criteria) -> Iterator[GatePower]:
    for one in results:
        if rule.not_worse:
            error = one.level
        else:
            error = one.level / 2
        power = power_of_gate(one.estimate, (one.value, one.low, one.high), rule.margin, error)
        if power is None or one.baseline is None:
            continue
        drop = rule.power_at or power.usual_drop()
        if not math.isfinite(drop):
            continue
        yield GatePower(
            baseline=one.baseline,
            challenger=one.challenger,
            drop=drop,
            caught=power.catches(drop),
            differ=None if power.differ is None else max(power.differ, drop),
            **_of_no_change(power, rule),
        )


_HALF = 0.5  # of the candidates without a difference: if fewer pass, the gate says what would do


def _of_no_change(power: PowerOfGate, rule: Criteria) -> dict[str, float | None]:
    """What becomes of a candidate whose true difference is 0, and what would let it pass."""
    if not (rule.margin or rule.not_worse):
        return {}
    passed = power.passes()
    if passed >= _HALF or not rule.not_worse:
        return {"passed": passed}
    enough = {
        "enough_margin": power.enough_margin(),
        "enough_examples": power.enough_examples(),
    }
    finite = {name: one if math.isfinite(one) else None for name, one in enough.items()}
    return {"passed": passed, **finite}


def add_gate_warnings(
    results: list[PairResult], rule: Criteria, quantity: Quantity
) -> list[PairResult]:
    """Let the sentence of a gate say that it stops most candidates without a difference."""
    if not rule.not_worse:
        return results
    powers = gate_power(results, rule, quantity)
    warnings_by_pair = {(one.baseline, one.challenger): one.warning for one in powers}
    warned = []
    for one in results:
        warning = warnings_by_pair.get((one.baseline or "", one.challenger), "")
        if warning and one.verdict is not None:
            sentence = f"{one.verdict.sentence.removesuffix('.')}; {warning}."
            one = with_verdict(one, replace(one.verdict, sentence=sentence))
        warned.append(one)
    return warned


# Does the answer move with the training size? Said of every pair of a run at two sizes or three.


def add_size_changes(losses: Losses, result: PairResult, rule: Criteria) -> PairResult:
    """
    Add what changes with the training size.

    Where sign or verdict differ, that is said first, but only if the change itself is beyond
    chance: two verdicts from two intervals, one of which just reaches 0, differ without any change.
    """
    shaped = losses.partition.kind.is_folds_and_halves
    if not shaped or not isinstance(result.estimate, TestEstimate) or not rule.entry.takes.closely:
        return result
    sizes = _sizes(losses, result, rule, result.estimate)
    changes = sizes.decided or any(step.decided for step in sizes.steps)
    if not sizes.differs or not changes or result.verdict is None:
        return replace(result, sizes=sizes)
    verdict = replace(result.verdict, sentence=f"{_warning(sizes)}; {result.verdict.sentence}")
    return with_verdict(replace(result, sizes=sizes), verdict)


def _sizes(losses: Losses, result: PairResult, rule: Criteria, large: TestEstimate) -> Sizes:
    a = result.baseline
    b = result.challenger
    level = rule.of_method(result.level)
    known = stages(losses.partition)

    def between(small: str, bigger: str) -> SizeChange:
        two = small, bigger
        return size_change(losses, challenger=b, baseline=a, level=level, large=large, between=two)

    steps = [between(*two) for two in pairwise(known)]
    if a is None:
        names = [b]
    else:
        names = [a, b]
    splits = known.values()
    points = [(steps[0].sizes[0], steps[0].small), *((one.sizes[1], one.large) for one in steps)]
    at = tuple(
        AtSize(
            n_train=n,
            **_outcome_at_size(found, losses, result, rule),
            means=_means(losses.only(part), names),
        )
        for (n, found), part in zip(points, splits, strict=True)
    )
    if len(steps) == 1:
        most = steps[0]
    else:
        most = between(*(list(known)[k] for k in (0, -1)))
    whole = _step(most, level)
    sizes = Sizes(
        at=at,
        value=whole.value,
        low=whole.low,
        high=whole.high,
        decided=whole.decided,
        differs=a is not None and _differ(at),
        sentence="",
        steps=tuple(_step(one, level) for one in steps if len(steps) > 1),
    )
    return replace(sizes, sentence=_sentence(sizes, result, losses.quantity, level))


def _step(found: SizeChange, level: float) -> Step:
    value, low, high = limits(found.change)
    decided = bool(found.change.pvalue < level) and not (low <= 0 <= high or found.change.undecided)
    return Step(sizes=found.sizes, value=value, low=low, high=high, decided=decided)


def _means(losses: Losses, names: list[str]) -> tuple[float, ...]:
    means = losses.means()
    return tuple(float(means[losses.index(name)]) for name in names)


def _outcome_at_size(
    found: TestEstimate, losses: Losses, result: PairResult, rule: Criteria
) -> dict[str, Any]:
    alone = result.baseline is None
    value, low, high = limits(limit_to_range(found, losses, alone=alone))
    said = rule.family([(result.baseline, result.challenger)]).decide(
        losses.quantity, low, high, withheld=bool(found.undecided)
    )
    return {"value": value, "low": low, "high": high, "outcome": None if alone else str(said)}


def _differ(at: tuple[AtSize, ...]) -> bool:
    values = [one.value for one in at]
    return len({one.outcome for one in at}) > 1 or min(values) * max(values) < 0


def _warning(sizes: Sizes) -> str:
    """Say first that the answer depends on the training size."""
    on = [f"on {one.n_train}{' examples' if k == 0 else ''}" for k, one in enumerate(sizes.at)]
    if len({one.outcome for one in sizes.at}) > 1:
        said = [f"{one.outcome} {where}" for one, where in zip(sizes.at, on, strict=True)]
        return f"the verdict depends on the training size, {join_words(said)}"
    said = [f"{_signed_value(one, sizes)} {where}" for one, where in zip(sizes.at, on, strict=True)]
    return f"the sign depends on the training size: B − A is {join_words(said)}"


def _signed_value(one: AtSize, sizes: Sizes) -> str:
    return format_number(one.value, digits=sizes.digits)


def _sentence(sizes: Sizes, result: PairResult, quantity: Quantity, level: float) -> str:
    """
    What changes, from what to what, and how surely.

    Changes of a lead have the sign of the lead.
    """
    if result.baseline is None:
        way = "gets worse"
        if quantity.improvement(sizes.value) > 0:
            way = "gets better"
        if sizes.decided:
            how = way
        else:
            how = _no_change_sentence(sizes)
        path = " → ".join(_signed_value(one, sizes) for one in sizes.at)
        said = f"the {measure_name(quantity)} of {result.challenger} {how} with more data: {path}"
        sign = 1.0
    else:
        said, sign = _lead(sizes, result, quantity)
    of = f"{' → '.join(str(one.n_train) for one in sizes.at)} training examples"
    steps = [
        f"{_change_text(one, sign, sizes.digits)} from {one.sizes[0]} to {one.sizes[1]}"
        for one in sizes.steps
    ]
    whole = _change_text(sizes, sign, sizes.digits, f", {format_confidence(level)} CI ")
    return f"{said} ({of}; change {'; '.join([whole, *steps])})"


def _no_change_sentence(sizes: Sizes) -> str:
    """What is said where the smallest and the largest size do not differ beyond chance."""
    if any(one.decided for one in sizes.steps):
        return "varies"
    return "shows no clear change"


def _change_text(one: Sizes | Step, sign: float, digits: int, between: str = ", CI ") -> str:
    low, high = sorted((sign * one.low, sign * one.high))
    limits = interval(low, high, digits=digits)
    return f"{format_number(sign * one.value, digits=digits)}{between}{limits}"


def _lead(sizes: Sizes, result: PairResult, quantity: Quantity) -> tuple[str, float]:
    """Say whose lead it is and whether it grows; and how the lead follows from B − A."""
    leads = [quantity.improvement(one.value) for one in sizes.at]
    names = {True: result.challenger, False: str(result.baseline)}
    amounts = [format_number(abs(x), digits=sizes.digits) for x in leads]
    if min(leads) * max(leads) < 0:
        known = ", within chance"
        if sizes.decided:
            known = ""
        path = ", then ".join(
            f"{names[x > 0]} by {size}" for x, size in zip(leads, amounts, strict=True)
        )
        return f"the lead changes hands with more data{known}: {path}", 1.0
    if not any(leads):
        return "no difference at either size", 1.0
    ahead = sum(leads) > 0
    way = "grows"
    if abs(leads[-1]) < abs(leads[0]):
        way = "shrinks"
    if sizes.decided:
        how = way
    else:
        how = _no_change_sentence(sizes)
    said = (
        f"the lead of {names[ahead]} over {names[not ahead]} {how} with more data: "
        f"{' → '.join(amounts)}"
    )
    return said, quantity.improvement(math.copysign(1.0, sum(leads)))

"""
Find what must be said together with a verdict, and return it as notes.

Some notes come from warnings that were raised while the answer was made, some from the method, the
estimates and the failures, and some from signs of a known mistake in the data or the design.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.criteria import Criteria
from evenfold.core.errors import DegenerateData, EvenfoldWarning
from evenfold.core.estimate import PosteriorEstimate
from evenfold.core.losses import PRECISION, RECALL, Losses, Quantity
from evenfold.core.note import WRITTEN, Note, note
from evenfold.core.verdict import PairResult
from evenfold.design import Design, SourceSizedKFold
from evenfold.infer import Method, methods
from evenfold.infer.adjust import ADJUSTMENTS
from evenfold.run.data import Data

_EQUAL = "equal-differences"
_MOST_NAMED = 3  # pairs with equal differences
_SCARCE = 60  # examples of a class: below, see "Scores that cover" in docs/infer/influence-scores


@contextmanager
def collect_notes(notes: list[Note]) -> Iterator[None]:
    """Collect warnings of evenfold as notes; those of others are shown as ever."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def collect(
            message: Warning | str, category: type[Warning], *where: Any, **more: Any
        ) -> None:
            if issubclass(category, DegenerateData):
                notes.append(note(_EQUAL))
            elif issubclass(category, EvenfoldWarning):
                notes.append(note(WRITTEN, text=str(message)))
            else:
                show(message, category, *where, **more)

        warnings.simplefilter("always", EvenfoldWarning)
        warnings.showwarning = collect
        yield


def name_equal_pairs(notes: Sequence[Note], results: Sequence[PairResult]) -> list[Note]:
    """Return the notes; the one on equal differences names its pairs, if there are several."""
    equal = [pair for pair in results if getattr(pair.estimate, "standard_error", None) == 0]
    others = [each for each in notes if each.code != _EQUAL]
    if len(others) == len(notes) or len(results) == 1 or not 0 < len(equal) <= _MOST_NAMED:
        return list(notes)
    return [*others, *(_of_pair(pair, note(_EQUAL)) for pair in equal)]


def _of_pair(pair: PairResult, message: Note) -> Note:
    return note("of-pair", challenger=pair.challenger, baseline=pair.baseline, said=str(message))


def notes_of_method(rule: Criteria) -> Iterator[Note]:
    """Yield what must be said of a method that is for comparison only."""
    entry = rule.entry
    if not entry.recommended:
        yield note(
            "comparison-only",
            method=entry.key,
            name=entry.name,
            leaning=entry.leaning,
            why=entry.why,
        )


def notes_of_splits(losses: Losses) -> Iterator[Note]:
    """Yield what must be said of every answer on such splits; mostly nothing."""
    if losses.partition.kind.is_repeated_folds:
        yield note("repeated-folds")


def notes_of_pairs(results: Sequence[PairResult], rule: Criteria) -> Iterator[Note]:
    """Yield what must be said of all pairs together, and what the estimates say of each."""
    posterior = any(isinstance(pair.estimate, PosteriorEstimate) for pair in results)
    if len(results) > 1 and posterior:  # no share of the level changes them
        yield note("posteriors-not-adjusted")
    apart = [
        [pair.baseline, pair.challenger]
        for pair in results
        if pair.pvalue is not None
        and pair.adjusted_pvalue is not None
        and (pair.adjusted_pvalue <= rule.level) != (pair.pvalue <= pair.level)
    ]
    adjustment = ADJUSTMENTS[rule.adjust]
    if apart and not adjustment.single_step:
        yield note("adjusted-otherwise", adjustment=adjustment.words, pairs=apart)


def notes_of_estimates(results: Sequence[PairResult]) -> Iterator[Note]:
    """Yield the notes of the estimates; of several pairs, each note names its pair."""
    for pair in results:
        if pair.estimate is None or not pair.estimate.note:
            continue
        message = note(WRITTEN, text=pair.estimate.note)
        if len(results) > 1:
            message = _of_pair(pair, message)
        yield message


def notes_of_failures(losses: Losses) -> Iterator[Note]:
    """Yield which algorithms never predicted what a score is about, and why models failed."""
    if losses.counts is not None and losses.score != RECALL:
        # of recall predicting nothing is no riddle; precision is 0/0, taken for 0
        never = (losses.counts[..., :2].sum(axis=-1) == 0).sum(axis=-1)
        for name, splits in zip(losses.algorithms, never.tolist(), strict=True):
            if splits:
                yield note(
                    "never-predicted",
                    name=name,
                    positive=losses.quantity.positive,
                    splits=splits,
                    tests=losses.counts.shape[1],
                    precision=losses.score == PRECISION,
                )
    if any("could not convert string to float" in failure.message for failure in losses.failures):
        yield note("words-in-data")


def pitfalls(task: Data, quantity: Quantity, design: Design) -> Iterator[Note]:
    """Yield a note for each sign of a known mistake that no inference can mend."""
    yield from (note(WRITTEN, text=caution) for caution in design.cautions(task.y))
    # labels that all occur equally often were drawn so: they rarely do in nature
    if quantity.of_the_mix and len(np.unique(task.class_sizes)) == 1:
        yield note("equal-classes")
    scored = quantity.per_example == "outcomes" and quantity.target == "labels"
    if scored and task.predicts != "sequences" and task.rarest < _SCARCE:  # texts have no classes
        yield note("scarce-class", examples=task.rarest)
    if column := _identifier(task.X):
        yield note("identifier", column=column)
    if isinstance(design, SourceSizedKFold):
        yield note("folds-ignore-groups")


_MANY = 20  # rows: fewer whole numbers differ by chance


def _identifier(X: Any) -> str:
    """Name the first column of different whole numbers, as those of an identifier are."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        columns = ((repr(name), X[name]) for name in X.columns)
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        columns = ((str(j), X[:, j]) for j in range(X.shape[1]))
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


def known_failures(algorithms: Mapping[str, Any], task: Data, entry: Method) -> Iterator[Note]:
    """Yield a note for each class of the method's card that these algorithms and data are in."""
    card = entry.card or {}
    for case in card.get("classes", ()):
        if case["kind"] not in _CLASSES:
            continue
        which, of_data = _CLASSES[case["kind"]]
        names = [name for name, subject in algorithms.items() if any(map(which, parts_of(subject)))]
        if names and of_data(task):
            yield note(
                "hard-case",
                case=case["name"],
                names=names,
                method=entry.key,
                called=entry.name,
                size=case["size"],
                why=case["why"],
                instead=case["instead"],
                instead_called=methods()[case["instead"]].name if case["instead"] else "",
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
    "naive Bayes": (lambda subject: type(subject).__name__ == "GaussianNB", _near_constant),
    "lasso": (_is_lasso, lambda _: True),
    "LDA": (lambda subject: type(subject).__name__ == "LinearDiscriminantAnalysis", _near_constant),
    "trees": (lambda subject: type(subject).__name__ in _TREES, _only_interactions),
    "trees on many classes": (lambda subject: type(subject).__name__ in _TREES, _many_classes),
}
"""Of each class that can be seen: which algorithms, and which data."""

"""
The algorithms that are compared: estimators with ``fit`` and ``predict``, or plain functions.

The caller's objects are never fitted: every fit gets a clone, with each ``random_state=None``
inside it set from ``stream(seed, algorithm, split)``.
"""

import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

import numpy as np

from evenfold.core.checks import refuse, refuse_value, require_writable, short_repr
from evenfold.core.errors import NotApplicable, StoreError
from evenfold.core.rng import stream
from evenfold.core.words import count, hide_secrets, one_line, unused_name

Parameters = Mapping[str, Any]


# What searches inside algorithms chose: the `best_params_` of every fit, which is kept with the
# predictions.


CHOSEN = "best_params_"  # as scikit-learn's searches, and those of others, call it
_THRESHOLD = "best_threshold_"  # of a tuned decision threshold
_REFIT = "refit_time_"  # what the last fit of a search took, with the settings that it chose
_INSIDE = ("estimator_", "regressor_", "best_estimator_")  # what wrappers have fitted

_LOOKED_AT = 3  # splits, before an algorithm is taken for one that chooses nothing


def chosen_answer(estimator: Any, fit_seconds: float = math.nan) -> dict[str, Any]:
    """
    Return what a fitted estimator chose as one more answer, or nothing if it chose nothing.

    The answer also holds the seconds of tuning: the time of the fit without the last fit of the
    search. They are NaN if the search does not say how long its last fit took.
    """
    chosen: dict[str, Any] = {}
    refit: Any = None
    for part in _parts(estimator, set()):
        threshold = _attribute(part, _THRESHOLD)
        if isinstance(threshold, (float, np.floating)):
            chosen.setdefault("threshold", float(threshold))
        parameters = _attribute(part, CHOSEN)
        if isinstance(parameters, Mapping) and parameters:
            chosen |= {str(name): _plain(value) for name, value in parameters.items()}
            refit = _attribute(part, _REFIT)
            break
    if not chosen:
        return {}
    tuning = fit_seconds - refit if isinstance(refit, (float, np.floating)) else math.nan
    return {CHOSEN: np.array([json.dumps(chosen), repr(float(tuning))])}


def pipeline_steps(estimator: Any) -> list[tuple[str, Any]]:
    """
    Return the steps of a pipeline; none of any other estimator.

    An attribute ``steps`` alone says nothing: it may be a number of iterations.
    """
    if "sklearn.pipeline" not in sys.modules:
        return []
    from sklearn.pipeline import Pipeline

    if isinstance(estimator, Pipeline):
        return list(estimator.steps)
    return []


ChoiceReader = Callable[[int, int], Any]
"""Reads what an algorithm chose on a split, both by number, or raises where there is nothing."""

_NOTHING = (NotApplicable, StoreError, ValueError, TypeError, IndexError, RecursionError)


def choices_of_all(names: Sequence[str], splits: int, answer: ChoiceReader) -> dict[str, Any]:
    """
    Return what each algorithm that searches chose on each split, and the seconds it took for that.

    Where a fit failed, the parameters are empty; where the time is unknown, it is NaN.
    """

    def choice(algorithm: int, split: int) -> tuple[Parameters, float]:
        parameters: Parameters = {}
        try:
            kept = answer(algorithm, split)
            parameters = dict(json.loads(str(kept[0])))
            return parameters, float(kept[1])
        except _NOTHING:  # there is none, or a store from elsewhere says something else
            return parameters, math.nan

    chosen: dict[str, tuple[Any, ...]] = {}
    tuning_seconds: dict[str, tuple[Any, ...]] = {}
    for a, name in enumerate(names):
        if any(choice(a, j)[0] for j in range(min(splits, _LOOKED_AT))):
            chosen[name], tuning_seconds[name] = zip(
                *(choice(a, j) for j in range(splits)), strict=True
            )
    return {"chosen": chosen, "tuning_seconds": tuning_seconds}


def _parts(estimator: Any, seen: set[int]) -> Iterator[Any]:
    """Return the estimator, the steps of a pipeline from the last, and what a wrapper fitted."""
    if id(estimator) in seen:  # an attribute that leads back
        return
    seen.add(id(estimator))
    yield estimator
    for _, step in reversed(pipeline_steps(estimator)):
        yield from _parts(step, seen)
    for name in _INSIDE:
        inner = _attribute(estimator, name)
        if _attribute(inner, "get_params") is not None:  # an estimator, not a number of that name
            yield from _parts(inner, seen)


def _attribute(thing: Any, name: str) -> Any:
    """
    Return an attribute that an object of another library may have.

    The result is None if the attribute does not exist or raises an error.
    """
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    return one_line(repr(value))


_SEEDS = 2**31 - 1  # what every random_state accepts


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class FittableAlgorithm:
    """
    One algorithm and what a fit must know to run it.

    Attributes
    ----------
    name : str
        Its name in reports, which is also a part of the address of its seeds.
    subject : object
        The estimator or the function.
    is_function : bool
        Whether ``subject`` is called as ``subject(X_train, y_train, X_test)``.
    random : tuple of str
        Addresses inside the estimator to be seeded; ``("seed",)`` for a function that takes one.
    fit_metadata : mapping
        Argument of ``fit`` → name of the metadata (``"sample_weight"``, ``"groups"``) that goes
        there.
    """

    name: str
    subject: Any
    is_function: bool
    random: tuple[str, ...] = ()
    fit_metadata: Mapping[str, str]

    def responses(self) -> tuple[str, ...]:
        """
        The outputs that the algorithm can be asked for.

        The responses of a function are known only after it has been called.
        """
        kinds = ("predict", "predict_proba", "decision_function")
        return tuple(
            kind for kind in kinds if self.is_function or _attribute(self.subject, kind) is not None
        )

    def seeds(self, seed: int, split: int) -> dict[str, int]:
        """Return the seed of each random parameter in one fit."""
        if not self.random:
            return {}
        draws = stream(seed, self.name, split).integers(_SEEDS, size=len(self.random))
        return {key: int(draw) for key, draw in zip(self.random, draws, strict=True)}

    def fresh(self, seed: int, split: int) -> Any:
        """Return an unfitted copy of the estimator with its seeds set for one fit."""
        estimator = _copy(self.subject)
        seeds = self.seeds(seed, split)
        # parameters of its own: no need to look for them
        if not any("." in address for address in seeds):
            if seeds:
                estimator.set_params(**seeds)
            return estimator
        places = _random_places(estimator)
        for address, value in seeds.items():
            holder, key = places[address]
            if hasattr(holder, "set_params"):
                holder.set_params(**{key: value})
            else:
                setattr(holder, key, value)
        return estimator

    def callable(self) -> Any:
        """Return the function. A callable object is copied, so that it keeps no state."""
        if isinstance(self.subject, FunctionType):
            return self.subject
        return deepcopy(self.subject)


def _copy(subject: Any) -> Any:
    if hasattr(subject, "get_params"):
        from sklearn.base import clone

        return clone(subject)
    return deepcopy(subject)


def describe_algorithm(subject: Any) -> str:
    """
    Return the repr of an algorithm in one line, or its class if the repr raises an error.

    Addresses in memory are left out, because they would give the same run another id each time.
    """
    try:
        text = hide_secrets(one_line(repr(subject)))
    except Exception:
        return f"a {type(subject).__name__}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def check_algorithms(algorithms: Any, metadata: Sequence[str] = ()) -> list[FittableAlgorithm]:
    """Name the algorithms and check that each can be run."""
    return [
        _check(name, subject, metadata) for name, subject in name_algorithms(algorithms).items()
    ]


def name_algorithms(algorithms: Any) -> dict[str, Any]:
    """
    Return the algorithms by name.

    Members of a list are named by their classes or functions, and by the parameters that differ.
    """
    named: dict[Any, Any] = {}
    if _is_data(algorithms):
        refuse(
            "algorithms",
            f"algorithms must be estimators or functions but got a {type(algorithms).__name__} of "
            "data.",
            "The algorithms come first, as in ef.compare([a, b], X, y).",
        )
    if _is_list_of_steps(algorithms):
        refuse(
            "algorithms",
            "algorithms must be a mapping of names to algorithms but got a list of pairs of a name "
            "and an algorithm.",
            "Write ef.compare(dict(algorithms), X, y).",
        )
    if isinstance(algorithms, Mapping):
        named |= algorithms
    else:
        subjects = algorithms if isinstance(algorithms, (list, tuple)) else [algorithms]
        for name, subject in zip(default_names(subjects), subjects, strict=True):
            named[unused_name(name, named)] = subject
    if not named:
        refuse(
            "algorithms",
            f"algorithms must hold an estimator or a function but got {short_repr(algorithms)}.",
        )
    for name in named:
        if not isinstance(name, str) or not name:
            refuse_value("algorithms", name, "named by non-empty strings")
    require_writable("names of algorithms", named)
    return named


def _is_data(algorithms: Any) -> bool:
    """Whether rows of data, such as X or y, were passed in the place of algorithms."""
    if hasattr(algorithms, "shape") and not hasattr(algorithms, "fit"):
        return True
    rows = algorithms if isinstance(algorithms, (list, tuple)) else []
    return bool(rows) and all(isinstance(row, (list, int, float)) for row in rows)


def _is_list_of_steps(algorithms: Any) -> bool:
    """Whether names and algorithms come in pairs, as the steps of a pipeline do."""
    pairs = algorithms if isinstance(algorithms, (list, tuple)) else []
    return bool(pairs) and all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs
    )


def default_names(subjects: Sequence[Any]) -> list[str]:
    """
    Return a name for each of several algorithms.

    It is the class, and the parameters that differ if classes are equal.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> default_names([SVC(C=1), SVC(C=10), print])
    ['SVC(C=1)', 'SVC(C=10)', 'print']
    """
    names = [_default_name(subject) for subject in subjects]
    for name in {name for name in names if names.count(name) > 1}:
        places = [k for k, other in enumerate(names) if other == name]
        longer_names = _distinguish_names(name, [subjects[k] for k in places])
        for k, longer_name in zip(places, longer_names, strict=True):
            names[k] = longer_name
    return names


_MOST_NAMED = 3  # parameters in a name
_LONGEST = 24  # characters of a value in a name


def _distinguish_names(name: str, subjects: Sequence[Any]) -> list[str]:
    """Name subjects of one class by what differs: a pipeline's predictor, steps, parameters."""
    steps = [[type(step).__name__ for _, step in pipeline_steps(subject)] for subject in subjects]
    parameters = [_plain_parameters(subject) for subject in subjects]
    for kinds in ([each[-1:] for each in steps], steps):
        differences = _kinds_and_parameters(kinds, parameters)
        if all(differences) and len(set(differences)) == len(differences):
            return [f"{name}({words})" for words in differences]
    return [name] * len(subjects)


def _kinds_and_parameters(
    kinds: Sequence[list[str]], parameters: Sequence[dict[str, Any]]
) -> list[str]:
    """Return the kind of each, if there are several, and which parameters differ in it."""
    differences = []
    for kind, of_this in zip(kinds, parameters, strict=True):
        alike = [each for other, each in zip(kinds, parameters, strict=True) if other == kind]
        values = {
            key: [each[key] for each in alike]
            for key in of_this
            if all(key in each for each in alike)
        }
        differ = [key for key, each in values.items() if len(set(each)) > 1][:_MOST_NAMED]
        # 1 and 1.0 are no difference: equal values are written as the first of them
        shown = {key: values[key][values[key].index(of_this[key])] for key in differ}
        words = [] if len(alike) == len(kinds) else kind
        differences.append(
            ", ".join([*words, *(f"{k.split('__')[-1]}={v!r}" for k, v in shown.items())])
        )
    return differences


def _plain_parameters(subject: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that are short values, not estimators."""
    if isinstance(subject, type) or not hasattr(subject, "get_params"):
        return {}
    try:
        parameters = subject.get_params(deep=True).items()
        plain = {
            key: value
            for key, value in parameters
            if isinstance(value, (str, int, float, bool, type(None)))
        }
    except Exception:  # its get_params is no mapping, or raises
        return {}
    return {key: value for key, value in plain.items() if len(repr(value)) <= _LONGEST}


def _default_name(subject: Any) -> str:
    if isinstance(subject, type) or not hasattr(subject, "fit"):
        return str(getattr(subject, "__name__", type(subject).__name__))
    return type(subject).__name__


def _check_estimator(name: str, subject: Any, metadata: Sequence[str]) -> FittableAlgorithm:
    what = f"Algorithm {name!r}"
    kind = type(subject).__name__
    if _is_clusterer(subject):
        refuse(
            "algorithms",
            f"{what} must predict y but {kind} is a clusterer, whose labels are not those of y.",
            "Score each run yourself, for example by the adjusted Rand index, and pass the scores "
            "to ef.judge(rows='runs').",
        )
    if _attribute(subject, "predict") is None:
        refuse("algorithms", f"{what} must be an estimator with predict but {kind} has none.")
    try:
        random = tuple(_random_places(subject))
    except Exception as error:  # its get_params is no mapping, or raises
        refuse(
            "algorithms",
            f"{what} must have a method get_params that returns a mapping but it failed with "
            f"{type(error).__name__}: {error}.",
        )
    routes = _routes(what, subject, metadata)
    return FittableAlgorithm(
        name=name, subject=subject, is_function=False, random=random, fit_metadata=routes
    )


_UNSUPERVISED = ("clusterer", "density_estimator")  # a mixture's predict numbers its components


def _is_clusterer(subject: Any) -> bool:
    """Whether an estimator is a clusterer, whose labels are not predictions of y."""
    if isinstance(subject, type) or _attribute(subject, "__sklearn_tags__") is None:
        return getattr(subject, "_estimator_type", None) in _UNSUPERVISED
    from sklearn.utils import get_tags

    try:
        return get_tags(subject).estimator_type in _UNSUPERVISED
    except Exception:  # tags of its own that cannot be asked
        return False


def _check(name: str, subject: Any, metadata: Sequence[str]) -> FittableAlgorithm:
    what = f"Algorithm {name!r}"
    if isinstance(subject, type):
        refuse(
            "algorithms",
            f"{what} must be an instance but got the class {subject.__name__}.",
            f"Write {subject.__name__}().",
        )
    if _attribute(subject, "fit") is not None:
        return _check_estimator(name, subject, metadata)
    if not callable(subject):
        refuse(
            "algorithms",
            f"{what} must be an estimator or {_FUNCTION} but got {short_repr(subject)}.",
        )
    arguments = _function_arguments(what, subject)
    return FittableAlgorithm(
        name=name,
        subject=subject,
        is_function=True,
        random=("seed",) if "seed" in arguments else (),
        fit_metadata=_accepted_metadata(what, arguments, metadata),
    )


_FUNCTION = "a function (X_train, y_train, X_test) -> predictions"


def _function_arguments(what: str, function: Callable[..., Any]) -> Mapping[str, Parameter]:
    try:
        parameters = signature(function).parameters
    except ValueError:  # functions written in C need not tell
        refuse("algorithms", f"{what} must be {_FUNCTION} but got {short_repr(function)}.")
    kinds = [p.kind for p in parameters.values()]
    positional = sum(
        k in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD) for k in kinds
    )
    if positional < 3 and Parameter.VAR_POSITIONAL not in kinds:
        refuse(
            "algorithms",
            f"{what} must be {_FUNCTION} but the function takes {count(positional, 'argument')}.",
        )
    return parameters


def _accepted_metadata(
    what: str, arguments: Mapping[str, Parameter], metadata: Sequence[str]
) -> dict[str, str]:
    if "sample_weight" in metadata and "sample_weight" not in arguments:
        refuse(
            "algorithms",
            f"{what} must be a function with a parameter sample_weight, because sample_weight was "
            "given.",
        )
    return {key: key for key in metadata if key in arguments}


def _random_places(subject: Any) -> dict[str, tuple[Any, str]]:
    """
    Return every ``random_state=None`` inside an estimator.

    The keys are addresses, in a fixed order; the values are the owner and the name of the
    parameter. Splitters that are not estimators are searched, too, and so are lists and mappings,
    such as the candidates of a grid search.
    """
    if not hasattr(subject, "get_params"):
        return {}
    places: dict[str, tuple[Any, str]] = {}
    parameters = sorted(subject.get_params(deep=True).items())
    for key, value in parameters:
        if value is None and (key == "random_state" or key.endswith("__random_state")):
            places[key] = subject, key
        elif _is_unseeded(value):
            places[f"{key}.random_state"] = value, "random_state"
    # the steps of a pipeline are parameters by themselves
    reached = {id(value) for _, value in parameters}
    for key, value in parameters:
        for address, item in _flatten(key, value):
            if id(item) not in reached:
                reached.add(id(item))
                places |= {
                    f"{address}.{inner}": place for inner, place in _item_places(item).items()
                }
    return places


def _is_unseeded(value: Any) -> bool:
    """Whether a value is no estimator, such as a splitter, and has no seed."""
    return not hasattr(value, "get_params") and getattr(value, "random_state", 0) is None


def _item_places(item: Any) -> dict[str, tuple[Any, str]]:
    if isinstance(item, type):
        return {}
    if _is_unseeded(item):
        return {"random_state": (item, "random_state")}
    return _random_places(item)


def _flatten(address: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every item of nested lists and mappings, with its address."""
    if isinstance(value, Mapping):
        pairs = [(f"{address}[{key!r}]", item) for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        pairs = [(f"{address}[{i}]", item) for i, item in enumerate(value)]
    else:
        yield address, value
        return
    for inner, item in pairs:
        yield from _flatten(inner, item)


def _routes(what: str, subject: Any, metadata: Sequence[str]) -> dict[str, str]:
    """Return which argument of fit gets which metadata, by scikit-learn's routing if enabled."""
    if not metadata:
        return {}
    from sklearn import get_config

    if get_config().get("enable_metadata_routing"):
        return _routed_metadata(what, subject, metadata)
    if "sample_weight" not in metadata:
        return {}
    return {_weight_argument(what, subject): "sample_weight"}


def _weight_argument(what: str, subject: Any) -> str:
    from sklearn.utils.validation import has_fit_parameter

    steps = pipeline_steps(subject)
    name, final = steps[-1] if steps else ("", subject)
    if not has_fit_parameter(final, "sample_weight"):
        refuse(
            "algorithms",
            f"{what} must be an estimator whose fit takes sample_weight but that of "
            f"{type(final).__name__} does not.",
            "To weigh only the test sets, enable metadata routing and call "
            "set_fit_request(sample_weight=False).",
        )
    return f"{name}__sample_weight" if steps else "sample_weight"


def _routed_metadata(what: str, subject: Any, metadata: Sequence[str]) -> dict[str, str]:
    from sklearn.exceptions import UnsetMetadataPassedError
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    mapping = MethodMapping().add(caller="fit", callee="fit")
    router = MetadataRouter(owner="evenfold").add(estimator=subject, method_mapping=mapping)
    try:
        routed = router.route_params(caller="fit", params={key: key for key in metadata})
    except UnsetMetadataPassedError as error:
        refuse(
            "algorithms",
            f"{what} must say whether its fit wants {' and '.join(metadata)}.",
            f"scikit-learn says: {error}",
        )
    return dict(routed["estimator"]["fit"])

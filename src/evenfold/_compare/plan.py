"""Which measure, which design, which method: what was asked for, and defaults for the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenfold.core.checks import one_of, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.partition import IndexCut, Partition
from evenfold.design import (
    BRLT,
    RLT,
    Design,
    Holdout,
    KFold,
    LeaveOneOut,
    LeaveOneSourceOut,
    Mx2,
    Mx2BCV,
    NestedKFold,
    NestedRLT,
)
from evenfold.infer import methods, recommended, select

SEQUENTIAL = "mx2-sequential-t"
START, MOST = 3, 9  # METHODS 4: beyond nine repetitions the interval shrinks by less than 1 %

_CLASSIFICATION = ("zero-one", "log", "brier", "precision", "recall", "f1", "auc")
_REGRESSION = ("squared", "absolute", "pinball", "fpa")
_SCORES = ("precision", "recall", "f1")
_FEW = 20  # examples of a class below which halves are balanced, lest one of them has none

Balance = str | tuple[str, ...] | None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Plan:
    """What will be run; ``most`` is M where repetitions are added until a test stops, else None."""

    measure: Any
    design: Design
    method: str
    most: int | None


def make_plan(
    algorithms: Any,
    n: int,
    y: Any,
    *,
    margin: float,
    measure: Any,
    design: Design | None,
    method: str | None,
    groups: Any,
    features: Any = None,
    seed: int,
    adjust: str = "holm",
) -> Plan:
    """Fill in what was not asked for; see :func:`evenfold.compare` for the defaults."""
    if groups is not None and method is not None and "tested" in methods()[_known(method)].inputs:
        raise NotApplicable(f"method {method!r} needs independent examples, not groups; use 'mx2-t'")
    subjects = listed(algorithms)
    regression = _is_regression(subjects, y, measure)
    if measure is None:
        measure = "squared" if regression else "zero-one"
    _require_variety(y, regression=regression)
    is_score = isinstance(measure, str) and measure in _SCORES and not (method or "").startswith("bayes-")
    balance = _balance(y, regression=regression, features=features, is_score=is_score)
    if design is not None:
        design = design if design.random_state is not None else replace(design, random_state=seed)
        key = method or recommended(design.kind, measure=measure if isinstance(measure, str) else "")
        return Plan(
            measure=measure,
            design=design,
            method=select(key, design=design.kind).key,
            most=_asked(design, key, margin),
        )
    if method is not None:
        usual = usual_design(_known(method), balance, seed, n)
        by_source = groups is not None and "sources" in methods()[method].designs
        design = LeaveOneSourceOut() if by_source else usual
        return Plan(measure=measure, design=design, method=method, most=_asked(design, method, margin))
    # a sequential test stops at 0, not at a margin, and its pairs have no joint law
    fixed = len(subjects) == 1 or margin > 0 or (adjust == "max-t" and len(subjects) > 2)
    return _default(measure, balance, n, seed, grouped=groups is not None, fixed=fixed)


def _balance(y: Any, *, regression: bool, features: Any, is_score: bool) -> Balance:
    """Balance the target where it is one value per example, and what features were given."""
    of_target = None if _is_sequences(y) else "counts" if regression else "labels"
    if is_score and of_target == "labels" and not _is_rare(y):
        # What is said of a score, whose class counts are random like those of most data, would be too sure
        # if they were made even: see evenfold.infer.influence_f1.
        of_target = None
    if features is None:
        return of_target
    return "features" if of_target is None else (of_target, "features")


def _is_rare(y: Any) -> bool:
    """Whether a class is so rare that a random half may have none of it."""
    return bool(np.unique(np.asarray(y), return_counts=True)[1].min() < _FEW)


def listed(algorithms: Any) -> list[Any]:
    """Return the algorithms themselves; a pipeline, which has a length too, is one."""
    if isinstance(algorithms, Mapping):
        return list(algorithms.values())
    return list(algorithms) if isinstance(algorithms, (list, tuple)) else [algorithms]


def _default(measure: Any, balance: Balance, n: int, seed: int, *, grouped: bool, fixed: bool) -> Plan:
    if grouped:
        return Plan(measure=measure, design=LeaveOneSourceOut(), method="sources-new-t", most=None)
    if isinstance(measure, str) and measure in _SCORES:
        method = recommended(Mx2BCV.kind, measure=measure)
        design = usual_design(method, balance, seed, n)
        return Plan(measure=measure, design=design, method=method, most=None)
    method = "mx2-t" if fixed else SEQUENTIAL
    design = usual_design(method, balance, seed, n)
    return Plan(measure=measure, design=design, method=method, most=_asked(design, method))


def _asked(design: Design, method: str, margin: float = 0.0) -> int | None:
    """Return M: the repetitions of an m×2 BCV that a sequential test may use."""
    if method != SEQUENTIAL or not isinstance(design, Mx2BCV):
        return None
    if margin > 0:
        refuse(
            "margin", f"0 with {SEQUENTIAL!r}, which stops as soon as it excludes 0,", margin, "use 'mx2-t'"
        )
    return design.m


def _known(method: str) -> str:
    return one_of("method", method, methods())


def usual_design(method: str, balance: Balance, seed: int, n: int) -> Design:
    """Return the design that a method is usually given, where only the method was asked for."""
    entry = methods()[method]
    if entry.usual == Mx2.kind:
        return Mx2(entry.repetitions or MOST, random_state=seed)
    if entry.usual == Mx2BCV.kind:
        m = min(entry.repetitions or MOST, _most(n))
        return Mx2BCV(m, balance=balance, random_state=seed)
    designs: dict[str, Design] = {
        "kfold": KFold(10, balance=balance, random_state=seed),
        "loo": LeaveOneOut(),
        "brlt": BRLT(15, 0.9, balance=balance, random_state=seed),
        "holdout": Holdout(2 / 3, random_state=seed),
        "sources": LeaveOneSourceOut(),
        "nested-rlt": NestedRLT(5, 15, 0.1, random_state=seed),
        "nested-kfold": NestedKFold(5, 10, balance=balance, random_state=seed),
    }
    return designs[entry.usual]


def _most(n: int) -> int:
    """Return how many of the usual nine repetitions fit: 4, 8, 16 blocks allow 3, 7, 15."""
    if n < 8:
        refuse("X", "at least 8 examples", n, "so few say nothing; gather more")
    return MOST if n >= 16 else 7


def _is_regression(subjects: list[Any], y: Any, measure: Any) -> bool:
    if isinstance(measure, str) and measure in _CLASSIFICATION + _REGRESSION:
        regression = measure in _REGRESSION
        if not regression and any(_kind(subject) == "regressor" for subject in subjects):
            refuse(
                "measure",
                "one for numbers: the algorithms are regressors,",
                measure,
                "use 'squared' or 'absolute'",
            )
        return regression
    kinds = {_kind(subject) for subject in subjects}
    if "regressor" in kinds or "classifier" in kinds:
        return "regressor" in kinds
    values = np.asarray(y) if not _is_sequences(y) else np.empty(0, dtype=object)
    return values.dtype.kind == "f" and bool((values != np.round(values)).any())


def _require_variety(y: Any, *, regression: bool) -> None:
    if not _is_sequences(y) and len(np.unique(np.asarray(y))) < 2:
        refuse("y", "at least two different values" if regression else "at least two classes", "one")


def _kind(subject: Any) -> str | None:
    from sklearn.base import is_classifier, is_regressor

    if not hasattr(subject, "fit"):
        return None
    return "regressor" if is_regressor(subject) else "classifier" if is_classifier(subject) else None


def _is_sequences(y: Any) -> bool:
    return isinstance(y, (list, tuple)) and len(y) > 0 and isinstance(y[0], (list, tuple, np.ndarray))


def cut(design: Design, n: int, **given: Any) -> Partition:
    """Cut the data; before halvings come the splits of the whole data that the estimate is about (NB 3.2)."""
    partition = design.partition(n, **given)
    if not isinstance(design, NestedRLT):
        return partition
    whole = RLT(design.n_splits, n - partition.n_test, random_state=partition.seed).partition(n)
    cuts: Any = whole.cut, partition.cut
    return replace(
        partition,
        cut=IndexCut(n=n, trains=cuts[0].trains + cuts[1].trains, tests=cuts[0].tests + cuts[1].tests),
        repetition=np.concatenate([np.full(len(whole), -1), partition.repetition]),
        fold=np.concatenate([np.arange(len(whole)), partition.fold]),
    )

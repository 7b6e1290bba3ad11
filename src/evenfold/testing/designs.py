"""The contract of a design."""

import pickle
from functools import partial
from typing import Any

import numpy as np

from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.partition import Kind, Partition
from evenfold.design import Design, design_from, designs
from evenfold.testing import contract, refuses, require, works

_N = 48
_FEW = (2, 3, 5, 7)  # examples, for which designs with more folds must refuse to cut
_GROUPS = np.repeat(np.arange(12), 4)
_LABELS = np.tile([0, 1], _N // 2)
_FEATURES = np.random.default_rng(0).poisson(1.0, (_N, 3)) + 1


def check_design(design: Any, *, registered: bool = True) -> None:
    """
    Check that a design keeps the rules that runs, methods and scikit-learn rely on.

    Parameters
    ----------
    design : Design
        One that can cut 48 examples in two classes and, where it uses groups, in 12 groups of four.
    registered : bool, default True
        Whether its class must be found by its key.

    Raises
    ------
    BrokenContract
        With the rule that is broken.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.testing.check_design(ef.KFold(5, balance="labels", random_state=0))
    """
    with contract(design):
        require(isinstance(design, Design), "it derives from evenfold.design.Design")
        require(isinstance(design.kind, Kind), "its kind is a Kind, which knows its shape")
        if registered:
            _check_spelling(design)
        cut = works(partial(_make_partition, design), "it cuts 48 examples")
        _check_sets(design, cut)
        _check_shape(design, cut)
        _check_seeds(design, cut)
        _check_certificate(design, cut)
        _check_scikit_learn(design, cut)
        _check_input(design)
        _check_few(design)
        if hasattr(design, "extend"):
            _check_growth(design, cut)


def _partition_inputs(design: Design) -> dict[str, Any]:
    balance = getattr(design, "balance", None) or ()
    names = (balance,) if isinstance(balance, str) else balance
    needs_features = "features" in names and getattr(design, "features", None) is None
    return {
        "y": _LABELS,
        "groups": _GROUPS if design.uses_groups_now else None,
        "features": _FEATURES if needs_features else None,
    }


def _make_partition(design: Design) -> Partition:
    return design.partition(_N, **_partition_inputs(design))


def _is_same_partition(first: Any, second: Any) -> bool:
    return all(
        np.array_equal(a, b)
        for p, q in zip(first, second, strict=True)
        for a, b in zip(p, q, strict=True)
    )


def _check_spelling(design: Design) -> None:
    kind = type(design)
    key = kind.example.partition(":")[0]
    require(designs().get(key) is kind, f"its class is registered under the key {key!r}")
    example = works(lambda: design_from(kind.example), "its example can be read")
    require(isinstance(example, kind), "its example makes a design of its class")
    again = works(lambda: design_from(design.spelling), "its spelling can be read")
    require(again.spelling == design.spelling, "its spelling makes the same design again")
    require(
        design.at_random() is None or isinstance(design.at_random(), Design), "at_random gives one"
    )


def _check_sets(design: Design, cut: Any) -> None:
    require(isinstance(cut, Partition), "partition gives a Partition")
    require(
        (cut.kind, cut.n) == (design.kind, _N),
        "its partition has its kind and the n that was asked",
    )
    require(
        len(cut.repetition) == len(cut.fold) == len(cut), "every split has a repetition and a fold"
    )
    require(len(cut) > 0, "there is at least one split")
    for j, (train, test) in enumerate(cut):
        _check_split(design, cut, j, train, test)


def _check_split(design: Design, cut: Partition, j: int, train: Any, test: Any) -> None:
    require(len(train) and len(test), "no training or test set is empty")
    require(train.dtype == test.dtype == np.intp, "training and test sets are arrays of indices")
    bag = design.kind.is_out_of_bag
    for side in (np.unique(train) if bag else train, test):
        require((np.diff(side) > 0).all(), "indices are sorted and none comes twice")
        require(side[0] >= 0 and side[-1] < _N, "indices number the examples")
    alone = not np.intersect1d(train, test).size or (bag and not cut.about[j])
    require(alone, "no example trains and is tested in one split")
    alike = np.array_equal(cut.train[j], train) and np.array_equal(cut.test[j], test)
    require(alike, "a split is the same by index and in turn")
    if design.uses_groups_now and "folds" not in design.kind.shape:
        shared = np.intersect1d(_GROUPS[train], _GROUPS[test])
        require(not shared.size, "no group is on both sides of a split")


def _check_shape(design: Design, cut: Partition) -> None:
    shape = design.kind.shape
    tests = np.concatenate(list(cut.test))
    times = np.bincount(tests, minlength=_N)
    repetitions = len(set(cut.repetition.tolist()))
    if shape == "halves":
        require(len(cut) % 2 == 0, "a repetition has two splits")
        swapped = [(test, train) for train, test in list(cut)[1::2]]
        alike = _is_same_partition(list(cut)[::2], swapped)
        require(alike, "the second split of a repetition swaps the halves of the first")
    if shape in ("halves", "folds", "repeated folds", "sources"):
        require((times == repetitions).all(), "every example is tested once in each repetition")
    if shape == "windows":
        when = _GROUPS if design.uses_groups_now else np.arange(_N)
        later = all(when[train].max() < when[test].min() for train, test in cut)
        require(later, "no model is trained on its tested times or later ones")
        require((times <= 1).all(), "every example is tested once at most")
    if shape == "one split":
        require(len(cut) == 1, "there is one split")
    if shape.startswith("nested") or shape in ("folds and halves", "reruns", "out of bag"):
        require((cut.repetition == -1).any(), "the splits an estimate is about have repetition -1")


def _check_seeds(design: Design, cut: Partition) -> None:
    if design.random_state is not None or not design.shuffle:
        require(
            _is_same_partition(cut, _make_partition(design)), "the same seed gives the same splits"
        )
    require(cut.seed is None or cut.seed >= 0, "the seed that was used is recorded")
    require((cut.seed is not None) == design.shuffle, "a seed is recorded where one was used")
    copy = works(lambda: pickle.loads(pickle.dumps(design)), "it pickles")
    require(repr(copy) == repr(design), "a pickled design is the same design")


def _check_certificate(design: Design, cut: Partition) -> None:
    sure = cut.certificate
    if sure is None:
        return
    require(sure.construction, "its certificate says how it was made")
    reached = sure.overlap_error >= sure.overlap_bound - 1e-9 or design.uses_groups_now
    require(reached, "no partition is more even than the bound of its certificate")
    spread = int(np.ptp(cut.occurrences()))
    require(
        sure.occurrence_spread == spread, "its certificate says how unequally often examples train"
    )


def _check_scikit_learn(design: Design, cut: Partition) -> None:
    from sklearn.model_selection import check_cv

    X = np.zeros((_N, 2))
    groups = _partition_inputs(design)["groups"]
    splitter = works(lambda: check_cv(design), "scikit-learn takes it for a splitter")
    require(splitter is design, "scikit-learn takes it as it is")
    if _partition_inputs(design)["features"] is None:
        pairs = works(lambda: list(design.split(X, _LABELS, groups)), "split works")
        promised = works(lambda: design.get_n_splits(X, _LABELS, groups), "get_n_splits works")
        require(len(pairs) == promised, "get_n_splits is the number of splits")
        themselves = int(design.kind.is_out_of_bag)  # the last split tests all on themselves
        require(len(pairs) == len(cut) - themselves, "split and partition make as many splits")
    asks = works(
        lambda: design.get_metadata_routing().split.requests, "it answers metadata routing"
    )
    require(("groups" in asks) == design.uses_groups_now, "it asks for groups if it uses them")
    settable = hasattr(design, "set_split_request")
    require(settable == design.uses_groups_now, "set_split_request is there if it uses groups")


def _check_input(design: Design) -> None:
    inputs = _partition_inputs(design)
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (1, inputs, "one example is refused"),
        (10**20, inputs, "a number of examples beyond all memory is refused"),
        (_N, {**inputs, "y": _LABELS[:-1]}, "targets of another length are refused"),
    ]
    if not design.uses_groups_now:
        wrong.append((_N, {**inputs, "groups": _GROUPS}, "groups that it would ignore are refused"))
    for n, invalid, rule in wrong:
        refuses(partial(design.partition, n, **invalid), rule, by=InvalidInput)


def _check_few(design: Design) -> None:
    """Look for empty folds where there are fewer examples than folds, groups or blocks."""
    for n in _FEW:
        inputs = {
            name: None if values is None else values[:n]
            for name, values in _partition_inputs(design).items()
        }
        try:
            cut = design.partition(n, **inputs)
        except EvenfoldError:
            continue
        except Exception as error:
            require(False, f"{n} examples are cut or refused ({type(error).__name__}: {error})")
        filled = len(cut) and all(len(train) and len(test) for train, test in cut)
        require(filled, f"{n} examples are refused, or no training or test set is empty")


def _check_growth(design: Any, cut: Partition) -> None:
    known = bool(design.grows_by) and hasattr(design, design.grows_by)
    require(known, "grows_by names the parameter that an extension raises")
    m = getattr(design, design.grows_by)
    inputs = _partition_inputs(design)
    longer = works(lambda: design.extend(cut, m, **inputs), "extend works")
    require(_is_same_partition(longer, cut), "an extension by nothing changes nothing")
    try:
        longer = design.extend(cut, m + 1, **inputs)
    except InvalidInput:
        return  # it is as long as it can be
    added = longer.repetition[len(cut) :]
    last = cut.repetition[cut.repetition == cut.repetition[-1]]
    is_one = len(added) == len(last) and len({*added.tolist()} - {*cut.repetition.tolist()}) == 1
    require(is_one, "an extension by one has one repetition more")
    require(_is_same_partition(list(longer)[: len(cut)], cut), "an extension keeps what was there")

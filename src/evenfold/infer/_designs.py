"""The designs that methods are valid on, and what they are given and estimate there."""

from dataclasses import dataclass, replace

from evenfold.core.estimate import Estimand, Varied
from evenfold.core.partition import (
    BRLT,
    CLUSTERED_RUNS,
    CLUSTERS,
    FOLDS_AND_HALVES,
    FOLDS_IN_HALVES,
    GROWING,
    HOLDOUT,
    KFOLD,
    LABELLED,
    LABELLED_CLUSTERS,
    LOO,
    MX2,
    MX2_BCV,
    NESTED_KFOLD,
    NESTED_RLT,
    OUT_OF_BAG,
    PATH,
    REPEATED_KFOLD,
    RERUNS,
    RLT,
    ROLLING,
    RUNS,
    SEEDS,
    SOURCES,
    TEST_SET,
    TWO_TEST_SETS,
    TWO_TEST_SETS_RIGHT,
    Kind,
    Shape,
)
from evenfold.infer.inputs import (
    HALVINGS,
    AlongPath,
    Blocks,
    BootstrapRuns,
    Bounded,
    Clustered,
    Crossed,
    FoldedHalves,
    FoldsAndHalvings,
    Input,
    Labelled,
    Nested,
    OneTestSet,
    Repetitions,
    RightOfTwo,
    Seeds,
    SplitDifferences,
    TwoSamples,
    WithHalvings,
    WithReruns,
)

_PLAIN = Estimand()
_SPLITS = SplitDifferences()


@dataclass(frozen=True, kw_only=True, slots=True)
class Valid:
    """
    Designs that a method is valid on.

    Attributes
    ----------
    kinds : tuple of Kind
        The kinds of design.
    shapes : tuple of str
        Shapes of which any design will do, those of other packages included.
    default_design : Kind, optional
        The design that the method gets when none is asked for; the first of ``kinds`` if not said.
    repetitions : int, optional
        How many repetitions that design then has, where it matters.
    takes : Input
        What methods on these designs are given, unless they say otherwise.
    estimand : Estimand
        What their answers are about, unless they say otherwise.
    """

    kinds: tuple[Kind, ...]
    shapes: tuple[Shape, ...] = ()
    default_design: Kind | None = None
    repetitions: int | None = None
    takes: Input = _SPLITS
    estimand: Estimand = _PLAIN


_HALF, _OF_FOLDS, _OF_SPLITS = (Estimand(size=size) for size in ("n/2", "(K−1)n/K", "n1"))

HALVES = Valid(kinds=(MX2_BCV, MX2), shapes=("halves",), takes=Repetitions(), estimand=_HALF)
FIVE_HALVINGS = replace(HALVES, default_design=MX2, repetitions=5, takes=Repetitions(exactly=5))
THREE_HALVINGS = replace(HALVES, repetitions=3, takes=Repetitions(exactly=3))
BALANCED_HALVES = Valid(kinds=(MX2_BCV,), takes=HALVINGS, estimand=_HALF)
THREE_BALANCED = replace(BALANCED_HALVES, repetitions=3, takes=Repetitions(exactly=3))
FIVE_BALANCED = replace(BALANCED_HALVES, repetitions=5, takes=Repetitions(exactly=5))
SEVEN_BALANCED = replace(BALANCED_HALVES, repetitions=7)
FOLDS = Valid(kinds=(KFOLD, LOO), shapes=("folds",), estimand=_OF_FOLDS)
LARGE_FOLDS = Valid(kinds=(KFOLD,), takes=Blocks(), estimand=_OF_FOLDS)
LEFT_ONE_OUT = Valid(kinds=(LOO,), estimand=Estimand(size="n − 1"))
SEVERAL_FITS = Valid(
    kinds=(MX2_BCV, MX2, KFOLD, LOO, REPEATED_KFOLD, RLT, BRLT, SOURCES, FOLDS_AND_HALVES),
    shapes=(
        "halves",
        "folds",
        "repeated folds",
        "splits",
        "sources",
        "folds and halves",
        "windows",
    ),
    estimand=_OF_SPLITS,
)
SPLITS = Valid(kinds=(RLT, BRLT), shapes=("splits",), estimand=_OF_SPLITS)
SPLITS_OR_REPEATED = replace(
    SPLITS, kinds=(*SPLITS.kinds, REPEATED_KFOLD), shapes=("splits", "repeated folds")
)
SPLITS_OR_FOLDS = replace(
    SPLITS,
    kinds=(*SPLITS_OR_REPEATED.kinds, KFOLD, LOO),
    shapes=("splits", "repeated folds", "folds"),
)
RUN_AGAIN = Valid(kinds=(RERUNS,), shapes=("reruns",), takes=WithReruns(), estimand=_OF_SPLITS)
SAMPLES = Valid(
    kinds=(OUT_OF_BAG,), shapes=("out of bag",), takes=BootstrapRuns(), estimand=Estimand(size="n")
)
NESTED_HALVES = Valid(kinds=(NESTED_RLT,), takes=WithHalvings(), estimand=_OF_SPLITS)
NESTED_FOLDS = Valid(kinds=(NESTED_KFOLD,), takes=Nested(), estimand=Estimand(size="n"))
BOTH_SIZES = Valid(
    kinds=(FOLDS_AND_HALVES,),
    shapes=("folds and halves",),
    takes=FoldsAndHalvings(),
    estimand=_OF_FOLDS,
)
FOLDS_OF_HALVES = Valid(
    kinds=(FOLDS_IN_HALVES,),
    shapes=("folds in halves",),
    takes=FoldedHalves(),
    estimand=Estimand(size="(K−1)n/(2K)"),
)
EACH_SOURCE = Valid(
    kinds=(SOURCES,),
    shapes=("sources",),
    takes=Blocks(),
    estimand=Estimand(size="K − 1 of the K sources"),
)
ONE_SPLIT = Valid(
    kinds=(HOLDOUT,),
    shapes=("one split",),
    takes=OneTestSet(),
    estimand=Estimand(varied="test points", size="n1"),
)
MODELS = replace(
    ONE_SPLIT,
    kinds=(TEST_SET, HOLDOUT),
    default_design=HOLDOUT,
    estimand=Estimand(of="of these models on new examples", varied="test points"),
)


def _valid_for_shapes(takes: Input, varied: Varied, of: str, *kinds: Kind) -> Valid:
    """Any design with the shape of one of these kinds, and what answers on it are about."""
    shapes = tuple(dict.fromkeys(kind.shape for kind in kinds))
    return Valid(kinds=kinds, shapes=shapes, takes=takes, estimand=Estimand(of=of, varied=varied))


IN_CLUSTERS = _valid_for_shapes(
    Clustered(), "clusters", "of these models on new clusters", CLUSTERS
)
IN_RUNS = _valid_for_shapes(
    Crossed(),
    "runs and test points",
    "of these learning procedures over runs on new examples",
    RUNS,
    CLUSTERED_RUNS,
)
_OWN = "of these models, each on new examples like its own"
TWO_SETS = Valid(
    kinds=(TWO_TEST_SETS,), takes=TwoSamples(), estimand=Estimand(of=_OWN, varied="test points")
)
TWO_SETS_RIGHT = replace(TWO_SETS, kinds=(TWO_TEST_SETS_RIGHT,), takes=RightOfTwo())
WITH_LABELS = _valid_for_shapes(
    Labelled(), "test points", "of these models on new examples", LABELLED, LABELLED_CLUSTERS
)
BY_RUN = _valid_for_shapes(
    Seeds(), "runs", "of these learning procedures over runs on this test set", SEEDS
)
WINDOWS = _valid_for_shapes(
    AlongPath(), "times", "of these forecasts along this path", GROWING, ROLLING, PATH
)
ROLLING_WINDOWS = Valid(
    kinds=(ROLLING,), takes=AlongPath(), estimand=Estimand(size="w", varied="times")
)
IN_SOME_ORDER = Valid(
    kinds=(*MODELS.kinds, *WINDOWS.kinds),
    shapes=(*MODELS.shapes, *WINDOWS.shapes),
    default_design=HOLDOUT,
    takes=Bounded(),
    estimand=Estimand(of="of these models along these examples", varied="test points"),
)

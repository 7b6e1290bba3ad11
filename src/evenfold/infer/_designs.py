"""The designs that methods are valid on, and what they are given and estimate there."""

import warnings
from dataclasses import dataclass, field, replace

from evenfold.core import partition as kinds
from evenfold.core.errors import EvenfoldDeprecation
from evenfold.core.estimate import Estimand, Varied
from evenfold.core.partition import Kind, Shape
from evenfold.infer import inputs
from evenfold.infer.inputs import Input

_PLAIN = Estimand()
_SPLITS = inputs.SplitDifferences()


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
    usual : Kind, optional
        The name of ``default_design`` in version 0.2.
    """

    kinds: tuple[Kind, ...]
    shapes: tuple[Shape, ...] = ()
    default_design: Kind | None = None
    repetitions: int | None = None
    takes: Input = _SPLITS
    estimand: Estimand = _PLAIN
    usual: Kind | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.usual is not None and self.default_design is None:
            warnings.warn(
                "usual= of Valid is called default_design= since evenfold 0.3. The old name goes "
                "in 0.4.",
                EvenfoldDeprecation,
                stacklevel=3,
            )
            object.__setattr__(self, "default_design", self.usual)
        object.__setattr__(self, "usual", self.default_design)


_HALF, _OF_FOLDS, _OF_SPLITS = (Estimand(size=size) for size in ("n/2", "(K−1)n/K", "n1"))

HALVES = Valid(
    kinds=(kinds.MX2_BCV, kinds.MX2), shapes=("halves",), takes=inputs.Repetitions(), estimand=_HALF
)
FIVE_HALVINGS = replace(
    HALVES, default_design=kinds.MX2, repetitions=5, takes=inputs.Repetitions(exactly=5)
)
THREE_HALVINGS = replace(HALVES, repetitions=3, takes=inputs.Repetitions(exactly=3))
BALANCED_HALVES = Valid(kinds=(kinds.MX2_BCV,), takes=inputs.HALVINGS, estimand=_HALF)
THREE_BALANCED = replace(BALANCED_HALVES, repetitions=3, takes=inputs.Repetitions(exactly=3))
FIVE_BALANCED = replace(BALANCED_HALVES, repetitions=5, takes=inputs.Repetitions(exactly=5))
SEVEN_BALANCED = replace(BALANCED_HALVES, repetitions=7)
FOLDS = Valid(kinds=(kinds.KFOLD, kinds.LOO), shapes=("folds",), estimand=_OF_FOLDS)
LARGE_FOLDS = Valid(kinds=(kinds.KFOLD,), takes=inputs.Blocks(), estimand=_OF_FOLDS)
LEFT_ONE_OUT = Valid(kinds=(kinds.LOO,), estimand=Estimand(size="n − 1"))
SEVERAL_FITS = Valid(
    kinds=(
        kinds.MX2_BCV,
        kinds.MX2,
        kinds.KFOLD,
        kinds.LOO,
        kinds.REPEATED_KFOLD,
        kinds.RLT,
        kinds.BRLT,
        kinds.SOURCES,
        kinds.FOLDS_AND_HALVES,
    ),
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
SPLITS = Valid(kinds=(kinds.RLT, kinds.BRLT), shapes=("splits",), estimand=_OF_SPLITS)
SPLITS_OR_REPEATED = replace(
    SPLITS, kinds=(*SPLITS.kinds, kinds.REPEATED_KFOLD), shapes=("splits", "repeated folds")
)
SPLITS_OR_FOLDS = replace(
    SPLITS,
    kinds=(*SPLITS_OR_REPEATED.kinds, kinds.KFOLD, kinds.LOO),
    shapes=("splits", "repeated folds", "folds"),
)
RUN_AGAIN = Valid(
    kinds=(kinds.RERUNS,), shapes=("reruns",), takes=inputs.WithReruns(), estimand=_OF_SPLITS
)
SAMPLES = Valid(
    kinds=(kinds.OUT_OF_BAG,),
    shapes=("out of bag",),
    takes=inputs.BootstrapRuns(),
    estimand=Estimand(size="n"),
)
NESTED_HALVES = Valid(kinds=(kinds.NESTED_RLT,), takes=inputs.WithHalvings(), estimand=_OF_SPLITS)
NESTED_FOLDS = Valid(
    kinds=(kinds.NESTED_KFOLD,), takes=inputs.Nested(), estimand=Estimand(size="n")
)
BOTH_SIZES = Valid(
    kinds=(kinds.FOLDS_AND_HALVES,),
    shapes=("folds and halves",),
    takes=inputs.FoldsAndHalvings(),
    estimand=_OF_FOLDS,
)
FOLDS_OF_HALVES = Valid(
    kinds=(kinds.FOLDS_IN_HALVES,),
    shapes=("folds in halves",),
    takes=inputs.FoldedHalves(),
    estimand=Estimand(size="(K−1)n/(2K)"),
)
EACH_SOURCE = Valid(
    kinds=(kinds.SOURCES,),
    shapes=("sources",),
    takes=inputs.Blocks(),
    estimand=Estimand(size="K − 1 of the K sources"),
)
ONE_SPLIT = Valid(
    kinds=(kinds.HOLDOUT,),
    shapes=("one split",),
    takes=inputs.OneTestSet(),
    estimand=Estimand(varied="test points", size="n1"),
)
MODELS = replace(
    ONE_SPLIT,
    kinds=(kinds.TEST_SET, kinds.HOLDOUT),
    default_design=kinds.HOLDOUT,
    estimand=Estimand(of="of these models on new examples", varied="test points"),
)


def _valid_for_shapes(takes: Input, varied: Varied, of: str, *designs: Kind) -> Valid:
    """Return designs of the shapes of these kinds, and what answers on them are about."""
    shapes = tuple(dict.fromkeys(kind.shape for kind in designs))
    estimand = Estimand(of=of, varied=varied)
    return Valid(kinds=designs, shapes=shapes, takes=takes, estimand=estimand)


IN_CLUSTERS = _valid_for_shapes(
    inputs.Clustered(), "clusters", "of these models on new clusters", kinds.CLUSTERS
)
IN_RUNS = _valid_for_shapes(
    inputs.Crossed(),
    "runs and test points",
    "of these learning procedures over runs on new examples",
    kinds.RUNS,
    kinds.CLUSTERED_RUNS,
)
_OWN = "of these models, each on new examples like its own"
TWO_SETS = Valid(
    kinds=(kinds.TWO_TEST_SETS,),
    takes=inputs.TwoSamples(),
    estimand=Estimand(of=_OWN, varied="test points"),
)
TWO_SETS_RIGHT = replace(TWO_SETS, kinds=(kinds.TWO_TEST_SETS_RIGHT,), takes=inputs.RightOfTwo())
WITH_LABELS = _valid_for_shapes(
    inputs.Labelled(),
    "test points",
    "of these models on new examples",
    kinds.LABELLED,
    kinds.LABELLED_CLUSTERS,
)
BY_RUN = _valid_for_shapes(
    inputs.Seeds(), "runs", "of these learning procedures over runs on this test set", kinds.SEEDS
)
WINDOWS = _valid_for_shapes(
    inputs.AlongPath(),
    "times",
    "of these forecasts along this path",
    kinds.GROWING,
    kinds.ROLLING,
    kinds.PATH,
)
ROLLING_WINDOWS = Valid(
    kinds=(kinds.ROLLING,), takes=inputs.AlongPath(), estimand=Estimand(size="w", varied="times")
)
IN_SOME_ORDER = Valid(
    kinds=(*MODELS.kinds, *WINDOWS.kinds),
    shapes=(*MODELS.shapes, *WINDOWS.shapes),
    default_design=kinds.HOLDOUT,
    takes=inputs.Bounded(),
    estimand=Estimand(of="of these models along these examples", varied="test points"),
)

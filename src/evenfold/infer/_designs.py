"""The designs that methods are valid on, and what they are given and estimate there."""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

from evenfold.core import partition as kinds
from evenfold.core.errors import EvenfoldDeprecation
from evenfold.core.estimate import Estimand
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


def _all_like(*designs: Kind, **known: Any) -> Valid:
    """Return these designs and all others of their shapes, those of other packages included."""
    shapes = tuple(dict.fromkeys(kind.shape for kind in designs))
    return Valid(kinds=designs, shapes=shapes, **known)


HALVES = _all_like(kinds.MX2_BCV, kinds.MX2, takes=inputs.Repetitions(), estimand=_HALF)
FIVE_HALVINGS = replace(
    HALVES, default_design=kinds.MX2, repetitions=5, takes=inputs.Repetitions(exactly=5)
)
THREE_HALVINGS = replace(HALVES, repetitions=3, takes=inputs.Repetitions(exactly=3))
BALANCED_HALVES = Valid(kinds=(kinds.MX2_BCV,), takes=inputs.HALVINGS, estimand=_HALF)
THREE_BALANCED = replace(BALANCED_HALVES, repetitions=3, takes=inputs.Repetitions(exactly=3))
FIVE_BALANCED = replace(BALANCED_HALVES, repetitions=5, takes=inputs.Repetitions(exactly=5))
SEVEN_BALANCED = replace(BALANCED_HALVES, repetitions=7)
FOLDS = _all_like(kinds.KFOLD, kinds.LOO, estimand=_OF_FOLDS)
LARGE_FOLDS = Valid(kinds=(kinds.KFOLD,), takes=inputs.Blocks(), estimand=_OF_FOLDS)
LEFT_ONE_OUT = Valid(kinds=(kinds.LOO,), estimand=Estimand(size="n − 1"))
SPLITS = _all_like(kinds.RLT, kinds.BRLT, estimand=_OF_SPLITS)
SPLITS_OR_REPEATED = _all_like(*SPLITS.kinds, kinds.REPEATED_KFOLD, estimand=_OF_SPLITS)
SPLITS_OR_FOLDS = _all_like(*SPLITS_OR_REPEATED.kinds, kinds.KFOLD, kinds.LOO, estimand=_OF_SPLITS)
_SEVERAL = _all_like(
    *HALVES.kinds,
    *FOLDS.kinds,
    kinds.REPEATED_KFOLD,
    kinds.RLT,
    kinds.BRLT,
    kinds.SOURCES,
    kinds.FOLDS_AND_HALVES,
    estimand=_OF_SPLITS,
)
SEVERAL_FITS = replace(_SEVERAL, shapes=(*_SEVERAL.shapes, "windows"))
RUN_AGAIN = _all_like(kinds.RERUNS, takes=inputs.WithReruns(), estimand=_OF_SPLITS)
SAMPLES = _all_like(kinds.OUT_OF_BAG, takes=inputs.BootstrapRuns(), estimand=Estimand(size="n"))
NESTED_HALVES = Valid(kinds=(kinds.NESTED_RLT,), takes=inputs.WithHalvings(), estimand=_OF_SPLITS)
NESTED_FOLDS = Valid(
    kinds=(kinds.NESTED_KFOLD,), takes=inputs.Nested(), estimand=Estimand(size="n")
)
BOTH_SIZES = _all_like(kinds.FOLDS_AND_HALVES, takes=inputs.FoldsAndHalvings(), estimand=_OF_FOLDS)
FOLDS_OF_HALVES = _all_like(
    kinds.FOLDS_IN_HALVES, takes=inputs.FoldedHalves(), estimand=Estimand(size="(K−1)n/(2K)")
)
EACH_SOURCE = _all_like(
    kinds.SOURCES, takes=inputs.Blocks(), estimand=Estimand(size="K − 1 of the K sources")
)
ONE_SPLIT = _all_like(
    kinds.HOLDOUT,
    takes=inputs.OneTestSet(),
    estimand=Estimand(varied="test points", size="n1"),
)
MODELS = replace(
    ONE_SPLIT,
    kinds=(kinds.TEST_SET, kinds.HOLDOUT),
    default_design=kinds.HOLDOUT,
    estimand=Estimand(of="of these models on new examples", varied="test points"),
)
IN_CLUSTERS = _all_like(
    kinds.CLUSTERS,
    takes=inputs.Clustered(),
    estimand=Estimand(of="of these models on new clusters", varied="clusters"),
)
IN_RUNS = _all_like(
    kinds.RUNS,
    kinds.CLUSTERED_RUNS,
    takes=inputs.Crossed(),
    estimand=Estimand(
        of="of these learning procedures over runs on new examples", varied="runs and test points"
    ),
)
_OWN = "of these models, each on new examples like its own"
TWO_SETS = Valid(
    kinds=(kinds.TWO_TEST_SETS,),
    takes=inputs.TwoSamples(),
    estimand=Estimand(of=_OWN, varied="test points"),
)
TWO_SETS_RIGHT = replace(TWO_SETS, kinds=(kinds.TWO_TEST_SETS_RIGHT,), takes=inputs.RightOfTwo())
WITH_LABELS = _all_like(
    kinds.LABELLED, kinds.LABELLED_CLUSTERS, takes=inputs.Labelled(), estimand=MODELS.estimand
)
BY_RUN = _all_like(
    kinds.SEEDS,
    takes=inputs.Seeds(),
    estimand=Estimand(of="of these learning procedures over runs on this test set", varied="runs"),
)
WINDOWS = _all_like(
    kinds.GROWING,
    kinds.ROLLING,
    kinds.PATH,
    takes=inputs.AlongPath(),
    estimand=Estimand(of="of these forecasts along this path", varied="times"),
)
ROLLING_WINDOWS = Valid(
    kinds=(kinds.ROLLING,), takes=inputs.AlongPath(), estimand=Estimand(size="w", varied="times")
)
IN_SOME_ORDER = _all_like(
    *MODELS.kinds,
    *WINDOWS.kinds,
    default_design=kinds.HOLDOUT,
    takes=inputs.Bounded(),
    estimand=Estimand(of="of these models along these examples", varied="test points"),
)

"""On which designs methods are valid, and which of them they usually get."""

from dataclasses import dataclass, replace

from evenfold.core.kind import (
    BRLT,
    CLUSTERED_RUNS,
    CLUSTERS,
    FOLDS_AND_HALVES,
    GROWING,
    HOLDOUT,
    KFOLD,
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
    Kind,
    Shape,
)


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
    usual : Kind, optional
        The design that the method gets when none is asked for; the first of ``kinds`` if not said.
    repetitions : int, optional
        How many repetitions that design then has, where it matters.
    """

    kinds: tuple[Kind, ...]
    shapes: tuple[Shape, ...] = ()
    usual: Kind | None = None
    repetitions: int | None = None

    def on(self, kind: str) -> bool:
        """Whether a design of this kind will do."""
        return kind in self.kinds or (isinstance(kind, Kind) and kind.shape in self.shapes)


HALVES = Valid(kinds=(MX2_BCV, MX2), shapes=("halves",))
FIVE_HALVINGS = replace(HALVES, usual=MX2, repetitions=5)
BALANCED_HALVES = Valid(kinds=(MX2_BCV,))
THREE_BALANCED = replace(BALANCED_HALVES, repetitions=3)
FIVE_BALANCED = replace(BALANCED_HALVES, repetitions=5)
SEVEN_BALANCED = replace(BALANCED_HALVES, repetitions=7)
FOLDS = Valid(kinds=(KFOLD, LOO), shapes=("folds",))
LARGE_FOLDS = Valid(kinds=(KFOLD,))
LEFT_ONE_OUT = Valid(kinds=(LOO,))
SEVERAL_FITS = Valid(
    kinds=(MX2_BCV, MX2, KFOLD, LOO, REPEATED_KFOLD, RLT, BRLT, SOURCES, FOLDS_AND_HALVES),
    shapes=("halves", "folds", "repeated folds", "splits", "sources", "folds and halves", "windows"),
)
SPLITS = Valid(kinds=(RLT, BRLT), shapes=("splits",), usual=BRLT)
SPLITS_OR_REPEATED = Valid(kinds=(RLT, BRLT, REPEATED_KFOLD), shapes=("splits", "repeated folds"), usual=BRLT)
SPLITS_OR_FOLDS = Valid(
    kinds=(RLT, BRLT, REPEATED_KFOLD, KFOLD, LOO), shapes=("splits", "repeated folds", "folds"), usual=BRLT
)
ONE_SPLIT = Valid(kinds=(HOLDOUT,), shapes=("one split",))
EACH_SOURCE = Valid(kinds=(SOURCES,), shapes=("sources",))
NESTED_HALVES = Valid(kinds=(NESTED_RLT,))
RUN_AGAIN = Valid(kinds=(RERUNS,), shapes=("reruns",))
SAMPLES = Valid(kinds=(OUT_OF_BAG,), shapes=("out of bag",))
BOTH_SIZES = Valid(kinds=(FOLDS_AND_HALVES,), shapes=("folds and halves",))
NESTED_FOLDS = Valid(kinds=(NESTED_KFOLD,))
MODELS = Valid(kinds=(TEST_SET, HOLDOUT), shapes=("one split",), usual=HOLDOUT)
IN_CLUSTERS = Valid(kinds=(CLUSTERS,), shapes=("clusters",))
IN_RUNS = Valid(kinds=(RUNS, CLUSTERED_RUNS), shapes=("runs",))
BY_RUN = Valid(kinds=(SEEDS,), shapes=("seeds",))
WINDOWS = Valid(kinds=(GROWING, ROLLING, PATH), shapes=("windows",))
ROLLING_WINDOWS = Valid(kinds=(ROLLING,))
IN_SOME_ORDER = Valid(
    kinds=(*MODELS.kinds, *WINDOWS.kinds), shapes=(*MODELS.shapes, *WINDOWS.shapes), usual=HOLDOUT
)

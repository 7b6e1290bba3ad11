"""What methods are given: one class per input, which reads itself off the losses of a run."""

from evenfold.infer.inputs._base import Batch, Counts, Input, Question
from evenfold.infer.inputs.both_sizes import FoldsAndHalvings
from evenfold.infer.inputs.counts import (
    Confusion,
    Correct,
    CorrectAlone,
    CorrectInAll,
    Discordant,
    Flips,
    Outcomes,
    Tables,
    three_counts,
)
from evenfold.infer.inputs.examples import (
    AllTested,
    Answers,
    BlockMeans,
    Blocks,
    Nested,
    OneTestSet,
    Scores,
    TwoTestSets,
)
from evenfold.infer.inputs.left_out import LeftOut
from evenfold.infer.inputs.ordered import AllAlongPath, AlongPath
from evenfold.infer.inputs.tables import (
    Bounded,
    Clustered,
    ClusteredInRange,
    Crossed,
    CrossedInRange,
    FoldsInRange,
    InRange,
    RightOfTwo,
    Seeds,
    TwoSamples,
)
from evenfold.infer.inputs.values import BootstrapRuns, Costs, Repetitions, Splits, WithHalvings, WithReruns

__all__ = [
    "AllAlongPath",
    "AllTested",
    "AlongPath",
    "Answers",
    "Batch",
    "BlockMeans",
    "Blocks",
    "BootstrapRuns",
    "Bounded",
    "Clustered",
    "ClusteredInRange",
    "Confusion",
    "Correct",
    "CorrectAlone",
    "CorrectInAll",
    "Costs",
    "Counts",
    "Crossed",
    "CrossedInRange",
    "Discordant",
    "Flips",
    "FoldsAndHalvings",
    "FoldsInRange",
    "InRange",
    "Input",
    "LeftOut",
    "Nested",
    "OneTestSet",
    "Outcomes",
    "Question",
    "Repetitions",
    "RightOfTwo",
    "Scores",
    "Seeds",
    "Splits",
    "Tables",
    "TwoSamples",
    "TwoTestSets",
    "WithHalvings",
    "WithReruns",
    "three_counts",
]

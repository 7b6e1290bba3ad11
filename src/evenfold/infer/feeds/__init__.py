"""What methods are given: one class per input, which reads itself off the losses of a run."""

from evenfold.infer.feeds._base import Batch, Counts, Input, Question
from evenfold.infer.feeds.both_sizes import FoldsAndHalvings
from evenfold.infer.feeds.counts import (
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
from evenfold.infer.feeds.examples import (
    AllTested,
    Answers,
    BlockMeans,
    Blocks,
    Nested,
    OneTestSet,
    Scores,
    TwoTestSets,
)
from evenfold.infer.feeds.left_out import LeftOut
from evenfold.infer.feeds.ordered import AllAlongPath, AlongPath
from evenfold.infer.feeds.tables import (
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
from evenfold.infer.feeds.values import BootstrapRuns, Costs, Repetitions, Splits, WithHalvings, WithReruns

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

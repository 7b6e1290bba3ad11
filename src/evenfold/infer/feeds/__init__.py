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
from evenfold.infer.feeds.tables import Bounded, Clustered, Crossed, Seeds
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
    "Confusion",
    "Correct",
    "CorrectAlone",
    "CorrectInAll",
    "Costs",
    "Counts",
    "Crossed",
    "Discordant",
    "Flips",
    "FoldsAndHalvings",
    "Input",
    "LeftOut",
    "Nested",
    "OneTestSet",
    "Outcomes",
    "Question",
    "Repetitions",
    "Scores",
    "Seeds",
    "Splits",
    "Tables",
    "TwoTestSets",
    "WithHalvings",
    "WithReruns",
    "three_counts",
]

"""
The kind of a design: its shape, by which methods know whether they fit, and what it is usually about.

A kind is a string, its key, that also knows its shape. Methods claim kinds; a design of another package makes
a kind of its own and is fitted by every method that claims its shape.
"""

from typing import Literal, Self

Shape = Literal[
    "halves",  # repetitions of a halving, each half trains once
    "folds",  # every example is tested once
    "repeated folds",  # every example is tested once in each repetition
    "splits",  # test sets that may overlap
    "one split",  # one training set, one test set
    "clusters",  # one test set, its examples in clusters
    "two test sets",  # every algorithm on examples of its own
    "runs",  # several models of each algorithm on one test set
    "seeds",  # scores of several runs of each algorithm, and nothing else
    "sources",  # each source is left out once
    "nested halves",  # splits of the whole data, and splits inside halvings of it
    "nested folds",  # folds inside folds
    "reruns",  # splits of the whole data, and the same again with other splits
    "out of bag",  # samples with replacement, tested on whom they left out; last, all tested on themselves
    "folds and halves",  # folds of the whole data, and halvings of it
    "windows",  # training sets that come before their test sets
]


_REMARKS: dict[Shape, str] = {
    "repeated folds": "repeated folds are judged as random splits of the same size, which is liberal where "
    "they are correlated more than assumed"
}


class Kind(str):
    """
    A key that knows the shape of its design.

    Examples
    --------
    >>> halvings = Kind("my-halvings", shape="halves")
    >>> halvings == "my-halvings", halvings.shape
    (True, 'halves')
    """

    __slots__ = ("about", "shape")

    shape: Shape
    about: str  # which models and examples an answer is about, where no training size says it

    def __new__(cls, key: str, *, shape: Shape, about: str = "") -> Self:
        self = super().__new__(cls, key)
        self.shape = shape
        self.about = about
        return self

    @property
    def remark(self) -> str:
        """What must be said of every answer on such a design; mostly nothing."""
        return _REMARKS.get(self.shape, "")

    def __reduce__(self) -> "tuple[object, tuple[str, Shape, str]]":
        return _kind, (str(self), self.shape, self.about)


def _kind(key: str, shape: Shape, about: str) -> Kind:
    """Make a pickled kind again."""
    return Kind(key, shape=shape, about=about)


MX2_BCV = Kind("mx2-bcv", shape="halves")
MX2 = Kind("mx2", shape="halves")
KFOLD = Kind("kfold", shape="folds")
LOO = Kind("loo", shape="folds")
REPEATED_KFOLD = Kind("repeated-kfold", shape="repeated folds")
RLT = Kind("rlt", shape="splits")
BRLT = Kind("brlt", shape="splits")
HOLDOUT = Kind("holdout", shape="one split")
SOURCES = Kind("sources", shape="sources")
NESTED_RLT = Kind("nested-rlt", shape="nested halves")
NESTED_KFOLD = Kind("nested-kfold", shape="nested folds")
RERUNS = Kind("reruns", shape="reruns")
OUT_OF_BAG = Kind("out-of-bag", shape="out of bag")
FOLDS_AND_HALVES = Kind("folds-and-halves", shape="folds and halves")
_PATH = "for these forecasts along this path"
GROWING = Kind("growing", shape="windows", about=_PATH)
ROLLING = Kind("rolling", shape="windows")

# Results that exist already: models that were trained elsewhere, nobody knows on how many examples.
_MODELS, _RUNS = "for the models as they are", "for further runs of these recipes"
_CLUSTERS = "on further clusters of examples"
TEST_SET = Kind("test-set", shape="one split", about=f"{_MODELS}, on further examples")
_APART = f"{_MODELS}, each on further examples like its own"
TWO_TEST_SETS = Kind("two-test-sets", shape="two test sets", about=_APART)
TWO_TEST_SETS_RIGHT = Kind("two-test-sets-right", shape="two test sets", about=_APART)
CLUSTERS = Kind("clusters", shape="clusters", about=f"{_MODELS}, {_CLUSTERS}")
RUNS = Kind("runs", shape="runs", about=f"{_RUNS}, on further examples")
CLUSTERED_RUNS = Kind("clustered-runs", shape="runs", about=f"{_RUNS}, {_CLUSTERS}")
PATH = Kind("path", shape="windows", about=_PATH)
SEEDS = Kind("seeds", shape="seeds", about=f"{_RUNS}, on this very test set")

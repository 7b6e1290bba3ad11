"""One small comparison, made up, for the examples in docstrings and the tests of this package."""

from typing import Any

from evenfold.core.facts.answers import Look, Pair
from evenfold.core.facts.comparison import DesignFacts, Facts, MethodFacts
from evenfold.core.losses import Quantity
from evenfold.core.note import note

_TREE = (0.081, 0.077, 0.084, 0.070, 0.088, 0.074, 0.077, 0.084)
_FOREST = (0.056, 0.060, 0.063, 0.049, 0.060, 0.053, 0.056, 0.070)


def sample() -> Facts:
    """Return the facts of a forest that beats a tree after four of nine repetitions."""
    return Facts(
        quantity=Quantity(name="zero-one", words="error", lower_is_better=True, low=0.0, high=1.0),
        estimand="expected difference in error, forest − tree, at training size 285",
        algorithms=("tree", "forest"),
        values=(_TREE, _FOREST),
        fit_seconds=((0.01,) * 8, (0.07,) * 8),
        seconds=0.64,
        level=0.05,
        margin=0.0,
        alternative="two-sided",
        adjust="holm",
        method=_METHOD,
        design=_design(),
        pairs=(_PAIR,),
        most_repetitions=9,
        fits=16,
        reused=0,
        speculative=0,
        failures=(),
        notes=(),
        call='ef.compare({"tree": DecisionTreeClassifier(), "forest": RandomForestClassifier()}, '
        "X, y)",
        versions={"evenfold": "0.1.0", "numpy": "2.3.0", "python": "3.11.2"},
        run_id=None,
        created="2026-01-31T12:00:00+00:00",
    )


_NUMBERS: dict[str, Any] = {"value": -0.021, "low": -0.034, "high": -0.008, "level": 0.05}
_PAIR = Pair(
    baseline="tree",
    challenger="forest",
    outcome="better",
    sentence=str(
        note(
            "pair",
            baseline="tree",
            challenger="forest",
            outcome="better",
            direction="better",
            margin=0.0,
            measure="error",
            ratio=False,
            about=note("about-models", size=285),
            cost=note("cost", fits=16, reused=0, m=4, most=9, repeated="repetitions"),
            **_NUMBERS,
        )
    ),
    **_NUMBERS,
    standard_error=0.0041,
    statistic=-5.12,
    df=4.0,
    pvalue=0.0042,
    differences=tuple(b - a for a, b in zip(_TREE, _FOREST, strict=True)),
    path=(
        Look(m=3, value=-0.0222, low=-0.0461, high=0.0017),
        Look(m=4, value=-0.021, low=-0.034, high=-0.008),
    ),
)

_METHOD = MethodFacts(
    key="mx2-sequential-t",
    estimand="expected difference B − A at training size 285",
    leaning="conservative",
    why="Its boundary holds the level for the worst correlations that the repetitions can have.",
    source="R19 section 5.3 and algorithm 5.1",
    recommended=True,
    card=None,
    name="the sequential m×2 cv t-test",
)


def _design() -> DesignFacts:
    n_train = 285
    n_test = 284
    splits = range(8)
    shared = {0: n_train, 1: 0}  # with itself, with the other half; else a quarter of all
    return DesignFacts(
        name="Mx2BCV(9)",
        kind="mx2-bcv",
        seed=20260131,
        n=569,
        n_train=n_train,
        n_test=n_test,
        repetition=tuple(j // 2 for j in splits),
        fold=tuple(j % 2 for j in splits),
        train_sizes=tuple(n_train - j % 2 for j in splits),
        test_sizes=tuple(n_test + j % 2 for j in splits),
        overlaps=tuple(
            tuple(shared[(i + j) % 2] if i // 2 == j // 2 else 142 for j in splits) for i in splits
        ),
        certificate={
            "construction": "Hadamard matrix of order 8",
            "overlap_target": 142.25,
            "overlap_error": 0.75,
            "overlap_bound": 0.25,
            "size_error": 0.5,
            "occurrence_spread": 0,
            "chi_square": None,
        },
    )

"""Facts built by hand: one for each kind of answer that a report must tell."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from evenfold.core.facts.answers import Candidate, Curve, Flips, Pair
from evenfold.core.facts.comparison import Facts
from evenfold.core.losses import Failure, Quantity
from evenfold.core.note import as_notes
from evenfold.report.sample import sample

SCRIPT = "<script>alert(1)</script>"
LATEX = "a & b_c%"
UNICODE = "决策树 $x$ – Ünïcödé"


def sequential() -> Facts:
    return sample()


def bayes() -> Facts:
    """F1 of two taggers with posteriors."""
    curves = (_bell("crf", 0.842, 0.011), _bell("lstm", 0.871, 0.009))
    pair = replace(
        sample().pairs[0],
        baseline="crf",
        challenger="lstm",
        sentence="lstm is better than crf: its F1 is higher by 0.029 (95% credible interval 0.001 "
        "to "
        "0.057), for models trained on 285 examples; 16 fits.",
        value=0.029,
        low=0.001,
        high=0.057,
        pvalue=None,
        statistic=None,
        df=None,
        standard_error=None,
        probability=0.9789,
        differences=(),
        path=(),
        curves=curves,
    )
    method = replace(
        sample().method,
        key="bayes-f1",
        estimand="difference B − A at training size 285",
        leaning="exact",
    )
    return replace(
        sample(),
        quantity=Quantity(name="f1", words="F1", lower_is_better=False, low=0.0, high=1.0),
        estimand="difference in F1, lstm − crf, at training size 285",
        algorithms=("crf", "lstm"),
        method=method,
        pairs=(pair,),
        most_repetitions=None,
    )


def _bell(name: str, mean: float, sd: float) -> Curve:
    x = tuple(mean + sd * z / 20 for z in range(-80, 81))
    density = tuple(
        math.exp(-(((v - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi)) for v in x
    )
    return Curve(
        name=name, x=x, density=density, mean=mean, low=mean - 1.96 * sd, high=mean + 1.96 * sd
    )


MEANS = {"tree": 0.0794, "forest": 0.0584, "boosting": 0.0571, "knn": 0.066}


def many() -> Facts:
    """
    Four algorithms, all pairs, Holm.

    Forest and boosting are not told apart, nor are knn and forest.
    """
    names = tuple(MEANS)
    wobble = (0.004, -0.003, 0.005, -0.006, 0.002, -0.002, 0.001, -0.001)
    values = tuple(
        tuple(MEANS[name] + k * w for w in wobble) for k, name in enumerate(names, start=1)
    )
    open_ = ({"forest", "boosting"}, {"forest", "knn"})
    pairs: list[Pair] = []
    for i, a in enumerate(names):
        for j, b in enumerate(names[i + 1 :], start=i + 1):
            value = MEANS[b] - MEANS[a]
            outcome = "inconclusive" if {a, b} in open_ else "better" if value < 0 else "worse"
            half = abs(value) * (1.7 if outcome == "inconclusive" else 0.6)
            pairs.append(
                Pair(
                    baseline=a,
                    challenger=b,
                    outcome=outcome,
                    sentence=f"{b} against {a}: {outcome}.",
                    value=value,
                    low=value - half,
                    high=value + half,
                    level=0.05 / (6 - len(pairs)),
                    standard_error=half / 3,
                    statistic=-3.0,
                    df=5.0,
                    pvalue=0.004 * (1 + len(pairs)),
                    adjusted_pvalue=min(1.0, 0.024 * (1 + len(pairs))),
                    differences=tuple(q - p for p, q in zip(values[i], values[j], strict=True)),
                )
            )
    return replace(
        sample(),
        algorithms=names,
        estimand="expected difference in error, B − A, at training size 285",
        values=values,
        fit_seconds=((0.01,) * 8,) * 4,
        margin=0.005,
        pairs=tuple(pairs),
        most_repetitions=None,
        fits=20,
        reused=12,
    )


def ranked() -> Facts:
    """The same four with their ranking, and what changed from tree to forest."""
    rows = (
        ("boosting", 1, 2, "a"),
        ("forest", 1, 3, "ab"),
        ("knn", 2, 3, "b"),
        ("tree", 4, 4, "c"),
    )
    each = [
        Candidate(
            name=name,
            value=MEANS[name],
            low=MEANS[name] - 0.01,
            high=MEANS[name] + 0.01,
            level=0.05,
            pvalue=0.5 if first == 1 else 0.01,
            among_best=first == 1,
            rank=rank,
            first=first,
            last=last,
            ties=ties,
        )
        for rank, (name, first, last, ties) in enumerate(rows, start=1)
    ]
    flips = Flips(baseline="tree", challenger="forest", fixed=(3, 5), broke=("x_9",))
    return replace(many(), candidates=tuple(each), flips=(flips,))


def twenty() -> Facts:
    """Twenty algorithms with names of sixty characters that differ in one place, all judged."""
    names = tuple(f"GradientBoosting{k:02}".ljust(60, "y" if k % 2 else "w") for k in range(20))
    base = ranked()
    pairs = tuple(
        replace(
            base.pairs[(i + j) % 6],
            baseline=names[i],
            challenger=names[j],
            sentence=f"{names[j]} against {names[i]}: {base.pairs[(i + j) % 6].outcome}.",
        )
        for i in range(20)
        for j in range(i + 1, 20)
    )
    return replace(
        base,
        algorithms=names,
        values=tuple((0.05 + k / 1000,) * 8 for k in range(20)),
        fit_seconds=base.fit_seconds * 5,
        pairs=pairs,
        candidates=tuple(
            replace(base.candidates[0], name=name, value=0.05 + k / 1000, rank=k + 1, last=20)
            for k, name in enumerate(names)
        ),
        flips=(),
    )


def single() -> Facts:
    """One algorithm alone."""
    pair = replace(
        sample().pairs[0],
        baseline=None,
        challenger="forest",
        outcome=None,
        sentence="the error of forest is 0.058 (95% CI 0.047 to 0.070), for models trained on 285 "
        "examples; 8 fits.",
        value=0.0584,
        low=0.047,
        high=0.07,
        pvalue=None,
        differences=sample().values[1],
        path=(),
    )
    return replace(
        sample(),
        algorithms=("forest",),
        estimand="expected error of forest at training size 285",
        values=sample().values[1:],
        fit_seconds=sample().fit_seconds[1:],
        method=replace(sample().method, key="mx2-t"),
        pairs=(pair,),
        most_repetitions=None,
        fits=8,
    )


def failing() -> Facts:
    """Two cells failed, so the method had nothing to work on; and it was not a recommended one."""
    nan, base = math.nan, sample()
    forest = (nan, *base.values[1][1:5], nan, *base.values[1][6:])
    message = "could not convert string to float: '<b>n/a</b>'"
    trace = f'Traceback (most recent call last):\n  File "train.py", line 7\nValueError: {message}'
    pair = replace(
        base.pairs[0],
        outcome="not applicable",
        sentence="not applicable: 2 cells of forest failed, and mx2-t needs all of them.",
        value=nan,
        low=nan,
        high=nan,
        standard_error=None,
        statistic=None,
        df=None,
        pvalue=None,
        differences=tuple(b - a for a, b in zip(base.values[0], forest, strict=True)),
        path=(),
    )
    return replace(
        base,
        values=(base.values[0], forest),
        method=replace(
            base.method, key="kfold-t", leaning="liberal", recommended=False, card=card("toy")
        ),
        pairs=(pair,),
        failures=tuple(
            Failure(
                algorithm="forest", split=j, kind="ValueError", message=message, traceback=trace
            )
            for j in (0, 5)
        ),
        notes=as_notes(
            ["kfold-t rejects too often: training sets overlap, and its variance ignores that."]
        ),
        run_id="b1946ac9",
    )


def one_sided() -> Facts:
    """Only an upper limit."""
    pair = replace(sample().pairs[0], low=-math.inf, high=-0.011, path=())
    return replace(sample(), alternative="less", pairs=(pair,), most_repetitions=None)


def hostile() -> Facts:
    """Names that would break a careless page, table or figure."""
    names = (SCRIPT, LATEX, UNICODE)
    base = many()
    chosen = [
        pair for pair in base.pairs if {pair.baseline, pair.challenger} <= set(base.algorithms[:3])
    ]
    rename = dict(zip(base.algorithms, names, strict=False))
    pairs = tuple(
        replace(
            pair,
            baseline=rename[str(pair.baseline)],
            challenger=rename[pair.challenger],
            sentence=f"{rename[pair.challenger]} against {rename[str(pair.baseline)]}: "
            f"{pair.outcome}.",
        )
        for pair in chosen
    )
    return replace(
        base,
        quantity=Quantity(name=SCRIPT, words=f"loss {SCRIPT}", lower_is_better=True),
        estimand=f"expected difference in loss {SCRIPT}, B − A, at training size 285",
        algorithms=names,
        values=base.values[:3],
        fit_seconds=base.fit_seconds[:3],
        pairs=pairs,
        notes=as_notes([f"beware of {SCRIPT}"]),
        call=f"ef.compare({{'{SCRIPT}': a}}, X, y)",
        failures=(
            Failure(
                algorithm=SCRIPT, split=0, kind=SCRIPT, message=SCRIPT, traceback=f"</pre>{SCRIPT}"
            ),
        ),
        design=replace(base.design, name=SCRIPT, certificate={SCRIPT: SCRIPT}),
        method=replace(base.method, key=SCRIPT, why=SCRIPT, source=SCRIPT, card=card(SCRIPT)),
        versions={SCRIPT: SCRIPT},
        run_id=SCRIPT,
    )


SCENARIOS: dict[str, Callable[[], Facts]] = {
    make.__name__: make
    for make in (sequential, bayes, many, ranked, single, failing, one_sided, hostile)
}


@pytest.fixture(params=SCENARIOS)
def facts(request: pytest.FixtureRequest) -> Facts:
    """Every kind of answer in turn."""
    return SCENARIOS[request.param]()


@pytest.fixture
def scenario() -> Callable[[str], Facts]:
    """One kind of answer by name."""
    return lambda name: SCENARIOS[name]()


def card(population: str) -> dict[str, Any]:
    """A calibration card with one population and no interval."""
    measured = {"size": 0.11, "size_se": 0.007, "power": 0.5, "power_se": 0.01, "coverage": None}
    row = {"population": population, "n": 200, "replications": 2000, "fits": 20.0, **measured}
    return {"level": 0.05, "seed": 0, "measured": [row]}

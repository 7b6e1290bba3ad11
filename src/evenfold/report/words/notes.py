"""What must be said beside a verdict: one entry for every code."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

from evenfold.core.checks import ELLIPSIS, Advice
from evenfold.core.outcome import Outcome
from evenfold.core.words import (
    count,
    format_confidence,
    format_count,
    format_number,
    group_words,
    interval,
    join_words,
    one_line,
    precision,
    round_up,
)
from evenfold.report.words._base import WORDS, says
from evenfold.report.words.verdict import COMPARED

# Of the method.

WORDS |= {
    "of-pair": "{challenger} against {baseline}: {said}",
    "comparison-only": "{method} is for comparison only ({leaning}): {why}",
    "equal-differences": "all differences are equal: p-value and interval depend on the number of "
    "examples alone, and, of runs or where the measure has no range, on that of equal signs",
    "posteriors-not-adjusted": "posterior probabilities are not adjusted for the number of pairs",
    "measure-of-splits": "{measure} has no value per example, so that the test looks at whole "
    "splits: it decides less often",
    "assumed-range": "the bound takes values to lie between 0 and 1, as all of this table do: name "
    "a measure if not",
    "repeated-folds": "repeated folds are judged as random splits of the same size, which is "
    "liberal where they are correlated more than assumed",
}


@says("adjusted-otherwise")
def adjusted_otherwise(*, adjustment: str, pairs: Sequence[Sequence[str]]) -> str:
    """Name the pairs on which an adjustment in steps and the intervals decide differently."""
    apart = join_words(f"{b} against {a}" for a, b in pairs)
    return (
        f"The adjusted p-values are those of {adjustment}, the intervals and "
        f"outcomes those of Bonferroni's; they decide differently about {apart}."
    )


@says("hard-case")
def hard_case(
    *, case: str, names: Sequence[str], method: str, size: float, why: str, instead: str | None
) -> str:
    """Say that the method is known to err on such algorithms and data."""
    better = f"; {instead} errs less there" if instead else ""
    return (
        f"known hard case, {case} ({join_words(names)}): the type I error of {method} "
        f"was up to {size:.2f} at 0.05 there, because {why}{better}"
    )


@says("fits-warned")
def fits_warned(*, warned: Sequence[Mapping[str, Any]]) -> str:
    """Say which algorithms warned while they were fitted, of what, and in how many fits."""
    return "; ".join(_warned(**one) for one in warned)


def _warned(*, algorithm: str, warning: str, fits: int, others: int) -> str:
    also = f" and {count(others, 'other warning')}" if others else ""
    what = shorten(warning, 160, placeholder=" …")
    return f"{one_line(algorithm)} warned in {count(fits, 'fit')}{also}: {what}"


@says("by-single-examples")
def by_single_examples(
    *, method: str, leaning: str, value: float, low: float, high: float, level: float
) -> str:
    """Say what a test on the values of single examples finds, marked as what it is."""
    digits = precision(value, low, high)
    ends = f"{format_confidence(level)} CI {interval(low, high, digits=digits)}"
    number = format_number(value, digits=digits)
    return f"by single examples, {method} ({leaning}) says {number} ({ends})"


# Of the data.

WORDS |= {
    "equal-classes": "all classes are equally frequent: if they were made so before the split, "
    "precision and F1 are those of data that do not exist; pass all rows and undersample inside "
    "the folds (ef.run.UnderSampled, --undersample)",
    "scarce-class": "the rarest class has {examples:of example}: with 20 to 50 of them tests of "
    "such scores had a type I error of up to 0.11 at 0.05, and 95% intervals for one algorithm "
    "covered 84 to 96%",
    "identifier": "column {column} of X has a different whole number in every row, like an "
    "identifier: leave it out, or pass it as order= if it counts time",
    "folds-ignore-groups": "these folds ignore the groups, so every model was tested on groups it "
    "had been trained on: this does not tell how it does on a new group; LeaveOneSourceOut does",
    "words-in-data": "X has words, and a model that failed takes numbers only: encode them inside "
    "the model, as in make_pipeline(TfidfVectorizer(), model) for texts; table.prepared(model) "
    "does it for the columns of a table = ef.read.read_table(path, target=…)",
    "searched": "these are scores of a search, which chose its best candidate by them, so the "
    "score of the best one is too good; give the search itself to ef.compare to learn how well it "
    "does",
    "weight-zero": "examples of weight 0 were left out: {examples:count}",
    "mixed-kinds": "{classifier:line} is a classifier and {regressor:line} a regressor: labels are "
    "compared with numbers, which may lie between the labels; to compare probabilities, use "
    "classifiers and measure='brier'",
}


@says("never-predicted")
def never_predicted(
    *, name: str, positive: str | None, splits: int, tests: int, precision: bool
) -> str:
    """Say that an algorithm never predicted what a score is about, which makes it 0/0."""
    what = f"class {positive}" if positive else "anything"
    result = ": its precision counts as 0 there" if precision else ", so its score is 0 there"
    return f"{name} never predicts {what} on {splits} of {tests} test sets{result}"


@says("groups-left-out")
def groups_left_out(*, groups: int, many: int, group: str | None) -> str:
    """Say that few groups are left out one at a time."""
    one, several = group_words(group)
    return (
        f"{groups} {several}, fewer than {many}: each is left out once; every {one} counts the same"
    )


@says("groups-halved")
def groups_halved(*, groups: int, many: int, group: str | None, measure: str, fits: int) -> str:
    """Say that whole groups are halved, and why."""
    one, several = group_words(group)
    why = "many" if groups >= many else f"some of which have no {measure} by themselves"
    return (
        f"{groups} {several}, {why}: whole {several} are halved, {fits} fits an algorithm at most; "
        f"every example counts the same (design=ef.LeaveOneSourceOut() leaves each {one} out once)"
    )


# Of a run that was interrupted.


_GO_ON = "finished fits are in the store: call again with random_state={seed} to go on"


@says("interrupted")
def interrupted(*, m: int, most: int, repeated: str, seed: int | None = None) -> str:
    """Say how far a run came; one without a store, and so without a seed here, cannot go on."""
    said = (
        f"the run was interrupted after {m} of at most {most} {repeated}, and this is "
        "the answer so far"
    )
    return said if seed is None else f"{said}; {_GO_ON.format(seed=seed)}"


WORDS |= {
    "interrupted-early": f"evenfold: interrupted; {_GO_ON}",
    "nothing-kept": "evenfold: interrupted; nothing is kept: with store='runs.db' the same call "
    "could go on",
}

# Of tables of results.

WORDS |= {
    "left-out": "{left_out} of {total} {what} that not every {who} has were left out",
    "no-value": "left out for want of a value: {rows:of row}",
    "no-answer-on": "no answer on {column} {label}",
    "own-folds": "every algorithm was cross-validated on folds of its own: nothing is paired",
    "apart": "no example was asked of both: nothing is paired, which takes many more examples",
    "few-examples": "{measure} rests on {fewest} of {examples} examples here: the test is liberal "
    "then",
    "times-not-used": "examples have times, which a test by groups does not look at: leave 'group' "
    "out to compare by time",
    "runs-averaged": "values are means over the {runs} runs inside {cuts}: the answer is about "
    "such means",
    "runs-apart": "runs are not paired, as was asked",
    "runs-paired": "runs are paired by {by}: run k of one algorithm with run k of the other",
    "partly-labelled": "{examples} examples that not every algorithm has a label for count as "
    "without",
    "labels-saved": "with the judge's scores {labels:count} labels are as good as {worth:count} "
    "alone",
}

# Advice names parameters, which a shell spells as options.


@says("windows")
def windows(*, design: str) -> str:
    """Say which windows ordered data got that came without a design."""
    return Advice(
        f"ordered data are cut by time: {design}; pass ",
        {"design": ELLIPSIS},
        " for another horizon, gap or window length",
    )


@says("first-by-name")
def first_by_name(*, baseline: str, challenger: str) -> str:
    """Say which of two is A where only the alphabet decided, and how to reverse it."""
    first = f"A is {baseline!r}, the first by name: pass "
    return Advice(first, {"baseline": challenger}, " to reverse it")


@says("unused-column")
def unused_column(*, column: str, values: int) -> str:
    """Name a column that nothing used although it may say which examples belong together."""
    unused = (
        f"column {column!r} ({values} values) was not used, and examples count as "
        "independent: if those with the same value belong together, pass "
    )
    return Advice(unused, {"columns": {"group": column}})


@says("runs-without-ids")
def runs_without_ids() -> str:
    """Say that runs are not paired, and how to pair them."""
    return Advice(
        "runs have no ids, so they are not paired; pass ",
        {"paired": True},
        " if the k-th runs belong together, e.g. share a seed",
    )


_SETTLED = {
    "not worse": "'not worse' is settled, at any number of items",
    "worse": "'worse' is settled, at any number of items",
    "open": "all of them leave it open",
}


@says("stopped-early")
def stopped_early(*, items: int, of: int, seed: int, settled: str) -> str:
    """Say after how many items a gate that stops early was settled."""
    return f"looked at {items} of {of} items in random order (seed {seed}): {_SETTLED[settled]}"


@says("stream-settled")
def stream_settled(*, settled: str, margin: float, items: int, improvement: float) -> str:
    """Say what the items of a stream have settled so far."""
    if settled == "open":
        said = f"open: whether B {COMPARED[Outcome.WORSE]} A by more than {margin:g} is not settled"
    else:
        said = f"{settled}: B {COMPARED[Outcome(settled)]} A by more than {margin:g}, settled"
    return f"{said} after {items} items (mean improvement so far {improvement:.4f})"


@says("trials")
def trials(*, measure: str, fewest: int, most: int) -> str:
    """Say that a value of an example is made of several trials."""
    span = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return f"{measure} of every example from {span} trials; the interval is over examples"


@says("preferred")
def preferred(*, challenger: str, value: float, low: float, high: float, level: float) -> str:
    """Say how often the answers of B were preferred; ``value`` is its win rate less that of A."""
    ends = interval(50 * (1 + low), 50 * (1 + high), digits=1)
    return (
        f"with ties split {challenger} is preferred in "
        f"{format_number(50 * (1 + value), digits=1)}% of the battles "
        f"({format_confidence(level)} CI {ends})"
    )


# Of several data sets, and of boards.

WORDS |= {
    "data-set-failed": "{name} is left out: {fits:of fit} failed, the first of {algorithm}",
    "file-left-out": "{name} is left out: {reason}",
    "units-differ": "mean differences are in the units of the targets, which may differ between "
    "data sets: rely on ranks, or scale the targets alike",
    "data-sets-with-holes": "{values} values are missing on {some} of {total} data sets: each pair "
    "is compared on those that both have, and mean ranks are what they would be without holes, if "
    "those are like the others",
    "board-with-holes": "{values:of value} of models × tasks are missing: each pair is compared on "
    "the tasks that both have, and values are what they would be without holes, if those are like "
    "the others",
    "few-tasks": "fewer than {fewest} tasks cannot tell any two models apart at a level of .05",
    "fixed-tasks": "so few tasks say nothing of others: the answer is about new examples of these",
    "both-bad": "{battles:of battle} in which both were bad were left out",
    "without-strength": "left out because they won, or lost, everything: {names:join}",
}


@says("few-judges")
def few_judges(*, judges: int) -> str:
    """Say that so few judges are no sample of judges."""
    return f"the answer is about {'this judge' if judges == 1 else f'these {judges} judges'}"


# Of gates, and of right and wrong answers.

WORDS |= {
    "flips": "fixed {fixed}, broke {broke}",
    "gate-asked": "asked for {wish}, found {found}",
    "gate-partial": "asked for {wish}, but the answer is about a part of what was given: {why}",
    "gate-not-asked": "the gate was not asked: {reason}",
}


@says("gate-power")
def gate_power(
    *, drop: float, caught: float, passed: float | None = None, differ: float | None = None
) -> str:
    """Say what a gate would have caught, and passed."""
    said = f"a drop of {drop:.3g} would have been caught with probability {_chance(caught)}"
    if differ is not None:
        said += f" (if {100 * differ:.2g}% of the answers differ)"
    if passed is not None:
        said += (
            f", and a candidate whose true difference is 0 would have passed with probability "
            f"{_chance(passed)}"
        )
    return said


@says("gate-stops")
def gate_stops(*, passed: float, enough_margin: float | None, enough_examples: float | None) -> str:
    """Say that a gate stops most candidates whose true difference is 0, and what would help."""
    remedies = []
    if enough_margin is not None:
        remedies.append(f"a margin of about {enough_margin:.2g}")
    if enough_examples is not None:
        remedies.append(f"about {_times(enough_examples)} times as many examples")
    advice = f"; with {' or '.join(remedies)}, 80% of them would pass" if remedies else ""
    stopped = _chance(1 - passed)
    return f"this gate stops {stopped} of the candidates whose true difference is 0{advice}"


def _times(times: float) -> str:
    if times < 10:
        return f"{times:.2g}"
    return format_count(int(round_up(times)))


def _chance(share: float) -> str:
    """A chance in per cent that is never said to be certain."""
    if share > 0.995:
        return "more than 99%"
    if share < 0.005:
        return "less than 1%"
    return f"{100 * share:.0f}%"

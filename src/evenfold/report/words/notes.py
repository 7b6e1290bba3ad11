"""The words of notes, which stand below a verdict: one entry for each code."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

from evenfold.core.checks import ELLIPSIS, Advice
from evenfold.core.note import WORDS, says
from evenfold.core.verdict import Outcome
from evenfold.core.words import (
    count,
    format_confidence,
    format_number,
    group_words,
    interval,
    join_words,
    one_line,
    precision,
    round_up,
)
from evenfold.report.words.verdict import COMPARED

# Of the method.

WORDS |= {
    "of-pair": "{challenger} against {baseline}: {said}",
    "equal-differences": "All differences are equal. The p-value and the interval therefore depend "
    "only on the number of examples; for runs, and for measures without a range, they also depend "
    "on how many differences have the same sign.",
    "posteriors-not-adjusted": "Posterior probabilities are not adjusted for the number of pairs.",
    "measure-of-splits": "{measure} has no value for a single example, so the test compares whole "
    "splits and has less power.",
    "assumed-range": "The bound assumes that the values lie between 0 and 1, as all values of this "
    "table do. Name a measure if they can lie outside.",
    "repeated-folds": "Repeated folds are treated as random splits of the same size. The test is "
    "liberal if the folds are more strongly correlated than it assumes.",
}


@says("adjusted-otherwise")
def adjusted_otherwise(*, adjustment: str, pairs: Sequence[Sequence[str]]) -> str:
    """Name the pairs on which an adjustment in steps and the intervals decide differently."""
    apart = join_words(f"{b} against {a}" for a, b in pairs)
    return (
        f"The adjusted p-values are those of {adjustment}, the intervals and "
        f"outcomes those of Bonferroni's; they decide differently about {apart}."
    )


@says("comparison-only")
def comparison_only(
    *,
    method: str,  # noqa: ARG001  (for programs that read the note)
    name: str,
    leaning: str,
    why: str,
) -> str:
    """Say that a method is not recommended, and how it errs."""
    sentences = [f"{name[:1].upper()}{name[1:]} is for comparison only."]
    if leaning in ("liberal", "conservative"):
        sentences.append(f"It is {leaning}.")
    return " ".join([*sentences, why])


@says("hard-case")
def hard_case(
    *,
    case: str,
    names: Sequence[str],
    method: str,  # noqa: ARG001  (for programs that read the note)
    called: str,
    size: float,
    why: str,
    instead: str,
    instead_called: str,
) -> str:
    """Say that the method is known to err on such algorithms and data."""
    better = ""
    if instead:
        better = f" The type I error of {instead_called} ({instead}) is smaller there."
    return (
        f"Known hard case, {case} ({join_words(names)}): the type I error of {called} "
        f"reached {size:.2f} at a level of 0.05 there, because {why}.{better}"
    )


@says("fits-warned")
def fits_warned(*, warned: Sequence[Mapping[str, Any]]) -> str:
    """Say which algorithms warned while they were fitted, of what, and in how many fits."""
    return "; ".join(_warned(**kind) for kind in warned)


def _warned(*, algorithm: str, warning: str, fits: int, others: int) -> str:
    also = f" (and gave {count(others, 'other warning')})" if others else ""
    what = shorten(warning, 160, placeholder=" …")
    return f"{one_line(algorithm)} warned in {count(fits, 'fit')}: {what}{also}"


@says("by-single-examples")
def by_single_examples(
    *,
    method: str,  # noqa: ARG001  (for programs that read the note)
    name: str,
    leaning: str,
    value: float,
    low: float,
    high: float,
    level: float,
) -> str:
    """Say what a test on the values of single examples finds, marked as what it is."""
    digits = precision(value, low, high)
    ends = f"{format_confidence(level)} CI {interval(low, high, digits=digits)}"
    number = format_number(value, digits=digits)
    return f"On single examples, {name} ({leaning}) gives {number} ({ends})."


# Of the data.

WORDS |= {
    "equal-classes": "All classes are equally frequent. If they were balanced before the split, "
    "precision and F1 describe data that do not exist. Pass all rows, and undersample inside the "
    "folds (ef.run.UnderSampled, --undersample).",
    "scarce-class": "The rarest class has {examples:of example}. With 20 to 50 of them, tests of "
    "such scores had a type I error of up to 0.11 at a level of 0.05, and 95% intervals for one "
    "algorithm covered 84 to 96%.",
    "identifier": "Column {column} of X has a different whole number in every row, as an "
    "identifier has. Leave it out, or pass it as order= if it is a time.",
    "folds-ignore-groups": "These folds ignore the groups, so every model was tested on groups "
    "that it had been trained on. The answer does not tell how a model does on a new group; "
    "LeaveOneSourceOut does.",
    "words-in-data": "X contains words, and a model that failed accepts only numbers. Encode the "
    "words inside the model: for texts by make_pipeline(TfidfVectorizer(), model), for a file by "
    "table = ef.read.read_table(path, target=…) and table.prepared(model).",
    "searched": "These are the scores of a search, which chose its best candidate by them, so the "
    "score of the best candidate is too good. Pass the search itself to ef.compare to learn how "
    "well it does.",
    "weight-zero": "Examples of weight 0 were left out: {examples:count}.",
    "mixed-kinds": "{classifier:line} is a classifier and {regressor:line} a regressor, so labels "
    "are compared with numbers that may lie between the labels. To compare probabilities, use "
    "classifiers and measure='brier'.",
}


@says("never-predicted")
def never_predicted(
    *, name: str, positive: str | None, splits: int, tests: int, precision: bool
) -> str:
    """Say that an algorithm never predicted what a score is about, which makes it 0/0."""
    what = f"class {positive}" if positive else "anything"
    result = "precision counts as" if precision else "score is"
    return (
        f"{name} never predicts {what} on {splits} of {tests} test sets, so its {result} 0 there."
    )


@says("groups-left-out")
def groups_left_out(*, groups: int, many: int, group: str | None) -> str:
    """Say that few groups are left out one at a time."""
    unit, units = group_words(group)
    few = f"There are {groups} {units}, fewer than {many}, so each {unit} is left out once."
    return f"{few} Every {unit} counts the same."


@says("groups-halved")
def groups_halved(*, groups: int, many: int, group: str | None, measure: str, fits: int) -> str:
    """Say that whole groups are halved, and why."""
    unit, units = group_words(group)
    if groups >= many:
        why = f"enough to split by {unit}"
    else:
        why = f"and some have no {measure} of their own, so the data are split by {unit}"
    return (
        f"There are {groups} {units}, {why}: no {unit} is in both halves. Each algorithm is fitted "
        f"at most {fits} times, and every example counts the same. With "
        f"design=ef.LeaveOneSourceOut() each {unit} is left out once instead."
    )


# Of a run that was interrupted.


_GO_ON = "Finished fits are in the store: call again with random_state={seed} to continue."


@says("interrupted")
def interrupted(*, m: int, most: int, repeated: str, seed: int | None = None) -> str:
    """Say how far a run came; one without a store, and so without a seed here, cannot go on."""
    sentence = (
        f"The run was interrupted after {m} of at most {most} {repeated}, and this is "
        "the answer so far."
    )
    return sentence if seed is None else f"{sentence} {_GO_ON.format(seed=seed)}"


WORDS |= {
    "interrupted-early": f"evenfold: interrupted. {_GO_ON}",
    "nothing-kept": "evenfold: interrupted. Nothing is kept; with store='runs.db' the same call "
    "could continue.",
}

# Of tables of results.

WORDS |= {
    "left-out": "{left_out} of {total} {what} were left out because not every {who} has them.",
    "no-value": "Rows without a value were left out: {rows:count}.",
    "no-answer-on": "There is no answer on {column} {label}.",
    "own-folds": "Every algorithm was cross-validated on folds of its own, so nothing is paired.",
    "apart": "No example was given to both, so nothing is paired. An unpaired comparison needs "
    "many more examples.",
    "few-examples": "{measure} rests on only {fewest} of {examples} examples here, so the test is "
    "liberal.",
    "times-not-used": "The examples have times, which a test by groups ignores. Leave 'group' out "
    "to compare by time.",
    "runs-averaged": "The values are means over the {runs} runs inside {cuts}, and the answer is "
    "about such means.",
    "runs-apart": "The runs are not paired, as requested.",
    "runs-paired": "The runs are paired by {by}: run k of one algorithm with run k of the other.",
    "partly-labelled": "{examples} examples lack a label for some algorithm and count as "
    "unlabelled.",
    "labels-saved": "With the judge's scores, {labels:count} labels are worth as much as "
    "{worth:count} labels alone.",
}

# Advice names parameters, which a shell spells as options.


@says("windows")
def windows(*, design: str) -> str:
    """Say which windows ordered data got that came without a design."""
    return Advice(
        f"Ordered data are split by time: {design}. Pass ",
        {"design": ELLIPSIS},
        " for another horizon, gap or window length.",
    )


@says("first-by-name")
def first_by_name(*, baseline: str, challenger: str) -> str:
    """Say which of two is A where only the alphabet decided, and how to reverse it."""
    first = f"A is {baseline!r}, the first by name. Pass "
    return Advice(first, {"baseline": challenger}, " to reverse the comparison.")


@says("unused-column")
def unused_column(*, column: str, values: int) -> str:
    """Name a column that nothing used although it may say which examples belong together."""
    unused = (
        f"Column {column!r} ({values} values) was not used, and the examples count as "
        "independent. If examples with the same value belong together, pass "
    )
    return Advice(unused, {"columns": {"group": column}}, ".")


@says("runs-without-ids")
def runs_without_ids() -> str:
    """Say that runs are not paired, and how to pair them."""
    return Advice(
        "The runs have no ids, so they are not paired. Pass ",
        {"paired": True},
        " if the k-th runs belong together, for example because they share a seed.",
    )


_SETTLED = {
    "not worse": "They settle that the candidate is not worse; this answer holds although the "
    "number of items was not fixed in advance.",
    "worse": "They settle that the candidate is worse; this answer holds although the number of "
    "items was not fixed in advance.",
    "open": "They leave the question open.",
}


@says("stopped-early")
def stopped_early(*, items: int, of: int, seed: int, settled: str) -> str:
    """Say after how many items a gate that stops early was settled."""
    return (
        f"{items:,} of {of:,} items were looked at in random order (seed {seed}). "
        f"{_SETTLED[settled]}"
    )


@says("stream-settled")
def stream_settled(*, settled: str, margin: float, items: int, improvement: float) -> str:
    """Say what the items of a stream have settled so far."""
    if settled == "open":
        sentence = (
            f"open: whether B {COMPARED[Outcome.WORSE]} A by more than {margin:g} is not settled"
        )
    else:
        sentence = f"{settled}: B {COMPARED[Outcome(settled)]} A by more than {margin:g}, settled"
    return f"{sentence} after {items} items (mean improvement so far {improvement:.4f})"


@says("trials")
def trials(*, measure: str, fewest: int, most: int) -> str:
    """Say that a value of an example is made of several trials."""
    span = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return f"Each example has {span} trials for {measure}, and the interval is over examples."


@says("preferred")
def preferred(*, challenger: str, value: float, low: float, high: float, level: float) -> str:
    """Say how often the answers of B were preferred; ``value`` is its win rate less that of A."""
    ends = interval(50 * (1 + low), 50 * (1 + high), digits=1)
    return (
        f"With ties split, {challenger} is preferred in "
        f"{format_number(50 * (1 + value), digits=1)}% of the battles "
        f"({format_confidence(level)} CI {ends})."
    )


# Of several data sets, and of boards.

WORDS |= {
    "data-set-failed": "{name} is left out: {fits:of fit} failed, the first of {algorithm}.",
    "file-left-out": "{name} is left out: {reason}",
    "units-differ": "Mean differences are in the units of the targets, which may differ between "
    "data sets. Rely on the ranks, or scale the targets alike.",
    "data-sets-with-holes": "{values} values are missing on {some} of {total} data sets. Each pair "
    "is compared on the data sets that both have, and the mean ranks assume that the missing "
    "values are like the others.",
    "board-with-holes": "{values:of value} of models × tasks are missing. Each pair is compared on "
    "the tasks that both have, and the values assume that the missing ones are like the others.",
    "few-tasks": "With fewer than {fewest} tasks, no two models can be called different at a "
    "level of 0.05.",
    "fixed-tasks": "These are too few tasks to say anything about others, so the answer is "
    "about new examples of these tasks.",
    "both-bad": "Battles in which both answers were bad were left out: {battles:count}.",
    "without-strength": "Left out because they won or lost every battle: {names:join}.",
}


@says("few-judges")
def few_judges(*, judges: int) -> str:
    """Say that so few judges are no sample of judges."""
    return f"The answer is about {'this judge' if judges == 1 else f'these {judges} judges'} only."


# Of gates, and of right and wrong answers.

WORDS |= {
    "flips": "fixed {fixed}, broke {broke}",
    "gate-asked": "The gate asks for {wish} and finds {found}.",
    "gate-partial": "The gate asks for {wish}, but the answer is about only a part of the data: "
    "{why}",
    "gate-not-asked": "The gate was not asked: {reason}",
}


@says("gate-power")
def gate_power(
    *, drop: float, caught: float, passed: float | None = None, differ: float | None = None
) -> str:
    """Say what a gate would have caught, and passed."""
    # the measure may be an error, so that worse is higher
    sentence = (
        f"a candidate that is worse by {drop:.3g} would have been caught with probability "
        f"{_chance(caught)}"
    )
    if differ is not None:
        sentence += f" (if {100 * differ:.2g}% of the answers differ)"
    if passed is not None:
        sentence += (
            f", and one whose true difference is 0 would have passed with probability "
            f"{_chance(passed)}"
        )
    return sentence


@says("gate-stops")
def gate_stops(*, passed: float, enough_margin: float | None, enough_examples: float | None) -> str:
    """Say that a gate stops most candidates whose true difference is 0, and what would help."""
    remedies = []
    if enough_margin is not None:
        remedies.append(f"a margin of about {enough_margin:.2g}")
    if enough_examples is not None:
        remedies.append(f"about {_times(enough_examples)} times as many examples")
    advice = f" With {' or '.join(remedies)}, 80% of them would pass." if remedies else ""
    stopped = _chance(1 - passed)
    return f"This gate stops {stopped} of the candidates whose true difference is 0.{advice}"


def _times(times: float) -> str:
    if times < 10:
        return f"{times:.2g}"
    return f"{round_up(times):,}"


def _chance(share: float) -> str:
    """A chance in per cent that is never said to be certain."""
    if share > 0.995:
        return "more than 99%"
    if share < 0.005:
        return "less than 1%"
    return f"{100 * share:.0f}%"

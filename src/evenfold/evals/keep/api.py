"""``keep``: decide proposal after proposal on the same items, with an error known for the loop."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.comparison.judge.api import judge
from evenfold.comparison.result import Comparison
from evenfold.core.checks import (
    ELLIPSIS,
    Advice,
    fraction,
    integer,
    number,
    one_of,
    refuse,
    short_repr,
    understands_synonyms,
)
from evenfold.core.checks import path as checked_path
from evenfold.core.inputs import IDS, NUMBERS, PREDICTED, PROBABILITY, Results, Seed, Side
from evenfold.core.rng import seed_from, stream
from evenfold.core.verdict import Outcome
from evenfold.core.words import format_number
from evenfold.evals.keep.ledger import (
    ANY,
    CONTROLS,
    DECISIONS,
    NOTHING,
    RATE,
    SCORES,
    SHOWN,
    Columns,
    Ledger,
    Proposal,
    lock_file,
    read_ledger,
    write_ledger,
)
from evenfold.infer.adjust import history_weight, lond_level, remaining_weight, spending_weight
from evenfold.read.plain_tables import PlainTable
from evenfold.read.results import read_results


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Improvement:
    """
    How much better the running best is than the first baseline; positive is better.

    Attributes
    ----------
    observed : float
        On the items that chose it: optimistic, because it was chosen for being high there.
    bound : float
        A lower bound that holds although it was chosen: at the level that the best had as a
        proposal.
    held_back : tuple of float or None
        Value, low and high on the items that no decision looked at; None where none were held back.
    """

    observed: float
    bound: float
    held_back: tuple[float, float, float] | None = None

    @property
    def optimism(self) -> float | None:
        """What the items that chose it promise beyond those that did not."""
        if self.held_back is None:
            return None
        return self.observed - self.held_back[0]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class KeepResult:
    """
    Where a loop stands, and what became of the proposal that was just made.

    Attributes
    ----------
    proposal : Proposal or None
        The one just judged; None where the loop was started or only looked at.
    comparison : Comparison or None
        Its comparison with the best of that time.
    ledger : Ledger
        Everything the file remembers.
    improvement : Improvement or None
        Of the best over the first baseline; None while nothing was kept.
    guarantee : str
        What holds for the whole loop, in a sentence, and why.
    """

    proposal: Proposal | None
    comparison: Comparison | None
    ledger: Ledger
    improvement: Improvement | None
    guarantee: str

    @property
    def kept(self) -> bool | None:
        """Whether the proposal was kept; None where none was made."""
        if self.proposal is None:
            return None
        return self.proposal.kept

    @property
    def best(self) -> str:
        """The name of the running best."""
        return self.ledger.best

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """All proposals so far."""
        return self.ledger.proposals

    @property
    def level_left(self) -> float:
        """What is left of the level for proposals to come."""
        return self.ledger.level * remaining_weight(len(self.proposals), self.ledger.horizon)

    def __str__(self) -> str:
        return "\n".join(
            filter(None, [self._decision(), self._standing_sentence(), self.guarantee])
        )

    __repr__ = __str__

    def _decision(self) -> str:
        one = self.proposal
        if one is None:
            return ""
        word = "discarded"
        if one.kept:
            word = "kept"
        by = (
            f"improvement over {one.against} {format_number(one.value)}, lower bound "
            f"{format_number(one.bound)}"
        )
        return (
            f"{one.name} is {word}: {by} at its level of {one.level:.2g} (one-sided p = "
            f"{one.pvalue:.2g})."
        )

    def _standing_sentence(self) -> str:
        count = len(self.proposals)
        made = f"{count} proposal{'' if count == 1 else 's'}, {self.ledger.kept} kept"
        best = f"the best is {self.best}"
        left = f"{self.level_left:.2g} of the level of {self.ledger.level:g} is left"
        return f"{made}; {best}{self._better()}; {left}."

    def _better(self) -> str:
        found = self.improvement
        if found is None:
            return ""
        bound = f", better than {self.ledger.first} by at least {format_number(found.bound)}"
        words = f"{bound} ({format_number(found.observed)} on the items that chose it)"
        if found.held_back is None:
            return words
        value, low, high = found.held_back
        interval = f"95% CI {format_number(low)} to {format_number(high)}"
        return f"{words}, on held-back items by {format_number(value)} ({interval})"


# What a loop may promise: the level of the next proposal, and what holds given what was shown.


def proposal_level(ledger: Ledger) -> float:
    """
    Return the level of the next proposal.

    A proposer who saw decisions has chosen one of as many proposals as there are histories of
    decisions, so that each history gets its share of the level. Nothing can be promised to a
    proposer who saw scores, so the level is not divided then.
    """
    j = len(ledger.proposals) + 1
    if ledger.control == RATE:
        return lond_level(j, ledger.kept, ledger.level, ledger.horizon)
    spent = ledger.level * spending_weight(j, ledger.horizon)
    if ledger.shown != DECISIONS:
        return spent
    seen = ledger.on_these_items
    return spent * history_weight(len(seen), sum(one.kept for one in seen))


def is_guaranteed(ledger: Ledger) -> bool:
    """Whether the promise covers the next decision, given what was shown of results so far."""
    seen = ledger.on_these_items
    if ledger.shown == NOTHING or not seen:
        return True
    if ledger.shown == SCORES:
        return False
    return ledger.control == ANY or not any(one.kept for one in seen)


def guarantee_of(ledger: Ledger) -> str:
    """Say what holds for the whole loop, and what it rests on."""
    error = f"{100 * ledger.level:g}%"
    what = {
        ANY: f"the chance of any false keep in the whole loop is at most {error}",
        RATE: f"at most {error} of the keeps are false, in expectation",
    }[ledger.control]
    why = {
        NOTHING: "if no proposal depends on results on these items",
        DECISIONS: "if the proposer sees keep or discard and nothing else",
        SCORES: "if every proposal is judged on items of which the proposer saw nothing",
    }[ledger.shown]
    without = sum(not one.guaranteed for one in ledger.proposals)
    if without:
        return (
            f"No guarantee: {without} of {len(ledger.proposals)} proposals were made by someone "
            "who had seen results on the same items; only fresh items can tell."
        )
    if not is_guaranteed(ledger):
        return (
            f"Guaranteed so far: {what}. The next proposal needs fresh items: results on these "
            "were shown."
        )
    return f"Guaranteed: {what}, {why}."


# Tables of one algorithm as plain columns that a file can hold, and back.


def as_columns(name: str, table: Any, **reading: Any) -> dict[str, list[Any]]:
    """Read the table of one algorithm, whatever its form, into plain columns by role."""
    results = read_results({name: table}, **reading)
    if results.example is None:
        refuse(
            None,
            f"The table of {name!r} must have a column 'example', but it has "
            f"{', '.join(results.varied) or 'no ids'}.",
        )
    if results.dataset is not None and len(results.dataset) > 1:
        refuse(
            None,
            f"The table of {name!r} must be about one data set but has {len(results.dataset)}.",
            "Keep one file for each data set.",
        )
    return _columns_of(results)


def _columns_of(results: Results) -> dict[str, list[Any]]:
    ids = ((role, results.ids(role)) for role in IDS)
    columns = {role: one.values().tolist() for role, one in ids if one is not None}
    for role in (*NUMBERS, *PREDICTED):
        values = getattr(results, role)
        if values is not None:
            columns[role] = values.tolist()
    for label, values in results.probabilities.items():
        columns[f"{PROBABILITY}{label}"] = values.tolist()
    return columns


def unit_of(columns: Columns) -> str:
    """Return what is drawn, and so held back, together: groups if there are any, else examples."""
    if "group" in columns:
        return "group"
    return "example"


def hold_back(columns: Columns, share: float, seed: int) -> tuple[Any, ...]:
    """Draw the ids of the units that no decision will look at."""
    units = list(dict.fromkeys(columns[unit_of(columns)]))
    count = round(share * len(units))
    if len(units) - count < 2:
        refuse(
            "hold_back",
            f"hold_back must leave at least two items to decide on but got {share:g} of "
            f"{len(units)} items.",
        )
    drawn = stream(seed, "hold back").permutation(len(units))[:count]
    return tuple(units[i] for i in np.sort(drawn))


def divide(columns: Columns, reserved: tuple[Any, ...]) -> tuple[Columns, Columns]:
    """Return the rows that decisions look at, and those that were held back."""
    apart = set(reserved)
    held = [unit in apart for unit in columns[unit_of(columns)]]
    used = {role: [*compress(values, map(not_, held))] for role, values in columns.items()}
    rest = {role: [*compress(values, held)] for role, values in columns.items()}
    return used, rest


_LEAST_LEVEL = 1e-12


@understands_synonyms
def keep(
    file: str | Path,
    candidate: Any = None,
    *,
    baseline: Any = None,
    fresh: Any = None,
    name: str | None = None,
    shown: str | None = None,
    measure: str | None = None,
    margin: float = 0.0,
    level: float = 0.05,
    control: str = ANY,
    horizon: int | None = None,
    hold_back: float = 0.0,
    positive: Any = None,
    higher_is_better: bool | None = None,
    columns: Mapping[str, str] | None = None,
    rows: str | None = None,
    random_state: Seed | None = 0,
) -> KeepResult:
    """
    Keep a proposal if it is better than the best so far, in a loop of many on the same items.

    A loop that proposes and a gate that keeps what looks better will keep something false sooner or
    later: a test at 5% errs in every twentieth useless proposal. Here one file remembers how many
    proposals there were and what is left of the level, so that the error of the *whole loop* is
    known.

    Parameters
    ----------
    file : path
        Where the loop is remembered. Say ``baseline`` to start it; then one call per ``candidate``.
        Without either the call tells where the loop stands.
    candidate, baseline : table
        Answers per item of one algorithm, in any form that :func:`judge` reads, with a column
        ``example``.
    fresh : table, optional
        Answers of the running best on new items, which take the place of the old ones: what was
        shown of the old ones does not matter any more.
    name : str, optional
        What the candidate (or the baseline) is called; a number, or ``"baseline"``, if not said.
    shown : {"nothing", "decisions", "scores"}
        What the proposer is shown of results on these items; to be given at the start.
        ``"nothing"``: proposals do not depend on them. ``"decisions"``: keep or discard, nothing
        else. ``"scores"``: values or answers, after which no bound holds without fresh items. A
        later call may raise it, not lower it.
    measure, positive, higher_is_better, columns, rows
        As in :func:`judge`; said once, at the start.
    margin : float, default 0
        A proposal must be better by more than this.
    level : float, default 0.05
        Of the whole loop.
    control : {"any", "rate"}
        What the level bounds: the chance of *any* false keep (α-spending), or the expected share of
        false keeps among all keeps (reshaped LOND).
    horizon : int, optional
        How many proposals there will be, each of which then has the same share; without it the j-th
        has 6/(π²j²), for ever.
    hold_back : float, default 0
        Share of the items that no decision looks at, to say how good the best is without optimism.
    random_state : int, default 0
        Seed of the draw of those items.

    Returns
    -------
    KeepResult
        ``kept``, ``best``, ``guarantee``, ``improvement``, ``level_left``, ``proposals``,
        ``comparison``; prints as the decision and what it rests on.

    Notes
    -----
    *Validity.* Each proposal is judged one-sided by the test that :func:`judge` recommends, at its
    own level; the bound is as good as that test. Proposals that do not depend on the items: union
    bound. A proposer who sees only decisions: union bound over the possible histories of decisions,
    so that levels fall after a keep. A proposer who sees scores: no bound without fresh items (Blum
    and Hardt 2015; Dwork et al. 2015); the answer says so. The rate is bounded only where
    hypotheses do not depend on the items.

    Examples
    --------
    >>> import evenfold as ef, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "loop.json"
    >>> right = [1, 0] * 200
    >>> what = {"rows": "examples", "measure": "accuracy"}
    >>> start = ef.keep(file, baseline=right, shown="decisions", horizon=200, **what)
    >>> better = [1, 0, 1, 1] * 100
    >>> ef.keep(file, better, name="longer prompt").kept
    True
    """
    target = checked_path("file", file)
    if shown is not None:
        one_of("shown", shown, SHOWN)
    if sum(table is not None for table in (candidate, baseline, fresh)) > 1:
        refuse(
            "candidate",
            "Only one of candidate, baseline and fresh can be given.",
            "Make one call for each.",
        )
    with lock_file(target):
        if baseline is not None:
            asked = {"measure": measure, "positive": positive, "higher_is_better": higher_is_better}
            reading = {"columns": columns, "rows": rows}
            promise = _check_promise(level, control, horizon, margin, shown)
            share = number("hold_back", hold_back, low=0, high=0.9)
            seed = seed_from(random_state)
            ledger = _start_loop(
                target, baseline, name or "baseline", asked, reading, promise, share, seed
            )
            return _standing_of(ledger)
        if not target.exists():
            refuse(
                "file",
                f"file must be a loop that was started, but there is no file {target.name}.",
                Advice("Pass ", {"baseline": ELLIPSIS}, " to start it."),
            )
        ledger = read_ledger(target)
        if fresh is not None:
            ledger = _replace_items(ledger, fresh, shown)
            write_ledger(target, ledger)
            return _standing_of(ledger)
        if candidate is None:
            return _standing_of(ledger)
        ledger, proposal, comparison = _judge_proposal(_raise_shown(ledger, shown), candidate, name)
        write_ledger(target, ledger)
    return replace(_standing_of(ledger), proposal=proposal, comparison=comparison)


def _check_promise(
    level: float, control: str, horizon: Any, margin: float, shown: str | None
) -> dict[str, Any]:
    if shown is None:
        refuse(
            "shown",
            "shown must be given at the start, because it decides what can be promised.",
            "Pass 'nothing', 'decisions' (keep or discard) or 'scores'.",
        )
    return {
        "level": fraction("level", level, high=0.5),
        "control": one_of("control", control, CONTROLS),
        "horizon": None if horizon is None else integer("horizon", horizon, low=1),
        "margin": number("margin", margin, low=0),
        "shown": shown,
    }


def _start_loop(
    target: Path,
    table: Any,
    name: str,
    asked: dict[str, Any],
    reading: dict[str, Any],
    promise: dict[str, Any],
    share: float,
    seed: int,
) -> Ledger:
    """Begin a loop in a new file."""
    if target.exists():
        refuse(
            "file",
            f"file must be a new one where a baseline starts a loop, but {target.name} exists.",
            Advice("Pass ", {"fresh": ELLIPSIS}, " for new items."),
        )
    if asked["measure"] is not None and not isinstance(asked["measure"], str):
        refuse(
            "measure",
            "measure must be a name, which a file can hold, but got "
            f"{short_repr(asked['measure'])}.",
        )
    columns = as_columns(name, table, **reading)
    if share:
        reserved = hold_back(columns, share, seed)
    else:
        reserved = ()
    used, rest = divide(columns, reserved)
    alone = judge({name: PlainTable.of(used)}, **asked)  # refuses what it cannot judge
    how = {**asked, "columns": reading["columns"], "rows": reading["rows"]}
    ledger = Ledger(
        **promise,
        asked={**how, "lower_is_better": alone.losses.lower_is_better},
        first=name,
        best=name,
        tables={name: used},
        reserve={name: rest} if reserved else {},
        reserved=reserved,
    )
    write_ledger(target, ledger)
    return ledger


def _raise_shown(ledger: Ledger, shown: str | None) -> Ledger:
    """What was once shown stays shown, as long as the items are the same."""
    if shown is None:
        return ledger
    return replace(ledger, shown=max(ledger.shown, shown, key=SHOWN.index))


def _replace_items(ledger: Ledger, table: Any, shown: str | None) -> Ledger:
    """Put new items in the place of the old ones; nothing of them was shown yet."""
    if ledger.reserved:
        refuse(
            "fresh",
            "fresh must be left out where items are held back, but this loop holds back "
            f"{len(ledger.reserved):,}.",
            "Start a new file.",
        )
    columns = _read_table(ledger, ledger.best, table)
    # refuses what it cannot judge
    judge({ledger.best: PlainTable.of(columns)}, **_judge_options(ledger))
    return replace(
        ledger,
        first=ledger.best,
        tables={ledger.best: columns},
        shown=shown or ledger.shown,
        items_since=len(ledger.proposals),
    )


def _read_table(ledger: Ledger, name: str, table: Any) -> dict[str, list[Any]]:
    return as_columns(name, table, columns=ledger.asked["columns"], rows=ledger.asked["rows"])


def _judge_options(ledger: Ledger) -> dict[str, Any]:
    return {one: ledger.asked[one] for one in ("measure", "positive", "higher_is_better")}


def _judge_proposal(
    ledger: Ledger, table: Any, name: str | None
) -> tuple[Ledger, Proposal, Comparison]:
    """Judge one proposal against the best so far, at the level that is its own."""
    j = len(ledger.proposals) + 1
    name = name or f"proposal {j}"
    if name in {ledger.first, ledger.best}:
        refuse("name", f"name must be new, but the baseline or the best is called {name!r}.")
    level = proposal_level(ledger)
    if level < _LEAST_LEVEL:
        remedy = "Start a new file with fresh items."
        if level:
            remedy = Advice("Pass ", {"fresh": ELLIPSIS}, " for new items, or start a new file.")
        refuse("proposal", f"Nothing of the level is left for proposal {j}.", remedy)
    answers = _read_table(ledger, name, table)
    _require_same_items(ledger, answers)
    used, rest = divide(answers, ledger.reserved)
    comparison = _compare_one_sided(
        ledger, ledger.best, ledger.tables[ledger.best], name, used, level, ledger.margin
    )
    value, bound = _gain(comparison)
    proposal = Proposal(
        name=name,
        against=ledger.best,
        kept=comparison.verdict.outcome is Outcome.BETTER,
        value=value,
        bound=bound,
        pvalue=float(comparison.estimate.pvalue),
        level=level,
        shown=ledger.shown,
        guaranteed=is_guaranteed(ledger),
    )
    return (
        ledger.with_proposal(proposal, used, rest if ledger.reserved else None),
        proposal,
        comparison,
    )


def _require_same_items(ledger: Ledger, answers: Columns) -> None:
    """Refuse answers to some of the items, or to others: no proposal chooses what it is asked."""
    held = ledger.reserve.get(ledger.best, {"example": []})
    items = {*ledger.tables[ledger.best]["example"], *held["example"]}
    answered = {*answers["example"]}
    if answered != items:
        refuse(
            "candidate",
            f"candidate must answer the {len(items):,} items of the loop, but it lacks "
            f"{len(items - answered):,} of them and has {len(answered - items):,} others.",
            Advice("Pass ", {"fresh": ELLIPSIS}, " to put new items in their place."),
        )


def _compare_one_sided(
    ledger: Ledger, a: str, of_a: Columns, b: str, of_b: Columns, level: float, margin: float
) -> Comparison:
    """Ask one-sided whether B is better than A."""
    side: Side
    side = "greater"
    if ledger.asked["lower_is_better"]:
        side = "less"
    tables = {a: PlainTable.of(of_a), b: PlainTable.of(of_b)}
    answer: Comparison = judge(
        tables, level=level, margin=margin, alternative=side, **_judge_options(ledger)
    )
    return answer


def _gain(comparison: Comparison) -> tuple[float, float]:
    """How much better B is, and the lower bound of it."""
    low, high = comparison.estimate.confidence_interval()
    quantity = comparison.losses.quantity
    worst, _ = quantity.improvements(float(low), float(high))
    return quantity.improvement(float(comparison.estimate.value)), worst


def _standing_of(ledger: Ledger) -> KeepResult:
    return KeepResult(
        proposal=None,
        comparison=None,
        ledger=ledger,
        improvement=_improvement(ledger),
        guarantee=guarantee_of(ledger),
    )


def _improvement(ledger: Ledger) -> Improvement | None:
    """Compare the best with the first baseline, without the optimism of having been chosen."""
    if ledger.best == ledger.first:
        return None
    chosen = next(one for one in reversed(ledger.proposals) if one.name == ledger.best)
    pair = ledger.first, ledger.tables[ledger.first], ledger.best, ledger.tables[ledger.best]
    value, bound = _gain(_compare_one_sided(ledger, *pair, chosen.level, 0.0))
    if not ledger.reserve:
        return Improvement(observed=value, bound=bound)
    held = {name: PlainTable.of(columns) for name, columns in ledger.reserve.items()}
    apart = judge(held, **_judge_options(ledger))
    quantity = apart.losses.quantity
    low, high = (float(end) for end in apart.estimate.confidence_interval())
    ends = quantity.improvements(low, high)
    return Improvement(
        observed=value,
        bound=bound,
        held_back=(quantity.improvement(float(apart.estimate.value)), *ends),
    )

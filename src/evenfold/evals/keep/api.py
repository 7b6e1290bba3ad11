"""``keep`` decides proposal after proposal on the same items, and bounds the error of the loop."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.comparison.judge.api import judge
from evenfold.comparison.result import Comparison
from evenfold.core import checks
from evenfold.core.checks import ELLIPSIS, Advice, one_of, refuse, understands_synonyms
from evenfold.core.inputs import IDS, NUMBERS, PREDICTED, PROBABILITY, Seed, Side
from evenfold.core.rng import seed_from, stream
from evenfold.core.verdict import Outcome
from evenfold.core.words import count, format_number
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
    The improvement of the running best over the first baseline. Positive is better.

    Attributes
    ----------
    observed : float
        The improvement on the items of the decisions. It is optimistic, because the best was chosen
        for a high value on these items.
    bound : float
        A lower bound at the level that the best had as a proposal. The bound holds although the
        best was chosen.
    held_back : tuple of float or None
        The improvement on the items that are held back, with the ends of its interval. It is None
        if no items are held back.
    """

    observed: float
    bound: float
    held_back: tuple[float, float, float] | None = None

    @property
    def optimism(self) -> float | None:
        """The improvement on the items of the decisions minus that on the items held back."""
        if self.held_back is None:
            return None
        return self.observed - self.held_back[0]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class KeepResult:
    """
    The state of a loop, and the decision about the last proposal.

    Attributes
    ----------
    proposal : Proposal or None
        The proposal of this call. It is None if the call only started or read the loop.
    comparison : Comparison or None
        The comparison of the proposal with the running best at that time.
    ledger : Ledger
        The content of the file.
    improvement : Improvement or None
        The improvement of the best over the first baseline. It is None while nothing was kept.
    guarantee : str
        A sentence about the guarantee of the whole loop and its condition.
    """

    proposal: Proposal | None
    comparison: Comparison | None
    ledger: Ledger
    improvement: Improvement | None
    guarantee: str

    @property
    def kept(self) -> bool | None:
        """Whether the proposal was kept; None if this call made no proposal."""
        return None if self.proposal is None else self.proposal.kept

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
        """The part of the level that is left for further proposals."""
        return self.ledger.level * remaining_weight(len(self.proposals), self.ledger.horizon)

    def __str__(self) -> str:
        lines = [self._standing_sentence(), self.guarantee]
        if self.proposal is not None:
            lines.insert(0, _decision_sentence(self.proposal))
        return "\n".join(lines)

    __repr__ = __str__

    def _standing_sentence(self) -> str:
        made = f"{count(len(self.proposals), 'proposal')}, {self.ledger.kept} kept"
        best = f"the best is {self.best}"
        left = f"{self.level_left:.2g} of the level of {self.ledger.level:g} is left"
        return f"{made}; {best}{self._better()}; {left}."

    def _better(self) -> str:
        improvement = self.improvement
        if improvement is None:
            return ""
        bound = f", better than {self.ledger.first} by at least {format_number(improvement.bound)}"
        words = f"{bound} ({format_number(improvement.observed)} on the items that chose it)"
        if improvement.held_back is None:
            return words
        value, low, high = improvement.held_back
        interval = f"95% CI {format_number(low)} to {format_number(high)}"
        return f"{words}, on held-back items by {format_number(value)} ({interval})"


def _decision_sentence(proposal: Proposal) -> str:
    decision = "kept" if proposal.kept else "discarded"
    return (
        f"{proposal.name} is {decision}: improvement over {proposal.against} "
        f"{format_number(proposal.value)}, lower bound {format_number(proposal.bound)} at its "
        f"level of {proposal.level:.2g} (one-sided p = {proposal.pvalue:.2g})."
    )


# The level of the next proposal, and the guarantee that depends on what was shown.


def proposal_level(ledger: Ledger) -> float:
    """
    Return the level of the next proposal.

    A proposer who sees decisions can make a different proposal after each history of decisions, so
    every history gets a share of the level. Nothing is guaranteed for a proposer who saw scores, so
    the level is not divided further in this case.
    """
    j = len(ledger.proposals) + 1
    if ledger.control == RATE:
        return lond_level(j, ledger.kept, ledger.level, ledger.horizon)
    spent = ledger.level * spending_weight(j, ledger.horizon)
    if ledger.shown != DECISIONS:
        return spent
    seen = ledger.on_these_items
    return spent * history_weight(len(seen), sum(proposal.kept for proposal in seen))


def is_guaranteed(ledger: Ledger) -> bool:
    """Return whether the guarantee covers the next decision after what the proposer was shown."""
    seen = ledger.on_these_items
    if ledger.shown == NOTHING or not seen:
        return True
    if ledger.shown == SCORES:
        return False
    return ledger.control == ANY or not any(proposal.kept for proposal in seen)


def guarantee_of(ledger: Ledger) -> str:
    """Write the guarantee of the whole loop and its condition as a sentence."""
    error = f"{100 * ledger.level:g}%"
    promise = {
        ANY: f"the chance of any false keep in the whole loop is at most {error}",
        RATE: f"at most {error} of the keeps are false, in expectation",
    }[ledger.control]
    condition = {
        NOTHING: "if no proposal depends on results on these items",
        DECISIONS: "if the proposer sees keep or discard and nothing else",
        SCORES: "if every proposal is judged on items of which the proposer saw nothing",
    }[ledger.shown]
    not_covered = sum(not proposal.guaranteed for proposal in ledger.proposals)
    if not_covered:
        return (
            f"No guarantee: {not_covered} of {len(ledger.proposals)} proposals were made by "
            "someone who had seen results on the same items; only fresh items can tell."
        )
    if not is_guaranteed(ledger):
        return (
            f"Guaranteed so far: {promise}. The next proposal needs fresh items: results on these "
            "were shown."
        )
    return f"Guaranteed: {promise}, {condition}."


# The table of an algorithm as plain columns that a file can hold.


def _read_columns(name: str, table: Any, options: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Read the table of an algorithm, whatever its form, into plain columns by role."""
    results = read_results({name: table}, columns=options["columns"], rows=options["rows"])
    if results.example is None:
        refuse(
            None,
            f"The table of {name!r} must have a column 'example', but it has "
            f"{', '.join(results.varied) or 'no ids'}.",
        )
    if results.dataset is not None and len(results.dataset) > 1:
        refuse(
            None,
            f"The table of {name!r} must have one data set but has {len(results.dataset)}.",
            "Use one file for each data set.",
        )
    columns: dict[str, list[Any]] = {}
    for role in IDS:
        ids = results.ids(role)
        if ids is not None:
            columns[role] = ids.values().tolist()
    for role in (*NUMBERS, *PREDICTED):
        values = getattr(results, role)
        if values is not None:
            columns[role] = values.tolist()
    for label, values in results.probabilities.items():
        columns[f"{PROBABILITY}{label}"] = values.tolist()
    return columns


def unit_of(columns: Columns) -> str:
    """Return the role whose values are held back whole, which is the group if there are groups."""
    return "group" if "group" in columns else "example"


def hold_back(columns: Columns, share: float, seed: int) -> tuple[Any, ...]:
    """Draw the ids of the units that no decision will use."""
    units = list(dict.fromkeys(columns[unit_of(columns)]))
    n_held = round(share * len(units))
    if len(units) - n_held < 2:
        refuse(
            "hold_back",
            f"hold_back must leave at least two items to decide on but got {share:g} of "
            f"{len(units)} items.",
        )
    drawn = stream(seed, "hold back").permutation(len(units))[:n_held]
    return tuple(units[i] for i in np.sort(drawn))


def divide(columns: Columns, reserved: tuple[Any, ...]) -> tuple[Columns, Columns]:
    """Return the rows that decisions use, and the rows that are held back."""
    reserved_units = set(reserved)
    is_held = [unit in reserved_units for unit in columns[unit_of(columns)]]
    is_used = [not held for held in is_held]
    used = {role: list(compress(values, is_used)) for role, values in columns.items()}
    held = {role: list(compress(values, is_held)) for role, values in columns.items()}
    return used, held


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

    A loop that keeps whatever looks better will keep something false sooner or later, because a
    test at 5% errs in every twentieth useless proposal. This function stores the number of
    proposals and the rest of the level in a file, so that the error of the *whole loop* is bounded.

    Parameters
    ----------
    file : path
        The file of the loop. Pass ``baseline`` to start the loop, and then one ``candidate`` per
        call. A call without either returns the state of the loop.
    candidate, baseline : table
        The answers of one algorithm per item, in any form that :func:`judge` reads, with a column
        ``example``.
    fresh : table, optional
        The answers of the running best on new items, which replace the old items. What the proposer
        saw of the old items does not matter any more.
    name : str, optional
        The name of the candidate or of the baseline. Defaults to the number of the proposal, or to
        ``"baseline"``.
    shown : {"nothing", "decisions", "scores"}
        What the proposer is shown of the results on these items. It is required at the start.
        With ``"nothing"`` proposals do not depend on the results. With ``"decisions"`` the proposer
        sees keep or discard, and nothing else. With ``"scores"`` the proposer sees values or
        answers, after which no bound holds without fresh items. A later call can raise this value,
        but not lower it.
    measure, positive, higher_is_better, columns, rows
        As in :func:`judge`. They are set once, at the start.
    margin : float, default 0
        A proposal must be better by more than the margin.
    level : float, default 0.05
        The significance level of the whole loop.
    control : {"any", "rate"}
        Whether the level bounds the probability of *any* false keep (α-spending), or the expected
        share of false keeps among all keeps (reshaped LOND).
    horizon : int, optional
        The number of proposals to come. With a horizon every proposal has the same share of the
        level. Without one the j-th proposal has the share 6/(π²j²), and the loop need not end.
    hold_back : float, default 0
        The share of the items that no decision uses. They estimate the improvement of the best
        without optimism.
    random_state : int, default 0
        The seed of the draw of the items that are held back.

    Returns
    -------
    KeepResult
        It has ``kept``, ``best``, ``guarantee``, ``improvement``, ``level_left``, ``proposals`` and
        ``comparison``. It prints as the decision and its guarantee.

    Notes
    -----
    *Validity.* Each proposal is judged one-sided at its level by the test that :func:`judge`
    recommends, and the bound is as good as that test. If proposals do not depend on the items, the
    bound is a union bound over the proposals. If the proposer sees only decisions, it is a union
    bound over the possible histories of decisions, so that levels fall after a keep. If the
    proposer sees scores, there is no bound without fresh items (Blum and Hardt 2015; Dwork et al.
    2015), and the answer says so. The rate is bounded only if hypotheses do not depend on the
    items.

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
    target = checks.path("file", file)
    if shown is not None:
        one_of("shown", shown, SHOWN)
    if sum(table is not None for table in (candidate, baseline, fresh)) > 1:
        refuse(
            "candidate",
            "A call must have at most one of candidate, baseline and fresh but got several.",
            "Make one call for each.",
        )
    options = {
        "measure": measure,
        "positive": positive,
        "higher_is_better": higher_is_better,
        "columns": columns,
        "rows": rows,
    }
    proposal = comparison = None
    with lock_file(target):
        if baseline is not None:
            _require_new(target)
            promise = _check_promise(level, control, horizon, margin, shown)
            share = checks.number("hold_back", hold_back, low=0, high=0.9)
            seed = seed_from(random_state)
            ledger = _start_loop(baseline, name or "baseline", options, promise, share, seed)
        else:
            ledger = _read_started(target)
        if fresh is not None:
            ledger = _replace_items(ledger, fresh, shown)
        if candidate is not None:
            if shown is not None:  # what the proposer has seen cannot be less than before
                ledger = replace(ledger, shown=max(ledger.shown, shown, key=SHOWN.index))
            ledger, proposal, comparison = _judge_proposal(ledger, candidate, name)
        if any(table is not None for table in (candidate, baseline, fresh)):
            write_ledger(target, ledger)
    return KeepResult(
        proposal=proposal,
        comparison=comparison,
        ledger=ledger,
        improvement=_improvement(ledger),
        guarantee=guarantee_of(ledger),
    )


def _read_started(target: Path) -> Ledger:
    if not target.exists():
        refuse(
            "file",
            f"file must be a loop that was started, but there is no file {target.name}.",
            Advice("Pass ", {"baseline": ELLIPSIS}, " to start a loop."),
        )
    return read_ledger(target)


def _require_new(target: Path) -> None:
    if target.exists():
        refuse(
            "file",
            f"file must be a new file if a baseline starts a loop, but {target.name} exists.",
            Advice("Pass ", {"fresh": ELLIPSIS}, " for new items, or use another file."),
        )


def _check_promise(
    level: float, control: str, horizon: Any, margin: float, shown: str | None
) -> dict[str, Any]:
    if shown is None:
        refuse(
            "shown",
            "shown must be given at the start, because the guarantee depends on it.",
            "Pass 'nothing', 'decisions' (keep or discard) or 'scores'.",
        )
    return {
        "level": checks.fraction("level", level, high=0.5),
        "control": one_of("control", control, CONTROLS),
        "horizon": None if horizon is None else checks.integer("horizon", horizon, low=1),
        "margin": checks.number("margin", margin, low=0),
        "shown": shown,
    }


def _start_loop(
    table: Any,
    name: str,
    options: dict[str, Any],
    promise: dict[str, Any],
    share: float,
    seed: int,
) -> Ledger:
    """Return the ledger of a loop that starts with a baseline."""
    if options["measure"] is not None and not isinstance(options["measure"], str):
        checks.refuse_value("measure", options["measure"], "a name, so that a file can store it,")
    columns = _read_columns(name, table, options)
    reserved = hold_back(columns, share, seed) if share else ()
    used, held = divide(columns, reserved)
    # refuses what it cannot judge
    comparison = judge({name: PlainTable.of(used)}, **_judge_options(options))
    return Ledger(
        **promise,
        asked={**options, "lower_is_better": comparison.losses.lower_is_better},
        first=name,
        best=name,
        tables={name: used},
        reserve={name: held} if reserved else {},
        reserved=reserved,
    )


def _replace_items(ledger: Ledger, table: Any, shown: str | None) -> Ledger:
    """Replace the items by new items, of which nothing was shown yet."""
    if ledger.reserved:
        refuse(
            "fresh",
            "fresh must be left out if items are held back, but this loop holds back "
            f"{len(ledger.reserved):,}.",
            "Start a new file.",
        )
    columns = _read_columns(ledger.best, table, ledger.asked)
    # refuses what it cannot judge
    judge({ledger.best: PlainTable.of(columns)}, **_judge_options(ledger.asked))
    return replace(
        ledger,
        first=ledger.best,
        tables={ledger.best: columns},
        shown=shown or ledger.shown,
        items_since=len(ledger.proposals),
    )


def _judge_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {option: options[option] for option in ("measure", "positive", "higher_is_better")}


def _judge_proposal(
    ledger: Ledger, table: Any, name: str | None
) -> tuple[Ledger, Proposal, Comparison]:
    """Judge one proposal against the best so far, at the level of the proposal."""
    j = len(ledger.proposals) + 1
    name = name or f"proposal {j}"
    if name in {ledger.first, ledger.best}:
        refuse("name", f"name must be new, but the baseline or the best is called {name!r}.")
    level = proposal_level(ledger)
    if level < _LEAST_LEVEL:
        remedy = "Start a new file with fresh items."
        if level > 0:
            remedy = Advice("Pass ", {"fresh": ELLIPSIS}, " for new items, or start a new file.")
        refuse("proposal", f"Nothing of the level is left for proposal {j}.", remedy)
    answers = _read_columns(name, table, ledger.asked)
    _require_same_items(ledger, answers)
    used, held = divide(answers, ledger.reserved)
    comparison = _compare_one_sided(ledger, ledger.best, name, used, level, ledger.margin)
    value, bound, _ = _gain(comparison)
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
    after = ledger.with_proposal(proposal, used, held if ledger.reserved else None)
    return after, proposal, comparison


def _require_same_items(ledger: Ledger, answers: Columns) -> None:
    """Refuse answers to other items than those of the loop, so that no proposal chooses items."""
    held = ledger.reserve.get(ledger.best, {"example": []})
    items = {*ledger.tables[ledger.best]["example"], *held["example"]}
    answered = set(answers["example"])
    if answered != items:
        refuse(
            "candidate",
            f"candidate must answer the {len(items):,} items of the loop, but it lacks "
            f"{len(items - answered):,} of them and has {len(answered - items):,} others.",
            Advice("Pass ", {"fresh": ELLIPSIS}, " to replace the items by new ones."),
        )


def _compare_one_sided(
    ledger: Ledger, a: str, b: str, columns_of_b: Columns, level: float, margin: float
) -> Comparison:
    """Test with a one-sided test whether B is better than A, whose answers the ledger has."""
    side: Side = "less" if ledger.asked["lower_is_better"] else "greater"
    tables = {a: PlainTable.of(ledger.tables[a]), b: PlainTable.of(columns_of_b)}
    comparison: Comparison = judge(
        tables, level=level, margin=margin, alternative=side, **_judge_options(ledger.asked)
    )
    return comparison


def _gain(comparison: Comparison) -> tuple[float, float, float]:
    """Return the improvement of B over A with the ends of its interval."""
    low, high = comparison.estimate.confidence_interval()
    quantity = comparison.losses.quantity
    worst, best = quantity.improvements(float(low), float(high))
    return quantity.improvement(float(comparison.estimate.value)), worst, best


def _improvement(ledger: Ledger) -> Improvement | None:
    """Compare the best with the first baseline, with and without the optimism of the choice."""
    first, best = ledger.first, ledger.best
    if best == first:
        return None
    level = next(proposal.level for proposal in reversed(ledger.proposals) if proposal.name == best)
    value, bound, _ = _gain(
        _compare_one_sided(ledger, first, best, ledger.tables[best], level, margin=0.0)
    )
    held_back = None
    if ledger.reserve:
        tables = {name: PlainTable.of(columns) for name, columns in ledger.reserve.items()}
        held_back = _gain(judge(tables, **_judge_options(ledger.asked)))
    return Improvement(observed=value, bound=bound, held_back=held_back)

"""What a loop may promise: the level of the next proposal, and what holds given what was shown."""

from evenfold.comparison.keep.ledger import ANY, DECISIONS, NOTHING, RATE, SCORES, Ledger
from evenfold.infer.many.proposals import history_weight, lond_level, spending_weight


def proposal_level(ledger: Ledger) -> float:
    """
    Return the level of the next proposal.

    A proposer who saw decisions chose among as many proposals as there are histories of decisions: each has
    its share. Of a proposer who saw scores nothing can be bounded, so that nothing is divided.
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
    """Whether the promise covers the next decision, given what was shown of results on these items."""
    seen = ledger.on_these_items
    if ledger.shown == NOTHING or not seen:
        return True
    if ledger.shown == SCORES:
        return False
    return ledger.control == ANY or not any(one.kept for one in seen)


def guarantee_of(ledger: Ledger) -> str:
    """Say what holds for the whole loop, and what it rests on."""
    error = percent_of(ledger.level)
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
            f"No guarantee: {without} of {len(ledger.proposals)} proposals were made by someone who had seen "
            "results on the same items; only fresh items can tell (fresh=)."
        )
    if not is_guaranteed(ledger):
        return (
            f"Guaranteed so far: {what}. The next proposal needs fresh items (fresh=): results on these were "
            "shown."
        )
    return f"Guaranteed: {what}, {why}."


def percent_of(level: float) -> str:
    """A level in words: 5 %."""
    return f"{100 * level:g} %"

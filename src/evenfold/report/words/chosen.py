"""What searches chose, how stable the choice is, and what it took."""

from collections import Counter

from evenfold.core.facts.comparison import Chosen, ChosenParameter
from evenfold.core.words import count, one_line

_NAMES = 4  # settings; more are counted


def chose(one: Chosen) -> str:
    """
    Return what a search chose, the most frequent first; where no choice came twice, by parameter.

    Examples
    --------
    >>> chose(Chosen(algorithm="tuned", parameters=({"C": 1}, {"C": 10}, {"C": 1})))
    'tuned: C=1 in 2 of 3 fits; C=10 in 1'
    >>> apart = ({"C": 0.1, "penalty": "l2"}, {"C": 3.7, "penalty": "l2"})
    >>> chose(Chosen(algorithm="tuned", parameters=apart))
    "tuned: other settings in each of 2 fits; C from 0.1 to 3.7, penalty='l2' in 2"
    """
    often = Counter(words for words in one.words if words)
    fits = often.total()
    if fits > 1 and len(often) == fits:
        said = [
            f"other settings in each of {fits} fits",
            ", ".join(one_line(_range(each)) for each in one.stability),
        ]
    else:
        said = [f"{one_line(words)} in {times}" for words, times in often.most_common(_NAMES)]
        said[0] += f" of {count(fits, 'fit')}"
        if len(often) > _NAMES:
            said.append(count(len(often) - _NAMES, "other"))
    return f"{one_line(one.algorithm)}: {'; '.join(said)}"


def _range(one: ChosenParameter) -> str:
    if one.low is None or one.high is None or one.low == one.high:
        return f"{one.name}={one.usual!r} in {one.times}"
    return f"{one.name} from {one.low:.3g} to {one.high:.3g}"

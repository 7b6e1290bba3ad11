"""What searches chose, how stable the choice is, and what it took."""

from collections import Counter

from evenfold.core.facts.comparison import Chosen, ChosenParameter
from evenfold.core.words import count, one_line

_NAMES = 4  # settings; more are counted


def choice_words(choice: Chosen) -> str:
    """
    Return what a search chose, the most frequent first; where no choice came twice, by parameter.

    Examples
    --------
    >>> choice_words(Chosen(algorithm="tuned", parameters=({"C": 1}, {"C": 10}, {"C": 1})))
    'tuned: C=1 in 2 of 3 fits; C=10 in 1'
    >>> apart = ({"C": 0.1, "penalty": "l2"}, {"C": 3.7, "penalty": "l2"})
    >>> choice_words(Chosen(algorithm="tuned", parameters=apart))
    "tuned: other settings in each of 2 fits; C from 0.1 to 3.7, penalty='l2' in 2"
    """
    often = Counter(words for words in choice.words if words)
    fits = often.total()
    if fits > 1 and len(often) == fits:
        parts = [
            f"other settings in each of {fits} fits",
            ", ".join(one_line(_range(each)) for each in choice.stability),
        ]
    else:
        parts = [f"{one_line(words)} in {times}" for words, times in often.most_common(_NAMES)]
        parts[0] += f" of {count(fits, 'fit')}"
        if len(often) > _NAMES:
            parts.append(count(len(often) - _NAMES, "other"))
    return f"{one_line(choice.algorithm)}: {'; '.join(parts)}"


def _range(parameter: ChosenParameter) -> str:
    if parameter.low is None or parameter.high is None or parameter.low == parameter.high:
        return f"{parameter.name}={parameter.most_frequent!r} in {parameter.times}"
    return f"{parameter.name} from {parameter.low:.3g} to {parameter.high:.3g}"

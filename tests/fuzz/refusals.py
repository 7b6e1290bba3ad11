"""What the fuzz asks of everything: an answer, or a refusal in one line."""

import warnings
from collections.abc import Callable
from typing import Any

from evenfold.core.errors import EvenfoldError, EvenfoldWarning

_LONGEST = 2000  # of a refusal: all methods may be listed


def asked(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """
    Return the answer, or None where our own error refused in one line.

    Anything else is a failure.
    """
    message = "refused"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", EvenfoldWarning)
        try:
            return function(*given, **named)
        except EvenfoldError as error:
            message = str(error)
    assert len(message.splitlines()) == 1, message
    assert len(message) < _LONGEST
    return None

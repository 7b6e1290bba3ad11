"""
A time limit for one cell, inside the worker process that runs it.

Two alarms: a signal that raises in Python code at the limit, and, for native code that never comes back to
Python, a watchdog that ends the whole worker after twice the limit. The engine then finds the worker dead.
"""

import faulthandler
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from evenfold.run.cells import TimedOut


def hard_limit(seconds: float) -> float:
    """When a worker that does not react is ended."""
    return 2 * seconds + 1


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Stop the body after ``seconds``; None means no limit. Only for the main thread of a worker."""
    if seconds is None:
        yield
        return

    def ring(signum: int, frame: Any) -> None:  # noqa: ARG001  (a signal handler's signature)
        raise TimedOut(f"not done after {seconds} seconds")

    with open(os.devnull, "w") as nowhere:  # noqa: PTH123  (a device, not a path)
        faulthandler.dump_traceback_later(hard_limit(seconds), exit=True, file=nowhere)
        before = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            yield
        finally:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
            finally:  # also when the alarm, which rings once, rings during the line above
                signal.signal(signal.SIGALRM, before)
                faulthandler.cancel_dump_traceback_later()

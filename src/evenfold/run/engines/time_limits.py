"""
A time limit for one fit, inside the worker process that runs it.

There are two alarms. The first raises an error in Python code at the limit. It is a signal if the
system has signals, which also ends a call of ``sleep``. Otherwise, as on Windows, a thread asks the
interpreter to raise the error, which happens at the next line of Python. The second alarm is for
native code that does not return to Python: it ends the whole worker after twice the limit, and the
engine then notices that the worker is gone.
"""

import ctypes
import faulthandler
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer, get_ident
from typing import Any

from evenfold.run.cells import TimedOut


def hard_limit(seconds: float) -> float:
    """Return after how many seconds a worker that does not react is ended."""
    return 2 * seconds + 1


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """
    Stop the body after ``seconds``; None means no limit.

    It works only in the main thread of a worker.
    """
    if seconds is None:
        yield
        return
    alarm = _signal_alarm if hasattr(signal, "SIGALRM") else _thread_alarm
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123  (a device, not a path)
        faulthandler.dump_traceback_later(hard_limit(seconds), exit=True, file=nowhere)
        try:
            with alarm(seconds):
                yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def _message(seconds: float) -> str:
    return f"the fit took more than {seconds} seconds"


@contextmanager
def _signal_alarm(seconds: float) -> Iterator[None]:
    def ring(signum: int, frame: Any) -> None:  # noqa: ARG001  (a signal handler's signature)
        raise TimedOut(_message(seconds))

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # also when the alarm, which rings once, rings during the line above
            signal.signal(signal.SIGALRM, before)


@contextmanager
def _thread_alarm(seconds: float) -> Iterator[None]:
    class Late(TimedOut):
        """The interpreter creates this error without a message."""

        def __str__(self) -> str:
            return _message(seconds)

    here = ctypes.c_ulong(get_ident())
    turn = Lock()
    over = False

    def ring() -> None:
        with turn:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(here, ctypes.py_object(Late))

    timer = Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        try:
            timer.cancel()
        finally:  # also when it rings during the line above
            with turn:
                over = True
                # an error that is still to be raised must not hit the next fit
                ctypes.pythonapi.PyThreadState_SetAsyncExc(here, None)

"""
Signals that ask the command to end.

A command that was asked to end says so in one line and exits with code 128 + signal. The first
signal raises :class:`Ended`, so that finished fits are kept. The signal is also remembered, because
libraries may catch the exception, and a command that was asked to end must not exit with 0.

:mod:`evenfold.cli.loading` handles signals while libraries are loaded.
"""

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from evenfold.cli.loading import leave_at_once

SIGNALS = signal.SIGINT, signal.SIGTERM
_PATIENCE_SECONDS = 5.0  # to store finished fits; after that a second signal ends the process


class Ended(BaseException):
    """
    Raised by the first signal that asks the process to end.

    Like :class:`KeyboardInterrupt` it is not an :class:`Exception`, so that code that catches
    every exception does not catch it.
    """

    def __init__(self, signum: int) -> None:
        self.code = 128 + signum


class Interrupted(Ended, KeyboardInterrupt):
    """Raised by Ctrl-C, after which a comparison may still give its answer so far."""


class _EndRequest:
    """Which signal asked first, and when."""

    signum: int | None = None
    since: float = 0.0
    answered: bool = False


def ending_signal() -> int | None:
    """Return the signal that asked this process to end, or None."""
    return _EndRequest.signum


def answer_after_interruption() -> None:
    """Record that the run gives its answer so far although Ctrl-C interrupted it."""
    _EndRequest.answered = _EndRequest.signum == signal.SIGINT


def is_answered() -> bool:
    """Return whether there is an answer although somebody interrupted the run."""
    return _EndRequest.answered


def listen() -> None:
    """Turn the first signal into :class:`Ended`, and ignore others for a few seconds after it."""

    def end(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001  (a signal handler's signature)
        if _EndRequest.signum is None:
            _EndRequest.signum = signum
            _EndRequest.since = time.monotonic()
            raise Interrupted(signum) if signum == signal.SIGINT else Ended(signum)
        if time.monotonic() - _EndRequest.since > _PATIENCE_SECONDS:
            leave_at_once(signum)

    for signal_ in SIGNALS:
        signal.signal(signal_, end)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # which a guard may have blocked


def ignore_signals() -> None:
    """Ignore signals from here on, because the command is done."""
    for signal_ in SIGNALS:
        signal.signal(signal_, signal.SIG_IGN)


def open_closed_streams() -> None:
    """
    Give silent standard streams to a process that was started without them (``>&-``).

    Otherwise the next file that is opened would be taken for the standard output.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
    sys.stdin = sys.stdin or Path(os.devnull).open()  # noqa: SIM115  (for as long as the process lives)
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115

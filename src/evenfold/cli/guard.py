"""
A gate is asked in a process of its own, so that only an answer passes.

Own code that runs inside the process can end it at once, with exit code 0 (``os._exit(0)``, or a library that
crashes politely). So the process tells its parent the exit code through a pipe when it has come to its end;
without that word nothing was decided. Code that wants to deceive can still do so: this is against accidents.

Signals to the parent are passed on, whoever sent them; the child keeps what is finished and says so. One that
is deaf to them, in native code, is ended after a while.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from evenfold.cli.output import FAILED, note, say
from evenfold.cli.signals import INTERRUPTED, SIGNALS, deafen
from evenfold.core.processes import follow

_GRACE_SECONDS = 20  # to write what is finished, before those who started us lose their own patience


def guarded(run: Callable[[], Any]) -> None:
    """Call ``run``, which exits, in a child process and exit with the code that it tells."""
    reading, writing = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until both know what to do with them
    parent, child = os.getpid(), os.fork()
    if child:
        os.close(writing)
        sys.exit(_Watched(child).code(reading))
    os.close(reading)
    follow(parent, lambda: os.kill(os.getpid(), signal.SIGTERM))
    try:
        run()  # which listens to signals again
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else FAILED
        with suppress(BrokenPipeError):  # the parent was killed
            os.write(writing, bytes([code]))
        raise


class _Watched:
    """The child process, and the signal that it was asked to end by."""

    def __init__(self, child: int) -> None:
        self._child = child
        self._asked: int | None = None
        for one in SIGNALS:
            signal.signal(one, self._pass_on)
        signal.signal(signal.SIGALRM, lambda *_: self._send(signal.SIGKILL))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def _pass_on(self, signum: int, frame: FrameType | None) -> None:  # noqa: ARG002  (as above)
        self._asked = signum
        self._send(signum)
        signal.alarm(_GRACE_SECONDS)

    def _send(self, signum: int) -> None:
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(self._child, signum)

    def code(self, reading: int) -> int:
        """Wait for the child and return what it told, if it ended with that and nobody asked it to end."""
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        deafen()
        os.set_blocking(reading, False)  # a grandchild may hold the other end
        try:
            told = os.read(reading, 1)
        except BlockingIOError:
            told = b""
        answered = bool(told) and told[0] == status
        if self._asked is not None:
            return self._interrupted(said=answered and status > 128)
        if answered:
            return status
        how = f"was ended by signal {-status}" if status < 0 else f"ended by itself with code {status}"
        say(f"the process {how} before it had an answer; nothing was decided")
        return FAILED

    def _interrupted(self, *, said: bool) -> int:
        """Return the code of the signal, whatever the child came to in the meantime."""
        if not said:
            note(INTERRUPTED)
        return 128 + (self._asked or 0)

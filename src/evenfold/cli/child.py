"""
Run a command with a gate in a child process, so that only an answer passes the gate.

The user's code runs inside the process and can end it with exit code 0, for example by
``os._exit(0)``. Therefore the child reports its exit code to its parent when it is done, through a
pipe, or in a file if the system cannot fork. Without this report nothing was decided. It protects
against accidents, not against code that wants to deceive.

The parent passes signals on to the child, which keeps finished fits and says so. A child that does
not react, because native code runs, is killed after some seconds.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NoReturn

from evenfold.cli.gate import UNDECIDED
from evenfold.cli.loading import interruption_message
from evenfold.cli.output import FAILED, note, say
from evenfold.cli.signals import SIGNALS, ignore_signals
from evenfold.core.processes import follow

_GRACE_SECONDS = 20  # for the child to end; pipelines usually wait longer before they kill
_TELL = "EVENFOLD_TELL"  # names the file in which a child that was not forked reports its code


def run_in_child(run: Callable[[], Any]) -> None:
    """Call ``run``, which exits, in a child process, and exit with the code that it reports."""
    if hasattr(os, "fork"):
        _fork(run)
    elif _TELL in os.environ:
        file = Path(os.environ.pop(_TELL))  # so that no child inherits it
        _run_and_tell(run, os.getppid(), file.write_bytes)
    else:
        _start_again()


def _start_again() -> NoReturn:
    """Run the same command in a new process, which reports its code in a file."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "code"
        command = [sys.executable, *sys.orig_argv[1:]]
        child = subprocess.Popen(command, env={**os.environ, _TELL: str(file)})
        ignore_signals()  # a console sends Ctrl-C to both; the child says what is kept
        status = child.wait()
        reported = file.read_bytes() if file.exists() else b""
    sys.exit(_code_of_child(status, reported))


def _fork(run: Callable[[], Any]) -> None:
    reading, writing = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until both know what to do with them
    parent = os.getpid()
    child = os.fork()
    if child:
        os.close(writing)
        sys.exit(_ChildProcess(child).code(reading))
    os.close(reading)
    _run_and_tell(run, parent, lambda code: os.write(writing, code))


def _run_and_tell(run: Callable[[], Any], parent: int, tell: Callable[[bytes], Any]) -> None:
    follow(parent, lambda: os.kill(os.getpid(), signal.SIGTERM))
    try:
        run()  # which listens to signals again
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else FAILED
        with suppress(OSError):  # the parent was killed
            tell(bytes([code]))
        raise


def _code_of_child(status: int, reported: bytes) -> int:
    """Return the exit code that a process reported; otherwise say that there is no answer."""
    if reported and reported[0] == status:
        return status
    how = f"ended by itself with code {status}"
    if status < 0:
        how = f"was ended by signal {-status}"
    say(f"the process {how} before it had an answer; nothing was decided")
    return FAILED


class _ChildProcess:
    """The child process, and the signal that it was asked to end by."""

    def __init__(self, child: int) -> None:
        self._child = child
        self._asked: int | None = None
        for signal_ in SIGNALS:
            signal.signal(signal_, self._pass_on)
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
        """Wait for the child, and return the exit code of the command."""
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        ignore_signals()
        os.set_blocking(reading, False)  # a grandchild may hold the other end
        try:
            reported = os.read(reading, 1)
        except BlockingIOError:
            reported = b""
        if status == UNDECIDED and reported == bytes([UNDECIDED]):
            return UNDECIDED  # an interrupted run may have an answer so far, which passes no gate
        if self._asked is not None:
            return self._code_of_signal(is_reported=status > 128 and reported == bytes([status]))
        return _code_of_child(status, reported)

    def _code_of_signal(self, *, is_reported: bool) -> int:
        """Return the exit code of the signal that the parent received."""
        if not is_reported:
            note(interruption_message())
        return 128 + (self._asked or 0)

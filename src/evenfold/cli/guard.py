"""
A gate is asked in a process of its own, so that only an answer passes.

Own code that runs inside the process can end it at once, with exit code 0 (``os._exit(0)``, or a library that
crashes politely). So the process tells its parent the exit code through a pipe when it has come to its end;
without that word nothing was decided. Code that wants to deceive can still do so: this is against accidents.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from evenfold.cli.output import FAILED, say


def guarded(run: Callable[[], Any]) -> None:
    """Call ``run``, which exits, in a child process and exit with the code that it tells."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        sys.exit(_code(child, reading))
    os.close(reading)
    try:
        run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else FAILED
        os.write(writing, bytes([code]))
        raise


def _code(child: int, reading: int) -> int:
    """Wait for the child and return what it told, if it ended with that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to the child as well
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.set_blocking(reading, False)  # a grandchild may hold the other end
    try:
        told = os.read(reading, 1)
    except BlockingIOError:
        told = b""
    if told and told[0] == status:
        return status
    how = f"was ended by signal {-status}" if status < 0 else f"ended by itself with code {status}"
    say(f"the process {how} before it had an answer; nothing was decided")
    return FAILED

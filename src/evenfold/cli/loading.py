"""
Ctrl-C while the command is being loaded: one line, and the exit code of the signal.

Every module that this file imports delays the moment from which Ctrl-C is answered in one line, so
it imports only what Python itself has loaded by then.
"""

import os
import signal
import sys

_GO_ON = (
    "Finished fits are in the store. Give the same command again, with the same --seed, to "
    "continue."
)
_NOTHING_KEPT = (
    "Nothing is kept. With --store runs.db and --seed 0 the same command could continue."
)
_COMMANDS = ("evenfold", "__main__", "-m", "-c")


def interruption_message() -> str:
    """
    Say in one line what is kept and how to go on.

    The command's words tell whether there is a store.
    """
    stored = any(word == "--store" or word.startswith("--store=") for word in sys.argv)
    return f"evenfold: interrupted. {_GO_ON if stored else _NOTHING_KEPT}"


def leave_at_once(signum: int) -> None:
    """Say that the command was interrupted, and end the process."""
    os.write(2, f"{interruption_message()}\n".encode())
    os._exit(128 + signum)


def listen_while_loading() -> None:
    """
    Let Ctrl-C end the command in one line while libraries are loaded.

    Other programs are left alone.
    """
    program = os.path.basename(sys.argv[0] if sys.argv else "")  # noqa: PTH119  (pathlib takes long to load)
    name = program.partition(".")[0]
    if name in _COMMANDS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        try:
            signal.signal(signal.SIGINT, lambda signum, _: leave_at_once(signum))
        except ValueError:  # another thread than the first loads the command
            return

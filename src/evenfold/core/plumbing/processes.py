"""Processes that belong together: what is started by another one ends soon after it."""

import os
from collections.abc import Callable
from threading import Thread
from time import sleep

_WATCH_SECONDS = 1.0


def follow(parent: int, leave: Callable[[], None]) -> None:
    """Call ``leave``, in a thread of its own, soon after the parent of this process has gone."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_WATCH_SECONDS)
        leave()

    Thread(target=watch, name="evenfold-parent", daemon=True).start()

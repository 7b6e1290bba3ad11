"""Progress: a bar on terminals and in notebooks, ``logging`` elsewhere."""

import logging
import sys
from time import monotonic
from typing import Any, Protocol

log = logging.getLogger("evenfold.run")

_LOG_SECONDS = 30.0


class Progress(Protocol):
    """Told of every cell that becomes known."""

    def expect(self, cells: int) -> None: ...
    def step(self, *, failed: bool = False, reused: int = 0) -> None: ...
    def close(self) -> None: ...


class _Counts:
    """What both kinds of progress count."""

    def __init__(self) -> None:
        self.total = self.done = self.failed = self.reused = 0

    def expect(self, cells: int) -> None:
        self.total += cells

    def step(self, *, failed: bool = False, reused: int = 0) -> None:
        self.done += reused or 1
        self.failed += failed
        self.reused += reused

    def __str__(self) -> str:
        return f"{self.done} of {self.total} cells, {self.failed} failed, {self.reused} reused"


class Logged(_Counts):
    """Says at INFO, every half minute and at the end, how far the run is."""

    def __init__(self) -> None:
        super().__init__()
        self._said = monotonic()

    def step(self, *, failed: bool = False, reused: int = 0) -> None:
        super().step(failed=failed, reused=reused)
        if (now := monotonic()) - self._said > _LOG_SECONDS:
            self._said = now
            log.info("%s", self)

    def close(self) -> None:
        log.info("%s", self)


class Bar(_Counts):
    """A rich bar: cells done, failed, reused, time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Rich

        super().__init__()
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(),
        )
        self._rich: Any = Rich(*columns, console=Console(stderr=True), transient=True)
        self._task = self._rich.add_task("cells", total=0)
        self._rich.start()

    def expect(self, cells: int) -> None:
        super().expect(cells)
        self._rich.update(self._task, total=self.total)

    def step(self, *, failed: bool = False, reused: int = 0) -> None:
        super().step(failed=failed, reused=reused)
        text = f"cells, {self.failed} failed, {self.reused} reused"
        self._rich.update(self._task, completed=self.done, description=text)

    def close(self) -> None:
        self._rich.stop()


def watch(progress: bool | None) -> Progress:
    """Return the bar where somebody looks (or where it is asked for), and the log elsewhere."""
    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    return Bar() if progress else Logged()

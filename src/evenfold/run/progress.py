"""
Progress: one bar on terminals and in notebooks, lines where asked for, ``logging`` elsewhere.

Nothing is shown where nobody looks: as a library, and in scripts whose output goes to a file, the
logger ``evenfold.run`` is told at INFO, and that is silent unless somebody listens.
"""

import logging
import sys
from collections.abc import Callable
from time import monotonic
from typing import Any, Protocol

from evenfold.core.words import seconds

log = logging.getLogger("evenfold.run")

_LINE_SECONDS = 30.0
_WORTH_SAYING = 5.0  # seconds
_DRAW_SECONDS = 0.1  # between two pictures in a notebook


class Progress(Protocol):
    """Told of every fit that becomes known."""

    def expect(self, cells: int) -> None: ...
    def aim(self, then: str, *, most: int, so_far: str = "") -> None: ...
    def step(self, *, failed: bool = False, reused: int = 0) -> None: ...
    def close(self) -> None: ...


class _Counts:
    """What all kinds of progress count, and the words for it."""

    def __init__(self, of: str) -> None:
        self.of = of
        self.wanted = self.done = self.failed = self.reused = 0
        self.most: int | None = None
        self.then = ""
        self.so_far = ""
        self._since = monotonic()

    @property
    def time_left(self) -> str:
        """How long the rest will take at this rate, at most where a run may stop early."""
        fitted = self.done - self.reused
        if fitted < 1 or self.done >= self.total:
            return ""
        left = (monotonic() - self._since) / fitted * (self.total - self.done)
        if left < _WORTH_SAYING:
            return ""
        most = "about" if self.most is None else "at most about"
        return f", {most} {seconds(left)} left"

    @property
    def total(self) -> int:
        """What there will be at most."""
        return max(self.most or 0, self.wanted)

    def expect(self, cells: int) -> None:
        self.wanted += cells

    def aim(self, then: str, *, most: int, so_far: str = "") -> None:
        """Say what is known so far, what comes next, and how many cells there will be at most."""
        self.then = then
        self.most = most
        self.so_far = so_far

    def step(self, *, failed: bool = False, reused: int = 0) -> None:
        self.done += reused or 1
        self.failed += failed
        self.reused += reused

    def __str__(self) -> str:
        least = "" if self.most is None else "at most "
        words = [f"{self.done} of {least}{self.total} {self.of}"]
        if self.so_far:
            words.append(self.so_far)
        if self.then:
            words.append(f"next {self.then}")
        if self.failed:
            words.append(f"{self.failed} failed")
        if self.reused:
            words.append(f"{self.reused} reused")
        return ", ".join(words)


class Lines(_Counts):
    """Says at every look, every half minute and at the end how far the run is."""

    def __init__(self, of: str, tell: Callable[[str], None]) -> None:
        super().__init__(of)
        self._tell = tell
        self._told = monotonic()

    def aim(self, then: str, *, most: int, so_far: str = "") -> None:
        super().aim(then, most=most, so_far=so_far)
        self._tell(str(self))

    def step(self, *, failed: bool = False, reused: int = 0) -> None:
        super().step(failed=failed, reused=reused)
        if (now := monotonic()) - self._told > _LINE_SECONDS:
            self._told = now
            self._tell(f"{self}{self.time_left}")

    def close(self) -> None:
        self.then = ""
        self.so_far = ""
        self._tell(str(self))


class Bar(_Counts):
    """A rich bar on a terminal that goes away at the end."""

    def __init__(self, of: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Rich

        super().__init__(of)
        words = TextColumn("{task.description}", markup=False)
        columns = (BarColumn(), words, TimeRemainingColumn())
        self._rich: Any = Rich(*columns, console=Console(stderr=True), transient=True)
        self._task = self._rich.add_task("", total=0)
        self._rich.start()

    def expect(self, cells: int) -> None:
        super().expect(cells)
        self._show()

    def aim(self, then: str, *, most: int, so_far: str = "") -> None:
        super().aim(then, most=most, so_far=so_far)
        self._show()

    def step(self, *, failed: bool = False, reused: int = 0) -> None:
        super().step(failed=failed, reused=reused)
        self._show()

    def _show(self) -> None:
        self._rich.update(self._task, total=self.total, completed=self.done, description=str(self))

    def close(self) -> None:
        self._rich.stop()


class NotebookBar(_Counts):
    """
    A bar in the cell of a notebook that ends as one line of text.

    The page's own ``<progress>``: rich would need ``ipywidgets``, and warns at every step where
    they are not.
    """

    def __init__(self, of: str) -> None:
        from IPython import display

        super().__init__(of)
        self._drawn = monotonic()
        shown: Any = display  # has no types
        self._handle: Any = shown.display(self._picture(), raw=True, display_id=True)

    def aim(self, then: str, *, most: int, so_far: str = "") -> None:
        super().aim(then, most=most, so_far=so_far)
        self._handle.update(self._picture(), raw=True)

    def step(self, *, failed: bool = False, reused: int = 0) -> None:
        super().step(failed=failed, reused=reused)
        if (now := monotonic()) - self._drawn > _DRAW_SECONDS:
            self._drawn = now
            self._handle.update(self._picture(), raw=True)

    def _picture(self) -> dict[str, str]:
        bar = f'<progress value="{self.done}" max="{max(self.total, 1)}"></progress>'
        return {"text/plain": str(self), "text/html": f"{bar} {self}{self.time_left}"}

    def close(self) -> None:
        self.then = ""
        self.so_far = ""
        self._handle.update({"text/plain": str(self)}, raw=True)


def watch(progress: bool | None, *, of: str = "fits") -> Progress:
    """
    Return the bar where somebody looks, lines where asked for, and the log elsewhere.

    The integers of scikit-learn's ``verbose`` are understood too: 0 asks for nothing, others do.
    """
    notebook = _in_notebook()
    looked_at = notebook or sys.stderr.isatty()
    wanted = looked_at if progress is None else progress
    if not wanted:
        return Lines(of, log.info)
    if not looked_at:
        return Lines(of, lambda line: print(line, file=sys.stderr, flush=True))
    if notebook:
        return NotebookBar(of)
    return Bar(of)


def _in_notebook() -> bool:
    """Whether the code runs in a cell: only kernels can display."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")

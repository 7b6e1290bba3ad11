"""
Progress: one bar on terminals and in notebooks, lines where asked for, ``logging`` elsewhere.

In scripts whose output goes to a file, and inside other programs, nothing is shown. The logger
``evenfold.run`` gets the same lines at level INFO, and it is silent unless it is configured.
"""

import logging
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from time import monotonic
from typing import Any

from evenfold.core.words import seconds

log = logging.getLogger("evenfold.run")

_LINE_SECONDS = 30.0
_WORTH_SAYING = 5.0  # seconds
_DRAW_SECONDS = 0.1  # between two pictures in a notebook


class Progress(ABC):
    """Counts the fits that are wanted and known, and shows how far a run is."""

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
        self._show()

    def aim(self, then: str, *, most: int, so_far: str = "") -> None:
        """Say what is known so far, what comes next, and how many cells there will be at most."""
        self.then = then
        self.most = most
        self.so_far = so_far
        self._show(at_once=True)

    def step(self, *, failed: bool = False, reused: int = 0) -> None:
        self.done += reused or 1
        self.failed += failed
        self.reused += reused
        self._show()

    @abstractmethod
    def _show(self, *, at_once: bool = False) -> None:
        """Show how far the run is, if it is time for that."""

    @abstractmethod
    def close(self) -> None:
        """Show the end."""

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


class Lines(Progress):
    """Says at every look, every half minute and at the end how far the run is."""

    def __init__(self, of: str, tell: Callable[[str], None]) -> None:
        super().__init__(of)
        self._tell = tell
        self._told = monotonic()

    def _show(self, *, at_once: bool = False) -> None:
        now = monotonic()
        if at_once:
            self._tell(str(self))
        elif now - self._told > _LINE_SECONDS:
            self._tell(f"{self}{self.time_left}")
        else:
            return
        self._told = now

    def close(self) -> None:
        self.then = ""
        self.so_far = ""
        self._tell(str(self))


class Bar(Progress):
    """A bar of rich on a terminal, which disappears at the end."""

    def __init__(self, of: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        super().__init__(of)
        words = TextColumn("{task.description}", markup=False)
        columns = (BarColumn(), words, TimeRemainingColumn())
        self._rich: Any = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._rich.add_task("", total=0)
        self._rich.start()

    def _show(self, *, at_once: bool = False) -> None:  # noqa: ARG002  (rich draws by itself)
        self._rich.update(self._task, total=self.total, completed=self.done, description=str(self))

    def close(self) -> None:
        self._rich.stop()


class NotebookBar(Progress):
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

    def _show(self, *, at_once: bool = False) -> None:
        now = monotonic()
        if at_once or now - self._drawn > _DRAW_SECONDS:
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
    Return a bar on a terminal or in a notebook, lines where they are asked for, else the log.

    The integers of scikit-learn's ``verbose`` are understood too: 0 asks for nothing, others do.
    """
    notebook = _in_notebook()
    is_interactive = notebook or sys.stderr.isatty()
    wanted = is_interactive if progress is None else progress
    if not wanted:
        return Lines(of, log.info)
    if not is_interactive:
        return Lines(of, lambda line: print(line, file=sys.stderr, flush=True))
    if notebook:
        return NotebookBar(of)
    return Bar(of)


def _in_notebook() -> bool:
    """Whether the code runs in a cell: only kernels can display."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")

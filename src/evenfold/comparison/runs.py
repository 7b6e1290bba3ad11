"""``runs``: what a store holds, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from html import escape
from pathlib import Path
from typing import Any, overload

from evenfold.comparison.answer import limits
from evenfold.comparison.compare import reopen
from evenfold.comparison.result import Comparison
from evenfold.core.environment import require
from evenfold.core.errors import EvenfoldError, StoreError
from evenfold.core.words import align_columns, count, interval, join_words, one_line, precision
from evenfold.run.records.records import Headline, describe_stored_runs
from evenfold.verdict import Outcome

_FEW = 4  # names that a row shows


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class StoredRun:
    """
    One run of a store.

    ``id`` is how :func:`evenfold.reopen` finds it, ``verdict`` what that says of it, in short;
    ``when`` is the time (UTC) at which it was finished (begun, if it never was), ``data`` and
    ``design`` how many examples there were and how they were cut.
    """

    id: str
    when: str
    algorithms: tuple[str, ...]
    measures: tuple[str, ...]
    data: str
    design: str
    verdict: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table."""
        return (
            self.id,
            self.when,
            _list_few(self.algorithms),
            _list_few(self.measures),
            self.data,
            self.design,
            self.verdict,
        )


class Runs(Sequence[StoredRun]):
    """The runs of a store, the oldest first; prints as a table."""

    header = tuple(one.name for one in fields(StoredRun))

    def __init__(self, runs: Sequence[StoredRun]) -> None:
        self._runs = tuple(runs)

    @overload
    def __getitem__(self, at: int) -> StoredRun: ...
    @overload
    def __getitem__(self, at: slice) -> "Runs": ...
    def __getitem__(self, at: int | slice) -> "StoredRun | Runs":
        if isinstance(at, slice):
            return Runs(self._runs[at])
        return self._runs[at]

    def __len__(self) -> int:
        return len(self._runs)

    def __str__(self) -> str:
        if not self:
            return "no runs"
        lines = align_columns(
            [self.header, *(run.cells for run in self)], [False] * len(self.header)
        )
        return "\n".join("  ".join(line).rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        rows = "".join(row(run.cells, "td") for run in self)
        return f"<table>{row(self.header, 'th')}{rows}</table>"

    def to_frame(self) -> Any:
        """Return a pandas frame with one row per run."""
        require("pandas", "to_frame()")
        import pandas as pd

        return pd.DataFrame([{name: getattr(run, name) for name in self.header} for run in self])


def runs(store: str | Path) -> Runs:
    """
    List the runs of a store: id, when, algorithms, measures, data, design and verdict.

    Parameters
    ----------
    store : path or URL
        As in :func:`evenfold.compare`.

    Returns
    -------
    Runs
        A sequence that prints as a table; each has the ``id`` with which :func:`evenfold.reopen`
        answers again, and nothing is fitted. The verdicts are those of ``reopen`` with its
        defaults. A run that was killed, or is still under way, is *unfinished*: the same call goes
        on with it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import evenfold as ef
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> two = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    >>> with TemporaryDirectory() as folder:
    ...     c = ef.compare(
    ...         two, *load_iris(return_X_y=True), random_state=0, store=f"{folder}/runs.db"
    ...     )
    ...     found = ef.runs(f"{folder}/runs.db")
    >>> found[0].algorithms, found[0].data, found[0].verdict
    (('dummy', 'bayes'), '150 examples', 'bayes better than dummy')
    """
    return Runs(
        [_describe_run(store, key, about) for key, about in describe_stored_runs(store).items()]
    )


def _describe_run(store: str | Path, key: str, about: Headline | StoreError) -> StoredRun:
    if isinstance(about, StoreError):
        return StoredRun(
            id=one_line(key),
            when="",
            algorithms=(),
            measures=(),
            data="",
            design="",
            verdict=one_line(f"none: {about}"),
        )
    return StoredRun(
        id=key,
        when=about.created.replace("T", " ")[:16],
        algorithms=tuple(map(one_line, about.algorithms)),
        measures=tuple(one_line(one.name) for one in about.measures),
        data=count(about.partition.n, "example"),
        design=one_line(about.partition.kind),
        verdict="unfinished" if about.unfinished else _verdict(store, key),
    )


def _verdict(store: str | Path, key: str) -> str:
    try:
        return _short_answer(reopen(store, key))
    except EvenfoldError as reason:  # what cannot be judged without more words is still a run
        return one_line(f"none: {reason}")


def _short_answer(c: Comparison) -> str:
    if c.facts.candidates:
        best = [one_line(one.name) for one in c.facts.candidates if one.among_best]
        if best:
            return f"may be best: {_list_few(best)}"
        return f"first: {one_line(c.facts.candidates[0].name)}"
    pair = c.pairs[0]
    a = pair.baseline
    b = pair.challenger
    if a is None or pair.verdict is None:
        value, low, high = limits(c.estimate)
        return one_line(f"{b}: {interval(low, high, digits=precision(value, low, high))}")
    said = pair.verdict.outcome
    if said in (Outcome.INCONCLUSIVE, Outcome.NOT_APPLICABLE):
        return one_line(f"{said}: {a}, {b}")
    return one_line(f"{b} {said} {'to' if said is Outcome.EQUIVALENT else 'than'} {a}")


def _list_few(names: Sequence[str]) -> str:
    rest = len(names) - _FEW
    if rest <= 0:
        return join_words(names)
    return f"{', '.join(names[:_FEW])} and {rest} more"

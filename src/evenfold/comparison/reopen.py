"""Answers again: from a JSON file, from a run of a store, and which runs a store has."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, overload

from evenfold import run as running
from evenfold.comparison.across import AcrossDataSets
from evenfold.comparison.answer import limits, which_pairs
from evenfold.comparison.board import Board
from evenfold.comparison.compare import replay_looks
from evenfold.comparison.gather import judge_measures
from evenfold.comparison.request import MOST, Criteria, Judgement, question_of, remaining_quantity
from evenfold.comparison.result import Comparison
from evenfold.core.checks import integer, one_of, refuse
from evenfold.core.environment import require
from evenfold.core.errors import EvenfoldError, StoreError
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.board import BoardFacts
from evenfold.core.json import LARGEST_BYTES, build, read
from evenfold.core.losses import Losses
from evenfold.core.partition import MX2_BCV
from evenfold.core.words import align_columns, count, interval, join_words, one_line, precision
from evenfold.infer import methods, recommended
from evenfold.run.records import Headline, describe_stored_runs, unreadable
from evenfold.verdict import Outcome

_PIECE = 2**20  # bytes


def load(path: str | Path) -> Comparison | AcrossDataSets | Board:
    """
    Read an answer from the JSON file that ``to_json`` wrote.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Comparison, AcrossDataSets or Board
        As it was written, but for the values of single examples.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import evenfold as ef
    >>> c = ef.judge(
    ...     {"main": [1, 0, 0, 1], "branch": [1, 1, 1, 1]}, rows="examples", measure="accuracy"
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     _ = c.to_json(f"{folder}/c.json")
    ...     again = ef.load(f"{folder}/c.json")
    >>> (
    ...     str(again) == str(c),
    ...     again.estimate.confidence_interval() == c.estimate.confidence_interval(),
    ... )
    (True, True)
    """
    try:
        with Path(path).open("rb") as file:  # in pieces: what is no plain file may have no end
            pieces = list(islice(iter(lambda: file.read(_PIECE), b""), LARGEST_BYTES // _PIECE + 1))
    except (OSError, TypeError, ValueError) as reason:
        refuse("path", "a file that can be read", path, one_line(reason))
    found = read(b"".join(pieces))
    if found.get("evenfold") == AcrossFacts.schema:
        return AcrossDataSets.from_json(found)
    if found.get("evenfold") == BoardFacts.schema:
        return Board.from_json(found)
    return Comparison.from_json(found)


def reopen(
    store: str | Path,
    run_id: str,
    *,
    measure: str | None = None,
    method: str | None = None,
    most: int | None = None,
    margin: float | None = None,
    level: float | None = None,
    alternative: str | None = None,
    baseline: str | None = None,
    adjust: str | None = None,
    question: str | None = None,
) -> Comparison:
    """
    Judge a stored run again, without its data and without a fit.

    What is not said is as in the comparison that made the run, so that its answer is given again.

    Parameters
    ----------
    store, run_id
        Where the run is, and its id; see :func:`evenfold.run.load`.
    measure : str, optional
        One of the run's measures, the first by default; or another by its name, where the store has
        the predictions that it needs (it says so where it has not).
    method, margin, level, alternative, baseline, adjust
        As in :func:`compare`.
    question : {"pairs", "best"}, optional
        As in :func:`compare`; if not said, the one that the run was made for.
    most : int, optional
        The repetitions the run might have taken where it stopped early; of runs that do not say it
        9.
    """
    if most is not None:
        integer("most", most, low=1)
    if method is not None:
        one_of("method", method, methods())
    changed: dict[str, Any] = {
        "margin": margin,
        "level": level,
        "alternative": alternative,
        "adjust": adjust,
    }
    # before a look
    Criteria(**{name: value for name, value in changed.items() if value is not None})
    done = running.load(store, run_id, measure=measure)
    if baseline is not None:
        one_of("baseline", baseline, done.algorithms)
    before = build(Judgement, dict(done.note))  # the usual where the run does not say it
    first = next(iter(done))
    name = measure or first
    criteria = before.criteria_with(**changed, baseline=baseline, question=question)
    if question is None:
        criteria = replace(criteria, question=question_of(done[name], criteria))
    criteria.check_adjustment(len(done.algorithms))
    criteria.check_margin(done[name].quantity)
    rule = _rule_of_stored_run(done[name], criteria, method, most, before)
    pairs = which_pairs(done.algorithms, criteria.baseline)
    # judged at the end alone
    as_before = method is None and name in before.methods and name != first
    looked = rule.most is not None and not as_before
    watch = None
    if looked:
        watch = replay_looks(done[name], rule, pairs)
    call = f"evenfold report {run_id} --method {rule.method}"
    return judge_measures(
        [done[name]],
        [rule],
        pairs,
        run=done,
        design=str(done.partition.kind),
        call=call,
        watch=watch,
        strict=not done[name].failed,
    )


def _rule_of_stored_run(
    losses: Losses, criteria: Criteria, method: str | None, most: int | None, before: Judgement
) -> Criteria:
    """
    Return how a stored run is judged: as before, where its method still has what it needs.

    Of a run that does not say it, it may be that it stopped early, after which a test of fixed size
    is not valid: one that looks is. Where its repetitions are none of the looks it did not stop at
    one, and all of them are judged at once.
    """
    m = len(losses.partition) // 2
    kind = losses.partition.kind
    quantity = remaining_quantity(losses)
    known = before.methods.get(losses.measure)
    whole = quantity.per_example == losses.quantity.per_example
    if method is None and known in methods() and known is not None and whole:
        at_most = None
        if methods()[known].sequential:
            at_most = most or before.most
        return replace(criteria, method=known, most=at_most)
    key = method or recommended(kind, measure=quantity)
    if before.methods and before.most is None:  # of a fixed size: all looks were to come
        looks = methods()[key].sequential and kind == MX2_BCV and m > methods()[key].looks[0]
        return replace(criteria, method=key, most=m if looks else None)
    if method is None and kind == MX2_BCV and len(losses.algorithms) > 1:
        looking = recommended(kind, measure=quantity, sequential=True)
        at_most = max(most or before.most or MOST, m)
        if m in methods()[looking].looks_to(at_most):
            key = looking
    last = max(most or before.most or MOST, m)
    return replace(criteria, method=key, most=last if methods()[key].sequential else None)


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
    except Exception as reason:  # a damaged run must not hide the others
        return one_line(f"none: {unreadable(key, reason)}")


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

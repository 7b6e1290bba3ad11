"""Give an answer again, from a JSON file or a run of a store, and list the runs of a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, overload

from evenfold import run as running
from evenfold.comparison.across import AcrossDataSets
from evenfold.comparison.gather import comparison_of, replay_looks
from evenfold.comparison.request import Judgement
from evenfold.comparison.result import AnswerBase, Comparison
from evenfold.core.checks import integer, one_of, refuse, short_repr, understands_synonyms
from evenfold.core.environment import require
from evenfold.core.errors import EvenfoldError, NotApplicable, StoreError
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.json import LARGEST_BYTES, build, read
from evenfold.core.losses import Losses
from evenfold.core.partition import MX2_BCV
from evenfold.core.registry import Registry
from evenfold.core.words import align_columns, count, interval, join_words, one_line, precision
from evenfold.infer import methods, recommended
from evenfold.infer.family import Criteria, limits, remaining_quantity
from evenfold.infer.halves.stable import FEWEST
from evenfold.infer.naming import is_replaced, require_method
from evenfold.report.words.verdict import short_answer
from evenfold.run.records import Headline, describe_stored_runs, unreadable

_PIECE = 2**20  # bytes

# Answers that are no comparison, by what their files say in the place of a schema's number.
ANSWERS: Registry[Any] = Registry("answer", "evenfold.answers")
ANSWERS.add(AcrossFacts.schema, AcrossDataSets)


def load(path: str | Path) -> Comparison | AcrossDataSets | AnswerBase:
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
        refuse(
            "path",
            f"path must be a file that can be read but got {short_repr(path)}.",
            one_line(reason),
        )
    plain = read(b"".join(pieces))
    schema = plain.get("evenfold")
    if isinstance(schema, str) and schema in ANSWERS:
        answer: AnswerBase = ANSWERS[schema].from_json(plain)
        return answer
    return Comparison.from_json(plain)


@understands_synonyms
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
    most : int, optional
        The repetitions that the run might have taken; if it is not given, what the run says.
    """
    if most is not None:
        integer("most", most, low=1)
    if method is not None:
        require_method(method)
    keywords = {"margin": margin, "level": level, "alternative": alternative, "adjust": adjust}
    changed: dict[str, Any] = {name: value for name, value in keywords.items() if value is not None}
    Criteria(**changed)  # refused before the store is opened
    done = running.load(store, run_id, measure=measure)
    if baseline is not None:
        changed["baseline"] = one_of("baseline", baseline, done.algorithms)
    _refuse_race(done.note)
    before = build(Judgement, dict(done.note))  # defaults where the run does not say it
    name = measure or next(iter(done))
    criteria = replace(before.asked, **changed)
    criteria.check_adjustment(len(done.algorithms))
    criteria.check_margin(done[name].quantity)
    rule = _rule_of_stored_run(
        done[name], criteria.with_pairs_of(done.algorithms), method, most, before
    )
    watch = None
    if rule.most is not None:
        watch = replay_looks(done[name], rule)
    call = f"evenfold report {run_id} --method {rule.method}"
    return comparison_of(
        [done[name]],
        [rule],
        run=done,
        design=str(done.partition.kind),
        call=call,
        watch=watch,
        strict=not done[name].failures,
    )


def _refuse_race(note: Mapping[str, Any]) -> None:
    """Refuse a run in which beaten algorithms were left out, as version 0.2 could."""
    criteria = note.get("asked")
    if isinstance(criteria, Mapping) and criteria.get("question") == "best":
        raise NotApplicable(
            "This run is a race (question='best') of version 0.2, which no longer exists. Call "
            "compare without question and with the same store to continue the run."
        )


def _rule_of_stored_run(
    losses: Losses, criteria: Criteria, method: str | None, most: int | None, before: Judgement
) -> Criteria:
    """Return how a stored run is judged: as before, where its method still has what it needs."""
    m = len(losses.partition) // 2
    kind = losses.partition.kind
    quantity = remaining_quantity(losses)
    known = before.methods.get(losses.measure)
    whole = quantity.per_example == losses.quantity.per_example
    last = most or before.most
    if method is None and is_replaced(known):
        if m < FEWEST:
            raise NotApplicable(
                f"This run was stopped after {m} repetitions by a test of version 0.2 that no "
                "longer exists. Call compare as before with the same store to continue the run."
            )
        return replace(criteria, method=recommended(kind, measure=quantity), most=max(last or m, m))
    key = method
    if key is None and known in methods() and whole:
        key = known
    if key is None:
        key = recommended(kind, measure=quantity)
    if kind != MX2_BCV or not methods()[key].looks or (last is None and before.methods):
        return replace(criteria, method=key)
    return replace(criteria, method=key, most=max(last or m, m))


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

    header = tuple(field.name for field in fields(StoredRun))

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
        measures=tuple(one_line(measure.name) for measure in about.measures),
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
        best = [
            one_line(candidate.name) for candidate in c.facts.candidates if candidate.among_best
        ]
        if best:
            return f"may be best: {_list_few(best)}"
        return f"first: {one_line(c.facts.candidates[0].name)}"
    pair = c.pairs[0]
    a = pair.baseline
    b = pair.challenger
    if a is None or pair.verdict is None:
        value, low, high = limits(c.estimate)
        return one_line(f"{b}: {interval(low, high, digits=precision(value, low, high))}")
    return one_line(short_answer(pair.verdict.outcome, a, b))


def _list_few(names: Sequence[str]) -> str:
    rest = len(names) - _FEW
    if rest <= 0:
        return join_words(names)
    return f"{', '.join(names[:_FEW])} and {rest} more"

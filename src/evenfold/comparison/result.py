"""What a comparison returns: the verdict, what is behind it, and all forms to show it in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from evenfold.core.checks import did_you_mean, is_integer, one_of, refuse, short_repr
from evenfold.core.environment import is_installed
from evenfold.core.errors import EvenfoldError, InvalidInput, NotApplicable
from evenfold.core.estimate import UnreadableEstimate
from evenfold.core.facts.answers import Candidate, Flips, Pair
from evenfold.core.facts.card import require_card
from evenfold.core.facts.comparison import Facts
from evenfold.core.facts.plain import AS_WRITTEN, require_same, require_sense, require_table
from evenfold.core.inputs import TASK
from evenfold.core.json import from_typed, read, to_typed
from evenfold.core.json import write_json as as_json
from evenfold.core.losses import Failure, Losses
from evenfold.core.note import WRITTEN, Note
from evenfold.core.partition import Partition
from evenfold.core.verdict import Outcome, PairResult, Verdict
from evenfold.core.words import csv_cell, one_line
from evenfold.infer.family import NOT_WORSE, outcome_of


class AnswerBase:
    """Every form that an answer can be shown in; a base of answers, which have ``facts``."""

    __slots__ = ()

    facts: Any

    def to(self, key: str, path: str | Path | None = None, **options: Any) -> Any:
        """
        Return the answer in a format of ``ef.report.formats()``, and write it to ``path`` if given.

        Formats of other packages are found by their key.
        """
        from evenfold.report import formats

        if key in formats() and not options and hasattr(self, f"to_{key}"):
            return write_if_path(getattr(self, f"to_{key}")(), path)
        return self._write_format(key, path, **options)

    def __str__(self) -> str:
        return str(self._write_format("text"))

    def _write_format(self, key: str, path: str | Path | None = None, **options: Any) -> Any:
        from evenfold.report import formats

        return write_if_path(formats()[key].write(self.facts, **options), path)

    @property
    def details(self) -> str:
        """The answer as ``print`` shows it, with method, design and a sentence for every pair."""
        return str(self._write_format("text", details=True))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What must be said beside the answer; each has a ``code``, and ``str`` gives its words."""
        return tuple(self.facts.notes)

    def to_frame(self) -> Any:
        """Return a pandas frame with one row per pair."""
        return self._write_format("frame")

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the tables in Markdown, and write them to ``path`` if given."""
        return str(self._write_format("markdown", path))

    def to_latex(self, path: str | Path | None = None, **options: Any) -> str:
        """Return a booktabs table (``full=False``: only rows); write it to ``path`` if given."""
        return str(self._write_format("latex", path, **options))

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the report as one self-contained page, and write it to ``path`` if given."""
        return str(self._write_format("html", path))

    def plot(self) -> Any:
        """Return a matplotlib figure that shows the answer."""
        from evenfold.report import plot

        return plot(self.facts)

    def save(self, path: str | Path) -> Path:
        """
        Write the answer to a file, in the form that its name ends with.

        ``.json`` is read again by :func:`evenfold.load`; ``.html``, ``.md``, ``.tex`` and ``.txt``
        are reports, ``.csv`` is the table of pairs, ``.png``, ``.svg`` and ``.pdf`` are the figure.
        """
        from evenfold.report import formats

        file = Path(path)
        texts = {form.suffix: key for key, form in reversed([*formats().items()]) if form.suffix}
        kind = file.suffix.lower()
        endings = [*texts, _TABLE, *_FIGURES]
        if kind not in endings:
            refuse("path", f"path must end with {', '.join(endings)} but got {short_repr(path)}.")
        if kind in texts:
            self.to(texts[kind], file)
        elif kind == _TABLE:
            write_if_path(self.to_frame().map(csv_cell).to_csv(index=False), file)
        else:
            _save_figure(self.plot(), file)
        return file


_CALLED_HERE = {
    **dict.fromkeys(("p", "p_value", "pval", "p_val"), "pvalue"),
    **dict.fromkeys(("ci", "conf_int", "confidence_interval"), "interval"),
    **dict.fromkeys(("effect", "diff", "difference", "mean_difference", "effect_size"), "value"),
    **dict.fromkeys(("statistic", "stat", "standard_error", "se", "df"), "estimate"),
    **dict.fromkeys(("outcome", "decision", "significant"), "verdict.outcome"),
    **dict.fromkeys(("table", "results", "summary"), "to_frame() or print"),
    "to_csv": "save('comparison.csv')",
    "algorithms": "losses.algorithms",
    **{name: f"facts.{name}" for name in ("level", "margin", "alternative", "baseline")},
}
"""What other libraries call the parts of an answer, and what they are called here."""


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class Comparison(AnswerBase):
    """
    The answer to "is B better than A?", for one pair or for many.

    Attributes
    ----------
    pairs : tuple of PairResult
        Every question with its estimate and verdict.
    losses : Losses
        The measure of every algorithm on every split.
    facts : Facts
        Everything a report says, as one plain value.
    others : tuple of Comparison
        The same about each further measure that was asked for; ``c["log"]`` is one of them.

    Examples
    --------
    Print it, ask ``verdict`` and ``estimate``, or write it with ``to_html``.
    """

    pairs: tuple[PairResult, ...]
    losses: Losses
    facts: Facts
    others: "tuple[Comparison, ...]" = ()

    @overload
    def __getitem__(self, key: str) -> "Comparison": ...
    @overload
    def __getitem__(self, key: tuple[str, str]) -> PairResult: ...
    def __getitem__(self, key: str | tuple[str, str]) -> "Comparison | PairResult":
        """Return the answer about a measure, ``c["log"]``, or a pair, ``c["tree", "knn"]``."""
        if isinstance(key, tuple):
            return self._pair(*key)
        if is_integer(key):
            refuse(
                "c",
                f"c[…] takes the name of a measure or a pair of names but got {short_repr(key)}.",
                f"Use c.pairs[{key}].",
            )
        each = {answer.losses.measure: answer for answer in (self, *self.others)}
        return each[one_of("measure", key, each)]

    def _pair(self, *names: str) -> PairResult:
        """Return B compared with A, also where A was compared with B."""
        from evenfold.comparison.pair import turn_pair

        if len(names) != 2:
            refuse("pair", f"pair must be two names but got {short_repr(names)}.")
        a, b = (one_of("algorithm", name, self.losses.algorithms) for name in names)
        if a == b:
            refuse("pair", f"pair must be two different names but got {a!r} twice.")
        for pair in self.pairs:
            if (pair.baseline, pair.challenger) == (a, b):
                return pair
            if (pair.baseline, pair.challenger) == (b, a):
                return turn_pair(
                    pair, self.losses.quantity, one_sided=self.facts.alternative == NOT_WORSE
                )
        refuse(
            "pair",
            f"pair must be one that was compared but got {a!r} and {b!r}.",
            "Leave baseline out to compare all pairs.",
        )

    def with_further_measures(self, others: "Sequence[Comparison]") -> "Comparison":
        """Return this answer with those about further measures in it."""
        facts = replace(self.facts, others=tuple(other.facts for other in others))
        return replace(self, facts=facts, others=tuple(others))

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures that were asked for; the first is that of the verdict."""
        return tuple(answer.losses.measure for answer in (self, *self.others))

    @property
    def verdict(self) -> Verdict:
        """The verdict of the only pair."""
        verdict = self._only_pair("verdict").verdict
        if verdict is None:
            raise InvalidInput(
                "verdict is about two algorithms but there is one.", remedy="Use estimate."
            )
        return verdict

    @property
    def estimate(self) -> Any:
        """
        The estimate of the only pair, or of the only algorithm.

        Its type is the method's: a test has ``value``, ``pvalue`` and ``confidence_interval()``, a
        posterior ``mean``, ``interval()`` and ``probability()``.
        """
        pair = self._only_pair("estimate")
        if pair.estimate is None:
            raise InvalidInput(f"There is no estimate: {pair.sentence}")
        if isinstance(pair.estimate, UnreadableEstimate):
            pair.estimate.refuse()
        return pair.estimate

    @property
    def value(self) -> float:
        """The difference B − A of the only pair, in the measure's own units."""
        return self._only_pair("value").value

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the only pair, at the level that was asked for."""
        pair = self._only_pair("interval")
        return pair.low, pair.high

    @property
    def pvalue(self) -> float | None:
        """The p-value of "no difference" for the only pair; None where the method has none."""
        return self._only_pair("pvalue").pvalue

    def _only_pair(self, name: str) -> PairResult:
        if len(self.pairs) != 1:
            raise InvalidInput(
                f"{name} is about one pair but there are {len(self.pairs)}.", remedy="Use pairs."
            )
        return self.pairs[0]

    if not TYPE_CHECKING:  # a type checker knows the names and refuses others

        def __getattr__(self, name: str) -> Any:
            """Say what an attribute that other libraries have is called here."""
            known = _CALLED_HERE.get(name)
            hint = f"Use {known}." if known else ""
            if not hint and not name.startswith("_"):
                public = [
                    attribute for attribute in dir(type(self)) if not attribute.startswith("_")
                ]
                hint = did_you_mean(name, public)
            raise AttributeError(f"a comparison has no attribute {name!r}. {hint}".rstrip())

    @property
    def replicability(self) -> float | None:
        """
        The probability that another random partition of the same data gives the same verdict.

        Of several pairs it is the smallest; None if it cannot be known.
        """
        known = [pair.replicability for pair in self.pairs if pair.replicability is not None]
        return min(known, default=None)

    @property
    def best_set(self) -> tuple[str, ...]:
        """
        The algorithms, of more than two, that may be the best.

        The set holds the best algorithm with confidence 1 − level. An algorithm is left out exactly
        if a pair shows that another one is better; its rank interval then does not hold 1. With
        few data the set holds many algorithms.
        """
        ranked = self._candidates("best_set")
        tested = [candidate for candidate in ranked if candidate.among_best is not None]
        if ranked and not tested:
            raise NotApplicable(
                f"Method {self.facts.method.key!r} is no test, so there is no set of the best. "
                "Use a test."
            )
        return tuple(candidate.name for candidate in tested if candidate.among_best)

    @property
    def winner(self) -> Candidate:
        """
        The algorithm, of more than two, with the best value.

        The best of several looks better than it is: its own interval does not allow for the choice.
        """
        ranked = self._candidates("winner")
        if not ranked:
            refuse(
                "winner",
                "winner is known only where all pairs were compared, but there is a baseline.",
                "Leave baseline out to compare all pairs.",
            )
        return ranked[0]

    @property
    def ranking(self) -> tuple[Candidate, ...]:
        """
        More than two algorithms, the best value first, each with the ranks it may truly have.

        It is empty with a baseline, because the others were not compared with each other. The rank
        intervals hold together with confidence 1 − level; two algorithms share a letter of
        ``ties`` exactly if they are tied.
        """
        return self._candidates("ranking")

    @property
    def flips(self) -> Flips:
        """Which examples the challenger fixed and which it broke, for right/wrong answers."""
        if len(self.pairs) > 1:
            raise InvalidInput(
                f"flips are about one pair but there are {len(self.pairs)}.",
                remedy="Use facts.flips.",
            )
        if not self.facts.flips:
            raise InvalidInput(
                "There are no flips because they need right and wrong answers of single examples."
            )
        return self.facts.flips[0]

    def _candidates(self, name: str) -> tuple[Candidate, ...]:
        if not self.facts.candidates and self.facts.baseline is None:
            raise InvalidInput(
                f"{name} needs at least three algorithms that did not fail but there are fewer.",
                remedy="Use verdict.",
            )
        return self.facts.candidates

    @property
    def partition(self) -> Partition:
        """Who trained and who was tested."""
        return self.losses.partition

    @property
    def chosen(self) -> dict[str, tuple[Mapping[str, Any], ...]]:
        """The parameters that each search, such as GridSearchCV, chose, by algorithm and split."""
        return {search.algorithm: search.parameters for search in self.facts.chosen}

    @property
    def fits(self) -> int:
        """Number of fits that were run now."""
        return self.facts.fits

    @property
    def reused(self) -> int:
        """Number of fits that were found in the store."""
        return self.facts.reused

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Fits without a result."""
        return self.losses.failures

    def __repr__(self) -> str:
        return str(self).split("\n", 1)[0]  # at a prompt: the verdict, or who may be the best

    def _repr_html_(self) -> str | None:
        if not is_installed("jinja2"):  # a notebook then shows the words
            return None
        from evenfold.report import to_fragment

        return to_fragment(self.facts)

    def _repr_markdown_(self) -> str:
        from evenfold.report.formats.text import to_summary

        return to_summary(self.facts)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return every form that a notebook may show; the caller picks."""
        forms = {
            "text/plain": repr(self),
            "text/html": self._repr_html_(),
            "text/markdown": self._repr_markdown_(),
        }
        return {kind: form for kind, form in forms.items() if form is not None}

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the table of :meth:`to_frame` to polars, DuckDB and whoever else reads Arrow."""
        from evenfold.report.formats.data import to_arrow

        return to_arrow(self.facts).__arrow_c_stream__(requested_schema)

    def methods_text(self) -> str:
        """
        Return the methods paragraph of a paper, ready to paste, with the works to cite.

        Reports and LaTeX tables have it, too.
        """
        from evenfold.report.methods_text import methods_text

        return methods_text(self.facts)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all facts, and what is behind them, as JSON, and write it to ``path`` if given."""
        return str(write_if_path(as_json(self.to_plain()), path))

    def to_plain(self) -> dict[str, Any]:
        """Return what JSON has: the facts, and for :meth:`from_json` what is behind them."""
        each = [
            {
                "pairs": [replace(pair, **_TOLD) for pair in answer.pairs],
                "losses": replace(answer.losses, examples=None, outcomes=None, score=None),
            }
            for answer in (self, *self.others)
        ]
        return {
            **self.facts.to_plain(),
            "behind": to_typed({"fits": self.fits, "reused": self.reused, "each": each}),
        }

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> "Comparison":
        """
        Read back what :meth:`to_json` wrote; anything else is refused in one line.

        Everything is as before but for the values of single examples, which are not written.
        """
        if isinstance(text, Mapping):
            plain = text
        else:
            plain = read(text)
        if plain.get("question") == "best":
            raise InvalidInput(
                "This file was written by evenfold 0.2 for a race (question='best'), which no "
                "longer exists.",
                remedy="Compare the algorithms again: every comparison has best_set.",
            )
        facts = Facts.from_json(plain)
        require_sense(facts)
        behind = from_typed(plain.get("behind"))
        try:
            each = [
                _restore_comparison(of_measure, entry["pairs"], entry["losses"])
                for of_measure, entry in zip((facts, *facts.others), behind["each"], strict=True)
            ]
        except EvenfoldError:
            raise
        except (TypeError, LookupError, ValueError, AttributeError):
            refuse(
                "text",
                "text must be a comparison but it has facts without estimates and losses.",
                "Write it with Comparison.to_json.",
            )
        return replace(each[0], others=tuple(each[1:]))


def _restore_comparison(facts: Facts, pairs: Any, losses: Any) -> Comparison:
    if not isinstance(losses, Losses) or not all(isinstance(pair, PairResult) for pair in pairs):
        raise TypeError
    _require_agreement(facts, tuple(pairs), losses)
    names = [field.name for field in fields(Pair)]
    complete = tuple(
        replace(pair, **{name: getattr(shown, name) for name in names})
        for shown, pair in zip(facts.pairs, pairs, strict=True)
    )
    facts = replace(facts, pairs=complete)
    if facts.quantity.ratio:  # reports show ratios, but estimates are of logarithms
        complete = tuple(
            replace(shown, value=pair.value, low=pair.low, high=pair.high)
            for shown, pair in zip(complete, pairs, strict=True)
        )
    return Comparison(pairs=complete, losses=losses, facts=facts)


# What to_json leaves out of a pair because the facts have it.
_TOLD: dict[str, Any] = {"differences": (), "path": (), "curves": (), "along": ()}


_SAID = ("baseline", "challenger", "sentence", "level", "pvalue", "adjusted_pvalue")
_NUMBERS = ("value", "low", "high")


def _require_agreement(facts: Facts, pairs: tuple[PairResult, ...], losses: Losses) -> None:
    """Refuse a file whose facts and whose estimates belong to different answers."""
    require_same(("quantity", "algorithms"), facts, losses, "facts")
    shape = (len(losses.algorithms), len(losses.partition))
    require_table("facts.values", facts.values, shape)
    require_table("facts.fit_seconds", facts.fit_seconds, shape)
    require_card(facts.method.card)
    for name in ("values", "fit_seconds", "predict_seconds"):
        if np.shape(getattr(losses, name)) != shape:
            refuse(
                None,
                f"{name} of the losses must have shape {shape} but got "
                f"{short_repr(getattr(losses, name))}.",
            )
    if len(facts.pairs) != len(pairs):
        refuse(
            None,
            f"facts.pairs must have {len(pairs)} entries, one for each estimate, but got "
            f"{len(facts.pairs)}.",
        )
    for i, (shown, pair) in enumerate(zip(facts.pairs, pairs, strict=True)):
        where = f"facts.pairs[{i}]"
        require_same(_SAID if facts.quantity.ratio else (*_SAID, *_NUMBERS), shown, pair, where)
        require_sense(pair, f"pairs[{i}]")
        if pair.verdict is None:
            verdict = None
        else:
            verdict = str(pair.verdict.outcome)
        if shown.outcome != verdict:
            refuse(
                f"{where}.outcome",
                f"{where}.outcome must be that of the verdict ({verdict!r}) but got "
                f"{short_repr(shown.outcome)}.",
            )
        _require_shown(facts, pair, where)


def _require_shown(facts: Facts, pair: PairResult, where: str) -> None:
    """Refuse a verdict that claims what its own interval, or its tasks, do not show."""
    if pair.verdict is None or pair.verdict.outcome.is_open:
        return
    claimed = pair.verdict.outcome
    tasks = _deciding_tasks(facts, pair, pair.verdict)
    if tasks:
        rule = "what its tasks show"
        is_shown = not any(task.is_open or task is Outcome.WORSE for task in tasks)
        if claimed is Outcome.WORSE:
            is_shown = Outcome.WORSE in tasks
    else:
        worst, best = facts.quantity.improvements(pair.low, pair.high)
        one_sided = facts.alternative == NOT_WORSE
        shown = outcome_of(worst, best, pair.verdict.margin, one_sided=one_sided)
        rule = f"{str(shown)!r}, which its interval shows,"
        is_shown = claimed is shown
    if not is_shown:
        refuse(
            f"{where}.outcome",
            f"{where}.outcome must be {rule} but got {str(claimed)!r}.",
            AS_WRITTEN,
        )


def _deciding_tasks(facts: Facts, pair: PairResult, verdict: Verdict) -> list[Outcome]:
    """Return the outcome of each task where tasks decide; nothing where they were pooled."""
    rows = [
        row
        for row in facts.parts
        if row.column == TASK and (row.baseline, row.challenger) == (pair.baseline, pair.challenger)
    ]
    decide = verdict.said.code == "tasks"
    if verdict.said.code == WRITTEN:
        # In files of version 0.2, tasks that illustrate a pooled answer share the level of the
        # comparison, and tasks that decide have all of it.
        decide = len(rows) > 1 and all(row.level == facts.level for row in rows)
    return [Outcome(row.outcome) for row in rows] if decide else []


_TABLE = ".csv"
_FIGURES = (".png", ".svg", ".pdf")


def _save_figure(figure: Any, path: Path) -> None:
    try:
        figure.savefig(path, bbox_inches="tight")
    except OSError as reason:
        _refuse_path(path, reason)


def write_if_path(text: Any, path: str | Path | None) -> Any:
    """Return the text of a format, and write it to ``path`` if given."""
    if path is None:
        return text
    if not isinstance(text, str):
        refuse(
            "path", f"path must be None for a format that is no text but got {short_repr(path)}."
        )
    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, TypeError, ValueError) as reason:
        _refuse_path(path, reason)
    return text


def _refuse_path(path: str | Path, reason: Exception) -> NoReturn:
    refuse(
        "path",
        f"path must be a file that can be written but got {short_repr(path)}.",
        one_line(reason),
    )

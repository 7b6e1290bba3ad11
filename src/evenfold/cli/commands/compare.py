"""``evenfold compare``: a file, two algorithms or more, a verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from evenfold.cli import options as o
from evenfold.cli import texts
from evenfold.cli.groups import FitOptions, Models, QuestionOptions, RowOptions, take_option_groups
from evenfold.cli.names import design_named, label
from evenfold.cli.output import FAILED, Outputs, finish, note
from evenfold.cli.redo import command
from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.facts.comparison import PartialNote, why_partial
from evenfold.core.words import hide_password, one_line
from evenfold.read import estimators, read_table
from evenfold.read.tables import SUFFIXES

if TYPE_CHECKING:
    from evenfold.comparison.across import AcrossCriteria


# `evenfold compare FOLDER`: every file of a folder is one data set.


def over_data_sets(question: QuestionOptions, test: str, *, algorithms: int) -> "AcrossCriteria":
    """Return what is asked over data sets, or refuse it before any is read."""
    if question.alternative != "two-sided":
        refuse("--alternative", "two-sided over a folder", question.alternative)
    from evenfold.comparison.across import AcrossCriteria

    over = AcrossCriteria(
        test=test,
        adjust=None if question.adjust == "holm" else question.adjust,
        margin=question.margin,
        level=question.level,
        baseline=question.baseline,
    )
    over.check(algorithms)
    return over


def over_files(
    found: Mapping[str, Path], compared: Callable[[Path], Any], over: "AcrossCriteria", *, call: str
) -> Any:
    """Compare on every file, and then over all of them."""
    from evenfold.comparison.across import summarise

    done, left_out = _compare_each_file(found, compared)
    result = summarise(done, over, call=call)
    said = tuple(PartialNote(f"{name} is left out: {reason}") for name, reason in left_out.items())
    return replace(result, facts=replace(result.facts, notes=(*result.facts.notes, *said)))


def _compare_each_file(
    found: Mapping[str, Path], compared: Callable[[Path], Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Compare on each file; those that cannot be used are named with the reason."""
    done = {}
    left_out = {}
    for name, file in found.items():
        note(f"{name} ...")
        try:
            done[name] = compared(file)
        except EvenfoldError as error:
            left_out[file.name] = one_line(error)
            note(f"evenfold: {file.name} is left out: {left_out[file.name]}")
    if len(done) < 2:
        first = next(f"{name}: {reason}" for name, reason in left_out.items())
        raise InvalidInput(
            f"data must be a folder with two files of use or more but got {len(done)}; {first}"
        )
    return done, left_out


def files(path: Path) -> dict[str, Path]:
    """Return the data files of a folder by name, in order."""
    found = sorted(
        one for one in path.iterdir() if one.is_file() and one.name.lower().endswith(SUFFIXES)
    )
    if len(found) < 2:
        refuse(
            "data", f"a folder with at least two files that end in {', '.join(SUFFIXES)}", str(path)
        )
    return _files_by_name(found)


def _files_by_name(found: Sequence[Path]) -> dict[str, Path]:
    """Name files by what stands before their endings; by as much as it takes to be unique."""
    ways = (lambda one: one.name.split(".")[0], lambda one: one.name, str)
    for name in ways:
        named = {name(one): one for one in found}
        if len(named) == len(found):
            return named
    twice = next(one for k, one in enumerate(found) if one in found[:k])
    refuse("data", "different files", f"{twice} twice")


# Data and algorithms of the command line, made ready for each other.


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Preparing:
    """How tables and algorithms are made ready; balanced: columns to be balanced were named."""

    positive: str | None
    undersample: bool
    balanced: bool

    @property
    def options(self) -> dict[str, Any]:
        """What was said, by option."""
        given = {"positive": self.positive, "undersample": self.undersample}
        return {option: value for option, value in given.items() if value}

    def keywords(self, table: Any, algorithms: Mapping[str, Any], design: Any) -> dict[str, Any]:
        """
        Return what a comparison takes of a table.

        Algorithms, examples and what is known of each.
        """
        return {
            "algorithms": self._ready(
                {name: table.prepared(one) for name, one in algorithms.items()}
            ),
            "X": table.X,
            "y": table.y,
            "positive": label(self.positive, table.y),
            "groups": table.groups,
            "sample_weight": table.weights,
            "order": table.order,
            "features": self._features(table, design),
        }

    def _ready(self, algorithms: dict[str, Any]) -> dict[str, Any]:
        """
        Draw equal classes before all that is learned from a training set.

        Gaps, scales, the model.
        """
        if not self.undersample:
            return algorithms
        from sklearn.base import is_regressor

        from evenfold.run import UnderSampled

        for name, algorithm in algorithms.items():
            if is_regressor(algorithm):
                refuse(
                    "--undersample",
                    "left out: there are no classes to draw from for a regressor,",
                    name,
                )
        return {name: UnderSampled(algorithm) for name, algorithm in algorithms.items()}

    def _features(self, table: Any, design: Any) -> Any:
        """
        Hand level counts to a design that balances them.

        To others, which refuse them, if asked for.
        """
        names = getattr(design, "balance", None) or ()
        wanted = design is None or "features" in ((names,) if isinstance(names, str) else names)
        if self.balanced or wanted:
            return table.features
        return None


@dataclass(frozen=True, eq=False, kw_only=True)
class _FitQuestion(QuestionOptions):
    """What is asked where models are fitted."""

    design: o.Design = None
    method_option: o.MethodOption = None
    at: o.At = "half"
    question: o.OfSeveral = "pairs"
    positive: o.Positive = None
    scheme: o.Scheme = None
    test: o.Test = "wilcoxon"


@take_option_groups
def compare(
    ctx: typer.Context,
    data: o.FileOrText,
    rows: RowOptions,
    models: Models,
    question: _FitQuestion,
    effort: FitOptions,
    outputs: Outputs,
    timeout: o.Timeout = None,
    undersample: o.Undersample = False,
    format_: o.Format = None,
) -> None:
    """Compare algorithms on the rows of a file, sentences of a tagged text, or over a folder."""
    if isinstance(question.measures, list) and (outputs.targets or data.is_dir()):
        refuse(
            "--measure",
            "given once with files to write and over a folder",
            ", ".join(question.measures),
        )
    question.check(len(models.specifications))
    form = texts.form_of(data, format_, scheme=question.scheme, target=rows.target)
    work = _prepare_work(
        form, rows, models, question, effort, timeout=timeout, undersample=undersample
    )
    call = command(ctx, seed=effort.drawn)
    if data.is_dir():
        over = over_data_sets(question, question.test, algorithms=len(work.subjects))
        done = over_files(files(data), work.in_full, over, call=call)
    else:
        done = work.on_file(data)
    for one in (done, *getattr(done, "others", ())):
        outputs.deliver(replace(one, facts=replace(one.facts, call=call)))
    if effort.seed is None:
        note(f"--seed {effort.drawn} gives this answer again")
    if effort.store is not None and not data.is_dir():
        again = f"evenfold report {done.facts.run_id} --store {hide_password(effort.store)}"
        note(f"{again} reads it again, without a fit")
    finish(done, question)
    if data.is_dir() and why_partial(done.facts.notes):
        raise typer.Exit(FAILED)


@take_option_groups
def across(
    ctx: typer.Context,
    data: o.FilesOrFolder,
    rows: RowOptions,
    models: Models,
    question: _FitQuestion,
    effort: FitOptions,
    outputs: Outputs,
    timeout: o.Timeout = None,
    undersample: o.Undersample = False,
) -> None:
    """Compare algorithms over several data sets: the files of a folder, or several files."""
    folder = len(data) == 1 and data[0].is_dir()
    if len(data) < 2 and not folder:
        refuse(
            "data",
            "a folder, or two files or more",
            str(data[0]),
            "use evenfold compare for one file",
        )
    if isinstance(question.measures, list):
        refuse("--measure", "given once over several data sets", ", ".join(question.measures))
    question.check(len(models.specifications))
    form = texts.form_of(data[0], None, scheme=question.scheme, target=rows.target)
    work = _prepare_work(
        form, rows, models, question, effort, timeout=timeout, undersample=undersample
    )
    call = command(ctx, seed=effort.drawn)
    over = over_data_sets(question, question.test, algorithms=len(work.subjects))
    found = files(data[0]) if folder else _files_by_name(data)
    done = over_files(found, work.in_full, over, call=call)
    outputs.deliver(replace(done, facts=replace(done.facts, call=call)))
    if effort.seed is None:
        note(f"--seed {effort.drawn} gives this answer again")
    finish(done, question)
    if why_partial(done.facts.notes):
        raise typer.Exit(FAILED)


def _prepare_work(
    form: texts.Form,
    rows: RowOptions,
    models: Models,
    question: _FitQuestion,
    effort: FitOptions,
    *,
    timeout: float | None,
    undersample: bool,
) -> "_Work":
    """Read the algorithms, and gather what is asked of them on every file."""
    return _Work(
        form=form,
        rows=rows,
        subjects=_algorithms(models, form),
        preparing=Preparing(
            positive=question.positive, undersample=undersample, balanced=bool(rows.balance)
        ),
        asked={**_judging_keywords(question, effort, form), "timeout": timeout},
    )


def _judging_keywords(
    question: _FitQuestion, effort: FitOptions, form: texts.Form
) -> dict[str, Any]:
    """Return what is asked, whatever the file."""
    if question.design is None:
        design = None
    else:
        design = design_named(question.design, seed=effort.drawn)
    measure = question.measures or form.measure
    of_run = {
        "measure": measure,
        "design": design,
        "at": question.at,
        "question": question.question,
    }
    of_run["method_options"] = o.values_of(question.method_option)
    return {**question.keywords, **effort.keywords, **of_run}


def _algorithms(models: Models, form: texts.Form) -> dict[str, Any]:
    """Read, name and make the algorithms."""
    if not models.specifications:
        refuse("algorithms", "given by --a and --b, or by --algorithm", None)
    specs = [form.parse(text, option) for text, option in models.specifications]
    made = [form.make(spec, trusted=models.trust or ()) for spec in specs]
    return dict(zip(estimators.names(specs), made, strict=True))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Work:
    """All that a comparison needs beside the file."""

    form: texts.Form
    rows: RowOptions
    subjects: dict[str, Any]
    preparing: Preparing
    asked: dict[str, Any]

    def on_file(self, path: Path) -> Any:
        """Compare on a table or a tagged text."""
        from evenfold.comparison.compare import compare as answer

        table = self._load(path)
        asked = self.asked
        if not self.form.is_table and asked["at"] == "half":
            asked = {
                **asked,
                "design": texts.design_for(table, asked["design"], seed=asked["random_state"]),
            }
        return answer(
            **self.preparing.keywords(table, self.subjects, asked["design"]),
            scheme=self.form.scheme,
            **asked,
        )

    def in_full(self, path: Path) -> Any:
        """Compare on one table of several: no early stop, and the margin is about all of them."""
        from evenfold.comparison.compare import compare_in_full as answer

        table = read_table(path, **self.rows.keywords)
        usual = {"alternative": "two-sided", "margin": 0.0, "adjust": "holm", "question": "pairs"}
        asked = {**self.asked, **usual}
        return answer(**self.preparing.keywords(table, self.subjects, asked["design"]), **asked)

    def _load(self, path: Path) -> Any:
        """Read a table, or a tagged text, which has no use for options about columns."""
        if self.form.is_table:
            return read_table(path, **self.rows.keywords)
        given = {**self.rows.keywords, **self.preparing.options}
        for option in given:
            if option not in texts.OPTIONS:
                refuse(f"--{option}", "used with a table", f"a tagged text, {path.name}")
        return texts.load(path, self.form, **given)

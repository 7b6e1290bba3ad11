"""``evenfold compare``, ``across`` and ``demo``: data, two algorithms or more, a verdict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli import texts
from evenfold.cli.gate import is_interrupted
from evenfold.cli.output import FAILED, Outputs, command, finish, note
from evenfold.cli.signals import answer_after_interruption
from evenfold.core.checks import refuse, refuse_value
from evenfold.core.environment import install_command, is_installed
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.note import partial_note, why_partial
from evenfold.core.tags import SCHEMES
from evenfold.core.words import hide_password, one_line
from evenfold.design import KFold, Mx2BCV, designs
from evenfold.read import estimators, read_table
from evenfold.read.tables import SUFFIXES

_FileOrText = Annotated[
    Path,
    o.argument(
        metavar="DATA",
        help="CSV (.csv, .csv.gz, .tsv) or Parquet file, a folder of them, or tagged text "
        "(.conll, .iob).",
    ),
]
_FilesOrFolder = Annotated[
    list[Path],
    o.argument(
        metavar="DATA...", help="A folder, or two CSV or Parquet files or more: each is a data set."
    ),
]
_Format = Annotated[
    str | None,
    o.of_data(
        "--format",
        help="table, conll (one token and its tag per line) or words (one segmented sentence per "
        "line); the default follows from the file name.",
        autocompletion=o.complete_among(*texts.FORMATS),
    ),
]


def _tests_of_pairs() -> Iterable[str]:
    from evenfold.infer.data_sets import PAIR_TESTS

    return PAIR_TESTS


@o.option_group
class _FitQuestion(o.QuestionOptions):
    """What is asked where models are fitted."""

    design: str | None = o.question_option(
        metavar="KEY[:ARGUMENTS]",
        help=f"How the data are split, e.g. {Mx2BCV.example} or {KFold.example}; "
        "see evenfold design --help.",
        autocompletion=o.complete_among(*(design.example for design in designs().values())),
    )
    method_option: list[str] | None = o.question_option(
        metavar="NAME=VALUE",
        help="Option of the method, e.g. boundary=thesis; may be repeated.",
    )
    at: str = o.question_option(
        default="half",
        help="Training size of the answer: half of the rows, full (nine tenths of them), or curve "
        "(full, and how the difference changes from a quarter of the rows up).",
        autocompletion=o.complete_among("half", "full", "curve"),
    )
    replicability: float | None = o.question_option(
        help="Add repetitions until another random partition would give the same verdict with "
        "this probability; 0.8 by default."
    )
    max_repetitions: int | None = o.question_option(
        help="The largest number of repetitions, at least 5; 31 by default."
    )
    positive: o.Positive = None
    scheme: str | None = o.question_option(
        help=f"Tagging scheme: {', '.join(SCHEMES[:8])} (default: IOB2); IOB2:suffix for tags "
        "such as PER-B.",
        autocompletion=o.complete_among(*SCHEMES),
    )
    test: str = o.question_option(
        default="wilcoxon",
        help="Test over data sets: wilcoxon, sign, nemenyi, friedman, conover, quade or aligned.",
        autocompletion=o.complete_from(_tests_of_pairs),
    )


@o.take_option_groups
def compare(
    ctx: typer.Context,
    data: _FileOrText,
    rows: o.RowOptions,
    models: o.Models,
    question: _FitQuestion,
    effort: o.FitOptions,
    outputs: Outputs,
    timeout: o.Timeout = None,
    undersample: o.Undersample = False,
    format_: _Format = None,
) -> None:
    """Compare algorithms on the rows of a file, sentences of a tagged text, or over a folder."""
    if isinstance(question.measures, list) and (outputs.targets or data.is_dir()):
        refuse(
            None,
            "--measure can be given only once with files to write and over a folder but got "
            f"{', '.join(question.measures)}.",
        )
    question.check(len(models.specifications))
    form = texts.form_of(data, format_, scheme=question.scheme, target=rows.target)
    work = _Work(form, rows, models, question, effort, timeout, undersample)
    if data.is_dir():
        _compare_over([data], work, outputs, call=command(ctx, seed=effort.drawn))
        return
    done = work.on_file(data)
    interrupted = is_interrupted(done.facts.notes)
    if interrupted:
        answer_after_interruption()
    call = command(ctx, seed=effort.drawn)
    for comparison in (done, *done.others):
        outputs.deliver(replace(comparison, facts=replace(comparison.facts, call=call)))
    _say_how_to_repeat(effort)
    if effort.store is not None and not interrupted:
        again = f"evenfold report {done.facts.run_id} --store {hide_password(effort.store)}"
        note(f"{again} reads it again, without a fit")
    finish(done, question)


@o.take_option_groups
def across(
    ctx: typer.Context,
    data: _FilesOrFolder,
    rows: o.RowOptions,
    models: o.Models,
    question: _FitQuestion,
    effort: o.FitOptions,
    outputs: Outputs,
    timeout: o.Timeout = None,
    undersample: o.Undersample = False,
) -> None:
    """Compare algorithms over several data sets: the files of a folder, or several files."""
    if len(data) < 2 and not data[0].is_dir():
        remedy = "Use evenfold compare for one file."
        refuse("data", f"data must be a folder or several files but got {data[0]}.", remedy)
    if isinstance(question.measures, list):
        refuse(
            None,
            "--measure can be given only once over several data sets but got "
            f"{', '.join(question.measures)}.",
        )
    question.check(len(models.specifications))
    form = texts.form_of(data[0], None, scheme=question.scheme, target=rows.target)
    work = _Work(form, rows, models, question, effort, timeout, undersample)
    _compare_over(data, work, outputs, call=command(ctx, seed=effort.drawn))


def _say_how_to_repeat(effort: o.FitOptions) -> None:
    if effort.seed is None:
        note(f"--seed {effort.drawn} gives this answer again")


class _Work:
    """What a comparison needs beside the file. The algorithms are made at once."""

    def __init__(
        self,
        form: texts.Form,
        rows: o.RowOptions,
        models: o.Models,
        question: _FitQuestion,
        effort: o.FitOptions,
        timeout: float | None,
        undersample: bool,
    ) -> None:
        if not models.specifications:
            remedy = f"For example --a {estimators.LINEAR[True]} --b {estimators.FOREST[True]}."
            refuse(None, "Give the algorithms by --a and --b, or by --algorithm.", remedy)
        specs = [form.parse(text, option) for text, option in models.specifications]
        made = [form.make(spec, trusted=models.trust or ()) for spec in specs]
        self.form = form
        self.rows = rows
        self.question = question
        self.effort = effort
        self.undersample = undersample
        self.algorithms = dict(zip(estimators.names(specs), made, strict=True))
        self.design: Any = None
        if question.design is not None:
            self.design = o.design_named(question.design, seed=effort.drawn)
        self.keywords: dict[str, Any] = {
            **question.keywords,
            **effort.keywords,
            "measure": question.measures or form.measure,
            "at": question.at,
            "replicability": question.replicability,
            "max_repetitions": question.max_repetitions,
            "method_options": o.values_of(question.method_option),
            "timeout": timeout,
        }

    def on_file(self, path: Path) -> Any:
        """Compare on a table or a tagged text."""
        from evenfold.comparison.compare import compare as answer

        table = self._load(path)
        design = self.design
        if not self.form.is_table and self.question.at == "half":
            design = texts.design_for(table, design, seed=self.effort.drawn)
        return answer(**self._of_table(table, design), scheme=self.form.scheme, **self.keywords)

    def in_full(self, path: Path) -> Any:
        """Compare on one of several tables, without an early stop and without a margin."""
        from evenfold.comparison.compare import compare_in_full as answer

        table = read_table(path, **self.rows.keywords)
        over_all = {"alternative": "two-sided", "margin": 0.0, "adjust": "max-t"}
        return answer(**self._of_table(table, self.design), **{**self.keywords, **over_all})

    def _load(self, path: Path) -> Any:
        """Read a table or a tagged text, for which options about columns are refused."""
        if self.form.is_table:
            return read_table(path, **self.rows.keywords)
        keywords = self.rows.keywords
        more = {"positive": self.question.positive, "undersample": self.undersample}
        for option in (*keywords, *(name for name, value in more.items() if value)):
            if option not in texts.OPTIONS:
                refuse(None, f"--{option} is for tables, and {path.name} is a tagged text.")
        return texts.read_sentences(path, self.form, **keywords)

    def _of_table(self, table: Any, design: Any) -> dict[str, Any]:
        """Return what a comparison takes of a table: algorithms, examples and what is known."""
        prepared = {name: table.prepared(algorithm) for name, algorithm in self.algorithms.items()}
        if self.undersample:
            prepared = _undersampled(prepared)
        # only a design that balances counts takes them, and others refuse them
        names = getattr(design, "balance", None) or ()
        wanted = design is None or "features" in ((names,) if isinstance(names, str) else names)
        return {
            "algorithms": prepared,
            "X": table.X,
            "y": table.y,
            "positive": o.label(self.question.positive, table.y),
            "groups": table.groups,
            "sample_weight": table.weights,
            "order": table.order,
            "features": table.features if self.rows.balance or wanted else None,
            "design": design,
        }


def _undersampled(algorithms: dict[str, Any]) -> dict[str, Any]:
    """Draw equal classes before anything is learned: missing values, scales, the model."""
    from sklearn.base import is_regressor

    from evenfold.run import UnderSampled

    for name, algorithm in algorithms.items():
        if is_regressor(algorithm):
            refuse(None, f"--undersample draws from classes, and {name!r} is a regressor.")
    return {name: UnderSampled(algorithm) for name, algorithm in algorithms.items()}


# Several data sets, one in each file.


def _compare_over(data: list[Path], work: _Work, outputs: Outputs, *, call: str) -> None:
    """Compare on every file, or every file of a folder, and then over all of them."""
    from evenfold.comparison.across import AcrossCriteria, summarise

    question = work.question
    if question.alternative != "two-sided":
        rule = "two-sided over several data sets"
        refuse_value("--alternative", question.alternative, rule)
    over = AcrossCriteria(
        test=question.test,
        adjust=None if question.adjust == "max-t" else question.adjust,
        margin=question.margin,
        level=question.level,
        baseline=question.baseline,
    )
    over.check(len(work.algorithms))
    data_sets = files(data[0]) if data[0].is_dir() else _files_by_name(data)
    compared, left_out = _compare_each_file(data_sets, work)
    done = summarise(compared, over, call=call)
    notes = [
        partial_note("file-left-out", name=name, reason=reason) for name, reason in left_out.items()
    ]
    facts = replace(done.facts, notes=(*done.facts.notes, *notes), call=call)
    done = replace(done, facts=facts)
    outputs.deliver(done)
    _say_how_to_repeat(work.effort)
    finish(done, question)
    if why_partial(facts.notes):
        raise typer.Exit(FAILED)


def _compare_each_file(
    paths: Mapping[str, Path], work: _Work
) -> tuple[dict[str, Any], dict[str, str]]:
    """Compare on each file. Files that cannot be used are returned with the reason."""
    done = {}
    left_out = {}
    for name, file in paths.items():
        note(f"{name} ...")
        try:
            done[name] = work.in_full(file)
        except EvenfoldError as error:
            left_out[file.name] = one_line(error)
            note(f"evenfold: {file.name} is left out: {left_out[file.name]}")
    if len(done) < 2:
        first = next(f"{name}: {reason}" for name, reason in left_out.items())
        raise InvalidInput(
            f"Several data sets need two files that can be used, and here are {len(done)}: {first}",
            parameter="data",
        )
    return done, left_out


def files(path: Path) -> dict[str, Path]:
    """Return the data files of a folder by name, in order."""
    paths = sorted(
        file for file in path.iterdir() if file.is_file() and file.name.lower().endswith(SUFFIXES)
    )
    if len(paths) < 2:
        refuse(
            "data",
            f"data must be a folder with at least two files that end in {', '.join(SUFFIXES)} but "
            f"got {path}.",
        )
    return _files_by_name(paths)


def _files_by_name(paths: Sequence[Path]) -> dict[str, Path]:
    """Name files by their stems, or by as much of their paths as makes the names unique."""
    ways = (lambda file: file.name.split(".")[0], lambda file: file.name, str)
    for name in ways:
        named = {name(file): file for file in paths}
        if len(named) == len(paths):
            return named
    twice = next(file for k, file in enumerate(paths) if file in paths[:k])
    refuse("data", f"data must be different files but got {twice} twice.")


# `evenfold demo`: one real comparison, from data to report.

_Html = Annotated[Path, typer.Option(metavar="PATH", help="Path of the report.")]
_Seed = Annotated[int, typer.Option(metavar="N", help="Random seed.", min=0)]


def demo(html: _Html = Path("report.html"), seed: _Seed = 0) -> None:
    """Compare linear discriminants and logistic regression on scikit-learn's breast cancer data."""
    drawn = all(map(is_installed, ("jinja2", "matplotlib")))
    outputs = Outputs(html=html if drawn else None)
    note("Is logistic regression really better than LDA at telling benign from malignant tumours?")
    from sklearn.datasets import load_breast_cancer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from evenfold.comparison.compare import compare as answer

    X, y = load_breast_cancer(return_X_y=True)
    halved = f"{len(y)} cases are halved again and again, evenly"
    note(f"{halved}, until another partition would give the same answer.\n")
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    both = {"LDA": LinearDiscriminantAnalysis(), "logistic regression": logistic}
    done = answer(both, X, y, random_state=seed)
    outputs.deliver(done)
    if not drawn:
        note(f"for the report as a page: {install_command('jinja2')}")
    finish(done)

"""
The options that commands share, each written once; and groups of them.

A command takes a group as one value, the user types its options.
"""

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property, partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli.gate import CONTENT, UNDECIDED_AS, check_gate, side
from evenfold.core.checks import did_you_mean, refuse, short_repr
from evenfold.core.errors import InvalidInput
from evenfold.core.rng import seed_from
from evenfold.core.tags import SCHEMES
from evenfold.design import KFold, Mx2BCV, design_from, designs
from evenfold.run import measures


def _complete_among(*names: str) -> object:
    """Complete a word on the command line from a few names."""
    return _complete_from(lambda: names)


def _complete_from(names: Callable[[], Iterable[str]]) -> object:
    """Complete a word from names that are loaded only then."""
    return lambda incomplete: [name for name in names() if name.startswith(incomplete)]


def _pair_tests() -> Iterable[str]:
    from evenfold.infer.data_sets import PAIR_TESTS

    return PAIR_TESTS


def _adjustments() -> Iterable[str]:
    from evenfold.infer.adjust import ADJUSTMENTS

    return ADJUSTMENTS


def _methods(incomplete: str) -> list[tuple[str, str]]:
    from evenfold.infer import methods

    return [(key, entry.estimand) for key, entry in methods().items() if key.startswith(incomplete)]


argument = partial(typer.Argument, show_default=False)
of_data, of_question, of_run, of_output = (
    partial(typer.Option, rich_help_panel=panel) for panel in ("Data", "Question", "Run", "Output")
)

_column = partial(of_data, metavar="COLUMN")
Column = Annotated[
    list[str] | None,
    of_data(
        metavar="ROLE=NAME",
        help="Which column has which role, e.g. algorithm=model; may be repeated.",
    ),
]
of_file = partial(of_output, metavar="PATH")

# Data
FileOrText = Annotated[
    Path,
    argument(
        metavar="DATA",
        help="CSV (.csv, .csv.gz, .tsv) or Parquet file, a folder of them, or tagged text "
        "(.conll, .iob).",
    ),
]
FilesOrFolder = Annotated[
    list[Path],
    argument(
        metavar="DATA...", help="A folder, or two CSV or Parquet files or more: each is a data set."
    ),
]
TargetOrTag = Annotated[
    str | None,
    _column("--target", help="Column to predict; in a tagged text its number (default: the last)."),
]
Format = Annotated[
    str | None,
    of_data(
        "--format",
        help="table, conll (one token and its tag per line) or words (one segmented sentence per "
        "line); the default follows from the file name.",
        autocompletion=_complete_among("table", "conll", "words"),
    ),
]
Balance = Annotated[
    list[str] | None,
    _column(
        help="Column whose values are spread evenly over training and test sets; may be repeated. "
        "For a tagged text: tags, words, length (default: all three) or none."
    ),
]
Groups = Annotated[
    str | None,
    _column(
        help="Column that names the group of a row (patient, hospital, …). For a tagged text: "
        "documents or none."
    ),
]
Order = Annotated[
    str | None,
    _column(help="Column with the time of each row: models are tested on later rows only."),
]
Weights = Annotated[str | None, _column(help="Column with the weight of each row.")]
Drop = Annotated[list[str] | None, _column(help="Column to leave out; may be repeated.")]
Features = Annotated[
    list[str] | None,
    _column(help="Column to predict from (default: all others); may be repeated."),
]
Sep = Annotated[
    str | None,
    of_data(
        metavar="SIGN",
        help="Column separator of a CSV: comma, semicolon, tab or | (default: detected).",
    ),
]
Decimal = Annotated[
    str | None, of_data(metavar="SIGN", help="Decimal mark of a CSV: . or , (default: detected).")
]
Encoding = Annotated[
    str | None,
    of_data(
        metavar="NAME", help="Encoding of a CSV: utf-8, latin-1, utf-16, … (default: detected)."
    ),
]
Scale = Annotated[
    bool, of_data("--scale", help="Standardize numeric columns, learned on each training set.")
]
Undersample = Annotated[
    bool,
    of_data(
        "--undersample",
        help="Train on equally many rows of each class, drawn from each training set.",
    ),
]

# Algorithms
A = Annotated[
    str | None,
    of_question(
        "--a",
        metavar="[NAME=]MODULE:CLASS",
        help='The baseline, e.g. sklearn.svm:SVC(C=10, kernel="linear").',
    ),
]
B = Annotated[
    list[str] | None,
    of_question(
        "--b",
        metavar="[NAME=]MODULE:CLASS",
        help="The challenger: is B better than A? May be repeated.",
    ),
]
Algorithm = Annotated[
    list[str] | None,
    of_question(metavar="[NAME=]MODULE:CLASS", help="One of several algorithms; may be repeated."),
]

Trust = Annotated[
    list[str] | None,
    of_question(
        metavar="MODULE",
        help="Module of yours whose functions may be imported and called; may be repeated.",
    ),
]

# Question
Measure = Annotated[
    list[str] | None,
    of_question(
        metavar="NAME",
        help=f"Measure: {', '.join(measures())}, or a scikit-learn scorer; may be repeated, the "
        "first decides.",
        autocompletion=_complete_among(*measures()),
    ),
]
Design = Annotated[
    str | None,
    of_question(
        metavar="KEY[:ARGUMENTS]",
        help=f"How the data are split, e.g. {Mx2BCV.example} or {KFold.example}; "
        "see evenfold design --help.",
        autocompletion=_complete_among(*(one.example for one in designs().values())),
    ),
]
Method = Annotated[
    str | None,
    of_question(
        metavar="KEY",
        help="Statistical method; evenfold methods lists them.",
        autocompletion=_methods,
    ),
]
MethodOption = Annotated[
    list[str] | None,
    of_question(
        metavar="NAME=VALUE",
        help="Option of the method, e.g. boundary=thesis; may be repeated.",
    ),
]
Replicability = Annotated[
    float | None,
    of_question(
        help="Add repetitions until another random partition would give the same verdict with "
        "this probability; 0.8 by default.",
    ),
]
MaxRepetitions = Annotated[
    int | None,
    of_question(help="The largest number of repetitions, at least 5; 31 by default."),
]
At = Annotated[
    str,
    of_question(
        help="Training size of the answer: half of the rows, full (nine tenths of them), or curve "
        "(full, and how the difference changes from a quarter of the rows up).",
        autocompletion=_complete_among("half", "full", "curve"),
    ),
]
Margin = Annotated[
    float, of_question(help="Smallest difference that matters, in units of the measure.")
]
Level = Annotated[
    float,
    of_question(help="Level of the test: the probability of a wrong verdict that you accept."),
]
Alternative = Annotated[
    str,
    of_question(
        help="two-sided, greater or less (of B − A), or not-worse: is B not worse by more than "
        "the margin?",
        autocompletion=_complete_among("two-sided", "greater", "less", "not-worse"),
    ),
]
Baseline = Annotated[
    str | None,
    of_question(metavar="NAME", help="Compare the others with this one only, not all pairs."),
]
_SHARE = "How several pairs share the level: max-t, bonferroni, holm, none, …"
Adjust = Annotated[str, of_question(help=_SHARE, autocompletion=_complete_from(_adjustments))]
Positive = Annotated[
    str | None,
    of_question(metavar="LABEL", help="The positive class of precision, recall, F1 and the like."),
]
_OVER = "Test over data sets: wilcoxon, sign, nemenyi, friedman, conover, quade or aligned."
Test = Annotated[str, of_question(help=_OVER, autocompletion=_complete_from(_pair_tests))]
Scheme = Annotated[
    str | None,
    of_question(
        help=f"Tagging scheme: {', '.join(SCHEMES[:8])} (default: IOB2); IOB2:suffix for tags "
        "such as "
        "PER-B.",
        autocompletion=_complete_among(*SCHEMES),
    ),
]
FailUnless = Annotated[
    str | None,
    of_question(
        metavar="OUTCOME",
        help="Gate: exit with 3 unless every verdict is this, with 4 if inconclusive. One of "
        "better, "
        "equivalent, not-worse (better and equivalent pass, too), …",
        autocompletion=_complete_among(*CONTENT),
    ),
]
Undecided = Annotated[
    str | None,
    of_question(
        metavar="pass|fail",
        help="Exit code of an inconclusive gate: 0 (pass) or 3 (fail) instead of 4.",
        autocompletion=_complete_among(*UNDECIDED_AS),
    ),
]

# Run
Seed = Annotated[int | None, of_run(help="Random seed (default: drawn, and printed).", min=0)]
Jobs = Annotated[int | None, of_run(help="Worker processes; -1 for all cores.")]
Store = Annotated[
    str | None,
    of_run(metavar="PATH|URL", help="Store finished fits here, and reuse those already there."),
]
Timeout = Annotated[
    float | None, of_run(metavar="SECONDS", help="Give up on a fit after this long.")
]

# Output
Details = Annotated[
    bool,
    of_output("--details", help="Also print the method, the design and a sentence for each pair."),
]
Html = Annotated[Path | None, of_file(help="Write a report, one HTML file.")]
Json = Annotated[Path | None, of_file(help="Write all results as JSON.")]
Latex = Annotated[Path | None, of_file(help="Write a booktabs table.")]
Write = Annotated[
    list[str] | None,
    of_output(metavar="FORMAT=PATH", help="Write another format, by its name; may be repeated."),
]
Markdown = Annotated[
    Path | None, of_file(help="Write a Markdown table. Here and above, - means standard output.")
]


Higher = Annotated[
    bool | None,
    of_question(
        "--higher-is-better/--lower-is-better",
        help="Direction of values whose measure is not known.",
    ),
]


def values_of(texts: list[str] | None) -> dict[str, object] | None:
    """
    Read ``NAME=VALUE``: numbers, tuples and the like as Python writes them, all else as text.

    Examples
    --------
    >>> values_of(["boundary=thesis", "lam=0.5"])
    {'boundary': 'thesis', 'lam': 0.5}
    """
    values: dict[str, object] = {}
    for name, value in _named(texts, "--method-option", "NAME=VALUE").items():
        try:
            values[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            values[name] = value
    return values or None


def roles_of(texts: list[str] | None) -> dict[str, str]:
    """Read ``ROLE=NAME``: what a table calls its roles."""
    return _named(texts, "--column", "ROLE=NAME")


def _named(texts: list[str] | None, option: str, form: str) -> dict[str, str]:
    values = {}
    for text in texts or []:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            refuse(None, f"{option} must be {form} but got {short_repr(text)}.")
        values[name] = value
    return values


# Names that are not known: say so in one line, with the nearest that are.


def design_named(text: str, *, seed: int | None = None) -> Any:
    """Return the design that is written so, the registry says how; a number is one of folds."""
    if text.strip().isdigit():
        return KFold(int(text), random_state=seed)
    require_known("design", text.partition(":")[0].strip(), designs(), "evenfold design --help")
    return design_from(text, random_state=seed)


def check_method(key: str | None) -> None:
    """Refuse a method that the registry does not have, before data are read."""
    from evenfold.infer import methods
    from evenfold.infer.naming import known_elsewhere

    if key is None:
        return
    if key not in methods() and (remedy := known_elsewhere(key)):
        raise InvalidInput(f"There is no method {key!r}.", parameter="method", remedy=remedy)
    require_known("method", key, methods(), "evenfold methods")


def require_known(what: str, name: str, names: Iterable[str], see: str) -> str:
    """
    Return ``name`` if it is among ``names``, else refuse it.

    ``see`` says where they are listed.
    """
    names = list(names)
    if name not in names:
        raise InvalidInput(
            f"There is no {what} {name!r}.",
            remedy=f"{did_you_mean(name, names)} `{see}` lists them.".lstrip(),
        )
    return name


def single_value(values: Sequence[str] | None, option: str) -> str | None:
    """Return the one value of an option; refuse several, lest some vanish."""
    if values and len(values) > 1:
        refuse(
            None,
            f"{option} can be given only once here but got {', '.join(values)}.",
            "Run the command once for each.",
        )
    return next(iter(values or ()), None)


def label(positive: str | None, y: Any) -> Any:
    """Return the label that is written so: on the command line 1 and "1" look alike."""
    if positive is None:
        return None
    labels = {str(value): value for value in dict.fromkeys(y.tolist())}
    if positive in labels:
        return labels[positive]
    refuse(None, f"--positive must be one of {list(labels)[:10]} but got {short_repr(positive)}.")


# Options that belong together.


def take_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """
    Let a command take its options in groups.

    Examples
    --------
    >>> @take_option_groups
    ... def lift(what: str, effort: FitOptions) -> None:
    ...     print(what, effort.keywords)
    >>> list(signature(lift).parameters)
    ['what', 'seed', 'jobs', 'store']
    >>> lift(what="stone", seed=1, jobs=2, store=None)
    stone {'random_state': 1, 'n_jobs': 2, 'store': None}
    """
    parameters = signature(command).parameters.values()
    groups: dict[str, Any] = {
        parameter.name: parameter.annotation
        for parameter in parameters
        if is_dataclass(parameter.annotation)
    }

    @wraps(command)
    def run_command(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    return with_parameters(
        run_command, (part for parameter in parameters for part in _parts(parameter))
    )


def with_parameters(
    function: Callable[..., None], parameters: Iterable[Parameter]
) -> Callable[..., None]:
    """Say which parameters a function takes, for typer to make options of."""
    changed: Any = function
    listed = list(parameters)
    changed.__signature__ = Signature(listed)
    changed.__annotations__ = {parameter.name: parameter.annotation for parameter in listed}
    return function


def option(name: str, kind: Any, default: Any = Parameter.empty) -> Parameter:
    """Return a parameter, by keyword, so that those with and without defaults mix in any order."""
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _parts(parameter: Parameter) -> list[Parameter]:
    if not is_dataclass(parameter.annotation):
        return [parameter.replace(kind=Parameter.KEYWORD_ONLY)]
    return [option(field.name, field.type, field.default) for field in fields(parameter.annotation)]


@dataclass(frozen=True, eq=False, kw_only=True)
class OptionGroup:
    """Options that belong together."""

    @property
    def values(self) -> dict[str, Any]:
        """What was said, or is usual, by option."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, eq=False, kw_only=True)
class RowOptions(OptionGroup):
    """How the rows of a file are read."""

    target: TargetOrTag = None
    groups: Groups = None
    order: Order = None
    weights: Weights = None
    features: Features = None
    drop: Drop = None
    sep: Sep = None
    decimal: Decimal = None
    encoding: Encoding = None
    scale: Scale = False
    balance: Balance = None

    @property
    def keywords(self) -> dict[str, Any]:
        """What was said, by option; a reader has defaults of its own."""
        return {
            name: value for name, value in self.values.items() if value not in (None, False, [])
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Models:
    """Which algorithms are compared."""

    a: A = None
    b: B = None
    algorithm: Algorithm = None
    trust: Trust = None

    @property
    def specifications(self) -> list[tuple[str, str]]:
        """The algorithms as they were written, each with its option, in the order A, B, others."""
        by_option = {"--a": self.a and [self.a], "--b": self.b, "--algorithm": self.algorithm}
        return [(text, option) for option, texts in by_option.items() for text in texts or ()]


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionOptions:
    """What is asked of losses, and what a pipeline wishes for."""

    measure: Measure = None
    method: Method = None
    margin: Margin = 0.0
    level: Level = 0.05
    alternative: Alternative = "two-sided"
    baseline: Baseline = None
    adjust: Adjust = "max-t"
    fail_unless: FailUnless = None
    undecided: Undecided = None

    def check(self, algorithms: int = 2) -> None:
        """Refuse what no verdict can meet and what no registry has, before data are read."""
        check_gate(self.fail_unless, self.undecided, algorithms, self.baseline)
        check_method(self.method)

    @property
    def measures(self) -> Any:
        """One measure, several, or None."""
        measures: list[Any] = self.measure or [None]
        return measures if len(measures) > 1 else measures[0]

    @property
    def keywords(self) -> dict[str, Any]:
        """The keywords of whatever answers."""
        plain = ("method", "margin", "level", "baseline", "adjust")
        return {name: getattr(self, name) for name in plain} | {
            "measure": self.measures,
            "alternative": side(self.alternative, self.fail_unless),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class FitOptions:
    """How fits are made and kept."""

    seed: Seed = None
    jobs: Jobs = None
    store: Store = None

    @cached_property
    def drawn(self) -> int:
        """The seed, drawn where none was given, and short enough to be typed again."""
        if self.seed is None:
            return seed_from(None) % 10**6
        return self.seed

    @property
    def keywords(self) -> dict[str, Any]:
        """The keywords of whatever fits."""
        return {"random_state": self.drawn, "n_jobs": self.jobs, "store": self.store}

"""The options that commands share, each written once."""

import ast
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from evenfold.cli.gate import CONTENT, UNDECIDED_AS
from evenfold.core.checks import refuse
from evenfold.core.tags import SCHEMES
from evenfold.design import KFold, Mx2BCV
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


def _designs() -> Iterable[str]:
    from evenfold.design import designs

    return [design.example for design in designs().values()]


_data, _question, _run, _output = (
    partial(typer.Option, rich_help_panel=panel) for panel in ("Data", "Question", "Run", "Output")
)

_column = partial(_data, metavar="COLUMN")
Column = Annotated[
    list[str] | None,
    _data(
        metavar="ROLE=NAME",
        help="Which column has which role, e.g. algorithm=model; may be repeated.",
    ),
]
_file = partial(_output, metavar="PATH")

# Data
File = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help="CSV (.csv, .csv.gz, .tsv) or Parquet file.", show_default=False
    ),
]
FileOrText = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="CSV (.csv, .csv.gz, .tsv) or Parquet file, a folder of them, or tagged text "
        "(.conll, .iob).",
        show_default=False,
    ),
]
FilesOrFolder = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA...",
        help="A folder, or two CSV or Parquet files or more: each is a data set.",
        show_default=False,
    ),
]
Target = Annotated[str, _column(help="Column to predict.", show_default=False)]
TargetOrTag = Annotated[
    str | None,
    _column("--target", help="Column to predict; in a tagged text its number (default: the last)."),
]
Format = Annotated[
    str | None,
    _data(
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
    _data(
        metavar="SIGN",
        help="Column separator of a CSV: comma, semicolon, tab or | (default: detected).",
    ),
]
Decimal = Annotated[
    str | None, _data(metavar="SIGN", help="Decimal mark of a CSV: . or , (default: detected).")
]
Encoding = Annotated[
    str | None,
    _data(metavar="NAME", help="Encoding of a CSV: utf-8, latin-1, utf-16, … (default: detected)."),
]
Scale = Annotated[
    bool, _data("--scale", help="Standardize numeric columns, learned on each training set.")
]
Undersample = Annotated[
    bool,
    _data(
        "--undersample",
        help="Train on equally many rows of each class, drawn from each training set.",
    ),
]

# Algorithms
A = Annotated[
    str | None,
    _question(
        "--a",
        metavar="[NAME=]MODULE:CLASS",
        help='The baseline, e.g. sklearn.svm:SVC(C=10, kernel="linear").',
    ),
]
B = Annotated[
    list[str] | None,
    _question(
        "--b",
        metavar="[NAME=]MODULE:CLASS",
        help="The challenger: is B better than A? May be repeated.",
    ),
]
Algorithm = Annotated[
    list[str] | None,
    _question(metavar="[NAME=]MODULE:CLASS", help="One of several algorithms; may be repeated."),
]

Trust = Annotated[
    list[str] | None,
    _question(
        metavar="MODULE",
        help="Module of yours whose functions may be imported and called; may be repeated.",
    ),
]

# Question
Measure = Annotated[
    list[str] | None,
    _question(
        metavar="NAME",
        help=f"Measure: {', '.join(measures())}, or a scikit-learn scorer; may be repeated, the "
        "first decides.",
        autocompletion=_complete_among(*measures()),
    ),
]
Design = Annotated[
    str | None,
    _question(
        metavar="KEY[:ARGUMENTS]",
        help=f"How the data are split, e.g. {Mx2BCV.example} or {KFold.example}; "
        "see evenfold design --help.",
        autocompletion=_complete_from(_designs),
    ),
]
Method = Annotated[
    str | None,
    _question(
        metavar="KEY",
        help="Statistical method; evenfold methods lists them.",
        autocompletion=_methods,
    ),
]
MethodOption = Annotated[
    list[str] | None,
    _question(
        metavar="NAME=VALUE",
        help="Option of the method, e.g. boundary=thesis; may be repeated.",
    ),
]
OfSeveral = Annotated[
    str,
    _question(
        help="With more than two algorithms: pairs (compare all of them), or best (a race: "
        "algorithms that are beaten drop out).",
        autocompletion=_complete_among("pairs", "best"),
    ),
]
At = Annotated[
    str,
    _question(
        help="Training size of the answer: half of the rows, full (nine tenths of them), or curve "
        "(full, and how the difference changes from a quarter of the rows up).",
        autocompletion=_complete_among("half", "full", "curve"),
    ),
]
Margin = Annotated[
    float, _question(help="Smallest difference that matters, in units of the measure.")
]
Level = Annotated[
    float, _question(help="Level of the test: the probability of a wrong verdict that you accept.")
]
Alternative = Annotated[
    str,
    _question(
        help="two-sided, greater or less (of B − A), or not-worse: is B not worse by more than "
        "the margin?",
        autocompletion=_complete_among("two-sided", "greater", "less", "not-worse"),
    ),
]
Baseline = Annotated[
    str | None,
    _question(metavar="NAME", help="Compare the others with this one only, not all pairs."),
]
_SHARE = "Adjustment for several pairs: holm, shaffer, max-t, none, … (see ef.infer.adjustment)."
Adjust = Annotated[str, _question(help=_SHARE, autocompletion=_complete_from(_adjustments))]
Positive = Annotated[
    str | None,
    _question(metavar="LABEL", help="The positive class of precision, recall, F1 and the like."),
]
_OVER = "Test over data sets: wilcoxon, sign, nemenyi, friedman, conover, quade or aligned."
Test = Annotated[str, _question(help=_OVER, autocompletion=_complete_from(_pair_tests))]
Scheme = Annotated[
    str | None,
    _question(
        help=f"Tagging scheme: {', '.join(SCHEMES[:8])} (default: IOB2); IOB2:suffix for tags "
        "such as "
        "PER-B.",
        autocompletion=_complete_among(*SCHEMES),
    ),
]
FailUnless = Annotated[
    str | None,
    _question(
        metavar="OUTCOME",
        help="Gate: exit with 3 unless every verdict is this, with 4 if inconclusive. One of "
        "better, "
        "equivalent, not-worse (better and equivalent pass, too), …",
        autocompletion=_complete_among(*CONTENT),
    ),
]
Undecided = Annotated[
    str | None,
    _question(
        metavar="pass|fail",
        help="Exit code of an inconclusive gate: 0 (pass) or 3 (fail) instead of 4.",
        autocompletion=_complete_among(*UNDECIDED_AS),
    ),
]

# Run
Seed = Annotated[int | None, _run(help="Random seed (default: drawn, and printed).", min=0)]
Jobs = Annotated[int | None, _run(help="Worker processes; -1 for all cores.")]
Store = Annotated[
    str | None,
    _run(metavar="PATH|URL", help="Store finished fits here, and reuse those already there."),
]
Timeout = Annotated[float | None, _run(metavar="SECONDS", help="Give up on a fit after this long.")]

# Output
Details = Annotated[
    bool,
    _output("--details", help="Also print the method, the design and a sentence for each pair."),
]
Html = Annotated[Path | None, _file(help="Write a report, one HTML file.")]
Json = Annotated[Path | None, _file(help="Write all results as JSON.")]
Latex = Annotated[Path | None, _file(help="Write a booktabs table.")]
Write = Annotated[
    list[str] | None,
    _output(metavar="FORMAT=PATH", help="Write another format, by its name; may be repeated."),
]
Markdown = Annotated[
    Path | None, _file(help="Write a Markdown table. Here and above, - means standard output.")
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
    for text in texts or []:
        name, found, value = text.partition("=")
        if not (name and found and value):
            refuse("--method-option", "NAME=VALUE", text)
        try:
            values[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            values[name] = value
    return values or None


def roles_of(texts: list[str] | None) -> dict[str, str]:
    """Read ``ROLE=NAME``: what a table calls its roles."""
    columns = {}
    for text in texts or []:
        role, found, name = text.partition("=")
        if not (role and found and name):
            refuse("--column", "ROLE=NAME", text)
        columns[role] = name
    return columns

"""The options that commands share, each written once."""

import ast
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from evenfold.cli.gate import CONTENT, UNDECIDED_AS
from evenfold.core.checks import refuse
from evenfold.core.inputs.tags import SCHEMES
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
    from evenfold.infer.many.adjust import ADJUSTMENTS

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
    _data(metavar="ROLE=NAME", help="What the table calls a role: algorithm=model."),
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
    _column("--target", help="Column to predict; its number, if not the last, in a tagged text."),
]
Format = Annotated[
    str | None,
    _data(
        "--format",
        help="table, conll (a token and its tag per line) or words (a segmented sentence per "
        "line); "
        "by the ending of the file if not said.",
        autocompletion=_complete_among("table", "conll", "words"),
    ),
]
Balance = Annotated[
    list[str] | None,
    _column(
        help="Column that every half gets alike; may be repeated. Of a tagged text: tags, words, "
        "length "
        "(all three if not said) or none."
    ),
]
Groups = Annotated[
    str | None,
    _column(
        help="Column that says which source a row is from. Of a tagged text: documents or none."
    ),
]
Order = Annotated[
    str | None, _column(help="Column with the time of a row: models are tested on later rows only.")
]
Weights = Annotated[str | None, _column(help="Column with the weight of a row.")]
Drop = Annotated[list[str] | None, _column(help="Column to leave out; may be repeated.")]
Features = Annotated[
    list[str] | None,
    _column(help="Column to predict from, all others if not said; may be repeated."),
]
Sep = Annotated[
    str | None,
    _data(
        metavar="SIGN",
        help="Between columns of a CSV: comma, semicolon, tab or |; found if not said.",
    ),
]
Decimal = Annotated[
    str | None, _data(metavar="SIGN", help="Before decimals: . or , ; found if not said.")
]
Encoding = Annotated[
    str | None,
    _data(metavar="NAME", help="Of a CSV: utf-8, latin-1, utf-16, …; found if not said."),
]
Scale = Annotated[bool, _data("--scale", help="Scale numeric columns, inside the folds.")]
Undersample = Annotated[
    bool,
    _data(
        "--undersample", help="Train on equally many rows of each class, drawn inside the folds."
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
        help="Module whose functions may be called to make an algorithm; may be repeated.",
    ),
]

# Question
Measure = Annotated[
    list[str] | None,
    _question(
        metavar="NAME",
        help=f"What is measured: {', '.join(measures())}; may be repeated, the first decides.",
        autocompletion=_complete_among(*measures()),
    ),
]
Design = Annotated[
    str | None,
    _question(
        metavar="KEY[:ARGUMENTS]",
        help=f"Who trains and who tests, e.g. {Mx2BCV.example} or {KFold.example}; "
        "see evenfold design --help.",
        autocompletion=_complete_from(_designs),
    ),
]
Method = Annotated[
    str | None,
    _question(
        metavar="KEY",
        help="How losses become an answer; see evenfold methods.",
        autocompletion=_methods,
    ),
]
MethodOption = Annotated[
    list[str] | None,
    _question(
        metavar="NAME=VALUE",
        help="What the method itself can be told, e.g. boundary=thesis; may be repeated.",
    ),
]
OfSeveral = Annotated[
    str,
    _question(
        help="What is asked of more than two algorithms: pairs (all of them), or best (a race: "
        "who is beaten "
        "is fitted no more).",
        autocompletion=_complete_among("pairs", "best"),
    ),
]
At = Annotated[
    str,
    _question(
        help="Training size that the answer is about: half of the rows, full (nearly all of "
        "them), or curve "
        "(full, and what changes from a quarter of them on).",
        autocompletion=_complete_among("half", "full", "curve"),
    ),
]
Margin = Annotated[float, _question(help="Differences up to this size do not matter.")]
Level = Annotated[float, _question(help="How often a wrong verdict is accepted.")]
Alternative = Annotated[
    str,
    _question(
        help="two-sided; greater or less (B − A); not-worse: is B worse by more than the margin?",
        autocompletion=_complete_among("two-sided", "greater", "less", "not-worse"),
    ),
]
Baseline = Annotated[
    str | None, _question(metavar="NAME", help="Compare all others with this one, not all pairs.")
]
_SHARE = "How several pairs share the level: holm, shaffer, max-t, none, … (ef.infer.adjustment)."
Adjust = Annotated[str, _question(help=_SHARE, autocompletion=_complete_from(_adjustments))]
Positive = Annotated[
    str | None,
    _question(metavar="LABEL", help="The class that precision, recall and F1 are about."),
]
_OVER = "Over a folder: wilcoxon, sign, nemenyi, friedman, conover, quade or aligned."
Test = Annotated[str, _question(help=_OVER, autocompletion=_complete_from(_pair_tests))]
Scheme = Annotated[
    str | None,
    _question(
        help=f"How tags mark chunks: IOB2 if not said, else {', '.join(SCHEMES[:8])}; IOB2:suffix "
        "for PER-B.",
        autocompletion=_complete_among(*SCHEMES),
    ),
]
FailUnless = Annotated[
    str | None,
    _question(
        metavar="OUTCOME",
        help="Exit with 3 unless every verdict is this, 4 if undecided: better, equivalent, "
        "not-worse (which "
        "better and equivalent pass too), …",
        autocompletion=_complete_among(*CONTENT),
    ),
]
Undecided = Annotated[
    str | None,
    _question(
        metavar="pass|fail",
        help="What --fail-unless does when undecided, instead of 4.",
        autocompletion=_complete_among(*UNDECIDED_AS),
    ),
]

# Run
Seed = Annotated[
    int | None, _run(help="Fixes everything random; drawn and reported if not given.", min=0)
]
Jobs = Annotated[int | None, _run(help="Worker processes; -1 for all cores.")]
Store = Annotated[
    str | None, _run(metavar="PATH|URL", help="Keep finished fits here, and reuse those found.")
]
Timeout = Annotated[float | None, _run(metavar="SECONDS", help="Give up on a fit after this long.")]

# Output
Details = Annotated[
    bool,
    _output("--details", help="Name the method and the design, and say every pair in a sentence."),
]
Html = Annotated[Path | None, _file(help="Write a self-contained report.")]
Json = Annotated[Path | None, _file(help="Write all numbers.")]
Latex = Annotated[Path | None, _file(help="Write a booktabs table.")]
Write = Annotated[
    list[str] | None,
    _output(metavar="FORMAT=PATH", help="Write any registered format; may be repeated."),
]
Markdown = Annotated[
    Path | None, _file(help="Write a Markdown table; like all of these, - is standard output.")
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

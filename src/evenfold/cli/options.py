"""The options that commands share, each written once."""

from pathlib import Path
from typing import Annotated

import typer

from evenfold.cli.output import OUTCOMES
from evenfold.run import measures


def _among(*names: str) -> object:
    """Complete a word on the command line from a few names."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def _methods(incomplete: str) -> list[tuple[str, str]]:
    from evenfold.infer import methods

    return [(key, entry.estimand) for key, entry in methods().items() if key.startswith(incomplete)]


def _designs(incomplete: str) -> list[str]:
    from evenfold.design import designs

    return [design.example for design in designs().values() if design.example.startswith(incomplete)]


_DATA, _QUESTION, _RUN, _OUTPUT = "Data", "Question", "Run", "Output"

# Data
File = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="CSV (.csv, .csv.gz, .tsv) or Parquet file.",
        show_default=False,
    ),
]
FileOrText = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="CSV (.csv, .csv.gz, .tsv) or Parquet file, a folder of them, or tagged text (.conll, .iob).",
        show_default=False,
    ),
]
Target = Annotated[
    str, typer.Option(metavar="COLUMN", help="Column to predict.", rich_help_panel=_DATA, show_default=False)
]
TargetOrTag = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="COLUMN",
        help="Column to predict; its number, if not the last, in a tagged text.",
        rich_help_panel=_DATA,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="table, conll (a token and its tag per line) or words (a segmented sentence per line); "
        "by the ending of the file if not said.",
        autocompletion=_among("table", "conll", "words"),
        rich_help_panel=_DATA,
    ),
]
Balance = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that every half gets alike; may be repeated. Of a tagged text: tags, words, length "
        "(all three if not said) or none.",
        rich_help_panel=_DATA,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that says which source a row is from. Of a tagged text: documents or none.",
        rich_help_panel=_DATA,
    ),
]
Weights = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column with the weight of a row.", rich_help_panel=_DATA)
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated.", rich_help_panel=_DATA),
]
Scale = Annotated[
    bool, typer.Option("--scale", help="Scale numeric columns, inside the folds.", rich_help_panel=_DATA)
]
Undersample = Annotated[
    bool,
    typer.Option(
        "--undersample",
        help="Train on equally many rows of each class, drawn inside the folds.",
        rich_help_panel=_DATA,
    ),
]

# Algorithms
A = Annotated[
    str | None,
    typer.Option(
        "--a",
        metavar="[NAME=]MODULE:CLASS",
        help='The baseline, e.g. sklearn.svm:SVC(C=10, kernel="linear").',
        rich_help_panel=_QUESTION,
    ),
]
B = Annotated[
    list[str] | None,
    typer.Option(
        "--b",
        metavar="[NAME=]MODULE:CLASS",
        help="The challenger: is B better than A? May be repeated.",
        rich_help_panel=_QUESTION,
    ),
]
Algorithm = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[NAME=]MODULE:CLASS",
        help="One of several algorithms; may be repeated.",
        rich_help_panel=_QUESTION,
    ),
]

Trust = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODULE",
        help="Module whose functions may be called to make an algorithm; may be repeated.",
        rich_help_panel=_QUESTION,
    ),
]

# Question
Measure = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help=f"What is measured: {', '.join(measures())}; may be repeated, the first decides.",
        autocompletion=_among(*measures()),
        rich_help_panel=_QUESTION,
    ),
]
Design = Annotated[
    str | None,
    typer.Option(
        metavar="KEY[:ARGUMENTS]",
        help="Who trains and who tests, e.g. mx2-bcv:7 or kfold:10; see evenfold design --help.",
        autocompletion=_designs,
        rich_help_panel=_QUESTION,
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        metavar="KEY",
        help="How losses become an answer; see evenfold methods.",
        autocompletion=_methods,
        rich_help_panel=_QUESTION,
    ),
]
Margin = Annotated[
    float, typer.Option(help="Differences up to this size do not matter.", rich_help_panel=_QUESTION)
]
Level = Annotated[
    float, typer.Option(help="How often a wrong verdict is accepted.", rich_help_panel=_QUESTION)
]
Alternative = Annotated[
    str,
    typer.Option(
        help="two-sided, greater or less.",
        autocompletion=_among("two-sided", "greater", "less"),
        rich_help_panel=_QUESTION,
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Compare all others with this one, not all pairs.", rich_help_panel=_QUESTION
    ),
]
Adjust = Annotated[
    str,
    typer.Option(
        help="For several pairs: holm, bonferroni, max-t or none.",
        autocompletion=_among("holm", "bonferroni", "max-t", "none"),
        rich_help_panel=_QUESTION,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL", help="The class that precision, recall and F1 are about.", rich_help_panel=_QUESTION
    ),
]
Test = Annotated[
    str,
    typer.Option(
        help="Over a folder: wilcoxon-holm, nemenyi or friedman-holm.",
        autocompletion=_among("wilcoxon-holm", "nemenyi", "friedman-holm"),
        rich_help_panel=_QUESTION,
    ),
]
Scheme = Annotated[
    str | None,
    typer.Option(
        help="How tags mark chunks: IOB2 (if not said), IOB1, IOBES, BMES or BB2B3MES.",
        autocompletion=_among("IOB2", "IOB1", "IOBES", "BMES", "BB2B3MES"),
        rich_help_panel=_QUESTION,
    ),
]
FailUnless = Annotated[
    str | None,
    typer.Option(
        metavar="OUTCOME",
        help="Exit with 3 unless every verdict is this: better, worse, equivalent or inconclusive.",
        autocompletion=_among(*OUTCOMES),
        rich_help_panel=_QUESTION,
    ),
]

# Run
Seed = Annotated[
    int | None,
    typer.Option(
        help="Fixes everything random; drawn and reported if not given.", min=0, rich_help_panel=_RUN
    ),
]
Jobs = Annotated[int | None, typer.Option(help="Worker processes; -1 for all cores.", rich_help_panel=_RUN)]
Store = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL", help="Keep finished fits here, and reuse those found.", rich_help_panel=_RUN
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Give up on a fit after this long.",
        rich_help_panel=_RUN,
    ),
]

# Output
Html = Annotated[
    Path | None, typer.Option(metavar="PATH", help="Write a self-contained report.", rich_help_panel=_OUTPUT)
]
Json = Annotated[
    Path | None, typer.Option(metavar="PATH", help="Write all numbers.", rich_help_panel=_OUTPUT)
]
Latex = Annotated[
    Path | None, typer.Option(metavar="PATH", help="Write a booktabs table.", rich_help_panel=_OUTPUT)
]
Markdown = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Write a Markdown table; like all of these, - is standard output.",
        rich_help_panel=_OUTPUT,
    ),
]

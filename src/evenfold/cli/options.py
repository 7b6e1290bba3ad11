"""
The options that commands share, and groups of options.

A command takes a group as one value, and the user types its options.
"""

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import cached_property, partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, dataclass_transform

import typer

from evenfold.cli.gate import CONTENT, UNDECIDED_AS, check_gate, side
from evenfold.core.checks import did_you_mean, refuse, refuse_value
from evenfold.core.errors import InvalidInput
from evenfold.core.registry import Registry
from evenfold.core.rng import seed_from
from evenfold.design import KFold, design_from, designs
from evenfold.run import measures

T = TypeVar("T")


def complete_among(*names: str) -> object:
    """Complete a word on the command line from a few names."""
    return complete_from(lambda: names)


def complete_from(names: Callable[[], Iterable[str]]) -> object:
    """Complete a word from names that are loaded when they are needed."""
    return lambda incomplete: [name for name in names() if name.startswith(incomplete)]


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
of_file = partial(of_output, metavar="PATH")

# Groups of options: dataclasses whose fields are options.

_OPTION = "option"  # the key of a field's metadata that holds its declaration for typer


def in_group(declare: Callable[..., Any], *names: str, default: Any = None, **settings: Any) -> Any:
    """Return a field of a group: an option that ``declare`` makes, such as :data:`of_data`."""
    return field(default=default, metadata={_OPTION: declare(*names, **settings)})


data_option, question_option, output_option, file_option, plain_option = (
    partial(in_group, declare)
    for declare in (of_data, of_question, of_output, of_file, typer.Option)
)
column_option = partial(data_option, metavar="COLUMN")


@dataclass_transform(frozen_default=True, eq_default=False, kw_only_default=True)
def option_group(group: type[T]) -> type[T]:
    """Make a class whose fields are the options of a group, see :func:`take_option_groups`."""
    return dataclass(frozen=True, eq=False, kw_only=True)(group)


# Options that several commands or groups have.

Column = Annotated[
    list[str] | None,
    of_data(
        metavar="ROLE=NAME",
        help="Which column has which role, e.g. algorithm=model; may be repeated.",
    ),
]
Drop = Annotated[
    list[str] | None, of_data(metavar="COLUMN", help="Column to leave out; may be repeated.")
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
Trust = Annotated[
    list[str] | None,
    of_question(
        metavar="MODULE",
        help="Module of yours whose functions may be imported and called; may be repeated.",
    ),
]
Measure = Annotated[
    list[str] | None,
    of_question(
        metavar="NAME",
        help=f"Measure: {', '.join(measures())}, or a scikit-learn scorer; may be repeated, the "
        "first decides.",
        autocompletion=complete_among(*measures()),
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
        autocompletion=complete_among("two-sided", "greater", "less", "not-worse"),
    ),
]
Positive = Annotated[
    str | None,
    of_question(metavar="LABEL", help="The positive class of precision, recall, F1 and the like."),
]
Higher = Annotated[
    bool | None,
    of_question(
        "--higher-is-better/--lower-is-better",
        help="Direction of values whose measure is not known.",
    ),
]
Seed = Annotated[int | None, of_run(help="Random seed (default: drawn, and printed).", min=0)]
Jobs = Annotated[int | None, of_run(help="Worker processes; -1 for all cores.")]
Store = Annotated[
    str | None,
    of_run(metavar="PATH|URL", help="Store finished fits here, and reuse those already there."),
]
Timeout = Annotated[
    float | None, of_run(metavar="SECONDS", help="Give up on a fit after this long.")
]
Json = Annotated[Path | None, of_file("--json", help="Write all results as JSON.")]


def values_of(texts: list[str] | None) -> dict[str, object] | None:
    """
    Read ``NAME=VALUE``, where values are Python literals or else texts.

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
    """Read ``ROLE=NAME``, the names of columns by their roles."""
    return _named(texts, "--column", "ROLE=NAME")


def _named(texts: list[str] | None, option: str, form: str) -> dict[str, str]:
    values = {}
    for text in texts or []:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            refuse_value(option, text, form)
        values[name] = value
    return values


# Refusals of unknown names, which suggest the nearest known name.


def design_named(text: str, *, seed: int | None = None) -> Any:
    """Return the design of a text such as ``kfold:10``; a number alone is a number of folds."""
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
    if isinstance(names, Registry) and name in names.replaced:
        raise InvalidInput(names.replaced[name], parameter=what)
    names = list(names)
    if name not in names:
        raise InvalidInput(
            f"There is no {what} {name!r}.",
            remedy=f"{did_you_mean(name, names)} `{see}` lists them.".lstrip(),
        )
    return name


def single_value(values: Sequence[str] | None, option: str) -> str | None:
    """Return the only value of an option, and refuse several."""
    if values and len(values) > 1:
        refuse(
            None,
            f"{option} can be given only once here but got {', '.join(values)}.",
            "Run the command once for each.",
        )
    return next(iter(values or ()), None)


def label(positive: str | None, y: Any) -> Any:
    """Return the label of ``y`` that prints like the text of ``--positive``, such as 1 for "1"."""
    if positive is None:
        return None
    labels = {str(value): value for value in dict.fromkeys(y.tolist())}
    if positive in labels:
        return labels[positive]
    refuse_value("--positive", positive, f"one of {list(labels)[:10]}")


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
            values[name] = group(**{part.name: values.pop(part.name) for part in fields(group)})
        command(**values)

    return with_parameters(
        run_command, (part for parameter in parameters for part in _parts(parameter))
    )


def with_parameters(
    function: Callable[..., None], parameters: Iterable[Parameter]
) -> Callable[..., None]:
    """Set the parameters of a function, of which typer makes options."""
    changed: Any = function
    listed = list(parameters)
    changed.__signature__ = Signature(listed)
    changed.__annotations__ = {parameter.name: parameter.annotation for parameter in listed}
    return function


def option(name: str, kind: Any, default: Any = Parameter.empty) -> Parameter:
    """Return a keyword-only parameter, because those may have defaults in any order."""
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _parts(parameter: Parameter) -> list[Parameter]:
    if not is_dataclass(parameter.annotation):
        return [parameter.replace(kind=Parameter.KEYWORD_ONLY)]
    return [
        option(part.name, _typer_type(part), part.default) for part in fields(parameter.annotation)
    ]


def _typer_type(part: Field[Any]) -> Any:
    """Return the type of a field together with its option, if the type does not name it itself."""
    if _OPTION in part.metadata:
        return Annotated[part.type, part.metadata[_OPTION]]
    return part.type


@option_group
class OptionGroup:
    """Options that belong together."""

    @property
    def values(self) -> dict[str, Any]:
        """The value of each option by its name: what the user typed, or the default."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


@option_group
class RowOptions(OptionGroup):
    """How the rows of a file are read."""

    target: str | None = column_option(
        "--target", help="Column to predict; in a tagged text its number (default: the last)."
    )
    groups: str | None = column_option(
        help="Column that names the group of a row (patient, hospital, …). For a tagged text: "
        "documents or none."
    )
    order: str | None = column_option(
        help="Column with the time of each row: models are tested on later rows only."
    )
    weights: str | None = column_option(help="Column with the weight of each row.")
    features: list[str] | None = column_option(
        help="Column to predict from (default: all others); may be repeated."
    )
    drop: Drop = None
    sep: str | None = data_option(
        metavar="SIGN",
        help="Column separator of a CSV: comma, semicolon, tab or | (default: detected).",
    )
    decimal: str | None = data_option(
        metavar="SIGN", help="Decimal mark of a CSV: . or , (default: detected)."
    )
    encoding: str | None = data_option(
        metavar="NAME", help="Encoding of a CSV: utf-8, latin-1, utf-16, … (default: detected)."
    )
    scale: Scale = False
    balance: list[str] | None = column_option(
        help="Column whose values are spread evenly over training and test sets; may be repeated. "
        "For a tagged text: tags, words, length (default: all three) or none."
    )

    @property
    def keywords(self) -> dict[str, Any]:
        """The options that the user typed; a reader has defaults of its own for the others."""
        return {
            name: value for name, value in self.values.items() if value not in (None, False, [])
        }


@option_group
class Models:
    """The algorithms that are compared."""

    a: A = None
    b: B = None
    algorithm: list[str] | None = question_option(
        metavar="[NAME=]MODULE:CLASS", help="One of several algorithms; may be repeated."
    )
    trust: Trust = None

    @property
    def specifications(self) -> list[tuple[str, str]]:
        """The algorithms as typed, each with its option, in the order A, B, others."""
        by_option = {"--a": self.a and [self.a], "--b": self.b, "--algorithm": self.algorithm}
        return [(text, option) for option, texts in by_option.items() for text in texts or ()]


@option_group
class QuestionOptions:
    """The question about the losses, and the gate of a pipeline."""

    measure: Measure = None
    method: str | None = question_option(
        metavar="KEY",
        help="Statistical method; evenfold methods lists them.",
        autocompletion=_methods,
    )
    margin: Margin = 0.0
    level: Level = 0.05
    alternative: Alternative = "two-sided"
    baseline: str | None = question_option(
        metavar="NAME", help="Compare the others with this one only, not all pairs."
    )
    adjust: str = question_option(
        default="max-t",
        help="How several pairs share the level: max-t, bonferroni, holm, none, …",
        autocompletion=complete_from(_adjustments),
    )
    fail_unless: str | None = question_option(
        metavar="OUTCOME",
        help="Gate: exit with 3 unless every verdict is this, with 4 if inconclusive. One of "
        "better, equivalent, not-worse (better and equivalent pass, too), …",
        autocompletion=complete_among(*CONTENT),
    )
    undecided: str | None = question_option(
        metavar="pass|fail",
        help="Exit code of an inconclusive gate: 0 (pass) or 3 (fail) instead of 4.",
        autocompletion=complete_among(*UNDECIDED_AS),
    )

    def check(self, algorithms: int = 2) -> None:
        """Refuse impossible gates and unknown methods before data are read."""
        check_gate(self.fail_unless, self.undecided, algorithms, self.baseline)
        check_method(self.method)

    @property
    def measures(self) -> Any:
        """One measure, several, or None."""
        measures: list[Any] = self.measure or [None]
        return measures if len(measures) > 1 else measures[0]

    @property
    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of the functions that compare."""
        plain = ("method", "margin", "level", "baseline", "adjust")
        return {name: getattr(self, name) for name in plain} | {
            "measure": self.measures,
            "alternative": side(self.alternative, self.fail_unless),
        }


@option_group
class FitOptions:
    """How fits are made and kept."""

    seed: Seed = None
    jobs: Jobs = None
    store: Store = None

    @cached_property
    def drawn(self) -> int:
        """The seed. If none was typed, one is drawn that is short enough to be typed again."""
        if self.seed is None:
            return seed_from(None) % 10**6
        return self.seed

    @property
    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of the functions that fit."""
        return {"random_state": self.drawn, "n_jobs": self.jobs, "store": self.store}

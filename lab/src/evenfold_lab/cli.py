"""``evenfold lab``: studies of methods and designs on populations of known truth."""

from collections.abc import Mapping, Sequence
from csv import DictWriter
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.options import (
    FitOptions,
    check_method,
    design_named,
    label,
    option,
    require_known,
    single_value,
    take_option_groups,
    with_parameters,
)
from evenfold.cli.output import console, listing, note, say, show
from evenfold.core.checks import refuse, short_repr
from evenfold.core.environment import require
from evenfold.core.words import csv_cell, one_line
from evenfold.read import estimators, read_table

lab = typer.Typer(
    name="lab",
    help="Measure type I error, power, coverage and cost of methods on simulated populations.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_study, _output = (partial(typer.Option, rich_help_panel=panel) for panel in ("Study", "Output"))

File = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help="CSV (.csv, .csv.gz, .tsv) or Parquet file.", show_default=False
    ),
]
Target = Annotated[str, o.of_data(metavar="COLUMN", help="Column to predict.", show_default=False)]
Population = Annotated[
    str,
    typer.Argument(
        metavar="NAME[:KEY=VALUE,...]",
        help="A population, e.g. two-gaussians:setting=2; see evenfold lab populations.",
        show_default=False,
    ),
]
Methods = Annotated[str | None, _study(metavar="KEY,...", help="Methods; by default all that fit.")]
Designs = Annotated[
    list[str] | None, _study("--design", metavar="KEY[:ARGUMENTS]", help="May be repeated.")
]
Size = Annotated[int, _study(help="Examples per data set.")]
Replications = Annotated[int, _study(help="Number of data sets.")]
Repetitions = Annotated[int, _study("--m", help="Repetitions of the m×2 BCV.")]
Partitions = Annotated[int, _study(help="How often each data set is cut.")]
Vary = Annotated[
    str | None, _study(metavar="KEY=VALUE,...", help="The true curve, along a parameter.")
]
TrainSize = Annotated[float, _study(help="Share of a data set that trains.")]
Device = Annotated[
    str | None, _study(metavar="NAME", help="Where models are fitted: cuda is a GPU.")
]
Csv = Annotated[Path | None, _output(metavar="PATH", help="Write the table.")]
Figure = Annotated[
    Path | None, _output(metavar="PATH", help="Write the figure (.png, .svg, .pdf).")
]


def _population(text: str) -> Any:
    """Read ``name:key=value,...``; a value that looks like a number becomes one."""
    from evenfold_lab import population, populations

    name, _, rest = text.partition(":")
    require_known("population", name, populations(), "evenfold lab populations")
    pairs = [part.partition("=") for part in rest.split(",") if part]
    if any(not sign for _, sign, _ in pairs):
        refuse(
            "population",
            f"population must be written as name:key=value,... but got {short_repr(text)}.",
        )
    return population(name, **{key.strip(): _value(value.strip()) for key, _, value in pairs})


def _value(word: str) -> Any:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def _keys(methods: str) -> list[str]:
    keys = [key.strip() for key in methods.split(",")]
    for key in keys:
        check_method(key)
    return keys


def _check_figure(figure: Path | None) -> None:
    """Refuse a figure that cannot be drawn before the study runs, which may take hours."""
    if figure is not None:
        require("matplotlib", "--figure")


def _deliver(study: Any, csv: Path | None, figure: Path | None) -> None:
    show(study)
    if csv is not None:
        _write_rows(csv, study.rows)
        note(f"{csv} written")
    if figure is not None:
        try:
            study.plot().savefig(figure, dpi=150)
        except ValueError as reason:  # matplotlib does not know the file's extension
            refuse(
                "figure",
                "figure must be a file such as study.png or study.svg but got "
                f"{short_repr(str(figure))}: {one_line(reason)}.",
            )
        note(f"{figure} written")


def _write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        # An unknown number is an empty cell, not the text "nan".
        writer.writerows(
            {name: csv_cell(cell) for name, cell in row.items() if cell == cell} for row in rows
        )


def _vary(text: str) -> dict[str, list[float]]:
    key, sign, values = text.partition("=")
    try:
        numbers = [float(value) for value in values.split(",")]
    except ValueError:
        numbers = []
    if not sign or not numbers:
        refuse(
            "vary",
            f"vary must be written as parameter=number,number,... but got {short_repr(text)}.",
        )
    return {key.strip(): numbers}


# The options of the studies, with the defaults of those studies that do not set their own.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "methods": (Methods, None),
    "designs": (Designs, None),
    "m": (Repetitions, 3),
    "n": (Size, 200),
    "replications": (Replications, 1000),
    "partitions": (Partitions, 10),
    "level": (o.Level, 0.05),
    "alternative": (o.Alternative, "two-sided"),
    "vary": (Vary, None),
    "device": (Device, None),
    "train_size": (TrainSize, 0.5),
    "csv": (Csv, None),
    "figure": (Figure, None),
}
_READ: dict[str, Any] = {
    "methods": _keys,
    "designs": lambda texts: [design_named(text) for text in texts],
    "vary": _vary,
}


def _add_study(name: str, description: str, *options: str, **defaults: Any) -> None:
    """Add a study's command: a population, the study's options and those that all studies have."""

    def command(
        population: str, effort: FitOptions, csv: Path | None, figure: Path | None, **texts: Any
    ) -> None:
        import evenfold_lab as lab

        _check_figure(figure)
        settings = {
            key: _READ.get(key, lambda v: v)(value)
            for key, value in texts.items()
            if value is not None
        }
        _deliver(
            getattr(lab, name)(_population(population), **settings, **effort.keywords), csv, figure
        )

    parameters = [option("population", Population), option("effort", FitOptions)]
    for key in (*options, "device", "csv", "figure"):
        kind, default = _OPTIONS[key]
        parameters.append(option(key, kind, defaults.get(key, default)))
    lab.command(name, help=description)(take_option_groups(with_parameters(command, parameters)))


_SAMPLE = ("n", "replications")
_RATES = ("methods", *_SAMPLE, "level")
_add_study("type1", "Measure the type I error of methods.", *_RATES, "alternative")
_add_study(
    "power",
    "Measure the power of methods, by the size of the difference.",
    *_RATES,
    "alternative",
    "vary",
)
_add_study("coverage", "Measure the coverage and length of intervals.", *_RATES)
_add_study("fits", "Measure how many fits sequential methods take.", *_RATES)
_add_study(
    "replicability",
    "Measure how often a method agrees with itself on new splits of the same data.",
    *_RATES,
    "partitions",
    replications=200,
)
_add_study(
    "variance",
    "Measure the variance of the estimate by design.",
    "designs",
    *_SAMPLE,
)
_add_study(
    "covariance",
    "Measure the covariance of two hold-out values by the overlap of their training sets.",
    *_SAMPLE,
    "train_size",
)
_add_study("correlations", "Measure ρ1 and ρ2 and their components.", "m", *_SAMPLE)


@lab.command()
def populations() -> None:
    """List the populations."""
    from evenfold_lab import populations as registered

    table = listing("population", "what it is", "source")
    for name, entry in registered().items():
        table.add_row(name, entry.description, entry.source)
    console().print(table)


@lab.command()
@take_option_groups
def calibrate(
    data: File,
    target: Target,
    effort: FitOptions,
    a: o.A = None,
    b: o.B = None,
    trust: o.Trust = None,
    methods: Methods = None,
    measure: o.Measure = None,
    positive: o.Positive = None,
    drop: o.Drop = None,
    scale: o.Scale = False,
    level: o.Level = 0.05,
    difference: Annotated[
        float | None, _study(help="Power is for finding this difference.")
    ] = None,
    replications: Replications = 200,
    csv: Csv = None,
    figure: Figure = None,
) -> None:
    """Measure the methods on data like yours, with your two algorithms."""
    from evenfold_lab import calibrate as study

    _check_figure(figure)
    if a is None or not b or len(b) > 1:
        refuse(
            "algorithms",
            "Two algorithms are needed, one after --a and one after --b.",
        )
    specs = [estimators.parse(a, "--a"), estimators.parse(b[0], "--b")]
    subjects = {
        name: estimators.load_estimator(spec, trust or (), say)
        for name, spec in zip(estimators.names(specs), specs, strict=True)
    }
    chosen: Any = {} if methods is None else {"methods": _keys(methods)}
    table = read_table(data, target=target, groups=None, weights=None, drop=drop or (), scale=scale)
    done = study(
        {name: table.prepared(subject) for name, subject in subjects.items()},
        table.X,
        table.y,
        measure=single_value(measure, "--measure"),
        positive=label(positive, table.y),
        difference=difference,
        level=level,
        replications=replications,
        **chosen,
        **effort.keywords,
    )
    _deliver(done, csv, figure)


@lab.command(hidden=True)
def cards(
    folder: Annotated[
        Path, typer.Argument(help="Where the cards are written.", show_default=False)
    ],
    methods: Methods = None,
    jobs: o.Jobs = None,
    store: o.Store = None,
    device: Device = None,
) -> None:
    """Run the standard battery and write the calibration card of every method."""
    from evenfold_lab.studies.battery import run_battery

    chosen = None if methods is None else _keys(methods)
    run_battery(folder, say=note, methods=chosen, n_jobs=jobs, store=store, device=device)


@lab.command()
def bench(
    results: Annotated[Path, typer.Argument(help="A csv file; what it has is not run again.")],
    population: Annotated[
        list[str] | None,
        _study(
            metavar="NAME",
            help="By default all; MODULE:NAME adds one of your own. May be repeated.",
        ),
    ] = None,
    test: Annotated[
        list[str] | None,
        _study(
            metavar="KEY",
            help="By default all; KEY@FAMILY[:COUNT] adds a method, MODULE:NAME a test. May be "
            "repeated.",
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        _study(metavar="A/B", help="By default all of a population. May be repeated."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        _study(metavar="NAME", help="By default all, few of them above n = 1000. May be repeated."),
    ] = None,
    n: Annotated[list[int] | None, _study(help="Examples per data set. May be repeated.")] = None,
    tables: Annotated[
        Path | None, _study(help="A folder of tables NAME.npz with X and y: more populations.")
    ] = None,
    data_sets: Annotated[int, _study(help="Data sets per row.")] = 300,
    device: Device = None,
    jobs: Annotated[int, _study(help="Processes that judge while models are fitted.")] = 1,
    seed: Annotated[int, _study(help="Seed of everything random.")] = 0,
    partitions: Annotated[
        int, _study(help="Random partitions of a data set: 2, or 1 without agreement.")
    ] = 2,
) -> None:
    """
    Benchmark tests of differences on common populations.

    The results have one row for each population, pair, n, measure and test.
    """
    from evenfold_lab import bench as benchmark

    if tables is not None:
        for table in benchmark.tables(tables):
            benchmark.add_population(table)
    done = benchmark.bench(
        results,
        populations=None
        if population is None
        else [benchmark.find_population(text) for text in population],
        tests=None if test is None else [benchmark.find_test(text) for text in test],
        pairs=pair,
        measures=measure,
        sizes=n or (100, 500, 1000),
        data_sets=data_sets,
        device=device,
        n_jobs=jobs,
        seed=seed,
        partitions=partitions,
        say=note,
    )
    note(f"{results}: {len(done)} rows")

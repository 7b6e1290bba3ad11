"""``evenfold compare``: a file, two algorithms or more, a verdict."""

from dataclasses import replace
from typing import Any

import typer

from evenfold.cli import designs, estimators
from evenfold.cli import options as o
from evenfold.cli.names import check_method
from evenfold.cli.output import Outputs, check_wish, finish, note
from evenfold.cli.redo import command
from evenfold.core.checks import refuse
from evenfold.core.rng import seed_from


def compare(
    ctx: typer.Context, data: o.File, target: o.Target, groups: o.Groups = None, weights: o.Weights = None,
    drop: o.Drop = None, scale: o.Scale = False, undersample: o.Undersample = False,
    a: o.A = None, b: o.B = None, algorithm: o.Algorithm = None,
    measure: o.Measure = None, design: o.Design = None, method: o.Method = None, margin: o.Margin = 0.0,
    level: o.Level = 0.05, alternative: o.Alternative = "two-sided", baseline: o.Baseline = None,
    adjust: o.Adjust = "holm", positive: o.Positive = None, fail_unless: o.FailUnless = None,
    seed: o.Seed = None, jobs: o.Jobs = None, store: o.Store = None, timeout: o.Timeout = None,
    html: o.Html = None, json: o.Json = None, latex: o.Latex = None, markdown: o.Markdown = None,
) -> None:  # fmt: skip
    """Compare algorithms on the rows of a file."""
    outputs = Outputs(paths={"html": html, "json": json, "latex": latex, "markdown": markdown})
    written = [*_options("--a", a), *_options("--b", b), *_options("--algorithm", *(algorithm or ()))]
    check_wish(fail_unless, len(written))
    drawn = seed_from(None) % 10**6 if seed is None else seed  # short enough to be typed again
    subjects = _algorithms(written)
    chosen = None if design is None else designs.parse(design, seed=drawn)
    check_method(method)
    from evenfold._compare import compare as answer
    from evenfold.cli.data import load

    table = load(data, target=target, groups=groups, weights=weights, drop=drop or (), scale=scale)
    prepared = {name: table.prepared(subject) for name, subject in subjects.items()}
    done = answer(
        _undersampled(prepared) if undersample else prepared, table.X, table.y,
        measure=measure, design=chosen, method=method, margin=margin, level=level, alternative=alternative,
        baseline=baseline, adjust=adjust, positive=_label(positive, table.y), groups=table.groups,
        sample_weight=table.weights, random_state=drawn, n_jobs=jobs, store=store, timeout=timeout,
    )  # fmt: skip
    outputs.deliver(replace(done, facts=replace(done.facts, call=command(ctx, seed=drawn))))
    if seed is None:
        note(f"--seed {drawn} gives this answer again")
    if store is not None:
        note(f"evenfold report {done.facts.run_id} --store {store} reads it again, without a fit")
    finish(done, fail_unless)


def _options(option: str, *texts: str | None) -> list[tuple[str, str]]:
    return [(text, option) for text in texts if text is not None]


def _algorithms(written: list[tuple[str, str]]) -> dict[str, Any]:
    """Read, name and make the algorithms in the order A, B, others."""
    if not written:
        refuse("algorithms", "given by --a and --b, or by --algorithm", "none")
    specs = [estimators.parse(text, option) for text, option in written]
    return dict(zip(estimators.names(specs), map(estimators.load, specs), strict=True))


def _undersampled(algorithms: dict[str, Any]) -> dict[str, Any]:
    """Draw equal classes before all that is learned from a training set: gaps, scales, the model."""
    from sklearn.base import is_regressor

    from evenfold.run import UnderSampled

    for name, algorithm in algorithms.items():
        if is_regressor(algorithm):
            refuse("--undersample", "left out: there are no classes to draw from for a regressor,", name)
    return {name: UnderSampled(algorithm) for name, algorithm in algorithms.items()}


def _label(positive: str | None, y: Any) -> Any:
    """Return the label that is written so: on the command line 1 and "1" look alike."""
    if positive is None:
        return None
    labels = {str(label): label for label in dict.fromkeys(y.tolist())}
    return (
        labels[positive]
        if positive in labels
        else refuse("--positive", f"one of {list(labels)[:10]}", positive)
    )

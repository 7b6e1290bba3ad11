"""``evenfold compare``: a file, two algorithms or more, a verdict."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from evenfold.cli import designs, estimators, tagged
from evenfold.cli import options as o
from evenfold.cli.names import check_method
from evenfold.cli.output import Outputs, check_wish, finish, note
from evenfold.cli.redo import command
from evenfold.core.checks import refuse
from evenfold.core.rng import seed_from


def compare(
    ctx: typer.Context, data: o.FileOrText, target: o.TargetOrTag = None, groups: o.Groups = None,
    weights: o.Weights = None, drop: o.Drop = None, scale: o.Scale = False, balance: o.Balance = None,
    format_: o.Format = None, a: o.A = None, b: o.B = None, algorithm: o.Algorithm = None,
    measure: o.Measure = None, design: o.Design = None, method: o.Method = None, margin: o.Margin = 0.0,
    level: o.Level = 0.05, alternative: o.Alternative = "two-sided", baseline: o.Baseline = None,
    adjust: o.Adjust = "holm", positive: o.Positive = None, scheme: o.Scheme = None,
    fail_unless: o.FailUnless = None,
    seed: o.Seed = None, jobs: o.Jobs = None, store: o.Store = None, timeout: o.Timeout = None,
    html: o.Html = None, json: o.Json = None, latex: o.Latex = None, markdown: o.Markdown = None,
) -> None:  # fmt: skip
    """Compare algorithms on the rows of a file, or on the sentences of a tagged text."""
    outputs = Outputs(paths={"html": html, "json": json, "latex": latex, "markdown": markdown})
    written = [*_options("--a", a), *_options("--b", b), *_options("--algorithm", *(algorithm or ()))]
    check_wish(fail_unless, len(written))
    drawn = seed_from(None) % 10**6 if seed is None else seed  # short enough to be typed again
    form = tagged.form_of(data, format_, scheme=scheme, target=target)
    subjects = _algorithms(written, form)
    chosen = None if design is None else designs.parse(design, seed=drawn)
    check_method(method)
    from evenfold._compare import compare as answer

    rows = {"--weights": weights, "--drop": drop, "--scale": scale, "--positive": positive}
    table = _load(data, form, target, groups, balance or (), rows)
    if not form.is_table:
        chosen = tagged.design_for(table, chosen, seed=drawn)
    done = answer(
        {name: table.prepared(subject) for name, subject in subjects.items()}, table.X, table.y,
        measure=measure or form.measure, design=chosen, method=method, margin=margin, level=level,
        alternative=alternative, baseline=baseline, adjust=adjust, positive=_label(positive, table.y),
        groups=table.groups, features=_features(table.features, chosen, asked=bool(balance)),
        scheme=form.scheme,
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


def _algorithms(written: list[tuple[str, str]], form: tagged.Form) -> dict[str, Any]:
    """Read, name and make the algorithms in the order A, B, others."""
    if not written:
        refuse("algorithms", "given by --a and --b, or by --algorithm", "none")
    specs = [form.parse(text, option) for text, option in written]
    return dict(zip(estimators.names(specs), map(form.make, specs), strict=True))


def _load(
    path: Path, form: tagged.Form, target: str | None, groups: str | None, balance: Sequence[str],
    rows: dict[str, Any],
) -> Any:  # fmt: skip
    """Read a table or a tagged text; ``rows`` are options that only a table understands."""
    if not form.is_table:
        for option, given in rows.items():
            if given:
                refuse(option, "used with a table", f"a tagged text, {path.name}")
        return tagged.load(path, form, target=target, groups=groups, balance=balance)
    assert target is not None  # form_of has seen to it
    from evenfold.cli.data import load

    return load(
        path, target=target, groups=groups, weights=rows["--weights"], drop=rows["--drop"] or (),
        scale=rows["--scale"], balance=balance,
    )  # fmt: skip


def _features(features: Any, design: Any, *, asked: bool) -> Any:
    """Hand level counts to a design that balances them; to others, which refuse them, only if asked for."""
    names = getattr(design, "balance", None) or ()
    balanced = design is None or "features" in ((names,) if isinstance(names, str) else names)
    return features if asked or balanced else None


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

"""``evenfold compare``: a file, two algorithms or more, a verdict."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from evenfold.cli import estimators, tagged
from evenfold.cli import options as o
from evenfold.cli.names import check_method, design_named, label, only
from evenfold.cli.output import Outputs, check_wish, finish, note
from evenfold.cli.prepared import features, prepared
from evenfold.cli.redo import command
from evenfold.core.checks import refuse
from evenfold.core.rng import seed_from


def compare(
    ctx: typer.Context, data: o.FileOrText, target: o.TargetOrTag = None, groups: o.Groups = None,
    weights: o.Weights = None, drop: o.Drop = None, scale: o.Scale = False, balance: o.Balance = None,
    undersample: o.Undersample = False, format_: o.Format = None, a: o.A = None, b: o.B = None,
    algorithm: o.Algorithm = None, trust: o.Trust = None, measure: o.Measure = None, design: o.Design = None,
    method: o.Method = None, margin: o.Margin = 0.0, level: o.Level = 0.05,
    alternative: o.Alternative = "two-sided", baseline: o.Baseline = None, adjust: o.Adjust = "holm",
    positive: o.Positive = None, scheme: o.Scheme = None, fail_unless: o.FailUnless = None,
    test: o.Test = "wilcoxon-holm", seed: o.Seed = None, jobs: o.Jobs = None, store: o.Store = None,
    timeout: o.Timeout = None, html: o.Html = None, json: o.Json = None, latex: o.Latex = None,
    markdown: o.Markdown = None,
) -> None:  # fmt: skip
    """Compare algorithms on the rows of a file, on the sentences of a tagged text, or over a folder."""
    outputs = Outputs(paths={"html": html, "json": json, "latex": latex, "markdown": markdown})
    written = [
        *_options("--a", a),
        *_options("--b", *(b or ())),
        *_options("--algorithm", *(algorithm or ())),
    ]
    check_wish(fail_unless, len(written))
    drawn = seed_from(None) % 10**6 if seed is None else seed  # short enough to be typed again
    form = replace(tagged.form_of(data, format_, scheme=scheme, target=target), trusted=tuple(trust or ()))
    subjects = _algorithms(written, form)
    chosen = None if design is None else design_named(design, seed=drawn)
    check_method(method)
    from evenfold.cli.folder import folder
    from evenfold.corridor import compare as answer

    asked: Any = {
        "measure": only(measure, "--measure") or form.measure, "design": chosen, "method": method,
        "level": level, "alternative": alternative, "baseline": baseline, "adjust": adjust,
        "random_state": drawn, "n_jobs": jobs, "store": store, "timeout": timeout, "margin": margin,
    }  # fmt: skip
    rows: Any = {"weights": weights, "drop": drop or (), "scale": scale, "balance": balance or ()}
    if data.is_dir():
        reading = {"target": target, "groups": groups, **rows}
        over = folder(
            data, subjects, reading, asked, positive, undersample=undersample, test=test,
            call=command(ctx, seed=drawn),
        )  # fmt: skip
        outputs.deliver(over)
        return finish(over, fail_unless)
    of_tables = {"positive": positive, "undersample": undersample}
    table = _load(data, form, target, groups, rows, of_tables)
    if not form.is_table:
        asked["design"] = tagged.design_for(table, chosen, seed=drawn)
    done = answer(
        prepared(table, subjects, undersample=undersample), table.X, table.y,
        positive=label(positive, table.y), groups=table.groups, sample_weight=table.weights,
        features=features(table, asked["design"], asked=bool(balance)), scheme=form.scheme, **asked,
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
    path: Path, form: tagged.Form, target: str | None, groups: str | None, rows: dict[str, Any],
    only: dict[str, Any],
) -> Any:  # fmt: skip
    """Read a table or a tagged text; ``rows``, but for the balance, and ``only`` are options of tables."""
    if form.is_table:
        from evenfold.cli.data import load

        assert target is not None  # form_of has seen to it
        return load(path, target=target, groups=groups, **rows)
    for option, given in {**rows, **only, "balance": None}.items():
        if given:
            refuse(f"--{option}", "used with a table", f"a tagged text, {path.name}")
    return tagged.load(path, form, target=target, groups=groups, balance=rows["balance"])

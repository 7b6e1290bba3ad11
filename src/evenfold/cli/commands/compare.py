"""``evenfold compare``: a file, two algorithms or more, a verdict."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from evenfold.cli import options as o
from evenfold.cli import texts
from evenfold.cli.folder import folder
from evenfold.cli.gate import side
from evenfold.cli.names import check_method, design_named, label
from evenfold.cli.output import Outputs, check_wish, finish, note
from evenfold.cli.prepared import features as balanced_features
from evenfold.cli.prepared import prepared
from evenfold.cli.redo import command
from evenfold.core.checks import refuse
from evenfold.core.rng import seed_from
from evenfold.read import estimators, read_table


def compare(
    ctx: typer.Context,
    data: o.FileOrText,
    target: o.TargetOrTag = None,
    groups: o.Groups = None,
    order: o.Order = None,
    weights: o.Weights = None,
    features: o.Features = None,
    drop: o.Drop = None,
    sep: o.Sep = None,
    decimal: o.Decimal = None,
    encoding: o.Encoding = None,
    scale: o.Scale = False,
    balance: o.Balance = None,
    undersample: o.Undersample = False,
    format_: o.Format = None,
    a: o.A = None,
    b: o.B = None,
    algorithm: o.Algorithm = None,
    trust: o.Trust = None,
    measure: o.Measure = None,
    design: o.Design = None,
    method: o.Method = None,
    at: o.At = "half",
    margin: o.Margin = 0.0,
    level: o.Level = 0.05,
    alternative: o.Alternative = "two-sided",
    baseline: o.Baseline = None,
    adjust: o.Adjust = "holm",
    positive: o.Positive = None,
    scheme: o.Scheme = None,
    fail_unless: o.FailUnless = None,
    undecided: o.Undecided = None,
    test: o.Test = "wilcoxon",
    seed: o.Seed = None,
    jobs: o.Jobs = None,
    store: o.Store = None,
    timeout: o.Timeout = None,
    html: o.Html = None,
    json: o.Json = None,
    latex: o.Latex = None,
    markdown: o.Markdown = None,
    write: o.Write = None,
) -> None:
    """Compare algorithms on the rows of a file, on the sentences of a tagged text, or over a folder."""
    outputs = Outputs.asked(write, html=html, json=json, latex=latex, markdown=markdown)
    measures = measure or []
    if len(measures) > 1 and (outputs.targets or data.is_dir()):
        refuse("--measure", "given once with files to write and over a folder", ", ".join(measures))
    written = [*_options("--a", a), *_options("--b", *b or ()), *_options("--algorithm", *algorithm or ())]
    check_wish(fail_unless, len(written), undecided)
    drawn = seed_from(None) % 10**6 if seed is None else seed  # short enough to be typed again
    form = replace(texts.form_of(data, format_, scheme=scheme, target=target), trusted=tuple(trust or ()))
    subjects = _algorithms(written, form)
    check_method(method)
    asked: Any = {
        "measure": measures if len(measures) > 1 else measures[0] if measures else form.measure,
        "design": None if design is None else design_named(design, seed=drawn),
        "method": method,
        "at": at,
        "level": level,
        "alternative": side(alternative, None if data.is_dir() else fail_unless),
        "baseline": baseline,
        "adjust": adjust,
        "random_state": drawn,
        "n_jobs": jobs,
        "store": store,
        "timeout": timeout,
        "margin": margin,
    }
    rows: Any = {
        "order": order,
        "weights": weights,
        "features": features or (),
        "drop": drop or (),
        "scale": scale,
        "balance": balance or (),
        "sep": sep,
        "decimal": decimal,
        "encoding": encoding,
    }
    only: Any = {"positive": positive, "undersample": undersample}
    reading = {"target": target, "groups": groups, **rows}
    call = command(ctx, seed=drawn)
    if data.is_dir():
        done = folder(data, subjects, reading, asked, test=test, call=call, **only)
    else:
        done = _on_file(
            _load(data, form, reading, only), subjects, form, asked, **only, balanced=bool(balance)
        )
    for one in (done, *getattr(done, "others", ())):
        outputs.deliver(replace(one, facts=replace(one.facts, call=call)))
    if seed is None:
        note(f"--seed {drawn} gives this answer again")
    if store is not None and not data.is_dir():
        note(f"evenfold report {done.facts.run_id} --store {store} reads it again, without a fit")
    finish(done, fail_unless, undecided)


def _on_file(
    table: Any,
    subjects: dict[str, Any],
    form: texts.Form,
    asked: dict[str, Any],
    *,
    positive: str | None,
    undersample: bool,
    balanced: bool,
) -> Any:
    """Compare the algorithms on a table or a tagged text."""
    from evenfold.corridor import compare as answer

    if not form.is_table and asked["at"] == "half":
        asked = {**asked, "design": texts.design_for(table, asked["design"], seed=asked["random_state"])}
    return answer(
        prepared(table, subjects, undersample=undersample),
        table.X,
        table.y,
        positive=label(positive, table.y),
        groups=table.groups,
        sample_weight=table.weights,
        order=getattr(table, "order", None),
        features=balanced_features(table, asked["design"], asked=balanced),
        scheme=form.scheme,
        **asked,
    )


def _options(option: str, *texts: str | None) -> list[tuple[str, str]]:
    return [(text, option) for text in texts if text is not None]


def _algorithms(written: list[tuple[str, str]], form: texts.Form) -> dict[str, Any]:
    """Read, name and make the algorithms in the order A, B, others."""
    if not written:
        refuse("algorithms", "given by --a and --b, or by --algorithm", "none")
    specs = [form.parse(text, option) for text, option in written]
    return dict(zip(estimators.names(specs), map(form.make, specs), strict=True))


def _load(path: Path, form: texts.Form, reading: dict[str, Any], only: dict[str, Any]) -> Any:
    """Read a table or a tagged text, which has no use for the options that are about columns."""
    if form.is_table:
        return read_table(path, **reading)
    shared = {key: reading[key] for key in ("target", "groups", "balance")}
    for option, given in {**reading, **only}.items():
        if given and option not in shared:
            refuse(f"--{option}", "used with a table", f"a tagged text, {path.name}")
    return texts.load(path, form, **shared)

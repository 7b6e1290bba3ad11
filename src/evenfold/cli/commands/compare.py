"""``evenfold compare``: a file, two algorithms or more, a verdict."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from evenfold.cli import options as o
from evenfold.cli import texts
from evenfold.cli.folder import over_data_sets, over_files
from evenfold.cli.groups import Effort, Models, Question, Rows, grouped
from evenfold.cli.names import design_named
from evenfold.cli.output import FAILED, Outputs, finish, note
from evenfold.cli.prepared import Preparing
from evenfold.cli.redo import command
from evenfold.core.checks import refuse
from evenfold.core.facts.comparison import why_partial
from evenfold.core.words import hide_password
from evenfold.read import estimators, read_table


@dataclass(frozen=True, eq=False, kw_only=True)
class _Question(Question):
    """What is asked where models are fitted."""

    design: o.Design = None
    at: o.At = "half"
    question: o.OfSeveral = "pairs"
    positive: o.Positive = None
    scheme: o.Scheme = None
    test: o.Test = "wilcoxon"


@grouped
def compare(
    ctx: typer.Context,
    data: o.FileOrText,
    rows: Rows,
    models: Models,
    question: _Question,
    effort: Effort,
    outputs: Outputs,
    timeout: o.Timeout = None,
    undersample: o.Undersample = False,
    format_: o.Format = None,
) -> None:
    """Compare algorithms on the rows of a file, on the sentences of a tagged text, or over a folder."""
    if isinstance(question.measures, list) and (outputs.targets or data.is_dir()):
        refuse("--measure", "given once with files to write and over a folder", ", ".join(question.measures))
    question.check(len(models.written))
    form = texts.form_of(data, format_, scheme=question.scheme, target=rows.target)
    work = _Work(
        form=form,
        rows=rows,
        subjects=_algorithms(models, form),
        preparing=Preparing(positive=question.positive, undersample=undersample, balanced=bool(rows.balance)),
        asked={**_asked(question, effort, form), "timeout": timeout},
    )
    call = command(ctx, seed=effort.drawn)
    if data.is_dir():
        over = over_data_sets(question, question.test, algorithms=len(work.subjects))
        done = over_files(data, work.in_full, over, call=call)
    else:
        done = work.on_file(data)
    for one in (done, *getattr(done, "others", ())):
        outputs.deliver(replace(one, facts=replace(one.facts, call=call)))
    if effort.seed is None:
        note(f"--seed {effort.drawn} gives this answer again")
    if effort.store is not None and not data.is_dir():
        again = f"evenfold report {done.facts.run_id} --store {hide_password(effort.store)}"
        note(f"{again} reads it again, without a fit")
    finish(done, question)
    if data.is_dir() and why_partial(done.facts.notes):
        raise typer.Exit(FAILED)


def _asked(question: _Question, effort: Effort, form: texts.Form) -> dict[str, Any]:
    """Return what is asked, whatever the file."""
    design = None if question.design is None else design_named(question.design, seed=effort.drawn)
    measure = question.measures or form.measure
    of_run = {"measure": measure, "design": design, "at": question.at, "question": question.question}
    return {**question.asked, **effort.asked, **of_run}


def _algorithms(models: Models, form: texts.Form) -> dict[str, Any]:
    """Read, name and make the algorithms."""
    if not models.written:
        refuse("algorithms", "given by --a and --b, or by --algorithm", "none")
    specs = [form.parse(text, option) for text, option in models.written]
    made = [form.make(spec, trusted=models.trust or ()) for spec in specs]
    return dict(zip(estimators.names(specs), made, strict=True))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Work:
    """All that a comparison needs beside the file."""

    form: texts.Form
    rows: Rows
    subjects: dict[str, Any]
    preparing: Preparing
    asked: dict[str, Any]

    def on_file(self, path: Path) -> Any:
        """Compare on a table or a tagged text."""
        from evenfold.comparison import compare as answer

        table, asked = self._load(path), self.asked
        if not self.form.is_table and asked["at"] == "half":
            asked = {**asked, "design": texts.design_for(table, asked["design"], seed=asked["random_state"])}
        return answer(
            **self.preparing.keywords(table, self.subjects, asked["design"]), scheme=self.form.scheme, **asked
        )

    def in_full(self, path: Path) -> Any:
        """Compare on one table of several: no early stop, and the margin is about all of them."""
        from evenfold.comparison.comparing import in_full as answer

        table = read_table(path, **self.rows.said)
        usual = {"alternative": "two-sided", "margin": 0.0, "adjust": "holm", "question": "pairs"}
        asked = {**self.asked, **usual}
        return answer(**self.preparing.keywords(table, self.subjects, asked["design"]), **asked)

    def _load(self, path: Path) -> Any:
        """Read a table or a tagged text, which has no use for the options that are about columns."""
        if self.form.is_table:
            return read_table(path, **self.rows.said)
        given = {**self.rows.said, **self.preparing.said}
        for option in given:
            if option not in texts.OPTIONS:
                refuse(f"--{option}", "used with a table", f"a tagged text, {path.name}")
        return texts.load(path, self.form, **given)

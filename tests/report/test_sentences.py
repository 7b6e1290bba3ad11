"""One place speaks: every note has words, every word a note, and nothing else builds a sentence."""

import ast
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evenfold as ef
from evenfold.core.json import build, to_plain
from evenfold.core.note import WRITTEN, Note, as_notes, note, why_partial
from evenfold.core.verdict import Outcome
from evenfold.report.words import WORDS
from evenfold.report.words.verdict import COMPARED

SOURCE = Path(ef.__file__).parent
MAKERS = {"Note", "note", "partial_note"}
CODES = {"INTERRUPTED": "interrupted", "WRITTEN": WRITTEN}


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def _makers(tree: ast.Module) -> set[str]:
    """The names under which a module has what makes notes; the shell has another ``note``."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "evenfold.core.note":
            found |= {one.asname or one.name for one in node.names if one.name in MAKERS}
    return found


def _codes_made() -> set[str]:
    """The codes of all notes that some module makes."""
    found: set[str] = set()
    for _, tree in _trees():
        makers = _makers(tree)
        for call in ast.walk(tree):
            if _called(call) not in makers or not isinstance(call, ast.Call) or not call.args:
                continue
            for part in ast.walk(call.args[0]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    found.add(part.value)
                if isinstance(part, ast.Name) and part.id in CODES:
                    found.add(CODES[part.id])
    return found


def test_every_code_has_words_and_all_words_are_said() -> None:
    assert _codes_made() == {*WORDS, WRITTEN}


# Values of every note that stands beside a verdict; the names say which sentence each is in.
VALUES: dict[str, Any] = {
    "adjustment": "Holm's method",
    "algorithm": "tree",
    "baseline": "tree",
    "battles": 2,
    "benchmarks": 4,
    "broke": 3,
    "by": "row",
    "called": "the influence test on m×2 cross-validation",
    "case": "naive Bayes",
    "catches": 0.3,
    "caught": 0.8,
    "challenger": "forest",
    "change": "accuracy lower by 0.1",
    "check": "answers",
    "checks": ["answers", "times"],
    "classifier": "forest",
    "column": "patient",
    "counted_as": "pass",
    "cuts": "folds",
    "design": "GrowingWindow(20)",
    "differ": 0.1,
    "drop": 0.04,
    "enough_examples": 5.6,
    "enough_margin": 0.12,
    "examples": 12,
    "fewest": 6,
    "files": 39,
    "fits": 1,
    "fixed": 5,
    "found": "worse",
    "group": "patient_id",
    "groups": 50,
    "high": 0.2,
    "improvement": 0.01,
    "instead": "",
    "instead_called": "",
    "items": 40,
    "judges": 3,
    "label": "fr",
    "labels": 100,
    "leaning": "liberal",
    "left_out": 4,
    "level": 0.05,
    "low": -0.1,
    "m": 5,
    "many": 40,
    "margin": 0.02,
    "measure": "error",
    "method": "mx2-t",
    "most": 31,
    "n": 600,
    "name": "forest",
    "names": ["forest", "tree"],
    "odds": 20,
    "of": 90,
    "pairs": [["tree", "forest"]],
    "passed": 0.3,
    "passes": 0.2,
    "path": "base.csv",
    "positive": "spam",
    "precision": True,
    "reason": "it has no target",
    "regressor": "tree",
    "repeated": "repetitions",
    "room": 0.8,
    "rows": 1,
    "runs": 3,
    "said": "one example holds half of the spread",
    "seed": 7,
    "settled": "worse",
    "share": 0.5,
    "size": 0.34,
    "some": 2,
    "splits": 2,
    "state": "undecided",
    "tests": 10,
    "total": 10,
    "value": 0.05,
    "values": 9,
    "warned": [{"algorithm": "tree", "warning": "UserWarning: a", "fits": 3, "others": 1}],
    "what": "examples",
    "who": "algorithm",
    "which": "positive",
    "why": "variances are 0",
    "wish": "not-worse",
    "worth": 250,
}


def _note_of(code: str) -> Note:
    """A note with all values that its words name."""
    words = WORDS[code]
    if isinstance(words, str):
        names = set(re.findall(r"(?<!\{)\{(\w+)", words))
    else:
        names = {*words.__annotations__} - {"return"}
    return note(code, **{name: VALUES[name] for name in names})


BESIDE = sorted(
    code
    for code, words in WORDS.items()
    if isinstance(words, str) or words.__module__ == "evenfold.report.words.notes"
    if not code.startswith(("about-", "turned"))
)


@pytest.mark.parametrize("code", BESIDE)
@pytest.mark.parametrize("partial", [False, True])
def test_a_note_is_the_same_in_a_file(code: str, partial: bool) -> None:
    said = Note(code, _note_of(code).values, partial)
    written = json.loads(json.dumps(to_plain(said)))
    assert written["text"] == str(said)
    (again,) = build(tuple[Note, ...], [written])
    assert (again.code, again.partial, str(again)) == (code, partial, str(said))
    assert bool(why_partial([again])) is partial


def test_a_text_of_version_02_stays_as_it_was_written() -> None:
    (old,) = build(tuple[Note, ...], ["some remark of an earlier version"])
    assert (old.code, str(old)) == (WRITTEN, "some remark of an earlier version")


def test_a_code_of_a_later_version_is_said_as_its_file_says_it() -> None:
    later = {"code": "not-known-yet", "values": {"n": 3}, "text": "three of them"}
    (found,) = build(tuple[Note, ...], [later])
    assert str(found) == "three of them"


def test_values_that_do_not_fit_are_refused_in_one_line() -> None:
    for values in ({}, {"examples": "many"}, {"examples": None}):
        with pytest.raises(ef.InvalidInput, match="The values of the note 'weight-zero' are not"):
            str(Note("weight-zero", values))
    with pytest.raises(ef.InvalidInput, match="must be a note"):
        build(tuple[Note, ...], [7])


def test_notes_are_kept_once_and_texts_are_notes() -> None:
    assert [*map(str, as_notes(["a", note(WRITTEN, text="b"), "a"]))] == ["a", "b"]


def test_a_verdict_speaks_wherever_it_is_unpickled() -> None:
    """The words are found although nothing but the value was loaded."""
    c = ef.judge({"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]}, rows="examples", measure="accuracy")
    code = (
        "import pickle, sys; sys.stdout.reconfigure(encoding='utf-8'); "
        "print(pickle.load(sys.stdin.buffer))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(c.verdict), capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == str(c.verdict)


def test_a_partial_answer_that_was_saved_is_still_partial() -> None:
    rows = [("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 1), ("b", 3), ("b", 4)]
    table = pd.DataFrame(rows, columns=["algorithm", "example"]).assign(value=[1, 0, 1, 1, 0, 1, 0])
    c = ef.judge(table, measure="accuracy", on_missing="drop")
    again = ef.Comparison.from_json(c.to_json())
    assert why_partial(c.notes) == why_partial(again.notes) != ""


@pytest.mark.parametrize(
    "phrase",
    [
        *COMPARED.values(),
        "are equivalent",
        "is shown to be better",
        "may or may not",
        "is open",
        "the verdict would be the same",
    ],
)
def test_the_words_of_an_outcome_are_in_one_file(phrase: str) -> None:
    assert {*COMPARED} == {Outcome.BETTER, Outcome.WORSE, Outcome.NOT_WORSE}
    speaking = {path for path, text in _texts() if phrase in text and path not in FIGURES}
    assert speaking == {"report/words/verdict.py"}


FIGURES = {"evals/figures.py", "report/formats/text.py", "report/words/across.py"}
"""They count: models on tasks, or the algorithms of which none "is shown to be better"."""


# Texts that a user may read: all but docstrings, errors, warnings and help.

_NOT_ANSWERS = {"refuse", "refuse_value", "warn", "Option", "Argument", "Advice"}
_OF_ERRORS = {"rule", "remedy", "first", "mismatch", "where", "which", "why", "message"}


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        return "".join(map(str, parts))
    return None


def _is_of_an_error(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.Assign):
        names = (getattr(one, "id", "").strip("_").lower() for one in node.targets)
        return any(name in _OF_ERRORS for name in names)
    name = _called(node)
    return name in _NOT_ANSWERS or name.endswith(("Error", "InvalidInput", "NotApplicable"))


def _spoken(node: ast.AST) -> Iterator[str]:
    if _is_of_an_error(node):
        return
    text = _text(node)
    if text is not None:
        yield text
        return
    for child in ast.iter_child_nodes(node):
        is_docstring = isinstance(child, ast.Expr) and _text(child.value) is not None
        if not is_docstring:
            yield from _spoken(child)


def _texts() -> Iterator[tuple[str, str]]:
    for path, tree in _trees():
        for text in _spoken(tree):
            yield path, text


# What may hold a sentence, and why.
SPEAKERS = {
    "comparison/doctor.py": "describes a file, not an answer",
    "comparison/unknown_files.py": "describes a file, not an answer",
    "core/checks.py": "the remedies of errors",
    "core/estimate.py": "an error about files of version 0.2",
    "core/facts/bibliography.py": "the works that methods cite",
    "core/partition.py": "what kinds of results are about",
}
_WORDS_OF_A_SENTENCE = 6


def _is_sentence(text: str) -> bool:
    """Whether a text has as many words in a row as a sentence, and is neither code nor pattern."""
    words = re.findall(r"(?<![\w.])[A-Za-z][a-z']+(?![\w(\[|])", text)
    return len(words) >= _WORDS_OF_A_SENTENCE and not re.search(r"\\|\(\?|::|\[[A-Z]", text)


@pytest.mark.parametrize("room", ["comparison/", "core/", "testing/plugin.py", "cli/gate.py"])
def test_no_other_room_builds_a_sentence_about_an_answer(room: str) -> None:
    found = {
        f"{path}: {text}"
        for path, text in _texts()
        if path.startswith(room) and not path.startswith(tuple(SPEAKERS)) and _is_sentence(text)
    }
    assert found <= ALLOWED


ALLOWED = {
    "comparison/judge/folds.py: The folds hold so many examples.",
    "comparison/judge/labelled.py: … of … examples with labels, all with scores",
    "comparison/gather.py: could not convert string to float",  # what a model says
}
"""Remedies of errors that a function returns, and what a table holds."""


def test_nothing_reads_a_sentence() -> None:
    """No module asks a rendered text what it says: no split, no search, no comparison of it."""
    asked = {"split", "partition", "rpartition", "startswith", "endswith", "find", "index"}
    asked |= {"removesuffix", "removeprefix", "replace"}
    rendered = {"sentence", "text", "estimand"}
    for path, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                inside = {getattr(one, "attr", "") for one in ast.walk(node.func.value)}
                assert not (node.func.attr in asked and "sentence" in inside), path
            if isinstance(node, ast.Compare) and any(isinstance(one, ast.In) for one in node.ops):
                said = node.comparators[-1]
                assert getattr(said, "attr", "") not in rendered - {"text"}, path

"""Outputs, errors, docstrings and pages use the words of the style sheet in CONTRIBUTING."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "evenfold"
MODULES = sorted([*SOURCE.rglob("*.py"), *(ROOT / "lab" / "src").rglob("*.py")])
BANNED = {
    r"no decision between": "inconclusive",
    r"told\s+apart": "tied, or called different",
    r"models as they are": "these fitted models",
    r"\bfurther (examples|clusters|runs|data sets?)\b": "new",
    r"\brecipes?\b": "learning procedure",
    r"\benem(y|ies)\b": "hard case",
    r"\bexam\b": "test populations",
    r"\bthe house\b": "the package",
    r"\bcorridor\b": "comparison",
    r"(?i)\b(a|the|this|every|each|another|same|two|of) rooms?\b(?! for)": "package",
    r"[\d}] %(?=[ ),.;:]|$)": "95%, without a space",
    r"\d%\s+interval\s+[−\d]": "95% CI",
    r"whole models shift": "models vary between training sets",
}
SAYS_FIT = re.compile(r"(?<![\w`.\"'(])[Cc]ells?\b(?![`\w(])")
TABLES = (  # cells of tables, of notebooks and of grids are cells
    "report/", "core/words.py", "core/facts/card.py", "cli/", "infer/data_sets/", "design/",
    "run/progress.py", "testing/", "read/", "text/", "evals/figures.py",
)  # fmt: skip
CODE = re.compile(r"^```(?!\{).*?^```|<!--.*?-->|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LONG = (
    "papers",  # notes on all that a paper says
    "what-evenfold-can-say.md",  # a list that a script writes
)
PAGES = sorted(
    path
    for path in (ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md"))
    if {"_build", "gallery", "generated", "extending"}.isdisjoint(path.relative_to(ROOT).parts)
)


def strings(path: Path) -> Iterator[str]:
    """Yield all that a module says: texts of messages, parts of f-strings, docstrings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(_part(value) for value in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


def _part(value: ast.expr) -> str:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else "{}"


def prose(path: Path) -> str:
    """A page without the commands of its examples; what they print is said, too."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^(>>>|\.\.\.|\$) .*$", "", text, flags=re.MULTILINE)


def _banned(text: str) -> Iterator[str]:
    """Yield what a text says and should not, with what to write instead."""
    for words, instead in BANNED.items():
        found = re.search(words, text)
        if found:
            yield f"{text[max(found.start() - 60, 0) : found.end() + 40]!r}: write {instead}"


def test_the_packages_speak_the_language_of_the_field() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {problem}"
        for path in MODULES
        for said in strings(path)
        for problem in _banned(said)
    ]
    assert not found, "\n".join(found)


def test_what_is_trained_once_is_called_a_fit() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {said}"
        for path in SOURCE.rglob("*.py")
        if not path.relative_to(SOURCE).as_posix().startswith(TABLES)
        for said in strings(path)
        if SAYS_FIT.search(said)
    ]
    assert not found, "\n".join(found)


def test_pages_speak_the_language_of_the_field() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {problem}" for path in PAGES for problem in _banned(prose(path))
    ]
    assert not found, "\n".join(found)


def test_a_page_has_fewer_than_1500_words() -> None:
    long = {}
    for path in PAGES:
        if set(LONG).isdisjoint(path.parts) and path.is_relative_to(ROOT / "docs"):
            text = CODE.sub("", path.read_text("utf-8"))
            words = len(re.findall(r"[A-Za-z][\w'’-]*", text))
            if words >= 1500:
                long[str(path.relative_to(ROOT))] = words
    assert not long


def test_what_is_banned_is_found() -> None:
    for said in (
        "no decision between a and b",
        "5 % of them",
        "were not told\napart",
        "two recipes",
        "The room of readers",
    ):
        assert any(re.search(words, said) for words in BANNED), said
    assert SAYS_FIT.search("3 cells failed")
    assert not SAYS_FIT.search("``cells`` is a table")


VAGUE = {"one", "found", "said", "told", "given", "asked", "own"}


# At which argument the sentences of a refusal begin.
SENTENCES_FROM = {"refuse": 1, "refuse_value": 3}


def test_refusals_are_sentences() -> None:
    """The message and the remedy of every refusal end as sentences do."""
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno}: {text}"
        for path in MODULES
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        for argument in call.args[
            SENTENCES_FROM.get(getattr(call.func, "id", ""), len(call.args)) :
        ]
        for text in strings_of(argument)
        if not text.endswith((".", "?", "{}"))
    ]
    assert not found, "\n".join(found)


def test_local_names_explain_themselves() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{function.lineno}: {', '.join(sorted(vague))}"
        for path in MODULES
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and function.name != "check_reader"
        if (vague := VAGUE.intersection(names_in(function)))
    ]
    assert not found, "\n".join(found)


def names_in(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the parameters and the local names of a function."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def strings_of(node: ast.expr) -> Iterator[str]:
    """Yield the text of a literal, and the constant parts of an f-string."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(_part(value) for value in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value

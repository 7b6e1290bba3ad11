"""Outputs, errors, docstrings and pages use the words of the style sheet in CONTRIBUTING."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "evenfold"
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
    r"[\d}] %(?=[ ),.;:]|$)": "95%, without a space",
    r"\d%\s+interval\s+[−\d]": "95% CI",
    r"whole models shift": "models vary between training sets",
}
SAYS_FIT = re.compile(r"(?<![\w`.\"'(])[Cc]ells?\b(?![`\w(])")
TABLES = (  # cells of tables, of notebooks and of grids are cells
    "report/", "core/words.py", "core/facts/card.py", "cli/", "infer/data_sets/", "design/",
    "run/progress.py", "testing/", "read/", "text/",
)  # fmt: skip
CODE = re.compile(r"^```(?!\{).*?^```|<!--.*?-->|`[^`\n]*`", re.DOTALL | re.MULTILINE)
ROOMS = re.compile(r"\b(the|this|every|each|another|of) rooms?\b(?! for)")
LONG = ("papers",)  # notes on all that a paper says
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


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_the_package_speaks_the_language_of_the_field(path: Path) -> None:
    where = str(path.relative_to(SOURCE))
    for said in strings(path):
        for words, instead in BANNED.items():
            assert not re.search(words, said), (instead, said)
        assert not ROOMS.search(said), said
        if not where.startswith(TABLES):
            assert not SAYS_FIT.search(said), said


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_speak_the_language_of_the_field(path: Path) -> None:
    text = prose(path)
    for words, instead in BANNED.items():
        found = re.search(words, text)
        assert not found, (instead, text[max(found.start() - 60, 0) : found.end() + 40])
    assert not ROOMS.search(text)


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
    ):
        assert any(re.search(words, said) for words in BANNED), said
    assert SAYS_FIT.search("3 cells failed")
    assert not SAYS_FIT.search("``cells`` is a table")


HELPLESS = {"none", "neither", "nothing", "others", "some", "several", "one"}
NO_RULE = ("one with ", "said", "asked of ", "there for ")


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_refusals_are_sentences(path: Path) -> None:
    """Every rule reads after "must be" or "must have", and no value is a bare word."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(call, ast.Call)
            and getattr(call.func, "id", "") == "refuse"
            and len(call.args) > 2
        ):
            rule = next(strings_of(call.args[1]), "")
            assert not rule.startswith(NO_RULE), rule
            assert next(strings_of(call.args[2]), "") not in HELPLESS, ast.unparse(call)


def strings_of(node: ast.expr) -> Iterator[str]:
    """Yield the text of a literal, and the constant parts of an f-string."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(_part(value) for value in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value

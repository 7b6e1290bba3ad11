"""Every paragraph of a docstring after the first is a sentence: it has a verb."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "lab" / "src").rglob("*.py")])
AUXILIARIES = {
    "am", "are", "be", "been", "being", "can", "cannot", "could", "did", "do", "does", "had", "has",
    "have", "is", "may", "might", "must", "shall", "should", "was", "were", "will", "would",
}  # fmt: skip
STATES = {"come", "depend", "form", "grow", "lie", "mean", "need", "work"}
NO_VERBS = {"a", "all", "an", "as", "both", "each", "every", "of", "one", "the", "two", "whether"}
# Lists of names, references and examples are no prose.
LISTS = {
    "Attributes", "Examples", "Parameters", "Raises", "References", "Returns", "See Also", "Warns",
    "Yields",
}  # fmt: skip
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
NO_PROSE = re.compile(r"\s|>>>|\.\.|[-|]|\* |\d+\. |\*Formula\.\*")  # examples, lists, mathematics


@cache
def docstrings() -> list[tuple[Path, ast.AST, str]]:
    """Return what is documented: its module, its node and its docstring."""
    documented: list[tuple[Path, ast.AST, str]] = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                doc = ast.get_docstring(node)
                if doc:
                    documented.append((path, node, doc))
    return documented


def paragraphs(doc: str) -> Iterator[str]:
    """Yield the paragraphs of prose that follow the summary of a docstring."""
    prose, *sections = SECTION.split(doc)
    texts = prose.split("\n\n")[1:]
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        if title not in LISTS:
            texts += text.split("\n\n")
    yield from filter(str.strip, texts)


def third_person(verb: str) -> str:
    """
    Return a verb with the ending of the third person.

    >>> [third_person(verb) for verb in ("return", "match", "apply", "play")]
    ['returns', 'matches', 'applies', 'plays']
    """
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb}s"


def known_verbs() -> set[str]:
    """Return auxiliaries, and the verbs with which docstrings of functions begin."""
    first_words = {
        doc.split()[0].lower() for _, node, doc in docstrings() if isinstance(node, ast.FunctionDef)
    }
    verbs = STATES | first_words - NO_VERBS
    return AUXILIARIES | verbs | {third_person(verb) for verb in verbs}


def test_every_paragraph_has_a_verb() -> None:
    verbs = known_verbs()
    fragments = [
        f"{path.relative_to(ROOT)}: {paragraph}"
        for path, _, doc in docstrings()
        for paragraph in paragraphs(doc)
        if not NO_PROSE.match(paragraph)
        and verbs.isdisjoint(re.findall(r"[a-z']+", paragraph.lower()))
    ]
    assert not fragments, "\n".join(fragments)


def test_a_paragraph_without_a_verb_is_found() -> None:
    doc = "Return a number.\n\nOf one of two.\n\nNotes\n-----\nThe number is even."
    assert list(paragraphs(doc)) == ["Of one of two.", "The number is even."]
    assert known_verbs().isdisjoint({"of", "one", "two"})

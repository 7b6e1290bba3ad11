"""The examples of the README and of the documentation run and print what they say."""

import doctest
import importlib.util
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from tools import count_words

from evenfold.core.environment import is_installed
from evenfold.infer import methods

ROOT = Path(__file__).parents[1]
BUILT = {"_build", "generated"}
PAGES = sorted(
    path
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if BUILT.isdisjoint(path.relative_to(ROOT).parts)
)


LONG = ("tasks.md",)  # forty comparisons, one of them on a cluster: most of a minute


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.faults if page.name in LONG else ()) for page in PAGES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_examples_run(page: Path) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    # A fence closes an example as a blank line does, so pages need none for doctest's sake.
    text = page.read_text(encoding="utf-8").replace("```\n", "\n")
    if re.search(r"^>>> .*\blab\b", text, re.MULTILINE) and not is_installed("evenfold_lab"):
        pytest.skip("needs evenfold-lab")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert not result.failed, "".join(report)


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_example_runs_as_pasted(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The first screen has code without prompts; what is printed below it is what it prints."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(
        r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE
    )
    assert found is not None
    assert ">>>" not in found[1]
    exec(compile(found[1], page, "exec"), {})
    said = capsys.readouterr().out
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.OutputChecker().check_output(found[2], said, flags), said


def test_every_page_is_two_clicks_from_the_first() -> None:
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs")}
    start = ROOT / "docs" / "index.md"
    near = links(start)
    assert pages <= {start, *near, *(page for other in near for page in links(other))}


def links(page: Path) -> set[Path]:
    """The pages that a page links to, by a link or in a table of contents."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"\]\(([^)#:]+\.md)", text)
    for options, entries in re.findall(r"```{toctree}\n((?::.*\n)*)\n?((?:.+\n)*?)```", text):
        names = entries.split()
        if ":glob:" in options:
            names = [
                str(other.relative_to(page.parent))
                for name in names
                for other in page.parent.glob(f"{name}.md")
            ]
        found += [name.removesuffix(".md") + ".md" for name in names]
    return {other for name in found if (other := (page.parent / name).resolve()).is_file()}


@pytest.mark.parametrize(
    "page",
    [
        *PAGES,
        *ROOT.glob("C*.md"),
        *(ROOT / "benchmarks").rglob("README.md"),
        *(ROOT / "papers").rglob("README.md"),
    ],
    ids=lambda page: page.name,
)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    for link, anchor in re.findall(r"\]\((?!http|[^)]*gallery/)([^)#\s]*)#?([^)\s]*)\)", text):
        target = page.parent / link if link else page
        assert target.exists(), link
        assert not anchor or anchor in headings(target), (link, anchor)


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    found = re.findall(r"^#{1,6} (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in found}


def test_a_task_takes_at_most_ten_lines() -> None:
    text = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")
    tasks = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert len(tasks) >= 26
    for task in tasks:
        code = re.findall(r"^(?:>>>|\.\.\.|\$) .*", task.split("<!--")[0], re.MULTILINE)
        assert 1 <= len(code) <= 10, task.splitlines()[0]


def test_a_picture_for_light_pages_has_words_and_one_for_dark_pages() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for path, options in re.findall(r"^```{image} (\S+)\n((?::.*\n)*)```", text, re.MULTILINE):
            assert ":alt: " in options, (page.name, path)
            if "-light." in path:
                assert path.replace("-light.", "-dark.") in text, (page.name, path)
                assert (page.parent / path).stat().st_size < 100_000, path


def test_what_a_page_loads_from_the_network_is_found() -> None:
    foreign = extension().foreign
    assert (
        foreign('<a href="https://a.org">x</a><img src="b.png"><script src="./c.js"></script>')
        == []
    )
    assert foreign('<script async src="https://cdn.org/x.js"></script>') == ["https://cdn.org/x.js"]
    assert foreign('<link rel="stylesheet" href="//fonts.org/a.css">') == ["//fonts.org/a.css"]
    assert foreign("p { background: url('https://a.org/b.png') }") == ["https://a.org/b.png"]


def extension() -> ModuleType:
    """What the documentation makes while it is built."""
    path = ROOT / "docs" / "_ext" / "evenfold_docs.py"
    spec = importlib.util.spec_from_file_location("evenfold_docs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_method_has_a_page() -> None:
    made = extension()
    for key, entry in methods().items():
        assert (ROOT / "docs" / "infer" / f"{made.page(key)}.md").is_file(), key
        assert entry.family in made.HEADINGS, key


def test_the_page_of_public_names_lists_a_new_method_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = extension()
    assert made.further_methods() == ""
    new = replace(methods()["resampled-t"], function=extension)
    monkeypatch.setattr(made, "methods", lambda: {**methods(), "new-t": new})
    assert f".. autofunction:: {__name__}.extension" in made.further_methods()
    assert made.FURTHER in (ROOT / "docs" / "api.md").read_text("utf-8")


def test_what_can_go_wrong_names_tests_that_exist() -> None:
    """Every line of the page's tables names its tests, with the file where a name occurs twice."""
    page = (ROOT / "docs" / "run" / "what-can-go-wrong.md").read_text(encoding="utf-8")
    defined = Counter(
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", path.read_text(encoding="utf-8"))
    )
    lines = [
        line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| ---")
    ]
    for line in lines:
        named = re.findall(r"`(?:([\w/]+\.py)::)?(test_\w+)`", line)
        assert named or line.endswith("| test |"), line
        for path, test in named:
            if path:
                assert f"def {test}(" in (ROOT / "tests" / path).read_text(encoding="utf-8"), line
            else:
                assert defined[test] == 1, test


def test_the_documentation_has_at_most_60_000_words() -> None:
    counts = {path: count_words.words(path.read_text("utf-8")) for path in count_words.pages()}
    papers = count_words.DOCS / count_words.PAPERS
    total = sum(count for path, count in counts.items() if papers not in path.parents)
    assert 10_000 < total <= 60_000


# Pages for looking things up call methods by their keys, and every other page by their names.
REFERENCE = {"reference.md", "which-method.md", "api.md"}
REFERENCE |= {"infer", "design", "appendix", "lab", "papers"}
NO_PROSE = (
    r"^```.*?^```",
    r"<!-- (?!end -->)[^>]*?-->.*?<!-- end -->",  # what a program writes
    r"\]\([^)]*\)",  # where a link leads
)


def bare_keys(text: str) -> list[str]:
    """Return the keys of methods that stand in sentences, outside code such as method="…"."""
    for pattern in NO_PROSE:
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    spans = re.findall(r"`([^`\n]*)`", text)
    sentences = re.sub(r"`[^`\n]*`", " ", text)
    # "bootstrap" and "permutation" are English words, too: these count between backticks only.
    hyphenated = [key for key in methods() if "-" in key]
    return [key for key in methods() if key in spans] + [
        key for key in hyphenated if re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", sentences)
    ]


def test_sentences_call_methods_by_their_names() -> None:
    found = {
        str(page.relative_to(ROOT)): keys
        for page in (*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md")
        if REFERENCE.isdisjoint(page.relative_to(ROOT).parts)
        if (keys := bare_keys(page.read_text(encoding="utf-8")))
    }
    assert not found


def test_a_key_in_a_sentence_is_found() -> None:
    assert bare_keys("The test `mcnemar` errs.") == ["mcnemar"]
    assert bare_keys("Use mx2-t, not a permutation.") == ["mx2-t"]
    assert not bare_keys('Use `method="mx2-t"`, as in [m×2](infer/mx2-t.md).')

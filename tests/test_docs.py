"""The examples of the README and of the documentation run and print what they say."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

from evenfold.infer import methods

ROOT = Path(__file__).parents[1]
BUILT = {"_build", "generated"}
PAGES = sorted(
    path
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if BUILT.isdisjoint(path.relative_to(ROOT).parts)
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(page: Path) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    # A fence closes an example as a blank line does, so pages need none for doctest's sake.
    text = page.read_text(encoding="utf-8").replace("```\n", "\n")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert not result.failed, "".join(report)


def test_every_method_has_a_page() -> None:
    spec = importlib.util.spec_from_file_location(
        "evenfold_docs", ROOT / "docs" / "_ext" / "evenfold_docs.py"
    )
    assert spec is not None
    assert spec.loader is not None
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    for key, entry in methods().items():
        assert (ROOT / "docs" / "infer" / f"{extension.page(key)}.md").is_file(), key
        assert entry.family in extension.HEADINGS, key


def test_what_can_go_wrong_names_tests_that_exist() -> None:
    """Every line of the page's tables names its tests."""
    page = (ROOT / "docs" / "run" / "what-can-go-wrong.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    for line in lines:
        named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", line)
        assert named or line.endswith("| test |"), line
        for path, test in named:
            assert f"def {test}(" in (ROOT / "tests" / path).read_text(encoding="utf-8"), (path, test)

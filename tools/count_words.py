"""
Count the words that a reader of the documentation reads.

    python -m tools.count_words [--pages]

A word begins with a letter, so the numbers of a table do not count. Neither do fenced code, HTML,
formulas, and what a program writes: a whole page, or a table between two marks. The notes on the
papers are listed with the rest, but they are left out of the total, because they report everything
that a paper says.
"""

import argparse
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAPERS = "papers"
_BUILT = {"_build", "gallery", "generated"}
_LEFT_OUT = (
    r"^```.*?^```",
    # What a program writes stands between two marks.
    r"<!-- (?!end -->)[^>]*?-->.*?<!-- (?:end|/[\w ]+) -->",
    r"<!--.*?-->",
    r"</?[a-z][^<>]*>",
    r"\$\$.*?\$\$",
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")  # as in tests/test_style.py
_WRITTEN = "writes this page; do not edit it by hand"


def words(page: str) -> int:
    r"""
    Return how many words of a page are prose, headings or tables written by hand.

    Examples
    --------
    >>> words("# Two words\n\n```python\nleft_out()\n```\n\nThree words <br> more.\n")
    5
    >>> words("One table:\n\n<!-- fits -->\n| a | b |\n<!-- /fits -->\n\n| by hand | 0.1 |\n")
    4
    """
    if _WRITTEN in page:
        return 0
    for pattern in _LEFT_OUT:
        page = re.sub(pattern, " ", page, flags=re.DOTALL | re.MULTILINE)
    return len(_WORD.findall(page))


def pages() -> list[Path]:
    """Return the pages of the documentation, without what is made when it is built."""
    files = [*DOCS.rglob("*.md")]
    return sorted(path for path in files if _BUILT.isdisjoint(path.relative_to(DOCS).parts))


def section_of(path: Path) -> str:
    """Return the folder of docs that a page is in."""
    folder, *inside = path.relative_to(DOCS).parts
    return folder if inside else "(pages)"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    parser.add_argument("--pages", action="store_true", help="list every page")
    listed = parser.parse_args().pages
    counts = {path: words(path.read_text(encoding="utf-8")) for path in pages()}
    sections: Counter[str] = Counter()
    for path, count in counts.items():
        sections[section_of(path)] += count
        if listed:
            print(f"{path.relative_to(DOCS).as_posix():40}{count:8}")
    for section, count in sections.items():
        print(f"{section:40}{count:8}")
    without = sum(count for section, count in sections.items() if section != PAPERS)
    print(f"{'all but the papers':40}{without:8}")


if __name__ == "__main__":
    main()

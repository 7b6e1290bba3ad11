"""
Count the lines of code in each folder of the repository.

    python -m tools.count_lines [--of COMMIT]

A line counts if it holds code. Blank lines, comments and docstrings do not count. The folders of
``src/evenfold`` are listed one by one, because a change should say which of them grew and why.
"""

import argparse
import ast
import io
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from subprocess import run

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/evenfold"
PLACES = (
    PACKAGE,
    "lab/src",
    "lab/tests",
    "tests",
    "papers",
    "benchmarks",
    "tools",
    "examples",
)
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(source: str) -> int:
    r"""
    Return how many lines of a module hold code.

    Examples
    --------
    >>> code_lines('"A docstring."\n\n# A comment.\nx = [\n    1,\n]\n')
    3
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstring_lines(source))


def docstring_lines(source: str) -> set[int]:
    """Return the numbers of the lines that belong to docstrings."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            lines.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return lines


def present_files() -> Iterator[tuple[PurePosixPath, str]]:
    """Yield every Python file that stands in the counted folders now, with its text."""
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            yield PurePosixPath(path.relative_to(ROOT).as_posix()), path.read_text(encoding="utf-8")


def committed_files(commit: str) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield every Python file of a commit that stands in the counted folders, with its text."""
    packed = run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            content = archive.extractfile(member) if path.suffix == ".py" else None
            if content is not None and any(path.is_relative_to(place) for place in PLACES):
                yield path, content.read().decode("utf-8")


def place_of(path: PurePosixPath) -> str:
    """
    Return the row of the table that a file belongs to.

    Examples
    --------
    >>> place_of(PurePosixPath("src/evenfold/infer/tables/tests.py"))
    'src/evenfold/infer'
    >>> place_of(PurePosixPath("src/evenfold/extend.py")), place_of(PurePosixPath("tests/a/b.py"))
    ('src/evenfold (files)', 'tests')
    """
    place = next(folder for folder in PLACES if path.is_relative_to(folder))
    if place != PACKAGE:
        return place
    room, *inside = path.relative_to(PACKAGE).parts
    if not inside:
        return f"{PACKAGE} (files)"
    return f"{PACKAGE}/{room}"


def count(files: Iterable[tuple[PurePosixPath, str]]) -> dict[str, tuple[int, int]]:
    """Return the lines of code and the number of modules, by row of the table."""
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path, source in files:
        rows = [place_of(path)]
        if path.is_relative_to(PACKAGE):
            rows.append(PACKAGE)
        number = code_lines(source)
        for row in rows:
            lines[row] += number
            modules[row] += 1
    return {row: (lines[row], modules[row]) for row in sorted(lines)}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    parser.add_argument("--of", metavar="COMMIT", help="count this commit instead of the files")
    commit = parser.parse_args().of
    counted = count(committed_files(commit) if commit else present_files())
    print(f"{'':28}{'lines':>8}{'modules':>9}")
    for row, (lines, modules) in counted.items():
        print(f"{row:28}{lines:8}{modules:9}")


if __name__ == "__main__":
    main()

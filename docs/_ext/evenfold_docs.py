"""
What the documentation makes while it is built.

The table of methods, formulas, pictures of the gallery.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging
from sphinx_gallery.scrapers import figure_rst  # type: ignore[import-untyped]

from evenfold.core.facts import card
from evenfold.infer import methods

PLACE = "<!-- the table of methods -->"
CARDS = "<!-- the calibration cards -->"
FURTHER = "<!-- the methods that no list names -->"
GUIDE = Path(__file__).parents[1] / "infer"
NAMES = Path(__file__).parents[1] / "api.md"
HEADINGS = {
    "test": "Tests",
    "posterior": "Posteriors",
    "variance": "Variances",
    "omnibus": "Of many algorithms at once",
}
ORDER = [
    "quick_comparison",
    "regression",
    "many_algorithms",
    "many_data_sets",
    "prediction_files",
    "llm_evaluation",
    "folds_from_sklearn",
    "seeds_of_a_network",
    "leaderboard",
    "plan_a_study",
    "margin_and_equivalence",
    "one_algorithm",
    "sequential_path",
    "f1_of_a_rare_class",
    "new_source",
    "several_sources",
    "ordered_data",
    "defects",
    "texts",
    "tag_sets",
    "plain_functions",
    "network",
    "grid_search",
    "resume_with_a_store",
    "overlaps",
    "why_folds_lie",
]


def table_of_methods() -> str:
    """Return all methods of the registry as Markdown, by family, the recommended ones first."""
    parts = []
    for family, heading in HEADINGS.items():
        found = [entry for entry in methods().values() if entry.family == family]
        found.sort(key=lambda entry: not entry.recommended)
        rows = [
            f"| [`{entry.key}`](infer/{page(entry.key)}.md) | "
            f"{'**yes**' if entry.recommended else 'no'} "
            f"| {', '.join(entry.designs)} | {entry.training_size} | *{entry.leaning}*. "
            f"{entry.why} |"
            for entry in found
        ]
        head = "| method | use it | designs | training size | how it errs |"
        parts.append("\n".join([f"### {heading}\n", head, "| --- " * 5 + "|", *rows]))
    return "\n\n".join(parts)


@cache
def page(key: str) -> str:
    """Return the page that the guide's index links for a method, else the one most about it."""
    function = methods()[key].function.__name__
    linked = re.search(
        rf"\[[^\]]*`{function}`[^\]]*\]\(([\w-]+)\.md\)", (GUIDE / "index.md").read_text("utf-8")
    )
    if linked:
        return linked[1]
    name = re.compile(rf"(?<![\w-])({re.escape(key)}|{function})(?![\w-])")
    texts = {
        path.stem: path.read_text("utf-8")
        for path in sorted(GUIDE.glob("*.md"))
        if path.stem != "index"
    }
    spoken = {stem: len(name.findall(text)) / len(text) for stem, text in texts.items()}
    most = max(spoken, key=lambda stem: spoken[stem])
    if not spoken[most]:
        raise ValueError(f"no page of docs/infer speaks of {key!r}")
    return most


def tables_of_cards() -> str:
    """
    Return what the lab measured as Markdown.

    a table per population, the strongest method first.
    """
    found: dict[str, list[tuple[float, str]]] = {}
    for key, entry in methods().items():
        if entry.card is None:
            continue
        # classes come after
        measured = zip(entry.card["measured"], card.table(entry.card)[1], strict=False)
        for row, (population, n, count, *cells) in measured:
            title = f"## {population}\n\nn = {n}, {count} data sets.\n"
            line = f"| [`{key}`](../infer/{page(key)}.md) | {' | '.join(cells)} |"
            found.setdefault(title, []).append((-row["power"], line))
    head = "| method | real error | power | coverage | fits |\n| --- | --- | --- | --- | --- |"
    populations = "\n\n".join(
        f"{title}\n{head}\n" + "\n".join(line for _, line in sorted(lines))
        for title, lines in found.items()
    )
    return f"{table_of_classes()}\n\n{populations}"


def table_of_classes() -> str:
    """
    Return the classes of questions in which methods are known to fail, as Markdown.

    The worst first.
    """
    lines = [
        "## Where methods are known to fail\n",
        "| method | class | worst pair | n, data sets | real error | why |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for key, entry in methods().items():
        for one in sorted(card.classes(entry.card), key=lambda row: -row["size"]):
            size = f"{one['size']:.3f} ± {one['size_se']:.3f}".replace("0.", ".")
            where = f"{one['n']}, {one['replications']}"
            cells = (f"`{key}`", one["name"], one["population"], where, size, one["why"])
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def further_methods() -> str:
    """Return the methods that no list on the page of public names has, with their docstrings."""
    listed = {*re.findall(r"^ +infer\.(\w+)$", NAMES.read_text("utf-8"), flags=re.MULTILINE)}
    functions = [entry.function for entry in methods().values()]
    further = [f for f in functions if f.__name__ not in listed]
    lines = [f".. autofunction:: {f.__module__}.{f.__name__}" for f in further]
    return "\n\n".join(["```{eval-rst}", *lines, "```"]) if lines else ""


def fill_in(_app: Any, _name: str, source: list[str]) -> None:
    """Put the tables where a page asks for them."""
    for place, made in (
        (PLACE, table_of_methods),
        (CARDS, tables_of_cards),
        (FURTHER, further_methods),
    ):
        if place in source[0]:
            source[0] = source[0].replace(place, made())


def order(filename: str) -> int:
    """Return the place of an example in the gallery; one that is not listed comes last."""
    stem = Path(filename).stem
    return ORDER.index(stem) if stem in ORDER else len(ORDER)


def figures(_block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """
    Save the figure that a block of an example called ``figure``.

    Evenfold draws without pyplot.
    """
    figure = block_vars["example_globals"].pop("figure", None)
    if figure is None:
        return ""
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path, dpi=120, bbox_inches="tight")
    saved: str = figure_rst([path], gallery_conf["src_dir"])
    return saved


def inline_formula(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers show without a script from the network."""
    translator.body.append(tex2mathml(node.astext(), as_block=False))
    raise SkipNode


def block_formula(translator: Any, node: Any) -> None:
    """Write a formula on a line of its own."""
    translator.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def foreign(page: str) -> list[str]:
    """Return what a page would load from the network: a reader without one must miss nothing."""
    tags = re.findall(r"<(?:script|link|img|iframe|source|video|audio|object)\b[^>]*>", page)
    loaded = [url for tag in tags for url in re.findall(r'(?:src|href|data)="([^"]*)"', tag)]
    loaded += re.findall(r"(?:url\(|@import )[\"']?([^\"')\s]+)", page)
    return [url for url in loaded if re.match(r"(https?:)?//", url)]


def offline(app: Any, failure: Exception | None) -> None:
    """Warn, which fails the build, of every page or style that needs the network."""
    if failure is not None or app.builder.name != "html":
        return
    for path in Path(app.outdir).rglob("*"):
        if path.suffix in (".html", ".css"):
            for url in foreign(path.read_text(encoding="utf-8")):
                logging.getLogger(__name__).warning(
                    "%s loads %s", path.relative_to(app.outdir), url
                )


def setup(app: Any) -> dict[str, bool]:
    """Connect the hooks."""
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
    app.connect("source-read", fill_in)
    app.connect("build-finished", offline)
    return {"parallel_read_safe": True}

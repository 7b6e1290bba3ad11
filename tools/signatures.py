"""
Write ``src/evenfold/infer/__init__.pyi``: what editors and type checkers see of the methods.

    python -m tools.signatures

The decorator of methods gives each formula the keywords that all tests share and takes data in any
form that numpy reads; a type checker cannot follow that. So the signatures that Python itself
reports are written down, and a test compares them with the file.
"""

import ast
import re
from collections import defaultdict
from inspect import Parameter, Signature, formatannotation, signature
from pathlib import Path
from typing import Any

import evenfold.infer
from evenfold.core.estimate import Alternative

WIDTH = 100
HEADER = (
    '"""The names of ``evenfold.infer`` as type checkers see them; made by tools.signatures."""'
)


def stub() -> str:
    """Return the text of the file."""
    tree = ast.parse(Path(evenfold.infer.__file__).read_text(encoding="utf-8"))
    functions = {entry.function for entry in evenfold.infer.methods().values()}
    imports: dict[str, set[str]] = defaultdict(set)
    definitions = []
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or "evenfold" not in str(node.module):
            continue
        for alias in node.names:
            thing = getattr(evenfold.infer, alias.name)
            if callable(thing) and thing in functions:
                definitions.append(_definition(alias.name, signature(thing), imports))
            else:
                imports[node.module or ""].add(alias.name)
    names = ["__all__ = [", *(f'    "{name}",' for name in evenfold.infer.__all__), "]"]
    return "\n".join(
        [HEADER, "", *_import_lines(imports), "", *names, "", *sorted(definitions), ""]
    )


def _import_lines(imports: dict[str, set[str]]) -> list[str]:
    """One statement for each module, those of Python first, as ruff sorts them."""
    written = {
        module: _wrapped(f"from {module} import ", sorted(names, key=_place), "")
        for module, names in imports.items()
    }
    ours = sorted(module for module in written if module.startswith("evenfold"))
    numpy = sorted(module for module in written if module.startswith("numpy"))
    python = sorted({*written} - {*ours, *numpy})
    groups = [[written[module] for module in group] for group in (python, numpy, ours) if group]
    return "\n\n".join("\n".join(group) for group in groups).splitlines()


def _place(name: str) -> tuple[bool, str]:
    """Where ruff sorts a name: classes first, then functions."""
    return name[0].islower(), name.lower()


def _definition(name: str, own: Signature, imports: dict[str, set[str]]) -> str:
    parameters = []
    keywords = False
    for parameter in own.parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY and not keywords:
            keywords = True
            parameters.append("*")
        parameters.append(_parameter(parameter, imports))
    returned = _annotation(own.return_annotation, imports)
    return _wrapped(f"def {name}(", parameters, f") -> {returned}: ...")


def _parameter(parameter: Parameter, imports: dict[str, set[str]]) -> str:
    if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD:
        imports["numpy.typing"].add("ArrayLike")
        annotation = "ArrayLike"
    else:
        annotation = _annotation(parameter.annotation, imports)
    if parameter.default is Parameter.empty:
        return f"{parameter.name}: {annotation}"
    default = repr(parameter.default).replace("'", '"')
    return f"{parameter.name}: {annotation} = {default}"


def _annotation(annotation: Any, imports: dict[str, set[str]]) -> str:
    """Return an annotation by its short names, which are imported."""
    if annotation is Alternative:
        imports["evenfold.core.estimate"].add("Alternative")
        return "Alternative"
    text = formatannotation(annotation).replace("'", '"')
    # what arrays are called in full differs from one numpy to the next
    text = re.sub(
        r"numpy\.ndarray\[.*?numpy\.dtype\[([\w.]+)\]\]", r"numpy.typing.NDArray[\1]", text
    )
    for module, name in re.findall(r"([\w.]+)\.(\w+)", text):
        imports[module].add(name)
    short = re.sub(r"[\w.]+\.(\w+)", r"\1", text)
    imports["typing"] |= {"Any", "Literal"} & {*re.findall(r"\w+", short)}
    return short


def _wrapped(before: str, items: list[str], after: str) -> str:
    """One line where it fits, else one item a line."""
    line = before + ", ".join(items) + after
    if len(line) <= WIDTH:
        return line
    indented = [f"    {item}," for item in items]
    if after:
        return "\n".join([before, *indented, after])
    return "\n".join([f"{before}(", *indented, ")"])


def main() -> None:
    """Write the file."""
    path = Path(evenfold.infer.__file__).with_suffix(".pyi")
    path.write_text(stub(), encoding="utf-8")
    print(f"{path.name}: {len(evenfold.infer.methods())} methods")


if __name__ == "__main__":
    main()

"""The documentation of a method: what its author wrote, completed from its claims into numpydoc."""

from collections.abc import Callable
from inspect import Signature
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from evenfold.core.facts.comparison import cited_works
from evenfold.core.numpydoc import entry as parameter
from evenfold.core.numpydoc import order_parameters, put_together, split_sections

if TYPE_CHECKING:
    from evenfold.infer._registry import Method

_WIDTH = 100
_SHARED = {
    "n_train": ("int", "Size n1 of the training part."),
    "n_test": ("int", "Size n2 of the test part."),
    "draws": ("int, default 9999", "Resamples."),
    "random_state": (
        "int, default 0",
        "Seed of the draws. It is fixed, so that the same data give the same p-value.",
    ),
    "null": ("float, default 0", "The difference Δ that is tested, in the units of the data."),
    "alternative": (
        '{"two-sided", "greater", "less"}',
        "The side of the null on which the truth would be a discovery, about B − A in the "
        "measure's units.",
    ),
}
_RETURNS = {
    "test": "The estimate, with a test of ``null`` and the interval that agrees with it.",
    "variance": "The estimated variance, and its bias in words.",
    "posterior": "``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` "
    "gives the "
    "three probabilities of a region of practical equivalence.",
    "omnibus": "The statistic and its p-value.",
}


def document_function(formula: Callable[..., Any], entry: "Method", signature: Signature) -> str:
    """
    Return the docstring of the function that users call.

    The author writes a summary, notes and examples as plain paragraphs, and sections with headings
    after them where there is more to say: parameters of the method's own, further references.
    """
    if not formula.__doc__:
        return ""  # python -OO
    summary, notes, examples, sections = _parts(formula.__doc__)
    sections["Parameters"] = order_parameters(
        signature.parameters, _entries(entry, signature), sections.get("Parameters", "")
    )
    told = _wrap_text(_RETURNS[entry.family])
    sections["Returns"] = f"{signature.return_annotation.__name__}\n{indent(told, '    ')}"
    leans = f"*How it errs.* {entry.leaning.capitalize()}: {entry.why}. About: {entry.about()}."
    sections["Notes"] = "\n\n".join([*notes, _wrap_text(leans)])
    works = " ".join(work for _, work in cited_works(entry.source))
    more = sections.get("References", "")
    cites = _wrap_text(f"{entry.source}. {works}".strip())
    sections["References"] = "\n\n".join(filter(None, [cites, more]))
    sections["Examples"] = "\n\n".join([*examples, sections.get("Examples", "")]).strip()
    return put_together(summary, sections)


def _parts(text: str) -> tuple[str, list[str], list[str], dict[str, str]]:
    """Split what the author wrote: summary, notes, examples, and sections with headings."""
    preamble, sections = split_sections(text)
    summary, *paragraphs = [part for part in preamble.split("\n\n") if part]
    examples = [part for part in paragraphs if part.startswith(">>>")]
    if examples:
        examples[0] = f">>> import evenfold as ef\n{examples[0]}"
    return summary, [part for part in paragraphs if not part.startswith(">>>")], examples, sections


def _entries(entry: "Method", signature: Signature) -> dict[str, str]:
    """What the input says of its arguments, and what all methods say of keywords, by name."""
    data = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    first = len(data) - len(entry.takes.described) + 1  # several arguments may be of the first kind
    groups = [data[:first], *([name] for name in data[first:])]
    told = {
        name: f"{', '.join(names)} : {said}"
        for names, said in zip(groups, entry.takes.described, strict=True)
        for name in names
    }
    shared = {**_SHARED, **entry.takes.keywords}
    return told | {name: parameter(name, *said) for name, said in shared.items()}


def _wrap_text(text: str) -> str:
    return fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)

"""Names that are not known: say so in one line, with the nearest that are."""

from collections.abc import Iterable, Sequence
from typing import Any

from evenfold.core.checks import nearest_names_hint, refuse
from evenfold.core.errors import InvalidInput


def design_named(text: str, *, seed: int | None = None) -> Any:
    """Return the design that is written so, the registry says how; a number is one of folds."""
    from evenfold.design import KFold, design_from, designs

    if text.strip().isdigit():
        return KFold(int(text), random_state=seed)
    require_known("design", text.partition(":")[0].strip(), designs(), "evenfold design --help")
    return design_from(text, random_state=seed)


def check_method(key: str | None) -> None:
    """Refuse a method that the registry does not have, before data are read."""
    from evenfold.infer import methods

    if key is not None:
        require_known("method", key, methods(), "evenfold methods")


def require_known(what: str, name: str, names: Iterable[str], see: str) -> str:
    """
    Return ``name`` if it is among ``names``, else refuse it.

    ``see`` says where they are listed.
    """
    names = list(names)
    if name not in names:
        raise InvalidInput(
            f"there is no {what} {name!r}{nearest_names_hint(name, names) or ';'} see {see}"
        )
    return name


def single_value(values: Sequence[str] | None, option: str) -> str | None:
    """Return the one value of an option; refuse several, lest some vanish."""
    if values and len(values) > 1:
        refuse(option, "given once", ", ".join(values), "run the command once for each")
    if values:
        return values[0]
    return None


def label(positive: str | None, y: Any) -> Any:
    """Return the label that is written so: on the command line 1 and "1" look alike."""
    if positive is None:
        return None
    labels = {str(one): one for one in dict.fromkeys(y.tolist())}
    if positive in labels:
        return labels[positive]
    refuse("--positive", f"one of {list(labels)[:10]}", positive)

"""What readers of logs and of measurements share: documents of other programs and their formats."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.json import parse
from evenfold.core.words import reason

_MALFORMED = (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError)


F = TypeVar("F")


def find_format(formats: Mapping[str, F], *document: Any) -> F | None:
    """Return the first format that knows a document, or None if no format does."""
    return next((form for form in formats.values() if _knows(form, *document)), None)


def _knows(form: Any, *document: Any) -> bool:
    try:
        return bool(form.knows(*document))
    except (KeyError, TypeError, AttributeError, IndexError):
        return False


def parse_json(content: bytes, name: str) -> Any:
    """Parse the JSON of a file, or refuse it in one sentence."""
    try:
        return parse(content)
    except ValueError as error:
        raise InvalidInput(f"{name} is not JSON: {reason(error)}.") from error


@contextmanager
def refuse_malformed(path: Path, kind: str) -> Iterator[None]:
    """Refuse a document that breaks the rules of its format, whatever error the format raises."""
    try:
        yield
    except EvenfoldError:
        raise
    except _MALFORMED as error:
        raise InvalidInput(
            f"{path.name} looks like {kind}, but reading it failed with {type(error).__name__}: "
            f"{reason(error)}."
        ) from error

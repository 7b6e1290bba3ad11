"""What must not be shown: passwords in URLs, and parameters whose names say that they are secret."""

import re
from urllib.parse import unquote_plus

HIDDEN = "***"
_SECRET = re.compile(
    r"passw|passphrase|pwd|secret|token|credential|(api|access|private)[_-]?key|authori[sz]ation",
    re.IGNORECASE,
)


def is_secret(name: object) -> bool:
    """
    Whether what goes by a name should not be shown.

    Examples
    --------
    >>> is_secret("api_key"), is_secret("sslpassword"), is_secret("key_size")
    (True, True, False)
    """
    return bool(_SECRET.search(str(name)))


def is_url(text: str) -> bool:
    """Whether a text is meant as a URL, well formed or not."""
    return "://" in text


def hide_password(text: str) -> str:
    """
    Return a path or URL as it may be shown; of a URL no part that may hold a password.

    It is about what somebody typed, maybe wrongly: whatever stands where a password can stand is hidden.

    Examples
    --------
    >>> hide_password("postgresql://me:se@cr/et@host:5432/runs?sslmode=require&PASSWORD=a&b")
    'postgresql://me:***@host:5432/runs?sslmode=require&PASSWORD=***'
    >>> hide_password("postgresql://me@host:secret/runs")
    'postgresql://me@host:***/runs'
    """
    if not is_url(text):
        return text
    scheme, _, rest = text.partition("://")
    address, question, query = rest.partition("?")
    return f"{scheme}://{_hide_in_address(f'{address}{question}{_hide_in_query(query)}')}"


def _hide_in_address(address: str) -> str:
    """Hide what follows the user's name, and a port that is no number."""
    before, at, after = address.rpartition("@")
    user, colon, _ = before.partition(":")
    shown = f"{user}:{HIDDEN}" if colon else user
    host = re.split("[/?]", after, maxsplit=1)[0]
    name, colon, port = host.rpartition(":")
    if colon and not port.isdigit() and not port.endswith("]"):  # the last is an address in brackets
        after = f"{name}:{HIDDEN}{after[len(host) :]}"
    return f"{shown}{at}{after}"


def _hide_in_query(query: str) -> str:
    """Hide all that follows the first name of a secret: a password may hold signs that separate."""
    shown = []
    for part in query.split("&"):
        name, equals, _ = part.partition("=")
        if equals and is_secret(unquote_plus(name)):
            return "&".join([*shown, f"{name}={HIDDEN}"])
        shown.append(part)
    return "&".join(shown)

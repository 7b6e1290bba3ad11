"""What is not for others: passwords in URLs, parameters with names of secrets, folders of this machine."""

import os
import re
import sys
from pathlib import Path
from urllib.parse import unquote_plus

HIDDEN = "***"
_SECRET = re.compile(
    r"passw|passphrase|secret|credential|authorization|(^|[_-])(pwd|token)$"
    r"|(^|[_-])(api|access|private|auth|client)[_-]?(key|token)",
    re.IGNORECASE,
)


def is_secret(name: object) -> bool:
    """
    Whether what goes by a name should not be shown.

    Examples
    --------
    >>> is_secret("api_key"), is_secret("sslpassword"), is_secret("key_size"), is_secret("token_pattern")
    (True, True, False, False)
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
    shown: list[str] = []
    for part in query.split("&"):
        name, equals, _ = part.partition("=")
        if equals and is_secret(unquote_plus(name)):
            return "&".join([*shown, f"{name}={HIDDEN}"])
        shown.append(part)
    return "&".join(shown)


_PARAMETER = re.compile(
    r"""(?P<name>[\w-]+)(?P<between>['"]?\s*[=:]\s*)(?P<value>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[\w.+/=-]+(?![\w(.]))"""
)


def hide_secrets(text: str) -> str:
    """
    Hide the values of parameters whose names say that they are secret, in code, messages and tracebacks.

    Examples
    --------
    >>> hide_secrets("Client(api_key='sk-1', model='small', tokens=3)")
    "Client(api_key=***, model='small', tokens=3)"
    >>> hide_secrets('{"password": "x y", "n": 1}')
    '{"password": ***, "n": 1}'
    """

    def hidden(found: re.Match[str]) -> str:
        name = found["name"]
        return f"{name}{found['between']}{HIDDEN}" if is_secret(name) else found[0]

    return _PARAMETER.sub(hidden, text)


def shorten_paths(text: str) -> str:
    """
    Write paths without what is the machine's: relative to the current folder, to Python's or to one's home.

    Examples
    --------
    >>> shorten_paths(f"no file {Path.cwd() / 'data' / 'x.csv'}")
    'no file data/x.csv'
    """
    text = _LIBRARIES.sub("", text)
    for folder, instead in _folders():
        if len(folder) > 1:
            text = text.replace(f"{folder}{os.sep}", instead)
    return text


_LIBRARIES = re.compile(r"""(?:[A-Za-z]:)?[\\/][^"'\s]*(?:site|dist)-packages[\\/]""")


def _folders() -> list[tuple[str, str]]:
    """What stands before paths, the longest first, and what is written instead."""
    known = {sys.prefix: "", sys.base_prefix: ""}
    try:
        known[str(Path.home())] = f"~{os.sep}"
        known[str(Path.cwd())] = ""
    except (OSError, RuntimeError):  # a folder that is gone, a user without a home
        pass
    return sorted(known.items(), key=lambda one: -len(one[0]))

"""
Put the comment of ``evenfold pr`` on a pull request: create it once, and update it in place.

``python tools/post_comment.py comment.md``, with the variables GITHUB_API_URL, GITHUB_REPOSITORY,
NUMBER, TOKEN and CONFIG, as the action has them. The hidden line at its end gets the path of the
configuration, so that each gate has a comment of its own. A comment with the same hidden line, by a
bot or by whom the token belongs to, is replaced. Without permission to write, one line says so; the
summary of the job has the comment.
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

_PAGE = 100  # comments that the server lists at once
_PAGES = 50
_SECONDS = 30
_END = " -->"  # of a hidden line


def main() -> int:
    """Create or update the comment and return 0, or say why there is none and return 1."""
    body = _marked(Path(sys.argv[1]).read_text(encoding="utf-8").rstrip())
    marker = body.splitlines()[-1]
    repository = f"/repos/{os.environ['GITHUB_REPOSITORY']}"
    comments = f"{repository}/issues/{int(os.environ['NUMBER'])}/comments"
    try:
        known = next(_ours(comments, marker), None)
        if known is None:
            _ask("POST", comments, {"body": body})
        else:
            _ask("PATCH", f"{repository}/issues/comments/{int(known)}", {"body": body})
    except (OSError, HTTPException, ValueError) as reason:
        sys.stdout.write(f"::notice::no comment was written ({reason}); see the job's summary\n")
        return 1
    return 0


def _marked(body: str) -> str:
    """Put the path of the configuration into the hidden line, in letters that cannot end it."""
    config = urllib.parse.quote(os.environ.get("CONFIG", ""))
    return f"{body.removesuffix(_END)} {config}{_END}" if config else body


def _login() -> str | None:
    """Return whom the token belongs to; None of a token of a job, which is no user's."""
    try:
        login: str | None = _ask("GET", "/user").get("login")
    except urllib.error.HTTPError:
        return None
    return login


def _ours(comments: str, marker: str) -> Iterator[int]:
    """Yield our comments that end with the marker; what other people write stays theirs."""
    login = _login()
    for page in range(1, _PAGES + 1):
        listed = _ask("GET", f"{comments}?per_page={_PAGE}&page={page}")
        for comment in listed:
            author = comment.get("user") or {}  # none where the account is gone
            is_ours = author.get("type") == "Bot" or (login and author.get("login") == login)
            if is_ours and (comment.get("body") or "").rstrip().endswith(marker):
                yield comment["id"]
        if len(listed) < _PAGE:
            return


def _ask(method: str, path: str, data: dict[str, str] | None = None) -> Any:
    url = f"{os.environ['GITHUB_API_URL']}{path}"
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Content-Type": "application/json",
        "User-Agent": "evenfold",
    }
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, data=body, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
        return json.loads(answer.read())


if __name__ == "__main__":
    sys.exit(main())

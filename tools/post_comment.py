"""
Put the comment of ``evenfold pr`` on a pull request: create it once, and update it in place.

``python tools/post_comment.py comment.md``, with the variables GITHUB_API_URL, GITHUB_REPOSITORY,
NUMBER and TOKEN, as the action has them. A comment of a bot that ends with the same hidden line is
replaced. Without permission to write, one line says so; the summary of the job has the comment.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_PAGE = 100  # comments that the server lists at once
_PAGES = 50
_SECONDS = 30


def main() -> int:
    """Create or update the comment and return 0, or say why there is none and return 1."""
    body = Path(sys.argv[1]).read_text(encoding="utf-8").rstrip()
    marker = body.splitlines()[-1]
    comments = f"/issues/{int(os.environ['NUMBER'])}/comments"
    try:
        known = next(_ours(comments, marker), None)
        if known is None:
            _ask("POST", comments, {"body": body})
        else:
            _ask("PATCH", f"/issues/comments/{int(known)}", {"body": body})
    except (urllib.error.URLError, TimeoutError, ValueError) as reason:
        sys.stdout.write(f"::notice::no comment was written ({reason}); see the job's summary\n")
        return 1
    return 0


def _ours(comments: str, marker: str) -> Iterator[int]:
    """Yield the comments of bots that end with the marker; what people write stays theirs."""
    for page in range(1, _PAGES + 1):
        listed = _ask("GET", f"{comments}?per_page={_PAGE}&page={page}")
        for comment in listed:
            is_bot = comment["user"]["type"] == "Bot"
            if is_bot and comment["body"].rstrip().endswith(marker):
                yield comment["id"]
        if len(listed) < _PAGE:
            return


def _ask(method: str, path: str, data: dict[str, str] | None = None) -> Any:
    url = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}{path}"
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

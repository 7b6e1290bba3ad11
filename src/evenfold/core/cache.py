"""Where evenfold keeps what it can compute again."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any


def user_cache() -> Path:
    """
    Return the user's cache folder for evenfold, which may not exist yet.

    ``XDG_CACHE_HOME`` decides where it is set; otherwise the platform's custom does.
    """
    home = os.environ.get("XDG_CACHE_HOME", "")
    if Path(home).is_absolute():  # the XDG standard says to ignore relative paths
        return Path(home) / "evenfold"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/evenfold").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "evenfold" / "Cache"
    return Path("~/.cache/evenfold").expanduser()


def recall(file: Path) -> Any:
    """Return what was remembered, None where nothing was or the file is damaged."""
    with suppress(OSError, ValueError):
        return json.loads(file.read_text(encoding="utf-8"))
    return None


def remember(file: Path, value: Any) -> None:
    """
    Write a value as JSON, atomically.

    Where that cannot be, it costs the time again and nothing else.
    """
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as written:
            json.dump(value, written)
        Path(written.name).replace(file)

"""Where evenfold keeps what it can compute again."""

import os
import sys
from pathlib import Path


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

"""Files that must not lie: written whole or not at all, by one process, sealed against edits."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic, sleep
from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput
from evenfold.core.json import parse, to_plain
from evenfold.core.words import one_line

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# many processes may be waiting in turn, and a lock goes with the process that held it
_PATIENCE_SECONDS = 300.0
_LARGEST_BYTES = 2**28


def read_sealed(path: Path, kind: str, version: int) -> dict[str, Any]:
    """Return what a file of this kind holds; refuse one that is torn, edited or another's."""
    if path.stat().st_size > _LARGEST_BYTES:
        refuse("file", f"below {_LARGEST_BYTES} bytes", path.name)
    try:
        content = parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name} is torn: it is not UTF-8") from error
    except ValueError as error:
        raise InvalidInput(
            f"{path.name} is torn: it is no JSON ({one_line(error)[:80]})"
        ) from error
    if not isinstance(content, dict) or content.get("evenfold") != kind:
        refuse(
            "file", f"one of the kind {kind!r} that evenfold wrote", path.name, "start a new one"
        )
    if content.get("version") != version:
        refuse(
            "file",
            f"of version {version}",
            str(content.get("version")),
            "use the evenfold that wrote it",
        )
    if content.pop("seal", None) != _seal(content):
        refuse(
            "file",
            "as evenfold left it",
            f"{path.name}, which was edited",
            "take the last good copy",
        )
    return content


def write_sealed(path: Path, kind: str, version: int, content: Mapping[str, Any]) -> None:
    """Replace the file in one step: whoever reads it sees the old one or the new one, whole."""
    whole = {"evenfold": kind, "version": version, **content}
    whole = json.loads(
        json.dumps(to_plain(whole), allow_nan=False)
    )  # what a reader will see, and so what is sealed
    with NamedTemporaryFile(
        "w", dir=path.absolute().parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as file:
        json.dump({**whole, "seal": _seal(whole)}, file, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)


def _seal(content: Mapping[str, Any]) -> str:
    """A checksum: against torn files and slips of an editor, not against deliberate fraud."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """
    Hold the file alone: a second process waits, so that no proposal is lost or judged twice.

    The lock is the system's, on a file beside: it goes with the process that held it, however that
    ends.
    """
    with path.with_name(f".{path.name}.lock").open("a+b") as file:
        deadline = monotonic() + _PATIENCE_SECONDS
        while not _try_lock(file.fileno()):
            if monotonic() > deadline:
                held = f"{path.name}, which another process holds"
                refuse(
                    "file",
                    f"free within {_PATIENCE_SECONDS:g} seconds",
                    held,
                    "wait for it, or end it",
                )
            sleep(0.02)
        yield


def _try_lock(number: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

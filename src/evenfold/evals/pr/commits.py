"""What git knows of both sides: which commit, how old, and whether a file is the base's own."""

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evenfold.core.checks import refuse

_SECONDS = 30  # that git may take
_SHORT = 10


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Commit:
    """A commit, by its hash, with the time at which it was made; None where git does not know."""

    revision: str
    made: datetime | None = None

    @property
    def short(self) -> str:
        """The first letters of its hash."""
        return self.revision[:_SHORT]


def find_commit(side: str, revision: str | None, folder: Path) -> Commit | None:
    """Return the commit of one side; None where nobody names it."""
    if revision is None:
        return None
    if revision.startswith("-") or not revision.strip():
        refuse(f"{side}_commit", "a commit", revision)
    lines = _git(folder, "log", "-1", "--format=%H %ct", f"{revision}^{{commit}}", "--")
    if lines is None:
        remedy = "fetch it, for example with fetch-depth: 0"
        refuse(f"{side}_commit", "a commit that git knows", revision, remedy)
    found, made = lines.decode().split()
    return Commit(revision=found, made=datetime.fromtimestamp(int(made), UTC))


def require_order(base: Commit | None, head: Commit | None) -> timedelta | None:
    """Return how much older the base is than the head; refuse one that is newer."""
    if base is None or head is None or base.made is None or head.made is None:
        return None
    age = head.made - base.made
    if age < timedelta(0):
        remedy = "merge the base into the head, or pass the commit that was measured"
        refuse(
            "base_commit", f"not newer than the head, {head.short}", base.revision[:_SHORT], remedy
        )
    return age


def file_in(commit: Commit | None, path: Path) -> bytes | None:
    """Return a file as a commit has it; None where the commit has no such file."""
    if commit is None:
        return None
    return _git(path.parent, "show", f"{commit.revision}:./{path.name}")


def _git(folder: Path, *words: str) -> bytes | None:
    """Return what git prints; None where it refuses, or is not installed."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, check=False, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None

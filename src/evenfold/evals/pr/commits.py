"""The commits of both sides as git knows them, and the files that the base's commit records."""

import glob
import os
import posixpath
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePath

from evenfold.core.checks import refuse, refuse_value

_SECONDS = 30  # that git may take
_SHORT = 10
_PLAIN = ("100644", "100755")  # modes of files that are no links
_REWRITING = ("working-tree-encoding", "ident")  # attributes that the head may set
_REMEDY = "Fetch the whole history, for example with fetch-depth: 0."


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Commit:
    """A commit: its hash, its parents, its date, and the folder of its repository."""

    revision: str
    parents: tuple[str, ...]
    made: datetime
    root: Path

    @property
    def short(self) -> str:
        """The first characters of its hash."""
        return self.revision[:_SHORT]

    def path_of(self, path: Path) -> str | None:
        """Return a path relative to the repository, without following links; None outside of it."""
        full = _full(path)
        return full.relative_to(self.root).as_posix() if full.is_relative_to(self.root) else None


def find_commit(side: str, revision: str | None, folder: Path) -> Commit | None:
    """Return the commit of one side, or None if no commit is named."""
    if revision is None:
        return None
    if revision.startswith("-") or not revision.strip():
        refuse_value(f"{side}_commit", revision, "a commit")
    printed = _git(folder, "log", "-1", "--format=%ct %H %P", f"{revision}^{{commit}}", "--")
    if printed is None:
        refuse_value(f"{side}_commit", revision, "a commit that git knows", _REMEDY)
    made, full, *parents = printed.decode().split()
    return Commit(
        revision=full,
        parents=tuple(parents),
        made=datetime.fromtimestamp(int(made), UTC),
        root=_root_of(folder),
    )


def _root_of(folder: Path) -> Path:
    """Return the folder of the repository as a part of the path, without following links."""
    top = Path(os.fsdecode(_require_git(folder, "rev-parse", "--show-toplevel")).rstrip("\r\n"))
    full = _full(folder)
    for part in (*reversed(full.parents), full):
        if part.samefile(top):
            return part
    refuse(
        None, f"The configuration must be in the repository, but {folder} is behind a link into it."
    )


def _full(path: Path) -> Path:
    return Path(os.path.normpath(Path.cwd() / path))


def require_order(base: Commit | None, head: Commit | None) -> timedelta | None:
    """Return how much older the base is than the head, and refuse a base that is newer."""
    if base is None or head is None:
        return None
    age = head.made - base.made
    if age < timedelta(0):
        refuse(
            "base_commit",
            f"base_commit must not be newer than the head {head.short} but got {base.short}.",
            "Merge the base into the head, or pass the commit that was measured.",
        )
    return age


def file_in(commit: Commit, path: Path) -> bytes | None:
    """Return the content of a file in a commit, or None if the commit has no such file."""
    place = commit.path_of(path)
    mode, content = _entries(commit.root, commit.revision).get(place or "", ("", ""))
    if not content:
        return None
    if mode not in _PLAIN:
        refuse(path.name, f"{path.name} must be a file, but in {commit.short} it is a link.")
    return _require_git(commit.root, "cat-file", "blob", content)


def files_in(commit: Commit, folder: Path, pattern: str) -> dict[str, str]:
    """Return the object ids of a commit's files that match a pattern, by their paths."""
    entries = _entries(commit.root, commit.revision)
    plain = commit.path_of(folder / pattern)
    if plain is not None and plain in entries:
        return {plain: entries[plain][1]}
    if Path(pattern).is_absolute():
        return {}
    start = glob.escape(commit.path_of(folder) or "")
    parts = posixpath.normpath(posixpath.join(start, PurePath(pattern).as_posix())).split("/")
    return {
        path: content for path, (_, content) in entries.items() if _matches(parts, path.split("/"))
    }


def is_changed(commit: Commit, recorded: Mapping[str, str], paths: Sequence[Path]) -> bool:
    """Return whether the files differ from those of a commit, in their paths or contents."""
    present = [str(commit.path_of(path)) for path in paths]
    if set(present) != set(recorded):
        return True
    _require_plain_text(commit, present)
    printed = _require_git(commit.root, "hash-object", "--", *present)
    return printed.decode().split() != [recorded[path] for path in present]


def _require_plain_text(commit: Commit, paths: Sequence[str]) -> None:
    """Refuse attributes that let a file differ although git calls it unchanged."""
    printed = _require_git(commit.root, "check-attr", "-z", *_REWRITING, "--", *paths)
    words = os.fsdecode(printed).split("\0")
    for path, attribute, value in zip(words[::3], words[1::3], words[2::3], strict=False):
        if value not in ("unspecified", "unset"):
            refuse(
                path,
                f"{path} must not have the attribute {attribute} of git but has "
                f"{attribute}={value}.",
            )


def require_no_links(commit: Commit, paths: Iterable[Path]) -> None:
    """Refuse files behind a link, whether the link is in the commit or only in the folder."""
    entries = _entries(commit.root, commit.revision)
    for path in paths:
        full = Path.cwd() / path
        for part in (full, *full.parents):
            place = commit.path_of(part)
            if place in (None, "."):
                continue
            if part.is_symlink() or entries.get(place, _PLAIN)[0] not in _PLAIN:
                refuse(
                    str(path),
                    f"{path} must be a file of the repository, but it is behind the link {place}.",
                )


def _matches(parts: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether the names of a path match the parts of a pattern, as in ``Path.glob``."""
    if not parts:
        return not names
    first, *rest = parts
    if first == "**":
        return any(_matches(rest, names[skipped:]) for skipped in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], first) and _matches(rest, names[1:])


@lru_cache(maxsize=2)
def _entries(root: Path, revision: str) -> Mapping[str, tuple[str, str]]:
    """Return the mode and the object id of every file of a commit, by its path."""
    printed = os.fsdecode(_require_git(root, "ls-tree", "-r", "-z", "--full-tree", revision))
    rows = (row.split("\t", 1) for row in printed.split("\0") if row)
    return {path: (about.split()[0], about.split()[2]) for about, path in rows}


def _require_git(folder: Path, *words: str) -> bytes:
    """Return what git prints, and refuse if it fails: an unknown file may still exist."""
    printed = _git(folder, *words)
    if printed is None:
        refuse(None, f"'git {words[0]}' cannot read the repository.", _REMEDY)
    return printed


def _git(folder: Path, *words: str) -> bytes | None:
    """Return what git prints; None if it fails, takes too long, or is not installed."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, check=False, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None

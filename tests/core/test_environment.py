"""Where the cache is kept, by environment and platform."""

import sys
from pathlib import Path

import pytest

from evenfold.core.environment import user_cache


def test_xdg_decides_unless_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path / "evenfold"
    for ignored in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert user_cache().is_absolute()
        assert user_cache().name in ("evenfold", "Cache")


@pytest.mark.parametrize(
    ("platform", "end"),
    [
        ("linux", ".cache/evenfold"),
        ("darwin", "Library/Caches/evenfold"),
        ("win32", "evenfold/Cache"),
    ],
)
def test_each_platform_has_its_custom(
    platform: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    assert user_cache().as_posix().endswith(end)

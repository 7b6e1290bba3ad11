"""Photograph a page as headless Chromium shows it to readers of light and of dark pages."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

FOLDER = Path(__file__).parents[1] / "docs" / "_static"
_SCHEMES = {"light": 1, "dark": 0}
_COLOURS = 128  # enough for text and a few lines, at a third of the size


def photograph(page: Path, name: str, *, width: int, height: int) -> None:
    """Write ``name-light.png`` and ``name-dark.png`` to the pictures of the documentation."""
    browser = shutil.which("chromium")
    if browser is None:
        raise SystemExit("The picture of a page needs chromium.")
    for theme, scheme in _SCHEMES.items():
        picture = FOLDER / f"{name}-{theme}.png"
        with TemporaryDirectory() as profile:
            command = (
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--no-first-run",
                "--hide-scrollbars",
                f"--user-data-dir={profile}",
                f"--window-size={width},{height}",
                f"--blink-settings=preferredColorScheme={scheme}",
                f"--screenshot={picture}",
                page.as_uri(),
            )
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        with Image.open(picture) as taken:
            taken.convert("RGB").quantize(_COLOURS).save(picture, optimize=True)

"""The quick tests of both distributions with other interpreters, or other versions of packages.

``python -m tools.matrix`` looks for every Python that is declared and that this machine has: on the
search path, and where uv and pyenv put them. Each gets an environment in ``build/`` and runs the
tests that are marked quick. ``--versions lowest-direct`` takes this interpreter with the lowest
versions that are declared, ``--versions newest`` with pre-releases. Needs uv.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

from tools.dist import BOTH, ROOT, quick_tests, run

CHOICES = {
    "": [],
    "lowest-direct": ["--resolution", "lowest-direct"],
    "newest": ["--prerelease", "allow"],
}
# Old and new versions warn of each other, which is no fault of ours: only here warnings are no
# errors.
QUIET = ("--override-ini", "filterwarnings=")


def main() -> None:
    """Find interpreters, and try each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--versions", default="", choices=CHOICES, help="of what is installed beside"
    )
    options = parser.parse_args()
    if options.versions:
        try_tests(Path(sys.executable), options.versions, CHOICES[options.versions])
        return
    pythons = interpreters(declared())
    here = f"3.{sys.version_info.minor}"
    for version in declared():
        print(f"Python {version}: {pythons.get(version, 'not on this machine')}", flush=True)
    for version, python in pythons.items():
        if version != here:  # that one is tested by make quick
            try_tests(python, version, [])


def declared() -> list[str]:
    """Return the versions of Python that pyproject.toml declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))


def interpreters(versions: Iterable[str]) -> dict[str, Path]:
    """Return an interpreter of this machine for each version, where there is one that answers."""
    by_version: dict[str, Path] = {}
    for candidate in candidates(versions):
        version = answer(candidate)
        if version in versions:
            by_version.setdefault(version, candidate)
    return by_version


def candidates(versions: Iterable[str]) -> list[Path]:
    """Return the places where interpreters may be: the search path, then uv's and pyenv's own."""
    on_path = [shutil.which(f"python{version}") for version in versions]
    places = [Path(path) for path in on_path if path is not None]
    listing = [
        sys.executable,
        "-m",
        "uv",
        "python",
        "list",
        "--only-installed",
        "--output-format",
        "json",
    ]
    done = subprocess.run(listing, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        places += [Path(entry["path"]) for entry in json.loads(done.stdout) if entry.get("path")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return places + sorted(pyenv.glob("versions/3.*/bin/python"), reverse=True)


def answer(python: Path) -> str:
    """Return the version that an interpreter says it has, or nothing if it does not run."""
    words = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def try_tests(python: Path, name: str, wishes: list[str]) -> None:
    """Install what tests need into an environment of its own and run the quick tests of both."""
    environment = ROOT / "build" / name
    scripts = "Scripts" if os.name == "nt" else "bin"
    run("uv", "venv", "--quiet", "--clear", "--python", str(python), str(environment))
    wanted = ("--editable", f"{ROOT}[mlflow,test]", "--editable", str(ROOT / "lab"))
    run("uv", "pip", "install", "--quiet", "--python", str(environment), *wishes, *wanted)
    inside = str(environment / scripts / "python")
    for distribution in BOTH:
        print(f"{name}: the quick tests of {distribution.name}", flush=True)
        words = ("-m", "pytest", "-q", "-n", "2", *QUIET, *quick_tests(distribution.folder))
        run(inside, *words, where=distribution.folder)


if __name__ == "__main__":
    main()

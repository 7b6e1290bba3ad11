"""Build what is published, look into it, and try it where nothing else is installed.

``python -m tools.dist`` builds the wheel and the sdist into ``dist/``, checks what is in them, installs each
into an empty environment, and there runs the demo, two gates and the quick tests of the sdist.
``--smoke evenfold==1.2.3`` tries a published version instead, without the tests. Needs uv.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
GATES = ROOT / "examples" / "ci"
PASSED = 0
GATE_FAILED = 3
NEEDED_BY_WHEEL = ("evenfold/__init__.py", "evenfold/py.typed")
NEEDED_BY_TESTS = (
    "src/evenfold/__init__.py",
    "tests/quick.txt",
    "docs/index.md",
    "examples/ci/judge.yml",
    "benchmarks/__init__.py",
    "tools/dist.py",
    "action.yml",
    "Makefile",
    "pyproject.toml",
    "CONTRIBUTING.md",
    "CITATION.cff",
    ".github/workflows/release.yml",
)
LEFTOVERS = {"__pycache__", ".git", ".venv", ".hypothesis", ".mypy_cache", "_build", "generated", "gallery"}


def main() -> None:
    """Build, look and try."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tag", default="", help="the tag of the release; it must name the version")
    parser.add_argument("--smoke", default="", help="try this requirement from the index and build nothing")
    given = parser.parse_args()
    if given.smoke:
        with TemporaryDirectory() as folder:
            try_commands(make_environment(Path(folder)), given.smoke, Path(folder))
        return
    version = declared_version()
    refuse_tag(given.tag, version)
    wheel, sdist = build(version)
    complaints = wheel_complaints(wheel_names(wheel)) + sdist_complaints(sdist_names(sdist))
    if complaints:
        sys.exit("\n".join(complaints))
    for artefact in (wheel, sdist):
        try_artefact(artefact, sdist)


def declared_version() -> str:
    """Return the version that pyproject.toml declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def refuse_tag(tag: str, version: str) -> None:
    """End unless the tag names the version; no tag is fine, for a build that nobody publishes."""
    if tag not in ("", f"v{version}"):
        sys.exit(f"the tag must be v{version}, the version in pyproject.toml, but got {tag}")


def build(version: str) -> tuple[Path, Path]:
    """Make the sdist from the repository and the wheel from the sdist, which shows that the sdist builds."""
    shutil.rmtree(DIST, ignore_errors=True)
    run("uv", "build", "--quiet", "--out-dir", str(DIST), str(ROOT))
    (DIST / ".gitignore").unlink(missing_ok=True)  # uv's; an index would refuse it
    return DIST / f"evenfold-{version}-py3-none-any.whl", DIST / f"evenfold-{version}.tar.gz"


def wheel_names(wheel: Path) -> list[str]:
    """Return the paths in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def sdist_names(sdist: Path) -> list[str]:
    """Return the paths in an sdist, without the folder that holds them all."""
    with tarfile.open(sdist) as archive:
        return [name.partition("/")[2] for name in archive.getnames()]


def wheel_complaints(names: Iterable[str]) -> list[str]:
    """Say what a wheel holds besides the package, and what it lacks."""
    found = list(names)
    foreign = [name for name in found if not re.match(r"evenfold(-[^/]+\.dist-info)?/", name)]
    complaints = [f"the wheel holds {name}, which is no part of the package" for name in foreign]
    complaints += [f"the wheel holds {name}" for name in found if LEFTOVERS & set(name.split("/"))]
    complaints += [f"the wheel lacks {name}" for name in NEEDED_BY_WHEEL if name not in found]
    if not any(name.endswith("/licenses/LICENSE") for name in found):
        complaints.append("the wheel lacks the licence")
    return complaints


def sdist_complaints(names: Iterable[str]) -> list[str]:
    """Say what an sdist holds that was built, and what its tests would miss."""
    found = list(names)
    complaints = [f"the sdist holds {name}" for name in found if LEFTOVERS & set(name.split("/"))]
    return complaints + [f"the sdist lacks {name}" for name in NEEDED_BY_TESTS if name not in found]


def try_artefact(artefact: Path, sdist: Path) -> None:
    """Install an artefact alone and use it; then add what tests need and run the sdist's quick tests."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        python = make_environment(place)
        try_commands(python, str(artefact), place)
        install(python, f"evenfold[test] @ {artefact.as_uri()}")
        with tarfile.open(sdist) as archive:
            archive.extractall(place, filter="data")
        tests = place / sdist.name.removesuffix(".tar.gz")
        run(
            str(python),
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-n",
            "2",
            "@tests/quick.txt",
            where=tests,
        )


def try_commands(python: Path, requirement: str, place: Path) -> None:
    """Install a requirement and nothing else, then run the demo, a gate that passes and one that fails."""
    install(python, requirement)
    words = [str(python), "-c", "import evenfold; print(evenfold.__file__)"]
    home = Path(subprocess.run(words, check=True, capture_output=True, text=True, cwd=place).stdout.strip())
    if not home.resolve().is_relative_to(place.resolve()):
        sys.exit(f"evenfold must come from the new environment but came from {home}")
    run(str(python), "-m", "evenfold", "demo", where=place)
    if "<html" not in (place / "report.html").read_text(encoding="utf-8"):
        sys.exit("the demo must write report.html")
    try_gate(python, place, candidate=GATES / "candidate.csv", code=PASSED)
    try_gate(python, place, candidate=write_wrong_answers(place), code=GATE_FAILED)
    print(f"tried {requirement}")


def write_wrong_answers(place: Path) -> Path:
    """Write a table of the baseline's examples in which every prediction is wrong."""
    wrong = {"y": "n", "n": "y"}
    with (GATES / "main.csv").open(encoding="utf-8", newline="") as lines:
        rows = [{**row, "prediction": wrong[row["truth"]]} for row in csv.DictReader(lines)]
    path = place / "wrong.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["example", "truth", "prediction"])
        writer.writeheader()
        writer.writerows(rows)
    return path


def try_gate(python: Path, place: Path, *, candidate: Path, code: int) -> None:
    """Judge a candidate against the bundled baseline; end unless the exit code is the expected one."""
    numbers = place / "gate.json"
    numbers.unlink(missing_ok=True)
    words = [
        "judge",
        "--baseline",
        str(GATES / "main.csv"),
        "--candidate",
        str(candidate),
        "--measure",
        "accuracy",
    ]
    words += ["--margin", "0.05", "--fail-unless", "not-worse", "--json", str(numbers)]
    run(str(python), "-m", "evenfold", *words, where=place, code=code)
    if not json.loads(numbers.read_text(encoding="utf-8"))["pairs"]:
        sys.exit("the gate must write its numbers")


def make_environment(place: Path) -> Path:
    """Make an empty environment in a folder and return its interpreter."""
    environment = place / "environment"
    run("uv", "venv", "--quiet", "--python", sys.executable, str(environment))
    scripts = "Scripts" if os.name == "nt" else "bin"
    return environment / scripts / "python"


def install(python: Path, requirement: str) -> None:
    """Install one requirement; a build of the same version that uv remembers is not taken for this one."""
    fresh = ["--refresh-package", "evenfold", "--reinstall-package", "evenfold"]
    run("uv", "pip", "install", "--quiet", "--python", str(python), *fresh, requirement)


def run(program: str, *words: str, where: Path = ROOT, code: int = PASSED) -> None:
    """Run a program, ``uv`` being the one of this interpreter; end unless it ends with the expected code."""
    command = [sys.executable, "-m", "uv", *words] if program == "uv" else [program, *words]
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    done = subprocess.run(command, cwd=where, env=environment, check=False)
    if done.returncode != code:
        sys.exit(f"must end with {code} but got {done.returncode}: {' '.join(command)}")


if __name__ == "__main__":
    main()

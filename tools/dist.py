"""Build what is published, look into it, and try it where nothing else is installed.

``python -m tools.dist`` builds wheel and sdist of evenfold and of evenfold-lab into ``dist/`` and
checks what is in them. The wheels go into one empty environment, where the demo, two gates and a
study run with the plain dependencies alone, then the quick tests of both sdists with what tests
need; the sdists go into another environment, where they are built and used in the same way.
``--smoke 1.2.3`` tries a published version instead, without the tests. Needs uv.
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
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
GATES = ROOT / "examples" / "ci"
PASSED = 0
GATE_FAILED = 3
LARGEST_MB = 300  # of an environment with the plain dependencies, see docs/install.md
LEFTOVERS = {
    "__pycache__",
    ".git",
    ".venv",
    ".hypothesis",
    ".mypy_cache",
    "_build",
    "generated",
    "gallery",
}


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """One of the two things that are published, and what must be in it."""

    name: str
    package: str
    folder: Path
    tests_need: tuple[str, ...]
    foreign: tuple[str, ...] = ()

    @property
    def wheel_needs(self) -> tuple[str, ...]:
        """What must be in its wheel, beside the licence."""
        return f"{self.package}/__init__.py", f"{self.package}/py.typed"

    def version(self) -> str:
        """Return the version that its pyproject.toml declares."""
        project = tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))[
            "project"
        ]
        return str(project["version"])

    def wheel(self) -> Path:
        """Where its wheel is built."""
        return DIST / f"{self._stem()}-py3-none-any.whl"

    def sdist(self) -> Path:
        """Where its sdist is built."""
        return DIST / f"{self._stem()}.tar.gz"

    def _stem(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version()}"


PRODUCT = Distribution(
    name="evenfold",
    package="evenfold",
    folder=ROOT,
    tests_need=(
        "src/evenfold/__init__.py",
        "tests/conftest.py",
        "docs/index.md",
        "examples/ci/judge.yml",
        "benchmarks/__init__.py",
        "tools/dist.py",
        "action.yml",
        "Makefile",
        "pyproject.toml",
        "lab/pyproject.toml",
        "CONTRIBUTING.md",
        "CITATION.cff",
        ".github/workflows/release.yml",
    ),
    foreign=(
        "lab/src",  # it has an sdist of its own, and so have its tests
        "lab/tests",
        "papers/",  # the results of studies, which are large
    ),
)
LABORATORY = Distribution(
    name="evenfold-lab",
    package="evenfold_lab",
    folder=ROOT / "lab",
    tests_need=(
        "src/evenfold_lab/__init__.py",
        "tests/conftest.py",
        "pyproject.toml",
        "README.md",
        "LICENSE",
    ),
)
BOTH = (PRODUCT, LABORATORY)


def main() -> None:
    """Build, look and try."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--tag", default="", help="the tag of the release; it must name the version"
    )
    parser.add_argument(
        "--smoke", default="", help="try this version from the index and build nothing"
    )
    options = parser.parse_args()
    if options.smoke:
        with TemporaryDirectory() as folder:
            try_commands(
                Path(folder), [f"{distribution.name}=={options.smoke}" for distribution in BOTH]
            )
        return
    for distribution in BOTH:
        refuse_tag(options.tag, distribution.version())
    build()
    complaints = [line for distribution in BOTH for line in complaints_about(distribution)]
    if complaints:
        sys.exit("\n".join(complaints))
    with TemporaryDirectory() as folder:
        python = try_commands(Path(folder), [str(distribution.wheel()) for distribution in BOTH])
        try_tests(Path(folder), python)
    with TemporaryDirectory() as folder:
        try_commands(Path(folder), [str(distribution.sdist()) for distribution in BOTH])


def refuse_tag(tag: str, version: str) -> None:
    """End unless the tag names the version; no tag is fine, for a build that nobody publishes."""
    if tag not in ("", f"v{version}"):
        sys.exit(f"the tag must be v{version}, the version in pyproject.toml, but got {tag}")


def build() -> None:
    """Make sdists from the repository and wheels from the sdists, which shows that they build."""
    shutil.rmtree(DIST, ignore_errors=True)
    for distribution in BOTH:
        run("uv", "build", "--quiet", "--out-dir", str(DIST), str(distribution.folder))
    (DIST / ".gitignore").unlink(missing_ok=True)  # uv's; an index would refuse it


def complaints_about(distribution: Distribution) -> list[str]:
    """Say what is wrong with the content of what was built."""
    with zipfile.ZipFile(distribution.wheel()) as wheel:
        complaints = wheel_complaints(distribution, wheel.namelist())
    with tarfile.open(distribution.sdist()) as sdist:
        names = [name.partition("/")[2] for name in sdist.getnames()]  # all are in one folder
    return complaints + sdist_complaints(distribution, names)


def wheel_complaints(distribution: Distribution, names: Iterable[str]) -> list[str]:
    """Say what a wheel holds besides the package, and what it lacks."""
    members = list(names)
    wheel = f"the wheel of {distribution.name}"
    ours = rf"{distribution.package}(-[^/]+\.dist-info)?/"
    foreign = [name for name in members if not re.match(ours, name)]
    complaints = [f"{wheel} holds {name}, which is no part of the package" for name in foreign]
    complaints += [f"{wheel} holds {name}" for name in members if LEFTOVERS & set(name.split("/"))]
    complaints += [
        f"{wheel} lacks {name}" for name in distribution.wheel_needs if name not in members
    ]
    if not any(name.endswith("/licenses/LICENSE") for name in members):
        complaints.append(f"{wheel} lacks the licence")
    return complaints


def sdist_complaints(distribution: Distribution, names: Iterable[str]) -> list[str]:
    """Say what an sdist holds that was built or is another's, and what its tests would miss."""
    members = list(names)
    sdist = f"the sdist of {distribution.name}"
    foreign = [
        name
        for name in members
        if LEFTOVERS & set(name.split("/")) or name.startswith(distribution.foreign)
    ]
    complaints = [f"{sdist} holds {name}" for name in foreign]
    return complaints + [
        f"{sdist} lacks {name}" for name in distribution.tests_need if name not in members
    ]


def try_commands(place: Path, requirements: list[str]) -> Path:
    """
    Install evenfold alone into an empty environment and use it, then the laboratory beside it.

    Returns the interpreter. Without the extra ``report`` the demo writes no page, and says how to
    get one.
    """
    product, laboratory = requirements
    python = make_environment(place)
    install(python, product)
    report_size(place)
    require_home(python, place)
    demo = output(python, "demo", where=place)
    if "is better than" not in demo or 'pip install "evenfold[report]"' not in demo:
        sys.exit(
            f"without extras the demo must say a verdict and how to get a page, but said:\n{demo}"
        )
    try_gate(python, place, candidate=GATES / "candidate.csv", code=PASSED)
    try_gate(python, place, candidate=write_wrong_answers(place), code=GATE_FAILED)
    install(python, laboratory)
    study = ("lab", "type1", "mean-line", "--methods", "5x2-t", "--n", "24", "--replications", "20")
    if "5x2-t" not in output(python, *study, where=place):
        sys.exit("the laboratory must study a method")
    install(python, product_with(product, "report"))
    output(python, "demo", where=place)
    if "<html" not in (place / "report.html").read_text(encoding="utf-8"):
        sys.exit("with the extra report the demo must write report.html")
    print(f"tried {product} and {laboratory}", flush=True)
    return python


def product_with(requirement: str, extras: str) -> str:
    """Return a requirement of evenfold, a version or an artefact, with extras."""
    if Path(requirement).is_file():
        return f"evenfold[{extras}] @ {Path(requirement).as_uri()}"
    return requirement.replace("evenfold", f"evenfold[{extras}]", 1)


def require_home(python: Path, place: Path) -> None:
    """End unless evenfold comes from the new environment."""
    words = [str(python), "-c", "import evenfold; print(evenfold.__file__)"]
    home = Path(
        subprocess.run(words, check=True, capture_output=True, text=True, cwd=place).stdout.strip()
    )
    if not home.resolve().is_relative_to(place.resolve()):
        sys.exit(f"evenfold must come from the new environment but came from {home}")


def report_size(place: Path) -> None:
    """Say how much the environment takes; end where it is more than the documentation promises."""
    files = [path for path in place.rglob("*") if path.is_file() and not path.is_symlink()]
    # Files of one inode are one: uv links what it has in its cache.
    taken = {(path.stat().st_dev, path.stat().st_ino): path.stat().st_size for path in files}
    size = round(sum(taken.values()) / 1e6)
    print(f"with the plain dependencies: {size} MB", flush=True)
    if size > LARGEST_MB:
        sys.exit(f"a plain install must take at most {LARGEST_MB} MB but takes {size} MB")


def try_tests(place: Path, python: Path) -> None:
    """Install what tests need beside the wheels and run the quick tests of both sdists."""
    install(python, product_with(str(PRODUCT.wheel()), "test"))
    for distribution in BOTH:
        with tarfile.open(distribution.sdist()) as archive:
            archive.extractall(place, filter="data")
        tests = place / distribution.sdist().name.removesuffix(".tar.gz")
        words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *quick_tests(tests))
        run(str(python), *words, where=tests)


def quick_tests(folder: Path) -> list[str]:
    """
    Return the words that make pytest run the quick tests of a distribution.

    Only files with such a test are named, as others may import what an environment lacks.
    """
    files = [
        path.relative_to(folder).as_posix()
        for path in sorted((folder / "tests").rglob("test_*.py"))
        if "pytest.mark.quick" in path.read_text(encoding="utf-8")
    ]
    return ["-m", "quick", *files]


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
    """
    Judge a candidate against the bundled baseline.

    End unless the exit code is the expected one.
    """
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
    """Install one requirement; a remembered build of the same version is not taken for it."""
    fresh = [word for distribution in BOTH for word in ("--refresh-package", distribution.name)]
    run("uv", "pip", "install", "--quiet", "--python", str(python), *fresh, requirement)


def output(python: Path, *words: str, where: Path) -> str:
    """
    Run a command of evenfold and return what it says, standard error included.

    The script ends unless the command ends well.
    """
    command = [str(python), "-m", "evenfold", *words]
    done = subprocess.run(
        command,
        cwd=where,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    text = done.stdout + done.stderr
    if done.returncode != PASSED:
        sys.exit(f"must end with {PASSED} but got {done.returncode}: {' '.join(command)}\n{text}")
    print(text, flush=True)
    return text


def clean_environment() -> dict[str, str]:
    """Return the variables of this process without those that would lead to other packages."""
    leading = ("PYTHONPATH", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in leading}


def run(program: str, *words: str, where: Path = ROOT, code: int = PASSED) -> None:
    """
    Run a program, ``uv`` being the one of this interpreter.

    The script ends unless the program ends with the expected code.
    """
    command = [sys.executable, "-m", "uv", *words] if program == "uv" else [program, *words]
    environment = dict(os.environ) if program == "uv" else clean_environment()
    done = subprocess.run(command, cwd=where, env=environment, check=False)
    if done.returncode != code:
        sys.exit(f"must end with {code} but got {done.returncode}: {' '.join(command)}")


if __name__ == "__main__":
    main()

"""The rules of the packages, as tiny executable checks."""

import ast
import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import Parameter, isfunction, ismodule, signature
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import evenfold
import evenfold.cli
from evenfold.core import partition as kinds_of_designs
from evenfold.core.partition import Kind

PACKAGE = Path(evenfold.__file__).parent
STEPS = {"design", "run", "infer", "read", "report", "text"}
DOORS = {"__init__", "__main__", "extend"}  # of Python, and of python -m
WIRING = {"comparison", "cli", "testing"}
ROOM_APART = "evals"  # of evaluations: it may import all, and nothing imports it
ANNOUNCES = {"__init__.py", "core/registry.py"}  # what names that room, to load it on first use
LOADED_ON_USE = (
    "sklearn",
    "pandas",
    "joblib",
    "sqlalchemy",
    "matplotlib",
    "jinja2",
    "rich",
    "typer",
    "dask",
    "numba",
)


def _place(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def _imports(path: Path) -> Iterator[str]:
    """Yield the second part of every ``evenfold.xxx`` that a module imports at run time."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [node.module or ""]
            if node.module == "evenfold":
                names = [f"evenfold.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("evenfold."):
                yield name.split(".")[1]


def _allowed(place: str) -> set[str]:
    if place in DOORS | WIRING:
        return STEPS | WIRING | {"core", "extend"}
    if place == ROOM_APART:
        return STEPS | WIRING | {"core", ROOM_APART}
    return {"core", place}


def test_a_package_imports_core_and_never_another_package() -> None:
    for path in PACKAGE.rglob("*.py"):
        found = set(_imports(path))
        if path == PACKAGE / "__init__.py":  # the front door shows the types of its names
            found.discard(ROOM_APART)
        assert found <= _allowed(_place(path)), path


def test_nothing_but_the_door_and_the_registry_names_the_room_of_evaluations() -> None:
    path_of_a_module = re.compile(rf"\b{ROOM_APART}[./]\w")
    naming = {
        place
        for path in PACKAGE.rglob("*.py")
        if not (place := path.relative_to(PACKAGE).as_posix()).startswith(ROOM_APART)
        and path_of_a_module.search(path.read_text(encoding="utf-8"))
    }
    assert naming == ANNOUNCES


def test_a_comparison_does_not_load_the_room_of_evaluations() -> None:
    words = (
        "import sys, evenfold as ef; from evenfold.cli import app; "
        "assert ef.compare and ef.judge and ef.load; "
        f"print([m for m in sys.modules if m.startswith('evenfold.{ROOM_APART}')])"
    )
    out = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


# What stands apart, and who may not import it: the papers read both packages, nobody reads them.
APART = {
    "src": {"evenfold_lab", "papers", "benchmarks", "tests"},
    "lab/src": {"papers", "benchmarks", "tests"},
    "tests": {"papers", "benchmarks"},
    "lab/tests": {"papers", "benchmarks"},
}


def _modules(path: Path) -> Iterator[str]:
    """The modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize(("folder", "foreign"), APART.items())
def test_nothing_imports_what_stands_apart(folder: str, foreign: set[str]) -> None:
    root = Path(__file__).parents[1] / folder
    if not root.is_dir():
        pytest.skip(f"{folder} is not here")
    for path in root.rglob("*.py"):
        found = {name.split(".")[0] for name in _modules(path)} & foreign
        assert not found, f"{path}: {found}"


def test_without_the_lab_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    with pytest.raises(AttributeError, match=r"needs the package evenfold-lab"):
        _ = evenfold.lab
    monkeypatch.setattr("evenfold.core.registry.entry_points", lambda **_: ())
    done = CliRunner().invoke(evenfold.cli.app, ["lab", "populations"])
    assert done.exit_code == 2
    assert "pip install evenfold-lab" in done.output


def test_every_module_belongs_to_a_known_package() -> None:
    places = {_place(path) for path in PACKAGE.rglob("*.py")}
    assert places <= STEPS | WIRING | DOORS | {"core", ROOM_APART}


def test_the_picture_of_the_packages_shows_every_folder() -> None:
    picture = (PACKAGE.parents[1] / "docs" / "_static" / "packages.svg").read_text(encoding="utf-8")
    shown = set(re.findall(r'class="label"[^>]*>([^<]+)<', picture))
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert shown == folders | {"evenfold", "extend", "lab/", "papers/", "benchmarks/"}


def test_the_steps_of_one_comparison_exist() -> None:
    """Every step of the page begins with the function or class that takes it."""
    page = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\d\. `(\w+)\.(\w+)`", page, re.MULTILINE)
    assert len(steps) == 7
    for module, name in steps:
        place = {"api": "run.api", "family": "infer.family"}.get(module, f"comparison.{module}")
        assert hasattr(import_module(f"evenfold.{place}"), name), f"{module}.{name}"


def test_every_public_name_resolves_and_is_listed() -> None:
    for name in evenfold.__all__:
        assert getattr(evenfold, name) is not None
    assert set(evenfold.__all__) <= set(dir(evenfold))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        getattr(evenfold, "nonsense")  # noqa: B009  (mypy would refuse the plain spelling)


def test_every_public_name_is_in_the_api_page() -> None:
    api = (PACKAGE.parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\s+(?:evenfold\.)?([A-Za-z_0-9.]+)$", api, flags=re.MULTILINE))
    for name in evenfold.__all__:
        known = name in listed or f"design.{name}" in listed or ismodule(getattr(evenfold, name))
        assert known, f"docs/api.md lacks {name}"
    for package in (name for name in evenfold.__all__ if ismodule(getattr(evenfold, name))):
        names = {*getattr(evenfold, package).__all__}
        if package == "infer":
            names -= _method_names()  # the page lists them itself
        for name in names:
            assert f"{package}.{name}" in listed, f"docs/api.md lacks {package}.{name}"


def _marked_names() -> tuple[list[str], list[str]]:
    """The names that the page marks as stable, and those that it marks as provisional."""
    api = (PACKAGE.parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    stable: list[str] = []
    provisional: list[str] = []
    for place, *cells in re.findall(
        r"^\| `evenfold(\.\w+)?` \| (.*) \| (.*) \|$", api, re.MULTILINE
    ):
        for cell, names in zip(cells, (stable, provisional), strict=True):
            names += [f"{place}.{name}".lstrip(".") for name in re.findall(r"`(\w+)`", cell)]
    for entry in evenfold.infer.methods().values():
        name = f"infer.{entry.function.__name__}"
        if name not in [*stable, *provisional]:
            (stable if entry.recommended else provisional).append(name)
    return stable, provisional


def _method_names() -> set[str]:
    return {entry.function.__name__ for entry in evenfold.infer.methods().values()}


def _public_names() -> Iterator[str]:
    for name in evenfold.__all__:
        thing = getattr(evenfold, name)
        if ismodule(thing):
            yield from (f"{name}.{inner}" for inner in thing.__all__)
        else:
            yield name


def test_every_public_name_is_marked_as_stable_or_provisional() -> None:
    stable, provisional = _marked_names()
    assert sorted([*stable, *provisional]) == sorted(_public_names())


# Keywords that are data, of any type that holds some: arrays, frames, labels.
DATA = {
    "X", "y", "clusters", "features", "fresh", "groups", "judges", "order", "positive", "prompts",
    "sample_weight", "df", "scale", "sides", "weights", "baseline", "n_test", "n_test_b",
}  # fmt: skip


def test_only_data_may_be_of_any_type() -> None:
    """A type that says nothing helps neither an editor nor a type checker."""
    for name in _public_names():
        thing = attrgetter(name)(evenfold)
        if not isfunction(thing):
            continue
        untyped = {
            parameter.name
            for parameter in signature(thing).parameters.values()
            if parameter.annotation is Any and parameter.kind is Parameter.KEYWORD_ONLY
        }
        assert untyped <= DATA, f"{name}: {untyped - DATA}"


@pytest.mark.parametrize("name", ["compare", "judge", "board", "keep", "plan"])
def test_a_signature_fits_on_one_screen(name: str) -> None:
    assert len(str(signature(getattr(evenfold, name)))) <= 1000


def test_every_stable_name_exists() -> None:
    for name in _marked_names()[0]:
        assert attrgetter(name)(evenfold) is not None


def test_what_is_recommended_and_what_extensions_import_is_stable() -> None:
    stable = {*_marked_names()[0]}
    assert {f"extend.{name}" for name in evenfold.extend.__all__} <= stable
    for key, entry in evenfold.infer.methods().items():
        function = "infer." + key.replace("5x2", "five_by_two").replace("-", "_")
        if entry.recommended and hasattr(evenfold.infer, function.removeprefix("infer.")):
            assert function in stable


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import evenfold", (*LOADED_ON_USE, "importlib.metadata")),
        (
            "import evenfold as ef; list(ef.Mx2BCV(3, random_state=0).partition(20))",
            ("sklearn", "pandas", "matplotlib"),
        ),
        ("import evenfold.infer", ("scipy.stats", "scipy.optimize", "scipy.interpolate")),
    ],
    ids=["the door", "a design", "the tests"],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code: str, heavy: tuple[str, ...]) -> None:
    words = f"import sys; {code}; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_tests_load_without_docstrings() -> None:
    subprocess.run([sys.executable, "-OO", "-c", "import evenfold.infer"], check=True)


def test_the_readme_is_typed(tmp_path: Path) -> None:
    """What the front page shows passes a strict type checker, as users' own code would."""
    readme = (PACKAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    pasted = re.findall(r"^```python\n(?!>>>)(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    prompted = doctest.DocTestParser().get_examples(readme.replace("```\n", "\n"))
    assert pasted
    assert prompted
    script = tmp_path / "readme.py"
    script.write_text("".join([*pasted, *(one.source for one in prompted)]), encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(script)]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=PACKAGE.parents[1]
    )
    ours = [line for line in done.stdout.splitlines() if line.startswith(str(script))]
    assert not ours, "\n".join(ours)
    assert done.returncode in (0, 1), done.stderr


# Where a name of another file may stand, and why.
NAMED_ELSEWHERE = {
    "comparison/plan/": "the accuracy of two models, where it is not known how many of their "
    "answers differ",
    "cli/texts.py": "the measure of chunks where none is asked for",
    "read/results/base.py": "what a column of right and wrong answers is about",
    "report/sample.py": "an invented report, for examples and kits",
}
# Where things are, and where their functions are listed for users.
NAMING = ("core/partition.py", "run/measures/", "run/__init__.py", "infer/", "design/")
# Words that a thing is called by and that mean other things as well.
WORDS = {"bootstrap", "clusters", "cost", "log", "path", "reruns", "runs", "seeds", "sources"}


def _said(path: Path) -> Iterator[str]:
    """Yield every string of a module but its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = [
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, described) and node.body and isinstance(node.body[0], ast.Expr)
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs:
            yield node.value


def _names() -> set[str]:
    kinds = {str(kind) for kind in vars(kinds_of_designs).values() if isinstance(kind, Kind)}
    return {*evenfold.infer.methods(), *evenfold.run.measures(), *evenfold.design.designs(), *kinds}


def _is_telling(name: str) -> bool:
    """Whether a name means nothing else, so that it may not stand inside a sentence either."""
    return "-" in name or any(letter.isdigit() for letter in name)


def _named_by(path: Path, names: set[str]) -> set[str]:
    words = [
        word
        for text in _said(path)
        for word in (text, *re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", text))
    ]
    return {word for word in words if word in names and (word not in WORDS or _is_telling(word))}


def test_keys_kinds_and_measures_are_named_in_their_own_files_only() -> None:
    names = _names()
    found = {
        place: said
        for path in PACKAGE.rglob("*.py")
        if not (place := path.relative_to(PACKAGE).as_posix()).startswith(NAMING)
        and (said := _named_by(path, names))
    }
    allowed = tuple(NAMED_ELSEWHERE)
    assert not {place: said for place, said in found.items() if not place.startswith(allowed)}
    unneeded = {one for one in allowed if not any(place.startswith(one) for place in found)}
    assert not unneeded, "no excuse is needed any more"


def test_no_place_imports_private_names_of_another() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(
                "evenfold."
            ):
                continue
            _, other, *rest = (node.module or "").split(".")
            private = [
                name for name in (*rest, *(alias.name for alias in node.names)) if name[0] == "_"
            ]
            assert other == _place(path) or not private, f"{path}: {node.module}, {private}"


def test_no_class_name_stands_for_two_things() -> None:
    places: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path.relative_to(PACKAGE).as_posix())
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_no_module_gives_a_constant_twice() -> None:
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ]
        assert len(names) == len(set(names)), path


def test_every_benchmark_has_a_line_that_says_why_it_exists() -> None:
    benchmarks = Path(__file__).parents[1] / "benchmarks"
    told = (benchmarks / "README.md").read_text(encoding="utf-8")
    assert not [path.stem for path in benchmarks.glob("[!_]*.py") if f"`{path.stem}`" not in told]


# Who asks an estimate for its interval: what infer decides, and what no question is about.
ASKS_FOR_INTERVALS = {
    "comparison/across.py": "the mean over data sets, which is no pair of one data set",
    "comparison/gather.py": "the densities of scores that a figure shows",
    "comparison/judge/api.py": "a value under a stream that may be looked at any time",
    "comparison/judge/parts.py": "the tasks and slices of a table",
    "comparison/reopen.py": "what a file holds is compared with what it was made from",
    "comparison/sizes.py": "the change with the training size",
    "evals/": "ledgers and nights, which have levels of their own",
    "testing/": "the kit, which compares intervals with tests",
}
_INTERVAL = re.compile(r"\.(?:confidence_interval|interval)\(|(?<!_)\blimits\(")


def test_nothing_outside_infer_computes_an_interval_of_a_pair() -> None:
    """Bounds are computed in infer; whoever else asks for one is listed with the reason."""
    asking = set()
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith(("infer/", "core/estimate.py", "run/")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _INTERVAL.search(f"{ast.unparse(node.func)}("):
                asking.add(place)
    assert not {place for place in asking if not place.startswith(tuple(ASKS_FOR_INTERVALS))}
    unneeded = [one for one in ASKS_FOR_INTERVALS if not any(p.startswith(one) for p in asking)]
    assert not unneeded, "no excuse is needed any more"


def test_no_place_but_designs_compares_shapes() -> None:
    """Whoever wants to know what a kind is asks it: ``kind.is_ordered``."""
    asks = re.compile(r"\.shape (?:==|!=) [\"']")
    allowed = (PACKAGE / "core" / "partition.py", PACKAGE / "design", PACKAGE / "testing")
    found = [
        path for path in PACKAGE.rglob("*.py") if asks.search(path.read_text(encoding="utf-8"))
    ]
    assert not [path for path in found if not any(map(path.is_relative_to, allowed))]


@pytest.mark.parametrize("mark", ["faults", "guarantee"])
def test_what_the_suite_leaves_out_has_a_tier_of_its_own(mark: str) -> None:
    root = Path(__file__).parents[1]
    folders = [
        root / "tests" / mark,
        root / "lab" / "tests" / mark,
        root / "papers" / "tests" / mark,
    ]
    files = [path for folder in folders for path in folder.glob("test_*.py")]
    assert files
    for path in files:
        assert f"pytest.mark.{mark}" in path.read_text(encoding="utf-8"), path
    settings = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert f"not {mark}" in settings
    assert f"-m {mark} tests" in (root / "Makefile").read_text(encoding="utf-8")

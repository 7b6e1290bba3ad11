"""
What is published and what publishes it.

Settings by their schemas, links, versions, contents, tiers.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools import dist, matrix

import evenfold

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
LABORATORY: dict[str, Any] = tomllib.loads(
    (ROOT / "lab" / "pyproject.toml").read_text(encoding="utf-8")
)["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
REPOSITORY = "https://github.com/evenfold/evenfold"
SCHEMAS = {  # by the names of check-jsonschema, which bundles them
    "github-workflows": [*WORKFLOWS, ROOT / "examples" / "ci" / "judge.yml"],
    "github-actions": [ROOT / "action.yml"],
    "github-issue-config": [ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"],
    "github-issue-forms": sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("w*.yml")),
    "dependabot": [ROOT / ".github" / "dependabot.yml"],
    "readthedocs": [ROOT / ".readthedocs.yaml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}


def check(schema: str, *paths: Path) -> "subprocess.CompletedProcess[str]":
    # A file such as CITATION.cff does not say by its name that it is YAML.
    words = [sys.executable, "-m", "check_jsonschema", "--default-filetype", "yaml"]
    words += ["--builtin-schema", f"vendor.{schema}", *map(str, paths)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def read(path: Path) -> Any:
    """Read YAML whose key ``on`` is a word."""
    return yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)


def steps(workflow: Path) -> list[dict[str, Any]]:
    return [step for job in read(workflow)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_settings_keep_to_their_schema(schema: str) -> None:
    assert SCHEMAS[schema]
    done = check(schema, *SCHEMAS[schema])
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_mistake_in_a_workflow_is_found(tmp_path: Path) -> None:
    broken = tmp_path / "tests.yml"
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    broken.write_text(text.replace("runs-on:", "run-on:"), encoding="utf-8")
    assert check("github-workflows", broken).returncode == 1


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_targets_of_the_makefile(workflow: Path) -> None:
    commands = "\n".join(step["run"] for step in steps(workflow) if "run" in step)
    targets = set(re.findall(r"\bmake ([a-z]+)", commands))
    assert targets or ".ci/run" in commands
    assert all(re.search(rf"^{target}:", MAKEFILE, re.MULTILINE) for target in targets), targets


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_no_more_than_it_needs(workflow: Path) -> None:
    found = read(workflow)
    assert found["permissions"] == {"contents": "read"}
    for name, job in found["jobs"].items():
        assert "permissions" not in job or (workflow.stem, name) == ("release", "publish")
    # What somebody else chooses, such as the name of a branch, must not become part of a script.
    assert not any("${{" in step.get("run", "") for step in steps(workflow))


def test_every_declared_python_is_tested_on_every_system() -> None:
    jobs = read(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    quick = jobs["quick"]["strategy"]["matrix"]
    whole = jobs["suite"]["strategy"]["matrix"]["include"]
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert quick["python"] == declared == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={declared[0]}"
    assert {system.split("-")[0] for system in quick["os"]} == {"ubuntu", "windows", "macos"}
    # the whole suite with the oldest and the newest Python, on two systems; the rest is quick
    assert [one["python"] for one in whole] == [declared[0], declared[-1]]
    assert len({one["os"] for one in whole}) == 2
    assert quick["exclude"] == whole


def test_a_release_is_tried_before_and_after_and_holds_no_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = read(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    assert jobs["publish"]["needs"] == "dist"
    assert jobs["smoke"]["needs"] == "publish"
    assert jobs["publish"]["permissions"]["id-token"] == "write"
    assert "secrets." not in text
    assert "password" not in text
    used = [step.get("uses", "").split("@")[0] for step in jobs["publish"]["steps"]]
    assert used.index("actions/attest-build-provenance") < used.index("pypa/gh-action-pypi-publish")


def test_hooks_are_complete() -> None:
    hooks = [
        hook for repo in read(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]
    ]
    assert {"style", "workflows", "action"} == {hook["id"] for hook in hooks}
    for hook in hooks:
        assert {"id", "name", "entry", "language"} <= set(hook)
        program, target, *_ = hook["entry"].split()
        if program == "make":  # the version that pyproject.toml names
            assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)
        else:
            assert any(one.startswith(program) for one in hook["additional_dependencies"])


def test_ruff_and_mypy_have_one_version_in_one_place() -> None:
    wanted = [one for extra in PROJECT["optional-dependencies"].values() for one in extra]
    for program in PINNED:
        (own,) = [one for one in wanted if re.match(rf"{program}\b", one)]
        assert re.fullmatch(rf"{program}==[\d.]+", own)
    others = [ROOT / ".pre-commit-config.yaml", *WORKFLOWS]
    for path in others:
        said = path.read_text(encoding="utf-8")
        assert not re.search(rf"({'|'.join(PINNED)})[=<>~]", said), path.name


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_pinned_limited_and_cached(workflow: Path) -> None:
    """Actions are named by the hash of a commit, which nobody can move, with the version beside."""
    text = workflow.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.+)", text)
    assert used
    for one in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", one), one
    for name, job in read(workflow)["jobs"].items():
        assert 0 < int(job["timeout-minutes"]) <= 60, name
    for step in steps(workflow):
        if "setup-python@" in step.get("uses", ""):
            assert step["with"]["cache"] == "pip"
            assert step["with"]["cache-dependency-path"] == "**/pyproject.toml"


def test_one_version_everywhere() -> None:
    version = PROJECT["version"]
    assert {one.version() for one in dist.BOTH} == {version} == {evenfold.__version__}
    assert LABORATORY["dependencies"] == [f"evenfold>={version}"]
    assert read(ROOT / "CITATION.cff")["version"] == version
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(.*?)\]", changelog, re.MULTILINE)[0] == version


def test_who_and_where() -> None:
    assert PROJECT["authors"] == [{"name": "the evenfold developers"}]
    assert (
        PROJECT["urls"]["Homepage"] == REPOSITORY == read(ROOT / "CITATION.cff")["repository-code"]
    )
    assert all(url.startswith("https://") for url in PROJECT["urls"].values())


def test_the_readme_works_on_a_package_index() -> None:
    """Links and pictures are absolute there; those into this repository lead to files of it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(
        r"^\[[^\]]+\]: (\S+)$", text, re.MULTILINE
    )
    assert len(targets) > 10
    for target in targets:
        assert target.startswith("https://"), target
        ours = re.fullmatch(rf"{REPOSITORY}/blob/main/([^#]+)(?:#(.+))?", target)
        ours = ours or re.fullmatch(
            r"https://raw\.githubusercontent\.com/evenfold/evenfold/main/(.+)()", target
        )
        assert ours is not None, target
        assert (ROOT / ours[1]).is_file(), target
        if ours[2]:
            headings = re.findall(r"^#+ (.+)$", (ROOT / ours[1]).read_text("utf-8"), re.MULTILINE)
            assert ours[2] in {one.lower().replace(" ", "-") for one in headings}, target


def test_every_reference_of_the_readme_is_defined_and_used() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    defined = set(re.findall(r"^\[([^\]]+)\]: ", text, re.MULTILINE))
    body = re.sub(
        r"^```.*?^```|^\[[^\]]+\]: .*$|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE
    )
    used = set(re.findall(r"\]\[([^\]]+)\]", body)) | set(
        re.findall(r"(?<!\])\[([^\]]+)\](?![\[(])", body)
    )
    assert used == defined


def test_the_badges_of_the_readme_are_ours() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    workflows = re.findall(rf'src="{REPOSITORY}/actions/workflows/([^/"]+)/badge.svg"', text)
    assert workflows == ["tests.yml"]
    assert all((ROOT / ".github" / "workflows" / name).is_file() for name in workflows)
    assert f'src="https://img.shields.io/pypi/v/{PROJECT["name"]}"' in text
    assert f'href="{PROJECT["urls"]["Documentation"]}"' in text


def test_every_picture_of_the_readme_is_in_the_repository() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    raw = "https://raw.githubusercontent.com/evenfold/evenfold/main/"
    pictures = re.findall(rf'(?:src|srcset)="{raw}([^"]+)"', text)
    assert len(pictures) == 4
    assert all((ROOT / name).is_file() for name in pictures)


def test_the_readme_installs_extras_that_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = {
        one for extras in re.findall(r"evenfold\[([a-z,]+)\]", text) for one in extras.split(",")
    }
    assert {"all", "dask", "postgres", "text"} <= named <= set(PROJECT["optional-dependencies"])
    of_lab = {
        one
        for extras in re.findall(r"evenfold-lab\[([a-z,]+)\]", text)
        for one in extras.split(",")
    }
    assert of_lab == set(LABORATORY["optional-dependencies"])


def test_dependencies_are_as_few_as_the_design_says() -> None:
    plain = {re.split(r"[>\[]", one)[0] for one in PROJECT["dependencies"]}
    light = {"numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "narwhals", "cloudpickle"}
    assert plain == light | {"typer", "rich"}
    extras = PROJECT["optional-dependencies"]
    assert extras["all"] == ["evenfold[report,store,tables]"]
    assert "evenfold[docs,test]" in extras["dev"]
    assert any("evenfold[all" in one for one in extras["test"])


def test_every_extra_that_a_message_names_brings_the_package() -> None:
    from evenfold.core.environment import EXTRAS

    called = {"pycrfsuite": "python-crfsuite", "mlflow": "mlflow-skinny"}  # by their distributions
    for package, extra in EXTRAS.items():
        wanted = [
            re.split(r"[>\[]", one)[0].lower() for one in PROJECT["optional-dependencies"][extra]
        ]
        assert called.get(package, package) in wanted, package


HERE = [one for one in dist.BOTH if (one.folder / "tests").is_dir()]  # an sdist holds its own alone


@pytest.mark.parametrize("one", HERE, ids=lambda one: one.name)
def test_the_quick_tests_are_of_every_part(one: dist.Distribution) -> None:
    marker, name, *files = dist.quick_tests(one.folder)
    assert (marker, name) == ("-m", "quick")
    parts = {Path(file).parts[1] for file in files}
    if one is dist.PRODUCT:
        assert {"comparison", "core", "design", "read", "report", "run", "testing"} <= parts
    else:
        assert {"cli", "populations", "studies"} <= parts


PINNED = ("mypy", "ruff")  # what they complain about changes with every version


def test_every_dependency_has_a_floor() -> None:
    for project in (PROJECT, LABORATORY):
        wanted = [*project["dependencies"]]
        for extra in project["optional-dependencies"].values():
            wanted += [one for one in extra if not one.startswith("evenfold[")]
        pinned = [one.partition("==")[0] for one in wanted if "==" in one]
        assert set(pinned) <= set(PINNED)
        assert not [one for one in wanted if ">=" not in one and "==" not in one]


@pytest.mark.parametrize("one", dist.BOTH, ids=lambda one: one.name)
def test_what_does_not_belong_into_a_wheel_is_named(one: dist.Distribution) -> None:
    wheel = f"the wheel of {one.name}"
    good = [*one.wheel_needs, f"{one.package}-1.0.dist-info/licenses/LICENSE"]
    assert dist.wheel_complaints(one, good) == []
    for foreign in (
        "tests/test_x.py",
        "papers/studies/peers.py",
        "docs/index.md",
        "evenfold_extras/x.py",
    ):
        assert dist.wheel_complaints(one, [*good, foreign]) == [
            f"{wheel} holds {foreign}, which is no part of the package"
        ]
    assert dist.wheel_complaints(one, [*good, f"{one.package}/__pycache__/x.pyc"])
    assert dist.wheel_complaints(one, good[:-1]) == [f"{wheel} lacks the licence"]


@pytest.mark.parametrize("one", HERE, ids=lambda one: one.name)
def test_what_an_sdist_lacks_is_named(one: dist.Distribution) -> None:
    sdist = f"the sdist of {one.name}"
    assert dist.sdist_complaints(one, one.tests_need) == []
    assert dist.sdist_complaints(one, one.tests_need[1:]) == [f"{sdist} lacks {one.tests_need[0]}"]
    assert dist.sdist_complaints(one, [*one.tests_need, "docs/_build/html/index.html"])
    assert all((one.folder / name).exists() for name in one.tests_need)


def test_a_requirement_gets_its_extras() -> None:
    assert dist.product_with("evenfold==1.2", "report") == "evenfold[report]==1.2"
    file = ROOT / "README.md"
    assert dist.product_with(str(file), "a,b") == f"evenfold[a,b] @ {file.as_uri()}"


def test_a_tag_must_name_the_version() -> None:
    dist.refuse_tag("", "1.2.3")
    dist.refuse_tag("v1.2.3", "1.2.3")
    with pytest.raises(SystemExit, match=r"must be v1\.2\.3.* but got v1\.2\.4"):
        dist.refuse_tag("v1.2.4", "1.2.3")


def test_every_interpreter_of_this_machine_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One on the search path, one of pyenv's, one that answers nothing."""
    here = f"3.{sys.version_info.minor}"
    for place, version in (
        ("bin/python3.12", "3.12"),
        (".pyenv/versions/3.13.0/bin/python", "3.13"),
    ):
        program = tmp_path / place
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        program.chmod(0o755)
    broken = tmp_path / "bin" / "python3.14"
    broken.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{Path(sys.executable).parent}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / ".pyenv"))
    found = matrix.interpreters(matrix.declared())
    assert found["3.12"] == tmp_path / "bin" / "python3.12"
    assert found["3.13"].is_relative_to(tmp_path) or here == "3.13"
    assert found.get("3.14") != broken


def test_the_clean_checkout_runs_every_tier() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^make ([a-z]+)$", script, re.MULTILINE) == [
        *("demo", "test", "faults", "docs", "papers", "dist", "lowest"),
    ]


def test_the_readme_names_the_two_commands_that_do_everything_near_its_top() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    for command in ("make demo", "make test"):
        assert any(line.startswith(command) for line in readme[:45]), command
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_make_test_says_at_its_end_what_it_ran() -> None:
    recipe = re.search(r"^test: .*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe is not None
    said = recipe[1]
    assert "make test passed. It ran:" in said
    tiers = set(re.findall(r"make ([a-z]+)", said)) - {"test"}
    assert all(re.search(rf"^{tier}:", MAKEFILE, re.MULTILINE) for tier in tiers)

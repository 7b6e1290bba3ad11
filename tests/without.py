"""Other machines, played on this one: processes that lack packages and attributes."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# Runs before anything else in a process and, because it is found by PYTHONPATH, in its workers,
# too.
_SITE = '''
import importlib, json, os, sys

class Hidden:
    """Says of some packages that they are not there."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in PACKAGES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])

PACKAGES = json.loads(os.environ["HIDDEN_PACKAGES"])
sys.meta_path.insert(0, Hidden())
for name in json.loads(os.environ["HIDDEN_ATTRIBUTES"]):
    module, _, attribute = name.rpartition(".")
    vars(importlib.import_module(module)).pop(attribute, None)
'''


def run_without(
    *words: object,
    folder: Path,
    packages: Sequence[str] = (),
    attributes: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> "subprocess.CompletedProcess[str]":
    """Run ``python *words`` in a folder; process and workers lack packages and attributes."""
    site = folder / ".site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(_SITE, encoding="utf-8")
    before = [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(site), *before]),
        "HIDDEN_PACKAGES": json.dumps(list(packages)),
        "HIDDEN_ATTRIBUTES": json.dumps(list(attributes)),
        **(variables or {}),
    }
    return subprocess.run(
        [sys.executable, *options, *map(str, words)],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )

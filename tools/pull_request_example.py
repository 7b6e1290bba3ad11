"""
Make the recorded files of ``examples/pull-request`` and pictures of the comment that they give.

``python -m tools.pull_request_example`` writes the invented results of both sides and the comment
of ``evenfold pr`` about them, and draws it for a light and for a dark page with headless Chromium.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from markdown_it import MarkdownIt

from evenfold.evals.pr.api import judge_pull_request
from evenfold.evals.pr.comment import write_comment
from tools.photograph import photograph

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "pull-request"
_ROLES = ("AUTHOR", "COMMITTER")
STYLE = """
:root { --page: #ffffff; --text: #1f2328; --line: #d1d9e0 }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --text: #e6edf3; --line: #3d444d } }
body { margin: 0; padding: 20px; background: var(--page); color: var(--text) }
body { font: 14px/1.5 sans-serif }
.comment { border: 1px solid var(--line); border-radius: 6px; padding: 0 16px }
h3 { font-size: 18px; margin: 14px 0 }
table { border-collapse: collapse; display: block; margin-bottom: 14px }
td, th { border: 1px solid var(--line); padding: 5px 10px }
details { margin: 6px 0 }
li { margin: 3px 0 }
"""


def record() -> None:
    """Write the answers and the times of both sides."""
    rng = np.random.default_rng(46)
    right = rng.random(600) < 0.83
    head = right.copy()
    head[rng.choice(np.flatnonzero(~right), 14, replace=False)] = True
    head[rng.choice(np.flatnonzero(right), 9, replace=False)] = False
    for side, answers in (("base", right), ("head", head)):
        rows = [f"q{i:03},{int(is_right)}" for i, is_right in enumerate(answers)]
        text = "\n".join(["example,value", *rows]) + "\n"
        (FOLDER / side / "answers.csv").write_text(text, encoding="utf-8")
    seconds = {"parse": 1.84, "index": 0.92, "search": 0.31}
    _write_times("base", rng, seconds)
    _write_times("head", rng, {"parse": 2.06, "index": 0.92, "search": 0.27})


def _write_times(side: str, rng: np.random.Generator, seconds: Mapping[str, float]) -> None:
    """Write what ``hyperfine --export-json`` would have written."""
    results = []
    for command, centre in seconds.items():
        times = np.round(centre * np.exp(rng.normal(0, 0.012, 12)), 6)
        results.append({"command": command, "mean": float(times.mean()), "times": times.tolist()})
    text = json.dumps({"results": results}, indent=1)
    (FOLDER / side / "times.json").write_text(f"{text}\n", encoding="utf-8")


def _comment_of_commits() -> str:
    """Return the comment where git knows both sides: the head is a commit two days later."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        shutil.copytree(FOLDER, there, dirs_exist_ok=True)
        for date in ("2026-10-05T09:00:00Z", "2026-10-07T16:00:00Z"):
            who = {f"GIT_{role}_{what}": "a@b" for role in _ROLES for what in ("NAME", "EMAIL")}
            when = {f"GIT_{role}_DATE": date for role in _ROLES}
            words = "git init -q && git add -A && git commit -q --allow-empty -m results"
            env = {"PATH": os.environ["PATH"], "HOME": folder, **who, **when}
            subprocess.run(["sh", "-c", words], cwd=there, env=env, check=True)
        facts = judge_pull_request(
            there / "evenfold.toml", base_commit="HEAD~1", head_commit="HEAD"
        )
    return write_comment(facts)


def write() -> None:
    """Write the comment that the recorded files give."""
    comment = write_comment(judge_pull_request(FOLDER / "evenfold.toml"))
    (FOLDER / "comment.md").write_text(f"{comment}\n", encoding="utf-8")


def draw() -> None:
    """Render the comment as a page would show it, with the details of the first check open."""
    comment = _comment_of_commits()
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(comment)
    body = body.replace("<details>", "<details open>", 1)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "comment.html"
        page.write_text(
            f"<meta charset='utf-8'><style>{STYLE}</style><div class='comment'>{body}</div>",
            encoding="utf-8",
        )
        photograph(page, "pull-request", width=980, height=680)


if __name__ == "__main__":
    record()
    write()
    draw()

"""What must not be shown is not shown, anywhere."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from typer.testing import CliRunner

import evenfold as ef
from evenfold.cli import app
from evenfold.core.words import hide_secrets, is_secret, shorten_paths

y = np.tile([0, 1], 20)
X = np.random.default_rng(0).normal(size=(40, 2)) + y[:, None]


class Remote(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Asks somebody who wants a key."""

    def __init__(self, api_key: str = "", *, fails: bool = False) -> None:
        self.api_key = api_key
        self.fails = fails

    def fit(self, X: Any, y: Any) -> "Remote":  # noqa: ARG002  (scikit-learn's signature)
        if self.fails:
            raise RuntimeError(f"no answer for {self!r} from {Path('keys.json').absolute()}")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("fails", [False, True])
def test_reports_hold_no_key_and_no_folder(tmp_path: Path, fails: bool) -> None:
    two = {"bayes": GaussianNB(), "remote": Remote("sk-very-hidden", fails=fails)}
    c = ef.compare(two, X, y, design=ef.KFold(4), random_state=0, store=tmp_path / "runs.db")
    again = ef.reopen(tmp_path / "runs.db", str(c.facts.run_id))
    texts = [str(c), c.to_html(), c.to_json(), again.to_json(), again.to_html(), str(c.facts)]
    for text in texts:
        assert "sk-very-hidden" not in text
        assert str(Path.cwd()) not in text
        assert str(Path(sys.prefix)) not in text
    assert b"sk-very-hidden" not in (tmp_path / "runs.db").read_bytes()
    assert bool(c.facts.failures) == fails


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("f(password='a b', x=1)", "f(password=***, x=1)"),
        ('f(API_KEY="a\\"b", x=1)', "f(API_KEY=***, x=1)"),
        ("{'client-secret': 'abc', 'n': 2}", "{'client-secret': ***, 'n': 2}"),
        ("hf_token=abc123 and more", "hf_token=*** and more"),
        (
            "CountVectorizer(token_pattern='a', max_tokens=3)",
            "CountVectorizer(token_pattern='a', max_tokens=3)",
        ),
        ("{'secret': GaussianNB()}", "{'secret': GaussianNB()}"),
    ],
)
def test_values_of_secret_parameters_are_hidden(text: str, shown: str) -> None:
    assert hide_secrets(text) == shown


def test_names_that_only_look_like_secrets_are_shown() -> None:
    names = (
        "tokens",
        "tokenizer",
        "key",
        "keyword",
        "author",
        "max_tokens",
        "passthrough",
        "token_pattern",
    )
    assert not any(map(is_secret, names))
    assert all(
        map(is_secret, ("token", "auth_token", "apiKey", "api-key", "PASSWORD", "passwd", "db_pwd"))
    )


def test_paths_are_relative() -> None:
    home, here = Path.home(), Path.cwd()
    assert shorten_paths(f'File "{here}/a/b.py", line 3') == 'File "a/b.py", line 3'
    assert (
        shorten_paths('File "/usr/lib/python3/site-packages/sklearn/base.py"')
        == 'File "sklearn/base.py"'
    )
    assert str(home) not in shorten_paths(f"no such file: '{home}/elsewhere/x.csv'")


def test_a_command_is_written_without_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{a},{b}" for a, b in zip(X[:, 0], y, strict=True))
    Path("t.csv").write_text(f"x,y\n{rows}\n")
    words = ["compare", "t.csv", "--target", "y", "--a", "sklearn.naive_bayes:GaussianNB()"]
    words += [
        "--b",
        "sklearn.dummy:DummyClassifier()",
        "--store",
        "memory://me:sk-hidden@host/x?passwd=sk-hidden",
    ]
    done = CliRunner().invoke(app, [*words, "--seed", "0", "--json", "c.json", "--html", "c.html"])
    assert done.exit_code == 0, done.output
    for text in (done.output, Path("c.json").read_text(), Path("c.html").read_text()):
        assert "sk-hidden" not in text

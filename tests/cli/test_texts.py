"""Tagged texts on the command line: files, documents, tag sets, verdicts."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Run, mixed, write_csv

from evenfold.cli import texts
from evenfold.core.errors import InvalidInput

TWO = ("--a", "tokens:IOB2", "--b", "tokens:IOBES", "--seed", 0)


def conll(n: int = 48, per_document: int = 0, seed: int = 0) -> str:
    """Sentences with names, one token per line; a mark before every so many sentences."""
    rng = np.random.default_rng(seed)
    lines: list[str] = []
    for i in range(n):
        if per_document and i % per_document == 0:
            lines += ["-DOCSTART- -X- O", ""]
        name = ["Ada", "Lovelace"] if rng.random() < 0.5 else ["Bob"]
        rows = [("the", "O"), (f"thing{i}", "O"), (str(rng.choice(["saw", "met"])), "O")]
        rows += list(zip(name, ["B-PER", "I-PER"], strict=False))
        lines += [f"{token} X {tag}" for token, tag in rows] + [""]
    return "\n".join(lines)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "names.conll"
    path.write_text(conll(), encoding="utf-8")
    return path


def one_line(done: Any, *parts: str) -> None:
    assert done.exit_code == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for part in parts:
        assert part in done.stderr


def read(
    path: Path, *, form: str | None = None, scheme: str | None = None, **asked: Any
) -> texts.TaggedSentences:
    given = {"target": None, "groups": None, "balance": (), **asked}
    return texts.read_sentences(path, texts.form_of(path, form, scheme=scheme), **given)


def test_two_tag_sets_are_compared_on_chunks(evenfold: Run, text: Path, tmp_path: Path) -> None:
    html = tmp_path / "r.html"
    done = evenfold(
        "compare", text, *TWO, "--measure", "f1", "--scheme", "IOB2", "--json", "-", "--html", html
    )
    assert done.exit_code == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["algorithms"] == ["tokens IOB2", "tokens IOBES"]
    assert facts["measure"] == "f1"
    assert facts["design"]["name"] == "Mx2BCV(m=31, random_state=0, balance='features')"
    assert facts["design"]["certificate"]["chi_square"] < 1
    assert min(min(row) for row in facts["values"]) > 0.8
    assert "--scheme IOB2" in facts["call"]
    assert "tokens IOBES" in html.read_text(encoding="utf-8")


def test_a_crf_by_name(evenfold: Run, text: Path) -> None:
    pytest.importorskip("pycrfsuite")
    done = evenfold(
        "compare",
        text,
        "--a",
        "crf:IOB2",
        "--b",
        'fine=crf:IOBES(c2=0.1, illegal="repair")',
        "--seed",
        0,
    )
    assert done.exit_code == 0, done.stderr
    assert "inconclusive: neither fine nor crf IOB2 is shown to be better;" in done.stdout
    one_line(evenfold("compare", text, "--a", "crf:IOB2(c3=1)"), "CRFTagger has no argument 'c3'")


def test_a_crf_without_its_library(
    evenfold: Run, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pycrfsuite", None)
    one_line(evenfold("compare", text, "--a", "crf:IOB2"), 'pip install "evenfold[text]"')


def test_own_taggers_get_sentences(
    evenfold: Run, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(text.parent)
    (text.parent / "capitals.py").write_text(
        "from sklearn.base import BaseEstimator\n"
        "class Capitals(BaseEstimator):\n"
        "    def fit(self, X, y): return self\n"
        "    def predict(self, X):\n"
        "        return [['B-PER' if w[0].isupper() else 'O' for w in s] for s in X]\n"
    )
    done = evenfold("compare", text, "--a", "capitals:Capitals", "--b", "tokens:IOB2", "--seed", 0)
    assert done.exit_code == 0, done.stderr
    assert "tokens IOB2 is better than Capitals" in done.stdout


def test_documents_stay_whole(evenfold: Run, tmp_path: Path) -> None:
    path = tmp_path / "news.iob"
    path.write_text(conll(per_document=3), encoding="utf-8")
    assert read(path).groups is not None
    done = evenfold("compare", path, *TWO, "--json", "-")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["design"]["name"].endswith("balance=('groups', 'features'))")
    alike = evenfold("compare", path, *TWO, "--balance", "none", "--json", "-")
    assert json.loads(alike.stdout)["design"]["name"].endswith("balance='groups')")
    one_line(
        evenfold("compare", path, *TWO, "--design", "mx2-bcv:3"),
        "would divide the documents of the file",
    )
    cut = evenfold(
        "compare", path, *TWO, "--design", "mx2-bcv:3", "--groups", "none", "--json", "-"
    )
    assert json.loads(cut.stdout)["design"]["name"] == "Mx2BCV(m=3, random_state=0)"


def test_columns_comments_and_line_ends(tmp_path: Path) -> None:
    rows = "# newdoc id = a\r\n# text = Ada sang\r\nAda\tB-PER\tNNP\r\nsang\tO\tVBD\r\n\r\n"
    rows += "# newdoc\r\n# 5\tO\tX\r\n"
    path = tmp_path / "t.bio.gz"
    path.write_bytes(gzip.compress((rows + "#1\tO\tX\n").encode()))
    found = read(path, target="2")
    assert (found.X, found.y) == ([["Ada", "sang"], ["#1"]], [["B-PER", "O"], ["O"]])
    assert found.groups is not None
    assert found.groups.tolist() == [1, 2]


def test_lines_of_words_become_characters(evenfold: Run, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("看似  简单  ,\n\n他们  是\n", encoding="utf-8")
    found = read(path, form="words")
    assert ["".join(sentence) for sentence in found.X] == ["看似简单,", "他们是"]
    assert found.y == [["B", "E", "B", "E", "S"], ["B", "E", "S"]]
    assert read(path, form="words", scheme="IOB2").y[0] == ["B", "I", "B", "I", "B"]
    rng = np.random.default_rng(0)
    lines = (" ".join(rng.choice(["天气", "好", "不", "今天天气"], size=8)) for _ in range(40))
    path.write_text("\n".join(lines), encoding="utf-8")
    words = (
        "--format",
        "words",
        "--a",
        "tokens:BMES",
        "--b",
        "tokens:BB2B3MES",
        "--seed",
        0,
        "--json",
        "-",
    )
    done = evenfold("compare", path, *words)
    assert done.exit_code == 0, done.stderr
    assert min(json.loads(done.stdout)["values"][0]) > 0.7


def test_what_is_balanced(text: Path) -> None:
    levels = {name: read(text, balance=[name]).features for name in ("tags", "words", "length")}
    assert all(found is not None for found in levels.values())
    assert read(text, balance=["none"]).features is None
    every = read(text).features
    assert every is not None
    assert every.shape[1] == sum(found.shape[1] for found in levels.values() if found is not None)


def test_copies_are_pointed_out(evenfold: Run, tmp_path: Path) -> None:
    path = tmp_path / "twice.conll"
    path.write_text(conll(24) + "\n" + conll(24), encoding="utf-8")
    assert "24 sentences are copies of others" in evenfold("compare", path, *TWO).stderr


@pytest.mark.parametrize(
    ("content", "words", "parts"),
    [
        ("Ada I-PER\nsang O\n", (), ("bad.conll must be legal in IOB2", "'I-PER' after nothing")),
        ("Ada B-PER\nsang\n", (), ("has a token without a tag: 'sang'",)),
        ("\n\n", (), ("has no sentences",)),
        ("Ada Q-PER\n", (), ("a tag of IOB2",)),
        ("Ada B-PER\n", ("--target", "5"), ("the number of a column, from 2 to 2",)),
        ("Ada B-PER\n", ("--target", "ner"), ("the number of the column with the tag",)),
        ("Ada B-PER\n", ("--groups", "documents"), ("marks no documents",)),
        ("Ada B-PER\n", ("--balance", "tag"), ("--balance must be one of",)),
        ("Ada B-PER\n", ("--balance", "none", "--balance", "tags"), ("none, or some of tags",)),
        ("Ada B-PER\n", ("--scale",), ("--scale is for tables",)),
        ("Ada B-PER\n", ("--positive", "PER"), ("--positive is for tables",)),
        ("Ada B-PER\n", ("--scheme", "BIO"), ("--scheme must be one of",)),
        (
            "Ada B-PER\n",
            ("--format", "conllu"),
            ("--format must be one of", "Did you mean 'conll'"),
        ),
        ("Ada B-PER\n", ("--format", "table"), ("A table needs --target",)),
        (
            "a,B\n1,2\n",
            ("--format", "table", "--target", "B"),
            ("tokens:IOB2 reads tagged texts",),
        ),
    ],
)
def test_mistakes_are_answered_in_one_line(
    evenfold: Run, tmp_path: Path, content: str, words: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    path = tmp_path / "bad.conll"
    path.write_text(content, encoding="utf-8")
    one_line(evenfold("compare", path, *TWO, *words), *parts)


def test_files_that_cannot_be_read(evenfold: Run, tmp_path: Path) -> None:
    one_line(evenfold("compare", tmp_path / "none.conll", *TWO), "there is no file")
    path = tmp_path / "latin.conll"
    path.write_bytes("Zürich B-LOC\n".encode("latin-1"))
    one_line(evenfold("compare", path, *TWO), "latin.conll is not UTF-8 text")
    with pytest.raises(InvalidInput, match=r"data must be a file, but .* is a folder\."):
        read(tmp_path, form="conll")


def test_columns_of_a_table_are_balanced_too(evenfold: Run, tmp_path: Path) -> None:
    columns = mixed()
    columns["city"] = [city or "Bern" for city in columns["city"]]
    path = write_csv(tmp_path / "t.csv", columns)
    two = (
        "--target",
        "label",
        "--a",
        "sklearn.dummy:DummyClassifier",
        "--b",
        "sklearn.naive_bayes:GaussianNB",
    )
    call = (
        "compare",
        path,
        *two,
        "--seed",
        0,
        "--json",
        "-",
        "--balance",
        "city",
        "--balance",
        "x",
    )
    done = evenfold(*call)
    assert done.exit_code == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["design"]["name"].endswith("balance=('labels', 'features'))")
    assert facts["design"]["certificate"]["chi_square"] < 0.5
    assert "--balance city --balance x" in facts["call"]
    also = json.loads(evenfold(*call, "--design", "mx2-bcv:3:features").stdout)
    assert also["design"]["name"] == "Mx2BCV(m=3, random_state=0, balance='features')"
    one_line(evenfold(*call, "--design", "mx2-bcv:3:labels"), "Pass balance='features'")
    one_line(evenfold("compare", path, *two, "--balance", "town"), "There is no column 'town'")
    one_line(
        evenfold("compare", path, *two, "--scheme", "IOB2"),
        "--scheme IOB2 is for tagged texts",
    )

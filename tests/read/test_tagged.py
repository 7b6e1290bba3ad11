"""Tagged texts from files."""

import gzip
from pathlib import Path

import pytest

from evenfold.core.errors import InvalidInput
from evenfold.read import read_conll, read_words


def test_documents_are_numbered_where_they_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "t.conll"
    path.write_text("-DOCSTART- O\n\na O\n\nb O\n\n# newdoc\nc O\n", encoding="utf-8")
    text = read_conll(path)
    assert text.X == [["a"], ["b"], ["c"]]
    assert text.documents is not None
    assert text.documents.tolist() == [1, 1, 2]


def test_the_tag_may_be_in_any_column_but_the_first(tmp_path: Path) -> None:
    path = tmp_path / "t.conll.gz"
    path.write_bytes(gzip.compress(b"Ada NNP B-PER\nslept VBD O\n"))
    assert read_conll(path).y == [["B-PER", "O"]]
    assert read_conll(path, column=2).y == [["NNP", "VBD"]]
    for column, message in (
        (1, "column must be an integer ≥ 2"),
        (4, "a column, from 2 to 3, but got 4"),
    ):
        with pytest.raises(InvalidInput, match=message):
            read_conll(path, column=column)


def test_files_without_sentences_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("\n \n", encoding="utf-8")
    for read in (read_conll, read_words):
        with pytest.raises(InvalidInput, match=r"t\.txt has no sentences"):
            read(path)
        with pytest.raises(InvalidInput, match="there is no file"):
            read(tmp_path / "none.txt")

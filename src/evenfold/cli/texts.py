"""
Tagged texts on the command line, made ready to be compared on; and taggers that need no code.

Units are sentences. If a file marks documents, they are kept whole, because the sentences of one
document repeat its names, so that the other half of a document is not new text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.cli.output import say
from evenfold.core.checks import one_of, refuse, refuse_value
from evenfold.core.tags import SCHEMES, require_legal, write
from evenfold.design import Design, Mx2BCV, text_features
from evenfold.read import estimators, read_conll, read_words

FORMATS = ("table", "conll", "words")
BALANCES = ("tags", "words", "length", "none")
OPTIONS = ("target", "groups", "balance")  # the options about rows that apply to tagged texts
TAGGERS = {"crf": "CRFTagger", "tokens": "TokenTagger"}

_SUFFIXES = (".conll", ".iob", ".iob2", ".bio", ".bmes")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TaggedSentences:
    """
    Sentences (words, or characters of segmented text) and their tags.

    ``groups`` are the documents if they are kept whole. ``features`` are the counts that a design
    balances.
    """

    X: list[list[str]]
    y: list[list[str]]
    groups: NDArray[np.int64] | None
    features: NDArray[np.int64] | None
    weights: None = None
    order: None = None

    def prepared(self, estimator: Any) -> Any:
        """Return the estimator unchanged, because sentences need no preparation."""
        return estimator


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Form:
    """
    What a file holds: a table, columns of tokens and tags, or lines of words.

    ``name`` is "table", "conll" or "words", and ``scheme`` is the scheme of its tags.
    """

    name: str
    scheme: str

    @property
    def is_table(self) -> bool:
        return self.name == "table"

    @property
    def measure(self) -> str | None:
        """The measure if the user names none: F1 of a text, and the default of a table."""
        return None if self.is_table else "f1"

    def parse(self, text: str, option: str) -> estimators.Spec:
        """Read an algorithm. A tagger of evenfold is named by the tag set that it is trained on."""
        spec = estimators.parse(text, option)
        if not self.is_table and _is_built_in(spec) and spec.name is None:
            return replace(spec, name=f"{spec.module} {spec.written}")
        return spec

    def make(self, spec: estimators.Spec, *, trusted: Sequence[str]) -> Any:
        """Make an estimator. A tagger of evenfold is scored on the tag set of the file."""
        if not _is_built_in(spec):
            return estimators.load_estimator(spec, trusted, say)
        if self.is_table:
            tagger = f"{spec.module}:{spec.path}"
            refuse(
                None,
                f"{tagger} reads tagged texts, and the data are a table.",
                "Use --format conll.",
            )
        from evenfold.text import TagScheme
        from evenfold.text.taggers import require_crfsuite

        if spec.module == "crf":
            require_crfsuite()
        tokens = "characters" if self.name == "words" else "words"
        arguments = {"features": tokens, **spec.arguments}
        reading = {name: arguments.pop(name) for name in ("illegal",) if name in arguments}
        ours = replace(spec, module="evenfold.text", path=TAGGERS[spec.module], arguments=arguments)
        return TagScheme(estimators.load_estimator(ours), spec.path, scored=self.scheme, **reading)


def _is_built_in(spec: estimators.Spec) -> bool:
    return spec.module in TAGGERS and spec.path in SCHEMES


def form_of(
    path: Path, chosen: str | None = None, *, scheme: str | None = None, target: str | None = None
) -> Form:
    """
    Return the form of a file: as asked for, else by its ending.

    Examples
    --------
    >>> form = form_of(Path("tweets.conll.gz"))
    >>> form.name, form.scheme, form.parse("crf:IOBES(c2=0.1)", "--a").name
    ('conll', 'IOB2', 'crf IOBES(c2=0.1)')
    """
    name = "table"
    if chosen is not None:
        name = one_of("--format", chosen, FORMATS)
    elif path.name.lower().removesuffix(".gz").endswith(_SUFFIXES):
        name = "conll"
    if name == "table":
        if scheme is not None:
            remedy = "Use --format conll or --format words."
            refuse(
                None, f"--scheme {scheme} is for tagged texts, and the data are a table.", remedy
            )
        if target is None:
            remedy = "For a tagged text use --format conll."
            refuse(None, "A table needs --target, the column to predict.", remedy)
    if scheme is None:
        scheme = "BMES" if name == "words" else "IOB2"
    return Form(name=name, scheme=one_of("--scheme", scheme, SCHEMES))


def read_sentences(
    path: Path,
    form: Form,
    *,
    target: str | None = None,
    groups: str | None = None,
    balance: Sequence[str] = (),
) -> TaggedSentences:
    """
    Read a tagged text, or say in one line what is wrong with it.

    Parameters
    ----------
    path : Path
        Plain or gzipped UTF-8 text.
    form : Form
        ``conll``: one token per line with its tag in another column, and an empty line after each
        sentence. ``words``: one sentence per line with white space between words, which a tagger
        must find from the characters.
    target : str, optional
        Number of the column with the tag, from 1; the last one by default.
    groups : {"documents", "none"}, optional
        Whether documents are kept whole. By default they are if the file marks them.
    balance : sequence of {"tags", "words", "length", "none"}
        What is balanced between the halves. By default everything is.
    """
    if form.name == "words":
        X, y = _characters(read_words(path), form.scheme)
        documents = None
    else:
        text = read_conll(path, column=None if target is None else _column_number(target))
        X = text.X
        y = text.y
        documents = text.documents
    require_legal(y, form.scheme, name=path.name)
    _warn_of_copies(X)
    return TaggedSentences(
        X=X, y=y, groups=_documents(documents, groups), features=_features(X, y, balance)
    )


def _characters(sentences: list[list[str]], scheme: str) -> tuple[list[list[str]], list[list[str]]]:
    """Turn words into characters, and the borders of words into tags."""
    X = []
    y = []
    for words in sentences:
        ends = np.cumsum([len(word) for word in words]).tolist()
        spans = [("_", end - len(word), end) for word, end in zip(words, ends, strict=True)]
        X.append(list("".join(words)))
        y.append(write(spans, ends[-1], scheme))
    return X, y


def _column_number(target: str) -> int:
    if not target.isdigit() or int(target) < 2:
        rule = "the number of the column with the tag, at least 2,"
        refuse_value("--target of a tagged text", target, rule)
    return int(target)


def _documents(documents: NDArray[np.int64] | None, groups: str | None) -> NDArray[np.int64] | None:
    if groups is not None:
        one_of("--groups", groups, ("documents", "none"))
    if groups == "documents" and documents is None:
        remedy = "Use --groups none."
        refuse(None, "The file marks no documents by -DOCSTART- or # newdoc.", remedy)
    return None if groups == "none" else documents


def _features(
    X: list[list[str]], y: list[list[str]], balance: Sequence[str]
) -> NDArray[np.int64] | None:
    chosen = {one_of("--balance", name, BALANCES) for name in balance} or set(BALANCES) - {"none"}
    if chosen == {"none"}:
        return None
    if "none" in chosen:
        refuse(
            None,
            "--balance must be none, or some of tags, words and length, but got "
            f"{' and '.join(sorted(chosen))}.",
        )
    return text_features(
        X,
        y if "tags" in chosen else None,
        words=50 if "words" in chosen else 0,
        lengths=5 if "length" in chosen else 0,
    )


def _warn_of_copies(X: Sequence[Sequence[str]]) -> None:
    copies = len(X) - len({tuple(sentence) for sentence in X})
    if not copies:
        return
    what = f"{copies} sentences are copies of others"
    if copies == 1:
        what = "a sentence is a copy of another"
    say(f"warning: {what}; where one trains and the other is tested, memory looks like skill")


def design_for(text: TaggedSentences, design: Design | None, *, seed: int) -> Design | None:
    """Return a design that keeps documents whole if the text has any."""
    if text.groups is None:
        return design
    if design is None:
        balance = "groups" if text.features is None else ("groups", "features")
        return Mx2BCV(3, balance=balance, random_state=seed)
    if not design.uses_groups_now:
        remedy = f"Write {Mx2BCV.kind}:3:groups+features, or use --groups none."
        refuse(None, f"--design {design!r} would divide the documents of the file.", remedy)
    return design

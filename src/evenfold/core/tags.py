"""
Tag schemes: how a sequence of tags marks chunks. Tags are read, written and translated.

A chunk is (type, start, end), end exclusive. A scheme says which neighbours start, continue or end
a chunk. Sequences that break these rules can be read in two ways, as scorers do: with *drop*, tags
out of place make no chunk (``seqeval`` in its strict mode); with *repair*, a chunk goes on until an
``O``, a new type or a new beginning (``conlleval``, and ``seqeval`` in its default mode). Tags are
written ``B-PER``, or ``PER-B`` if ``:suffix`` follows the name of the scheme.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

from evenfold.core.checks import one_of, refuse, refuse_value

Tags = Sequence[str]
Chunk = tuple[str, int, int]
_Mark = tuple[str, str]  # prefix, type; a prefix is one letter, whatever it is written as
_Step = tuple[str, str, bool]  # prefix before, prefix now, same type

READINGS = ("drop", "repair")
OUTSIDE: _Mark = ("O", "_")


@dataclass(frozen=True, slots=True)
class _Scheme:
    prefixes: str
    starts: frozenset[_Step]
    continues: frozenset[_Step]
    ends: frozenset[_Step]
    # from a chunk's length, and whether a chunk of its type touches it before and behind
    write: Callable[[int, bool, bool], str]
    spelling: tuple[tuple[str, str], ...] = ()  # prefixes that are written in another way
    suffix: bool = False

    @property
    def written(self) -> dict[str, str]:
        """How every prefix is written, the longest first."""
        spelled = {prefix: dict(self.spelling).get(prefix, prefix) for prefix in self.prefixes}
        return dict(sorted(spelled.items(), key=lambda pair: -len(pair[1])))


def _steps(patterns: str, prefixes: str) -> frozenset[_Step]:
    """Expand patterns: ``BI=`` (same type), ``II!`` (another type), ``.B*`` (after any prefix)."""
    steps: set[_Step] = set()
    for pattern in patterns.split():
        before, now, types = tuple(pattern)
        sames = {"=": (True,), "!": (False,), "*": (True, False)}[types]
        firsts = prefixes if before == "." else before
        seconds = prefixes if now == "." else now
        steps.update(product(firsts, seconds, sames))
    return frozenset(steps)


def _scheme(
    prefixes: str,
    starts: str,
    continues: str,
    ends: str,
    write: Callable[[int, bool, bool], str],
    **spelling: str,
) -> _Scheme:
    first, more, last = (_steps(patterns, prefixes) for patterns in (starts, continues, ends))
    return _Scheme(
        prefixes, first, more, last, write, tuple((p.strip("_"), s) for p, s in spelling.items())
    )


def _write_marked_chunk(first: str, inside: str, length: int) -> str:
    """Write a chunk whose end is marked; ``first`` are the prefixes of its first tokens."""
    if length == 1:
        return "S"
    return (first + inside * length)[: length - 1] + "E"


_FINE = ".B* .S*", "BI= BE= II= IE=", "S.* E.*"
_PLAIN = {
    "IOB1": _scheme(
        "IOB", "OI* II! BI* IB= BB=", "BI= II=", "II! IO* IB* BO* BI! BB=",
        lambda length, before, _: ("B" if before else "I") + "I" * (length - 1),
    ),
    "IOB2": _scheme(
        "IOB", ".B*", "BI= II=", "IO* II! IB* BO* BI! BB*", lambda length,
        *_: "B" + "I" * (length - 1)
    ),
    "IOE1": _scheme(  # E stands only where a chunk of the same type follows at once
        "IOE", "OI* OE* II! IE! EI= EE=", "II= IE=", "II! IO* IE! EI= EE=",
        lambda length, _, behind: "I" * (length - 1) + ("E" if behind else "I"),
    ),
    "IOE2": _scheme(
        "IOE", "OI* OE* II! IE! EI* EE*", "II= IE=", "E.*", lambda length,
        *_: "I" * (length - 1) + "E"
    ),
    "IOBES": _scheme("IOBES", *_FINE, lambda length, *_: _write_marked_chunk("B", "I", length)),
    "BILOU": _scheme("IOBES", *_FINE, lambda length, *_: _write_marked_chunk("B", "I", length),
                     E="L", S="U"),
    "BMES": _scheme(
        "BMESO", ".B* .S*", "BM= BE= MM= ME=", "S.* E.*", lambda length,
        *_: _write_marked_chunk("B", "M", length)
    ),
    "BB2B3MES": _scheme(
        "B23MESO", ".B* .S*", "B2= BE= 23= 2E= 3M= 3E= MM= ME=", "S.* E.*",
        lambda length, *_: _write_marked_chunk("B23", "M", length), _2="B2", _3="B3",
    ),
}  # fmt: skip
_SCHEMES = _PLAIN | {
    f"{name}:suffix": replace(rules, suffix=True) for name, rules in _PLAIN.items()
}
SCHEMES = tuple(_SCHEMES)


def chunks(tags: Tags, scheme: str, illegal: str = "drop") -> Iterator[Chunk]:
    """Yield (type, start, end) of every chunk of one sequence; end is exclusive."""
    marks = [*(_parse(str(tag), scheme) for tag in tags), OUTSIDE]
    if illegal == "drop":
        return _legal_chunks(marks, _SCHEMES[scheme])
    return _repaired_chunks(marks)


def _legal_chunks(marks: list[_Mark], rules: _Scheme) -> Iterator[Chunk]:
    before = OUTSIDE
    i = 0
    while i < len(marks):
        if _step(before, marks[i]) in rules.starts:
            end = i + 1
            while _step(marks[end - 1], marks[end]) in rules.continues:
                end += 1
            if _step(marks[end - 1], marks[end]) in rules.ends:
                yield marks[i][1], i, end
            i = end
        else:
            i += 1
        before = marks[i - 1]


def _repaired_chunks(marks: list[_Mark]) -> Iterator[Chunk]:
    """Cut as conlleval does: a chunk is a run of tags without an O, new type, beginning or end."""
    start = 0
    before = OUTSIDE
    for i, now in enumerate(marks):
        cut = now[0] in "OBS" or before[0] in "OES" or now[1] != before[1]
        if cut and before[0] != "O":
            yield before[1], start, i
        if cut:
            start = i
        before = now


def _step(before: _Mark, now: _Mark) -> _Step:
    return before[0], now[0], before[1] == now[1]


@cache
def _parse(tag: str, scheme: str) -> _Mark:
    """Split ``B-PER`` into ``("B", "PER")``; a tag without a type has the type ``_``."""
    rules = _SCHEMES[scheme]
    for prefix, letters in rules.written.items():
        if rules.suffix and tag.endswith(letters):
            return prefix, tag[: -len(letters)].strip("-") or "_"
        if not rules.suffix and tag.startswith(letters):
            return prefix, tag[len(letters) :].strip("-") or "_"
    end = "ending in" if rules.suffix else "beginning with"
    known = ", ".join(dict(rules.spelling).get(p, p) for p in rules.prefixes)
    refuse_value("tag", tag, f"a tag of {scheme} ({end} one of {known})")


def write(chunks: Iterable[Chunk], length: int, scheme: str) -> list[str]:
    """Return the tags of a sequence of ``length`` tokens that has these chunks."""
    tags = ["O"] * length
    rules = _SCHEMES[scheme]
    chunks = list(chunks)
    kinds_from = {start: kind for kind, start, _ in chunks}
    kinds_to = {end: kind for kind, _, end in chunks}
    for kind, start, end in chunks:  # some schemes mark only borders between chunks of one type
        prefixes = rules.write(
            end - start, kinds_to.get(start) == kind, kinds_from.get(end) == kind
        )
        tags[start:end] = [_write_tag(rules, prefix, kind) for prefix in prefixes]
    return tags


def _write_tag(rules: _Scheme, prefix: str, kind: str) -> str:
    letters = rules.written[prefix]
    if kind == "_":
        return letters
    if rules.suffix:
        return f"{kind}-{letters}"
    return f"{letters}-{kind}"


def first_illegal(tags: Tags, scheme: str) -> int | None:
    """Return the position of the first tag that breaks the scheme, or None if all are legal."""
    legal = write(chunks(tags, scheme), len(tags), scheme)
    for i, (tag, legal_tag) in enumerate(zip(tags, legal, strict=True)):
        if _parse(str(tag), scheme) != _parse(legal_tag, scheme):
            return i
    return None


def require_legal(sequences: Sequence[Tags], scheme: str, *, name: str = "tags") -> None:
    """Refuse tags that break the scheme, because a strict scorer would lose their chunks."""
    for position, tags in enumerate(sequences):
        place = first_illegal(tags, scheme)
        if place is not None:
            before = repr(str(tags[place - 1])) if place else "nothing"
            illegal = f"{str(tags[place])!r} after {before} (token {place} of sequence {position})"
            refuse(
                name,
                f"{name} must be legal in {scheme} but got {illegal}.",
                "Pass another scheme=, or repair the tags with "
                "ef.text.convert_tags(…, illegal='repair').",
            )


def convert_tags(
    tags: Sequence[Tags], source: str, target: str, *, illegal: str = "refuse"
) -> list[list[str]]:
    """
    Translate tag sequences from one scheme into another with the same chunks.

    Parameters
    ----------
    tags : sequences of tag sequences
        One sequence of tags per sentence.
    source, target : {"IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU", "BMES", "BB2B3MES"}
        The scheme of the tags, and the scheme of the result. ``"IOB2:suffix"`` is for tags such as
        ``PER-B``. ``BB2B3MES`` distinguishes the second and the third token of a chunk, as taggers
        for word segmentation do.
    illegal : {"refuse", "drop", "repair"}
        What to do with tags that break their scheme: refuse them, treat them as outside of any
        chunk (as ``seqeval`` does in its strict mode), or let a chunk begin and end where conlleval
        (and ``seqeval`` in its default mode) would.

    Returns
    -------
    list of list of str
        Legal tags. To repair tags, convert them from a scheme into the same scheme.

    Examples
    --------
    >>> convert_tags([["B-PER", "I-PER", "O", "B-LOC"]], "IOB2", "IOBES")
    [['B-PER', 'E-PER', 'O', 'S-LOC']]
    >>> convert_tags([["PER-B", "PER-I", "O", "LOC-B"]], "IOB2:suffix", "BILOU")
    [['B-PER', 'L-PER', 'O', 'U-LOC']]
    >>> convert_tags([["B", "M", "M", "M", "E", "S"]], "BMES", "BB2B3MES")
    [['B', 'B2', 'B3', 'M', 'E', 'S']]
    >>> convert_tags([["I-PER", "I-PER", "O"]], "IOB2", "IOB2", illegal="repair")
    [['B-PER', 'I-PER', 'O']]
    """
    one_of("source", source, SCHEMES)
    one_of("target", target, SCHEMES)
    one_of("illegal", illegal, ("refuse", *READINGS))
    _require_sequences(tags)
    if illegal == "refuse":
        require_legal(tags, source)
        illegal = "drop"
    return [write(chunks(sentence, source, illegal), len(sentence), target) for sentence in tags]


def _require_sequences(tags: Any) -> None:
    """Refuse anything but lists of lists of tags, because a text is a sequence of letters, too."""
    odd = [] if _is_sequence(tags) else [tags]
    odd = odd or [sequence for sequence in tags if not _is_sequence(sequence)]
    odd = odd or [tag for sequence in tags for tag in sequence if not isinstance(tag, str)]
    if odd:
        rule = "sequences of tags, one for each sentence"
        refuse_value("tags", odd[0], rule)


def _is_sequence(values: Any) -> bool:
    return (
        hasattr(values, "__len__")
        and hasattr(values, "__getitem__")
        and not isinstance(values, (str, bytes, Mapping))
    )

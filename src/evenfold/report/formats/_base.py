"""The class of formats, and the registry of all formats."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from evenfold.core.checks import refuse_value
from evenfold.core.environment import require
from evenfold.core.errors import NotApplicable
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.board import BoardFacts
from evenfold.core.facts.comparison import Facts
from evenfold.core.registry import Registry

Writer = TypeVar("Writer", bound=Callable[..., Any])

_ANSWERS: dict[type, str] = {
    Facts: "a comparison",
    AcrossFacts: "an answer over data sets",
    BoardFacts: "a leaderboard",
}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Format:
    """
    One form that facts can be written in.

    ``key`` is its name in code and on the command line. The names of its files end in ``suffix``,
    which is empty if the form is not a text. ``writers`` has a function for each kind of facts, and
    ``needs`` the packages that they import.
    """

    key: str
    suffix: str
    writers: dict[type, Callable[..., Any]] = field(default_factory=dict)
    needs: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse the form if a package that it needs is not installed."""
        for package in self.needs:
            require(package, f"format {self.key!r}")

    def write(self, facts: Facts | AcrossFacts | BoardFacts, **options: Any) -> Any:
        """Write facts in this form: a text, or the object that the form is made of."""
        self.check()
        if type(facts) not in self.writers:
            FORMATS.load()  # another package may have a writer of these facts
        writer = self.writers.get(type(facts))
        if writer is None:
            raise NotApplicable(
                f"Format {self.key!r} cannot write {_ANSWERS.get(type(facts), 'this')}."
            )
        return writer(facts, **options)


FORMATS: Registry[Format] = Registry("format", "evenfold.formats")


def formats() -> Mapping[str, Format]:
    """
    All formats by key, those of other packages included.

    Examples
    --------
    >>> from evenfold.report import formats
    >>> formats()["latex"].suffix, {"frame", "html", "json", "markdown", "text"} <= set(formats())
    ('.tex', True)
    """
    return FORMATS


def format(  # noqa: A001  (as users say it)
    key: str, *, suffix: str = "", of: type = Facts, needs: Sequence[str] = ()
) -> Callable[[Writer], Writer]:
    """
    Register a function that writes facts in a new form.

    Parameters
    ----------
    key : str
        The name of the format in code and on the command line.
    suffix : str
        How names of its files end, with the dot; empty if the form is not a text.
    of : type
        ``Facts`` of a comparison, ``AcrossFacts`` of an answer over data sets, ``BoardFacts`` of a
        leaderboard.
    needs : sequence of str
        Optional packages that the form needs, by the names under which they are imported.

    Returns
    -------
    decorator
        Of a function ``(facts) -> str``. Without a suffix the function may return any object.

    Notes
    -----
    *Validity.* A format writes what the facts say and computes nothing, so that two formats of one
    answer never differ. ``evenfold.testing.check_format`` checks this.

    Examples
    --------
    >>> import evenfold as ef
    >>> @ef.report.format("shout", suffix=".txt")
    ... def shout(facts):
    ...     return " ".join(pair.sentence.upper() for pair in facts.pairs)
    >>> from evenfold.report.sample import sample
    >>> ef.report.formats()["shout"].write(sample())[:14]
    'FOREST IS BETT'
    """
    if of not in _ANSWERS:
        refuse_value("of", of, "Facts, AcrossFacts or BoardFacts")

    def register(writer: Writer) -> Writer:
        if FORMATS.present(key) is None:
            FORMATS.add(key, Format(key=key, suffix=suffix, needs=tuple(needs)))
        known = FORMATS[key]
        if of in known.writers:
            refuse_value("format", key, "called by a name that is not taken", "Choose another.")
        known.writers[of] = writer
        return writer

    return register

"""The contract of a format."""

from collections.abc import Iterator
from dataclasses import replace
from math import nan
from typing import Any

from evenfold.core.facts.answers import AtSize, Pair, Sizes
from evenfold.core.facts.comparison import Facts
from evenfold.core.losses import Failure
from evenfold.core.note import as_notes
from evenfold.report import Format, formats
from evenfold.report.sample import sample
from evenfold.testing import contract, find_registered, require, works

_HOSTILE = "<b>&\"'\\{}$%_#\n决策树\u202e"


def check_format(key: str) -> None:
    """
    Check that a format keeps the rules that the command line and readers rely on.

    Parameters
    ----------
    key : str
        The key of a registered format.

    Raises
    ------
    BrokenContract
        With the rule that is broken.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.testing.check_format("markdown")
    """
    with contract(f"format {key!r}"):
        form = find_registered(formats(), key)
        require(form.key == key, "it knows its key")
        require(form.suffix == "" or form.suffix.startswith("."), "its suffix begins with a dot")
        for name, facts in _answers():
            _check(form, name, facts)


def _with_a_third(facts: Facts) -> Facts:
    """Return the facts with a third algorithm, which has the values of the second and is worse."""
    worse = replace(facts.pairs[0], challenger="boosting", outcome="worse")
    return replace(
        facts,
        algorithms=(*facts.algorithms, worse.challenger),
        values=(*facts.values, facts.values[1]),
        fit_seconds=(*facts.fit_seconds, facts.fit_seconds[1]),
        pairs=(facts.pairs[0], worse),
    )


def _sizes(pair: Pair) -> Sizes:
    interval: dict[str, Any] = {"value": pair.value, "low": pair.low, "high": pair.high}
    at = [AtSize(n_train=n, outcome="better", means=(0.08, 0.06), **interval) for n in (285, 512)]
    sentence = "Nothing changes."
    return Sizes(at=tuple(at), decided=False, differs=False, sentence=sentence, **interval)


def _with_pair(facts: Facts, **changes: Any) -> Facts:
    """Return the facts with changes in their only pair."""
    return replace(facts, pairs=(replace(facts.pairs[0], **changes),))


def _answers() -> Iterator[tuple[str, Facts]]:
    """Yield the answers that every format must be able to write."""
    facts = sample()
    yield "two algorithms", facts
    alone = _with_pair(facts, baseline=None, outcome=None, challenger="forest", path=())
    alone = replace(
        alone,
        algorithms=("forest",),
        values=facts.values[1:],
        fit_seconds=facts.fit_seconds[1:],
        most_repetitions=None,
    )
    yield "one algorithm", alone
    yield "several pairs", _with_a_third(facts)
    yield "several training sizes", _with_pair(facts, sizes=_sizes(facts.pairs[0]))
    yield "data in the order of time", _with_pair(facts, along=((1.0, 0.1), (2.0, 0.3)))
    yield "several measures", replace(facts, others=(facts,))
    failure = Failure(
        algorithm="forest", split=0, kind="raised", message=_HOSTILE, traceback=_HOSTILE
    )
    nothing = {"value": nan, "low": nan, "high": nan, "path": (), "pvalue": None}
    failed = _with_pair(facts, outcome="not applicable", **nothing)
    yield "failed fits", replace(failed, failures=(failure,), notes=as_notes([_HOSTILE]))
    hostile = _with_pair(facts, challenger=_HOSTILE, sentence=_HOSTILE)
    yield "hostile names", replace(hostile, algorithms=("tree", _HOSTILE), call=_HOSTILE)


def _check(form: Format, name: str, facts: Facts) -> None:
    before = facts.to_json()
    written = works(lambda: form.write(facts), f"it writes {name}")
    require(facts.to_json() == before, f"it leaves the facts as they are ({name})")
    if not form.suffix:
        require(written is not None, f"it gives something ({name})")
        return
    require(
        isinstance(written, str) and written.strip(), f"a format with a suffix gives text ({name})"
    )
    if name in ("two algorithms", "several pairs"):
        require(form.write(facts) == written, f"the same facts give the same text ({name})")
    works(lambda: written.encode("utf-8"), f"its text can be written ({name})")
    if name == "two algorithms":
        require("forest" in written and "tree" in written, "it names both algorithms")
        sentence = "it is lower by 0.5."
        other = _with_pair(facts, value=-0.5, low=-0.6, high=-0.4, sentence=sentence)
        require(
            form.write(other) != written, "it says what the facts say: another value, another text"
        )

"""Facts as JSON: for other programs, and to be read again."""

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.board import BoardFacts
from evenfold.core.facts.comparison import Facts
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)


@format("json", suffix=".json", of=BoardFacts)
@format("json", suffix=".json", of=AcrossFacts)
@format("json", suffix=".json")
def to_json(facts: Facts | AcrossFacts | BoardFacts) -> str:
    """Return all facts as JSON, for ``Facts.from_json``."""
    return facts.to_json()

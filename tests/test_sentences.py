"""The page of sentences holds every code and every outcome, as the code has them today."""

from tools import list_sentences

from evenfold.core.verdict import Outcome
from evenfold.report.words import WORDS


def test_every_code_and_every_outcome_has_a_condition() -> None:
    listed = {code for _, codes in list_sentences.PARTS.values() for code in codes}
    assert listed | {"pair"} == set(WORDS)
    assert [*list_sentences.OUTCOMES] == [*Outcome]


def test_the_page_is_what_the_script_writes() -> None:
    page = list_sentences.PAGE.read_text(encoding="utf-8")
    assert page == list_sentences.page(), "run python -m tools.list_sentences"

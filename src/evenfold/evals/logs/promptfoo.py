"""``promptfoo eval --output results.json``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenfold.evals.logs._base import Document, Item, Log, LogFormat, register, text_id

_ERROR = 2  # promptfoo's ResultFailureReason: the call failed, so that nothing was graded


@register
class Promptfoo(LogFormat):
    """
    Results by test, prompt and provider, of versions 2 and 3 of the summary.

    An algorithm is a provider, named by its label or its id. If there are several prompts, each
    prompt of a provider is an algorithm. Tests are matched by their variables, not by their
    position, and a repeated test is another run. A call that failed was not graded, so it has no
    score.
    """

    key = "promptfoo"
    program = "promptfoo"
    files = ("*.json",)
    provisional = False

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        rows = document["results"]["results"]
        return isinstance(rows, list) and {"success", "score", "vars"} <= rows[0].keys()

    def read(self, document: Document, path: Path) -> Log:  # noqa: ARG002  (one signature)
        rows = document["results"]["results"]
        prompts = {_prompt(row) for row in rows}
        items = list(_items(rows, several=len(prompts) > 1))
        return Log(items=items, higher=frozenset({"success", "score"}))


def _items(rows: list[dict[str, Any]], *, several: bool) -> Iterator[Item]:
    for row in rows:
        graded = row.get("failureReason") != _ERROR
        scores = {
            "success": row["success"],
            "score": row["score"],
            **(row.get("namedScores") or {}),
        }
        provider = _provider(row["provider"])
        yield Item(
            # the values of the variables of a test, in the order of their names
            example=text_id(*(value for _, value in sorted(row["vars"].items()))),
            scores=scores if graded else dict.fromkeys(scores),
            algorithm=f"{provider} · {_prompt(row)}" if several else provider,
        )


def _provider(provider: Any) -> str:
    if isinstance(provider, dict):
        return str(provider.get("label") or provider["id"])
    return str(provider)


def _prompt(row: dict[str, Any]) -> str:
    prompt = row.get("prompt") or {}
    return str(prompt.get("label") or prompt.get("raw") or row.get("promptIdx", ""))

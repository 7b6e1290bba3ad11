"""
Record the numbers of a few hundred calls, or compare two recordings.

    python -m tools.record_calls record FILE [--only PATTERN]
    python -m tools.record_calls compare OLD NEW [--tolerance 1e-9] [--words]

A recording is a JSON file: for each call of ``tools.calls`` its numbers (values, intervals,
p-values, outcomes, ranks, fits) and, apart from them, its words (what ``print`` shows, and notes).
Record once before a change and once after it; ``compare`` prints every number that differs by more
than the tolerance, relative to its size, and with ``--words`` every text that differs. It ends with
exit code 1 if anything was printed.
"""

import argparse
import json
import math
import re
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

import evenfold as ef
from tools.calls import Call, all_calls

PAIR = ("value", "low", "high", "level", "pvalue", "adjusted_pvalue", "probability")
ESTIMATE = (
    "method",
    "value",
    "standard_error",
    "statistic",
    "df",
    "pvalue",
    "mean",
    "rejected",
    "stopped_at",
    "futile",
    "replicability",
)
RANKED = ("value", "low", "high", "first", "last", "among_best", "ties", "left_after", "tier")
KEPT = ("name", "against", "kept", "value", "bound", "pvalue", "level", "guaranteed")
PLANNED = ("method", "repetitions", "examples", "fewest_examples", "limit", "runs", "units")
SECONDS = re.compile(r"\d[\d.]* ?(?:ms|µs|s|min|h)\b(?: \d+ ?s)?")
DATES = re.compile(r"\d{4}-\d\d-\d\d[T ]?[\d:.]*(?:\+00:00|Z)?")
RUN_IDS = re.compile(r"(?<![\w.])(?=\d*[a-f])[0-9a-f]{12,64}\b")
MOST = 500  # values of one array that are recorded one by one


def numbers_of(answer: Any) -> dict[str, Any]:
    """Return the numbers of an answer, by name."""
    if isinstance(answer, ef.Comparison):
        return dict(_of_comparison(answer))
    if isinstance(answer, ef.AcrossDataSets):
        return dict(_of_across(answer))
    if isinstance(answer, ef.Board):
        return dict(_of_ranking(answer.ranking))
    if isinstance(answer, list):
        steps = enumerate(answer)
        return {
            f"{k}.{name}": number for k, step in steps for name, number in numbers_of(step).items()
        }
    if isinstance(answer, ef.KeepResult):
        return dict(_of_keep(answer))
    if hasattr(answer, "exit_code"):
        return dict(_of_command(answer))
    if hasattr(answer, "estimand") and hasattr(answer, "method"):
        return dict(_of_estimate(answer, answer.level))
    if type(answer).__name__.endswith("Plan"):
        return {name: plain(getattr(answer, name)) for name in PLANNED if hasattr(answer, name)}
    return dict(flat("answer", answer))


def words_of(answer: Any) -> dict[str, str]:
    """Return what an answer says, without times of the clock."""
    texts: dict[str, str] = {}
    if isinstance(answer, (ef.Comparison, ef.AcrossDataSets, ef.Board)):
        texts = {"print": str(answer)}
        texts["notes"] = "\n".join(str(note) for note in answer.facts.notes)
        for pair in getattr(answer, "pairs", ()):
            texts[f"{pair.baseline} | {pair.challenger}"] = pair.sentence
    elif isinstance(answer, list):
        texts = {str(k): str(step) for k, step in enumerate(answer)}
    elif hasattr(answer, "exit_code") and answer.stdout.startswith("{"):
        texts = {"stderr": answer.stderr}  # its numbers are recorded
    elif hasattr(answer, "exit_code") or type(answer).__name__.endswith("Plan"):
        texts = {"print": str(answer)}
    return {name: without_times(text) for name, text in texts.items()}


def without_times(text: str) -> str:
    """
    Return a text without what differs from run to run: seconds, dates and ids.

    Examples
    --------
    >>> without_times("cost: 36 fits, 51 ms of fitting")
    'cost: 36 fits, TIME of fitting'
    """
    for pattern, word in ((DATES, "DATE"), (SECONDS, "TIME"), (RUN_IDS, "ID")):
        text = pattern.sub(word, text)
    return text


Named = Iterator[tuple[str, Any]]


def _of_comparison(c: Any) -> Named:
    yield "fits", c.fits
    yield "reused", c.reused
    yield "method", c.facts.method.key
    yield "design", str(c.partition.kind)
    yield "splits", len(c.partition)
    yield "failures", len(c.failures)
    yield "means", plain(c.losses.means())
    for pair in c.pairs:
        for name, value in _of_pair(pair):
            yield f"{pair.baseline} | {pair.challenger}.{name}", value
    for flip in c.facts.flips:
        name = f"flips.{flip.baseline} | {flip.challenger}"
        yield name, [len(flip.fixed), len(flip.broke)]
    for part in c.facts.parts:
        yield from flat(f"part.{part.label}", part)
    yield from _of_ranking(c.facts.candidates)
    for other in c.others:
        for name, value in _of_comparison(other):
            yield f"{other.losses.measure}: {name}", value


def _of_pair(pair: Any) -> Named:
    for name in PAIR:
        yield name, plain(getattr(pair, name))
    yield "replicability", plain(getattr(pair, "replicability", None))
    if pair.verdict is not None:
        yield "outcome", str(pair.verdict.outcome)
        yield "direction", plain(getattr(pair.verdict, "direction", None))
    if pair.estimate is not None:
        for name, value in _of_estimate(pair.estimate, pair.level):
            yield f"estimate.{name}", value


def _of_estimate(estimate: Any, level: float) -> Named:
    for name in ESTIMATE:
        if hasattr(estimate, name):
            yield name, plain(getattr(estimate, name))
    for confidence in (1 - level, 0.9):
        for way in ("confidence_interval", "interval"):
            if hasattr(estimate, way):
                yield f"{way}({confidence:.6g})", _interval(estimate, way, confidence)
    if hasattr(estimate, "probability"):
        yield "probability", plain(estimate.probability())


def _interval(estimate: Any, way: str, confidence: float) -> Any:
    try:
        return plain(getattr(estimate, way)(confidence))
    except ef.EvenfoldError as reason:  # some exist at one level only
        return type(reason).__name__


def _of_ranking(ranking: Any) -> Named:
    yield "ranking", [ranked.name for ranked in ranking]
    for ranked in ranking:
        for name in RANKED:
            if hasattr(ranked, name):
                yield f"ranking.{ranked.name}.{name}", plain(getattr(ranked, name))


def _of_across(across: Any) -> Named:
    yield from flat("ranks", across.ranks)
    yield from flat("friedman", across.friedman)
    for pair in across.pairs:
        yield from flat(f"{pair.baseline} | {pair.challenger}", pair)


def _of_keep(result: Any) -> Named:
    yield "kept", result.kept
    yield "best", result.best
    yield "level_left", result.level_left
    yield from flat("improvement", result.improvement)
    if result.proposal is not None:
        for name in KEPT:
            yield f"proposal.{name}", plain(getattr(result.proposal, name))


def _of_command(done: Any) -> Named:
    yield "exit_code", done.exit_code
    if done.stdout.startswith("{"):
        for k, pair in enumerate(json.loads(done.stdout)["pairs"]):
            for name in (*PAIR, "outcome"):
                yield f"pairs[{k}].{name}", pair[name]


def flat(name: str, value: Any) -> Named:
    """Yield the plain values inside a value, by their places; texts of sentences are left out."""
    if is_dataclass(value):
        for member in fields(value):
            if member.name not in ("sentence", "card"):
                yield from flat(f"{name}.{member.name}", getattr(value, member.name))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flat(f"{name}.{key}", inner)
    elif np.size(value) > MOST:  # draws, and weights of grids
        yield f"{name} (size, sum)", [np.size(value), float(np.sum(value))]
    else:
        yield name, plain(value)


def plain(value: Any) -> Any:
    """
    Return a value as JSON can hold it.

    Examples
    --------
    >>> plain((np.float64(0.5), np.inf, np.array([True])))
    [0.5, 'inf', [True]]
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return str(value)
    return type(value).__name__


def make(call: Call) -> dict[str, Any]:
    """Make a call and return its numbers and words; a refusal is an answer, too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = call()
            return {"numbers": numbers_of(answer), "words": words_of(answer)}
    except Exception as reason:  # whatever it is, the other version may do better
        return {"numbers": {"refused": type(reason).__name__}, "words": {"refused": str(reason)}}


def record(only: str = "*") -> dict[str, Any]:
    """Make every call whose name fits a pattern, and return the recording."""
    calls = {name: call for name, call in all_calls().items() if fnmatch(name, only)}
    return {"evenfold": ef.__version__, "calls": {name: make(call) for name, call in calls.items()}}


def differences(old: Any, new: Any, tolerance: float, kind: str = "numbers") -> Iterator[str]:
    """Yield a line for every number, or every text, that two recordings do not share."""
    before = old["calls"]
    after = new["calls"]
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            yield f"{name}: only in the {'new' if name in after else 'old'} recording"
            continue
        earlier = before[name][kind]
        later = after[name][kind]
        for key in sorted({*earlier, *later}):
            if not is_same(earlier.get(key), later.get(key), tolerance):
                yield f"{name}: {key}: {earlier.get(key)!r} → {later.get(key)!r}"


def is_same(first: Any, second: Any, tolerance: float) -> bool:
    """
        Say whether two values are the same up to the tolerance.

    Examples
    --------
    >>> is_same([0.1, "inf"], [0.1 + 1e-12, "inf"], 1e-9), is_same(0.1, 0.2, 1e-9)
    (True, False)
    """
    if isinstance(first, list) and isinstance(second, list):
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(is_same(a, b, tolerance) for a, b in pairs)
    numbers = isinstance(first, float) or isinstance(second, float)
    if numbers and isinstance(first, (int, float)) and isinstance(second, (int, float)):
        return math.isclose(first, second, rel_tol=tolerance, abs_tol=1e-3 * tolerance)
    return bool(first == second)


def main() -> None:
    """Record calls, or compare two recordings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="make the calls and write their numbers")
    recording.add_argument("file", type=Path)
    recording.add_argument("--only", default="*", help="calls to make, such as 'judge/*'")
    comparing = commands.add_parser("compare", help="print what differs between two recordings")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--tolerance", type=float, default=1e-9)
    comparing.add_argument("--words", action="store_true", help="compare texts, too")
    options = parser.parse_args()
    if options.command == "record":
        begun = time.monotonic()
        made = record(options.only)
        text = json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False)
        options.file.write_text(text + "\n", encoding="utf-8")
        print(f"{len(made['calls'])} calls in {time.monotonic() - begun:.0f} s")
        return
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (options.old, options.new))
    changes = [*differences(old, new, options.tolerance)]
    if options.words:
        changes += differences(old, new, options.tolerance, "words")
    many = "1 difference" if len(changes) == 1 else f"{len(changes)} differences"
    print("\n".join([*changes, many]))
    sys.exit(bool(changes))


if __name__ == "__main__":
    main()

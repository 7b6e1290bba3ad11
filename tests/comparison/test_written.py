"""Files that version 0.2.0 wrote are read, with the numbers and sentences that they had then."""

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tools.calls import fitting
from tools.record_calls import is_same, numbers_of, words_of

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.evals.keep.nights import read_nights

FOLDER = Path(__file__).parent / "written" / "0.2"
INDEX: dict[str, Any] = json.loads(lzma.decompress((FOLDER / "index.json.xz").read_bytes()))
LOOPS = sorted(name for name in INDEX if name.startswith("keep-"))
STORES = sorted(name for name in INDEX if name.endswith(".db"))
ANSWERS = sorted({*INDEX} - {*LOOPS, *STORES, "history.json"})
REFUSED = {"compare-best.json": r"a race \(question='best'\), which no longer exists"}
REPLACED = "mx2-influence-sequential-t"  # the default test of version 0.2, which was deleted
GONE = r"a test that no longer exists\. Its numbers and sentences can be read, but its estimate"
TOLERANCE = 1e-7  # other versions of numpy and scipy differ by less
SEARCHED = 1e-5  # limits that are computed again: those of exact tests are searched for


def unpacked(name: str, folder: Path) -> Path:
    """Unpack a file of the old version into a folder."""
    path = folder / name
    path.write_bytes(lzma.decompress((FOLDER / f"{name}.xz").read_bytes()))
    return path


def assert_numbers(answer: Any, expected: dict[str, Any]) -> None:
    """Fail unless an answer has the numbers that it had."""
    found = numbers_of(answer)
    for name, value in expected.items():
        if name == "improvement.bound":  # an exact limit, which is searched for
            assert found[name] == pytest.approx(value, rel=0, abs=SEARCHED)
            continue
        tolerance = SEARCHED if ".estimate.confidence_interval(" in name else TOLERANCE
        assert is_same(value, found.get(name), tolerance), (name, value, found.get(name))


def without_power(sentence: str) -> str:
    """Return a sentence without what it says of power, which version 0.3 says in other words."""
    return sentence.partition("; a difference ")[0].removesuffix(".")


def assert_says(answer: Any, expected: Any, *, is_judged_again: bool = False) -> None:
    """
    Fail unless an answer has the numbers and the sentences that it had.

    ``print`` is a report, and reports speak the words of this version about an old answer, too. So
    do sentences about power where a stored run is judged again.
    """
    assert_numbers(answer, expected["numbers"])
    words = words_of(answer)
    shown = words.pop("print", "")
    before = {name: said for name, said in expected["words"].items() if name != "print"}
    if is_judged_again:
        assert {name: without_power(said) for name, said in words.items()} == {
            name: without_power(said) for name, said in before.items()
        }
    else:
        assert words == before
    for name in words.keys() - {"notes"}:
        assert_shows(shown, name.split(" | "), words[name])


def assert_shows(shown: str, names: list[str], sentence: str) -> None:
    """Fail unless a report has the sentence of a pair, or rows of a table with its names."""
    rows = [row for row in shown.splitlines() if "  " in row.strip()]
    in_table = all(any(name in row for row in rows) for name in names)
    assert sentence in shown or in_table, (names, shown)


def test_every_file_is_in_the_index() -> None:
    assert {path.stem for path in FOLDER.glob("*.xz")} == {*INDEX, "index.json"}
    assert len(ANSWERS) >= 90


def as_far_as_it_is_read(expected: Any) -> Any:
    """What an answer said, without the estimates of the deleted type."""
    numbers = expected["numbers"]
    gone = [
        name.removesuffix("method")
        for name, value in numbers.items()
        if name.endswith("estimate.method") and value == REPLACED
    ]
    kept = {name: one for name, one in numbers.items() if not name.startswith(tuple(gone))}
    return {**expected, "numbers": kept}


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in REFUSED])
def test_an_answer_is_as_it_was_written(name: str, tmp_path: Path) -> None:
    assert_says(ef.load(unpacked(name, tmp_path)), as_far_as_it_is_read(INDEX[name]))


@pytest.mark.parametrize(
    "name", ["two", "three", "baseline", "not-worse", "several-measures", "margin"]
)
def test_an_answer_by_a_deleted_test_is_shown_in_every_form(name: str, tmp_path: Path) -> None:
    file = f"compare-{name}.json"
    c = ef.load(unpacked(file, tmp_path))
    assert isinstance(c, ef.Comparison)
    for written in (c.to_html(), c.to_markdown(), c.to_latex()):
        assert c.pairs[0].challenger in written
    assert REPLACED in c.methods_text()
    again = ef.Comparison.from_json(c.to_json())
    assert_says(again, as_far_as_it_is_read(INDEX[file]))
    assert_is_gone(lambda: again.pairs[-1].estimate.value)  # type: ignore[union-attr]


def test_an_estimate_of_a_deleted_test_is_refused_in_one_line(tmp_path: Path) -> None:
    c = ef.load(unpacked("compare-two.json", tmp_path))
    assert isinstance(c, ef.Comparison)
    assert_is_gone(lambda: c.estimate)
    assert_is_gone(lambda: c.pairs[0].estimate.confidence_interval())  # type: ignore[union-attr]
    assert c.value == c.pairs[0].value
    turned = c["bayes", "stump"]
    assert (turned.low, turned.high) == (-c.pairs[0].high, -c.pairs[0].low)
    assert_is_gone(lambda: turned.estimate.value)  # type: ignore[union-attr]


def assert_is_gone(asked: Callable[[], Any]) -> None:
    """Fail unless what is asked for is refused in one line."""
    with pytest.raises(InvalidInput, match=GONE) as refusal:
        asked()
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_what_cannot_be_read_is_refused_in_one_line(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=reason) as refusal:
        ef.load(unpacked(name, tmp_path))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_stands_where_it_stood(name: str, tmp_path: Path) -> None:
    standing = ef.keep(unpacked(name, tmp_path))
    assert str(standing) == INDEX[name]["words"]
    assert_numbers(standing, INDEX[name]["numbers"])


def test_a_history_is_read(tmp_path: Path) -> None:
    history = read_nights(unpacked("history.json", tmp_path))
    assert INDEX["history.json"]["words"][0] in str(history)
    for night, expected in zip(
        history.nights, INDEX["history.json"]["nights"]["nights"], strict=True
    ):
        assert {name: getattr(night, name) for name in expected} == expected


@pytest.mark.parametrize("name", STORES)
def test_a_store_lists_its_runs_and_answers_again(name: str, tmp_path: Path) -> None:
    store = unpacked(name, tmp_path)
    expected = INDEX[name]
    assert [[one.id, *one.cells[2:-1]] for one in ef.runs(store)] == [
        run[:-1] for run in expected["runs"]
    ]
    verdicts = {one.id: one.verdict for one in ef.runs(store)}
    for run_id, *_, verdict in expected["runs"]:
        said = expected["reopened"].get(run_id)
        if said is None or said["numbers"]["method"] != REPLACED:
            assert verdicts[run_id] == verdict
        if said is not None and said["numbers"]["method"] != REPLACED:
            assert_says(ef.reopen(store, run_id), said, is_judged_again=True)


def test_a_run_of_the_old_default_is_judged_by_the_new_one(tmp_path: Path) -> None:
    store = unpacked("store-default.db", tmp_path)
    (run_id, said), *_ = INDEX["store-default.db"]["reopened"].items()
    c = ef.reopen(store, run_id)
    assert (c.facts.method.key, c.fits, c.reused) == ("mx2-influence-t", 0, 28)
    assert len(c.partition) == said["numbers"]["splits"] == 14
    assert c.losses.means().tolist() == pytest.approx(said["numbers"]["means"])
    assert c.replicability is not None
    fixed: Any = ef.infer.estimate(
        c.losses, "mx2-influence-t", baseline="stump", challenger="bayes"
    )
    assert c.pvalue == pytest.approx(float(fixed.pvalue))


@pytest.mark.parametrize(
    ("name", "run_id", "reason"),
    [
        ("store-several.db", "80c222391d55", "stopped after 3 repetitions by a test of version"),
        ("store-several.db", "1a14f3a7472c", "stopped after 3 repetitions by a test of version"),
        ("store-race.db", "1e28f420e207", r"is a race \(question='best'\) of version 0.2"),
    ],
)
def test_a_run_that_cannot_be_judged_says_in_one_line_how_to_go_on(
    name: str, run_id: str, reason: str, tmp_path: Path
) -> None:
    store = unpacked(name, tmp_path)
    with pytest.raises(ef.NotApplicable, match=reason) as refusal:
        ef.reopen(store, run_id)
    assert "\n" not in str(refusal.value)
    assert "with the same store to continue the run" in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "algorithms", "options", "kept"),
    [
        ("store-default.db", fitting.TWO, {}, 28),
        ("store-stopped.db", fitting.TWO, {}, 12),
        ("store-race.db", fitting.FIVE, {"max_repetitions": 7}, 50),
        ("store-several.db", fitting.THREE, {"baseline": "bayes", "adjust": "bonferroni"}, 18),
        ("store-several.db", fitting.FAR, {"measure": ["zero-one", "log"]}, 12),
    ],
)
def test_the_same_call_continues_a_run_without_fitting_anything_twice(
    name: str, algorithms: Any, options: dict[str, Any], kept: int, tmp_path: Path
) -> None:
    store = unpacked(name, tmp_path)
    c = fitting.compare(algorithms, store=store, **options)
    assert c.reused == kept
    assert c.fits + kept == len(algorithms) * len(c.partition)
    assert not c.failures
    alone = fitting.compare(algorithms, **options)
    assert [pair.pvalue for pair in c.pairs] == [pair.pvalue for pair in alone.pairs]

"""Sentences of the pages that state numbers, made anew from the cards that they come from."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

import pytest

import evenfold as ef

ROOT = Path(__file__).parents[1]
METHODS = ef.infer.methods()
SPLITS = "docs/infer/splits.md"
FULL_SIZE = "docs/appendix/full-size.md"


def share(value: float, digits: int = 2) -> str:
    """A share as pages write it."""
    return f"{value:.{digits}f}".removeprefix("0")


def span(values: Iterable[float], digits: int = 2) -> str:
    found = [*values]
    return f"{share(min(found), digits)} to {share(max(found), digits)}"


def measured(key: str, what: str = "size") -> dict[str, float]:
    """What a card says of two-sided tests, by population; its gates are on the page of tables."""
    card = METHODS[key].card
    assert card is not None
    rows = [row for row in card["measured"] if not row["population"].startswith("gate")]
    return {row["population"]: row[what] for row in rows}


def errs(key: str) -> str:
    return span(measured(key).values())


def of_cards() -> Iterator[tuple[str, str]]:
    """Yield pages, and what cards make them say."""
    yield (
        SPLITS,
        f"`bootstrap` errs {errs('bootstrap')} where `resampled_t` errs {errs('resampled-t')}",
    )
    yield SPLITS, f"`corrected_bootstrap` {errs('corrected-bootstrap')} where"
    yield SPLITS, f"`corrected_resampled_t` errs {errs('corrected-resampled-t')}"
    yield "docs/infer/accuracy.md", f"errs {errs('wong-kfold-independent-z')} at .05"
    sharp, blunt = (measured(key, "length") for key in ("mx2-influence-t", "mx2-t"))
    ratio = median([sharp[one] / blunt[one] for one in sharp.keys() & blunt.keys()])
    yield (
        "docs/infer/mx2.md",
        f"intervals about {'two thirds' if round(3 * ratio) == 2 else ratio} as long",
    )
    rare = [size for one, size in measured("full-size-t").items() if "positives" in one]
    yield FULL_SIZE, f"error of at most {share(max(rare), 3)} (very conservative)"
    yield FULL_SIZE, f"it errs at most {share(max(measured('fold-jackknife-t').values()), 4)}"
    fair = max(measured("clustered-fair-t").values())
    yield "docs/appendix/tables.md", f"{share(fair, 3)} ± .002 with `clustered-fair-t`"
    bags = [share(size, 3) for size in sorted(measured("out-of-bag-t").values())]
    alone = "src/evenfold/infer/folds/tests.py"
    yield alone, f"regressors {', '.join(bags[:3])} (4000 sets each"
    yield alone, f"classifiers {', '.join(bags[3:])} and of regressors"
    nested = span(measured("conservative-t").values(), 3)
    for place in ("docs/open-problems.md", "src/evenfold/infer/splits.py"):
        yield place, f"{nested} (± .002)"
    yield (
        "docs/open-problems.md",
        f"where the Z erred {span(measured('conservative-z').values(), 3)}",
    )
    large = measured("clustered-bootstrap")["50 clusters, a tenth has 55"]
    yield (
        "src/evenfold/infer/tables/tests.py",
        f"but {share(large)} where 5 of 50 hold half of the examples",
    )
    nearest = measured("two-proportion-z")["two Gaussians, 1-NN against naive Bayes"]
    yield "docs/lab/cards.md", f"was .37, it is {share(nearest, 3)}"


@pytest.mark.parametrize(("page", "sentence"), [*of_cards()])
def test_a_sentence_says_what_the_cards_say(page: str, sentence: str) -> None:
    assert sentence in " ".join((ROOT / page).read_text(encoding="utf-8").split())


def test_reasons_with_numbers_are_those_of_the_cards() -> None:
    for key in ("5x2-f", "5x2-f-calibrated"):
        skewed = measured(key).pop("mean against line (skewed)")
        most = span(size for one, size in measured(key).items() if "skewed" not in one)
        assert f"{most} " in METHODS[key].why
        assert f"{share(skewed)} where the difference is skewed" in METHODS[key].why
    assert f"{span(measured('mx2-oracle-t').values(), 3)} at .05" in METHODS["mx2-oracle-t"].why
    assert f"errs {errs('corrected-bootstrap')} at .05" in METHODS["corrected-bootstrap"].why


def test_the_guide_lists_methods_to_use_and_to_compare_with_as_the_registry_does() -> None:
    table = (ROOT / "docs/infer/index.md").read_text(encoding="utf-8").split("## ")[1]
    lines = [line.split("|") for line in table.splitlines() if line.startswith("| ")]
    named = {entry.function.__name__: entry for entry in METHODS.values()}
    seen = set()
    for _, _, use, contrast, _ in lines:
        for cell, right in ((use, True), (contrast, False)):
            for name in re.findall(r"`(\w+)`", cell):
                assert named[name].recommended is right, name
                seen.add(name)
    assert len(seen) >= 50

"""Sentences of the pages that state numbers, made anew from the cards and results that they come from."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean, median

import numpy as np
import pytest

import evenfold as ef

ROOT = Path(__file__).parents[1]
METHODS = ef.infer.methods()
INFLUENCE, FULL_SIZE, SPLITS = (f"docs/infer/{name}.md" for name in ("influence", "full-size", "splits"))
TESTS = {  # columns of the study, and how the page calls them
    "": "**`mx2-influence-sequential-t`**",
    "mx2_sequential_t_": "`mx2-sequential-t`",
    "mx2_t_": "`mx2-t`, m = 9",
    "f_5x2_": "`5x2-f`",
    "f_5x2_calibrated_": "`5x2-f-calibrated`",
    "cv_clt_": "`cv-clt`, 10 folds",
    "corrected_resampled_t_": "`corrected-resampled-t`, 15 × .9",
    "nested_cv_": "`nested-cv`, 10 × 5 folds (50 pairs)",
}


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
    folds = measured("kfold-t").values()
    yield "README.md", f"on other data it ranges from {100 * min(folds):.0f} to {100 * max(folds):.0f} %"
    yield SPLITS, f"`bootstrap` errs {errs('bootstrap')} where `resampled_t` errs {errs('resampled-t')}"
    yield SPLITS, f"`corrected_bootstrap` {errs('corrected-bootstrap')} where"
    yield SPLITS, f"`corrected_resampled_t` errs {errs('corrected-resampled-t')}"
    yield "docs/infer/accuracy.md", f"errs {errs('wong-kfold-independent-z')} at .05"
    sharp, blunt = (measured(key, "length") for key in ("mx2-influence-t", "mx2-t"))
    ratio = median([sharp[one] / blunt[one] for one in sharp.keys() & blunt.keys()])
    yield "docs/infer/mx2.md", f"intervals about {'two thirds' if round(3 * ratio) == 2 else ratio} as long"
    rare = [size for one, size in measured("full-size-t").items() if "positives" in one]
    yield FULL_SIZE, f"error at most {share(max(rare), 3)} (very careful)"
    yield FULL_SIZE, f"it errs at most {share(max(measured('fold-jackknife-t').values()), 4)}"
    fair = max(measured("clustered-fair-t").values())
    yield "docs/infer/tables.md", f"{share(fair, 3)} ± .002 with `clustered-fair-t`"
    examples = len([*(ROOT / "examples").glob("*.py")])
    yield "CHANGELOG.md", f"a gallery of {examples} examples"
    bags = [share(size, 3) for size in sorted(measured("out-of-bag-t").values())]
    alone = "src/evenfold/infer/folds/tests.py"
    yield alone, f"regressors {', '.join(bags[:3])} (4000 sets each"
    yield alone, f"classifiers {', '.join(bags[3:])} and of regressors"
    nested = span(measured("conservative-t").values(), 3)
    for place in ("docs/open-problems.md", "src/evenfold/infer/splits.py"):
        yield place, f"{nested} (± .002)"
    yield "CHANGELOG.md", f"{nested} in its card of seven populations"
    yield "docs/open-problems.md", f"where the Z erred {span(measured('conservative-z').values(), 3)}"
    large = measured("clustered-bootstrap")["50 clusters, a tenth has 55"]
    yield (
        "src/evenfold/infer/tables/clusters.py",
        f"but {share(large)} where 5 of 50 hold half of the examples",
    )
    nearest = measured("two-proportion-z")["two Gaussians, 1-NN against naive Bayes"]
    yield "docs/lab/cards.md", f"was .37, it is {share(nearest, 3)}"


def read(name: str) -> list[dict[str, str]]:
    """What the study of the default kept."""
    path = ROOT / "papers" / "sharp" / "results" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def pairs() -> list[dict[str, str]]:
    """The pairs of learners that the default was judged on, not those that it was chosen on."""
    return [row for row in read("pairs") if row["half"] != "tune"]


def column(rows: Iterable[dict[str, str]], name: str) -> list[float]:
    return [float(row[name]) for row in rows if row[name]]


def errors(found: list[float]) -> str:
    """Mean, what 95 % of the pairs have at most, and the largest."""
    return " / ".join(share(one, 3) for one in (fmean(found), float(np.quantile(found, 0.95)), max(found)))


def of_pairs() -> Iterator[tuple[str, str]]:
    """Yield pages, and what the study of the default makes them say."""
    fair = [row for row in pairs() if not row["enemy"]]
    halves = [[row for row in fair if row["half"] == half] for half in ("judge", "exam")]
    power = {key: [fmean(column(half, f"{key}power")) for half in halves] for key in TESTS}
    for key, name in TESTS.items():
        cells = []
        for half, found in zip(halves, power[key], strict=True):
            bold = "" if key else "**"
            cells += [errors(column(half, f"{key}error")), f"{bold}{share(found, 3)}{bold}"]
        yield INFLUENCE, f"| {name} | {fmean(column(halves[0], f'{key}fits')):.1f}".removesuffix(".0")
        yield INFLUENCE, f"| {' | '.join(cells)} |"
    bad = [row for row in fair if float(row["error"]) > 0.06]
    yield INFLUENCE, f"{len(bad)} of the {len(fair)} pairs err by more than .06"
    yield "README.md", f"on {len(fair)} pairs of learners: less than its level for most"
    ours, before = ([f"{100 * one:.0f}" for one in power[key]] for key in ("", "mx2_sequential_t_"))
    yield "docs/theory.md", f"deviations in {' to '.join(ours)} % of the cases, where the m×2 test with looks"
    yield "docs/theory.md", f"with looks found {' to '.join(before)} %"
    tables = [row for row in bad if "bayes" in row["pair"] and "rings" not in row["population"]]
    safe, sharp = (share(fmean(column(tables, name))) for name in ("mx2_sequential_t_error", "error"))
    yield INFLUENCE, f"(it errs {safe} on average where this test errs {sharp})"


def of_full_size() -> Iterator[tuple[str, str]]:
    """Yield what is said of the test at nearly the full size."""
    cells = []
    for half in ("judge", "exam"):
        rows = [row for row in read("full") if row["half"] == half and not row["enemy"]]
        power = fmean(column(rows, "1x10+9 power"))
        cells.append(f"{errors(column(rows, '1x10+9 error'))}, {share(power, 3)}")
    yield FULL_SIZE, f"| **`full-size-t`** | .9n | 56 | {' | '.join(cells)} |"
    apart = [row for row in read("change") if row["who"] == "pairs" and row["half"] != "tune"]
    yield FULL_SIZE, f"deviation {fmean(column(apart, 'sd ratio')):.1f} times as large"
    equal = [row for row in read("shipped") if row["form"] == "max-t"]
    lda, tree, neighbours = (
        share(fmean(column((row for row in equal if row["set"] == f"equal-{one}, 5 algorithms"), "error")), 3)
        for one in ("lda", "tree3", "nn7")
    )
    page = "src/evenfold/infer/folds/full_size.py"
    yield page, f"decided in {lda} (LDA), {tree} (trees) and {neighbours} (7-NN) of 2000 data sets"


def of_enemies() -> Iterator[tuple[str, str]]:
    """Yield what is said of pairs that were named as enemies beforehand."""
    safe, sharp = (
        {
            enemy: share(max(column((row for row in pairs() if row["enemy"] == enemy), name)))
            for enemy in ("trees on xor", "lasso")
        }
        for name in ("mx2_sequential_t_error", "error")
    )
    yield INFLUENCE, f"(at most {safe['trees on xor']} for {sharp['trees on xor']})"
    yield INFLUENCE, f"and {safe['lasso']} there"


@pytest.mark.parametrize(("page", "sentence"), [*of_cards(), *of_pairs(), *of_full_size(), *of_enemies()])
def test_a_sentence_says_what_its_source_says(page: str, sentence: str) -> None:
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

"""Sentences of pages that state numbers of the study behind the default, made from its results."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from papers import sharp

ROOT = Path(__file__).parents[2]
RESULTS = Path(sharp.__file__).parent / "results"
ERRS = "docs/understand/how-often-it-errs.md"
FINDS = "docs/understand/what-it-finds.md"
FULL_SIZE = "docs/appendix/full-size.md"
INFLUENCE = "docs/appendix/influence.md"
STOPPING = ROOT / "papers" / "studies" / "stopping.csv"
TESTS = {  # columns of the study, and how the page calls them
    "": "**default of version 0.2**",
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


def read(name: str) -> list[dict[str, str]]:
    """What the study of the default kept."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def pairs() -> list[dict[str, str]]:
    """The pairs of learners that the default was judged on, not those that it was chosen on."""
    return [row for row in read("pairs") if row["half"] != "tune"]


def column(rows: Iterable[dict[str, str]], name: str) -> list[float]:
    return [float(row[name]) for row in rows if row[name]]


def errors(found: list[float]) -> str:
    """Mean, what 95% of the pairs have at most, and the largest."""
    return " / ".join(
        share(one, 3) for one in (fmean(found), float(np.quantile(found, 0.95)), max(found))
    )


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
        yield (
            INFLUENCE,
            f"| {name} | {fmean(column(halves[0], f'{key}fits')):.1f}".removesuffix(".0"),
        )
        yield INFLUENCE, f"| {' | '.join(cells)} |"
    for key in ("mx2_sequential_t_", "f_5x2_", "nested_cv_"):
        finds = " | ".join(share(one, 3) for one in power[key])
        yield (
            FINDS,
            f"{fmean(column(halves[0], f'{key}fits')):.1f}".removesuffix(".0") + f" | {finds} |",
        )
    bad = [row for row in fair if float(row["error"]) > 0.06]
    yield INFLUENCE, f"{len(bad)} of the {len(fair)} pairs err by more than .06"
    yield "README.md", f"On [{len(fair)} pairs of learners][influence]"
    before = [f"{100 * one:.0f}" for one in power["mx2_sequential_t_"]]
    yield "docs/theory.md", f"with looks found {' to '.join(before)}%"


def of_stopping() -> Iterator[tuple[str, str]]:
    """Yield what is said of the default, which repeats until its verdict is stable."""
    with STOPPING.open(encoding="utf-8", newline="") as file:
        found = {row["group"]: row for row in csv.DictReader(file) if row["rule"] == "stable × 1"}
    three = [found[group] for group in ("judge", "exam", "bench")]
    names = {
        "error": "mean type I error",
        "error_95": "95% of the pairs have at most",
        "worst": "the worst pair",
    }
    for key, name in names.items():
        shares = [share(float(row[key]), 3) for row in three]
        yield ERRS, f"| {name} | {' | '.join(shares)} |"
    above = found["bench"]["above"]
    yield ERRS, f"On the benchmark {above} of the {int(found['bench']['rows']):,} pairs err"
    power = [float(row["power_2.8"]) for row in three[:2]]
    yield FINDS, f"| {' | '.join(f'**{share(one, 3)}**' for one in power)} |"
    percent = " to ".join(f"{100 * one:.0f}" for one in power)
    yield "docs/theory.md", f"deviations in {percent}% of the cases, where the m×2 test with looks"


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
        share(
            fmean(
                column(
                    (row for row in equal if row["set"] == f"equal-{one}, 5 algorithms"), "error"
                )
            ),
            3,
        )
        for one in ("lda", "tree3", "nn7")
    )
    page = "src/evenfold/infer/folds/full_size.py"
    yield page, f"decided in {lda} (LDA), {tree} (trees) and {neighbours} (7-NN) of 2000 data sets"


@pytest.mark.parametrize(("page", "sentence"), [*of_pairs(), *of_stopping(), *of_full_size()])
def test_a_sentence_says_what_the_study_found(page: str, sentence: str) -> None:
    assert sentence in " ".join((ROOT / page).read_text(encoding="utf-8").split())

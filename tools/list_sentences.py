"""
Write the page of every sentence that an answer or a note can contain.

``python -m tools.list_sentences`` writes ``docs/what-evenfold-can-say.md`` from the words in
``evenfold.report.words``. A template shows the names of its values in italics. A sentence that a
function builds is shown with the values below. A test fails where a code has no condition, where a
condition has no code, and where the page is not what this script writes.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import evenfold as ef
from evenfold.core import partition
from evenfold.core.errors import EvenfoldWarning
from evenfold.core.facts.answers import AtSize, Sizes
from evenfold.core.losses import Quantity
from evenfold.core.note import Note, note
from evenfold.core.verdict import Outcome
from evenfold.infer.halves import influence, sequential
from evenfold.infer.tables.tests import TWO_RUNS
from evenfold.report.words import WORDS, changes
from evenfold.report.words.sizes import sizes_sentence

PAGE = Path(__file__).parents[1] / "docs" / "what-evenfold-can-say.md"

HEAD = """# What evenfold can say

This page lists every sentence that an answer or a note can contain, with the condition for each.
The names and numbers are examples, and words in *italics* stand for values. Programs should not
read these sentences. They should read `c.verdict.outcome` and `note.code`, which stay the same when
the words change.

<!-- python -m tools.list_sentences writes this page; do not edit it by hand. -->
"""

_PAIR: dict[str, Any] = {
    "baseline": "A",
    "challenger": "B",
    "direction": None,
    "margin": 0.0,
    "value": -0.024,
    "low": -0.041,
    "high": -0.007,
    "measure": "error",
    "ratio": False,
    "level": 0.05,
    "about": note("about-models", size=285),
}
_OPEN: dict[str, Any] = {"value": -0.004, "low": -0.021, "high": 0.013}
_CLOSE: dict[str, Any] = {"value": -0.004, "low": -0.011, "high": 0.003}
_ACROSS: dict[str, Any] = {
    "baseline": "A",
    "challenger": "B",
    "data_sets": 8,
    "adjusted_pvalue": 0.023,
    "test": "Wilcoxon signed-rank test with Holm's adjustment",
    "measure": "error",
    "level": 0.05,
    "value": -0.026,
    "low": -0.045,
    "high": -0.007,
    "predicted": (-0.086, 0.034),
}
_SINGLE: dict[str, Any] = {
    "challenger": "A",
    "value": 0.026,
    "low": 0.015,
    "high": 0.044,
    "measure": "error",
    "ratio": False,
    "unit": "",
    "level": 0.05,
    "about": note("about-models", size=285),
}

_COST: dict[str, Any] = {
    "name": "parse",
    "value": 0.81,
    "low": 0.76,
    "high": 0.86,
    "level": 0.05,
}
_TIME: dict[str, Any] = {
    "benchmark": "sort",
    "value": 1.12,
    "low": 1.05,
    "high": 1.19,
    "level": 0.05,
    "limit": 0.03,
}

_AIM: dict[str, Any] = {
    "method": "paired-t",
    "test": "the paired t-test on single examples",
    "difference": 0.02,
    "wanted": 0.8,
    "level": 0.05,
    "alternative": "two-sided",
}
_PLAN: dict[str, Any] = {
    "question": {
        **_AIM,
        "method": "mx2-influence-t",
        "test": "the influence test on m×2 cross-validation",
    },
    "n": 500,
    "m": 31,
    "powers": (0.93, 1.0),
    "limits": (0.95, 1.0),
    "repetitions": 5,
    "stops_early": True,
    "examples": (687, 1180),
    "shrinkage": 0.001,
    "shortened": "the m×2 cv t-test",
    "enough_repetitions": 9,
    "keeps_level": {},
}


def _pair(outcome: Outcome, **values: Any) -> dict[str, Any]:
    return {**_PAIR, "outcome": str(outcome), **values}


OUTCOMES: dict[Outcome, tuple[tuple[str, dict[str, Any]], ...]] = {
    Outcome.BETTER: (
        ("The interval of the difference lies on the side of B.", _pair(Outcome.BETTER)),
        (
            "A margin was given, and the whole interval lies beyond it.",
            _pair(Outcome.BETTER, margin=0.005),
        ),
        (
            "The measure is a ratio, such as a time.",
            _pair(Outcome.BETTER, measure="fit time", ratio=True, value=-0.7, low=-1.1, high=-0.3),
        ),
    ),
    Outcome.WORSE: (
        (
            "The interval lies on the side of A.",
            _pair(Outcome.WORSE, value=0.024, low=0.007, high=0.041),
        ),
    ),
    Outcome.NOT_WORSE: (
        (
            'The question was `alternative="not-worse"`, and the bound excludes a loss as large '
            "as the margin.",
            _pair(Outcome.NOT_WORSE, margin=0.02, one_sided=True, **_OPEN),
        ),
    ),
    Outcome.EQUIVALENT: (
        (
            "A margin was given, and the whole interval lies inside it.",
            _pair(Outcome.EQUIVALENT, margin=0.02, **_CLOSE),
        ),
    ),
    Outcome.INCONCLUSIVE: (
        ("The interval contains 0, and no margin was given.", _pair(Outcome.INCONCLUSIVE, **_OPEN)),
        (
            "A margin was given, and the interval contains it.",
            _pair(Outcome.INCONCLUSIVE, margin=0.01, **_OPEN),
        ),
        (
            "The interval excludes 0 but contains the margin.",
            _pair(Outcome.INCONCLUSIVE, margin=0.02, direction="better"),
        ),
        (
            'The question was `alternative="not-worse"`, and the bound does not exclude a loss '
            "as large as the margin.",
            _pair(Outcome.INCONCLUSIVE, margin=0.01, one_sided=True, **_OPEN),
        ),
    ),
    Outcome.NOT_APPLICABLE: (),
}
"""What each outcome can say of a pair, and when."""

Condition = str
Examples = tuple[tuple[Condition, Mapping[str, Any]], ...]

PARTS: dict[str, tuple[str, dict[str, Condition | Examples]]] = {
    "Other answers": (
        "These sentences stand in the place of the answer about one pair.",
        {
            "not-applicable": "The method cannot answer for this pair, for instance because fits "
            "failed.",
            "turned": "A pair was read in the other direction although its question had one side.",
            "single": (("There is one algorithm only.", _SINGLE),),
            "tasks": (
                (
                    '`tasks="each"`: the outcome holds on every task.',
                    {
                        "baseline": "A",
                        "challenger": "B",
                        "outcome": "better",
                        "margin": 0.0,
                        "level": 0.05,
                        "tasks": 3,
                        "named": (),
                    },
                ),
                (
                    '`tasks="each"`: B is worse on some task.',
                    {
                        "baseline": "A",
                        "challenger": "B",
                        "outcome": "worse",
                        "margin": 0.01,
                        "level": 0.05,
                        "tasks": 3,
                        "named": ("maths",),
                    },
                ),
                (
                    '`tasks="each"`: some task leaves the question open.',
                    {
                        "baseline": "A",
                        "challenger": "B",
                        "outcome": "inconclusive",
                        "margin": 0.01,
                        "level": 0.05,
                        "tasks": 3,
                        "named": ("law", "maths"),
                    },
                ),
            ),
            "across-pair": (
                (
                    "Several data sets, and the rank test finds a difference.",
                    {**_ACROSS, "outcome": "better", "wins": 7, "losses": 1},
                ),
                (
                    "Several data sets, and the rank test finds none.",
                    {
                        **_ACROSS,
                        "outcome": "inconclusive",
                        "wins": 5,
                        "losses": 3,
                        "adjusted_pvalue": 0.4,
                    },
                ),
            ),
            "across": (
                (
                    "Several data sets and at least three algorithms.",
                    {
                        "test": "friedman",
                        "pvalue": 0.003,
                        "level": 0.05,
                        "data_sets": 8,
                        "best": "B",
                        "rank": 1.2,
                        "algorithms": 3,
                        "beaten": ("A",),
                        "decides": "Wilcoxon signed-rank test with Holm's adjustment",
                    },
                ),
            ),
        },
    ),
    "What the answer is about": (
        "Every answer names the models and the examples for which it holds.",
        {
            "about-models": (
                ("`compare`, for models trained on so many examples.", {"size": 285}),
                ("The groups of examples are new.", {"size": 285, "where": "new groups"}),
                ("One group at a time is left out.", {"size": 285, "where": "a new source"}),
                ("These groups were asked about.", {"size": 285, "where": "these sources"}),
            ),
            "about-split": "The design has one split, and there are two models or more.",
            "about-split-alone": "The design has one split, and there is one model.",
            "about-windows": "The data are ordered, and the method is about models at this window "
            "length.",
            "about-path": "The data are ordered, and the method is about the forecasts that were "
            "made.",
            "about-results": "`judge`, for results that exist already. The possible texts are in "
            "the next table.",
        },
    ),
    "What it took": (
        "",
        {
            "cost": (
                ("The design has a fixed number of splits.", {"fits": 40, "reused": 0}),
                ("Some fits came from a store.", {"fits": 12, "reused": 28}),
                (
                    "The run stopped before the largest number of repetitions.",
                    {"fits": 36, "reused": 0, "m": 9, "most": 31, "repeated": "repetitions"},
                ),
                (
                    "The run used all repetitions.",
                    {"fits": 124, "reused": 0, "m": 31, "most": 31, "repeated": "repetitions"},
                ),
            )
        },
    ),
    "Why an answer is inconclusive": (
        "",
        {
            "same-values": "Both algorithms gave the same values on every example.",
            "few-of-class": (
                "The measure is of ranks, such as AUC, and its difference rests on few examples."
            ),
            "half-width": (
                (
                    "The method has no known power.",
                    {"size": 0.045, "ratio": False, "digits": 3},
                ),
            ),
            "detectable": (
                (
                    "The power of the method is known.",
                    {"power": 0.8, "ratio": False, "digits": 3, "size": 0.014},
                ),
                (
                    "A margin was given, and more data could decide about it.",
                    {
                        "power": 0.8,
                        "ratio": False,
                        "digits": 3,
                        "size": 0.014,
                        "needed": 1180,
                        "unit": "examples",
                    },
                ),
            ),
        },
    ),
    "Training sizes": (
        "",
        {
            "sizes-differ": (
                (
                    '`at="full"` or `at="curve"`: the verdicts differ between training sizes.',
                    {
                        "n_train": (142, 285, 512),
                        "outcomes": ("worse", "inconclusive", "better"),
                        "values": (0.02, 0.0, -0.02),
                        "digits": 3,
                    },
                ),
                (
                    "The verdicts agree, and the sign of the difference changes.",
                    {
                        "n_train": (285, 512),
                        "outcomes": ("inconclusive", "inconclusive"),
                        "values": (0.02, -0.02),
                        "digits": 3,
                    },
                ),
            )
        },
    ),
    "Notes about the method": (
        "",
        {
            "of-pair": "There are several pairs, and the note is about one of them.",
            "equal-differences": "All differences are equal, so that their spread is 0.",
            "posteriors-not-adjusted": "The method gives a posterior, and there are several pairs.",
            "measure-of-splits": "The measure has no value for a single example, and no design was "
            "given.",
            "assumed-range": "The method needs the range of the measure, and the measure has none.",
            "repeated-folds": "The design is repeated cross-validation.",
            "adjusted-otherwise": (
                (
                    "`adjust` names a procedure that works in steps, and it decides otherwise than "
                    "the interval.",
                    {"adjustment": "Holm", "pairs": (("A", "B"),)},
                ),
            ),
            "comparison-only": (
                (
                    "You asked for a method that is not recommended.",
                    {
                        "method": "kfold-t",
                        "name": "the t-test on folds",
                        "leaning": "liberal",
                        "why": "It treats folds as independent although their training sets "
                        "overlap.",
                    },
                ),
            ),
            "hard-case": (
                (
                    "The algorithms and the data belong to a class in which the method is known to "
                    "err too often.",
                    {
                        "case": "outliers under squared loss",
                        "names": ("B",),
                        "method": "mx2-influence-t",
                        "called": "the influence test on m×2 cross-validation",
                        "size": 0.25,
                        "why": "most data sets show no outlier",
                        "instead": "mx2-sequential-t",
                        "instead_called": "the sequential m×2 cv t-test",
                    },
                ),
            ),
            "by-single-examples": (
                (
                    "Scores of folds were judged, and their single examples are known.",
                    {
                        "method": "cv-clt",
                        "name": "the test by the central limit theorem of cross-validation",
                        "leaning": "liberal",
                        "value": -0.024,
                        "low": -0.041,
                        "high": -0.007,
                        "level": 0.05,
                    },
                ),
            ),
        },
    ),
    "Notes about the data": (
        "",
        {
            "searched": "The table holds the scores of a search over settings.",
            "equal-classes": "The measure depends on the class shares, and all classes have "
            "equally many examples.",
            "scarce-class": "The measure is a score of labels, and the rarest class has few "
            "examples.",
            "identifier": "A column of X has another whole number in every row.",
            "folds-ignore-groups": "The design `SourceSizedKFold` was asked for.",
            "words-in-data": "A fit failed because X holds words.",
            "weight-zero": "Some sample weights are 0.",
            "mixed-kinds": "A classifier is compared with a regressor.",
            "never-predicted": (
                (
                    "An algorithm predicts the positive class on no example of some test sets.",
                    {
                        "name": "A",
                        "positive": "yes",
                        "splits": 3,
                        "tests": 10,
                        "precision": False,
                    },
                ),
                (
                    "The same, and the measure is the precision.",
                    {"name": "A", "positive": "yes", "splits": 3, "tests": 10, "precision": True},
                ),
            ),
            "groups-left-out": (
                (
                    "There are fewer than 40 groups, and no design was given.",
                    {"groups": 12, "many": 40, "group": "hospital"},
                ),
            ),
            "groups-halved": (
                (
                    "There are 40 groups or more, and no design was given.",
                    {
                        "groups": 190,
                        "many": 40,
                        "group": "patient",
                        "measure": "error",
                        "fits": 62,
                    },
                ),
                (
                    "There are fewer than 40 groups, and the measure is undefined on some of them.",
                    {"groups": 30, "many": 40, "group": "patient", "measure": "AUC", "fits": 62},
                ),
            ),
            "windows": (
                (
                    "The data are ordered, and no design was given.",
                    {"design": "GrowingWindow(train_size=0.5, horizon=10)"},
                ),
            ),
        },
    ),
    "Notes about a run": (
        "",
        {
            "interrupted": (
                (
                    "Ctrl-C after the first look, without a store.",
                    {"m": 5, "most": 31, "repeated": "repetitions"},
                ),
                (
                    "Ctrl-C after the first look, with a store.",
                    {"m": 5, "most": 31, "repeated": "repetitions", "seed": 0},
                ),
            ),
            "fits-warned": (
                (
                    "An algorithm warned while it was fitted.",
                    {
                        "warned": (
                            {
                                "algorithm": "A",
                                "warning": "ConvergenceWarning: lbfgs failed to converge",
                                "fits": 12,
                                "others": 1,
                            },
                        )
                    },
                ),
            ),
            "interrupted-early": "Ctrl-C before the first look, with a store.",
            "nothing-kept": "Ctrl-C before the first look, without a store.",
        },
    ),
    "Notes about tables of results": (
        "",
        {
            "left-out": '`on_missing="drop"`: some algorithms lack examples, runs or data sets '
            "that others have.",
            "no-value": '`on_missing="drop"`: some rows have no value.',
            "no-answer-on": "A task or a slice is too small for the test.",
            "own-folds": "`paired=False`: each algorithm was cross-validated on its own folds.",
            "apart": "The algorithms have no example in common.",
            "few-examples": "The score rests on few of the examples, such as the positive ones.",
            "times-not-used": "The table has a column of groups and one of times.",
            "runs-averaged": "Folds or splits hold several runs of one algorithm.",
            "runs-apart": "`paired=False` was given for runs.",
            "runs-paired": "Runs without ids were paired, by position or by another column.",
            "partly-labelled": "Some examples have labels for some algorithms only.",
            "labels-saved": "Human labels were combined with the scores of a judge.",
            "first-by-name": (
                (
                    "Nothing says which of two algorithms is A.",
                    {"baseline": "branch", "challenger": "main"},
                ),
            ),
            "unused-column": (
                (
                    "A column that has no role may group the examples.",
                    {"column": "document", "values": 60},
                ),
            ),
            "runs-without-ids": (("Runs have no ids, and `paired` was not given.", {}),),
            "trials": (
                (
                    "The measure is pass@k or pass^k of repeated trials.",
                    {"measure": "pass@3", "fewest": 5, "most": 8},
                ),
            ),
            "preferred": (
                (
                    "The table holds battles of two models.",
                    {"challenger": "B", "value": 0.14, "low": -0.01, "high": 0.28, "level": 0.05},
                ),
            ),
        },
    ),
    "Notes about several data sets and boards": (
        "",
        {
            "data-set-failed": "Some fits failed on a data set.",
            "file-left-out": "A file of a folder cannot be used.",
            "units-differ": "The measure has a unit and no fixed range.",
            "data-sets-with-holes": '`on_missing="keep"`: some values are missing.',
            "board-with-holes": '`on_missing="keep"`: some models have no value on some tasks.',
            "few-tasks": "There are too few tasks for an answer about new tasks.",
            "fixed-tasks": "There are too few tasks, so the question became one about new examples "
            "of these tasks.",
            "both-bad": '`both_bad="drop"`: some battles had no good answer.',
            "without-strength": '`on_missing="drop"`: some models won, or lost, every battle.',
            "few-judges": (("There are fewer than ten judges.", {"judges": 3}),),
        },
    ),
    "Gates": (
        "",
        {
            "flips": "The values are right or wrong answers of two models to the same examples.",
            "gate-asked": "The command line has `--fail-unless`, and the outcome is another one.",
            "gate-partial": "A gate was asked, and the answer is about a part of the data only.",
            "gate-not-asked": "The fixture of pytest could not ask the gate.",
            "gate-power": (
                ("A gate has a margin.", {"drop": 0.05, "caught": 0.8}),
                (
                    "The same, for right and wrong answers.",
                    {"drop": 0.163, "caught": 0.8, "passed": 0.07, "differ": 0.25},
                ),
            ),
            "gate-stops": (
                (
                    "Fewer than half of the candidates whose true difference is 0 would pass.",
                    {"passed": 0.07, "enough_margin": 0.16, "enough_examples": 258.0},
                ),
            ),
            "stopped-early": (
                (
                    "`stop_early`: the question was settled.",
                    {"items": 210, "of": 1000, "seed": 0, "settled": "not worse"},
                ),
                (
                    "`stop_early`: all items leave the question open.",
                    {"items": 1000, "of": 1000, "seed": 0, "settled": "open"},
                ),
            ),
            "stream-settled": (
                (
                    "`evenfold judge -`: the stream settled the question.",
                    {"settled": "worse", "margin": 0.01, "items": 400, "improvement": -0.04},
                ),
                (
                    "`evenfold judge -`: the stream ended before.",
                    {"settled": "open", "margin": 0.01, "items": 400, "improvement": -0.005},
                ),
            ),
        },
    ),
    "Plans": (
        "`ef.plan` answers with these sentences.",
        {
            "plan-repetitions": (
                ("Some number of repetitions suffices.", _PLAN),
                (
                    "No number of repetitions suffices.",
                    {
                        **_PLAN,
                        "powers": (0.43, 0.64),
                        "limits": (0.46, 0.76),
                        "repetitions": None,
                    },
                ),
                (
                    "The correlations were given.",
                    {**_PLAN, "keeps_level": {"ρ1 = 0.2, ρ2 = 0.3": True}},
                ),
            ),
            "plan-table": (
                (
                    "The pilot is a table of examples.",
                    {
                        "question": _AIM,
                        "ways": (("examples", 1770),),
                        "have": (("examples", 500),),
                        "power": 0.32,
                    },
                ),
                (
                    "The pilot is a table of runs on examples.",
                    {
                        "question": _AIM,
                        "ways": (("examples", 1770), ("runs", None)),
                        "have": (("runs", 3), ("examples", 500)),
                        "power": 0.32,
                    },
                ),
            ),
            "plan-answers": (
                (
                    "The answers are right or wrong.",
                    {
                        "question": _AIM,
                        "margin": 0.0,
                        "differ": 0.04,
                        "needed": 1230,
                        "have": None,
                        "power": None,
                    },
                ),
                (
                    "A gate with a margin is planned.",
                    {
                        "question": {**_AIM, "difference": 0.0},
                        "margin": 0.02,
                        "differ": 0.04,
                        "needed": 923,
                        "have": 200,
                        "power": 0.36,
                    },
                ),
            ),
            "plan-path": (
                (
                    "The pilot is a path of forecasts.",
                    {"question": _AIM, "word": "time", "power": 0.4, "have": 120, "needed": 310},
                ),
            ),
        },
    ),
    "Comments on pull requests": (
        "`evenfold pr` writes these sentences. The base is the code before the pull request, and "
        "the head the code with it.",
        {
            "gate-passed": (
                (
                    "All checks passed.",
                    {"checks": 2, "improved": (), "tied": None, "open_checks": ()},
                ),
                (
                    "All checks passed, something improved, and a check is undecided.",
                    {
                        "checks": 2,
                        "improved": (
                            Note(
                                "improved",
                                {"check": "accuracy", "change": note("change-of-time", **_COST)},
                            ),
                        ),
                        "tied": None,
                        "open_checks": ("F1",),
                    },
                ),
            ),
            "gate-regression": "A check found that the head is worse.",
            "gate-open": "The data do not suffice for a check.",
            "gate-open-fails": "The same, and the configuration counts this as a failure.",
            "gate-refused": (
                ("A check cannot be judged.", {"check": "accuracy", "regression": None}),
                (
                    "Another one found that the head is worse.",
                    {
                        "check": "accuracy",
                        "regression": Note(
                            "gate-regression",
                            {
                                "check": "F1",
                                "change": note(
                                    "change-of-difference",
                                    name="F1",
                                    value=-0.02,
                                    low=-0.03,
                                    high=-0.01,
                                    level=0.05,
                                ),
                            },
                        ),
                    },
                ),
            ),
            "improved": (
                (
                    "A check found an improvement.",
                    {"check": "cost", "change": note("change-of-time", **_COST)},
                ),
            ),
            "same-quality": (
                (
                    "Quality is unchanged or not worse, and one time fell.",
                    {"margin": 0.01, "change": note("change-of-time", **_COST)},
                ),
            ),
            "change-of-difference": (
                (
                    "By how much a score differs.",
                    {
                        "name": "accuracy",
                        "value": -0.02,
                        "low": -0.03,
                        "high": -0.01,
                        "level": 0.05,
                    },
                ),
            ),
            "change-of-time": (("By how much a time differs.", _COST),),
            "ids-match": "All examples of base and head match.",
            "hardly-passes": "Fewer than half of the candidates whose true difference is 0 would "
            "pass.",
            "hardly-fails": "Fewer than half of the candidates that are worse by twice the margin "
            "would be stopped, and an undecided check passes.",
            "wide-margin": "The margin is more than half of what the base could lose.",
            "of-check": "A sentence is about one check, or about one of its values.",
            "level-of-check": "Each check has its share of the error budget.",
            "counted-as": "The configuration says how an undecided answer counts.",
            "no-baseline": "The file of the base does not exist.",
            "no-floor-file": "The file of the noise floor does not exist.",
            "baseline-changed": "The pull request changes the results of the base.",
            "configuration-changed": "The pull request changes the configuration of the checks.",
            "configuration-of-head": "The base has no configuration.",
            "baseline-commit": (
                (
                    "The commits of base and head are known.",
                    {"base": "1a2b3c4", "head": "5d6e7f8", "age": 259200.0},
                ),
                (
                    "The age of the base is not known.",
                    {"base": "1a2b3c4", "head": None, "age": None},
                ),
                ("The base is not known.", {"base": None, "head": None, "age": None}),
            ),
            "check-plan": (
                (
                    "`evenfold plan --gate`, for each check.",
                    {
                        "name": "accuracy",
                        "items": 500,
                        "margin": 0.01,
                        "wished": 0.01,
                        "passes": 0.3,
                        "enough_margin": 0.02,
                        "times": 4.0,
                    },
                ),
            ),
            "error-budget": (("Every comment ends with it.", {"level": 0.05, "checks": 2}),),
        },
    ),
    "Measured times": (
        "Comparisons of benchmark files write these sentences.",
        {
            "benchmark-changes": (
                (
                    "The summary of all benchmarks.",
                    {
                        "baseline": "main",
                        "candidate": "branch",
                        "counts": {"regression": 1, "unchanged": 8},
                        "worst": "sort",
                    },
                ),
            ),
            "benchmark-change": (
                (
                    "The runs show that a benchmark became slower.",
                    {**_TIME, "change": "regression"},
                ),
                (
                    "A benchmark stayed within its limit.",
                    {**_TIME, "change": "unchanged", "value": 1.0, "low": 0.99, "high": 1.01},
                ),
                (
                    "The runs leave the question open.",
                    {**_TIME, "change": "undecided", "value": 1.03, "low": 0.99, "high": 1.07},
                ),
            ),
            "benchmark-unknown": tuple(
                (
                    f"The reason is `{reason}`.",
                    {"benchmark": "sort", "reason": reason, "age": 90, "limit": 30},
                )
                for reason in changes._REASONS
            ),
            "baseline-before-candidate": "The dates of the files say so.",
            "candidate-before-baseline": "The dates of the files say so.",
            "order-unknown": "The files have no dates.",
            "machine-unknown": "The files do not name a machine.",
            "runs-in-turns": "Base and candidate were measured in turns.",
            "floor-measured": (
                (
                    "A noise floor was measured.",
                    {"benchmarks": 9, "runs": 12, "largest": 0.03, "benchmark": "sort"},
                ),
            ),
            "floor-by-chance": "A noise floor was used.",
            "wide-floor": (
                ("A noise floor lets large regressions pass.", {"floor": 0.3, "benchmark": "sort"}),
            ),
        },
    ),
}
"""The codes by heading, each with its condition, or with examples where a function builds it."""


def page() -> str:
    """Return the page."""
    parts = [HEAD, *_outcomes()]
    for heading, (text, codes) in PARTS.items():
        rows = [row for code, when in codes.items() for row in _rows(code, when)]
        parts += [f"## {heading}\n", *([f"{text}\n"] if text else []), _table(rows)]
        if "about-results" in codes:
            parts += [_about_results()]
        if "sizes-differ" in codes:
            parts += [_table([*_change_with_size()], "field")]
    parts += [_WRITTEN, _table([*_written()])]
    return "\n".join([*parts, "<!-- end -->\n"])


def _outcomes() -> Iterator[str]:
    yield (
        "## The outcomes of a pair\n\nA is the baseline and B the challenger. The code of all "
        "these sentences is `pair`.\n"
    )
    rows = []
    for outcome, examples in OUTCOMES.items():
        for when, values in examples:
            rows.append((f"`{outcome}`", when, str(Note("pair", values))))
    rows.append(
        ("`not applicable`", "The method has no answer for this pair.", _template("not-applicable"))
    )
    yield _table(rows, "outcome")
    yield "The sentence of a pair may also contain these parts.\n"
    better = _pair(Outcome.BETTER)
    parts: list[tuple[str, dict[str, Any]]] = [
        ("There are several pairs, and the intervals hold together.", {"simultaneous": True}),
        ("The method gives a posterior.", {"credible": True, "probability_better": 0.993}),
        ("The influence test or its run has a known replicability.", {"replicability": 0.95}),
        (
            "The replicability is below the one that was asked for.",
            {"replicability": 0.61, "goal": 0.8},
        ),
    ]
    yield _table([("`pair`", when, str(Note("pair", {**better, **more}))) for when, more in parts])


def _rows(code: str, when: Condition | Examples) -> Iterator[tuple[str, str, str]]:
    if isinstance(when, str):
        yield f"`{code}`", when, _template(code)
        return
    for condition, values in when:
        yield f"`{code}`", condition, str(Note(code, values))


def _template(code: str) -> str:
    """Return a template with the names of its values in italics."""
    words = WORDS[code]
    if callable(words):
        return "*a text from the next table*"
    return re.sub(r"\{(\w+)(?::of (\w+))?(?::[^}]+)?\}", _placeholder, words)


def _placeholder(match: re.Match[str]) -> str:
    name = f"*{match[1].replace('_', ' ')}*"
    return f"{name} {match[2]}s" if match[2] else name


def _about_results() -> str:
    """Return what results that exist already can be about, from the kinds of designs."""
    kinds = [kind for kind in vars(partition).values() if isinstance(kind, partition.Kind)]
    rows = sorted({(str(kind), kind.about) for kind in kinds if kind.about})
    lines = [f"| `{key}` | {Note('about-results', _about(about))} |" for key, about in rows]
    return "\n".join(["| kind of results | text |", "| --- | --- |", *lines, ""])


def _about(about: str) -> dict[str, Any]:
    return {"about": about, "group": None}


def _change_with_size() -> Iterator[tuple[str, str, str]]:
    """Yield what an answer says of the change between two training sizes."""
    error = Quantity(name="zero-one", words="error", lower_is_better=True, low=0.0, high=1.0)
    cases = (
        ("The lead of B is larger on more examples.", "A", (-0.02, -0.03), -0.01, True),
        ("The lead of B is smaller on more examples.", "A", (-0.03, -0.02), 0.01, True),
        ("The sign changes beyond chance.", "A", (0.02, -0.03), -0.05, True),
        ("The sign changes within chance.", "A", (0.01, -0.01), -0.02, False),
        ("The change is not beyond chance.", "A", (-0.02, -0.021), -0.001, False),
        ("There is one algorithm, and its error falls.", None, (0.08, 0.05), -0.03, True),
    )
    for when, baseline, values, change, decided in cases:
        ends = [
            AtSize(n_train=n, value=v, low=v - 0.01, high=v + 0.01, outcome=None, means=())
            for n, v in zip((285, 512), values, strict=True)
        ]
        sizes = Sizes(
            at=tuple(ends),
            value=change,
            low=change - 0.008,
            high=change + 0.008,
            decided=decided,
            differs=False,
            sentence="",
        )
        yield "`pair.sizes`", when, sizes_sentence(sizes, baseline, "B", error, 0.05)


def _written() -> Iterator[tuple[str, str, str]]:
    """Yield the sentences that a method or a design writes itself; their code is `written`."""
    constants = (
        ("The influence test rejects, and too few examples carry the difference.", "TOO_FEW"),
        ("The influence test rejects, and one example outweighs the others.", "OUTWEIGHED"),
        ("The influence test rests on few examples.", "SAFE"),
    )
    for when, name in constants:
        yield "`written`", when, getattr(influence, name)
    half = influence.dominance_remark(np.array([0.5]))
    yield "`written`", "One example holds more than a third of the spread.", half
    yield "`written`", "A sequential test stops on values without spread.", sequential.FLAT
    yield "`written`", "A table holds two runs of each algorithm.", TWO_RUNS
    for when, call in _WARNINGS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        for warning in caught:
            if issubclass(warning.category, EvenfoldWarning):
                yield "`written`", when, str(warning.message)


def _ordered(horizon: int) -> None:
    shocks = np.random.default_rng(0).normal(size=61)
    ef.infer.diebold_mariano(shocks[1:] + 2 * shocks[:-1], horizon=horizon)


def _uneven_clusters() -> None:
    clusters = np.repeat(np.arange(6), (80, 4, 4, 4, 4, 4))
    ef.infer.clustered_t(np.random.default_rng(0).normal(size=100), clusters)


def _rare_class() -> None:
    ef.KFold(10).partition(60, y=np.repeat(["a", "b"], (57, 3)))


_WRITTEN = """## Notes that methods and designs add

A method or a design may warn about the data that it gets. Its text then becomes a note with the
code `written`. The most frequent ones follow; every method documents its own.
"""

_WARNINGS: tuple[tuple[str, Callable[[], None]], ...] = (
    ("A path is short for its horizon.", lambda: _ordered(20)),
    ("Differences along a path are correlated beyond the horizon.", lambda: _ordered(1)),
    ("A few clusters hold most of the examples.", _uneven_clusters),
    ("A class has fewer examples than the design has parts.", _rare_class),
)


def _table(rows: list[tuple[str, str, str]], first: str = "code") -> str:
    lines = [f"| {key} | {when} | {_cell(words)} |" for key, when, words in rows]
    return "\n".join([f"| {first} | when | sentence |", "| --- | --- | --- |", *lines, ""])


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

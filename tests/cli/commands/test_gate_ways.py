"""
Ways to make a gate pass what it should not.

Each is refused (2), failed (3) or undecided (4), with a reason.

In every scene the candidate is plainly worse (60% right where the baseline has 80%), or what is
asked cannot be judged; then something is done to the files or to the question that once made, or
might make, the gate pass.
"""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import Run

from evenfold.cli.gate import GATE_FAILED, gate

N = 200


def _frame(correct: float, seed: int) -> pd.DataFrame:
    """
    Predictions of two classes, so many of them right.

    Every cell a text, as it stands in a file.
    """
    rng = np.random.default_rng(seed)
    truth = np.arange(N) % 2
    right = rng.permutation(N) < round(correct * N)
    prediction = np.where(right, truth, 1 - truth)
    columns = {"example": np.arange(N), "truth": truth, "prediction": prediction}
    return pd.DataFrame(columns).astype(str).astype(object)


@dataclass
class Scene:
    """Two files, and what is asked of them; a trick changes it."""

    folder: Path
    baseline: pd.DataFrame = field(default_factory=lambda: _frame(0.8, 0))
    candidate: pd.DataFrame = field(default_factory=lambda: _frame(0.6, 1))
    ask: list[Any] = field(default_factory=lambda: ["--fail-unless", "not-worse", "--margin", 0.02])
    files: list[Any] = field(default_factory=list)

    @property
    def frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return self.baseline, self.candidate

    @property
    def wrong(self) -> pd.Series:
        """Where the candidate is wrong."""
        return self.candidate["truth"] != self.candidate["prediction"]

    def words(self) -> list[Any]:
        if not self.files:
            paths = [self.folder / "main.csv", self.folder / "branch.csv"]
            for path, frame in zip(paths, self.frames, strict=True):
                frame.to_csv(path, index=False)
            self.files = ["--baseline", paths[0], "--candidate", paths[1]]
        return ["judge", *self.files, *self.ask]


WAYS: dict[str, tuple[Callable[[Scene], None], int, str]] = {}
Trick = Callable[[Scene], None]


def way(code: int, reason: str) -> Callable[[Trick], Trick]:
    """Note a way to fool the gate, the exit code that it must get, and a part of the reason."""

    def note(trick: Trick) -> Trick:
        WAYS[trick.__name__.strip("_")] = trick, code, reason
        return trick

    return note


def test_the_scene_itself_fails_the_gate_and_its_opposite_passes(
    evenfold: Run, tmp_path: Path
) -> None:
    assert evenfold(*Scene(tmp_path).words()).exit_code == 3
    turned = Scene(tmp_path, baseline=_frame(0.6, 1), candidate=_frame(0.8, 0))
    assert evenfold(*turned.words()).exit_code == 0


# What stands in the files: labels


def _as_floats(frame: pd.DataFrame) -> None:
    frame["prediction"] = frame["prediction"] + ".0"


def _one_odd_prediction(text: str) -> Trick:
    def trick(scene: Scene) -> None:
        _as_floats(scene.baseline)
        scene.baseline.loc[3, "prediction"] = text

    return trick


for _text in ("nan", "NaN", "None", "NA", "null", "N/A", "<NA>", "NaT"):
    _trick = _one_odd_prediction(_text)
    _trick.__name__ = f"one_prediction_is_{_text}"
    way(2, "a value in every row")(_trick)
for _text in ("inf", "-inf", "Infinity", "1e999"):
    _trick = _one_odd_prediction(_text)
    _trick.__name__ = f"one_prediction_is_{_text}"
    way(2, "finite")(_trick)


@way(3, "finds worse")
def one_prediction_is_a_word_beside_numbers_with_a_point(scene: Scene) -> None:
    _as_floats(scene.baseline)
    scene.baseline.loc[3, "prediction"] = "idk"


@way(2, "a value in every row")
def one_truth_is_nan(scene: Scene) -> None:
    for frame in scene.frames:
        frame.loc[3, "truth"] = "nan"
    _as_floats(scene.baseline)


@way(2, "where the truth has")
def true_for_1(scene: Scene) -> None:
    scene.baseline["prediction"] = scene.baseline["prediction"].map({"1": "True", "0": "False"})


@way(2, "True")
def one_true_for_1(scene: Scene) -> None:
    scene.baseline.loc[scene.baseline["prediction"].eq("1"), "prediction"] = "True"


def _words_for_numbers(scene: Scene) -> None:
    for frame in scene.frames:
        for column in ("truth", "prediction"):
            frame[column] = frame[column].map({"1": "cat", "0": "dog"})


@way(2, "where the truth has")
def a_trailing_blank(scene: Scene) -> None:
    _words_for_numbers(scene)
    scene.baseline["prediction"] += " "


@way(2, "where the truth has")
def a_leading_blank_in_one_class(scene: Scene) -> None:
    _words_for_numbers(scene)
    scene.baseline["prediction"] = scene.baseline["prediction"].replace("cat", " cat")


@way(2, "where the truth has")
def a_no_break_space(scene: Scene) -> None:
    _words_for_numbers(scene)
    scene.baseline["prediction"] += "\u00a0"


@way(2, "where the truth has")
def another_case(scene: Scene) -> None:
    _words_for_numbers(scene)
    scene.baseline["prediction"] = scene.baseline["prediction"].str.title()


@way(2, "where the truth has")
def a_composed_letter(scene: Scene) -> None:
    for frame in scene.frames:
        for column in ("truth", "prediction"):
            frame[column] = frame[column].map({"1": "caf\u00e9", "0": "bar"})
    scene.baseline["prediction"] = scene.baseline["prediction"].replace("caf\u00e9", "cafe\u0301")


for _name, _cat in {
    "an_invisible_space": "cat\u200b",
    "a_letter_of_another_alphabet": "c\u0430t",
    "quotes": "'cat'",
    "a_full_stop": "cat.",
    "another_word": "Felis catus",
}.items():

    def _trick(scene: Scene, cat: str = _cat) -> None:
        _words_for_numbers(scene)
        scene.baseline["prediction"] = scene.baseline["prediction"].replace("cat", cat)

    _trick.__name__ = f"one_class_is_written_with_{_name}"
    way(2, "rows where the truth is 'cat', and 'cat' in none")(_trick)


@way(3, "finds worse")
def a_baseline_that_abstains(scene: Scene) -> None:
    """A label of its own that is spread over the classes is an answer."""
    _words_for_numbers(scene)
    scene.baseline.loc[::20, "prediction"] = "idk"


@way(2, "none of the labels of the truth")
def labels_of_another_kind(scene: Scene) -> None:
    scene.baseline["prediction"] = "LABEL_" + scene.baseline["prediction"]


@way(2, "must have labels of the truth")
def probabilities_in_the_place_of_labels(scene: Scene) -> None:
    scene.baseline["prediction"] = scene.baseline["prediction"].map({"1": "0.93", "0": "0.07"})


@way(2, "none of the labels of the truth")
def numbers_of_classes_in_the_place_of_names(scene: Scene) -> None:
    for frame in scene.frames:
        frame["truth"] = frame["truth"].map({"1": "cat", "0": "dog"})
    scene.candidate["prediction"] = scene.candidate["prediction"].map({"1": "cat", "0": "dog"})


@way(2, "must hold numbers where the truth does")
def a_word_turns_a_regression_into_classes(scene: Scene) -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=N)
    for frame, noise in zip(scene.frames, (0.1, 1.0), strict=True):
        frame["truth"] = y.astype(str)
        frame["prediction"] = (y + noise * rng.normal(size=N)).astype(str)
    scene.baseline.loc[0, "prediction"] = "failed"
    scene.candidate.loc[1, "prediction"] = scene.candidate.loc[1, "truth"]


@way(3, "finds worse")
def a_regression_beyond_64_bits(scene: Scene) -> None:
    for frame, factor in zip(scene.frames, (1, 5), strict=True):
        y = [10**19 + 10**16 * i for i in range(N)]
        frame["truth"] = [str(one) for one in y]
        frame["prediction"] = [str(factor * one) for one in y]
    scene.baseline.loc[0, "prediction"] = str(2 * 10**19)
    scene.ask = ["--fail-unless", "not-worse", "--measure", "absolute"]


# What stands in the files: probabilities


def _probabilities(scene: Scene) -> None:
    rng = np.random.default_rng(0)
    for frame, right in zip(scene.frames, (0.8, 0.6), strict=True):
        p = right + 0.1 * rng.random(N)
        of_1 = np.where(frame["truth"] == "1", p, 1 - p)
        del frame["prediction"]
        frame["p:0"], frame["p:1"] = 1 - of_1, of_1
    scene.ask = ["--fail-unless", "not-worse", "--measure", "brier"]


@way(3, "finds worse")
def probabilities_as_they_are(scene: Scene) -> None:
    _probabilities(scene)


@way(2, "Divide percentages by 100")
def probabilities_in_per_cent(scene: Scene) -> None:
    _probabilities(scene)
    scene.baseline[["p:0", "p:1"]] *= 100


@way(2, "a sum of 1.8")
def probabilities_that_sum_to_more(scene: Scene) -> None:
    _probabilities(scene)
    scene.baseline[["p:0", "p:1"]] = 0.9


@way(2, "sum to 1")
def probabilities_of_the_candidate_that_are_all_1(scene: Scene) -> None:
    _probabilities(scene)
    scene.candidate[["p:0", "p:1"]] = 1.0


@way(2, "from 0 to 1")
def probabilities_below_0(scene: Scene) -> None:
    _probabilities(scene)
    scene.baseline[["p:0", "p:1"]] = -0.2, 1.2


@way(2, "a value in every row")
def probabilities_that_are_missing_where_they_are_wrong(scene: Scene) -> None:
    _probabilities(scene)
    scene.candidate.loc[scene.candidate.index[:80], ["p:0", "p:1"]] = np.nan


# What stands in the files: weights, ids, rows


@way(2, "one weight for every example")
def weights_that_differ(scene: Scene) -> None:
    scene.baseline["weight"] = 1.0
    scene.candidate["weight"] = np.where(scene.wrong, 0.0, 1.0)


@way(2, "one weight for every example")
def weights_that_differ_for_one_example(scene: Scene) -> None:
    for frame in scene.frames:
        frame["weight"] = 1.0
    scene.candidate.loc[scene.wrong.idxmax(), "weight"] = 0.0


@way(2, "Column 'weight'")
def weights_below_0(scene: Scene) -> None:
    for frame in scene.frames:
        frame["weight"] = np.where(scene.wrong, -1.0, 1.0)


@way(2, "above 0 for at least two examples")
def weights_that_leave_one_example(scene: Scene) -> None:
    for frame in scene.frames:
        frame["weight"] = np.where(frame.index == (~scene.wrong).idxmax(), 1.0, 0.0)


@way(2, "no example outweigh all others")
def one_example_outweighs_all_others(scene: Scene) -> None:
    for frame in scene.frames:
        frame["weight"] = np.where(frame.index == (~scene.wrong).idxmax(), 1e12, 1.0)


@way(2, "one truth for every example")
def the_candidate_brings_its_own_truth(scene: Scene) -> None:
    scene.candidate["truth"] = scene.candidate["prediction"]


@way(2, "missing")
def the_candidate_lacks_what_it_got_wrong(scene: Scene) -> None:
    scene.candidate = scene.candidate[~scene.wrong]


@way(4, "about only a part of the data")
def the_candidate_lacks_what_it_got_wrong_and_holes_are_dropped(scene: Scene) -> None:
    scene.candidate = scene.candidate[~scene.wrong]
    scene.ask += ["--on-missing", "drop"]


@way(4, "about only a part of the data")
def the_candidate_gave_no_answer_where_it_is_wrong_and_gaps_are_dropped(scene: Scene) -> None:
    scene.candidate.loc[scene.wrong, "prediction"] = ""
    scene.ask += ["--on-missing", "drop", "--undecided", "pass"]


@way(2, "more")
def what_is_right_stands_there_twice(scene: Scene) -> None:
    scene.candidate = pd.concat([scene.candidate, scene.candidate[~scene.wrong]])


@way(2, "missing")
def other_ids(scene: Scene) -> None:
    scene.candidate["example"] = [str(i + 1) for i in range(N)]


@way(2, "no rows")
def no_rows(scene: Scene) -> None:
    scene.candidate = scene.candidate[:0]


@way(2, "several values of each algorithm")
def a_single_example(scene: Scene) -> None:
    scene.baseline, scene.candidate = scene.baseline[:1], scene.baseline[:1].copy()


@way(4, "finds inconclusive")
def three_examples_on_which_both_are_right(scene: Scene) -> None:
    for frame in scene.frames:
        frame["prediction"] = frame["truth"]
    scene.baseline, scene.candidate = scene.baseline[:3], scene.candidate[:3]


@way(2, "one group for every example")
def groups_that_differ(scene: Scene) -> None:
    scene.baseline["group"] = np.arange(N) % 50
    scene.candidate["group"] = np.arange(N) % 40


@way(2, "--baseline and --candidate must be different files")
def one_file_by_two_paths(scene: Scene) -> None:
    path = scene.folder / "main.csv"
    scene.baseline.to_csv(path, index=False)
    scene.files = [
        "--baseline",
        path,
        "--candidate",
        scene.folder / ".." / scene.folder.name / "main.csv",
    ]


@way(2, "--baseline and --candidate must be different files")
def one_file_by_a_link(scene: Scene) -> None:
    path, link = scene.folder / "main.csv", scene.folder / "branch.csv"
    scene.baseline.to_csv(path, index=False)
    link.symlink_to(path)
    scene.files = ["--baseline", path, "--candidate", link]


@way(2, "--baseline and --candidate must be different files")
def one_file_by_a_hard_link(scene: Scene) -> None:
    path, link = scene.folder / "main.csv", scene.folder / "branch.csv"
    scene.baseline.to_csv(path, index=False)
    link.hardlink_to(path)
    scene.files = ["--baseline", path, "--candidate", link]


def _one_table(scene: Scene, *names: str) -> None:
    table = scene.folder / "table.csv"
    frames = [frame.assign(model=name) for frame, name in zip(scene.frames, names, strict=True)]
    pd.concat(frames).to_csv(table, index=False)
    scene.files = [table]


@way(2, "--baseline must be one of")
def a_baseline_that_is_not_in_the_table(scene: Scene) -> None:
    _one_table(scene, "main", "branch")
    scene.files += ["--baseline", "master"]


@way(2, "stands twice in an object")
def a_second_prediction_in_every_line(scene: Scene) -> None:
    scene.words()
    lines = []
    for row in scene.candidate.to_dict("records"):
        both = {**row, "Prediction": row["truth"]}
        lines.append(json.dumps(both).replace("Prediction", "prediction"))
    scene.files[3] = scene.folder / "branch.jsonl"
    scene.files[3].write_text("\n".join(lines))


@way(2, "different names")
def a_second_column_of_predictions(scene: Scene) -> None:
    scene.candidate["again"] = scene.candidate["truth"]
    scene.candidate.columns = pd.Index(["example", "truth", "prediction", "prediction"])


@way(2, "cannot be read")
def a_file_that_breaks_off(scene: Scene) -> None:
    words = scene.words()
    whole = Path(words[4]).read_bytes()
    broken = scene.folder / "broken.csv.gz"
    broken.write_bytes(gzip.compress(whole)[:-20])
    scene.files[3] = broken


# What is asked


@way(2, "--margin must be below 1")
def a_margin_of_1(scene: Scene) -> None:
    scene.ask = ["--fail-unless", "not-worse", "--margin", 1]


@way(2, "--margin must be below 1")
def a_margin_in_per_cent(scene: Scene) -> None:
    scene.ask = ["--fail-unless", "equivalent", "--margin", 5]


@way(2, "--margin must be below 1")
def a_margin_beyond_everything(scene: Scene) -> None:
    scene.ask = ["--fail-unless", "not-worse", "--margin", 1e300]


@way(2, "--margin must be")
def a_margin_beyond_everything_without_a_range(scene: Scene) -> None:
    _values(scene, 0.5, 0.9)
    scene.ask = ["--fail-unless", "not-worse", "--margin", 1e300, "--lower-is-better"]


@way(2, "--margin must be below 1")
def a_margin_of_1_on_bare_right_and_wrong(scene: Scene) -> None:
    _right_and_wrong(scene)
    scene.ask = ["--fail-unless", "not-worse", "--margin", 1, "--higher-is-better"]


@way(2, "--margin must be a finite number")
def no_number_for_a_margin(scene: Scene) -> None:
    scene.ask = ["--fail-unless", "not-worse", "--margin", "nan"]


@way(2, "--positive must be one of the labels")
def a_class_that_is_not_there(scene: Scene) -> None:
    scene.ask = ["--fail-unless", "not-worse", "--measure", "f1", "--positive", "2"]


@way(2, "--level must be")
def a_level_at_which_everything_is_sure(scene: Scene) -> None:
    scene.ask = ["--fail-unless", "not-worse", "--margin", 0.15, "--level", 0.99]


@way(4, "finds inconclusive")
def a_single_run_written_down_three_times(scene: Scene) -> None:
    scene.baseline, scene.candidate = (
        pd.DataFrame({"run": range(3), "value": value}) for value in (0.5, 0.6)
    )
    scene.ask = ["--fail-unless", "better", "--higher-is-better"]


@way(2, "measure 'zero-one'")
def the_direction_of_a_known_measure_turned(scene: Scene) -> None:
    scene.ask = ["--fail-unless", "not-worse", "--measure", "zero-one", "--higher-is-better"]


@way(2, "measure 'accuracy'")
def the_direction_of_a_named_column_turned(scene: Scene) -> None:
    _right_and_wrong(scene)
    scene.ask = ["--fail-unless", "not-worse", "--measure", "accuracy", "--lower-is-better"]


@way(2, "measure 'neg_log_loss'")
def the_direction_of_turned_losses_turned_again(scene: Scene) -> None:
    _values(scene, -0.5, -0.9)
    scene.ask = ["--fail-unless", "not-worse", "--measure", "neg_log_loss", "--lower-is-better"]


@way(2, "must have one role")
def the_prediction_is_the_truth(scene: Scene) -> None:
    scene.ask += ["--column", "truth=prediction"]


@way(2, "from 0 to 1")
def the_baseline_in_parts_and_the_candidate_in_per_cent(scene: Scene) -> None:
    _values(scene, 0.8, 60)
    scene.ask = ["--fail-unless", "not-worse", "--measure", "accuracy"]


@way(2, "finite")
def one_value_is_infinite(scene: Scene) -> None:
    _values(scene, 0.5, 0.9)
    scene.baseline.loc[3, "value"] = np.inf
    scene.ask = ["--fail-unless", "not-worse", "--lower-is-better"]


@way(2, "Use another unit")
def one_value_is_so_large_that_sums_are_infinite(scene: Scene) -> None:
    _values(scene, 0.5, 0.9)
    scene.baseline.loc[:3, "value"] = 1.7e308
    scene.ask = ["--fail-unless", "not-worse", "--lower-is-better"]


@way(2, "There is no method")
def a_method_that_is_none_over_data_sets(scene: Scene) -> None:
    _data_sets(scene)
    scene.ask = ["--higher-is-better", "--fail-unless", "better", "--method", "no-such-method"]


@way(2, "--alternative must be 'two-sided' over data sets")
def an_alternative_over_data_sets(scene: Scene) -> None:
    _data_sets(scene)
    scene.ask = ["--higher-is-better", "--fail-unless", "better", "--alternative", "greater"]


# Data sets


@way(2, "results on 'd0' and 'd1' are the same")
def one_data_set_ten_times(scene: Scene) -> None:
    _data_sets(scene, again=True)
    scene.ask = ["--higher-is-better", "--fail-unless", "better"]


@way(2, "results on 'd0' and 'd1' are the same")
def the_examples_of_one_data_set_ten_times(scene: Scene) -> None:
    parts = [
        frame.assign(algorithm=name)
        for frame, name in zip(scene.frames, ("main", "branch"), strict=True)
    ]
    one = pd.concat(parts)
    table = scene.folder / "sets.csv"
    pd.concat([one.assign(dataset=f"d{i}") for i in range(10)]).to_csv(table, index=False)
    scene.files = [table, "--baseline", "branch"]
    scene.ask = ["--fail-unless", "better"]


@way(4, "about only a part of the data")
def the_candidate_was_run_where_it_is_better(scene: Scene) -> None:
    _data_sets(scene)
    table = pd.read_csv(scene.files[0])
    table.loc[len(table)] = ["d99", 0.9, np.nan]
    table.to_csv(scene.files[0], index=False)
    scene.ask = ["--higher-is-better", "--fail-unless", "better", "--on-missing", "drop"]


@way(4, "about only a part of the data")
def the_candidate_was_run_where_it_is_better_and_holes_are_kept(scene: Scene) -> None:
    rng = np.random.default_rng(0)
    rows = [
        (f"d{i}", name, value)
        for i in range(9)
        for name, value in zip("ab", (0.5, 0.6), strict=True)
    ]
    frame = pd.DataFrame([*rows, ("d9", "a", 0.9)], columns=["dataset", "algorithm", "value"])
    frame["value"] += rng.normal(size=len(frame)) / 100
    table = scene.folder / "sets.csv"
    frame.to_csv(table, index=False)
    scene.files = [table, "--baseline", "a"]
    scene.ask = ["--higher-is-better", "--fail-unless", "better", "--on-missing", "keep"]


@way(2, "ISO")
def days_that_sort_as_texts(scene: Scene) -> None:
    days = pd.date_range("2024-01-01", periods=N)
    for frame in scene.frames:
        frame["time"] = [f"{day.day}/{day.month}/{day.year}" for day in days]
        del frame["example"]


def _values(scene: Scene, *means: float) -> None:
    rng = np.random.default_rng(0)
    for frame, mean in zip(scene.frames, means, strict=True):
        del frame["truth"], frame["prediction"]
        frame["value"] = mean * (1 + 0.1 * rng.random(N))


def _right_and_wrong(scene: Scene) -> None:
    for frame in scene.frames:
        frame["value"] = (frame["truth"] == frame["prediction"]).astype(int)
        del frame["truth"], frame["prediction"]


def _data_sets(scene: Scene, *, again: bool = False) -> None:
    rng = np.random.default_rng(0)
    table = scene.folder / "sets.csv"
    a = np.full(10, 0.5) if again else rng.random(10) / 2
    frame = pd.DataFrame({"dataset": [f"d{i}" for i in range(10)], "a": a, "b": a + 0.1})
    if not again:
        frame["b"] += rng.random(10) / 10
    frame.to_csv(table, index=False)
    scene.files = [table, "--baseline", "a"]


@pytest.mark.parametrize("name", WAYS)
def test_a_gate_is_not_fooled(evenfold: Run, tmp_path: Path, name: str) -> None:
    trick, code, reason = WAYS[name]
    scene = Scene(tmp_path)
    trick(scene)
    done = evenfold(*scene.words())
    assert (done.exit_code, done.exception.__class__) == (code, SystemExit), (
        done.output,
        done.exception,
    )
    assert reason in done.stderr
    assert "Traceback" not in done.output


def test_there_are_forty_ways() -> None:
    assert len(WAYS) >= 40


def test_no_answer_does_not_pass() -> None:
    assert gate([], "not-worse", "pass") == GATE_FAILED


@pytest.mark.parametrize(
    "rows",
    [
        [{"example": i, "truth": i % 2, "prediction": bool(i % 2)} for i in range(40)],
        [{"example": i, "truth": i % 2, "prediction": float(i % 2)} for i in range(40)],
    ],
    ids=["booleans", "floats"],
)
def test_what_json_means_alike_is_alike(
    evenfold: Run, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    """No false alarms: 1, 1.0 and true are one label where the file says what they are."""
    paths = [tmp_path / "main.jsonl", tmp_path / "branch.jsonl"]
    plain = [{"example": i, "truth": i % 2, "prediction": i % 2} for i in range(40)]
    for path, lines in zip(paths, (plain, rows), strict=True):
        path.write_text("\n".join(json.dumps(line) for line in lines))
    done = evenfold("judge", "--baseline", paths[0], "--candidate", paths[1])
    assert done.exit_code == 0, done.output
    assert "fixed 0, broke 0" in done.stdout


PAIR = (
    "--a",
    "sklearn.dummy:DummyClassifier",
    "--b",
    "sklearn.naive_bayes:GaussianNB",
    "--seed",
    0,
)
BETTER = (*PAIR, "--target", "y", "--design", "holdout:0.5", "--fail-unless", "better")


def _data(path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=40)
    pd.DataFrame({"x": x, "y": (x > 0).astype(int)}).to_csv(path, index=False)


def test_a_folder_passes_if_all_of_it_does(evenfold: Run, tmp_path: Path) -> None:
    for i in range(7):
        _data(tmp_path / f"{i}.csv", i)
    done = evenfold("compare", tmp_path, *BETTER)
    assert done.exit_code == 0, done.output


def test_a_folder_of_which_four_files_cannot_be_read_does_not_pass(
    evenfold: Run, tmp_path: Path
) -> None:
    for i in range(10):
        _data(tmp_path / f"{i}.csv", i)
        if i >= 6:
            (tmp_path / f"{i}.csv").write_bytes(b"\0\1\2")
    done = evenfold("compare", tmp_path, *BETTER, "--undecided", "pass")
    assert done.exit_code == 4, done.output
    assert "about only a part of the data: 6.csv is left out" in done.stderr


def test_one_file_ten_times_does_not_pass(evenfold: Run, tmp_path: Path) -> None:
    for i in range(10):
        _data(tmp_path / f"{i}.csv", 0)
    done = evenfold("compare", tmp_path, *BETTER)
    assert done.exit_code == 2, done.output
    assert "the results on '0' and '1' are the same" in done.stderr


def test_a_margin_as_wide_as_the_measure_does_not_pass(evenfold: Run, tmp_path: Path) -> None:
    _data(tmp_path / "d.csv", 0)
    asked = (*BETTER[:-1], "not-worse", "--margin", 1)
    done = evenfold("compare", tmp_path / "d.csv", *asked)
    assert done.exit_code == 2, done.output
    assert "--margin must be below 1, the range of measure 'zero-one', but got 1.0" in done.stderr

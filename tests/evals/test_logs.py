"""Logs of evaluation programs, in small files of the shape that each of them writes."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldError
from evenfold.evals.logs import FORMATS
from evenfold.evals.logs._base import format_of
from evenfold.read.results import read_results

QUESTIONS = [f"What is {i} + {i}?" for i in range(40)]
RIGHT = {"main": np.arange(40) % 4 != 0, "branch": np.arange(40) % 5 != 0}


def promptfoo_row(i: int, right: bool, provider: str, **more: Any) -> dict[str, Any]:
    return {
        "promptIdx": 0,
        "testIdx": i,
        "provider": {"id": f"openai:{provider}", "label": provider},
        "prompt": {"raw": "Answer: {{question}}", "label": "Answer: {{question}}"},
        "vars": {"question": QUESTIONS[i]},
        "success": bool(right),
        "score": 1.0 if right else 0.25,
        "failureReason": 0 if right else 1,
        "namedScores": {"politeness": 0.5},
        "latencyMs": 12,
        "cost": 0.001,
        **more,
    }


def promptfoo(path: Path, names: list[str], rows: Any = None) -> Path:
    each = rows or [promptfoo_row(i, RIGHT[name][i], name) for i in range(40) for name in names]
    summary: dict[str, Any] = {
        "version": 3,
        "timestamp": "2026-01-01T00:00:00Z",
        "prompts": [],
        "results": each,
        "stats": {},
    }
    path.write_text(json.dumps({"evalId": "eval-x", "results": summary, "config": {}}))
    return path


def inspect_samples(name: str) -> list[dict[str, Any]]:
    return [
        {
            "id": i,
            "epoch": epoch,
            "input": QUESTIONS[i],
            "target": str(2 * i),
            "scores": {"match": {"value": grade}},
        }
        for epoch in (1, 2)
        for i in range(40)
        for grade in ["C" if RIGHT[name][i] else "I"]
    ]


def inspect_header(name: str, status: str = "success") -> dict[str, Any]:
    return {
        "version": 2,
        "status": status,
        "eval": {"model": f"openai/{name}", "task": "sums", "eval_id": name},
    }


def inspect_json(path: Path, name: str, **header: Any) -> Path:
    path.write_text(
        json.dumps({**inspect_header(name, **header), "samples": inspect_samples(name)})
    )
    return path


def inspect_eval(path: Path, name: str, *, summaries: bool = True) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("_journal/start.json", "{}")
        file.writestr("header.json", json.dumps(inspect_header(name)))
        samples = inspect_samples(name)
        if summaries:
            file.writestr("summaries.json", json.dumps(samples))
        for sample in samples:
            file.writestr(
                f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample)
            )
    return path


def helm_stat(name: str, value: float, **more: Any) -> dict[str, Any]:
    return {
        "name": {"name": name, "split": "test", **more},
        "count": 1,
        "sum": value,
        "sum_squared": value**2,
    }


def helm(folder: Path, name: str) -> Path:
    folder.mkdir()
    noisy = {"name": "typos"}
    stats = []
    for i in range(40):
        right = float(RIGHT[name][i])
        place = {"instance_id": f"id{i}", "train_trial_index": 0}
        stats.append(
            {**place, "stats": [helm_stat("exact_match", right), helm_stat("num_bytes", 7.0)]}
        )
        # another family of metrics
        stats.append({**place, "stats": [helm_stat("inference_runtime", 0.1)]})
        stats.append(
            {
                **place,
                "perturbation": noisy,
                "stats": [helm_stat("exact_match", 0.0, perturbation=noisy)],
            }
        )
    (folder / "per_instance_stats.json").write_text(json.dumps(stats))
    spec = {"name": f"mmlu:subject=sums,model=org_{name}", "adapter_spec": {"model": f"org/{name}"}}
    (folder / "run_spec.json").write_text(json.dumps(spec))
    return folder


def deepeval(path: Path, name: str) -> Path:
    cases = [
        {
            "name": f"test_case_{i}",
            "input": QUESTIONS[i],
            "success": bool(RIGHT[name][i]),
            "metricsData": [
                {
                    "name": "Answer Relevancy",
                    "score": 0.9 if RIGHT[name][i] else 0.2,
                    "threshold": 0.5,
                }
            ],
        }
        for i in range(40)
    ]
    path.write_text(json.dumps({"testCases": cases, "metricsScores": []}))
    return path


def openai_evals(path: Path, name: str, *, finished: bool = True) -> Path:
    spec = {
        "spec": {
            "eval_name": "sums.dev.v0",
            "base_eval": "sums",
            "completion_fns": [name],
            "run_id": "r",
        }
    }
    rows: list[Any] = [spec]
    for i in range(40):
        place = {"run_id": "r", "sample_id": f"sums.dev.{i}", "event_id": 2 * i}
        rows.append({**place, "type": "sampling", "data": {"prompt": QUESTIONS[i]}})
        rows.append(
            {
                **place,
                "type": "match",
                "data": {"correct": bool(RIGHT[name][i]), "expected": str(2 * i)},
            }
        )
    rows += [{"final_report": {"accuracy": 0.8}}] if finished else []
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def ragas(path: Path, name: str) -> Path:
    frame = pd.DataFrame(
        {
            "user_input": QUESTIONS,
            "response": "…",
            "reference": "…",
            "faithfulness": RIGHT[name].astype(float),
        }
    )
    frame.to_csv(path, index=False)
    return path


def lighteval(path: Path, name: str) -> Path:
    rows = [
        {"doc": {"query": QUESTIONS[i], "choices": ["a"]}, "metric": {"em": float(RIGHT[name][i])}}
        for i in range(40)
    ]
    path.with_suffix("").mkdir()
    path = path.with_suffix("") / "details_sums_2026-01-01T00-00-00.parquet"
    pd.DataFrame(rows).to_parquet(path)
    return path


Writer = Callable[[Path, str], Path]
WRITERS: dict[str, tuple[Writer, str, dict[str, Any]]] = {
    "promptfoo": (lambda path, name: promptfoo(path, [name]), ".json", {}),
    "inspect-log": (inspect_json, ".json", {}),
    "helm": (helm, "", {"measure": "exact_match"}),
    "deepeval": (deepeval, ".json", {"measure": "success"}),
    "openai-evals": (openai_evals, ".jsonl", {}),
    "ragas": (ragas, ".csv", {"measure": "faithfulness", "higher_is_better": True}),
    "lighteval": (lighteval, ".parquet", {"measure": "em", "higher_is_better": True}),
}


def two_logs(key: str, folder: Path) -> tuple[dict[str, Path], dict[str, Any]]:
    write, suffix, asked = WRITERS[key]
    return {name: write(folder / f"{name}{suffix}", name) for name in RIGHT}, asked


def test_every_format_has_a_sample() -> None:
    assert set(WRITERS) == set(FORMATS)
    assert {key for key, form in FORMATS.items() if not form.provisional} == {
        "promptfoo",
        "inspect-log",
        "helm",
    }


@pytest.mark.parametrize("key", WRITERS)
def test_two_logs_are_judged_by_question(key: str, tmp_path: Path) -> None:
    logs, asked = two_logs(key, tmp_path)
    c = ef.judge(logs, **asked)
    assert c.pairs[0].baseline == "main"
    difference = RIGHT["branch"].mean() - RIGHT["main"].mean()
    assert float(c.pairs[0].estimate.value) == pytest.approx(difference)
    assert not c.losses.lower_is_better


@pytest.mark.parametrize("key", WRITERS)
def test_the_format_of_a_file_is_found(key: str, tmp_path: Path) -> None:
    logs, _ = two_logs(key, tmp_path)
    path = logs["main"]
    file = path / "per_instance_stats.json" if path.is_dir() else path
    found = format_of(file)
    assert found is not None
    assert found.key == key


@pytest.mark.parametrize("key", WRITERS)
def test_the_order_of_a_log_does_not_matter(key: str, tmp_path: Path) -> None:
    logs, asked = two_logs(key, tmp_path)
    asked = {name: value for name, value in asked.items() if name != "higher_is_better"}
    before = read_results(logs, **asked)
    assert before.example is not None
    assert len(before.example) == 40


def test_one_file_of_promptfoo_with_several_providers(tmp_path: Path) -> None:
    c = ef.judge(
        promptfoo(tmp_path / "r.json", ["main", "branch"]), baseline="main", measure="accuracy"
    )
    assert (c.pairs[0].baseline, c.pairs[0].challenger) == ("main", "branch")
    assert c.losses.quantity.name == "accuracy"
    graded = ef.judge(tmp_path / "r.json", baseline="main", measure="score")
    assert graded.losses.quantity.name == "score"


def test_tests_of_promptfoo_are_matched_by_what_they_ask(tmp_path: Path) -> None:
    rows = [promptfoo_row(i, RIGHT["main"][i], "main") for i in range(40)]
    moved = [{**row, "testIdx": 39 - row["testIdx"]} for row in reversed(rows)]
    logs = {
        "a": promptfoo(tmp_path / "a.json", [], rows),
        "b": promptfoo(tmp_path / "b.json", [], moved),
    }
    c = ef.judge(logs, measure="accuracy", margin=0.2)
    assert (len(c.flips.fixed), len(c.flips.broke)) == (0, 0)


def test_several_prompts_are_algorithms_and_repeats_are_runs(tmp_path: Path) -> None:
    short = {"raw": "{{question}}", "label": "short"}
    long = {"raw": "Think first: {{question}}", "label": "long"}
    rows = [
        promptfoo_row(i, RIGHT["main"][i], "gpt", prompt=prompt)
        for _ in range(2)
        for i in range(40)
        for prompt in (short, long)
    ]
    found = read_results(promptfoo(tmp_path / "r.json", [], rows))
    assert found.names == ("gpt · long", "gpt · short")
    assert found.run is not None
    assert len(found.run) == 2


def test_a_call_that_failed_was_not_graded(tmp_path: Path) -> None:
    rows = [promptfoo_row(i, RIGHT["main"][i], "main") for i in range(40)]
    rows[3] |= {"failureReason": 2, "success": False, "score": 0, "error": "429"}
    logs = {
        "main": promptfoo(tmp_path / "a.json", ["main"]),
        "branch": promptfoo(tmp_path / "b.json", [], rows),
    }
    with pytest.raises(EvenfoldError, match="1 row has none"):
        ef.judge(logs, measure="accuracy")


@pytest.mark.parametrize("summaries", [True, False])
def test_an_archive_of_inspect_says_what_its_json_says(tmp_path: Path, summaries: bool) -> None:
    archives = tmp_path / "archives"
    archives.mkdir()
    plain = ef.judge({name: inspect_json(tmp_path / f"{name}.json", name) for name in RIGHT})
    logs = {
        name: inspect_eval(archives / f"{name}.eval", name, summaries=summaries) for name in RIGHT
    }
    assert str(plain.verdict) == str(ef.judge(logs).verdict)
    folder = ef.judge(archives, baseline="openai/main")
    assert folder.pairs[0].challenger == "openai/branch"


def test_a_run_that_did_not_finish_is_refused(tmp_path: Path) -> None:
    logs = {
        name: inspect_json(tmp_path / f"{name}.json", name, status="cancelled") for name in RIGHT
    }
    with pytest.raises(EvenfoldError, match=r"finished, but main\.json has the status 'cancelled'"):
        ef.judge(logs)
    half = {name: openai_evals(tmp_path / f"{name}.jsonl", name, finished=False) for name in RIGHT}
    with pytest.raises(EvenfoldError, match="no final report"):
        ef.judge(half)


def test_scores_of_inspect_that_hold_several_values(tmp_path: Path) -> None:
    for name in RIGHT:
        samples = inspect_samples(name)
        for sample in samples:
            sample["scores"] = {
                "judge": {"value": {"style": 0.5, "facts": float(sample["id"] % 2)}}
            }
        (tmp_path / f"{name}.json").write_text(
            json.dumps({**inspect_header(name), "samples": samples})
        )
    logs = {name: tmp_path / f"{name}.json" for name in RIGHT}
    with pytest.raises(EvenfoldError, match="judge/style"):
        ef.judge(logs)
    assert (
        ef.judge(logs, measure="judge/facts", higher_is_better=True).losses.quantity.name
        == "judge/facts"
    )


def test_several_runs_of_helm_are_one_test_set_by_scenario(tmp_path: Path) -> None:
    for scenario in ("a", "b"):
        for name in RIGHT:
            folder = helm(tmp_path / f"{scenario}-{name}", name)
            spec = {
                "name": f"{scenario},model=org_{name}",
                "adapter_spec": {"model": f"org/{name}"},
            }
            (folder / "run_spec.json").write_text(json.dumps(spec))
    found = read_results(tmp_path, measure="exact_match")
    assert found.names == ("org/branch", "org/main")
    assert found.example is not None
    assert len(found.example) == 80


def test_trials_of_helm_keep_their_numbers_in_files_of_their_own(tmp_path: Path) -> None:
    for trial in (0, 1):
        for name in RIGHT:
            folder = helm(tmp_path / f"{name}-{trial}", name)
            stats = json.loads((folder / "per_instance_stats.json").read_text())
            stats = [{**stat, "train_trial_index": trial} for stat in stats]
            (folder / "per_instance_stats.json").write_text(json.dumps(stats))
    found = read_results(tmp_path, measure="exact_match")
    assert found.run is not None
    assert sorted(set(found.run.labels)) == [0, 1]
    assert len(found.run.codes) == 2 * 2 * 40


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 50_000,
        b'{"results": {"results": [{"success": true, "score": 1, "vars": 3}]}}',
        b'{"results": {"results": []}}',
        b'{"eval": {"model": 3}, "status": "success", "samples": [{"id": 1}]}',
        b'{"eval": {"model": 3}, "status": "success", "samples": 7}',
        b'{"eval": {"model": 3}, "status": "success", "samples": []}',
        b'[{"instance_id": 1, "train_trial_index": 0, "stats": [{"name": 3}]}]',
        b'{"testCases": [{"metricsData": [{"nome": 1}]}]}',
    ],
)
def test_what_is_torn_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    paths = {}
    for name in ("a", "b"):
        paths[name] = tmp_path / f"{name}.json"
        paths[name].write_bytes(content)
    with pytest.raises(EvenfoldError) as caught:
        ef.judge(paths)
    assert "\n" not in str(caught.value)


def test_an_archive_that_is_none_is_refused(tmp_path: Path) -> None:
    for content in (b"", b"PK\x03\x04", b"no archive"):
        path = tmp_path / "a.eval"
        path.write_bytes(content)
        with pytest.raises(EvenfoldError):
            ef.judge({"a": path, "b": path})


def test_logs_that_name_nobody_need_names(tmp_path: Path) -> None:
    with pytest.raises(EvenfoldError, match="mapping of algorithms to logs"):
        ef.judge(deepeval(tmp_path / "r.json", "main"), measure="success")


def test_plain_tables_are_still_tables(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    pd.DataFrame(
        {"algorithm": list("aabb"), "example": [1, 2, 1, 2], "value": [0.1, 0.2, 0.4, 0.3]}
    ).to_csv(path)
    assert format_of(path) is None
    assert read_results(path, measure=None).names == ("a", "b")


def test_archives_that_inspect_wrote_itself() -> None:
    """Twelve sums in two epochs, answered by Inspect's own mock model; packed with Zstandard."""
    folder = Path(__file__).parent / "data"
    c = ef.judge({name: folder / f"sums-{name}.eval" for name in "ab"})
    right = [np.mean([i % wrong != 0 for i in range(12)]) for wrong in (3, 4)]
    assert float(c.pairs[0].estimate.value) == pytest.approx(right[1] - right[0])  # type: ignore[union-attr]
    assert c.losses.partition.n == 12


def test_accuracy_is_the_only_score_of_a_log_whatever_its_name(tmp_path: Path) -> None:
    logs = {name: inspect_json(tmp_path / f"{name}.json", name) for name in RIGHT}
    assert ef.judge(logs, measure="accuracy").losses.quantity.name == "accuracy"

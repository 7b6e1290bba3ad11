"""``per_instance_stats.json`` of HELM, with the ``run_spec.json`` beside it."""

from pathlib import Path
from typing import Any

from evenfold.core.json import parse
from evenfold.evals.logs._base import Document, Item, Log, LogFormat, register

# The metrics of HELM that are better when higher.
_HIGHER = frozenset(
    {
        "exact_match",
        "quasi_exact_match",
        "prefix_exact_match",
        "quasi_prefix_exact_match",
        "exact_match@5",
        "f1_score",
        "rouge_1",
        "rouge_2",
        "rouge_l",
        "bleu_1",
        "bleu_4",
        "math_equiv",
        "math_equiv_chain_of_thought",
        "final_number_exact_match",
        "NDCG@10",
        "RR@10",
    }
)
_KEYS = {"instance_id", "train_trial_index", "stats"}
_LARGEST_SPEC = 2**24  # bytes; run_spec.json describes a run and holds no answers
# HELM reports these splits; statistics of training instances do not measure a model
_SPLITS = ("test", "valid")


@register
class Helm(LogFormat):
    """
    Statistics of each instance in each trial. A trial is a run with other examples in the prompt.

    Perturbed instances are left out, because they are other questions. The value is the mean of a
    statistic. The model and the scenario are those of ``run_spec.json`` in the same folder.
    """

    key = "helm"
    program = "HELM"
    files = ("per_instance_stats.json",)
    provisional = False

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        return isinstance(document, list) and document[0].keys() >= _KEYS

    def read(self, document: Document, path: Path) -> Log:
        model, scenario = _run_of(path)
        # an instance has one entry per family of metrics
        merged: dict[tuple[str, int], dict[str, Any]] = {}
        for entry in document:
            if entry.get("perturbation") is None:
                place = str(entry["instance_id"]), int(entry["train_trial_index"])
                merged.setdefault(place, {}).update(_means(entry["stats"]))
        items = [
            Item(example=instance, scores=scores, algorithm=model, run=trial, task=scenario)
            for (instance, trial), scores in merged.items()
            if scores
        ]
        return Log(items=items, higher=_HIGHER)


def _means(stats: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean of each statistic of an unperturbed test instance that has a count."""
    means = {}
    for stat in stats:
        name = stat["name"]
        if (
            name.get("perturbation") is None
            and name.get("split", "test") in _SPLITS
            and stat.get("count")
        ):
            means[str(name["name"])] = stat["sum"] / stat["count"]
    return means


def _run_of(path: Path) -> tuple[str, str]:
    """Return the model and the scenario of a run, from the file in the folder of its statistics."""
    spec_file = path.with_name("run_spec.json")
    if not spec_file.exists():
        return "", path.parent.name
    if spec_file.stat().st_size > _LARGEST_SPEC:
        raise ValueError(f"run_spec.json is larger than {_LARGEST_SPEC:,} bytes")
    spec = parse(spec_file.read_bytes())
    model = str(spec["adapter_spec"]["model"])
    name = str(spec["name"])
    scenario = ",".join(part for part in name.split(",") if not part.startswith("model="))
    return model, scenario.replace(f"model={model.replace('/', '_')}", "").strip(":,")

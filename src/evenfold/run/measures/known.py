"""Which metrics of scikit-learn are measures of ours, which say something of single examples."""

from collections.abc import Callable, Mapping
from typing import Any

from evenfold.run.measures._base import Measure
from evenfold.run.measures.labels.probabilities import BRIER_LOSS

_ALL = ("micro", "weighted")  # averages that are the accuracy, where every example has one class


def _averaged(name: str, *, share_of_right: tuple[str, ...]) -> Callable[..., str]:
    """Precision, recall, F1 or Jaccard's index; averaged in some ways it is the accuracy."""

    def ours(average: str = "binary", pos_label: Any = None) -> str:
        if average in share_of_right:
            return "accuracy"
        names = {"binary": name, "macro": f"macro-{name}", "weighted": f"class-weighted-{name}"}
        return names[average if pos_label is None else ""]  # a class that only the scorer knows

    return ours


def _area(multi_class: str = "raise", average: str = "macro") -> str:
    end = {"macro": "", "weighted": "-weighted"}[average]
    return "auc" if multi_class == "raise" else f"auc-{multi_class}{end}"


def _f_beta(beta: float, average: str = "binary") -> str:
    return {"binary": f"f-beta:{beta}"}[average]


_OURS: dict[str, Callable[..., str | Measure]] = {
    "accuracy_score": lambda: "accuracy",
    "zero_one_loss": lambda: "zero-one",
    "balanced_accuracy_score": lambda: "balanced-accuracy",
    "matthews_corrcoef": lambda: "mcc",
    "cohen_kappa_score": lambda weights=None: f"kappa:{weights}" if weights else "kappa",
    "precision_score": _averaged("precision", share_of_right=("micro",)),
    "recall_score": _averaged("recall", share_of_right=_ALL),
    "f1_score": _averaged("f1", share_of_right=("micro",)),
    "fbeta_score": _f_beta,
    "jaccard_score": _averaged("jaccard", share_of_right=()),
    "roc_auc_score": _area,
    "ndcg_score": lambda k=None: "ndcg" if k is None else f"ndcg:{k}",
    "log_loss": lambda: "log",
    "brier_score_loss": lambda: BRIER_LOSS,
    "mean_squared_error": lambda: "squared",
    "mean_absolute_error": lambda: "absolute",
    "mean_pinball_loss": lambda alpha=0.5: f"pinball:{alpha}",
    "root_mean_squared_error": lambda: "rmse",
    "r2_score": lambda: "r2",
    "explained_variance_score": lambda: "explained-variance",
}


def ours_of(metric: str, options: Mapping[str, Any]) -> Measure | None:
    """
    Return our measure that is a metric of scikit-learn with some options; None where none is.

    Examples
    --------
    >>> ours_of("f1_score", {"average": "macro"}).name, ours_of("median_absolute_error", {})
    ('macro-f1', None)
    """
    from evenfold.run.measures.resolve import as_measure

    try:
        return as_measure(_OURS[metric](**options))
    except (KeyError, TypeError):  # a metric, or an option of it, that we do not have
        return None


def by_metric(name: str) -> Measure | None:
    """
    Return our measure that is a metric of scikit-learn, by name; errors by their initials, too ("mae").

    Examples
    --------
    >>> by_metric("log_loss").name, by_metric("mae").name, by_metric("median_absolute_error")
    ('log', 'absolute', None)
    """
    errors = {_initials(metric): metric for metric in _OURS if metric.endswith("_error")}
    return ours_of(errors.get(name, name), {})


def _initials(metric: str) -> str:
    return "".join(word[0] for word in metric.split("_"))

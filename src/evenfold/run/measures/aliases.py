"""Other names of measures: those of papers, other libraries and everyday speech."""

import re

from evenfold.core.errors import InvalidInput

_SAME = {
    "acc": "accuracy",
    "error": "zero-one",
    "error-rate": "zero-one",
    "misclassification": "zero-one",
    "mse": "squared",
    "mae": "absolute",
    "quantile": "pinball",
    "r-squared": "r2",
    "root-mean-squared-error": "rmse",
    "mape": "percentage",
    "percentage-error": "percentage",
    "smape": "symmetric-percentage",
    "msle": "neg_mean_squared_log_error",
    "rmsle": "neg_root_mean_squared_log_error",
    "medae": "neg_median_absolute_error",
    "max-error": "neg_max_error",
    "auroc": "auc",
    "roc-auc": "auc",
    "rocauc": "auc",
    "c-statistic": "auc",
    "pr-auc": "average_precision",
    "prauc": "average_precision",
    "auprc": "average_precision",
    "auc-pr": "average_precision",
    "average-precision": "average_precision",
    "ap": "average_precision",
    "logloss": "log",
    "log-loss": "log",
    "cross-entropy": "log",
    "crossentropy": "log",
    "nll": "log",
    "gmean": "g-mean",
    "sensitivity": "recall",
    "tpr": "recall",
    "true-positive-rate": "recall",
    "ppv": "precision",
    "f2": "f-beta:2",
    "f0.5": "f-beta:0.5",
    "qwk": "kappa:quadratic",
    "cohen-kappa": "kappa",
    "matthews": "mcc",
    "phi": "mcc",
    "micro-f1": "f1_micro",
    "weighted-f1": "class-weighted-f1",
    "expected-calibration-error": "ece",
    "top-k-accuracy": "top_k_accuracy",
    "iou": "jaccard",
    "dice": "f1",
    "f1-score": "f1",
    "poisson": "neg_mean_poisson_deviance",
    "gamma": "neg_mean_gamma_deviance",
}
"""Names in lower case with hyphens, and what they are here or in scikit-learn."""

_PER_EXAMPLE = (
    "compute it for every example and give the table to ef.judge, with rows='examples' and "
    "higher_is_better="
)
_PER_QUERY = (
    "compute it for every query and give the table to ef.judge (docs: tasks, ranking: one value "
    "for every query)"
)
_MADE = {
    "gini": "it is 2·AUC − 1: use measure='auc', and double the difference",
    "youden": "it is 2·(balanced accuracy) − 1: use measure='balanced-accuracy', and double the "
    "difference",
    "hinge": "write measure=ef.run.measure(sklearn.metrics.hinge_loss, higher_is_better=False, "
    "response='decision_function')",
    "top-5-accuracy": "write measure=sklearn.metrics.make_scorer(top_k_accuracy_score, "
    "response_method='predict_proba', k=5)",
    "bleu": f"{_PER_EXAMPLE}True",
    "rouge": f"{_PER_EXAMPLE}True",
    "meteor": f"{_PER_EXAMPLE}True",
    "chrf": f"{_PER_EXAMPLE}True",
    "exact-match": f"{_PER_EXAMPLE}True",
    "wer": f"{_PER_EXAMPLE}False",
    "cer": f"{_PER_EXAMPLE}False",
    "precision@k": _PER_QUERY,
    "recall@k": _PER_QUERY,
    "specificity": "it is the recall of the other class: measure='recall', "
    "positive=THE_NEGATIVE_CLASS",
    "tnr": "it is the recall of the other class: measure='recall', positive=THE_NEGATIVE_CLASS",
    "spearman": "write measure=ef.run.measure(lambda y, p: scipy.stats.spearmanr(y, p)[0], "
    "higher_is_better=True, name='spearman')",
    "pearson": "write measure=ef.run.measure(lambda y, p: np.corrcoef(y, p)[0, 1], "
    "higher_is_better=True, "
    "name='pearson')",
    "wape": "write measure=ef.run.measure(lambda y, p: abs(y - p).sum() / abs(y).sum(), "
    "higher_is_better=False, name='wape')",
    "mase": "divide the target by the error of the naive forecast and use measure='absolute'",
    "huber": "write measure=ef.run.measure(lambda y, p: scipy.special.huber(1.0, y - p), "
    "higher_is_better=False, name='huber')",
    "perplexity": "compare measure='log': the perplexity is its exponential, and the order is the "
    "same",
    "crps": f"{_PER_EXAMPLE}False",
    "c-index": "compute the concordance of each model's risks on resampled or held-out data and "
    "give the "
    "table to ef.judge (docs: tasks, survival times)",
    "brier-score": "there are two: 'brier' sums over the classes (0 to 2), 'brier_score_loss' is "
    "scikit-learn's (0 to 1 for two classes)",
    "map": _PER_QUERY,
    "mrr": _PER_QUERY,
}
"""What is no measure here, and the line that makes it."""


def plain_name(name: str) -> str:
    """
    Return a name in lower case with hyphens; what stands behind a colon stays as it is.

    Examples
    --------
    >>> plain_name("PR_AUC"), plain_name("Log Loss"), plain_name("F-Beta:2")
    ('pr-auc', 'log-loss', 'f-beta:2')
    """
    family, colon, rest = name.strip().partition(":")
    return family.strip().lower().replace("_", "-").replace(" ", "-") + colon + rest


def same_measure(name: str) -> str:
    """
    Return the name by which a measure is known here, where it is asked for by another one.

    Examples
    --------
    >>> same_measure("AUROC"), same_measure("quantile:0.9"), same_measure("PR-AUC")
    ('auc', 'pinball:0.9', 'average_precision')
    """
    plain = plain_name(name)
    family, colon, rest = plain.partition(":")
    return _SAME.get(plain) or _SAME.get(family, family) + colon + rest


def refuse_known_alias(name: str) -> None:
    """Answer the name of something that is no measure here with the line that makes it."""
    plain = re.sub(r"@\d+$", "@k", plain_name(name))
    if remedy := _MADE.get(plain):
        raise InvalidInput(f"there is no measure {name!r} by name; {remedy}")

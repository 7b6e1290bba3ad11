"""Defect data, and the models that R19 chapter 7 puts on them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import evenfold as ef
from papers.learners import NegativeBinomial, maximal_information

Floats = NDArray[np.float64]
SETS = ("kc1-mdp", "cm1", "pc1", "ck-ant-1.7", "ck-camel-1.6", "kc1-class-defective")


def without_first(scores: Floats) -> Floats:
    """Drop the first principal component."""
    return scores[:, 1:]


def count_model(*, power: bool, first: bool, scorer: Any = None) -> Any:
    """
    R19 7.3: 52 metrics, power transformation or not, principal components, negative binomial.

    The metrics are chosen by the maximal information coefficient or any other scorer of
    ``SelectKBest``. R19 takes a power for each from another publication; here the logarithm stands
    in. All of it is learned on each training set.
    """
    powers = [FunctionTransformer(np.log1p)] if power else []
    drop = [] if first else [FunctionTransformer(without_first)]
    chosen = SelectKBest(scorer or maximal_information, k=52)
    compress = PCA(2 if power else 9)
    return make_pipeline(chosen, *powers, StandardScaler(), compress, *drop, NegativeBinomial())


def rank_correlations(X: Floats, y: Floats) -> Floats:
    """Spearman's correlation of each metric with the count, without its sign; 0 for a constant."""
    ranks = stats.rankdata(X, axis=0) - (len(X) + 1) / 2
    count = stats.rankdata(y) - (len(y) + 1) / 2
    spread = np.sqrt((ranks**2).sum(axis=0) * (count @ count))
    strength: Floats = np.abs(count @ ranks) / np.where(spread > 0, spread, 1.0)
    return strength


def propensity_models(
    *, undersampled: bool = True, components: tuple[int, int] = (4, 15)
) -> dict[str, Any]:
    """R19 7.4: under-sample, standardise, compress to 4 and 15 components, classify."""
    logistic = make_pipeline(
        StandardScaler(), PCA(components[0]), LogisticRegression(max_iter=1000)
    )
    forest = make_pipeline(StandardScaler(), PCA(components[1]), RandomForestClassifier(100))
    models = {"logistic": logistic, "forest": forest}
    return {
        name: ef.run.UnderSampled(model) if undersampled else model
        for name, model in models.items()
    }


def defect_counts(folder: Path) -> tuple[Floats, Floats]:
    """Metrics and numbers of defects of the 145 classes of KC1."""
    frame = pd.read_csv(folder / "kc1-class-numdefects.csv.gz")
    return frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy(float)


def propensity(folder: Path, name: str) -> tuple[Floats, NDArray[np.int64]]:
    """Metrics, and 1 for a module with a defect."""
    frame = pd.read_csv(folder / f"{name}.csv.gz")
    target = frame["target"]
    if target.dtype.kind in "if":
        defective = target > 0
    else:
        defective = target.astype(str).str.lower().isin(["y", "true"])
    return frame.drop(columns="target").to_numpy(float), defective.to_numpy(int)


@dataclass(frozen=True, eq=False, kw_only=True)
class Summary:
    """Mean over data sets with its 95 % interval, spread τ between them, and Wilcoxon's p-value."""

    mean: float
    low: float
    high: float
    tau: float
    wilcoxon: float


def random_effects(values: Floats, errors: Floats) -> Summary:
    """
    Sum up one difference per data set, each with its own standard error.

    The variance between data sets is DerSimonian and Laird's τ². The interval is that of
    Hartung, Knapp, Sidik and Jonkman, with t on k − 1 degrees of freedom.
    """
    k, fixed = len(values), 1 / errors**2
    centre = fixed @ values / fixed.sum()
    excess = fixed @ (values - centre) ** 2 - (k - 1)
    tau2 = max(0.0, excess / (fixed.sum() - (fixed**2).sum() / fixed.sum()))
    weights = 1 / (errors**2 + tau2)
    mean = weights @ values / weights.sum()
    variance = weights @ (values - mean) ** 2 / ((k - 1) * weights.sum())
    reach = stats.t.ppf(0.975, k - 1) * np.sqrt(variance)
    p = stats.wilcoxon(values, method="exact").pvalue
    return Summary(
        mean=mean, low=mean - reach, high=mean + reach, tau=np.sqrt(tau2), wilcoxon=float(p)
    )

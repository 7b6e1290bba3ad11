"""The names of ``evenfold.infer`` as type checkers see them; made by tools.signatures."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from evenfold.core.estimate import Alternative, PivotEstimate, VarianceEstimate
from evenfold.infer import theory
from evenfold.infer._base import Answer, Pivot, Variance, method
from evenfold.infer._registry import Method, Valid, estimate, methods, recommended, select
from evenfold.infer.adjust import adjustment, jointly
from evenfold.infer.anytime import AnytimeEstimate, GateLook, ItemGateEstimate, gate_items
from evenfold.infer.battles import BradleyTerry, bradley_terry
from evenfold.infer.bayes_scores import DifferencePosterior, kappa, score_posterior
from evenfold.infer.boards import RankSets, further_ranks, on_each_task, rank_sets, rank_sets_of
from evenfold.infer.bounded import BoundedEstimate, BoundedFoldsEstimate, CrossedBoundedEstimate
from evenfold.infer.data_sets._tables import RankPairs, rank_pairs
from evenfold.infer.data_sets.hierarchical import (
    HierarchicalPosterior,
    RandomEffects,
    bayes_hierarchical,
    random_effects,
)
from evenfold.infer.data_sets.omnibus import (
    FriedmanTest,
    RanksTest,
    aligned_ranks,
    critical_difference,
    friedman,
    friedman_holm,
    mean_ranks,
    nemenyi,
    quade,
    skillings_mack,
)
from evenfold.infer.data_sets.signs import (
    SignedRankPosterior,
    SignTest,
    bayes_signed_rank,
    sign_test,
    wilcoxon_holm,
)
from evenfold.infer.distributions import (
    AlmostOrder,
    QuantileDifference,
    almost_stochastic_order,
    quantile_difference,
)
from evenfold.infer.effects import EffectSize, a12, cliff_delta, cohen_d, mx2_power
from evenfold.infer.folds.full_size import SizeChange, size_change
from evenfold.infer.forecasts import ModelConfidenceSet
from evenfold.infer.halves.influence import InfluenceEstimate
from evenfold.infer.halves.mx2_tests import FEstimate
from evenfold.infer.halves.sequential import SequentialEstimate, SequentialTest
from evenfold.infer.halves.stable import StableEstimate, until_stable
from evenfold.infer.influence_scores import (
    DifferenceInfluence,
    influence_score,
    smooth_score_posterior,
)
from evenfold.infer.max_t import MaxT
from evenfold.infer.merge import merge
from evenfold.infer.one_test_set.flips import McNemarEstimate, OmnibusEstimate
from evenfold.infer.one_test_set.resampling import OrderEstimate
from evenfold.infer.one_test_set.tango_exact import FlipsEstimate, tango_power
from evenfold.infer.one_test_set.unpaired import TwoProportionsEstimate
from evenfold.infer.pareto import ParetoSet, pareto_set
from evenfold.infer.splits import BootstrapError, StudentPosterior, bootstrap_632_plus
from evenfold.infer.tables.tests import RunNoise, run_noise
from evenfold.infer.theory import covariance
from evenfold.infer.trials import pass_at_k, pass_hat_k

__all__ = [
    "AlmostOrder",
    "Answer",
    "BootstrapError",
    "BradleyTerry",
    "EffectSize",
    "FriedmanTest",
    "GateLook",
    "HierarchicalPosterior",
    "MaxT",
    "Method",
    "ModelConfidenceSet",
    "ParetoSet",
    "Pivot",
    "QuantileDifference",
    "RandomEffects",
    "RankPairs",
    "RankSets",
    "RanksTest",
    "RunNoise",
    "SequentialTest",
    "SignTest",
    "SignedRankPosterior",
    "SizeChange",
    "StableEstimate",
    "Valid",
    "Variance",
    "a12",
    "adjustment",
    "aligned_ranks",
    "almost_stochastic_order",
    "anytime",
    "bayes_correlated_t",
    "bayes_f1",
    "bayes_hierarchical",
    "bayes_precision",
    "bayes_recall",
    "bayes_signed_rank",
    "blocked_3x2_t",
    "bootstrap",
    "bootstrap_632",
    "bootstrap_632_plus",
    "bounded_kfold_t",
    "bounded_mean",
    "bradley_terry",
    "cliff_delta",
    "clustered_bootstrap",
    "clustered_bounded_mean",
    "clustered_cr2_t",
    "clustered_fair_t",
    "clustered_permutation",
    "clustered_t",
    "cochran_q",
    "cohen_d",
    "conservative_t",
    "conservative_z",
    "corrected_bootstrap",
    "corrected_kfold_t",
    "corrected_resampled_t",
    "cost_ratio_t",
    "covariance",
    "critical_difference",
    "crossed_bounded_mean",
    "crossed_t",
    "cv_clt",
    "cv_clt_within",
    "cv_theta1",
    "cv_theta2",
    "cv_theta3",
    "cv_theta4",
    "cv_theta5",
    "cv_theta5_t",
    "delong",
    "diebold_mariano",
    "diebold_mariano_fixed_b",
    "estimate",
    "five_by_two_combined_t",
    "five_by_two_f",
    "five_by_two_f_calibrated",
    "five_by_two_mcnemar",
    "five_by_two_t",
    "five_by_two_t_independent",
    "five_by_two_t_mean",
    "five_by_two_t_others",
    "fold_jackknife_t",
    "friedman",
    "friedman_holm",
    "full_size_t",
    "further_ranks",
    "gate_items",
    "giacomini_white",
    "giacomini_white_conditional",
    "holdout_t",
    "influence_f1",
    "influence_precision",
    "influence_recall",
    "influence_score",
    "item_gate",
    "jointly",
    "kappa",
    "kfold_t",
    "leave_one_out_t",
    "mcnemar",
    "mean_ranks",
    "merge",
    "method",
    "methods",
    "miettinen_nurminen",
    "model_confidence_set",
    "mx2_block_t",
    "mx2_combined_t",
    "mx2_influence_t",
    "mx2_oracle_t",
    "mx2_paired_t",
    "mx2_power",
    "mx2_sequential_t",
    "mx2_t",
    "mx2_v1",
    "mx2_v2",
    "mx2_v3",
    "nemenyi",
    "nested_cv",
    "on_each_task",
    "out_of_bag_t",
    "paired_bootstrap",
    "paired_t",
    "pareto_set",
    "pass_at_k",
    "pass_hat_k",
    "permutation",
    "prediction_powered_t",
    "quade",
    "quantile_difference",
    "random_effects",
    "rank_pairs",
    "rank_sets",
    "rank_sets_of",
    "recommended",
    "resampled_t",
    "run_noise",
    "runs_t",
    "score_posterior",
    "select",
    "sign_test",
    "size_change",
    "skillings_mack",
    "smooth_score_posterior",
    "sources_new_corrected_t",
    "sources_new_t",
    "sources_these_t",
    "sources_theta_a",
    "sources_theta_a_t",
    "sources_theta_b",
    "sources_theta_gamma",
    "sources_theta_gamma1",
    "sources_theta_omega",
    "sources_theta_omega1",
    "split_halves_t",
    "tango_exact",
    "tango_power",
    "theory",
    "two_proportion_z",
    "unpaired_delong",
    "until_stable",
    "welch_t",
    "wilcoxon_holm",
    "wong_kfold_independent_t",
    "wong_kfold_independent_z",
    "wong_kfold_matched_t",
    "wong_loo_independent_z",
    "wong_loo_matched_t",
    "wong_proportion",
]

def anytime(
    d: ArrayLike,
    *,
    low: float,
    high: float,
    mean: str = "drift",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> AnytimeEstimate: ...
def bayes_correlated_t(d: ArrayLike, *, n_train: int, n_test: int) -> StudentPosterior: ...
def bayes_f1(
    counts_a: ArrayLike,
    counts_b: ArrayLike,
    *,
    m: int | None,
    rho: tuple[float, float] | None = None,
    prior: float = 1.0,
) -> DifferencePosterior: ...
def bayes_precision(
    counts_a: ArrayLike,
    counts_b: ArrayLike,
    *,
    m: int | None,
    rho: tuple[float, float] | None = None,
    prior: float = 1.0,
) -> DifferencePosterior: ...
def bayes_recall(
    counts_a: ArrayLike,
    counts_b: ArrayLike,
    *,
    m: int | None,
    rho: tuple[float, float] | None = None,
    prior: float = 1.0,
) -> DifferencePosterior: ...
def blocked_3x2_t(
    d: ArrayLike,
    *,
    lam: float = 0.6666666666666666,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def bootstrap(
    d: ArrayLike,
    reruns: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def bootstrap_632(
    out_of_bag: ArrayLike,
    apparent: ArrayLike,
    counts: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def bounded_kfold_t(
    d: ArrayLike,
    *,
    n_test: int,
    low: float,
    high: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> BoundedFoldsEstimate: ...
def bounded_mean(
    d: ArrayLike,
    *,
    low: float,
    high: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> BoundedEstimate: ...
def clustered_bootstrap(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    draws: int = 9999,
    random_state: int = 0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> OrderEstimate: ...
def clustered_bounded_mean(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    low: float,
    high: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> BoundedEstimate: ...
def clustered_cr2_t(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def clustered_fair_t(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def clustered_permutation(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    draws: int = 9999,
    random_state: int = 0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> OrderEstimate: ...
def clustered_t(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def cochran_q(answers: ArrayLike) -> OmnibusEstimate: ...
def conservative_t(
    d: ArrayLike,
    halves: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def conservative_z(
    d: ArrayLike,
    halves: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def corrected_bootstrap(
    d: ArrayLike,
    reruns: ArrayLike,
    *,
    n_train: int,
    n_test: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def corrected_kfold_t(
    d: ArrayLike,
    *,
    rho: float | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def corrected_resampled_t(
    d: ArrayLike,
    *,
    n_train: int,
    n_test: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def cost_ratio_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def crossed_bounded_mean(
    a: ArrayLike,
    b: ArrayLike,
    *,
    low: float,
    high: float,
    paired: bool = True,
    clusters: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> CrossedBoundedEstimate: ...
def crossed_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    paired: bool = True,
    clusters: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def cv_clt(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def cv_clt_within(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def cv_theta1(losses: ArrayLike) -> VarianceEstimate: ...
def cv_theta2(losses: ArrayLike) -> VarianceEstimate: ...
def cv_theta3(losses: ArrayLike) -> VarianceEstimate: ...
def cv_theta4(losses: ArrayLike) -> VarianceEstimate: ...
def cv_theta5(losses: ArrayLike) -> VarianceEstimate: ...
def cv_theta5_t(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def delong(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    y: ArrayLike,
    *,
    positive: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def diebold_mariano(
    d: ArrayLike,
    *,
    horizon: int = 1,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def diebold_mariano_fixed_b(
    d: ArrayLike,
    *,
    horizon: int = 1,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def five_by_two_combined_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def five_by_two_f(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> FEstimate: ...
def five_by_two_f_calibrated(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> FEstimate: ...
def five_by_two_mcnemar(
    n10: ArrayLike,
    n01: ArrayLike,
    *,
    rho: tuple[float, float] = (0.5, 0.5),
    variant: str = "asymptotic",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> McNemarEstimate: ...
def five_by_two_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def five_by_two_t_independent(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def five_by_two_t_mean(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def five_by_two_t_others(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def fold_jackknife_t(
    losses: ArrayLike,
    folds: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def full_size_t(
    folds: ArrayLike,
    halves: ArrayLike,
    *,
    sides: Any = None,
    n_train: int | None = None,
    clusters: Any = None,
    zeros: bool = True,
    alone: bool = False,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> InfluenceEstimate: ...
def giacomini_white(
    d: ArrayLike,
    *,
    horizon: int = 1,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def giacomini_white_conditional(d: ArrayLike, *, horizon: int = 1) -> OmnibusEstimate: ...
def holdout_t(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def influence_f1(
    outcomes_a: ArrayLike,
    outcomes_b: ArrayLike,
    sides: ArrayLike,
    *,
    class_counts: Literal["random", "fixed"] = "random",
) -> DifferenceInfluence: ...
def influence_precision(
    outcomes_a: ArrayLike,
    outcomes_b: ArrayLike,
    sides: ArrayLike,
    *,
    class_counts: Literal["random", "fixed"] = "random",
) -> DifferenceInfluence: ...
def influence_recall(
    outcomes_a: ArrayLike,
    outcomes_b: ArrayLike,
    sides: ArrayLike,
    *,
    class_counts: Literal["random", "fixed"] = "random",
) -> DifferenceInfluence: ...
def item_gate(
    d: ArrayLike,
    *,
    low: float,
    high: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> ItemGateEstimate: ...
def kfold_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def leave_one_out_t(
    losses: ArrayLike,
    changes: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def mcnemar(
    n10: ArrayLike,
    n01: ArrayLike,
    *,
    variant: str = "asymptotic",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> McNemarEstimate: ...
def miettinen_nurminen(
    a: ArrayLike,
    b: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> TwoProportionsEstimate: ...
def model_confidence_set(
    losses: ArrayLike,
    *,
    horizon: int = 1,
    statistic: str = "max",
    block: int | None = None,
    draws: int = 1999,
    random_state: int = 0,
) -> ModelConfidenceSet: ...
def mx2_block_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def mx2_combined_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def mx2_influence_t(
    losses: ArrayLike,
    sides: ArrayLike,
    *,
    clusters: Any = None,
    zeros: bool = True,
    alone: bool = False,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> InfluenceEstimate: ...
def mx2_oracle_t(
    d: ArrayLike,
    *,
    rho1: float,
    rho2: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def mx2_paired_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def mx2_sequential_t(
    d: ArrayLike,
    *,
    level: float = 0.05,
    start: int = 3,
    boundary: str = "calibrated",
    futility: bool = False,
    most: int | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> SequentialEstimate: ...
def mx2_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def mx2_v1(d: ArrayLike) -> VarianceEstimate: ...
def mx2_v2(d: ArrayLike) -> VarianceEstimate: ...
def mx2_v3(d: ArrayLike) -> VarianceEstimate: ...
def nested_cv(
    losses: ArrayLike,
    folds: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def out_of_bag_t(
    losses: ArrayLike,
    changes: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def paired_bootstrap(
    losses: ArrayLike,
    *,
    variant: str = "bca",
    draws: int = 9999,
    random_state: int = 0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> OrderEstimate: ...
def paired_t(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def permutation(
    losses: ArrayLike,
    *,
    draws: int = 9999,
    random_state: int = 0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> OrderEstimate: ...
def prediction_powered_t(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    clusters: Any = None,
    weight: float | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def resampled_t(
    d: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def runs_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    paired: bool = True,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def sources_new_corrected_t(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def sources_new_t(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def sources_these_t(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def sources_theta_a(losses: ArrayLike) -> VarianceEstimate: ...
def sources_theta_a_t(
    losses: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def sources_theta_b(losses: ArrayLike) -> VarianceEstimate: ...
def sources_theta_gamma(losses: ArrayLike) -> VarianceEstimate: ...
def sources_theta_gamma1(
    losses: ArrayLike,
    *,
    pair: tuple[int, int] = (0, 1),
) -> VarianceEstimate: ...
def sources_theta_omega(losses: ArrayLike) -> VarianceEstimate: ...
def sources_theta_omega1(losses: ArrayLike, *, source: int = 0) -> VarianceEstimate: ...
def split_halves_t(
    halves: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def tango_exact(
    fixed: ArrayLike,
    broke: ArrayLike,
    n: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> FlipsEstimate: ...
def two_proportion_z(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def unpaired_delong(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    y_a: ArrayLike,
    y_b: ArrayLike,
    *,
    positive: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def welch_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def wong_kfold_independent_t(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n_test: Any,
    n_test_b: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def wong_kfold_independent_z(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n_test: Any,
    n_test_b: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def wong_kfold_matched_t(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n_test: Any,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def wong_loo_independent_z(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def wong_loo_matched_t(
    n10: ArrayLike,
    n01: ArrayLike,
    *,
    n: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...
def wong_proportion(
    right: ArrayLike,
    *,
    n_test: Any,
    averaging: str = "data-set",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate: ...

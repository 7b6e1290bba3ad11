"""
From losses to an estimate.

One file per family of methods, a registry of what each is good for, one base.

Every function takes arrays with leading batch axes and returns an estimate; :func:`methods` lists
them. All tests share two keywords: ``null``, the difference Δ that is tested (default 0), and
``alternative``, the side of it on which a discovery would be: ``"two-sided"`` (default),
``"greater"`` or ``"less"``. Differences are B − A in the measure's own units, so whether "greater"
means better is the measure's affair.
"""

from evenfold.infer import theory
from evenfold.infer._base import Answer, Pivot, Variance, method
from evenfold.infer._registry import Method, Valid, estimate, methods, recommended, select
from evenfold.infer.battles import BradleyTerry, bradley_terry
from evenfold.infer.boards import (
    RankSets,
    further_ranks,
    on_each_task,
    rank_sets,
    rank_sets_of,
)
from evenfold.infer.bounded import (
    bounded_kfold_t,
    bounded_mean,
    clustered_bounded_mean,
    crossed_bounded_mean,
)
from evenfold.infer.data_sets._tables import RankPairs, rank_pairs
from evenfold.infer.data_sets.effects import RandomEffects, random_effects
from evenfold.infer.data_sets.hierarchical import HierarchicalPosterior, bayes_hierarchical
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
from evenfold.infer.effect_sizes import EffectSize, a12, cliff_delta, cohen_d
from evenfold.infer.folds.full_size import SizeChange, full_size_t, size_change
from evenfold.infer.folds.proportions import (
    wong_kfold_independent_t,
    wong_kfold_independent_z,
    wong_kfold_matched_t,
    wong_loo_independent_z,
    wong_loo_matched_t,
    wong_proportion,
)
from evenfold.infer.folds.tests import (
    corrected_kfold_t,
    cv_clt,
    cv_clt_within,
    fold_jackknife_t,
    kfold_t,
    leave_one_out_t,
    nested_cv,
    out_of_bag_t,
)
from evenfold.infer.folds.variances import cv_theta1, cv_theta2, cv_theta3, cv_theta4, cv_theta5
from evenfold.infer.halves.five_by_two import (
    five_by_two_combined_t,
    five_by_two_f,
    five_by_two_f_calibrated,
    five_by_two_t,
    five_by_two_t_independent,
    five_by_two_t_mean,
    five_by_two_t_others,
)
from evenfold.infer.halves.influence import mx2_influence_t
from evenfold.infer.halves.influence_sequential import mx2_influence_sequential_t
from evenfold.infer.halves.mx2_tests import (
    blocked_3x2_t,
    five_by_two_mcnemar,
    mx2_block_t,
    mx2_combined_t,
    mx2_oracle_t,
    mx2_paired_t,
    mx2_t,
    mx2_v1,
    mx2_v2,
    mx2_v3,
)
from evenfold.infer.halves.sequential import SequentialTest, mx2_sequential_t
from evenfold.infer.many.adjust import adjustment, jointly
from evenfold.infer.many.max_t import MaxT
from evenfold.infer.one_test_set.areas import delong, unpaired_delong
from evenfold.infer.one_test_set.flips import (
    cochran_q,
    mcnemar,
    paired_bootstrap,
    permutation,
    tango_power,
)
from evenfold.infer.one_test_set.tango_exact import tango_exact
from evenfold.infer.one_test_set.unpaired import (
    holdout_t,
    miettinen_nurminen,
    two_proportion_z,
    welch_t,
)
from evenfold.infer.ordered.confidence_set import ModelConfidenceSet, model_confidence_set
from evenfold.infer.ordered.diebold_mariano import (
    diebold_mariano,
    diebold_mariano_fixed_b,
    giacomini_white,
    giacomini_white_conditional,
)
from evenfold.infer.ordered.item_gate import GateLook, gate_items, item_gate
from evenfold.infer.pareto import ParetoSet, pareto_set
from evenfold.infer.prediction_powered import prediction_powered_t
from evenfold.infer.quantiles import QuantileDifference, quantile_difference
from evenfold.infer.scores.bayes import (
    bayes_f1,
    bayes_precision,
    bayes_recall,
    kappa,
    score_posterior,
)
from evenfold.infer.scores.influence_scores import (
    influence_f1,
    influence_precision,
    influence_recall,
    influence_score,
    smooth_score_posterior,
)
from evenfold.infer.sources import (
    sources_new_corrected_t,
    sources_new_t,
    sources_these_t,
    sources_theta_a,
    sources_theta_b,
    sources_theta_gamma,
    sources_theta_gamma1,
    sources_theta_omega,
    sources_theta_omega1,
)
from evenfold.infer.splits import (
    BootstrapError,
    bayes_correlated_t,
    bootstrap,
    bootstrap_632,
    bootstrap_632_plus,
    conservative_t,
    conservative_z,
    corrected_bootstrap,
    corrected_resampled_t,
    cost_ratio_t,
    resampled_t,
)
from evenfold.infer.stochastic_order import AlmostOrder, almost_stochastic_order
from evenfold.infer.tables.anytime import anytime
from evenfold.infer.tables.clusters import (
    clustered_bootstrap,
    clustered_cr2_t,
    clustered_fair_t,
    clustered_permutation,
    clustered_t,
)
from evenfold.infer.tables.runs import RunNoise, crossed_t, paired_t, run_noise, runs_t
from evenfold.infer.theory import covariance
from evenfold.infer.theory.planning import mx2_power
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
    "method",
    "methods",
    "miettinen_nurminen",
    "model_confidence_set",
    "mx2_block_t",
    "mx2_combined_t",
    "mx2_influence_sequential_t",
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
    "sources_theta_b",
    "sources_theta_gamma",
    "sources_theta_gamma1",
    "sources_theta_omega",
    "sources_theta_omega1",
    "tango_exact",
    "tango_power",
    "theory",
    "two_proportion_z",
    "unpaired_delong",
    "welch_t",
    "wilcoxon_holm",
    "wong_kfold_independent_t",
    "wong_kfold_independent_z",
    "wong_kfold_matched_t",
    "wong_loo_independent_z",
    "wong_loo_matched_t",
    "wong_proportion",
]

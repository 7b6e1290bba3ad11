"""
From losses to an estimate: one file per family of methods, and a registry of what each is good for.

Every function takes arrays with leading batch axes and returns an estimate; :func:`methods` lists them. All
tests share two keywords: ``null``, the difference Δ that is tested (default 0), and ``alternative``, the side
of it on which a discovery would be: ``"two-sided"`` (default), ``"greater"`` or ``"less"``. Differences are
B − A in the measure's own units, so whether "greater" means better is the measure's affair.
"""

from evenfold.infer import covariance, theory
from evenfold.infer._registry import Method, methods, select
from evenfold.infer.apply import estimate, recommended
from evenfold.infer.bayes import bayes_f1, bayes_precision, bayes_recall, kappa, score_posterior
from evenfold.infer.bayes_t import bayes_correlated_t
from evenfold.infer.cochran import cochran_q
from evenfold.infer.cv_clt import cv_clt, cv_clt_within
from evenfold.infer.cv_theta import cv_theta1, cv_theta2, cv_theta3, cv_theta4, cv_theta5
from evenfold.infer.delong import delong
from evenfold.infer.five_by_two import (
    five_by_two_combined_t,
    five_by_two_f,
    five_by_two_t,
    five_by_two_t_independent,
    five_by_two_t_mean,
)
from evenfold.infer.holdout import holdout_t
from evenfold.infer.influence import mx2_influence_t
from evenfold.infer.jointly import jointly
from evenfold.infer.kfold import corrected_kfold_t, kfold_t
from evenfold.infer.max_t import MaxT
from evenfold.infer.mcnemar import mcnemar
from evenfold.infer.mcnemar_bcv import five_by_two_mcnemar
from evenfold.infer.mx2 import (
    blocked_3x2_t,
    mx2_block_t,
    mx2_combined_t,
    mx2_oracle_t,
    mx2_paired_t,
    mx2_t,
)
from evenfold.infer.mx2_variance import mx2_v1, mx2_v2, mx2_v3
from evenfold.infer.nested_cv import nested_cv
from evenfold.infer.paired_bootstrap import paired_bootstrap
from evenfold.infer.permutation import permutation
from evenfold.infer.planning import mx2_power
from evenfold.infer.random_effects import RandomEffects, random_effects
from evenfold.infer.ranks import (
    FriedmanTest,
    RankPairs,
    critical_difference,
    friedman,
    friedman_holm,
    nemenyi,
    wilcoxon_holm,
)
from evenfold.infer.reruns import bootstrap, conservative_z, corrected_bootstrap
from evenfold.infer.resampled import corrected_resampled_t, resampled_t
from evenfold.infer.score_influence import (
    influence_f1,
    influence_precision,
    influence_recall,
    influence_score,
)
from evenfold.infer.sequential import SequentialTest, mx2_sequential_t
from evenfold.infer.signed_rank import SignedRankPosterior, bayes_signed_rank
from evenfold.infer.sources import (
    sources_new_t,
    sources_these_t,
    sources_theta_a,
    sources_theta_b,
    sources_theta_gamma,
    sources_theta_gamma1,
    sources_theta_omega,
    sources_theta_omega1,
)
from evenfold.infer.sources_corrected import sources_new_corrected_t
from evenfold.infer.tables.anytime import anytime
from evenfold.infer.tables.clustered_t import clustered_fair_t, clustered_t
from evenfold.infer.tables.crossed_t import crossed_t
from evenfold.infer.tables.paired_t import paired_t
from evenfold.infer.tables.runs_t import runs_t
from evenfold.infer.wong_kfold import (
    wong_kfold_independent_t,
    wong_kfold_independent_z,
    wong_kfold_matched_t,
    wong_proportion,
)
from evenfold.infer.wong_loo import wong_loo_independent_z, wong_loo_matched_t

__all__ = [
    "FriedmanTest",
    "MaxT",
    "Method",
    "RandomEffects",
    "RankPairs",
    "SequentialTest",
    "SignedRankPosterior",
    "anytime",
    "bayes_correlated_t",
    "bayes_f1",
    "bayes_precision",
    "bayes_recall",
    "bayes_signed_rank",
    "blocked_3x2_t",
    "bootstrap",
    "clustered_fair_t",
    "clustered_t",
    "cochran_q",
    "conservative_z",
    "corrected_bootstrap",
    "corrected_kfold_t",
    "corrected_resampled_t",
    "covariance",
    "critical_difference",
    "crossed_t",
    "cv_clt",
    "cv_clt_within",
    "cv_theta1",
    "cv_theta2",
    "cv_theta3",
    "cv_theta4",
    "cv_theta5",
    "delong",
    "estimate",
    "five_by_two_combined_t",
    "five_by_two_f",
    "five_by_two_mcnemar",
    "five_by_two_t",
    "five_by_two_t_independent",
    "five_by_two_t_mean",
    "friedman",
    "friedman_holm",
    "holdout_t",
    "influence_f1",
    "influence_precision",
    "influence_recall",
    "influence_score",
    "jointly",
    "kappa",
    "kfold_t",
    "mcnemar",
    "methods",
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
    "paired_bootstrap",
    "paired_t",
    "permutation",
    "random_effects",
    "recommended",
    "resampled_t",
    "runs_t",
    "score_posterior",
    "select",
    "sources_new_corrected_t",
    "sources_new_t",
    "sources_these_t",
    "sources_theta_a",
    "sources_theta_b",
    "sources_theta_gamma",
    "sources_theta_gamma1",
    "sources_theta_omega",
    "sources_theta_omega1",
    "theory",
    "wilcoxon_holm",
    "wong_kfold_independent_t",
    "wong_kfold_independent_z",
    "wong_kfold_matched_t",
    "wong_loo_independent_z",
    "wong_loo_matched_t",
    "wong_proportion",
]

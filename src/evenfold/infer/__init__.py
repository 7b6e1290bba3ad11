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
from evenfold.infer.cv_theta import cv_theta1, cv_theta2, cv_theta3, cv_theta4, cv_theta5
from evenfold.infer.five_by_two import (
    five_by_two_combined_t,
    five_by_two_f,
    five_by_two_t,
    five_by_two_t_independent,
    five_by_two_t_mean,
)
from evenfold.infer.holdout import holdout_t
from evenfold.infer.influence import mx2_influence_t
from evenfold.infer.kfold import corrected_kfold_t, kfold_t
from evenfold.infer.mcnemar import mcnemar
from evenfold.infer.mx2 import (
    blocked_3x2_t,
    mx2_block_t,
    mx2_combined_t,
    mx2_oracle_t,
    mx2_paired_t,
    mx2_t,
)
from evenfold.infer.mx2_variance import mx2_v1, mx2_v2, mx2_v3
from evenfold.infer.reruns import bootstrap, conservative_z, corrected_bootstrap
from evenfold.infer.resampled import corrected_resampled_t, resampled_t
from evenfold.infer.sequential import SequentialTest, mx2_sequential_t
from evenfold.infer.sources import (
    sources_new_t,
    sources_theta_a,
    sources_theta_b,
    sources_theta_gamma,
    sources_theta_gamma1,
    sources_theta_omega,
    sources_theta_omega1,
)
from evenfold.infer.wong_kfold import (
    wong_kfold_independent_t,
    wong_kfold_independent_z,
    wong_kfold_matched_t,
    wong_proportion,
)
from evenfold.infer.wong_loo import wong_loo_independent_z, wong_loo_matched_t

__all__ = [
    "Method",
    "SequentialTest",
    "bayes_f1",
    "bayes_precision",
    "bayes_recall",
    "blocked_3x2_t",
    "bootstrap",
    "conservative_z",
    "corrected_bootstrap",
    "corrected_kfold_t",
    "corrected_resampled_t",
    "covariance",
    "cv_theta1",
    "cv_theta2",
    "cv_theta3",
    "cv_theta4",
    "cv_theta5",
    "estimate",
    "five_by_two_combined_t",
    "five_by_two_f",
    "five_by_two_t",
    "five_by_two_t_independent",
    "five_by_two_t_mean",
    "holdout_t",
    "kappa",
    "kfold_t",
    "mcnemar",
    "methods",
    "mx2_block_t",
    "mx2_combined_t",
    "mx2_influence_t",
    "mx2_oracle_t",
    "mx2_paired_t",
    "mx2_sequential_t",
    "mx2_t",
    "mx2_v1",
    "mx2_v2",
    "mx2_v3",
    "recommended",
    "resampled_t",
    "score_posterior",
    "select",
    "sources_new_t",
    "sources_theta_a",
    "sources_theta_b",
    "sources_theta_gamma",
    "sources_theta_gamma1",
    "sources_theta_omega",
    "sources_theta_omega1",
    "theory",
    "wong_kfold_independent_t",
    "wong_kfold_independent_z",
    "wong_kfold_matched_t",
    "wong_loo_independent_z",
    "wong_loo_matched_t",
    "wong_proportion",
]

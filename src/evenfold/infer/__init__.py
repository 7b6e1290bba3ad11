"""
From losses to an estimate.

One file per family of methods, a registry of what each is good for, one base.

Every function takes arrays with leading batch axes and returns an estimate; :func:`methods` lists
them. All tests share two keywords: ``null``, the difference Δ that is tested (default 0), and
``alternative``, the side of it on which a discovery would be: ``"two-sided"`` (default),
``"greater"`` or ``"less"``. Differences are B − A in the measure's own units, so whether "greater"
means better is the measure's affair.
"""

from inspect import ismodule as _is_module

from evenfold.infer import theory
from evenfold.infer._base import Answer, Pivot, Variance, method
from evenfold.infer._registry import Method, Valid, estimate, methods, recommended, select
from evenfold.infer.adjust import adjustment, jointly
from evenfold.infer.anytime import GateLook, anytime, gate_items, item_gate
from evenfold.infer.battles import BradleyTerry, bradley_terry
from evenfold.infer.bayes_scores import (
    bayes_f1,
    bayes_precision,
    bayes_recall,
    kappa,
    score_posterior,
)
from evenfold.infer.boards import RankSets, further_ranks, on_each_task, rank_sets, rank_sets_of
from evenfold.infer.bounded import (
    bounded_kfold_t,
    bounded_mean,
    clustered_bounded_mean,
    crossed_bounded_mean,
)
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
    cv_theta1,
    cv_theta2,
    cv_theta3,
    cv_theta4,
    cv_theta5,
    cv_theta5_t,
    fold_jackknife_t,
    kfold_t,
    leave_one_out_t,
    nested_cv,
    out_of_bag_t,
)
from evenfold.infer.forecasts import (
    ModelConfidenceSet,
    diebold_mariano,
    diebold_mariano_fixed_b,
    giacomini_white,
    giacomini_white_conditional,
    model_confidence_set,
)
from evenfold.infer.halves.influence import mx2_influence_t
from evenfold.infer.halves.mx2_tests import (
    blocked_3x2_t,
    five_by_two_combined_t,
    five_by_two_f,
    five_by_two_f_calibrated,
    five_by_two_mcnemar,
    five_by_two_t,
    five_by_two_t_independent,
    five_by_two_t_mean,
    five_by_two_t_others,
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
from evenfold.infer.halves.split_halves import split_halves_t
from evenfold.infer.halves.stable import StableEstimate, until_stable
from evenfold.infer.influence_scores import (
    influence_f1,
    influence_precision,
    influence_recall,
    influence_score,
    smooth_score_posterior,
)
from evenfold.infer.max_t import MaxT
from evenfold.infer.merge import merge
from evenfold.infer.one_test_set.areas import delong, unpaired_delong
from evenfold.infer.one_test_set.flips import cochran_q, mcnemar
from evenfold.infer.one_test_set.resampling import paired_bootstrap, permutation
from evenfold.infer.one_test_set.tango_exact import tango_exact, tango_power
from evenfold.infer.one_test_set.unpaired import (
    holdout_t,
    miettinen_nurminen,
    two_proportion_z,
    welch_t,
)
from evenfold.infer.pareto import ParetoSet, pareto_set
from evenfold.infer.prediction_powered import prediction_powered_t
from evenfold.infer.sources import (
    sources_new_corrected_t,
    sources_new_t,
    sources_these_t,
    sources_theta_a,
    sources_theta_a_t,
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
from evenfold.infer.tables.tests import (
    RunNoise,
    clustered_bootstrap,
    clustered_cr2_t,
    clustered_fair_t,
    clustered_permutation,
    clustered_t,
    crossed_t,
    paired_t,
    run_noise,
    runs_t,
)
from evenfold.infer.theory import covariance
from evenfold.infer.trials import pass_at_k, pass_hat_k

__all__ = sorted(
    name
    for name, thing in globals().items()
    if not name.startswith("_") and (not _is_module(thing) or thing in (covariance, theory))
)

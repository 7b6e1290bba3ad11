"""
From losses to an estimate.

There is one file per family of methods, a registry that describes each method, and a common base.

Every function takes arrays with leading batch axes and returns an estimate; :func:`methods` lists
them. All tests share two keywords: ``null``, the difference Δ that is tested (default 0), and
``alternative``, the side of it on which a discovery would be: ``"two-sided"`` (default),
``"greater"`` or ``"less"``. Differences are B − A in the measure's own units, so whether "greater"
means better is the measure's affair.
"""

from importlib import import_module as _import_module
from inspect import ismodule as _is_module
from pkgutil import walk_packages as _walk_packages
from typing import TYPE_CHECKING as _TYPE_CHECKING

from evenfold.infer import theory as theory
from evenfold.infer._base import Answer as Answer
from evenfold.infer._base import Pivot as Pivot
from evenfold.infer._base import Variance as Variance
from evenfold.infer._base import method as method
from evenfold.infer._designs import Valid as Valid
from evenfold.infer._registry import METHODS as _METHODS
from evenfold.infer._registry import Method as Method
from evenfold.infer._registry import estimate as estimate
from evenfold.infer._registry import methods as methods
from evenfold.infer._registry import recommended as recommended
from evenfold.infer._registry import select as select
from evenfold.infer.adjust import adjustment as adjustment
from evenfold.infer.adjust import jointly as jointly
from evenfold.infer.anytime import GateLook as GateLook
from evenfold.infer.anytime import anytime as anytime
from evenfold.infer.anytime import gate_items as gate_items
from evenfold.infer.anytime import item_gate as item_gate
from evenfold.infer.battles import BradleyTerry as BradleyTerry
from evenfold.infer.battles import bradley_terry as bradley_terry
from evenfold.infer.bayes_scores import bayes_f1 as bayes_f1
from evenfold.infer.bayes_scores import bayes_precision as bayes_precision
from evenfold.infer.bayes_scores import bayes_recall as bayes_recall
from evenfold.infer.bayes_scores import kappa as kappa
from evenfold.infer.bayes_scores import score_posterior as score_posterior
from evenfold.infer.boards import RankSets as RankSets
from evenfold.infer.boards import further_ranks as further_ranks
from evenfold.infer.boards import on_each_task as on_each_task
from evenfold.infer.boards import rank_sets as rank_sets
from evenfold.infer.boards import rank_sets_of as rank_sets_of
from evenfold.infer.bounded import bounded_kfold_t as bounded_kfold_t
from evenfold.infer.bounded import bounded_mean as bounded_mean
from evenfold.infer.bounded import clustered_bounded_mean as clustered_bounded_mean
from evenfold.infer.bounded import crossed_bounded_mean as crossed_bounded_mean
from evenfold.infer.data_sets._tables import RankPairs as RankPairs
from evenfold.infer.data_sets._tables import rank_pairs as rank_pairs
from evenfold.infer.data_sets.hierarchical import HierarchicalPosterior as HierarchicalPosterior
from evenfold.infer.data_sets.hierarchical import RandomEffects as RandomEffects
from evenfold.infer.data_sets.hierarchical import bayes_hierarchical as bayes_hierarchical
from evenfold.infer.data_sets.hierarchical import random_effects as random_effects
from evenfold.infer.data_sets.omnibus import FriedmanTest as FriedmanTest
from evenfold.infer.data_sets.omnibus import RanksTest as RanksTest
from evenfold.infer.data_sets.omnibus import aligned_ranks as aligned_ranks
from evenfold.infer.data_sets.omnibus import critical_difference as critical_difference
from evenfold.infer.data_sets.omnibus import friedman as friedman
from evenfold.infer.data_sets.omnibus import friedman_holm as friedman_holm
from evenfold.infer.data_sets.omnibus import mean_ranks as mean_ranks
from evenfold.infer.data_sets.omnibus import nemenyi as nemenyi
from evenfold.infer.data_sets.omnibus import quade as quade
from evenfold.infer.data_sets.omnibus import skillings_mack as skillings_mack
from evenfold.infer.data_sets.signs import SignedRankPosterior as SignedRankPosterior
from evenfold.infer.data_sets.signs import SignTest as SignTest
from evenfold.infer.data_sets.signs import bayes_signed_rank as bayes_signed_rank
from evenfold.infer.data_sets.signs import sign_test as sign_test
from evenfold.infer.data_sets.signs import wilcoxon_holm as wilcoxon_holm
from evenfold.infer.distributions import AlmostOrder as AlmostOrder
from evenfold.infer.distributions import QuantileDifference as QuantileDifference
from evenfold.infer.distributions import almost_stochastic_order as almost_stochastic_order
from evenfold.infer.distributions import quantile_difference as quantile_difference
from evenfold.infer.effects import EffectSize as EffectSize
from evenfold.infer.effects import a12 as a12
from evenfold.infer.effects import cliff_delta as cliff_delta
from evenfold.infer.effects import cohen_d as cohen_d
from evenfold.infer.effects import mx2_power as mx2_power
from evenfold.infer.folds.full_size import SizeChange as SizeChange
from evenfold.infer.folds.full_size import full_size_t as full_size_t
from evenfold.infer.folds.full_size import size_change as size_change
from evenfold.infer.folds.proportions import wong_kfold_independent_t as wong_kfold_independent_t
from evenfold.infer.folds.proportions import wong_kfold_independent_z as wong_kfold_independent_z
from evenfold.infer.folds.proportions import wong_kfold_matched_t as wong_kfold_matched_t
from evenfold.infer.folds.proportions import wong_loo_independent_z as wong_loo_independent_z
from evenfold.infer.folds.proportions import wong_loo_matched_t as wong_loo_matched_t
from evenfold.infer.folds.proportions import wong_proportion as wong_proportion
from evenfold.infer.folds.tests import corrected_kfold_t as corrected_kfold_t
from evenfold.infer.folds.tests import cv_clt as cv_clt
from evenfold.infer.folds.tests import cv_clt_within as cv_clt_within
from evenfold.infer.folds.tests import cv_theta1 as cv_theta1
from evenfold.infer.folds.tests import cv_theta2 as cv_theta2
from evenfold.infer.folds.tests import cv_theta3 as cv_theta3
from evenfold.infer.folds.tests import cv_theta4 as cv_theta4
from evenfold.infer.folds.tests import cv_theta5 as cv_theta5
from evenfold.infer.folds.tests import cv_theta5_t as cv_theta5_t
from evenfold.infer.folds.tests import fold_jackknife_t as fold_jackknife_t
from evenfold.infer.folds.tests import kfold_t as kfold_t
from evenfold.infer.folds.tests import leave_one_out_t as leave_one_out_t
from evenfold.infer.folds.tests import nested_cv as nested_cv
from evenfold.infer.folds.tests import out_of_bag_t as out_of_bag_t
from evenfold.infer.forecasts import ModelConfidenceSet as ModelConfidenceSet
from evenfold.infer.forecasts import diebold_mariano as diebold_mariano
from evenfold.infer.forecasts import diebold_mariano_fixed_b as diebold_mariano_fixed_b
from evenfold.infer.forecasts import giacomini_white as giacomini_white
from evenfold.infer.forecasts import giacomini_white_conditional as giacomini_white_conditional
from evenfold.infer.forecasts import model_confidence_set as model_confidence_set
from evenfold.infer.halves.influence import mx2_influence_t as mx2_influence_t
from evenfold.infer.halves.mx2_tests import blocked_3x2_t as blocked_3x2_t
from evenfold.infer.halves.mx2_tests import five_by_two_combined_t as five_by_two_combined_t
from evenfold.infer.halves.mx2_tests import five_by_two_f as five_by_two_f
from evenfold.infer.halves.mx2_tests import five_by_two_f_calibrated as five_by_two_f_calibrated
from evenfold.infer.halves.mx2_tests import five_by_two_mcnemar as five_by_two_mcnemar
from evenfold.infer.halves.mx2_tests import five_by_two_t as five_by_two_t
from evenfold.infer.halves.mx2_tests import five_by_two_t_independent as five_by_two_t_independent
from evenfold.infer.halves.mx2_tests import five_by_two_t_mean as five_by_two_t_mean
from evenfold.infer.halves.mx2_tests import five_by_two_t_others as five_by_two_t_others
from evenfold.infer.halves.mx2_tests import mx2_block_t as mx2_block_t
from evenfold.infer.halves.mx2_tests import mx2_combined_t as mx2_combined_t
from evenfold.infer.halves.mx2_tests import mx2_oracle_t as mx2_oracle_t
from evenfold.infer.halves.mx2_tests import mx2_paired_t as mx2_paired_t
from evenfold.infer.halves.mx2_tests import mx2_t as mx2_t
from evenfold.infer.halves.mx2_tests import mx2_v1 as mx2_v1
from evenfold.infer.halves.mx2_tests import mx2_v2 as mx2_v2
from evenfold.infer.halves.mx2_tests import mx2_v3 as mx2_v3
from evenfold.infer.halves.sequential import SequentialTest as SequentialTest
from evenfold.infer.halves.sequential import mx2_sequential_t as mx2_sequential_t
from evenfold.infer.halves.split_halves import split_halves_t as split_halves_t
from evenfold.infer.halves.stable import StableEstimate as StableEstimate
from evenfold.infer.halves.stable import until_stable as until_stable
from evenfold.infer.influence_scores import influence_f1 as influence_f1
from evenfold.infer.influence_scores import influence_precision as influence_precision
from evenfold.infer.influence_scores import influence_recall as influence_recall
from evenfold.infer.influence_scores import influence_score as influence_score
from evenfold.infer.influence_scores import smooth_score_posterior as smooth_score_posterior
from evenfold.infer.max_t import MaxT as MaxT
from evenfold.infer.merge import merge as merge
from evenfold.infer.one_test_set.areas import delong as delong
from evenfold.infer.one_test_set.areas import unpaired_delong as unpaired_delong
from evenfold.infer.one_test_set.flips import cochran_q as cochran_q
from evenfold.infer.one_test_set.flips import mcnemar as mcnemar
from evenfold.infer.one_test_set.resampling import paired_bootstrap as paired_bootstrap
from evenfold.infer.one_test_set.resampling import permutation as permutation
from evenfold.infer.one_test_set.tango_exact import tango_exact as tango_exact
from evenfold.infer.one_test_set.tango_exact import tango_power as tango_power
from evenfold.infer.one_test_set.unpaired import holdout_t as holdout_t
from evenfold.infer.one_test_set.unpaired import miettinen_nurminen as miettinen_nurminen
from evenfold.infer.one_test_set.unpaired import two_proportion_z as two_proportion_z
from evenfold.infer.one_test_set.unpaired import welch_t as welch_t
from evenfold.infer.pareto import ParetoSet as ParetoSet
from evenfold.infer.pareto import pareto_set as pareto_set
from evenfold.infer.prediction_powered import prediction_powered_t as prediction_powered_t
from evenfold.infer.ratios import GeometricMeanRatio as GeometricMeanRatio
from evenfold.infer.ratios import geometric_mean_ratio as geometric_mean_ratio
from evenfold.infer.ratios import geometric_mean_ratios as geometric_mean_ratios
from evenfold.infer.ratios import geometric_means as geometric_means
from evenfold.infer.ratios import noise_floor as noise_floor
from evenfold.infer.sources import sources_new_corrected_t as sources_new_corrected_t
from evenfold.infer.sources import sources_new_t as sources_new_t
from evenfold.infer.sources import sources_these_t as sources_these_t
from evenfold.infer.sources import sources_theta_a as sources_theta_a
from evenfold.infer.sources import sources_theta_a_t as sources_theta_a_t
from evenfold.infer.sources import sources_theta_b as sources_theta_b
from evenfold.infer.sources import sources_theta_gamma as sources_theta_gamma
from evenfold.infer.sources import sources_theta_gamma1 as sources_theta_gamma1
from evenfold.infer.sources import sources_theta_omega as sources_theta_omega
from evenfold.infer.sources import sources_theta_omega1 as sources_theta_omega1
from evenfold.infer.splits import BootstrapError as BootstrapError
from evenfold.infer.splits import bayes_correlated_t as bayes_correlated_t
from evenfold.infer.splits import bootstrap as bootstrap
from evenfold.infer.splits import bootstrap_632 as bootstrap_632
from evenfold.infer.splits import bootstrap_632_plus as bootstrap_632_plus
from evenfold.infer.splits import conservative_t as conservative_t
from evenfold.infer.splits import conservative_z as conservative_z
from evenfold.infer.splits import corrected_bootstrap as corrected_bootstrap
from evenfold.infer.splits import corrected_resampled_t as corrected_resampled_t
from evenfold.infer.splits import cost_ratio_t as cost_ratio_t
from evenfold.infer.splits import resampled_t as resampled_t
from evenfold.infer.tables.intraclass import IntraclassCorrelation as IntraclassCorrelation
from evenfold.infer.tables.intraclass import intraclass_correlation as intraclass_correlation
from evenfold.infer.tables.tests import RunNoise as RunNoise
from evenfold.infer.tables.tests import clustered_bootstrap as clustered_bootstrap
from evenfold.infer.tables.tests import clustered_cr2_t as clustered_cr2_t
from evenfold.infer.tables.tests import clustered_fair_t as clustered_fair_t
from evenfold.infer.tables.tests import clustered_permutation as clustered_permutation
from evenfold.infer.tables.tests import clustered_t as clustered_t
from evenfold.infer.tables.tests import crossed_t as crossed_t
from evenfold.infer.tables.tests import paired_t as paired_t
from evenfold.infer.tables.tests import run_noise as run_noise
from evenfold.infer.tables.tests import runs_t as runs_t
from evenfold.infer.theory import covariance as covariance
from evenfold.infer.trials import pass_at_k as pass_at_k
from evenfold.infer.trials import pass_hat_k as pass_hat_k

# A method of a module that is not imported above is public, too. Type checkers cannot follow this
# loop; "import a as a" tells them which names are public.
for _module in _walk_packages(__path__, f"{__name__}."):
    _import_module(_module.name)
for _entry in _METHODS.loaded():
    globals().setdefault(_entry.function.__name__, _entry.function)

__all__ = sorted(
    name
    for name, thing in globals().items()
    if not name.startswith("_") and (not _is_module(thing) or thing in (covariance, theory))
)

if not _TYPE_CHECKING:  # a type checker knows the names and refuses others

    def __getattr__(name: str) -> None:
        """Say what replaced the default method of version 0.2."""
        if name == "mx2_influence_sequential_t":
            raise AttributeError(
                "evenfold.infer.mx2_influence_sequential_t is replaced by "
                "evenfold.infer.until_stable."
            )
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Methods on precision, recall and F1, and the posteriors that they return."""

from evenfold.infer.scores.bayes import DifferencePosterior, Rope, ScorePosterior
from evenfold.infer.scores.influence_scores import DifferenceInfluence, ScoreInfluence

__all__ = ["DifferenceInfluence", "DifferencePosterior", "Rope", "ScoreInfluence", "ScorePosterior"]

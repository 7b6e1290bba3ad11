"""Methods on precision, recall and F1, and the posteriors that they return."""

from evenfold.infer.scores._linear import DifferenceInfluence, ScoreInfluence
from evenfold.infer.scores._posterior import DifferencePosterior, Rope, ScorePosterior

__all__ = ["DifferenceInfluence", "DifferencePosterior", "Rope", "ScoreInfluence", "ScorePosterior"]

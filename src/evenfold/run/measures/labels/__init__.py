"""Measures of labels: what share was right, ratios of counts, costs, losses of probabilities."""

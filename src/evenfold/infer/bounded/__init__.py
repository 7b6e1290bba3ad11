"""Bounds for means of values between two ends: of examples, clusters, runs and folds."""

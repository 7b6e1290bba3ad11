"""Methods on folds."""

"""Methods on one test set: they speak of the models that were fitted."""

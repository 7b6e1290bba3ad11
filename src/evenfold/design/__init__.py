"""Who trains and who tests; never sees an estimator."""

"""Populations of known truth, fed through the same rooms: how a test errs, how strong it is, its cost."""

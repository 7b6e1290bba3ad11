"""Comparisons over several data sets."""

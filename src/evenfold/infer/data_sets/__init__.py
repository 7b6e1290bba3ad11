"""Tests over several data sets: one value per data set and algorithm."""

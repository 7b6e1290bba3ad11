"""Tests over several data sets: one value per data set and algorithm."""

from evenfold.infer.data_sets._tables import PAIR_TESTS, AdjustedPairTest, parse_test_spelling

__all__ = ["PAIR_TESTS", "AdjustedPairTest", "parse_test_spelling"]

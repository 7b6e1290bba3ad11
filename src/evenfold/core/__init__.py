"""The vocabulary every room speaks: values, errors, checks, randomness."""

"""The vocabulary that all packages share: values, errors, checks, randomness."""

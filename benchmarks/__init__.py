"""Benchmarks: ratios against the peers and against the floor, measured in one run."""

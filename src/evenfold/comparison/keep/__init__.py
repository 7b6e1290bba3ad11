"""A loop that proposes, a gate that keeps or discards, and one file that remembers what was spent."""

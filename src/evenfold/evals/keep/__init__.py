"""A loop that proposes, a gate that keeps or discards, and one file of the level spent."""

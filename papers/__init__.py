"""The experiments of the sources, run again: a script for each."""

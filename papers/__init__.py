"""Reproductions of the tables of the sources, one script for each."""

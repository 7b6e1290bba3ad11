"""Errors, coverage and power of our own methods, a script for each table of the documentation."""

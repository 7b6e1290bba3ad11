"""Nearest neighbours, many models at once."""

"""Tests on tables of existing results: of examples in clusters, and of several runs."""

"""What the Makefile needs beyond one line; no part of the package."""

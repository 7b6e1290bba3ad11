"""The gate of a pull request: several checks, one error budget, one comment and one exit code."""
